//! Versions of documents in the active collection: which there are, and the redline between two.

use casetrack_core::{Feature, Result};
use casetrack_engine::paging::Paging;
use casetrack_engine::versions;
use casetrack_engine::versions::{Redline, USUAL_SIMILARITY, VersionQuery, VersionReport};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct RedlineDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedlineParameters {
    /// Older version (name or ID)
    old_document: String,
    /// Newer version
    new_document: String,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most changes
    #[serde(default = "super::number::<100>")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

impl Tool for RedlineDocuments {
    const NAME: &'static str = "redline_documents";
    const TITLE: &'static str = "Redline two versions";
    const DESCRIPTION: &'static str = "Redline a newer version, paragraph by paragraph, cited on both sides: words, insertions, \
        deletions, moves. For any two files. Pro tier only.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const FEATURE: Option<Feature> = Some(Feature::CompareDocuments);
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/changes"], |redline| &mut redline.changes, |redline| &mut redline.next_offset));
    type Parameters = RedlineParameters;
    type Response = Redline;

    fn call(context: &Context<'_>, parameters: RedlineParameters) -> Result<Reply<Redline>> {
        let RedlineParameters { old_document, new_document, offset, limit } = parameters;
        let documents = [old_document.as_str(), new_document.as_str()];
        let redline =
            versions::redline(context.engine.host(), context.active()?.id, documents, Paging { offset, limit })?;
        Ok(Reply::new(redline, move |redline| text::redline::redline(redline, offset, Reader::Assistant)))
    }
}

pub(crate) struct ListVersions;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionParameters {
    /// Only the group of this document
    document_filter: Option<String>,
    /// Share of three-word sequences in common
    #[serde(default = "usual_similarity")]
    #[schemars(range(min = 0.1, max = 1.0))]
    min_similarity: f64,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most groups
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

fn usual_similarity() -> f64 {
    USUAL_SIMILARITY
}

impl Tool for ListVersions {
    const NAME: &'static str = "list_versions";
    const TITLE: &'static str = "List versions and copies";
    const DESCRIPTION: &'static str = "List groups of versions and near-duplicates, in the order of drafts, with the number of changes between \
        neighbours.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/groups"], |report| &mut report.groups, |report| &mut report.next_offset));
    type Parameters = VersionParameters;
    type Response = VersionReport;

    fn call(context: &Context<'_>, parameters: VersionParameters) -> Result<Reply<VersionReport>> {
        let VersionParameters { document_filter: document, min_similarity, offset, limit } = parameters;
        let query = VersionQuery { document, min_similarity };
        let report = versions::versions(context.engine.host(), context.active()?.id, &query, Paging { offset, limit })?;
        Ok(Reply::new(report, move |report| text::versions::list(report, offset, Reader::Assistant)))
    }
}
