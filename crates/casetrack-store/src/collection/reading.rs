//! Reading and searching documents.

use std::borrow::Cow;
use std::ops::Range;

use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, DocumentId, DocumentMeta, HiddenText, Page, PageOrigin, Result, Sha256,
};

use super::{Filter, Hit, LocalCollection};
use crate::bm25::{Bm25Query, WordConditions};
use crate::derived::{DerivedIndex, Handle};
use crate::error::corrupt;
use crate::indexes::{self, Kept};
use crate::reader::Reader;
use crate::records::sparse_vector::SparseVector;
use crate::slots::SlotSet;

impl LocalCollection {
    // ---- reading ----

    /// All documents, ordered by path.
    pub fn documents(&self) -> Result<Vec<DocumentMeta>> {
        self.truth.reader().documents()
    }

    /// All documents, in the order in which they were stored.
    pub fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>> {
        let reader = self.truth.reader();
        let ids = reader.slot_ranges()?.map(|range| Ok(range?.document)).collect::<Result<Vec<_>>>()?;
        let missing = |id| corrupt(format!("Document {id} is missing."));
        ids.into_iter().map(|id| Ok(reader.document(id)?.ok_or_else(|| missing(id))?.meta)).collect()
    }

    pub fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>> {
        Ok(self.truth.reader().document(id)?.map(|record| record.meta))
    }

    /// The document that was ingested from this path, compared byte by byte.
    pub fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>> {
        let reader = self.truth.reader();
        match reader.document_at_path(path)? {
            Some(id) => Ok(reader.document(id)?.map(|record| record.meta)),
            None => Ok(None),
        }
    }

