//! The user's own tags and fields on documents of the active collection.

use casetrack_engine::documents;
use casetrack_engine::marking::{MarkChanges, MarkReport};

use crate::tools::prelude::*;

pub(crate) struct TagDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagParameters {
    /// Names or IDs
    documents: Vec<String>,
    /// Tags to add ('privileged')
    #[serde(default)]
    add_tags: Vec<String>,
    /// Tags to remove
    #[serde(default)]
    remove_tags: Vec<String>,
    /// Fields to set ('custodian=Smith')
    #[serde(default)]
    set_fields: Vec<String>,
    /// Names of fields to clear
    #[serde(default)]
    clear_fields: Vec<String>,
}

impl Tool for TagDocument {
    const NAME: &'static str = "tag_document";
    const TITLE: &'static str = "Tag documents";
    const DESCRIPTION: &'static str = "Add and remove the user's own tags on documents, and set and clear fields. Searches take them as \
        filters (tag:privileged, field:custodian=Smith). They stay when a document is ingested again.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Updates, Need::EDIT);
    const SAMPLE: &'static str =
        r#"{"documents": ["$document"], "add_tags": ["hot"], "set_fields": ["custodian=Jane Roe"]}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/documents"], |report| &mut report.documents));
    type Parameters = TagParameters;
    type Response = MarkReport;

    fn call(context: &Context<'_>, parameters: TagParameters) -> Result<Reply<MarkReport>> {
        let TagParameters { documents, add_tags, remove_tags, set_fields, clear_fields } = parameters;
        let changes = MarkChanges { add_tags, remove_tags, set_fields, clear_fields };
        let report = documents::mark_documents(context.engine.host(), context.active()?.id, &documents, &changes)?;
        Ok(Reply::new(report, text::tags::report))
    }
}
