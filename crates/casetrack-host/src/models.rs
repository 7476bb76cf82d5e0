//! The embedding services, and which of them makes the vectors of a collection.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use casetrack_core::{Action, Error, ErrorCode, Result};
use casetrack_embed::{EmbedOptions, Embedder, ModelProfile, Outputs, Precision, find_models_dir};
use casetrack_store::{Collection, TokenModel, VectorModels};

use super::{Host, lock};

/// Precisions that the dense and the learned-sparse vectors of a collection have. The last pair is from earlier versions, which had only dense
/// vectors in integers.
const PRECISIONS: [(Precision, Precision); 3] = [
    (Precision::Float32, Precision::Float32),
    (Precision::Int8, Precision::Int8),
    (Precision::Int8, Precision::Float32),
];

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

    /// The first service of a folder that fits, one in use first.
    fn that_fits(
        &self,
        models: &Path,
        is_it: impl Fn(&Embedder) -> bool,
        all: impl Iterator<Item = EmbedOptions> + Clone,
    ) -> Option<Embedder> {
        let in_use = lock(&self.0).iter().find_map(|(folder, options, embedder)| {
            let fits = folder == models && all.clone().any(|one| one == *options) && is_it(embedder);
            fits.then(|| embedder.clone())
        });
        // A service keeps the models that it read, so a service must not be kept if its models may not be installed yet.
        in_use.or_else(|| {
            let fits = all.clone().find(|options| is_it(&Embedder::new(models.to_owned(), *options)))?;
            Some(self.get(models.to_owned(), fits))
        })
    }
}

impl Host {
    /// The embedding service of new collections; its weights load at the first text.
    pub fn embedder(&self) -> Result<Embedder> {
        let profile = self.config.profile;
        self.embedder_with(profile, self.config.precision_of(profile))
    }

    pub fn embedder_with(&self, profile: ModelProfile, precision: Precision) -> Result<Embedder> {
        let models = find_models_dir(self.config.models_dir.as_deref())?;
        Ok(self.shared.embedders.get(models, self.config.embed_options(profile, precision)))
    }

    /// The embedding service that made the vectors of a collection, regardless of the settings for new ones. If none made both kinds, the service of
    /// the dense ones.
    pub fn embedder_of(&self, collection: &Collection) -> Result<Embedder> {
        let made_by = &collection.models().dense;
        self.embedder_that_makes(collection.models())?.ok_or_else(|| {
            let name = &collection.meta().name;
            let message = format!("The vectors of \"{name}\" were made by {made_by}, which is not installed here.");
            Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection)
        })
    }

    /// The embedding service of dense vectors with this identity, and of learned-sparse ones if there is one that makes both; `None` if
    /// no installed model makes the dense ones.
    pub fn embedder_that_makes(&self, vectors: &VectorModels) -> Result<Option<Embedder>> {
        let folder = find_models_dir(self.config.models_dir.as_deref())?;
        let pairs = PRECISIONS.into_iter().filter(|(dense, sparse)| vectors.sparse.is_some() || dense == sparse);
        let all = ModelProfile::ALL.into_iter().flat_map(|profile| pairs.clone().map(move |pair| (profile, pair)));
        let all = all.map(|(profile, (precision, sparse_precision))| EmbedOptions {
            sparse_precision,
            ..self.config.embed_options(profile, precision)
        });
        let makes_dense = |embedder: &Embedder| embedder.model_id().is_ok_and(|id| id == vectors.dense);
        let makes_sparse = |embedder: &Embedder| match &vectors.sparse {
            Some(sparse) => embedder.sparse_model_id().is_ok_and(|id| id == *sparse),
            None => true,
        };
        let embedders = &self.shared.embedders;
        let both = embedders.that_fits(&folder, |one| makes_dense(one) && makes_sparse(one), all.clone());
        Ok(both.or_else(|| embedders.that_fits(&folder, makes_dense, all)))
    }

    /// The service that makes the learned-sparse vectors of a collection, if the collection has any or takes any; an error if they
    /// cannot be made.
    pub fn sparse_embedder_of(&self, collection: &Collection) -> Result<Option<Embedder>> {
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

    /// The model of token vectors for a collection that is to have them.
    ///
    /// Errors: as for [`token_model`].
    pub fn token_model_of(&self, embedder: &Embedder) -> Result<TokenModel> {
        token_model(embedder)
    }

    /// The service that makes the token vectors of a collection, if the collection has any; an error if they cannot be made.
    pub fn token_embedder_of(&self, collection: &Collection) -> Result<Option<Embedder>> {
        let Some(made_by) = &collection.models().tokens else { return Ok(None) };
        let embedder = self.embedder_of(collection)?;
        let current = token_model(&embedder)?;
        if *made_by != current {
            let (name, made_by, current) = (&collection.meta().name, &made_by.id, &current.id);
            let message =
                format!("The token vectors of \"{name}\" are made by {made_by}; installed here is {current}.");
            return Err(Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection));
        }
        // Loaded here, so that a damaged one is known before the work begins.
        embedder.model(Outputs::TOKENS)?;
        Ok(Some(embedder))
    }
}

