//! Search the active collection: by query, for similar passages, and in two documents about a topic.

use casetrack_core::Notice;
use casetrack_engine::compare::Comparison;
use casetrack_engine::every::{DocumentAnswer, EveryAnswer, EveryRequest};
use casetrack_engine::search::{
    Filters, RelatedPassage, SearchRequest, SearchResponse, SearchResult, Surroundings, WrittenFilters,
};
use casetrack_engine::similar::{SimilarChunk, SimilarChunks, SimilarRequest};
use casetrack_engine::{collections, search};

use crate::tools::prelude::*;

pub(crate) struct SearchDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParameters {
    /// Natural language search query (e.g., 'Q3 revenue analysis', 'vendor payment terms', 'project timeline')
    query: String,
    /// Number of results to return
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    top_k: u32,
    /// Optional: restrict search to a specific document name or ID
    document_filter: Option<String>,
    /// Type or format (contract, report, pdf, xlsx, ...). The query may also have "phrases", +required and -excluded words, document:NAME
    /// type:contract entity:NAME date:2023-05..2023-08 page:3-7 bates:A..B exhibit:A tag:NAME field:NAME=VALUE in:deleted and operators:
    /// (terminat* w/10 convenience) AND NOT "for cause". Only conditions: complete list
    document_type: Option<String>,
    /// Entity that passages mention
    entity: Option<String>,
    /// Pattern of paths ('contracts/**/*.pdf')
    path: Option<String>,
    /// Last saved from (YYYY, YYYY-MM or YYYY-MM-DD)
    date_from: Option<String>,
    /// Last saved until
    date_to: Option<String>,
    /// Ingested on ('2024-05..2024-06')
    #[schemars(extend("x-rare" = true))]
    ingested: Option<String>,
    /// Pages ('3' or '3-7')
    pages: Option<String>,
    /// The user's tag (privileged), or not (-privileged)
    tag: Option<String>,
    /// The user's field (custodian=Smith)
    field: Option<String>,
    /// Least OCR confidence of scanned pages
    #[schemars(range(min = 0.0, max = 1.0), extend("x-rare" = true))]
    min_confidence: Option<f32>,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000))]
    offset: u32,
    /// Only counts
    #[serde(default)]
    count_only: bool,
    /// Characters to show around each passage
    #[serde(default)]
    #[schemars(range(min = 0, max = 10000))]
    context: u32,
    /// Add related passages of other documents
    #[serde(default)]
    related: bool,
    /// Best passages of each document
    #[schemars(range(min = 1, max = 3))]
    per_document: Option<u32>,
    /// A sentence for each result
    #[serde(default)]
    brief: bool,
    /// Search these instead of the active one
    #[serde(default)]
    collections: Vec<String>,
    /// Show the share of each stage in scores
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    explain: bool,
}

impl Tool for SearchDocuments {
    const NAME: &'static str = "search_documents";
    const TITLE: &'static str = "Search documents";
    const DESCRIPTION: &'static str = "Search across all documents in the active collection using semantic and keyword search. Returns results with \
        FULL provenance: source document filename, file path, page, paragraph, line numbers, character offsets, \
        extraction method, timestamps. Every result is traceable to its exact source location.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"query": "$query", "explain": true, "context": 50, "related": true}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/results"], |response| &mut response.results, |response| &mut response.next_offset));
    const SHORTEN: Option<fn(&mut Self::Response)> = Some(shorten);
    type Parameters = SearchParameters;
    type Response = SearchResponse;

