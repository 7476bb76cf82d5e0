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
        Self {
            name: source.name,
            kind: source.kind,
            target_set: source.target_set,
            config: source.config,
            update_mode: source.update_mode,
            status: source.status,
            created_at: source.created,
            last_run_at: source.last_run,
            last_error: source.last_error,
        }
    }
}

impl From<Plan> for PlanItem {
    fn from(plan: Plan) -> Self {
        Self {
            name: plan.name,
            description: plan.description,
            mode: plan.mode,
            status: plan.status,
            sources: plan.sources,
            conditions: plan.conditions,
            outcomes: plan.outcomes,
            created_at: plan.created,
            updated_at: plan.updated,
            executions: None,
        }
    }
}

impl From<Execution> for ExecutionItem {
    fn from(execution: Execution) -> Self {
        Self {
            execution_id: execution.id,
            plan_name: execution.plan,
            status: execution.status,
            started_at: execution.started,
            completed_at: execution.ended,
            entries_processed: execution.entries,
            entries_matched: execution.matched,
            error: execution.error,
        }
    }
}

impl From<&Execution> for StartedPlan {
    fn from(execution: &Execution) -> Self {
        Self {
            execution_id: execution.id,
            plan_name: execution.plan.clone(),
            status: execution.status.clone(),
            started_at: execution.started,
        }
    }
}
