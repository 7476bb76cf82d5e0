//! Conversations by e-mail in the active collection.

use casetrack_core::Result;
use casetrack_engine::paging::Paging;
use casetrack_engine::threads;
use casetrack_engine::threads::{ThreadQuery, ThreadReport};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct ListThreads;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadParameters {
    /// Only the thread of this message or attachment
    document_filter: Option<String>,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most threads
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

impl Tool for ListThreads {
    const NAME: &'static str = "list_threads";
    const TITLE: &'static str = "List e-mail threads";
    const DESCRIPTION: &'static str = "List e-mail threads, the latest first: who answers whom, missing messages, copies, attachments, what each quotes.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/threads"], |report| &mut report.threads, |report| &mut report.next_offset));
    type Parameters = ThreadParameters;
    type Response = ThreadReport;

    fn call(context: &Context<'_>, parameters: ThreadParameters) -> Result<Reply<ThreadReport>> {
        let ThreadParameters { document_filter: document, offset, limit } = parameters;
        let report = threads::threads(
            context.engine.host(),
            context.active()?.id,
            &ThreadQuery { document },
            Paging { offset, limit },
        )?;
        Ok(Reply::new(report, move |report| text::threads::list(report, offset, Reader::Assistant)))
    }
}
