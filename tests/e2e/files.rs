//! Files on the disk, from the command line and for an assistant.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, PATIENCE, run, run_json};
use crate::owner::{kill, owner_pid};

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

/// The answer of indexing once it has ended.
fn indexed(client: &mut Client, arguments: &serde_json::Value) -> serde_json::Value {
    loop {
        let answer = client.call("indexFolder", arguments.clone()).1;
        if answer.get("job").is_none() {
            return answer;
        }
    }
}

#[test]
fn an_assistant_searches_what_files_say_and_sees_no_secret() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let (home, root, outside) = (top.join("home"), top.join("root"), top.join("outside"));
    for folder in [&root, &outside] {
        fs::create_dir_all(folder).unwrap();
    }
    let filler = "Nothing else of note is said here. ".repeat(20);
    let letter = format!("{filler}\nThe turbine is serviced by Jane Roe, jane.roe@example.org, in 2021.\n{filler}");
    fs::write(root.join("letter.txt"), &letter).unwrap();
    fs::write(root.join("chairs 2019.md"), "Garden chairs are delivered to the garden on Monday.").unwrap();
    fs::write(root.join("turbine drawing.dwg"), b"\x00\x01 no text").unwrap();
    fs::write(outside.join("turbine.txt"), "The turbine outside is a secret.").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    let args = ["--toolsets", "files", "--root", root.to_str().unwrap()];
    let mut client = Client::start(&home, &args);
    let all = json!({"root": root});
    let first = indexed(&mut client, &all);
    assert_eq!((&first["indexed"], &first["removed"]), (&json!(2), &json!(0)), "{first}");
    assert_eq!(first["mcp_version"], "v1.0.0");

    let search = |client: &mut Client, arguments: serde_json::Value| client.call("searchFiles", arguments).1;
    let names = |found: &serde_json::Value| -> Vec<String> {
        let items = found["items"].as_array().unwrap().iter();
        items.map(|item| item["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    let found = search(&mut client, json!({"query": "turbine"}));
    let item = &found["items"][0];
    assert_eq!((item["path"].as_str(), item["redacted"].as_bool()), (root.join("letter.txt").to_str(), Some(true)));
    assert!(item["snippet"].as_str().unwrap().contains("[redacted: e-mail address]"), "{item}");
    assert!(!found.to_string().contains("jane.roe") && !found.to_string().contains("outside"), "{found}");
    assert_eq!(names(&search(&mut client, json!({"query": "turbine in .txt"}))), ["letter.txt"]);
    let by_name = names(&search(&mut client, json!({"query": "turbine drawing"})));
    assert!(by_name.contains(&"turbine drawing.dwg".to_owned()), "{by_name:?}");
    assert_eq!(names(&search(&mut client, json!({"query": "turbine", "years": [2019]}))), ["chairs 2019.md"]);
    assert_eq!(
        names(&search(&mut client, json!({"query": "garden NEAR/2 delivered AND NOT turbine"}))),
        ["chairs 2019.md"]
    );
    assert!(names(&search(&mut client, json!({"query": "garden NEAR/0 monday"}))).is_empty());
    let none = search(&mut client, json!({"query": "chairs from 1950"}));
    assert!(!names(&none).is_empty() && none["notices"].to_string().contains("1950"), "{none}");
    let pointer = item["pointer"].clone();
    let preview = client.call("openFile", json!({"path": item["path"], "pointer": pointer})).1;
    let text = preview["preview"].as_str().unwrap();
    assert!(text.contains("turbine is serviced") && !text.contains("jane.roe") && text.len() <= 2048, "{preview}");
    assert_eq!(preview["truncated"], true);
    client.close();

    // After a restart nothing is read again; what changed and went is noticed.
    run(&home, &["stop"]);
    let mut client = Client::start(&home, &args);
    let again = indexed(&mut client, &all);
    assert_eq!((&again["indexed"], &again["removed"]), (&json!(0), &json!(0)), "{again}");
    fs::remove_file(root.join("chairs 2019.md")).unwrap();
    let gone = search(&mut client, json!({"query": "garden chairs"}));
    assert!(!names(&gone).contains(&"chairs 2019.md".to_owned()), "{gone}");
    fs::write(root.join("new.txt"), "A new note about the boiler.").unwrap();
    let third = indexed(&mut client, &all);
    assert_eq!((&third["indexed"], &third["removed"]), (&json!(1), &json!(1)), "{third}");
    let full = indexed(&mut client, &json!({"root": root, "full": "true", "priority": "high"}));
    assert_eq!((&full["indexed"], &full["removed"]), (&json!(2), &json!(0)), "{full}");
    assert_eq!(names(&search(&mut client, json!({"query": "boiler note", "k": 1}))), ["new.txt"]);
    client.close();
    // It is never meant where no collection is named.
    let listed = run_json(&home, &["collections"]);
    assert!(listed.to_string().contains("\"Files\""), "{listed}");
}

/// A live folder is answered from the catalogue, and agrees with the disk (invariant 13).
#[test]
fn a_live_folder_is_followed_without_walks_and_again_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (home, matter) = (dir.path().join("home"), dir.path().join("matter"));
    fs::create_dir_all(matter.join("mail")).unwrap();
    fs::write(matter.join("mail/first.eml"), "1").unwrap();
    let folder = matter.to_str().unwrap();
    let watched = run_json(&home, &["files", "watch", folder]);
    assert_eq!(watched["live"]["stage"], "live", "{watched}");
    let paths = || {
        let found = run_json(&home, &["files", "find", "--in", folder, "--sort", "path"]);
        assert_eq!((&found["live"], &found["scan"]), (&json!(true), &json!(null)), "{found}");
        let files = found["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap()[folder.len() + 1..].to_owned()).collect::<Vec<_>>()
    };
    let until = |expected: &[&str]| {
        let started = Instant::now();
        while paths() != expected {
            assert!(started.elapsed() < PATIENCE, "{:?} are not {expected:?}", paths());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until(&["mail", "mail/first.eml"]);
    fs::write(matter.join("mail/second.eml"), "22").unwrap();
    fs::create_dir_all(matter.join("new/deep")).unwrap();
    fs::write(matter.join("new/deep/a.txt"), "a").unwrap();
    until(&["mail", "mail/first.eml", "mail/second.eml", "new", "new/deep", "new/deep/a.txt"]);
    fs::rename(matter.join("new"), matter.join("renamed")).unwrap();
    fs::remove_file(matter.join("mail/first.eml")).unwrap();
    until(&["mail", "mail/second.eml", "renamed", "renamed/deep", "renamed/deep/a.txt"]);
    // What moved is followed under its new path.
    fs::write(matter.join("renamed/deep/b.txt"), "b").unwrap();
    until(&["mail", "mail/second.eml", "renamed", "renamed/deep", "renamed/deep/a.txt", "renamed/deep/b.txt"]);

    kill(owner_pid(&home));
    fs::remove_dir_all(matter.join("renamed")).unwrap();
    fs::write(matter.join("mail/third.eml"), "333").unwrap();
    let started = Instant::now();
    while run_json(&home, &["files", "roots"])[0]["live"]["stage"] != "live" {
        assert!(started.elapsed() < PATIENCE, "it is not live again");
        std::thread::sleep(Duration::from_millis(20));
    }
    until(&["mail", "mail/second.eml", "mail/third.eml"]);

    let stopped = run_json(&home, &["files", "watch", "--stop", folder]);
    assert_eq!(stopped["live"], json!(null));
    let walked = run_json(&home, &["files", "find", "--in", folder]);
    assert_eq!((&walked["live"], walked["scan"].is_object()), (&json!(false), true), "{walked}");
}
