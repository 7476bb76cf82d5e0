//! An open collection, as a store keeps it.

use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::marks::Marks;
use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, CollectionMeta, DocumentId, DocumentMeta, HiddenText, Page, PageOrigin,
    Result, Sha256, Timestamp,
};
use casetrack_store::parts::{PagePlace, PageRecord};
use casetrack_store::{
    Bm25Query, CatalogueEntry, ChunkSpan, CollectionStore, Conditions, Correction, Counts, DiskUsage, Encryption,
    ExportOptions, ExportReport, Filter, Hit, IndexProgress, Naming, Observer, Passages, Relocation, Selection,
    SparseVector, Stats, StoredDocument, Telling, VectorModels, VerifyReport,
};
use serde_json::Value;

use crate::collection::PostgresCollection;
use crate::rights::Right;

impl CollectionStore for PostgresCollection {
    fn meta(&self) -> &CollectionMeta {
        &self.meta
    }

    fn models(&self) -> &VectorModels {
        &self.models
    }

    fn models_are_open(&self) -> bool {
        self.models_open
    }

    fn describe(&mut self, meta: CollectionMeta) -> Result<()> {
        self.redescribe(meta)
    }

    fn leave_models_open(&mut self) -> Result<()> {
        self.open_models()
    }

    fn adopt_sparse_model(&mut self, model: &str) -> Result<()> {
        self.adopt(model)
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.with_reading(|reading| reading.columns())
    }

    fn set_columns(&self, columns: &Value) -> Result<()> {
        self.define_columns(columns)
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.with_reading(|reading| reading.evidence())
    }

    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()> {
        self.edit_evidence(change)
    }

    fn has_failed(&self) -> bool {
        // A change that failed was not made; the next one has a connection of its own.
        false
    }

    fn is_current(&self) -> Result<bool> {
        self.is_as_opened()
    }

    fn counts(&self) -> Result<Counts> {
        Ok(self.counted()?.0)
    }

    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)> {
        self.counted().map(|(counts, changed, _)| (counts, changed))
    }

    fn index_progress(&self) -> Result<Vec<IndexProgress>> {
        // Postings and vectors are stored with their document.
        Ok(["BM25", "dense", "sparse"].map(|name| IndexProgress { name, in_step: true, behind: 0 }).into())
    }

    fn disk_usage(&self) -> Result<DiskUsage> {
        self.usage()
    }

    fn stats(&self) -> Result<Stats> {
        self.measure()
    }

    fn observe(&self, observer: Observer) -> bool {
        self.set_observer(observer)
    }

    fn put_document(&self, document: &StoredDocument) -> Result<()> {
        self.put(document)
    }

    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>> {
        documents.iter().map(|document| self.put(document)).collect()
    }

    fn delete_document(&self, id: DocumentId) -> Result<bool> {
        self.delete(id)
    }

    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()> {
        self.relocate(relocations)
    }

    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        self.mark(documents, change)
    }

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
        self.with_reading(|reading| match reading.document(document)? {
            Some(_) => reading.whole(document).map(Some),
            None => Ok(None),
        })
    }

    fn passages(&self) -> Passages<'_> {
        match self.moment() {
            Ok(reading) => Passages::of(Box::new(reading)),
            Err(error) => Passages::of(Box::new(crate::reading::Unreachable(error))),
        }
    }

    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.find_keywords(&query, k, filter)
    }

    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.find_dense(vector, k, filter)
    }

    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.find_sparse(query, k, filter)
    }

    fn select(&self, conditions: &Conditions) -> Result<Selection> {
        self.select_chunks(conditions)
    }

    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)> {
        let moment = self.lately();
        selection.slots().iter().filter_map(|slot| moment.slots.resolve(slot)).collect()
    }

    fn telling(&self, question: &str) -> Result<Telling> {
        self.weigh(question)
    }

    fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
        self.correct(text)
    }

    fn namings(&self, text: &str, most: usize) -> Result<Vec<Naming>> {
        self.name(text, most)
    }

    fn flush(&self) -> Result<()> {
        if !self.may(Right::Editor)? {
            return Ok(());
        }
        self.clear_some()?;
        self.index_vectors()
    }

    fn rebuild_indexes(&self) -> Result<()> {
        self.rebuild()
    }

    fn compact(&self) -> Result<()> {
        (0..self.routes.all.len()).try_for_each(|bucket| self.merge(bucket))?;
        self.clear()
    }

    fn verify(&self) -> Result<VerifyReport> {
        self.check_all()
    }

    fn export_with(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: Option<&Encryption>,
    ) -> Result<ExportReport> {
        self.write_export(target, options, encryption)
    }
}
