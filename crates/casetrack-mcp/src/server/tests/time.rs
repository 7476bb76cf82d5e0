//! The contract of `fs.search_by_time`: its schemas, examples, error texts and bounds, over the protocol.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;

use super::*;
use casetrack_core::settings::{ToolNames, Toolset};

const TOOL: &str = "fs.search_by_time";

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
        let client = connect("test", settings(&dir.path().join("root"))).await;
        Self { client, dir }
    }

    fn root(&self) -> PathBuf {
        casetrack_core::real_path(self.dir.path().join("root")).unwrap()
    }

    /// Writes a file that was modified at a time: seconds since 1970 and nanoseconds.
    fn write(&self, name: &str, seconds: u64, nanoseconds: u32) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(path).unwrap();
        file.set_len(5).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::new(seconds, nanoseconds)).unwrap();
    }

    /// The whole result.
    async fn call(&mut self, arguments: Value) -> Value {
        self.client.call(TOOL, arguments).await["result"].clone()
    }

    async fn names(&mut self, arguments: Value) -> Vec<String> {
        let result = self.call(arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        names(&result, &self.root())
    }

    async fn refusal(&mut self, arguments: Value) -> String {
        let result = self.call(arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        // Exactly what the contract prints: one block of text, and nothing else.
        assert_eq!(
            result.as_object().unwrap().keys().collect::<BTreeSet<_>>().len(),
            2 + usize::from(result.get("resultType").is_some()),
            "{result}"
        );
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.ends_with('.') && !text.contains('\n'), "{text}");
        text
    }
}

fn settings(root: &Path) -> Settings {
    Settings { toolsets: Some(vec![Toolset::Time]), roots: vec![root.to_owned()], ..Settings::default() }
}

async fn connect(name: &str, settings: Settings) -> Client {
    let mut client = Client::connect_with(settings, None);
    client.initialize_as(name, "2025-11-25").await;
    client
}

/// Paths of the matches below the root.
fn names(result: &Value, root: &Path) -> Vec<String> {
    let matches = result["structuredContent"]["matches"].as_array().unwrap();
    let below = |path: &str| {
        let below = Path::new(path).strip_prefix(root).unwrap();
        below.to_str().unwrap().replace(std::path::MAIN_SEPARATOR, "/")
    };
    matches.iter().map(|found| below(found["path"].as_str().unwrap())).collect()
}

/// 2025-12-01T00:00:00Z and 2025-12-16T00:00:00Z.
const FROM: u64 = 1_764_547_200;
const TO: u64 = 1_765_843_200;

#[tokio::test]
async fn schemas_are_listed_as_they_are_printed() {
    let mut matter = Matter::new().await;
    let listed = matter.client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, [TOOL, "find_files_by_time"]);
    let tool = &listed[0];
    let printed = |text| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(tool["inputSchema"], printed(include_str!("../../tools/time/search_by_time.input.json")));
    assert_eq!(tool["outputSchema"], printed(include_str!("../../tools/time/search_by_time.output.json")));
    assert_eq!(tool["inputSchema"]["properties"]["from"]["format"], "date-time");
    assert_eq!(tool["inputSchema"]["required"], json!(["timeField"]));
    assert_eq!(tool["outputSchema"]["additionalProperties"], false);
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["annotations"]["destructiveHint"], false);
}

#[tokio::test]
async fn the_example_is_answered_word_for_word() {
    let mut matter = Matter::new().await;
    matter.write("notes/a.md", FROM + 10, 0);
    matter.write("b.md", FROM + 20, 500_000_000);
    matter.write("old.md", FROM - 10, 0);
    let arguments = json!({
        "timeField": "modified", "from": "2025-12-01T00:00:00Z", "to": "2025-12-16T00:00:00Z", "glob": "**/*.md",
    });
    let result = matter.call(arguments).await;
    let content = result["content"].as_array().unwrap();
    assert_eq!(content[0], json!({"type": "text", "text": "Found 2 files (sorted by modified desc)."}));
    assert_eq!(
        serde_json::from_str::<Value>(content[1]["text"].as_str().unwrap()).unwrap(),
        result["structuredContent"]
    );
    assert_eq!((content.len(), &result["isError"]), (2, &json!(false)));
    let answer = &result["structuredContent"];
    assert_eq!(answer["range"], json!({"from": "2025-12-01T00:00:00Z", "to": "2025-12-16T00:00:00Z"}));
    assert_eq!((&answer["timeField"], &answer["nextCursor"]), (&json!("modified"), &Value::Null));
    assert_eq!(answer["stats"], json!({"scannedFiles": 3, "scannedDirectories": 1, "returned": 2}));
    let first = &answer["matches"][0];
    let path = matter.root().join("b.md").to_str().unwrap().to_owned();
    assert_eq!((&first["path"], &first["isDirectory"], &first["sizeBytes"]), (&json!(path), &json!(false), &json!(5)));
    assert_eq!(first["modifiedAt"], "2025-12-01T00:00:20.5Z");
    assert_eq!(first.as_object().unwrap().len(), 5);
    assert_eq!(answer.as_object().unwrap().len(), 5);
}

