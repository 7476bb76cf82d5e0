//! Bad input: each a clear error, the server still answering, the collection still sound.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::client::{Client, casetrack, run, samples};

/// A collection with one good document, and a folder to put bad files into.
fn start(home: &Path, files: &Path) -> Client {
    let mut client = Client::start(home, &[]);
    client.call("create_collection", json!({"name": "Bad"}));
    let good = files.join("good.txt");
    std::fs::write(&good, "A good document about lighthouses.").unwrap();
    client.work("ingest_document", json!({"file_path": good}));
    client
}

fn finish(mut client: Client, home: &Path) {
    let (_, found) = client.call("search_documents", json!({"query": "lighthouses"}));
    assert!(found["results"][0]["text"].as_str().unwrap().contains("lighthouses"));
    client.close();
    run(home, &["verify", "-c", "Bad"]);
}

/// The first part of a sample file.
fn truncated(sample: &str, to: PathBuf, keep: f64) -> PathBuf {
    let bytes = std::fs::read(samples().join("harbour-point").join(sample)).unwrap();
    std::fs::write(&to, &bytes[..(bytes.len() as f64 * keep) as usize]).unwrap();
    to
}

#[test]
fn bad_files_are_refused_with_their_reason() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let mut client = start(&home, &files);

    let missing = files.join("missing.pdf");
    assert_eq!(
        client.work_failing("ingest_document", json!({"file_path": missing})),
        format!("File not found: {}\n\nCheck that the path is correct and the file exists.", missing.display())
    );

    let empty = files.join("empty.pdf");
    std::fs::write(&empty, "").unwrap();
    let huge = files.join("huge.txt");
    std::fs::File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    let broken_pdf = truncated("contract/Refurbishment_Works_Agreement.pdf", files.join("broken.pdf"), 0.3);
    let broken_docx = truncated("contract/Amendment_No_1.docx", files.join("broken.docx"), 0.5);
    let broken_xlsx = truncated("finance/Cost_Plan.xlsx", files.join("broken.xlsx"), 0.5);
    let picture = files.join("picture.pdf");
    std::fs::write(&picture, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    for (file, reason) in [
        (&empty, "empty"),
        (&huge, "limit is 512 MB"),
        (&broken_pdf, "PDF"),
        (&broken_docx, "broken.docx"),
        (&broken_xlsx, "broken.xlsx"),
        (&picture, "picture.pdf could not be read"),
        (&files, "ingest_folder"),
    ] {
        let said = client.work_failing("ingest_document", json!({"file_path": file}));
        assert!(said.contains(reason), "{}: {said}", file.display());
    }

    // A folder with all of them: the good parts go in, each bad file is a line.
    let (text, report) = client.work("ingest_folder", json!({"folder_path": files}));
    assert_eq!(report["failed"].as_array().unwrap().len(), 6, "{text}");
    assert_eq!(report["skipped"].as_array().unwrap().len(), 1, "{text}");
    finish(client, &home);
}

#[test]
fn text_named_pdf_and_odd_names_are_ingested_as_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let mut client = start(&home, &files);
    for (name, word) in
        [("text.pdf", "walrus"), ("with space 'and' \"quotes\".txt", "narwhal"), ("new\nline.txt", "orca")]
    {
        let file = files.join(name);
        std::fs::write(&file, format!("This file speaks of the {word}.")).unwrap();
        client.work("ingest_document", json!({"file_path": file}));
        let (_, found) = client.call("search_documents", json!({"query": word, "top_k": 1}));
        assert_eq!(found["results"][0]["provenance"]["document_name"], name);
    }
    finish(client, &home);
}

#[cfg(unix)]
#[test]
fn unreadable_folders_and_names_that_are_not_utf8_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let client = start(&home, &files);
    client.close();

    let odd = files.join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt"));
    std::fs::File::create(&odd).unwrap().write_all(b"text").unwrap();
    let output = casetrack(&home).args(["ingest", "-c", "Bad"]).arg(&odd).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("not valid UTF-8"), "{output:?}");

    let locked = dir.path().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let output = casetrack(&home).args(["ingest", "-c", "Bad"]).arg(&locked).output().unwrap();
    // The superuser may read anything.
    if std::fs::read_dir(&locked).is_err() {
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("Permission denied"), "{output:?}");
    }
    finish(Client::start(&home, &["--collection", "Bad"]), &home);
}

#[test]
fn bad_arguments_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (home, files) = (dir.path().join("home"), dir.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    let mut client = start(&home, &files);
    for (arguments, reason) in [
        (json!({"query": "x", "top_k": 0}), "top_k"),
        (json!({"query": "x", "top_k": 1_000_000_000}), "between 1 and 50"),
        (json!({"query": "x", "top_k": -3}), "top_k"),
        (json!({"query": "x", "top_k": "many"}), "top_k"),
        (json!({"query": "  "}), "empty"),
        (json!({"query": "lighthouse ".repeat(8 << 17)}), "the limit is"),
        (json!({}), "query"),
        (json!({"query": "x", "colour": "red"}), "colour"),
        (json!({"query": "x", "document_filter": "god.txt"}), "Did you mean"),
    ] {
        let said = client.call_failing("search_documents", arguments);
        assert!(said.contains(reason), "{reason}: {said}");
    }
    for query in ["(", "\"unbalanced", "a:b^c~d", "+-*/", "NOT AND OR", "\u{0}\u{202e}", "日本語", "🦀"] {
        client.call("search_documents", json!({"query": query}));
    }
    finish(client, &home);
}

#[test]
fn a_deleted_collection_is_gone_for_the_session_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Client::start(dir.path(), &[]);
    client.call("create_collection", json!({"name": "Short-lived"}));
    let refused = client.call_failing("delete_collection", json!({"collection_name": "Short-lived", "confirm": false}));
    assert!(refused.contains("confirm"), "{refused}");
    client.call("delete_collection", json!({"collection_name": "Short-lived", "confirm": true}));
    let said = client.call_failing("search_documents", json!({"query": "x"}));
    assert!(said.starts_with("No active collection."), "{said}");

    let (_, created) = client.call("create_collection", json!({"name": "Vanishing"}));
    let path = dir.path().join("collections").join(created["id"].as_str().unwrap());
    std::fs::remove_dir_all(path).unwrap();
    let said = client.call_failing("switch_collection", json!({"collection_name": "Vanishing"}));
    assert!(said.starts_with("Collection not found: \"Vanishing\""), "{said}");
    client.call("create_collection", json!({"name": "Next"}));
    client.close();
}
