//! What the engine needs of a collection and of the place where collections are, whatever keeps them.
//!
//! [`CollectionStore`] is one open collection, [`Store`] makes, finds and opens them. Those on disk are [`LocalCollection`] and
//! `Registry`. What every store has to promise is tested by casetrack-conformance, which any store runs over itself.
//!
//! A store keeps these promises:
//!
//! - **Whole documents.** A document is stored, replaced and deleted in one step. No reader and no search sees a part of one, and after a
//!   crash it is as it was before or as it is after.
//! - **Durable.** A change that has returned is there for whoever opens the collection later, and searches see it from then on.
//! - **Verbatim.** What is read is what was stored, but for vectors, which are rounded to half precision, and learned-sparse vectors,
//!   which are quantised as [`SparseVector`] says. A document that breaks an invariant of ARCHITECTURE.md is refused.
//! - **Stable.** Ids of documents and chunks are the caller's. Documents have an order, in which they were stored. One that is stored
//!   again is the last.
//! - **The same ranking.** Searches return what [`LocalCollection`] returns: the same chunks in the same order, with scores that differ by
//!   1e-5 at most. Dense search of many vectors may be approximate.
//! - **Apart.** Nothing of a collection is in an answer, an error or a count of another.

mod files;
mod local;

use std::ops::{Deref, DerefMut, Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::marks::Marks;
use casetrack_core::{
    Annotations, Block, Change, Chunk, ChunkId, CollectionId, CollectionMeta, DocumentId, DocumentMeta, Error,
    HiddenText, Page, PageOrigin, Result, Sha256, Timestamp,
};
use serde_json::Value;

pub use self::files::KeptFiles;
use crate::archive::{Archive, Encryption, ExportOptions, ExportReport, ImportTarget};
use crate::bm25::Bm25Query;
#[cfg(doc)]
use crate::collection::LocalCollection;
use crate::collection::{
    CatalogueEntry, Conditions, Correction, Counts, DiskUsage, Filter, Hit, IndexProgress, Naming, Observer, Passages,
    Selection, Telling,
};
use crate::manifest::VectorModels;
use crate::records::ChunkSpan;
use crate::records::sparse_vector::SparseVector;
use crate::seal::Output;
use crate::stats::Stats;
use crate::verify::VerifyReport;
use crate::write::{Relocation, StoredDocument};

/// An open collection, in whichever store: what its [`CollectionStore`] does, and what is made of that.
pub struct Collection(Box<dyn CollectionStore>);

/// A place where collections are.
pub trait Store: Send + Sync {
    /// The collections that can be read, oldest first, and what is wrong with the others. Opens none.
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)>;

    /// The collections that can be read, oldest first. Others are logged as warnings; see [`scan`](Self::scan).
    fn list(&self) -> Result<Vec<CollectionMeta>> {
        let (collections, problems) = self.scan()?;
        for problem in problems {
            tracing::warn!(problem = %problem.full_text().replace("\n\n", " "), "a collection cannot be read");
        }
        Ok(collections)
    }

    /// How a collection is described, without opening it.
    ///
    /// Errors: `NotFound`.
    fn meta(&self, id: CollectionId) -> Result<CollectionMeta>;

    /// The counts of a collection, and when a document was last added, changed or removed, even if it is open elsewhere.
    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)>;

    /// Makes an empty collection and opens it. A crash leaves all of it or nothing.
    ///
    /// Errors: `AlreadyExists`.
    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection>;

    /// Opens a collection.
    ///
    /// Errors: `NotFound`; `InUse` where it is open and the store lets only one open it; `NewerSchema`; `Corrupt`.
    fn open_collection(&self, id: CollectionId) -> Result<Collection>;

    /// Makes a collection of everything in an archive, under the id and name of `meta`, and opens it. Documents keep their ids and their
    /// order. An archive that is refused leaves nothing.
    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection>;

    /// Removes a collection that is not open, with everything in it.
    ///
    /// Errors: `NotFound`, `InUse`.
    fn delete(&self, id: CollectionId) -> Result<()>;

    /// A collection of these models that nobody sees until it is filled and [`publish`](Self::publish)ed: what an earlier call began, or an
    /// empty one. It outlives the process, and is found by no other method of the store.
    ///
    /// Errors: `AlreadyExists` where there is a collection with this id that is seen; `InUse` where another fills it and the store lets only
    /// one do so.
    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection>;

    /// Shows a collection that was prepared and is not open, in one step, with all that is in it.
    ///
    /// Errors: `NotFound`; `AlreadyExists`.
    fn publish(&self, id: CollectionId) -> Result<()>;

    /// Removes a collection that was prepared and is not open; `false` where there is none.
    fn discard(&self, id: CollectionId) -> Result<bool>;
}

