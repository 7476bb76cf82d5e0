//! Tools whose work may take longer than clients wait: a job does the work, and the call waits a while for its end.

use std::time::Duration;

use casetrack_core::{CollectionId, Result};
use casetrack_engine::jobs::{JobOrigin, JobReport, JobRequest, JobStatus};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Reply;
use crate::session::Context;
use crate::tool::Tool;
use casetrack_text as text;

/// Default of `wait_seconds`: clients cut a call off at about 60.
pub(super) fn wait_seconds() -> u32 {
    30
}

/// The answer of a tool that does its work in a job.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Work<R> {
    pub job: JobStatus,
    /// The report of the job, once it has ended.
    pub report: Option<R>,
}

/// A tool that does its work in a job.
pub(crate) trait LongTool: Tool<Response = Work<Self::Report>> {
    type Report: Serialize + JsonSchema;

    /// Its part of a report.
    fn report(report: JobReport) -> Option<Self::Report>;

    /// The text of a job that has ended; an error if the job did not do its task.
    fn text(job: &JobStatus, report: &Self::Report) -> Result<String>;

    /// The answer for a job in its present state.
    fn reply(job: JobStatus, report: Option<JobReport>) -> Result<Reply<Work<Self::Report>>> {
        let report = report.and_then(Self::report);
        let text = match (&report, job.problem.clone()) {
            _ if !job.state.has_ended() => text::jobs::under_way(&job),
            (Some(report), _) => Self::text(&job, report)?,
            (None, Some(problem)) => return Err(problem.into_error()),
            (None, None) => text::jobs::status(&job, text::Reader::Assistant),
        };
        Ok(Reply::new(Work { job, report }, move |_| text.clone()))
    }
}

/// Starts a job, or joins one that does the same, and waits for its end.
pub(super) fn start<T: LongTool>(
    context: &Context<'_>,
    collection: CollectionId,
    request: JobRequest,
    wait_seconds: u32,
) -> Result<Reply<Work<T::Report>>> {
    let job = context.engine.start_job(collection, request, JobOrigin::User)?.job;
    let patience = if context.as_task { Duration::ZERO } else { Duration::from_secs(wait_seconds.into()) };
    let job = context.engine.wait_for_job(job.job_id, patience, context.progress, context.cancel)?;
    let report = context.engine.job_report(job.job_id)?.filter(|_| job.state.has_ended());
    T::reply(job, report)
}
