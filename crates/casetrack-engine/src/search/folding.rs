//! From ranked candidates to results: each passage is read, and one that says nothing new is named beside the one above it.
//!
//! Only what is the same to the word is folded, for two versions of a clause that differ in one word may be what a search is for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use casetrack_core::{Block, DocumentId, Result};
use casetrack_extract::chunker::headings_at;
use casetrack_store::Collection;

use super::fusion::Candidate;
use super::{Repetition, SearchRequest, SearchResult, context, excerpt};
use crate::documents::chunks::{self, ChunkView};

/// The results from `request.offset` on, with the repetitions that rank above the first passage left out. A candidate that vanished since recall is left out.
pub(super) fn results(
    collection: &Collection,
    query: &str,
    candidates: &[Candidate],
    request: &SearchRequest,
) -> Result<Vec<SearchResult>> {
    let (offset, top_k) = (request.offset as usize, request.top_k as usize);
    let mut passages = collection.passages();
    let mut seen = Seen::default();
    let mut results: Vec<SearchResult> = Vec::new();
    for candidate in candidates {
        let Some(passage) = passages.at(candidate.document, candidate.index)? else { continue };
        let chunk = chunks::view(passage);
        match seen.repeats(&chunk, results.len()) {
            Some(above) => results[above].repeated_in.push(Repetition {
                chunk_id: chunk.chunk_id,
                citation: chunk.citation,
                file_path: chunk.provenance.file_path,
            }),
            None if results.len() == offset + top_k => break,
            None => results.push(SearchResult {
                rank: results.len() as u32 + 1,
                score: candidate.score,
                excerpt: excerpt::excerpt(query, &chunk),
                surroundings: super::Surroundings::default(),
                chunk,
                repeated_in: Vec::new(),
                bm25: candidate.bm25,
                dense: candidate.dense,
                sparse: candidate.sparse,
                preferred: candidate.preferred,
            }),
        }
    }
    results.drain(..offset.min(results.len()));
    let mut pages = HashMap::new();
    for result in &mut results {
        head_by_excerpt(collection, result, &mut pages)?;
        result.surroundings = context::around(collection, &result.chunk.provenance, request.context)?;
    }
    Ok(results)
}

/// The blocks of pages that were read already.
pub(super) type PageBlocks = HashMap<(DocumentId, u32), Vec<Block>>;

/// Puts the headings in force at the excerpt in the place of those at the start of the chunk. Sheets have none.
pub(super) fn head_by_excerpt(
    collection: &Collection,
    result: &mut SearchResult,
    pages: &mut PageBlocks,
) -> Result<()> {
    let (chunk, at) = (&mut result.chunk, result.excerpt.char_start);
    let place = &chunk.provenance;
    if place.sheet_name.is_none() && at > place.char_start {
        let blocks = match pages.entry((place.document_id, place.page)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(collection.page_blocks(place.document_id, place.page)?),
        };
        let headings = headings_at(&chunk.text, place.char_start, blocks, &place.heading_path, at);
        chunk.provenance.heading_path = headings;
    }
    Ok(())
}

/// Start and end of the characters of a page that a result holds, and the place of the result in the list.
type Held = (u32, u32, usize);

/// What the results so far hold, by their place in the list.
#[derive(Default)]
struct Seen {
    /// By a hash of the words.
    texts: HashMap<u64, usize>,
    /// Characters of pages.
    places: HashMap<(DocumentId, u32), Vec<Held>>,
}

impl Seen {
    /// The result that says what a passage says; `None`, and the passage is remembered as result `number`, where it says something
    /// new. Neighbours share text at their ends; more than half of a passage must be shared, as where a page ends in a short rest.
    fn repeats(&mut self, chunk: &ChunkView, number: usize) -> Option<usize> {
        let text = hash_of_words(&chunk.text);
        if let Some(&above) = self.texts.get(&text) {
            return Some(above);
        }
        let place = &chunk.provenance;
        let on_page = self.places.entry((place.document_id, place.page)).or_default();
        let shared = |&&(start, end, _): &&Held| {
            let common = end.min(place.char_end).saturating_sub(start.max(place.char_start));
            2 * common > place.char_end - place.char_start
        };
        if let Some(&(_, _, above)) = on_page.iter().find(shared) {
            return Some(above);
        }
        on_page.push((place.char_start, place.char_end, number));
        self.texts.insert(text, number);
        None
    }
}

/// The same for texts that differ in white space only.
fn hash_of_words(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.split_whitespace().for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::excerpt::tests::chunk;

    #[test]
    fn what_is_the_same_to_the_word_is_one_result_and_what_differs_in_a_word_is_another() {
        let mut seen = Seen::default();
        assert_eq!(seen.repeats(&chunk("The tenant shall pay\nthe rent."), 0), None);
        assert_eq!(seen.repeats(&chunk("The tenant shall  pay the rent. "), 1), Some(0));
        assert_eq!(seen.repeats(&chunk("The tenant shall not pay the rent."), 1), None);
    }

    #[test]
    fn a_rest_that_a_neighbour_mostly_holds_is_no_result_of_its_own() {
        let mut seen = Seen::default();
        let mut rest = chunk("");
        let mut repeats = |start: u32, text: &str, number| {
            rest.provenance.char_start = start;
            rest.provenance.char_end = start + 300;
            text.clone_into(&mut rest.text);
            seen.repeats(&rest, number)
        };
        assert_eq!(repeats(1000, "a page before", 0), None);
        assert_eq!(repeats(1200, "1150 of it", 1), None);
        assert_eq!(repeats(1100, "two thirds of it", 2), Some(0));
    }
}
