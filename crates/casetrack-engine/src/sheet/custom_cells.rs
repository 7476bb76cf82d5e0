//! The cells of columns that users define: cells of patterns, kept for each version of a document, and cells of questions, kept until any
//! document changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use casetrack_core::{DocumentId, EntityType, Error, Page, Result, single_spaced};
use casetrack_nlp::facts::date_order;
use casetrack_nlp::{DateOrder, first_value, length_of_time, value_key};
use regex::{Regex, RegexBuilder};

use super::CellValue;
use super::columns::{ColumnType, DefineColumn};
use casetrack_host::documents::facts::{ByVersion, CitedPlace, pages};
use casetrack_host::{Host, OpenCollection, lock};
use casetrack_search::every::{self, DocumentAnswer, EveryRequest};

#[derive(Default)]
struct Matched(Mutex<HashMap<String, Arc<ByVersion<Vec<CellValue>>>>>);

/// Cells of questions, by definition. The choice of answering documents depends on all of them.
#[derive(Default)]
struct Answered(Mutex<HashMap<String, Answers>>);

#[derive(Clone)]
struct Answers {
    /// The versions of all documents at the time of the question.
    versions: Vec<(DocumentId, u64)>,
    cells: Arc<HashMap<DocumentId, Vec<CellValue>>>,
}

/// Greatest size of a compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;
/// Longest text of a cell, in characters.
const CELL: usize = 300;
/// The certainty of a cell of a question, in percent, if its document answers as well as the best five do on average, and at most.
const AS_GOOD_AS_THE_BEST: f32 = 80.0;
const SUREST: f32 = 95.0;

/// A pattern that a user wrote. Matching is linear in the text for any pattern.
pub(super) fn compiled(pattern: &str) -> Result<Regex> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).multi_line(true).build().map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Error::invalid(format!("The pattern cannot be read: {reason}."))
    })
}

