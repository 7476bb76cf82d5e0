//! The embedding services, and which of them makes the vectors of a collection.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use casetrack_core::{Action, Error, ErrorCode, Result};
use casetrack_embed::{EmbedOptions, Embedder, ModelProfile, Outputs, Precision, find_models_dir};
use casetrack_store::{Collection, VectorModels};

use super::{Host, lock};

/// The embedding services in use, each with its models folder and settings.
#[derive(Default)]
pub(super) struct Embedders(Mutex<Vec<(PathBuf, EmbedOptions, Embedder)>>);

impl Embedders {
    /// The service of a folder and settings; its weights load at the first text.
    fn get(&self, models: PathBuf, options: EmbedOptions) -> Embedder {
        let mut embedders = lock(&self.0);
        let same = embedders.iter().find(|(folder, settings, _)| (folder, settings) == (&models, &options));
        match same {
            Some((.., embedder)) => embedder.clone(),
            None => {
                let embedder = Embedder::new(models.clone(), options);
                embedders.push((models, options, embedder.clone()));
                embedder
            }
        }
    }

    /// The service of a folder whose dense vectors have this identity, one in use first.
    fn that_makes(
        &self,
        models: &Path,
        dense: &str,
        all: impl Iterator<Item = EmbedOptions> + Clone,
    ) -> Option<Embedder> {
        let is_it = |embedder: &Embedder| embedder.model_id().is_ok_and(|id| id == dense);
        let in_use = lock(&self.0).iter().find_map(|(folder, options, embedder)| {
            let fits = folder == models && all.clone().any(|one| one == *options) && is_it(embedder);
            fits.then(|| embedder.clone())
        });
        // A service remembers what it read of the models; one that may not be installed yet must not be kept.
        in_use.or_else(|| {
            let fits = all.clone().find(|options| is_it(&Embedder::new(models.to_owned(), *options)))?;
            Some(self.get(models.to_owned(), fits))
        })
    }
}

impl Host {
    /// The embedding service of new collections; its weights load at the first text.
    pub(crate) fn embedder(&self) -> Result<Embedder> {
        self.embedder_with(self.config.profile, self.config.precision)
    }

    /// The embedding service of a profile and precision.
    pub(crate) fn embedder_with(&self, profile: ModelProfile, precision: Precision) -> Result<Embedder> {
        let models = find_models_dir(self.config.models_dir.as_deref())?;
        let options = EmbedOptions { profile, precision, ..self.config.embed_options() };
        Ok(self.shared.embedders.get(models, options))
    }

    /// The embedding service that made the dense vectors of a collection, whatever the settings for new ones are.
    pub(crate) fn embedder_of(&self, collection: &Collection) -> Result<Embedder> {
        let made_by = &collection.models().dense;
        self.embedder_that_makes(made_by)?.ok_or_else(|| {
            let name = &collection.meta().name;
            let message = format!("The vectors of \"{name}\" were made by {made_by}, which is not installed here.");
            Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection)
        })
    }

    /// The embedding service with this identity; `None` where no installed model has it.
    pub(crate) fn embedder_that_makes(&self, dense: &str) -> Result<Option<Embedder>> {
        let folder = find_models_dir(self.config.models_dir.as_deref())?;
        let all =
            ModelProfile::ALL.into_iter().flat_map(|profile| Precision::ALL.map(|precision| (profile, precision)));
        let all = all.map(|(profile, precision)| EmbedOptions { profile, precision, ..self.config.embed_options() });
        Ok(self.shared.embedders.that_makes(&folder, dense, all))
    }

    /// The service that makes the learned-sparse vectors of a collection, if the collection has any or takes any; an error where they
    /// cannot be made.
    pub(crate) fn sparse_embedder_of(&self, collection: &Collection) -> Result<Option<Embedder>> {
        let Some(made_by) = &collection.models().sparse else { return Ok(None) };
        let embedder = self.embedder_of(collection)?;
        let current = embedder.sparse_model_id()?;
        if *made_by != current {
            let name = &collection.meta().name;
            let message =
                format!("The learned-sparse vectors of \"{name}\" are made by {made_by}; installed here is {current}.");
            return Err(Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection));
        }
        // Loaded here, so that a damaged one is known before the work begins.
        embedder.model(Outputs::SPARSE)?;
        Ok(Some(embedder))
    }
}

/// The identities of what a service makes. Without a learned-sparse model, which a profile may not have, a collection is made without such
/// vectors.
pub(crate) fn vector_models(embedder: &Embedder) -> Result<VectorModels> {
    let sparse = embedder.makes(Outputs::SPARSE)?.then(|| embedder.sparse_model_id());
    let sparse = sparse.transpose().inspect_err(|error| {
        tracing::warn!(%error, "a collection is made without learned-sparse vectors");
    });
    let dense_dimension = embedder.dimension()? as u32;
    Ok(VectorModels { dense: embedder.model_id()?, dense_dimension, sparse: sparse.ok().flatten() })
}
