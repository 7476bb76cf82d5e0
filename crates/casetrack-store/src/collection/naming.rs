//! Documents that a text names.

use std::ops::Range;

use casetrack_core::{DocumentId, Result};

use super::LocalCollection;
use crate::bm25::NameWord;

/// A word of a text, or neighbouring ones, that some documents are called by.
#[derive(Debug, Clone, PartialEq)]
pub struct Naming {
    /// Bytes of the text.
    pub place: Range<usize>,
    /// The documents, and whether it is in their names or titles; otherwise it is on their covers.
    pub documents: Vec<(DocumentId, bool)>,
    /// Of the passages that have the word, the share (0–1) that lies in these documents; 1 where none has it.
    pub share: f32,
}

impl LocalCollection {
    /// Words of a text that at most `most` documents are called by: names in file names and titles, and what covers say of
    /// parties. Looks each word up in the keyword index, and each passage that has a possible name.
    pub fn namings(&self, text: &str, most: usize) -> Result<Vec<Naming>> {
        let words = self.ask(&self.indexes.bm25, |index| index.name_words(text, most))?;
        let slots = self.slots();
        Ok(namings(words, most, |slot| slots.resolve(slot).map(|(document, _)| document)))
    }
}

/// The documents that words name; `document` gives the one of a slot.
pub(crate) fn namings(words: Vec<NameWord>, most: usize, document: impl Fn(u64) -> Option<DocumentId>) -> Vec<Naming> {
    let mut namings = Vec::new();
    for word in words {
        let mut documents: Vec<(DocumentId, bool)> = Vec::new();
        for (found, is_name) in [(&word.named, true), (&word.covered, false)] {
            for id in found.iter().filter_map(|&slot| document(slot)) {
                if !documents.iter().any(|(known, _)| *known == id) {
                    documents.push((id, is_name));
                }
            }
        }
        if documents.is_empty() || documents.len() > most {
            continue;
        }
        let inside = word.chunks.iter().filter_map(|&slot| document(slot));
        let inside = inside.filter(|id| documents.iter().any(|(known, _)| known == id)).count();
        let share = if word.chunks.is_empty() { 1.0 } else { inside as f32 / word.chunks.len() as f32 };
        namings.push(Naming { place: word.place, documents, share });
    }
    namings
}
