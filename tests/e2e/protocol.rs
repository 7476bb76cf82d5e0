//! The server as a client meets it: handshake, tool list, schemas, start-up time.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, UNTIL_DONE, run};
use crate::schema;

const TOOLS: &[&str] = &[
    "ask_every_document",
    "browse_pages",
    "cancel_job",
    "compare_documents",
    "create_collection",
    "define_column",
    "delete_collection",
    "delete_document",
    "find_document_clusters",
    "find_entity",
    "find_hidden_text",
    "find_related_documents",
    "get_chunk",
    "get_collection_info",
    "get_collection_statistics",
    "get_collection_summary",
    "get_collection_timeline",
    "get_document",
    "get_document_chunks",
    "get_document_structure",
    "get_entity_graph",
    "get_entity_mentions",
    "get_index_status",
    "get_job",
    "get_matter_sheet",
    "get_obligations",
    "get_reference_citations",
    "get_related_documents",
    "get_source_context",
    "get_status",
    "ingest_document",
    "ingest_folder",
    "list_bates",
    "list_changes",
    "list_collections",
    "list_documents",
    "list_documents_by_type",
    "list_entities",
    "list_jobs",
    "list_references",
    "list_threads",
    "list_versions",
    "list_watches",
    "redline_documents",
    "reindex_collection",
    "reindex_document",
    "search_documents",
    "search_entity_relationships",
    "search_similar_chunks",
    "search_terms",
    "set_sync_schedule",
    "switch_collection",
    "sync_folder",
    "tag_document",
    "traverse_chunks",
    "unwatch_folder",
    "verify_quote",
    "verify_quotes",
    "watch_folder",
];

#[test]
fn older_protocol_versions_are_negotiated_and_every_tool_is_fully_described() {
    let data = tempfile::tempdir().unwrap();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = Client::start_with_version(data.path(), &[], version);
        assert_eq!(client.server["protocolVersion"], version);
        assert_eq!(client.server["serverInfo"]["name"], "casetrack");
        assert!(client.server["instructions"].as_str().unwrap().len() < 2000);
        client.close();
    }
    let mut client = Client::start(data.path(), &["--toolsets", "all"]);
    let tools = client.request("tools/list", json!({})).unwrap();
    let mut names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, TOOLS);
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
        for hint in ["destructiveHint", "idempotentHint"] {
            assert_eq!(tool["annotations"][hint].is_boolean(), !reads, "{hint} of {tool}");
        }
        let schema = tool["inputSchema"].to_string();
        assert!(!schema.contains("$ref") && !schema.contains("oneOf") && !schema.contains("anyOf"), "{schema}");
    }
    client.close();
}

/// Makes the arguments of a call from the id of a chunk or job and the path of a file.
pub type Arguments = fn(&Value, &str) -> Value;

