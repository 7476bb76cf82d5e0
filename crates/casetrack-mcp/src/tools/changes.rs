//! List the tracked changes of a document.

use casetrack_engine::documents;
use casetrack_engine::tracked_changes::DocumentChanges;

use crate::tools::prelude::*;

pub(crate) struct ListChanges;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesParameters {
    /// Document name or ID
    document: String,
    #[serde(flatten)]
    page: Page<100, 500>,
}

impl Tool for ListChanges {
    const NAME: &'static str = "list_changes";
    const TITLE: &'static str = "List tracked changes";
    const DESCRIPTION: &'static str = "List the tracked changes of a draft: insertions, deletions and moves, by whom \
        and when, each with its citation. The text of documents is the final one.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document": "$document"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/changes"], |list| &mut list.changes, |list| &mut list.next_offset));
    type Parameters = ChangesParameters;
    type Response = DocumentChanges;

    fn call(context: &Context<'_>, parameters: ChangesParameters) -> Result<Reply<DocumentChanges>> {
        let ChangesParameters { document, page } = parameters;
        let list = documents::list_changes(context.engine.host(), context.active()?.id, &document, page.into())?;
        Ok(Reply::new(list, |list| text::tracked_changes::changes(list, Reader::Assistant)))
    }
}
