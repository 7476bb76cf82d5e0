//! The work of jobs.

use casetrack_core::{Cancel, CollectionId, ProgressSink, Result};

use crate::host::Host;
use crate::jobs::{JobReport, JobRequest, Work};
use crate::report::Problem;

/// Carries out requests with the use cases.
pub(super) struct UseCases;

impl Work for UseCases {
    fn run(
        &self,
        host: &Host,
        collection: CollectionId,
        request: &JobRequest,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<(JobReport, Option<Problem>)> {
        let mut report = JobReport::default();
        let stopped = match request {
            JobRequest::IngestDocument(request) | JobRequest::IngestFolder(request) => {
                let done = host.ingest(collection, request, progress, cancel)?;
                report.ingestion.insert(done).stopped.clone()
            }
            JobRequest::SyncFolder(request) => {
                let done = host.sync(collection, request, progress, cancel)?;
                report.sync.insert(done).stopped.clone()
            }
            JobRequest::ReindexDocument(request) | JobRequest::ReindexCollection(request) => {
                let done = host.reindex(collection, request, progress, cancel)?;
                report.reindex.insert(done).stopped.clone()
            }
        };
        Ok((report, stopped))
    }
}
