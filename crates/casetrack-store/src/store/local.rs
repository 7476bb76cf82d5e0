//! A collection on disk, as a store keeps it. Each method is the one of the same name, or of the name that the trait's documentation refers to.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::marks::Marks;
use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, CollectionMeta, DocumentId, DocumentMeta, HiddenText, Page, PageOrigin,
    Result, Sha256, Timestamp,
};
use serde_json::Value;

use super::{CollectionStore, KeptFiles};
use crate::archive::{Encryption, ExportOptions, ExportReport};
use crate::bm25::Bm25Query;
use crate::collection::{
    CatalogueEntry, Conditions, Correction, Counts, DiskUsage, Filter, Hit, IndexProgress, LocalCollection, Naming,
    Observer, Passages, Selection, Telling,
};
use crate::manifest::VectorModels;
use crate::records::ChunkSpan;
use crate::records::sparse_vector::SparseVector;
use crate::seal::Output;
use crate::stats::Stats;
use crate::verify::VerifyReport;
use crate::write::{Relocation, StoredDocument};

impl KeptFiles for LocalCollection {
    fn is_vault(&self) -> bool {
        LocalCollection::is_vault(self)
    }

    fn originals_dir(&self) -> PathBuf {
        LocalCollection::originals_dir(self)
    }

    fn uploads_dir(&self) -> PathBuf {
        LocalCollection::uploads_dir(self)
    }

    fn original_path(&self, meta: &DocumentMeta) -> PathBuf {
        LocalCollection::original_path(self, meta)
    }

    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf {
        LocalCollection::new_original_path(self, meta)
    }

    fn kept_copy(&self, meta: &DocumentMeta) -> Option<PathBuf> {
        LocalCollection::kept_copy(self, meta)
    }

    fn sealed_upload(&self, path: &Path) -> Option<PathBuf> {
        LocalCollection::sealed_upload(self, path)
    }

    fn read_kept(&self, path: &Path) -> Result<Vec<u8>> {
        LocalCollection::read_kept(self, path)
    }

    fn kept_bytes(&self, path: &Path) -> Result<u64> {
        LocalCollection::kept_bytes(self, path)
    }

    fn write_kept(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        LocalCollection::write_kept(self, path, bytes)
    }

    fn create_kept(&self, partial: &Path, place: &Path) -> Result<Output> {
        LocalCollection::create_kept(self, partial, place)
    }
}

impl CollectionStore for LocalCollection {
    fn meta(&self) -> &CollectionMeta {
        LocalCollection::meta(self)
    }

    fn models(&self) -> &VectorModels {
        LocalCollection::models(self)
    }

    fn models_are_open(&self) -> bool {
        LocalCollection::models_are_open(self)
    }

    fn describe(&mut self, meta: CollectionMeta) -> Result<()> {
        LocalCollection::describe(self, meta)
    }

    fn leave_models_open(&mut self) -> Result<()> {
        LocalCollection::leave_models_open(self)
    }

    fn adopt_sparse_model(&mut self, model: &str) -> Result<()> {
        LocalCollection::adopt_sparse_model(self, model)
    }

    fn columns(&self) -> Result<Option<Value>> {
        LocalCollection::columns(self)
    }

    fn set_columns(&self, columns: &Value) -> Result<()> {
        LocalCollection::set_columns(self, columns)
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        LocalCollection::evidence(self)
    }

    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()> {
        LocalCollection::change_evidence(self, change)
    }

    fn has_failed(&self) -> bool {
        LocalCollection::has_failed(self)
    }