#[tokio::test]
async fn from_is_included_and_to_is_not_to_the_nanosecond_in_any_offset() {
    let mut matter = Matter::new().await;
    matter.write("at_from", FROM, 0);
    matter.write("before_from", FROM - 1, 999_999_999);
    matter.write("at_to", TO, 0);
    matter.write("before_to", TO - 1, 999_999_999);
    for (from, to) in
        [("2025-12-01T00:00:00Z", "2025-12-16T00:00:00Z"), ("2025-12-01T09:00:00+09:00", "2025-12-15T19:00:00-05:00")]
    {
        let found = matter.names(json!({"timeField": "modified", "from": from, "to": to})).await;
        assert_eq!(found, ["before_to", "at_from"]);
    }
    let later = matter.names(json!({"timeField": "modified", "from": "2025-12-15T23:59:59.999999999Z"})).await;
    assert_eq!(later, ["at_to", "before_to"]);
}

#[tokio::test]
async fn ties_are_in_the_order_of_paths_and_pages_lose_and_repeat_nothing_while_files_are_added() {
    let mut matter = Matter::new().await;
    for i in 0..20 {
        matter.write(&format!("{}/{i:02}", i % 3), FROM + i / 5, 0);
    }
    for sort in ["time_desc", "time_asc", "path_asc"] {
        let all = matter.names(json!({"timeField": "modified", "sort": sort})).await;
        let mut arguments = json!({"timeField": "modified", "sort": sort, "limit": 3});
        let mut pages: Vec<String> = Vec::new();
        loop {
            let result = matter.call(arguments.clone()).await;
            pages.extend(names(&result, &matter.root()));
            // Before and behind where the answer is, in every order.
            matter.write(&format!("0/added {sort} {}", pages.len()), FROM - 1, 0);
            matter.write(&format!("2/added {sort} {}", pages.len()), TO + 1, 0);
            match &result["structuredContent"]["nextCursor"] {
                Value::Null => break,
                next => arguments["cursor"] = next.clone(),
            }
        }
        assert_eq!(pages.iter().collect::<BTreeSet<_>>().len(), pages.len(), "{sort}");
        let known: Vec<&String> = pages.iter().filter(|name| all.contains(name)).collect();
        assert_eq!(known, all.iter().collect::<Vec<_>>(), "{sort}");
        for folder in ["0", "2"] {
            for entry in fs::read_dir(matter.root().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().unwrap().to_str().unwrap().starts_with("added") {
                    fs::remove_file(path).unwrap();
                }
            }
        }
    }
}

#[tokio::test]
async fn depth_kinds_and_a_file_as_the_start() {
    let mut matter = Matter::new().await;
    matter.write("0.txt", FROM, 0);
    matter.write("a/1.txt", FROM, 0);
    matter.write("a/b/2.txt", FROM, 0);
    matter.write(".hidden", FROM, 0);
    let modified = |more: Value| {
        let mut arguments = json!({"timeField": "modified", "sort": "path_asc"});
        arguments.as_object_mut().unwrap().append(more.clone().as_object_mut().unwrap());
        arguments
    };
    for (more, expected) in [
        (json!({}), vec![".hidden", "0.txt", "a/1.txt", "a/b/2.txt"]),
        (json!({"recursive": false}), vec![".hidden", "0.txt"]),
        (json!({"recursive": false, "maxDepth": 9}), vec![".hidden", "0.txt"]),
        (json!({"maxDepth": 0}), vec![".hidden", "0.txt"]),
        (json!({"maxDepth": 1}), vec![".hidden", "0.txt", "a/1.txt"]),
        (json!({"path": "a"}), vec!["a/1.txt", "a/b/2.txt"]),
        (json!({"path": "./a/../a/b/"}), vec!["a/b/2.txt"]),
        (json!({"includeFiles": false, "includeDirectories": true}), vec!["a", "a/b"]),
        (json!({"includeDirectories": true, "path": "a", "glob": "b"}), vec!["a/b"]),
        (json!({"path": "a/1.txt"}), vec!["a/1.txt"]),
        (json!({"path": "a/1.txt", "glob": "*.md"}), vec![]),
        (json!({"glob": "*/*.txt"}), vec!["a/1.txt"]),
        (json!({"glob": "1.*", "root": null, "cursor": null}), vec!["a/1.txt"]),
    ] {
        assert_eq!(matter.names(modified(more.clone())).await, expected, "{more}");
    }
    let folder = matter.call(modified(json!({"includeFiles": false, "includeDirectories": true}))).await;
    assert_eq!(folder["structuredContent"]["matches"][0]["sizeBytes"], Value::Null);
    assert_eq!(folder["content"][0]["text"], "Found 2 directories (sorted by path asc).");
}

