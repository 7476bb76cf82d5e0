//! A collection moves to other models while it is searched.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::client::{Client, copy, run, run_expecting, run_json, samples};

fn models(home: &Path) -> String {
    run_json(home, &["stats", "-c", "Case"])["models"][0].as_str().unwrap().to_owned()
}

/// The results of a search: chunk, place and text.
fn found(home: &Path, query: &str) -> Vec<Value> {
    let found = run_json(home, &["search", query, "-c", "Case"]);
    let of = |hit: &Value| json!([hit["chunk_id"], hit["citation"], hit["score"], hit["text"]]);
    found["results"].as_array().unwrap().iter().map(of).collect()
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
    for quote in ["delay", "notice"] {
        run(&home, &["evidence", "add", "Notice_of_Delay", "--page", "1", "--quote", quote, "-c", "Case"]);
    }
    run(&home, &["evidence", "update", "2", "--note", "First.", "--exhibit", "A", "--position", "1", "-c", "Case"]);
    let evidence = run_json(&home, &["evidence", "list", "-c", "Case"]);
    assert_eq!((&evidence["items"][0]["id"], &evidence["total"]), (&json!(2), &json!(2)), "{evidence}");
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
    assert_eq!(run_json(&home, &["evidence", "list", "-c", "Case"]), evidence);

    // Back again: as it was, to the last place. To the models that it has, nothing is done.
    let said =
        run(&home, &["reindex", "--models", "compact", "--precision", "float32", "-c", "Case", "--throttle", "30"]);
    assert!(said.contains("Searches use"), "{said}");
    assert_eq!((models(&home), found(&home, "notice to terminate")), (first, before));
    run(&home, &["new", "Closed matter"]);
    run(&home, &["close", "Closed matter"]);
    let said = run(&home, &["reindex", "--models", "compact", "--precision", "float32", "--all"]);
    assert!(said.contains("already has vectors"), "{said}");
    assert!(said.contains("Not moved:\n  - Closed matter: It is closed."), "{said}");

    // An assistant may ask for it, too; models that are not there are named, and nothing is changed.
    let mut client = Client::start(&home, &["--toolsets", "all"]);
    client.call("switch_collection", json!({"collection_name": "Case"}));
    let said = client.work_failing("reindex_collection", json!({"confirm": true, "profile": "quality"}));
    assert!(said.contains("models pull"), "{said}");
    let said = client.call_failing("reindex_collection", json!({"confirm": false, "profile": "compact"}));
    assert!(said.contains("no file is read") && said.contains("on the disk"), "{said}");
    let wrong = json!({"confirm": true, "profile": "compact", "skip_unchanged": true});
    let said = client.call_failing("reindex_collection", wrong);
    assert!(said.contains("skip_unchanged cannot be combined with profile"), "{said}");
    client.close();
    run_expecting(1, &home, &["reindex", "--models", "quality", "-c", "Case"]);
    assert!(run(&home, &["verify", "-c", "Case"]).contains("Clean."));
}

