//! What several office formats have in common: numbers and labels of lists, styles, properties of documents, the text of
//! slides and drawings.

pub mod graphics;
pub mod number_format;
pub mod numbering;
pub mod open_document;
pub mod paragraphs;
pub mod properties;
pub mod slides;
pub mod styles;
pub mod summary_information;
pub mod symbols;
