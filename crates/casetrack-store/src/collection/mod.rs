//! One collection: documents in RocksDB, the indexes derived from it, and the order in which they change.

mod catalogue;
mod changes;
mod columns;
mod description;
mod documents;
mod maintenance;
mod relocations;
mod search;
mod snapshot;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use casetrack_core::{CollectionMeta, Error, ErrorCode, Result};
use casetrack_vault::header::Header;
use casetrack_vault::key::VaultKey;

use crate::derived_index::Origin;
use crate::error::{corrupt, repair_hint};
use crate::indexes::Indexes;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::records::{Identity, State};
use crate::roles::{MaintainCollection, Observer};
use crate::schema::SCHEMA_VERSION;
use crate::seal::Seal;
use crate::slots::SlotMap;
use crate::truth::{Truth, truth_dir};
use crate::vault_state::{VaultState, VaultStateFile};
use crate::{complete, fs, migrate, originals, vault};

pub(crate) use columns::COLUMNS;

/// An open collection. One process owns it at a time; within it, any number of threads may read and search while one
/// changes documents (further changes wait). Every reading method sees documents whole, as of one moment.
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
    page_places: search::PagePlaces,
    relocated: relocations::Relocations,
    /// Notified of every change of a document.
    observer: OnceLock<Observer>,
    /// Held during a change, of documents or of an index as a whole.
    writer: Mutex<State>,
    /// The file that records the last seen state of the vault, if any.
    seen: OnceLock<VaultStateFile>,
    /// Released last.
    _owner: OwnerLock,
}

impl LocalCollection {
    /// Makes an empty collection in `dir`, which must not exist. It is built next to `dir` and renamed, so that a crash
    /// leaves nothing half made there.
    pub fn create(dir: &Path, meta: &CollectionMeta, models: &VectorModels) -> Result<Self> {
        if models.dense_dimension == 0 {
            return Err(Error::internal("A collection needs a model with at least one dimension."));
        }
        let staging = Self::stage(dir, meta, models, &Seal::default())?;
        fs::rename_durably(&staging, dir)?;
        Self::open(dir)
    }

    /// As [`create`](Self::create), but everything the store writes below `dir` is sealed with `key`, which `header`
    /// holds. The caller seals copies of source files, and its other files there.
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

    /// Builds an empty collection next to `dir`; the caller renames it to `dir`.
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

