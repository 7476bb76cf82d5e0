//! MCP Apps (extension `io.modelcontextprotocol/ui`, 2026-01-26): a view for the answers of some tools, which hosts that know the extension
//! show beside them. Other clients are told nothing of it, so that their lists stay as short as they are.

use rmcp::model::{ClientCapabilities, MetaObject, Resource, ResourceContents};
use serde_json::{Value, json};

/// Name of the extension, which clients declare.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The address of the view.
pub(crate) const URI: &str = "ui://casetrack/evidence";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The tools whose answers the view shows.
const VIEWED: [&str; 7] = [
    "search_documents",
    "get_source_context",
    "get_chunk",
    "compare_documents",
    "get_collection_timeline",
    "get_entity_graph",
    "get_matter_sheet",
];

/// Whether a client shows views, and of this kind.
pub(crate) fn shows_views(client: Option<&ClientCapabilities>) -> bool {
    let extensions = client.and_then(|client| client.extensions.as_ref());
    let Some(declared) = extensions.and_then(|extensions| extensions.get(EXTENSION)) else { return false };
    // A client that names no kinds takes this one, which every host must.
    declared.get("mimeTypes").and_then(Value::as_array).is_none_or(|kinds| kinds.contains(&json!(MIME_TYPE)))
        && casetrack_web::asset(casetrack_web::APP).is_some()
}

/// What the list of tools says about the view of a tool; `None` for one that has none.
pub(crate) fn tool_meta(tool: &str) -> Option<MetaObject> {
    // The second form is that of hosts from before the extension was finished.
    VIEWED.contains(&tool).then(|| meta(json!({"ui": {"resourceUri": URI}, "ui/resourceUri": URI})))
}

/// The view in the list of resources.
pub(crate) fn resource() -> Resource {
    Resource::new(URI, "evidence")
        .with_title("Evidence")
        .with_description(
            "Shows what searches and other tools found: passages on their pages, timelines, tables and graphs.",
        )
        .with_mime_type(MIME_TYPE)
}

/// The page itself; `None` where this build has none.
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
}
