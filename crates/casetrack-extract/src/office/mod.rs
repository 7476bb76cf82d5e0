//! What several office formats have in common: numbers and labels of lists, styles, properties of documents, the text of
//! slides and drawings.

pub mod art;
pub mod embedded;
pub mod graphics;
pub mod look;
pub mod number_format;
pub mod numbering;
pub mod open_document;
pub mod paragraphs;
pub mod pictures;
pub mod properties;
pub mod slides;
pub mod styles;
pub mod summary_information;
pub mod symbols;
pub mod tracked;

/// A style and those it is based on, up to 32 of them; a cycle must end.
pub(crate) fn lineage<S>(style: Option<S>, parent: impl FnMut(&S) -> Option<S>) -> impl Iterator<Item = S> {
    std::iter::successors(style, parent).take(32)
}
