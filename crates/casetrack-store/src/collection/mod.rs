//! One collection: documents in RocksDB, the indexes derived from it, and the order in which they change.

mod catalogue;
mod changing;
mod columns;
mod correcting;
mod evidence;
mod memo;
mod naming;
mod passages;
mod reading;
mod relocated;
mod selecting;
mod telling;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use casetrack_core::{CollectionMeta, DocumentId, Error, ErrorCode, Result, Timestamp};
use casetrack_vault::header::Header;
use casetrack_vault::key::VaultKey;

use crate::complete;
use crate::derived::Origin;
use crate::error::{corrupt, repair_hint};
use crate::fs;
use crate::indexes::{Indexes, Kept};
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::migrate;
use crate::originals;
use crate::records::{Identity, State};
use crate::schema::SCHEMA_VERSION;
use crate::seal::Seal;
use crate::seen::{Seen, SeenFile};
use crate::slots::SlotMap;
use crate::truth::{Truth, truth_dir};
use crate::vault;
use crate::verify::{self, VerifyReport};

pub use catalogue::CatalogueEntry;
pub use changing::{DocumentChange, Observer};
pub(crate) use columns::COLUMNS;
pub use correcting::Correction;
pub(crate) use correcting::{KnownWords, corrections};
pub use naming::Naming;
pub(crate) use naming::namings;
pub use passages::{DescribedDocument, PageFacts, Passage, PassageSource, Passages, VisitChunk};
pub use selecting::{Conditions, PagePlace, PageTest, Selection};
pub use telling::{Telling, TellingReader};

/// Number of things in a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    /// Chunks that have a learned-sparse vector; the others are not found by [`LocalCollection::search_sparse`].
    pub sparse_chunks: u64,
    /// Documents that have annotations; the others were stored without analysis.
    pub annotated_documents: u64,
    /// Chunks that have token vectors.
    pub token_chunks: u64,
}

impl From<State> for Counts {
    fn from(State { documents, pages, chunks, sparse_chunks, annotated_documents, token_chunks, .. }: State) -> Self {
        Self { documents, pages, chunks, sparse_chunks, annotated_documents, token_chunks }
    }
}

/// How far a derived index has followed the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    pub name: &'static str,
    /// Whether it has followed every change and can be asked.
    pub in_step: bool,
    /// Changes that it has still to follow.
    pub behind: u64,
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
    /// The learned-sparse index.
    pub sparse: u64,
    /// Copies of source files.
    pub originals: u64,
}

/// What a search is restricted to. Applied while candidates are collected: up to `k` of the chunks that pass are found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// These documents only; `None` for all.
    pub documents: Option<Vec<DocumentId>>,
    /// These chunks only; `None` for all.
    pub selection: Option<Arc<Selection>>,
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
/// **Durability.** When [`put_document`](Self::put_document), [`put_documents`](Self::put_documents) or [`delete_document`](Self::delete_document) returns, the change
/// is on disk (RocksDB's write-ahead log is synced); a crash before leaves the document as it was. The derived indexes follow
/// at once in memory and are saved now and then and by [`flush`](Self::flush); after a crash they catch up from the operation
/// log when the collection is opened. Dropping a collection flushes it.
pub struct LocalCollection {
    dir: PathBuf,
    manifest: Manifest,
    identity: Identity,
    truth: Truth,
    slots: RwLock<SlotMap>,
    indexes: Indexes,
    catalogue: catalogue::Catalogue,
    page_places: selecting::PagePlaces,
    relocated: relocated::Relocated,
    /// Notified of every change of a document.
    observer: OnceLock<Observer>,
    /// Held during a change, of documents or of an index as a whole.
    writer: Mutex<State>,
    /// Where what was seen of a vault is written down, if anywhere.
    seen: OnceLock<SeenFile>,
    /// Released last.
    _owner: OwnerLock,
}

impl LocalCollection {
    /// Makes an empty collection in `dir`, which must not exist. It is built beside `dir` and renamed, so that a crash leaves
    /// nothing half made there.
    pub fn create(dir: &Path, meta: &CollectionMeta, models: &VectorModels) -> Result<Self> {
        if models.dense_dimension == 0 {
            return Err(Error::internal("A collection needs a model with at least one dimension."));
        }
        let staging = Self::stage(dir, meta, models, &Seal::default())?;
        fs::rename_durably(&staging, dir)?;
        Self::open(dir)
    }

