//! The description of search results and of the passages near them, which is the same every time.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, samples};

fn write(dir: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(dir).unwrap();
    for (name, text) in files {
        std::fs::write(dir.join(name), text).unwrap();
    }
}

/// Two agreements that differ in a number, a copy of one of them with other line breaks, and a policy.
const FILES: &[(&str, &str)] = &[
    (
        "Agreement.txt",
        "Late payment bears interest at four percent a year. The supplier delivers the slates by ship to the harbour.",
    ),
    (
        "Copy.txt",
        "Late payment bears interest at four percent a year.\nThe supplier delivers the slates by ship to the harbour.\n",
    ),
    (
        "Proposal.txt",
        "Late payment bears interest at nine percent a year. The supplier delivers the slates by ship to the harbour.",
    ),
    ("Policy.txt", "Dogs are not allowed on the pier."),
];

#[test]
fn repetitions_are_folded_parts_of_scores_are_shown_and_neighbours_are_found() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write(&files, FILES);
    let mut client = Client::start(home, &[]);
    client.call("create_collection", json!({"name": "Pier"}));
    client.work("ingest_folder", json!({"folder_path": files}));

    let query = "four percent interest on late payment";
    let arguments = json!({"query": query, "top_k": 1, "explain": true, "related": true});
    let (text, found) = client.call("search_documents", arguments);
    let first = &found["results"][0];
    // The copy is the same to the word; the proposal is not.
    let repeated = first["repeated_in"].as_array().unwrap();
    assert_eq!(repeated.len(), 1, "{found:#}");
    let names = [first["citation"].as_str().unwrap(), repeated[0]["citation"].as_str().unwrap()];
    assert!(names.iter().any(|name| name.starts_with("Agreement.txt")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("Copy.txt")), "{names:?}");
    assert!(text.contains(&format!("Also:  {}", names[1])), "{text}");
    let shares: f64 = ["bm25", "dense", "sparse"].iter().filter_map(|stage| first[stage]["share"].as_f64()).sum();
    assert!((shares - first["score"].as_f64().unwrap()).abs() < 1e-5, "{first:#}");
    assert!(text.contains("Why:   BM25 +"), "{text}");
    let related = found["related"].as_array().unwrap();
    assert_eq!((related.len(), &related[0]["of_rank"]), (1, &json!(1)), "{found:#}");
    assert_eq!(related[0]["provenance"]["document_name"], "Proposal.txt");
    assert!(text.contains("--- Related to result 1: similar passage (cosine 0.9"), "{text}");

    let (_, pages) = client.call("search_documents", json!({"query": query, "top_k": 1, "offset": 1}));
    assert_eq!(pages["results"][0]["rank"], 2);
    assert_eq!(pages["results"][0]["provenance"]["document_name"], "Proposal.txt", "what is folded takes no place");
    assert_eq!(pages["related"], Value::Null);

    let chunk = &first["chunk_id"];
    let (_, similar) = client.call("search_similar_chunks", json!({"chunk_id": chunk}));
    let similar: Vec<(&str, f64)> = similar["similar"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["provenance"]["document_name"].as_str().unwrap(), one["similarity"].as_f64().unwrap()))
        .collect();
    assert_eq!(similar.len(), 2, "the policy says nothing similar: {similar:?}");
    assert!(similar[0].1 > 0.999 && similar[1].0 == "Proposal.txt" && similar[1].1 < similar[0].1, "{similar:?}");
    let said = client.call_failing("search_similar_chunks", json!({"chunk_id": "c0ffee"}));
    assert!(said.contains("Chunk not found: \"c0ffee\""), "{said}");

    let arguments = json!({"document_a": "Agreement", "document_b": "Proposal", "topic": "rate of interest"});
    let (text, compared) = client.call("compare_documents", arguments);
    for (side, rate) in [("a", "four percent"), ("b", "nine percent")] {
        assert!(compared[side]["results"][0]["text"].as_str().unwrap().contains(rate), "{compared:#}");
    }
    assert!(text.contains("=== A: Agreement.txt ===") && text.contains("=== B: Proposal.txt ==="), "{text}");
    assert!(text.contains("shows every change"), "{text}");
    let same = json!({"document_a": "Policy", "document_b": "Policy.txt", "topic": "dogs"});
    assert!(client.call_failing("compare_documents", same).contains("Both names mean the same document, Policy.txt."));
    let date = json!({"query": "dogs", "date_from": "soon"});
    assert!(client.call_failing("search_documents", date).contains("\"soon\" is not a date."));
    client.close();

    for command in [&["compare", "Agreement", "Proposal", "interest"][..], &["graph"], &["clusters"]] {
        let refused = run_expecting(1, home, &[command, &["-c", "Pier", "--tier", "free", "--json"]].concat());
        assert!(refused.contains("free_tier_limit"), "{refused}");
    }
    let limited = run(home, &["search", "interest", "-k", "50", "-c", "Pier", "--tier", "free", "--json"]);
    assert!(limited.contains("The Free tier gives the first 10 results."), "{limited}");
    let shown = run(home, &["compare", "Agreement", "Proposal", "interest", "-c", "Pier"]);
    assert!(shown.contains("four percent") && shown.contains("nine percent"), "{shown}");
    let shown = run(home, &["similar", chunk.as_str().unwrap(), "-c", "Pier"]);
    assert!(shown.contains("Proposal.txt, p. 1"), "{shown}");
}

