//! The meaning of words in keyword search: how text becomes terms, and which terms a question looks up.
//!
//! An index keeps the terms of documents and offers them as a [`Lexicon`]. From a lexicon, all stores make the same queries: the terms of a question with
//! their weights ([`weighed`]), among them synonyms of the law; pairs of words ([`pairs`]); documents that a question names ([`name_matches`]);
//! slips of the pen ([`corrections`]); and the weight of each word in a passage ([`TermWeights`]). Documents and questions go through one analysis
//! ([`analyzer`], [`Analysis`]).

mod analysis;
mod compounds;
mod lexicon;
mod names;
mod pairs;
mod query;
mod spelling;
mod synonyms;
mod weights;

pub use analysis::{ANALYSIS, Analysis, EXACT, Form, Indexer, analyzer, exact_analyzer, folded, language_mark};
pub use lexicon::{Lexicon, TextField};
pub use names::{NameMatch, cover, name_matches, names};
pub use pairs::{PAIR_WEIGHT, pairs};
pub use query::{Bm25Query, CONTEXT_WEIGHT, MAX_QUERY_BYTES, MAX_QUERY_TERMS, TermWeight, weighed};
pub use spelling::{Correction, corrections};
pub use weights::{DensityReader, TermWeights};