    /// As [`create`](Self::create), but everything the store writes below `dir` is sealed with `key`, which `header` holds. Copies of source
    /// files, and what else the caller puts there, are the caller's to seal.
    pub fn create_vault(
        dir: &Path,
        meta: &CollectionMeta,
        models: &VectorModels,
        key: &VaultKey,
        header: &Header,
    ) -> Result<Self> {
        if models.dense_dimension == 0 || [key.collection(), header.collection()] != [meta.id; 2] {
            return Err(Error::internal("A vault needs a model, and a key and a header of its own."));
        }
        let seal = Seal::with(key)?;
        let staging = Self::stage(dir, meta, models, &seal)?;
        vault::write(&staging, header)?;
        fs::rename_durably(&staging, dir)?;
        Self::open_with(dir, true, &seal)
    }

    /// Builds an empty collection beside `dir`, where it has still to be renamed to.
    pub(crate) fn stage(dir: &Path, meta: &CollectionMeta, models: &VectorModels, seal: &Seal) -> Result<PathBuf> {
        if dir.exists() {
            return Err(Error::new(ErrorCode::AlreadyExists, format!("{} already exists.", dir.display()))
                .with_hint("Choose another place for the new collection."));
        }
        let staging = staging_path(dir)?;
        fs::remove_dir(&staging)?;
        fs::create_dir(&staging)?;
        let manifest = Manifest {
            schema_version: SCHEMA_VERSION,
            collection: meta.clone(),
            models: models.clone(),
            models_open: false,
        };
        manifest.keep(&Truth::create(&truth_dir(&staging), &manifest.identity(), seal)?)?;
        fs::create_dir(&staging.join(ORIGINALS))?;
        manifest.write(&staging, seal)?;
        Ok(staging)
    }

