//! Indexes of assistants' own texts: shared by all who use a data directory, in memory or kept.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, casetrack, run};
use crate::owner::{owner_pid, wait_until_it_ends};

#[test]
fn an_index_in_memory_is_shared_and_keeps_the_owner_and_a_durable_one_outlives_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    // The first client starts the owner, which would end after a second without clients.
    let called_in = |home: &Path, tool: &str, arguments: Value| -> Value {
        let mut command = casetrack(home);
        command.env("CASETRACK_IDLE_SECONDS", "1").args(["--json", "call", tool, &arguments.to_string()]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let called = |tool: &str, arguments: Value| called_in(&home, tool, arguments);
    let content = "Rate limiting protects APIs from abuse by throttling request frequency.";
    let added = called("search_add_document", json!({"doc_id": "readme", "content": content}));
    assert_eq!(added, json!({"status": "indexed", "doc_id": "readme", "token_count": 10}));
    let owner = owner_pid(&home);
    // It outlives an owner of another data directory, which began later and has no index.
    let other = dir.path().join("other");
    called_in(&other, "get_status", json!({}));
    wait_until_it_ends(&other);
    let mut first = Client::start(&home, &["--toolsets", "index"]);
    let mut second = Client::start(&home, &["--toolsets", "index"]);
    assert_eq!(owner_pid(&home), owner);
    let tools = first.request("tools/list", json!({})).unwrap();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 3, "{tools}");
    let (_, found) = second.call("search_index", json!({"query": "rate"}));
    assert_eq!(found["results"][0]["highlights"], json!([content]), "{found}");
    let (text, before) = first.call("search_index", json!({"query": "+rate \"request frequency\" abuse"}));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), before);
    let (_, again) = second.call("search_add_document", json!({"doc_id": "readme", "content": content}));
    assert_eq!(again["status"], "re-indexed");
    let (_, after) = first.call("search_index", json!({"query": "+rate \"request frequency\" abuse"}));
    assert_eq!(before.to_string(), after.to_string(), "not a bit of the score has changed");

    first.call("search_create_index", json!({"index_name": "kept", "backend": "collection"}));
    let metadata = json!({"author": "Smith", "year": 2026});
    for id in ["a/b.md", "copy"] {
        let document = json!({"doc_id": id, "content": content, "metadata": metadata, "index_name": "kept"});
        assert_eq!(first.call("search_add_document", document.clone()).1["status"], "indexed");
        assert_eq!(first.call("search_add_document", document).1["status"], "re-indexed");
    }
    first.close();
    second.close();
    run(&home, &["verify", "-c", "kept"]);
    run(&home, &["stop"]);

    assert_eq!(called("search_index", json!({"query": "rate"}))["total_matches"], 0);
    let found = called("search_index", json!({"query": "+throttling -absent", "index_name": "kept"}));
    assert_eq!(found["total_matches"], 2, "{found}");
    for result in found["results"].as_array().unwrap() {
        assert_eq!(result["metadata"], metadata, "{found}");
        assert_eq!(result["highlights"], json!([content]), "{found}");
    }
    // The texts are kept with the collection.
    run(&home, &["reindex", "-c", "kept"]);
    let found = called("search_index", json!({"query": "abuse", "k": 1, "index_name": "kept"}));
    assert_eq!((&found["total_matches"], found["results"].as_array().unwrap().len()), (&json!(2), 1), "{found}");
}
