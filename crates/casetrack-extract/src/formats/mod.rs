//! One module per format, or per family of formats with one parser.

pub mod csv;
pub mod doc;
pub mod docx;
pub mod html;
pub mod image;
pub mod mail;
pub mod markdown;
pub mod opendocument;
pub mod pdf;
pub mod ppt;
pub mod pptx;
pub mod rtf;
pub mod spreadsheet;
pub mod text;
pub mod zip;

#[cfg(test)]
pub(crate) mod picture_tests;
