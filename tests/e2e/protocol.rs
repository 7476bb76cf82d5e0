//! The server as a client meets it: handshake, tool list, schemas, start-up time.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, UNTIL_DONE, run};
use crate::schema;

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
    let listed: BTreeSet<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let calls = sample_calls(&["core", "ingest", "graph", "review", "watch"]);
    assert_eq!(listed, calls.iter().map(|(tool, _)| tool.as_str()).collect());
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

/// The toolsets about collections.
pub const OF_COLLECTIONS: [&str; 6] = ["core", "ingest", "graph", "review", "watch", "workbench"];

/// The sample calls of the tools of some sets, in an order in which all of them succeed.
pub fn sample_calls(toolsets: &[&str]) -> Vec<(String, Value)> {
    let calls = std::fs::read_to_string(schemas().join("calls.json")).unwrap();
    let calls = calls.parse::<Value>().unwrap().as_array().unwrap().clone();
    calls
        .into_iter()
        .filter(|call| toolsets.contains(&call["toolset"].as_str().unwrap()))
        .map(|mut call| (call["tool"].as_str().unwrap().to_owned(), call["arguments"].take()))
        .collect()
}

fn schemas() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

/// Replaces `$document` and the like in the arguments of a sample call.
pub fn fill(arguments: &mut Value, names: &[(&str, &str)]) {
    match arguments {
        Value::String(text) => {
            for (name, value) in names {
                *text = text.replace(&format!("${name}"), value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, names)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, names)),
        _ => {}
    }
}

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
    let check = |tool: &str, structured: &Value| {
        let listed = tools["tools"].as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap();
        let full = std::fs::read_to_string(schemas().join(format!("{tool}.json"))).unwrap();
        for described in [listed, &serde_json::from_str::<Value>(&full).unwrap()] {
            let problems = schema::problems(&described["outputSchema"], structured);
            assert!(problems.is_empty(), "{tool}: {problems:?}\n{structured:#}");
        }
    };
    let (mut chunk, mut job) = (String::new(), String::new());
    let calls = sample_calls(&OF_COLLECTIONS);
    assert_eq!(calls.len(), tools["tools"].as_array().unwrap().len(), "every tool is called");
    const WORK: [&str; 5] =
        ["ingest_document", "ingest_folder", "sync_folder", "reindex_document", "reindex_collection"];
    for (tool, mut arguments) in calls {
        let names = [
            ("collection", "n-1"),
            ("document", "note.md"),
            ("other", "other.txt"),
            ("chunk", chunk.as_str()),
            ("job", job.as_str()),
            ("file", file.to_str().unwrap()),
            ("folder", data.path().to_str().unwrap()),
            ("query", "when is payment due?"),
            ("quote", "Payment is due within thirty days"),
            ("entity", "Acme Foods, Inc."),
            ("partner", "Jane Roe"),
            ("reference", "ISO 27001"),
        ];
        fill(&mut arguments, &names);
        if WORK.contains(&tool.as_str()) {
            arguments["wait_seconds"] = json!(UNTIL_DONE);
        }
        let result = client.call_raw(&tool, arguments);
        let structured = &result["structuredContent"];
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        check(&tool, structured);
        if let Some(id) = structured.pointer("/results/0/chunk_id").filter(|_| chunk.is_empty()) {
            chunk = id.as_str().unwrap().to_owned();
        }
        if let Some(id) = structured.pointer("/jobs/0/job_id").or_else(|| structured.pointer("/job/job_id")) {
            job = id.as_str().unwrap().to_owned();
        }
    }
    client.close();
}

#[test]
fn initialize_needs_no_model() {
    let data = tempfile::tempdir().unwrap();
    run(data.path(), &["new", "First"]);
    // A client begins at little cost: no model is loaded for it.
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
