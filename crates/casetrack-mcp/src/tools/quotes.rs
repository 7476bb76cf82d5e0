//! Check quotations against the documents of the active collection.

use casetrack_core::Result;
use casetrack_engine::paging::Paging;
use casetrack_engine::quotes;
use casetrack_engine::quotes::{DraftCheck, QuoteCheck, QuoteRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{List, Reply};
use crate::session::Context;
use crate::tool::{Effect, Tool, Toolset};
use casetrack_text::{self as text, Reader};

pub(crate) struct VerifyQuote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuoteParameters {
    /// The quotation; may have ellipses and [brackets]
    text: String,
    /// Only this document (name or ID)
    document: Option<String>,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
    /// Most places
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

impl Tool for VerifyQuote {
    const NAME: &'static str = "verify_quote";
    const TITLE: &'static str = "Check a quotation";
    const DESCRIPTION: &'static str = "Whether a quotation is in the active collection, word for word: exact, with every place; differs, \
        with the nearest passage and each word that differs; or not_found.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Graph;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/places"], |check| &mut check.places, |check| &mut check.next_offset));
    type Parameters = QuoteParameters;
    type Response = QuoteCheck;

    fn call(context: &Context<'_>, parameters: QuoteParameters) -> Result<Reply<QuoteCheck>> {
        let QuoteParameters { text, document, offset, limit } = parameters;
        let request = QuoteRequest { text, document, paging: Paging { offset, limit } };
        let check = quotes::verify_quote(context.engine.host(), context.active()?.id, &request)?;
        Ok(Reply::new(check, |check| text::quotes::quotation(check, Reader::Assistant)))
    }
}

pub(crate) struct VerifyQuotes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftParameters {
    /// The draft: plain text or Markdown
    text: String,
    /// The next_offset of an earlier answer
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    offset: u32,
    /// Most rows
    #[serde(default = "super::number::<50>")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
}

impl Tool for VerifyQuotes {
    const NAME: &'static str = "verify_quotes";
    const TITLE: &'static str = "Check the quotations of a draft";
    const DESCRIPTION: &'static str = "Check every quotation of a draft, word for word, and every citation.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Core;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/rows"], |check| &mut check.rows, |check| &mut check.next_offset));
    type Parameters = DraftParameters;
    type Response = DraftCheck;

    fn call(context: &Context<'_>, parameters: DraftParameters) -> Result<Reply<DraftCheck>> {
        let DraftParameters { text, offset, limit } = parameters;
        let check =
            quotes::verify_quotes(context.engine.host(), context.active()?.id, &text, Paging { offset, limit })?;
        Ok(Reply::new(check, |check| text::quotes::draft(check, Reader::Assistant)))
    }
}
