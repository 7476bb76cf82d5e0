//! The chunks of a collection as evaluation sees them: in an order of their own, with their places.

use std::collections::HashMap;

use casetrack_core::{DocumentId, Result};
use casetrack_store::{Collection, Hit};

/// A stretch of a page, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage {
    pub document: DocumentId,
    pub page: u32,
    pub start: u32,
    /// Not included.
    pub end: u32,
}

/// What there is to be found.
pub(super) struct Found {
    /// Place of each document in the order of paths. Ids are random, so that ties broken by them would fall otherwise each time that
    /// the documents are ingested.
    order: HashMap<DocumentId, usize>,
    /// Of the documents that spans are looked up in.
    passages: HashMap<DocumentId, Vec<Passage>>,
}

impl Found {
    /// `located` are the documents whose passages will be asked for.
    pub fn new(collection: &Collection, located: impl IntoIterator<Item = DocumentId>) -> Result<Self> {
        let documents = collection.documents()?;
        let order = documents.iter().enumerate().map(|(place, meta)| (meta.id, place)).collect();
        let mut passages = HashMap::new();
        for document in located {
            let chunks = collection.chunks(document)?;
            let places = chunks.iter().map(|chunk| Passage {
                document,
                page: chunk.page,
                start: chunk.char_start,
                end: chunk.char_end,
            });
            passages.insert(document, places.collect());
        }
        Ok(Self { order, passages })
    }

    /// Sorts by score, equal ones by path and place.
    pub fn sort(&self, hits: &mut [Hit]) {
        let place = |hit: &Hit| (self.order.get(&hit.document), hit.index);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
    }

    /// The documents of a ranking, each at the place of its best chunk.
    pub fn documents(hits: &[Hit]) -> Vec<DocumentId> {
        let mut seen = std::collections::HashSet::new();
        hits.iter().map(|hit| hit.document).filter(|&document| seen.insert(document)).collect()
    }

    /// The places of the first `count` chunks. Those of documents without a gold span are empty: they find nothing.
    pub fn passages(&self, hits: &[Hit], count: usize) -> Vec<Passage> {
        let place = |hit: &Hit| {
            let known = self.passages.get(&hit.document).and_then(|passages| passages.get(hit.index as usize));
            known.copied().unwrap_or(Passage { document: hit.document, page: 0, start: 0, end: 0 })
        };
        hits.iter().take(count).map(place).collect()
    }
}
