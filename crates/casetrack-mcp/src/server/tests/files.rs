//! The contract of Smart File Search over the protocol, as far as it needs no model: paths, errors, limits, queries, summaries, previews of
//! files that are not indexed.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use casetrack_core::settings::{Summaries, SummaryModel, Toolset};

/// A folder that tools may look into, next to one that they may not, and a client.
struct Matter {
    client: Client,
    dir: TempDir,
}

impl Matter {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["root", "outside"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let settings = Settings {
            toolsets: Some(vec![Toolset::Files]),
            roots: vec![dir.path().join("root")],
            ..Settings::default()
        };
        let mut client = Client::connect_with(settings, None);
        client.initialize("2025-11-25").await;
        Self { client, dir }
    }

    fn root(&self) -> PathBuf {
        casetrack_core::real_path(self.dir.path().join("root")).unwrap()
    }

    fn path(&self, name: &str) -> String {
        self.root().join(name).to_str().unwrap().to_owned()
    }

    async fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.client.call(tool, arguments).await["result"].clone();
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["_meta"], json!({"mcp_version": "v1.0.0"}), "{result}");
        let structured = result["structuredContent"].clone();
        assert_eq!(structured["mcp_version"], "v1.0.0");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
        structured
    }

    /// Code, message and hint of a call that fails in the printed form.
    async fn refusal(&mut self, tool: &str, arguments: Value) -> (String, String, String) {
        let result = self.client.call(tool, arguments).await["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["_meta"], json!({"mcp_version": "v1.0.0"}), "{result}");
        let structured = result["structuredContent"].as_object().unwrap();
        assert_eq!(structured.keys().collect::<BTreeSet<_>>().len(), 2, "{result}");
        let error = structured["error"].as_object().unwrap();
        assert_eq!(error.keys().map(String::as_str).collect::<BTreeSet<_>>(), ["code", "details", "message"].into());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        // The text is the same JSON.
        let said = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(said).unwrap(), result["structuredContent"]);
        (text(&error["code"]), text(&error["message"]), text(&error["details"]["hint"]))
    }
}

#[tokio::test]
async fn roots_are_listed() {
    let mut matter = Matter::new().await;
    let root = matter.path("");
    let listed = matter.answer("listRoots", json!({})).await;
    assert_eq!(listed, json!({"roots": [root.trim_end_matches(std::path::is_separator)], "mcp_version": "v1.0.0"}));
}

