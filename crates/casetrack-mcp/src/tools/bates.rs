//! The Bates numbers of the active collection.

use casetrack_core::Result;
use casetrack_engine::bates::BatesReport;
use casetrack_engine::documents;
use casetrack_engine::paging::Paging;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct ListBates;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatesParameters {
    /// Only of this document (name or ID)
    document_filter: Option<String>,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most ranges
    #[serde(default = "super::number::<50>")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

impl Tool for ListBates {
    const NAME: &'static str = "list_bates";
    const TITLE: &'static str = "List Bates numbers";
    const DESCRIPTION: &'static str =
        "List which document has which Bates numbers, and which numbers are missing or on several pages.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/ranges"], |report| &mut report.ranges, |report| &mut report.next_offset));
    type Parameters = BatesParameters;
    type Response = BatesReport;

    fn call(context: &Context<'_>, parameters: BatesParameters) -> Result<Reply<BatesReport>> {
        let BatesParameters { document_filter, offset, limit } = parameters;
        let paging = Paging { offset, limit };
        let report =
            documents::bates_numbers(context.engine.host(), context.active()?.id, document_filter.as_deref(), paging)?;
        Ok(Reply::new(report, |report| text::bates::list(report, Reader::Assistant)))
    }
}
