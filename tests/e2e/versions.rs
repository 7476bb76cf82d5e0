//! Versions of documents: the redline between two, groups of near-duplicates, and searches that find a passage in many copies.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, write_files};

const CLAUSES: [&str; 8] = [
    "SUPPLY AGREEMENT",
    "1. Delivery. The supplier delivers the slates by ship to the harbour of the buyer within thirty (30) days after each order.",
    "2. Price. The buyer pays four hundred euros for each ton of slate, net of customs and freight.",
    "3. Notices",
    "Notices are sent by registered mail to the address that the other party named last in writing.",
    "4. Warranty. The supplier warrants that the slates withstand frost for twenty years from delivery.",
    "5. Confidentiality. Neither party discloses drawings or price lists of the other to anybody without consent.",
    "6. Law. The laws of Norway govern this agreement, and the courts of Bergen decide all disputes.",
];

fn matter(dir: &Path) -> Client {
    let old = CLAUSES.join("\n\n");
    // A number changes, a title changes, a clause moves, one goes and one is new; the lines break elsewhere.
    let mut new = CLAUSES.map(str::to_owned).to_vec();
    new[1] = new[1].replace("thirty (30)", "sixty (60)").replace(" by ship", "\nby ship");
    new[3] = "3. Communications".to_owned();
    let price = new.remove(2);
    new.push(price);
    new.retain(|clause| !clause.starts_with("4."));
    new.insert(
        4,
        "Interest of nine percent a year runs on whatever is paid after the day on which it was due.".to_owned(),
    );
    let other = "The lighthouse keeper writes down the weather every morning and lights the lamp at dusk, whatever the season may be.";
    let files = dir.join("files");
    let (copy, new) = (old.replace("\n\n", "\n\n\n").to_uppercase(), new.join("\n\n"));
    write_files(
        &files,
        &[("Supply v1.txt", &old), ("Supply v2.txt", &new), ("copies/Supply draft.txt", &copy), ("keeper.txt", other)],
    );
    Client::start_in(&dir.join("home"), "Slate", &files)
}

