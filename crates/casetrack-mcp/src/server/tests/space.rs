//! The contract of the space browser: its workflows, answers, errors and addresses, over the protocol.

use std::path::PathBuf;

use super::*;
use casetrack_core::settings::{CallLimits, Toolset};

struct Browser {
    client: Client,
    root: PathBuf,
    _dir: tempfile::TempDir,
}

impl Browser {
    async fn connect() -> Self {
        Self::connect_with(Settings::default()).await
    }

    async fn connect_with(settings: Settings) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = casetrack_core::real_path(dir.path()).unwrap();
        let settings = Settings { toolsets: Some(vec![Toolset::Space]), ..settings };
        let mut client = Client::connect_with(settings, None);
        client.initialize("2025-11-25").await;
        Self { client, root, _dir: dir }
    }

    /// Returns its path.
    fn write(&self, name: &str, bytes: usize) -> String {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, vec![b'x'; bytes]).unwrap();
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        let path: PathBuf = self.root.join(name).components().collect();
        path.to_str().unwrap().to_owned()
    }

    /// The structured content of an answer, which is also its text.
    async fn answered(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.client.call(tool, arguments).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool}: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        if tool != "disk_usage" {
            assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        }
        result["structuredContent"].clone()
    }

    /// Field and reason of an error.
    async fn refused(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let answer = self.client.call(tool, arguments.clone()).await;
        let error = &answer["error"];
        assert_eq!(error["code"], -32602, "{tool}: {answer}");
        let text = |name: &str| error["data"][name].as_str().unwrap_or_default().to_owned();
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("Invalid params: ") && message.ends_with(&text("reason")), "{answer}");
        (text("field"), text("reason"))
    }

    /// A resource, as JSON.
    async fn read(&mut self, uri: &str) -> Value {
        let answer = self.client.request("resources/read", json!({"uri": uri})).await;
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents["mimeType"], "application/json", "{uri}: {answer}");
        serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
    }
}

#[tokio::test]
async fn the_first_workflow_indexes_a_folder_into_a_graph_of_sets_and_asks_about_it() {
    let mut browser = Browser::connect().await;
    browser.write("Photos/a.jpg", 100);
    browser.write("Photos/deep/b.JPG", 50);
    browser.write("Photos/notes.txt", 7);
    browser.answered("resource-set-create", json!({"name": "photos"})).await;
    browser.answered("resource-set-create", json!({"name": "all-media"})).await;
    browser.answered("resource-set-add-child", json!({"parent": "all-media", "child": "photos"})).await;
    let plan = json!({
        "name": "index-photos",
        "sources": [{
            "name": "scan-photos",
            "type": "filesystem.index",
            "target_set": "photos",
            "config": {"path": browser.path("Photos"), "recursive": true},
        }],
    });
    browser.answered("plan-create", plan).await;
    let started = browser.answered("plan-execute", json!({"name": "index-photos"})).await;
    assert_eq!((&started["plan_name"], &started["status"]), (&json!("index-photos"), &json!("running")));
    assert!(started["execution_id"].is_i64() && started["started_at"].is_i64());
    // Right after the start, the answers include the results of the plan.
    let sum = browser.answered("resource-sum", json!({"name": "all-media", "metric": "size"})).await;
    let expected = json!({"resource_set": "all-media", "metric": "size", "value": 157,
        "breakdown": [{"name": "photos", "value": 157}]});
    assert_eq!(sum, expected);
    let matching = json!({"name": "photos", "field": "path", "pattern": ".jpg", "mode": "suffix"});
    let found = browser.answered("resource-fuzzy-match", matching).await;
    assert_eq!((&found["resource_set"], &found["total_count"]), (&json!("photos"), &json!(2)));
    let plan = browser.answered("plan-get", json!({"name": "index-photos"})).await;
    let execution = &plan["executions"][0];
    assert_eq!((&execution["status"], &execution["entries_processed"]), (&json!("completed"), &json!(4)), "{plan}");
    let children = browser.answered("resource-children", json!({"name": "all-media", "depth": 1})).await;
    let photos = json!({"name": "photos", "entry_count": 4, "child_count": 0});
    assert_eq!(children, json!({"resource_set": "all-media", "children": [photos]}));
    let deep = browser.answered("resource-children", json!({"name": "all-media", "depth": null})).await;
    assert_eq!(deep["children"][0]["depth"], 1);
    let parents = browser.answered("resource-parent", json!({"name": "photos"})).await;
    assert_eq!(parents, json!({"resource_set": "photos", "parents": [{"name": "all-media"}]}));
    let info = browser.answered("session-info", json!({})).await;
    assert_eq!((&info["resource_set_count"], &info["plan_count"]), (&json!(2), &json!(1)));
    assert!(info["database_path"].as_str().unwrap().ends_with("space.sqlite") && info["entry_count"] == 4, "{info}");
}

