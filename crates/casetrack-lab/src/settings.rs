//! The common options of every command, and the objects built from them.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};
use casetrack_embed::{EmbedOptions, Embedder, ModelProfile, Outputs, Precision, find_models_dir};
use casetrack_engine::{AUTO_LANGUAGES, Engine, EngineConfig, WorkerCommand};

#[derive(Debug, clap::Args)]
pub struct Settings {
    /// Directory with the model weights [default: next to the program]
    #[arg(long, global = true, env = "CASETRACK_MODELS", value_name = "DIR")]
    models_dir: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Show no progress and no warnings, only results and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Threads for the models [default: one per core]
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Models to use: compact, quality or multilingual
    #[arg(long, global = true, env = "CASETRACK_PROFILE", value_name = "PROFILE", default_value = "compact")]
    profile: ModelProfile,
    /// Precision of dense and learned-sparse vectors: float32 or int8
    #[arg(long, global = true, env = "CASETRACK_PRECISION", value_name = "PRECISION", default_value = "float32")]
    precision: Precision,
    /// Languages of scans, as tesseract names them: eng, deu+fra; or auto: detected on the first pages of each file
    #[arg(long, global = true, env = "CASETRACK_LANGUAGES", value_name = "LANGUAGES", default_value = AUTO_LANGUAGES)]
    languages: String,
}

impl Settings {
    /// An engine on a data directory, which reads files in separate processes as the product does.
    pub fn engine(&self, data_dir: &Path) -> Result<Engine> {
        let data_dir = std::path::absolute(data_dir).map_err(|error| Error::io(data_dir.display(), error))?;
        let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
        let mut config = EngineConfig::new(data_dir);
        config.models_dir = self.models_dir.clone();
        config.threads = self.threads;
        config.profile = self.profile;
        config.precision = Some(self.precision);
        config.languages = self.languages.clone();
        config.reader = Some(WorkerCommand { program, arguments: vec!["read-files".to_owned()] });
        Engine::new(config)
    }

    /// Only the models.
    pub fn embedder(&self) -> Result<Embedder> {
        let Self { threads, profile, precision, .. } = *self;
        Ok(Embedder::new(
            find_models_dir(self.models_dir.as_deref())?,
            EmbedOptions { threads, profile, precision, sparse_precision: precision, ..EmbedOptions::default() },
        ))
    }
}

/// Parses the name of a model by its output.
pub fn outputs(text: &str) -> Result<Outputs> {
    match text {
        "e1" => Ok(Outputs::DENSE),
        "e6" => Ok(Outputs::SPARSE),
        "e12" => Ok(Outputs::TOKENS),
        "all" => Ok(Outputs::ALL),
        _ => Err(Error::invalid(format!("\"{text}\" is not one of e1, e6, e12, all"))),
    }
}
