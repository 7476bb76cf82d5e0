//! Passages with words that analysis recognized as no entity, such as "payment terms".

use std::collections::HashSet;
use std::ops::Range;

use casetrack_core::{EntityType, Result};
use casetrack_graph::{CollectionGraph, EntityView, Place};
use casetrack_host::Host;
use casetrack_host::paging::{Paging, Part};
use casetrack_store::{Conditions, Expression, Words};

use super::entities::{MentionReport, MentionsReport};
use super::snippet;

/// The passages that contain a name word for word, as mentions of a concept. Passages with most mentions come first. `None` if there are none.
pub(super) fn mentions(
    host: &Host,
    known: &CollectionGraph,
    name: &str,
    paging: Paging,
) -> Result<Option<MentionsReport>> {
    let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Ok(None);
    }
    let expression = Some(Expression::Words(Words::Phrase(words.join(" "))));
    let selection = known.collection.select(&Conditions { expression, ..Conditions::default() })?;
    let (mut found, mut mentions, mut documents) = (Vec::new(), 0, 0);
    let mut passages = known.collection.passages();
    for document in selection.document_ids() {
        let Some(described) = passages.document(document)? else { continue };
        // A text in the overlap of two chunks counts once.
        let mut seen = HashSet::new();
        for passage in passages.range(document, 0..described.meta.chunk_count)? {
            let chunk = passage.chunk;
            let mut places = occurrences(&chunk.text, &words);
            places.retain(|place| seen.insert((chunk.page, chunk.char_start + place.start)));
            if let Some(first) = places.first() {
                let (char_start, char_end) = (chunk.char_start + first.start, chunk.char_start + first.end);
                found.push((places.len() as u32, Place { document, chunk: chunk.index, char_start, char_end }));
            }
        }
        mentions += seen.len() as u64;
        documents += u64::from(!seen.is_empty());
    }
    drop(passages);
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let chunks = found.len() as u64;
    let Part { items, next_offset, .. } = paging.of(found);
    let mut reports = Vec::new();
    for (mentions, place) in items {
        let snippet = snippet::at(&known.collection, &place, snippet::AROUND, &host.config().citations)?;
        reports.extend(snippet.map(|snippet| MentionReport { mentions, roles: Vec::new(), snippet }));
    }
    let entity = EntityView {
        entity_type: EntityType::Concept,
        key: words.join(" "),
        name: name.trim().to_owned(),
        aliases: Vec::new(),
        mentions,
        documents,
        chunks,
        value: None,
        confidence: 1.0,
    };
    let mut notices = known.notices()?;
    notices.push("No entity has this name: these are the passages with the same words.".to_owned());
    let (collection, contracts) = (known.name(), Vec::new());
    let report = MentionsReport { collection, entity, contracts, mentions: reports, next_offset, notices };
    Ok((chunks > 0).then_some(report))
}

/// The places of words that follow one another, in characters. Case and the white space between the words do not matter.
fn occurrences(text: &str, words: &[String]) -> Vec<Range<u32>> {
    let chars: Vec<char> = text.chars().collect();
    let is_word = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    let mut found = Vec::new();
    for start in 0..chars.len() {
        if start > 0 && is_word(start - 1) {
            continue;
        }
        if let Some(end) = end_of(&chars, start, words).filter(|end| !is_word(*end)) {
            found.push(start as u32..end as u32);
        }
    }
    found
}

/// The end of the words that begin at a place.
fn end_of(chars: &[char], start: usize, words: &[String]) -> Option<usize> {
    let mut at = start;
    for (n, word) in words.iter().enumerate() {
        if n > 0 {
            let spaces = chars[at..].iter().take_while(|c| c.is_whitespace()).count();
            at += spaces;
            if spaces == 0 {
                return None;
            }
        }
        let mut letters = word.chars();
        while !letters.as_str().is_empty() {
            for lower in chars.get(at)?.to_lowercase() {
                if letters.next() != Some(lower) {
                    return None;
                }
            }
            at += 1;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_in_any_case_and_over_line_breaks() {
        let words = ["payment".to_owned(), "terms".to_owned()];
        let text = "Ä Payment\n Terms, repayment terms, payment termsheet, payment-terms, PAYMENT TERMS";
        let found: Vec<String> = occurrences(text, &words)
            .into_iter()
            .map(|place| text.chars().skip(place.start as usize).take(place.len()).collect())
            .collect();
        assert_eq!(found, ["Payment\n Terms", "PAYMENT TERMS"]);
        assert!(occurrences("payment", &words).is_empty() && occurrences("", &words).is_empty());
    }
}
