//! Jobs and their progress.

use casetrack_core::Timestamp;
use casetrack_engine::jobs::{JobKind, JobOrigin, JobState, JobStatus};

use super::format::{counted, duration, one_line, push_fact, push_section, thousands, trimmed};
use super::ingest::MAX_FAILURES;
use super::marks::name;
use crate::Reader;

const MAX_LISTED: usize = 30;

fn kind(kind: JobKind) -> &'static str {
    match kind {
        JobKind::IngestDocument => "ingest a document",
        JobKind::IngestFolder => "ingest a folder",
        JobKind::SyncFolder => "sync a folder",
        JobKind::ReindexDocument => "reindex a document",
        JobKind::ReindexCollection => "reindex the collection",
    }
}

fn state(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Completed => "completed",
        JobState::Failed => "failed",
        JobState::Cancelled => "cancelled",
    }
}

/// `12 of 47 files, 340 chunks (21.3 chunks/s)`
pub fn progress(job: &JobStatus, reader: Reader) -> String {
    let files = match job.files_total {
        Some(total) => format!("{} of {}", thousands(job.files_done), counted(total, "file")),
        None => counted(job.files_done, "file"),
    };
    let failed = match job.files_failed {
        0 => String::new(),
        failed => format!(", {} failed", thousands(failed)),
    };
    let unit = reader.unit();
    let rate = job.chunks_per_second.map(|rate| format!(" ({rate:.1} {unit}s/s)")).unwrap_or_default();
    format!("{files}{failed}, {}{rate}", counted(job.chunks, unit))
}

pub fn status(job: &JobStatus, reader: Reader) -> String {
    let mut text = format!("Job {} is {}: {}\n\n", job.job_id, state(job.state), kind(job.kind));
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Collection", &one_line(&job.collection));
    fact("Target", &one_line(&job.target));
    if job.origin == JobOrigin::Watch {
        fact("Started by", "a watch of the folder");
    }
    fact("Progress", &progress(job, reader));
    if let Some(left) = left(job) {
        fact("Left", &left);
    }
    fact("Created", &job.created_at.to_string());
    if let Some(time) = running_time(job) {
        fact("Duration", &time);
    }
    if job.resumed > 0 {
        fact("Resumed", &format!("{} after CaseTrack ended", counted(job.resumed.into(), "time")));
    }
    if let Some(problem) = &job.problem {
        fact("Problem", &one_line(&problem.message));
    }
    trimmed(text)
}

/// As [`status`], with the files that failed.
pub fn with_failures(job: &JobStatus, reader: Reader) -> String {
    let mut text = status(job, reader);
    let failures = job.failing.iter().map(|file| format!("{}: {}", name(&file.path), one_line(&file.message)));
    text.push('\n');
    push_section(&mut text, "Failures", failures, MAX_FAILURES);
    trimmed(text)
}

/// How long a job will still take.
fn left(job: &JobStatus) -> Option<String> {
    job.seconds_left.map(|seconds| format!("about {}", duration(seconds * 1000)))
}

fn running_time(job: &JobStatus) -> Option<String> {
    let end = job.finished_at.unwrap_or_else(Timestamp::now);
    u64::try_from(end.0 - job.started_at?.0).ok().map(duration)
}

/// The answer of a call whose work has not ended.
pub fn under_way(job: &JobStatus) -> String {
    format!(
        "{}\n\nIt continues in the background. Result: get_job with job_id \"{}\" (wait_seconds waits for the end). To stop it: cancel_job.",
        status(job, Reader::Assistant),
        job.job_id,
    )
}

pub fn cancelled(before: &JobStatus, job: &JobStatus, reader: Reader) -> String {
    match (before.state.has_ended(), job.state) {
        (true, ended) => format!("Job {} has already ended ({}). Nothing was changed.", job.job_id, state(ended)),
        (_, JobState::Queued | JobState::Running) => {
            format!("Job {} is being cancelled; it ends when the current document is stored.", job.job_id)
        }
        (_, ended) => format!(
            "Job {} is {} ({}). Stored documents are kept; the same call continues the job.",
            job.job_id,
            state(ended),
            progress(job, reader)
        ),
    }
}

/// Several jobs, a line or two each.
pub fn list(jobs: &[JobStatus], reader: Reader) -> String {
    let mut text = format!("Jobs: {}\n", thousands(jobs.len() as u64));
    if jobs.is_empty() {
        text.push_str("\nNo jobs are running, and none ended recently.");
    }
    for job in jobs.iter().take(MAX_LISTED) {
        let left = left(job).map(|left| format!(", {left} left")).unwrap_or_default();
        let by = if job.origin == JobOrigin::Watch { " | by a watch" } else { "" };
        text.push_str(&format!(
            "\n  {} {}: {}\n     {} | {}{left}{by} | created {}\n     ID: {}\n",
            kind(job.kind),
            state(job.state),
            one_line(&job.target),
            one_line(&job.collection),
            progress(job, reader),
            job.created_at,
            job.job_id,
        ));
        if let Some(problem) = &job.problem {
            text.push_str(&format!("     {}\n", one_line(&problem.message)));
        }
    }
    if let Some(more) = jobs.len().checked_sub(MAX_LISTED).filter(|&more| more > 0) {
        text.push_str(&format!("\n  ... {} older\n", thousands(more as u64)));
    }
    trimmed(text)
}
