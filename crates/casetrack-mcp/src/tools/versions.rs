//! Versions of documents in the active collection: the list, and the redline between two.

use casetrack_engine::versions;
use casetrack_engine::versions::{Redline, USUAL_SIMILARITY, VersionQuery, VersionReport};

use crate::tools::prelude::*;

pub(crate) struct RedlineDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedlineParameters {
    /// Older version (name or ID)
    old_document: String,
    /// Newer version
    new_document: String,
    #[serde(flatten)]
    page: Page<100, 1000>,
}

impl Tool for RedlineDocuments {
    const NAME: &'static str = "redline_documents";
    const TITLE: &'static str = "Redline two versions";
    const DESCRIPTION: &'static str = "Redline a newer version, paragraph by paragraph, cited on both sides: words, insertions, \
        deletions, moves. For any two files. Pro tier only.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"old_document": "$document", "new_document": "$other"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/changes"], |redline| &mut redline.changes, |redline| &mut redline.next_offset));
    type Parameters = RedlineParameters;
    type Response = Redline;

    fn call(context: &Context<'_>, parameters: RedlineParameters) -> Result<Reply<Redline>> {
        let RedlineParameters { old_document, new_document, page } = parameters;
        let documents = [old_document.as_str(), new_document.as_str()];
        let redline = versions::redline(context.engine.host(), context.active()?.id, documents, page.into())?;
        Ok(Reply::new(redline, move |redline| text::redline::redline(redline, page.offset, Reader::Assistant)))
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
    #[serde(flatten)]
    page: Page<20, 200>,
}

fn usual_similarity() -> f64 {
    USUAL_SIMILARITY
}

impl Tool for ListVersions {
    const NAME: &'static str = "list_versions";
    const TITLE: &'static str = "List versions and copies";
    const DESCRIPTION: &'static str = "List groups of versions and near-duplicates, in the order of drafts, with the number of changes between \
        neighbours.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_filter": "$document"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/groups"], |report| &mut report.groups, |report| &mut report.next_offset));
    type Parameters = VersionParameters;
    type Response = VersionReport;

    fn call(context: &Context<'_>, parameters: VersionParameters) -> Result<Reply<VersionReport>> {
        let VersionParameters { document_filter: document, min_similarity, page } = parameters;
        let query = VersionQuery { document, min_similarity };
        let report = versions::versions(context.engine.host(), context.active()?.id, &query, page.into())?;
        Ok(Reply::new(report, move |report| text::versions::list(report, page.offset, Reader::Assistant)))
    }
}
