//! The one table that says which extractor reads which format.

use casetrack_core::FileFormat;

use crate::build::Extractor;
use crate::formats::doc::Doc;
use crate::formats::html::Html;
use crate::formats::image::Image;
use crate::formats::opendocument::OpenDocument;
use crate::formats::ppt::Ppt;
use crate::formats::pptx::Pptx;
use crate::formats::rtf::Rtf;
use crate::formats::{csv::Csv, docx::Docx, markdown::Markdown, pdf::Pdf, spreadsheet::Spreadsheet, text::PlainText};
use crate::formats::{mail::Eml, mail::Mbox, mail::Msg, zip::Zip};

/// Every format in `FileFormat::ALL` has exactly one row.
static EXTRACTORS: &[(FileFormat, &dyn Extractor)] = &[
    (FileFormat::Pdf, &Pdf),
    (FileFormat::Docx, &Docx),
    (FileFormat::Doc, &Doc),
    (FileFormat::Xlsx, &Spreadsheet),
    (FileFormat::Xls, &Spreadsheet),
    (FileFormat::Xlsb, &Spreadsheet),
    (FileFormat::Ods, &Spreadsheet),
    (FileFormat::Csv, &Csv),
    (FileFormat::Text, &PlainText),
    (FileFormat::Markdown, &Markdown),
    (FileFormat::Pptx, &Pptx),
    (FileFormat::Html, &Html),
    (FileFormat::Rtf, &Rtf),
    (FileFormat::Image, &Image),
    (FileFormat::Eml, &Eml),
    (FileFormat::Msg, &Msg),
    (FileFormat::Mbox, &Mbox),
    (FileFormat::Zip, &Zip),
    (FileFormat::Odt, &OpenDocument),
    (FileFormat::Odp, &OpenDocument),
    (FileFormat::Ppt, &Ppt),
];

/// The extractor of a format; `None` for a format without a row.
pub(crate) fn extractor(format: FileFormat) -> Option<&'static dyn Extractor> {
    EXTRACTORS.iter().find(|(candidate, _)| *candidate == format).map(|(_, extractor)| *extractor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_exactly_one_extractor() {
        for format in FileFormat::ALL {
            assert_eq!(EXTRACTORS.iter().filter(|(candidate, _)| candidate == format).count(), 1, "{format:?}");
        }
        assert_eq!(EXTRACTORS.len(), FileFormat::ALL.len());
    }
}
