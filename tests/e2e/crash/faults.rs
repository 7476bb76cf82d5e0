//! Writes that fail: an error, a full disk, a short write, a sync or a renaming that fails, at every nth call.
//!
//! The library in `shim.c` is preloaded into the program. `CASETRACK_FAULTS=100 scripts/test.sh writes_that_fail -- --nocapture`
//! makes that many calls of each kind fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{COLLECTION, Form, Matter, setting, settle};
use crate::client::{casetrack, run};
use crate::owner::{find_owner, kill_all};

const KINDS: [&str; 5] = ["write", "full", "short", "fsync", "rename"];

/// Compiles the library, which needs the C compiler that RocksDB needs too.
pub fn shim(directory: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/crash/shim.c");
    let library = directory.join("shim.so");
    let status =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).args([source, "-ldl"]).status();
    assert!(status.unwrap().success(), "{source} does not compile");
    library
}

struct Fault {
    shim: PathBuf,
    kind: &'static str,
    after: u64,
    /// Exists while the fault does.
    while_there: PathBuf,
    /// Holds the number of calls.
    count: PathBuf,
}

impl Fault {
    /// Runs a command in a new owner, to which this happens.
    fn run(&self, matter: &Matter, arguments: &[&str]) -> Output {
        // The owner takes the environment of the command that starts it.
        kill_owner(matter);
        std::fs::write(&self.while_there, "").unwrap();
        if let Some(unlocking) = matter.unlocking() {
            let unlocked = self.command(matter, &unlocking).output().unwrap();
            if !unlocked.status.success() {
                return unlocked;
            }
        }
        self.command(matter, arguments).args(["-c", COLLECTION]).output().unwrap()
    }

    fn command(&self, matter: &Matter, arguments: &[&str]) -> Command {
        let mut command = casetrack(&matter.home);
        command.args(arguments).stdin(Stdio::null());
        command
            .env("LD_PRELOAD", &self.shim)
            .env("CASETRACK_FAULT", self.kind)
            .env("CASETRACK_FAULT_PATH", "/collections/");
        command.env("CASETRACK_FAULT_AFTER", self.after.to_string()).env("CASETRACK_FAULT_WHILE", &self.while_there);
        command.env("CASETRACK_FAULT_COUNT", &self.count);
        command
    }

    fn calls(&self) -> u64 {
        std::fs::read_to_string(&self.count).map_or(0, |text| text.trim().parse().unwrap())
    }
}

/// The owner may have ended by itself, having nothing to do.
fn kill_owner(matter: &Matter) {
    if let Some(pid) = find_owner(&matter.home) {
        kill_all(&[pid]);
    }
}

#[test]
fn writes_that_fail_are_reported_and_lose_nothing() {
    fail(Form::Plain, setting("CASETRACK_FAULTS", 3));
}

#[test]
fn writes_that_fail_in_a_vault_lose_nothing() {
    fail(Form::Vault, setting("CASETRACK_FAULTS", 1));
}

#[test]
fn a_full_disk_still_allows_reading() {
    read_on_a_full_disk(Form::Plain);
}

#[test]
fn a_full_disk_still_allows_reading_a_vault() {
    read_on_a_full_disk(Form::Vault);
}

/// Nothing at all can be written to the collection, whose indexes lag behind its documents, from the moment at which it is opened.
fn read_on_a_full_disk(form: Form) {
    let dir = tempfile::tempdir().unwrap();
    let mut matter = Matter::new(setting("CASETRACK_SEED", 1), form);
    matter.add(3);
    settle(&mut matter, "at the beginning");
    matter.change(1);
    matter.add(2);
    let folder = matter.folder.display().to_string();
    assert!(run_again(&matter, &folder).status.success());
    matter.note_all_stored();
    let (while_there, count) = (dir.path().join("fault"), dir.path().join("count"));
    let fault = Fault { shim: shim(dir.path()), kind: "full", after: 0, while_there, count };
    let listed = fault.run(&matter, &["documents"]);
    assert!(listed.status.success(), "{listed:?}");
    assert!(fault.calls() > 0, "nothing tried to write");
    matter.check("on a full disk");

    matter.add(1);
    let refused = run_again(&matter, &folder);
    let said = format!("{}{}", String::from_utf8_lossy(&refused.stdout), String::from_utf8_lossy(&refused.stderr));
    assert!(!refused.status.success() && said.contains("is full"), "{said}");
    matter.note_begun();
    matter.check("after a change was refused");

    std::fs::remove_file(&fault.while_there).unwrap();
    let again = run_again(&matter, &folder);
    assert!(again.status.success(), "{again:?}");
    matter.note_all_stored();
    matter.check("with space again");
}

fn fail(form: Form, times: u64) {
    let seed = setting("CASETRACK_SEED", 1);
    let dir = tempfile::tempdir().unwrap();
    let shim = shim(dir.path());
    let mut matter = Matter::new(seed, form);
    matter.add(4);
    settle(&mut matter, "at the beginning");
    let folder = matter.folder.display().to_string();
    let (mut failed, mut survived) = (0, 0);
    for kind in KINDS {
        let mut fault = Fault {
            shim: shim.clone(),
            kind,
            after: u64::MAX >> 1,
            while_there: dir.path().join("fault"),
            count: dir.path().join("count"),
        };
        // The number of calls to choose from.
        matter.change(2);
        matter.add(1);
        assert!(fault.run(&matter, &["ingest", &folder]).status.success());
        matter.note_all_stored();
        let calls = fault.calls();
        assert!(calls > 0, "no call of {kind} was seen");
        for _ in 0..times {
            fault.after = matter.random.u64(..calls);
            matter.change(2);
            matter.add(1);
            matter.note_begun();
            let context = format!("{kind} fails at call {} of {calls} (seed {seed})", fault.after);
            let output = fault.run(&matter, &["ingest", &folder]);
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            matter.note_committed(&stderr);
            let status = output.status.code();
            assert!(matches!(status, Some(0 | 1 | 3)), "{context}: {output:?}");
            let said = format!("{stdout}{stderr}");
            assert!(!said.contains("panicked at") && !said.contains("defect in CaseTrack"), "{context}: {said}");
            if status == Some(0) {
                survived += 1;
                matter.note_all_stored();
            } else {
                failed += 1;
                let named =
                    ["Disk full", "is full", "No space", "Could not", "I/O error", "Input/output error", "failed"];
                assert!(named.iter().any(|reason| said.contains(reason)), "{context}: {said}");
            }
            // The same process continues once the cause has gone, as it must after space was made.
            std::fs::remove_file(&fault.while_there).unwrap();
            matter.open();
            let again = run_again(&matter, &folder);
            assert!(again.status.success(), "{context}, then again: {again:?}");
            matter.note_all_stored();
            matter.check(&format!("{context}, and mended"));
            // The data on the disk is whole as well.
            kill_owner(&matter);
            matter.check(&format!("{context}, and restarted"));
            if let Some(name) = matter.remove() {
                let arguments = serde_json::json!({"document_name": name, "confirm": true}).to_string();
                run(&matter.home, &["call", "delete_document", &arguments, "-c", COLLECTION]);
                matter.note_deleted(&name);
            }
        }
    }
    settle(&mut matter, "at the end");
    eprintln!("{failed} commands failed with a reason, {survived} went through (seed {seed})");
}

fn run_again(matter: &Matter, folder: &str) -> Output {
    casetrack(&matter.home).args(["ingest", folder, "-c", COLLECTION]).output().unwrap()
}