    fn call(context: &Context<'_>, parameters: SearchParameters) -> Result<Reply<SearchResponse>> {
        let written = WrittenFilters {
            kinds: parameters.document_type.into_iter().collect(),
            entities: parameters.entity.into_iter().collect(),
            paths: parameters.path.into_iter().collect(),
            from: parameters.date_from,
            to: parameters.date_to,
            ingested: parameters.ingested,
            pages: parameters.pages,
            min_confidence: parameters.min_confidence,
            tags: parameters.tag.into_iter().collect(),
            fields: parameters.field.into_iter().collect(),
        };
        let request = SearchRequest {
            query: parameters.query,
            top_k: parameters.top_k,
            document: parameters.document_filter,
            filters: Filters::try_from(written)?,
            offset: parameters.offset,
            context: parameters.context,
            related: parameters.related,
            per_document: parameters.per_document,
            brief: parameters.brief,
            short: true,
            count_only: parameters.count_only,
            ..SearchRequest::default()
        };
        let collections = match parameters.collections.as_slice() {
            [] => vec![context.active()?.id],
            names => collections::find_collections(context.engine.host(), names)?,
        };
        let response = context.engine.search(&collections, &request)?;
        let found = u64::from(request.offset) + (response.results.len() + response.hits.len()) as u64;
        let deleted = response.deleted.as_ref().map(|deleted| deleted.total);
        let all = response.complete.as_ref().map(|list| list.listed).or(deleted).unwrap_or(found);
        Ok(Reply::new(response, move |response| {
            let text = text::search::results(response, parameters.explain, Reader::Assistant);
            text + &text::search::continuation(response, all, Reader::Assistant)
        }))
    }
}

/// Passages of a brief answer that are shown whole, and those of each side of a comparison.
const WHOLE: usize = 3;
const WHOLE_OF_EACH: usize = 2;

/// Leaves of the lower results, and of related passages, the sentences that match best, with their own place.
fn shorten(response: &mut SearchResponse) {
    let is_cut = shorten_results(&mut response.results, WHOLE);
    for RelatedPassage { chunk, excerpt, .. } in &mut response.related {
        excerpt.replace(chunk);
    }
    response.notices.extend(is_cut.then(|| partial(WHOLE + 1)));
}

/// True if a result behind the first `whole` ones is shorter now.
fn shorten_results(results: &mut [SearchResult], whole: usize) -> bool {
    let mut is_cut = false;
    for SearchResult { chunk, excerpt, surroundings, .. } in results.iter_mut().skip(whole) {
        if excerpt.text != chunk.text {
            is_cut = true;
            excerpt.replace(chunk);
            // They are next to the whole passage.
            *surroundings = Surroundings::default();
        }
    }
    is_cut
}

fn partial(from: usize) -> Notice {
    format!("From number {from} on, only the best sentences are shown: get_chunk or detail full shows the passages.")
        .into()
}

pub(crate) struct AskEveryDocument;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EveryParameters {
    /// One question
    question: String,
    /// Names, IDs
    #[serde(default)]
    documents: Vec<String>,
    /// false: best passages instead of sentences
    #[serde(default = "super::yes")]
    brief: bool,
    /// Most rows. Default: those found and 5 others
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// next_offset of the answer before
    #[serde(default)]
    offset: u32,
}

/// Most rows without a limit in the call, and most of those for documents in which nothing was found.
const ROWS: u32 = 100;
const NEAREST: usize = 5;

impl Tool for AskEveryDocument {
    const NAME: &'static str = "ask_every_document";
    const TITLE: &'static str = "Ask every document";
    const DESCRIPTION: &'static str = "Ask each document of the active collection one question and get a row for each: the deciding \
        sentence and its citation, or nothing found. For questions over a whole matter: 'which contracts cap liability?'.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"question": "$query", "brief": false}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/rows"], |answer| &mut answer.rows, |answer| &mut answer.next_offset));
    const SHORTEN: Option<fn(&mut Self::Response)> = Some(|answer| {
        for DocumentAnswer { citation, passage, excerpt, .. } in &mut answer.rows {
            if let (Some(passage), Some(excerpt)) = (passage, excerpt.take()) {
                excerpt.replace(passage);
                *citation = None;
            }
        }
    });
    type Parameters = EveryParameters;
    type Response = EveryAnswer;

    fn call(context: &Context<'_>, parameters: EveryParameters) -> Result<Reply<EveryAnswer>> {
        let EveryParameters { question, documents, brief, limit, offset } = parameters;
        let request = EveryRequest { question, documents, brief, offset, limit: limit.unwrap_or(ROWS) };
        let mut answer = search::ask_every_document(context.engine.host(), context.active()?.id, &request)?;
        if limit.is_none() && offset == 0 {
            let kept = answer.rows.iter().filter(|row| row.found).count() + NEAREST;
            if kept < answer.rows.len() {
                answer.rows.truncate(kept);
                answer.next_offset = Some(kept as u64);
            }
        }
        Ok(Reply::new(answer, move |answer| text::answers::answer(answer, offset, Reader::Assistant)))
    }
}

