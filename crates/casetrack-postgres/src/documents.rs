//! Reading documents of an open collection.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, DocumentId, DocumentMeta, HiddenText, Page, PageOrigin, Result, Sha256,
};
use casetrack_store::parts::{PagePlace, PageRecord};
use casetrack_store::{CatalogueEntry, ChunkSpan, Passages, ReadDocuments, SparseVector, StoredDocument};

use crate::collection::PostgresCollection;

impl ReadDocuments for PostgresCollection {
    fn documents(&self) -> Result<Vec<DocumentMeta>> {
        let mut documents = self.documents_as_stored()?;
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(documents)
    }

    fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>> {
        self.with_reading(|reading| reading.documents())
    }

    fn versions(&self) -> Vec<(DocumentId, u64)> {
        self.lately().documents().map(|known| (known.entry.id, known.version)).collect()
    }

    fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>> {
        Ok(self.now()?.catalogue())
    }

    fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>> {
        self.with_reading(|reading| reading.document(id))
    }

    fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>> {
        self.with_reading(|reading| reading.document_by_path(path))
    }

    fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        self.with_reading(|reading| reading.documents_by_sha256(sha256))
    }

    fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        self.with_reading(|reading| reading.page(document, number))
    }

    fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>> {
        self.with_reading(|reading| reading.page_text(document, number, bytes.clone()))
    }

    fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>> {
        Ok(self.with_reading(|reading| reading.layout(document, page))?.blocks)
    }

    fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        self.with_reading(|reading| reading.page_record(document, page)).map(PageRecord::into_origin)
    }

    fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        let records = self.with_reading(|reading| reading.page_records(document))?;
        let mut numbers: Vec<(u32, String)> =
            records.into_iter().filter_map(|(page, record)| Some((page, record.notes.bates?))).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>> {
        Ok(self.with_reading(|reading| reading.page_record(document, page))?.notes.changes)
    }

    fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>> {
        Ok(self.with_reading(|reading| reading.page_record(document, page))?.notes.hidden)
    }

    fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>> {
        self.with_reading(|reading| {
            let Some((document, index)) = reading.place_of_chunk(id)? else { return Ok(None) };
            let chunk = reading.chunks_within(document, index..index + 1)?.pop();
            Ok(chunk.map(|chunk| (document, chunk)))
        })
    }

    fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>> {
        Ok(self.chunk_range(document, index..index.saturating_add(1))?.pop())
    }

    fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>> {
        self.with_reading(|reading| reading.chunks_within(document, range.clone()))
    }

    fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>> {
        self.with_reading(|reading| reading.spans(document))
    }

    fn chunks_on_pages(&self, document: DocumentId, pages: RangeInclusive<u32>) -> Result<Range<u32>> {
        let moment = self.now()?;
        let Some(slots) = moment.slots.range_of(document) else { return Ok(0..0) };
        let places = self.with_reading(|reading| self.page_places(reading, &slots))?;
        Ok(PagePlace::chunks_on(&places, &pages, slots.count))
    }

    fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>> {
        self.with_reading(|reading| reading.vector(document, index))
    }

    fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        self.with_reading(|reading| reading.vectors(document))
    }

    fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>> {
        self.with_reading(|reading| reading.sparse_vectors(document))
    }

    fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        self.with_reading(|reading| reading.has_sparse_vectors(document))
    }

    fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        self.with_reading(|reading| reading.token_vectors_at(document, index))
    }

    fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        self.with_reading(|reading| reading.annotations(document))
    }

    fn whole(&self, document: DocumentId) -> Result<Option<StoredDocument>> {
        self.with_reading(|reading| reading.document(document)?.map(|_| reading.whole(document)).transpose())
    }

    fn passages(&self) -> Passages<'_> {
        Passages::of(self.moment().map(|reader| Box::new(reader) as _))
    }
}
