//! The terms that an index has: from this, every store makes queries the same way.

use casetrack_core::Result;

use crate::analysis::{Analysis, Form};

/// A part of a chunk whose words are searched by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextField {
    Text,
    /// The words of the text as they are written, for wildcards and corrections.
    Exact,
    /// Headings that are embedded with a chunk.
    Context,
    /// The names of a document; of first chunks only, as is `Cover`.
    Names,
    Cover,
}

/// The terms of the chunks of a collection, as of one moment. A chunk has a number, its slot, which no other chunk ever gets.
pub trait Lexicon {
    fn chunks(&self) -> u64;

    /// The rules by which documents were analysed: the usual ones first, even if no document has them.
    fn analyses(&self) -> Result<Vec<Analysis>>;

    /// The number of chunks that have each of these terms.
    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>>;

    /// At most `most` slots of chunks that have a term, ascending.
    fn slots(&self, field: TextField, term: &str, most: usize) -> Result<Vec<u64>>;

    /// The terms of the field `Exact` within some edits of a word, itself perhaps among them, with the number of chunks
    /// that have each. A term may be returned several times.
    fn near(&self, word: &str, edits: u8) -> Result<Vec<(String, u64)>>;

    /// The number of chunks that have a term.
    fn frequency(&self, field: TextField, term: &str) -> Result<u64> {
        Ok(self.frequencies(field, &[term])?.into_iter().sum())
    }

    fn forms(&self) -> Result<Vec<Form>> {
        Ok(self.analyses()?.into_iter().flat_map(Analysis::forms).collect())
    }
}
