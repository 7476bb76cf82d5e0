//! Files on the disk, from the command line and for an assistant.

use std::fs;

use serde_json::json;

use crate::client::{Client, run, run_json};

#[test]
fn answers_about_files_agree_with_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (home, matter) = (dir.path().join("home"), dir.path().join("matter"));
    fs::create_dir_all(matter.join("mail")).unwrap();
    fs::write(matter.join("Lease Brandt.pdf"), "12345").unwrap();
    fs::write(matter.join("mail/copy.pdf"), "12345").unwrap();
    let folder = matter.to_str().unwrap();
    let indexed = run_json(&home, &["files", "index", folder]);
    assert_eq!((&indexed[0]["added"], &indexed[0]["files"]), (&json!(3), &json!(2)), "{indexed}");

    // Written, and gone, after the index was made.
    fs::write(matter.join("mail/new lease.txt"), "1").unwrap();
    fs::remove_file(matter.join("mail/copy.pdf")).unwrap();
    let names = |answer: &serde_json::Value| -> Vec<String> {
        let files = answer["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    let cached = run_json(&home, &["files", "find", "--in", folder, "--cached", "--kind", "file"]);
    assert_eq!(names(&cached), ["Lease Brandt.pdf"], "what is gone is no answer even without a walk");
    let found = run_json(&home, &["files", "find", "LEASE", "--in", folder, "--when", "today", "--sort", "path"]);
    assert_eq!(names(&found), ["Lease Brandt.pdf", "new lease.txt"]);
    assert_eq!(found["scan"]["removed"], 1);
    let text = run(&home, &["files", "recent", folder]);
    assert!(
        text.contains("    5 bytes  ") && text.contains("mail/new lease.txt") && !text.contains('\u{1b}'),
        "{text}"
    );
    assert!(run(&home, &["files", "recent", folder, "--color", "always"]).contains("\u{1b}[32m"));

    fs::write(matter.join("equal.txt"), "12345").unwrap();
    let equal = run_json(&home, &["files", "duplicates", folder]);
    assert_eq!((&equal["group_count"], &equal["wasted_bytes"]), (&json!(1), &json!(5)), "{equal}");
    let usage = run_json(&home, &["files", "usage", folder]);
    assert_eq!((&usage["total"]["files"], &usage["total"]["bytes"]), (&json!(3), &json!(11)), "{usage}");
    run(&home, &["files", "roots", "--check"]);
    run(&home, &["files", "roots", "--forget", folder]);
    assert_eq!(run_json(&home, &["files", "roots"]), json!([]));
}

#[test]
fn an_assistant_finds_files_below_the_folders_it_was_given_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let (home, matter) = (dir.path().join("home"), dir.path().join("matter"));
    fs::create_dir_all(&matter).unwrap();
    fs::write(matter.join("a.md"), "x").unwrap();
    let mut client = Client::start(&home, &["--toolsets", "time", "--root", matter.to_str().unwrap()]);
    let tools = client.request("tools/list", json!({})).unwrap();
    assert_eq!(tools["tools"].as_array().unwrap().len(), 2, "{tools}");
    let (sentence, answer) = client.call("fs.search_by_time", json!({"timeField": "modified"}));
    assert_eq!(sentence, "Found 1 file (sorted by modified desc).");
    assert_eq!(answer["stats"], json!({"scannedFiles": 1, "scannedDirectories": 0, "returned": 1}), "{answer}");
    let refused = client.call_failing("fs.search_by_time", json!({"timeField": "modified", "path": "../home"}));
    assert!(refused.contains("is not below the root"), "{refused}");
    client.close();
}
