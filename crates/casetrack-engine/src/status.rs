//! What the engine is and has: version, tier, models, storage.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::{Result, Tier};
use casetrack_embed::{Embedder, Outputs};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    pub version: String,
    pub tier: Tier,
    pub data_dir: String,
    /// What to know of the data directory: that a cloud service may synchronize it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir_notice: Option<String>,
    pub collections: u64,
    /// Bytes of all collections on disk, as of at most ten seconds ago.
    pub storage_bytes: u64,
    pub models: Vec<ModelStatus>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelStatus {
    /// `E1`, `E13`, …
    pub id: String,
    pub role: String,
    pub model: String,
    /// Whether its weights are in memory. Models load at first need.
    pub loaded: bool,
    /// Why it cannot be used, if so.
    pub problem: Option<String>,
}

impl Engine {
    /// Opens no collection and loads no model.
    pub fn status(&self) -> Result<Status> {
        let collections = self.registry().list()?;
        Ok(Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tier: self.config().tier,
            data_dir: self.config().data_dir.display().to_string(),
            data_dir_notice: crate::data_dir::notice(&self.config().data_dir),
            collections: collections.len() as u64,
            storage_bytes: self.storage().bytes_below(&self.config().data_dir),
            models: vec![self.dense_status(), self.sparse_status(), bm25_status()],
        })
    }

    fn dense_status(&self) -> ModelStatus {
        self.model_status("E1", "dense embeddings", Outputs::DENSE, Embedder::model_id)
    }

    fn sparse_status(&self) -> ModelStatus {
        self.model_status("E6", "learned-sparse embeddings", Outputs::SPARSE, Embedder::sparse_model_id)
    }

    fn model_status(
        &self,
        id: &str,
        role: &str,
        output: Outputs,
        model: impl Fn(&Embedder) -> Result<String>,
    ) -> ModelStatus {
        let (model, problem) = match self.embedder().and_then(model) {
            Ok(model) => (model, None),
            Err(error) => (String::new(), Some(error.full_text())),
        };
        let loaded = self.embedder().is_ok_and(|embedder| embedder.is_loaded(output));
        ModelStatus { id: id.into(), role: role.into(), model, loaded, problem }
    }
}

fn bm25_status() -> ModelStatus {
    ModelStatus {
        id: "E13".into(),
        role: "keyword search (BM25)".into(),
        model: "tantivy, k1 = 1.2, b = 0.75".into(),
        loaded: true,
        problem: None,
    }
}

/// The size of the data directory, which takes a look at every file in it, as it was found last.
#[derive(Default)]
pub(crate) struct StorageSize(Mutex<Option<(Instant, u64)>>);

impl StorageSize {
    /// Clients may ask for the status with every step they take.
    const KEPT: Duration = Duration::from_secs(10);

    fn bytes_below(&self, directory: &Path) -> u64 {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((at, bytes)) if at.elapsed() < Self::KEPT => bytes,
            _ => last.insert((Instant::now(), bytes_below(directory))).1,
        }
    }
}

/// Size of all files below a directory; those that cannot be read count 0.
fn bytes_below(directory: &Path) -> u64 {
    let files = walkdir::WalkDir::new(directory).into_iter().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
