//! The protocol over in-memory streams, with an engine whose data directory is empty.

use std::sync::Arc;

use casetrack_core::CollectionId;
use casetrack_engine::{Engine, EngineConfig};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use super::*;
use casetrack_core::settings::{Settings, Toolset};

mod files;
mod index;
mod space;
mod time;

/// A client that writes and reads lines of JSON.
struct Client {
    reader: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<()>>,
    _data_dir: tempfile::TempDir,
}

impl Client {
    fn connect(active: Option<CollectionId>) -> Self {
        Self::connect_with(Settings::default(), active)
    }

    fn connect_with(settings: Settings, active: Option<CollectionId>) -> Self {
        let data_dir = tempfile::tempdir().unwrap();
        let engine = Arc::new(Engine::new(EngineConfig::new(data_dir.path().to_owned())).unwrap());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_reader, their_writer) = tokio::io::split(theirs);
        let server = tokio::spawn(serve(Arc::new(Session::new(engine, settings, active)), their_reader, their_writer));
        let (reader, writer) = tokio::io::split(ours);
        Self { reader: BufReader::new(reader).lines(), writer, server, _data_dir: data_dir }
    }

    async fn initialized(active: Option<CollectionId>) -> Self {
        let mut client = Self::connect(active);
        client.initialize("2025-11-25").await;
        client
    }

    async fn initialize(&mut self, version: &str) -> Value {
        self.initialize_as("test", version).await
    }

    async fn initialize_as(&mut self, name: &str, version: &str) -> Value {
        let info = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
        let result = self.request("initialize", params).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        result
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.reader.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        // A notification may come first.
        loop {
            let message = self.receive().await;
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

fn error_text(answer: &Value) -> &str {
    assert_eq!(answer.pointer("/result/isError"), Some(&json!(true)), "{answer}");
    assert!(answer.pointer("/result/structuredContent").is_none(), "{answer}");
    answer.pointer("/result/content/0/text").and_then(Value::as_str).unwrap()
}

#[tokio::test]
async fn each_protocol_version_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = Client::connect(None).initialize(version).await;
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "casetrack");
        assert_eq!(result["serverInfo"]["title"], "CaseTrack");
        assert_eq!(result["instructions"], instructions(&Offer::new(&Settings::default())));
        let resources = json!({"subscribe": true, "listChanged": true});
        let extensions = json!({"io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/skills": {}});
        let capabilities = json!({
            "completions": {}, "extensions": extensions, "prompts": {}, "resources": resources,
            "tools": {"listChanged": false},
        });
        assert_eq!(result["capabilities"], capabilities);
    }
    let newer = Client::connect(None).initialize("2099-01-01").await;
    assert_eq!(newer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_protocol_without_a_handshake_is_spoken() {
    let mut client = Client::connect(None);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.request("server/discover", json!({"_meta": meta})).await;
    assert!(discovered.to_string().contains("2026-07-28"), "{discovered}");
    let answer =
        client.request("tools/call", json!({"name": "list_collections", "arguments": {}, "_meta": meta})).await;
    assert_eq!(answer["result"]["structuredContent"]["collections"], json!([]), "{answer}");
    for (method, ms) in [
        ("tools/list", 3_600_000),
        ("prompts/list", 3_600_000),
        ("resources/templates/list", 3_600_000),
        ("skills/list", 3_600_000),
        ("resources/list", 5_000),
    ] {
        let result = client.request(method, json!({"_meta": meta})).await["result"].clone();
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(ms), &json!("private")), "{method}");
    }
}