/// An open collection. Any number of threads may read and search while one changes documents; further changes wait. Every reading method
/// sees documents whole, as of one moment. A [`Collection`] is one of any store.
pub trait CollectionStore: KeptFiles + Send + Sync {
    // ---- the collection as a whole ----

    fn meta(&self) -> &CollectionMeta;

    /// The models that made the vectors.
    fn models(&self) -> &VectorModels;

    /// Whether nobody chose the models; see [`leave_models_open`](Self::leave_models_open).
    fn models_are_open(&self) -> bool;

    /// Gives the collection another name, reference, type or state; its id stays. Durable when it returns.
    fn describe(&mut self, meta: CollectionMeta) -> Result<()>;

    /// Notes of a new collection that nobody chose its models: others may take their place as long as it is empty.
    fn leave_models_open(&mut self) -> Result<()>;

    /// Gives a collection without a learned-sparse model one, for documents that are stored from now on.
    ///
    /// Errors: `ModelMismatch` where it has another one.
    fn adopt_sparse_model(&mut self, model: &str) -> Result<()>;

    /// The columns that [`set_columns`](Self::set_columns) was given last; `None` where there are none. Exports hold them.
    fn columns(&self) -> Result<Option<Value>>;

    /// Replaces all columns of the matter sheet. What they mean is up to the caller.
    fn set_columns(&self, columns: &Value) -> Result<()>;

    /// The evidence that users collected; an empty tray where there is none. Exports hold it.
    fn evidence(&self) -> Result<EvidenceTray>;

    /// See [`Collection::change_evidence`]. `change` is called once at most.
    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()>;

    /// Whether a change could not be written. To take changes again, the collection must be closed and opened.
    fn has_failed(&self) -> bool;

    /// Whether it is described, and has the models, as when it was opened: where others changed that since, it must be opened again.
    fn is_current(&self) -> Result<bool> {
        Ok(true)
    }

    fn counts(&self) -> Result<Counts>;

