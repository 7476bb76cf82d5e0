//! `casetrack reindex --models`: one collection, or all, to other models.

use casetrack_core::{Action, CollectionMeta, CollectionStatus, Error, ErrorCode, Result, hint};
use casetrack_engine::jobs::{JobOrigin, JobRequest};
use casetrack_engine::reindex::{ReindexReport, ReindexRequest};
use casetrack_engine::{collections, reindex};
use casetrack_text::format::{bytes, one_line, push_list, visible};
use casetrack_text::{self as text, Reader};
use serde::Serialize;

use super::ingest::status;
use crate::console::Console;

#[derive(Serialize)]
struct Moves {
    moved: Vec<ReindexReport>,
    not_moved: Vec<NotMoved>,
}

#[derive(Serialize)]
struct NotMoved {
    collection: String,
    /// In words, with advice.
    reason: String,
}

impl NotMoved {
    fn new(collection: &str, error: &Error) -> Self {
        let reason = format!("{}{}", one_line(&error.message), Reader::CommandLine.after(error.hint.as_ref()));
        Self { collection: collection.to_owned(), reason }
    }
}

pub(super) fn one(collection: CollectionMeta, request: ReindexRequest, console: &Console) -> Result<u8> {
    announce(&collection, console)?;
    let report = console.work(collection.id, JobRequest::ReindexCollection(request), |report| report.reindex)?;
    console.print(&report, words)?;
    Ok(status(report.summary.stopped.is_some(), !report.failed.is_empty()))
}

/// Moves all active collections: all are queued before the first is waited for. An obstacle to a move is a line of the report; a closed or
/// locked collection is not a failure.
pub(super) fn all(request: ReindexRequest, console: &Console) -> Result<u8> {
    let engine = &console.engine;
    let (mut started, mut not_moved, mut failed) = (Vec::new(), Vec::new(), false);
    for collection in collections::list_collections(engine.host(), None)?.into_iter().map(|one| one.meta) {
        let name = collection.name.clone();
        if collection.status != CollectionStatus::Active {
            let reason = format!("It is {}.", collection.status.label().to_lowercase());
            not_moved.push(NotMoved { collection: name, reason });
            continue;
        }
        let job = announce(&collection, console).and_then(|()| {
            engine.start_job(collection.id, JobRequest::ReindexCollection(request.clone()), JobOrigin::User)
        });
        match job {
            Ok(job) => started.push((name, job)),
            Err(error) => {
                failed = true;
                not_moved.push(NotMoved::new(&name, &error));
            }
        }
    }
    for vault in collections::locked_collections(engine.host())? {
        let unlock = hint![Action::Unlock(Some(vault.id.short()))];
        let error = Error::new(ErrorCode::Locked, "The vault is locked.").with_hint(unlock);
        not_moved.push(NotMoved::new(&vault.id.short(), &error));
    }
    let mut moved = Vec::new();
    for (name, job) in started {
        match console.wait_for(job, |report| report.reindex) {
            Ok(report) => moved.push(report),
            Err(error) => {
                failed = true;
                not_moved.push(NotMoved::new(&name, &error));
            }
        }
    }
    let stopped = failed || moved.iter().any(|report| report.summary.stopped.is_some());
    let gaps = moved.iter().any(|report| !report.failed.is_empty());
    console.print(&Moves { moved, not_moved }, all_words)?;
    Ok(status(stopped, gaps))
}

/// Reports the disk space that a move takes.
fn announce(collection: &CollectionMeta, console: &Console) -> Result<()> {
    let space = reindex::space_to_move(console.host(), collection.id)?;
    console.note(format!(
        "{}: takes up to {} on the disk until it is done; {} are free.",
        visible(&collection.name),
        bytes(space.needed),
        bytes(space.free)
    ));
    Ok(())
}

fn words(report: &ReindexReport) -> String {
    text::reindex::report(report, true, Reader::CommandLine)
}

fn all_words(moves: &Moves) -> String {
    let mut text = moves.moved.iter().map(words).collect::<Vec<_>>().join("\n\n");
    if !moves.not_moved.is_empty() {
        text.push_str(if text.is_empty() { "Not moved:\n" } else { "\n\nNot moved:\n" });
        let lines = moves.not_moved.iter().map(|one| format!("{}: {}", one_line(&one.collection), one.reason));
        push_list(&mut text, lines, usize::MAX);
    }
    text.trim_end().to_owned()
}
