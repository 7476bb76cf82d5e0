//! Plans and sources at work, step by step.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use casetrack_catalog::space::Execution;
use casetrack_core::Cancel;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::jobs::JobFilter;
use crate::{Engine, PlanChange};
use casetrack_files::space;
use casetrack_files::space::{InField, PlanDefinition};
use casetrack_host::collections::CreateCollection;
use casetrack_host::{EngineConfig, collections};

/// Longest wait for anything. It only ends a hang.
const PATIENCE: Duration = Duration::from_secs(600);

struct Made {
    engine: Engine,
    dir: TempDir,
}

impl Made {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("files")).unwrap();
        Self { engine: Engine::new(EngineConfig::new(dir.path().join("home"))).unwrap(), dir }
    }

    /// As the next process does.
    fn reopen(&mut self) {
        let (plans, _) = self.engine.plans_and_jobs();
        plans.stop(self.engine.host());
        self.engine = Engine::new(EngineConfig::new(self.dir.path().join("home"))).unwrap();
        let (plans, jobs) = self.engine.plans_and_jobs();
        plans.resume_plans(self.engine.host(), jobs).unwrap();
        plans.resume_sources(self.engine.host(), jobs).unwrap();
    }

    fn files(&self) -> PathBuf {
        casetrack_core::real_path(self.dir.path()).unwrap().join("files")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.files().join(name), text).unwrap();
    }

    fn plan(&self, name: &str, kind: &str, outcomes: Value) -> PlanDefinition {
        let mut config = json!({"path": self.files()});
        if kind == "filesystem.watch" {
            config["debounce_ms"] = 0.into();
        }
        PlanDefinition {
            name: name.to_owned(),
            mode: Some(if kind == "filesystem.watch" { "continuous" } else { "oneshot" }.to_owned()),
            sources: json!([{"name": "s", "type": kind, "target_set": "set", "config": config}]),
            outcomes: Some(outcomes).filter(|outcomes| !outcomes.is_null()),
            ..PlanDefinition::default()
        }
    }

    /// Makes every walk wait until the result is dropped.
    fn hold_walks(&self) -> File {
        self.engine.host().catalog().unwrap();
        let path = self.engine.host().config().data_dir.join("catalog/scan.lock");
        let file = File::options().create(true).append(true).open(path).unwrap();
        file.lock().unwrap();
        file
    }

    fn tick(&self) {
        let (plans, jobs) = self.engine.plans_and_jobs();
        plans.tick(self.engine.host(), jobs);
    }

    /// Makes the passes that are due until something holds.
    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let started = Instant::now();
        while !holds(self) {
            assert!(started.elapsed() < PATIENCE, "{what}: {:?}", self.runs());
            self.tick();
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn live(&self, key: Key) -> Option<Arc<Live>> {
        self.engine.plans_and_jobs().0.get(&key)
    }

    fn count(&self) -> u64 {
        let space = self.engine.host().space().unwrap();
        space.sum("set", None).map_or(0, |(totals, _)| totals.count)
    }

    fn runs(&self) -> Vec<Execution> {
        self.engine.host().space().unwrap().executions(None, &[], 100, 0).unwrap()
    }

    /// Of the runs, the latest first.
    fn statuses(&self) -> Vec<String> {
        self.runs().into_iter().map(|run| run.status).collect()
    }
}

fn plan(name: &str) -> Key {
    Key::Plan(name.to_owned())
}

#[test]
fn a_run_that_was_ended_in_its_first_walk_leaves_its_successor_at_work() {
    let made = Made::new();
    made.write("a", "x");
    let engine = &made.engine;
    engine.create_plan(engine.host(), made.plan("p", "filesystem.watch", Value::Null)).unwrap();
    let held = made.hold_walks();
    engine.execute_plan(engine.host(), "p").unwrap();
    let old = made.live(plan("p")).unwrap();
    let conditions = Some(Some(json!({"type": "size", "minSize": 1})));
    engine.update_plan(engine.host(), "p", &PlanChange { conditions, ..PlanChange::default() }).unwrap();
    assert_eq!(made.statuses(), ["running", "cancelled"]);
    // The old thread ends, and so does the walk that another source was stopped in.
    let config = json!({"path": made.files()});
    let source = SourceDefinition {
        name: "w".to_owned(),
        kind: "filesystem.watch".to_owned(),
        target_set: "watched".to_owned(),
        config,
        update_mode: None,
    };
    engine.create_source(engine.host(), source).unwrap();
    engine.start_source(engine.host(), "w").unwrap();
    let first = made.live(Key::Source("w".to_owned())).unwrap();
    assert_eq!(engine.stop_source(engine.host(), "w").unwrap().status, "stopped");
    engine.start_source(engine.host(), "w").unwrap();
    // This test and the map of plans hold the others.
    made.until("the old threads end", |_| Arc::strong_count(&old) == 1 && Arc::strong_count(&first) == 1);
    drop(held);
    made.until("the new run has its pass", |made| made.count() == 1);
    assert_eq!(made.statuses(), ["running", "cancelled"]);
    assert!(made.live(plan("p")).is_some_and(|live| live.is_running()));
    assert_eq!(engine.source(engine.host(), "w").unwrap().status, "running");
    // A removed record does not remove the record that took its place.
    let (plans, _) = engine.plans_and_jobs();
    plans.remove_this(&plan("p"), &old);
    assert!(made.live(plan("p")).is_some());
    made.write("b", "x");
    made.until("it follows its folder", |made| made.count() == 2);
}

