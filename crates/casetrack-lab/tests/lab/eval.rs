//! `eval` on small sets of judgements.

use std::path::Path;

use serde_json::{Value, json};

use crate::{run, run_expecting, run_json};

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
    let (set, work) = (data.path().join("set"), data.path().join("work"));
    write(&set, &[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels.tsv", QRELS)]);
    let arguments = ["eval", set.to_str().unwrap(), "--work", work.to_str().unwrap(), "--compare", "stage=bm25", "rrf"];
    let report = run_json(&arguments);
    assert_eq!((&report["documents"], &report["queries"]), (&json!(4), &json!(3)));
    assert_eq!(report["notices"], json!(["Left out entries of the corpus that have no text: 1."]));

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

    // The second run finds the documents, with the same results except times.
    let mut again = run_json(&arguments);
    again["latency"] = report["latency"].clone();
    assert_eq!(again, report);
    // So does one on the folder under another name.
    let moved = data.path().join("moved");
    std::fs::rename(&work, &moved).unwrap();
    let arguments =
        ["eval", set.to_str().unwrap(), "--work", moved.to_str().unwrap(), "--compare", "stage=bm25", "rrf"];
    let mut again = run_json(&arguments);
    again["latency"] = report["latency"].clone();
    assert_eq!(again, report);
    // A document that left the corpus is no longer found.
    write(&set, &[("corpus.jsonl", &CORPUS.lines().skip(1).collect::<Vec<_>>().join("\n"))]);
    let without = run_json(&arguments);
    assert_eq!(without["documents"], 3);
    assert!(mean(&without, "BM25", "recall@10") < mean(&report, "BM25", "recall@10"));
}

#[test]
fn spans_are_measured_and_compared_with_other_rankings() {
    let data = tempfile::tempdir().unwrap();
    let set = data.path().join("set");
    write(
        &set,
        &[
            ("documents/lease.txt", "The tenant pays a deposit of three months' rent."),
            ("documents/other.txt", "Dogs are allowed."),
            (
                "spans.jsonl",
                "{\"query\": \"deposit of the tenant\", \"file\": \"lease.txt\", \"start\": 0, \"end\": 48}\n",
            ),
        ],
    );
    let set = set.to_str().unwrap();
    let table = run(&["eval", set, "--also", "weights=1,0,0", "--compare", "stage=dense", "default"]);
    for expected in ["weights=1,0,0", "recall@20", "default against stage=dense", "1.0000 [1.000, 1.000]"] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
}

#[test]
fn wrong_usage_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let set = data.path().to_str().unwrap();
    run_expecting(2, &["eval", set, "--also", "nonsense"]);
    run_expecting(2, &["eval", set, "-k", "0"]);
    // Only one comparison is possible: a second one would have no place in the report.
    run_expecting(2, &["eval", set, "--compare", "rrf", "default", "--compare", "stage=bm25", "default"]);
    let error = run_expecting(1, &["eval", set, "--json"]);
    assert!(error.contains("has no spans.jsonl"), "{error}");
}
