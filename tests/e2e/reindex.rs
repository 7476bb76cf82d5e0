//! Documents are rebuilt, and what state they are in.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Client, run_expecting, run_json};

#[test]
fn documents_are_rebuilt_where_they_need_it() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path().join("home");
    let folder = casetrack_core::real_path(data.path()).unwrap().join("files");
    std::fs::create_dir(&folder).unwrap();
    let paragraph =
        |n: usize| format!("Clause {n}. {}", "The tenant keeps the stairs clear and reports damage. ".repeat(30));
    let text = |changed: &str| {
        (0..6).map(|n| if n == 3 { changed.to_owned() } else { paragraph(n) }).collect::<Vec<_>>().join("\n\n")
    };
    std::fs::write(folder.join("lease.txt"), text(&paragraph(3))).unwrap();
    std::fs::write(folder.join("note.txt"), "The heating engineer calls on Monday.").unwrap();
    run_json(&home, &["new", "Case"]);
    run_json(&home, &["ingest", folder.to_str().unwrap(), "-c", "Case", "--type", "policy"]);
    let documents = || run_json(&home, &["documents", "-c", "Case"]);
    let ids = |documents: &Value| -> Vec<Value> {
        documents.as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
    };
    let before = documents();

    let mut client = Client::start(&home, &[]);
    client.call("switch_collection", json!({"collection_name": "Case"}));
    let (said, status) = client.call("get_index_status", json!({}));
    assert_eq!((&status["healthy"], &status["complete"]), (&json!(true), &json!(2)), "{status:#}");
    assert!(said.starts_with("Index status for Case: healthy\n"), "{said}");
    let (said, report) = client.work("reindex_document", json!({"document_name": "lease"}));
    assert_eq!((&report["skipped"], &report["reindexed"]), (&json!(1), &json!([])));
    assert!(said.contains("Nothing to do"), "{said}");

    // Once its file has changed, all of it is embedded again; chunks with the same text keep their ids.
    let chunk_ids = |client: &mut Client| -> BTreeSet<String> {
        let (_, chunks) = client.call("get_document_chunks", json!({"document_name": "lease", "limit": 100}));
        chunks["chunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|chunk| chunk["chunk_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let ids_before = chunk_ids(&mut client);
    std::fs::write(folder.join("lease.txt"), text(&format!("{} And pays.", paragraph(3)))).unwrap();
    let (_, status) = client.call("get_index_status", json!({"document_filter": "lease"}));
    assert_eq!(status["document_states"][0]["issues"], json!(["source_changed"]));
    let (_, report) = client.work("reindex_document", json!({"document_name": "lease"}));
    assert_eq!((&report["chunks_embedded"], &report["chunks_reused"]), (&report["chunks"], &json!(0)), "{report:#}");
    let ids_after = chunk_ids(&mut client);
    assert!(
        ids_after.intersection(&ids_before).count() >= 2 && ids_after != ids_before,
        "{ids_before:?} {ids_after:?}"
    );

    // Everything again, from the files and from what is stored; ids and types stay.
    let refused = client.call_failing("reindex_collection", json!({"confirm": false}));
    assert!(refused.starts_with("confirm must be true; nothing was reindexed."), "{refused}");
    let (_, report) = client.work("reindex_collection", json!({"confirm": true}));
    assert_eq!((&report["found"], &report["chunks_embedded"]), (&json!(2), &report["chunks"]), "{report:#}");
    assert_eq!(chunk_ids(&mut client), ids_after);
    let (_, report) = client.work("reindex_collection", json!({"confirm": true, "reparse": false}));
    assert_eq!((report["reindexed"].as_array().unwrap().len(), &report["chunks_reused"]), (2, &json!(0)));
    assert_eq!(report["chunks_embedded"], report["chunks"]);
    let (_, report) = client.work("reindex_collection", json!({"confirm": true, "skip_unchanged": true}));
    assert_eq!(report["skipped"], json!(2));
    client.close();
    let after = documents();
    assert_eq!(ids(&after), ids(&before));
    assert!(after.as_array().unwrap().iter().all(|document| document["document_type"] == "policy"), "{after}");

    // Without its file a document stays as it is, and can still be made from what is stored.
    std::fs::remove_file(folder.join("note.txt")).unwrap();
    let report: Value = serde_json::from_str(&run_expecting(3, &home, &["reindex", "-c", "Case", "--json"])).unwrap();
    assert_eq!(
        (report["reindexed"].as_array().unwrap().len(), &report["failed"][0]["code"]),
        (1, &json!("file_not_found"))
    );
    let report = run_json(&home, &["reindex", "note", "-c", "Case", "--no-reparse"]);
    assert_eq!(report["reindexed"][0]["read_from"], "stored", "a file that is gone is not unchanged");
    let status = run_json(&home, &["index-status", "-c", "Case"]);
    assert_eq!((&status["source_missing"], &status["needs_reindex"]), (&json!(1), &json!(0)));
    assert_eq!(
        run_json(&home, &["search", "heating engineer", "-c", "Case"])["results"][0]["provenance"]["document_name"],
        "note.txt"
    );
    assert!(run_json(&home, &["verify", "-c", "Case"])["clean"].as_bool().unwrap());
}
