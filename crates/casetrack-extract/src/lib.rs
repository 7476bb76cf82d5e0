//! Turns a file into pages of text with their exact places, and pages into chunks.
//!
//! [`extract`] recognises a file by its content, reads it with the extractor of its format and returns pages that hold
//! the invariants of [`casetrack_core::Page`]: verbatim text, blocks that cover it, line boxes where the format has
//! geometry. [`chunker::chunk_pages`] cuts those pages into the passages that are embedded, searched and cited.
//!
//! A container gives, besides pages of its own, the files inside it as [`Attachment`]s; opening those is up to the caller.
//!
//! A format is one file in `formats/` and one row in `registry`. The crate stores nothing and knows no model.

mod build;
pub mod chunker;
mod container;
mod detect;
mod extraction;
mod formats;
pub mod isolation;
mod model;
mod ocr;
mod office;
mod registry;
mod rendering;
mod text;

#[cfg(test)]
mod test_files;

pub use build::page_problem;
pub use detect::{detect, is_supported_extension};
pub use extraction::{extract, extract_text};
pub use formats::image::{exif_fields, taken};
pub use formats::pdf::pdfium_status;
pub use model::{AUTO_LANGUAGES, Attachment, ExtractOptions, Extraction, PagePicture, RenderRequest};
pub use ocr::{OCR_MODEL, second_engine_status, tesseract_status};
pub use rendering::{can_render, render_page};
pub use text::document_type::infer_document_type;
pub use text::language::language_name;
pub use text::running::running_lines;
