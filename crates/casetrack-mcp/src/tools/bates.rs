//! The Bates numbers of the active collection.

use casetrack_engine::bates::BatesReport;
use casetrack_engine::documents;

use crate::tools::prelude::*;

pub(crate) struct ListBates;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatesParameters {
    /// Only this document (name or ID)
    document_filter: Option<String>,
    #[serde(flatten)]
    page: Page<50, 500>,
}

impl Tool for ListBates {
    const NAME: &'static str = "list_bates";
    const TITLE: &'static str = "List Bates numbers";
    const DESCRIPTION: &'static str =
        "List which document has which Bates numbers, and which numbers are missing or on several pages.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_filter": "$document"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/ranges"], |report| &mut report.ranges, |report| &mut report.next_offset));
    type Parameters = BatesParameters;
    type Response = BatesReport;

    fn call(context: &Context<'_>, parameters: BatesParameters) -> Result<Reply<BatesReport>> {
        let BatesParameters { document_filter, page } = parameters;
        let paging = Paging::from(page);
        let report =
            documents::bates_numbers(context.engine.host(), context.active()?.id, document_filter.as_deref(), paging)?;
        Ok(Reply::new(report, |report| text::bates::list(report, Reader::Assistant)))
    }
}
