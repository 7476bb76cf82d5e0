//! Plans: sources, conditions and outcomes that run together.

use casetrack_engine::plans::{PlanItem, PlanList as Plans, StartedPlan};
use casetrack_engine::space::PlanDefinition;
use casetrack_engine::{Host, PlanChange};
use serde_json::{Map, Value};

use super::{Deleted, PlanName};
use crate::tools::prelude::*;

type Object = Map<String, Value>;

/// Executions of one answer.
const MOST_EXECUTIONS: u32 = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateParameters {
    /// Unique plan name
    name: String,
    /// Optional description
    description: Option<String>,
    /// oneshot, continuous
    #[serde(default = "oneshot")]
    mode: String,
    /// Array of PlanSource objects
    sources: Vec<Object>,
    /// RuleCondition tree
    conditions: Option<Object>,
    /// Array of RuleOutcome objects
    outcomes: Option<Vec<Object>>,
}

fn oneshot() -> String {
    "oneshot".to_owned()
}

fn list(objects: Vec<Object>) -> Value {
    objects.into_iter().map(Value::Object).collect()
}

space_tool!(PlanCreate: "plan-create", "Create a plan", Creates, CreateParameters => PlanItem,
    r#"{"name": "weekly", "sources": [{"name": "folder", "type": "filesystem.index", "target_set": "notes", "config": {"path": "$folder"}}]}"#,
"Create a new plan.\n\nPlanSource: name, type, target_set, config and update_mode, as in source-create. \
    RuleCondition, which entries must meet for the outcomes or, without outcomes, to enter the target sets: {type: \
    all|any|none, conditions: […]}, {type: media_type, mediaType}, {type: size, minSize, maxSize}, {type: time, \
    minMtime, maxMtime, minCtime, maxCtime}, {type: path, pathContains, pathPrefix, pathSuffix, pathPattern \
    (regex)}. RuleOutcome: {type: selection_set, selectionSetName, operation: add|remove|replace}, {type: ingest, \
    collection}, {type: classify, operations}.",
|context, host, parameters| {
    let CreateParameters { name, description, mode, sources, conditions, outcomes } = parameters;
    let plan = PlanDefinition {
        name,
        description,
        mode: Some(mode),
        sources: list(sources),
        conditions: conditions.map(Value::Object),
        outcomes: outcomes.map(list),
    };
    context.engine.create_plan(host, plan)
});

space_tool!(PlanExecute: "plan-execute", "Run a plan", Updates, PlanName => StartedPlan,
    r#"{"name": "weekly"}"#,
    "Execute a plan (triggers indexing).\n\nA continuous plan keeps running. plan-get shows the outcome.",
    |context, host, parameters| context.engine.execute_plan(host, &parameters.name));

space_tool!(PlanList: "plan-list", "List plans", Reads, NoParameters => Plans,
    "{}",
    "List all plans.",
    |context, host, _| context.engine.plans(host));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParameters {
    /// Plan name
    name: String,
    /// Include execution history
    #[serde(default = "crate::tools::yes")]
    include_executions: bool,
    /// Max executions to return
    #[serde(default = "crate::tools::number::<10>")]
    #[schemars(range(min = 1))]
    execution_limit: u32,
}

space_tool!(PlanGet: "plan-get", "Get a plan", Reads, GetParameters => PlanItem,
    r#"{"name": "weekly"}"#,
"Get a specific plan with execution history.",
|context, host, parameters| {
    let executions = parameters.include_executions.then_some(parameters.execution_limit.min(MOST_EXECUTIONS));
    context.engine.plan(host, &parameters.name, executions)
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateParameters {
    /// Plan name
    name: String,
    /// New description
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<String>", extend("x-null" = true))]
    description: Option<Option<String>>,
    /// New mode
    mode: Option<String>,
    /// New status (active, paused, disabled)
    status: Option<String>,
    /// New sources array
    sources: Option<Vec<Object>>,
    /// New conditions
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<Object>", extend("x-null" = true))]
    conditions: Option<Option<Object>>,
    /// New outcomes
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<Vec<Object>>", extend("x-null" = true))]
    outcomes: Option<Option<Vec<Object>>>,
}

/// A parameter that is there, and may be null.
fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    value: D,
) -> std::result::Result<Option<Option<T>>, D::Error> {
    Option::deserialize(value).map(Some)
}

space_tool!(PlanUpdate: "plan-update", "Change a plan", Updates, UpdateParameters => PlanItem,
    r#"{"name": "weekly", "description": null, "status": "paused"}"#,
"Modify a plan.\n\nnull clears the description, conditions or outcomes. A running plan continues with the \
    changes; paused and disabled end its run. A paused continuous plan continues when it is active again.",
|context, host, parameters| {
    let change = PlanChange {
        description: parameters.description,
        mode: parameters.mode,
        status: parameters.status,
        sources: parameters.sources.map(list),
        conditions: parameters.conditions.map(|tree| tree.map(Value::Object)),
        outcomes: parameters.outcomes.map(|outcomes| outcomes.map(list)),
    };
    context.engine.update_plan(host, &parameters.name, &change)
});

space_tool!(PlanDelete: "plan-delete", "Delete a plan", Deletes, PlanName => Deleted,
    r#"{"name": "weekly"}"#,
"Delete a plan.\n\nIts history is deleted; entries that it put into sets stay.",
|context, host, parameters| {
    context.engine.delete_plan(host, &parameters.name).map(|()| Deleted::new(parameters.name))
});
