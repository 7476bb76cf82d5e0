//! Sources, plans, their histories and jobs.

use serde_json::json;

use super::*;

pub(super) fn source(name: &str) -> Source {
    Source {
        id: 0,
        name: name.to_owned(),
        kind: "filesystem.index".to_owned(),
        target_set: "photos".to_owned(),
        config: json!({"path": "/p", "recursive": true}),
        update_mode: "append".to_owned(),
        status: String::new(),
        created: 0,
        last_run: None,
        last_error: None,
    }
}

pub(super) fn plan(name: &str) -> Plan {
    Plan {
        id: 0,
        name: name.to_owned(),
        description: None,
        mode: "oneshot".to_owned(),
        status: String::new(),
        sources: json!([{"name": "s"}]),
        conditions: None,
        outcomes: None,
        created: 0,
        updated: 0,
    }
}

#[test]
fn sources_plans_histories_and_job_numbers_outlive_the_process() {
    let mut disk = Disk::new();
    disk.space.create_source(&source("s")).unwrap();
    assert_eq!(disk.space.create_source(&source("s")).unwrap_err().message, "source already exists: s");
    disk.space.set_source_status("s", "failed", Some("no such folder"), true).unwrap();
    disk.space.create_plan(&plan("p")).unwrap();
    let change = PlanChange {
        status: Some("paused".to_owned()),
        conditions: Some(Some(json!({"type": "all"}))),
        ..PlanChange::default()
    };
    disk.space.update_plan("p", &change).unwrap();
    for _ in 0..3 {
        let mut execution = disk.space.begin_execution("p").unwrap();
        (execution.status, execution.entries, execution.matched) = ("completed".to_owned(), 9, 7);
        disk.space.set_execution(&execution).unwrap();
    }
    let running = disk.space.begin_execution("p").unwrap();
    let job = disk.space.create_job("index", "/p").unwrap();
    disk.space.save_query("large", &json!({"min_size": 5})).unwrap();
    disk.reopen();
    assert_eq!(disk.space.end_interrupted().unwrap(), 2);
    let kept = disk.space.source("s").unwrap();
    assert_eq!((kept.status.as_str(), kept.last_error.as_deref()), ("failed", Some("no such folder")));
    assert_eq!(kept.config, json!({"path": "/p", "recursive": true}));
    let kept = disk.space.plan("p").unwrap();
    assert_eq!((kept.status.as_str(), kept.mode.as_str()), ("paused", "oneshot"));
    assert_eq!((kept.conditions, kept.outcomes), (Some(json!({"type": "all"})), None));
    let history = disk.space.executions(Some("p"), &[], 2, 0).unwrap();
    assert!(disk.space.executions(None, &["p"], 2, 0).unwrap().is_empty());
    assert_eq!(disk.space.executions(None, &["other"], 2, 3).unwrap().len(), 1);
    assert_eq!(history.iter().map(|run| run.id).collect::<Vec<_>>(), [running.id, running.id - 1]);
    assert_eq!((history[0].status.as_str(), history[1].matched), ("failed", 7));
    assert_eq!(disk.space.job(job.id).unwrap().status, "failed");
    assert_eq!(disk.space.create_job("index", "/p").unwrap().id, job.id + 1);
    assert_eq!(disk.space.saved_query("large").unwrap().arguments, json!({"min_size": 5}));
    let cleared = PlanChange { conditions: Some(None), description: Some(None), ..PlanChange::default() };
    let cleared = disk.space.update_plan("p", &cleared).unwrap();
    assert_eq!((cleared.conditions, cleared.description, cleared.status.as_str()), (None, None, "paused"));
    disk.space.delete_plan("p").unwrap();
    disk.space.delete_source("s").unwrap();
    assert!(disk.space.executions(None, &[], 9, 0).unwrap().is_empty());
    for error in
        [disk.space.plan("p").unwrap_err(), disk.space.source("s").unwrap_err(), disk.space.job(99).unwrap_err()]
    {
        assert_eq!(error.code, ErrorCode::NotFound);
    }
    let numbers = disk.space.numbers().unwrap();
    assert_eq!((numbers.plans, numbers.sources, numbers.sets), (0, 0, 0));
}

#[test]
fn jobs_are_listed_by_status_and_progress_the_latest_first() {
    let disk = Disk::new();
    for (status, progress) in [("completed", 100.0), ("running", 40.0), ("pending", 0.0), ("failed", 60.0)] {
        let mut job = disk.space.create_job("index", "/p").unwrap();
        (job.status, job.progress) = (status.to_owned(), progress);
        disk.space.set_job(&job).unwrap();
    }
    disk.space.create_job("classify", "/q").unwrap();
    let wish = JobFilter { kind: Some("index"), limit: 50, ..JobFilter::default() };
    let ids = |wish: &JobFilter<'_>| disk.space.jobs(wish).unwrap().iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(ids(&wish), [4, 3, 2, 1]);
    assert_eq!(ids(&JobFilter { active: true, ..wish.clone() }), [3, 2]);
    assert_eq!(ids(&JobFilter { status: Some("failed"), ..wish.clone() }), [4]);
    assert_eq!(ids(&JobFilter { min_progress: Some(40.0), max_progress: Some(60.0), ..wish.clone() }), [4, 2]);
    assert_eq!(ids(&JobFilter { limit: 2, offset: 1, ..wish.clone() }), [3, 2]);
    assert_eq!(ids(&JobFilter { limit: 1, ..wish }), [4]);
}

#[test]
fn what_outcomes_had_is_known_until_its_files_or_the_catalogue_are_gone() {
    let mut disk = Disk::new();
    for name in ["a", "b"] {
        disk.write(name, 1);
    }
    disk.scan();
    let plan = disk.space.create_plan(&plan("p")).unwrap().id;
    let files = disk.space.files_of(&disk.space.pick_in_folder(disk.root.path(), None).unwrap()).unwrap();
    disk.space.add_outcome_files(plan, &files).unwrap();
    disk.reopen();
    let expected = files.iter().map(|file| (file.id, file.modified)).collect();
    assert_eq!(disk.space.outcome_files(plan).unwrap(), expected);
    fs::remove_file(disk.path("a")).unwrap();
    disk.scan();
    disk.space.tidy().unwrap();
    assert_eq!(disk.space.outcome_files(plan).unwrap().len(), 1);
    disk.space.forget_outcome_files(plan).unwrap();
    assert!(disk.space.outcome_files(plan).unwrap().is_empty());
    disk.space.add_outcome_files(plan, &files).unwrap();
    let mut job = disk.space.create_job("index", "/p").unwrap();
    (job.status, job.ended) = ("completed".to_owned(), Some(5));
    disk.space.set_job(&job).unwrap();
    assert_eq!(disk.space.last_indexed("/p/q").unwrap(), Some(5));
    for name in ["files.sqlite", "files.sqlite-wal", "files.sqlite-shm"] {
        let _ = fs::remove_file(disk.data.path().join(name));
    }
    disk.reopen();
    assert!(disk.space.outcome_files(plan).unwrap().is_empty(), "other files have the numbers now");
    assert_eq!(disk.space.last_indexed("/p/q").unwrap(), None, "that was an earlier catalogue");
    disk.space.add_outcome_files(plan, &files).unwrap();
    disk.space.delete_plan("p").unwrap();
    assert!(disk.space.outcome_files(plan).unwrap().is_empty());
}
