//! Indexing folders, and the jobs that do it.

use casetrack_engine::space;
use casetrack_engine::space::{IndexSpace, JobItem, JobList, JobsAsked, SpaceIndexed};

use crate::tools::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexParameters {
    /// File or directory path to index
    root: String,
    /// Run asynchronously (return job ID immediately)
    #[serde(rename = "async", default = "crate::tools::yes")]
    in_background: bool,
    /// Force re-indexing even if path was recently scanned
    #[serde(default)]
    force: bool,
    /// Maximum age in seconds before a scan is considered stale (0 = always re-index)
    #[serde(rename = "maxAge", default = "an_hour")]
    #[schemars(extend("default" = 3600))]
    max_age: f64,
}

fn an_hour() -> f64 {
    3600.0
}

space_tool!(Index: "index", "Index a path", Updates, IndexParameters => SpaceIndexed,
    r#"{"root": "$folder", "async": false}"#,
"Index a filesystem path and store metadata in the database. Skips indexing if the path was recently scanned \
    (within `maxAge` seconds) unless `force=true`.",
|context, host, parameters| {
    let IndexParameters { root, in_background, force, max_age } = parameters;
    space::index_space(host, &IndexSpace { root: &root, in_background, force, max_age }, context.cancel)
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobParameters {
    /// Job identifier returned from index
    #[serde(rename = "jobId")]
    job_id: String,
}

space_tool!(JobProgress: "job-progress", "Progress of a job", Reads, JobParameters => JobItem,
    r#"{"jobId": "$job"}"#,
    "Retrieve status for an indexing job.",
    |_, host, parameters| space::space_job(host, &parameters.job_id));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ListJobsParameters {
    /// Show only running/pending jobs
    #[serde(default)]
    active_only: bool,
    /// Filter by status (pending, running, completed, failed, cancelled)
    status: Option<String>,
    /// Filter by minimum progress (0-100)
    min_progress: Option<f64>,
    /// Filter by maximum progress (0-100)
    max_progress: Option<f64>,
    /// Maximum jobs to return
    #[serde(default = "fifty")]
    #[schemars(extend("default" = 50))]
    limit: f64,
}

fn fifty() -> f64 {
    50.0
}

space_tool!(ListSpaceJobs: "list-jobs", "List indexing jobs", Reads, ListJobsParameters => JobList,
    r#"{"activeOnly": true}"#,
"List indexing jobs with optional filtering.\n\nThe latest come first.",
|_, host, parameters| {
    let ListJobsParameters { active_only: active, status, min_progress, max_progress, limit } = parameters;
        // One out of range is refused by name.
        let limit = limit as u32;
    space::space_jobs(host, &JobsAsked { active, status: status.as_deref(), min_progress, max_progress, limit, offset: 0 })
});

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelParameters {
    /// Job identifier to cancel
    #[serde(rename = "jobId")]
    job_id: String,
}

space_tool!(CancelSpaceJob: "cancel-job", "Cancel a job", Updates, CancelParameters => JobItem,
    r#"{"jobId": "$job"}"#,
    "Cancel a running or pending indexing job.\n\nEntries that it has indexed stay.",
    |context, host, parameters| space::cancel_space_job(host, &parameters.job_id, context.cancel));
