//! Vaults, as a person and as an assistant meet them: nothing is answered without the key, and nothing is lost by locking.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use casetrack_vault::age::Identity;
use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, casetrack, copy, run, run_expecting, run_json, samples, write_files};
use crate::owner::{kill, owner_pid};
use crate::protocol::{OF_COLLECTIONS, fill, sample_calls};

pub const NAME: &str = "Geheimsache Nordlicht";
pub const PASSPHRASE: &str = "korrekt pferd batterie";

/// Runs a command that reads passphrases from standard input. Standard output and error.
pub fn with_input(status: i32, home: &Path, input: &str, args: &[&str]) -> (String, String) {
    let mut command = casetrack(home);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses to begin does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(status), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn unlock(home: &Path, args: &[&str]) {
    with_input(0, home, &format!("{PASSPHRASE}\n"), &[&["unlock", "--passphrase-stdin"], args].concat());
}

/// A vault that is unlocked: its id and the words of its recovery key.
pub fn new_vault(home: &Path) -> (String, String) {
    let args = ["--json", "new", NAME, "--id", "Az-4711", "--vault", "--passphrase-stdin"];
    let made: Value = serde_json::from_str(&with_input(0, home, &format!("{PASSPHRASE}\n"), &args).0).unwrap();
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    (text("id"), text("recovery_words"))
}

fn contract() -> PathBuf {
    samples().join("harbour-point/contract")
}

fn results(home: &Path) -> Value {
    let mut found = run_json(home, &["search", "when is the purchase price due?", "-c", NAME]);
    assert!(!found["results"].as_array().unwrap().is_empty(), "{found}");
    found["results"].take()
}

fn is_locked(home: &Path, id: &str) -> bool {
    run_json(home, &["collections"]) == json!([{"id": id, "locked": true}])
}

#[test]
fn a_vault_opens_with_what_its_slots_say_and_with_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (_, error) = with_input(1, &home, "\n", &["new", NAME, "--vault", "--passphrase-stdin"]);
    assert!(error.contains("passphrase"), "{error}");
    assert_eq!(run_json(&home, &["collections"]), json!([]));
    let (id, words) = new_vault(&home);
    assert_eq!(words.split(' ').count(), 24);
    run(&home, &["ingest", contract().to_str().unwrap(), "-c", NAME]);
    let found = results(&home);
    assert_eq!(run_json(&home, &["collections"])[0]["vault"], json!(true));
    assert!(run(&home, &["collections"]).contains("(unlocked vault, "));

    run(&home, &["lock", NAME]);
    assert!(is_locked(&home, &id));
    let listed = run(&home, &["collections"]);
    assert!(listed.contains("locked") && !listed.contains("Geheimsache") && !listed.contains("4711"), "{listed}");
    for args in [&["search", "price"][..], &["search", "price", "-c", &id[..8]], &["verify", "-c", &id], &["documents"]]
    {
        let (_, error) = with_input(1, &home, "", args);
        assert!(error.contains(&format!("casetrack unlock {}", &id[..8])), "{args:?}: {error}");
    }
    let (_, error) = with_input(1, &home, "", &["documents", "-c", NAME]);
    assert!(error.contains("not found") && error.contains("is locked"), "{error}");

    let (_, error) = with_input(1, &home, "korrekt pferd\n", &["unlock", "--passphrase-stdin"]);
    assert!(error.contains("does not open with this passphrase"), "{error}");
    assert!(is_locked(&home, &id));
    // There is no prompt for the passphrase of a missing vault.
    let (_, error) = with_input(1, &home, "", &["unlock", "00000000"]);
    assert!(error.contains("no vault"), "{error}");
    unlock(&home, &[&id[..8]]);
    assert_eq!(results(&home), found);

    // Something else that opens it, added while it is locked.
    run(&home, &["lock", "--all"]);
    let identity = Identity::random().unwrap();
    let file = dir.path().join("escrow.txt");
    std::fs::write(&file, format!("# escrow\n{}\n", *identity.text().unwrap())).unwrap();
    let recipient = identity.recipient().to_string();
    let opened = ["--recovery", "--passphrase-stdin"];
    let add = [&["--json", "vault", "add-slot", "recipient", &recipient][..], &opened].concat();
    with_input(0, &home, &format!("{}\n", words.to_uppercase()), &add);
    run(&home, &["unlock", "--identity", file.to_str().unwrap()]);
    assert_eq!(results(&home), found);

    // The passphrase is changed, then removed; the rest cannot all go.
    let both = format!("{PASSPHRASE}\nneu\n");
    with_input(0, &home, &both, &["vault", "change-passphrase", "--passphrase-stdin"]);
    run(&home, &["lock"]);
    with_input(1, &home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]);
    with_input(0, &home, "neu\n", &["unlock", "--passphrase-stdin"]);
    let slots = || run_json(&home, &["vault", "slots"])["slots"].as_array().unwrap().clone();
    let remove = |slot: &Value, status: i32| {
        let slot = slot["id"].as_str().unwrap();
        let args = ["vault", "remove-slot", slot, "--identity", file.to_str().unwrap()];
        with_input(status, &home, "", &args).1
    };
    let kinds: Vec<Value> = slots().iter().map(|slot| slot["kind"].clone()).collect();
    assert_eq!(kinds, ["recovery_key", "recipient", "passphrase"]);
    remove(&slots()[2], 0);
    remove(&slots()[0], 0);
    assert!(remove(&slots()[0], 1).contains("last one"));
    run(&home, &["lock"]);
    with_input(1, &home, "neu\n", &["unlock", "--passphrase-stdin"]);
    with_input(1, &home, &format!("{words}\n"), &["unlock", "--recovery", "--passphrase-stdin"]);
    run(&home, &["unlock", "--identity", file.to_str().unwrap()]);
    assert_eq!(results(&home), found);
}

