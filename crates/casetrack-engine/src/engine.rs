//! The façade: configuration, open collections and the embedder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use casetrack_core::{Action, Cancel, ChunkConfig, CollectionId, Error, ErrorCode, Limits, Result, Tier, hint};
use casetrack_embed::{EmbedOptions, Embedder, MemoryMode, ModelProfile, Outputs, Precision, find_models_dir};
use casetrack_extract::isolation::{WorkerCommand, WorkerPool};
use casetrack_extract::{ExtractOptions, Extraction, extract};
use casetrack_store::{Collection, Registry};
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::annotating::RememberingRecognizer;
use crate::changes::{Change, Changes};
use crate::graph::Graph;
use crate::jobs::Jobs;
use crate::lifecycle::check_readable;
use crate::settings::Settings;
use crate::status::StorageSize;
use crate::sync::KnownFiles;
use crate::watches::Watches;

/// Everything the engine can be told. The defaults suit an 8 GB laptop. What is left out when it is serialised is that of the process
/// that reads it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EngineConfig {
    /// Where collections live.
    #[serde(skip)]
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
    #[serde(skip)]
    pub reader: Option<WorkerCommand>,
    /// Threads for inference; 0 for one per core.
    pub threads: usize,
    /// Which models stay in memory; chosen by the memory available when `None`.
    pub memory_mode: Option<MemoryMode>,
    /// Which models make and search vectors.
    pub profile: ModelProfile,
    /// What dense vectors are computed in; those of a collection must all be of one precision.
    pub precision: Precision,
    /// What `config.toml` says of the sessions of assistants.
    #[serde(skip)]
    pub settings: Settings,
    /// Which files may be read.
    #[serde(skip)]
    pub access: Access,
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
            settings: Settings::default(),
            access: Access::default(),
        }
    }

    /// See [`crate::data_dir`].
    pub fn default_data_dir() -> Result<PathBuf> {
        crate::data_dir::default()
    }
}

/// Collections that stay open while nothing works with them. Each takes 20 to 40 MB.
const MAX_UNUSED: usize = 6;

/// A collection that is opened at most once; the lock is held only while it is being opened or closed.
type Slot = Arc<Mutex<Option<Arc<Collection>>>>;

/// A slot, and when its collection was asked for last.
struct Opened {
    slot: Slot,
    used: Instant,
}

impl Default for Opened {
    fn default() -> Self {
        Self { slot: Slot::default(), used: Instant::now() }
    }
}

/// One process has engines on a data directory (invariant 8). Cheap to share behind an `Arc`; all methods take `&self` and may
/// block.
pub struct Engine {
    pub(crate) config: EngineConfig,
    shared: Arc<Shared>,
    embedder: OnceLock<Embedder>,
}

/// What the engines of a data directory have in common, whatever their settings.
struct Shared {
    registry: Registry,
    open: Mutex<HashMap<CollectionId, Opened>>,
    /// The embedding services in use, each with its models folder and settings.
    embedders: Mutex<Vec<(PathBuf, EmbedOptions, Embedder)>>,
    readers: Option<WorkerPool>,
    /// The recognizers in use, each with its folder.
    recognizers: Mutex<Vec<(PathBuf, Arc<RememberingRecognizer>)>>,
    /// The context graphs of collections, as far as they were asked for.
    graphs: Mutex<HashMap<CollectionId, Arc<RwLock<Graph>>>>,
    jobs: Arc<Jobs>,
    watches: Watches,
    storage: StorageSize,
    /// What syncs know of files.
    files: KnownFiles,
    changes: Changes,
}

impl Engine {
    /// Creates the data directory if need be. Loads no model and opens no collection.
    pub fn new(config: EngineConfig) -> Result<Self> {
        let registry = Registry::open(&config.data_dir)?;
        let readers = config.reader.clone().map(WorkerPool::new);
        let shared = Shared {
            jobs: Arc::new(Jobs::new(&config.data_dir)),
            watches: Watches::new(&config.data_dir),
            storage: StorageSize::default(),
            registry,
            open: Mutex::default(),
            embedders: Mutex::default(),
            readers,
            recognizers: Mutex::default(),
            graphs: Mutex::default(),
            files: KnownFiles::default(),
            changes: Changes::default(),
        };
        Ok(Self { config, shared: Arc::new(shared), embedder: OnceLock::new() })
    }

    /// An engine on the same data directory with other settings: it shares the open collections, the processes that read files
    /// and, where the settings for them are the same, the models. `data_dir` and `reader` of `config` are ignored.
    pub fn with_config(&self, config: EngineConfig) -> Self {
        let EngineConfig { data_dir, reader, .. } = self.config.clone();
        let config = EngineConfig { data_dir, reader, ..config };
        Self { config, shared: Arc::clone(&self.shared), embedder: OnceLock::new() }
    }