    fn counts(&self) -> Result<Counts> {
        LocalCollection::counts(self)
    }

    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)> {
        LocalCollection::counts_and_last_change(self)
    }

    fn index_progress(&self) -> Result<Vec<IndexProgress>> {
        LocalCollection::index_progress(self)
    }

    fn disk_usage(&self) -> Result<DiskUsage> {
        LocalCollection::disk_usage(self)
    }

    fn stats(&self) -> Result<Stats> {
        LocalCollection::stats(self)
    }

    fn observe(&self, observer: Observer) -> bool {
        LocalCollection::observe(self, observer)
    }

    fn put_document(&self, document: &StoredDocument) -> Result<()> {
        LocalCollection::put_document(self, document)
    }

    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>> {
        LocalCollection::put_documents(self, documents)
    }

    fn delete_document(&self, id: DocumentId) -> Result<bool> {
        LocalCollection::delete_document(self, id)
    }

    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()> {
        LocalCollection::relocate_documents(self, relocations)
    }

    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        LocalCollection::change_marks(self, documents, change)
    }

    fn documents(&self) -> Result<Vec<DocumentMeta>> {
        LocalCollection::documents(self)
    }

    fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>> {
        LocalCollection::documents_as_stored(self)
    }

    fn versions(&self) -> Vec<(DocumentId, u64)> {
        LocalCollection::versions(self)
    }

    fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>> {
        LocalCollection::catalogue(self)
    }

    fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>> {
        LocalCollection::document(self, id)
    }

    fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>> {
        LocalCollection::document_by_path(self, path)
    }

    fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>> {
        LocalCollection::documents_by_sha256(self, sha256)
    }

    fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        LocalCollection::page(self, document, number)
    }

    fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>> {
        LocalCollection::page_text(self, document, number, bytes)
    }

    fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>> {
        LocalCollection::page_blocks(self, document, page)
    }

    fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        LocalCollection::page_origin(self, document, page)
    }

    fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        LocalCollection::bates(self, document)
    }

    fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>> {
        LocalCollection::page_changes(self, document, page)
    }

    fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>> {
        LocalCollection::page_hidden(self, document, page)
    }

    fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>> {
        LocalCollection::chunk(self, id)
    }

    fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>> {
        LocalCollection::chunk_at(self, document, index)
    }

    fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>> {
        LocalCollection::chunk_range(self, document, range)
    }

    fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>> {
        LocalCollection::chunk_spans(self, document)
    }

    fn chunks_on_pages(&self, document: DocumentId, pages: RangeInclusive<u32>) -> Result<Range<u32>> {
        LocalCollection::chunks_on_pages(self, document, pages)
    }

    fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>> {
        LocalCollection::vector_at(self, document, index)
    }

    fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        LocalCollection::vectors(self, document)
    }

    fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>> {
        LocalCollection::sparse_vectors(self, document)
    }

    fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool> {
        LocalCollection::has_sparse_vectors(self, document)
    }

    fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>> {
        LocalCollection::token_vectors_at(self, document, index)
    }

    fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>> {
        LocalCollection::annotations(self, document)
    }

    fn whole(&self, document: DocumentId) -> Result<Option<StoredDocument>> {
        LocalCollection::whole(self, document)
    }

    fn passages(&self) -> Passages<'_> {
        LocalCollection::passages(self)
    }

    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        LocalCollection::search_bm25(self, query, k, filter)
    }

    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        LocalCollection::search_dense(self, vector, k, filter)
    }

    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        LocalCollection::search_sparse(self, query, k, filter)
    }

    fn select(&self, conditions: &Conditions) -> Result<Selection> {
        LocalCollection::select(self, conditions)
    }

    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)> {
        LocalCollection::places(self, selection)
    }

    fn telling(&self, question: &str) -> Result<Telling> {
        LocalCollection::telling(self, question)
    }

    fn corrections(&self, text: &str) -> Result<Vec<Correction>> {
        LocalCollection::corrections(self, text)
    }

    fn namings(&self, text: &str, most: usize) -> Result<Vec<Naming>> {
        LocalCollection::namings(self, text, most)
    }

    fn memo(&self, name: &str) -> Result<Option<Vec<u8>>> {
        LocalCollection::memo(self, name)
    }

    fn keep_memo(&self, name: &str, bytes: &[u8]) -> Result<()> {
        LocalCollection::keep_memo(self, name, bytes)
    }

    fn flush(&self) -> Result<()> {
        LocalCollection::flush(self)
    }

    fn rebuild_indexes(&self) -> Result<()> {
        LocalCollection::rebuild_indexes(self)
    }

    fn compact(&self) -> Result<()> {
        LocalCollection::compact(self)
    }

    fn verify(&self) -> Result<VerifyReport> {
        LocalCollection::verify(self)
    }

    fn export_with(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: Option<&Encryption>,
    ) -> Result<ExportReport> {
        LocalCollection::export_with(self, target, options, encryption)
    }
}
