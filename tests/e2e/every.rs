//! One question asked of every document.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, run, run_json};

/// Twelve contracts, of which the first five can be ended without cause.
fn contracts(dir: &Path) {
    for number in 1..=12 {
        let mut text = format!(
            "SERVICES AGREEMENT {number}\n\n1. Services. The contractor provides the services of annex {number} with due care and \
             keeps records of them.\n\n2. Fees. The client pays the fees within thirty days of each invoice.\n\n"
        );
        if number <= 5 {
            text.push_str("3. Termination. Either party may terminate this agreement for convenience, without cause, on notice.\n\n");
        } else {
            text.push_str(
                "3. Confidentiality. Each party keeps what it learns of the other secret for five years.\n\n",
            );
        }
        text.push_str("4. Law. This agreement is governed by the laws of the State of Delaware.\n");
        std::fs::write(dir.join(format!("Contract {number:02}.txt")), text).unwrap();
    }
}

fn names(rows: &Value, found: bool) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter().filter(|row| row["found"] == found);
    let mut names: Vec<&str> = rows.map(|row| row["document_name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn every_document_gets_a_row_and_the_count_is_at_the_top() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    std::fs::create_dir(&files).unwrap();
    contracts(&files);
    let mut client = Client::start(home, &[]);
    client.call("create_collection", json!({"name": "Services"}));
    client.work("ingest_folder", json!({"folder_path": files}));

    let question = "Can a party terminate without cause?";
    let (text, answer) = client.call("ask_every_document", json!({"question": question}));
    assert_eq!((&answer["documents"], &answer["found"]), (&json!(12), &json!(5)), "{text}");
    let expected: Vec<String> = (1..=5).map(|number| format!("Contract {number:02}.txt")).collect();
    assert_eq!(names(&answer["rows"], true), expected);
    assert_eq!((names(&answer["rows"], false).len(), &answer["next_offset"]), (5, &json!(10)));
    let (_, all) = client.call("ask_every_document", json!({"question": question, "limit": 200}));
    assert_eq!((names(&all["rows"], false).len(), &all["next_offset"]), (7, &Value::Null));
    assert!(text.contains("\nFound in 5 of 12 documents.\n"), "{text}");
    let first = &answer["rows"][0];
    assert!(first["quote"].as_str().unwrap().contains("for convenience, without cause"), "{first}");
    assert!(first["citation"].as_str().unwrap().contains(", p. 1, "), "{first}");
    assert!(text.contains("Nothing found in 7, nearest first: \"Contract"), "{text}");
    assert!(answer.to_string().len() <= 2 * text.len(), "{} {}", answer.to_string().len(), text.len());

    // In parts, and of some documents only.
    let (text, part) = client.call("ask_every_document", json!({"question": question, "limit": 4}));
    assert_eq!((part["rows"].as_array().unwrap().len(), &part["next_offset"]), (4, &json!(4)));
    assert!(text.contains("8 more: call again with offset 4"), "{text}");
    let (_, rest) = client.call("ask_every_document", json!({"question": question, "limit": 50, "offset": 4}));
    assert_eq!((names(&rest["rows"], true).len(), names(&rest["rows"], false).len()), (1, 7));
    let some = json!({"question": question, "documents": ["Contract 02.txt", "Contract 09.txt"], "brief": false});
    let (_, some) = client.call("ask_every_document", some);
    assert_eq!(some["documents"], 2);
    assert_eq!(names(&some["rows"], true), ["Contract 02.txt"]);
    assert!(some["rows"][0]["passage"]["text"].as_str().unwrap().contains("without cause"));

    // A query that none of them answers.
    let (text, nothing) =
        client.call("ask_every_document", json!({"question": "uranium enrichment quotas of reactors"}));
    assert_eq!(nothing["found"], 0, "{text}");
    let refused = client.call_failing("ask_every_document", json!({"question": "+cause"}));
    assert!(refused.contains("conditions only"), "{refused}");
    drop(client);

    let shown = run(home, &["ask", question]);
    assert!(shown.contains("Found in 5 of 12 documents."), "{shown}");
    assert_eq!(run_json(home, &["ask", "which law governs?"])["found"], 12);

    // The beginnings of documents.
    let titles = run_json(home, &["ask", "What is the title of the agreement?"]);
    assert_eq!(titles["found"], 12);
    assert!(titles["rows"][0]["quote"].as_str().unwrap().contains("SERVICES AGREEMENT"), "{titles}");

    // As many as a search gives, also with an offset.
    let free = run_json(home, &["ask", question, "--tier", "free"]);
    assert_eq!((free["rows"].as_array().unwrap().len(), &free["next_offset"]), (10, &Value::Null));
    assert!(free["notices"].to_string().contains("The Free tier shows the first 10 documents."), "{free}");
    let further = run_json(home, &["ask", question, "--tier", "free", "--offset", "10"]);
    assert_eq!(further["rows"], json!([]));
}
