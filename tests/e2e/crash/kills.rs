//! Processes that are killed at random moments.
//!
//! `CASETRACK_KILLS=300 scripts/test.sh killed_at_any_moment -- --nocapture` kills that many times and prints what was hit;
//! `CASETRACK_SEED` chooses other moments.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{COLLECTION, Form, Matter, setting, settle};
use crate::client::{casetrack, run};
use crate::owner::{find_owner, kill_all};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Ingest,
    Replace,
    Delete,
    Reindex,
    /// To models of another precision, which are in the place of the earlier ones in one step.
    Move,
    Compact,
    Export,
    /// The first command after a crash, which brings the indexes up to date.
    Recover,
}

const OPERATIONS: [Operation; 8] = [
    Operation::Ingest,
    Operation::Replace,
    Operation::Delete,
    Operation::Reindex,
    Operation::Move,
    Operation::Compact,
    Operation::Export,
    Operation::Recover,
];

#[test]
fn killed_at_any_moment_nothing_is_lost() {
    kill(Form::Plain, setting("CASETRACK_KILLS", 16));
}

#[test]
fn a_vault_that_is_killed_at_any_moment_loses_nothing() {
    kill(Form::Vault, setting("CASETRACK_KILLS", 6));
}

fn kill(form: Form, kills: u64) {
    let seed = setting("CASETRACK_SEED", 1);
    let mut matter = Matter::new(seed, form);
    matter.add(8);
    settle(&mut matter, "at the beginning");
    // The measured duration of each operation without a disturbance, in milliseconds.
    let mut durations: BTreeMap<Operation, u64> = BTreeMap::new();
    let mut hits: BTreeMap<Operation, u64> = BTreeMap::new();
    let mut number = 0;
    while hits.values().sum::<u64>() < kills {
        number += 1;
        assert!(number < 20 * kills, "most kills come too late");
        let operation = OPERATIONS[number as usize % OPERATIONS.len()];
        let usual = durations.get(&operation).copied().unwrap_or(300);
        let moment = Duration::from_micros(matter.random.u64(..usual * 1100));
        let context = format!("kill {number} (seed {seed}), {operation:?} after {moment:?}");
        let export = matter.home.with_file_name("export.ctcollection");
        let (arguments, deleted) = arguments(&mut matter, operation, &export);
        if matches!(operation, Operation::Ingest | Operation::Replace | Operation::Reindex) {
            matter.note_begun();
        }
        if operation != Operation::Recover || matter.is_vault() {
            // The owner is there already, so that its process is known.
            matter.open();
        }
        let mut command = casetrack(&matter.home);
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        std::thread::sleep(moment);
        let finished = child.try_wait().unwrap();
        // The owner first; the command must not see that and begin again.
        let pids: Vec<u32> = find_owner(&matter.home).into_iter().chain([child.id()]).collect();
        kill_all(&pids);
        let mut progress = String::new();
        child.stderr.take().unwrap().read_to_string(&mut progress).unwrap();
        let status = child.wait().unwrap();
        match finished {
            Some(status) => {
                assert!(status.success(), "{context}: {arguments:?} failed: {progress}");
                let took = started.elapsed().as_millis() as u64;
                durations.insert(operation, (usual + took) / 2);
                match (operation, deleted) {
                    (Operation::Delete, Some(name)) => matter.note_deleted(&name),
                    (Operation::Ingest | Operation::Replace | Operation::Reindex, _) => matter.note_all_stored(),
                    _ => {}
                }
            }
            None if status.success() => {}
            None => {
                *hits.entry(operation).or_default() += 1;
                durations.insert(operation, usual + usual / 10 + 1);
            }
        }
        if matches!(operation, Operation::Ingest | Operation::Replace | Operation::Reindex) {
            matter.note_committed(&progress);
        }
        matter.check(&context);
        if operation == Operation::Export && export.exists() {
            // An export that has its name is whole.
            let elsewhere = tempfile::tempdir().unwrap();
            run(&elsewhere.path().join("home"), &["import", export.to_str().unwrap()]);
            std::fs::remove_file(&export).unwrap();
        }
    }
    settle(&mut matter, "at the end");
    eprintln!("{number} commands, killed during {hits:?} (seed {seed})");
}

/// The command line of an operation, and the document that it deletes.
fn arguments(matter: &mut Matter, operation: Operation, export: &std::path::Path) -> (Vec<String>, Option<String>) {
    let folder = matter.folder.display().to_string();
    let mut deleted = None;
    let words: Vec<&str> = match operation {
        Operation::Ingest => {
            matter.add(3);
            vec!["ingest", &folder]
        }
        Operation::Replace => {
            matter.change(3);
            vec!["ingest", &folder]
        }
        Operation::Delete => {
            deleted = matter.remove();
            match &deleted {
                Some(_) => vec!["call", "delete_document"],
                None => vec!["documents"],
            }
        }
        Operation::Reindex => vec!["ingest", "--force", &folder],
        Operation::Move => {
            let precision = if matter.random.bool() { "int8" } else { "float32" };
            vec!["reindex", "--models", "compact", "--precision", precision]
        }
        Operation::Compact => vec!["compact"],
        Operation::Export if matter.is_vault() => vec!["export", export.to_str().unwrap(), "--plain"],
        Operation::Export => vec!["export", export.to_str().unwrap()],
        Operation::Recover => vec!["search", "delivery"],
    };
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    if let Some(name) = &deleted {
        words.push(serde_json::json!({"document_name": name, "confirm": true}).to_string());
    }
    words.extend(["-c".to_owned(), COLLECTION.to_owned()]);
    (words, deleted)
}