    /// The counts, and when a document was last added, changed or removed; `None` where none was.
    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)>;

    /// How far what is derived from the documents has followed them.
    fn index_progress(&self) -> Result<Vec<IndexProgress>>;

    fn disk_usage(&self) -> Result<DiskUsage>;

    fn stats(&self) -> Result<Stats>;

    // ---- changing documents ----

    /// Notifies an observer of every change from now on. A collection has one at most: `false` if it has one already.
    fn observe(&self, observer: Observer) -> bool;

    /// Inserts a document, or replaces the one with the same id, in one step. Durable when it returns; searches see it from then on.
    ///
    /// Errors: `ModelMismatch` where another model made the vectors; `AlreadyExists` where the path belongs to a document with another
    /// id; `Internal` where the document breaks an invariant. Nothing is changed then.
    fn put_document(&self, document: &StoredDocument) -> Result<()>;

    /// As [`put_document`](Self::put_document) for each of these documents in order, as few steps as the store can make of them. What became
    /// of each; one that is refused changes nothing for the others.
    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>>;

    /// Deletes a document with everything that belongs to it; `false` where there is none with this id. Durable when it returns.
    fn delete_document(&self, id: DocumentId) -> Result<bool>;

    /// Gives documents new paths and names in one step; they may take each other's paths. Nothing else of them changes.
    ///
    /// Errors: `AlreadyExists` where a path belongs to a document that is not moved away, `NotFound` where one of the documents is gone.
    /// Nothing is changed then.
    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()>;

    /// See [`Collection::change_marks`].
    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64>;

    // ---- reading ----

    /// All documents, ordered by path.
    fn documents(&self) -> Result<Vec<DocumentMeta>>;

    /// All documents, in the order in which they were stored.
    fn documents_as_stored(&self) -> Result<Vec<DocumentMeta>>;

    /// All documents with the number of the version that is stored, in the order in which they were stored. No other version of any document
    /// ever has this number; while the collection is open, a new path or name makes a version too. Must be quick: it is asked at every look
    /// at what the engine derives from documents.
    fn versions(&self) -> Vec<(DocumentId, u64)>;

    /// What filters ask of each document, ordered by path. Must be quick: it is asked at every search.
    fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>>;

    fn document(&self, id: DocumentId) -> Result<Option<DocumentMeta>>;

    /// The document that was ingested from this path, compared byte by byte.
    fn document_by_path(&self, path: &str) -> Result<Option<DocumentMeta>>;

    /// The documents whose files have this digest, ordered by id.
    fn documents_by_sha256(&self, sha256: Sha256) -> Result<Vec<DocumentId>>;

    fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>>;

    /// A part of a page's text, in bytes that begin and end a character. `None` where the page does not exist or is shorter.
    fn page_text(&self, document: DocumentId, number: u32, bytes: Range<u32>) -> Result<Option<String>>;

    /// The blocks of a page that is there.
    fn page_blocks(&self, document: DocumentId, page: u32) -> Result<Vec<Block>>;

    /// How the text of a page that is there was obtained, and what is printed on it.
    fn page_origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin>;

    /// The Bates numbers on the pages of a document, by page, as far as they were found.
    fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>>;

    /// The tracked changes of a page that is there, by place.
    fn page_changes(&self, document: DocumentId, page: u32) -> Result<Vec<Change>>;

    /// What of a page that is there the file does not show, by place.
    fn page_hidden(&self, document: DocumentId, page: u32) -> Result<Vec<HiddenText>>;

    fn chunk(&self, id: ChunkId) -> Result<Option<(DocumentId, Chunk)>>;

    fn chunk_at(&self, document: DocumentId, index: u32) -> Result<Option<Chunk>>;

    /// The chunks of a document with these indexes, in order, as far as they exist.
    fn chunk_range(&self, document: DocumentId, range: Range<u32>) -> Result<Vec<Chunk>>;

    /// Where the chunks of a document are, in order. Reads no text.
    fn chunk_spans(&self, document: DocumentId) -> Result<Vec<ChunkSpan>>;

    /// The indexes of the chunks on some pages (from 1) of a document; empty where there are none.
    fn chunks_on_pages(&self, document: DocumentId, pages: RangeInclusive<u32>) -> Result<Range<u32>>;

    /// The vector of one chunk, as it was stored: rounded to half precision.
    fn vector_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<f32>>>;

    /// The vector of each chunk of a document, in order, as it was stored: rounded to half precision.
    fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>>;

    /// The learned-sparse vector of each chunk of a document that has one, in order, as it was stored: quantised.
    fn sparse_vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, SparseVector)>>;

    /// Whether the chunks of a document have learned-sparse vectors.
    fn has_sparse_vectors(&self, document: DocumentId) -> Result<bool>;

    /// The signs of the token vectors of one chunk, as they were stored; `None` where it has none.
    fn token_vectors_at(&self, document: DocumentId, index: u32) -> Result<Option<Vec<u8>>>;

    /// What analysis found in a document; `None` where there is no such document, or it was stored without analysis.
    fn annotations(&self, document: DocumentId) -> Result<Option<Annotations>>;

    /// Everything that is stored of a document, as of one moment, which can be stored again in a collection of the same models; `None` where
    /// there is no such document. All of it is held in memory.
    ///
    /// Errors: `Corrupt` where a part is missing or cannot be read.
    fn whole(&self, document: DocumentId) -> Result<Option<StoredDocument>>;

    /// A reader of passages as of now.
    fn passages(&self) -> Passages<'_>;

    // ---- searching ----

    /// See [`Collection::search_bm25`].
    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    /// The best `k` chunks by cosine similarity to a vector of length 1, best first, equal scores by age of the chunk. Exact in
    /// small collections and under narrow filters, else it may be approximate.
    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    /// The best `k` chunks by learned-sparse similarity, the sum of query weight times stored weight over the terms that both
    /// have, best first, equal scores by age of the chunk. Exact. Chunks without a learned-sparse vector are not found.
    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>>;

    /// The chunks that fulfil conditions.
    fn select(&self, conditions: &Conditions) -> Result<Selection>;

    /// The document and index of each selected chunk that is still there, in the order in which they were stored.
    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)>;

    /// Weighs the words of a question by how rare they are among the chunks.
    fn telling(&self, question: &str) -> Result<Telling>;

    /// What was probably meant by the words of a text that no chunk has, or two where many have a similar one.
    fn corrections(&self, text: &str) -> Result<Vec<Correction>>;

    /// Words of a text that at most `most` documents are called by: names in file names and titles, and what covers say of parties.
    fn namings(&self, text: &str, most: usize) -> Result<Vec<Naming>>;

    // ---- what the caller derived ----

    /// What the caller derived from the documents and kept under a name, to spare itself the work. A store may lose it, and need not keep any.
    fn memo(&self, _name: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Keeps something under a name, in the place of what had it.
    fn keep_memo(&self, _name: &str, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    // ---- upkeep ----

    /// Does what makes the next opening quick, where the store leaves anything for later.
    fn flush(&self) -> Result<()>;

    /// Makes all that is derived from the documents again.
    fn rebuild_indexes(&self) -> Result<()>;

    /// Gives back the space of what was deleted or replaced. Searches go on meanwhile.
    fn compact(&self) -> Result<()>;

    /// Checks every invariant on what is stored. Problems are in the report; an error means that checking was not possible.
    fn verify(&self) -> Result<VerifyReport>;

    /// Writes the collection as of this moment into one file, which appears whole or not at all, encrypted if `encryption` is given.
    ///
    /// Errors: `AlreadyExists` where the file exists; `Corrupt` where a document is damaged.
    fn export_with(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: Option<&Encryption>,
    ) -> Result<ExportReport>;
}

impl<S: CollectionStore + ?Sized> ImportTarget for S {
    fn put_document(&self, document: &StoredDocument) -> Result<()> {
        CollectionStore::put_document(self, document)
    }

    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf {
        KeptFiles::new_original_path(self, meta)
    }

    fn create_kept(&self, path: &Path) -> Result<Output> {
        KeptFiles::create_kept(self, path, path)
    }

    fn set_columns(&self, columns: &Value) -> Result<()> {
        CollectionStore::set_columns(self, columns)
    }

    fn set_evidence(&self, evidence: &EvidenceTray) -> Result<()> {
        self.update_evidence(&mut |tray| {
            *tray = evidence.clone();
            Ok(())
        })
    }

    fn counts(&self) -> Result<Counts> {
        CollectionStore::counts(self)
    }

    fn flush(&self) -> Result<()> {
        CollectionStore::flush(self)
    }
}

impl<S: CollectionStore + 'static> From<S> for Collection {
    fn from(store: S) -> Self {
        Self(Box::new(store))
    }
}

