//! The user's own tags and fields.

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, write_files};

const MATTER: [(&str, &str); 3] = [
    ("contracts/2023/Lease.txt", "The landlord may terminate the lease with notice."),
    ("contracts/2024/Loan.txt", "The bank may terminate the loan with notice."),
    ("mail/Memo.txt", "Please terminate nothing without notice."),
];

fn names(found: &Value, list: &str) -> Vec<String> {
    let name = |item: &Value| {
        let name = item["provenance"]["document_name"].as_str().or_else(|| item["name"].as_str());
        name.or_else(|| item["document_name"].as_str()).unwrap().to_owned()
    };
    let mut names: Vec<String> = found[list].as_array().unwrap().iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn tags_and_fields_restrict_searches_and_stay_with_their_documents() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    let mut client = Client::start_in(home, "Flat", &files);

    let changes = json!({"documents": ["Lease", "Memo.txt"], "add_tags": ["Privileged", "hot"], "set_fields": ["custodian=Ann Lee"]});
    let (text, report) = client.call("tag_document", changes.clone());
    assert_eq!((&report["changed"], &report["unchanged"]), (&json!(2), &json!(0)));
    assert!(text.contains("Lease.txt: Tags: hot, Privileged | custodian=\"Ann Lee\""), "{text}");
    assert_eq!(client.call("tag_document", changes).1["unchanged"], 2);
    client.call(
        "tag_document",
        json!({"documents": ["Memo"], "remove_tags": ["HOT"], "clear_fields": ["Custodian"], "set_fields": ["year=2024"]}),
    );
    let failed = client.call_failing("tag_document", json!({"documents": ["Lease", "Leese"], "add_tags": ["x"]}));
    assert!(failed.contains("Did you mean"), "{failed}");
    client.call_failing("tag_document", json!({"documents": ["Lease"]}));
    client.call_failing("tag_document", json!({"documents": ["Lease"], "set_fields": ["year"]}));

    let search = |client: &mut Client, query: &str| client.call("search_documents", json!({"query": query})).1;
    for (query, expected) in [
        ("terminate tag:privileged", &["Lease.txt", "Memo.txt"][..]),
        ("terminate -tag:privileged", &["Loan.txt"]),
        ("\"with notice\" tag:hot", &["Lease.txt"]),
        ("terminat* AND tag:privileged", &["Lease.txt", "Memo.txt"]),
        ("terminate tag:hot tag:privileged -field:year", &["Lease.txt"]),
        ("terminate field:custodian=\"ann lee\"", &["Lease.txt"]),
        ("terminate field:\"custodian=ANN LEE\"", &["Lease.txt"]),
        ("terminate field:year=2024 field:year=2023", &["Memo.txt"]),
        ("terminate field:year=2024 field:custodian", &[]),
    ] {
        let found = search(&mut client, query);
        assert_eq!(names(&found, "results"), expected, "{query}: {found:#}");
    }
    let unknown = search(&mut client, "terminate tag:priviledged");
    let notice = "No document has the tag \"priviledged\". There are: Privileged, hot.";
    assert_eq!((&unknown["notices"][0], &unknown["results"]), (&json!(notice), &json!([])));
    let filtered = json!({"query": "terminate", "tag": "-privileged"});
    assert_eq!(names(&client.call("search_documents", filtered).1, "results"), ["Loan.txt"]);
    let filtered = json!({"terms": ["terminat*"], "field": "year=2024"});
    assert_eq!(names(&client.call("search_terms", filtered).1, "rows"), ["Memo.txt"]);
    client.call_failing("search_documents", json!({"query": "terminate", "field": "=x"}));

    let (text, listed) = client.call("list_documents", json!({"tag": "hot"}));
    assert_eq!(names(&listed, "documents"), ["Lease.txt"]);
    assert_eq!(
        listed["documents"][0]["marks"],
        json!({"tags": ["hot", "Privileged"], "fields": {"custodian": "Ann Lee"}})
    );
    assert!(text.contains("Tags: hot, Privileged"), "{text}");
    let (text, details) = client.call("get_document", json!({"document_name": "Lease"}));
    assert_eq!(details["marks"]["tags"], json!(["hot", "Privileged"]));
    assert!(text.contains("Tags: hot, Privileged | custodian=\"Ann Lee\""), "{text}");

    // New content and a new place.
    std::fs::write(
        files.join("contracts/2023/Lease.txt"),
        "The landlord may terminate the lease with a month's notice.",
    )
    .unwrap();
    std::fs::rename(files.join("mail/Memo.txt"), files.join("mail/Note.txt")).unwrap();
    client.work("sync_folder", json!({"folder_path": files}));
    assert_eq!(names(&search(&mut client, "month terminate tag:privileged"), "results"), ["Lease.txt", "Note.txt"]);
    client.close();

    let archive = data.path().join("flat.ctcollection");
    run(home, &["export", archive.to_str().unwrap(), "-c", "Flat"]);
    run(home, &["import", archive.to_str().unwrap(), "--name", "Copy"]);
    assert_eq!(
        names(&json!({"all": run_json(home, &["documents", "-c", "Copy", "--tag", "privileged"])}), "all"),
        ["Lease.txt", "Note.txt"]
    );
    run(home, &["verify", "-c", "Flat"]);
    run(home, &["close", "Flat"]);
    run_expecting(1, home, &["tag", "Lease", "--add", "x", "-c", "Flat"]);
}