#[test]
fn citations_have_the_numbers_of_their_places() {
    let data = tempfile::tempdir().unwrap();
    let mut client = Client::start_in(&data.path().join("home"), "Pier", &samples().join("harbour-point/contract"));
    let numbers = |first: &Value, last: &Value, one: &str, many: &str| {
        if first == last { format!("{one} {first}") } else { format!("{many} {first}-{last}") }
    };
    let (_, full) = client.call("search_documents", json!({"query": "interest", "top_k": 20, "detail": "full"}));
    for result in full["results"].as_array().unwrap() {
        for (place, citation) in
            [(&result["provenance"], &result["citation"]), (&result["excerpt"], &result["excerpt"]["citation"])]
        {
            let expected = format!(
                ", {}, {}",
                numbers(&place["paragraph_start"], &place["paragraph_end"], "para.", "paras."),
                numbers(&place["line_start"], &place["line_end"], "l.", "ll.")
            );
            assert!(citation.as_str().unwrap().ends_with(&expected), "{citation} {expected}");
        }
    }
    // A brief answer leaves out a citation that has only the numbers of its place.
    for (tool, arguments, list) in [
        ("search_documents", json!({"query": "interest", "top_k": 20}), "/results"),
        ("get_entity_mentions", json!({"entity_name": "Tidewell Estates Limited"}), "/mentions"),
        ("get_entity_graph", json!({"entity_name": "Tidewell Estates Limited"}), "/edges"),
    ] {
        let answer = client.call_raw(tool, arguments)["structuredContent"].clone();
        let passages = answer.pointer(list).unwrap().as_array().unwrap();
        assert!(!passages.is_empty(), "{tool}: {answer:#}");
        for passage in passages {
            let passage = passage.get("example").unwrap_or(passage);
            let (place, citation) = (&passage["provenance"], passage.get("citation"));
            assert!(place["lines"][1].is_u64() && place["paragraphs"][1].is_u64(), "{tool}: {passage:#}");
            assert!(
                citation.is_none_or(|citation| citation.as_str().unwrap().contains("no page")),
                "{tool}: {passage:#}"
            );
        }
    }
    client.close();
}

#[test]
fn several_collections_are_searched_when_they_are_named() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    for (n, name) in ["Pier", "Mole", "Quay"].iter().enumerate() {
        let files = data.path().join(name);
        write(&files, &[FILES[n]]);
        run(home, &["new", name]);
        run(home, &["ingest", files.to_str().unwrap(), "-c", name]);
    }
    let found = run_json(home, &["search", "late payment", "-c", "Quay", "-c", "Pier"]);
    assert_eq!(found["collection"], "Quay, Pier");
    let mut collections: Vec<_> =
        found["results"].as_array().unwrap().iter().map(|result| result["collection"].as_str().unwrap()).collect();
    collections.sort_unstable();
    assert_eq!(collections, ["Pier", "Quay"]);
    let shown = run(home, &["search", "late payment", "-c", "Quay", "-c", "Pier", "--explain"]);
    assert!(shown.contains("2 results in Quay, Pier:"), "{shown}");
    assert!(shown.contains("In:    Quay") && shown.contains("In:    Pier"), "{shown}");
    assert!(shown.contains("Why:   BM25 +") && !shown.contains("Mole"), "{shown}");
    run_expecting(1, home, &["search", "late payment", "-c", "Quay", "-c", "Jetty"]);
}

/// Places of the results in order, with their scores.
fn ranking(home: &Path, query: &str, threads: &str) -> Vec<(String, f64)> {
    let options = ["search", query, "-c", "Matter", "-k", "40", "--threads", threads];
    let found = run_json(home, &options);
    let results = found["results"].as_array().unwrap().iter();
    results.map(|one| (one["citation"].as_str().unwrap().to_owned(), one["score"].as_f64().unwrap())).collect()
}

#[test]
fn rankings_are_the_same_whatever_the_threads_and_after_reopening() {
    let data = tempfile::tempdir().unwrap();
    let homes = ["1", "4"].map(|threads| (data.path().join(threads), threads));
    let queries = ["late payment interest", "who keeps the lighthouse", "budget for the stair", "4.2(b)"];
    let rankings = homes.each_ref().map(|(home, threads)| {
        run(home, &["new", "Matter"]);
        run(home, &["ingest", samples().to_str().unwrap(), "-c", "Matter", "--threads", threads]);
        queries.map(|query| ranking(home, query, threads))
    });
    for (one, other) in rankings[0].iter().flatten().zip(rankings[1].iter().flatten()) {
        assert_eq!(one.0, other.0);
        assert!((one.1 - other.1).abs() < 1e-4, "{one:?} {other:?}");
    }
    for ((home, threads), before) in homes.iter().zip(&rankings) {
        assert_eq!(&queries.map(|query| ranking(home, query, threads)), before, "asked again");
        run(home, &["stop"]);
        assert_eq!(&queries.map(|query| ranking(home, query, threads)), before, "opened again");
    }
}
