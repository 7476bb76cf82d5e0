//! One owner of a data directory, and clients that do not notice when it is killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, UNTIL_DONE, casetrack, run, run_expecting, run_json, samples};

/// Process of the owner, which has a client or work to do.
pub fn owner_pid(home: &Path) -> u32 {
    find_owner(home).unwrap()
}

/// Process of the owner, if it has not ended by itself.
pub fn find_owner(home: &Path) -> Option<u32> {
    let address = std::fs::read(home.join("owner/address.json")).ok()?;
    serde_json::from_slice::<Value>(&address).unwrap()["pid"].as_u64().map(|pid| pid as u32)
}

pub fn kill(pid: u32) {
    assert!(kill_all(&[pid]), "{pid}");
}

/// Ends processes at once. False if one was not there.
pub fn kill_all(pids: &[u32]) -> bool {
    let mut command = if cfg!(windows) { Command::new("taskkill") } else { Command::new("kill") };
    command.arg(if cfg!(windows) { "/F" } else { "-KILL" });
    for pid in pids {
        command.args(cfg!(windows).then_some("/PID")).arg(pid.to_string());
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

fn contract() -> String {
    samples().join("harbour-point/contract").display().to_string()
}

/// Waits until the owner of a data directory has ended, which it does when no client needs it.
pub fn wait_until_it_ends(home: &Path) {
    let ended = Instant::now() + PATIENCE;
    while home.join("owner/address.json").exists() {
        assert!(Instant::now() < ended, "the owner is still there");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn assistants_and_commands_share_collections() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Shared"]);
    // From here on the owner has a client.
    let mut first = Client::start(&home, &["--collection", "Shared"]);
    let owner = owner_pid(&home);
    let mut second = Client::start(&home, &["--collection", "Shared"]);
    // All three at once, on the same files.
    let folder = json!({"folder_path": contract(), "wait_seconds": UNTIL_DONE});
    let calls = (
        first.begin("tools/call", json!({"name": "ingest_folder", "arguments": folder})),
        second.begin("tools/call", json!({"name": "ingest_folder", "arguments": folder})),
    );
    run(&home, &["ingest", &contract(), "-c", "Shared"]);
    for (client, id) in [(&mut first, calls.0), (&mut second, calls.1)] {
        let answer = client.next_message();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer}");
    }
    let documents = run_json(&home, &["documents", "-c", "Shared"]);
    for client in [&mut first, &mut second] {
        let (_, listed) = client.call("list_documents", json!({}));
        assert_eq!(listed["documents"].as_array().unwrap().len(), documents.as_array().unwrap().len());
    }
    run(&home, &["verify", "-c", "Shared"]);
    assert_eq!(owner_pid(&home), owner);
    first.close();
    second.close();
}

#[test]
fn a_session_goes_on_when_the_owner_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "First"}));
    client.call("create_collection", json!({"name": "Second"}));
    let (_, ingested) = client.work("ingest_folder", json!({"folder_path": contract()}));
    let documents = ingested["ingested"].as_array().unwrap().len();

    // Between two calls: the active collection is the same as before.
    let before = owner_pid(&home);
    kill(before);
    let (_, listed) = client.call("list_documents", json!({}));
    assert_eq!(listed["documents"].as_array().unwrap().len(), documents);
    assert_ne!(owner_pid(&home), before);

    // During a call that can be repeated: it is, and finishes the work.
    let correspondence = samples().join("harbour-point/correspondence");
    let arguments = json!({"folder_path": correspondence, "wait_seconds": UNTIL_DONE});
    let id = client.begin("tools/call", json!({"name": "ingest_folder", "arguments": arguments}));
    let started = Instant::now();
    while run_json(&home, &["jobs"]).as_array().unwrap().len() < 2 {
        assert!(started.elapsed() < PATIENCE, "the job does not start");
    }
    kill(owner_pid(&home));
    let answer = client.next_message();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer}");
    client.call("switch_collection", json!({"collection_name": "First"}));
    kill(owner_pid(&home));
    let (_, listed) = client.call("list_documents", json!({}));
    assert_eq!(listed["documents"].as_array().unwrap().len(), 0);
    client.close();
    assert!(run(&home, &["verify", "-c", "Second"]).contains("Clean."));
}

