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
        files
            .map(|file| file["path"].as_str().unwrap().rsplit(std::path::is_separator).next().unwrap().to_owned())
            .collect()
    };
    let cached = run_json(&home, &["files", "find", "--in", folder, "--cached", "--kind", "file"]);
    assert_eq!(names(&cached), ["Lease Brandt.pdf"], "what is gone is no answer even without a walk");
    let found = run_json(&home, &["files", "find", "LEASE", "--in", folder, "--when", "today", "--sort", "path"]);
    assert_eq!(names(&found), ["Lease Brandt.pdf", "new lease.txt"]);
    assert_eq!(found["scan"]["removed"], 1);
    let text = run(&home, &["files", "recent", folder]);
    let moved = std::path::Path::new("mail").join("new lease.txt").display().to_string();
    assert!(text.contains("    5 bytes  ") && text.contains(&moved) && !text.contains('\u{1b}'), "{text}");
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
    let top = casetrack_core::real_path(dir.path()).unwrap();
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
        items
            .map(|item| item["path"].as_str().unwrap().rsplit(std::path::is_separator).next().unwrap().to_owned())
            .collect()
    };
    let found = search(&mut client, json!({"query": "turbine"}));
    let item = &found["items"][0];
    assert_eq!((item["path"].as_str(), item["redacted"].as_bool()), (root.join("letter.txt").to_str(), Some(true)));
    assert!(item["snippet"].as_str().unwrap().contains("[redacted: e-mail address]"), "{item}");
    assert!(!found.to_string().contains("jane.roe") && !found.to_string().contains("outside"), "{found}");
    assert_eq!(names(&search(&mut client, json!({"query": "turbine in .txt"}))), ["letter.txt"]);
    let by_name = names(&search(&mut client, json!({"query": "turbine drawing"})));
    assert!(by_name.contains(&"turbine drawing.dwg".to_owned()), "{by_name:?}");
    assert_eq!(names(&search(&mut client, json!({"query": "garden", "years": [2019]}))), ["chairs 2019.md"]);
    assert!(names(&search(&mut client, json!({"query": "turbine", "years": [2019]}))).is_empty());
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
    // It is never meant if no collection is named.
    let listed = run_json(&home, &["collections"]);
    assert!(listed.to_string().contains("\"Files\""), "{listed}");
}

#[test]
fn a_client_has_the_limits_of_a_contract_once_however_many_sessions_it_opens() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    fs::create_dir(&root).unwrap();
    let args = ["--toolsets", "files", "--root", root.to_str().unwrap()];
    let (mut first, mut second) = (Client::start(&home, &args), Client::start(&home, &args));
    let missing = json!({"path": root.join("missing.txt")});
    for _ in 0..15 {
        assert!(first.call_failing("openFile", missing.clone()).contains("There is no file"));
        assert!(second.call_failing("openFile", missing.clone()).contains("There is no file"));
    }
    for client in [&mut first, &mut second] {
        let refused = client.call_failing("openFile", missing.clone());
        assert!(refused.contains("openFile has reached its limit of 30 calls per minute."), "{refused}");
    }
    first.close();
    second.close();
}

/// A JPEG of a camera, which has no text.
fn photograph(taken: &str) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0".to_vec();
    tiff.extend(b"\0\x01\x90\x03\0\x02\0\0\0\x14\0\0\0\x2c\0\0\0\0");
    tiff.extend(taken.as_bytes());
    tiff.push(0);
    let exif = [b"Exif\0\0".to_vec(), tiff].concat();
    [&b"\xff\xd8\xff\xe1"[..], &(exif.len() as u16 + 2).to_be_bytes(), &exif, b"\xff\xd9"].concat()
}