#[test]
fn a_locked_vault_answers_no_tool_and_tells_what_the_person_can_do() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    let file = dir.path().join("files/note.md");
    write_files(&dir.path().join("files"), &[("note.md", "Payment is due within thirty days of the invoice.\n")]);
    let mut client = Client::start(&home, &["--toolsets", "all,workbench", "--collection", NAME]);
    let (_, ingested) = client.work("ingest_document", json!({"file_path": file}));
    client.call("watch_folder", json!({"folder_path": dir.path().join("files"), "schedule": "manual"}));
    let (_, found) = client.call("search_documents", json!({"query": "payment"}));
    let chunk = &found["results"][0]["chunk_id"];
    // Nothing of it is written without a request.
    client.call("add_evidence", json!({"chunk_id": chunk}));
    let refused = client.call_failing("export_evidence", json!({"format": "markdown"}));
    assert!(refused.contains("file_path") && !home.join("exports").exists(), "{refused}");
    let (_, jobs) = client.call("list_jobs", json!({}));
    let job = &jobs["jobs"][0]["job_id"];
    assert!(ingested["chunks"] != json!(0) && job.is_string(), "{ingested}");
    run(&home, &["lock", NAME]);

    let allowed = ["create_collection", "list_collections", "get_status", "list_jobs", "list_paths"];
    let names = [
        ("collection", id.as_str()),
        ("document", "note.md"),
        ("chunk", chunk.as_str().unwrap()),
        ("job", job.as_str().unwrap()),
        ("file", file.to_str().unwrap()),
        ("folder", file.parent().unwrap().to_str().unwrap()),
    ];
    for (tool, mut arguments) in sample_calls(&OF_COLLECTIONS) {
        fill(&mut arguments, &names);
        if allowed.contains(&tool.as_str()) {
            continue;
        }
        let said = client.call_failing(&tool, arguments);
        assert!(said.contains(&format!("casetrack unlock {}", &id[..8])), "{tool}: {said}");
        assert!(said.contains("Ask the person") && !said.contains("Geheimsache"), "{tool}: {said}");
    }
    let (text, listed) = client.call("list_collections", json!({"status_filter": "all"}));
    assert_eq!((&listed["collections"], &listed["locked"]), (&json!([]), &json!([id])));
    assert!(text.contains("casetrack unlock") && !text.contains("Geheimsache"), "{text}");
    let (text, jobs) = client.call("list_jobs", json!({"active_only": false}));
    assert!(jobs["jobs"] == json!([]) && !text.contains("note.md"), "{text}");
    for uri in [format!("casetrack://collections/{id}/documents"), format!("casetrack://chunks/{id}/x")] {
        assert!(client.request("resources/read", json!({"uri": uri})).is_err());
    }
    let resources = client.request("resources/read", json!({"uri": "casetrack://collections"})).unwrap().to_string();
    assert!(resources.contains(&id) && !resources.contains("Geheimsache"), "{resources}");

    // The session continues from the same place.
    unlock(&home, &[]);
    let (_, again) = client.call("search_documents", json!({"query": "payment"}));
    assert_eq!(&again["results"][0]["chunk_id"], chunk);
    let (_, watches) = client.call("list_watches", json!({}));
    assert_eq!(watches["watches"].as_array().unwrap().len(), 1);

    // Of several collections the others are searched, and the answer says so.
    client.call("create_collection", json!({"name": "Open"}));
    client.work("ingest_document", json!({"file_path": file}));
    run(&home, &["lock", NAME]);
    let (text, found) = client.call("search_documents", json!({"query": "payment", "collections": ["Open", id]}));
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert!(text.contains("was not searched") && text.contains(&id[..8]), "{text}");
    client.close();
}

