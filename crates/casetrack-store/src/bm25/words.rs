//! The words that a chunk must have and must not have.

use casetrack_core::Result;
use casetrack_keyword::{Form, Lexicon};
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, EnableScoring, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::Token;
use tantivy::{Searcher, Term};

use super::Bm25Index;
use super::lexicon::IndexLexicon;

/// Words and phrases that the texts of chunks must have, all of them, or must not have, any of them. A phrase is
/// several words one after the other. Words are compared as in keyword search: without case, accents and endings.
/// Headings that are only embedded with a chunk do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordConditions {
    pub required: Vec<String>,
    pub excluded: Vec<String>,
}

impl WordConditions {
    pub fn is_empty(&self) -> bool {
        self.required.is_empty() && self.excluded.is_empty()
    }
}

impl Bm25Index {
    /// The slots of the chunks that fulfil the conditions, in ascending order.
    pub fn matching(&self, conditions: &WordConditions) -> Result<Vec<u64>> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        let mut clauses = self.conditions(&searcher, conditions)?;
        if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, Box::new(AllQuery)));
        }
        self.slots_of(&searcher, &BooleanQuery::new(clauses), usize::MAX).map_err(|error| self.error(error))
    }

    /// The conditions as clauses of a query. They add nothing to a score.
    pub(super) fn conditions(
        &self,
        searcher: &Searcher,
        conditions: &WordConditions,
    ) -> Result<Vec<(Occur, Box<dyn Query>)>> {
        let forms = &mut IndexLexicon { index: self, searcher }.forms()?;
        let required = conditions.required.iter().map(|words| {
            // A word too long to be indexed is in no chunk.
            (Occur::Must, self.phrase(forms, words).unwrap_or_else(|| Box::new(EmptyQuery)))
        });
        let required: Vec<_> = required.collect();
        let excluded =
            conditions.excluded.iter().filter_map(|words| Some((Occur::MustNot, self.phrase(forms, words)?)));
        Ok(required.into_iter().chain(excluded).collect())
    }

    /// The words one after the other, in any of the forms that they have in the index; `None` if there is no word.
    fn phrase(&self, forms: &mut [Form], words: &str) -> Option<Box<dyn Query>> {
        let mut phrases: Vec<Vec<(usize, Term)>> = Vec::new();
        for form in forms.iter_mut().filter(|form| form.differs(words)) {
            let term = |token: Token| (token.position, Term::from_field_text(self.fields.text, &token.text));
            let terms: Vec<_> = form.terms(words).into_iter().map(term).collect();
            if !terms.is_empty() && !phrases.contains(&terms) {
                phrases.push(terms);
            }
        }
        let mut phrases = phrases.into_iter().map(|mut terms| match terms.pop() {
            Some((_, term)) if terms.is_empty() => {
                Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>
            }
            last => Box::new(PhraseQuery::new_with_offset(terms.into_iter().chain(last).collect())),
        });
        let first = phrases.next()?;
        let others: Vec<_> = phrases.map(|phrase| (Occur::Should, phrase)).collect();
        if others.is_empty() {
            return Some(first);
        }
        Some(Box::new(BooleanQuery::new([(Occur::Should, first)].into_iter().chain(others).collect())))
    }

    /// At most `most` slots of live chunks that a query finds, ascending.
    pub(super) fn slots_of(&self, searcher: &Searcher, query: &dyn Query, most: usize) -> tantivy::Result<Vec<u64>> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut found = Vec::new();
        for segment in searcher.segment_readers() {
            if found.len() >= most {
                break;
            }
            let slots = segment.fast_fields().u64("slot")?;
            let alive = segment.alive_bitset();
            weight.for_each_no_score(segment, &mut |docs| {
                let live = docs.iter().filter(|&&doc| alive.is_none_or(|alive| alive.is_alive(doc)));
                let wanted = most - found.len();
                found.extend(live.filter_map(|&doc| slots.first(doc)).take(wanted));
            })?;
        }
        found.sort_unstable();
        Ok(found)
    }
}