#[test]
fn a_plan_that_runs_once_runs_alone_and_ends_when_it_is_paused_or_deleted() {
    let mut made = Made::new();
    made.write("a", "x");
    let engine = &made.engine;
    engine.create_plan(engine.host(), made.plan("p", "filesystem.index", Value::Null)).unwrap();
    let held = made.hold_walks();
    let first = engine.execute_plan(engine.host(), "p").unwrap();
    assert_eq!(engine.execute_plan(engine.host(), "p").unwrap().execution_id, first.execution_id, "it joins the run");
    let description = Some(Some("Other".to_owned()));
    engine.update_plan(engine.host(), "p", &PlanChange { description, ..PlanChange::default() }).unwrap();
    assert_eq!(made.statuses(), ["running"]);
    let status = |status: &str| PlanChange { status: Some(status.to_owned()), ..PlanChange::default() };
    engine.update_plan(engine.host(), "p", &status("paused")).unwrap();
    assert_eq!(made.statuses(), ["cancelled"]);
    assert!(engine.execute_plan(engine.host(), "p").unwrap_err().message.contains("plan is paused"));
    engine.update_plan(engine.host(), "p", &status("active")).unwrap();
    assert_eq!(made.statuses(), ["cancelled"], "it runs when it is told to");
    engine.execute_plan(engine.host(), "p").unwrap();
    // The end of the process interrupts it, and the next process runs it again.
    made.reopen();
    assert_eq!(made.statuses(), ["running", "failed", "cancelled"]);
    drop(held);
    made.until("the run has ended", |made| made.statuses()[0] == "completed");
    assert_eq!(made.count(), 1);
    let held = made.hold_walks();
    made.engine.execute_plan(made.engine.host(), "p").unwrap();
    let live = made.live(plan("p")).unwrap();
    made.engine.delete_plan(made.engine.host(), "p").unwrap();
    made.until("the thread ends", |_| Arc::strong_count(&live) == 1);
    drop(held);
    assert!(made.runs().is_empty());
}

#[test]
fn a_continuous_plan_that_was_paused_goes_on_when_it_is_active_again() {
    let made = Made::new();
    made.write("a", "x");
    let engine = &made.engine;
    engine.create_plan(engine.host(), made.plan("p", "filesystem.watch", Value::Null)).unwrap();
    let status = |status: &str| PlanChange { status: Some(status.to_owned()), ..PlanChange::default() };
    engine.update_plan(engine.host(), "p", &status("paused")).unwrap();
    engine.update_plan(engine.host(), "p", &status("active")).unwrap();
    assert!(made.runs().is_empty(), "it was never at work");
    engine.execute_plan(engine.host(), "p").unwrap();
    made.until("the first pass", |made| made.count() == 1);
    engine.update_plan(engine.host(), "p", &status("paused")).unwrap();
    made.write("b", "x");
    (0..10).for_each(|_| made.tick());
    assert_eq!((made.count(), made.statuses()), (1, vec!["cancelled".to_owned()]));
    engine.update_plan(engine.host(), "p", &status("active")).unwrap();
    made.until("what came meanwhile", |made| made.count() == 2);
    assert_eq!(made.statuses(), ["running", "cancelled"]);
}

#[test]
fn ten_thousand_changes_at_once_are_one_pass() {
    let made = Made::new();
    let engine = &made.engine;
    engine.create_plan(engine.host(), made.plan("p", "filesystem.watch", Value::Null)).unwrap();
    engine.execute_plan(engine.host(), "p").unwrap();
    let live = made.live(plan("p")).unwrap();
    made.until("the first pass", |_| live.passes() == 1);
    for number in 0..10_000 {
        made.write(&number.to_string(), "x");
    }
    // All events arrive before the next check for changes.
    let started = Instant::now();
    while engine.host().catalog().unwrap().count(&made.files(), None).unwrap().0 < 10_000 {
        assert!(started.elapsed() < PATIENCE);
        engine.host().live_files().bring_up_to_date(engine.host(), &made.files(), &Cancel::default()).unwrap();
    }
    made.until("the burst", |made| made.count() == 10_000);
    (0..20).for_each(|_| made.tick());
    assert_eq!(live.passes(), 2);
    // Changes elsewhere make none.
    let elsewhere = casetrack_core::real_path(made.dir.path()).unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("a"), "x").unwrap();
    let before = engine.host().space().unwrap().state().unwrap();
    space::index_now(engine.host(), &elsewhere, &Cancel::default()).unwrap();
    assert_ne!(engine.host().space().unwrap().state().unwrap(), before);
    (0..20).for_each(|_| made.tick());
    assert_eq!(live.passes(), 2);
    made.write("last", "x");
    made.until("the last", |made| made.count() == 10_001);
}

