//! The search module: named indexes of texts. Names, parameters, answers and texts of errors are a published contract.

use casetrack_core::{Error, Notice};
use casetrack_engine::indexes;
use casetrack_engine::indexes::{
    AddToIndex, AddedToIndex, CreateIndex, CreatedIndex, IndexMatches, SearchIndex as Search,
};
use casetrack_text::format::visible;
use serde_json::{Map, Value, json};

use crate::tools::prelude::*;

pub(crate) struct SearchIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchIndexParameters {
    query: String,
    k: Option<i64>,
    index_name: Option<String>,
}

impl Tool for SearchIndex {
    const NAME: &'static str = "search_index";
    const TITLE: &'static str = "Search an index";
    const DESCRIPTION: &'static str = "Search for documents matching a query string, returning ranked results with relevance scores and \
        context highlights.";
    const ROW: Row = Row::new(Toolset::Index, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"query": "$query", "index_name": "notes"}"#;
    const CONTRACT: Contract =
        Contract::INDEX.with_printed(include_str!("search_index.input.json"), include_str!("search_index.output.json"));
    type Parameters = SearchIndexParameters;
    type Response = IndexMatches;

    fn call(context: &Context<'_>, parameters: SearchIndexParameters) -> Result<Reply<IndexMatches>> {
        let SearchIndexParameters { query, k, index_name } = parameters;
        let search = Search { query, most: k.unwrap_or(10), index: index_name };
        let mut found = indexes::search_text_index(context.engine.host(), &search)?;
        for highlight in found.results.iter_mut().flat_map(|result| &mut result.highlights) {
            *highlight = visible(highlight).into_owned();
        }
        Ok(reply(found))
    }

    /// With as many results as fit.
    fn finish(reply: Reply<IndexMatches>, form: Form) -> Result<ToolOutput> {
        let (mut found, _) = reply.rendered();
        let all = found.results.len();
        let mut output = answer(&found)?;
        while output.text.chars().count() > form.max_chars && found.results.len() > 1 {
            // In proportion to the excess, with room for the notice.
            let share = form.max_chars.saturating_sub(200) as f64 / output.text.chars().count() as f64;
            let kept = ((found.results.len() as f64 * share) as usize).clamp(1, found.results.len() - 1);
            let was_cut = found.results.len() < all;
            found.results.truncate(kept);
            if was_cut {
                found.notices.pop();
            }
            let notice =
                format!("Only {kept} of {all} results are here, because the answer is too long: search for less.");
            found.notices.push(Notice::from(notice));
            output = answer(&found)?;
        }
        Ok(output)
    }
}

pub(crate) struct SearchAddDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchAddDocumentParameters {
    doc_id: String,
    content: String,
    #[serde(default)]
    metadata: Map<String, Value>,
    index_name: Option<String>,
}

impl Tool for SearchAddDocument {
    const NAME: &'static str = "search_add_document";
    const TITLE: &'static str = "Add a document to an index";
    const DESCRIPTION: &'static str = "Add or update a document in the search index. If a document with the same ID exists, it is \
        re-indexed with the new content.";
    const ROW: Row = Row::new(Toolset::Index, Effect::Updates, Need::DISK);
    const SAMPLE: &'static str = r#"{"doc_id": "1", "content": "$quote", "index_name": "notes"}"#;
    const CONTRACT: Contract = Contract::INDEX
        .with_printed(include_str!("search_add_document.input.json"), include_str!("search_add_document.output.json"))
        .with_refusals(&[("content", "Content must be a non-empty string")]);
    type Parameters = SearchAddDocumentParameters;
    type Response = AddedToIndex;

    fn call(context: &Context<'_>, parameters: SearchAddDocumentParameters) -> Result<Reply<AddedToIndex>> {
        let SearchAddDocumentParameters { doc_id, content, metadata, index_name } = parameters;
        let document = AddToIndex { doc_id, content, metadata, index: index_name };
        indexes::add_to_index(context.engine.host(), document, context.progress, context.cancel).map(reply)
    }

    fn finish(reply: Reply<AddedToIndex>, _: Form) -> Result<ToolOutput> {
        answer(&reply.rendered().0)
    }
}

pub(crate) struct SearchCreateIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCreateIndexParameters {
    index_name: String,
    backend: Option<String>,
    #[serde(default)]
    tokenizer_config: TokenizerConfig,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokenizerConfig {
    lowercase: Option<bool>,
    min_length: Option<i64>,
}

impl Tool for SearchCreateIndex {
    const NAME: &'static str = "search_create_index";
    const TITLE: &'static str = "Create an index";
    const DESCRIPTION: &'static str = "Create a new named search index with optional tokenizer configuration.";
    const ROW: Row = Row::new(Toolset::Index, Effect::Creates, Need::DISK);
    const SAMPLE: &'static str = r#"{"index_name": "notes"}"#;
    const CONTRACT: Contract = Contract::INDEX
        .with_printed(include_str!("search_create_index.input.json"), include_str!("search_create_index.output.json"));
    type Parameters = SearchCreateIndexParameters;
    type Response = CreatedIndex;

    fn call(context: &Context<'_>, parameters: SearchCreateIndexParameters) -> Result<Reply<CreatedIndex>> {
        let SearchCreateIndexParameters { index_name, backend, tokenizer_config } = parameters;
        let TokenizerConfig { lowercase, min_length } = tokenizer_config;
        let index = CreateIndex { name: index_name, backend, lowercase, min_length };
        indexes::create_index(context.engine.host(), &index).map(reply)
    }

    fn finish(reply: Reply<CreatedIndex>, _: Form) -> Result<ToolOutput> {
        answer(&reply.rendered().0)
    }
}

/// The text is made in the end, of the structured content.
fn reply<R>(response: R) -> Reply<R> {
    Reply::new(response, |_| String::new())
}

/// Scores are written as they are: through text, their last bit might change.
fn answer(response: &impl Serialize) -> Result<ToolOutput> {
    let mut structured = serde_json::to_value(response)
        .map_err(|error| Error::internal(format!("The response could not be written as JSON: {error}.")))?;
    // Only notices are rendered. Metadata is returned unchanged, even if its fields have the same names.
    if let Some(notices) = structured.get_mut("notices") {
        let mut written = json!({"notices": notices.take()});
        Reader::Assistant.render_hints(&mut written);
        *notices = written["notices"].take();
    }
    Ok(ToolOutput { text: structured.to_string(), structured })
}