#[test]
fn a_vault_locks_by_itself_and_when_its_owner_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    run(&home, &["ingest", contract().to_str().unwrap(), "-c", NAME]);
    let found = results(&home);
    // The owner stays for it, though no client uses it.
    kill(owner_pid(&home));
    assert!(is_locked(&home, &id));
    unlock(&home, &["--idle", "1s"]);
    let deadline = Instant::now() + PATIENCE;
    while !is_locked(&home, &id) {
        assert!(Instant::now() < deadline, "it is still unlocked");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    // The setting of config.toml holds if no option is given.
    std::fs::write(home.join("config.toml"), "[vault]\nlock_after = \"2h\"\n").unwrap();
    let said = with_input(0, &home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]).0;
    assert!(said.contains("after 2 hours"), "{said}");
    assert_eq!(results(&home), found);
    assert!(run(&home, &["verify", "-c", NAME]).contains("Clean."));
}

#[test]
fn work_on_a_vault_stops_when_it_is_locked_and_goes_on_later() {
    let dir = tempfile::tempdir().unwrap();
    let (home, folder) = (dir.path().join("home"), dir.path().join("watched"));
    new_vault(&home);
    write_files(&folder, &[("first.md", "The first note.\n")]);
    let mut client = Client::start(&home, &["--toolsets", "all", "--collection", NAME]);
    client.call("watch_folder", json!({"folder_path": folder}));
    let names = |client: &mut Client| -> Vec<String> {
        let (_, listed) = client.call("list_documents", json!({}));
        listed["documents"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let wait_for = |client: &mut Client, wanted: &str| {
        let deadline = Instant::now() + PATIENCE;
        while !names(client).iter().any(|name| name.ends_with(wanted)) {
            assert!(Instant::now() < deadline, "{:?}", names(client));
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    };
    wait_for(&mut client, "first.md");
    let arguments = json!({"folder_path": samples().join("harbour-point"), "wait_seconds": 0});
    let (_, started) = client.call("ingest_folder", arguments);
    run(&home, &["lock"]);
    write_files(&folder, &[("second.md", "The second note.\n")]);
    let job = started["job"]["job_id"].as_str().or(started["job_id"].as_str()).unwrap().to_owned();
    assert!(client.call_failing("get_job", json!({"job_id": job})).contains("locked"));
    // Also what a killed owner leaves waits.
    kill(owner_pid(&home));
    assert!(client.call_failing("list_documents", json!({})).contains("casetrack unlock"));
    unlock(&home, &[]);
    client.call("get_job", json!({"job_id": job, "wait_seconds": crate::client::UNTIL_DONE}));
    let files = walk(&samples().join("harbour-point"));
    wait_for(&mut client, "second.md");
    let have = names(&mut client);
    assert!(have.len() > files / 2, "{have:?}");
    client.close();
    assert!(run(&home, &["verify", "-c", NAME]).contains("Clean."));
}

#[test]
fn stop_records_the_last_state_of_a_vault() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    write_files(dir.path(), &[("first.md", "The first note.\n")]);
    let (vault, earlier) = (home.join("collections").join(&id), dir.path().join("earlier"));
    run(&home, &["lock"]);
    copy(&vault, &earlier);
    unlock(&home, &[]);
    run(&home, &["ingest", dir.path().join("first.md").to_str().unwrap(), "-c", NAME]);
    run(&home, &["stop"]);
    std::fs::remove_dir_all(&vault).unwrap();
    copy(&earlier, &vault);
    let (_, error) = with_input(1, &home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]);
    assert!(error.contains("earlier state"), "{error}");
}

/// The power of an attacker who writes to the folder of a vault and waits for its owner.
#[test]
fn a_vault_that_was_put_back_is_refused_until_its_owner_accepts_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    write_files(dir.path(), &[("first.md", "The first note.\n"), ("second.md", "The second note.\n")]);
    let ingest = |name: &str| run(&home, &["ingest", dir.path().join(name).to_str().unwrap(), "-c", NAME]);
    ingest("first.md");
    run(&home, &["lock"]);
    let vault = home.join("collections").join(&id);
    let earlier = dir.path().join("earlier");
    copy(&vault, &earlier);
    unlock(&home, &[]);
    ingest("second.md");
    let both = format!("{PASSPHRASE}\nneu\n");
    with_input(0, &home, &both, &["vault", "change-passphrase", "--passphrase-stdin"]);
    run(&home, &["lock", "--all"]);
    std::fs::remove_dir_all(&vault).unwrap();
    copy(&earlier, &vault);

    // The passphrase that was changed opens the folder of then, which is not what was there last.
    let (_, error) = with_input(1, &home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]);
    assert!(error.contains("earlier state") && error.contains("--restored"), "{error}");
    assert!(is_locked(&home, &id));
    unlock(&home, &["--restored"]);
    assert_eq!(run_json(&home, &["documents", "-c", NAME]).as_array().unwrap().len(), 1);
    let report = run(&home, &["verify", "-c", NAME]);
    assert!(report.contains("Clean."), "{report}");
    // Of jobs and watches as well, to the last tag.
    let jobs = std::fs::read_dir(home.join("jobs")).unwrap().map(|entry| entry.unwrap().path());
    let job = jobs.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "report")).unwrap();
    let mut bytes = std::fs::read(&job).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&job, bytes).unwrap();
    let report = casetrack(&home).args(["verify", "-c", NAME]).output().unwrap();
    let name = job.file_name().unwrap().to_str().unwrap();
    assert!(!report.status.success() && String::from_utf8_lossy(&report.stdout).contains(name), "{report:?}");
}

