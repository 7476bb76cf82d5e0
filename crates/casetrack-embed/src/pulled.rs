//! Pulled models on disk: the record of what was pulled, and whether it is still that.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, Result, Sha256};
use serde::{Deserialize, Serialize};

use crate::errors::{damaged, unreadable};
use crate::manifest::{ModelManifest, ModelProfile, ModelSpec, hash_file};

/// Name of the record in the folder of a pulled model.
pub const RECORD_FILE: &str = "pulled.json";

/// What to do about a model of the quality profile that is missing or damaged.
pub const PULL_HINT: Action = Action::PullModels;

/// What was pulled: written once, when all files of a model had been checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PulledRecord {
    pub repository: String,
    /// The commit of the repository.
    pub revision: String,
    pub files: Vec<PulledFile>,
}

/// One file as it was found to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PulledFile {
    pub name: String,
    /// In bytes.
    pub size: u64,
    pub sha256: Sha256,
}

impl PulledRecord {
    /// The record in a model's folder; `None` where there is none.
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
    fn sha256(&self, name: &str) -> Option<Sha256> {
        self.files.iter().find(|file| file.name == name).map(|file| file.sha256)
    }

    /// Fills in what the manifest leaves open: the commit, and the hashes that it does not pin.
    pub fn complete(&self, model: &mut ModelSpec) {
        model.source_revision.clone_from(&self.revision);
        for file in &mut model.files {
            file.sha256 = file.sha256.or_else(|| self.sha256(&file.name));
        }
    }
}

/// A model of the quality profile that is needed and not here.
pub fn not_pulled(id: &str) -> Error {
    Error::new(ErrorCode::MissingDependency, format!("The model {id} has not been pulled")).with_hint(PULL_HINT)
}

/// Compares the files of a pulled model with its record and with the hashes pinned in the manifest.
///
/// One error for each that is missing or differs; none where there is no folder of the model.
pub(crate) fn verify(model: &ModelSpec, dir: &Path) -> Vec<Error> {
    if !dir.is_dir() {
        return Vec::new();
    }
    let record = match PulledRecord::read(dir) {
        Ok(Some(record)) => record,
        Ok(None) => return vec![unreadable(&dir.join(RECORD_FILE), ErrorKind::NotFound.into()).with_hint(PULL_HINT)],
        Err(error) => return vec![error],
    };
    let mut problems = Vec::new();
    for file in &model.files {
        let path = dir.join(&file.name);
        let problem = match (hash_file(&path), file.sha256.or_else(|| record.sha256(&file.name))) {
            (Ok(found), Some(expected)) if found == expected => continue,
            (Ok(found), Some(expected)) => damaged(&path, format!("its SHA-256 is {found}, expected {expected}")),
            (Ok(_), None) => damaged(&path, format!("{RECORD_FILE} does not name it")),
            (Err(error), _) => unreadable(&path, error),
        };
        problems.push(problem.with_hint(PULL_HINT));
    }
    problems
}

/// Whether a model can be used.
#[derive(Debug)]
pub enum ModelState {
    /// All files are there and have the hashes they must have.
    Present,
    /// A model of the quality profile that was never pulled.
    NotPulled,
    /// Files are missing or differ: one error for each.
    Damaged(Vec<Error>),
}

impl ModelManifest {
    /// Looks at a model's files and hashes them all, which takes up to a second for each hundred megabytes.
    pub fn state(&self, model: &ModelSpec) -> ModelState {
        if model.profile == ModelProfile::Quality && !self.model_dir(model).is_dir() {
            return ModelState::NotPulled;
        }
        match self.verify_model(model) {
            problems if problems.is_empty() => ModelState::Present,
            problems => ModelState::Damaged(problems),
        }
    }
}
