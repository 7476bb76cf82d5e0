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
        match request {
            JobRequest::IngestDocument(request) | JobRequest::IngestFolder(request) => {
                report.ingestion = Some(host.ingest(collection, request, progress, cancel)?);
            }
            JobRequest::SyncFolder(request) => {
                report.sync = Some(match &request.only_below {
                    Some(roots) => host.index_for_search(collection, request, roots, progress, cancel)?,
                    None => host.sync(collection, request, progress, cancel)?,
                });
            }
            JobRequest::ReindexDocument(request) | JobRequest::ReindexCollection(request) => {
                report.reindex = Some(host.reindex(collection, request, progress, cancel)?);
            }
        }
        let stopped = report.summary().and_then(|summary| summary.stopped.clone());
        Ok((report, stopped))
    }
}
