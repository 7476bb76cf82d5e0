//! Files inside files: they are documents of their own that come, change and go with their container.

use std::collections::BTreeMap;
use std::path::Path;

use crate::client::{run, run_json};

/// A message with these attachments, all of them text.
fn message(subject: &str, attachments: &[(&str, &str)]) -> String {
    let mut message = format!(
        "From: Ann <ann@example.com>\r\nMessage-ID: <1@example.com>\r\nMIME-Version: 1.0\r\nSubject: {subject}\r\n\
         Content-Type: multipart/mixed; boundary={subject}\r\n\r\n--{subject}\r\n\r\nThe heating engineer calls on Monday.\r\n"
    );
    for (name, text) in attachments {
        message += &format!("--{subject}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\r\n{text}\r\n");
    }
    message + &format!("--{subject}--\r\n")
}

/// Ids of all documents by path below `folder`.
fn documents(home: &Path, folder: &Path) -> BTreeMap<String, String> {
    let below = folder.join("").display().to_string();
    let documents = run_json(home, &["documents", "-c", "Mail"]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    documents
        .as_array()
        .unwrap()
        .iter()
        .map(|document| (text(&document["path"]).strip_prefix(&below).unwrap().to_owned(), text(&document["id"])))
        .collect()
}

#[test]
fn attachments_follow_their_container() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    let folder = tempfile::tempdir().unwrap();
    let folder = casetrack_core::real_path(folder.path()).unwrap();
    let inner = message("Survey", &[("survey.txt", "Moisture meters read nineteen percent in the cellar.")]);
    let attachments =
        [("lease.txt", "The tenant pays rent quarterly in advance."), ("old.txt", "Superseded."), ("in.eml", &inner)];
    std::fs::write(folder.join("a.eml"), message("Lease", &attachments)).unwrap();
    let mailbox = format!("From a Mon Jun  1 10:00:00 2009\n{}", message("Boxed", &[("copy.txt", "Another text.")]));
    std::fs::write(folder.join("b.mbox"), mailbox).unwrap();
    run_json(home, &["new", "Mail"]);

    let ingest = || run_json(home, &["ingest", folder.to_str().unwrap(), "-c", "Mail"]);
    let report = ingest();
    let first = documents(home, &folder);
    let paths: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "a.eml",
            "a.eml/in.eml",
            "a.eml/in.eml/survey.txt",
            "a.eml/lease.txt",
            "a.eml/old.txt",
            "b.mbox",
            "b.mbox/00001 Boxed.eml",
            "b.mbox/00001 Boxed.eml/copy.txt",
        ]
    );
    assert_eq!(report["found"], 8);

    let found = run_json(home, &["search", "moisture in the cellar", "-c", "Mail", "-k", "1"]);
    let provenance = &found["results"][0]["provenance"];
    assert_eq!(provenance["document_name"], "a.eml/in.eml/survey.txt");
    assert_eq!(provenance["file_path"], format!("{}/in.eml/survey.txt", folder.join("a.eml").display()));

    let again = ingest();
    assert_eq!((again["ingested"].as_array().unwrap().len(), again["skipped"].as_array().unwrap().len()), (0, 8));

    // One changed, one gone, one under a new name: a rename is not a duplicate of what is about to go.
    let attachments = [("lease.txt", "The tenant pays rent monthly in arrears."), ("renamed.eml", &*inner)];
    std::fs::write(folder.join("a.eml"), message("Lease", &attachments)).unwrap();
    ingest();
    let second = documents(home, &folder);
    let paths: Vec<&str> = second.keys().map(String::as_str).filter(|path| path.starts_with("a.eml")).collect();
    assert_eq!(paths, ["a.eml", "a.eml/lease.txt", "a.eml/renamed.eml", "a.eml/renamed.eml/survey.txt"]);
    assert_eq!((&first["a.eml"], &first["a.eml/lease.txt"]), (&second["a.eml"], &second["a.eml/lease.txt"]));

    run(home, &["call", "delete_document", "-c", "Mail", "{\"document_name\": \"a.eml\", \"confirm\": true}"]);
    assert!(documents(home, &folder).keys().all(|path| path.starts_with("b.mbox")));
    assert!(run_json(home, &["verify", "-c", "Mail"])["clean"].as_bool().unwrap());
}

#[test]
fn files_in_an_office_document_follow_it() {
    let data = tempfile::tempdir().unwrap();
    let home = data.path();
    let folder = tempfile::tempdir().unwrap();
    let folder = casetrack_core::real_path(folder.path()).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    std::fs::copy(fixtures.join("enclosures.docx"), folder.join("letter.docx")).unwrap();
    run_json(home, &["new", "Mail"]);
    let ingest = || run_json(home, &["ingest", folder.to_str().unwrap(), "-c", "Mail"]);
    ingest();
    let paths: Vec<String> = documents(home, &folder).into_keys().collect();
    assert_eq!(paths, ["letter.docx", "letter.docx/Fees.xlsx", "letter.docx/Keys – Ærø.txt"]);
    let again = ingest();
    assert_eq!((again["ingested"].as_array().unwrap().len(), again["skipped"].as_array().unwrap().len()), (0, 3));

    // A version without files takes theirs away.
    std::fs::copy(fixtures.join("licence.docx"), folder.join("letter.docx")).unwrap();
    ingest();
    let paths: Vec<String> = documents(home, &folder).into_keys().collect();
    assert_eq!(paths, ["letter.docx"]);
}