pub(super) fn cells(
    host: &Host,
    collection: &OpenCollection,
    definition: &DefineColumn,
    documents: &[DocumentId],
) -> Result<Vec<(DocumentId, Vec<CellValue>)>> {
    match (&definition.pattern, &definition.question) {
        (Some(pattern), _) => {
            let pattern = compiled(pattern)?;
            let known = collection.derived::<Matched>();
            let known = Arc::clone(lock(&known.0).entry(format!("{definition:?}")).or_default());
            let cells = known.of(collection, documents, |document| {
                matched(collection, document, &pattern, definition.column_type)
            })?;
            Ok(cells.into_iter().map(|(document, cells)| (document, cells.to_vec())).collect())
        }
        (None, Some(question)) => {
            let known = collection.derived::<Answered>();
            let versions = collection.versions();
            let answers = lock(&known.0).get(&format!("{definition:?}")).cloned();
            let answers = match answers.filter(|answers| answers.versions == versions) {
                Some(answers) => answers,
                None => {
                    let cells = answered(host, collection, question, definition.column_type)?;
                    let answers = Answers { versions, cells: Arc::new(cells) };
                    lock(&known.0).insert(format!("{definition:?}"), answers.clone());
                    answers
                }
            };
            let of = |document: &DocumentId| (*document, answers.cells.get(document).cloned().unwrap_or_default());
            Ok(documents.iter().map(of).collect())
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// The first match of a pattern whose text is of the column's type.
fn matched(
    collection: &OpenCollection,
    document: DocumentId,
    pattern: &Regex,
    column_type: ColumnType,
) -> Result<Vec<CellValue>> {
    let (pages, unpaged) = pages(collection, document)?;
    let language = collection.document(document)?.and_then(|meta| meta.properties.language);
    let order = order(&pages, language.as_deref(), column_type);
    for page in pages {
        for found in pattern.captures_iter(&page.text) {
            let Some(part) = found.get(1).or_else(|| found.get(0)).filter(|part| !part.is_empty()) else { continue };
            let Some(value) = typed(part.as_str(), column_type, language.as_deref(), order) else { continue };
            let start = page.text[..part.start()].chars().count() as u32;
            let place = CitedPlace::new(&page, unpaged, start..start + part.as_str().chars().count() as u32);
            return Ok(vec![CellValue { value, computed: None, place, confidence: 90, clause: None }]);
        }
    }
    Ok(Vec::new())
}

/// The order of day and month in a document, where the cells of a column need it.
fn order(pages: &[Page], language: Option<&str>, column_type: ColumnType) -> DateOrder {
    if column_type != ColumnType::Date {
        return DateOrder::Unknown;
    }
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    date_order(&texts, language)
}

/// A question asked of all documents.
pub(super) fn asked(question: &str, limit: u32) -> EveryRequest {
    EveryRequest { question: question.to_owned(), documents: Vec::new(), brief: true, offset: 0, limit }
}

/// The sentences of each document that answers a question, or the value of the column's type in them.
fn answered(
    host: &Host,
    collection: &OpenCollection,
    question: &str,
    column_type: ColumnType,
) -> Result<HashMap<DocumentId, Vec<CellValue>>> {
    let mut cells = HashMap::new();
    let mut request = asked(question, every::MAX_ROWS);
    loop {
        let answer = casetrack_search::ask_every_document(host, collection.meta().id, &request)?;
        // Those that answer are first.
        let is_last = answer.rows.iter().any(|row| !row.found);
        for row in answer.rows.iter().filter(|row| row.found) {
            if let Some((document, cell)) = cell(collection, row, question, column_type)? {
                cells.insert(document, vec![cell]);
            }
        }
        match answer.next_offset.map(u32::try_from) {
            Some(Ok(next)) if !is_last => request.offset = next,
            _ => return Ok(cells),
        }
    }
}

/// The cell of a document that answers, with the document. `None` if it states no value of the column's type, or has gone.
fn cell(
    collection: &OpenCollection,
    row: &DocumentAnswer,
    question: &str,
    column_type: ColumnType,
) -> Result<Option<(DocumentId, CellValue)>> {
    let (Some(quote), Some(chunk_id)) = (&row.quote, row.chunk_id) else { return Ok(None) };
    let Some((document, chunk)) = collection.chunk(chunk_id)? else { return Ok(None) };
    let (Some(meta), Some(page)) = (collection.document(document)?, collection.page(document, chunk.page)?) else {
        return Ok(None);
    };
    let language = meta.properties.language.as_deref();
    let said = one_line(quote);
    let of_type = |of_type, order| value_near(&said, question, |text| first_value(text, of_type, language, order));
    let value = match column_type {
        ColumnType::Date => {
            let (pages, _) = pages(collection, document)?;
            of_type(EntityType::Date, order(&pages, language, column_type))
        }
        ColumnType::Amount => of_type(EntityType::Amount, DateOrder::Unknown),
        ColumnType::Duration => value_near(&said, question, length_of_time),
        ColumnType::Text => Some(said),
    };
    let Some(value) = value else { return Ok(None) };
    let range = match chunk.text.find(quote.as_str()).and_then(|at| chunk.text.get(..at)) {
        Some(before) => {
            let start = chunk.char_start + before.chars().count() as u32;
            start..start + quote.chars().count() as u32
        }
        None => chunk.char_start..chunk.char_end,
    };
    let place = CitedPlace::new(&page, meta.unpaged, range);
    let confidence = (AS_GOOD_AS_THE_BEST * row.score).clamp(0.0, SUREST) as u8;
    Ok(Some((document, CellValue { value, computed: None, place, confidence, clause: None })))
}

/// The first value in the sentence that has most words of the question, else in the next such sentence.
fn value_near(said: &str, question: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let question = question.to_lowercase();
    let words: Vec<&str> = question.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let shared = |sentence: &&str| {
        let sentence = sentence.to_lowercase();
        words.iter().filter(|word| sentence.contains(**word)).count()
    };
    let mut sentences: Vec<&str> = said.split_inclusive(". ").collect();
    sentences.sort_by_key(|sentence| std::cmp::Reverse(shared(sentence)));
    sentences.into_iter().find_map(value)
}

/// At most [`CELL`] characters, with one space for any white space.
pub(super) fn one_line(text: &str) -> String {
    single_spaced(text).chars().take(CELL).collect()
}

/// The value of a text in a language as a column of this type shows it; `None` if it is not of the type.
fn typed(text: &str, column_type: ColumnType, language: Option<&str>, order: DateOrder) -> Option<String> {
    let text = one_line(text);
    let key = |wanted: EntityType| {
        value_key(&text, language, order).filter(|(of_type, _)| *of_type == wanted).map(|(_, key)| key)
    };
    match column_type {
        ColumnType::Text => Some(text),
        ColumnType::Date => key(EntityType::Date),
        ColumnType::Amount => key(EntityType::Amount),
        ColumnType::Duration => length_of_time(&text),
    }
}
