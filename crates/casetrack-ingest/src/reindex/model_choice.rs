//! The models of a collection by its first documents, if none were chosen.

use std::collections::BTreeMap;
use std::time::Duration;

use casetrack_core::{Cancel, CollectionId, Notice, Result};
use casetrack_embed::{ModelManifest, ModelProfile, ModelState, Outputs, find_models_dir};
use casetrack_extract::language_name;

use crate::{IngestRequest, languages};
use casetrack_host::{Host, StorePlace, vector_models};

use super::model_move;

/// Longest wait until the empty collection is idle.
const PATIENCE: Duration = Duration::from_secs(10);

/// Gives an empty collection without chosen models the multilingual ones, if these are installed and cover the languages of most of the first
/// documents that the request names, and the collection's own do not. Returns a notice in this case. In a database it keeps its own.
pub fn fit_models(host: &Host, id: CollectionId, request: &IngestRequest, cancel: &Cancel) -> Result<Option<Notice>> {
    let collection = host.collection_to_change(id)?;
    if *host.store_place() != StorePlace::Disk
        || !collection.models_are_open()
        || collection.counts()?.documents > 0
        || !is_installed(host, ModelProfile::Multilingual)?
    {
        return Ok(None);
    }
    let own = host.embedder_of(&collection)?;
    let profile = ModelProfile::Multilingual;
    let other = host.embedder_with(profile, host.config().precision_of(profile))?;
    let tags = languages::of_first(host, request, cancel)?;
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in &tags {
        if !own.knows(Outputs::DENSE, tag)? && other.knows(Outputs::DENSE, tag)? {
            *unknown.entry(language_name(tag)).or_default() += 1;
        }
    }
    let most = unknown.iter().max_by_key(|(_, count)| **count).map(|(name, _)| *name);
    let Some(language) = most.filter(|_| 2 * unknown.values().sum::<usize>() > tags.len()) else { return Ok(None) };
    let target = host.registry().moving(collection.meta(), &vector_models(&other)?)?;
    drop(collection);
    model_move::replace(host, id, target, PATIENCE, cancel)?;
    Ok(Some(
        format!(
            "The first documents are in {language}, and no models were chosen for this collection. It uses those of \
             the profile {}, which know that language.",
            profile.name()
        )
        .into(),
    ))
}

fn is_installed(host: &Host, profile: ModelProfile) -> Result<bool> {
    let manifest = ModelManifest::load_pins(&find_models_dir(host.config().models_dir.as_deref())?)?;
    Ok(matches!(manifest.state(manifest.that_makes(Outputs::DENSE, profile)?), ModelState::Present))
}
