//! The literal parts of a query: quoted words, numbers, identifiers, citations of several parts.

use std::collections::HashMap;
use std::sync::Arc;

use casetrack_core::{DocumentId, Result};
use casetrack_store::{Collection, Conditions, Expression, Filter, Selection, WordConditions, Words};

use super::section;
use super::worth::rarity;

/// A number or identifier in more than one of this many passages is not distinctive …
const ONE_IN: u64 = 100;
/// … unless at most this many passages have it.
const FEW: u64 = 5;
/// The weight of quoted words against numbers, which cannot be paraphrased.
const QUOTED: f32 = 0.7;
const MAX_TOKENS: usize = 16;

pub(super) struct Literals {
    /// The passages among them that were searched.
    pub filter: Filter,
    /// The share that each of them has, 0–1.
    weights: HashMap<(DocumentId, u32), f32>,
}

impl Literals {
    pub fn weight(&self, document: DocumentId, index: u32) -> f32 {
        self.weights.get(&(document, index)).copied().unwrap_or(0.0)
    }
}

/// The passages of `searched` (`None` for all) that have one of `phrases`, a rare number or identifier of `text`, or a citation of several parts;
/// `None` if there are none. A notice reports for each phrase whether any passage has it.
pub(super) fn literals(
    collection: &Collection,
    text: &str,
    phrases: &[String],
    searched: Option<&Arc<Selection>>,
    notices: &mut Vec<String>,
) -> Result<Option<Literals>> {
    let all = collection.counts()?.chunks;
    let with = |words: &str| {
        let required = WordConditions { required: vec![words.to_owned()], ..WordConditions::default() };
        collection.select(&Conditions { words: required, ..Conditions::default() })
    };
    let mut found: Vec<(f32, Vec<(DocumentId, u32)>)> = Vec::new();
    for phrase in phrases {
        let places = collection.places(&with(phrase)?);
        if places.is_empty() {
            notices.push(format!("No passage contains “{phrase}” word for word."));
            continue;
        }
        notices
            .push(format!("Passages with “{phrase}” are preferred. Put a + before the quotes to search these only."));
        found.push((QUOTED, places));
    }
    for token in tokens(text).filter(|token| !phrases.iter().any(|phrase| phrase.contains(token))).take(MAX_TOKENS) {
        let selected = with(token)?;
        if (1..=FEW.max(all / ONE_IN)).contains(&selected.chunks()) {
            found.push((1.0, collection.places(&selected)));
        }
    }
    for ways in section::citations(text) {
        let phrases = ways.into_iter().map(Words::Phrase).collect();
        let expression = Some(Expression::Words(Words::Any(phrases)));
        let cited = collection.select(&Conditions { expression, ..Conditions::default() })?;
        if cited.chunks() > 0 {
            found.push((1.0, collection.places(&cited)));
        }
    }
    if found.is_empty() {
        return Ok(None);
    }
    let weights = weights(&found, all);
    Ok(Some(Literals { filter: only(collection, weights.keys(), searched)?, weights }))
}

/// A filter for these passages of `searched` (`None` for all).
pub(super) fn only<'p>(
    collection: &Collection,
    places: impl Iterator<Item = &'p (DocumentId, u32)>,
    searched: Option<&Arc<Selection>>,
) -> Result<Filter> {
    let chunks = Conditions { chunks: Some(places.copied().collect()), ..Conditions::default() };
    let mut selection = collection.select(&chunks)?;
    if let Some(searched) = searched {
        selection = selection.within(searched);
    }
    Ok(Filter { selection: Some(Arc::new(selection)), documents: None })
}

/// The weights of passages that have literal parts, each with its own weight, among `all` passages.
fn weights(found: &[(f32, Vec<(DocumentId, u32)>)], all: u64) -> HashMap<(DocumentId, u32), f32> {
    let total: f32 = found.iter().map(|(_, places)| rarity(places.len(), all)).sum();
    let mut weights: HashMap<(DocumentId, u32), f32> = HashMap::new();
    for (counts, places) in found {
        let weight = counts * rarity(places.len(), all).powi(3) / total;
        places.iter().for_each(|place| *weights.entry(*place).or_default() += weight);
    }
    weights
}

/// Words with a digit, as they are written: `12439`, `INV-2023-0042`, `7.6`.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let trimmed = |word| str::trim_matches(word, |c: char| !c.is_alphanumeric());
    text.split_whitespace().map(trimmed).filter(|word| word.contains(|c: char| c.is_numeric()) && word.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_identifiers_are_tokens() {
        let found: Vec<&str> = tokens("Is invoice INV-2023-0042, (no. 12439) due under 7.6 or section 4?").collect();
        assert_eq!(found, ["INV-2023-0042", "12439", "7.6"]);
    }
}
