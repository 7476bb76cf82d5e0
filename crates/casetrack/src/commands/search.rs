//! `casetrack search`, `similar` and `compare`

use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::every::EveryRequest;
use casetrack_engine::search::{Filters, SearchRequest, SearchResponse, WrittenFilters};
use casetrack_engine::similar::SimilarRequest;
use casetrack_engine::{collections, search};
use casetrack_text::format::{counted, one_line, shorten, visible};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::last_search::{LastSearch, found, results};
use crate::console::Console;
use crate::options::{InCollection, no_collection_named};

/// Characters shown of a related passage.
const RELATED_CHARS: usize = 300;

/// Find passages and the exact place of each
///
/// The query can contain "exact phrases", +required and -excluded words. A phrase ranks higher, and is required if it is the whole query.
/// Fields limit the search: document:NAME, type:contract, entity:NAME, date:2023-05..2023-08 (also 2023 or 2023..), page:3-7 (or a printed
/// label, page:A-1), bates:SMITH000042..SMITH000050, exhibit:A, paragraph:12-14, tag:NAME and field:NAME=VALUE. Operators are in capitals:
/// rent AND (deposit OR bond) AND NOT garage. terminat* matches any ending, and w/10 at most ten words between two words. A query that has
/// only conditions lists every passage that fulfils them. Anything else is searched as plain text.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Search {
    /// Your question or keywords
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// Name, ID or reference of the collection [default: the only active one]. Can be repeated: several collections are searched together
    #[arg(short = 'c', long = "collection", env = "CASETRACK_COLLECTION", value_name = "NAME")]
    collections: Vec<String>,
    /// Number of results
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N", allow_negative_numbers = true)]
    top_k: u32,
    /// Search only the document with this name or ID
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Search only documents of this type (contract, invoice, …) or file format (pdf, …); can be repeated
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Search only passages that mention this entity; can be repeated
    #[arg(long = "entity", value_name = "NAME")]
    entities: Vec<String>,
    /// Search only files whose path matches, such as 'contracts/**/*.pdf'; can be repeated
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// Search only documents last saved on this date or later: YYYY, YYYY-MM or YYYY-MM-DD. The file states the date; if
    /// it does not, the date of ingestion counts
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Search only documents last saved on this date or earlier
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Search only documents ingested on this date or in this range, such as 2024-05..2024-06 or 2024..
    #[arg(long, value_name = "DATES")]
    ingested: Option<String>,
    /// Search only these pages, such as 3, 3-7 or the printed label A-1
    #[arg(long, value_name = "PAGES")]
    pages: Option<String>,
    /// Search only documents with this tag of yours, or without it (--tag=-privileged); can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Search only documents whose field of yours has this value, such as custodian=Smith; can be repeated
    #[arg(long = "field", value_name = "NAME=VALUE")]
    fields: Vec<String>,
    /// Leave out scanned pages whose mean OCR confidence is below this (0–1)
    #[arg(long, value_name = "SHARE")]
    min_confidence: Option<f32>,
    /// Skip this many results
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Show this many characters of the page before and after each passage
    #[arg(long, value_name = "CHARS", default_value_t = 0)]
    context: u32,
    /// Add related passages from other documents
    #[arg(long)]
    related: bool,
    /// Count the passages and documents that fulfil the conditions, without listing them
    #[arg(long)]
    count_only: bool,
    /// Show at most this many passages of each document (1–3), the best ones; documents are ordered by their best passage
    #[arg(long, value_name = "N")]
    per_document: Option<u32>,
    /// Show a line for each result: the deciding sentence and its place
    #[arg(long)]
    brief: bool,
    /// Show the share of each stage of the search in a result's score
    #[arg(long)]
    explain: bool,
    /// Show whole passages, as an assistant gets them
    #[arg(long)]
    full: bool,
}

impl Search {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let Self { explain, full, .. } = self;
        let collections = self.collections.clone();
        let request = self.request()?;
        // All names are looked up before any search.
        let found = match collections.is_empty() {
            true => vec![collections::sole_collection(engine.host())?.ok_or_else(no_collection_named)?.id],
            false => collections::find_collections(engine.host(), &collections)?,
        };
        let response = engine.search(&found, &request)?;
        LastSearch::remember(console, &found, &response);
        if console.global.look.is_some()
            && !full
            && response.deleted.is_none()
            && !(response.results.is_empty() && response.hits.is_empty())
        {
            return console.print(&response, |response| results(response, explain));
        }
        console.print(&response, |response| match full {
            _ if response.deleted.is_some() => {
                let total = response.deleted.as_ref().map_or(0, |found| found.total);
                let text = text::search::results(response, explain, Reader::CommandLine);
                text + &text::search::continuation(response, total, Reader::CommandLine)
            }
            true => text::search::results(response, explain, Reader::CommandLine),
            false => excerpts(response, explain),
        })
    }

    fn request(self) -> Result<SearchRequest> {
        let Self { kinds, entities, paths, from, to, ingested, pages, min_confidence, tags, fields, .. } = self;
        let given = WrittenFilters { kinds, entities, paths, from, to, ingested, pages, min_confidence, tags, fields };
        Ok(SearchRequest {
            query: self.query,
            top_k: self.top_k,
            document: self.document,
            filters: Filters::try_from(given)?,
            offset: self.offset,
            context: self.context,
            related: self.related,
            per_document: self.per_document,
            brief: self.brief,
            count_only: self.count_only,
            ..SearchRequest::default()
        })
    }
}

