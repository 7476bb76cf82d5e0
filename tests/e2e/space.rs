//! Resource sets, from the command line and for an assistant.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, run, run_json};
use crate::owner::{kill, owner_pid};

fn write(path: &Path, bytes: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![b'x'; bytes]).unwrap();
}

#[test]
fn sets_are_kept_on_the_command_line_and_taken_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("files"));
    write(&files.join("a.bin"), 3_000);
    write(&files.join("deep/b.bin"), 1_000);
    let (a, b) = (files.join("a.bin"), files.join("deep/b.bin"));
    run(&home, &["space", "create", "top", "--description", "All"]);
    run(&home, &["space", "create", "below"]);
    run(&home, &["space", "link", "top", "below"]);
    let added = run_json(&home, &["space", "add", "below", a.to_str().unwrap(), b.to_str().unwrap(), "/none/at/all"]);
    assert_eq!((&added["added"], &added["not_found"][0]["path"]), (&json!(2), &json!("/none/at/all")), "{added}");
    assert_eq!(run_json(&home, &["space", "sum", "top"])["value"], 4_000);
    assert!(run(&home, &["space", "sum", "top"]).contains("below"));
    let shown = run_json(&home, &["space", "show", "top", "--children", "--name-contains", "B.", "--limit", "1"]);
    assert_eq!(shown["entries"][0]["path"], json!(b.to_str().unwrap()));
    let usage = run(&home, &["space", "usage", files.to_str().unwrap()]);
    assert!(usage.contains("75.0 %  ███████████████") && usage.contains("deep/"), "{usage}");
    assert!(run(&home, &["space", "sets"]).contains("below  2 entries"));

    let (file, elsewhere) = (dir.path().join("catalog.json"), dir.path().join("elsewhere"));
    run(&home, &["export", "--catalog", file.to_str().unwrap()]);
    let taken = run_json(&elsewhere, &["import", "--catalog", file.to_str().unwrap()]);
    assert_eq!(taken["sets"], 2, "{taken}");
    assert_eq!(run_json(&elsewhere, &["space", "sum", "top"])["value"], 0);
    run(&elsewhere, &["files", "index", files.to_str().unwrap()]);
    assert_eq!(run_json(&elsewhere, &["space", "sum", "top"])["value"], 4_000);

    run(&home, &["space", "remove", "below", a.to_str().unwrap()]);
    run(&home, &["space", "link", "top", "below", "--remove"]);
    run(&home, &["space", "delete", "top"]);
    assert_eq!(run_json(&home, &["space", "sets"])["resource_sets"].as_array().unwrap().len(), 1);
    assert!(run(&home, &["space", "plans"]).contains("There are no plans"));

    let folder = files.to_str().unwrap();
    assert!(run(&home, &["space", "index", folder]).contains("2 files, 1 folder"));
    assert!(run(&home, &["space", "jobs"]).contains("completed, 100 %"));
    assert!(run(&home, &["space", "sources"]).contains("There are no sources"));
    run(&home, &["space", "plan", "watch", folder, "--set", "followed", "--follow"]);
    assert!(run(&home, &["space", "plans"]).contains("watch  continuous, active"));
    run(&home, &["space", "run", "watch"]);
    assert_eq!(run_json(&home, &["space", "sum", "followed"])["value"], 4_000);
}

