//! What a query looks up.

use std::collections::HashMap;

use casetrack_core::Result;
use tantivy::{Searcher, Term};

use super::{Bm25Index, Bm25Query, synonyms};
use crate::analysis::analyzer;

/// Distinct terms of a query that are looked up; further ones are ignored.
pub const MAX_QUERY_TERMS: usize = 512;
/// Bytes of a query that are read, up to a character boundary.
pub const MAX_QUERY_BYTES: usize = 64 << 10;
/// A term that more than one chunk in this many has says little, and its list is long: in a query with at least …
pub(super) const COMMON: u64 = 2;
/// … this many others it is left out. nDCG@10 stays the same on two public sets (0.3397 for 0.3399 and 0.6975 for 0.6965).
const TELLING_TERMS: usize = 2;

impl Bm25Index {
    /// The number of chunks, and the distinct terms of a text with the number of chunks that have each.
    pub fn frequencies(&self, text: &str) -> Result<(u64, Vec<(String, u64)>)> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        let count = |(term, _): (String, u32)| {
            let chunks = searcher.doc_freq(&Term::from_field_text(self.fields.text, &term));
            chunks.map(|chunks| (term, chunks)).map_err(|error| self.error(error))
        };
        Ok((searcher.num_docs(), query_terms(text).into_iter().map(count).collect::<Result<_>>()?))
    }

    /// The terms of a query that distinguish chunks, by field, with their weights.
    pub(super) fn terms(&self, searcher: &Searcher, query: &Bm25Query) -> tantivy::Result<Vec<(Term, f32)>> {
        let mut terms = Vec::new();
        for (term, count) in query_terms(&query.text) {
            let chunks = searcher.doc_freq(&Term::from_field_text(self.fields.text, &term))?;
            terms.push((term, count, chunks));
        }
        let is_common = |chunks: u64| chunks > searcher.num_docs() / COMMON;
        if terms.iter().filter(|&&(.., chunks)| 0 < chunks && !is_common(chunks)).count() >= TELLING_TERMS {
            terms.retain(|&(.., chunks)| !is_common(chunks));
        }
        let mut weighed: Vec<(String, f32)> =
            terms.iter().map(|(term, count, _)| (term.clone(), *count as f32)).collect();
        for (term, ..) in &terms {
            for synonym in synonyms::of(term) {
                if !weighed.iter().any(|(known, _)| known == synonym) {
                    weighed.push((synonym.to_owned(), synonyms::WEIGHT));
                }
            }
        }
        let fields = [(self.fields.text, 1.0), (self.fields.context, query.context_weight)];
        let fields = fields.into_iter().filter(|(_, weight)| *weight > 0.0);
        let weighted = |(term, of_term): (String, f32)| {
            fields.clone().map(move |(field, weight)| (Term::from_field_text(field, &term), weight * of_term))
        };
        Ok(weighed.into_iter().flat_map(weighted).collect())
    }
}

/// The distinct terms of a query in order of appearance, with how often each occurs.
fn query_terms(text: &str) -> Vec<(String, u32)> {
    let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
    let mut analyzer = analyzer();
    let mut stream = analyzer.token_stream(text);
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut terms: Vec<(String, u32)> = Vec::new();
    while stream.advance() {
        let term = &stream.token().text;
        match places.get(term) {
            Some(&place) => terms[place].1 += 1,
            None if terms.len() == MAX_QUERY_TERMS => {}
            None => {
                places.insert(term.clone(), terms.len());
                terms.push((term.clone(), 1));
            }
        }
    }
    terms
}
