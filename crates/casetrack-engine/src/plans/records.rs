//! Making, changing, starting and ending sources and plans.

use std::sync::Arc;

use casetrack_catalog::Time;
use casetrack_catalog::space::{Execution, Plan, PlanChange, Source};
use casetrack_core::{Cancel, Error, Result};
use serde_json::Value;

use super::answers::{ExecutionItem, PlanItem, PlanList, SourceItem, SourceList, SourceRun, StartedPlan};
use super::live::Live;
use super::running::{self, Pass};
use super::{Key, Plans};
use crate::host::changes::SpaceChange;
use crate::host::{Host, caught};
use crate::jobs::Jobs;
use crate::space::{Definition, PlanDefinition, in_field, read_plan, refused};

/// Most executions of one answer.
const MAX_EXECUTIONS: u32 = 1_000;

/// A source as it is given.
#[derive(Debug, Clone, Default)]
pub struct SourceDefinition {
    pub name: String,
    pub kind: String,
    pub target_set: String,
    pub config: Value,
    pub update_mode: Option<String>,
}

impl Plans {
    /// Goes on with the sources and continuous plans that were at work, and ends what cannot go on.
    pub(super) fn resume(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        let space = host.space()?;
        let running = space.running_plans()?;
        space.end_interrupted()?;
        for plan in space.plans()? {
            let goes_on = plan.mode == "continuous" && plan.status == "active" && running.contains(&plan.name);
            if goes_on && let Err(error) = self.begin_plan(host, jobs, &plan) {
                tracing::warn!(%error, plan = plan.name, "a plan does not go on");
            }
        }
        for source in space.sources()?.into_iter().filter(|source| source.status == "running") {
            match Definition::of_source(host, &source) {
                Ok(definition) => drop(self.begin_source(host, jobs, &source.name, definition)),
                Err(error) => space.set_source_status(&source.name, "failed", Some(&error.message), false)?,
            }
        }
        Ok(())
    }

    // Sources.

    pub fn create_source(&self, host: &Host, given: SourceDefinition) -> Result<SourceItem> {
        let source = Source {
            id: 0,
            name: given.name,
            kind: given.kind,
            target_set: given.target_set,
            config: given.config,
            update_mode: given.update_mode.unwrap_or_else(|| "append".to_owned()),
            status: String::new(),
            created: 0,
            last_run: None,
            last_error: None,
        };
        if source.target_set.trim().is_empty() {
            return Err(refused("target_set", "target_set must not be blank"));
        }
        Definition::of_source(host, &source)?;
        let source = in_field("name", host.space()?.create_source(&source))?;
        host.space_changed(SpaceChange::Plans);
        Ok(source.into())
    }

