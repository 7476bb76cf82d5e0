//! The embedding service: one E1 model, loaded on first need, shared by everyone who embeds.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use casetrack_core::{Cancel, Result};

use crate::dense::DenseModel;
use crate::manifest::{ModelManifest, ModelSpec};
use crate::workers::Workers;

/// Id in the manifest of the dense model (E1) of the compact profile.
pub const E1_MODEL: &str = "e1-all-minilm-l6-v2";

/// Settings of an [`Embedder`].
#[derive(Debug, Clone, Copy, Default)]
pub struct EmbedOptions {
    /// Threads that embed passages; 0, the default, for one per core. Queries have a thread of their own.
    pub threads: usize,
}

/// Embeds texts with the E1 model of a models folder. Clones share the model and its threads.
#[derive(Clone)]
pub struct Embedder(Arc<Shared>);

struct Shared {
    models_dir: PathBuf,
    options: EmbedOptions,
    spec: OnceLock<ModelSpec>,
    workers: Mutex<Option<Arc<Workers>>>,
}

impl Embedder {
    /// Reads nothing and starts no thread; the first call that needs them does.
    pub fn new(models_dir: PathBuf, options: EmbedOptions) -> Self {
        Self(Arc::new(Shared { models_dir, options, spec: OnceLock::new(), workers: Mutex::new(None) }))
    }

    /// Identifies the weights, as `<model id>@<start of their SHA-256>`; reads the manifest only.
    ///
    /// Vectors made under different identities must not be compared.
    pub fn model_id(&self) -> Result<String> {
        self.spec()?.weights_id()
    }

    /// Length of a vector; reads the manifest only.
    pub fn dimension(&self) -> Result<usize> {
        Ok(self.spec()?.dimension)
    }

    /// Whether the model is in memory.
    pub fn is_loaded(&self) -> bool {
        self.slot().is_some()
    }

    /// One vector of length 1 for each text, in order.
    ///
    /// Takes any number of texts of any length; a text longer than the model's input counts with its beginning. Working
    /// memory does not grow with the number of texts, apart from the result. Returns an error of code `Cancelled` within a
    /// fraction of a second after `cancel` is set.
    pub fn embed_passages(&self, texts: &[String], cancel: &Cancel) -> Result<Vec<Vec<f32>>> {
        self.workers()?.embed_passages(texts, cancel)
    }

    /// The vector of a query, of length 1. Does not wait for passages that are being embedded.
    pub fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        self.workers()?.embed_query(text)
    }

    fn spec(&self) -> Result<&ModelSpec> {
        if let Some(spec) = self.0.spec.get() {
            return Ok(spec);
        }
        let manifest = ModelManifest::load(&self.0.models_dir)?;
        let spec = manifest.get(E1_MODEL)?.clone();
        Ok(self.0.spec.get_or_init(|| spec))
    }

    /// The running threads, started and the model loaded if need be. After a failure the next call tries again.
    fn workers(&self) -> Result<Arc<Workers>> {
        let mut slot = self.slot();
        if let Some(workers) = slot.as_ref() {
            return Ok(workers.clone());
        }
        let started = Instant::now();
        let spec = self.spec()?;
        let model = DenseModel::load(&ModelManifest::load(&self.0.models_dir)?, spec)?;
        let threads = match self.0.options.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let workers = Arc::new(Workers::start(Arc::new(model), threads)?);
        tracing::info!(
            model = spec.id,
            threads,
            milliseconds = started.elapsed().as_millis(),
            "embedding model loaded"
        );
        *slot = Some(workers.clone());
        Ok(workers)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Workers>>> {
        // The slot is only ever replaced whole, so it is sound even if a load panicked.
        self.0.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
