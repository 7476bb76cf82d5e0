//! A collection moves to other models while it is searched.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, samples};

fn models(home: &Path) -> String {
    run_json(home, &["stats", "-c", "Case"])["models"][0].as_str().unwrap().to_owned()
}

/// What a search finds: chunk, place and text.
fn found(home: &Path, query: &str) -> Vec<Value> {
    let found = run_json(home, &["search", query, "-c", "Case"]);
    let of = |hit: &Value| json!([hit["chunk_id"], hit["citation"], hit["score"], hit["text"]]);
    found["results"].as_array().unwrap().iter().map(of).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, target) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).unwrap();
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).unwrap()),
        }
    }
}

#[test]
fn a_collection_is_searched_while_it_moves_to_other_models() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    let folder = data.path().join("files");
    copy(&samples(), &folder);
    run(&home, &["new", "Case", "--precision", "float32"]);
    run(&home, &["ingest", folder.to_str().unwrap(), "-c", "Case", "--precision", "int8"]);
    let first = models(&home);
    assert!(!first.ends_with("+int8"), "the collection keeps what it was made with: {first}");
    run(&home, &["call", "define_column", r#"{"name": "fee", "type": "text", "pattern": "fee of"}"#, "-c", "Case"]);
    run(&home, &["call", "tag_document", r#"{"documents": ["Notice_of_Delay"], "add_tags": ["key"]}"#, "-c", "Case"]);
    let documents = run_json(&home, &["documents", "-c", "Case"]);
    assert_eq!(documents[0]["marks"]["tags"], json!(["key"]), "{documents}");
    // Nothing is read again.
    std::fs::remove_dir_all(&folder).unwrap();

    let before = found(&home, "notice to terminate");
    let moving = AtomicBool::new(true);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut searches = 0;
            while moving.load(Ordering::Relaxed) || searches == 0 {
                // Each is answered, by all stages, from one of the two.
                let answer = run_json(&home, &["search", "notice to terminate", "-c", "Case"]);
                assert!(!answer["results"].as_array().unwrap().is_empty(), "{answer}");
                assert_eq!(answer["notices"], json!([]), "{answer}");
                searches += 1;
            }
        });
        let said = run(&home, &["reindex", "--models", "compact", "--precision", "int8", "-c", "Case"]);
        moving.store(false, Ordering::Relaxed);
        assert!(said.contains("Searches use") && said.contains("+int8 now."), "{said}");
    });
    assert_eq!(models(&home), format!("{first}+int8"));
    assert!(run(&home, &["verify", "-c", "Case"]).contains("Clean."));
    assert_eq!(run_json(&home, &["documents", "-c", "Case"]), documents);
    assert!(run(&home, &["sheet", "Case", "--columns", "fee"]).contains("fee"));

    // Back again: as it was, to the last place. To the models that it has, nothing is done.
    let said =
        run(&home, &["reindex", "--models", "compact", "--precision", "float32", "-c", "Case", "--throttle", "30"]);
    assert!(said.contains("Searches use"), "{said}");
    assert_eq!((models(&home), found(&home, "notice to terminate")), (first, before));
    let said = run(&home, &["reindex", "--models", "compact", "--precision", "float32", "--all"]);
    assert!(said.contains("already has vectors"), "{said}");

    // An assistant may ask for it, too; models that are not there are named, and nothing is changed.
    let mut client = Client::start(&home, &["--toolsets", "all"]);
    client.call("switch_collection", json!({"collection_name": "Case"}));
    let said = client.work_failing("reindex_collection", json!({"confirm": true, "profile": "quality"}));
    assert!(said.contains("models pull"), "{said}");
    client.close();
    run_expecting(1, &home, &["reindex", "--models", "quality", "-c", "Case"]);
    assert!(run(&home, &["verify", "-c", "Case"]).contains("Clean."));
}
