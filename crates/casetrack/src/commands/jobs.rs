//! `casetrack jobs`

use casetrack_core::Result;
use casetrack_engine::collections;
use casetrack_engine::jobs::JobFilter;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;

/// List jobs that are running or ended recently, or show or cancel one
///
/// Commands, assistants and watched folders start jobs for ingestion, sync and reindexing.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Jobs {
    /// Show this job (its ID or the beginning of it)
    job: Option<String>,
    /// Cancel the job; the documents that it has stored are kept
    #[arg(long, requires = "job")]
    cancel: bool,
    /// List only jobs that have not ended
    #[arg(long)]
    active: bool,
    /// List only jobs of this collection [default: of all]
    #[arg(short, long, value_name = "NAME", conflicts_with = "job")]
    collection: Option<String>,
}

impl Jobs {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        match &self.job {
            Some(id) if self.cancel => {
                let before = engine.find_job(id)?;
                let job = engine.cancel_job(before.job_id)?;
                console.print(&job, |job| text::jobs::cancelled(&before, job, Reader::CommandLine))
            }
            Some(id) => {
                let mut job = engine.find_job(id)?;
                if let Some(report) = engine.job_report(job.job_id)?.filter(|_| job.state.has_ended()) {
                    job.failing = report.failing();
                }
                console.print(&job, |job| text::jobs::with_failures(job, Reader::CommandLine))
            }
            None => {
                let named = self.collection.map(|name| collections::find_collection(engine.host(), &name));
                let collection = named.transpose()?.map(|found| found.id);
                let jobs = engine.jobs(JobFilter { collection, active: self.active });
                console.print(&jobs, |jobs| text::jobs::list(jobs, Reader::CommandLine))
            }
        }
    }
}
