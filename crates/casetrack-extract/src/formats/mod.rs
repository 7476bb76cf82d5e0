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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::ExtractOptions;

    #[test]
    fn formats_with_tracked_changes_and_hidden_text_are_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
        let (mut tracked, mut hidden) = (BTreeSet::new(), BTreeSet::new());
        for file in
            ["draft.doc", "draft.docx", "draft.odt", "draft.rtf", "fees.ods", "fees.xls", "fees.xlsb", "fees.xlsx"]
        {
            let path = folder.join(file);
            let read = crate::extract(&path, &std::fs::read(&path).unwrap(), &ExtractOptions::default()).unwrap();
            for page in &read.pages {
                tracked.extend((!page.notes.changes.is_empty()).then_some(read.format));
                hidden.extend((!page.notes.hidden.is_empty()).then_some(read.format));
            }
        }
        assert_eq!(tracked, BTreeSet::from(FileFormat::WITH_TRACKED_CHANGES));
        // The tests of the other formats make their own files.
        let of_other_files = [FileFormat::Pdf, FileFormat::Pptx, FileFormat::Ppt, FileFormat::Odp];
        hidden.extend(of_other_files);
        assert_eq!(hidden, BTreeSet::from(FileFormat::WITH_HIDDEN_TEXT));
    }
}