    /// The documents whose files have this digest, ordered by id.
    pub fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        self.truth.reader().documents_by_sha256(sha256)
    }

    pub fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        self.truth.reader().page(document, number)
    }

    /// A part of a page's text, in bytes that begin and end a character; reads no more than it needs. `None` where the page
    /// does not exist or is shorter.
    pub fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>> {
        let reader = self.truth.reader();
        match reader.page_record(document, number)? {
            Some(page) if bytes.end <= page.byte_len => reader.page_text(document, number, bytes).map(Some),
            _ => Ok(None),
        }
    }

    /// The blocks of a page. Does not read its text.
    pub fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>> {
        self.truth.reader().page_blocks(document, page)
    }

    /// How the text of a page was obtained, and what is printed on it. Reads neither text nor layout.
    pub fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        self.truth.reader().page_origin(document, page)
    }

    /// The Bates numbers on the pages of a document, by page, as far as they were found. Reads a record for each page, and no text.
    pub fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        self.truth.reader().bates(document)
    }

    /// The tracked changes of a page, by place. Reads neither text nor layout.
    pub fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>> {
        Ok(self.truth.reader().known_page(document, page)?.notes.changes)
    }

    /// What of a page the file does not show, by place. Reads neither text nor layout.
    pub fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>> {
        Ok(self.truth.reader().known_page(document, page)?.notes.hidden)
    }

    pub fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>> {
        let reader = self.truth.reader();
        let Some(place) = reader.chunk_place(id)? else { return Ok(None) };
        Ok(reader.chunk(place.document, place.index)?.map(|chunk| (place.document, chunk)))
    }

    pub fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>> {
        self.truth.reader().chunk(document, index)
    }

    /// All chunks of a document, in order.
    pub fn chunks(&self, document: DocumentId) -> Result<Vec<Chunk>> {
        self.chunk_range(document, 0..u32::MAX)
    }

    /// The chunks of a document with these indexes, in order, as far as they exist.
    pub fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>> {
        let mut chunks = Vec::new();
        self.truth.reader().for_each_chunk(document, range, |chunk| {
            chunks.push(chunk);
            Ok(())
        })?;
        Ok(chunks)
    }

    /// The vector of one chunk, as it was stored: rounded to half precision.
    pub fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>> {
        let vector = self.truth.reader().vector(document, index, self.models().dense_dimension as usize)?;
        Ok(vector.map(|vector| vector.iter().map(|x| x.to_f32()).collect()))
    }

    /// The vector of each chunk of a document, in order, as it was stored: rounded to half precision.
    pub fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        let reader = self.truth.reader();
        let mut vectors = Vec::new();
        reader.for_each_vector(document, self.models().dense_dimension as usize, |index, vector| {
            vectors.push((chunk_id(&reader, document, index)?, vector.iter().map(|x| x.to_f32()).collect()));
            Ok(())
        })?;
        Ok(vectors)
    }

    /// The learned-sparse vector of each chunk of a document that has one, in order, as it was stored: quantised.
    pub fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>> {
        let reader = self.truth.reader();
        let mut vectors = Vec::new();
        reader.for_each_sparse_vector(document, |index, impacts| {
            vectors.push((chunk_id(&reader, document, index)?, SparseVector::from_impacts(impacts)));
            Ok(())
        })?;
        Ok(vectors)
    }

    /// Whether the chunks of a document have learned-sparse vectors.
    pub fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        self.truth.reader().has_sparse_vectors(document)
    }

    /// The signs of the token vectors of one chunk, as they were stored; `None` where it has none.
    pub fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        self.truth.reader().token_vectors(document, index)
    }

    /// What analysis found in a document; `None` where there is no such document, or it was stored without analysis. Reads one
    /// value of some 11 bytes a mention.
    pub fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        self.truth.reader().annotations(document)
    }

    // ---- searching ----

    /// The best `k` chunks by BM25, best first, equal scores by age of the chunk. Sees every change that has returned; the
    /// first search after changes commits them to the index, which takes some ten milliseconds.
    pub fn search_bm25(&self, query: impl Into<Bm25Query>, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let query = query.into();
        let k = k.min(self.slots().chunks() as usize);
        if k == 0 {
            return Ok(Vec::new());
        }
        let selected = self.selected(filter);
        let none = WordConditions::default();
        let words = filter.selection.as_ref().map_or(&none, |selection| &selection.words);
        let found = self.ask(&self.indexes.bm25, |index| index.search(&query, k, selected.as_deref(), words))?;
        Ok(self.hits(found))
    }

    /// The best `k` chunks by cosine similarity to a vector of length 1, best first, equal scores by age of the chunk. Exact in
    /// small collections and under narrow filters, else approximate (HNSW).
    pub fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let mut selected = self.selected(filter);
        if selected.is_none() && k >= usize::try_from(self.slots().chunks()).unwrap_or(usize::MAX) {
            selected = Some(Cow::Owned(self.slots().all()));
        }
        let found = self.ask(&self.indexes.dense, |index| index.search(vector, k, selected.as_deref()))?;
        Ok(self.hits(found))
    }

    /// The best `k` chunks by learned-sparse similarity, the sum of query weight times stored weight over the terms that both
    /// have, best first, equal scores by age of the chunk. Exact. Chunks without a learned-sparse vector are not found; see
    /// [`Counts::sparse_chunks`](crate::Counts).
    pub fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let selected = self.selected(filter);
        let found = self.ask(&self.indexes.sparse, |index| index.search(query, k, selected.as_deref()))?;
        Ok(self.hits(found))
    }

    fn selected<'f>(&self, filter: &'f Filter) -> Option<Cow<'f, SlotSet>> {
        match (&filter.selection, &filter.documents) {
            (Some(selection), Some(documents)) => Some(Cow::Owned(selection.slots.within(documents))),
            (Some(selection), None) => Some(Cow::Borrowed(&selection.slots)),
            (None, Some(documents)) => Some(Cow::Owned(self.slots().select(documents))),
            (None, None) => None,
        }
    }

    pub(super) fn ask<I: DerivedIndex, T>(&self, handle: &Handle<I>, question: impl Fn(&I) -> Result<T>) -> Result<T> {
        let recover = || self.with_origin(&self.writer(), |origin| handle.recover(origin));
        indexes::ask(handle, recover, question)
    }

    /// Chunks that were deleted or replaced since the index was searched are left out.
    fn hits(&self, found: Vec<(u64, f32)>) -> Vec<Hit> {
        let slots = self.slots();
        found
            .into_iter()
            .filter_map(|(slot, score)| {
                let (document, index) = slots.resolve(slot)?;
                Some(Hit { document, index, score })
            })
            .collect()
    }
}

fn chunk_id(reader: &Reader<'_>, document: DocumentId, index: u32) -> Result<ChunkId> {
    let record = reader.chunk_record(document, index)?;
    Ok(record.ok_or_else(|| corrupt(format!("Chunk {index} of document {document} is missing.")))?.0.id)
}