    /// Opens a collection as its owner and brings the derived indexes up to date. Takes milliseconds; after a crash, or
    /// when an index was lost, a second for each thousand chunks to index. A collection of an older schema is migrated
    /// first (see `migrate`). On a full disk it is opened for reading only: every change fails with
    /// [`ErrorCode::DiskFull`] until there is room and it is opened again. Errors: [`ErrorCode::NotFound`],
    /// [`ErrorCode::InUse`] while another owner has it open, [`ErrorCode::NewerSchema`], [`ErrorCode::Corrupt`] if
    /// RocksDB is missing or damaged, which [`repair`](Self::repair) can fix, [`ErrorCode::Locked`] for a vault.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_plain_or_vault(dir, &Seal::default())
    }

    /// As [`open`](Self::open), for a vault whose key is given. Errors: [`ErrorCode::Corrupt`] also if stored data was
    /// changed, exchanged or sealed with another key.
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

    /// The header of a vault, which lists its slots. Needs no key. Errors: [`ErrorCode::NotFound`] if the collection in
    /// `dir` is no vault, [`ErrorCode::Corrupt`] if both copies are damaged.
    pub fn vault_header(dir: &Path) -> Result<Header> {
        vault::read(dir)
    }

    /// Replaces the header of a vault. Durable when it returns; a kill leaves the old one or the new one. Errors:
    /// [`ErrorCode::InvalidArgument`] for a header of another vault, or one that does not follow the present one,
    /// because another process changed it in the meantime.
    pub fn replace_vault_header(dir: &Path, header: &Header) -> Result<()> {
        let present = vault::read(dir)?;
        if header.collection() != present.collection() || header.generation() <= present.generation() {
            return Err(Error::invalid("The slots of the vault were changed in the meantime.").with_hint("Try again."));
        }
        vault::write(dir, header)
    }

    /// Opens a collection for [`verify`](Self::verify), even if changes are missing or counters do not add up, which
    /// [`open`](Self::open) refuses. Its data may be incomplete.
    pub fn open_to_verify(dir: &Path) -> Result<Self> {
        Manifest::read(dir, &Seal::default())?;
        Self::open_with(dir, false, &Seal::default())
    }

    pub(crate) fn open_with(dir: &Path, strict: bool, seal: &Seal) -> Result<Self> {
        let owner = OwnerLock::acquire(dir)?;
        // Made by an earlier version, or copied here.
        fs::make_private(dir);
        originals::clear_links(dir)?;
        // Again, now that no other process changes it.
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
        let saves = !truth.is_read_only();
        if saves {
            manifest.reconcile(dir, &truth)?;
        }
        let state = truth.state()?;
        let slots = tracing::debug_span!("slots").in_scope(|| SlotMap::load(&truth.reader()))?;
        let reader = truth.reader();
        let origin = Origin { identity: &identity, state: &state, slots: &slots, reader: &reader, saves };
        let indexes = Indexes::open(dir, origin.identity, seal, saves)?;
        if strict {
            complete::check(&reader, &state, &slots)?;
            indexes.all().iter().try_for_each(|index| complete::check_not_behind(&truth, &state, *index))?;
        }
        indexes.all().iter().try_for_each(|index| index.catch_up(origin))?;
        drop(reader);
        keep_generation(dir, &truth, seal, strict)?;
        if !migrated && saves {
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
        if strict && saves {
            collection.meet_columns()?;
        }
        Ok(collection)
    }

    /// Records the last seen state of a vault at each flush, so that an earlier state of the whole folder is noticed.
    /// Errors: [`ErrorCode::WrongState`] if a later state was seen before.
    pub(crate) fn keep_seen(&self, file: VaultStateFile) -> Result<()> {
        file.check(self.seen_now(&self.writer()))?;
        // A second time changes nothing.
        let _ = self.seen.set(file);
        Ok(())
    }

    fn seen_now(&self, state: &State) -> VaultState {
        let kept = self.truth.generation().ok().flatten().unwrap_or_default();
        // On a full disk, the generation of the header could not be kept when the vault was opened.
        let header = self.seal().vault_key().filter(|_| self.truth.is_read_only());
        let header = header.and_then(|key| vault::vouched(&self.dir, key)).map_or(0, |header| header.generation());
        VaultState { generation: kept.max(header), last_seq: state.last_seq }
    }

    fn note_seen(&self, state: &State) {
        if let Some(file) = self.seen.get()
            && let Err(error) = file.note(self.seen_now(state))
        {
            tracing::warn!(%error, "the state of a vault could not be recorded");
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

    /// The origin of the indexes; `state` is the lock on changes.
    fn with_origin<T>(&self, state: &State, visit: impl FnOnce(Origin<'_>) -> T) -> T {
        let (slots, reader) = (self.slots(), self.truth.reader());
        let saves = !self.truth.is_read_only();
        visit(Origin { identity: &self.identity, state, slots: &slots, reader: &reader, saves })
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, State> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slots(&self) -> RwLockReadGuard<'_, SlotMap> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
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
/// The folder of records and files that repairs took out.
pub(crate) const QUARANTINE: &str = "quarantine";

/// Keeps the generation of a vault's header, if it can be read.
fn keep_generation(dir: &Path, truth: &Truth, seal: &Seal, strict: bool) -> Result<()> {
    let Some(header) = seal.vault_key().and_then(|key| vault::vouched(dir, key)) else { return Ok(()) };
    match truth.keep_generation(header.generation()) {
        Err(error) if strict && (!truth.is_read_only() || error.code != ErrorCode::DiskFull) => Err(error),
        _ => Ok(()),
    }
}

/// The place in which a collection is built before it gets its own.
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
