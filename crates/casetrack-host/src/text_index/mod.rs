//! An index of texts in memory: exact postings, ranked by BM25. It is independent of collections and stores nothing on disk.
//!
//! A score is the sum, over the words and phrases of a query in their order, of idf · tf · (k₁ + 1) / (tf + k₁ · (1 − b + b · l / l̄)), where tf is
//! the number of occurrences in the document, l its number of tokens, l̄ the mean of that, and idf = ln(1 + (N − n + ½) / (n + ½)) for n of N
//! documents (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; idf as in Lucene, never negative). All counts
//! are exact integers, so that a score depends only on the content of the index, not on its history.

mod documents;
mod highlights;
mod query;
mod tokens;

pub use documents::{Added, TextIndex};
pub use highlights::highlights;
pub use query::Query;
pub use tokens::Tokenizer;

#[cfg(test)]
mod property_tests;
