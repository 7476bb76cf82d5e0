//! Rebuild documents of the active collection, and find those that need it.

use casetrack_core::{CollectionMeta, Error};
use casetrack_engine::jobs::{JobReport, JobRequest, JobStatus};
use casetrack_engine::reindex::{IndexStatus, ModelsWanted, ReindexReport, ReindexRequest};
use casetrack_engine::{documents, reindex};
use casetrack_text::format::bytes;

use super::work::{LongTool, Work, start};
use crate::confirmation::unconfirmed;
use crate::tools::prelude::*;

pub(crate) struct ReindexDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentParameters {
    /// Document name or ID to reindex
    document_name: String,
    /// If true, reindex even if the source file SHA256 has not changed. Default: only reindex if the file has changed.
    #[serde(default)]
    force: bool,
    /// If true (default), re-extract text from the source file and re-chunk. If false, keep existing chunks but only rebuild embeddings
    /// and indexes (faster, useful after tier upgrade).
    #[serde(default = "super::yes")]
    reparse: bool,
    /// Seconds to wait; longer work continues as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600), extend("x-rare" = true))]
    wait_seconds: u32,
}

impl Tool for ReindexDocument {
    const NAME: &'static str = "reindex_document";
    const TITLE: &'static str = "Reindex a document";
    const DESCRIPTION: &'static str = "Rebuild all embeddings, chunks, and search indexes for a single document. Deletes all existing chunks and \
        embeddings for the document, re-extracts text from the original file, re-chunks into 2000-character segments, \
        re-embeds with all active models, and rebuilds the BM25 index. Use this when: (1) a document's source file has \
        been updated on disk, (2) you upgraded to Pro tier and want the document embedded with all 4 models, (3) \
        embeddings seem stale or corrupt, (4) OCR results need refreshing. The original file path stored in provenance \
        is used to re-read the source file.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str = r#"{"document_name": "$document", "force": true}"#;
    const LONG: bool = true;
    type Parameters = DocumentParameters;
    type Response = Work<ReindexReport>;

    fn call(context: &Context<'_>, parameters: DocumentParameters) -> Result<Reply<Work<ReindexReport>>> {
        let collection = context.active()?.id;
        let document = documents::find_document(context.engine.host(), collection, &parameters.document_name)?.id;
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
    /// If true (default), re-extract text from source files and re-chunk everything. If false, keep existing chunks but only rebuild
    /// embeddings and indexes (faster, useful after tier upgrade).
    #[serde(default = "super::yes")]
    reparse: bool,
    /// If true, skip documents whose source files have not changed (SHA256 match) and whose embeddings are complete for the current tier.
    /// Default: false (rebuild everything).
    #[serde(default)]
    skip_unchanged: bool,
    /// Move to these models instead, without skip_unchanged: compact, quality or multilingual
    #[schemars(extend("x-rare" = true))]
    profile: Option<String>,
    /// With profile: float32 or int8
    #[schemars(extend("x-rare" = true))]
    precision: Option<String>,
    /// Make or drop token vectors (E12)
    #[schemars(extend("x-rare" = true))]
    late_interaction: Option<bool>,
    /// Percent of the time to pause
    #[serde(default)]
    #[schemars(range(max = 90), extend("x-rare" = true))]
    throttle: u8,
    /// Seconds to wait; longer work continues as a job: see get_job
    #[serde(default = "super::work::wait_seconds")]
    #[schemars(range(min = 0, max = 600), extend("x-rare" = true))]
    wait_seconds: u32,
}

impl Tool for ReindexCollection {
    const NAME: &'static str = "reindex_collection";
    const TITLE: &'static str = "Reindex the active collection";
    const DESCRIPTION: &'static str = "Rebuild all embeddings, chunks, and search indexes for every document in the active collection. This is a full \
        rebuild -- it deletes ALL existing chunks and embeddings, re-reads every source file, re-chunks, re-embeds with \
        all active models, and rebuilds the entire BM25 index. Use this when: (1) upgrading from Free to Pro tier \
        (re-embed everything with 4 models instead of 3), (2) after a CaseTrack update that changes chunking or \
        embedding logic, (3) the collection index seems corrupted or stale, (4) you want a clean rebuild. WARNING: This \
        can be slow for large collections (hundreds of documents).";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Updates, Need::OWN);
    const SAMPLE: &'static str = r#"{"confirm": true, "reparse": false, "skip_unchanged": true}"#;
    const LONG: bool = true;
    type Parameters = CollectionParameters;
    type Response = Work<ReindexReport>;

    fn call(context: &Context<'_>, parameters: CollectionParameters) -> Result<Reply<Work<ReindexReport>>> {
        let collection = context.active()?;
        let models = models(context, &parameters)?;
        if !parameters.confirm {
            let what = match &models {
                Some(_) => moving(context, &collection)?,
                None => format!("This would rebuild all embeddings of \"{}\", which can take long.", collection.name),
            };
            return Err(unconfirmed("reindexed", what));
        }
        let request = ReindexRequest {
            reparse: parameters.reparse,
            skip_unchanged: parameters.skip_unchanged,
            models,
            throttle: parameters.throttle,
            ..ReindexRequest::new(None)
        };
        start::<Self>(context, collection.id, JobRequest::ReindexCollection(request), parameters.wait_seconds)
    }
}

/// The models to move to, in the precision of new collections if none is named.
fn models(context: &Context<'_>, parameters: &CollectionParameters) -> Result<Option<ModelsWanted>> {
    let CollectionParameters { profile, precision, late_interaction, skip_unchanged, .. } = parameters;
    if profile.is_none() && precision.is_some() {
        return Err(Error::invalid("precision needs profile: the models to move the collection to."));
    }
    if profile.is_none() && late_interaction.is_none() {
        return Ok(None);
    }
    if *skip_unchanged {
        return Err(Error::invalid(
            "skip_unchanged cannot be combined with profile or late_interaction: all documents are stored again.",
        ));
    }
    let profile = profile.as_deref().map(str::parse).transpose()?;
    let precision = match precision {
        Some(precision) => Some(precision.parse()?),
        None => profile.map(|profile| context.engine.host().config().precision_of(profile)),
    };
    Ok(Some(ModelsWanted { profile, precision, late_interaction: *late_interaction }))
}

/// The extent and cost of moving a collection to other models.
fn moving(context: &Context<'_>, collection: &CollectionMeta) -> Result<String> {
    let space = reindex::space_to_move(context.engine.host(), collection.id)?;
    Ok(format!(
        "This would give \"{}\" other vectors, made from the stored text: no file is read, and searches use the old \
         vectors until all are made. Until then it takes up to {} on the disk; {} are free.",
        collection.name,
        bytes(space.needed),
        bytes(space.free)
    ))
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
    const DESCRIPTION: &'static str = "Show the embedding and index health status for all documents in the active collection. Reports which documents \
        have complete embeddings for the current tier, which need reindexing (source file changed, missing embedder \
        coverage, stale embeddings), and overall collection index health. Use this to diagnose issues or decide whether \
        to run reindex_document or reindex_collection.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_filter": "$document"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::new(&["/document_states"], |status| &mut status.document_states));
    type Parameters = StatusParameters;
    type Response = IndexStatus;

    fn call(context: &Context<'_>, parameters: StatusParameters) -> Result<Reply<IndexStatus>> {
        let collection = context.active()?.id;
        let status = reindex::index_status(
            context.engine.host(),
            collection,
            parameters.document_filter.as_deref(),
            context.cancel,
        )?;
        Ok(Reply::new(status, |status| text::reindex::status(status, Reader::Assistant)))
    }
}
