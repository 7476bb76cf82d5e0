//! Turns a file into pages of text with their exact places.
//!
//! [`extract`] recognises a file by its content, reads it with the extractor of its format and returns the pages that
//! [`casetrack_pages`] builds. [`chunker::chunk_pages`] cuts those pages into the passages that are embedded, searched and cited.
//!
//! A container gives, besides pages of its own, the files inside it as [`Attachment`]s; opening those is up to the caller.
//!
//! A format is one file in `formats/` and one row of the table there. The crate stores nothing and knows no model.

mod detect;
mod encryption;
mod extraction;
mod formats;
pub mod isolation;
mod ocr;
mod office_xml;
mod rendering;

#[cfg(test)]
mod test_files;

pub use casetrack_pages::model::{AUTO_LANGUAGES, Attachment, ExtractOptions, Extraction, PagePicture, RenderRequest};
pub use casetrack_pages::text::document_type::infer_document_type;
pub use casetrack_pages::text::language::language_name;
pub use casetrack_pages::text::running_lines::running_lines;
pub use casetrack_pages::{chunker, page_problem};
pub use detect::{detect, is_supported_extension};
pub use extraction::{extract, extract_text};
pub use formats::image::{capture_time, exif_fields};
pub use formats::pdf::pdfium_status;
pub use ocr::{OCR_MODEL, second_engine_status, tesseract_status};
pub use rendering::render_page;