    /// Opens a collection as its owner and brings the derived indexes up to date. Takes milliseconds; after a crash, or when an index
    /// was lost, a second for each thousand chunks to index. A collection of an older schema is migrated first (see `migrate`).
    ///
    /// Errors: [`ErrorCode::NotFound`], [`ErrorCode::InUse`] while another owner has it open, [`ErrorCode::NewerSchema`],
    /// [`ErrorCode::Corrupt`] where RocksDB is missing or damaged, which [`repair`](Self::repair) can fix, [`ErrorCode::Locked`] for a vault.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_plain_or_vault(dir, &Seal::default())
    }

    /// As [`open`](Self::open), for a vault whose key is given.
    ///
    /// Errors: [`ErrorCode::Corrupt`] also where what is stored was changed, exchanged or sealed with another key.
    pub fn open_vault(dir: &Path, key: &VaultKey) -> Result<Self> {
        Self::open_plain_or_vault(dir, &Seal::with(key)?)
    }

    pub(crate) fn open_plain_or_vault(dir: &Path, seal: &Seal) -> Result<Self> {
        let name = Manifest::read(dir, seal)?.collection.name;
        Self::open_with(dir, true, seal).map_err(|error| match error.code {
            ErrorCode::Corrupt => error.with_hint(repair_hint(&name)),
            _ => error,
        })
    }

    /// The header of a vault, which says what opens it. Needs no key.
    ///
    /// Errors: [`ErrorCode::NotFound`] where the collection in `dir` is no vault, [`ErrorCode::Corrupt`] where both copies are damaged.
    pub fn vault_header(dir: &Path) -> Result<Header> {
        vault::read(dir)
    }

    /// Replaces the header of a vault. Durable when it returns; a kill leaves the old one or the new one.
    ///
    /// Errors: [`ErrorCode::InvalidArgument`] for a header of another vault, or one that does not follow on the present one, which somebody
    /// else changed meanwhile.
    pub fn replace_vault_header(dir: &Path, header: &Header) -> Result<()> {
        let present = vault::read(dir)?;
        if header.collection() != present.collection() || header.generation() <= present.generation() {
            return Err(Error::invalid("The slots of the vault were changed meanwhile.").with_hint("Try again."));
        }
        vault::write(dir, header)
    }

    /// Opens a collection for [`verify`](Self::verify), even if changes are missing or counters do not add up, which
    /// [`open`](Self::open) refuses. What is read from it may be incomplete.
    pub fn open_to_verify(dir: &Path) -> Result<Self> {
        Manifest::read(dir, &Seal::default())?;
        Self::open_with(dir, false, &Seal::default())
    }

    pub(crate) fn open_with(dir: &Path, strict: bool, seal: &Seal) -> Result<Self> {
        let owner = OwnerLock::acquire(dir)?;
        // Made by an earlier version, or copied here.
        fs::make_private(dir);
        originals::clear_links(dir)?;
        // Once more, now that nobody else changes it.
        let mut manifest = Manifest::read(dir, seal)?;
        let migrated = migrate::run(dir, &mut manifest, seal)?;
        let truth = tracing::debug_span!("rocksdb").in_scope(|| Truth::open(&truth_dir(dir), seal))?;
        let identity = truth.identity()?;
        if manifest.models.sparse.is_none() && identity.sparse_model.is_some() {
            // A crash came between the two steps of `adopt_sparse_model`.
            manifest.models.sparse = identity.sparse_model.clone();
            manifest.write(dir, seal)?;
        }
        if identity != manifest.identity() {
            let dir = dir.display();
            return Err(corrupt(format!("collection.json and the documents in {dir} do not belong together.")));
        }
        manifest.reconcile(dir, &truth)?;
        let state = truth.state()?;
        let slots = tracing::debug_span!("slots").in_scope(|| SlotMap::load(&truth.reader()))?;
        let reader = truth.reader();
        let origin = Origin { identity: &identity, state: &state, slots: &slots, reader: &reader };
        let indexes = Indexes::open(dir, origin.identity, seal)?;
        if strict {
            complete::check(&reader, &state, &slots)?;
            indexes.all().iter().try_for_each(|index| complete::check_not_behind(&truth, &state, *index))?;
        }
        indexes.all().iter().try_for_each(|index| index.catch_up(origin))?;
        drop(reader);
        if let Some(key) = seal.vault_key()
            && let Some(header) = vault::vouched(dir, key)
        {
            let kept = truth.keep_generation(header.generation());
            if strict {
                kept?;
            }
        }
        if !migrated {
            migrate::remove_backups(dir)?;
        }
        let collection = Self {
            dir: dir.to_owned(),
            manifest,
            identity,
            truth,
            slots: RwLock::new(slots),
            indexes,
            catalogue: Default::default(),
            page_places: Default::default(),
            relocated: Default::default(),
            observer: OnceLock::new(),
            writer: Mutex::new(state),
            seen: OnceLock::new(),
            _owner: owner,
        };
        if strict {
            collection.meet_columns()?;
        }
        Ok(collection)
    }

    /// Whether a change could not be written, for example to a full disk. To take changes again, it must be closed and reopened.
    pub fn has_failed(&self) -> bool {
        self.truth.has_failed()
    }

    pub fn meta(&self) -> &CollectionMeta {
        &self.manifest.collection
    }

    pub fn models(&self) -> &VectorModels {
        &self.manifest.models
    }

    /// Whether nobody chose the models; see [`leave_models_open`](Self::leave_models_open).
    pub fn models_are_open(&self) -> bool {
        self.manifest.models_open
    }

    pub fn counts(&self) -> Result<Counts> {
        self.truth.state().map(Counts::from)
    }

    /// The counts, and when a document was last added, changed or removed; `None` where none was since that is kept.
    pub fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)> {
        self.truth.state().map(|state| (state.into(), state.changed_at))
    }

    /// How far the derived indexes are.
    pub fn index_progress(&self) -> Result<Vec<IndexProgress>> {
        let last = self.truth.state()?.last_seq;
        let progress = |index: &dyn Kept| {
            let behind = last.saturating_sub(index.applied());
            IndexProgress { name: index.name(), in_step: index.is_usable() && behind == 0, behind }
        };
        Ok(self.indexes.all().into_iter().map(progress).collect())
    }

    pub fn disk_usage(&self) -> Result<DiskUsage> {
        let bytes = |name: &str| fs::dir_bytes(&self.dir.join(name));
        Ok(DiskUsage {
            truth: fs::dir_bytes(&truth_dir(&self.dir))?,
            dense: bytes(Indexes::DENSE)?,
            bm25: bytes(Indexes::BM25)?,
            sparse: bytes(Indexes::SPARSE)?,
            originals: bytes(ORIGINALS)?,
        })
    }

    /// Where the caller keeps copies of source files.
    pub fn originals_dir(&self) -> PathBuf {
        self.dir.join(ORIGINALS)
    }

    /// Where the caller keeps files that were uploaded. Nothing in the store depends on it.
    pub fn uploads_dir(&self) -> PathBuf {
        self.dir.join(UPLOADS)
    }

    /// Writes down what is seen of a vault at each flush, so that an earlier state of the whole folder is noticed.
    ///
    /// Errors: [`ErrorCode::WrongState`] where a later state was seen before.
    pub(crate) fn keep_seen(&self, file: SeenFile) -> Result<()> {
        file.check(self.seen_now(&self.writer()))?;
        // A second time changes nothing.
        let _ = self.seen.set(file);
        Ok(())
    }

    fn seen_now(&self, state: &State) -> Seen {
        let generation = self.truth.generation().ok().flatten().unwrap_or_default();
        Seen { generation, last_seq: state.last_seq }
    }

    /// See [`keep_seen`](Self::keep_seen).
    fn note_seen(&self, state: &State) {
        if let Some(file) = self.seen.get()
            && let Err(error) = file.note(self.seen_now(state))
        {
            tracing::warn!(%error, "what was seen of a vault could not be written down");
        }
    }

    pub(crate) fn seal(&self) -> &Seal {
        self.truth.seal()
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn truth(&self) -> &Truth {
        &self.truth
    }

    /// What the indexes are made from; `state` is the lock on changes.
    fn with_origin<T>(&self, state: &State, visit: impl FnOnce(Origin<'_>) -> T) -> T {
        let (slots, reader) = (self.slots(), self.truth.reader());
        visit(Origin { identity: &self.identity, state, slots: &slots, reader: &reader })
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, State> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> RwLockReadGuard<'_, SlotMap> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- checking ----

    /// Checks every invariant on disk. Reads everything; changes wait meanwhile, searches do not. Problems are in the report; an error
    /// means that checking was not possible.
    pub fn verify(&self) -> Result<VerifyReport> {
        let state = self.writer();
        let rocksdb = verify::rocksdb(&self.truth)?;
        if !rocksdb.problems.is_empty() {
            // What cannot be read cannot be checked.
            return Ok(VerifyReport { checks: vec![rocksdb] });
        }
        let mut report = verify::documents(&self.truth.reader(), self.models())?;
        let folders = [&Indexes::DIRECTORIES[..], &[ORIGINALS, UPLOADS]].concat();
        let files = [vault::SEALED_MANIFEST, COLUMNS];
        let columns = self.columns_problem()?;
        report.checks.extend(verify::sealed_files(&self.dir, &self.truth, &files, &folders, columns)?);
        report.checks.insert(0, rocksdb);
        report.checks.insert(1, verify::manifest(&self.dir, &self.manifest, &self.truth)?);
        for index in self.indexes.all() {
            report.checks.push(self.with_origin(&state, |origin| index.check(origin))?);
        }
        Ok(report)
    }
}

impl Drop for LocalCollection {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            tracing::warn!(dir = %self.dir.display(), %error, "the indexes were not saved; they catch up at the next open");
        }
    }
}

pub(crate) const ORIGINALS: &str = "originals";
pub(crate) const UPLOADS: &str = "uploads";

/// Where a collection is built before it gets its place.
fn staging_path(dir: &Path) -> Result<PathBuf> {
    let name = dir
        .file_name()
        .ok_or_else(|| Error::invalid(format!("A collection cannot be created at {}.", dir.display())))?;
    let mut staging = std::ffi::OsString::from(STAGING_PREFIX);
    staging.push(name);
    Ok(dir.with_file_name(staging))
}

/// Names of directories under construction begin so.
pub(crate) const STAGING_PREFIX: &str = ".new-";
