//! Keyword search over lists of postings that another store keeps, by the rules of the index on disk: the same terms,
//! frequencies, scores and corrections.
//!
//! A store keeps the result of [`invert`] for each document, and returns it as [`PostingLists`]: the stored chunks,
//! numbered in the order of storing. [`Keywords`] makes of it all that a store needs for its searches and conditions by
//! words.

mod lexicon;
mod postings;

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use casetrack_core::{Error, Result};
use casetrack_keyword::{Bm25Query, Lexicon, PAIR_WEIGHT, TextField, pairs, weighed};
use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;

use crate::bm25::{Evaluation, Expression, WordConditions, rounded};
use crate::slots::SlotSet;
use crate::top_k::TopK;

pub use postings::{Inverted, Posting, TermPostings, invert, name_terms};

/// The postings of a term, in ascending order of the chunks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    pub chunks: Vec<u32>,
    /// The count of the term in each chunk, and the length of its field as [`Posting::length`] has it.
    pub counts: Vec<u32>,
    pub lengths: Vec<u8>,
    /// The positions of the term, one chunk after another; empty unless requested.
    pub positions: Vec<u32>,
    /// The end of the positions of each chunk.
    pub ends: Vec<u32>,
}

impl List {
    pub fn places(&self, chunk: u32) -> &[u32] {
        let Ok(at) = self.chunks.binary_search(&chunk) else { return &[] };
        self.places_at(at)
    }

    fn places_at(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.positions.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The postings of a collection as of one moment.
pub trait PostingLists {
    /// The number of chunks; each has a number below it, in the order of storing.
    fn chunks(&self) -> u32;

    fn slot(&self, chunk: u32) -> u64;

    /// The number of terms of all chunks together, in the field `Text` or `Context`.
    fn tokens(&self, field: TextField) -> u64;

    /// The marks of the languages that documents have, in any order, as [`language_mark`] gives them.
    fn languages(&self) -> Vec<String>;

    /// The number of chunks that have each of these terms.
    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>>;

    /// The list of each of these terms.
    fn lists(&self, terms: &[(TextField, &str)], with_positions: bool) -> Result<Vec<Arc<List>>>;

    /// The terms of the field `Exact` that begin with a text.
    fn beginning_with(&self, prefix: &str) -> Result<Vec<String>>;

    /// The terms of the field `Exact` with a number of characters in this range, and how many chunks have each.
    fn with_characters(&self, range: RangeInclusive<usize>) -> Result<Vec<(String, u64)>>;
}

/// Gives the answers of the index on disk.
pub struct Keywords<'l, L>(pub &'l L);

impl<L: PostingLists> Keywords<'_, L> {
    /// The best `k` chunks for a query as (slot, score), best first, equal scores by slot; of `filter` only, if given.
    pub fn search(&self, query: &Bm25Query, k: usize, filter: Option<&SlotSet>) -> Result<Vec<(u64, f32)>> {
        let weighed = weighed(self, query)?;
        if weighed.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let terms: Vec<(TextField, &str)> = weighed.iter().map(|(field, term, _)| (*field, term.as_str())).collect();
        let mut sums = vec![0.0f32; self.0.chunks() as usize];
        for ((field, _, weight), list) in weighed.iter().zip(self.0.lists(&terms, false)?) {
            if list.chunks.is_empty() {
                continue;
            }
            let bm25 = self.weight(*field, &[list.chunks.len() as u64])?.boost_by(*weight);
            for ((&chunk, &count), &length) in list.chunks.iter().zip(&list.counts).zip(&list.lengths) {
                if let Some(sum) = sums.get_mut(chunk as usize) {
                    *sum += bm25.score(length, count);
                }
            }
        }
        let mut top = TopK::new(k);
        for (chunk, sum) in (0u32..).zip(sums) {
            let score = rounded(sum);
            let is_better = sum > 0.0 && top.threshold().is_none_or(|least| score > least);
            if is_better && filter.is_none_or(|filter| filter.contains(self.0.slot(chunk))) {
                top.push(chunk.into(), score);
            }
        }
        let mut found: Vec<(u32, f32)> =
            top.into_sorted().into_iter().map(|(chunk, score)| (chunk as u32, score)).collect();
        self.add_pairs(&query.text, &mut found)?;
        Ok(found.into_iter().map(|(chunk, score)| (self.0.slot(chunk), score)).collect())
    }

