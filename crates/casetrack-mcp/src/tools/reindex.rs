//! Rebuild documents of the active collection, and find those that need it.

use casetrack_core::{Error, Result};
use casetrack_engine::jobs::{JobReport, JobRequest, JobStatus};
use casetrack_engine::reindex::{IndexStatus, ModelsWanted, ReindexReport, ReindexRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ingest::yes;
use super::work::{LongTool, Work, start};
use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct ReindexDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentParameters {
    /// Document name or ID to reindex
    document_name: String,
    /// If true, reindex even if the source file SHA256 has not changed. Default: only reindex if the file has changed.
    #[serde(default)]
    force: bool,
    /// If true (default), re-extract text from the source file and re-chunk. If false, keep existing chunks but only rebuild
    /// embeddings and indexes (faster, useful after tier upgrade).
    #[serde(default = "yes")]
    reparse: bool,
    /// Seconds to wait; longer work goes on as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600))]
    wait_seconds: u32,
}

impl Tool for ReindexDocument {
    const NAME: &'static str = "reindex_document";
    const TITLE: &'static str = "Reindex a document";
    const DESCRIPTION: &'static str = "Rebuild all embeddings, chunks, and search indexes for a single document. Reads the \
        original file again, chunks and embeds its text, in one step: the earlier version stays searchable until the new one \
        is complete, and chunks whose text did not change keep their IDs. Use this when: (1) a document's source file has \
        been updated on disk, (2) you upgraded to Pro tier, (3) embeddings seem stale or corrupt, (4) OCR results need \
        refreshing.";
    const EFFECT: Effect = Effect::Updates;
    const TOOLSET: Toolset = Toolset::Watch;
    const LONG: bool = true;
    type Parameters = DocumentParameters;
    type Response = Work<ReindexReport>;

    fn call(context: &Context<'_>, parameters: DocumentParameters) -> Result<Reply<Work<ReindexReport>>> {
        let collection = context.active()?.id;
        let document = context.engine.find_document(collection, &parameters.document_name)?.id;
        let request = ReindexRequest {
            reparse: parameters.reparse,
            skip_unchanged: !parameters.force,
            ..ReindexRequest::new(Some(vec![document]))
        };
        start::<Self>(context, collection, JobRequest::ReindexDocument(request), parameters.wait_seconds)
    }
}

impl LongTool for ReindexDocument {
    type Report = ReindexReport;

    fn report(report: JobReport) -> Option<ReindexReport> {
        report.reindex
    }

    fn text(_: &JobStatus, report: &ReindexReport) -> Result<String> {
        match report.failed.first() {
            Some(failed) if report.reindexed.is_empty() => Err(failed.problem.clone().into_error()),
            _ => Ok(text::reindex::report(report, false, Reader::Assistant)),
        }
    }
}

pub(crate) struct ReindexCollection;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionParameters {
    /// Must be true to confirm. This deletes and rebuilds ALL embeddings in the collection.
    #[schemars(extend("default" = false))]
    confirm: bool,
    /// If true (default), re-extract text from source files and re-chunk everything. If false, keep existing chunks but only
    /// rebuild embeddings and indexes (faster, useful after tier upgrade).
    #[serde(default = "yes")]
    reparse: bool,
    /// If true, skip documents whose source files have not changed (SHA256 match) and whose embeddings are complete for the
    /// current tier. Default: false (rebuild everything).
    #[serde(default)]
    skip_unchanged: bool,
    /// Models: compact or quality
    profile: Option<String>,
    /// Seconds to wait; longer work goes on as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600))]
    wait_seconds: u32,
}

impl Tool for ReindexCollection {
    const NAME: &'static str = "reindex_collection";
    const TITLE: &'static str = "Reindex the active collection";
    const DESCRIPTION: &'static str = "Rebuild all embeddings, chunks, and search indexes for every document in the active \
        collection. It reads every source file again, document by document; each stays searchable until its new version is \
        complete. Use this when: (1) upgrading from Free to Pro tier, (2) after a CaseTrack update that changes chunking or \
        embedding logic, (3) the collection index seems corrupted or stale, (4) you want a clean rebuild. It can be slow for \
        hundreds of documents.";
    const EFFECT: Effect = Effect::Updates;
    const TOOLSET: Toolset = Toolset::Watch;
    const LONG: bool = true;
    type Parameters = CollectionParameters;
    type Response = Work<ReindexReport>;

    fn call(context: &Context<'_>, parameters: CollectionParameters) -> Result<Reply<Work<ReindexReport>>> {
        let collection = context.active()?;
        if !parameters.confirm {
            return Err(Error::invalid("confirm must be true; nothing was reindexed.").with_hint(format!(
                "This would rebuild all embeddings of \"{}\", which can take long. Ask the user, then call again with confirm set \
                 to true.",
                collection.name
            )));
        }
        let request = ReindexRequest {
            reparse: parameters.reparse,
            skip_unchanged: parameters.skip_unchanged,
            models: parameters.profile.map(|profile| models(context, &profile)).transpose()?,
            ..ReindexRequest::new(None)
        };
        start::<Self>(context, collection.id, JobRequest::ReindexCollection(request), parameters.wait_seconds)
    }
}

/// The models of a profile, in the precision of new collections.
fn models(context: &Context<'_>, profile: &str) -> Result<ModelsWanted> {
    let profile = profile.parse()?;
    Ok(ModelsWanted { profile, precision: context.engine.config().precision_of(profile), throttle: 0 })
}

impl LongTool for ReindexCollection {
    type Report = ReindexReport;

    fn report(report: JobReport) -> Option<ReindexReport> {
        report.reindex
    }

    fn text(_: &JobStatus, report: &ReindexReport) -> Result<String> {
        Ok(text::reindex::report(report, true, Reader::Assistant))
    }
}

pub(crate) struct GetIndexStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusParameters {
    /// Optional: check a specific document instead of all
    document_filter: Option<String>,
}

impl Tool for GetIndexStatus {
    const NAME: &'static str = "get_index_status";
    const TITLE: &'static str = "Check the indexes";
    const DESCRIPTION: &'static str = "Show the embedding and index health status for all documents in the active \
        collection. Reports which documents have complete embeddings for the current tier, which need reindexing (source \
        file changed, missing embedder coverage, stale embeddings), and overall collection index health. Use this to \
        diagnose issues or decide whether to run reindex_document or reindex_collection.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Watch;
    const LIST: Option<List<Self::Response>> =
        Some(List::new(&["/document_states"], |status| &mut status.document_states));
    type Parameters = StatusParameters;
    type Response = IndexStatus;

    fn call(context: &Context<'_>, parameters: StatusParameters) -> Result<Reply<IndexStatus>> {
        let collection = context.active()?.id;
        let status = context.engine.index_status(collection, parameters.document_filter.as_deref(), context.cancel)?;
        Ok(Reply::new(status, |status| text::reindex::status(status, Reader::Assistant)))
    }
}
