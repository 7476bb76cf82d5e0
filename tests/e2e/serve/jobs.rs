//! Jobs of users: they continue after the server was killed, and only as long as their user has the right.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Member, Team, add};
use crate::client::{PATIENCE, run, write_files};

/// A data directory with a collection that anna may change and ben may read, their tokens, and a folder of files that she may have read.
fn prepared(dir: &Path, files: usize) -> (PathBuf, [String; 2], String) {
    let (home, folder) = (dir.join("home"), dir.join("open"));
    let name = |n: usize| {
        (format!("{n}.txt"), format!("Invoice {n} of the garden of flat {n} is due on day {n} of the year."))
    };
    let written: Vec<(String, String)> = (0..files).map(name).collect();
    write_files(&folder, &written.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    run(&home, &["new", "Flat 3"]);
    std::fs::write(home.join("config.toml"), format!("[serve]\nfolders = [{folder:?}]\n")).unwrap();
    let tokens = ["anna", "ben"].map(|name| add(&home, name, &[]));
    run(&home, &["users", "allow", "anna", "Flat 3", "editor"]);
    run(&home, &["users", "allow", "ben", "Flat 3", "reader"]);
    (home, tokens, folder.to_str().unwrap().to_owned())
}

/// A server in the middle of what anna had it do, and ben's token.
fn at_work(dir: &Path, files: usize) -> (PathBuf, Team, String) {
    let (home, [anna, ben], folder) = prepared(dir, files);
    let team = Team::start(&home, &[]);
    let anna = Member::open_in(&team, &anna, "Flat 3");
    let begun = anna.call("ingest_folder", json!({"folder_path": folder, "wait_seconds": 0}));
    assert_ne!(begun["job"]["state"], "completed", "{begun}");
    job(&team, &ben, |job| job["files_done"].as_u64().unwrap() > 2);
    (home, team, ben)
}

/// The one job, once it is as wanted.
fn job(team: &Team, token: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let (member, started) = (Member::open(team, token), Instant::now());
    loop {
        let jobs = member.call("list_jobs", json!({}))["jobs"].clone();
        if let Some(job) = jobs.as_array().unwrap().iter().find(|job| wanted(job)) {
            return job.clone();
        }
        assert!(started.elapsed() < PATIENCE, "{jobs}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn has_ended(job: &Value) -> bool {
    !matches!(job["state"].as_str().unwrap(), "queued" | "running")
}

#[test]
fn a_job_goes_on_after_the_server_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (home, team, ben) = at_work(dir.path(), 600);
    // With SIGKILL.
    drop(team);
    let team = Team::start(&home, &[]);
    let ended = job(&team, &ben, has_ended);
    assert_eq!((&ended["state"], &ended["resumed"]), (&json!("completed"), &json!(1)), "{ended}");
    let listed = Member::open(&team, &ben).call("list_documents", json!({"limit": 1}));
    assert_eq!(listed["total"], 600, "{listed}");
    team.stop();
    run(&home, &["verify"]);
}

#[test]
fn a_job_ends_when_its_user_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    // Far more than are read by then.
    let (home, team, ben) = at_work(dir.path(), 3000);
    run(&home, &["users", "remove", "anna"]);
    let ended = job(&team, &ben, has_ended);
    let said = ended["problem"]["message"].as_str().unwrap();
    assert!(said.contains("The user anna asked for this, and is no longer a user of the server."), "{said}");
    assert_eq!(ended["state"], "cancelled");
    // Stored documents stay.
    let listed = Member::open(&team, &ben).call("list_documents", json!({"limit": 1}));
    assert!((1..3000).contains(&listed["total"].as_u64().unwrap()), "{listed}");
}
