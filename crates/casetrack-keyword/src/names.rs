//! Words of a query that documents are called by.
//!
//! The first chunk of a document also has, in fields of their own, the words of its file name and title, and of its
//! cover: the beginning of its text, where agreements name their parties.

use std::collections::HashMap;
use std::ops::Range;

use casetrack_core::{DocumentId, Result};

use crate::analysis::Form;
use crate::lexicon::{Lexicon, TextField};

/// Characters of a document's first chunk that are its cover.
const COVER_CHARS: usize = 1000;
/// Documents of fewer chunks have no cover: their text is not much more.
const MIN_CHUNKS: u32 = 3;
/// Words of a query that are looked at.
const MAX_WORDS: usize = 64;
/// A word in more chunks than this is not a name.
const MAX_CHUNKS: u64 = 4000;
/// Shortest words written as one, as in `BICYCLETHERAPEUTICSPLC`, in characters.
const MIN_JOINED: usize = 8;

/// A word of a text, or neighbouring ones, that some documents are called by.
#[derive(Debug, Clone, PartialEq)]
pub struct NameMatch {
    pub place: Range<usize>,
    /// The documents, each with `true` if the word is in its name or title, and `false` if it is on its cover.
    pub documents: Vec<(DocumentId, bool)>,
    /// The share (0–1) of the passages with the word that are in these documents; 1 if none has it.
    pub share: f32,
}

/// A word, or neighbouring words written as one, of a query.
struct NameWord {
    place: Range<usize>,
    /// First slots of the documents that are called by it, and of those that have it on their covers.
    named: Vec<u64>,
    covered: Vec<u64>,
    /// Slots of the chunks whose text has it.
    chunks: Vec<u64>,
}

