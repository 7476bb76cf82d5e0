//! The settings of the engine.

use std::path::PathBuf;

use casetrack_core::{ChunkConfig, CitationStyle, Limits, Result, Tier};
use casetrack_embed::{EmbedOptions, MemoryMode, ModelProfile, Precision};
use casetrack_extract::ExtractOptions;
use casetrack_extract::isolation::WorkerCommand;
use serde::{Deserialize, Serialize};

use super::stores::StorePlace;
use crate::access::Access;
use crate::rights::Sight;

/// All settings of the engine. The defaults suit an 8 GB laptop. Fields that are not serialised come from the process that deserialises the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EngineConfig {
    /// The directory of collections on disk, and of all other data that stays on this machine.
    #[serde(skip)]
    pub data_dir: PathBuf,
    #[serde(skip)]
    pub store: StorePlace,
    /// The folder of model weights; searched in the usual places when `None`.
    pub models_dir: Option<PathBuf>,
    /// The pdfium library; searched in the usual places when `None`.
    pub pdfium: Option<PathBuf>,
    /// The languages of scans, by the names of tesseract's data, joined by `+`. Default "auto": detected on the first pages of each file.
    pub languages: String,
    pub tier: Tier,
    pub limits: Limits,
    pub chunks: ChunkConfig,
    /// The command that starts the processes that read files. `None` reads them in this process, for tests: a parser that crashes or hangs takes
    /// everything with it.
    #[serde(skip)]
    pub reader: Option<WorkerCommand>,
    /// Threads for inference; 0 for one per core.
    pub threads: usize,
    /// The models that stay in memory; chosen by the memory available when `None`.
    pub memory_mode: Option<MemoryMode>,
    /// The models that make and search vectors.
    pub profile: ModelProfile,
    /// The precision of the vectors of new collections; `None` chooses one that suits their models and this CPU. A collection keeps its own.
    pub precision: Option<Precision>,
    pub citations: CitationStyle,
    #[serde(skip)]
    pub access: Access,
    /// The rights that limit the collections, on a server for a team.
    #[serde(skip)]
    pub sight: Sight,
}

impl EngineConfig {
    pub fn new(data_dir: PathBuf) -> Self {
        Self {
            data_dir,
            store: StorePlace::default(),
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
            precision: None,
            citations: CitationStyle::default(),
            access: Access::default(),
            sight: Sight::default(),
        }
    }

    /// See `host/data_dir.rs`.
    pub fn default_data_dir() -> Result<PathBuf> {
        super::data_dir::default()
    }

    /// The folder for the data of the store's collections that stays on this machine: jobs, watches, and, in `collections`, copies of
    /// source files and uploads. For collections on disk it is the data directory.
    pub fn state_dir(&self) -> PathBuf {
        self.store.state_dir(&self.data_dir)
    }

    /// The options for reading files, without a password.
    pub fn extract_options(&self) -> ExtractOptions {
        ExtractOptions {
            limits: self.limits,
            pdfium: self.pdfium.clone(),
            languages: self.languages.clone(),
            ocr_model: self.ocr_model(),
            password: None,
        }
    }

    /// The folder of the second OCR engine's weights, if they were fetched.
    pub(crate) fn ocr_model(&self) -> Option<PathBuf> {
        casetrack_embed::model_folder(self.models_dir.as_deref(), casetrack_extract::OCR_MODEL)
    }

    /// The precision of the vectors of a new collection with these models.
    pub fn precision_of(&self, profile: ModelProfile) -> Precision {
        self.precision.unwrap_or_else(|| Precision::usual(profile))
    }

    pub(super) fn embed_options(&self, profile: ModelProfile, precision: Precision) -> EmbedOptions {
        let Self { threads, memory_mode: memory, .. } = *self;
        EmbedOptions { threads, memory, profile, precision, sparse_precision: precision }
    }
}