/// The model of the dense vectors, and the model of the token vectors if there are any, in words.
pub fn described(models: &VectorModels) -> String {
    match &models.tokens {
        None => models.dense.clone(),
        Some(tokens) if tokens.id == models.dense => format!("{} with token vectors", models.dense),
        Some(tokens) => format!("{} with token vectors of {}", models.dense, tokens.id),
    }
}

/// The model that makes token vectors with a service.
///
/// Errors: its profile has none, or the manifest cannot be read.
pub fn token_model(embedder: &Embedder) -> Result<TokenModel> {
    if !embedder.makes(Outputs::TOKENS)? {
        let message = format!("{} comes with no model for token vectors (E12).", embedder.model_id()?);
        return Err(Error::invalid(message).with_hint("Leave late interaction out, or choose the profile compact."));
    }
    let (id, dimension) = embedder.token_model()?;
    Ok(TokenModel { id, dimension: dimension as u32 })
}

/// The identities of the models of a service, without token vectors. Without a learned-sparse model, which a profile may lack, a collection is made
/// without such
pub fn vector_models(embedder: &Embedder) -> Result<VectorModels> {
    let sparse = embedder.makes(Outputs::SPARSE)?.then(|| embedder.sparse_model_id());
    let sparse = sparse.transpose().inspect_err(|error| {
        tracing::warn!(%error, "a collection is made without learned-sparse vectors");
    });
    let dense_dimension = embedder.dimension()? as u32;
    Ok(VectorModels { dense: embedder.model_id()?, dense_dimension, sparse: sparse.ok().flatten(), tokens: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineConfig;

    #[test]
    fn collections_keep_the_precisions_that_they_were_made_with() {
        let data = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(data.path().to_owned())).unwrap();
        let service = |precision, sparse_precision| {
            let options = host.config.embed_options(ModelProfile::Compact, precision);
            Embedder::new(find_models_dir(None).unwrap(), EmbedOptions { sparse_precision, ..options })
        };
        // Once with no service in use, and once with all of them.
        for _ in 0..2 {
            for (dense, sparse) in PRECISIONS {
                let made_by = vector_models(&service(dense, sparse)).unwrap();
                let found = host.embedder_that_makes(&made_by).unwrap().unwrap();
                assert_eq!(vector_models(&found).unwrap(), made_by);
                // Learned-sparse vectors that it gets later have the precision of the dense ones.
                let without = VectorModels { sparse: None, ..made_by.clone() };
                let found = host.embedder_that_makes(&without).unwrap().unwrap();
                assert_eq!(vector_models(&found).unwrap(), vector_models(&service(dense, dense)).unwrap());
                // Sparse vectors of a model that is gone do not keep the dense ones from being used.
                let other = VectorModels { sparse: Some("gone@1".to_owned()), ..made_by.clone() };
                let found = host.embedder_that_makes(&other).unwrap().unwrap();
                assert_eq!(found.model_id().unwrap(), made_by.dense);
            }
        }
    }

    #[test]
    fn new_collections_get_the_precision_that_was_chosen_or_suits_their_models() {
        let mut config = EngineConfig::new("unused".into());
        let fast = if Precision::Int8.is_fast() { Precision::Int8 } else { Precision::Float32 };
        assert_eq!(ModelProfile::ALL.map(|profile| config.precision_of(profile)), [fast, Precision::Float32, fast]);
        for precision in Precision::ALL {
            config.precision = Some(precision);
            assert_eq!(ModelProfile::ALL.map(|profile| config.precision_of(profile)), [precision; 3]);
        }
    }
}