#[tokio::test]
async fn a_deletion_is_confirmed_by_the_user_if_the_client_can_ask() {
    let mut client = Client::connect(None);
    let meta = |capabilities: Value| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        })
    };
    let (asking, silent) = (meta(json!({"elicitation": {}})), meta(json!({})));
    client.request("server/discover", json!({"_meta": asking})).await;
    let created = json!({"name": "create_collection", "arguments": {"name": "Lease"}, "_meta": asking});
    assert_eq!(client.request("tools/call", created).await["result"]["isError"], false);
    let arguments = json!({"collection_name": "Lease", "confirm": false});
    let call = |meta: &Value| json!({"name": "delete_collection", "arguments": arguments, "_meta": meta});
    let refused = client.request("tools/call", call(&silent)).await;
    assert!(error_text(&refused).starts_with("confirm must be true; nothing was deleted."), "{refused}");

    let asked = client.request("tools/call", call(&asking)).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["confirm"];
    assert_eq!((&form["method"], &form["params"]["mode"]), (&json!("elicitation/create"), &json!("form")), "{asked}");
    assert!(form["params"]["message"].as_str().unwrap().contains("delete collection \"Lease\""), "{asked}");
    let mut answer = async |action: &str, confirm: bool, state: &Value| {
        let mut call = call(&asking);
        call["inputResponses"] = json!({"confirm": {"action": action, "content": {"confirm": confirm}}});
        call["requestState"] = state.clone();
        client.request("tools/call", call).await
    };
    let state = &asked["requestState"];
    for (action, confirm) in [("decline", true), ("cancel", true), ("accept", false)] {
        let declined = answer(action, confirm, state).await;
        assert_eq!(error_text(&declined), "The user declined; nothing was changed.");
    }
    // An answer to another question.
    for other in [json!("This would delete nothing."), Value::Null] {
        assert_eq!(answer("accept", true, &other).await["result"]["resultType"], "input_required");
    }
    let deleted = answer("accept", true, state).await;
    assert_eq!(deleted["result"]["structuredContent"]["name"], "Lease", "{deleted}");
    let again = answer("accept", true, state).await;
    assert!(error_text(&again).starts_with("Collection not found"), "{again}");
}

/// Earlier versions of the protocol have no such fields.
#[tokio::test]
async fn lists_state_their_freshness_only_where_the_protocol_has_it() {
    let mut client = Client::initialized(None).await;
    for method in ["tools/list", "prompts/list", "resources/templates/list", "resources/list"] {
        let result = client.request(method, json!({})).await["result"].clone();
        assert!(result.is_object() && result.get("ttlMs").is_none() && result.get("cacheScope").is_none(), "{result}");
    }
}

