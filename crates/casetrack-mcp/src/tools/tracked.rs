//! List the tracked changes of a document.

use casetrack_core::Result;
use casetrack_engine::documents;
use casetrack_engine::paging::Paging;
use casetrack_engine::tracked::DocumentChanges;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct ListChanges;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesParameters {
    /// Document name or ID
    document: String,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most changes
    #[serde(default = "super::number::<100>")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

impl Tool for ListChanges {
    const NAME: &'static str = "list_changes";
    const TITLE: &'static str = "List tracked changes";
    const DESCRIPTION: &'static str = "List the tracked changes of a draft: what was inserted, deleted and moved, by whom and when, \
        each with its citation. Documents' text is the final one.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/changes"], |list| &mut list.changes, |list| &mut list.next_offset));
    type Parameters = ChangesParameters;
    type Response = DocumentChanges;

    fn call(context: &Context<'_>, parameters: ChangesParameters) -> Result<Reply<DocumentChanges>> {
        let ChangesParameters { document, offset, limit } = parameters;
        let list = context.engine.list_changes(context.active()?.id, &document, Paging { offset, limit })?;
        Ok(Reply::new(list, |list| text::tracked_changes::changes(list, Reader::Assistant)))
    }
}
