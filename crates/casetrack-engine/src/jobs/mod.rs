//! Long work that no client can cut off.
//!
//! A job is a request that is written down before it begins. It runs on a thread of its own, whoever waits for it or stops
//! waiting, one job at a time in a collection and [`queue::MAX_RUNNING`] in all; what does not run yet waits in order. A job that the
//! end of the process interrupted goes on when the next one starts, and does nothing twice: it takes over what it had stored. A request
//! that is the same as one under way joins it, and has it look once more for what came since.

mod queue;
mod record;

use std::time::Duration;

use casetrack_core::{
    Action, Cancel, CollectionId, CollectionMeta, Error, ErrorCode, JobId, ProgressSink, Result, Timestamp, hint,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::ingest::{IngestReport, IngestRequest, Problem};
use crate::lifecycle::check_changeable;
use crate::reindex::{ReindexReport, ReindexRequest};
use crate::sync::{SyncReport, SyncRequest};

pub(crate) use queue::Jobs;

/// What a job is to do.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for another job of its collection, or for its turn.
    Queued,
    Running,
    /// Ended; what became of every file is in its report.
    Completed,
    /// Ended early; what it had stored until then is kept.
    Failed,
    /// Ended early because someone asked for it; what it had stored until then is kept.
    Cancelled,
}

impl JobState {
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Who asked for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobOrigin {
    User,
    /// A watched folder that changed, or whose time had come.
    Watch,
}

/// A job as it is at this moment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobStatus {
    pub job_id: JobId,
    pub kind: JobKind,
    pub state: JobState,
    pub origin: JobOrigin,
    pub collection_id: CollectionId,
    pub collection: String,
    /// The file, folder or document that it works on; the collection where it is all of it.
    pub target: String,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Files to look at, once known.
    pub files_total: Option<u64>,
    /// Files that are finished, whatever became of them.
    pub files_done: u64,
    pub files_failed: u64,
    /// Chunks made so far.
    pub chunks: u64,
    /// Chunks by the second since it started, while it runs.
    pub chunks_per_second: Option<f64>,
    /// How often it went on after an interruption by the end of the process.
    pub resumed: u32,
    /// Why it ended early.
    pub problem: Option<Problem>,
}

/// What a job did; one of these, by its kind.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobReport {
    pub ingestion: Option<IngestReport>,
    pub sync: Option<SyncReport>,
    pub reindex: Option<ReindexReport>,
}

impl JobReport {
    /// The report of a job that went on: what each pass did for itself is added up.
    fn after(mut self, before: &Self) -> Self {
        macro_rules! add {
            ($($part:ident),*) => {$(
                if let (Some(report), Some(before)) = (&mut self.$part, &before.$part) {
                    report.chunks_embedded += before.chunks_embedded;
                    report.chunks_reused += before.chunks_reused;
                    report.duration_ms += before.duration_ms;
                }
            )*};
        }
        add!(ingestion, sync, reindex);
        self
    }
}

/// Which jobs a list is restricted to.
#[derive(Debug, Clone, Copy, Default)]
pub struct JobFilter {
    pub collection: Option<CollectionId>,
    /// Only those that have not ended.
    pub active: bool,
}

impl Engine {
    /// Writes a job down and starts it as soon as its turn comes. A request that is the same as that of a job which has not ended
    /// returns that job instead. The job runs with the settings of this engine, also after a restart.
    pub fn start_job(&self, collection: CollectionId, request: JobRequest, origin: JobOrigin) -> Result<JobStatus> {
        let collection = self.find_collection(&collection.to_string())?;
        check_changeable(&collection)?;
        let target = request.target(self, &collection)?;
        Jobs::start(self, &collection, request, target, origin)
    }

    /// All jobs that are remembered, the newest first: those that have not ended, and the last that have.
    pub fn jobs(&self, filter: JobFilter) -> Vec<JobStatus> {
        let mut jobs = self.job_queue().statuses();
        jobs.retain(|job| {
            filter.collection.is_none_or(|id| job.collection_id == id) && !(filter.active && job.state.has_ended())
        });
        jobs
    }

