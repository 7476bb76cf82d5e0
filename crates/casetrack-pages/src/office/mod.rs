//! Parts that several office formats share: numbers and labels of lists, styles, properties of documents, the text of
//! slides and drawings.

pub mod art;
pub mod character_visibility;
pub mod embedded_files;
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
pub mod tracked_changes;

/// A style and those it is based on, up to 32 of them; a cycle must end.
pub fn lineage<S>(style: Option<S>, parent: impl FnMut(&S) -> Option<S>) -> impl Iterator<Item = S> {
    std::iter::successors(style, parent).take(32)
}
