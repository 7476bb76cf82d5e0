//! Passages with everything that a citation of them needs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use casetrack_core::{
    Change, Chunk, ChunkId, DocumentId, DocumentMeta, Error, HiddenReason, HiddenText, NumberedText, PageOrigin,
    PictureText, Result, hidden_reasons, number_range, numbers_within,
};

use crate::records::PageRecord;

/// A chunk with its document, the origin of its page's text and the marks printed on the page.
#[derive(Debug, Clone)]
pub struct Passage {
    pub document: Arc<DescribedDocument>,
    pub chunk: Chunk,
    /// Of its page; of a text that OCR read in a picture on it, of that.
    pub origin: PageOrigin,
    /// True if the file tracks changes in it.
    pub tracked_changes: bool,
    /// Why texts in it are hidden, if some are.
    pub hidden_text: Vec<HiddenReason>,
}

/// The facts that the passages of a page have in common: how its text was obtained, and the notes that they show.
#[derive(Debug, Clone)]
pub struct PageFacts {
    pub origin: PageOrigin,
    pub changes: Vec<Change>,
    pub hidden: Vec<HiddenText>,
    pub pictures: Vec<PictureText>,
    pub numbered: Vec<NumberedText>,
}

/// A document, with flags for the learned-sparse and token vectors of its chunks.
#[derive(Debug, Clone)]
pub struct DescribedDocument {
    pub meta: DocumentMeta,
    pub has_sparse_vectors: bool,
    pub has_token_vectors: bool,
}

/// The source of [`Passages`]: a collection as of one moment.
pub trait PassageSource {
    fn document(&self, id: DocumentId) -> Result<Option<DescribedDocument>>;

    /// The document and index of the chunk with an id; `None` if there is none.
    fn place_of(&self, id: ChunkId) -> Result<Option<(DocumentId, u32)>>;

    /// The ids of chunks within a range, in order; the first `most` of them.
    fn ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>>;

    /// The facts of a page that is there.
    fn page(&self, document: DocumentId, page: u32) -> Result<PageFacts>;

    /// Visits the chunks of a document with some indexes, in order, as far as they exist.
    fn chunks(&self, document: DocumentId, indexes: Range<u32>, visit: &mut VisitChunk<'_>) -> Result<()>;

    /// The same for indexes that do not follow one another, but ascend.
    fn some_chunks(&self, document: DocumentId, indexes: &[u32], visit: &mut VisitChunk<'_>) -> Result<()>;
}

/// Is given one chunk after another, until it fails.
pub type VisitChunk<'v> = dyn FnMut(Chunk) -> Result<()> + 'v;

impl From<PageRecord> for PageFacts {
    fn from(mut record: PageRecord) -> Self {
        let changes = std::mem::take(&mut record.notes.changes);
        let hidden = std::mem::take(&mut record.notes.hidden);
        let pictures = std::mem::take(&mut record.notes.pictures);
        let numbered = std::mem::take(&mut record.notes.numbered);
        Self { origin: record.into_origin(), changes, hidden, pictures, numbered }
    }
}

/// Reads passages as of one moment, each document and page once. Holding it keeps old versions in the store; be brief.
pub struct Passages<'c> {
    source: Result<Box<dyn PassageSource + 'c>>,
    documents: HashMap<DocumentId, Option<Arc<DescribedDocument>>>,
    pages: HashMap<(DocumentId, u32), PageFacts>,
}

impl<'c> Passages<'c> {
    /// Passages of a store as of one moment. If it is an error, every read returns that.
    pub fn of(source: Result<Box<dyn PassageSource + 'c>>) -> Self {
        Self { source, documents: HashMap::new(), pages: HashMap::new() }
    }

    pub fn document(&mut self, id: DocumentId) -> Result<Option<Arc<DescribedDocument>>> {
        if let Some(known) = self.documents.get(&id) {
            return Ok(known.clone());
        }
        let document = opened(&self.source)?.document(id)?.map(Arc::new);
        self.documents.insert(id, document.clone());
        Ok(document)
    }

    /// The chunk of a document with an index; `None` if there is none.
    pub fn at(&mut self, document: DocumentId, index: u32) -> Result<Option<Passage>> {
        Ok(self.range(document, index..index.saturating_add(1))?.pop())
    }

    /// The chunk with an id; `None` if there is none.
    pub fn with_id(&mut self, id: ChunkId) -> Result<Option<Passage>> {
        match opened(&self.source)?.place_of(id)? {
            Some((document, index)) => self.at(document, index),
            None => Ok(None),
        }
    }

    /// The ids of chunks within a range, in order; the first `most` of them. In a vault, which keeps ids in no order, this reads all of them.
    pub fn ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
        opened(&self.source)?.ids_within(ids, most)
    }

    /// The chunks of a document with some indexes, in order, as far as they exist.
    pub fn range(&mut self, document: DocumentId, indexes: Range<u32>) -> Result<Vec<Passage>> {
        self.gather(document, |source, visit| source.chunks(document, indexes, visit))
    }

    /// The same for indexes that do not follow one another, but ascend.
    pub fn some(&mut self, document: DocumentId, indexes: &[u32]) -> Result<Vec<Passage>> {
        self.gather(document, |source, visit| source.some_chunks(document, indexes, visit))
    }

    /// The chunks that `read` visits.
    fn gather(
        &mut self,
        document: DocumentId,
        read: impl FnOnce(&dyn PassageSource, &mut VisitChunk<'_>) -> Result<()>,
    ) -> Result<Vec<Passage>> {
        let Some(described) = self.document(document)? else { return Ok(Vec::new()) };
        let (source, pages) = (opened(&self.source)?, &mut self.pages);
        let mut passages = Vec::new();
        read(source, &mut |chunk| {
            let page = match pages.entry((document, chunk.page)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(source.page(document, chunk.page)?),
            };
            let is_touched = |change: &Change| change.touches(chunk.char_start, chunk.char_end);
            let tracked_changes = page.changes.iter().any(is_touched);
            let mut origin = page.origin.of_part(&page.pictures, chunk.char_start, chunk.char_end);
            origin.numbers = numbers_within(&page.numbered, chunk.char_start, chunk.char_end).map(number_range);
            let hidden_text = hidden_reasons(&page.hidden, chunk.char_start, chunk.char_end);
            let document = Arc::clone(&described);
            passages.push(Passage { document, chunk, origin, tracked_changes, hidden_text });
            Ok(())
        })?;
        Ok(passages)
    }
}

fn opened<'s, 'c>(source: &'s Result<Box<dyn PassageSource + 'c>>) -> Result<&'s (dyn PassageSource + 'c)> {
    match source {
        Ok(source) => Ok(&**source),
        Err(error) => Err(Error::new(error.code, error.message.clone()).with_hint_of(error)),
    }
}
