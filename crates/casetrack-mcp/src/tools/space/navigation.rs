//! Walking the graph of sets.

use casetrack_engine::space;
use casetrack_engine::space::{SetChildren, SetParent};

use crate::tools::prelude::*;

#[expect(clippy::unnecessary_wraps, reason = "null is a value of its own")]
fn one() -> Option<u32> {
    Some(1)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChildrenParameters {
    /// Resource-set name
    name: String,
    /// Traversal depth (null = unlimited)
    #[serde(default = "one")]
    depth: Option<u32>,
    /// Include file entries in response
    #[serde(default)]
    include_entries: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Children {
    resource_set: String,
    #[serde(flatten)]
    found: SetChildren,
}

space_tool!(ResourceChildren: "resource-children", "Child sets", Reads, ChildrenParameters => Children,
    r#"{"name": "notes", "depth": null}"#,
"Get child nodes in the DAG (downstream navigation).",
|context, host, parameters| {
    let ChildrenParameters { name, depth, include_entries } = parameters;
    let found = space::set_children(host, &name, depth, include_entries, context.cancel)?;
    Ok(Children { resource_set: name, found })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParentParameters {
    /// Resource-set name
    name: String,
    /// Traversal depth (null = all ancestors)
    #[serde(default = "one")]
    depth: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Parents {
    resource_set: String,
    parents: Vec<SetParent>,
}

space_tool!(ResourceParent: "resource-parent", "Parent sets", Reads, ParentParameters => Parents,
    r#"{"name": "notes"}"#,
"Get parent nodes in the DAG (upstream navigation, like \"..\").",
|_, host, parameters| {
    let ParentParameters { name, depth } = parameters;
    let parents = space::set_parents(host, &name, depth)?;
    Ok(Parents { resource_set: name, parents })
});
