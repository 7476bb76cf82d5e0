//! The languages of the documents in the index, in all of which a query is analysed.

use std::collections::{HashMap, HashSet};

use tantivy::Searcher;
use tantivy::tokenizer::Token;

use super::terms::{MAX_QUERY_TERMS, QueryTerm};
use super::{Bm25Index, MAX_QUERY_BYTES};
use crate::analysis::languages::{Analysis, Form};

impl Bm25Index {
    /// The rules by which documents were analysed, the usual ones first, whether or not a document has them.
    pub(super) fn analyses(&self, searcher: &Searcher) -> tantivy::Result<Vec<Analysis>> {
        let mut found = vec![Analysis::Usual];
        let mut marks: Vec<Vec<u8>> = Vec::new();
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.language)?;
            let mut terms = index.terms().stream()?;
            while terms.advance() {
                if !marks.iter().any(|mark| mark == terms.key()) {
                    marks.push(terms.key().to_owned());
                }
            }
        }
        marks.sort_unstable();
        found.extend(marks.iter().filter_map(|mark| Analysis::with_mark(std::str::from_utf8(mark).ok()?)));
        Ok(found)
    }
}

/// What the weight of each term is multiplied with, so that all forms of a word count as if they were one: a word of which
/// one language has few chunks is not rarer than the same one in another. 1 where a word has one form.
pub(super) fn shares(all: u64, terms: &[(QueryTerm, u64)]) -> Vec<f32> {
    let mut chunks: HashMap<(usize, usize), (u64, usize)> = HashMap::new();
    for (term, with) in terms.iter().filter(|(_, with)| *with > 0) {
        let (sum, forms) = chunks.entry(term.place).or_default();
        (*sum, *forms) = (*sum + with, *forms + 1);
    }
    let share = |(term, with): &(QueryTerm, u64)| match chunks.get(&term.place) {
        Some(&(sum, forms)) if forms > 1 && *with > 0 => rarity(sum.min(all), all) / rarity(*with, all),
        _ => 1.0,
    };
    terms.iter().map(share).collect()
}
/// Inverse document frequency, as tantivy computes it.
fn rarity(with: u64, all: u64) -> f32 {
    let rest = all.saturating_sub(with) as f32;
    (1.0 + (rest + 0.5) / (with as f32 + 0.5)).ln()
}

/// Terms that neighbour each other in a query, by the rules of one language.
pub(super) fn in_order(analysis: Analysis, query: &str) -> Vec<Token> {
    analysis.query_terms(&query[..query.floor_char_boundary(MAX_QUERY_BYTES)])
}

/// The distinct terms of a query by some rules in order of appearance, with how often each occurs; at most [`MAX_QUERY_TERMS`].
pub(super) fn query_terms(analysis: Analysis, query: &str) -> Vec<QueryTerm> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut terms: Vec<QueryTerm> = Vec::new();
    for token in in_order(analysis, query) {
        match places.get(&token.text) {
            Some(&place) => terms[place].count += 1,
            None if terms.len() == MAX_QUERY_TERMS => {}
            None => {
                places.insert(token.text.clone(), terms.len());
                let place = (token.offset_from, token.offset_to);
                let term = analysis.marked(&token.text);
                terms.push(QueryTerm { term, count: 1, place, is_usual: analysis == Analysis::Usual });
            }
        }
    }
    terms
}

/// Where words begin that the sentence of a query is made of, in bytes. Its language is the one of `analyses` with most such words; with
/// as many in English none is left out, since frequencies tell there which words say little.
pub(super) fn stop_words(analyses: &[Analysis], query: &str) -> HashSet<usize> {
    if analyses.len() == 1 {
        return HashSet::new();
    }
    let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
    let found: Vec<HashSet<usize>> = analyses.iter().map(|analysis| analysis.stop_words(query)).collect();
    let english = found.first().map_or(0, HashSet::len);
    let most = found.iter().map(HashSet::len).max().unwrap_or_default();
    if most <= english {
        return HashSet::new();
    }
    found.into_iter().filter(|own| own.len() == most).flatten().collect()
}

/// The forms that one word can have in the index, each once.
pub(super) fn forms_of(forms: Vec<Form>, word: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for mut form in forms {
        if let Some(token) = form.terms(word).pop()
            && !terms.contains(&token.text)
        {
            terms.push(token.text);
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_sentence_tell_its_language() {
        let all = [Analysis::Usual, Analysis::of(Some("de")), Analysis::of(Some("fr"))];
        let left_out = |query: &str| {
            let starts = stop_words(&all, query);
            query.split(' ').filter(|word| starts.contains(&(word.as_ptr() as usize - query.as_ptr() as usize))).count()
        };
        assert_eq!(left_out("ist die Kündigung wirksam"), 2);
        assert_eq!(left_out("what was the will of the testator"), 0);
        assert_eq!(left_out("was will"), 0, "as many in English");
        assert_eq!(left_out("quelle est la date de la vente"), 4);
    }
}
