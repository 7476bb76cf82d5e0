//! One collection: documents in RocksDB, the indexes derived from it, and the order in which they change.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use casetrack_core::{
    Chunk, ChunkId, CollectionMeta, DocumentId, DocumentMeta, Error, ErrorCode, ErrorKind, ExtractionMethod, Page,
    Result, Sha256,
};
use rocksdb::WriteBatch;

use crate::bm25::{Bm25Index, Bm25Query};
use crate::codec::encode;
use crate::dense::DenseIndex;
use crate::derived::{DerivedIndex, Handle};
use crate::error::corrupt;
use crate::fs;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::records::{Identity, Op, State};
use crate::schema::{SCHEMA_VERSION, STATE_KEY, cf, sequence_key};
use crate::slots::SlotMap;
use crate::truth::Truth;
use crate::verify::{self, VerifyReport};
use crate::write::{self, Change, StoredDocument};

/// Number of things in a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
}

impl From<State> for Counts {
    fn from(State { documents, pages, chunks, .. }: State) -> Self {
        Self { documents, pages, chunks }
    }
}

/// Bytes on disk by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUsage {
    /// RocksDB: documents, pages, chunks and vectors.
    pub truth: u64,
    /// The nearest-neighbour index.
    pub dense: u64,
    /// The keyword index.
    pub bm25: u64,
    /// Copies of source files.
    pub originals: u64,
}

/// What a search is restricted to. Applied while candidates are collected: up to `k` of the chunks that pass are found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// These documents only; `None` for all.
    pub documents: Option<Vec<DocumentId>>,
}

/// A chunk that a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub document: DocumentId,
    /// Index of the chunk in the document.
    pub index: u32,
    /// Higher is better; comparable within one result only.
    pub score: f32,
}

/// An open collection. One process owns it at a time; within it, any number of threads may read and search while one changes
/// documents (further changes wait). Every reading method sees documents whole, as of one moment.
///
/// **Durability.** When [`put_document`](Self::put_document) or [`delete_document`](Self::delete_document) returns, the change
/// is on disk (RocksDB's write-ahead log is synced); a crash before leaves the document as it was. The derived indexes follow
/// at once in memory and are saved now and then and by [`flush`](Self::flush); after a crash they catch up from the operation
/// log when the collection is opened. Dropping a collection flushes it.
pub struct Collection {
    dir: PathBuf,
    manifest: Manifest,
    identity: Identity,
    truth: Truth,
    slots: RwLock<SlotMap>,
    bm25: Handle<Bm25Index>,
    dense: Handle<DenseIndex>,
    /// Held during a change, of documents or of an index as a whole.
    writer: Mutex<State>,
    /// Released last.
    _owner: OwnerLock,
}

impl Collection {
    /// Makes an empty collection in `dir`, which must not exist. It is built beside `dir` and renamed, so that a crash leaves
    /// nothing half made there.
    pub fn create(dir: &Path, meta: &CollectionMeta, models: &VectorModels) -> Result<Self> {
        if models.dense_dimension == 0 {
            return Err(Error::internal("A collection needs a model with at least one dimension."));
        }
        if dir.exists() {
            return Err(Error::new(ErrorCode::AlreadyExists, format!("{} exists already.", dir.display()))
                .with_hint("Choose another place for the new collection."));
        }
        let staging = staging_path(dir)?;
        fs::remove_dir(&staging)?;
        fs::create_dir(&staging)?;
        let identity = Identity {
            collection: meta.id,
            dense_model: models.dense.clone(),
            dense_dimension: models.dense_dimension,
        };
        drop(Truth::create(&staging.join(ROCKSDB), &identity)?);
        fs::create_dir(&staging.join(ORIGINALS))?;
        let manifest = Manifest { schema_version: SCHEMA_VERSION, collection: meta.clone(), models: models.clone() };
        manifest.write(&staging)?;
        fs::rename_durably(&staging, dir)?;
        Self::open(dir)
    }

