//! `bench search` on a collection of the engine's.

use casetrack_core::Cancel;
use casetrack_engine::collections::CreateCollection;
use casetrack_engine::ingest::IngestRequest;
use casetrack_engine::{Engine, EngineConfig, collections, ingest};

use crate::{run_expecting, run_json};

#[test]
fn searches_are_timed_in_a_collection_that_nobody_else_has_open() {
    let data = tempfile::tempdir().unwrap();
    let (home, files) = (data.path().join("home"), data.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("lease.txt"), "The tenant pays the monthly rent.").unwrap();
    let queries = data.path().join("queries.txt");
    std::fs::write(&queries, "rent\n\nwho pays\n").unwrap();
    let arguments = [
        "bench",
        "search",
        "--data-dir",
        home.to_str().unwrap(),
        "-c",
        "Leases",
        "--queries",
        queries.to_str().unwrap(),
        "--rounds",
        "2",
    ];

    let engine = Engine::new(EngineConfig::new(home.clone())).unwrap();
    let request = CreateCollection { name: "Leases".to_owned(), ..CreateCollection::default() };
    let collection = collections::create_collection(engine.host(), request).unwrap().id;
    let progress = std::sync::Arc::new(|_| ());
    ingest::ingest(engine.host(), collection, &IngestRequest::new(vec![files]), &(progress as _), &Cancel::default())
        .unwrap();
    let refused = run_expecting(1, &[&arguments[..], &["--json"]].concat());
    assert!(refused.contains("in_use"), "{refused}");
    drop(engine);

    let latency = run_json(&arguments);
    assert_eq!((&latency["documents"], &latency["searches"]), (&1.into(), &4.into()));
    assert!(latency["p50_ms"].as_f64().unwrap() <= latency["max_ms"].as_f64().unwrap());
}