#[test]
fn a_move_that_was_cancelled_is_kept_until_it_is_asked_for_again_or_discarded() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    run(&home, &["new", "Case", "--precision", "float32"]);
    run(&home, &["ingest", samples().to_str().unwrap(), "-c", "Case"]);
    let first = models(&home);
    let moving = || run_json(&home, &["stats", "-c", "Case"])["moving"].clone();
    assert_eq!(moving(), Value::Null);
    let cancel_a_move = || {
        let mut client = Client::start(&home, &["--toolsets", "all"]);
        client.call("switch_collection", json!({"collection_name": "Case"}));
        let parameters = json!({
            "confirm": true, "wait_seconds": 0, "profile": "compact", "precision": "int8", "throttle": 90
        });
        let (_, started) = client.call("reindex_collection", parameters);
        let job = started["job"]["job_id"].clone();
        // Some of it is stored before it is cancelled.
        loop {
            let (text, state) = client.call("get_job", json!({"job_id": job}));
            assert!(matches!(state["job"]["state"].as_str(), Some("queued" | "running")), "{state}");
            if state["job"]["files_done"].as_u64().unwrap() > 0 {
                assert!(state["job"]["seconds_left"].is_u64() && text.contains("Left:"), "{text} {state}");
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(150));
        }
        client.call("cancel_job", json!({"job_id": job}));
        client.close();
    };
    cancel_a_move();
    let left = moving();
    assert_eq!(left["to"], format!("{first}+int8"), "{left}");
    // The next process keeps it, and searches use what there was.
    run(&home, &["stop"]);
    assert_eq!((moving()["to"].clone(), models(&home)), (left["to"].clone(), first.clone()));
    assert!(run(&home, &["stats", "-c", "Case"]).contains("Unfinished move to other models"));
    let report = run_json(&home, &["reindex", "--models", "compact", "--precision", "int8", "-c", "Case"]);
    let (embedded, all) = (report["chunks_embedded"].as_u64().unwrap(), report["chunks"].as_u64().unwrap());
    assert!(embedded < all, "what was done is not done twice: {report}");
    assert_eq!((models(&home), moving()), (format!("{first}+int8"), Value::Null));

    // To the models that it has: what another move left is discarded.
    run(&home, &["reindex", "--models", "compact", "--precision", "float32", "-c", "Case"]);
    cancel_a_move();
    run(&home, &["reindex", "--models", "compact", "--precision", "float32", "-c", "Case"]);
    assert_eq!((models(&home), moving()), (first, Value::Null));
    assert!(run(&home, &["verify", "-c", "Case"]).contains("Clean."));
}

/// True if this CPU has the instructions that make int8 the usual precision.
fn multiplies_bytes() -> bool {
    #[cfg(target_arch = "x86_64")]
    let fast = is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let fast = false;
    fast
}

#[test]
fn a_collection_knows_the_precision_of_its_vectors() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    let contract = samples().join("harbour-point/contract").display().to_string();
    let (usual, listed) = (if multiplies_bytes() { "int8" } else { "float32" }, run(&home, &["models"]));
    assert!(listed.contains(&format!("New collections: profile compact, in {usual}")), "{listed}");
    assert_eq!(listed.contains("this CPU has no fast int8 instructions"), !multiplies_bytes(), "{listed}");
    let has = |home: &Path, name: &str, precision: &str| {
        let models = &run_json(home, &["stats", "-c", name])["models"];
        let of = |n: usize| if models[n].as_str().unwrap().ends_with("+int8") { "int8" } else { "float32" };
        assert_eq!((models.as_array().unwrap().len(), of(0), of(1)), (2, precision, precision), "{name}: {models}");
        let said = run(home, &["stats", "-c", name]);
        assert!(said.contains(&format!("\nPrecision: {precision}\n")), "{said}");
        // All stages answer, and nothing of it has to be named.
        let answer = run_json(home, &["search", "notice of termination", "-c", name]);
        assert!(!answer["results"].as_array().unwrap().is_empty() && answer["notices"] == json!([]), "{answer}");
    };
    for (name, arguments, precision) in [
        ("Usual", &[][..], usual),
        ("Exact", &["--precision", "float32"], "float32"),
        ("Fast", &["--precision", "int8"], "int8"),
    ] {
        run(&home, &[&["new", name], arguments].concat());
        run(&home, &["ingest", &contract, "-c", name]);
        has(&home, name, precision);
    }
    // Other machines may make other collections, but take these as they are.
    for (name, precision) in [("Exact", "float32"), ("Fast", "int8")] {
        let (file, elsewhere) = (data.path().join(name), data.path().join(format!("home of {name}")));
        run(&home, &["export", file.to_str().unwrap(), "-c", name]);
        run(&elsewhere, &["import", file.to_str().unwrap()]);
        has(&elsewhere, name, precision);
        // Moved without a word of it, it has what a new one would have.
        run(&elsewhere, &["reindex", "--models", "compact", "-c", name]);
        has(&elsewhere, name, usual);
    }
}