pub(crate) struct SearchSimilarChunks;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimilarParameters {
    /// UUID of the chunk to find similar content for
    chunk_id: String,
    /// Exclude results from the same document (default: true, for cross-document discovery)
    #[serde(default = "super::yes")]
    exclude_same_document: bool,
    /// Minimum cosine similarity threshold
    #[serde(default = "default_min_similarity")]
    #[schemars(range(min = 0.0, max = 1.0))]
    min_similarity: f64,
    /// Number of passages to return
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    top_k: u32,
}

fn default_min_similarity() -> f64 {
    0.6
}

impl Tool for SearchSimilarChunks {
    const NAME: &'static str = "search_similar_chunks";
    const TITLE: &'static str = "Find similar passages";
    const DESCRIPTION: &'static str = "Find chunks across all documents that are semantically similar to a given chunk. Uses E1 cosine similarity. Use \
        this to find related passages in other documents (e.g., 'find other places in the collection that discuss the \
        same topic as this paragraph').";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"chunk_id": "$chunk", "min_similarity": 0}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/similar"], |found| &mut found.similar));
    const SHORTEN: Option<fn(&mut Self::Response)> = Some(|found| {
        let lower = found.similar.iter_mut().skip(WHOLE);
        lower.for_each(|SimilarChunk { chunk, excerpt, .. }| excerpt.replace(chunk));
        found.notices.extend((found.similar.len() > WHOLE).then(|| partial(WHOLE + 1)));
    });
    type Parameters = SimilarParameters;
    type Response = SimilarChunks;

    fn call(context: &Context<'_>, parameters: SimilarParameters) -> Result<Reply<SimilarChunks>> {
        let SimilarParameters { chunk_id, exclude_same_document, min_similarity, top_k } = parameters;
        let wanted =
            SimilarRequest { exclude_same_document, min_similarity: min_similarity as f32, count: top_k as usize };
        let similar = search::similar_chunks(context.engine.host(), context.active()?.id, &chunk_id, wanted)?;
        Ok(Reply::new(similar, |similar| text::search::similar(similar, Reader::Assistant)))
    }
}

pub(crate) struct CompareDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareParameters {
    /// First document name or ID
    document_a: String,
    /// Second document name or ID
    document_b: String,
    /// Topic to compare (e.g., 'payment terms', 'delivery schedule', 'performance metrics')
    topic: String,
    /// Number of passages of each document
    #[serde(default = "super::number::<5>")]
    #[schemars(range(min = 1, max = 20))]
    top_k_per_document: u32,
}

impl Tool for CompareDocuments {
    const NAME: &'static str = "compare_documents";
    const TITLE: &'static str = "Compare two documents";
    const DESCRIPTION: &'static str = "Compare what two documents say about a specific topic. Searches both documents independently, then returns \
        side-by-side results showing how each document addresses the topic. Pro tier only. Use this for: contract vs. \
        proposal comparison, report A vs. report B, any 'what does X say vs. what does Y say' question.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_a": "$document", "document_b": "$other", "topic": "payment"}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/a/results", "/b/results"], |comparison| comparison));
    const SHORTEN: Option<fn(&mut Self::Response)> = Some(|comparison| {
        let sides =
            [&mut comparison.a, &mut comparison.b].map(|side| shorten_results(&mut side.results, WHOLE_OF_EACH));
        comparison.notices.extend(sides.contains(&true).then(|| partial(WHOLE_OF_EACH + 1)));
    });
    type Parameters = CompareParameters;
    type Response = Comparison;

    fn call(context: &Context<'_>, parameters: CompareParameters) -> Result<Reply<Comparison>> {
        let CompareParameters { document_a, document_b, topic, top_k_per_document } = parameters;
        let documents = [document_a.as_str(), document_b.as_str()];
        let collection = context.active()?.id;
        let comparison =
            search::compare_documents(context.engine.host(), collection, documents, &topic, top_k_per_document)?;
        Ok(Reply::new(comparison, |comparison| text::search::comparison(comparison, Reader::Assistant)))
    }
}