#[tokio::test]
async fn the_skills_of_the_plugin_are_served_to_sessions_with_their_tools() {
    let mut client = Client::initialized(None).await;
    let listed = client.request("skills/list", json!({})).await["result"]["skills"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 6);
    for skill in listed.as_array().unwrap() {
        let uri = json!({"uri": skill["uri"]});
        assert_eq!(client.request("skills/get", uri.clone()).await["result"]["skill"], *skill);
        let read = client.request("resources/read", uri).await["result"]["contents"][0].clone();
        let text = read["text"].as_str().unwrap();
        assert!(text.contains(skill["frontmatter"]["description"].as_str().unwrap()), "{text}");
        assert_eq!((&read["mimeType"], &skill["resources"][0]["size"]), (&json!("text/markdown"), &json!(text.len())));
    }
    let unknown = client.request("skills/get", json!({"uri": "skill://other/SKILL.md"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");

    let settings = Settings { toolsets: Some(vec![Toolset::Space]), ..Settings::default() };
    let mut client = Client::connect_with(settings, None);
    let capabilities = client.initialize("2025-11-25").await["result"]["capabilities"].clone();
    assert_eq!(capabilities["extensions"], json!({"io.modelcontextprotocol/tasks": {}}));
    assert_eq!(client.request("skills/list", json!({})).await["error"]["code"], -32601);
    let refused = client.request("resources/read", json!({"uri": "skill://chronology/SKILL.md"})).await;
    assert!(refused.get("error").is_some(), "{refused}");
}

#[tokio::test]
async fn the_list_of_tools_is_the_table() {
    let mut client = Client::initialized(None).await;
    let answer = client.request("tools/list", json!({})).await;
    let listed = answer["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let usual = Offer::new(&Settings::default());
    assert_eq!(names, usual.tools().map(|entry| entry.name).collect::<Vec<_>>());
    let document = |name: &str| table::schema_files()[&format!("{name}.json")].parse::<Value>().unwrap();
    for tool in &listed {
        // The documents have all parameters and the fields of answers.
        let document = document(tool["name"].as_str().unwrap());
        for (name, parameter) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert_eq!(parameter["description"], document["inputSchema"]["properties"][name]["description"]);
        }
        assert_eq!(tool["inputSchema"]["required"], document["inputSchema"]["required"]);
        assert_eq!(tool["outputSchema"], json!({"type": "object"}));
    }
}

#[tokio::test]
async fn an_answer_has_both_forms() {
    let mut client = Client::initialized(None).await;
    let answer = client.call("list_collections", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["isError"], false);
    assert_eq!(result["structuredContent"], json!({"collections": []}));
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("There are no collections"), "{answer}");
}

#[tokio::test]
async fn errors_are_answers_that_the_assistant_can_read() {
    let mut client = Client::initialized(None).await;
    let answer = client.call("search_documents", json!({"query": "payment"})).await;
    assert_eq!(
        error_text(&answer),
        "No active collection. Create or switch to a collection first:\n  - create_collection: Create a new collection\n  - \
         switch_collection: Switch to an existing collection\n  - list_collections: See all collections"
    );
    assert_eq!(
        answer.pointer("/result/_meta/casetrack~1error"),
        Some(&json!({"code": "no_collection_active", "kind": "user"}))
    );
    let answer = client.call("search_documents", json!({"query": "a", "top_k": 1_000_000_000})).await;
    assert_eq!(error_text(&answer), "top_k is 1000000000; it must be between 1 and 50.");
    let answer = client.call("switch_collection", json!({"collection_name": "Acme"})).await;
    assert!(error_text(&answer).starts_with("Collection not found: \"Acme\"."), "{answer}");
}

#[tokio::test]
async fn an_active_collection_that_vanished_is_said_to_be_gone() {
    let mut client = Client::initialized(Some(CollectionId::random())).await;
    let answer = client.call("list_documents", json!({})).await;
    assert!(error_text(&answer).starts_with("The active collection no longer exists"), "{answer}");
    let answer = client.call("list_documents", json!({})).await;
    assert!(error_text(&answer).starts_with("No active collection."), "{answer}");
}

#[tokio::test]
async fn nothing_is_written_to_a_collection_that_nobody_chose() {
    let mut client = Client::initialized(None).await;
    client.call("create_collection", json!({"name": "First"})).await;
    client.call("create_collection", json!({"name": "Second"})).await;
    let deleted = client.call("delete_collection", json!({"collection_name": "Second", "confirm": true})).await;
    assert_eq!(deleted["result"]["isError"], false, "{deleted}");
    for (tool, arguments) in [
        ("ingest_document", json!({"file_path": "/tmp/stray.txt"})),
        ("ingest_folder", json!({"folder_path": "/tmp"})),
        ("sync_folder", json!({"folder_path": "/tmp"})),
        ("tag_document", json!({"documents": ["stray.txt"], "add_tags": ["key"]})),
        ("delete_document", json!({"document_name": "stray.txt", "confirm": true})),
        ("reindex_collection", json!({"confirm": true})),
        ("define_column", json!({"name": "deposit", "question": "What is the deposit?"})),
        ("watch_folder", json!({"folder_path": "/tmp"})),
        ("unwatch_folder", json!({"folder_path": "/tmp"})),
        ("set_sync_schedule", json!({"folder_path": "/tmp", "schedule": "daily"})),
    ] {
        let answer = client.call(tool, arguments).await;
        let text = error_text(&answer);
        assert!(text.starts_with("No active collection."), "{tool}: {text}");
        assert!(
            text.ends_with("The only collection is \"First\". Nothing was written: choose it first."),
            "{tool}: {text}"
        );
    }
    // Reading takes the only collection and reports it, once.
    let mut listed = async || {
        let answer = client.call("list_documents", json!({})).await;
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(listed().await.starts_with("No collection is active, so this answer is about the only one, \"First\"."));
    assert!(!listed().await.contains("No collection is active"));
    let written = client.call("tag_document", json!({"documents": ["stray.txt"], "add_tags": ["key"]})).await;
    assert!(error_text(&written).starts_with("No active collection."), "{written}");
}

#[tokio::test]
async fn arguments_that_were_written_as_text_are_read() {
    let mut client = Client::initialized(None).await;
    client.call("create_collection", json!({"name": "T"})).await;
    for arguments in [
        json!({"query": "rent", "top_k": "5", "collections": "[\"T\"]", "brief": "True"}),
        json!({"query": "rent", "top_k": "null", "collections": "T", "tag": "", "pages": ""}),
        json!("{\"query\": \"rent\"}"),
    ] {
        let answer = client.call("search_documents", arguments.clone()).await;
        assert_eq!(answer["result"]["isError"], false, "{arguments}: {answer}");
    }
    for none in [json!([]), json!("{}"), json!("null"), json!(null)] {
        assert_eq!(client.call("list_collections", none).await["result"]["isError"], false);
    }
    for (arguments, expected) in [
        (json!({"query": "rent", "document_filter": "null"}), "leave document_filter out"),
        (json!({"query": "rent", "collections": ["null"]}), "leave collections out"),
        (json!({"query": "rent", "collections": "T, U"}), "such as [\"T\", \"U\"]"),
    ] {
        let answer = client.call("search_documents", arguments).await;
        assert!(error_text(&answer).contains(expected), "{answer}");
    }
}

#[tokio::test]
async fn unroutable_requests_are_protocol_errors_and_the_server_goes_on() {
    let mut client = Client::initialized(None).await;
    let unknown = client.call("search_document", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("Did you mean \"search_documents\"?"), "{unknown}");
    let hint = unknown["error"]["message"].as_str().unwrap();
    assert!(hint.contains("list_documents") && !hint.contains("resource-set-create"), "{hint}");
    let malformed = client.call("list_collections", json!("all")).await;
    assert_eq!(malformed["error"]["code"], -32602, "{malformed}");
    let no_method = client.request("tools/destroy", json!({})).await;
    assert_eq!(no_method["error"]["code"], -32601, "{no_method}");
    client.writer.write_all(b"this is not JSON\n").await.unwrap();
    let unreadable = client.receive().await;
    assert_eq!((&unreadable["id"], &unreadable["error"]["code"]), (&Value::Null, &json!(-32700)), "{unreadable}");
    let half = br#"{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "search_documents", "arguments": {"query": "\ud83d"}}}"#;
    client.writer.write_all(&[&half[..], b"\n"].concat()).await.unwrap();
    let unreadable = client.receive().await;
    assert_eq!((&unreadable["id"], &unreadable["error"]["code"]), (&json!(8), &json!(-32700)), "{unreadable}");
    client.writer.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": 5}\n").await.unwrap();
    let invalid = client.receive().await;
    assert_eq!((&invalid["id"], &invalid["error"]["code"]), (&json!(9), &json!(-32600)), "{invalid}");
    assert!(client.call("list_collections", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_query_of_eight_megabytes_is_answered() {
    let mut client = Client::initialized(None).await;
    let answer = client.call("search_documents", json!({"query": "\u{1}".repeat(8 << 20)})).await;
    assert!(error_text(&answer).starts_with("No active collection."));
    assert!(client.call("get_status", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_the_next_one_read() {
    let mut client = Client::initialized(None).await;
    let line = vec![b' '; MAX_REQUEST_BYTES + 10];
    client.writer.write_all(&line).await.unwrap();
    client.writer.write_all(b"\n").await.unwrap();
    let refused = client.receive().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{refused}");
    assert!(client.call("get_status", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn the_server_ends_with_its_input() {
    let Client { writer, reader, server, .. } = Client::initialized(None).await;
    drop((writer, reader));
    server.await.unwrap().unwrap();
}