#[tokio::test]
async fn refusals_are_the_contracts_and_say_how_to_ask() {
    let mut matter = Matter::new().await;
    matter.write("a.txt", FROM, 0);
    let refused =
        matter.refusal(json!({"timeField": "modified", "from": "2025-12-16T00:00:00Z", "to": "2025-12-01T00:00:00Z"}));
    assert_eq!(refused.await, "Invalid range: 'from' must be earlier than 'to'.");
    let equal = json!({"timeField": "modified", "from": "2025-12-01T00:00:00Z", "to": "2025-12-01T09:00:00+09:00"});
    assert_eq!(matter.refusal(equal).await, "Invalid range: 'from' must be earlier than 'to'.");
    for (arguments, part) in [
        (
            json!({"timeField": "modified", "from": "2025-12-01T00:00:00"}),
            "Invalid 'from': '2025-12-01T00:00:00' has no offset",
        ),
        (json!({"timeField": "modified", "to": "yesterday"}), "Invalid 'to': 'yesterday' is not a date-time"),
        (json!({"timeField": "modified", "includeFiles": false}), "Nothing to search for"),
        (json!({"timeField": "modified", "cursor": "abc"}), "Invalid cursor"),
        (json!({"timeField": "modified", "glob": "[a"}), "The glob pattern '[a' is invalid"),
        (json!({"timeField": "modified", "path": "none"}), "There is no '"),
        (json!({"timeField": "accessed"}), "it must be one of modified, created"),
        (json!({"timeField": "modified", "limit": 1001}), "limit is 1001; it must be between 1 and 1000."),
        (json!({"timeField": "modified", "depth": 1}), "has no parameter \"depth\""),
        (json!({}), "needs the parameter \"timeField\""),
    ] {
        let text = matter.refusal(arguments.clone()).await;
        assert!(text.contains(part), "{arguments}: {text}");
    }
    for i in 0..3 {
        matter.write(&format!("{i}"), FROM, 0);
    }
    let first = matter.call(json!({"timeField": "modified", "limit": 1})).await;
    let cursor = &first["structuredContent"]["nextCursor"];
    let foreign = json!({"timeField": "modified", "limit": 1, "sort": "time_asc", "cursor": cursor});
    assert!(matter.refusal(foreign).await.starts_with("Invalid cursor"));
}