/// "The contract that I got from Brandt in spring" is one call.
#[test]
fn files_are_found_by_the_times_that_they_state_and_by_what_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let top = casetrack_core::real_path(dir.path()).unwrap();
    let (home, root) = (top.join("home"), top.join("root"));
    fs::create_dir(&root).unwrap();
    let letter = |from: &str, date: &str, text: &str| {
        format!("From: {from}\r\nTo: me@example.org\r\nSubject: News\r\nDate: {date}\r\n\r\n{text}\r\n")
    };
    let brandt = "Brandt <brandt@example.org>";
    for (name, from, date, text) in [
        ("lease.eml", brandt, "Wed, 02 Apr 2025 10:00:00 +0000", "Here is the contract of lease, signed."),
        ("lunch.eml", brandt, "Thu, 03 Apr 2025 10:00:00 +0000", "Shall we have soup for lunch on Friday?"),
        ("old.eml", brandt, "Tue, 02 Apr 2024 10:00:00 +0000", "Here is the contract of lease, to be signed."),
    ] {
        fs::write(root.join(name), letter(from, date, text)).unwrap();
    }
    fs::write(root.join("minutes.txt"), "The hearing is on 14 July 2031 in Berlin.").unwrap();
    fs::write(root.join("beach.jpg"), photograph("2019:08:01 12:00:00")).unwrap();
    let args = ["--toolsets", "files,time", "--root", root.to_str().unwrap()];
    let mut client = Client::start(&home, &args);
    let not_yet = client.call_failing("find_files_by_time", json!({"time_field": "sent"}));
    assert!(not_yet.contains("call indexFolder"), "{not_yet}");
    indexed(&mut client, &json!({"root": root}));

    let mut found = |arguments: serde_json::Value| -> Vec<String> {
        let answer = client.call("find_files_by_time", arguments).1;
        let files = answer["files"].as_array().unwrap().iter();
        files
            .map(|file| file["path"].as_str().unwrap().rsplit(std::path::is_separator).next().unwrap().to_owned())
            .collect()
    };
    let spring = json!({"time_field": "sent", "when": "spring 2025", "query": "the contract from Brandt"});
    assert_eq!(found(spring)[0], "lease.eml");
    assert_eq!(found(json!({"time_field": "sent", "when": "spring 2025"})), ["lunch.eml", "lease.eml"]);
    assert_eq!(found(json!({"time_field": "sent", "sort": "time_asc"})), ["old.eml", "lease.eml", "lunch.eml"]);
    assert_eq!(found(json!({"time_field": "mentioned", "when": "July 2031"})), ["minutes.txt"]);
    assert_eq!(found(json!({"time_field": "taken", "when": "summer 2019"})), ["beach.jpg"]);
    assert_eq!(found(json!({"time_field": "taken", "when": "2020"})), Vec::<String>::new());
    let today = json!({"when": "today", "query": "contract lease", "glob": "*.eml", "limit": 2});
    let mut both = found(today);
    both.sort();
    assert_eq!(both, ["lease.eml", "old.eml"]);

    let (sentence, first) = client.call("find_files_by_time", json!({"time_field": "sent", "limit": 2}));
    assert!(sentence.starts_with("Found 2 files (sorted by sent desc). There are more"), "{sentence}");
    assert_eq!(first["files"][1]["date"], "2025-04-02T10:00:00Z", "{first}");
    let cursor = &first["next_cursor"];
    let rest = client.call("find_files_by_time", json!({"time_field": "sent", "limit": 2, "cursor": cursor})).1;
    assert_eq!((rest["files"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &json!(null)), "{rest}");
    let refused =
        client.call_failing("find_files_by_time", json!({"time_field": "saved", "limit": 2, "cursor": cursor}));
    assert!(refused.contains("Invalid cursor"), "{refused}");

    // A file that has changed since is not known any more, even if its replacement is older.
    let replacement = letter(brandt, "Wed, 02 Apr 2025 10:00:00 +0000", "Here is the contract of lease, voided.");
    fs::write(root.join("replacement"), replacement).unwrap();
    let file = fs::File::options().append(true).open(root.join("replacement")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    fs::rename(root.join("replacement"), root.join("lease.eml")).unwrap();
    let answer = client.call("find_files_by_time", json!({"time_field": "sent", "when": "spring 2025"})).1;
    assert_eq!(answer["files"].as_array().unwrap().len(), 1, "{answer}");
    assert!(answer["notices"][0].as_str().unwrap().contains("have changed since"), "{answer}");
    client.close();
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
    // A moved folder is followed under its new path.
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

    // The user's data can be copied elsewhere.
    let (file, other) = (dir.path().join("files.json"), dir.path().join("other"));
    let file = file.to_str().unwrap();
    assert_eq!(run_json(&home, &["export", "--catalog", file])["roots"], 1);
    assert_eq!(run_json(&other, &["import", "--catalog", file])["roots"], 1);
    assert_eq!(run_json(&other, &["import", "--catalog", file])["roots"], 0);
    let taken = run_json(&other, &["files", "roots"]);
    assert_eq!(taken[0]["path"], json!(folder), "{taken}");
    assert!(!taken[0]["live"].is_null(), "{taken}");

    let stopped = run_json(&home, &["files", "watch", "--stop", folder]);
    assert_eq!(stopped["live"], json!(null));
    let walked = run_json(&home, &["files", "find", "--in", folder]);
    assert_eq!((&walked["live"], walked["scan"].is_object()), (&json!(false), true), "{walked}");
}
