use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use casetrack_core::{Action, Error, Result, Sha256};
use serde::{Deserialize, Serialize};

use crate::errors::damaged;

/// Name of the record in the folder of a pulled model.
pub const RECORD_FILE: &str = "pulled.json";

/// Advice for a model of the quality profile that is missing or damaged.
pub const PULL_HINT: Action = Action::PullModels;

/// The result of a pull: written once, when all files of a model had been checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRecord {
    pub repository: String,
    pub revision: String,
    pub files: Vec<PulledFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PulledFile {
    pub name: String,
    pub size: u64,
    pub sha256: Sha256,
}

impl PullRecord {
    pub fn read(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(RECORD_FILE);
        match fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&path, error).with_hint(PULL_HINT))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(path.display(), error)),
        }
    }

    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(RECORD_FILE);
        let text = serde_json::to_vec_pretty(self).map_err(|error| Error::internal(format!("pull record: {error}")))?;
        fs::write(&path, text).map_err(|error| Error::io(path.display(), error))
    }

    /// The SHA-256 that a file had when it was pulled.
    pub fn sha256(&self, name: &str) -> Option<Sha256> {
        self.files.iter().find(|file| file.name == name).map(|file| file.sha256)
    }
}
