//! The basis of the use cases: the settings, and the shared parts of the engines of a data directory. It is independent of the use cases.

pub mod access;
mod catalog;
pub mod changes;
pub mod collections;
mod config;
pub mod data_dir;
pub mod database_rights;
mod disk_events;
pub mod documents;
mod files;
mod indexes;
mod known_files;
mod live_files;
mod models;
pub mod names;
mod open_collections;
pub mod paging;
mod program_files;
mod readers;
mod recognizer;
pub mod report;
pub mod rights;
mod sheet_sample;
mod space;
mod state;
mod storage;
mod stores;
#[cfg(test)]
#[path = "../../casetrack-core/src/test_provenance.rs"]
mod test_provenance;
pub mod text_index;
mod vaults;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_embed::{Outputs, find_models_dir};
use casetrack_store::{Collection, Registry};

use crate::rights::{People, Rights, Role, Sight};
use changes::Changes;
use models::Embedders;
use recognizer::Recognizers;

pub use config::EngineConfig;
pub use disk_events::{DiskEvents, FolderIdentity, Unwatchable, holds_remote, is_remote};
pub use files::{KeptCopy, read, readable, sha256};
pub use indexes::DEFAULT_INDEX;
pub use known_files::{Beside, KnownFiles, Refusal};
pub use live_files::{LiveFiles, LiveStage, LiveState};
pub use models::{described, token_model, vector_models};
pub use open_collections::{OpenCollection, OpenCollections};
pub use readers::Readers;
pub use recognizer::{Analysis, RememberingRecognizer, analysis};
pub use state::check_changeable;
pub use storage::{StorageSize, bytes_below};
pub use stores::{StorePlace, of_files};

/// A panic while a lock was held leaves plain maps and handles behind, which stay valid.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the work of a job. The end of a job must always be recorded, so a panic becomes an error.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::internal("The job panicked; see the log of the owner process.")))
}

/// Settings, and the state that all hosts of a data directory share. Every use case is a function that takes it. A clone has the same settings.
#[derive(Clone)]
pub struct Host {
    config: EngineConfig,
    shared: Arc<Shared>,
}

/// The state that all hosts of a data directory share, regardless of their settings.
struct Shared {
    stores: stores::Stores,
    collections: OpenCollections,
    embedders: Embedders,
    readers: Readers,
    recognizers: Recognizers,
    storage: StorageSize,
    files: KnownFiles,
    catalog: catalog::OpenCatalog,
    space: space::OpenSpace,
    indexes: indexes::MemoryIndexes,
    live_files: Arc<LiveFiles>,
    unlocked: vaults::Unlocked,
    changes: Changes,
    /// The people who may have asked for jobs.
    people: OnceLock<Arc<dyn People>>,
}

impl Host {
    /// Creates the data directory if need be. Loads no model and opens no collection.
    pub fn new(config: EngineConfig) -> Result<Self> {
        let changes = Changes::default();
        let shared = Shared {
            stores: stores::Stores::open(&config.store, &config.data_dir)?,
            collections: OpenCollections::new(changes.clone()),
            embedders: Embedders::default(),
            readers: Readers::new(config.reader.clone()),
            recognizers: Recognizers::default(),
            storage: StorageSize::default(),
            files: KnownFiles::default(),
            catalog: catalog::OpenCatalog::default(),
            space: space::OpenSpace::default(),
            indexes: indexes::MemoryIndexes::default(),
            live_files: Arc::default(),
            unlocked: vaults::Unlocked::default(),
            changes,
            people: OnceLock::new(),
        };
        Ok(Self { config, shared: Arc::new(shared) })
    }

    /// A host of the same data directory with other settings. `data_dir`, `store` and `reader` of `config` are ignored.
    pub fn with_config(&self, config: EngineConfig) -> Self {
        let EngineConfig { data_dir, store, reader, .. } = self.config.clone();
        let config = EngineConfig { data_dir, store, reader, ..config };
        Self { config, shared: Arc::clone(&self.shared) }
    }

    /// A host that reads files below these folders only.
    pub fn within(&self, roots: &[PathBuf]) -> Self {
        let access = self.config.access.below(roots);
        self.with_config(EngineConfig { access, ..self.config.clone() })
    }

    /// A host with settings that were written down, as [`with_config`](Self::with_config). The present rules of access apply.
    pub fn with_recorded(&self, config: EngineConfig) -> Self {
        let access = self.config.access.clone();
        self.with_config(EngineConfig { access, ..config })
    }

