//! References of the documents of the active collection.

use casetrack_core::ReferenceKind;
use casetrack_engine::briefing;
use casetrack_engine::briefing::{CitationsReport, ReferenceListReport, ReferenceSort};

use crate::tools::prelude::*;

pub(crate) struct ListReferences;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Filter by kind of reference
    #[serde(default)]
    reference_type: Choice<ReferenceKind, All>,
    /// Sort order
    #[serde(default)]
    sort_by: ReferenceSort,
    /// Maximum references to return
    #[serde(default = "super::number::<50>")]
    #[schemars(range(min = 1, max = 200))]
    top_k: u32,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    offset: u32,
}

impl Tool for ListReferences {
    const NAME: &'static str = "list_references";
    const TITLE: &'static str = "List references";
    const DESCRIPTION: &'static str = "List all referenced external sources (documents, standards, regulations, reports) cited in the active \
        collection. Shows the reference, type, citation count, and number of citing documents. Use this to understand \
        which external sources matter most in the collection.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"sort_by": "documents"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/references"], |report| &mut report.list.references, |report| &mut report.next_offset));
    type Parameters = ListParameters;
    type Response = ReferenceListReport;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<ReferenceListReport>> {
        let ListParameters { reference_type, sort_by, top_k: limit, offset } = parameters;
        let paging = Paging { offset, limit };
        let report = briefing::list_references(
            context.engine.host(),
            context.active()?.id,
            reference_type.one(),
            sort_by,
            paging,
        )?;
        Ok(Reply::new(report, text::references::list))
    }
}

pub(crate) struct GetReferenceCitations;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CitationsParameters {
    /// The reference to look up (e.g., 'Master Service Agreement v2.1', 'ISO 27001')
    reference: String,
    /// Maximum passages to return
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 100))]
    top_k: u32,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    offset: u32,
}

impl Tool for GetReferenceCitations {
    const NAME: &'static str = "get_reference_citations";
    const TITLE: &'static str = "Show where something is cited";
    const DESCRIPTION: &'static str = "Get all chunks that cite a specific reference. Shows the context of each citation. Use this to understand how a \
        reference is used throughout the collection.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"reference": "$reference"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/citations"], |report| &mut report.citations, |report| &mut report.next_offset));
    type Parameters = CitationsParameters;
    type Response = CitationsReport;

    fn call(context: &Context<'_>, parameters: CitationsParameters) -> Result<Reply<CitationsReport>> {
        let CitationsParameters { reference, top_k: limit, offset } = parameters;
        let paging = Paging { offset, limit };
        let report = briefing::reference_citations(context.engine.host(), context.active()?.id, &reference, paging)?;
        Ok(Reply::new(report, text::references::citations))
    }
}
