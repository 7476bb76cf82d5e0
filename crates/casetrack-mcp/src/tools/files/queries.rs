//! `summarizeResults` and `rewriteQuery`. Without a language model, the same call has the same answer.

use casetrack_core::settings::SummaryModel;
use casetrack_engine::file_search::{self, RewrittenQuery, SummarizedResult, Summary, SummaryRequest, SummaryStyle};

use super::{Versioned, finish, reply};
use crate::tools::prelude::*;

/// Longest summary, in tokens.
const MOST_TOKENS: u32 = 4_000;

pub(crate) struct SummarizeResults;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizeParameters {
    /// What the summary should be about
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
        documents.\n\nHere the client's model writes the summary if the user allows it. Otherwise the summary has the sentences of \
        the snippets that answer the query, each with its file.";
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
        let is_allowed = context.session.settings().summaries.model == SummaryModel::Client;
        let Some(model) = context.session.model().filter(|_| is_allowed) else {
            return Ok(reply(file_search::summarize(&request)));
        };
        let told = model.complete(&file_search::prompt(&request), max_tokens, context.cancel)?;
        Ok(reply(file_search::told(&request, &told)))
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
        rewriting follows fixed rules, without a model. searchFiles accepts the string as its query.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"query": "$query"}"#;
    const CONTRACT: Contract = Contract::FILES;
    type Parameters = RewriteParameters;
    type Response = Versioned<RewrittenQuery>;

    fn call(_: &Context<'_>, RewriteParameters { query }: RewriteParameters) -> Result<Reply<Self::Response>> {
        Ok(reply(file_search::rewrite(&query)?))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}
