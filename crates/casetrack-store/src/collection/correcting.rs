//! Words of a query that no chunk has, and what was probably meant.

use casetrack_core::Result;

use super::Collection;
use crate::bm25::{correctable, edits, forms};

/// Chunks that are read to see how a term is written.
const READ_CHUNKS: usize = 3;
/// Words of a query that are looked at.
const MAX_WORDS: usize = 64;

/// A word that no chunk has, and the one that most resembles it among those that the chunks have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// In lower case.
    pub word: String,
    pub replacement: String,
}

impl Collection {
    /// What was probably meant by the words of a text that no chunk has. Words of 4–7 letters may differ by one edit, longer ones by
    /// two. Numbers, identifiers and abbreviations are left alone. Takes microseconds if all words are known, else milliseconds each.
    pub fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
        let mut corrections: Vec<Correction> = Vec::new();
        for (word, term) in correctable(text).into_iter().take(MAX_WORDS) {
            let allowed = match word.chars().count() {
                0..=3 => continue,
                4..=7 => 1,
                _ => 2,
            };
            if corrections.iter().any(|known| known.word == word)
                || !self.ask(&self.indexes.bm25, |index| index.lacks(&term))?
            {
                continue;
            }
            let mut best: Option<(usize, String)> = None;
            for similar in self.ask(&self.indexes.bm25, |index| index.similar(&word, &term, allowed))? {
                for form in self.written(&similar.term)? {
                    let distance = edits(&word, &form);
                    // Earlier candidates are the better ones of equal distance.
                    if distance <= usize::from(allowed) && best.as_ref().is_none_or(|(least, _)| distance < *least) {
                        best = Some((distance, form));
                    }
                }
            }
            corrections.extend(best.map(|(_, replacement)| Correction { word, replacement }));
        }
        Ok(corrections)
    }

    /// Forms of a term in the texts of some chunks.
    fn written(&self, term: &str) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for slot in self.ask(&self.indexes.bm25, |index| index.chunks_with(term, READ_CHUNKS))? {
            let Some((document, index)) = self.slots().resolve(slot) else { continue };
            if let Some(chunk) = self.chunk_at(document, index)? {
                found.extend(forms(&chunk.searchable_text(), term));
            }
        }
        Ok(found)
    }
}
