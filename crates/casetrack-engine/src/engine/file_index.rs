//! The jobs of the search of files.

use std::path::PathBuf;

use casetrack_core::{Cancel, Error, ProgressSink, Result, Timestamp};

use super::Engine;
use crate::jobs::{JobOrigin, JobRequest, JobStatus};
use casetrack_files::file_search;
use casetrack_files::file_search::{FileMatches, FileSearch, IndexFolder, IndexedFolder, IndexingJob};
use casetrack_host::{collections, of_files};

impl Engine {
    /// Indexes a folder for [`search_files`](Self::search_files), in a job, and waits a while for its end. `of_session` are the folders
    /// that may be looked into besides the allowed roots. The same request joins the running job.
    ///
    /// Errors: a path that may not be named or is not there; `ErrorCode::InUse` while another request indexes this folder.
    pub fn index_folder(
        &self,
        of_session: &[PathBuf],
        request: &IndexFolder,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<IndexedFolder> {
        let sync = file_search::indexing_request(self.host(), of_session, request)?;
        let collection = collections::files_collection_to_index(self.host())?.id;
        let started = self.start_job(collection, JobRequest::SyncFolder(sync), JobOrigin::User)?;
        let job = self.wait_for_job(started.job.job_id, request.patience, progress, cancel)?;
        if !job.state.has_ended() {
            return Ok(so_far(&job));
        }
        if let Some(problem) = job.problem {
            return Err(problem.into_error());
        }
        let report = self.job_report(job.job_id)?.and_then(|report| report.sync);
        report.as_ref().map(IndexedFolder::of).ok_or_else(|| Error::internal("The report of the indexing is missing."))
    }

    /// As [`Host::search_files`](casetrack_files::file_search::search_files), and reports the folders in which indexing is under way.
    pub fn search_files(&self, of_session: &[PathBuf], search: &FileSearch) -> Result<FileMatches> {
        let indexing = self.jobs.ingestion_notice(of_files());
        let mut matches = file_search::search_files(&self.host, of_session, search)?;
        matches.notices.extend(indexing.map(Into::into));
        Ok(matches)
    }
}

/// The state of a job that has not ended.
fn so_far(job: &JobStatus) -> IndexedFolder {
    let since = job.started_at.unwrap_or(job.created_at);
    let &JobStatus { job_id, state, files_done, files_total, .. } = job;
    IndexedFolder {
        indexed: job.files_done.saturating_sub(job.files_failed),
        skipped: job.files_failed,
        removed: 0,
        duration_ms: u64::try_from(Timestamp::now().0.saturating_sub(since.0)).unwrap_or_default(),
        job: Some(IndexingJob { job_id, state, files_done, files_total }),
        notices: vec!["Removed files are counted when the work has ended.".into()],
    }
}
