//! Token vectors (E12): made and dropped by reindexing, reported everywhere, and used by searches.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{casetrack, run, run_json, samples};

const STAGE: &str = "late interaction E12";

fn found(home: &Path, more: &[&str]) -> Value {
    run_json(home, &[&["search", "when must the contractor give notice of delay", "-c", "Case"], more].concat())
}

fn has_stage(found: &Value) -> bool {
    found["stages"].as_array().unwrap().iter().any(|stage| stage == STAGE)
}

/// The results, with all scores.
fn places(found: &Value) -> Vec<Value> {
    let of =
        |hit: &Value| json!(["chunk_id", "score", "bm25", "dense", "sparse", "late"].map(|name| hit[name].clone()));
    found["results"].as_array().unwrap().iter().map(of).collect()
}

fn embeddings(home: &Path, found: &Value) -> Value {
    let id = found["results"][0]["chunk_id"].as_str().unwrap();
    run_json(home, &["call", "get_chunk", &json!({ "chunk_id": id }).to_string(), "-c", "Case"])["embeddings"].clone()
}

#[test]
fn token_vectors_are_made_and_dropped_by_reindexing_and_rank_the_best_again() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    run(&home, &["new", "Case"]);
    run(&home, &["ingest", samples().to_str().unwrap(), "-c", "Case"]);
    let before = found(&home, &[]);
    assert!(!has_stage(&before) && before["results"][0]["late"].is_null(), "{before}");
    let plain = run_json(&home, &["stats", "-c", "Case"]);

    let said = run(&home, &["reindex", "--late-interaction", "on", "-c", "Case"]);
    assert!(said.contains("with token vectors now."), "{said}");
    let with = found(&home, &[]);
    assert!(has_stage(&with) && with["notices"] == before["notices"], "{with}");
    for result in with["results"].as_array().unwrap() {
        let stages =
            ["bm25", "dense", "sparse", "late"].map(|stage| result[stage]["share"].as_f64().unwrap_or_default());
        let parts: f64 = stages.iter().sum::<f64>() + result["preferred"].as_f64().unwrap_or_default();
        assert!(
            (parts - result["score"].as_f64().unwrap()).abs() < 1e-4 && result["late"]["rank"].is_u64(),
            "{result}"
        );
    }
    assert_eq!(found(&home, &[])["results"], with["results"]);
    let text = run(&home, &["search", "when must the contractor give notice of delay", "-c", "Case", "--explain"]);
    assert!(text.contains(STAGE), "{text}");
    assert_eq!(embeddings(&home, &with), json!(["E1", "E6", "E12"]));
    let status = run(&home, &["index-status", "-c", "Case"]);
    assert!(status.contains("E12:") && status.contains("healthy"), "{status}");
    let stats = run_json(&home, &["stats", "-c", "Case"]);
    let models = stats["models"].as_array().unwrap();
    assert!(models.len() == 3 && models[2].as_str().unwrap().ends_with("(token vectors)"), "{stats}");
    assert!(run(&home, &["verify", "-c", "Case"]).contains("token_vectors"));
    assert!(run(&home, &["call", "get_status"]).contains("E12"));

    // Kept by an export, and by what is ingested later.
    let archive = data.path().join("case.ctcollection");
    run(&home, &["export", archive.to_str().unwrap(), "-c", "Case"]);
    run(&home, &["import", archive.to_str().unwrap(), "--name", "Copy"]);
    assert_eq!(run_json(&home, &["stats", "-c", "Copy"])["models"], stats["models"]);
    let note = data.path().join("note.txt");
    std::fs::write(&note, "The contractor gives notice of delay by telephone.").unwrap();
    run(&home, &["ingest", note.to_str().unwrap(), "-c", "Copy"]);
    let copy = run_json(&home, &["call", "get_index_status", "{}", "-c", "Copy"]);
    let states = copy["document_states"].as_array().unwrap();
    assert!(states.iter().all(|state| state["embedders"] == json!(["E1", "E6", "E12"])), "{copy}");
    assert_eq!(copy["token_chunks"], copy["chunks"]);

    // Dropped without embedding anything, and searches are what they were.
    let report = run_json(&home, &["reindex", "--late-interaction", "off", "-c", "Case"]);
    assert_eq!(report["chunks_embedded"], 0, "{report}");
    let after = found(&home, &[]);
    assert_eq!((places(&after), &after["stages"]), (places(&before), &before["stages"]));
    assert_eq!(run_json(&home, &["stats", "-c", "Case"])["models"], plain["models"]);
    assert_eq!(embeddings(&home, &after), json!(["E1", "E6"]));
    run(&home, &["verify", "-c", "Case"]);
}

#[test]
fn a_new_collection_can_have_token_vectors_and_keeps_them_where_other_models_make_them() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    let file = data.path().join("lease.txt");
    std::fs::write(&file, "The tenant pays the rent on the first day of the month.").unwrap();
    run(&home, &["new", "Case", "--late-interaction", "--precision", "float32"]);
    run(&home, &["ingest", file.to_str().unwrap(), "-c", "Case"]);
    let models = |home: &Path| run_json(home, &["stats", "-c", "Case"])["models"].as_array().unwrap().clone();
    assert!(has_stage(&found(&home, &[])) && models(&home).len() == 3);
    run(&home, &["reindex", "--models", "compact", "--precision", "int8", "-c", "Case"]);
    let moved = models(&home);
    assert!(moved.len() == 3 && moved[2].as_str().unwrap().ends_with("+int8 (token vectors)"), "{moved:?}");
    let refused = casetrack(&home).args(["reindex", "--late-interaction", "maybe", "-c", "Case"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("give on or off"), "{said}");
    let confirmed = json!({ "confirm": true, "late_interaction": false }).to_string();
    run(&home, &["call", "reindex_collection", &confirmed, "-c", "Case"]);
    assert_eq!(models(&home).len(), 2);
}
