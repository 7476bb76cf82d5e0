//! The command line: every command on the sample matter, JSON and text.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::client::{casetrack, copy, run, run_expecting, run_json, samples};

#[test]
fn the_sample_matter_from_new_to_verify() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    let folder = samples().join("harbour-point");
    let created = run_json(home, &["new", "Harbour Point", "--type", "contract", "--id", "HP-2024"]);
    assert_eq!(created["reference"], "HP-2024");

    let text = run(home, &["ingest", folder.to_str().unwrap(), "-c", "HP-2024"]);
    assert!(
        text.contains("New:        14") && text.contains("Skipped:    1") && text.contains("Failed:     0"),
        "{text}"
    );

    let documents = run_json(home, &["documents", "-c", "harbour point"]);
    let document = &documents[0];
    let listed = run(home, &["documents", "-c", "harbour point", "--sort", "pages"]);
    assert!(listed.contains(document["name"].as_str().unwrap()), "{listed}");

    let found = run_json(home, &["search", "late payment interest", "-c", "HP-2024", "-k", "3"]);
    let best = &found["results"][0];
    let page = &best["provenance"]["page"];
    let shown = run(home, &["search", "late payment interest", "-c", "HP-2024"]);
    assert!(shown.contains(&format!("p. {page}")), "{shown}");
    let only = run_json(
        home,
        &["search", "interest", "-c", "HP-2024", "--document", best["provenance"]["document_name"].as_str().unwrap()],
    );
    assert!(!only["results"].as_array().unwrap().is_empty());

    // The cited text is in the file at the cited place.
    let inspected = run_json(home, &["inspect", best["provenance"]["file_path"].as_str().unwrap()]);
    let text = inspected["pages"][page.as_u64().unwrap() as usize - 1]["text"].as_str().unwrap();
    let place = |excerpt: &serde_json::Value| -> String {
        let (start, end) = (excerpt["char_start"].as_u64().unwrap(), excerpt["char_end"].as_u64().unwrap());
        text.chars().skip(start as usize).take((end - start) as usize).collect()
    };
    assert_eq!(place(&best["excerpt"]), best["excerpt"]["text"].as_str().unwrap());
    assert_eq!(place(&best["provenance"]), best["text"].as_str().unwrap());

    let passage = run(home, &["show", best["chunk_id"].as_str().unwrap(), "-c", "HP-2024"]);
    assert!(passage.contains(best["excerpt"]["text"].as_str().unwrap().lines().next().unwrap()), "{passage}");
    let shown = run(home, &["show", document["id"].as_str().unwrap(), "-c", "HP-2024"]);
    assert!(shown.contains(document["name"].as_str().unwrap()), "{shown}");
    assert!(run(home, &["collections"]).contains("Harbour Point"));

    let status = run(home, &["call", "get_status"]);
    assert!(status.contains(env!("CARGO_PKG_VERSION")) && status.contains("E6 "), "{status}");
    let info = run_json(home, &["call", "get_collection_info", "-c", "HP-2024"]);
    assert_eq!(info["documents"].as_u64().unwrap() as usize, documents.as_array().unwrap().len());
    assert!(info["sparse_model"].as_str().unwrap().starts_with("e6-splade-tiny@"));
    assert_eq!(info["sparse_chunks"], info["chunks"]);
    assert!(run_json(home, &["verify", "-c", "HP-2024"])["clean"].as_bool().unwrap());
}

#[test]
fn errors_name_what_is_wrong_in_text_and_json() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    run(home, &["new", "Acme Corp Partnership"]);
    let error: serde_json::Value =
        serde_json::from_str(&run_expecting(1, home, &["search", "x", "-c", "Acme", "--json"])).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    assert!(error["error"]["message"].as_str().unwrap().contains("Did you mean:\n  - Acme Corp Partnership (ID: "));
    run_expecting(1, home, &["new", "acme corp partnership"]);
    run_expecting(1, home, &["ingest", "/no/such/file", "-c", "Acme Corp Partnership"]);
    run_expecting(1, home, &["call", "search_documents", "{not json"]);
    run_expecting(2, home, &["new", "X", "--type", "nonsense"]);
}