    pub fn source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        in_field("name", host.space()?.source(name)).map(SourceItem::from)
    }

    pub fn sources(&self, host: &Host) -> Result<SourceList> {
        Ok(SourceList { sources: host.space()?.sources()?.into_iter().map(SourceItem::from).collect() })
    }

    /// Starts a source that watches.
    pub fn start_source(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, name: &str) -> Result<SourceItem> {
        let space = host.space()?;
        let source = in_field("name", space.source(name))?;
        if source.kind != "filesystem.watch" {
            return Err(refused("name", format!("a source of the type {} runs once: use source-execute", source.kind)));
        }
        if self.get(&Key::Source(name.to_owned())).is_some() {
            return Ok(source.into());
        }
        let definition = Definition::of_source(host, &source)?;
        space.set_source_status(name, "running", None, true)?;
        self.begin_source(host, jobs, name, definition)?;
        host.space_changed(SpaceChange::Plans);
        self.source(host, name)
    }

    fn begin_source(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, name: &str, definition: Definition) -> Result<()> {
        let live = self.insert(Key::Source(name.to_owned()), Live::new(host, definition, None, Cancel::default()));
        let (plans, host, jobs, name) = (Arc::clone(self), host.clone(), Arc::clone(jobs), name.to_owned());
        let work = move || {
            let _filling = host.space_work().fill(live.definition.sets());
            let Err(error) = caught(|| live.begin(&jobs)) else { return };
            plans.remove(&Key::Source(name.clone()));
            let noted =
                host.space().and_then(|space| space.set_source_status(&name, "failed", Some(&error.message), true));
            host.space_changed(SpaceChange::Plans);
            if let Err(error) = noted {
                tracing::warn!(%error, name, "the state of a source cannot be written");
            }
        };
        spawn("source", work)
    }

    pub fn stop_source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        let space = host.space()?;
        in_field("name", space.source(name))?;
        let Some(live) = self.remove(&Key::Source(name.to_owned())) else {
            return Err(refused("name", "source is not running"));
        };
        live.stop();
        self.release(host, &live)?;
        space.set_source_status(name, "stopped", None, false)?;
        host.space_changed(SpaceChange::Plans);
        self.source(host, name)
    }

    /// Runs a source once.
    pub fn execute_source(&self, host: &Host, name: &str, cancel: &Cancel) -> Result<SourceRun> {
        let space = host.space()?;
        let source = in_field("name", space.source(name))?;
        if source.kind == "filesystem.watch" {
            return Err(refused("name", "a source of the type filesystem.watch is continuous: use source-start"));
        }
        let definition = Definition::of_source(host, &source)?;
        let run = || {
            definition.sources.iter().try_for_each(|(.., spec)| host.index_source(spec, cancel))?;
            Pass::make(host, &definition, cancel)
        };
        let done = run();
        let (status, error) = match &done {
            Ok(_) => ("completed", None),
            Err(error) => ("failed", Some(error.message.as_str())),
        };
        space.set_source_status(name, status, error, true)?;
        host.space_changed(SpaceChange::Plans);
        host.space_changed(SpaceChange::Sets);
        let pass = in_field("name", done)?;
        Ok(SourceRun {
            source: source.name,
            target_set: source.target_set,
            status: status.to_owned(),
            entries_found: pass.found.len(),
            added: pass.added,
            removed: pass.removed,
        })
    }

    pub fn delete_source(&self, host: &Host, name: &str) -> Result<()> {
        in_field("name", host.space()?.delete_source(name))?;
        if let Some(live) = self.remove(&Key::Source(name.to_owned())) {
            live.stop();
            self.release(host, &live)?;
        }
        host.space_changed(SpaceChange::Plans);
        Ok(())
    }

    // Plans.

    pub fn create_plan(&self, host: &Host, given: PlanDefinition) -> Result<PlanItem> {
        let mode = given.mode.unwrap_or_else(|| "oneshot".to_owned());
        read_plan(host, &mode, &given.sources, given.conditions.as_ref(), given.outcomes.as_ref())?;
        let plan = Plan {
            id: 0,
            name: given.name,
            description: given.description,
            mode,
            status: String::new(),
            sources: given.sources,
            conditions: given.conditions,
            outcomes: given.outcomes,
            created: 0,
            updated: 0,
        };
        let plan = in_field("name", host.space()?.create_plan(&plan))?;
        host.space_changed(SpaceChange::Plans);
        Ok(plan.into())
    }

    pub fn plans(&self, host: &Host) -> Result<PlanList> {
        Ok(PlanList { plans: host.space()?.plans()?.into_iter().map(PlanItem::from).collect() })
    }

    pub fn plan(&self, host: &Host, name: &str, executions: Option<u32>) -> Result<PlanItem> {
        let plan = in_field("name", host.space()?.plan(name))?;
        let executions = executions.map(|limit| self.executions(host, Some(name), limit)).transpose()?;
        Ok(PlanItem { executions, ..plan.into() })
    }

    /// The runs of one plan or of all, the latest first.
    pub fn executions(&self, host: &Host, plan: Option<&str>, limit: u32) -> Result<Vec<ExecutionItem>> {
        if limit == 0 || limit > MAX_EXECUTIONS {
            return Err(refused("execution_limit", format!("execution_limit must be between 1 and {MAX_EXECUTIONS}")));
        }
        let space = host.space()?;
        if let Some(plan) = plan {
            in_field("name", space.plan(plan))?;
        }
        Ok(space.executions(plan, limit)?.into_iter().map(ExecutionItem::from).collect())
    }

    /// Begins a run. Of a continuous plan that is at work, the answer is the run that it has.
    pub fn execute_plan(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, name: &str) -> Result<StartedPlan> {
        let plan = in_field("name", host.space()?.plan(name))?;
        if plan.status != "active" {
            return Err(refused("name", format!("plan is {}: set its status to active with plan-update", plan.status)));
        }
        if let Some(execution) = self
            .get(&Key::Plan(name.to_owned()))
            .and_then(|live| live.execution.as_ref().map(|execution| crate::host::lock(execution).clone()))
        {
            return Ok((&execution).into());
        }
        self.begin_plan(host, jobs, &plan).map(|execution| (&execution).into())
    }

    fn begin_plan(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, plan: &Plan) -> Result<Execution> {
        let definition = Definition::of(host, plan)?;
        let execution = host.space()?.begin_execution(&plan.name)?;
        host.space_changed(SpaceChange::Plans);
        let (key, cancel) = (Key::Plan(plan.name.clone()), Cancel::default());
        let live = Live::new(host, definition, Some(execution.clone()), cancel.clone());
        let live = match live.definition.is_continuous {
            true => self.insert(key.clone(), live),
            false => Arc::new(live),
        };
        let (plans, host, jobs, mut run) = (Arc::clone(self), host.clone(), Arc::clone(jobs), execution.clone());
        // Noted before the answer, so that a question behind it waits.
        let (ready, is_ready) = crossbeam_channel::bounded::<()>(1);
        let work = move || {
            let _filling = host.space_work().fill(live.definition.sets());
            drop(ready);
            let done = caught(|| match live.definition.is_continuous {
                true => live.begin(&jobs).map(|()| None),
                false => once(&host, &jobs, &live.definition, &cancel).map(Some),
            });
            let ended = match done {
                // It goes on.
                Ok(None) => return,
                Ok(Some(pass)) => {
                    (run.entries, run.matched) = (pass.found.len(), pass.matched.len());
                    "completed"
                }
                Err(_) if cancel.is_cancelled() => "cancelled",
                Err(error) => {
                    run.error = Some(error.message);
                    "failed"
                }
            };
            plans.remove(&key);
            (run.status, run.ended) = (ended.to_owned(), Some(Time::now().seconds));
            if let Err(error) = host.space().and_then(|space| space.set_execution(&run)) {
                tracing::warn!(%error, plan = run.plan, "the history of a plan cannot be written");
            }
            host.space_changed(SpaceChange::Plans);
            host.space_changed(SpaceChange::Sets);
        };
        spawn("plan", work)?;
        // It says nothing, and ends once the run is noted.
        let _ = is_ready.recv();
        Ok(execution)
    }

    pub fn update_plan(
        self: &Arc<Self>,
        host: &Host,
        jobs: &Arc<Jobs>,
        name: &str,
        change: &PlanChange,
    ) -> Result<PlanItem> {
        let space = host.space()?;
        let before = in_field("name", space.plan(name))?;
        if let Some(status) = &change.status
            && !matches!(status.as_str(), "active" | "paused" | "disabled")
        {
            return Err(refused("status", "status must be one of active, paused, disabled"));
        }
        let mode = change.mode.as_deref().unwrap_or(&before.mode);
        let sources = change.sources.as_ref().unwrap_or(&before.sources);
        let (conditions, outcomes) = (
            change.conditions.as_ref().or(before.conditions.as_ref()),
            change.outcomes.as_ref().or(before.outcomes.as_ref()),
        );
        read_plan(host, mode, sources, conditions, outcomes)?;
        let after = space.update_plan(name, change)?;
        // One at work goes on as it is now, or ends.
        if self.end_plan(host, name)? && after.status == "active" && after.mode == "continuous" {
            self.begin_plan(host, jobs, &after)?;
        }
        host.space_changed(SpaceChange::Plans);
        Ok(after.into())
    }

    pub fn delete_plan(&self, host: &Host, name: &str) -> Result<()> {
        in_field("name", host.space()?.plan(name))?;
        self.end_plan(host, name)?;
        host.space()?.delete_plan(name)?;
        host.space_changed(SpaceChange::Plans);
        Ok(())
    }

    /// Ends the run of a continuous plan. Returns whether it was at work.
    fn end_plan(&self, host: &Host, name: &str) -> Result<bool> {
        let Some(live) = self.remove(&Key::Plan(name.to_owned())) else { return Ok(false) };
        live.stop();
        self.release(host, &live)?;
        if let Some(execution) = &live.execution {
            let mut execution = crate::host::lock(execution);
            (execution.status, execution.ended) = ("cancelled".to_owned(), Some(Time::now().seconds));
            host.space()?.set_execution(&execution)?;
        }
        Ok(true)
    }
}

/// A run that ends.
fn once(host: &Host, jobs: &Arc<Jobs>, definition: &Definition, cancel: &Cancel) -> Result<Pass> {
    definition.sources.iter().try_for_each(|(.., spec)| host.index_source(spec, cancel))?;
    let pass = Pass::make(host, definition, cancel)?;
    if running::takes_long(definition) {
        let files = host.space()?.files_of(&pass.matched)?;
        for files in files.chunks(running::MAX_FILES) {
            running::long_outcomes(host, jobs, &definition.outcomes, files, cancel)?;
        }
    }
    Ok(pass)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(drop).map_err(|error| Error::io("a new thread", error))
}
