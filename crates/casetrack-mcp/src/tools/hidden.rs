//! Find text that files contain but do not show.

use casetrack_engine::documents;
use casetrack_engine::hidden::HiddenPassages;

use crate::tools::prelude::*;

pub(crate) struct FindHiddenText;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HiddenParameters {
    /// Document name or ID; without it, all documents
    document: Option<String>,
    #[serde(flatten)]
    page: Page<50, 500>,
}

impl Tool for FindHiddenText {
    const NAME: &'static str = "find_hidden_text";
    const TITLE: &'static str = "Find hidden text";
    const DESCRIPTION: &'static str = "Find text that files hold but do not show: covered (failed redactions), white, invisible, \
        tiny, formatted as hidden, or in hidden rows, columns or sheets.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/passages"], |list| &mut list.passages, |list| &mut list.next_offset));
    type Parameters = HiddenParameters;
    type Response = HiddenPassages;

    fn call(context: &Context<'_>, parameters: HiddenParameters) -> Result<Reply<HiddenPassages>> {
        let HiddenParameters { document, page } = parameters;
        let paging = Paging::from(page);
        let list =
            documents::find_hidden_text(context.engine.host(), context.active()?.id, document.as_deref(), paging)?;
        Ok(Reply::new(list, |list| text::hidden_text::passages(list, Reader::Assistant)))
    }
}
