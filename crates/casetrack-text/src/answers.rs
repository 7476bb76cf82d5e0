//! The answer of every document to one question.

use std::fmt::Write;

use casetrack_engine::every::{DocumentAnswer, EveryAnswer};

use super::Reader;
use super::chunks::quotation;
use super::format::{counted, one_line, push_notices, shorten, thousands, trimmed};
use super::marks::{citation, name, quote};
use super::sources::Sources;

/// Longest question repeated above the rows, in characters.
const MAX_QUESTION_CHARS: usize = 300;

/// A row for each document, with the count at the top.
pub fn answer(answer: &EveryAnswer, offset: u32, reader: Reader) -> String {
    let EveryAnswer { question, collection, documents, found, notices, rows, .. } = answer;
    let mut text = format!(
        "Question: \"{}\"\nCollection: {}\nFound in {} of {}.\n",
        shorten(question, MAX_QUESTION_CHARS),
        one_line(collection),
        thousands(*found),
        counted(*documents, "document"),
    );
    push_notices(&mut text, &reader.notices(notices));
    let mut sources = Sources::default();
    let silent: Vec<String> = rows
        .iter()
        .filter(|row| !row.found && !row.contrary)
        .map(|row| name(&row.document_name).into_owned())
        .collect();
    for (n, row) in (offset + 1..).zip(rows.iter().filter(|row| row.found)) {
        let DocumentAnswer { score, citation: place, quote: said, passage, .. } = row;
        let place = citation(place.as_deref().unwrap_or(&row.document_name));
        let _ = match (said, passage) {
            (Some(said), _) => write!(text, "\n{n}. {place} ({score:.2}): {}", quote(said)),
            (None, Some(passage)) => write!(text, "\n\n{n}. ({score:.2}) {}", quotation(passage, &mut sources, reader)),
            (None, None) => write!(text, "\n{n}. {place} ({score:.2})"),
        };
    }
    for row in rows.iter().filter(|row| row.contrary) {
        let place = citation(row.citation.as_deref().unwrap_or(&row.document_name));
        let said =
            row.quote.as_deref().or(row.passage.as_ref().map(|passage| passage.text.as_str())).unwrap_or_default();
        let _ = write!(text, "\n\nStates the contrary: {place}: {}", quote(said));
    }
    if !silent.is_empty() {
        let contrary = rows.iter().filter(|row| row.contrary).count() as u64;
        let (all, names) = (thousands(documents.saturating_sub(*found + contrary)), silent.join("; "));
        let _ = write!(text, "\n\nNothing found in {all}, nearest first: {names}.");
    }
    reader.push_more(&mut text, *documents, answer.next_offset);
    trimmed(text) + &sources.legend()
}
