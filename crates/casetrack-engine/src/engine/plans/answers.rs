//! Sources and plans as answers. Times are seconds since 1970.

use casetrack_catalog::space::{Execution, Plan, Source};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SourceItem {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub target_set: String,
    pub config: Value,
    pub update_mode: String,
    /// stopped, running, completed or failed.
    pub status: String,
    pub created_at: i64,
    pub last_run_at: Option<i64>,
    pub last_error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SourceList {
    /// In the order of their names.
    pub sources: Vec<SourceItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceRun {
    pub source: String,
    pub target_set: String,
    pub status: String,
    pub entries_found: u64,
    pub added: u64,
    pub removed: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlanItem {
    pub name: String,
    pub description: Option<String>,
    /// oneshot or continuous.
    pub mode: String,
    /// active, paused or disabled.
    pub status: String,
    pub sources: Value,
    pub conditions: Option<Value>,
    pub outcomes: Option<Value>,
    pub created_at: i64,
    pub updated_at: i64,
    /// The latest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<Vec<ExecutionItem>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlanList {
    /// In the order of their names.
    pub plans: Vec<PlanItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StartedPlan {
    pub execution_id: i64,
    pub plan_name: String,
    pub status: String,
    pub started_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExecutionItem {
    pub execution_id: i64,
    pub plan_name: String,
    /// running, completed, failed or cancelled. That of a continuous plan runs while the plan is at work.
    pub status: String,
    pub started_at: i64,
    pub completed_at: Option<i64>,
    /// Entries that its sources have, and those of them that meet its conditions.
    pub entries_processed: u64,
    pub entries_matched: u64,
    pub error: Option<String>,
}

impl From<Source> for SourceItem {
    fn from(source: Source) -> Self {
        let Source { name, kind, target_set, config, update_mode, status, created, last_run, last_error, .. } = source;
        let (created_at, last_run_at) = (created, last_run);
        Self { name, kind, target_set, config, update_mode, status, created_at, last_run_at, last_error }
    }
}

impl From<Plan> for PlanItem {
    fn from(plan: Plan) -> Self {
        let Plan { name, description, mode, status, sources, conditions, outcomes, .. } = plan;
        let (created_at, updated_at, executions) = (plan.created, plan.updated, None);
        Self { name, description, mode, status, sources, conditions, outcomes, created_at, updated_at, executions }
    }
}

impl From<Execution> for ExecutionItem {
    fn from(execution: Execution) -> Self {
        let (entries_processed, entries_matched) = (execution.entries, execution.matched);
        let Execution { id: execution_id, plan: plan_name, status, started: started_at, error, .. } = execution;
        let completed_at = execution.ended;
        Self { execution_id, plan_name, status, started_at, completed_at, entries_processed, entries_matched, error }
    }
}

impl From<&Execution> for StartedPlan {
    fn from(execution: &Execution) -> Self {
        let Execution { id: execution_id, plan: plan_name, status, started: started_at, .. } = execution.clone();
        Self { execution_id, plan_name, status, started_at }
    }
}
