//! Export, import, repair, compact and stats, as a person uses them.

use std::path::{Path, PathBuf};

use crate::client::{run, run_expecting, run_json};

/// A collection of three notes.
fn matter(home: &Path, files: &Path) -> String {
    std::fs::create_dir_all(files).unwrap();
    for (name, text) in [
        ("lease.txt", "The lease of the lighthouse ends in March.\n\nRent is due each quarter."),
        ("keeper.txt", "The keeper of the lighthouse wrote this note about oil and wicks."),
        ("boat.txt", "A boat brings provisions to the keeper every second week."),
    ] {
        std::fs::write(files.join(name), text).unwrap();
    }
    let id = run_json(home, &["new", "Lighthouse"])["id"].as_str().unwrap().to_owned();
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Lighthouse"]);
    id
}

fn hits(home: &Path, collection: &str) -> Vec<String> {
    let found = run_json(home, &["search", "keeper of the lighthouse", "-c", collection]);
    let results = found["results"].as_array().unwrap();
    results.iter().map(|hit| format!("{} {}", hit["chunk_id"], hit["score"])).collect()
}

#[test]
fn a_collection_is_exported_and_imported_elsewhere() {
    let data = tempfile::tempdir().unwrap();
    let (one, two) = (data.path().join("one"), data.path().join("two"));
    let id = matter(&one, &data.path().join("files"));
    let file = data.path().join("matter.ctcollection");
    let file = file.to_str().unwrap();
    let text = run(&one, &["export", "-c", "Lighthouse", file]);
    assert!(text.contains("Exported \"Lighthouse\": 3 documents") && text.contains(file), "{text}");
    assert!(run_expecting(1, &one, &["export", "-c", "Lighthouse", file, "--json"]).contains("already_exists"));
    run(&one, &["export", "-c", "Lighthouse", file, "--force"]);

    let imported = run_json(&two, &["import", file]);
    assert!(imported["name"] == "Lighthouse" && imported["id"] != *id && imported["documents"] == 3, "{imported}");
    assert_eq!(hits(&two, "Lighthouse"), hits(&one, "Lighthouse"));
    assert!(run_json(&two, &["verify", "-c", "Lighthouse"])["clean"].as_bool().unwrap());
    let refused = run_expecting(1, &two, &["import", file, "--json"]);
    assert!(refused.contains("already_exists") && refused.contains("--name"), "{refused}");
    run(&two, &["import", file, "--name", "Copy"]);
    assert_eq!(hits(&two, "Copy"), hits(&one, "Lighthouse"));
    run(&two, &["new", "Third"]);
    assert!(
        run_expecting(1, &two, &["import", file, "--name", "X", "--tier", "free", "--json"])
            .contains("free_tier_limit")
    );

    std::fs::write(file, "not an archive").unwrap();
    assert!(run_expecting(1, &two, &["import", file, "--name", "Y", "--json"]).contains("unreadable_file"));
    assert_eq!(run_json(&two, &["collections"]).as_array().unwrap().len(), 3);
}

#[test]
fn stats_and_compaction_tell_bytes_by_kind() {
    let data = tempfile::tempdir().unwrap();
    matter(data.path(), &data.path().join("files"));
    let stats = run_json(data.path(), &["stats", "-c", "Lighthouse"]);
    let kinds = stats["kinds"].as_array().unwrap();
    let sum: u64 = kinds.iter().map(|kind| kind["bytes"].as_u64().unwrap()).sum();
    assert_eq!(stats["total_bytes"], sum);
    assert!(
        ["rocksdb/vectors", "dense", "bm25", "originals"]
            .iter()
            .all(|name| kinds.iter().any(|kind| kind["kind"] == *name))
    );
    let text = run(data.path(), &["compact", "-c", "Lighthouse"]);
    assert!(text.contains("documents (RocksDB)") && text.contains("total"), "{text}");
    assert!(run(data.path(), &["stats", "-c", "Lighthouse"]).contains("per passage, without originals"));
    assert!(run_json(data.path(), &["verify", "-c", "Lighthouse"])["clean"].as_bool().unwrap());
}

#[test]
fn a_damaged_collection_says_so_and_is_repaired() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    let id = matter(home, &home.join("files"));
    let dir = home.join("collections").join(&id);
    assert!(run(home, &["repair", "-c", "Lighthouse"]).contains("Nothing was wrong: 3 documents."));
    run(home, &["compact", "-c", "Lighthouse"]);
    let before = hits(home, "Lighthouse");

    // A collection that cannot be read is there nevertheless.
    run(home, &["stop"]);
    let description = dir.join("collection.json");
    let own = std::fs::read_to_string(&description).unwrap();
    let mut newer: serde_json::Value = serde_json::from_str(&own).unwrap();
    newer["schema_version"] = 999.into();
    std::fs::write(&description, newer.to_string()).unwrap();
    for name in ["Lighthouse", &id[..8]] {
        let refused = run_expecting(1, home, &["search", "keeper", "-c", name, "--json"]);
        assert!(refused.contains("was written by a newer CaseTrack"), "{refused}");
    }
    run(home, &["stop"]);
    std::fs::write(&description, own).unwrap();

    // The list of files is gone, and so is the name.
    run(home, &["stop"]);
    std::fs::remove_file(dir.join("rocksdb/CURRENT")).unwrap();
    let refused = run_expecting(1, home, &["search", "keeper", "-c", "Lighthouse", "--json"]);
    assert!(refused.contains("\"corrupt\"") && refused.contains("casetrack repair -c"), "{refused}");
    run(home, &["stop"]);
    std::fs::remove_file(dir.join("collection.json")).unwrap();
    let report = run_json(home, &["repair", "-c", &id[..8]]);
    assert!(report["collection"] == "Lighthouse" && report["clean"] == true && report["documents"] == 3, "{report:#}");
    assert!(PathBuf::from(report["quarantine"].as_str().unwrap()).join("rocksdb").is_dir());
    assert_eq!(hits(home, "Lighthouse"), before);

    // A table of texts is damaged: its documents are named, and come back from their files.
    assert!(run(home, &["stop"]).contains("Stopped."));
    assert!(run(home, &["stop"]).contains("Nothing was running."));
    let largest = std::fs::read_dir(dir.join("rocksdb")).unwrap().map(|entry| entry.unwrap().path());
    for table in largest.filter(|path| path.extension().is_some_and(|extension| extension == "sst")) {
        let mut bytes = std::fs::read(&table).unwrap();
        bytes[20] ^= 0x55;
        std::fs::write(&table, bytes).unwrap();
    }
    let text = run(home, &["repair", "-c", &id]);
    assert!(text.contains("Quarantine: ") && text.contains("Verified: clean."), "{text}");
}