    /// Opens a collection as its owner and brings the derived indexes up to date. Usually milliseconds; after a crash, or when
    /// an index was lost, as long as it takes to index what is missing (about a thousand chunks a second).
    ///
    /// Errors: [`ErrorCode::NotFound`], [`ErrorCode::InUse`] while another owner has it open, [`ErrorCode::NewerSchema`],
    /// [`ErrorCode::Corrupt`] where RocksDB is missing or damaged.
    pub fn open(dir: &Path) -> Result<Self> {
        let manifest = Manifest::read(dir)?;
        let owner = OwnerLock::acquire(dir)?;
        let truth = tracing::debug_span!("rocksdb").in_scope(|| Truth::open(&dir.join(ROCKSDB)))?;
        let identity = truth.identity()?;
        let VectorModels { dense, dense_dimension } = &manifest.models;
        if (identity.collection, &identity.dense_model, &identity.dense_dimension)
            != (manifest.collection.id, dense, dense_dimension)
        {
            return Err(corrupt(format!(
                "collection.json and the documents in {} do not belong together.",
                dir.display()
            )));
        }
        let state = truth.state()?;
        let slots = tracing::debug_span!("slots").in_scope(|| SlotMap::load(&truth.reader()))?;
        let bm25 = Handle::open(dir.join(BM25), &identity)?;
        let dense = Handle::open(dir.join(DENSE), &identity)?;
        let reader = truth.reader();
        Bm25Index::catch_up(&bm25.get(), &state, &slots, &reader)?;
        DenseIndex::catch_up(&dense.get(), &state, &slots, &reader)?;
        drop(reader);
        let (slots, writer) = (RwLock::new(slots), Mutex::new(state));
        Ok(Self { dir: dir.to_owned(), manifest, identity, truth, slots, bm25, dense, writer, _owner: owner })
    }

    /// Whether a change could not be written, for one because the disk is full. It takes no further changes then, and must be
    /// closed and opened anew.
    pub fn has_failed(&self) -> bool {
        self.truth.has_failed()
    }

    pub fn meta(&self) -> &CollectionMeta {
        &self.manifest.collection
    }

    pub fn models(&self) -> &VectorModels {
        &self.manifest.models
    }

    pub fn counts(&self) -> Result<Counts> {
        self.truth.state().map(Counts::from)
    }

    pub fn disk_usage(&self) -> Result<DiskUsage> {
        let bytes = |name: &str| fs::dir_bytes(&self.dir.join(name));
        Ok(DiskUsage { truth: bytes(ROCKSDB)?, dense: bytes(DENSE)?, bm25: bytes(BM25)?, originals: bytes(ORIGINALS)? })
    }

    /// Where copies of source files are kept. What lies there is the caller's business.
    pub fn originals_dir(&self) -> PathBuf {
        self.dir.join(ORIGINALS)
    }

    // ---- changes ----

    /// Inserts a document, or replaces the one with the same id, in one step: readers see the old one or the new one. Durable
    /// when it returns; searches see it from then on.
    ///
    /// Errors: [`ErrorCode::ModelMismatch`] where another model made the vectors; [`ErrorCode::AlreadyExists`] where the path
    /// belongs to a document with another id; [`ErrorCode::Internal`] where the document breaks an invariant. The whole
    /// document is held in memory twice meanwhile.
    pub fn put_document(&self, document: &StoredDocument) -> Result<()> {
        let VectorModels { dense, dense_dimension } = self.models();
        if document.dense_model != *dense {
            let message = format!(
                "The vectors of {} were made by {}, but this collection holds vectors of {dense}.",
                document.meta.path, document.dense_model
            );
            return Err(Error::new(ErrorCode::ModelMismatch, message)
                .with_hint("Use the collection's model, or make a new collection for the other one."));
        }
        tracing::debug_span!("check").in_scope(|| write::check(document, *dense_dimension))?;
        let mut state = self.writer();
        let change = tracing::debug_span!("encode").in_scope(|| write::put(&self.truth.reader(), document, &state))?;
        self.commit(&mut state, change)
    }

    /// Deletes a document with everything that belongs to it; `false` where there is none with this id. Durable when it returns.
    pub fn delete_document(&self, id: DocumentId) -> Result<bool> {
        let mut state = self.writer();
        match write::delete(&self.truth.reader(), id, &state)? {
            Some(change) => self.commit(&mut state, change).map(|()| true),
            None => Ok(false),
        }
    }