/// A call of every tool of collections, in an order in which all of them succeed.
pub const CALLS: &[(&str, Arguments)] = &[
    ("create_collection", |_, _| json!({"name": "Notes", "collection_id": "N-1", "collection_type": "research"})),
    ("list_collections", |_, _| json!({"status_filter": "all"})),
    ("switch_collection", |_, _| json!({"collection_name": "n-1"})),
    ("ingest_document", |_, file| json!({"file_path": file, "document_type": "memo", "copy_original": true})),
    (
        "ingest_folder",
        |_, file| json!({"folder_path": PathBuf::from(file).parent().unwrap(), "file_extensions": ["md", "txt"]}),
    ),
    ("sync_folder", |_, file| json!({"folder_path": PathBuf::from(file).parent().unwrap(), "dry_run": true})),
    ("reindex_document", |_, _| json!({"document_name": "note", "force": true})),
    ("reindex_collection", |_, _| json!({"confirm": true, "reparse": false, "skip_unchanged": true})),
    ("get_index_status", |_, _| json!({"document_filter": "note"})),
    ("get_collection_info", |_, _| json!({})),
    ("tag_document", |_, _| json!({"documents": ["note"], "add_tags": ["hot"], "set_fields": ["custodian=Jane Roe"]})),
    ("list_documents", |_, _| json!({"sort_by": "pages"})),
    ("get_document", |_, _| json!({"document_name": "note"})),
    (
        "search_documents",
        |_, _| json!({"query": "when is payment due?", "explain": true, "context": 50, "related": true}),
    ),
    ("search_terms", |_, _| json!({"terms": ["payment", "thirty w/2 days", "due AND"], "tag": "hot"})),
    ("ask_every_document", |_, _| json!({"question": "when is payment due?", "brief": false})),
    ("verify_quote", |_, _| json!({"text": "Payment is due"})),
    ("verify_quotes", |_, _| json!({"text": "It says: \"Payment is due in thirty days of the invoice.\""})),
    ("search_similar_chunks", |chunk, _| json!({"chunk_id": chunk, "min_similarity": 0})),
    ("compare_documents", |_, _| json!({"document_a": "note", "document_b": "other.txt", "topic": "payment"})),
    ("get_collection_summary", |_, _| json!({})),
    ("get_collection_timeline", |_, _| json!({"start_date": "2019"})),
    ("define_column", |_, _| json!({"name": "fee", "pattern": "fee of (\\S+)", "type": "amount"})),
    ("get_matter_sheet", |_, _| json!({"columns": ["title", "fee"], "filter": ["!venue"], "sort": "-title"})),
    ("get_obligations", |_, _| json!({"party": "acme"})),
    ("get_collection_statistics", |_, _| json!({})),
    ("list_entities", |_, _| json!({"entity_type": "organization", "sort_by": "documents"})),
    ("find_entity", |_, _| json!({"entity": "May 5th, 2019", "entity_type": "date"})),
    ("get_entity_mentions", |_, _| json!({"entity_name": "acme foods"})),
    ("search_entity_relationships", |_, _| json!({"entities": ["Acme Foods, Inc.", "Jane Roe"]})),
    ("get_entity_graph", |_, _| json!({"entity_name": "Jane Roe", "depth": 1})),
    ("redline_documents", |_, _| json!({"old_document": "note", "new_document": "other"})),
    ("list_versions", |_, _| json!({"document_filter": "note"})),
    ("list_changes", |_, _| json!({"document": "note"})),
    ("list_bates", |_, _| json!({"document_filter": "note"})),
    ("find_hidden_text", |_, _| json!({})),
    ("list_threads", |_, _| json!({})),
    ("list_references", |_, _| json!({"reference_type": "standard"})),
    ("get_reference_citations", |_, _| json!({"reference": "ISO 27001"})),
    ("find_related_documents", |_, _| json!({"document_name": "note", "relationship_type": "semantic_similar"})),
    ("get_related_documents", |_, _| json!({"document_name": "note"})),
    ("find_document_clusters", |_, _| json!({"strategy": "document_type"})),
    ("get_document_structure", |_, _| json!({"document_name": "note"})),
    ("browse_pages", |_, _| json!({"document_name": "note", "start_page": 1, "end_page": 3})),
    ("list_documents_by_type", |_, _| json!({"document_type": "memo"})),
    ("traverse_chunks", |chunk, _| json!({"start_chunk_id": chunk, "direction": "backward"})),
    ("get_chunk", |chunk, _| json!({"chunk_id": chunk})),
    ("get_document_chunks", |_, _| json!({"document_name": "note.md", "page_filter": 1})),
    ("get_source_context", |chunk, _| json!({"chunk_id": chunk})),
    ("watch_folder", |_, file| json!({"folder_path": PathBuf::from(file).parent().unwrap(), "schedule": "daily"})),
    ("list_watches", |_, _| json!({"collection_filter": "Notes"})),
    (
        "set_sync_schedule",
        |_, file| json!({"folder_path": PathBuf::from(file).parent().unwrap(), "schedule": "manual"}),
    ),
    ("unwatch_folder", |_, file| json!({"folder_path": PathBuf::from(file).parent().unwrap()})),
    ("list_jobs", |_, _| json!({"active_only": false})),
    ("get_job", |job, _| json!({"job_id": job, "wait_seconds": 600})),
    ("cancel_job", |job, _| json!({"job_id": job})),
    ("get_status", |_, _| json!({})),
    ("read_page", |_, _| json!({"document": "note.md", "page": 1})),
    ("add_evidence", |_, _| json!({"document": "note.md", "page": 1, "quote": "within thirty days", "note": "Due."})),
    ("list_evidence", |_, _| json!({})),
    ("update_evidence", |_, _| json!({"id": 1, "exhibit": "A"})),
    ("export_evidence", |_, _| json!({"format": "markdown"})),
    ("list_paths", |_, file| json!({"prefix": file})),
    ("update_collection", |_, _| json!({"collection": "Notes", "state": "active"})),
    ("delete_document", |_, _| json!({"document_name": "note.md", "confirm": true})),
    ("delete_collection", |_, _| json!({"collection_name": "Notes", "confirm": true})),
];

