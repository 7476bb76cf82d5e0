//! Making, changing, starting and ending plans.

use std::sync::Arc;

use casetrack_catalog::space::{Execution, Plan, PlanChange};
use casetrack_core::{Error, ErrorCode, Result};

use super::answers::{ExecutionItem, PlanItem, PlanList, StartedPlan};
use super::live::Live;
use super::record::Record;
use super::{Key, Plans};
use crate::Engine;
use crate::jobs::Jobs;
use casetrack_files::space;
use casetrack_files::space::{Definition, PlanDefinition, in_field, read_plan, refused};
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, lock};

const MAX_EXECUTIONS: u32 = 1_000;
/// Most plans of the mode oneshot that run at the same time.
const MAX_RUNS: usize = 64;

/// Plans of the space browser. Each method takes the host of a session, which limits the visible paths. Errors name the parameter that they
/// are about: see [`InField`](casetrack_files::space::InField).
impl Engine {
    /// Stores a plan, which is then active.
    ///
    /// Errors: a taken name; an invalid source, condition or outcome; a path that may not be read.
    pub fn create_plan(&self, host: &Host, given: PlanDefinition) -> Result<PlanItem> {
        let PlanDefinition { name, description, mode, sources, conditions, outcomes } = given;
        let mode = mode.unwrap_or_else(|| "oneshot".to_owned());
        read_plan(host, &mode, &sources, conditions.as_ref(), outcomes.as_ref())?.check_collections(host)?;
        let (id, status, created, updated) = Default::default();
        let plan = Plan { id, name, description, mode, status, sources, conditions, outcomes, created, updated };
        let plan = in_field("name", host.space()?.create_plan(&plan))?;
        host.space_changed(SpaceChange::Plans);
        Ok(plan.into())
    }

    pub fn plans(&self, host: &Host) -> Result<PlanList> {
        let plans = host.space()?.plans()?.into_iter().filter(|plan| !space::is_hidden_plan(host, plan));
        Ok(PlanList { plans: plans.map(PlanItem::from).collect() })
    }

    /// A plan, with its last executions if a number of them is given.
    ///
    /// Errors: a plan that does not exist.
    pub fn plan(&self, host: &Host, name: &str, executions: Option<u32>) -> Result<PlanItem> {
        let plan = in_field("name", space::visible_plan(host, name))?;
        let executions = executions.map(|limit| self.plan_executions(host, Some(name), limit, 0)).transpose()?;
        Ok(PlanItem { executions, ..plan.into() })
    }

    /// The executions of one plan or of all, the latest first, behind the first `offset`; `limit` is 1 to 1,000.
    ///
    /// Errors: a plan that does not exist.
    pub fn plan_executions(
        &self,
        host: &Host,
        plan: Option<&str>,
        limit: u32,
        offset: u64,
    ) -> Result<Vec<ExecutionItem>> {
        if limit == 0 || limit > MAX_EXECUTIONS {
            return Err(refused("execution_limit", format!("execution_limit must be between 1 and {MAX_EXECUTIONS}")));
        }
        let space = host.space()?;
        if let Some(plan) = plan {
            in_field("name", space::visible_plan(host, plan))?;
        }
        let plans = space.plans()?;
        let hidden: Vec<&str> =
            plans.iter().filter(|plan| space::is_hidden_plan(host, plan)).map(|plan| plan.name.as_str()).collect();
        Ok(space.executions(plan, &hidden, limit, offset)?.into_iter().map(ExecutionItem::from).collect())
    }

    /// Begins a run of a plan, and does not wait for it. A continuous plan keeps running, also after a restart. If the plan runs already,
    /// returns that run.
    ///
    /// Errors: a plan that does not exist or is not active; too many plans that run.
    pub fn execute_plan(&self, host: &Host, name: &str) -> Result<StartedPlan> {
        let _alone = lock(&self.plans.changing);
        let plan = in_field("name", space::visible_plan(host, name))?;
        if plan.status != "active" {
            return Err(refused("name", format!("plan is {}: set its status to active with plan-update", plan.status)));
        }
        let running = self.plans.get(&Key::Plan(name.to_owned())).filter(|live| live.is_running());
        if let Some(execution) = running.and_then(|live| live.execution()) {
            return Ok((&execution).into());
        }
        let definition = Definition::of(host, &plan)?;
        if !definition.is_continuous && self.plans.count_runs() >= MAX_RUNS {
            let message = format!(
                "{MAX_RUNS} plans are running, which is the maximum: wait until one ends, or pause one with plan-update"
            );
            return in_field("name", Err(Error::new(ErrorCode::InUse, message)));
        }
        self.plans.begin_plan(host, &self.jobs, &plan, Ok(definition)).map(|execution| (&execution).into())
    }