    /// Adds the scores of the pairs of a query.
    fn add_pairs(&self, query: &str, found: &mut [(u32, f32)]) -> Result<()> {
        let pairs = if found.is_empty() { Vec::new() } else { pairs(self, query)? };
        let terms: Vec<(TextField, &str)> =
            pairs.iter().flat_map(|(a, b)| [(TextField::Text, a.as_str()), (TextField::Text, b.as_str())]).collect();
        let lists = if terms.is_empty() { Vec::new() } else { self.0.lists(&terms, true)? };
        let mut added = vec![0.0; found.len()];
        for pair in lists.chunks_exact(2) {
            let [first, second] = pair else { continue };
            let chunks = [first, second].map(|list| list.chunks.len() as u64);
            let weight = self.weight(TextField::Text, &chunks)?.boost_by(PAIR_WEIGHT);
            for ((chunk, _), added) in found.iter().zip(&mut added) {
                let after = second.places(*chunk);
                let both = first.places(*chunk).iter().filter(|&&at| after.binary_search(&(at + 1)).is_ok()).count();
                if both > 0
                    && let Ok(at) = first.chunks.binary_search(chunk)
                {
                    *added += weight.score(first.lengths.get(at).copied().unwrap_or_default(), both as u32);
                }
            }
        }
        for ((_, score), added) in found.iter_mut().zip(added).filter(|(_, added)| *added > 0.0) {
            *score = rounded(*score + added);
        }
        if !pairs.is_empty() {
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        Ok(())
    }

    /// The weight of one or several terms, by the numbers of chunks that have them.
    fn weight(&self, field: TextField, chunks: &[u64]) -> Result<Bm25Weight> {
        let term = |n: usize| Term::from_field_u64(Field::from_field_id(0), n as u64);
        let terms: Vec<Term> = (0..chunks.len()).map(term).collect();
        let frequencies = terms.iter().cloned().zip(chunks.iter().copied()).collect();
        let statistics = Statistics { tokens: self.0.tokens(field), chunks: self.0.chunks().into(), frequencies };
        Bm25Weight::for_terms(&statistics, &terms).map_err(|error| Error::internal(error.to_string()))
    }

    /// The slots of the chunks that fulfil conditions on words, ascending.
    pub fn matching(&self, conditions: &WordConditions) -> Result<Vec<u64>> {
        let mut kept: Option<Vec<u32>> = None;
        for words in &conditions.required {
            // A word too long to be indexed is in no chunk.
            let found = self.with_phrase(words)?.unwrap_or_default();
            kept = Some(match kept {
                None => found,
                Some(mut kept) => {
                    kept.retain(|chunk| found.binary_search(chunk).is_ok());
                    kept
                }
            });
        }
        let mut kept = kept.unwrap_or_else(|| (0..self.0.chunks()).collect());
        for words in &conditions.excluded {
            let found = self.with_phrase(words)?.unwrap_or_default();
            kept.retain(|chunk| found.binary_search(chunk).is_err());
        }
        Ok(kept.into_iter().map(|chunk| self.0.slot(chunk)).collect())
    }

    /// The slots of the chunks that fulfil an expression, ascending.
    pub fn fulfilling(&self, expression: &Expression) -> Result<Vec<u64>> {
        let forms = RefCell::new(self.forms()?);
        let found = Evaluation { chunks: self, forms: &forms }.fulfilling(expression)?;
        Ok(found.into_iter().map(|chunk| self.0.slot(chunk)).collect())
    }
}

struct Statistics {
    tokens: u64,
    chunks: u64,
    frequencies: Vec<(Term, u64)>,
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        Ok(self.tokens)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.chunks)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(self.frequencies.iter().filter(|(own, _)| own == term).map(|(_, chunks)| *chunks).sum())
    }
}
