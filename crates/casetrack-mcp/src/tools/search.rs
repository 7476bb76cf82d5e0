//! Search the active collection.

use casetrack_core::Result;
use casetrack_engine::search::{SearchRequest, SearchResponse};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::session::Context;
use crate::table::{Effect, Reply, Tool};
use crate::text;

pub(crate) struct SearchDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParameters {
    /// Natural language search query (e.g., 'Q3 revenue analysis', 'vendor payment terms', 'project timeline'). May hold
    /// "exact phrases", +required and -excluded words, and document:NAME type:contract date:2023-05..2023-08 page:3-7.
    query: String,
    /// Number of results to return
    #[serde(default = "default_top_k")]
    #[schemars(range(min = 1, max = 50))]
    top_k: u32,
    /// Optional: restrict search to a specific document name or ID
    document_filter: Option<String>,
}

fn default_top_k() -> u32 {
    10
}

impl Tool for SearchDocuments {
    const NAME: &'static str = "search_documents";
    const TITLE: &'static str = "Search documents";
    const DESCRIPTION: &'static str = "Search across all documents in the active collection using semantic and keyword \
        search. Returns results with FULL provenance: source document filename, file path, page, paragraph, line numbers, \
        character offsets, extraction method, timestamps. Every result is traceable to its exact source location.";
    const EFFECT: Effect = Effect::Reads;
    type Parameters = SearchParameters;
    type Response = SearchResponse;

    fn call(context: &Context<'_>, parameters: SearchParameters) -> Result<Reply<SearchResponse>> {
        let SearchParameters { query, top_k, document_filter: document } = parameters;
        let request = SearchRequest { query, top_k, document, ..SearchRequest::default() };
        let response = context.engine.search(context.active()?.id, &request)?;
        Ok(Reply { text: text::search::results(&response), response })
    }
}
