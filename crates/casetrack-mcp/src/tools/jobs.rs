//! Jobs: list them, wait for one, cancel one.

use std::time::Duration;

use casetrack_engine::collections;
use casetrack_engine::jobs::{JobFilter, JobKind, JobReport, JobStatus};

use super::ingest::{IngestDocument, IngestFolder};
use super::reindex::{ReindexCollection, ReindexDocument};
use super::sync::SyncFolder;
use super::work::LongTool;
use crate::tools::prelude::*;

pub(crate) struct ListJobs;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Only jobs that have not ended
    #[serde(default)]
    active_only: bool,
    /// Optional: only jobs of a specific collection name or ID
    collection_filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct JobList {
    /// The newest first.
    jobs: Vec<JobStatus>,
}

impl Tool for ListJobs {
    const NAME: &'static str = "list_jobs";
    const TITLE: &'static str = "List jobs";
    const DESCRIPTION: &'static str = "List jobs (ingestion, sync, reindexing) that are queued, running or recently ended, \
        across all collections, with their progress.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"active_only": false}"#;
    type Parameters = ListParameters;
    type Response = JobList;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<JobList>> {
        let collection = match &parameters.collection_filter {
            Some(name) => Some(collections::find_collection(context.engine.host(), name)?.id),
            None => None,
        };
        let jobs = context.engine.jobs(JobFilter { collection, active: parameters.active_only });
        Ok(Reply::new(JobList { jobs }, |list| text::jobs::list(&list.jobs, Reader::Assistant)))
    }
}

pub(crate) struct GetJob;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetParameters {
    /// ID of the job
    job_id: String,
    /// Seconds to wait for its end
    #[serde(default)]
    #[schemars(range(min = 0, max = 600))]
    wait_seconds: u32,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct JobResult {
    job: JobStatus,
    #[serde(flatten)]
    report: JobReport,
}

impl Tool for GetJob {
    const NAME: &'static str = "get_job";
    const TITLE: &'static str = "Show a job";
    const DESCRIPTION: &'static str = "Get the state and progress of a job and, once it has ended, its full result: what happened \
        to every file.";
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"job_id": "$job", "wait_seconds": 600}"#;
    type Parameters = GetParameters;
    type Response = JobResult;

    fn call(context: &Context<'_>, parameters: GetParameters) -> Result<Reply<JobResult>> {
        let id = context.engine.find_job(&parameters.job_id)?.job_id;
        let patience = Duration::from_secs(parameters.wait_seconds.into());
        let job = context.engine.wait_for_job(id, patience, context.progress, context.cancel)?;
        let report = context.engine.job_report(id)?.filter(|_| job.state.has_ended());
        let mut text = text::jobs::status(&job, Reader::Assistant);
        if job.state.has_ended() {
            // Where the job failed, its state says why.
            let result = outcome(job.clone(), report.clone(), Form::within(u32::MAX));
            let result = result.map_or_else(|error| Reader::Assistant.error(&error), |output| output.text);
            text = format!("{text}\n\n{result}");
        }
        Ok(Reply::new(JobResult { job, report: report.unwrap_or_default() }, move |_| text.clone()))
    }
}

pub(crate) struct CancelJob;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelParameters {
    /// ID of the job
    job_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CancelledJob {
    job: JobStatus,
}

impl Tool for CancelJob {
    const NAME: &'static str = "cancel_job";
    const TITLE: &'static str = "Cancel a job";
    const DESCRIPTION: &'static str = "Stop a job that is queued or running. Stored documents are kept; repeat the \
        original call to continue.";
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"job_id": "$job"}"#;
    type Parameters = CancelParameters;
    type Response = CancelledJob;

    fn call(context: &Context<'_>, parameters: CancelParameters) -> Result<Reply<CancelledJob>> {
        let before = context.engine.find_job(&parameters.job_id)?;
        let job = match before.state.has_ended() {
            true => before.clone(),
            false => context.engine.cancel_job(before.job_id)?,
        };
        Ok(Reply::new(CancelledJob { job }, move |cancelled| {
            text::jobs::cancelled(&before, &cancelled.job, Reader::Assistant)
        }))
    }
}

/// The answer of the tool that started a job, once the job has ended.
pub(crate) fn outcome(job: JobStatus, report: Option<JobReport>, form: Form) -> Result<ToolOutput> {
    match job.kind {
        JobKind::IngestDocument => IngestDocument::finish(IngestDocument::reply(job, report)?, form),
        JobKind::IngestFolder => IngestFolder::finish(IngestFolder::reply(job, report)?, form),
        JobKind::SyncFolder => SyncFolder::finish(SyncFolder::reply(job, report)?, form),
        JobKind::ReindexDocument => ReindexDocument::finish(ReindexDocument::reply(job, report)?, form),
        JobKind::ReindexCollection => ReindexCollection::finish(ReindexCollection::reply(job, report)?, form),
    }
}