    /// An engine with settings that were written down, as [`with_config`](Self::with_config). Which files may be read is what it is now.
    pub(crate) fn with_recorded(&self, config: EngineConfig) -> Self {
        let EngineConfig { settings, access, .. } = self.config.clone();
        self.with_config(EngineConfig { settings, access, ..config })
    }

    /// Clears away what a crash left of collections that were being made or deleted. Only for the owner of the data directory.
    pub fn clear_remains(&self) -> Result<()> {
        self.shared.registry.clear_remains()
    }

    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    pub(crate) fn job_queue(&self) -> &Arc<Jobs> {
        &self.shared.jobs
    }

    pub(crate) fn storage(&self) -> &StorageSize {
        &self.shared.storage
    }

    pub(crate) fn watches(&self) -> &Watches {
        &self.shared.watches
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    pub(crate) fn changes(&self) -> &Changes {
        &self.shared.changes
    }

    /// The processes that read files, where there is a command for them.
    pub(crate) fn readers(&self) -> Option<&WorkerPool> {
        self.shared.readers.as_ref()
    }

    /// The embedding service; its weights load at the first text.
    pub(crate) fn embedder(&self) -> Result<&Embedder> {
        if let Some(embedder) = self.embedder.get() {
            return Ok(embedder);
        }
        let models = find_models_dir(self.config.models_dir.as_deref())?;
        let EngineConfig { threads, memory_mode: memory, profile, precision, .. } = self.config;
        let options = EmbedOptions { threads, memory, profile, precision };
        let mut embedders = lock(&self.shared.embedders);
        let same = embedders.iter().find(|(folder, settings, _)| (folder, settings) == (&models, &options));
        let embedder = match same {
            Some((.., embedder)) => embedder.clone(),
            None => {
                let embedder = Embedder::new(models.clone(), options);
                embedders.push((models, options, embedder.clone()));
                embedder
            }
        };
        Ok(self.embedder.get_or_init(|| embedder))
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
        .with_hint(hint![Action::UseModelsOfCollection, " Or ingest the documents into a new collection."]))
    }