    /// Changes the given parts of a plan. A running continuous plan continues with the change. If it is no longer active, its run ends; a
    /// continuous plan that was running continues when it is active again.
    ///
    /// Errors: a plan that does not exist, and as [`create_plan`](Self::create_plan).
    pub fn update_plan(&self, host: &Host, name: &str, change: &PlanChange) -> Result<PlanItem> {
        let _alone = lock(&self.plans.changing);
        let space = host.space()?;
        let before = in_field("name", space::visible_plan(host, name))?;
        if let Some(status) = &change.status
            && !matches!(status.as_str(), "active" | "paused" | "disabled")
        {
            return Err(refused("status", "status must be one of active, paused, disabled"));
        }
        let mode = change.mode.as_deref().unwrap_or(&before.mode);
        let sources = change.sources.as_ref().unwrap_or(&before.sources);
        let of = |change: &Option<Option<serde_json::Value>>, before: &Option<serde_json::Value>| {
            change.clone().unwrap_or_else(|| before.clone())
        };
        let (conditions, outcomes) =
            (of(&change.conditions, &before.conditions), of(&change.outcomes, &before.outcomes));
        let definition = read_plan(host, mode, sources, conditions.as_ref(), outcomes.as_ref())?;
        if outcomes != before.outcomes {
            definition.check_collections(host)?;
        }
        let after = space.update_plan(name, change)?;
        if after.outcomes != before.outcomes {
            // Entries that had the former outcomes still need the new ones.
            space.forget_outcome_files(after.id)?;
        }
        let running = self.plans.get(&Key::Plan(name.to_owned())).filter(|live| live.is_running());
        let is_active = after.status == "active";
        let is_other = (&after.mode, &after.sources, &after.conditions, &after.outcomes)
            != (&before.mode, &before.sources, &before.conditions, &before.outcomes);
        let goes_on = match &running {
            // A run that ends keeps its first definition.
            Some(live) if is_active && !(is_other && live.is_continuous()) => false,
            Some(live) => {
                let was_continuous = live.is_continuous();
                self.plans.end_plan(host, name)?;
                was_continuous
            }
            // One that was at work when it was paused.
            None => {
                let last = space.executions(Some(name), &[], 1, 0)?;
                before.status != "active" && last.first().is_some_and(|last| last.status == "cancelled")
            }
        };
        if goes_on && is_active && after.mode == "continuous" {
            self.plans.begin_plan(host, &self.jobs, &after, Ok(definition))?;
        }
        host.space_changed(SpaceChange::Plans);
        Ok(after.into())
    }

    /// Deletes a plan with its history, and ends it. The entries that it put into sets stay.
    ///
    /// Errors: a plan that does not exist.
    pub fn delete_plan(&self, host: &Host, name: &str) -> Result<()> {
        let _alone = lock(&self.plans.changing);
        in_field("name", space::visible_plan(host, name))?;
        self.plans.end_plan(host, name)?;
        host.space()?.delete_plan(name)?;
        host.space_changed(SpaceChange::Plans);
        Ok(())
    }
}

impl Plans {
    /// Begins a run. If the definition of a continuous plan cannot be read now, that is recorded and tried again.
    fn begin_plan(
        self: &Arc<Self>,
        host: &Host,
        jobs: &Arc<Jobs>,
        plan: &Plan,
        definition: Result<Definition>,
    ) -> Result<Execution> {
        let execution = host.space()?.begin_execution(&plan.name)?;
        host.space_changed(SpaceChange::Plans);
        let record = Record::of_plan(plan.id, execution.clone());
        match definition {
            Ok(definition) => {
                self.run(host, jobs, Key::Plan(plan.name.clone()), Live::new(host, record, Some(definition)))?
            }
            Err(error) if plan.mode == "continuous" => {
                record.note(host, Some(&error.message));
                self.insert(Key::Plan(plan.name.clone()), Live::new(host, record, None));
            }
            Err(error) => record.end(host, "failed", Some(&error.message)),
        }
        Ok(execution)
    }

    /// Continues the plans that ran when the last process ended. Plans of the mode oneshot begin again: nothing is done twice.
    pub(super) fn resume_plans(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        let space = host.space()?;
        let running = space.running_plans()?;
        space.end_interrupted()?;
        for plan in space.plans()? {
            if plan.status == "active" && running.contains(&plan.name) {
                let _alone = lock(&self.changing);
                if let Err(error) = self.begin_plan(host, jobs, &plan, Definition::of(host, &plan)) {
                    tracing::warn!(%error, plan = plan.name, "a plan does not continue");
                }
            }
        }
        Ok(())
    }

    fn end_plan(&self, host: &Host, name: &str) -> Result<()> {
        let Some(live) = self.remove(&Key::Plan(name.to_owned())) else { return Ok(()) };
        live.end();
        self.release(host, &live)
    }
}
