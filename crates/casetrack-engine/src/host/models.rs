//! The embedding services, and whether their vectors may be compared with those of a collection.

use std::path::PathBuf;
use std::sync::Mutex;

use casetrack_core::{Action, Error, ErrorCode, Result, hint};
use casetrack_embed::{EmbedOptions, Embedder, Outputs};
use casetrack_store::Collection;

use super::lock;

/// The embedding services in use, each with its models folder and settings.
#[derive(Default)]
pub(super) struct Embedders(Mutex<Vec<(PathBuf, EmbedOptions, Embedder)>>);

impl Embedders {
    /// The service of a folder and settings; its weights load at the first text.
    pub fn get(&self, models: PathBuf, options: EmbedOptions) -> Embedder {
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
}

/// Fails where the dense vectors of `embedder` may not be compared with those of the collection.
pub(super) fn check_dense(embedder: &Embedder, collection: &Collection) -> Result<()> {
    let (made_by, current) = (&collection.models().dense, embedder.model_id()?);
    if *made_by == current {
        return Ok(());
    }
    let name = &collection.meta().name;
    Err(Error::new(
        ErrorCode::ModelMismatch,
        format!("The vectors of \"{name}\" were made by {made_by}; the model in use now is {current}."),
    )
    .with_hint(hint![Action::UseModelsOfCollection, " Or ingest the documents into a new collection."]))
}

/// Fails where the learned-sparse vectors of `embedder` may not be compared with those that `made_by` makes for the collection, or
/// cannot be made.
pub(super) fn check_sparse(embedder: &Embedder, collection: &Collection, made_by: &str) -> Result<()> {
    let current = embedder.sparse_model_id()?;
    if made_by != current {
        let name = &collection.meta().name;
        let message = format!(
            "The learned-sparse vectors of \"{name}\" are made by {made_by}; the model in use now is {current}."
        );
        return Err(Error::new(ErrorCode::ModelMismatch, message).with_hint(Action::UseModelsOfCollection));
    }
    // Loaded here, so that a damaged one is known before the work begins.
    embedder.model(Outputs::SPARSE)?;
    Ok(())
}
