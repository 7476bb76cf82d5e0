//! Indexing a folder: one sync of the reserved collection, as a job.

use std::path::{Path, PathBuf};
use std::time::Duration;

use casetrack_core::{Cancel, CollectionId, Error, JobId, Notice, ProgressSink, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::place;
use casetrack_host::Host;
use casetrack_host::report::JobState;
use casetrack_ingest::sync;
use casetrack_ingest::sync::{Priority, SyncReport, SyncRequest};

/// The file with the state of indexed files, in the data directory.
pub(super) const KNOWN_FILES: &str = "catalog/known-files.json";
/// Unreadable files whose reasons are reported.
const NAMED: usize = 3;

#[derive(Debug, Clone)]
pub struct IndexFolder {
    pub root: String,
    /// Read every file again, and not only those whose size or times changed.
    pub full: bool,
    pub priority: Priority,
    /// The longest wait for the end.
    pub patience: Duration,
}

/// The result of indexing, or its progress.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IndexedFolder {
    /// Files whose content was read into the index.
    pub indexed: u64,
    /// Files that had not changed, or whose content cannot be read.
    pub skipped: u64,
    /// Files that are gone and were taken out of the index; counted once the work has ended.
    pub removed: u64,
    pub duration_ms: u64,
    /// The running work; absent once it has ended. The same call waits for it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<IndexingJob>,
    /// The files that could not be read, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IndexingJob {
    pub job_id: JobId,
    pub state: JobState,
    pub files_done: u64,
    /// Once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_total: Option<u64>,
}

/// The request of a job that indexes a folder below the allowed roots and the roots of the session.
///
/// Errors: a path that may not be named, does not exist, or is not a folder.
pub fn indexing_request(host: &Host, of_session: &[PathBuf], request: &IndexFolder) -> Result<SyncRequest> {
    let folder = place::existing(host, &crate::file_search_roots(host, of_session)?, &request.root)?;
    if !folder.is_dir() {
        return Err(Error::invalid(format!("'{}' is not a folder.", folder.display()))
            .with_hint("Index the folder that the file is in."));
    }
    Ok(SyncRequest {
        remove_deleted: true,
        // An index of files has nothing that a later indexing could not read again.
        confirm_removal: true,
        trust_times: !request.full,
        rebuild: request.full,
        only_below: Some(of_session.to_vec()),
        priority: request.priority,
        ..SyncRequest::new(folder)
    })
}

/// The work of such a job: brings names and contents up to date, and keeps the state of the files on disk.
pub fn index_for_search(
    host: &Host,
    collection: CollectionId,
    request: &SyncRequest,
    of_session: &[PathBuf],
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let roots = crate::configured_roots(host, of_session);
    let host = host.within(&roots);
    let kept = host.config().data_dir.join(KNOWN_FILES);
    crate::index_files(&host, &request.folder, cancel)?;
    host.known_files().load_once(&kept);
    let report = sync::sync(&host, collection, request, progress, cancel)?;
    host.known_files().save(&kept, &roots)?;
    Ok(report)
}

impl IndexedFolder {
    /// The outcome of a job that has ended, from its report.
    pub fn of(report: &SyncReport) -> Self {
        let is_file = |path: &String| Path::new(path).symlink_metadata().is_ok();
        let files = report.new.iter().chain(&report.changed).filter(|file| is_file(&file.path)).count();
        let SyncReport { failed, unsupported, denied, duplicates, awaited, .. } = report;
        let skipped = unsupported.len() + denied.len() + duplicates.len() + failed.len() + awaited.len();
        let mut notices = Vec::new();
        if !failed.is_empty() {
            let said =
                failed.iter().take(NAMED).map(|file| format!("{}: {}", file.relative_path, file.problem.message));
            let more = if failed.len() > NAMED { " …" } else { "" };
            notices.push(format!("Not read: {}. {}{more}", failed.len(), said.collect::<Vec<_>>().join(" ")));
        }
        if !unsupported.is_empty() {
            notices.push(format!("Found by name only, because their formats are not read: {}.", unsupported.len()));
        }
        if !duplicates.is_empty() {
            notices
                .push(format!("Content equal to that of another file, which stands for both: {}.", duplicates.len()));
        }
        let mut notices: Vec<Notice> = notices.into_iter().map(Notice::from).collect();
        notices.extend(report.summary.notices.iter().cloned());
        Self {
            indexed: (files + report.moved.len()) as u64,
            skipped: report.unchanged + skipped as u64,
            removed: report.removed.len() as u64,
            duration_ms: report.summary.duration_ms,
            job: None,
            notices,
        }
    }
}