fn kinds(redline: &Value) -> Vec<&str> {
    redline["changes"].as_array().unwrap().iter().map(|change| change["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_redline_says_what_a_version_changes_with_citations_of_both() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = matter(dir.path());
    let arguments = json!({"old_document": "Supply v1", "new_document": "Supply v2"});
    let (text, redline) = client.call("redline_documents", arguments.clone());
    assert_eq!(kinds(&redline), ["changed", "changed", "deleted", "inserted", "moved"], "{redline:#}");
    let changes = &redline["changes"];
    let marked = changes[0]["marked"].as_str().unwrap();
    assert!(marked.contains("within [-thirty-]{+sixty+} ([-30-]{+60+}) days after each order."), "{marked}");
    assert_eq!(changes[1]["marked"], "3. [-Notices-]{+Communications+}");
    assert_eq!(
        (&changes[0]["old"]["place"], &changes[0]["new"]["place"]),
        (&json!("p. 1, paras. 2-3, l. 3"), &json!("p. 1, paras. 2-3, ll. 3-4"))
    );
    assert_eq!(changes[3]["old"], Value::Null);
    assert!(changes[2]["old"]["quote"].as_str().unwrap().starts_with("4. Warranty."), "{redline:#}");
    assert_eq!(changes[4]["old"]["quote"], CLAUSES[2]);
    assert_eq!(redline["counts"]["unchanged"], 4);
    assert!(text.contains("Paragraphs: 4 unchanged, 2 changed, 1 inserted, 1 deleted, 1 moved"), "{text}");
    assert!(
        text.contains(
            "\n2. changed (old p. 1, para. 6, l. 7; new p. 1, para. 4, l. 6): \"3. [-Notices-]{+Communications+}\""
        ),
        "{text}"
    );

    let mut part = arguments.clone();
    (part["offset"], part["limit"]) = (json!(1), json!(2));
    let (text, part) = client.call("redline_documents", part);
    assert_eq!(
        (kinds(&part), &part["next_offset"], &part["total"]),
        (vec!["changed", "deleted"], &json!(3), &json!(5))
    );
    assert!(text.contains("\n3. deleted (") && text.contains("2 more: call again with offset 3."), "{text}");

    let refused =
        client.call_failing("redline_documents", json!({"old_document": "Supply v1", "new_document": "Supply v1.txt"}));
    assert!(refused.contains("Both names mean the same document"), "{refused}");
    client.close();
    let home = &dir.path().join("home");
    let shown = run(home, &["redline", "Supply v1", "Supply v2", "-c", "Slate", "--limit", "1"]);
    assert!(shown.contains("1. changed (old") && shown.contains("4 more: see them with --offset 1."), "{shown}");
    let refused =
        run_expecting(1, home, &["redline", "Supply v1", "Supply v2", "-c", "Slate", "--tier", "free", "--json"]);
    assert!(refused.contains("free_tier_limit"), "{refused}");
}

#[test]
fn versions_are_grouped_in_their_order_and_other_documents_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = matter(dir.path());
    let (text, found) = client.call("list_versions", json!({}));
    assert_eq!(
        (&found["total"], &found["in_groups"], &found["documents"]),
        (&json!(1), &json!(3), &json!(4)),
        "{found:#}"
    );
    let group = &found["groups"][0];
    assert_eq!(group["ordered_by"], "version_in_name");
    let names: Vec<&str> = group["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["document_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Supply draft.txt", "Supply v1.txt", "Supply v2.txt"]);
    // Capitals are no other words.
    assert_eq!((&group["versions"][1]["same_text"], &group["versions"][1]["similarity"]), (&json!(true), &json!(1.0)));
    assert_eq!(group["versions"][2]["changes"], 5);
    assert!(text.contains("\"Supply v2.txt\", version 2: similarity 0."), "{text}");
    let (_, none) = client.call("list_versions", json!({"document_filter": "keeper"}));
    assert_eq!(none["groups"], json!([]));
    let (_, none) = client.call("list_versions", json!({"min_similarity": 0.99}));
    assert_eq!(none["groups"][0]["total"], 2);
    client.close();
    let home = &dir.path().join("home");
    let found = run_json(home, &["versions", "-c", "Slate", "--document", "Supply v2"]);
    assert_eq!(found["groups"][0]["total"], 3);
    let refused = run_expecting(1, home, &["versions", "-c", "Slate", "--min-similarity", "0", "--json"]);
    assert!(refused.contains("min_similarity is 0; it must be between 0.1 and 1."), "{refused}");
}

#[test]
fn ingestion_says_which_new_documents_are_versions() {
    let dir = tempfile::tempdir().unwrap();
    let client = matter(dir.path());
    client.close();
    let (home, later) = (dir.path().join("home"), dir.path().join("later"));
    let signed = CLAUSES.join("\n\n").replace("Norway", "Denmark").replace("Bergen", "Aarhus");
    write_files(&later, &[("Supply signed.txt", &signed)]);
    let said = run(&home, &["ingest", later.to_str().unwrap(), "-c", "Slate"]);
    assert!(said.contains("Note: “Supply signed.txt” may be a version of “Supply "), "{said}");
    assert!(said.contains("of the wording of both is the same. See `casetrack versions`."), "{said}");
    let again = run_json(&home, &["ingest", later.to_str().unwrap(), "-c", "Slate"]);
    assert_eq!(again["notices"], json!([]));
    write_files(
        &later,
        &[("gulls.txt", "Gulls sit on the pier and wait for the boats that come home from the sea at noon.")],
    );
    let other = run_json(&home, &["sync", later.to_str().unwrap(), "-c", "Slate"]);
    assert_eq!(other["notices"], json!([]));
    write_files(&later, &[("a.txt", &(signed.clone() + "\n\nSigned.")), ("b.txt", &(signed + "\n\nSigned twice."))]);
    let synced = run_json(&home, &["sync", later.to_str().unwrap(), "-c", "Slate"]);
    let said = synced["notices"][0].as_str().unwrap();
    assert!(said.starts_with("2 of the new documents may be versions or copies of others: “a.txt” and “"), "{said}");
}

#[test]
fn a_passage_in_many_copies_is_one_result_that_says_so_and_complete_lists_have_all() {
    let dir = tempfile::tempdir().unwrap();
    let clause = "Late payment bears interest at four percent a year, from the day on which the price was due.";
    let mut files: Vec<(String, String)> = (0..6)
        .map(|n| {
            let text = if n % 2 == 0 { clause.to_owned() } else { clause.to_uppercase().replace(", ", ",\n") };
            // A file with the same bytes would be skipped.
            (format!("copy {n}.txt"), text + &"\n".repeat(n))
        })
        .collect();
    files.push((
        "other.txt".to_owned(),
        "Late payment bears interest at nine percent a year. Dogs are not allowed.".to_owned(),
    ));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    write_files(&dir.path().join("files"), &files);
    let mut client = Client::start_in(&dir.path().join("home"), "Pier", &dir.path().join("files"));
    let (text, found) = client.call("search_documents", json!({"query": "interest on late payment"}));
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{found:#}");
    let folded = results.iter().find(|result| result["repeated_in"].is_array()).unwrap();
    assert_eq!(folded["repeated_in"].as_array().unwrap().len(), 5);
    assert!(text.contains("(the same passage in 5 other documents)"), "{text}");
    let (text, brief) = client.call("search_documents", json!({"query": "interest on late payment", "brief": true}));
    assert_eq!(brief["hits"].as_array().unwrap().len(), 2, "{brief:#}");
    assert!(text.contains("(the same in other documents, 5: "), "{text}");
    // A search for all passages with a phrase returns all.
    let (_, all) = client.call("search_documents", json!({"query": "\"late payment bears interest\""}));
    assert_eq!((&all["complete"]["passages"], all["results"].as_array().unwrap().len()), (&json!(7), 7), "{all:#}");
    assert!(all["results"].as_array().unwrap().iter().all(|result| result["repeated_in"].is_null()));
}
