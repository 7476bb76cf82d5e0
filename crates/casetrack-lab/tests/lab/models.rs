//! The models on their own: `embed` and `bench embed`.

use serde_json::Value;

use crate::{run, run_expecting, run_json, samples};

fn embed(model: &str, extra: &[&str], lines: &str) -> Vec<Value> {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("texts.jsonl");
    std::fs::write(&file, lines).unwrap();
    let mut arguments = vec!["embed", "--model", model, file.to_str().unwrap()];
    arguments.extend(extra);
    run(&arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const LINES: &str = "{\"id\": \"a\", \"text\": \"The lessee pays rent monthly.\"}\n{\"id\": 2, \"text\": \"Tenants owe rent each month.\"}\n\
                     {\"id\": null, \"text\": \"The reactor was shut down.\"}\n";

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn each_model_gives_its_output_for_each_line_in_order() {
    let dense = embed("e1", &[], LINES);
    assert_eq!(dense.iter().map(|line| line["id"].to_string()).collect::<Vec<_>>(), ["\"a\"", "2", "null"]);
    let vectors: Vec<Vec<f64>> = dense.iter().map(|line| numbers(&line["vector"])).collect();
    assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]) + 0.3);
    assert!((dot(&vectors[0], &vectors[0]) - 1.0).abs() < 1e-4);

    let sparse = embed("e6", &[], LINES);
    let terms = sparse[0]["terms"].as_object().unwrap();
    assert!(terms["rent"].as_f64().unwrap() > 1.0 && terms.values().all(|weight| weight.as_f64().unwrap() > 0.0));

    let exact = embed("e12", &["--exact"], LINES);
    assert_eq!(exact[0]["tokens"].to_string(), r###"["less","##ee","pays","rent","monthly"]"###);
    let stored = embed("e12", &[], LINES);
    for (exact, stored) in exact[0]["vectors"].as_array().unwrap().iter().zip(stored[0]["vectors"].as_array().unwrap())
    {
        assert!(dot(&numbers(exact), &numbers(stored)) > 0.7);
    }

    let all = embed("all", &["--query"], LINES);
    assert!(["vector", "terms", "tokens", "vectors"].iter().all(|key| all[2].get(key).is_some()));
}

#[test]
fn a_line_without_a_text_is_named() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("texts.jsonl");
    std::fs::write(&file, "{\"id\": 1, \"text\": \"one\"}\n{\"id\": 2}\n").unwrap();
    let error = run_expecting(1, &["embed", "--model", "e1", file.to_str().unwrap(), "--json"]);
    assert!(error.contains("Line 2") && error.contains("invalid"), "{error}");
}

#[test]
fn the_bench_measures_speed_and_memory() {
    let text = samples().join("harbour-point/site/Site_Diary_August_2025.txt");
    let text = text.to_str().unwrap();
    let arguments = ["bench", "embed", "--model", "all", "--chunks", "2", "--rounds", "1", text];
    let speed = run_json(&arguments);
    assert_eq!(speed["chunks"], 2);
    for key in
        ["chunks_per_second", "gflops", "peak_gflops", "share_of_peak", "load_ms", "query_p50_ms", "peak_memory_mb"]
    {
        assert!(speed[key].as_f64().unwrap() > 0.0, "{key}: {speed}");
    }
}

#[test]
fn files_are_read_as_ingestion_reads_them() {
    let file = samples().join("harbour-point/contract/Amendment_No_1.docx");
    let read = run_json(&["bench", "extract", file.to_str().unwrap(), "/nowhere.txt"]);
    assert!(read[0]["pages"].as_u64().unwrap() > 0 && read[0]["error"].is_null(), "{read}");
    assert_eq!(read[1]["error"]["code"], "file_not_found", "{read}");
}