#[test]
fn a_command_goes_on_when_the_owner_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Matter"]);
    let mut command = casetrack(&home);
    let matter = samples().join("harbour-point");
    command.args(["--json", "ingest", "-c", "Matter"]).arg(&matter);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // In the middle of its work: it has reported the first file.
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    progress.next().unwrap().unwrap();
    kill(owner_pid(&home));
    let rest = std::thread::spawn(move || progress.for_each(drop));
    let output = child.wait_with_output().unwrap();
    rest.join().unwrap();
    assert!(output.status.success());
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["failed"], json!([]));
    assert!(run(&home, &["verify", "-c", "Matter"]).contains("Clean."));
}

#[test]
fn what_a_crash_leaves_behind_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let run_and_stay = |arguments: &[&str]| {
        let output = casetrack(&home).env("CASETRACK_IDLE_SECONDS", "900").args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run_and_stay(&["new", "Matter"]);
    kill(owner_pid(&home));
    // Address and socket are still there, but no process listens.
    assert!(home.join("owner/address.json").exists() && home.join("owner/socket").exists());
    run_and_stay(&["collections"]);
    kill(owner_pid(&home));
    std::fs::write(home.join("owner/address.json"), "{\"socket\": \"/nowhere\", \"pi").unwrap();
    assert_eq!(run_json(&home, &["collections"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_copy_that_was_made_meanwhile_is_a_data_directory_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (home, copy) = (dir.path().join("home"), dir.path().join("copy"));
    let stay = |home: &Path, arguments: &[&str]| {
        let output = casetrack(home).env("CASETRACK_IDLE_SECONDS", "900").args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    stay(&home, &["new", "Matter"]);
    assert!(Command::new("cp").arg("-a").args([&home, &copy]).status().unwrap().success());
    stay(&copy, &["new", "Only in the copy"]);
    let names = |home: &Path| {
        let collections = run_json(home, &["collections"]);
        collections.as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&home), ["Matter"]);
    assert_eq!(names(&copy).len(), 2);
    assert_ne!(owner_pid(&home), owner_pid(&copy));
}

#[test]
fn the_owner_is_closed_to_others_and_ends_when_nobody_needs_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Matter"]);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&home.join("owner").metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o700);
    }
    wait_until_it_ends(&home);
    assert_eq!(run_json(&home, &["collections"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_path_too_long_for_a_socket_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("a".repeat(80)).join("b".repeat(80));
    run(&home, &["new", "Deep"]);
    assert_eq!(run_json(&home, &["collections"]).as_array().unwrap().len(), 1);
}

#[test]
fn relative_paths_are_those_of_the_client() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Matter"]);
    std::fs::write(dir.path().join("note.txt"), "A note about walruses.").unwrap();
    let output = casetrack(&home).current_dir(&dir).args(["ingest", "note.txt", "-c", "Matter"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let documents = run_json(&home, &["documents", "-c", "Matter"]);
    assert_eq!(documents.as_array().unwrap().len(), 1);
    run_expecting(1, &home, &["ingest", "note-that-is-not-there.txt", "-c", "Matter"]);
}

/// `CASETRACK_TOGETHER_SECONDS=300 scripts/test.sh all_at_once -- --nocapture` for longer.
#[test]
fn two_assistants_and_a_command_ingest_all_at_once() {
    let seconds = std::env::var("CASETRACK_TOGETHER_SECONDS").map_or(4, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Together"]);
    let end = Instant::now() + Duration::from_secs(seconds);
    // A shared folder, in which everyone changes files, and one for each.
    let write = |folder: &Path, file: u32, version: u32| {
        let line = format!("File {file} of {}, version {version}, about the delivery of slates.\n", folder.display());
        // In one step: another client may be reading it.
        let partial = tempfile::NamedTempFile::new_in(dir.path()).unwrap();
        std::fs::write(&partial, line.repeat(60)).unwrap();
        partial.persist(folder.join(format!("{file}.txt"))).unwrap();
    };
    let work = |name: &str, ingest: &mut dyn FnMut(&Path)| {
        let (own, shared) = (dir.path().join(name), dir.path().join("shared"));
        std::fs::create_dir_all(&own).unwrap();
        std::fs::create_dir_all(&shared).unwrap();
        let mut files = 0;
        while Instant::now() < end {
            for _ in 0..3 {
                files += 1;
                write(&own, files, 1);
            }
            write(&own, 1 + files / 2, 1 + files);
            ingest(&own);
            write(&shared, files % 5, files);
            ingest(&shared);
        }
        files as usize
    };
    let assistant = |name: &str| {
        let mut client = Client::start(&home, &["--collection", "Together"]);
        let files = work(name, &mut |folder| {
            let (_, report) = client.work("ingest_folder", json!({"folder_path": folder}));
            assert_eq!((&report["failed"], &report["stopped"]), (&json!([]), &Value::Null), "{report}");
            client.call("search_documents", json!({"query": "delivery of slates"}));
        });
        client.close();
        files
    };
    let files: usize = std::thread::scope(|scope| {
        let assistants = [scope.spawn(|| assistant("first")), scope.spawn(|| assistant("second"))];
        let command = scope.spawn(|| {
            work("third", &mut |folder| drop(run(&home, &["ingest", folder.to_str().unwrap(), "-c", "Together"])))
        });
        assistants.into_iter().chain([command]).map(|thread| thread.join().unwrap()).sum()
    });
    let paths: std::collections::BTreeSet<String> = run_json(&home, &["documents", "-c", "Together"])
        .as_array()
        .unwrap()
        .iter()
        .map(|document| document["path"].as_str().unwrap().to_owned())
        .collect();
    for name in ["first", "second", "third", "shared"] {
        for file in std::fs::read_dir(dir.path().join(name)).unwrap() {
            let path = file.unwrap().path().display().to_string();
            assert!(paths.contains(&path), "{path} is lost");
        }
    }
    assert!(run(&home, &["verify", "-c", "Together"]).contains("Clean."));
    eprintln!("{files} files in {seconds} s, {} documents", paths.len());
}

#[cfg(unix)]
#[test]
fn stop_reports_an_owner_that_hangs() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    assert!(run(&home, &["stop"]).starts_with("Nothing was running."));
    let client = Client::start(&home, &[]);
    let pid = owner_pid(&home);
    let signal = |name: &str| assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
    signal("-STOP");
    let refused = casetrack(&home).arg("stop").output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&refused.stdout), String::from_utf8_lossy(&refused.stderr));
    assert!(!refused.status.success() && said.contains(&format!("(process {pid}) does not answer")), "{said}");
    assert!(said.contains("End that process"), "{said}");
    signal("-CONT");
    drop(client);
}

#[cfg(target_os = "linux")]
#[test]
fn an_owner_starts_on_a_disk_without_space_for_its_address() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    run(&home, &["new", "Full"]);
    run(&home, &["stop"]);
    // Writing to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", home.join("owner/address.partial")).unwrap();
    assert!(run(&home, &["collections"]).contains("Full"));
    assert!(home.join("owner/address").is_symlink() && !home.join("owner/address.json").exists());
    assert!(run(&home, &["collections"]).contains("Full"));
    run(&home, &["stop"]);
    assert!(!home.join("owner/address").is_symlink());
    run(&home, &["collections"]);
    assert!(home.join("owner/address.json").exists());
}
