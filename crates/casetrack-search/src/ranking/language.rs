//! The language of the found passages decides which models count: those that know it.

use std::collections::{HashMap, HashSet};

use casetrack_core::{DocumentId, Result};
use casetrack_embed::{Embedder, Outputs};
use casetrack_store::{Collection, Hit};

use crate::Weights;

/// Most passages of keyword search whose documents' language is read.
const LOOKED_AT: usize = 20;

/// The hits of the models, a list for each scope.
pub(crate) struct ModelHits<'f> {
    pub dense: Option<&'f mut Vec<Vec<Hit>>>,
    pub sparse: Option<&'f mut Vec<Vec<Hit>>>,
}

/// The weights for the language of most of the best passages of keyword search. A model that does not cover it has weight 0, because such a text is only
/// word pieces to it. Passages in other languages that a model does not know are removed from its list. Reads the descriptions of at most 20
/// documents of each list, and of all documents of a list with such passages.
pub(crate) fn weights(
    collection: &Collection,
    bm25: &[Hit],
    found: ModelHits<'_>,
    embedder: Option<&Embedder>,
) -> Result<Weights> {
    let mut weights = Weights::default();
    let Some(embedder) = embedder else { return Ok(weights) };
    let mut languages = Languages { collection, known: HashMap::new() };
    let stages =
        [(Outputs::DENSE, &mut weights.dense, found.dense), (Outputs::SPARSE, &mut weights.sparse, found.sparse)];
    for (output, weight, lists) in stages {
        // A model that is missing has no list, and its weight does not matter.
        let knows = |tag: &str| embedder.knows(output, tag).unwrap_or(true);
        let foreign = languages.foreign(bm25.iter().take(LOOKED_AT), knows)?.len();
        if 2 * foreign > bm25.len().min(LOOKED_AT) {
            *weight = 0.0;
            continue;
        }
        for list in lists.into_iter().flatten() {
            if foreign > 0 || !languages.foreign(list.iter().take(LOOKED_AT), knows)?.is_empty() {
                let foreign = languages.foreign(list.iter(), knows)?;
                list.retain(|hit| !foreign.contains(&(hit.document, hit.index)));
            }
        }
    }
    Ok(weights)
}

struct Languages<'c> {
    collection: &'c Collection,
    known: HashMap<DocumentId, Option<String>>,
}

impl Languages<'_> {
    /// The passages whose documents are in languages that a model does not cover.
    fn foreign<'h>(
        &mut self,
        hits: impl Iterator<Item = &'h Hit>,
        knows: impl Fn(&str) -> bool,
    ) -> Result<HashSet<(DocumentId, u32)>> {
        let mut foreign = HashSet::new();
        for hit in hits {
            if self.of(hit.document)?.is_some_and(|tag| !knows(tag)) {
                foreign.insert((hit.document, hit.index));
            }
        }
        Ok(foreign)
    }

    fn of(&mut self, document: DocumentId) -> Result<Option<&str>> {
        if !self.known.contains_key(&document) {
            let language = self.collection.document(document)?.and_then(|meta| meta.properties.language);
            self.known.insert(document, language);
        }
        Ok(self.known.get(&document).and_then(Option::as_deref))
    }
}
