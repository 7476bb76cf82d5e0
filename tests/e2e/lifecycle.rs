//! Collections are renamed, closed, archived and reopened.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json};

/// The error of a command that fails, as JSON.
fn refused(home: &Path, args: &[&str]) -> Value {
    let said = run_expecting(1, home, &[args, &["--json"]].concat());
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{args:?}: {error}: {said}"))
}

fn names(listed: &Value) -> Vec<String> {
    let all = listed.as_array().or_else(|| listed["collections"].as_array()).unwrap();
    all.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_collection_is_renamed_closed_archived_and_reopened() {
    let dir = tempfile::tempdir().unwrap();
    let (home, note) = (dir.path().join("home"), dir.path().join("note.txt"));
    std::fs::write(&note, "The rent is due on the third of each month.").unwrap();
    let note = note.display().to_string();
    run(&home, &["new", "Acme", "--id", "A-17"]);
    run(&home, &["new", "Globex"]);
    run(&home, &["ingest", &note, "-c", "Acme"]);
    let id = run_json(&home, &["collections"])[0]["id"].clone();
    let mut client = Client::start(&home, &["--collection", "Acme"]);

    // Renamed: the session continues with it.
    let said = refused(&home, &["rename", "Acme", "globex"]);
    assert_eq!(said["error"]["code"], "already_exists", "{said}");
    assert!(run(&home, &["rename", "Acme", "Acme Corp"]).contains("Renamed \"Acme\" to \"Acme Corp\"."));
    let listed = run_json(&home, &["collections"]);
    assert_eq!((names(&listed), &listed[0]["id"]), (vec!["Acme Corp".to_owned(), "Globex".to_owned()], &id));
    let found = |client: &mut Client| client.call("search_documents", json!({"query": "rent"})).1["results"].clone();
    assert_eq!(found(&mut client).as_array().unwrap().len(), 1);

    // Closed: searched, not changed, also by its reference.
    run(&home, &["close", "A-17"]);
    assert_eq!(found(&mut client).as_array().unwrap().len(), 1);
    run(&home, &["export", "-c", "Acme Corp", &dir.path().join("acme.ctcollection").display().to_string()]);
    let folder = dir.path().display().to_string();
    for change in [
        &["ingest", &note, "-c", "Acme Corp"][..],
        &["sync", &folder, "-c", "Acme Corp"],
        &["reindex", "-c", "Acme Corp"],
        &["watch", &folder, "-c", "Acme Corp"],
    ] {
        let said = refused(&home, change);
        assert_eq!(said["error"]["code"], "wrong_state", "{change:?}: {said}");
    }
    for (tool, arguments) in [
        ("ingest_document", json!({"file_path": note})),
        ("delete_document", json!({"document_name": "note.txt", "confirm": true})),
        ("reindex_collection", json!({"confirm": true})),
    ] {
        let said = client.call_failing(tool, arguments);
        assert!(said.contains("The collection \"Acme Corp\" is closed") && said.contains("Reopen"), "{tool}: {said}");
    }
    let listed =
        |client: &mut Client, status| names(&client.call("list_collections", json!({"status_filter": status})).1);
    assert_eq!(listed(&mut client, "active"), ["Globex"]);
    assert_eq!(listed(&mut client, "closed"), ["Acme Corp"]);
    assert_eq!(names(&run_json(&home, &["collections"])), ["Acme Corp", "Globex"]);

    // Archived: put away.
    run(&home, &["archive", "Acme Corp"]);
    let said = client.call_failing("search_documents", json!({"query": "rent"}));
    assert!(said.contains("is archived") && said.contains("Reopen"), "{said}");
    assert_eq!(refused(&home, &["search", "rent", "-c", "Acme Corp"])["error"]["code"], "wrong_state");
    assert_eq!(names(&run_json(&home, &["collections"])), ["Globex"]);
    assert_eq!(names(&run_json(&home, &["collections", "--all"])), ["Acme Corp", "Globex"]);
    assert_eq!(listed(&mut client, "archived"), ["Acme Corp"]);
    assert_eq!(listed(&mut client, "all"), ["Acme Corp", "Globex"]);
    run(&home, &["verify", "-c", "Acme Corp"]);

    run(&home, &["reopen", "Acme Corp"]);
    run(&home, &["ingest", &note, "-c", "Acme Corp"]);
    assert_eq!(found(&mut client).as_array().unwrap().len(), 1);
    assert_eq!(listed(&mut client, "active"), ["Acme Corp", "Globex"]);

    // Deleted, only if asked for twice.
    let error = &refused(&home, &["delete", "Acme Corp"])["error"];
    assert!(error["message"].as_str().unwrap().contains("with 1 document"), "{error}");
    assert_eq!(names(&run_json(&home, &["collections"])), ["Acme Corp", "Globex"]);
    run(&home, &["delete", "Acme Corp", "--yes"]);
    assert_eq!(names(&run_json(&home, &["collections", "--all"])), ["Globex"]);
    assert!(Path::new(&note).exists());
    client.close();
}

#[test]
fn watches_pause_while_their_collection_is_closed() {
    const PATIENCE: Duration = Duration::from_secs(600);
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("one.txt"), "The first note.").unwrap();
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "Acme"}));
    client.call("watch_folder", json!({"folder_path": folder}));
    let until = |client: &mut Client, state: &str, documents: usize| {
        let started = Instant::now();
        loop {
            let watch = client.call("list_watches", json!({})).1["watches"][0].clone();
            let listed = client.call("list_documents", json!({})).1["documents"].as_array().unwrap().len();
            if watch["state"] == state && listed == documents {
                return watch;
            }
            assert!(started.elapsed() < PATIENCE, "{watch}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until(&mut client, "watching", 1);
    run(&home, &["close", "Acme"]);
    std::fs::write(folder.join("two.txt"), "The second note.").unwrap();
    let watch = until(&mut client, "paused", 1);
    assert!(watch["detail"].as_str().unwrap().contains("reopened"), "{watch}");
    run(&home, &["rename", "Acme", "Acme Corp"]);
    run(&home, &["reopen", "Acme Corp"]);
    let watch = until(&mut client, "watching", 2);
    assert_eq!(watch["collection"], "Acme Corp");
    client.close();
}