#[test]
fn a_folder_that_is_gone_at_the_start_is_followed_when_it_is_back() {
    let mut made = Made::new();
    made.write("a", "x");
    {
        let engine = &made.engine;
        engine.create_plan(engine.host(), made.plan("p", "filesystem.watch", Value::Null)).unwrap();
        engine.execute_plan(engine.host(), "p").unwrap();
        let source = SourceDefinition {
            name: "w".to_owned(),
            kind: "filesystem.watch".to_owned(),
            target_set: "watched".to_owned(),
            config: json!({"path": made.files()}),
            update_mode: None,
        };
        engine.create_source(engine.host(), source).unwrap();
        engine.start_source(engine.host(), "w").unwrap();
    }
    made.until("the first pass", |made| made.count() == 1);
    let away = made.files().with_file_name("away");
    fs::rename(made.files(), &away).unwrap();
    made.reopen();
    let error = |made: &Made| made.runs()[0].error.clone();
    let of_source = |made: &Made| made.engine.source(made.engine.host(), "w").unwrap();
    made.until("the error", |made| error(made).is_some() && of_source(made).last_error.is_some());
    assert!(error(&made).unwrap().contains("does not exist; CaseTrack follows it again when it is back"));
    assert_eq!((made.statuses()[0].as_str(), of_source(&made).status.as_str()), ("running", "running"));
    fs::rename(&away, made.files()).unwrap();
    made.write("b", "x");
    // The thread of live folders looks for it.
    made.engine.host().live_files().start(made.engine.host()).unwrap();
    made.until("what came meanwhile", |made| made.count() == 2 && error(made).is_none());
    made.until("the source", |made| of_source(made).last_error.is_none());
    assert_eq!(made.statuses()[0], "running");
    made.engine.host().live_files().stop();
}

#[test]
fn a_definition_that_cannot_be_read_at_the_start_is_tried_again_and_says_why() {
    let mut made = Made::new();
    let folder = casetrack_core::real_path(made.dir.path()).unwrap().join("stick/photos");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a"), "x").unwrap();
    let mut definition = made.plan("p", "filesystem.watch", Value::Null);
    definition.sources[0]["config"]["path"] = json!(folder);
    made.engine.create_plan(made.engine.host(), definition).unwrap();
    made.engine.execute_plan(made.engine.host(), "p").unwrap();
    made.until("the first pass", |made| made.count() == 1);
    let stick = folder.parent().unwrap();
    fs::rename(stick, stick.with_file_name("pulled")).unwrap();
    made.reopen();
    assert_eq!(made.statuses(), ["running", "stopped"]);
    assert!(made.runs()[0].error.is_some(), "{:?}", made.runs());
    fs::rename(stick.with_file_name("pulled"), stick).unwrap();
    fs::write(folder.join("b"), "x").unwrap();
    made.until("it is back", |made| made.count() == 2 && made.runs()[0].error.is_none());
    assert_eq!(made.statuses(), ["running", "stopped"]);
}

#[test]
fn outcomes_that_fail_get_their_files_again_and_those_that_had_them_do_not() {
    let mut made = Made::new();
    made.write("a.md", "A lease.");
    let outcomes = json!([{"type": "ingest", "collection": "Matter"}]);
    let refused =
        made.engine.create_plan(made.engine.host(), made.plan("p", "filesystem.watch", outcomes.clone())).unwrap_err();
    assert_eq!(InField::of(&refused), Some("outcomes[0].collection"));
    let make = |made: &Made| {
        let asked = CreateCollection { name: "Matter".to_owned(), ..CreateCollection::default() };
        collections::create_collection(made.engine.host(), asked).unwrap().id
    };
    let id = make(&made);
    made.engine.create_plan(made.engine.host(), made.plan("p", "filesystem.watch", outcomes)).unwrap();
    made.engine.delete_collection(id).unwrap();
    made.engine.execute_plan(made.engine.host(), "p").unwrap();
    made.until("the error", |made| made.runs()[0].error.is_some());
    assert_eq!((made.statuses()[0].as_str(), made.engine.jobs(JobFilter::default()).len()), ("running", 0));
    make(&made);
    made.live(plan("p")).unwrap().retry();
    made.until("it is tried again", |made| made.engine.jobs(JobFilter::default()).len() == 1);
    made.until("the error is gone", |made| made.runs()[0].error.is_none());
    made.engine.pause_jobs();
    made.reopen();
    made.write("b.txt", "Another.");
    made.until("what is new", |made| made.count() == 2 && made.engine.jobs(JobFilter::default()).len() == 1);
    // The entries that were handed on are recorded after the job is there.
    made.until("it is noted", |made| made.engine.host().space().unwrap().outcome_files(1).unwrap().len() == 2);
}