    pub fn job(&self, id: JobId) -> Result<JobStatus> {
        self.job_queue().status(id).ok_or_else(|| no_such_job(&id.to_string()))
    }

    /// A job by its id, or by the beginning of it.
    pub fn find_job(&self, id: &str) -> Result<JobStatus> {
        let wanted = id.trim().to_ascii_lowercase();
        let mut found = self.jobs(JobFilter::default());
        found.retain(|job| wanted.len() >= 8 && job.job_id.to_string().starts_with(&wanted));
        match found.pop() {
            Some(job) if found.is_empty() => Ok(job),
            _ => Err(no_such_job(id)),
        }
    }

    /// What a job that has ended did; `None` while it has not, and where it failed before it did anything.
    pub fn job_report(&self, id: JobId) -> Result<Option<JobReport>> {
        self.job_queue().report(id)
    }

    /// Blocks until a job has ended, `patience` is over or `cancel` is set, and returns how it stands then; `progress` hears what the
    /// job reports meanwhile. `cancel` ends the waiting, not the job.
    pub fn wait_for_job(
        &self,
        id: JobId,
        patience: Duration,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<JobStatus> {
        self.job_queue().wait(id, patience, progress, cancel).ok_or_else(|| no_such_job(&id.to_string()))
    }

    /// Asks a job to end, and waits a moment for it. What it has stored is kept. One that has ended already stays as it is.
    pub fn cancel_job(&self, id: JobId) -> Result<JobStatus> {
        self.job_queue().cancel(id).ok_or_else(|| no_such_job(&id.to_string()))
    }

    /// Goes on with the jobs that the end of a process interrupted. For the owner of the data directory, once.
    pub fn resume_jobs(&self) -> Result<()> {
        Jobs::resume(self)
    }

    /// Interrupts all jobs, which go on when the next owner of the data directory starts, and waits for them to pause.
    pub fn pause_jobs(&self) {
        self.job_queue().pause();
    }

    /// Whether some job has not ended.
    pub fn has_work(&self) -> bool {
        self.job_queue().statuses().iter().any(|job| !job.state.has_ended())
    }
}

fn no_such_job(id: &str) -> Error {
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

    /// The file, folder or document, for people.
    fn target(&self, engine: &Engine, collection: &CollectionMeta) -> Result<String> {
        Ok(match self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => {
                let paths: Vec<String> = request.paths.iter().map(|path| path.display().to_string()).collect();
                paths.join(", ")
            }
            Self::SyncFolder(request) => request.folder.display().to_string(),
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => match request.documents.as_deref() {
                None => collection.name.clone(),
                Some([document]) => engine.document(collection.id, &document.to_string())?.meta.name,
                Some(documents) => format!("{} documents", documents.len()),
            },
        })
    }

    /// The same request after an interruption: what was stored since `began` was stored by it.
    fn going_on(mut self, began: Timestamp) -> Self {
        let since = match &mut self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => &mut request.since,
            Self::SyncFolder(request) => &mut request.since,
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => &mut request.since,
        };
        *since = Some(began);
        self
    }

    /// Does the work, and says why it ended early where it did.
    fn run(
        &self,
        engine: &Engine,
        collection: CollectionId,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<(JobReport, Option<Problem>)> {
        let mut report = JobReport::default();
        let stopped = match self {
            Self::IngestDocument(request) | Self::IngestFolder(request) => {
                let done = engine.ingest(collection, request, progress, cancel)?;
                report.ingestion.insert(done).stopped.clone()
            }
            Self::SyncFolder(request) => {
                let done = engine.sync(collection, request, progress, cancel)?;
                report.sync.insert(done).stopped.clone()
            }
            Self::ReindexDocument(request) | Self::ReindexCollection(request) => {
                let done = engine.reindex(collection, request, progress, cancel)?;
                report.reindex.insert(done).stopped.clone()
            }
        };
        Ok((report, stopped))
    }
}
