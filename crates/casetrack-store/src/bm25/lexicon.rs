use casetrack_core::{Error, Result};
use casetrack_keyword::{Analysis, Lexicon, TextField};
use tantivy::query::{FuzzyTermQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, TantivyError, Term};

use super::Bm25Index;

impl Bm25Index {
    /// Calls `ask` with the lexicon as of the last change.
    pub fn with_lexicon<T>(&self, ask: impl FnOnce(&dyn Lexicon) -> Result<T>) -> Result<T> {
        self.commit_pending()?;
        ask(&IndexLexicon { index: self, searcher: &self.reader.searcher() })
    }

    /// The rules by which documents were analysed, the usual ones first, whether or not a document has them.
    fn analyses(&self, searcher: &Searcher) -> tantivy::Result<Vec<Analysis>> {
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

pub(crate) struct IndexLexicon<'s> {
    pub index: &'s Bm25Index,
    pub searcher: &'s Searcher,
}

impl IndexLexicon<'_> {
    fn terms_within(&self, word: &str, edits: u8) -> tantivy::Result<Vec<(String, u64)>> {
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

    fn error(&self, error: TantivyError) -> Error {
        self.index.error(error)
    }

    fn term(&self, field: TextField, term: &str) -> Term {
        Term::from_field_text(self.index.fields.of(field), term)
    }
}

impl Lexicon for IndexLexicon<'_> {
    fn chunks(&self) -> u64 {
        self.searcher.num_docs()
    }

    fn analyses(&self) -> Result<Vec<Analysis>> {
        self.index.analyses(self.searcher).map_err(|error| self.error(error))
    }

    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>> {
        let count = |term: &&str| self.searcher.doc_freq(&self.term(field, term));
        terms.iter().map(count).collect::<tantivy::Result<_>>().map_err(|error| self.error(error))
    }

    fn slots(&self, field: TextField, term: &str, most: usize) -> Result<Vec<u64>> {
        let query = TermQuery::new(self.term(field, term), IndexRecordOption::Basic);
        self.index.slots_of(self.searcher, &query, most).map_err(|error| self.error(error))
    }

    fn near(&self, word: &str, edits: u8) -> Result<Vec<(String, u64)>> {
        self.terms_within(word, edits).map_err(|error| self.error(error))
    }
}
