//! The work of jobs.

use casetrack_core::{Cancel, CollectionId, Notice, ProgressSink, Result};

use crate::host::Host;
use crate::ingest::IngestRequest;
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
                let told = fitted(host, collection, request, cancel);
                let ingestion = report.ingestion.insert(host.ingest(collection, request, progress, cancel)?);
                ingestion.summary.notices.extend(told);
            }
            JobRequest::SyncFolder(request) => {
                report.sync = Some(match &request.only_below {
                    Some(roots) => host.index_for_search(collection, request, roots, progress, cancel)?,
                    None => {
                        let files = IngestRequest {
                            extensions: request.extensions.clone(),
                            ..IngestRequest::new(vec![request.folder.clone()])
                        };
                        let told = fitted(host, collection, &files, cancel);
                        let mut synced = host.sync(collection, request, progress, cancel)?;
                        synced.summary.notices.extend(told);
                        synced
                    }
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

/// Gives a new collection models that know its first documents; what to say of it. Where that fails, it keeps those it has.
fn fitted(host: &Host, collection: CollectionId, request: &IngestRequest, cancel: &Cancel) -> Option<Notice> {
    host.fit_models(collection, request, cancel).unwrap_or_else(|error| {
        tracing::warn!(%error, "the languages of the first documents were not looked at");
        None
    })
}