fn walk(dir: &Path) -> usize {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { walk(&path) } else { 1 }).sum()
}

#[test]
fn one_damaged_header_is_no_obstacle_and_two_are_said() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    run(&home, &["lock"]);
    let vault = home.join("collections").join(&id);
    let [first, second] = ["vault.header", "vault.header.copy"].map(|name| vault.join(name));
    let whole = std::fs::read(&first).unwrap();
    for damaged in [&first, &second] {
        // Half of it, as after a power failure on a disk that reorders.
        std::fs::write(damaged, &whole[..whole.len() / 2]).unwrap();
        unlock(&home, &[]);
        run(&home, &["lock"]);
        std::fs::write(damaged, &whole).unwrap();
    }
    for damaged in [&first, &second] {
        std::fs::write(damaged, &whole[..whole.len() / 2]).unwrap();
    }
    let (_, error) = with_input(1, &home, &format!("{PASSPHRASE}\n"), &["unlock", "--passphrase-stdin"]);
    assert!(error.contains("header of the vault is damaged") && error.contains("backup"), "{error}");
    assert!(is_locked(&home, &id));
    std::fs::write(&second, &whole).unwrap();
    unlock(&home, &[]);
    assert!(run_expecting(0, &home, &["verify", "-c", NAME]).contains("Clean."));
}
