//! Conversations by e-mail in the active collection.

use casetrack_engine::threads;
use casetrack_engine::threads::{ThreadQuery, ThreadReport};

use crate::tools::prelude::*;

pub(crate) struct ListThreads;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadParameters {
    /// Only the thread of this message or attachment
    document_filter: Option<String>,
    #[serde(flatten)]
    page: Page<20, 200>,
}

impl Tool for ListThreads {
    const NAME: &'static str = "list_threads";
    const TITLE: &'static str = "List e-mail threads";
    const DESCRIPTION: &'static str = "List e-mail threads, the latest first: who answers whom, missing messages, \
        copies, attachments and quotations.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/threads"], |report| &mut report.threads, |report| &mut report.next_offset));
    type Parameters = ThreadParameters;
    type Response = ThreadReport;

    fn call(context: &Context<'_>, parameters: ThreadParameters) -> Result<Reply<ThreadReport>> {
        let ThreadParameters { document_filter: document, page } = parameters;
        let report =
            threads::threads(context.engine.host(), context.active()?.id, &ThreadQuery { document }, page.into())?;
        Ok(Reply::new(report, move |report| text::threads::list(report, page.offset, Reader::Assistant)))
    }
}
