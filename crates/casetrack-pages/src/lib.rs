//! Pages of text and what every format shares in making them: containers, decoding, tables, tracked changes, clauses, chunks.
//!
//! [`build::DocumentBuilder`] collects what the reader of a format finds and returns pages that hold the invariants of [`casetrack_core::Page`]:
//! verbatim text, blocks that cover it, line boxes if the format has geometry. `container` opens zip archives, OLE files and XML; `office` has what
//! several office formats share; `text` finds what shows in text of every origin. [`chunker::chunk_pages`] cuts pages into the passages that are
//! embedded, searched and cited.
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
