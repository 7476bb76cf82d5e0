//! Words of a query that no chunk has, or next to none, and what was probably meant.

use casetrack_core::Result;

use super::LocalCollection;
use crate::bm25::{self, Bm25Index, Lexicon, Similar, TextField, correctable, term_of};

/// A word in lower case that is in at most this many chunks is probably a slip there, too, …
const RARE: usize = 2;
/// … where one that resembles it is in at least this many.
const FREQUENT: u64 = 100;
/// Words of a query that are looked at.
const MAX_WORDS: usize = 64;
/// Endings that are mistaken for each other.
const ENDINGS: [(&str, &str); 4] = [("ent", "ant"), ("ence", "ance"), ("ency", "ancy"), ("ible", "able")];

/// A word that no chunk has, or next to none, and the one that most resembles it among those that the chunks have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// In lower case.
    pub word: String,
    pub replacement: String,
    /// Whether some chunks have the word, so that it is worth searching for as well.
    pub is_known: bool,
}

/// What corrections ask of the words of the chunks.
pub(crate) trait KnownWords {
    /// The forms of a word that chunks have, in their texts or contexts.
    fn known_forms(&self, word: &str) -> Result<Vec<String>>;

    /// Whether the text of a chunk has a word as it is written, but for case and accents.
    fn has_word(&self, word: &str) -> Result<bool>;

    /// Other words of the texts within `edits` of a word: nearest first, equal ones by frequency.
    fn similar(&self, word: &str, edits: u8) -> Result<Vec<Similar>>;

    /// How many chunks have a term, counted up to `most`.
    fn chunks_with(&self, term: &str, most: usize) -> Result<usize>;
}

impl KnownWords for LocalCollection {
    fn known_forms(&self, word: &str) -> Result<Vec<String>> {
        self.ask(&self.indexes.bm25, |index| index.about_terms(|lexicon| bm25::known_forms(lexicon, word)))
    }

    fn has_word(&self, word: &str) -> Result<bool> {
        self.ask(&self.indexes.bm25, |index| index.about_terms(|lexicon| bm25::has_word(lexicon, word)))
    }

    fn similar(&self, word: &str, edits: u8) -> Result<Vec<Similar>> {
        self.ask(&self.indexes.bm25, |index| index.about_terms(|lexicon| bm25::similar(lexicon, word, edits)))
    }

    fn chunks_with(&self, term: &str, most: usize) -> Result<usize> {
        let slots = |index: &Bm25Index| index.about_terms(|lexicon| lexicon.slots(TextField::Text, term, most));
        Ok(self.ask(&self.indexes.bm25, slots)?.len())
    }
}

impl LocalCollection {
    /// What was probably meant by the words of a text that no chunk has, or two where many have a similar one. Words of 4–7 letters may differ by one edit, longer ones by
    /// two. Words are compared as they are written, but for case and accents. Numbers, identifiers and abbreviations are left alone. Takes
    /// microseconds if all words are known, else milliseconds each.
    pub fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
        corrections(self, text)
    }
}

/// See [`LocalCollection::corrections`].
pub(crate) fn corrections(words: &impl KnownWords, text: &str) -> Result<Vec<Correction>> {
    let mut corrections: Vec<Correction> = Vec::new();
    for (word, term) in correctable(text).into_iter().take(MAX_WORDS) {
        let allowed = match word.chars().count() {
            0..=3 => continue,
            4..=7 => 1,
            _ => 2,
        };
        if corrections.iter().any(|known| known.word == word) {
            continue;
        }
        let known = words.known_forms(&word)?;
        let is_known = !known.is_empty();
        let replacement = match is_known {
            true => match other_spelling(words, &word)? {
                Some(replacement) => {
                    corrections.push(Correction { word, replacement, is_known: false });
                    continue;
                }
                None if text.contains(&word) && are_rare(words, &known)? => {
                    similar_to(words, &word, allowed, |similar| {
                        similar.chunks >= FREQUENT && term_of(&similar.word) != term
                    })?
                }
                None => None,
            },
            false => match (similar_to(words, &word, allowed, |_| true)?, word.strip_suffix('s')) {
                // Of a short plural, the singular may be all there is.
                (None, Some(singular)) if allowed == 1 => similar_to(words, singular, allowed, |_| true)?,
                (found, _) => found,
            },
        };
        corrections.extend(replacement.map(|replacement| Correction { word, replacement, is_known }));
    }
    Ok(corrections)
}

/// The word that most resembles another one among those that chunks have and that are admitted.
fn similar_to(
    words: &impl KnownWords,
    word: &str,
    edits: u8,
    admits: impl Fn(&Similar) -> bool,
) -> Result<Option<String>> {
    for Similar { word, .. } in words.similar(word, edits)?.into_iter().filter(admits) {
        // Deleted chunks are counted until they are cleared away.
        if words.has_word(&word)? {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Whether few chunks have any of the forms of a word.
fn are_rare(words: &impl KnownWords, forms: &[String]) -> Result<bool> {
    let mut chunks = 0;
    for form in forms {
        chunks += words.chunks_with(form, RARE + 1)?;
    }
    Ok(chunks <= RARE)
}

/// The word with the other one of two endings that are mistaken for each other, where the chunks write it so and never as it is.
/// Terms have no endings, so keyword search finds both; the models know one of them.
fn other_spelling(words: &impl KnownWords, word: &str) -> Result<Option<String>> {
    let Some(other) = other_ending(word) else { return Ok(None) };
    // Also in the plural.
    let has = |word: &str| Ok(words.has_word(word)? || words.has_word(&format!("{word}s"))?);
    Ok((!has(word)? && has(&other)?).then_some(other))
}

/// The word with the ending that its own is mistaken for.
fn other_ending(word: &str) -> Option<String> {
    let pairs = ENDINGS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    let (stem, other) = pairs.filter_map(|(own, other)| Some((word.strip_suffix(own)?, other))).next()?;
    // "-ment" is an ending of its own.
    (stem.chars().count() >= 4 && !stem.ends_with('m')).then(|| format!("{stem}{other}"))
}
