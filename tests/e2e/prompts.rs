//! Prompts: listed, made and completed.

use serde_json::{Value, json};

use crate::client::{Client, run};

#[test]
fn every_prompt_is_described_made_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    std::fs::write(dir.path().join("First offer.txt"), "The price is 400.").unwrap();
    run(&home, &["new", "Harbour \"Point\""]);
    run(&home, &["ingest", dir.path().join("First offer.txt").to_str().unwrap(), "-c", "Harbour \"Point\""]);
    let mut client = Client::start(&home, &["--collection", "Harbour \"Point\""]);
    let listed = client.request("prompts/list", json!({})).unwrap();
    let prompts = listed["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["brief-me", "find-and-cite", "compare-documents", "build-timeline", "review-contracts", "check-my-draft"]
    );
    for prompt in prompts {
        assert!(prompt["title"].is_string() && prompt["description"].is_string(), "{prompt}");
        for argument in prompt["arguments"].as_array().unwrap() {
            assert!(argument["description"].is_string() && argument["required"].is_boolean(), "{argument}");
        }
    }
    let mut get = |name: &str, arguments: Value| {
        let made = client.request("prompts/get", json!({"name": name, "arguments": arguments}))?;
        assert_eq!((&made["messages"][0]["role"], made["messages"].as_array().unwrap().len()), (&json!("user"), 1));
        Ok::<String, Value>(made["messages"][0]["content"]["text"].as_str().unwrap().to_owned())
    };
    // Names are matched loosely and written out.
    let text = get("brief-me", json!({"collection": "harbour point"})).unwrap();
    assert!(text.contains("Harbour \"Point\"") && text.contains("get_collection_summary"), "{text}");
    let text = get("find-and-cite", json!({"question": "What is the price?"})).unwrap();
    assert!(text.contains("What is the price?") && text.contains("active collection"), "{text}");
    let both = json!({"document_a": "first offer", "document_b": "First offer.txt", "topic": "the price"});
    let text = get("compare-documents", both).unwrap();
    assert!(text.contains("\"First offer.txt\"") && text.contains("the price"), "{text}");
    let text = get("build-timeline", json!({"from": "2024-05", "to": "2025"})).unwrap();
    assert!(text.contains("start_date 2024-05 and end_date 2025"), "{text}");

    for (name, arguments, message) in [
        ("brief", json!({}), "Did you mean \"brief-me\"?"),
        ("brief-me", json!({}), "needs the argument collection"),
        ("brief-me", json!({"collection": "  "}), "needs the argument collection"),
        ("brief-me", json!({"collection": "Nowhere"}), "Collection not found"),
        ("find-and-cite", json!({"question": 7}), "must be a string"),
        ("find-and-cite", json!({"question": "a", "query": "b"}), "has no argument \"query\""),
        ("compare-documents", json!({"document_a": "First offer", "document_b": "Second"}), "Document not found"),
        ("build-timeline", json!({"from": "last May"}), "which is not a date"),
    ] {
        let error = get(name, arguments).unwrap_err();
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }

    let mut complete = |prompt: &str, argument: &str, value: &str| {
        let reference = json!({"type": "ref/prompt", "name": prompt});
        let params = json!({"ref": reference, "argument": {"name": argument, "value": value}});
        client.request("completion/complete", params).map(|result| result["completion"]["values"].clone())
    };
    assert_eq!(complete("brief-me", "collection", "point").unwrap(), json!(["Harbour \"Point\""]));
    assert_eq!(complete("compare-documents", "document_b", "").unwrap(), json!(["First offer.txt"]));
    assert_eq!(complete("find-and-cite", "question", "").unwrap(), json!([]));
    assert!(complete("no-prompt", "question", "").is_err());
    client.close();
}
