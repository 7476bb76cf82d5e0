//! Possible places of a quotation: chunks that have phrases of it, and chunks that keyword search finds for its words.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use casetrack_core::{DocumentId, Result};
use casetrack_store::{Collection, Conditions, Filter, WordConditions};

use super::parts::{Part, Pattern};
use super::symbols::{DASH, Gap, Row, Symbol, WILD};
use super::tokens::{Class, Token, is_common, skeleton, tokens};

/// Words of a phrase that is looked up.
const PHRASE_WORDS: usize = 4;
/// Most phrases that are looked up, those with most letters in words that are not common.
const MAX_PHRASES: usize = 6;
/// Chunks of this many of the rarest phrases are read. A chunk ends inside one phrase at most, so that two would be enough.
const READ_PHRASES: usize = 3;
/// Most chunks that are read for a quotation.
pub(super) const MAX_CHUNKS: usize = 2_000;
/// Chunks that are requested from keyword search.
const KEYWORD_HITS: usize = 12;
/// Bytes of a quotation that are sent to keyword search.
const MAX_QUERY: usize = 4_000;

pub(super) type ChunkPlace = (DocumentId, u32);

#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Chunks that have one of the rarest phrases. Any text with all words of the quotation is in these chunks, or begins or ends there.
    pub chunks: Vec<ChunkPlace>,
    /// True if there were more.
    pub is_cut: bool,
    /// The number of phrases that each chunk has.
    pub votes: HashMap<ChunkPlace, u32>,
    /// Phrases that some chunk has.
    pub phrases: u32,
}

/// Looks up phrases of a quotation among the chunks of `documents` (`None` for all).
pub(super) fn candidates(
    collection: &Collection,
    reading: &Pattern,
    documents: Option<&[DocumentId]>,
) -> Result<Candidates> {
    let mut lists: Vec<Vec<ChunkPlace>> = Vec::new();
    for phrase in phrases(reading) {
        let words = WordConditions { required: vec![phrase], ..WordConditions::default() };
        let conditions = Conditions { documents: documents.map(<[_]>::to_vec), words, ..Conditions::default() };
        let places = collection.places(&collection.select(&conditions)?);
        if !places.is_empty() {
            lists.push(places);
        }
    }
    lists.sort_by_key(Vec::len);
    let mut found = Candidates { phrases: lists.len() as u32, ..Candidates::default() };
    let mut read: HashSet<ChunkPlace> = HashSet::new();
    for (n, list) in lists.iter().enumerate() {
        for place in list {
            if found.votes.len() < MAX_CHUNKS || found.votes.contains_key(place) {
                *found.votes.entry(*place).or_default() += 1;
            }
            if n >= READ_PHRASES || read.contains(place) {
                continue;
            }
            if read.len() == MAX_CHUNKS {
                found.is_cut = true;
                break;
            }
            read.insert(*place);
        }
    }
    found.chunks = read.into_iter().collect();
    found.chunks.sort_unstable();
    Ok(found)
}

/// The hits of keyword search for the words of a quotation.
pub(super) fn keyword_hits(
    collection: &Collection,
    quotation: &str,
    documents: Option<&[DocumentId]>,
) -> Result<Vec<ChunkPlace>> {
    let query = &quotation[..quotation.floor_char_boundary(MAX_QUERY)];
    let filter = Filter { documents: documents.map(<[_]>::to_vec), selection: None };
    let hits = collection.search_bm25(query, KEYWORD_HITS, &filter)?;
    Ok(hits.into_iter().map(|hit| (hit.document, hit.index)).collect())
}

/// Phrases of plain words, which are the same in a text and in the index, regardless of punctuation.
pub(super) fn phrases(reading: &Pattern) -> Vec<String> {
    let row = Row { chars: &reading.chars, symbols: &reading.symbols };
    let mut phrases: Vec<String> = Vec::new();
    let mut alone: Vec<String> = Vec::new();
    for part in &reading.parts {
        let Part::Text { start, end } = *part else { continue };
        let mut run: Vec<&str> = Vec::new();
        let tokens = tokens(&row, start..end);
        for token in &tokens {
            match token.class {
                Class::Word if is_plain(&row, token) => run.push(&token.text),
                Class::Mark if is_ignored(&token.text) => {}
                _ => take(&mut run, &mut phrases, &mut alone),
            }
        }
        take(&mut run, &mut phrases, &mut alone);
    }
    if phrases.is_empty() {
        phrases = alone;
    }
    if phrases.iter().all(|phrase| letters(phrase) == 0) {
        // Numbers and the like.
        phrases.push(reading.chars.iter().collect());
    }
    phrases.sort_by_key(|phrase| Reverse(letters(phrase)));
    phrases.truncate(MAX_PHRASES);
    phrases
}

/// Letters of a phrase that distinguish it from others.
fn letters(phrase: &str) -> usize {
    phrase.split(' ').filter(|word| !is_common(&skeleton(word))).map(str::len).sum()
}

/// Cuts a run of words into phrases.
fn take(run: &mut Vec<&str>, phrases: &mut Vec<String>, alone: &mut Vec<String>) {
    let mut pieces = run.chunks(PHRASE_WORDS).map(<[_]>::to_vec).collect::<Vec<_>>();
    // A rest of one word belongs to the phrase before.
    if let [.., before, last] = &mut pieces[..]
        && last.len() == 1
    {
        before.append(last);
    }
    for piece in pieces {
        match piece.len() {
            0 => {}
            1 => alone.push(piece.concat()),
            _ => phrases.push(piece.join(" ")),
        }
    }
    run.clear();
}

/// True if a word is letters only and nothing joins it to its neighbours.
fn is_plain(row: &Row<'_>, token: &Token) -> bool {
    let joins = |c: char| matches!(c, DASH | '/' | '_' | '&' | '@' | '.' | WILD);
    let is_close = |symbol: Option<&Symbol>| symbol.is_some_and(|symbol| symbol.gap == Gap::None && symbol.c != ' ');
    let symbols = row.symbols.get(token.place.clone()).unwrap_or_default();
    let before = token.place.start.checked_sub(1).and_then(|at| row.symbols.get(at));
    let after = row.symbols.get(token.place.end);
    let joined_before = before.is_some_and(|before| joins(before.c)) && is_close(symbols.first());
    let joined_after =
        after.is_some_and(|after| joins(after.c)) && is_close(after) && is_close(row.symbols.get(token.place.end + 1));
    !joined_before && !joined_after && symbols.iter().all(|symbol| symbol.c.is_alphabetic())
}

/// Punctuation between two words that the index does not have.
fn is_ignored(mark: &str) -> bool {
    matches!(mark, "," | ";" | ":" | "." | "(" | ")" | "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(quotation: &str) -> Vec<String> {
        phrases(&Pattern::readings(quotation)[0])
    }

    #[test]
    fn phrases_are_runs_of_plain_words() {
        assert_eq!(
            of("The Buyer's agent shall, within thirty (30) days after the receipt of the well-known goods, pay"),
            ["agent shall within thirty", "days after the receipt", "goods pay", "of the"]
        );
        assert_eq!(of("one two three four five"), ["one two three four five"]);
        assert_eq!(of("$1,250,000"), ["$1,250,000"]);
        assert_eq!(of("well-known price"), ["price"]);
        assert_eq!(of("10 m2 of x3"), ["10 m2 of x3", "of"]);
        assert_eq!(of("due. Then pay"), ["due Then pay"]);
        let long = (0..100).map(|n| "a".repeat(1 + n % 7)).collect::<Vec<_>>().join(" ");
        assert!(of(&long).len() <= MAX_PHRASES);
    }
}
