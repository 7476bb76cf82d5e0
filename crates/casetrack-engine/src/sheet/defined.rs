//! The cells of columns that users define, kept for each version of a document.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use casetrack_core::{CollectionId, DocumentId, EntityType, Error, Result};
use casetrack_nlp::{length_of_time, value_key};
use regex::{Regex, RegexBuilder};

use super::CellValue;
use super::columns::{ColumnType, DefineColumn};
use crate::documents::facts::{ByVersion, CitedPlace, pages};
use crate::host::{Host, OpenCollection, lock};
use crate::search::{SearchRequest, SearchResult};

/// Cells by definition.
#[derive(Default)]
struct KnownCells(Mutex<HashMap<String, Arc<ByVersion<Vec<CellValue>>>>>);

/// Greatest size of a compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;
/// Least cosine of a question and the passage that answers it.
const NEAR: f32 = 0.35;
/// Longest text of a cell, in characters.
const CELL: usize = 300;

/// A pattern that a user wrote. Matching is linear in the text, whatever the pattern.
pub(super) fn compiled(pattern: &str) -> Result<Regex> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).multi_line(true).build().map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Error::invalid(format!("The pattern cannot be read: {reason}."))
    })
}

/// The cells of a column for these documents.
pub(super) fn cells(
    host: &Host,
    collection: &OpenCollection,
    definition: &DefineColumn,
    documents: &[DocumentId],
) -> Result<Vec<(DocumentId, Vec<CellValue>)>> {
    let known = Arc::clone(lock(&collection.derived::<KnownCells>().0).entry(format!("{definition:?}")).or_default());
    let cells = match (&definition.pattern, &definition.question) {
        (Some(pattern), _) => {
            let pattern = compiled(pattern)?;
            known
                .of(collection, documents, |document| matched(collection, document, &pattern, definition.column_type))?
        }
        (None, Some(question)) => {
            let id = collection.meta().id;
            known
                .of(collection, documents, |document| answered(host, id, document, question, definition.column_type))?
        }
        (None, None) => Vec::new(),
    };
    Ok(cells.into_iter().map(|(document, cells)| (document, cells.to_vec())).collect())
}

/// The first match of a pattern whose text is of the column's type.
fn matched(
    collection: &OpenCollection,
    document: DocumentId,
    pattern: &Regex,
    column_type: ColumnType,
) -> Result<Vec<CellValue>> {
    let (pages, unpaged) = pages(collection, document)?;
    for page in pages {
        for found in pattern.captures_iter(&page.text) {
            let Some(part) = found.get(1).or_else(|| found.get(0)).filter(|part| !part.is_empty()) else { continue };
            let Some(value) = typed(part.as_str(), column_type) else { continue };
            let start = page.text[..part.start()].chars().count() as u32;
            let place = CitedPlace::new(&page, unpaged, start..start + part.as_str().chars().count() as u32);
            return Ok(vec![CellValue { value, computed: None, place, confidence: 90 }]);
        }
    }
    Ok(Vec::new())
}

/// The passage that answers a question best, if it is near enough.
fn answered(
    host: &Host,
    collection: CollectionId,
    document: DocumentId,
    question: &str,
    column_type: ColumnType,
) -> Result<Vec<CellValue>> {
    let request = SearchRequest {
        query: question.to_owned(),
        top_k: 1,
        document: Some(document.to_string()),
        ..SearchRequest::default()
    };
    let Some(best) = host.search(&[collection], &request)?.results.into_iter().next() else { return Ok(Vec::new()) };
    let cosine = best.dense.map_or(0.0, |dense| dense.score);
    if cosine < NEAR {
        return Ok(Vec::new());
    }
    let SearchResult { excerpt, chunk, .. } = best;
    let (from, text) = deciding(&excerpt.text, question);
    let Some(value) = typed(text, column_type) else { return Ok(Vec::new()) };
    let open = host.collection(collection)?;
    let Some(page) = open.page(document, chunk.provenance.page)? else { return Ok(Vec::new()) };
    let start = excerpt.char_start + excerpt.text[..from].chars().count() as u32;
    let place = CitedPlace::new(&page, chunk.provenance.unpaged, start..start + text.chars().count() as u32);
    let confidence = (cosine * 100.0).clamp(0.0, 95.0) as u8;
    Ok(vec![CellValue { value, computed: None, place, confidence }])
}

static SENTENCE_END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[.;?!]\s+|\n\s*\n").ok());

/// The sentence of a passage that has most words of the question, and the byte where it begins.
fn deciding<'t>(passage: &'t str, question: &str) -> (usize, &'t str) {
    let folded = question.to_lowercase();
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let ends = SENTENCE_END.iter().flat_map(|end| end.find_iter(passage).map(|end| end.end()));
    let mut best = (0, 0, passage);
    let mut start = 0;
    for end in ends.chain([passage.len()]) {
        let sentence = &passage[start..end];
        let said = sentence.to_lowercase();
        let count = words.iter().filter(|word| said.contains(**word)).count();
        if count > best.0 {
            best = (count, start, sentence);
        }
        start = end;
    }
    let (_, start, sentence) = best;
    let lead = sentence.len() - sentence.trim_start().len();
    let cut = sentence.trim();
    let end = cut.char_indices().nth(CELL).map_or(cut.len(), |(at, _)| at);
    (start + lead, &cut[..end])
}

/// The value of a text as a column of this type shows it; `None` where it is not of the type.
fn typed(text: &str, column_type: ColumnType) -> Option<String> {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CELL).collect();
    let key = |wanted: EntityType| value_key(&text).filter(|(of_type, _)| *of_type == wanted).map(|(_, key)| key);
    match column_type {
        ColumnType::Text => Some(text),
        ColumnType::Date => key(EntityType::Date),
        ColumnType::Amount => key(EntityType::Amount),
        ColumnType::Duration => length_of_time(&text),
    }
}
