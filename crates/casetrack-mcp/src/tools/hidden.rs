//! Find the text that files hold but do not show.

use casetrack_core::Result;
use casetrack_engine::documents;
use casetrack_engine::hidden::HiddenPassages;
use casetrack_engine::paging::Paging;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct FindHiddenText;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HiddenParameters {
    /// Document name or ID; without it, all documents
    document: Option<String>,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most passages
    #[serde(default = "super::number::<50>")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

impl Tool for FindHiddenText {
    const NAME: &'static str = "find_hidden_text";
    const TITLE: &'static str = "Find hidden text";
    const DESCRIPTION: &'static str = "Find text that files hold but do not show: covered (failed redactions), white, invisible, \
        tiny, formatted as hidden, or in hidden rows, columns or sheets.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/passages"], |list| &mut list.passages, |list| &mut list.next_offset));
    type Parameters = HiddenParameters;
    type Response = HiddenPassages;

    fn call(context: &Context<'_>, parameters: HiddenParameters) -> Result<Reply<HiddenPassages>> {
        let HiddenParameters { document, offset, limit } = parameters;
        let paging = Paging { offset, limit };
        let list = context.engine.find_hidden_text(context.active()?.id, document.as_deref(), paging)?;
        Ok(Reply::new(list, |list| text::hidden_text::passages(list, Reader::Assistant)))
    }
}