    /// Sets the users of a server, before jobs of theirs continue.
    pub fn set_people(&self, people: Arc<dyn People>) {
        // The first call wins: they belong to the data directory.
        let _ = self.shared.people.set(people);
    }

    /// A host for a job with settings that were written down, with the access to files of the user who asked for it, as it is now.
    ///
    /// Errors: [`ErrorCode::Cancelled`] if that user is gone, or may no longer change the collection.
    pub fn for_job(&self, config: EngineConfig, user: Option<&str>, collection: CollectionId) -> Result<Self> {
        let access = self.config.access.clone();
        let Some(user) = user else {
            return Ok(self.with_config(EngineConfig { access: access.for_nobody(), ..config }));
        };
        let rights = self.rights_for_job(user, collection)?;
        let folders = self.shared.people.get().map(|people| people.folders()).unwrap_or_default();
        let access = access.for_user(Sight::of(rights, Role::Editor), folders);
        Ok(self.with_config(EngineConfig { access, sight: Sight::default(), ..config }))
    }

    /// The rights of the user who asked for a job, as they are now.
    ///
    /// Errors: as of [`for_job`](Self::for_job).
    pub fn rights_for_job(&self, user: &str, collection: CollectionId) -> Result<Arc<dyn Rights>> {
        let cancelled = |why: &str| {
            Error::new(ErrorCode::Cancelled, format!("The user {user} asked for this, and {why}."))
                .with_hint("Stored documents stay. A user who may change the collection can start the job again.")
        };
        let people = self.shared.people.get().ok_or_else(|| cancelled("the users of the server are not known here"))?;
        let rights = people.rights(user).ok_or_else(|| cancelled("is no longer a user of the server"))?;
        if rights.role(collection) < Some(Role::Editor) {
            return Err(cancelled("may no longer change the collection"));
        }
        Ok(rights)
    }

    /// A host of the same settings without the limits of a user, for work that continues when the user's rights end.
    pub fn unlimited(&self) -> Self {
        self.with_config(EngineConfig { sight: Sight::default(), ..self.config.clone() })
    }

    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    pub fn sight(&self) -> &Sight {
        &self.config.sight
    }

    /// The collections on disk and the vault data in memory; both are empty if the collections are in a database.
    pub fn registry(&self) -> &Registry {
        &self.shared.stores.registry
    }

    pub fn open_collections(&self) -> &OpenCollections {
        &self.shared.collections
    }

    pub fn readers(&self) -> &Readers {
        &self.shared.readers
    }

    pub fn storage(&self) -> &StorageSize {
        &self.shared.storage
    }

    pub fn known_files(&self) -> &KnownFiles {
        &self.shared.files
    }

    pub fn live_files(&self) -> &Arc<LiveFiles> {
        &self.shared.live_files
    }

    pub fn changes(&self) -> &Changes {
        &self.shared.changes
    }

    /// Opens a collection, or returns it if it is open already. A collection that could not be written is closed and opened again.
    pub fn collection(&self, id: CollectionId) -> Result<Arc<OpenCollection>> {
        self.sight().admit_as(id, Role::Reader)?;
        let (registry, store) = (self.registry(), self.store());
        self.shared.collections.get(id, registry, store, |collection| self.adopt_sparse_model(collection))
    }

    pub fn collection_to_change(&self, id: CollectionId) -> Result<Arc<OpenCollection>> {
        self.sight().admit_as(id, Role::Editor)?;
        let collection = self.collection(id)?;
        check_changeable(collection.meta())?;
        Ok(collection)
    }

    /// Gives a collection that was made before there were learned-sparse vectors the model for future documents. Callers use the collection even if
    /// this fails.
    fn adopt_sparse_model(&self, collection: &mut Collection) -> Result<()> {
        if collection.models().sparse.is_some() {
            return Ok(());
        }
        let embedder = self.embedder_of(collection)?;
        if !embedder.makes(Outputs::SPARSE)? {
            return Ok(());
        }
        collection.adopt_sparse_model(&embedder.sparse_model_id()?)
    }

    /// The recognizer, loaded at its first use and kept (about 10 MB).
    pub fn recognizer(&self) -> Result<Arc<RememberingRecognizer>> {
        self.shared.recognizers.get(&find_models_dir(self.config.models_dir.as_deref())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_job_is_an_error() {
        let error = caught(|| -> Result<()> { panic!("a defect") }).unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert_eq!(caught(|| Ok(1)).unwrap(), 1);
    }
}