/// Asks until an answer is as expected.
fn until(expected: &Value, mut ask: impl FnMut() -> Value) {
    let started = Instant::now();
    loop {
        let found = ask();
        if found == *expected {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{found} instead of {expected}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_continuous_plan_follows_its_folder_and_goes_on_after_the_owner_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("files"));
    write(&files.join("a"), 5);
    let mut client = Client::start(&home, &["--toolsets", "space"]);
    let source = json!({"name": "w", "type": "filesystem.watch", "target_set": "live",
        "config": {"path": files.to_str().unwrap(), "debounce_ms": 50}});
    let plan = json!({"name": "p", "mode": "continuous", "sources": [source],
        "conditions": {"type": "size", "minSize": 3},
        "outcomes": [{"type": "selection_set", "selectionSetName": "large", "operation": "add"}]});
    client.call("plan-create", plan);
    client.call("plan-execute", json!({"name": "p"}));
    let sum = |client: &mut Client, set: &str| {
        client.call("resource-sum", json!({"name": set, "metric": "size"})).1["value"].clone()
    };
    assert_eq!(sum(&mut client, "live"), 5);
    write(&files.join("b"), 1);
    write(&files.join("deep/c"), 10);
    until(&json!(16), || sum(&mut client, "live"));
    // The outcome of the plan for a file follows.
    until(&json!(15), || sum(&mut client, "large"));
    fs::rename(files.join("deep/c"), files.join("c")).unwrap();
    fs::remove_file(files.join("a")).unwrap();
    until(&json!(11), || sum(&mut client, "live"));
    drop(client);

    kill(owner_pid(&home));
    write(&files.join("d"), 100);
    let mut client = Client::start(&home, &["--toolsets", "space"]);
    until(&json!(111), || sum(&mut client, "live"));
    let plan = client.call("plan-get", json!({"name": "p"})).1;
    let statuses: Vec<&Value> =
        plan["executions"].as_array().unwrap().iter().map(|execution| &execution["status"]).collect();
    assert_eq!(statuses, [&json!("running"), &json!("stopped")], "{plan}");
}

#[test]
fn a_plan_and_a_source_outlive_a_start_without_their_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("files"));
    write(&files.join("a"), 5);
    let mut client = Client::start(&home, &["--toolsets", "space"]);
    let config = json!({"path": files.to_str().unwrap(), "debounce_ms": 50});
    let source = json!({"name": "w", "type": "filesystem.watch", "target_set": "live", "config": config});
    client.call("plan-create", json!({"name": "p", "mode": "continuous", "sources": [source]}));
    client.call("plan-execute", json!({"name": "p"}));
    let source = json!({"name": "s", "type": "filesystem.watch", "target_set": "watched", "config": config});
    client.call("source-create", source);
    client.call("source-start", json!({"name": "s"}));
    let sum = |client: &mut Client, set: &str| {
        client.call("resource-sum", json!({"name": set, "metric": "size"})).1["value"].clone()
    };
    until(&json!(5), || sum(&mut client, "live"));
    until(&json!(5), || sum(&mut client, "watched"));
    drop(client);

    kill(owner_pid(&home));
    let away = files.with_file_name("away");
    fs::rename(&files, &away).unwrap();
    let mut client = Client::start(&home, &["--toolsets", "space"]);
    let run = |client: &mut Client| client.call("plan-get", json!({"name": "p"})).1["executions"][0].clone();
    until(&json!(true), || json!(run(&mut client)["error"].as_str().is_some_and(|why| why.contains("does not exist"))));
    assert_eq!(run(&mut client)["status"], "running");
    let source = |client: &mut Client| client.call("source-get", json!({"name": "s"})).1;
    until(&json!(true), || json!(source(&mut client)["last_error"].is_string()));
    assert_eq!(source(&mut client)["status"], "running");

    fs::rename(&away, &files).unwrap();
    write(&files.join("b"), 7);
    until(&json!(12), || sum(&mut client, "live"));
    until(&json!(12), || sum(&mut client, "watched"));
    until(&Value::Null, || run(&mut client)["error"].clone());
}

#[test]
fn a_set_limits_a_search_and_a_plan_feeds_a_collection() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), casetrack_core::real_path(dir.path()).unwrap().join("files"));
    fs::create_dir_all(&files).unwrap();
    for (name, who) in [("one.md", "Brandt"), ("two.md", "Keller"), ("three.md", "Okafor")] {
        fs::write(files.join(name), format!("The lease of {who} ends in May.\n")).unwrap();
    }
    run(&home, &["new", "Matter"]);
    let mut client = Client::start(&home, &["--toolsets", "core,space"]);
    client.call("switch_collection", json!({"collection_name": "Matter"}));
    let source = json!({"name": "s", "type": "filesystem.index", "target_set": "all", "config": {"path": files.to_str().unwrap()}});
    let plan = json!({"name": "feed", "sources": [source], "outcomes": [{"type": "ingest", "collection": "Matter"}]});
    client.call("plan-create", plan);
    client.call("plan-execute", json!({"name": "feed"}));
    until(&json!(3), || {
        let listed = client.call("list_documents", json!({})).1;
        json!(listed["documents"].as_array().map(Vec::len))
    });
    client.call("resource-set-create", json!({"name": "key files"}));
    let one = files.join("one.md");
    let add = json!({"name": "key files", "operation": "add", "paths": [one.to_str().unwrap()]});
    client.call("resource-set-modify", add);
    let mut found = |query: &str| {
        let answer = client.call("search_documents", json!({"query": query})).1;
        let results = answer["results"].as_array().unwrap().iter();
        let mut names: Vec<String> = results
            .map(|result| result["provenance"]["document_name"].as_str().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(found("lease set:\"key files\""), ["one.md"]);
    assert_eq!(found("lease set:all"), ["one.md", "three.md", "two.md"]);
    assert_eq!(found("lease set:all -set:\"key files\""), ["three.md", "two.md"]);
    let refused =
        client.request("tools/call", json!({"name": "search_documents", "arguments": {"query": "lease set:none"}}));
    assert!(refused.unwrap()["content"][0]["text"].as_str().unwrap().contains("There is no resource set \"none\""));
}
