//! Hybrid search: BM25 ∪ dense ∪ learned-sparse recall, score fusion, passages with provenance.

mod answers;
mod clauses;
pub mod compare;
mod complete;
mod context;
mod cover;
mod coverage;
mod deletions;
pub mod every;
mod evidence;
mod excerpt;
mod filter;
mod in_sets;
mod literal;
mod message_quotes;
mod quantity;
mod query;
pub mod ranking;
mod related_passages;
mod results;
mod route;
mod section;
mod sentences;
pub mod similar;
mod statements;
pub mod terms;
#[cfg(test)]
#[path = "../../casetrack-core/src/test_provenance.rs"]
mod test_provenance;
mod ways;
mod whole;
mod word_forms;
mod worth;

use std::collections::HashSet;
use std::time::Instant;

use casetrack_core::{ChunkId, CollectionId, Error, Notice, Provenance, Result, RowRange, Tier};
use schemars::JsonSchema;
use serde::Serialize;

pub use filter::{DateRange, Filters, Kind, WrittenFilters};

use casetrack_host::Host;
use casetrack_host::documents::chunks;
use casetrack_host::paging::check_range;
use excerpt::Extent;
use ranking::collection_query::CollectionQuery;

pub use compare::compare_documents;
pub use complete::CompleteList;
pub use deletions::{DeletedText, DeletedTexts};
pub use every::ask_every_document;
pub use filter::marks::{MarkFilter, admit};
pub use ranking::fusion::Weights;
pub use ranking::recall::{Recall, Scope, recall};
pub use related_passages::{RelatedPassage, Relation};
pub use similar::similar_chunks;
pub use terms::search_terms;
pub use word_forms::matched;

/// Most results of one search.
pub const MAX_TOP_K: u32 = 1000;
/// Longest query, in characters.
pub const MAX_QUERY_CHARS: usize = 10_000;
/// Most results passed over.
pub const MAX_OFFSET: u32 = 10_000;
/// Most characters of text around a passage, on each side.
pub const MAX_CONTEXT: u32 = 10_000;
/// Most passages of each document if they are limited.
pub const MAX_PER_DOCUMENT: u32 = 3;
/// Candidates that each recall source contributes.
pub const RECALL: usize = 500;

#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// Words, with `"phrases"`, `+required` and `-excluded` ones, fields (`document:`, `type:`, …) and operators; see `query/mod.rs`.
    pub query: String,
    /// 1–[`MAX_TOP_K`].
    pub top_k: u32,
    /// Restrict to the document of this name or id.
    pub document: Option<String>,
    /// Restrictions besides those in the query.
    pub filters: Filters,
    /// Results to skip: 0–[`MAX_OFFSET`] in a ranking, any number in a complete list.
    pub offset: u32,
    /// Characters of text around each passage, on each side, 0–[`MAX_CONTEXT`].
    pub context: u32,
    /// Add passages that are related to the best results, even if they do not match the query.
    pub related: bool,
    /// Only the best passages of each document, at most this many, 1–[`MAX_PER_DOCUMENT`]. Documents are ordered by their best passage, and
    /// every searched document is found.
    pub per_document: Option<u32>,
    /// With `per_document`: only documents with passages among this many candidates of each stage, at least [`RECALL`]. All if absent.
    pub among: Option<usize>,
    /// Hits of one line each instead of results.
    pub brief: bool,
    /// Shorter excerpts, for answers that show only the excerpts of results.
    pub short: bool,
    pub count_only: bool,
}

impl Default for SearchRequest {
    fn default() -> Self {
        let (query, document, filters) = Default::default();
        Self {
            query,
            top_k: 10,
            document,
            filters,
            offset: 0,
            context: 0,
            related: false,
            per_document: None,
            among: None,
            brief: false,
            short: false,
            count_only: false,
        }
    }
}

