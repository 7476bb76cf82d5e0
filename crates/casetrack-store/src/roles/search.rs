use std::borrow::Cow;
use std::sync::Arc;

use casetrack_core::{DocumentId, Error, Result};
use casetrack_keyword::{Bm25Query, Correction, Lexicon, NameMatch, TermWeights, corrections, name_matches};

use super::selection::{Conditions, Selection};
use crate::records::sparse_vector::SparseVector;
use crate::slots::{SlotMap, SlotSet};

/// The documents and chunks that a search is restricted to. Applied while candidates are collected: up to `k` of the chunks that pass are found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// These documents only; `None` for all.
    pub documents: Option<Vec<DocumentId>>,
    /// These chunks only; `None` for all.
    pub selection: Option<Arc<Selection>>,
}

impl Filter {
    pub fn slots(&self, all: &SlotMap) -> Option<Cow<'_, SlotSet>> {
        match (&self.selection, &self.documents) {
            (Some(selection), Some(documents)) => Some(Cow::Owned(selection.slots().within(documents))),
            (Some(selection), None) => Some(Cow::Borrowed(selection.slots())),
            (None, Some(documents)) => Some(Cow::Owned(all.select(documents))),
            (None, None) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub document: DocumentId,
    /// Index of the chunk in the document.
    pub index: u32,
    /// Higher is better; comparable within one result only.
    pub score: f32,
}

impl Hit {
    /// The hits of slots with their scores. Slots of chunks that were deleted or replaced in the meantime are left out.
    pub fn of_slots(slots: &SlotMap, found: impl IntoIterator<Item = (u64, f32)>) -> Vec<Self> {
        let hit = |(slot, score)| slots.resolve(slot).map(|(document, index)| Self { document, index, score });
        found.into_iter().filter_map(hit).collect()
    }
}

/// Returns the document of a slot; `None` if it is gone.
pub type DocumentOfSlot<'l> = dyn Fn(u64) -> Option<DocumentId> + 'l;

/// Is given the lexicon of a collection as of one moment.
pub type VisitLexicon<'v> = dyn FnMut(&dyn Lexicon, &DocumentOfSlot<'_>) -> Result<()> + 'v;

pub trait SearchChunks {
    /// See [`Collection::search_bm25`](crate::Collection::search_bm25).
    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    /// The best `k` chunks by cosine similarity to a vector of length 1, best first, equal scores by age of the chunk.
    /// Exact in small collections and under narrow filters, else it may be approximate.
    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    /// The best `k` chunks by learned-sparse similarity, the sum of query weight times stored weight over the terms that both
    /// have, best first, equal scores by age of the chunk. Exact. Chunks without a learned-sparse vector are not found.
    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    fn select(&self, conditions: &Conditions) -> Result<Selection>;

    /// The document and index of each selected chunk that is still there, in the order in which they were stored.
    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)>;

    /// Calls `visit` with the terms of all chunks; perhaps a second time, if the first ended with an error.
    fn with_lexicon(&self, visit: &mut VisitLexicon<'_>) -> Result<()>;

    /// Weighs the words of a question by how rare they are among the chunks.
    fn term_weights(&self, question: &str) -> Result<TermWeights> {
        ask(self, |lexicon, _| TermWeights::of(lexicon, question))
    }

    /// The words that were probably meant by those of a text that no chunk has, or two if many have a similar one.
    fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
        ask(self, |lexicon, _| corrections(lexicon, text))
    }

    /// The words of a text that at most `most` documents are called by: names in file names and titles, and the parties on covers.
    fn name_matches(&self, text: &str, most: usize) -> Result<Vec<NameMatch>> {
        ask(self, |lexicon, document_of| name_matches(lexicon, text, most, document_of))
    }
}

/// The answer to a question about the terms of a collection.
fn ask<S: SearchChunks + ?Sized, T>(
    collection: &S,
    question: impl Fn(&dyn Lexicon, &DocumentOfSlot<'_>) -> Result<T>,
) -> Result<T> {
    let mut answer = None;
    collection.with_lexicon(&mut |lexicon, document_of| {
        answer = Some(question(lexicon, document_of)?);
        Ok(())
    })?;
    answer.ok_or_else(|| Error::internal("The terms of the collection were not read."))
}
