//! Words that stand next to each other in a query count more where they do so in a text, too: "liquidated damages" is more than both
//! words somewhere (Metzler and Croft 2005, "A Markov random field model for term dependencies").

use std::collections::{HashMap, HashSet};

use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, PhraseQuery, Query};
use tantivy::{Searcher, Term};

use super::languages::in_order;
use super::lexicon::{Lexicon, Searched, TextField};
use super::terms::COMMON;
use super::{Bm25Index, rounded};

/// The weight of a pair against that of its words.
pub(crate) const WEIGHT: f32 = 0.3;
/// Most pairs of a query that are looked up, those of the rarest words.
const MAX_PAIRS: usize = 6;
/// The rarer word of a pair is in at most this many chunks: positions of others take too long to read.
const MAX_CHUNKS: u64 = 5_000;

impl Bm25Index {
    /// The best chunks with what the pairs of a query add to their scores, best first, equal scores by slot.
    pub(super) fn with_pairs(
        &self,
        searcher: &Searcher,
        query: &str,
        mut found: Vec<(u64, f32)>,
    ) -> tantivy::Result<Vec<(u64, f32)>> {
        let pairs = pairs(&Searched { index: self, searcher }, query)?;
        if pairs.is_empty() || found.is_empty() {
            return Ok(found);
        }
        let clauses = pairs.into_iter().map(|(first, second)| {
            let [first, second] = [first, second].map(|term| Term::from_field_text(self.fields.text, &term));
            let pair = BoostQuery::new(Box::new(PhraseQuery::new(vec![first, second])), WEIGHT);
            (Occur::Should, Box::new(pair) as Box<dyn Query>)
        });
        let weight = BooleanQuery::new(clauses.collect()).weight(EnableScoring::enabled_from_searcher(searcher))?;
        let mut added: HashMap<u64, f32> = HashMap::new();
        for segment in searcher.segment_readers() {
            let slots = segment.fast_fields().u64("slot")?;
            weight.for_each(segment, &mut |chunk, score| {
                added.extend(slots.first(chunk).map(|slot| (slot, score)));
            })?;
        }
        for (slot, score) in &mut found {
            if let Some(more) = added.get(slot) {
                *score = rounded(*score + more);
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }
}

/// Neighbouring terms of a query that say something, the rarest first.
pub(crate) fn pairs<L: Lexicon>(lexicon: &L, query: &str) -> Result<Vec<(String, String)>, L::Error> {
    // Those of one language are apart from those of another, since they are never in one text.
    let mut terms: Vec<(usize, String)> = Vec::new();
    for analysis in lexicon.analyses()? {
        let from = terms.last().map_or(0, |(position, _)| position + 2);
        let tokens = in_order(analysis, query).into_iter();
        terms.extend(tokens.map(|token| (from + token.position, analysis.marked(&token.text))));
    }
    let distinct: HashSet<&str> = terms.iter().map(|(_, term)| term.as_str()).collect();
    let distinct: Vec<&str> = distinct.into_iter().collect();
    let counts = lexicon.frequencies(TextField::Text, &distinct)?;
    let chunks: HashMap<&str, u64> = distinct.into_iter().zip(counts).collect();
    let mut pairs: Vec<(u64, (String, String))> = Vec::new();
    for neighbours in terms.windows(2) {
        let [(at, first), (next, second)] = neighbours else { continue };
        let (a, b) = (chunks[first.as_str()], chunks[second.as_str()]);
        let known = |pair: &(String, String)| pairs.iter().any(|(_, other)| other == pair);
        let telling = a.min(b) > 0 && a.min(b) <= MAX_CHUNKS && a.max(b) <= lexicon.chunks() / COMMON;
        if *next == at + 1 && telling && first != second {
            let pair = (first.clone(), second.clone());
            if !known(&pair) {
                pairs.push((a.min(b), pair));
            }
        }
    }
    pairs.sort_by_key(|(rarer, _)| *rarer);
    Ok(pairs.into_iter().take(MAX_PAIRS).map(|(_, pair)| pair).collect())
}
