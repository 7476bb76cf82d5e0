//! The share of a question that is in the passages that keyword search finds for it.
//!
//! A layman uses other words than a law. Keyword search then finds passages by chance, which count as much in the fusion as if they had all the
//! words. The learned-sparse model knows related words; a collection without it has only the dense model.

use casetrack_core::Result;
use casetrack_store::{Collection, Hit};

/// The share (0–1) of the question's words, weighted by rarity, that are close together in the best passage of keyword search. Reads that passage.
pub(super) fn share(collection: &Collection, question: &str, best: &[Hit]) -> Result<f32> {
    let Some(best) = best.first() else { return Ok(0.0) };
    let Some(passage) = collection.passages().at(best.document, best.index)? else { return Ok(0.0) };
    let language = passage.document.meta.properties.language.as_deref();
    let weights = collection.term_weights(question)?;
    Ok(weights.reader().densest(&passage.chunk.text, language).0)
}
