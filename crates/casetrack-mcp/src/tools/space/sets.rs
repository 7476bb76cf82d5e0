//! Making and changing sets.

use casetrack_engine::space;
use casetrack_engine::space::{ModifiedSet, Operation, Paging, SetDetails, SetList};

use super::{Deleted, SetName};
use crate::tools::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateParameters {
    /// Unique name
    name: String,
    /// Optional description
    description: Option<String>,
}

space_tool!(ResourceSetCreate: "resource-set-create", "Create a set", Creates, CreateParameters => SetDetails,
    r#"{"name": "notes", "description": "Notes of the matter"}"#,
    "Create a new resource-set (DAG node).",
    |_, host, parameters| space::create_set(host, &parameters.name, parameters.description.as_deref()));

space_tool!(ResourceSetList: "resource-set-list", "List sets", Reads, NoParameters => SetList,
    "{}",
    "List all resource-sets.",
    |context, host, _| space::list_sets(host, context.cancel));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParameters {
    /// Resource-set name
    name: String,
    /// Include file entries
    #[serde(default)]
    include_entries: bool,
    /// Max entries to return
    #[serde(default = "crate::tools::number::<100>")]
    #[schemars(range(min = 1))]
    limit: u32,
    /// Pagination offset
    #[serde(default)]
    offset: u32,
}

space_tool!(ResourceSetGet: "resource-set-get", "Get a set", Reads, GetParameters => SetDetails,
    r#"{"name": "notes"}"#,
"Get a specific resource-set with metadata.",
|context, host, parameters| {
    let page = Paging { limit: (parameters.limit as usize).min(space::MAX_ENTRIES), offset: parameters.offset as usize };
    space::get_set(host, &parameters.name, parameters.include_entries.then_some(page), context.cancel)
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModifyParameters {
    /// Resource-set name
    name: String,
    /// "add" or "remove"
    operation: String,
    /// List of entry paths
    paths: Vec<String>,
}

space_tool!(ResourceSetModify: "resource-set-modify", "Add or remove entries", Updates, ModifyParameters => ModifiedSet,
    r#"{"name": "notes", "operation": "add", "paths": ["$file"]}"#,
"Add or remove entries from a resource-set.\n\nFiles on the disk stay as they are.",
|context, host, parameters| {
    let operation = Operation::named(&parameters.operation)?;
    space::modify_set(host, &parameters.name, operation, &parameters.paths, context.cancel)
});

space_tool!(ResourceSetDelete: "resource-set-delete", "Delete a set", Deletes, SetName => Deleted,
    r#"{"name": "notes"}"#,
    "Delete a resource-set.\n\nIts files and the sets around and below it stay.",
    |_, host, parameters| space::delete_set(host, &parameters.name).map(|()| Deleted::new(parameters.name)));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EdgeParameters {
    /// Parent resource-set name
    parent: String,
    /// Child resource-set name
    child: String,
}

/// An edge between sets, and whether the call changed anything.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Edge {
    parent: String,
    child: String,
    changed: bool,
}

fn edge(host: &Host, EdgeParameters { parent, child }: EdgeParameters, is_child: bool) -> Result<Edge> {
    let changed = space::set_child(host, &parent, &child, is_child)?;
    Ok(Edge { parent, child, changed })
}

space_tool!(ResourceSetAddChild: "resource-set-add-child", "Put a set below another", Updates, EdgeParameters => Edge,
    r#"{"parent": "matters", "child": "notes"}"#,
    "Create a parent-child edge in the DAG.\n\nAn edge that would close a cycle is refused.",
    |_, host, parameters| edge(host, parameters, true));

space_tool!(ResourceSetRemoveChild: "resource-set-remove-child", "Take a set from below another", Updates, EdgeParameters => Edge,
    r#"{"parent": "matters", "child": "notes"}"#,
    "Remove a parent-child edge from the DAG.",
    |_, host, parameters| edge(host, parameters, false));