#[cfg(test)]
mod tests {
    use casetrack_engine::chunks::ChunkView;
    use casetrack_engine::search::Excerpt;
    use casetrack_text::samples;
    use serde_json::{Value, json};

    use super::*;
    use crate::answer::{self, Detail, Form, Reply};

    /// A search with six results, each with the second of two lines as its excerpt.
    fn found() -> SearchResponse {
        let mut found = samples::search([0.9, 0.8]);
        let first = found.results[0].clone();
        found.results = (1..=6)
            .map(|rank| {
                let SearchResult { mut chunk, mut surroundings, .. } = first.clone();
                chunk.text = "Nothing is due.\nThe rent is due in May.".to_owned();
                let place = &mut chunk.provenance;
                (place.paragraph_start, place.paragraph_end, place.line_start, place.line_end) = (7, 8, 3, 4);
                (place.char_start, place.char_end) = (100, 139);
                let mut part = place.clone();
                (part.paragraph_start, part.line_start, part.char_start) = (8, 4, 116);
                chunk.citation = place.citation();
                let excerpt = Excerpt::of("The rent is due in May.".to_owned(), &part);
                surroundings.before = Some("Before.".to_owned());
                SearchResult { rank, chunk, excerpt, surroundings, ..first.clone() }
            })
            .collect();
        found
    }

    fn finished(detail: Detail) -> Value {
        let form = Form { detail, ..Form::within(60_000) };
        let reply = Reply::new(found(), |found| text::search::results(found, false, Reader::Assistant));
        let output = answer::finish(reply, SearchDocuments::LIST, SearchDocuments::SHORTEN, form).unwrap();
        let whole = output.text.matches("Nothing is due.").count();
        let of_structured = output.structured["results"].to_string().matches("Nothing is due.").count();
        assert_eq!((whole, of_structured), if detail == Detail::Full { (6, 6) } else { (WHOLE, WHOLE) });
        assert_eq!(output.text.matches("The rent is due in May.").count(), 6, "{}", output.text);
        output.structured
    }

    #[test]
    fn lower_results_are_the_sentences_that_answer_with_their_own_place() {
        let brief = finished(Detail::Brief);
        let results = brief["results"].as_array().unwrap();
        for (n, result) in results.iter().enumerate() {
            let expected =
                if n < WHOLE { json!([[7, 8], [3, 4], [100, 139]]) } else { json!([[8, 8], [4, 4], [116, 139]]) };
            let place = &result["provenance"];
            assert_eq!(json!([place["paragraphs"], place["lines"], place["chars"]]), expected, "{n}");
            assert_eq!(result.get("before").is_some(), n < WHOLE, "{n}");
            // The citation has the numbers of the place, so it is left out: the place gives it.
            assert!(result.get("citation").is_none(), "{n}: {result}");
            let numbers = if n < WHOLE { "paras. 7-8, ll. 3-4" } else { "para. 8, l. 4" };
            let cited = answer::placed(&brief, result.as_object().unwrap()).unwrap();
            assert_eq!(cited, format!("Vendor_Agreement.docx, p. 12, {numbers}"));
        }
        assert!(brief["notices"][0].as_str().unwrap().starts_with("From number 4 on, only the best sentences"));
        let full = finished(Detail::Full);
        assert_eq!(full["results"][5]["provenance"]["paragraph_start"], 7);
        assert_eq!(full["results"][5]["excerpt"]["paragraph_start"], 8);
        assert_eq!(full["notices"], json!([]));
    }

    #[test]
    fn a_replaced_passage_is_cited_as_its_excerpt() {
        let SearchResult { mut chunk, excerpt, .. } = found().results.remove(0);
        excerpt.replace(&mut chunk);
        let ChunkView { text, citation, provenance, .. } = chunk;
        assert_eq!((text, &citation), (excerpt.text, &excerpt.citation));
        assert_eq!(citation, provenance.citation());
    }
}
