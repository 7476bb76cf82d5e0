//! Sources that fill sets.

use casetrack_engine::plans::{SourceDefinition, SourceItem, SourceList as Sources, SourceRun};
use serde_json::{Map, Value};

use super::{Deleted, SourceName};
use crate::tools::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateParameters {
    /// Unique source name
    name: String,
    /// Source type (see below)
    #[serde(rename = "type")]
    kind: String,
    /// Target resource-set name
    target_set: String,
    /// Type-specific configuration
    config: Map<String, Value>,
    /// replace, append, merge
    #[serde(default = "append")]
    update_mode: String,
}

fn append() -> String {
    "append".to_owned()
}

space_tool!(SourceCreate: "source-create", "Create a source", Creates, CreateParameters => SourceItem,
    r#"{"name": "folder", "type": "filesystem.index", "target_set": "notes", "config": {"path": "$folder"}}"#,
"Create a new data source.\n\nSource types: filesystem.index (config: path, recursive, max_depth, \
    follow_symlinks), filesystem.watch (path, recursive, debounce_ms), query (query_name), resource-set \
    (source_set_name). A missing target set is created. append adds entries; merge also removes vanished ones; \
    replace leaves exactly the result.",
|context, host, parameters| {
    let CreateParameters { name, kind, target_set, config, update_mode } = parameters;
    let config = config.into();
    let source = SourceDefinition { name, kind, target_set, config, update_mode: Some(update_mode) };
    context.engine.create_source(host, source)
});

space_tool!(SourceStart: "source-start", "Start a source", Updates, SourceName => SourceItem,
    r#"{"name": "folder"}"#,
    "Start a source (for continuous sources like filesystem.watch).\n\nIts set follows the folder from now on.",
    |context, host, parameters| context.engine.start_source(host, &parameters.name));

space_tool!(SourceStop: "source-stop", "Stop a source", Updates, SourceName => SourceItem,
    r#"{"name": "folder"}"#,
    "Stop a running source.",
    |context, host, parameters| context.engine.stop_source(host, &parameters.name));

space_tool!(SourceExecute: "source-execute", "Run a source once", Updates, SourceName => SourceRun,
    r#"{"name": "folder"}"#,
    "Execute a source once (for one-shot sources).",
    |context, host, parameters| context.engine.execute_source(host, &parameters.name, context.cancel));

space_tool!(SourceList: "source-list", "List sources", Reads, NoParameters => Sources,
    "{}",
    "List all sources with status.",
    |context, host, _| context.engine.sources(host));

space_tool!(SourceGet: "source-get", "Get a source", Reads, SourceName => SourceItem,
    r#"{"name": "folder"}"#,
    "Get a specific source with details.",
    |context, host, parameters| context.engine.source(host, &parameters.name));

space_tool!(SourceDelete: "source-delete", "Delete a source", Deletes, SourceName => Deleted,
    r#"{"name": "folder"}"#,
"Delete a source.\n\nEntries that it put into sets stay.",
|context, host, parameters| {
    context.engine.delete_source(host, &parameters.name).map(|()| Deleted::new(parameters.name))
});
