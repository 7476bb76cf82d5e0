use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, DocumentId, DocumentMeta, HiddenText, Page, PageOrigin, Result, Sha256,
};

use super::LocalCollection;
use crate::error::corrupt;
use crate::load;
use crate::reader::Reader;
use crate::records::ChunkSpan;
use crate::records::sparse_vector::SparseVector;
use crate::roles::{
    CatalogueEntry, DescribeCollection, DescribedDocument, PageFacts, PagePlace, PassageSource, Passages,
    ReadDocuments, VisitChunk,
};
use crate::write::StoredDocument;

impl ReadDocuments for LocalCollection {
    fn documents(&self) -> Result<Vec<DocumentMeta>> {
        self.truth.reader().documents()
    }

    fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>> {
        let reader = self.truth.reader();
        let ids = reader.slot_ranges()?.map(|range| Ok(range?.document)).collect::<Result<Vec<_>>>()?;
        let missing = |id| corrupt(format!("Document {id} is missing."));
        ids.into_iter().map(|id| Ok(reader.document(id)?.ok_or_else(|| missing(id))?.meta)).collect()
    }

    fn versions(&self) -> Vec<(DocumentId, u64)> {
        self.relocated.versions(&self.slots())
    }

    fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>> {
        self.catalogue.entries(&self.truth)
    }

    fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>> {
        Ok(self.truth.reader().document(id)?.map(|record| record.meta))
    }

    fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>> {
        let reader = self.truth.reader();
        match reader.document_at_path(path)? {
            Some(id) => Ok(reader.document(id)?.map(|record| record.meta)),
            None => Ok(None),
        }
    }

    fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        self.truth.reader().documents_by_sha256(sha256)
    }

    fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        self.truth.reader().page(document, number)
    }

    fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>> {
        let reader = self.truth.reader();
        match reader.page_record(document, number)? {
            Some(page) if bytes.end <= page.byte_len => reader.page_text(document, number, bytes).map(Some),
            _ => Ok(None),
        }
    }

    fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>> {
        self.truth.reader().page_blocks(document, page)
    }

    fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        self.truth.reader().page_origin(document, page)
    }

    fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        self.truth.reader().bates(document)
    }

    fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>> {
        Ok(self.truth.reader().known_page(document, page)?.notes.changes)
    }

    fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>> {
        Ok(self.truth.reader().known_page(document, page)?.notes.hidden)
    }

    fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>> {
        let reader = self.truth.reader();
        let Some(place) = reader.chunk_place(id)? else { return Ok(None) };
        Ok(reader.chunk(place.document, place.index)?.map(|chunk| (place.document, chunk)))
    }

    fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>> {
        self.truth.reader().chunk(document, index)
    }

    fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>> {
        let mut chunks = Vec::new();
        self.truth.reader().for_each_chunk(document, range, |chunk| {
            chunks.push(chunk);
            Ok(())
        })?;
        Ok(chunks)
    }

    fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>> {
        self.truth.reader().chunk_spans(document)
    }

    fn chunks_on_pages(&self, document: DocumentId, pages: RangeInclusive<u32>) -> Result<Range<u32>> {
        let Some(slots) = self.slots().range_of(document) else { return Ok(0..0) };
        let places = self.page_places(&self.truth.reader(), &slots)?;
        Ok(PagePlace::chunks_on(&places, &pages, slots.count))
    }

    fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>> {
        let vector = self.truth.reader().vector(document, index, self.models().dense_dimension as usize)?;
        Ok(vector.map(|vector| vector.iter().map(|x| x.to_f32()).collect()))
    }

    fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        let reader = self.truth.reader();
        let mut vectors = Vec::new();
        reader.for_each_vector(document, self.models().dense_dimension as usize, |index, vector| {
            vectors.push((chunk_id(&reader, document, index)?, vector.iter().map(|x| x.to_f32()).collect()));
            Ok(())
        })?;
        Ok(vectors)
    }

    fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>> {
        let reader = self.truth.reader();
        let mut vectors = Vec::new();
        reader.for_each_sparse_vector(document, |index, impacts| {
            vectors.push((chunk_id(&reader, document, index)?, SparseVector::from_impacts(impacts)));
            Ok(())
        })?;
        Ok(vectors)
    }

    fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        self.truth.reader().has_sparse_vectors(document)
    }

    fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        self.truth.reader().token_vectors(document, index)
    }

    fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        self.truth.reader().annotations(document)
    }

    fn whole(&self, id: DocumentId) -> Result<Option<StoredDocument>> {
        let reader = self.truth().reader();
        let record = reader.document(id)?;
        record.map(|record| load::document(&reader, &record, self.identity())).transpose()
    }

    fn passages(&self) -> Passages<'_> {
        Passages::of(Ok(Box::new(self.truth.reader())))
    }
}

impl PassageSource for Reader<'_> {
    fn document(&self, id: DocumentId) -> Result<Option<DescribedDocument>> {
        let record = Reader::document(self, id)?;
        let describe = |meta| {
            let has_token_vectors = self.token_vectors(id, 0)?.is_some();
            Ok(DescribedDocument { meta, has_sparse_vectors: self.has_sparse_vectors(id)?, has_token_vectors })
        };
        record.map(|record| describe(record.meta)).transpose()
    }

    fn place_of(&self, id: ChunkId) -> Result<Option<(DocumentId, u32)>> {
        Ok(self.chunk_place(id)?.map(|place| (place.document, place.index)))
    }

    fn ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
        self.chunk_ids_within(ids, most)
    }

    fn page(&self, document: DocumentId, page: u32) -> Result<PageFacts> {
        Ok(self.known_page(document, page)?.into())
    }

    fn chunks(&self, document: DocumentId, indexes: Range<u32>, visit: &mut VisitChunk<'_>) -> Result<()> {
        self.for_each_chunk(document, indexes, visit)
    }

    fn some_chunks(&self, document: DocumentId, indexes: &[u32], visit: &mut VisitChunk<'_>) -> Result<()> {
        self.for_some_chunks(document, indexes, visit)
    }
}

fn chunk_id(reader: &Reader<'_>, document: DocumentId, index: u32) -> Result<ChunkId> {
    let record = reader.chunk_record(document, index)?;
    Ok(record.ok_or_else(|| corrupt(format!("Chunk {index} of document {document} is missing.")))?.0.id)
}