    /// Whether the learned-sparse vectors of the model in use may be compared with those of the collection: `None` where the
    /// collection has none and takes none, an error where they cannot be made.
    pub(crate) fn sparse_embedder_of(&self, collection: &Collection) -> Result<Option<&Embedder>> {
        let Some(made_by) = &collection.models().sparse else { return Ok(None) };
        let embedder = self.embedder()?;
        let current = embedder.sparse_model_id()?;
        if *made_by != current {
            let name = &collection.meta().name;
            let message = format!(
                "The learned-sparse vectors of \"{name}\" are made by {made_by}; the model in use now is {current}."
            );
            return Err(Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection));
        }
        // Loaded here, so that a damaged one is known before the work begins.
        embedder.model(Outputs::SPARSE)?;
        Ok(Some(embedder))
    }

    /// Gives a collection that was made before there were learned-sparse vectors the model for those to come. What stands in the
    /// way does not keep it from being used.
    fn adopt_sparse_model(&self, collection: &mut Collection) -> Result<()> {
        if collection.models().sparse.is_some() {
            return Ok(());
        }
        let model = self.embedder_of(collection).and_then(Embedder::sparse_model_id)?;
        collection.adopt_sparse_model(&model)
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
        match &self.shared.readers {
            Some(readers) => readers.extract(path, bytes, options, cancel),
            None => extract(path, bytes, options),
        }
    }

    /// Opens a collection, or returns it if it is open already. One that could not be written is opened anew.
    pub(crate) fn collection(&self, id: CollectionId) -> Result<Arc<Collection>> {
        self.close_unused(id);
        let slot = self.slot(id);
        let mut collection = lock(&slot);
        match collection.as_mut() {
            Some(open) if !open.has_failed() => {
                // The model may have come since. Where others use the collection at this moment it can wait.
                if let Some(Err(error)) = Arc::get_mut(open).map(|open| self.adopt_sparse_model(open)) {
                    // What stands in the way was said when it was opened.
                    tracing::debug!(%error, "a collection stays without learned-sparse vectors");
                }
                return Ok(Arc::clone(open));
            }
            Some(failed) if Arc::strong_count(failed) > 1 => {
                let message = format!("\"{}\" could not be written and has to be opened anew.", failed.meta().name);
                return Err(Error::new(ErrorCode::InUse, message)
                    .with_hint("Other work with it is just ending: try again in a moment."));
            }
            _ => *collection = None,
        }
        check_readable(&self.registry().meta(id)?)?;
        let mut opened = self.registry().open_collection(id)?;
        // It tells its versions by what happened since it was opened.
        lock(&self.shared.graphs).remove(&id);
        if let Err(error) = self.adopt_sparse_model(&mut opened) {
            tracing::warn!(%error, collection = opened.meta().name, "a collection stays without learned-sparse vectors");
        }
        self.shared.changes.follow(&opened);
        let opened = Arc::new(opened);
        *collection = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// The slot of a collection that is wanted now.
    fn slot(&self, id: CollectionId) -> Slot {
        let mut open = lock(&self.shared.open);
        let opened = open.entry(id).or_default();
        opened.used = Instant::now();
        Arc::clone(&opened.slot)
    }

    /// Closes the collections that were not asked for longest, where more than [`MAX_UNUSED`] are open besides `wanted` and nothing
    /// works with them.
    fn close_unused(&self, wanted: CollectionId) {
        let mut others: Vec<(Instant, CollectionId, Slot)> = lock(&self.shared.open)
            .iter()
            .filter(|(id, _)| **id != wanted)
            .map(|(id, opened)| (opened.used, *id, Arc::clone(&opened.slot)))
            .collect();
        others.sort_by_key(|(used, ..)| std::cmp::Reverse(*used));
        let mut unused = 0;
        for (_, id, slot) in &others {
            // One that is being opened or closed is somebody else's business.
            let Ok(mut collection) = slot.try_lock() else { continue };
            if collection.as_ref().is_none_or(|open| Arc::strong_count(open) > 1) {
                continue;
            }
            unused += 1;
            if unused > MAX_UNUSED {
                *collection = None;
                lock(&self.shared.graphs).remove(id);
            }
        }
    }

    /// Takes a collection that is open already, without opening it.
    pub(crate) fn open_collection(&self, id: CollectionId) -> Option<Arc<Collection>> {
        let slot = Arc::clone(&lock(&self.shared.open).get(&id)?.slot);
        lock(&slot).clone()
    }

    /// The recognizer of a folder, loaded by the first engine that wants it.
    pub(crate) fn shared_recognizer(
        &self,
        folder: &Path,
        load: impl FnOnce() -> Result<RememberingRecognizer>,
    ) -> Result<Arc<RememberingRecognizer>> {
        let mut recognizers = lock(&self.shared.recognizers);
        if let Some((_, same)) = recognizers.iter().find(|(known, _)| known == folder) {
            return Ok(Arc::clone(same));
        }
        let loaded = Arc::new(load()?);
        recognizers.push((folder.to_owned(), Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// The graph of a collection, which may be behind it.
    pub(crate) fn shared_graph(&self, id: CollectionId) -> Arc<RwLock<Graph>> {
        Arc::clone(lock(&self.shared.graphs).entry(id).or_default())
    }

    pub(crate) fn known_files(&self) -> &KnownFiles {
        &self.shared.files
    }

    /// Keeps a newly created collection open.
    pub(crate) fn adopt(&self, collection: Collection) -> Arc<Collection> {
        self.shared.changes.follow(&collection);
        let collection = Arc::new(collection);
        self.close_unused(collection.meta().id);
        *lock(&self.slot(collection.meta().id)) = Some(Arc::clone(&collection));
        self.shared.changes.tell(Change::Collection(collection.meta().id));
        collection
    }

    /// Closes a collection, so that its directory can go; [`ErrorCode::InUse`] while something works with it.
    pub(crate) fn close(&self, id: CollectionId) -> Result<()> {
        let slot = self.slot(id);
        let mut collection = lock(&slot);
        if let Some(busy) = collection.as_ref().filter(|open| Arc::strong_count(open) > 1) {
            let message = format!("\"{}\" is being used at this moment.", busy.meta().name);
            return Err(Error::new(ErrorCode::InUse, message)
                .with_hint("Try again when the ingestion or search that uses it has ended."));
        }
        *collection = None;
        lock(&self.shared.graphs).remove(&id);
        Ok(())
    }
}

/// A panic while a lock was held leaves plain maps and handles behind, which stay valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use casetrack_core::{CollectionMeta, CollectionStatus, CollectionType, Timestamp};
    use casetrack_store::VectorModels;

    use super::*;

    #[test]
    fn collections_that_nothing_works_with_are_closed_when_there_are_many() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::new(EngineConfig::new(dir.path().to_owned())).unwrap();
        let make = |n: usize| {
            let meta = CollectionMeta {
                id: CollectionId::random(),
                name: format!("Matter {n}"),
                reference: None,
                collection_type: CollectionType::default(),
                status: CollectionStatus::Active,
                created_at: Timestamp::now(),
            };
            let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None };
            engine.adopt(engine.registry().create(&meta, &models).unwrap())
        };
        let held = make(0);
        let ids: Vec<CollectionId> = (1..MAX_UNUSED + 4).map(|n| make(n).meta().id).collect();
        let is_open = |id: &CollectionId| engine.open_collection(*id).is_some();
        assert!(is_open(&held.meta().id), "it is in use");
        let open: Vec<bool> = ids.iter().map(is_open).collect();
        assert_eq!(open.iter().filter(|open| **open).count(), MAX_UNUSED + 1, "{open:?}");
        assert!(!open[0] && open[ids.len() - 1], "{open:?}");
        // One that was closed opens again.
        assert_eq!(engine.collection(ids[0]).unwrap().meta().id, ids[0]);
    }
}