/// The answer does not reveal whether a path outside a root exists.
#[tokio::test]
async fn nothing_leads_out_of_a_root() {
    let mut matter = Matter::new().await;
    fs::write(matter.dir.path().join("outside/secret.txt"), "x").unwrap();
    matter.write("a.txt", FROM, 0);
    let outside = casetrack_core::real_path(matter.dir.path().join("outside")).unwrap();
    let outside = outside.to_str().unwrap();
    for (there, missing) in [
        ("../outside/secret.txt".to_owned(), "../outside/missing.txt".to_owned()),
        (format!("{outside}/secret.txt"), format!("{outside}/missing.txt")),
        ("a/../../outside".to_owned(), "a/../../nothing".to_owned()),
    ] {
        let mut texts = Vec::new();
        for path in [&there, &missing] {
            let text = matter.refusal(json!({"timeField": "modified", "path": path})).await;
            texts.push(text.replace(path, "PATH"));
        }
        assert_eq!(texts[0], texts[1]);
        assert!(texts[0].contains("is not below the root"), "{}", texts[0]);
    }
    let root = |path: &str| json!({"timeField": "modified", "root": path});
    let (there, missing) = (matter.refusal(root(outside)).await, matter.refusal(root(&format!("{outside}x"))).await);
    assert_eq!(there.replace(outside, "ROOT"), missing.replace(&format!("{outside}x"), "ROOT"));
    let allowed = matter.root();
    assert_eq!(matter.names(root(allowed.to_str().unwrap())).await, ["a.txt"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_a_match_but_leads_nowhere() {
    use std::os::unix::fs::symlink;
    let mut matter = Matter::new().await;
    let outside = matter.dir.path().join("outside");
    fs::write(outside.join("secret.txt"), "x").unwrap();
    symlink(&outside, matter.root().join("link")).unwrap();
    symlink(outside.join("missing"), matter.root().join("dangling")).unwrap();
    assert_eq!(matter.names(json!({"timeField": "modified", "sort": "path_asc"})).await, ["dangling", "link"]);
    let mut texts = Vec::new();
    for path in ["link", "link/secret.txt", "link/missing", "dangling"] {
        texts.push(
            matter.refusal(json!({"timeField": "modified", "path": path})).await.replace(&format!("'{path}'"), "PATH"),
        );
    }
    assert!(texts[0].contains("leads through a link"), "{}", texts[0]);
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
}

#[tokio::test]
async fn a_key_is_not_listed() {
    let mut matter = Matter::new().await;
    matter.write("notes.txt", FROM, 0);
    matter.write("server.pem", FROM, 0);
    matter.write(".ssh/config", FROM, 0);
    assert_eq!(matter.names(json!({"timeField": "modified"})).await, ["notes.txt"]);
}

#[tokio::test]
async fn a_name_with_a_dot_is_listed_as_clients_take_it_and_called_under_both() {
    let dir = tempfile::tempdir().unwrap();
    for (client, tool_names, expected) in [
        ("test", ToolNames::Literal, "fs.search_by_time"),
        ("claude-ai", ToolNames::Literal, "fs_search_by_time"),
        ("test", ToolNames::Safe, "fs_search_by_time"),
    ] {
        let mut client = connect(client, Settings { tool_names, ..settings(dir.path()) }).await;
        let listed = client.request("tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"][0]["name"], expected);
        for name in ["fs.search_by_time", "fs_search_by_time"] {
            let answer = client.call(name, json!({"timeField": "modified"})).await;
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_session_about_files_hands_out_nothing_of_collections() {
    let mut matter = Matter::new().await;
    for (method, list) in [
        ("resources/list", "resources"),
        ("prompts/list", "prompts"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let answer = matter.client.request(method, json!({})).await;
        assert_eq!(answer["result"][list], json!([]), "{answer}");
    }
    let read = matter.client.request("resources/read", json!({"uri": "casetrack://collections"})).await;
    assert!(read["error"]["message"].as_str().unwrap().contains("offers no tools for collections"), "{read}");
    let search = matter.client.call("search_documents", json!({"query": "a"})).await;
    assert!(error_text(&search).contains("--toolsets core"), "{search}");
    // And a usual session has no tools for files.
    let mut usual = Client::initialized(None).await;
    let answer = usual.call(TOOL, json!({"timeField": "modified"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("--toolsets time"), "{answer}");
}

#[tokio::test]
async fn find_files_by_time_takes_phrases_and_names() {
    let mut matter = Matter::new().await;
    matter.write("Lease Brandt.pdf", FROM, 0);
    matter.write("Lease Brandt.txt", FROM, 0);
    fs::write(matter.root().join("new lease.pdf"), "x").unwrap();
    let root = matter.root();
    let mut find = async |arguments: Value| {
        let answer = matter.client.call("find_files_by_time", arguments).await["result"].clone();
        let files = answer["structuredContent"]["files"].as_array().cloned().unwrap_or_default();
        let below =
            |file: Value| Path::new(file["path"].as_str().unwrap()).strip_prefix(&root).unwrap().display().to_string();
        (files.into_iter().map(below).collect::<Vec<_>>(), answer)
    };
    assert_eq!(find(json!({"when": "last 2 hours"})).await.0, ["new lease.pdf"]);
    assert_eq!(find(json!({"when": "December 2025", "name": "LEASE", "glob": "*.pdf"})).await.0, ["Lease Brandt.pdf"]);
    assert_eq!(find(json!({"time_field": "first_seen", "when": "today", "sort": "path_asc"})).await.0.len(), 3);
    let first = find(json!({"when": "since 2025", "limit": 2})).await.1;
    let cursor = &first["structuredContent"]["next_cursor"];
    assert_eq!(find(json!({"when": "since 2025", "limit": 2, "cursor": cursor})).await.0, ["Lease Brandt.txt"]);
    let refused = find(json!({"when": "soon"})).await.1;
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("last week"), "{refused}");
    assert!(find(json!({"when": "today", "from": "2025-12-01T00:00:00Z"})).await.1["isError"].as_bool().unwrap());
}

/// From 2026-07-28 on there is no handshake: each request names its client.
#[tokio::test]
async fn a_client_without_a_handshake_is_known_by_its_requests() {
    let dir = tempfile::tempdir().unwrap();
    for (name, expected) in [("claude-code", "fs_search_by_time"), ("test", "fs.search_by_time")] {
        let mut client = Client::connect_with(settings(dir.path()), None);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let listed = client.request("tools/list", json!({"_meta": meta})).await;
        assert_eq!(listed["result"]["tools"][0]["name"], expected, "{listed}");
    }
}
