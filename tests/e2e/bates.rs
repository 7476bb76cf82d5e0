//! Bates numbers: found, searched, cited and listed.

use serde_json::{Value, json};

use crate::client::{Client, casetrack, places, run, run_json, write_files};

/// A document whose pages end with these numbers.
fn produced(about: &str, numbers: &[&str]) -> String {
    let page = |number: &&str| format!("The {about} is described here.\n\nIt was agreed by both parties.\n\n{number}");
    numbers.iter().map(page).collect::<Vec<_>>().join("\x0c")
}

#[test]
fn numbers_are_searched_cited_and_listed() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    let lease = produced("rent of the flat", &["SMITH000041", "SMITH000042", "SMITH000043", "SMITH000046"]);
    let loan = produced("interest on the loan", &["SMITH000046", "SMITH000047", "SMITH000048"]);
    let memo = produced("garden", &["", ""]);
    write_files(&files, &[("Lease.txt", &lease), ("Loan.txt", &loan), ("Memo.txt", &memo)]);
    let mut client = Client::start_in(home, "Flat", &files);

    for (query, expected) in [
        ("bates:SMITH000042", &["Lease.txt 2"][..]),
        ("bates:SMITH000043..SMITH000047", &["Lease.txt 3", "Lease.txt 4", "Loan.txt 1", "Loan.txt 2"]),
        ("bates:smith-46 document:Loan", &["Loan.txt 1"]),
        ("\"rent of the flat\" bates:SMITH000046..", &["Lease.txt 4"]),
        ("bates:JONES000042", &[]),
    ] {
        let found = client.call("search_documents", json!({"query": query})).1;
        assert_eq!(places(&found), expected, "{query}: {found:#}");
        assert!(found["complete"].is_object(), "{query}");
    }
    let found = client.call("search_documents", json!({"query": "rent bates:SMITH000042"})).1;
    assert_eq!(places(&found), ["Lease.txt 2"]);
    let result = &found["results"][0];
    assert_eq!(result["provenance"]["bates"], "SMITH000042");
    let citation = result["citation"].as_str().unwrap();
    assert!(citation.contains(", p. 2 (Bates SMITH000042), para"), "{citation}");
    let checked = client.call("verify_quote", json!({"text": "The interest on the loan is described here."})).1;
    let citation = checked["places"][0]["citation"].as_str().unwrap();
    assert!(citation.contains("p. 1 (Bates SMITH000046)"), "{citation}");

    let (text, report) = client.call("list_bates", json!({}));
    assert_eq!((&report["documents"], &report["pages"], &report["total"]), (&json!(2), &json!(7), &json!(3)));
    assert_eq!(
        (&report["gaps"][0]["first"], &report["gaps"][0]["last"]),
        (&json!("SMITH000044"), &json!("SMITH000045"))
    );
    assert_eq!((&report["repeated_count"], &report["repeated"][0]["first"]), (&json!(1), &json!("SMITH000046")));
    assert!(text.contains("SMITH000041 to SMITH000043  Lease.txt, pp. 1-3"), "{text}");
    let warnings = client.call("get_document", json!({"document_name": "Lease.txt"})).1["warnings"].clone();
    assert_eq!(warnings, json!(["The Bates numbers SMITH000044 to SMITH000045 are missing between pages 3 and 4."]));
    client.close();

    let listed = run(home, &["bates", "-c", "Flat", "--document", "Loan"]);
    assert!(listed.contains("3 pages in 1 document, 1 range") && listed.contains("Missing: none"), "{listed}");
}

#[test]
fn citations_have_the_style_of_the_user() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    let lease = produced("rent of the flat", &["SMITH000041", "SMITH000042"]);
    write_files(&files, &[("Lease.txt", &lease), ("Memo.txt", "The garden is not rented.")]);
    run(home, &["new", "Flat"]);
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Flat"]);
    let cited = |style: &[&str], query: &str| -> (String, String) {
        let found: Value = run_json(home, &[&["search", query, "-c", "Flat", "-k", "1"], style].concat());
        let result = &found["results"][0];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&result["citation"]), text(&result["excerpt"]["citation"]))
    };
    let both = |citation: &str| (citation.to_owned(), citation.to_owned());
    let query = "rent bates:SMITH000042";
    assert_eq!(cited(&["--citations", "bates"], query), both("Lease, SMITH000042"));
    assert_eq!(cited(&["--citations", "short"], query), both("Lease, p. 2 (Bates SMITH000042)"));
    assert_eq!(cited(&["--citations", "{document} at {page} [{bates}]"], query), both("Lease at p. 2 [SMITH000042]"));
    assert_eq!(cited(&["--citations", "{document} at {page} [{bates}]"], "garden"), both("Memo at p. 1"));
    std::fs::write(home.join("config.toml"), "citations = \"{file}, {bates}\"\n").unwrap();
    assert_eq!(cited(&[], query), both("Lease.txt, SMITH000042"));
    assert_eq!(cited(&["--citations", "bates"], query), both("Lease, SMITH000042"));
    let refused = casetrack(home).args(["search", "rent", "-c", "Flat", "--citations", "{pages}"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let refused = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.contains("there is no placeholder {pages}"), "{refused}");
}
