use std::io::ErrorKind;
use std::path::Path;

use casetrack_core::{Action, Error, Result, Sha256};

use crate::checksum::ExpectedChecksum;
use crate::errors::{damaged, unreadable};
use crate::manifest::{ModelManifest, ModelProfile, ModelSpec};
use crate::pull_record::{PULL_HINT, PullRecord, RECORD_FILE};

/// The state of a model's files.
#[derive(Debug)]
pub enum ModelState {
    /// All files are present and have the expected hashes.
    Present,
    /// A model that does not ship with CaseTrack and was never pulled or added.
    NotPulled,
    /// Files are missing or differ: one error for each.
    Damaged(Vec<Error>),
}

impl ModelManifest {
    /// Checks the files of a model, hashing all of them, which takes up to a second for each hundred megabytes.
    pub fn state(&self, model: &ModelSpec) -> ModelState {
        if model.profile != ModelProfile::Compact && !self.model_dir(model).is_dir() {
            return ModelState::NotPulled;
        }
        match self.verify_model(model) {
            problems if problems.is_empty() => ModelState::Present,
            problems => ModelState::Damaged(problems),
        }
    }

    /// Compares every file with its SHA-256 and returns one error for each that is missing or differs. Reads all
    /// weights (tens of megabytes). A model that was never pulled or added is not an error.
    pub fn verify_files(&self) -> Vec<Error> {
        self.models().iter().flat_map(|model| self.verify_model(model)).collect()
    }

    /// The same for one model. The files of a pulled model are compared with its record too.
    fn verify_model(&self, model: &ModelSpec) -> Vec<Error> {
        let dir = self.model_dir(model);
        if model.profile == ModelProfile::Multilingual && !dir.is_dir() {
            return Vec::new();
        }
        if model.profile != ModelProfile::Quality {
            let problems = model.files.iter().filter_map(|file| {
                let compared = compare(&dir.join(&file.name), file.sha256, "the manifest has no SHA-256 for it");
                let added = model.profile == ModelProfile::Multilingual;
                compared.err().map(|problem| if added { problem.with_hint(Action::AddModels) } else { problem })
            });
            return problems.collect();
        }
        if !dir.is_dir() {
            return Vec::new();
        }
        let record = match PullRecord::read(&dir) {
            Ok(Some(record)) => record,
            Ok(None) => {
                return vec![unreadable(&dir.join(RECORD_FILE), ErrorKind::NotFound.into()).with_hint(PULL_HINT)];
            }
            Err(error) => return vec![error],
        };
        let problems = model.files.iter().filter_map(|file| {
            let expected = file.sha256.or_else(|| record.sha256(&file.name));
            let compared = compare(&dir.join(&file.name), expected, &format!("{RECORD_FILE} does not name it"));
            compared.err().map(|problem| problem.with_hint(PULL_HINT))
        });
        problems.collect()
    }
}

/// Checks that a file has its hash; `unknown` is the reason if there is none to compare with.
fn compare(path: &Path, expected: Option<Sha256>, unknown: &str) -> Result<()> {
    let checked = ExpectedChecksum { sha256: expected, ..ExpectedChecksum::default() }.check(path);
    match checked.map_err(|error| unreadable(path, error))? {
        Ok(_) if expected.is_some() => Ok(()),
        Ok(_) => Err(damaged(path, unknown)),
        Err(problem) => Err(damaged(path, problem)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use casetrack_core::ErrorCode;

    use super::*;
    use crate::models_dir::{MANIFEST_FILE, find_models_dir};

    #[test]
    fn the_vendored_files_match_the_manifest() {
        let manifest = ModelManifest::load(&find_models_dir(None).unwrap()).unwrap();
        let problems: Vec<String> = manifest.verify_files().iter().map(Error::full_text).collect();
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn a_changed_and_a_missing_file_are_each_reported() {
        let dir = tempfile::tempdir().unwrap();
        fs::copy(find_models_dir(None).unwrap().join(MANIFEST_FILE), dir.path().join(MANIFEST_FILE)).unwrap();
        let copy = ModelManifest::load(dir.path()).unwrap();
        let model = copy.model_dir(&copy.models()[0]);
        fs::create_dir_all(&model).unwrap();
        for file in &copy.models()[0].files[1..] {
            fs::write(model.join(&file.name), b"something else").unwrap();
        }
        let problems = copy.verify_model(&copy.models()[0]);
        assert_eq!(problems.len(), copy.models()[0].files.len());
        assert_eq!(problems[0].code, ErrorCode::MissingDependency);
        assert!(problems[1..].iter().all(|problem| problem.code == ErrorCode::Corrupt && problem.hint.is_some()));
    }
}
