//! Named indexes of texts that assistants make, fill and search: in memory, or as collections.

mod durable;

use std::borrow::Cow;
use std::sync::PoisonError;

use casetrack_core::{Cancel, Error, ErrorCode, Notice, ProgressSink, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use casetrack_host::text_index::{Added, Query, TextIndex, Tokenizer};
use casetrack_host::{DEFAULT_INDEX, Host};
use casetrack_search::MAX_QUERY_CHARS;

/// Longest content of a document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;
/// Most indexes, `default` among them.
pub const MAX_INDEXES: usize = 64;
pub const MAX_RESULTS: usize = 1000;
/// Longest id of a document, in bytes.
pub const MAX_ID_BYTES: usize = 512;
/// Longest metadata of a document, in bytes of JSON.
pub const MAX_METADATA_BYTES: usize = 16 << 10;
/// Longest name of an index, in characters.
pub const MAX_INDEX_NAME_CHARS: usize = 64;
/// Most characters of a name that errors repeat.
const MAX_SHOWN_CHARS: usize = 80;
/// The longest that the shortest token may be, in characters.
pub const MAX_MIN_LENGTH: u32 = 100;

#[derive(Debug, Clone, Default)]
pub struct CreateIndex {
    /// Letters and digits of ASCII, `-` and `_`.
    pub name: String,
    /// `memory` if it is `None`, or `collection`.
    pub backend: Option<String>,
    pub lowercase: Option<bool>,
    /// 1–[`MAX_MIN_LENGTH`] characters.
    pub min_length: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedIndex {
    pub status: &'static str,
    pub index_name: String,
    pub backend: &'static str,
}

#[derive(Debug, Clone, Default)]
pub struct AddToIndex {
    pub doc_id: String,
    pub content: String,
    pub metadata: Map<String, Value>,
    /// `default` if it is `None`.
    pub index: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddedToIndex {
    /// indexed or re-indexed.
    pub status: &'static str,
    pub doc_id: String,
    pub token_count: u32,
}

#[derive(Debug, Clone, Default)]
pub struct SearchIndex {
    pub query: String,
    /// 0–[`MAX_RESULTS`].
    pub most: i64,
    /// `default` if it is `None`.
    pub index: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct IndexMatches {
    /// The best first; of equal scores in the order of ids.
    pub results: Vec<IndexMatch>,
    /// Documents that the query finds.
    pub total_matches: u64,
    /// Absent if the query is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_parsed: Option<ParsedQuery>,
    /// The reasons why the search of a collection was less complete than it could be, or other than requested; empty without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexMatch {
    pub doc_id: String,
    pub score: f64,
    pub highlights: Vec<String>,
    pub metadata: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParsedQuery {
    pub terms: Vec<String>,
    pub must: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub must_not: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
}

impl From<&Query> for ParsedQuery {
    fn from(query: &Query) -> Self {
        let joined = |phrases: &[Vec<String>]| phrases.iter().map(|words| words.join(" ")).collect();
        Self {
            terms: query.terms.clone(),
            must: query.must.clone(),
            must_not: joined(&query.must_not),
            phrases: joined(&query.phrases),
        }
    }
}

/// The store of an index's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backend {
    Memory,
    Collection,
}

impl Backend {
    fn named(name: Option<&str>) -> Result<Self> {
        match name {
            None | Some("memory") => Ok(Self::Memory),
            Some("collection") => Ok(Self::Collection),
            Some(other) => Err(Error::invalid(format!("Unknown backend: {}", short(other)))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Collection => "collection",
        }
    }
}

// The texts of errors that have no hint are a published contract.
/// Makes an empty index.
///
/// Errors, in this order: a name with other signs; a name that is taken; an unknown backend; a tokenizer that the backend does not take; too
/// many indexes; for a collection, the errors of [`create_collection`].
pub fn create_index(host: &Host, request: &CreateIndex) -> Result<CreatedIndex> {
    let name = request.name.as_str();
    if !is_valid_name(name) {
        return Err(Error::invalid(format!("Invalid index name: {}", short(name))));
    }
    let exists = || Error::new(ErrorCode::AlreadyExists, format!("Index already exists: {name}"));
    if host.memory_index(name).is_some() || durable::durable_index(host, name)?.is_some() {
        return Err(exists());
    }
    let backend = Backend::named(request.backend.as_deref())?;
    let tokenizer = tokenizer(request, backend)?;
    if host.memory_indexes() + durable::durable_indexes(host)? >= MAX_INDEXES {
        return Err(Error::invalid(format!("There are {MAX_INDEXES} indexes, the maximum."))
            .with_hint("Put the documents into one of them."));
    }
    match backend {
        Backend::Memory if !host.add_memory_index(name, tokenizer) => return Err(exists()),
        Backend::Memory => {}
        Backend::Collection => durable::create_durable_index(host, name)?,
    }
    Ok(CreatedIndex { status: "created", index_name: name.to_owned(), backend: backend.name() })
}

/// Adds a document to an index, or puts it in the place of the one with its id.
///
/// Errors, in this order: blank content; an unknown index; an id that is empty, too long or not on one line; content or metadata that is too
/// long; an index that is full. For a collection, the errors of ingestion.
pub fn add_to_index(
    host: &Host,
    request: AddToIndex,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<AddedToIndex> {
    let AddToIndex { doc_id, content, metadata, index } = request;
    if content.trim().is_empty() {
        return Err(Error::invalid("Content must be a non-empty string"));
    }
    let name = index.as_deref().unwrap_or(DEFAULT_INDEX);
    let memory = host.memory_index(name);
    let durable = if memory.is_none() { durable::durable_index(host, name)? } else { None };
    if memory.is_none() && durable.is_none() {
        return Err(no_such_index(name));
    }
    check_document(&doc_id, &content, &metadata)?;
    let Added { replaced, tokens } = match (memory, durable) {
        (Some(index), _) => {
            let mut index = index.write().unwrap_or_else(PoisonError::into_inner);
            index.add(&doc_id, &content, metadata)?
        }
        (None, Some(collection)) => {
            durable::add_to_durable_index(host, collection, name, (&doc_id, &content, metadata), progress, cancel)?
        }
        (None, None) => return Err(no_such_index(name)),
    };
    let status = if replaced { "re-indexed" } else { "indexed" };
    Ok(AddedToIndex { status, doc_id, token_count: tokens })
}

/// Searches an index: plain words are alternatives, `+words` and `"phrases"` must be there, `-words` must not.
///
/// Errors, in this order: an unknown index; a number of results that is too large; a query that is too long. An empty query finds
/// nothing.
pub fn search_text_index(host: &Host, request: &SearchIndex) -> Result<IndexMatches> {
    let name = request.index.as_deref().unwrap_or(DEFAULT_INDEX);
    let memory = host.memory_index(name);
    let durable = if memory.is_none() { durable::durable_index(host, name)? } else { None };
    if memory.is_none() && durable.is_none() {
        return Err(no_such_index(name));
    }
    let most = usize::try_from(request.most)
        .ok()
        .filter(|most| *most <= MAX_RESULTS)
        .ok_or_else(|| Error::invalid(format!("k is {}; it must be between 0 and {MAX_RESULTS}.", request.most)))?;
    if request.query.trim().is_empty() {
        return Ok(IndexMatches::default());
    }
    let chars = request.query.chars().count();
    if chars > MAX_QUERY_CHARS {
        return Err(Error::invalid(format!("The query has {chars} characters; the limit is {MAX_QUERY_CHARS}.")));
    }
    match (memory, durable) {
        (Some(index), _) => {
            let index = index.read().unwrap_or_else(PoisonError::into_inner);
            Ok(search_memory(&index, &request.query, most))
        }
        (None, Some(collection)) => durable::search_durable_index(host, collection, name, &request.query, most),
        (None, None) => Err(no_such_index(name)),
    }
}

fn search_memory(index: &TextIndex, query: &str, most: usize) -> IndexMatches {
    let query = Query::parse(query, index.tokenizer());
    let found = index.search(&query, most);
    let results = found.matches.into_iter().map(|found| IndexMatch {
        doc_id: found.id,
        score: found.score,
        highlights: found.highlights,
        metadata: found.metadata,
    });
    let results = results.collect();
    let query_parsed = Some(ParsedQuery::from(&query));
    IndexMatches { results, total_matches: found.total, query_parsed, notices: Vec::new() }
}

fn no_such_index(name: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("Index not found: {}", short(name)))
}

/// A text of a caller as an error repeats it: a long text is of no use, and an error is in an answer twice.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

fn is_valid_name(name: &str) -> bool {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().all(is_valid) && name.len() <= MAX_INDEX_NAME_CHARS
}

fn tokenizer(request: &CreateIndex, backend: Backend) -> Result<Tokenizer> {
    let usual = Tokenizer::default();
    let given = request.min_length.unwrap_or(usual.min_length.into());
    let min_length = u32::try_from(given).ok().filter(|length| (1..=MAX_MIN_LENGTH).contains(length));
    let min_length = min_length.ok_or_else(|| {
        Error::invalid(format!("tokenizer_config.min_length is {given}; it must be between 1 and {MAX_MIN_LENGTH}."))
    })?;
    let tokenizer = Tokenizer { lowercase: request.lowercase.unwrap_or(usual.lowercase), min_length };
    if backend == Backend::Collection && tokenizer != usual {
        return Err(Error::invalid("The backend collection has a tokenizer of its own.")
            .with_hint("Leave tokenizer_config out, or use the backend memory."));
    }
    Ok(tokenizer)
}

fn check_document(id: &str, content: &str, metadata: &Map<String, Value>) -> Result<()> {
    if id.trim().is_empty() || id.chars().any(char::is_control) {
        return Err(Error::invalid("doc_id must be one line of text that is not blank."));
    }
    let of_metadata = if metadata.is_empty() { 0 } else { Value::Object(metadata.clone()).to_string().len() };
    let too_long = [
        ("doc_id", id.len(), MAX_ID_BYTES),
        ("content", content.len(), MAX_DOCUMENT_BYTES),
        ("metadata", of_metadata, MAX_METADATA_BYTES),
    ];
    match too_long.into_iter().find(|(_, bytes, most)| bytes > most) {
        None => Ok(()),
        Some((what, bytes, most)) => {
            let error = Error::new(ErrorCode::FileTooLarge, format!("{what} has {bytes} bytes; the limit is {most}."));
            Err(if what == "content" { error.with_hint("Add it as several documents.") } else { error })
        }
    }
}

#[cfg(test)]
mod tests;
