//! `casetrack eval` on questions of one's own.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{run, run_expecting, run_json};

fn write(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn mean(report: &Value, system: &str, measure: &str) -> f64 {
    let find = |list: &Value, key: &str, name: &str| {
        list.as_array()
            .unwrap()
            .iter()
            .find(|entry| entry[key] == name)
            .unwrap_or_else(|| panic!("{name}: {report}"))
            .clone()
    };
    find(&find(&report["systems"], "system", system)["measures"], "measure", measure)["mean"].as_f64().unwrap()
}

#[test]
fn spans_are_found_where_their_passages_are() {
    let data = tempfile::tempdir().unwrap();
    let (set, home) = (data.path().join("set"), data.path().join("home"));
    let filler = "Nothing of any interest is said in this sentence at all. ".repeat(100);
    let lease = format!(
        "{filler}\n\nThe tenant pays a deposit of three months' rent.\n\n{filler}\u{c}Second page: dogs are allowed."
    );
    let start = lease.find("The tenant").unwrap();
    let dogs = lease.find("dogs").unwrap();
    let spans = format!(
        "{{\"query\": \"deposit of the tenant\", \"file\": \"lease.txt\", \"start\": {start}, \"end\": {}}}\n\
         {{\"query\": \"are dogs allowed\", \"file\": \"lease.txt\", \"spans\": [[0, 10], [{dogs}, {}]]}}\n",
        start + 48,
        dogs + 16
    );
    write(&set, &[("documents/lease.txt", &lease), ("documents/other.txt", &filler), ("spans.jsonl", &spans)]);
    let report = run_json(&home, &["eval", set.to_str().unwrap(), "--within-files"]);
    assert_eq!(report["queries"], 2);
    assert_eq!((mean(&report, "BM25", "recall@5"), mean(&report, "fused", "recall@5")), (1.0, 1.0));
    // Kept in a folder, the documents are found by the next run; nothing of all this is in the user's own collections.
    let work = data.path().join("work");
    let arguments = ["eval", set.to_str().unwrap(), "--work", work.to_str().unwrap()];
    let (table, again) = (run(&home, &arguments), run_json(&home, &arguments));
    assert!(table.contains("search, top 100") && table.contains("recall@20"), "{table}");
    assert_eq!((mean(&again, "BM25", "recall@5"), &again["documents"]), (1.0, &json!(2)));
    assert_eq!(run_json(&home, &["collections"]), json!([]));

    write(&set, &[("spans.jsonl", "{\"query\": \"x\", \"file\": \"lease.txt\", \"start\": 99999, \"end\": 100000}")]);
    let error = run_expecting(1, &home, &["eval", set.to_str().unwrap(), "--json"]);
    assert!(error.contains("outside the text"), "{error}");
    let error = run_expecting(1, &home, &["eval", data.path().to_str().unwrap(), "--json"]);
    assert!(error.contains("has no spans.jsonl"), "{error}");
    run_expecting(2, &home, &["eval", set.to_str().unwrap(), "-k", "1001"]);
}