impl NameWord {
    /// Adds the matches of another form of the word.
    fn join(&mut self, other: Self) {
        for (own, more) in
            [(&mut self.named, other.named), (&mut self.covered, other.covered), (&mut self.chunks, other.chunks)]
        {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
    }
}

/// The names of a document: its title and the stem of its file name, also taken apart (`%20`, `_`, `MasterLease`).
pub fn names(name: &str, title: Option<&str>) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut apart = String::with_capacity(2 * stem.len());
    let mut before = ' ';
    let mut rest = stem.chars();
    while let Some(c) = rest.next() {
        if c == '%' && rest.as_str().len() >= 2 && rest.as_str().bytes().take(2).all(|byte| byte.is_ascii_hexdigit()) {
            apart.push(' ');
            rest = rest.as_str()[2..].chars();
            continue;
        }
        if before.is_lowercase() && c.is_uppercase() {
            apart.push(' ');
        }
        apart.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    [stem, &apart, title.unwrap_or_default()].join("\n")
}

/// The cover of a document with this many chunks, the first of which has this text.
pub fn cover(first: &str, chunks: u32) -> &str {
    if chunks < MIN_CHUNKS {
        return "";
    }
    first.char_indices().nth(COVER_CHARS).map_or(first, |(end, _)| &first[..end])
}

/// The words of a text that at most `most` documents are called by: names in file names and titles, and the parties on
/// covers. `document_of` returns the document of a slot. Looks each word up, and each chunk that has a possible name.
pub fn name_matches(
    lexicon: &dyn Lexicon,
    text: &str,
    most: usize,
    document_of: &dyn Fn(u64) -> Option<DocumentId>,
) -> Result<Vec<NameMatch>> {
    let mut matches = Vec::new();
    for word in name_words(lexicon, text, most)? {
        let mut documents: Vec<(DocumentId, bool)> = Vec::new();
        for (found, is_name) in [(&word.named, true), (&word.covered, false)] {
            for id in found.iter().filter_map(|&slot| document_of(slot)) {
                if !documents.iter().any(|(known, _)| *known == id) {
                    documents.push((id, is_name));
                }
            }
        }
        if documents.is_empty() || documents.len() > most {
            continue;
        }
        let inside = word.chunks.iter().filter_map(|&slot| document_of(slot));
        let inside = inside.filter(|id| documents.iter().any(|(known, _)| known == id)).count();
        let share = if word.chunks.is_empty() { 1.0 } else { inside as f32 / word.chunks.len() as f32 };
        matches.push(NameMatch { place: word.place, documents, share });
    }
    Ok(matches)
}

/// The words of a query that at most `most` documents are called by or have on their covers.
fn name_words(lexicon: &dyn Lexicon, query: &str, most: usize) -> Result<Vec<NameWord>> {
    let mut found = Vec::new();
    let mut places: HashMap<Range<usize>, usize> = HashMap::new();
    for mut form in lexicon.forms()?.into_iter().filter(|form| form.differs(query)) {
        let words = candidates(query, &mut form);
        let terms: Vec<&str> = words.iter().map(|(_, term)| term.as_str()).collect();
        let named = lexicon.frequencies(TextField::Names, &terms)?;
        let covered = lexicon.frequencies(TextField::Cover, &terms)?;
        for (((place, term), named), covered) in words.into_iter().zip(named).zip(covered) {
            if named + covered == 0
                || named.max(covered) > most as u64
                || lexicon.frequency(TextField::Text, &term)? > MAX_CHUNKS
            {
                continue;
            }
            let slots = |field| lexicon.slots(field, &term, usize::MAX);
            let [named, covered, chunks] = [TextField::Names, TextField::Cover, TextField::Text].map(slots);
            let word = NameWord { place, named: named?, covered: covered?, chunks: chunks? };
            match places.get(&word.place).and_then(|&at| found.get_mut(at)) {
                Some(known) => NameWord::join(known, word),
                None => {
                    places.insert(word.place.clone(), found.len());
                    found.push(word);
                }
            }
        }
    }
    Ok(found)
}

/// The distinct terms of a query, and neighbouring ones written as one, with the bytes of their first places.
fn candidates(query: &str, form: &mut Form) -> Vec<(Range<usize>, String)> {
    let tokens = form.terms(query).into_iter();
    let mut words: Vec<_> = tokens.map(|token| (token.offset_from..token.offset_to, token.text)).collect();
    words.truncate(MAX_WORDS);
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut add = |place: Range<usize>, term: String| {
        if !found.iter().any(|(_, known)| *known == term) {
            found.push((place, term));
        }
    };
    for (place, term) in &words {
        add(place.clone(), term.clone());
    }
    for length in [2, 3] {
        for run in words.windows(length) {
            let (start, end) = (run[0].0.start, run[length - 1].0.end);
            let Some(written) = query.get(start..end) else { continue };
            let joined: String = written.chars().filter(|c| c.is_alphanumeric()).collect();
            if joined.chars().count() >= MIN_JOINED {
                form.terms(&joined).into_iter().for_each(|token| add(start..end, token.text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;

    fn candidates(query: &str) -> Vec<(Range<usize>, String)> {
        super::candidates(query, &mut Analysis::Usual.forms()[0])
    }

    #[test]
    fn words_are_found_alone_and_written_as_one() {
        let terms: Vec<String> =
            candidates("the Bicycle Therapeutics lease").into_iter().map(|(_, term)| term).collect();
        assert!(
            ["bicycl", "therapeut", "bicycletherapeut"].iter().all(|term| terms.iter().any(|own| own == term)),
            "{terms:?}"
        );
        let place = &candidates("of eHandshake's deed")[1].0;
        assert_eq!(*place, 3..15);
    }

    #[test]
    fn short_documents_have_no_cover() {
        assert_eq!(cover("Agreement", 2), "");
        assert_eq!(cover("Agreement", 3), "Agreement");
        assert_eq!(cover(&"é".repeat(2000), 9).chars().count(), COVER_CHARS);
    }
}
