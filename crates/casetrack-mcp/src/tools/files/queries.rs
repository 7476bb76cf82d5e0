//! `summarizeResults` and `rewriteQuery`. Without a language model, the same call has the same answer.

use casetrack_engine::file_search::{
    self, MAX_QUERY_TOKENS, RewrittenQuery, SummarizedResult, Summary, SummaryRequest, SummaryStyle,
};

use super::{Versioned, finish, reply};
use crate::tools::prelude::*;

/// Longest summary, in tokens.
const MOST_TOKENS: u32 = 4_000;

pub(crate) struct SummarizeResults;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizeParameters {
    /// The subject of the summary
    query: String,
    /// Path and snippet of each, as searchFiles returns them
    results: Vec<SummarizedResult>,
    /// Form of the summary
    #[serde(default)]
    style: SummaryStyle,
    /// Cap on completion length
    #[serde(default = "crate::tools::number::<400>")]
    #[schemars(range(min = 1))]
    max_tokens: u32,
}

impl Tool for SummarizeResults {
    const NAME: &'static str = "summarizeResults";
    const TITLE: &'static str = "Summarize results";
    const DESCRIPTION: &'static str = "Produce a concise summary using **GPT‑4.1 mini** from a limited set of snippets. Never sends raw \
        documents.\n\nHere a model writes it only if the user allows it; sentences that no snippet supports are marked. Otherwise the \
        summary has the sentences of the snippets that answer the query, each with its file.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"query": "$query", "results": [{"path": "$file", "snippet": "$quote"}]}"#;
    const CONTRACT: Contract = Contract::FILES;
    const CALLS_PER_MINUTE: Option<u32> = Some(20);
    type Parameters = SummarizeParameters;
    type Response = Versioned<Summary>;

    fn call(context: &Context<'_>, parameters: SummarizeParameters) -> Result<Reply<Self::Response>> {
        let SummarizeParameters { query, results, style, max_tokens } = parameters;
        // A cap that is higher than any summary caps nothing.
        let max_tokens = max_tokens.min(MOST_TOKENS);
        let request = SummaryRequest { query, results, style, max_tokens };
        // Without a snippet there is nothing to ask about.
        let Some(model) = context.session.summary_model().filter(|_| !request.results.is_empty()) else {
            return Ok(reply(file_search::summarize(&request)));
        };
        let completion = context.ask(model, &file_search::prompt(&request), max_tokens)?;
        Ok(reply(file_search::told(&request, &completion)))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}

pub(crate) struct RewriteQuery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RewriteParameters {
    /// Natural-language query
    query: String,
}

impl Tool for RewriteQuery {
    const NAME: &'static str = "rewriteQuery";
    const TITLE: &'static str = "Rewrite a query";
    const DESCRIPTION: &'static str = "Translate a natural‑language query into structured filters and an FTS‑ready string using GPT‑4.1 mini.\n\nThe \
        rewriting follows fixed rules, unless the user names a model. searchFiles accepts the string as its query.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"query": "$query"}"#;
    const CONTRACT: Contract = Contract::FILES;
    type Parameters = RewriteParameters;
    type Response = Versioned<RewrittenQuery>;

    fn call(context: &Context<'_>, RewriteParameters { query }: RewriteParameters) -> Result<Reply<Self::Response>> {
        let Some(model) = context.session.own_model() else { return Ok(reply(file_search::rewrite(&query)?)) };
        let Some(prompt) = file_search::rewriting(&query)? else { return Ok(reply(file_search::rewrite(&query)?)) };
        let completion = context.ask(model, &prompt, MAX_QUERY_TOKENS)?;
        Ok(reply(file_search::rewritten(&query, &completion)?))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}
