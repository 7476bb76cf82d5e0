//! Words of a query that no chunk has, or next to none, and what was probably meant.

use casetrack_core::Result;

use super::Collection;
use crate::bm25::{correctable, edits, forms};

/// Chunks that are read to see how a term is written that a word resembles …
const READ_CHUNKS: usize = 10;
/// … and one that it has.
const READ_OF_KNOWN: usize = 3;
/// A word in lower case that is in at most this many chunks is probably a slip there, too, …
const RARE: usize = 2;
/// … where one that resembles it is in at least this many.
const FREQUENT: u64 = 100;
/// Chunks that are read to see that a word is written in another way only.
const MAX_READ: usize = 200;
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

impl Collection {
    /// What was probably meant by the words of a text that no chunk has, or two where many have a similar one. Words of 4–7 letters may differ by one edit, longer ones by
    /// two. Numbers, identifiers and abbreviations are left alone. Takes microseconds if all words are known, else milliseconds each.
    pub fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
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
            let is_known = !self.ask(&self.indexes.bm25, |index| index.lacks(&term))?;
            if is_known && let Some(replacement) = self.other_ending(&word, &term)? {
                corrections.push(Correction { word, replacement, is_known: false });
                continue;
            }
            if is_known && !(text.contains(&word) && self.is_rare(&term)?) {
                continue;
            }
            let mut best: Option<(usize, String)> = None;
            let mut similar = self.ask(&self.indexes.bm25, |index| index.similar(&word, &term, allowed))?;
            similar.retain(|similar| !is_known || similar.term != term && similar.chunks >= FREQUENT);
            for similar in similar {
                for form in self.written(&similar.term, READ_CHUNKS)? {
                    // Of a short plural, the singular may be all there is.
                    let plural = if allowed == 1 { edits(&word, &format!("{form}s")) } else { usize::MAX };
                    let distance = edits(&word, &form).min(plural);
                    // Earlier candidates are the better ones of equal distance.
                    if distance <= usize::from(allowed) && best.as_ref().is_none_or(|(least, _)| distance < *least) {
                        best = Some((distance, form));
                    }
                }
            }
            corrections.extend(best.map(|(_, replacement)| Correction { word, replacement, is_known }));
        }
        Ok(corrections)
    }

    fn is_rare(&self, term: &str) -> Result<bool> {
        let slots = self.ask(&self.indexes.bm25, |index| index.chunks_with(term, RARE + 1))?;
        Ok(slots.len() <= RARE)
    }

    /// The word with the other one of two endings that are mistaken for each other, where the chunks that have its term write it
    /// so and never as it is. Terms have no endings, so keyword search finds both; the models know one of them.
    fn other_ending(&self, word: &str, term: &str) -> Result<Option<String>> {
        let Some(other) = other_ending(word) else { return Ok(None) };
        // Also before a plural or possessive s.
        let has = |forms: &[String], word: &str| forms.iter().any(|form| form.starts_with(word));
        if has(&self.written(term, READ_OF_KNOWN)?, word) {
            return Ok(None);
        }
        let slots = self.ask(&self.indexes.bm25, |index| index.chunks_with(term, MAX_READ + 1))?;
        if slots.len() > MAX_READ {
            return Ok(None);
        }
        let forms = self.written(term, MAX_READ)?;
        Ok((!has(&forms, word) && has(&forms, &other)).then_some(other))
    }

    /// Forms of a term in the texts of at most `most` chunks.
    fn written(&self, term: &str, most: usize) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for slot in self.ask(&self.indexes.bm25, |index| index.chunks_with(term, most))? {
            let Some((document, index)) = self.slots().resolve(slot) else { continue };
            if let Some(chunk) = self.chunk_at(document, index)? {
                found.extend(forms(&chunk.searchable_text(), term));
            }
        }
        Ok(found)
    }
}

/// The word with the ending that its own is mistaken for.
fn other_ending(word: &str) -> Option<String> {
    let pairs = ENDINGS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    let (stem, other) = pairs.filter_map(|(own, other)| Some((word.strip_suffix(own)?, other))).next()?;
    // "-ment" is an ending of its own.
    (stem.chars().count() >= 4 && !stem.ends_with('m')).then(|| format!("{stem}{other}"))
}
