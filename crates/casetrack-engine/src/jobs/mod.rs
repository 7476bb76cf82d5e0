//! Long work that no client can cut off.
//!
//! A job is a request that is saved before it begins. It runs on a thread of its own, with or without a waiting client, one job at a time in a
//! collection and [`queue::MAX_RUNNING`] in all; the others wait in order. A job that the end of the process interrupted continues when the next one
//! starts, and does nothing twice: it keeps the documents that it stored. A request that equals the request of a running job joins the job, which
//! then runs again for files that came since.

mod queue;
mod record;
#[cfg(test)]
mod tests;

use casetrack_core::{
    Action, Cancel, CollectionId, CollectionMeta, Error, ErrorCode, JobId, Password, ProgressSink, Result, Timestamp,
    hint,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use casetrack_host::report::JobState;
use casetrack_host::report::{Problem, WorkSummary};
use casetrack_host::{Host, documents};
use casetrack_ingest::reindex::{ReindexReport, ReindexRequest};
use casetrack_ingest::sync::{Priority, SyncReport, SyncRequest};
use casetrack_ingest::{FailedFile, IngestReport, IngestRequest};

pub(crate) use queue::{Jobs, PAUSE_PATIENCE};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobRequest {
    IngestDocument(IngestRequest),
    IngestFolder(IngestRequest),
    SyncFolder(SyncRequest),
    ReindexDocument(ReindexRequest),
    ReindexCollection(ReindexRequest),
}

/// The tool or command that a job carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    IngestDocument,
    IngestFolder,
    SyncFolder,
    ReindexDocument,
    ReindexCollection,
}

impl JobKind {
    /// True if it adds documents. A reindexed document stays searchable as it was.
    fn ingests(self) -> bool {
        matches!(self, Self::IngestDocument | Self::IngestFolder | Self::SyncFolder)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobOrigin {
    User,
    /// A watched folder that changed, or whose time had come.
    Watch,
}

#[derive(Debug, Clone)]
pub struct StartedJob {
    pub job: JobStatus,
    /// True if it was under way already, for the same request.
    pub joined: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobStatus {
    pub job_id: JobId,
    pub kind: JobKind,
    pub state: JobState,
    pub origin: JobOrigin,
    pub collection_id: CollectionId,
    pub collection: String,
    /// The file, folder or document that it works on; the collection if it works on all of it.
    pub target: String,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Files to examine, once known.
    pub files_total: Option<u64>,
    /// Files that are finished, whatever became of them.
    pub files_done: u64,
    pub files_failed: u64,
    /// While it runs, the files that failed, the last 20, oldest first. Its report has all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<FailingFile>,
    pub chunks: u64,
    /// Chunks by the second since it started, while it runs.
    pub chunks_per_second: Option<f64>,
    /// How long it will take, in seconds, if that is known: for moves to other models, and for other work on stored documents.
    pub seconds_left: Option<u64>,
    /// How often it continued after an interruption by the end of the process.
    pub resumed: u32,
    /// Why it ended early.
    pub problem: Option<Problem>,
}

/// A file that a running job could not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailingFile {
    pub path: String,
    pub message: String,
}

/// The result of a job; one of these, by its kind.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobReport {
    pub ingestion: Option<IngestReport>,
    pub sync: Option<SyncReport>,
    pub reindex: Option<ReindexReport>,
}

impl JobReport {
    /// The report of a job that ran again: adds up the work of each pass.
    fn after(mut self, before: &Self) -> Self {
        let ingestion = self.ingestion.as_mut().map(|report| &mut report.summary);
        let sync = self.sync.as_mut().map(|report| &mut report.summary);
        let reindex = self.reindex.as_mut().map(|report| &mut report.summary);
        if let (Some(summary), Some(before)) = (ingestion.or(sync).or(reindex), before.summary()) {
            summary.chunks_embedded += before.chunks_embedded;
            summary.chunks_reused += before.chunks_reused;
            summary.duration_ms += before.duration_ms;
        }
        self
    }

    /// The files that could not be read, with the messages.
    pub fn failing(&self) -> Vec<FailingFile> {
        let ingestion = self.ingestion.as_ref().map(|report| &report.failed);
        let sync = self.sync.as_ref().map(|report| &report.failed);
        let failed = ingestion.or(sync).or(self.reindex.as_ref().map(|report| &report.failed));
        let failing = |failed: &FailedFile| FailingFile {
            path: failed.relative_path.clone(),
            message: failed.problem.message.clone(),
        };
        failed.into_iter().flatten().map(failing).collect()
    }

