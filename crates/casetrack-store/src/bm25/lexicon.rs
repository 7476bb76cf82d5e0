//! What an index knows of its terms, whoever keeps it: from this, queries are made the same way everywhere.

use tantivy::query::{FuzzyTermQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, TantivyError, Term};

use super::Bm25Index;
use crate::analysis::languages::{Analysis, Form};

/// A part of a chunk whose words are searched by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextField {
    Text,
    /// The words of the text as they are written, for wildcards and corrections.
    Exact,
    /// Headings that are embedded with a chunk.
    Context,
    /// What a document is called; of first chunks only, as is `Cover`.
    Names,
    Cover,
}

pub(crate) trait Lexicon {
    type Error;

    /// How many chunks there are.
    fn chunks(&self) -> u64;

    /// The rules by which documents were analysed, the usual ones first, whether or not a document has them.
    fn analyses(&self) -> Result<Vec<Analysis>, Self::Error>;

    /// How many chunks have each of these terms.
    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>, Self::Error>;

    /// At most `most` slots of chunks that have a term, ascending.
    fn slots(&self, field: TextField, term: &str, most: usize) -> Result<Vec<u64>, Self::Error>;

    /// The terms of the field `Exact` within some edits of a word, itself perhaps among them, with the number of chunks that have each;
    /// one may be there several times.
    fn near(&self, word: &str, edits: u8) -> Result<Vec<(String, u64)>, Self::Error>;

    fn frequency(&self, field: TextField, term: &str) -> Result<u64, Self::Error> {
        Ok(self.frequencies(field, &[term])?.into_iter().sum())
    }

    /// All forms that words have in the index.
    fn forms(&self) -> Result<Vec<Form>, Self::Error> {
        Ok(self.analyses()?.into_iter().flat_map(Analysis::forms).collect())
    }
}

/// The lexicon of tantivy's index.
pub(crate) struct Searched<'s> {
    pub index: &'s Bm25Index,
    pub searcher: &'s Searcher,
}

impl Searched<'_> {
    fn term(&self, field: TextField, term: &str) -> Term {
        Term::from_field_text(self.index.fields.of(field), term)
    }
}

impl Lexicon for Searched<'_> {
    type Error = TantivyError;

    fn chunks(&self) -> u64 {
        self.searcher.num_docs()
    }

    fn analyses(&self) -> tantivy::Result<Vec<Analysis>> {
        self.index.analyses(self.searcher)
    }

    fn frequencies(&self, field: TextField, terms: &[&str]) -> tantivy::Result<Vec<u64>> {
        terms.iter().map(|term| self.searcher.doc_freq(&self.term(field, term))).collect()
    }

    fn slots(&self, field: TextField, term: &str, most: usize) -> tantivy::Result<Vec<u64>> {
        let query = TermQuery::new(self.term(field, term), IndexRecordOption::Basic);
        self.index.slots_of(self.searcher, &query, most)
    }

    fn near(&self, word: &str, edits: u8) -> tantivy::Result<Vec<(String, u64)>> {
        let query = FuzzyTermQuery::new(self.term(TextField::Exact, word), edits, true);
        let mut found = Vec::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(self.index.fields.exact)?;
            let mut terms = index.terms().search(query.automaton()?).into_stream()?;
            while let Some((key, info)) = terms.next() {
                found.extend(std::str::from_utf8(key).ok().map(|term| (term.to_owned(), u64::from(info.doc_freq))));
            }
        }
        Ok(found)
    }
}
