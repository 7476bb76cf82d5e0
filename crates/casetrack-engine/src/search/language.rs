//! The language of what a query finds decides which models count: those that know it.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_embed::{Embedder, Outputs};
use casetrack_store::{Collection, Hit};

use super::Weights;

/// The best passages of keyword search whose documents are looked at.
const LOOKED_AT: usize = 20;

/// The weights for the language of most of the best passages, by what is known of their documents: a model that does not know it has
/// none, since to it such a text is a sequence of pieces of words. Reads up to 20 documents' descriptions.
pub(super) fn weights(collection: &Collection, found: &[Hit], embedder: Option<&Embedder>) -> Result<Weights> {
    let mut weights = Weights::default();
    let Some(embedder) = embedder else { return Ok(weights) };
    let mut passages = HashMap::new();
    for hit in found.iter().take(LOOKED_AT) {
        *passages.entry(hit.document).or_insert(0usize) += 1;
    }
    let mut by_language: HashMap<Option<String>, usize> = HashMap::new();
    for (document, passages) in passages {
        let language = collection.document(document)?.and_then(|meta| meta.properties.language);
        *by_language.entry(language).or_default() += passages;
    }
    for (output, weight) in [(Outputs::DENSE, &mut weights.dense), (Outputs::SPARSE, &mut weights.sparse)] {
        let (mut known, mut unknown) = (0, 0);
        for (language, passages) in &by_language {
            // A model that is missing has no list, and its weight does not matter.
            let knows = language.as_ref().is_none_or(|tag| embedder.knows(output, tag).unwrap_or(true));
            *if knows { &mut known } else { &mut unknown } += passages;
        }
        if unknown > known {
            *weight = 0.0;
        }
    }
    Ok(weights)
}