#[test]
fn answers_fit_the_declared_schemas() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("note.md");
    let text = "# Terms\n\nPayment is due within thirty days of the invoice. Jane Roe signed for Acme Foods, Inc. on May 5, 2019, and \
        Acme Foods, Inc. complies with ISO 27001.\n";
    std::fs::write(&file, text).unwrap();
    std::fs::write(data.path().join("other.txt"), "Payment is due within thirty days of the delivery.\n").unwrap();
    let mut client = Client::start(&data.path().join("home"), &["--toolsets", "all,workbench"]);
    let tools = client.request("tools/list", json!({})).unwrap();
    let schemas = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let check = |tool: &str, structured: &Value| {
        let listed = tools["tools"].as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap();
        let full = std::fs::read_to_string(schemas.join(format!("{tool}.json"))).unwrap();
        for described in [listed, &serde_json::from_str::<Value>(&full).unwrap()] {
            let problems = schema::problems(&described["outputSchema"], structured);
            assert!(problems.is_empty(), "{tool}: {problems:?}\n{structured:#}");
        }
    };
    // The last that was told: of a chunk, then of a job.
    let mut id = Value::Null;
    assert_eq!(CALLS.len(), tools["tools"].as_array().unwrap().len(), "every tool is called");
    const WORK: [&str; 5] =
        ["ingest_document", "ingest_folder", "sync_folder", "reindex_document", "reindex_collection"];
    for (tool, arguments) in CALLS {
        let mut arguments = arguments(&id, file.to_str().unwrap());
        if WORK.contains(tool) {
            arguments["wait_seconds"] = json!(UNTIL_DONE);
        }
        let (_, structured) = client.call(tool, arguments);
        check(tool, &structured);
        match *tool {
            "search_documents" => id = structured["results"][0]["chunk_id"].clone(),
            "list_jobs" => id = structured["jobs"][0]["job_id"].clone(),
            _ => {}
        }
    }
    client.close();
}

#[test]
fn initialize_needs_no_model() {
    let data = tempfile::tempdir().unwrap();
    run(data.path(), &["new", "First"]);
    // What it takes a client to begin is little: no model is loaded for it.
    let client = Client::start(data.path(), &["--collection", "First", "--models-dir", "/nowhere"]);
    assert!(client.server["serverInfo"].is_object(), "{}", client.server);
    client.close();
}

#[test]
fn a_cancelled_request_and_an_unknown_method_do_not_end_the_server() {
    let data = tempfile::tempdir().unwrap();
    let mut client = Client::start(data.path(), &[]);
    assert!(client.request("no/such/method", json!({})).is_err());
    assert!(client.request("tools/call", json!({"name": "no_such_tool", "arguments": {}})).is_err());
    let id = client.begin("tools/call", json!({"name": "get_status", "arguments": {}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    client.call("get_status", json!({}));
    client.close();
}

#[test]
fn lines_that_are_no_messages_are_answered_with_errors_and_the_session_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let mut client = Client::start(data.path(), &[]);
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let long =
        [&b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"x\": \""[..], &vec![b'x'; 64 << 20], b"\"}"]
            .concat();
    let other = br#"{"jsonrpc": "2.0", "id": "seven", "method": 7}"#;
    let cases: [(&[u8], Value, i32); 5] = [
        (b"this is not JSON", Value::Null, -32700),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 1", Value::Null, -32700),
        (&deep, Value::Null, -32700),
        (&long, Value::Null, -32600),
        (other, json!("seven"), -32600),
    ];
    for (line, id, code) in cases {
        client.send_line(line);
        let answer = client.next_message();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        client.call("get_status", json!({}));
    }
    client.close();
}