#[tokio::test]
async fn errors_have_the_printed_form_and_codes() {
    let mut matter = Matter::new().await;
    fs::write(matter.root().join("a.txt"), "x").unwrap();
    let (file, missing, root) = (matter.path("a.txt"), matter.path("missing"), matter.path(""));
    let no_folder = format!("'{file}' is not a folder.");
    let no_file = format!("There is no file or folder '{missing}'.");
    for (tool, arguments, code, message) in [
        ("searchFiles", json!({}), "BAD_REQUEST", "searchFiles needs the parameter \"query\"."),
        ("searchFiles", json!({"query": " "}), "BAD_REQUEST", "The query is empty."),
        ("searchFiles", json!({"query": "a", "k": 0}), "BAD_REQUEST", "k is 0; it must be between 1 and 100."),
        ("searchFiles", json!({"query": "a", "k": "101"}), "BAD_REQUEST", "k is 101; it must be between 1 and 100."),
        ("searchFiles", json!({"query": "a", "roots": ["/etc"]}), "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", json!({"root": "/etc"}), "FORBIDDEN", "Access to '/etc' is not allowed."),
        ("indexFolder", json!({"root": file}), "BAD_REQUEST", no_folder.as_str()),
        ("indexFolder", json!({"root": missing}), "NOT_FOUND", no_file.as_str()),
        (
            "indexFolder",
            json!({"root": root, "priority": "urgent"}),
            "BAD_REQUEST",
            "priority is \"urgent\"; it must be one of low, normal, high.",
        ),
        ("openFile", json!({"path": "/etc/hostname"}), "FORBIDDEN", "Access to '/etc/hostname' is not allowed."),
        ("openFile", json!({"path": missing}), "NOT_FOUND", no_file.as_str()),
        (
            "openFile",
            json!({"path": file, "pointer": "chapter 1"}),
            "BAD_REQUEST",
            "The pointer \"chapter 1\" cannot be read.",
        ),
        ("openFile", json!({"path": file, "pointer": "page 9"}), "BAD_REQUEST", "The file has no page 9: it has 1."),
        ("openFile", json!({"path": file, "pages": 9}), "BAD_REQUEST", "openFile has no parameter \"pages\"."),
        ("rewriteQuery", json!({"query": "…"}), "BAD_REQUEST", "The query is empty."),
        (
            "summarizeResults",
            json!({"query": "a", "results": [], "style": "song"}),
            "BAD_REQUEST",
            "style is \"song\"; it must be one of bullets, paragraph, table.",
        ),
        ("summarizeResults", json!({"query": "a"}), "BAD_REQUEST", "summarizeResults needs the parameter \"results\"."),
    ] {
        let refused = matter.refusal(tool, arguments.clone()).await;
        assert_eq!((refused.0.as_str(), refused.1.as_str()), (code, message), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn without_a_root_the_configuration_is_missing() {
    let settings = Settings { toolsets: Some(vec![Toolset::Files]), ..Settings::default() };
    let mut client = Client::connect_with(settings, None);
    client.initialize("2025-11-25").await;
    for (tool, arguments) in [
        ("listRoots", json!({})),
        ("searchFiles", json!({"query": "lease"})),
        ("openFile", json!({"path": "/etc/hostname"})),
        ("indexFolder", json!({"root": "/etc"})),
    ] {
        let answer = client.call(tool, arguments).await;
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "INTERNAL_ERROR", "{tool}: {answer}");
        assert_eq!(error["message"], "No root directory is configured for file search.", "{tool}");
        assert!(error["details"]["hint"].as_str().unwrap().contains("--root DIR"), "{answer}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_path_with_hidden_characters_can_be_given_back_as_it_was_shown() {
    let mut matter = Matter::new().await;
    let name = "lease\u{202e}fdp.txt";
    fs::write(matter.root().join(name), "The rent is due.").unwrap();
    let shown = matter.path("lease\\u{202e}fdp.txt");
    let opened = matter.answer("openFile", json!({"path": shown})).await;
    assert_eq!((&opened["path"], &opened["preview"]), (&json!(shown), &json!("The rent is due.")));
    let (code, ..) = matter.refusal("openFile", json!({"path": matter.path("none\\u{202e}.txt")})).await;
    assert_eq!(code, "NOT_FOUND");
}

#[cfg(unix)]
#[tokio::test]
async fn what_lies_outside_cannot_be_told_to_exist_or_not() {
    use std::os::unix::fs::symlink;
    let mut matter = Matter::new().await;
    let outside = casetrack_core::real_path(matter.dir.path().join("outside")).unwrap();
    fs::write(outside.join("secret.txt"), "secret").unwrap();
    symlink(outside.join("secret.txt"), matter.root().join("link.txt")).unwrap();
    symlink(outside.join("none.txt"), matter.root().join("dangling.txt")).unwrap();
    symlink(&outside, matter.root().join("folder")).unwrap();
    let outside = outside.to_str().unwrap().to_owned();
    let mut told = BTreeSet::new();
    for path in [
        format!("{outside}/secret.txt"),
        format!("{outside}/none.txt"),
        matter.path("../outside/secret.txt"),
        matter.path("../outside/none.txt"),
        matter.path("link.txt"),
        matter.path("dangling.txt"),
        matter.path("folder/secret.txt"),
        matter.path("folder/none.txt"),
        matter.path("key.pem"),
        "secret.txt".to_owned(),
    ] {
        for (tool, arguments) in [("openFile", json!({"path": path})), ("indexFolder", json!({"root": path}))] {
            let (code, message, hint) = matter.refusal(tool, arguments).await;
            told.insert((code, message.replace(&path, "PATH"), hint));
        }
    }
    assert_eq!(told.len(), 1, "{told:#?}");
}

#[tokio::test]
async fn previews_are_short_and_redacted_also_of_files_that_are_not_indexed() {
    let mut matter = Matter::new().await;
    let address = "jane.roe@example.org";
    let text = format!("Line one.\n{} {address} {}\nThe last line.", "word ".repeat(500), "more ".repeat(500));
    fs::write(matter.root().join("letter.txt"), &text).unwrap();
    let path = matter.path("letter.txt");
    let whole = matter.answer("openFile", json!({"path": path})).await;
    assert_eq!(
        (&whole["path"], &whole["pointer"], &whole["truncated"]),
        (&json!(path), &json!("page 1"), &json!(true))
    );
    assert!(whole["preview"].as_str().unwrap().starts_with("Line one."));
    let last = matter.answer("openFile", json!({"path": path, "pointer": "lines 3", "before": 5, "after": "10"})).await;
    let last = last["preview"].as_str().unwrap();
    assert!(last.starts_with("… ") && last.ends_with("\nThe last line."), "{last}");
    for before in (0..6000).step_by(97) {
        let arguments = json!({"path": path, "pointer": "lines 3", "before": before});
        let preview =
            match matter.client.call("openFile", arguments).await["result"]["structuredContent"]["preview"].as_str() {
                Some(preview) => preview.to_owned(),
                // 30 calls a minute.
                None => break,
            };
        assert!(preview.len() <= 2048 && !preview.contains("jane") && !preview.contains("example"), "{preview}");
    }
    let (code, message, _) = matter.refusal("openFile", json!({"path": path})).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("RATE_LIMITED", "openFile has reached its limit of 30 calls per minute.")
    );
}

#[tokio::test]
async fn queries_are_rewritten_and_results_summarized_as_printed() {
    let mut matter = Matter::new().await;
    let rewritten =
        matter.answer("rewriteQuery", json!({"query": "Find vendor X contracts from 2021 in ppt or docx"})).await;
    let printed = json!({
        "fts": "vendor NEAR/5 contract AND (2021)",
        "filters": {"exts": [".pptx", ".docx"], "years": ["2021"]},
        "notes": "NEAR/5 used to pair 'vendor' and 'contract'",
        "mcp_version": "v1.0.0",
    });
    assert_eq!(rewritten, printed);
    let results = json!([
        {"path": "/mnt/shared/contracts/vendor_x_contract.docx", "snippet": "Vendor X agrees to …", "score": 0.9},
        {"path": "…", "snippet": "…"},
    ]);
    let summary = matter
        .answer(
            "summarizeResults",
            json!({"query": "vendor x 2021 contracts", "results": results, "max_tokens": "400"}),
        )
        .await;
    assert_eq!(summary["summary"], "- Vendor X agrees to (vendor_x_contract.docx)");
    assert!(summary["tokens_used"]["prompt"].as_u64() > summary["tokens_used"]["completion"].as_u64());
    for _ in 0..19 {
        matter.answer("summarizeResults", json!({"query": 1, "results": []})).await;
    }
    let (code, ..) = matter.refusal("summarizeResults", json!({"query": "1", "results": []})).await;
    assert_eq!(code, "RATE_LIMITED");
}

#[tokio::test]
async fn the_61st_search_of_a_minute_is_refused() {
    let mut matter = Matter::new().await;
    for _ in 0..60 {
        let found = matter.answer("searchFiles", json!({"query": "vendor x 2021 ppt docx", "k": 10})).await;
        assert_eq!(found["pagination"], json!({"offset": 0, "returned": 0, "total_estimate": 0}));
    }
    let (code, message, hint) = matter.refusal("searchFiles", json!({"query": "vendor"})).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("RATE_LIMITED", "searchFiles has reached its limit of 60 calls per minute.")
    );
    assert!(hint.starts_with("Try again in "), "{hint}");
}

#[tokio::test]
async fn the_set_alone_hands_out_no_text_of_collections() {
    let mut matter = Matter::new().await;
    let listed = matter.client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = ["listRoots", "indexFolder", "searchFiles", "openFile", "summarizeResults", "rewriteQuery"];
    assert_eq!(names, expected);
    for (method, list) in [("resources/list", "resources"), ("prompts/list", "prompts")] {
        assert_eq!(matter.client.request(method, json!({})).await["result"][list], json!([]));
    }
    let read = json!({"uri": "casetrack://collections/Files/documents"});
    assert!(matter.client.request("resources/read", read).await["error"].is_object());
    for tool in ["search_documents", "get_chunk", "find_files_by_time", "list_collections"] {
        let refused = matter.client.call(tool, json!({})).await;
        assert!(refused["result"]["isError"].as_bool().unwrap(), "{refused}");
    }
}

/// A client with a model, which answers or fails.
async fn with_model(model: SummaryModel) -> Client {
    let settings =
        Settings { toolsets: Some(vec![Toolset::Files]), summaries: Summaries { model }, ..Settings::default() };
    let mut client = Client::connect_with(settings, None);
    let info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"sampling": {}}, "clientInfo": info});
    client.request("initialize", params).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client
}