impl SearchRequest {
    fn extent(&self) -> Extent {
        match (self.brief, self.short) {
            (true, _) => Extent::Line,
            (false, true) => Extent::Short,
            (false, false) => Extent::Usual,
        }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchResponse {
    pub query: String,
    /// The name of the collection, or the names of several, separated by commas.
    pub collection: String,
    /// Documents in the collections, before filters.
    pub total_documents: u64,
    pub documents: u64,
    pub chunks: u64,
    pub elapsed_ms: f64,
    pub tier: Tier,
    /// The stages that took part, in order.
    pub stages: Vec<String>,
    /// Reasons why the search was incomplete; empty if it was complete.
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
    /// The counts of the whole list, if the query has only conditions; absent for a ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<CompleteList>,
    /// The offset to continue a complete list with; absent at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Best first; a complete list is in the order of documents, by name, and of their text. Empty for a brief answer.
    pub results: Vec<SearchResult>,
    /// The results of a brief answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<Hit>,
    /// The answer to a query with `in:deleted`, which has no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<DeletedTexts>,
    /// Passages of other documents that are related to the best results, if requested; none of them is a result itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPassage>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchResult {
    /// From 1.
    pub rank: u32,
    /// 0–1, comparable within one response.
    pub score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The chunk, with the headings that apply to the beginning of the excerpt.
    #[serde(flatten)]
    pub chunk: chunks::ChunkView,
    pub excerpt: Excerpt,
    /// Text of the page right before and after the passage, if requested.
    #[serde(flatten)]
    pub surroundings: Surroundings,
    /// Other passages that are the same except for white space and capitals, are mostly part of this one, or only quote it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeated_in: Vec<Repetition>,
    /// Rank (from 1), raw score and share of each recall source that found it.
    pub bm25: Option<StageScore>,
    pub dense: Option<StageScore>,
    pub sparse: Option<StageScore>,
    /// The same for late interaction, if the passage was among those compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<StageScore>,
    /// The share of preferences in `score`: the query names the document, quotes its words, or compares quantities in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred: Option<f32>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// From 1.
    pub rank: u32,
    /// 0–1, comparable within one response.
    pub score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The place of the quotation.
    pub citation: String,
    /// The sentences of the passage that answer the words of the query best, verbatim.
    pub quote: String,
    pub chunk_id: ChunkId,
    /// Other documents with the same text, from the lower ranked passages: their number and the names of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_in: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Surroundings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A verbatim part of a chunk's text, with its own place on the page.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Excerpt {
    pub text: String,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    pub paragraph_start: u32,
    pub paragraph_end: u32,
    pub line_start: u32,
    pub line_end: u32,
    /// In a sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_range: Option<RowRange>,
    /// With the paragraphs and lines of this part.
    pub citation: String,
    /// The bytes of `text` at which its paragraphs and rows begin, except the first.
    #[serde(skip)]
    pub breaks: Vec<usize>,
}

impl Excerpt {
    /// `place` is the place of the text, which is one paragraph until its `breaks` are set.
    pub fn of(text: String, place: &Provenance) -> Self {
        let Provenance {
            char_start, char_end, paragraph_start, paragraph_end, line_start, line_end, row_range, ..
        } = *place;
        Self {
            text,
            char_start,
            char_end,
            paragraph_start,
            paragraph_end,
            line_start,
            line_end,
            row_range,
            citation: place.citation(),
            breaks: Vec::new(),
        }
    }

    /// Its paragraphs and rows, or the parts of them that it holds.
    pub fn paragraphs(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.breaks.iter().copied());
        let ends = self.breaks.iter().copied().chain(std::iter::once(self.text.len()));
        starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end))
    }

    /// Leaves only the excerpt of a passage, with its own place.
    pub fn replace(&self, passage: &mut chunks::ChunkView) {
        passage.text.clone_from(&self.text);
        passage.citation.clone_from(&self.citation);
        let place = &mut passage.provenance;
        (place.char_start, place.char_end) = (self.char_start, self.char_end);
        (place.paragraph_start, place.paragraph_end) = (self.paragraph_start, self.paragraph_end);
        (place.line_start, place.line_end) = (self.line_start, self.line_end);
        place.row_range = self.row_range;
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Repetition {
    pub chunk_id: ChunkId,
    pub citation: String,
    pub file_path: String,
    /// True for a message that quotes the passage and has little other text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_quotation: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct StageScore {
    pub rank: u32,
    /// The stage's own score: BM25, a cosine, a product of sparse vectors, MaxSim.
    pub score: f32,
    /// The share of the stage in the score of the result; the shares of all stages add up to it.
    pub share: f32,
}

/// Searches one collection, or several with one ranking. If a model is missing, or chunks lack its vectors, the other stages answer and a notice
/// reports it. A notice also reports a running ingestion.
pub fn search(host: &Host, collections: &[CollectionId], request: &SearchRequest) -> Result<SearchResponse> {
    let started = Instant::now();
    let query = checked_query(request)?;
    if let Some(deleted) = deletions::deleted_texts(host, collections, query, request, started)? {
        return Ok(deleted);
    }
    if let Some(list) = complete::complete_list(host, collections, query, request, started)? {
        return Ok(list);
    }
    complete::check_ranked(request)?;
    let mut notices = Vec::new();
    let request = &within_tier(request, host.config().tier, &mut notices);
    let count = RECALL.max(request.offset as usize + request.top_k as usize);
    let ask = |&id: &CollectionId| CollectionQuery::of(host, id, query, request, count);
    let mut asked: Vec<CollectionQuery> = collections.iter().map(ask).collect::<Result<_>>()?;
    let stages = ranking::collection_query::stages(&asked);
    let candidates = ranking::collection_query::ranked(&mut asked)?;
    let results = results::results(&asked, &candidates, request, &host.config().citations)?;
    let mut related = Vec::new();
    if request.related {
        for CollectionQuery { collection, preferences, .. } in &asked {
            related.extend(related_passages::to(host, collection, &preferences.asked, &results)?);
        }
    }
    notices.extend(of_changes(&results));
    notices.extend(of_hidden(&results));
    let (results, hits) = Hit::instead_of(results, request.brief);
    let mut notices: Vec<Notice> = notices.into_iter().map(Notice::from).collect();
    notices.extend(asked.iter_mut().flat_map(|asked| std::mem::take(&mut asked.notices)));
    let names: Vec<&str> = asked.iter().map(|asked| asked.collection.meta().name.as_str()).collect();
    let sum = |of: fn(&CollectionQuery) -> u64| asked.iter().map(of).sum();
    Ok(SearchResponse {
        results,
        hits,
        deleted: None,
        complete: None,
        next_offset: None,
        related,
        query: query.to_owned(),
        collection: names.join(", "),
        total_documents: sum(|asked| asked.counts.documents),
        documents: sum(|asked| asked.documents),
        chunks: sum(|asked| asked.chunks),
        tier: host.config().tier,
        stages,
        notices,
        elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
    })
}

/// True if a query has operators, so that its answer is a list and not a ranking.
///
/// Errors: operators that cannot be read.
pub fn has_operators(query: &str) -> Result<bool> {
    query::has_operators(query)
}

/// Most names of other documents in a hit.
const MAX_NAMED: usize = 3;

impl SearchResult {
    /// Without surroundings, repetitions and the scores of stages.
    fn new(rank: usize, score: f32, collection: Option<String>, chunk: chunks::ChunkView, excerpt: Excerpt) -> Self {
        Self {
            rank: rank as u32,
            score,
            collection,
            chunk,
            excerpt,
            surroundings: Surroundings::default(),
            repeated_in: Vec::new(),
            bm25: None,
            dense: None,
            sparse: None,
            late: None,
            preferred: None,
        }
    }

    /// The number of other documents with the same text among lower ranked passages, and the names of the first; `None` if there are none.
    pub fn other_documents(&self) -> Option<(usize, Vec<&str>)> {
        let mut seen = HashSet::from([self.chunk.provenance.file_path.as_str()]);
        let others: Vec<&str> =
            self.repeated_in.iter().map(|place| place.file_path.as_str()).filter(|path| seen.insert(*path)).collect();
        let names = others.iter().copied().take(MAX_NAMED).filter_map(|path| path.rsplit(['/', '\\']).next()).collect();
        (!others.is_empty()).then_some((others.len(), names))
    }
}

impl Hit {
    fn instead_of(results: Vec<SearchResult>, brief: bool) -> (Vec<SearchResult>, Vec<Hit>) {
        let hit = |result: SearchResult| {
            let also_in = result.other_documents().map(|(count, names)| {
                let more = if names.len() < count { ", …" } else { "" };
                format!("{count}: {}{more}", names.join(", "))
            });
            let SearchResult { rank, score, collection, chunk, excerpt, .. } = result;
            let Excerpt { citation, text: quote, .. } = excerpt;
            Self { rank, score, collection, citation, quote, chunk_id: chunk.chunk_id, also_in }
        };
        match brief {
            true => (Vec::new(), results.into_iter().map(hit).collect()),
            false => (results, Vec::new()),
        }
    }
}

/// A notice on the text of passages with tracked changes, if there are some.
fn of_changes(results: &[SearchResult]) -> Option<String> {
    let count = results.iter().filter(|result| result.chunk.provenance.tracked_changes).count();
    let passages = if count == 1 { "1 passage contains" } else { "passages contain" };
    let number = if count == 1 { String::new() } else { format!("{count} ") };
    (count > 0)
        .then(|| format!("{number}{passages} tracked changes: the text is quoted as if all of them were accepted."))
}

/// A notice on passages with hidden text.
fn of_hidden(results: &[SearchResult]) -> Option<String> {
    let count = results.iter().filter(|result| !result.chunk.provenance.hidden_text.is_empty()).count();
    let passages = if count == 1 { "1 passage contains".to_owned() } else { format!("{count} passages contain") };
    (count > 0).then(|| format!("{passages} hidden text, which readers of the file do not see."))
}

/// The request, limited to the results of the tier, with a notice if it asked for more.
fn within_tier(request: &SearchRequest, tier: Tier, notices: &mut Vec<String>) -> SearchRequest {
    let mut request = request.clone();
    if let Some(most) = tier.max_results().filter(|most| request.offset + request.top_k > *most) {
        request.top_k = most.saturating_sub(request.offset);
        notices.push(format!("The {} tier gives the first {most} results. Upgrade to Pro for more.", tier.label()));
    }
    request
}

fn checked_query(request: &SearchRequest) -> Result<&str> {
    let query = request.query.trim();
    if query.is_empty() {
        return Err(Error::invalid("The query is empty.").with_hint(
            "Describe in a few words the passages that you \
            need.",
        ));
    }
    let chars = query.chars().count();
    if chars > MAX_QUERY_CHARS {
        return Err(Error::invalid(format!("The query has {chars} characters; the limit is {MAX_QUERY_CHARS}."))
            .with_hint("Search for the words that matter; a sentence or a paragraph is enough."));
    }
    check_range("top_k", request.top_k, 1..=MAX_TOP_K)?;
    check_range("context", request.context, 0..=MAX_CONTEXT)?;
    if let Some(each) = request.per_document {
        check_range("per_document", each, 1..=MAX_PER_DOCUMENT)?;
    }
    Ok(query)
}
