//! MCP Apps (extension `io.modelcontextprotocol/ui`, 2026-01-26): a view for the answers of some tools, shown by hosts that support the extension.
//! Other clients get no sign of it, so their lists stay short.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, MetaObject, Resource, ResourceContents, Tool, ToolAnnotations,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Name of the extension, which clients declare.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub(crate) const URI: &str = "ui://casetrack/evidence";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The tool with which the view continues a list. Hosts show it to the view, not to the model.
const MORE: &str = "show_more";
const VIEWED: [&str; 7] = [
    "search_documents",
    "get_source_context",
    "get_chunk",
    "compare_documents",
    "get_collection_timeline",
    "get_entity_graph",
    "get_matter_sheet",
];

pub(crate) fn shows_views(client: Option<&ClientCapabilities>) -> bool {
    let extensions = client.and_then(|client| client.extensions.as_ref());
    let Some(declared) = extensions.and_then(|extensions| extensions.get(EXTENSION)) else { return false };
    // A client that names no kinds takes this one, which every host must.
    declared.get("mimeTypes").and_then(Value::as_array).is_none_or(|kinds| kinds.contains(&json!(MIME_TYPE)))
        && casetrack_web::asset(casetrack_web::APP).is_some()
}

/// The metadata of a tool's view for the list of tools; `None` for a tool without a view.
pub(crate) fn tool_meta(tool: &str) -> Option<MetaObject> {
    // The second form is that of hosts from before the extension was finished.
    VIEWED.contains(&tool).then(|| meta(json!({"ui": {"resourceUri": URI}, "ui/resourceUri": URI})))
}

/// The tool that only the view uses, for the list of tools.
pub(crate) fn more() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": VIEWED, "description": "Tool whose answer continues"},
            "arguments": {"type": "object", "description": "Its arguments"},
            "offset": {"type": "integer", "minimum": 1, "description": "The next_offset of its answer"},
        },
        "required": ["tool", "offset"],
        "additionalProperties": false,
    });
    Tool::new(MORE, "The next part of an answer, for the view that shows it.", Arc::new(meta(schema).0))
        .with_title("Show more")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
        .with_meta(meta(json!({"ui": {"visibility": ["app"]}})))
}

/// The call that a call of the view's own tool represents; any other call unchanged. `None` if it represents none.
pub(crate) fn meant(mut call: CallToolRequestParams) -> Option<CallToolRequestParams> {
    if call.name != MORE {
        return Some(call);
    }
    let mut given = call.arguments.take()?;
    let tool = given.get("tool").and_then(Value::as_str)?;
    let tool = VIEWED.into_iter().find(|viewed| *viewed == tool)?;
    let Value::Object(mut arguments) = given.remove("arguments").unwrap_or_else(|| json!({})) else { return None };
    arguments.insert("offset".to_owned(), given.remove("offset")?);
    call.name = tool.into();
    call.arguments = Some(arguments);
    Some(call)
}

pub(crate) fn resource() -> Resource {
    Resource::new(URI, "evidence")
        .with_title("Evidence")
        .with_description(
            "Shows what searches and other tools found: passages on their pages, timelines, tables and graphs.",
        )
        .with_mime_type(MIME_TYPE)
}

/// The page itself; `None` if this build has none.
pub(crate) fn read() -> Option<ResourceContents> {
    let page = casetrack_web::asset(casetrack_web::APP)?;
    let html = String::from_utf8_lossy(page.bytes).into_owned();
    // It loads nothing: hosts may give it the strictest policy.
    let said = json!({"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": true}});
    Some(ResourceContents::text(html, URI).with_mime_type(MIME_TYPE).with_meta(meta(said)))
}

fn meta(value: Value) -> MetaObject {
    match value {
        Value::Object(fields) => MetaObject(fields),
        _ => MetaObject::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(capabilities: Value) -> ClientCapabilities {
        serde_json::from_value(capabilities).unwrap()
    }

    #[test]
    fn only_clients_that_declare_the_extension_are_shown_views() {
        let has_view = casetrack_web::asset(casetrack_web::APP).is_some();
        assert!(!shows_views(None));
        assert!(!shows_views(Some(&client(json!({})))));
        assert!(!shows_views(Some(&client(json!({"extensions": {"example.com/other": {}}})))));
        let others = json!({"extensions": {EXTENSION: {"mimeTypes": ["text/plain"]}}});
        assert!(!shows_views(Some(&client(others))));
        for declared in [json!({}), json!({"mimeTypes": [MIME_TYPE, "text/plain"]})] {
            let capabilities = client(json!({"extensions": {EXTENSION: declared}}));
            assert_eq!(shows_views(Some(&capabilities)), has_view);
        }
    }

    #[test]
    fn each_viewed_tool_exists_and_names_the_view_in_both_forms() {
        for tool in VIEWED {
            crate::table::find(tool).unwrap();
            let meta = serde_json::to_value(tool_meta(tool).unwrap()).unwrap();
            assert_eq!((&meta["ui"]["resourceUri"], &meta["ui/resourceUri"]), (&json!(URI), &json!(URI)));
        }
        assert!(tool_meta("delete_document").is_none());
    }

    #[test]
    fn the_view_goes_on_only_in_what_it_shows() {
        let call = |name: &str, arguments: Value| {
            serde_json::from_value::<CallToolRequestParams>(json!({"name": name, "arguments": arguments})).unwrap()
        };
        let given = json!({"tool": "search_documents", "arguments": {"query": "a", "offset": 0}, "offset": 50});
        let meant_by = meant(call(MORE, given)).unwrap();
        assert_eq!(meant_by.name, "search_documents");
        assert_eq!(Value::Object(meant_by.arguments.unwrap()), json!({"query": "a", "offset": 50}));
        assert_eq!(meant(call("delete_document", json!({}))).unwrap().name, "delete_document");
        for wrong in [
            json!({"tool": "delete_document", "arguments": {"document_name": "a"}, "offset": 1}),
            json!({"tool": MORE, "offset": 1}),
            json!({"tool": "search_documents"}),
            json!({"tool": "search_documents", "arguments": [], "offset": 1}),
        ] {
            assert!(meant(call(MORE, wrong)).is_none());
        }
        assert_eq!(serde_json::to_value(more()).unwrap()["_meta"], json!({"ui": {"visibility": ["app"]}}));
        assert!(crate::table::find(MORE).is_err());
    }
}
