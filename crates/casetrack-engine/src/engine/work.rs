//! The work of jobs.

use std::collections::HashSet;

use casetrack_core::{Cancel, CollectionId, DocumentId, Notice, ProgressSink, Result};

use crate::jobs::{JobReport, JobRequest, Work};
use casetrack_files::file_search;
use casetrack_host::report::Problem;
use casetrack_host::{Host, documents};
use casetrack_ingest::sync::SyncReport;
use casetrack_ingest::{IngestRequest, reindex, sync};

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
                documents::check_marks(&request.marks)?;
                let notice = models_notice(host, collection, request, cancel);
                let mut done = casetrack_ingest::ingest(host, collection, request, progress, cancel)?;
                done.summary.notices.extend(notice);
                done.summary.notices.extend(documents::mark_from(
                    host,
                    collection,
                    &request.marks,
                    &request.paths,
                    None,
                ));
                report.ingestion = Some(done);
            }
            JobRequest::SyncFolder(request) => {
                documents::check_marks(&request.marks)?;
                let mut done = match &request.only_below {
                    Some(roots) => file_search::index_for_search(host, collection, request, roots, progress, cancel)?,
                    None => {
                        let files = IngestRequest {
                            extensions: request.extensions.clone(),
                            ..IngestRequest::new(vec![request.folder.clone()])
                        };
                        let notice = models_notice(host, collection, &files, cancel);
                        let mut synced = sync::sync(host, collection, request, progress, cancel)?;
                        synced.summary.notices.extend(notice);
                        synced
                    }
                };
                let only = request.trust_times.then(|| changed_documents(&done));
                let roots = std::slice::from_ref(&request.folder);
                if !request.dry_run {
                    done.summary.notices.extend(documents::mark_from(
                        host,
                        collection,
                        &request.marks,
                        roots,
                        only.as_ref(),
                    ));
                }
                report.sync = Some(done);
            }
            JobRequest::ReindexDocument(request) | JobRequest::ReindexCollection(request) => {
                report.reindex = Some(reindex::reindex(host, collection, request, progress, cancel)?);
            }
        }
        let stopped = report.summary().and_then(|summary| summary.stopped.clone());
        Ok((report, stopped))
    }
}

/// The documents that a sync changed_documents, or found in another place.
fn changed_documents(report: &SyncReport) -> HashSet<DocumentId> {
    let read = report.new.iter().chain(&report.changed).filter_map(|file| file.document_id);
    read.chain(report.moved.iter().map(|moved| moved.document_id)).collect()
}

/// Gives a new collection models for the languages of its first documents. Returns a notice about the change. On failure, the collection keeps
/// its models.
fn models_notice(host: &Host, collection: CollectionId, request: &IngestRequest, cancel: &Cancel) -> Option<Notice> {
    reindex::fit_models(host, collection, request, cancel).unwrap_or_else(|error| {
        tracing::warn!(%error, "the languages of the first documents were not read");
        None
    })
}
