//! Check quotations against the documents of the active collection.

use casetrack_engine::quotes;
use casetrack_engine::quotes::{DraftCheck, QuoteCheck, QuoteRequest};

use crate::tools::prelude::*;

pub(crate) struct VerifyQuote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuoteParameters {
    /// The quotation; may have ellipses and [brackets]
    text: String,
    /// Only this document (name or ID)
    document: Option<String>,
    #[serde(flatten)]
    page: Page<10, 100>,
}

impl Tool for VerifyQuote {
    const NAME: &'static str = "verify_quote";
    const TITLE: &'static str = "Check a quotation";
    const DESCRIPTION: &'static str = "Check whether a quotation is in the active collection, word for word: exact, \
        with every place; differs, with the nearest passage and each word that differs; or not_found.";
    const ROW: Row = Row::new(Toolset::Review, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"text": "$quote"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/places"], |check| &mut check.places, |check| &mut check.next_offset));
    type Parameters = QuoteParameters;
    type Response = QuoteCheck;

    fn call(context: &Context<'_>, parameters: QuoteParameters) -> Result<Reply<QuoteCheck>> {
        let QuoteParameters { text, document, page } = parameters;
        let request = QuoteRequest { text, document, paging: page.into() };
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
    #[serde(flatten)]
    page: Page<50, 500, 500>,
}

impl Tool for VerifyQuotes {
    const NAME: &'static str = "verify_quotes";
    const TITLE: &'static str = "Check the quotations of a draft";
    const DESCRIPTION: &'static str = "Check every quotation of a draft, word for word, and every citation.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"text": "It reads: \"$quote\"."}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/rows"], |check| &mut check.rows, |check| &mut check.next_offset));
    type Parameters = DraftParameters;
    type Response = DraftCheck;

    fn call(context: &Context<'_>, parameters: DraftParameters) -> Result<Reply<DraftCheck>> {
        let DraftParameters { text, page } = parameters;
        let check = quotes::verify_quotes(context.engine.host(), context.active()?.id, &text, page.into())?;
        Ok(Reply::new(check, |check| text::quotes::draft(check, Reader::Assistant)))
    }
}