/// The best part of each passage, with the place of that part.
fn excerpts(response: &SearchResponse, explain: bool) -> String {
    let mut out = format!(
        "{} in {}: {}, {} searched in {:.0} ms",
        found(response),
        one_line(&response.collection),
        counted(response.documents, "document"),
        counted(response.chunks, "passage"),
        response.elapsed_ms,
    );
    if let Some(list) = &response.complete {
        let _ = write!(out, "\n{}", text::search::completeness(list, response));
    }
    for notice in &response.notices {
        let _ = write!(out, "\nNote: {}", Reader::CommandLine.hint(notice));
    }
    for result in &response.results {
        let (place, excerpt) = (&result.chunk.provenance, &result.excerpt);
        let _ = write!(
            out,
            "\n\n{}. {}{}\n   {}, chars {}-{} of the page, chunk {}\n",
            result.rank,
            one_line(&excerpt.citation),
            if response.complete.is_none() { format!("  (score {:.2})", result.score) } else { String::new() },
            one_line(&place.file_path),
            excerpt.char_start,
            excerpt.char_end,
            result.chunk.chunk_id,
        );
        for line in text::search::details(result, explain) {
            let _ = writeln!(out, "   {line}");
        }
        let around = &result.surroundings;
        if around.before.is_some() || around.after.is_some() {
            // The whole passage, with the text around it.
            for (mark, text) in [("·", &around.before), ("│", &Some(result.chunk.text.clone())), ("·", &around.after)]
            {
                for line in text.iter().flat_map(|text| text.lines()) {
                    let _ = write!(out, "\n   {mark} {line}");
                }
            }
            continue;
        }
        for line in excerpt.text.lines() {
            let _ = write!(out, "\n   │ {line}");
        }
    }
    if !response.hits.is_empty() {
        let _ = write!(out, "\n{}", text::search::hits(&response.hits));
    }
    if let Some(list) = &response.complete {
        out.push_str(&text::search::continuation(response, list.listed, Reader::CommandLine));
    }
    for passage in &response.related {
        let (relation, text) = (text::search::relation(passage), &passage.chunk.text);
        let _ =
            write!(out, "\n\n{relation}\n   {}, chunk {}\n", one_line(&passage.chunk.citation), passage.chunk.chunk_id);
        let _ = write!(out, "\n   │ {}", shorten(text, RELATED_CHARS));
    }
    visible(&out).into_owned()
}

/// Ask every document a question: one row for each, with the sentence that answers it, or "nothing found"
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Ask {
    /// A question that each document may answer, such as "Is liability capped?"
    question: String,
    #[command(flatten)]
    target: InCollection,
    /// Only this document; can be repeated
    #[arg(short = 'd', long = "document", value_name = "NAME")]
    documents: Vec<String>,
    /// Show the best passage of each document instead of a sentence
    #[arg(long)]
    full: bool,
    /// Most rows
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Skip this many rows
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Ask {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { question, target, documents, full, limit, offset } = self;
        let collection = target.find(&console.engine)?.id;
        let request = EveryRequest { question, documents, brief: !full, offset, limit };
        let answer = search::ask_every_document(console.host(), collection, &request)?;
        console.print(&answer, |answer| text::answers::answer(answer, offset, Reader::CommandLine))
    }
}

/// Find passages similar to a given one
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Similar {
    /// Number of a result of the last search, or ID of a passage
    chunk: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of passages
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N")]
    top_k: u32,
    /// Minimum cosine similarity (0–1)
    #[arg(long, default_value_t = 0.6, value_name = "COSINE")]
    min_similarity: f32,
    /// Also show passages of the same document
    #[arg(long)]
    same_document: bool,
}

impl Similar {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let (collection, chunk) = match LastSearch::chunk(engine, &self.chunk)? {
            Some((collection, chunk, _)) => (collection, chunk.to_string()),
            None => (self.target.find(engine)?.id, self.chunk),
        };
        let wanted = SimilarRequest {
            exclude_same_document: !self.same_document,
            min_similarity: self.min_similarity,
            count: self.top_k as usize,
        };
        let similar = search::similar_chunks(engine.host(), collection, &chunk, wanted)?;
        console.print(&similar, |similar| text::search::similar(similar, Reader::CommandLine))
    }
}

/// Show the passages of two documents about a topic
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Compare {
    /// Name or ID of a document
    document_a: String,
    /// Name or ID of another document
    document_b: String,
    /// The topic, such as "payment terms"
    topic: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of passages from each document
    #[arg(short = 'k', long, default_value_t = 3, value_name = "N")]
    top_k: u32,
}

impl Compare {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let documents = [self.document_a.as_str(), self.document_b.as_str()];
        let comparison = search::compare_documents(console.host(), collection, documents, &self.topic, self.top_k)?;
        console.print(&comparison, |comparison| text::search::comparison(comparison, Reader::CommandLine))
    }
}
