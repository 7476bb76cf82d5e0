//! Turns a file into pages of text with their exact places, and pages into chunks.
//!
//! [`extract`] recognises a file by its content, reads it with the extractor of its format and returns pages that hold
//! the invariants of [`casetrack_core::Page`]: verbatim text, blocks that cover it, line boxes where the format has
//! geometry. [`chunker::chunk_pages`] cuts those pages into the passages that are embedded, searched and cited.
//!
//! A container gives, besides pages of its own, the files inside it as [`Attachment`]s; opening those is up to the caller.
//!
//! A format is one file in `formats/` and one row in `registry`. The crate stores nothing and knows no model.

mod attachment;
pub mod chunker;
mod clauses;
mod dates;
mod detect;
mod document_type;
mod encoding;
mod encryption;
mod extraction;
mod flow;
mod formats;
pub mod isolation;
mod language;
mod ocr;
mod ole;
mod opc;
mod page;
mod properties;
mod registry;
mod rendering;
mod source;
mod summary_information;
mod table;
mod xml;
mod zip_container;

#[cfg(test)]
mod test_files;

pub use attachment::Attachment;
pub use detect::{detect, is_supported_extension};
pub use document_type::infer_document_type;
pub use extraction::{ExtractOptions, Extraction, extract};
pub use formats::pdf::pdfium_status;
pub use ocr::tesseract_status;
pub use page::page_problem;
pub use rendering::{PagePicture, RenderRequest, can_render, render_page};
