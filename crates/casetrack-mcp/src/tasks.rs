//! Jobs as tasks of the protocol, for clients that declare the extension (SEP-2663): a call of a long tool is answered with a task at
//! once, and the client asks for the result itself.

use casetrack_core::{Error, JobId, Result, Timestamp};
use casetrack_engine::Engine;
use casetrack_engine::jobs::{JobState, JobStatus};
use rmcp::model::{CallToolResult, CreateTaskResult, DetailedTask, GetTaskResult, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use crate::answer::{Form, ToolOutput};
use crate::tools::jobs::outcome;
use casetrack_text as text;

/// The interval at which clients should poll, in milliseconds.
const POLL_INTERVAL_MS: u64 = 1_000;

/// The task for the answer of a long tool; `None` if the job has ended already.
pub(crate) fn created(engine: &Engine, output: &ToolOutput) -> Option<CreateTaskResult> {
    let id: JobId = output.structured.pointer("/job/job_id").and_then(Value::as_str)?.parse().ok()?;
    let job = engine.job(id).ok().filter(|job| !job.state.has_ended())?;
    Some(CreateTaskResult::new(task(&job)))
}

/// The state of a task and, at its end, the answer to the call, in this form. `render` makes it from the outcome.
pub(crate) fn get(
    engine: &Engine,
    id: &str,
    form: Form,
    render: impl FnOnce(Result<ToolOutput>) -> CallToolResult,
) -> Result<GetTaskResult> {
    let job = engine.find_job(id)?;
    let payload = match job.state {
        JobState::Queued | JobState::Running => TaskPayload::Working,
        JobState::Cancelled => TaskPayload::Cancelled,
        JobState::Completed | JobState::Failed => {
            let answer = render(outcome(job.clone(), engine.job_report(job.job_id)?, form));
            match serde_json::to_value(answer) {
                Ok(Value::Object(result)) => TaskPayload::Completed { result },
                _ => return Err(Error::internal("The result of a task could not be written as JSON.")),
            }
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(&job), payload)))
}

fn task(job: &JobStatus) -> Task {
    let updated = job.finished_at.unwrap_or_else(Timestamp::now);
    let status = match job.state {
        JobState::Queued | JobState::Running => TaskStatus::Working,
        JobState::Completed | JobState::Failed => TaskStatus::Completed,
        JobState::Cancelled => TaskStatus::Cancelled,
    };
    Task::new(job.job_id.to_string(), status, job.created_at.to_string(), updated.to_string())
        .with_status_message(text::jobs::progress(job, text::Reader::Assistant))
        .with_poll_interval_ms(POLL_INTERVAL_MS)
}