#[tokio::test]
async fn the_model_of_the_client_summarizes_where_the_settings_say_so() {
    let snippet = "The lease ends in May. Write to jane.roe@example.org.";
    let arguments = json!({"query": "lease", "results": [{"path": "/a/lease.txt", "snippet": snippet}]});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "summarizeResults", "arguments": arguments}});

    let mut client = with_model(SummaryModel::Client).await;
    client.send(call.clone()).await;
    let asked = client.receive().await;
    assert_eq!(asked["method"], "sampling/createMessage", "{asked}");
    let prompt = asked["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(prompt.contains("The lease ends in May.") && prompt.contains("lease.txt"), "{prompt}");
    assert!(!prompt.contains("jane.roe"), "{prompt}");
    let said = json!({"type": "text", "text": "- It ends in May (lease.txt). Ask jane.roe@example.org."});
    let result = json!({"role": "assistant", "content": said, "model": "m"});
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
    let answer = client.receive().await["result"]["structuredContent"].clone();
    let summary = answer["summary"].as_str().unwrap();
    assert!(summary.starts_with("- It ends in May") && !summary.contains("jane.roe"), "{answer}");

    client.send(call.clone()).await;
    let asked = client.receive().await;
    let refused = json!({"code": -1, "message": "The user said no"});
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": refused})).await;
    let error = client.receive().await["result"]["structuredContent"]["error"].clone();
    assert_eq!(error["code"], "LLM_UPSTREAM", "{error}");
    assert!(error["message"].as_str().unwrap().contains("The user said no"), "{error}");

    // By default no model is asked.
    let mut client = with_model(SummaryModel::None).await;
    client.send(call).await;
    let answer = client.receive().await["result"]["structuredContent"].clone();
    assert!(answer["summary"].as_str().unwrap().contains("The lease ends in May"), "{answer}");
}
