//! Obligations in the active collection.

use casetrack_engine::sheet;
use casetrack_engine::sheet::{ObligationQuery, ObligationReport};

use crate::tools::prelude::*;

pub(crate) struct GetObligations;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObligationParameters {
    /// Only this document (name or ID)
    document_filter: Option<String>,
    /// Only parties with this in their names
    party: Option<String>,
    /// Due on or after (YYYY-MM-DD, YYYY-MM or YYYY)
    start_date: Option<String>,
    /// Due on or before
    end_date: Option<String>,
    #[serde(flatten)]
    page: Page<50, 500>,
}

impl Tool for GetObligations {
    const NAME: &'static str = "get_obligations";
    const TITLE: &'static str = "List obligations";
    const DESCRIPTION: &'static str = "List who must do what by when: with a day, stated or computed, or with the trigger that the time \
        counts from. Those with a day are first.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"party": "$entity"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/obligations"], |report| &mut report.obligations, |report| &mut report.next_offset));
    type Parameters = ObligationParameters;
    type Response = ObligationReport;

    fn call(context: &Context<'_>, parameters: ObligationParameters) -> Result<Reply<ObligationReport>> {
        let ObligationParameters { document_filter: document, party, start_date: from, end_date: to, page } =
            parameters;
        let query = ObligationQuery { document, party, from, to, marks: Vec::new() };
        let report = sheet::obligations(context.engine.host(), context.active()?.id, &query, page.into())?;
        Ok(Reply::new(report, text::obligations::list))
    }
}
