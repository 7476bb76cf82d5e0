//! Words of a query that no chunk has, or next to none, and what was probably meant.

use casetrack_core::Result;

use super::LocalCollection;
use crate::bm25::{Similar, correctable, term_of};

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

impl LocalCollection {
    /// What was probably meant by the words of a text that no chunk has, or two where many have a similar one. Words of 4–7 letters may differ by one edit, longer ones by
    /// two. Words are compared as they are written, but for case and accents. Numbers, identifiers and abbreviations are left alone. Takes
    /// microseconds if all words are known, else milliseconds each.
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
            let known = self.ask(&self.indexes.bm25, |index| index.known_forms(&word))?;
            let is_known = !known.is_empty();
            let replacement = match is_known {
                true => match self.other_ending(&word)? {
                    Some(replacement) => {
                        corrections.push(Correction { word, replacement, is_known: false });
                        continue;
                    }
                    None if text.contains(&word) && self.are_rare(&known)? => {
                        self.similar_to(&word, allowed, |similar| {
                            similar.chunks >= FREQUENT && term_of(&similar.word) != term
                        })?
                    }
                    None => None,
                },
                false => match (self.similar_to(&word, allowed, |_| true)?, word.strip_suffix('s')) {
                    // Of a short plural, the singular may be all there is.
                    (None, Some(singular)) if allowed == 1 => self.similar_to(singular, allowed, |_| true)?,
                    (found, _) => found,
                },
            };
            corrections.extend(replacement.map(|replacement| Correction { word, replacement, is_known }));
        }
        Ok(corrections)
    }

    /// The word that most resembles another one among those that chunks have and that are admitted.
    fn similar_to(&self, word: &str, edits: u8, admits: impl Fn(&Similar) -> bool) -> Result<Option<String>> {
        let mut similar = self.ask(&self.indexes.bm25, |index| index.similar(word, edits))?;
        similar.retain(admits);
        for Similar { word, .. } in similar {
            // Deleted chunks are counted until they are cleared away.
            if self.ask(&self.indexes.bm25, |index| index.has_word(&word))? {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    /// Whether few chunks have any of the forms of a word.
    fn are_rare(&self, forms: &[String]) -> Result<bool> {
        let mut chunks = 0;
        for form in forms {
            chunks += self.ask(&self.indexes.bm25, |index| index.chunks_with(form, RARE + 1))?.len();
        }
        Ok(chunks <= RARE)
    }

    /// The word with the other one of two endings that are mistaken for each other, where the chunks write it so and never as it is.
    /// Terms have no endings, so keyword search finds both; the models know one of them.
    fn other_ending(&self, word: &str) -> Result<Option<String>> {
        let Some(other) = other_ending(word) else { return Ok(None) };
        // Also in the plural.
        let has = |word: &str| {
            self.ask(&self.indexes.bm25, |index| Ok(index.has_word(word)? || index.has_word(&format!("{word}s"))?))
        };
        Ok((!has(word)? && has(&other)?).then_some(other))
    }
}

/// The word with the ending that its own is mistaken for.
fn other_ending(word: &str) -> Option<String> {
    let pairs = ENDINGS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    let (stem, other) = pairs.filter_map(|(own, other)| Some((word.strip_suffix(own)?, other))).next()?;
    // "-ment" is an ending of its own.
    (stem.chars().count() >= 4 && !stem.ends_with('m')).then(|| format!("{stem}{other}"))
}
