//! Sources and plans of the space browser. Each method takes the host of a session, which limits the visible paths.

use casetrack_core::{Cancel, Result};

use super::Engine;
use crate::plans::{
    ExecutionItem, PlanItem, PlanList, SourceDefinition, SourceItem, SourceList, SourceRun, StartedPlan,
};
use casetrack_files::space::PlanDefinition;
use casetrack_host::Host;

pub use casetrack_catalog::space::PlanChange;

/// Errors name the parameter that they are about: see [`InField`](casetrack_files::space::InField).
impl Engine {
    /// Keeps a source.
    ///
    /// Errors: a name that is taken, a type or configuration that is none, a path that may not be read.
    pub fn create_source(&self, host: &Host, source: SourceDefinition) -> Result<SourceItem> {
        self.plans.create_source(host, source)
    }

    /// Errors: a source that does not exist.
    pub fn source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        self.plans.source(host, name)
    }

    pub fn sources(&self, host: &Host) -> Result<SourceList> {
        self.plans.sources(host)
    }

    /// Starts a source that watches a folder, from now on, also after a restart. One that runs stays as it is.
    ///
    /// Errors: a source that does not exist or does not watch.
    pub fn start_source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        self.plans.start_source(host, &self.jobs, name)
    }

    /// Errors: a source that does not exist or does not run.
    pub fn stop_source(&self, host: &Host, name: &str) -> Result<SourceItem> {
        self.plans.stop_source(host, name)
    }

    /// Runs a source once, to its end.
    ///
    /// Errors: a source that does not exist or watches; the errors of its folder, query or set.
    pub fn execute_source(&self, host: &Host, name: &str, cancel: &Cancel) -> Result<SourceRun> {
        self.plans.execute_source(host, name, cancel)
    }

    /// Deletes a source, and ends it. The entries that it put into sets stay.
    ///
    /// Errors: a source that does not exist.
    pub fn delete_source(&self, host: &Host, name: &str) -> Result<()> {
        self.plans.delete_source(host, name)
    }

    /// Keeps a plan, which is active.
    ///
    /// Errors: a name that is taken, a source, condition or outcome that is none, a path that may not be read.
    pub fn create_plan(&self, host: &Host, plan: PlanDefinition) -> Result<PlanItem> {
        self.plans.create_plan(host, plan)
    }

    /// A plan, with its last executions if a number of them is given.
    ///
    /// Errors: a plan that does not exist.
    pub fn plan(&self, host: &Host, name: &str, executions: Option<u32>) -> Result<PlanItem> {
        self.plans.plan(host, name, executions)
    }

    pub fn plans(&self, host: &Host) -> Result<PlanList> {
        self.plans.plans(host)
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
        self.plans.executions(host, plan, limit, offset)
    }

    /// Begins a run of a plan, and does not wait for it. A continuous plan keeps running, also after a restart. If the plan runs already,
    /// returns that run.
    ///
    /// Errors: a plan that does not exist or is not active; too many plans that run.
    pub fn execute_plan(&self, host: &Host, name: &str) -> Result<StartedPlan> {
        self.plans.execute_plan(host, &self.jobs, name)
    }

    /// Changes the given parts of a plan. A running continuous plan continues with the change. If it is no longer active, its run ends; a
    /// continuous plan that was running continues when it is active again.
    ///
    /// Errors: a plan that does not exist, and as [`create_plan`](Self::create_plan).
    pub fn update_plan(&self, host: &Host, name: &str, change: &PlanChange) -> Result<PlanItem> {
        self.plans.update_plan(host, &self.jobs, name, change)
    }

    /// Deletes a plan with its history, and ends it. The entries that it put into sets stay.
    ///
    /// Errors: a plan that does not exist.
    pub fn delete_plan(&self, host: &Host, name: &str) -> Result<()> {
        self.plans.delete_plan(host, name)
    }
}