impl Deref for Collection {
    type Target = dyn CollectionStore;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Collection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl Collection {
    /// The best `k` chunks by BM25, best first, equal scores by age of the chunk. Sees every change that has returned.
    pub fn search_bm25(&self, query: impl Into<Bm25Query>, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.search_keywords(query.into(), k, filter)
    }

    /// All chunks of a document, in order.
    pub fn chunks(&self, document: DocumentId) -> Result<Vec<Chunk>> {
        self.chunk_range(document, 0..u32::MAX)
    }

    /// Changes the marks of documents in one step, in which nobody else changes them: `change` is given those of each document that is
    /// there. Where it fails, nothing is changed. How many documents have other marks now. Durable when it returns.
    pub fn change_marks(
        &self,
        documents: &[DocumentId],
        change: impl Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        self.update_marks(documents, &change)
    }

    /// Changes the evidence in one step, in which nobody else changes it. Where `change` fails, nothing is changed. Durable when it returns.
    pub fn change_evidence<T>(&self, change: impl FnOnce(&mut EvidenceTray) -> Result<T>) -> Result<T> {
        let (mut change, mut changed) = (Some(change), None);
        self.update_evidence(&mut |tray| {
            let change = change.take().ok_or_else(|| Error::internal("The evidence was changed twice."))?;
            changed = Some(change(tray)?);
            Ok(())
        })?;
        changed.ok_or_else(|| Error::internal("The evidence was not changed."))
    }

    /// Writes the collection as of this moment into one file, which appears whole or not at all. Changes go on meanwhile and are not in it.
    pub fn export(&self, target: &Path, options: &ExportOptions) -> Result<ExportReport> {
        self.export_with(target, options, None)
    }

    /// As [`export`](Self::export), encrypted on the way: nothing plain is written.
    pub fn export_encrypted(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: &Encryption,
    ) -> Result<ExportReport> {
        self.export_with(target, options, Some(encryption))
    }
}
