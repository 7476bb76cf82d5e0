//! One module per format, or per family of formats with one parser, and the table of their extractors.

pub mod calendar;
pub mod csv;
pub mod doc;
pub mod docx;
pub mod html;
pub mod image;
mod invoice;
pub(crate) mod invoice_pages;
pub mod mail;
pub mod markdown;
pub mod opendocument;
pub mod pdf;
pub(crate) mod pictures;
pub mod ppt;
pub mod pptx;
pub mod rtf;
pub mod signed;
pub mod spreadsheet;
pub mod text;
pub mod zip;

use casetrack_core::FileFormat;
use casetrack_pages::build::Extractor;

#[cfg(test)]
pub(crate) mod picture_tests;

pub(crate) fn extractor(format: FileFormat) -> &'static dyn Extractor {
    match format {
        FileFormat::Pdf => &pdf::Pdf,
        FileFormat::Docx => &docx::Docx,
        FileFormat::Doc => &doc::Doc,
        FileFormat::Xlsx | FileFormat::Xls | FileFormat::Xlsb | FileFormat::Ods => &spreadsheet::Spreadsheet,
        FileFormat::Csv => &csv::Csv,
        FileFormat::Text => &text::TextFile,
        FileFormat::Markdown => &markdown::Markdown,
        FileFormat::Pptx => &pptx::Pptx,
        FileFormat::Html => &html::Html,
        FileFormat::Rtf => &rtf::Rtf,
        FileFormat::Image => &image::Image,
        FileFormat::Eml => &mail::Eml,
        FileFormat::Msg => &mail::Msg,
        FileFormat::Mbox => &mail::Mbox,
        FileFormat::Zip => &zip::Zip,
        FileFormat::Odt | FileFormat::Odp => &opendocument::OpenDocument,
        FileFormat::Ppt => &ppt::Ppt,
        FileFormat::Tnef => &mail::Tnef,
        FileFormat::P7m => &signed::SignedFile,
        FileFormat::Calendar => &calendar::Calendar,
        FileFormat::Mhtml => &mail::WebArchive,
    }
}
