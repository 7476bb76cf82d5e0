//! Pages of text and the tools of every format for making them: containers, decoding, tables, tracked changes, clauses,
//! chunks.
//!
//! [`build::DocumentBuilder`] collects the output of the reader of a format and returns pages that hold the invariants
//! of [`casetrack_core::Page`]: verbatim text, blocks that cover it, line boxes if the format has geometry. `container`
//! opens zip archives, OLE files and XML; `office` has the common parts of several office formats; `text` finds
//! features in text of every origin. [`chunker::chunk_pages`] cuts pages into the passages that are embedded, searched
//! and cited.
//!
//! The crate reads no format as a whole, runs no OCR and stores nothing.

pub mod build;
pub mod chunker;
pub mod container;
pub mod model;
pub mod office;
pub mod text;

#[cfg(test)]
mod test_files;

pub use build::page_problem;
