//! Many small files, which are stored several at a time.

use serde_json::{Value, json};

use crate::client::{run, run_expecting, run_json, write_files};

const FILES: usize = 100;

/// The names of the files of a part of a report, in order.
fn names(part: &Value) -> Vec<&str> {
    part.as_array().unwrap().iter().map(|file| file["relative_path"].as_str().unwrap()).collect()
}

#[test]
fn each_of_many_small_files_is_stored_and_reported_for_itself() {
    let data = tempfile::tempdir().unwrap();
    let (home, folder) = (data.path().join("home"), data.path().join("files"));
    let name = |n: usize| format!("{n:03}.txt");
    let text = |n: usize, what: &str| format!("Delivery {n} of goods is {what} on day {n} as word{n} says.\n");
    for n in 0..FILES {
        write_files(&folder, &[(&name(n), &text(n, "due"))]);
    }
    // Among them one that cannot be stored, and one that is there twice.
    write_files(&folder, &[("050 empty.txt", ""), ("060 copy.txt", &text(60, "due")), ("070 large.txt", &large())]);
    run(&home, &["new", "Small"]);
    let folder_path = folder.to_str().unwrap();
    let ingest = |status: i32| -> Value {
        serde_json::from_str(&run_expecting(status, &home, &["ingest", folder_path, "-c", "Small", "--json"])).unwrap()
    };
    let report = ingest(3);
    let all: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "050 empty.txt" && name != "060.txt")
        .collect::<std::collections::BTreeSet<String>>()
        .into_iter()
        .collect();
    assert_eq!(names(&report["ingested"]), all, "in the order of discovery");
    assert_eq!((names(&report["failed"]), names(&report["skipped"])), (vec!["050 empty.txt"], vec!["060.txt"]));
    assert_eq!(report["found"], FILES as u64 + 3);

    // Changed files take the place of their earlier versions.
    let ids = |report: &Value| -> Vec<Value> {
        report["ingested"].as_array().unwrap().iter().map(|document| document["document_id"].clone()).collect()
    };
    for n in (1..FILES).step_by(2) {
        write_files(&folder, &[(&name(n), &text(n, "cancelled"))]);
    }
    let again = ingest(3);
    assert_eq!(names(&again["ingested"]), (1..FILES).step_by(2).map(name).collect::<Vec<_>>());
    assert!(again["ingested"].as_array().unwrap().iter().all(|document| document["replaced"] == json!(true)));
    assert!(ids(&again).iter().all(|id| ids(&report).contains(id)));
    for n in [1, 51, 99] {
        let found = run_json(&home, &["search", &format!("\"word{n}\""), "-c", "Small"]);
        let hit = found["results"][0]["text"].as_str().unwrap();
        assert!(hit.contains("cancelled") && hit.contains(&format!("word{n} ")), "{found}");
    }
    let reindexed = run_json(&home, &["reindex", "--no-reparse", "-c", "Small"]);
    assert_eq!(reindexed["reindexed"].as_array().unwrap().len(), all.len());
    assert!(run(&home, &["verify", "-c", "Small"]).contains("Clean."));
}

/// More chunks than are stored together.
fn large() -> String {
    (0..700)
        .map(|n| format!("Paragraph {n} is about a large matter that is like no other. ").repeat(4) + "\n\n")
        .collect()
}