#[test]
fn the_only_collection_and_the_only_document_of_a_name_need_no_more_words() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let refused = run_expecting(1, home, &["search", "rent", "--json"]);
    assert!(refused.contains("no_collection_active"), "{refused}");
    for name in ["NETGEAR_Distributor.txt", "ACME_Supply.txt", "ACME_Lease.txt"] {
        std::fs::write(data.path().join(name), format!("The rent in {name} is due monthly.")).unwrap();
    }
    run(home, &["new", "Only"]);
    for name in ["NETGEAR_Distributor.txt", "ACME_Supply.txt", "ACME_Lease.txt"] {
        run(home, &["ingest", data.path().join(name).to_str().unwrap()]);
    }
    let found = run_json(home, &["search", "rent", "--document", "netgear"]);
    assert_eq!(found["results"][0]["provenance"]["document_name"], "NETGEAR_Distributor.txt");
    assert_eq!(run_json(home, &["call", "list_documents"])["total"], 3);
    let several = run_expecting(1, home, &["search", "rent", "--document", "acme", "--json"]);
    assert!(several.contains("ambiguous") && several.contains("ACME_Supply.txt"), "{several}");
    run(home, &["new", "Another"]);
    let refused = run_expecting(1, home, &["search", "rent", "--json"]);
    assert!(refused.contains("-c NAME"), "{refused}");
}

#[test]
fn the_free_tier_allows_three_collections() {
    let data = tempfile::tempdir().unwrap();
    for name in ["One", "Two", "Three"] {
        run(data.path(), &["new", name, "--tier", "free"]);
    }
    let refused = run_expecting(1, data.path(), &["new", "Four", "--tier", "free", "--json"]);
    assert!(refused.contains("Free tier allows 3 collections (you have 3)."), "{refused}");
    run(data.path(), &["new", "Four"]);
}

#[test]
fn doctor_finds_what_setup_installed_and_names_what_is_missing() {
    let data = tempfile::tempdir().unwrap();
    let text = run(data.path(), &["doctor"]);
    assert!(text.contains("Everything is in place."), "{text}");
    let nowhere = data.path().join("nowhere");
    let text = run_expecting(1, data.path(), &["doctor", "--models-dir", nowhere.to_str().unwrap()]);
    assert!(text.contains("MISSING"), "{text}");
}

#[test]
fn collections_are_directories_that_can_be_copied() {
    let data = tempfile::tempdir().unwrap();
    let (one, two) = (data.path().join("one"), data.path().join("two"));
    let file = data.path().join("note.txt");
    std::fs::write(&file, "The lighthouse keeper wrote this note.").unwrap();
    let id = run_json(&one, &["new", "Movable"])["id"].as_str().unwrap().to_owned();
    run(&one, &["ingest", file.to_str().unwrap(), "-c", "Movable"]);
    copy(&one.join("collections"), &two.join("collections"));
    std::fs::remove_dir_all(one.join("collections").join(&id)).unwrap();
    let found = run_json(&two, &["search", "keeper", "-c", &id]);
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    run(&two, &["verify", "-c", "Movable"]);
    assert_eq!(run_json(&one, &["collections"]), serde_json::json!([]));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_committed() {
    let data = tempfile::tempdir().unwrap();
    let (home, files) = (data.path().join("home"), data.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    for n in 0..400 {
        let text = format!("Document {n} is about subject {n}. ").repeat(120);
        std::fs::write(files.join(format!("{n:03}.txt")), text).unwrap();
    }
    run(&home, &["new", "Long"]);
    let mut child = casetrack(&home)
        .args(["ingest", files.to_str().unwrap(), "-c", "Long", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Without a terminal every finished file is a line: interrupt after the first ones.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.by_ref().take(5).for_each(drop);
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    lines.for_each(drop);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stopped"]["code"], "cancelled");
    let kept = report["ingested"].as_array().unwrap().len();
    assert!((1..400).contains(&kept), "{kept}");
    assert_eq!(run_json(&home, &["documents", "-c", "Long"]).as_array().unwrap().len(), kept);
    run(&home, &["verify", "-c", "Long"]);
}