    fn commit(&self, state: &mut State, change: Change) -> Result<()> {
        tracing::debug_span!("write").in_scope(|| self.truth.write_durably(change.batch))?;
        *state = change.state;
        self.slots.write().unwrap_or_else(PoisonError::into_inner).apply(&change.op);
        self.follow(&self.bm25, state, &change.op);
        self.follow(&self.dense, state, &change.op);
        Ok(())
    }

    /// Applies a committed change to an index. A failure is not the document's: the index is marked and opened anew at the next
    /// use, which reports what still stands in the way.
    fn follow<I: DerivedIndex>(&self, handle: &Handle<I>, state: &mut State, op: &Op) {
        if handle.has_failed() {
            return;
        }
        if let Err(error) = self.try_follow(handle, state, op) {
            tracing::error!(index = I::NAME, %error, "an index could not follow a change; it is opened anew at the next use");
            handle.set_failed();
        }
    }

    fn try_follow<I: DerivedIndex>(&self, handle: &Handle<I>, state: &mut State, op: &Op) -> Result<()> {
        let _span = tracing::debug_span!("follow", index = I::NAME).entered();
        let index = handle.get();
        index.apply(state.last_seq, op, &self.slots(), &self.truth.reader())?;
        if index.wants_commit() {
            tracing::debug_span!("save", index = I::NAME).in_scope(|| index.commit())?;
            self.trim_log(state)?;
        }
        Ok(())
    }

    /// Forgets log entries that both indexes have on disk.
    fn trim_log(&self, state: &mut State) -> Result<()> {
        let durable = self.bm25.get().durable().min(self.dense.get().durable());
        if durable <= state.trimmed_seq {
            return Ok(());
        }
        let trimmed = State { trimmed_seq: durable, ..*state };
        let mut batch = WriteBatch::default();
        let (from, to) = (sequence_key(state.trimmed_seq + 1), sequence_key(durable + 1));
        batch.delete_range_cf(self.truth.cf(cf::OPLOG)?, from, to);
        batch.put_cf(self.truth.cf(cf::META)?, STATE_KEY, encode(&trimmed)?);
        self.truth.write_lazily(batch)?;
        *state = trimmed;
        Ok(())
    }

    /// Saves the derived indexes and reclaims what deletions left in them, so that the next open has little to catch up.
    pub fn flush(&self) -> Result<()> {
        let mut state = self.writer();
        self.settle(&self.bm25, &state)?;
        self.settle(&self.dense, &state)?;
        self.trim_log(&mut state)?;
        self.truth.settle()
    }

    fn settle<I: DerivedIndex>(&self, handle: &Handle<I>, state: &State) -> Result<()> {
        self.recover(handle, state)?;
        let index = handle.get();
        let settled = index.commit().and_then(|()| index.compact(state, &self.slots(), &self.truth.reader()));
        settled.inspect_err(|_| handle.set_failed())
    }

    /// Builds both derived indexes anew from the stored documents; about a thousand chunks a second.
    pub fn rebuild_indexes(&self) -> Result<()> {
        let mut state = self.writer();
        self.rebuild(&self.bm25, &state)?;
        self.rebuild(&self.dense, &state)?;
        self.trim_log(&mut state)
    }

    fn rebuild<I: DerivedIndex>(&self, handle: &Handle<I>, state: &State) -> Result<()> {
        self.recover(handle, state)?;
        let rebuilt = handle.get().rebuild(state, &self.slots(), &self.truth.reader());
        rebuilt.inspect_err(|_| handle.set_failed())
    }

    /// Opens an index that failed anew and brings it up to date.
    fn recover<I: DerivedIndex>(&self, handle: &Handle<I>, state: &State) -> Result<()> {
        if !handle.has_failed() {
            return Ok(());
        }
        handle.reopen(&self.identity)?;
        let caught_up = handle.get().catch_up(state, &self.slots(), &self.truth.reader());
        caught_up.inspect_err(|_| handle.set_failed())
    }

