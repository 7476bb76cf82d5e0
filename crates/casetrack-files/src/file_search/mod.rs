//! The search of files below folders that the user allowed, for assistants that are to see no more than short previews.
//!
//! Its index is one reserved collection. All text that leaves this module went through redaction first, on the page, before it was cut:
//! there is no other way from a page to an answer.

mod by_date;
mod current;
mod evidence;
mod excerpt;
mod index_job;
mod model;
mod names;
mod place;
mod plain_query;
mod pointer;
mod preview;
mod search;
mod summary;
mod support;
mod terms;
#[cfg(test)]
mod tests;

use casetrack_catalog::Time;
use casetrack_core::Notice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use by_date::{DateMatches, DateSearch, DatedFile, FileDate, search_by_date};
pub use casetrack_ingest::sync::Priority;
pub use excerpt::{MAX_PREVIEW_BYTES, cut};
pub use index_job::{IndexFolder, IndexedFolder, IndexingJob, index_for_search, indexing_request};
pub use model::{Completion, MAX_QUERY_TOKENS, Prompt, prompt, redacted, rewriting, rewritten, told};
pub use plain_query::rewrite;
pub use preview::{FilePreview, OpenFile, open_file};
pub use search::search_files;
pub use summary::{SummarizedResult, Summary, SummaryRequest, SummaryStyle, TokensUsed, summarize};

pub const MAX_FILES: u32 = 100;
/// Most files passed over. No list is longer.
pub const MAX_OFFSET: u32 = 10_000;

/// A search of files. Texts are as the assistant gave them.
#[derive(Debug, Clone, Default)]
pub struct FileSearch {
    pub query: String,
    /// 1–[`MAX_FILES`].
    pub k: u32,
    /// From 0. The list is empty after [`MAX_OFFSET`].
    pub offset: u32,
    /// Only files with these extensions, with or without the dot, in any case. `None` takes the extensions in the query.
    pub exts: Option<Vec<String>>,
    /// Only files that have one of these years in their name or text. `None` takes the years in the query.
    pub years: Option<Vec<String>>,
    /// Only below these, which are allowed roots or folders below them.
    pub roots: Option<Vec<String>>,
}

/// The results, best first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileMatches {
    pub items: Vec<FileMatch>,
    pub pagination: FilePagination,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<QueryFilters>,
    /// The reasons that make the answer less complete than it could be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
}

impl FileMatches {
    fn none(offset: u32) -> Self {
        let pagination = FilePagination { offset, returned: 0, total_estimate: 0 };
        Self { items: Vec::new(), pagination, filters: None, notices: Vec::new() }
    }
}

/// A file with its best passage.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileMatch {
    /// Absolute.
    pub path: String,
    /// The place of the passage: `page 3`, `slide 7`, `sheet 'Q2'`; openFile takes it.
    pub pointer: String,
    /// Part of the passage, at most 2,048 bytes, redacted.
    pub snippet: String,
    /// 0–1, comparable within one answer.
    pub score: f32,
    /// In lower case, with the dot; empty if there is none.
    pub ext: String,
    /// When the file was modified, to the second.
    #[schemars(with = "String")]
    pub modified: Time,
    /// Something in the snippet was redacted: it is not the text of the file word for word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Pointers of further passages of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FilePagination {
    pub offset: u32,
    pub returned: u32,
    /// Files in the whole list, about: where not all were looked at, those that have words of the query.
    pub total_estimate: u64,
}

/// The conditions of a query on files besides their content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryFilters {
    /// With the dot.
    pub exts: Vec<String>,
    pub years: Vec<String>,
}

/// A query in the notation of full-text indexes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RewrittenQuery {
    /// searchFiles takes it as its query.
    pub fts: String,
    pub filters: QueryFilters,
    pub notes: String,
}

/// Words without a meaning for the content of a file.
const FUNCTION_WORDS: &[&str] = &[
    "a",
    "about",
    "all",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "between",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "every",
    "file",
    "files",
    "find",
    "for",
    "from",
    "get",
    "give",
    "had",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "list",
    "look",
    "looking",
    "may",
    "me",
    "must",
    "my",
    "need",
    "of",
    "on",
    "or",
    "our",
    "please",
    "search",
    "shall",
    "should",
    "show",
    "so",
    "some",
    "such",
    "than",
    "that",
    "the",
    "their",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "under",
    "up",
    "upon",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "who",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "you",
    "your",
    "anything",
    "everything",
];

/// The words of a text that carry its meaning, in lower case and in order, each once.
fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !FUNCTION_WORDS.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// A word without the ending of an English plural.
fn singular(word: &str) -> String {
    let long = word.chars().nth(3).is_some();
    match word {
        _ if !long => word.to_owned(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// The extension of a path in lower case, with its dot; empty if it has none.
fn extension(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!(".{}", extension.to_lowercase()),
        _ => String::new(),
    }
}
