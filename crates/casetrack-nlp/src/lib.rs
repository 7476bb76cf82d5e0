//! Entities and references of a document, found without a language model: statistical named-entity recognition, rules
//! on top of it, normalisation, and merging of the names of one entity.
//!
//! All text is the text of one page; all places are characters (Unicode scalar values) of it, half-open.

#[macro_use]
mod words;
#[macro_use]
mod pattern_table;

pub mod amounts;
mod analysis;
pub mod concepts;
pub mod dates;
pub mod entities;
pub mod facts;
mod findings;
pub mod languages;
pub mod names;
mod numbers;
pub mod patterns;
mod places;
mod plain_page;
pub mod recognizer;
pub mod redaction;
pub mod references;
pub mod rules;
pub mod spacy;
pub mod tokens;

pub use analysis::{analysis_of, annotate, first_value, value_key, value_keys};
pub use dates::DateOrder;
pub use facts::clauses::likeness;
pub use facts::{
    Clause, Fact, FactKind, Facts, MAX_OBLIGATIONS, Obligation, clauses_in, facts, facts_and_doubts, facts_of_kind,
    length_of_time, obligations,
};
pub use names::institutions::is_institution;
pub use names::{definitions, signatures};
pub use recognizer::{Label, NamedSpan, Recognizer};
pub use spacy::SpacyRecognizer;