    /// Asks an index that has followed every change. When it fails, for one because its files were taken away, it is opened
    /// anew and asked once more.
    fn ask<I: DerivedIndex, T>(&self, handle: &Handle<I>, question: impl Fn(&I) -> Result<T>) -> Result<T> {
        let current = || {
            if handle.has_failed() {
                self.recover(handle, &self.writer())?;
            }
            Ok::<_, Error>(handle.get())
        };
        match question(current()?.as_ref()) {
            Err(error) if matches!(error.kind(), ErrorKind::Corruption | ErrorKind::Environment) => {
                tracing::warn!(index = I::NAME, %error, "a search failed; the index is opened anew");
                handle.set_failed();
                question(current()?.as_ref())
            }
            answer => answer,
        }
    }

    fn writer(&self) -> MutexGuard<'_, State> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> RwLockReadGuard<'_, SlotMap> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- reading ----

    /// All documents, ordered by path.
    pub fn documents(&self) -> Result<Vec<DocumentMeta>> {
        self.truth.reader().documents()
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

    /// How the text of a page was obtained, and the mean OCR confidence. Reads neither text nor layout.
    pub fn page_method(&self, document: DocumentId, page: u32) -> Result<(ExtractionMethod, Option<f32>)> {
        self.truth.reader().page_method(document, page)
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

    /// The vector of each chunk of a document, in order, as it was stored: rounded to half precision.
    pub fn vectors(&self, document: DocumentId) -> Result<Vec<(ChunkId, Vec<f32>)>> {
        let reader = self.truth.reader();
        let mut vectors = Vec::new();
        reader.for_each_vector(document, self.models().dense_dimension as usize, |index, vector| {
            let record = reader.chunk_record(document, index)?;
            let record = record.ok_or_else(|| corrupt(format!("Chunk {index} of document {document} is missing.")))?;
            vectors.push((record.id, vector.iter().map(|x| x.to_f32()).collect()));
            Ok(())
        })?;
        Ok(vectors)
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
        let selected = filter.documents.as_ref().map(|documents| self.slots().select(documents));
        let found = self.ask(&self.bm25, |index| index.search(&query, k, selected.as_ref()))?;
        Ok(self.hits(found))
    }

    /// The best `k` chunks by cosine similarity to a vector of length 1, best first, equal scores by age of the chunk. Exact in
    /// small collections and under narrow filters, else approximate (HNSW).
    pub fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let selected = filter.documents.as_ref().map(|documents| self.slots().select(documents));
        let found = self.ask(&self.dense, |index| index.search(vector, k, selected.as_ref()))?;
        Ok(self.hits(found))
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

    // ---- checking ----

    /// Checks every invariant on disk. Reads everything, so it takes time in proportion; changes wait meanwhile, searches do
    /// not. Problems are in the report; an error means that checking itself was not possible.
    pub fn verify(&self) -> Result<VerifyReport> {
        let state = self.writer();
        let (bm25, dense) = (self.current_for(&self.bm25, &state)?, self.current_for(&self.dense, &state)?);
        let reader = self.truth.reader();
        let mut report = verify::documents(&reader, self.models().dense_dimension)?;
        let slots = self.slots();
        report.checks.push(verify::index(bm25.as_ref(), &state, &slots, &reader)?);
        report.checks.push(verify::index(dense.as_ref(), &state, &slots, &reader)?);
        Ok(report)
    }

    fn current_for<I: DerivedIndex>(&self, handle: &Handle<I>, state: &State) -> Result<Arc<I>> {
        self.recover(handle, state)?;
        Ok(handle.get())
    }
}

impl Drop for Collection {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::warn!(dir = %self.dir.display(), %error, "the indexes were not saved; they catch up at the next open");
        }
    }
}

const ROCKSDB: &str = "rocksdb";
const DENSE: &str = "dense";
const BM25: &str = "bm25";
const ORIGINALS: &str = "originals";

/// Where the RocksDB of the collection in `dir` is.
pub(crate) fn truth_dir(dir: &Path) -> PathBuf {
    dir.join(ROCKSDB)
}

/// Where a collection is built before it gets its place.
fn staging_path(dir: &Path) -> Result<PathBuf> {
    let name =
        dir.file_name().ok_or_else(|| Error::invalid(format!("{} is no place for a collection.", dir.display())))?;
    let mut staging = std::ffi::OsString::from(STAGING_PREFIX);
    staging.push(name);
    Ok(dir.with_file_name(staging))
}

/// Names of directories under construction begin so.
pub(crate) const STAGING_PREFIX: &str = ".new-";