    pub(crate) fn summary(&self) -> Option<&WorkSummary> {
        let ingestion = self.ingestion.as_ref().map(|report| &report.summary);
        let sync = self.sync.as_ref().map(|report| &report.summary);
        ingestion.or(sync).or(self.reindex.as_ref().map(|report| &report.summary))
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct JobFilter {
    pub collection: Option<CollectionId>,
    /// Only jobs that have not ended.
    pub active: bool,
}

/// The use cases that carry out the requests of jobs.
pub(crate) trait Work: Send + Sync {
    /// Does the work of a request with the settings of `host`. Returns the report, and the problem if it ended early.
    fn run(
        &self,
        host: &Host,
        collection: CollectionId,
        request: &JobRequest,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<(JobReport, Option<Problem>)>;
}

pub(crate) fn no_such_job(id: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("Job not found: \"{id}\".")).with_hint(hint![
        "See the jobs with ",
        Action::ListJobs,
        ". Jobs that ended long ago are no longer listed."
    ])
}

impl JobRequest {
    pub fn kind(&self) -> JobKind {
        match self {
            Self::IngestDocument(_) => JobKind::IngestDocument,
            Self::IngestFolder(_) => JobKind::IngestFolder,
            Self::SyncFolder(_) => JobKind::SyncFolder,
            Self::ReindexDocument(_) => JobKind::ReindexDocument,
            Self::ReindexCollection(_) => JobKind::ReindexCollection,
        }
    }

    /// The files and folders that it reads, as they were named.
    pub(crate) fn files(&self) -> &[std::path::PathBuf] {
        match self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => &request.paths,
            Self::SyncFolder(request) => std::slice::from_ref(&request.folder),
            Self::ReindexDocument(_) | Self::ReindexCollection(_) => &[],
        }
    }

    /// The file, folder or document, for people.
    fn target(&self, host: &Host, collection: &CollectionMeta) -> Result<String> {
        Ok(match self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => {
                let paths: Vec<String> = request.paths.iter().map(|path| path.display().to_string()).collect();
                paths.join(", ")
            }
            Self::SyncFolder(request) => request.folder.display().to_string(),
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => match request.documents.as_deref() {
                None => collection.name.clone(),
                Some([document]) => documents::document(host, collection.id, &document.to_string())?.meta.name,
                Some(documents) => format!("{} documents", documents.len()),
            },
        })
    }

    /// True if both are the same, with the same password, with any priorities.
    fn is_same(&self, other: &Self) -> bool {
        let of_normal_priority = |request: &Self| {
            let mut request = request.clone();
            if let Self::SyncFolder(request) = &mut request {
                request.priority = Priority::Normal;
            }
            request
        };
        same(&of_normal_priority(self), &of_normal_priority(other)) && self.password() == other.password()
    }

    fn priority(&self) -> Priority {
        match self {
            Self::SyncFolder(request) => request.priority,
            _ => Priority::Normal,
        }
    }

    /// True if both index the same folder for the search of files, in ways that cannot be joined.
    fn conflicts_with(&self, other: &Self) -> bool {
        let (Self::SyncFolder(one), Self::SyncFolder(two)) = (self, other) else { return false };
        one.only_below.is_some() && two.only_below.is_some() && one.folder == two.folder && !self.is_same(other)
    }

    fn password(&self) -> Option<&Password> {
        match self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => request.password.as_ref(),
            Self::SyncFolder(_) => None,
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => request.password.as_ref(),
        }
    }

    /// The same request after an interruption: it stored the documents that were stored since `began`.
    fn continued(mut self, began: Timestamp) -> Self {
        let since = match &mut self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => &mut request.since,
            Self::SyncFolder(request) => &mut request.since,
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => &mut request.since,
        };
        *since = Some(began);
        self
    }
}

fn same<T: Serialize>(a: &T, b: &T) -> bool {
    let text = |value: &T| serde_json::to_string(value).ok();
    text(a).is_some_and(|a| text(b) == Some(a))
}
