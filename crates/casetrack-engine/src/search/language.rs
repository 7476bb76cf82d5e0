//! The language of what a query finds decides how much the models count, which know English only.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_store::{Collection, Hit};

use super::Weights;

/// The best passages of keyword search whose documents are looked at.
const LOOKED_AT: usize = 20;
/// The weights where most of those are not in English: to the models such a text is a sequence of pieces of words.
const NOT_ENGLISH: Weights = Weights { bm25: 1.0, dense: 0.2, sparse: 0.2 };

/// The weights that suit the language of most of the best passages, by what is known of their documents. Reads up to 20 documents'
/// descriptions.
pub(super) fn weights(collection: &Collection, found: &[Hit]) -> Result<Weights> {
    let mut passages = HashMap::new();
    for hit in found.iter().take(LOOKED_AT) {
        *passages.entry(hit.document).or_insert(0usize) += 1;
    }
    let (mut english, mut other) = (0, 0);
    for (document, passages) in passages {
        match collection.document(document)?.and_then(|meta| meta.properties.language) {
            Some(language) if !is_english(&language) => other += passages,
            _ => english += passages,
        }
    }
    Ok(if other > english { NOT_ENGLISH } else { Weights::default() })
}

/// Whether a BCP 47 tag is one of English.
fn is_english(tag: &str) -> bool {
    tag.split(['-', '_']).next().is_some_and(|language| language.eq_ignore_ascii_case("en"))
}