#[test]
fn folders_and_tables_set_tags_and_fields() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    run(home, &["new", "Flat"]);
    run(home, &["ingest", files.to_str().unwrap(), "-c", "Flat"]);

    let by_folder = run_json(home, &["tag", "--from-folders", "-c", "Flat"]);
    assert_eq!(by_folder["changed"], 3);
    let tagged = |tag: &str| {
        let found = run_json(home, &["documents", "-c", "Flat", "--tag", tag]);
        names(&json!({"all": found}), "all")
    };
    assert_eq!(tagged("contracts"), ["Lease.txt", "Loan.txt"]);
    assert_eq!((tagged("2024"), tagged("files")), (vec!["Loan.txt".to_owned()], vec![]));

    let table = data.path().join("marks.csv");
    let memo = files.join("mail/Memo.txt");
    let csv = format!(
        "File,Tags,Custodian\nLease,\"hot; privileged\",Ann Lee\n{},,Smith\nNothing.txt,hot,\n",
        memo.display()
    );
    std::fs::write(&table, csv).unwrap();
    let shown = run(home, &["tag", "--csv", table.to_str().unwrap(), "-c", "Flat"]);
    assert!(shown.starts_with("Changed 2 documents of Flat; 0 had these marks already."), "{shown}");
    assert!(shown.contains("Left out:\n  - Line 4: "), "{shown}");
    assert_eq!(tagged("hot"), ["Lease.txt"]);
    let found = run_json(home, &["search", "terminate", "-c", "Flat", "--field", "custodian=smith", "--tag=-hot"]);
    assert_eq!(names(&found, "results"), ["Memo.txt"]);

    run(
        home,
        &[
            "tag",
            "Lease",
            "Loan",
            "--add",
            "x",
            "--remove",
            "hot",
            "--set",
            "year=1",
            "--clear",
            "custodian",
            "-c",
            "Flat",
        ],
    );
    assert_eq!((tagged("x"), tagged("hot")), (vec!["Lease.txt".to_owned(), "Loan.txt".to_owned()], vec![]));
    std::fs::write(&table, "a,b\n1,2\n").unwrap();
    run_expecting(1, home, &["tag", "--csv", table.to_str().unwrap(), "-c", "Flat"]);
}

#[test]
fn documents_are_tagged_as_they_are_read() {
    let data = tempfile::tempdir().unwrap();
    let home = &data.path().join("home");
    let files = data.path().join("files");
    write_files(&files, &MATTER);
    let table = data.path().join("marks.csv");
    std::fs::write(&table, "File,Tags,Custodian\nLease,hot,Ann Lee\nNothing.txt,hot,\n").unwrap();
    let (folder, csv) = (files.to_str().unwrap(), table.to_str().unwrap());
    run(home, &["new", "Flat"]);
    let shown = run(home, &["ingest", folder, "-c", "Flat", "--tags-from-folders", "--tags-csv", csv]);
    assert!(shown.contains("Note: Tagged from the names of folders: 3 of the collection's documents."), "{shown}");
    assert!(shown.contains("Note: Rows of the table that were left out: 1. Line 3: "), "{shown}");
    let tagged = |tag: &str| names(&json!({"all": run_json(home, &["documents", "-c", "Flat", "--tag", tag])}), "all");
    assert_eq!(
        (tagged("contracts"), tagged("hot")),
        (vec!["Lease.txt".to_owned(), "Loan.txt".to_owned()], vec!["Lease.txt".to_owned()])
    );
    assert!(tagged("files").is_empty());

    // A table that cannot be read is refused before anything is.
    write_files(&files, &[("late/Note.txt", "A late note about the lease.")]);
    std::fs::write(&table, "Custodian\nAnn Lee\n").unwrap();
    run_expecting(1, home, &["sync", folder, "-c", "Flat", "--tags-csv", csv]);
    assert_eq!(run_json(home, &["documents", "-c", "Flat"]).as_array().unwrap().len(), MATTER.len());

    run(home, &["sync", folder, "-c", "Flat", "--tags-from-folders"]);
    assert_eq!(tagged("late"), ["Note.txt"]);
    let mut client = Client::start(home, &["--collection", "Flat"]);
    write_files(&files, &[("later/Memo2.txt", "A memo about the loan.")]);
    client.work("ingest_folder", json!({"folder_path": files, "tags_from_folders": true}));
    client.close();
    assert_eq!(tagged("later"), ["Memo2.txt"]);
}
