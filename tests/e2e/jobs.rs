//! Work that continues without its client.

use std::io::{BufRead, BufReader, Lines, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, casetrack, run, run_expecting, run_json};
use crate::owner::{kill, owner_pid};

/// A folder of this many documents, each of several chunks.
fn folder(dir: &Path, files: usize) -> PathBuf {
    let folder = dir.join("folder");
    std::fs::create_dir(&folder).unwrap();
    for n in 0..files {
        let paragraph =
            format!("Lot {n} lies at the harbour. Its tenant pays rent to the port by the first of the month. ");
        std::fs::write(folder.join(format!("lot {n}.txt")), paragraph.repeat(70)).unwrap();
    }
    folder
}

fn job_id(answer: &Value) -> Value {
    assert!(answer["report"].is_null(), "{answer}");
    answer["job"]["job_id"].clone()
}

/// The counts in the report of an ingestion: documents ingested, files skipped, files failed.
fn counts(report: &Value) -> [usize; 3] {
    ["ingested", "skipped", "failed"].map(|list| report[list].as_array().unwrap().len())
}

#[test]
fn a_job_goes_on_when_its_client_gives_up_and_nothing_is_done_twice() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let arguments = json!({"folder_path": folder(dir.path(), 40), "wait_seconds": 0});
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "Port"}));
    let (text, answer) = client.call("ingest_folder", arguments.clone());
    let id = job_id(&answer);
    assert!(text.contains(id.as_str().unwrap()) && text.contains("get_job"), "{text}");

    // Gives up: by a notification, and by going away.
    let waiting = json!({"name": "get_job", "arguments": {"job_id": id, "wait_seconds": 600}});
    let request = client.begin("tools/call", waiting);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}}));
    client.close();

    // Asks for the same again.
    let mut client = Client::start(&home, &["--collection", "Port"]);
    let (_, again) = client.call("ingest_folder", arguments);
    if again["report"].is_null() {
        assert_eq!(job_id(&again), id);
    }
    let (text, done) = client.call("get_job", json!({"job_id": id, "wait_seconds": 600}));
    assert_eq!(done["job"]["state"], "completed", "{text}");
    assert_eq!(counts(&done["ingestion"]), [40, 0, 0], "{text}");
    assert!(text.contains("Folder ingestion complete for Port"), "{text}");
    let (_, listed) = client.call("list_jobs", json!({}));
    assert_eq!(listed["jobs"].as_array().unwrap().len(), 1, "{listed}");
    client.close();
    assert_eq!(run_json(&home, &["documents", "-c", "Port"]).as_array().unwrap().len(), 40);
    assert!(run(&home, &["verify", "-c", "Port"]).contains("Clean."));
}

#[test]
fn a_job_lists_the_files_that_failed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let folder = folder(dir.path(), 2);
    std::fs::write(folder.join("broken.pdf"), "%PDF-1.7\nnothing").unwrap();
    run(&home, &["new", "Port"]);
    run_expecting(3, &home, &["ingest", folder.to_str().unwrap(), "-c", "Port"]);
    let jobs = run_json(&home, &["jobs"]);
    let id = jobs[0]["job_id"].as_str().unwrap();
    let text = run(&home, &["jobs", id]);
    assert!(text.contains("Failures:\n  - broken.pdf: "), "{text}");
    assert_eq!(run_json(&home, &["jobs", id])["failing"][0]["path"], "broken.pdf");
}

#[test]
fn a_job_is_cancelled_in_the_middle_and_keeps_what_it_stored() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Client::start(&dir.path().join("home"), &[]);
    client.call("create_collection", json!({"name": "Port"}));
    let folder = folder(dir.path(), 200);
    let (_, answer) = client.call("ingest_folder", json!({"folder_path": folder, "wait_seconds": 0}));
    let id = job_id(&answer);
    let stored =
        |client: &mut Client| client.call("list_documents", json!({})).1["documents"].as_array().unwrap().len();
    while stored(&mut client) == 0 {
        std::thread::sleep(Duration::from_millis(50));
    }
    let (text, found) = client.call("search_documents", json!({"query": "rent at the harbour"}));
    let mut notices = found["notices"].as_array().unwrap().iter().filter_map(Value::as_str);
    let notice = notices.find(|notice| notice.starts_with("Ingestion is running: ")).unwrap();
    assert!(notice.contains(" of 200 files are done."), "{notice}");
    assert!(text.contains(notice), "{text}");
    let (text, cancelled) = client.call("cancel_job", json!({"job_id": id}));
    assert_eq!(cancelled["job"]["state"], "cancelled", "{text}");
    let kept = stored(&mut client);
    assert!(kept > 0 && kept < 200);
    let (text, ended) = client.call("cancel_job", json!({"job_id": id}));
    assert!(text.contains("has already ended") && ended["job"]["state"] == "cancelled", "{text}");
    assert!(client.call_failing("get_job", json!({"job_id": "00000000"})).contains("Job not found"));
    client.close();
}

