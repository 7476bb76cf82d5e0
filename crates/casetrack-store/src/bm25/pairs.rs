//! The pairs of a query in tantivy's index.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_keyword::{PAIR_WEIGHT, pairs};
use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, PhraseQuery, Query};
use tantivy::{Searcher, Term};

use super::lexicon::IndexLexicon;
use super::{Bm25Index, rounded};

impl Bm25Index {
    /// The best chunks with the scores that the pairs of a query add, best first, equal scores by slot.
    pub(super) fn with_pairs(
        &self,
        searcher: &Searcher,
        query: &str,
        mut found: Vec<(u64, f32)>,
    ) -> Result<Vec<(u64, f32)>> {
        let pairs = pairs(&IndexLexicon { index: self, searcher }, query)?;
        if pairs.is_empty() || found.is_empty() {
            return Ok(found);
        }
        let clauses = pairs.into_iter().map(|(first, second)| {
            let [first, second] = [first, second].map(|term| Term::from_field_text(self.fields.text, &term));
            let pair = BoostQuery::new(Box::new(PhraseQuery::new(vec![first, second])), PAIR_WEIGHT);
            (Occur::Should, Box::new(pair) as Box<dyn Query>)
        });
        let added = self.scores(searcher, &BooleanQuery::new(clauses.collect())).map_err(|error| self.error(error))?;
        for (slot, score) in &mut found {
            if let Some(more) = added.get(slot) {
                *score = rounded(*score + more);
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }

    /// The score of each chunk that a query finds, by slot.
    fn scores(&self, searcher: &Searcher, query: &dyn Query) -> tantivy::Result<HashMap<u64, f32>> {
        let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
        let mut added: HashMap<u64, f32> = HashMap::new();
        for segment in searcher.segment_readers() {
            let slots = segment.fast_fields().u64("slot")?;
            weight.for_each(segment, &mut |chunk, score| {
                added.extend(slots.first(chunk).map(|slot| (slot, score)));
            })?;
        }
        Ok(added)
    }
}