#[tokio::test]
async fn indexing_is_a_job_with_a_number_that_is_skipped_where_it_was_done_lately() {
    let mut browser = Browser::connect().await;
    browser.write("a", 3);
    browser.write("sub/b", 4);
    let root = browser.path("");
    let root = root.trim_end_matches(std::path::is_separator).to_owned();
    let job = browser.answered("index", json!({"root": root})).await;
    let id = job["jobId"].as_i64().unwrap();
    assert_eq!((&job["root"], &job["status"]), (&json!(root), &json!("pending")));
    assert_eq!(job["statusUrl"], format!("synthesis://jobs/{id}"));
    let progress = loop {
        // A string and a number both name it.
        let progress = browser.answered("job-progress", json!({"jobId": id.to_string()})).await;
        assert_eq!(browser.answered("job-progress", json!({"jobId": id})).await["jobId"], id);
        if progress["status"] == "completed" {
            break progress;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    assert_eq!(
        (&progress["files"], &progress["directories"], &progress["totalSize"]),
        (&json!(2), &json!(1), &json!(7))
    );
    let skipped = browser.answered("index", json!({"root": root, "async": false, "maxAge": "3600"})).await;
    assert_eq!(
        (&skipped["skipped"], &skipped["files"], &skipped["status"]),
        (&json!(true), &json!(0), &json!("completed"))
    );
    let reason = skipped["skipReason"].as_str().unwrap();
    assert!(
        reason.starts_with("Path was scanned ")
            && reason.ends_with(" seconds ago (max age: 3600 seconds). Use force=true to re-index."),
        "{reason}"
    );
    let inside = browser.answered("index", json!({"root": browser.path("sub")})).await;
    assert_eq!((&inside["skipped"], inside.get("jobId")), (&json!(true), None));
    let forced = browser.answered("index", json!({"root": root, "async": false, "force": true})).await;
    assert_eq!((&forced["skipped"], &forced["files"]), (&json!(false), &json!(2)));
    let stale = browser.answered("index", json!({"root": root, "async": false, "maxAge": 0})).await;
    assert_eq!(stale["skipped"], false);
    let jobs = browser.answered("list-jobs", json!({"status": "completed", "minProgress": 100})).await;
    assert_eq!(jobs["count"], 3);
    assert_eq!(browser.answered("list-jobs", json!({"activeOnly": true})).await["count"], 0);
    for (tool, arguments, field, reason) in [
        ("job-progress", json!({"jobId": "999"}), "jobId", "job not found"),
        ("job-progress", json!({"jobId": "x"}), "jobId", "jobId must be the number of a job"),
        ("cancel-job", json!({"jobId": id}), "jobId", "job is already completed"),
        (
            "list-jobs",
            json!({"status": "done"}),
            "status",
            "status must be one of pending, running, completed, failed, cancelled",
        ),
        (
            "classifier-job-progress",
            json!({"jobId": id}),
            "jobId",
            "this job is not one of the classifier; ask job-progress",
        ),
    ] {
        assert_eq!(browser.refused(tool, arguments).await, (field.to_owned(), reason.to_owned()));
    }
}

#[tokio::test]
async fn every_error_names_the_parameter_and_the_reason() {
    let mut browser = Browser::connect().await;
    browser.answered("resource-set-create", json!({"name": "a"})).await;
    browser.answered("resource-set-create", json!({"name": "b"})).await;
    browser.answered("resource-set-add-child", json!({"parent": "a", "child": "b"})).await;
    let source = |config: Value| json!({"name": "s", "type": "filesystem.index", "target_set": "t", "config": config});
    let plan = |more: Value| {
        let mut plan = json!({"name": "p", "sources": [source(json!({"path": "/tmp"}))]});
        plan.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        plan
    };
    for (tool, arguments, field) in [
        ("resource-set-get", json!({}), "name"),
        ("resource-set-get", json!({"name": 5, "limits": 3}), "limits"),
        ("resource-search", json!({"name": "a", "limit": 0}), "limit"),
        ("resource-search", json!({"name": "a", "min_size": "big"}), "min_size"),
        ("resource-search", json!({"name": "a", "sort_by": "colour"}), "sort_by"),
        ("resource-children", json!({"name": "a", "depth": 0}), "depth"),
        ("resource-sum", json!({"name": "a", "metric": "weight"}), "metric"),
        ("resource-set-modify", json!({"name": "a", "operation": "move", "paths": []}), "operation"),
        ("resource-set-modify", json!({"name": "a", "operation": "add", "paths": ["/etc/shadow"]}), "paths"),
        ("resource-set-create", json!({"name": " "}), "name"),
        ("index", json!({"root": "relative"}), "root"),
        ("index", json!({"root": "/none/at/all"}), "root"),
        ("index", json!({"root": "/tmp", "maxAge": "soon"}), "maxAge"),
        ("source-create", source(json!({"path": "relative"})), "config.path"),
        ("source-create", source(json!({"path": "/tmp", "depth": 1})), "config"),
        ("source-create", source(json!({})), "config"),
        ("plan-create", plan(json!({"mode": "daily"})), "mode"),
        ("plan-create", plan(json!({"sources": []})), "sources"),
        ("plan-create", plan(json!({"conditions": {"type": "size", "minSize": -1}})), "conditions"),
        ("plan-create", plan(json!({"outcomes": [{"type": "print"}]})), "outcomes[0]"),
        (
            "plan-create",
            plan(json!({"sources": [{"name": "s", "type": "ftp", "target_set": "t", "config": {}}]})),
            "sources[0].type",
        ),
        ("rerun-classifier", json!({"sourcePath": "/none"}), "sourcePath"),
        ("rerun-classifier", json!({"sourcePath": "/tmp", "operations": ["paint"]}), "operations"),
        ("disk_usage", json!({"path": "/none"}), "path"),
        ("find_duplicates", json!({"path": "relative"}), "path"),
    ] {
        let (found, reason) = browser.refused(tool, arguments.clone()).await;
        assert_eq!(found, field, "{tool} {arguments}: {reason}");
        assert!(!reason.is_empty());
    }
    for (tool, arguments, field, reason) in [
        ("resource-set-get", json!({"name": "none"}), "name", "resource-set not found"),
        ("plan-get", json!({"name": "none"}), "name", "plan not found"),
        ("source-get", json!({"name": "none"}), "name", "source not found"),
        ("resource-set-create", json!({"name": "a"}), "name", "resource-set already exists: a"),
        (
            "resource-set-add-child",
            json!({"parent": "b", "child": "a"}),
            "child",
            "this edge closes a cycle: b -> a -> b",
        ),
        ("resource-set-add-child", json!({"parent": "a", "child": "a"}), "child", "this edge closes a cycle: a -> a"),
        (
            "plan-create",
            plan(json!({"outcomes": [{"type": "print"}]})),
            "outcomes[0]",
            "type must be one of selection_set, ingest, classify",
        ),
        ("plan-create", plan(json!({"outcomes": [{"type": "ingest"}]})), "outcomes[0]", "missing field `collection`"),
    ] {
        assert_eq!(browser.refused(tool, arguments).await, (field.to_owned(), reason.to_owned()));
    }
}

#[tokio::test]
async fn sources_conditions_and_outcomes_fill_sets() {
    let mut browser = Browser::connect().await;
    browser.write("in/a.png", 10);
    browser.write("in/b.txt", 20);
    browser.write("in/c.txt", 2_000);
    let index = json!({"name": "s", "type": "filesystem.index", "target_set": "all",
        "config": {"path": browser.path("in")}});
    let made = browser.answered("source-create", index).await;
    assert_eq!(
        (&made["status"], &made["update_mode"], &made["type"]),
        (&json!("stopped"), &json!("append"), &json!("filesystem.index"))
    );
    let run = browser.answered("source-execute", json!({"name": "s"})).await;
    assert_eq!((&run["entries_found"], &run["added"], &run["status"]), (&json!(3), &json!(3), &json!("completed")));
    assert!(browser.refused("source-start", json!({"name": "s"})).await.1.contains("use source-execute"));
    assert_eq!(browser.refused("source-stop", json!({"name": "s"})).await.1, "source is not running");
    // A saved query is a source, and so is a set.
    let saved = json!({"name": "all", "extension": "txt", "save_as": "texts"});
    assert_eq!(browser.answered("resource-search", saved).await["total_count"], 2);
    for (name, kind, target, config) in [
        ("q", "query", "texts", json!({"query_name": "texts"})),
        ("c", "resource-set", "copy", json!({"source_set_name": "all"})),
    ] {
        let source =
            json!({"name": name, "type": kind, "target_set": target, "config": config, "update_mode": "replace"});
        browser.answered("source-create", source).await;
        browser.answered("source-execute", json!({"name": name})).await;
    }
    for (set, count) in [("texts", 2), ("copy", 3)] {
        assert_eq!(browser.answered("resource-set-get", json!({"name": set})).await["entry_count"], count);
    }
    let plan = json!({
        "name": "large-texts", "description": "Texts of a kilobyte and more",
        "sources": [{"name": "again", "type": "filesystem.index", "target_set": "again", "config": {"path": browser.path("in")}}],
        "conditions": {"type": "all", "conditions": [
            {"type": "media_type", "mediaType": "text/*"}, {"type": "size", "minSize": 1_000}]},
        "outcomes": [{"type": "selection_set", "selectionSetName": "large", "operation": "add"},
            {"type": "classify", "operations": ["sha256"]}],
    });
    browser.answered("plan-create", plan).await;
    browser.answered("plan-execute", json!({"name": "large-texts"})).await;
    let large = browser.answered("resource-set-get", json!({"name": "large", "include_entries": true})).await;
    assert_eq!((&large["entry_count"], &large["entries"][0]["name"]), (&json!(1), &json!("c.txt")));
    assert_eq!(browser.answered("resource-set-get", json!({"name": "again"})).await["entry_count"], 3);
    assert_eq!(browser.read("synthesis://metadata").await["metadata"][0]["mediaType"], "text/plain");
    let cleared = json!({"name": "large-texts", "description": null, "conditions": null, "outcomes": null});
    let cleared = browser.answered("plan-update", cleared).await;
    for field in ["description", "conditions", "outcomes"] {
        assert_eq!(cleared[field], Value::Null, "{cleared}");
    }
    let changed = browser.answered("plan-update", json!({"name": "large-texts", "status": "paused"})).await;
    assert_eq!((&changed["status"], &changed["mode"]), (&json!("paused"), &json!("oneshot")));
    assert_eq!(
        browser.refused("plan-execute", json!({"name": "large-texts"})).await.1,
        "plan is paused: set its status to active with plan-update"
    );
    assert_eq!(browser.answered("plan-list", json!({})).await["plans"].as_array().unwrap().len(), 1);
    assert_eq!(browser.answered("source-list", json!({})).await["sources"].as_array().unwrap().len(), 3);
    for (tool, name) in [("source-delete", "q"), ("plan-delete", "large-texts"), ("resource-set-delete", "copy")] {
        assert_eq!(browser.answered(tool, json!({"name": name})).await, json!({"name": name, "deleted": true}));
    }
}

#[tokio::test]
async fn each_address_of_the_contract_is_listed_and_read() {
    let mut browser = Browser::connect().await;
    let listed = browser.client.request("resources/list", json!({})).await;
    let uris: Vec<String> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(uris.len(), 11);
    let templates = browser.client.request("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 13);
    let file = browser.write("deep/a b.txt", 5);
    browser.answered("resource-set-create", json!({"name": "my set"})).await;
    let add = json!({"name": "my set", "operation": "add", "paths": [file, browser.path("none")]});
    let changed = browser.answered("resource-set-modify", add).await;
    assert_eq!((&changed["added"], changed["not_found"].as_array().unwrap().len()), (&json!(1), 1));
    let job = browser.answered("index", json!({"root": browser.path("deep"), "async": false})).await;
    let source = json!({"name": "s", "type": "filesystem.index", "target_set": "my set", "config": {"path": browser.path("deep")}});
    browser.answered("plan-create", json!({"name": "p", "sources": [source]})).await;
    browser.answered("plan-execute", json!({"name": "p"})).await;
    for uri in &uris {
        browser.read(uri).await;
    }
    let node = format!("synthesis://nodes/{}", file.replace('/', "%2F").replace('\\', "%5C").replace(' ', "%20"));
    let entry = browser.read(&node).await;
    assert_eq!((&entry["path"], &entry["kind"], &entry["size"]), (&json!(file), &json!("file"), &json!(5)));
    assert_eq!(browser.read(&format!("synthesis://nodes/{file}")).await, entry);
    let metadata = browser.read(&format!("{node}/metadata")).await;
    assert_eq!((&metadata["mediaType"], metadata["hash"].as_str().unwrap().len()), (&json!("text/plain"), 64));
    let hash = metadata["hash"].as_str().unwrap().to_owned();
    assert_eq!(browser.read(&format!("synthesis://metadata/{hash}")).await["hash"], hash);
    for (uri, at, expected) in [
        ("selection-sets/my%20set".to_owned(), "/entry_count", json!(1)),
        ("selection-sets/my%20set/entries".to_owned(), "/entries/0/name", json!("a b.txt")),
        ("selection-sets/my%20set/children".to_owned(), "/children", json!([])),
        ("selection-sets/my%20set/parents".to_owned(), "/parents", json!([])),
        ("selection-sets/my%20set/stats".to_owned(), "/total_size", json!(5)),
        ("selection-sets/my%20set/metrics/files".to_owned(), "/value", json!(1)),
        (format!("jobs/{}", job["jobId"]), "/status", json!("completed")),
        ("plans/p".to_owned(), "/name", json!("p")),
        ("plans/p/executions".to_owned(), "/executions/0/status", json!("completed")),
    ] {
        let read = browser.read(&format!("synthesis://{uri}")).await;
        assert_eq!(read.pointer(at), Some(&expected), "{uri}: {read}");
    }
    let complete = json!({"ref": {"type": "ref/resource", "uri": "synthesis://selection-sets/{name}/stats"},
        "argument": {"name": "name", "value": "my"}});
    let completed = browser.client.request("completion/complete", complete).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["my set"]));
    let missing = browser.client.request("resources/read", json!({"uri": "synthesis://selection-sets/none"})).await;
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    let collections = browser.client.request("resources/read", json!({"uri": "casetrack://collections"})).await;
    assert_eq!(collections["error"]["code"], -32602);
}

#[tokio::test]
async fn a_subscription_hears_of_changes_of_a_set() {
    let mut browser = Browser::connect().await;
    browser.answered("resource-set-create", json!({"name": "a"})).await;
    let uri = "synthesis://selection-sets/a/stats";
    let subscribed = browser.client.request("resources/subscribe", json!({"uri": uri})).await;
    assert!(subscribed["error"].is_null(), "{subscribed}");
    let file = browser.write("f", 1);
    browser.answered("resource-set-modify", json!({"name": "a", "operation": "add", "paths": [file]})).await;
    let heard = browser.client.receive().await;
    assert_eq!((&heard["method"], &heard["params"]["uri"]), (&json!("notifications/resources/updated"), &json!(uri)));
    let unknown = browser.client.request("resources/subscribe", json!({"uri": "synthesis://plans/none"})).await;
    assert_eq!(unknown["error"]["code"], -32002);
}

#[tokio::test]
async fn pages_have_totals_and_patterns_take_each_character_literally() {
    let mut browser = Browser::connect().await;
    let names = ["50%_off.txt", "50x_off.txt", "a[1].txt", "a1.txt", "back\\slash.txt", "q?.txt"];
    let paths: Vec<String> = names.iter().map(|name| browser.write(name, 3)).collect();
    browser.answered("resource-set-create", json!({"name": "s"})).await;
    browser.answered("resource-set-modify", json!({"name": "s", "operation": "add", "paths": paths})).await;
    let page = browser
        .answered("resource-search", json!({"name": "s", "limit": 4, "sort_by": "name", "sort_desc": false}))
        .await;
    for (field, expected) in [
        ("total_count", json!(6)),
        ("returned_count", json!(4)),
        ("offset", json!(0)),
        ("limit", json!(4)),
        ("has_more", json!(true)),
    ] {
        assert_eq!(page[field], expected, "{field}");
    }
    let rest = browser
        .answered(
            "resource-search",
            json!({"name": "s", "limit": 4, "offset": 4, "sort_by": "name", "sort_desc": false}),
        )
        .await;
    assert_eq!((&rest["returned_count"], &rest["has_more"]), (&json!(2), &json!(false)));
    for (mode, pattern, count) in [
        ("contains", "50%_", 1),
        ("contains", "a[1]", 1),
        ("contains", "\\", 1),
        ("prefix", "q?", 1),
        ("suffix", "].txt", 1),
        ("regex", r"^50._off\.", 2),
        ("glob", "a[1].txt", 1),
        ("glob", "*.txt", 6),
        ("glob", "50?_off.txt", 2),
    ] {
        let asked = json!({"name": "s", "field": "name", "pattern": pattern, "mode": mode});
        let found = browser.answered("resource-fuzzy-match", asked).await;
        assert_eq!(found["total_count"], count, "{mode} {pattern}: {found}");
    }
    let usage = browser.answered("disk_usage", json!({"path": browser.path(""), "top": 2})).await;
    assert_eq!((&usage["tree"]["size"], &usage["tree"]["others"]), (&json!(18), &json!(4)));
    let twins = browser.answered("find_duplicates", json!({"path": browser.path("")})).await;
    assert_eq!((&twins["group_count"], &twins["reclaimable_bytes"]), (&json!(1), &json!(15)));
}

#[tokio::test]
async fn a_list_of_more_than_a_thousand_has_the_address_of_the_next_page() {
    let limits = CallLimits { calls_per_minute: 10_000, ..CallLimits::default() };
    let mut browser = Browser::connect_with(Settings { limits, ..Settings::default() }).await;
    let file = browser.write("a", 1);
    for _ in 0..1_001 {
        browser.answered("index", json!({"root": file, "async": false, "force": true})).await;
    }
    for list in ["jobs", "jobs/completed"] {
        let page = browser.read(&format!("synthesis://{list}")).await;
        assert_eq!((&page["count"], &page["jobs"][0]["jobId"]), (&json!(1_000), &json!(1_001)));
        assert_eq!(page["next"], format!("synthesis://{list}?offset=1000"));
        let rest = browser.read(page["next"].as_str().unwrap()).await;
        assert_eq!((&rest["count"], &rest["jobs"][0]["jobId"], rest.get("next")), (&json!(1), &json!(1), None));
    }
    assert_eq!(browser.read("synthesis://selection-sets?offset=1000").await["resource_sets"], json!([]));
}

#[tokio::test]
async fn a_session_with_folders_sees_no_plan_and_source_outside_them() {
    let inside = tempfile::tempdir().unwrap();
    let roots = vec![casetrack_core::real_path(inside.path()).unwrap()];
    let mut browser = Browser::connect_with(Settings { roots: roots.clone(), ..Settings::default() }).await;
    let source = |path: &std::path::Path| json!({"name": "s", "type": "filesystem.index", "target_set": "t", "config": {"path": path}});
    browser.answered("source-create", source(&roots[0])).await;
    let refused = browser.refused("source-create", source(&browser.root.clone())).await;
    assert_eq!(refused.0, "config.path");
    assert_eq!(browser.answered("source-list", json!({})).await["sources"].as_array().unwrap().len(), 1);
}
