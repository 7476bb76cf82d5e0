//! Search the active collection for a list of terms at once.

use casetrack_engine::search;
use casetrack_engine::search::{Filters, WrittenFilters};
use casetrack_engine::terms::{TermReport, TermsRequest};

use crate::tools::prelude::*;

pub(crate) struct SearchTerms;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TermsParameters {
    /// Words and phrases, each with AND, OR, NOT, parentheses, terminat* and w/10 as in search_documents
    #[schemars(length(min = 1, max = 1000))]
    terms: Vec<String>,
    /// Only this document (name or ID)
    document: Option<String>,
    /// Only documents of this type (contract, ...) or file format (pdf, ...)
    document_type: Option<String>,
    /// Only files whose path matches this pattern
    path: Option<String>,
    /// Only documents with this tag of the user, or without it (-privileged)
    tag: Option<String>,
    /// Only documents with this value of a user's field (custodian=Smith)
    field: Option<String>,
    #[serde(flatten)]
    page: Page<100, 1000>,
}

impl Tool for SearchTerms {
    const NAME: &'static str = "search_terms";
    const TITLE: &'static str = "Count search terms";
    const DESCRIPTION: &'static str = "Count how many passages of each document have each of a list of terms. The counts are complete: \
        totals of each term first, then the documents with hits.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"terms": ["payment", "thirty w/2 days", "due AND"]}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/rows"], |report| &mut report.rows, |report| &mut report.next_offset));
    type Parameters = TermsParameters;
    type Response = TermReport;

    fn call(context: &Context<'_>, parameters: TermsParameters) -> Result<Reply<TermReport>> {
        let TermsParameters { terms, document, document_type, path, tag, field, page } = parameters;
        let written = WrittenFilters {
            kinds: document_type.into_iter().collect(),
            paths: path.into_iter().collect(),
            tags: tag.into_iter().collect(),
            fields: field.into_iter().collect(),
            ..WrittenFilters::default()
        };
        let request = TermsRequest { terms, document, filters: Filters::try_from(written)? };
        let report = search::search_terms(context.engine.host(), context.active()?.id, &request, page.into())?;
        Ok(Reply::new(report, |report| text::terms::report(report, Reader::Assistant)))
    }
}
