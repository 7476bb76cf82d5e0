//! The options that a file is read with, and the result.

use std::path::PathBuf;

use casetrack_core::{FileFormat, Limits, Page, Password, Properties};
use serde::{Deserialize, Serialize};

use super::attachment::Attachment;

/// The setting of [`ExtractOptions::languages`] that leaves the language to the pages.
pub const AUTO_LANGUAGES: &str = "auto";

/// Options for all files of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExtractOptions {
    pub limits: Limits,
    /// The libpdfium to use, a file or the directory that holds it. Without it the usual places are searched.
    ///
    /// The first PDF of a process decides: the library is loaded once.
    pub pdfium: Option<PathBuf>,
    /// The languages that scans are read in, by the names of tesseract's data, joined by `+`: "deu+eng". Default
    /// "auto": the language of the first pages of each file, as far as there is data for it.
    pub languages: String,
    /// The folder with the weights of PP-OCRv6, which then reads photographs, receipts and screenshots, and everything without tesseract. The
    /// first folder of a process decides: the weights are loaded once.
    pub ocr_model: Option<PathBuf>,
    /// For protected files; it is stored nowhere.
    pub password: Option<Password>,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            pdfium: None,
            languages: AUTO_LANGUAGES.into(),
            ocr_model: None,
            password: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    pub format: FileFormat,
    /// The title the file gives itself.
    pub title: Option<String>,
    pub properties: Properties,
    /// At least one page has text; pages without text keep their place, so that page numbers match the file.
    pub pages: Vec<Page>,
    /// True if the file does not state the ends of its pages: `pages` are the parts between the page breaks that its
    /// text asks for.
    pub unpaged: bool,
    /// Warnings for the user: parts that could not be read, and content that does not match the name of the file.
    pub warnings: Vec<String>,
    /// The files inside a container, in its order; they are not opened.
    pub attachments: Vec<Attachment>,
}
