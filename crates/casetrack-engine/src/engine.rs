//! The façade: configuration, open collections and the embedder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use casetrack_core::{Cancel, ChunkConfig, CollectionId, Error, ErrorCode, Limits, Result, Tier};
use casetrack_embed::{EmbedOptions, Embedder, MemoryMode, ModelProfile, Precision, find_models_dir};
use casetrack_extract::isolation::{WorkerCommand, WorkerPool};
use casetrack_extract::{ExtractOptions, Extraction, extract};
use casetrack_store::{Collection, Registry};

/// Everything the engine can be told. The defaults suit an 8 GB laptop.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Where collections live. Default: `CaseTrack` in the user's documents folder.
    pub data_dir: PathBuf,
    /// Where model weights are; searched in the usual places when `None`.
    pub models_dir: Option<PathBuf>,
    /// The pdfium library; searched in the usual places when `None`.
    pub pdfium: Option<PathBuf>,
    /// The languages that scans are read in, by the names of tesseract's data, joined by `+`. Default "eng".
    pub languages: String,
    pub tier: Tier,
    pub limits: Limits,
    pub chunks: ChunkConfig,
    /// How to start the processes that read files. `None` reads them in this process, where a parser that crashes or hangs
    /// takes everything with it: for tests.
    pub reader: Option<WorkerCommand>,
    /// Threads for inference; 0 for one per core.
    pub threads: usize,
    /// Which models stay in memory; chosen by the memory available when `None`.
    pub memory_mode: Option<MemoryMode>,
    /// Which models make and search vectors.
    pub profile: ModelProfile,
    /// What dense vectors are computed in; those of a collection must all be of one precision.
    pub precision: Precision,
}

impl EngineConfig {
    pub fn new(data_dir: PathBuf) -> Self {
        Self {
            data_dir,
            models_dir: None,
            pdfium: None,
            languages: ExtractOptions::default().languages,
            tier: Tier::default(),
            limits: Limits::default(),
            chunks: ChunkConfig::default(),
            reader: None,
            threads: 0,
            memory_mode: None,
            profile: ModelProfile::default(),
            precision: Precision::default(),
        }
    }

    /// `CaseTrack` in the platform's documents folder, or in `~/Documents` where the platform names none.
    pub fn default_data_dir() -> Result<PathBuf> {
        dirs::document_dir()
            .or_else(|| dirs::home_dir().map(|home| home.join("Documents")))
            .map(|documents| documents.join("CaseTrack"))
            .ok_or_else(|| {
                Error::new(ErrorCode::MissingDependency, "This user has no home directory to keep collections in.")
                    .with_hint("Name a directory with --data-dir or the environment variable CASETRACK_HOME.")
            })
    }
}

/// A collection that is opened at most once; the lock is held only while it is being opened.
type Slot = Arc<Mutex<Option<Arc<Collection>>>>;

/// One engine owns one data directory. Cheap to share behind an `Arc`; all methods take `&self` and may block.
pub struct Engine {
    pub(crate) config: EngineConfig,
    pub(crate) registry: Registry,
    open: Mutex<HashMap<CollectionId, Slot>>,
    embedder: OnceLock<Embedder>,
    readers: Option<WorkerPool>,
}

impl Engine {
    /// Creates the data directory if need be. Loads no model and opens no collection.
    pub fn new(config: EngineConfig) -> Result<Self> {
        let registry = Registry::open(&config.data_dir)?;
        let readers = config.reader.clone().map(WorkerPool::new);
        Ok(Self { config, registry, open: Mutex::new(HashMap::new()), embedder: OnceLock::new(), readers })
    }

    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// The embedding service; its weights load at the first text.
    pub(crate) fn embedder(&self) -> Result<&Embedder> {
        if let Some(embedder) = self.embedder.get() {
            return Ok(embedder);
        }
        let models = find_models_dir(self.config.models_dir.as_deref())?;
        let EngineConfig { threads, memory_mode: memory, profile, precision, .. } = self.config;
        let options = EmbedOptions { threads, memory, profile, precision };
        Ok(self.embedder.get_or_init(|| Embedder::new(models, options)))
    }

    /// The embedding service, if its vectors may be compared with those of the collection.
    pub(crate) fn embedder_of(&self, collection: &Collection) -> Result<&Embedder> {
        let embedder = self.embedder()?;
        let (made_by, current) = (&collection.models().dense, embedder.model_id()?);
        if *made_by == current {
            return Ok(embedder);
        }
        let name = &collection.meta().name;
        Err(Error::new(
            ErrorCode::ModelMismatch,
            format!("The vectors of \"{name}\" were made by {made_by}; the model in use now is {current}."),
        )
        .with_hint(
            "Choose the model that made them with --profile and --precision, or ingest the documents into a new collection.",
        ))
    }

    /// What holds for every file, without a password.
    pub(crate) fn extract_options(&self) -> ExtractOptions {
        ExtractOptions {
            limits: self.config.limits,
            pdfium: self.config.pdfium.clone(),
            languages: self.config.languages.clone(),
            password: None,
        }
    }

    /// Extracts a file, in a process of its own if there is a command for it.
    pub(crate) fn extract(
        &self,
        path: &Path,
        bytes: &[u8],
        options: &ExtractOptions,
        cancel: &Cancel,
    ) -> Result<Extraction> {
        match &self.readers {
            Some(readers) => readers.extract(path, bytes, options, cancel),
            None => extract(path, bytes, options),
        }
    }

    /// Opens a collection, or returns it if it is open already.
    pub(crate) fn collection(&self, id: CollectionId) -> Result<Arc<Collection>> {
        let slot = Arc::clone(lock(&self.open).entry(id).or_default());
        let mut collection = lock(&slot);
        if let Some(collection) = collection.as_ref() {
            return Ok(Arc::clone(collection));
        }
        let opened = Arc::new(self.registry.open_collection(id)?);
        *collection = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Takes a collection that is open already, without opening it.
    pub(crate) fn open_collection(&self, id: CollectionId) -> Option<Arc<Collection>> {
        let slot = Arc::clone(lock(&self.open).get(&id)?);
        lock(&slot).clone()
    }

    /// Keeps a newly created collection open.
    pub(crate) fn adopt(&self, collection: Collection) -> Arc<Collection> {
        let collection = Arc::new(collection);
        let slot = Arc::new(Mutex::new(Some(Arc::clone(&collection))));
        lock(&self.open).insert(collection.meta().id, slot);
        collection
    }

    /// Forgets an open collection, so that its directory can go.
    pub(crate) fn close(&self, id: CollectionId) {
        lock(&self.open).remove(&id);
    }
}

/// A panic while a lock was held leaves plain maps and handles behind, which stay valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
