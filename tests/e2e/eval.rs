//! `casetrack eval` on small sets of judgements.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{run, run_expecting, run_json};

const CORPUS: &str = r#"{"_id": "rent", "title": "Rent", "text": "The tenant pays the monthly rent to the landlord."}
{"_id": "reactor", "title": "Reactor", "text": "The reactor was shut down after the pump failed."}
{"_id": "whale", "title": "Whales", "text": "Whales are mammals that live in the sea."}
{"_id": "twin", "title": "Whales", "text": "Whales are mammals that live in the sea."}
{"_id": "empty", "title": "", "text": ""}
{"_id": "rent2", "title": "Lease", "text": "A lease of the garage, whose rent falls due once a year."}
"#;

const QUERIES: &str = r#"{"_id": "q1", "text": "who pays the monthly rent"}
{"_id": "q2", "text": "why was the reactor shut down"}
{"_id": "q3", "text": "marine mammals such as whales"}
{"_id": "q4", "text": "a query that nobody judged"}
"#;

const QRELS: &str =
    "query-id\tcorpus-id\tscore\nq1\trent\t2\nq1\trent2\t1\nq2\treactor\t1\nq3\twhale\t1\nq3\tmissing\t1\n";

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
fn documents_in_beirs_layout_are_measured_and_kept_for_the_next_run() {
    let data = tempfile::tempdir().unwrap();
    let (set, home, work) = (data.path().join("set"), data.path().join("home"), data.path().join("work"));
    write(&set, &[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels.tsv", QRELS)]);
    let arguments = ["eval", set.to_str().unwrap(), "--work", work.to_str().unwrap(), "--compare", "stage=bm25", "rrf"];
    let report = run_json(&home, &arguments);
    assert_eq!((&report["documents"], &report["queries"]), (&json!(4), &json!(3)));
    assert_eq!(report["notices"], json!(["1 entries of the corpus have no text and were left out."]));

    // q1 and q2 are answered in the best order; of q3 one of two was found, first: 1 / (1 + 1 / log2 3).
    let ndcg = (2.0 + 1.0 / (1.0 + 1.0 / 3f64.log2())) / 3.0;
    for system in ["BM25", "dense E1", "fused", "search, top 100", "rrf"] {
        let found = mean(&report, system, "nDCG@10");
        assert!((found - ndcg).abs() < 1e-9, "{system}: {found}, expected {ndcg}");
        assert!((mean(&report, system, "recall@10") - 2.5 / 3.0).abs() < 1e-9);
        assert_eq!(mean(&report, system, "MRR@10"), 1.0);
    }
    let difference = &report["comparison"]["differences"][0];
    assert_eq!((&difference["difference"], &difference["p_value"]), (&json!(0.0), &json!(1.0)));

    // The second run finds the documents, and says the same but for times.
    let mut again = run_json(&home, &arguments);
    again["latency"] = report["latency"].clone();
    assert_eq!(again, report);
    // So does one on the folder under another name.
    let moved = data.path().join("moved");
    std::fs::rename(&work, &moved).unwrap();
    let arguments =
        ["eval", set.to_str().unwrap(), "--work", moved.to_str().unwrap(), "--compare", "stage=bm25", "rrf"];
    let mut again = run_json(&home, &arguments);
    again["latency"] = report["latency"].clone();
    assert_eq!(again, report);
    // What is no longer in the corpus is no longer found, and nothing of all this is in the user's own collections.
    write(&set, &[("corpus.jsonl", &CORPUS.lines().skip(1).collect::<Vec<_>>().join("\n"))]);
    let without = run_json(&home, &arguments);
    assert_eq!(without["documents"], 3);
    assert!(mean(&without, "BM25", "recall@10") < mean(&report, "BM25", "recall@10"));
    assert_eq!(run_json(&home, &["collections"]), json!([]));
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
    let table = run(&home, &["eval", set.to_str().unwrap(), "--also", "weights=1,0,0"]);
    assert!(table.contains("weights=1,0,0") && table.contains("recall@20"), "{table}");

    write(&set, &[("spans.jsonl", "{\"query\": \"x\", \"file\": \"lease.txt\", \"start\": 99999, \"end\": 100000}")]);
    let error = run_expecting(1, &home, &["eval", set.to_str().unwrap(), "--json"]);
    assert!(error.contains("outside the text"), "{error}");
    let error = run_expecting(1, &home, &["eval", data.path().to_str().unwrap(), "--json"]);
    assert!(error.contains("neither corpus.jsonl nor spans.jsonl"), "{error}");
    run_expecting(2, &home, &["eval", set.to_str().unwrap(), "--also", "nonsense"]);
}