#[test]
fn a_job_goes_on_when_the_owner_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "Port"}));
    // Again by force: what was done before the end of the process must not be done once more.
    let arguments = json!({"folder_path": folder(dir.path(), 60), "skip_existing": false, "wait_seconds": 0});
    let (_, answer) = client.call("ingest_folder", arguments);
    let id = job_id(&answer);
    while client.call("list_documents", json!({})).1["documents"].as_array().unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(50));
    }
    kill(owner_pid(&home));
    let before = run_json(&home, &["documents", "-c", "Port"]);
    let (text, done) = client.call("get_job", json!({"job_id": id, "wait_seconds": 600}));
    assert_eq!((&done["job"]["state"], &done["job"]["resumed"]), (&json!("completed"), &json!(1)), "{text}");
    assert_eq!(counts(&done["ingestion"]), [60, 0, 0], "{text}");
    client.close();
    let after = run_json(&home, &["documents", "-c", "Port"]);
    assert_eq!(after.as_array().unwrap().len(), 60);
    for document in before.as_array().unwrap().iter().take(1) {
        assert!(after.as_array().unwrap().contains(document), "{document} was stored twice");
    }
    assert!(run(&home, &["verify", "-c", "Port"]).contains("Clean."));
    let listed = run_json(&home, &["jobs"]);
    assert_eq!(run_json(&home, &["jobs", "-c", "Port"]), listed);
    assert_eq!(listed[0]["job_id"], id);
    assert!(run(&home, &["jobs", id.as_str().unwrap()]).contains("Resumed:"), "{listed}");
}

#[test]
fn progress_is_told_with_counts_and_a_rate_and_tasks_where_the_client_knows_them() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let folder = folder(dir.path(), 60);
    let mut client = Client::start(&home, &[]);
    client.call("create_collection", json!({"name": "Port"}));
    let arguments = json!({"folder_path": folder, "wait_seconds": 600});
    let params = json!({"name": "ingest_folder", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let id = client.begin("tools/call", params);
    let mut messages = Vec::new();
    loop {
        let message = client.next_message();
        if message["id"] == json!(id) {
            break;
        }
        assert_eq!(message["params"]["progressToken"], "p", "{message}");
        messages.push(message["params"]["message"].as_str().unwrap().to_owned());
    }
    assert!(messages.iter().any(|message| message.contains(" of 60 files, ")), "{messages:?}");
    client.close();

    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::start_with(&home, &["--collection", "Port"], "2025-11-25", tasks);
    let call = json!({"name": "ingest_folder", "arguments": {"folder_path": folder, "skip_existing": false}});
    let task = client.request("tools/call", call).unwrap();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    let get = json!({"taskId": task["taskId"]});
    let ended = loop {
        let state = client.request("tasks/get", get.clone()).unwrap();
        if state["status"] != "working" {
            break state;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(counts(&ended["result"]["structuredContent"]["report"]), [60, 0, 0]);
    assert!(client.request("tasks/get", json!({"taskId": "none"})).is_err());
    client.close();
}

/// A command that ingests a folder, and what it says on standard error.
#[cfg(unix)]
struct Ingestion {
    child: Child,
    said: Lines<BufReader<ChildStderr>>,
}

#[cfg(unix)]
impl Ingestion {
    /// Returns once a file is done.
    fn start(home: &Path, folder: &Path) -> Self {
        let mut command = casetrack(home);
        command.args(["ingest", "-c", "Port"]).arg(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = said.by_ref().map(Result::unwrap).find(|line| line.contains(".txt"));
        assert!(line.is_some(), "it ended before it did anything");
        Self { child, said }
    }

    fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Interrupts it: exit status, standard output, and what it said since.
    fn interrupt(mut self) -> (Option<i32>, String, String) {
        self.signal("-INT");
        let said: Vec<String> = self.said.map(Result::unwrap).collect();
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        (self.child.wait().unwrap().code(), printed, said.join("\n"))
    }
}

#[cfg(unix)]
#[test]
fn a_command_ends_the_job_that_it_started_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let folder = folder(dir.path(), 600);
    run(&home, &["new", "Port"]);
    let first = Ingestion::start(&home, &folder);
    let listed = run_json(&home, &["jobs", "--active"]);
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["kind"]), (1, &json!("ingest_folder")), "{listed}");
    let id = listed[0]["job_id"].as_str().unwrap();

    // The same command joins the job, and leaves it as it is.
    let second = Ingestion::start(&home, &folder);
    let (status, _, said) = second.interrupt();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(&format!("Stopped waiting. Job {id} continues.")), "{said}");
    assert_eq!(run_json(&home, &["jobs", id])["state"], "running");

    let (status, printed, said) = first.interrupt();
    assert_eq!(status, Some(1), "{said}");
    assert!(printed.contains("Folder ingestion stopped early"), "{printed}");
    assert!(said.contains(" of 600 files are done. Documents that were stored are kept."), "{said}");
    assert!(said.contains("Run the same command again to continue."), "{said}");
    assert_eq!(run_json(&home, &["jobs", id])["state"], "cancelled");
    let stored = || run_json(&home, &["documents", "-c", "Port"]).as_array().unwrap().len();
    let kept = stored();
    assert!((1..600).contains(&kept), "{kept}");

    // A client that vanishes takes its job with it.
    let mut third = Ingestion::start(&home, &folder);
    third.signal("-KILL");
    third.child.wait().unwrap();
    let last = loop {
        let newest = run_json(&home, &["jobs"])[0].clone();
        if newest["finished_at"] != json!(null) {
            break newest;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(last["job_id"] != id && last["state"] == "cancelled", "{last}");
    assert!(stored() >= kept);
    assert!(run(&home, &["verify", "-c", "Port"]).contains("Clean."));
}
