//! Files inside a PDF: attachments, the members of a portfolio, and files that are attached to places on pages.

use std::collections::HashSet;

use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::model::Source;
use pdfium_render::prelude::PdfDocument;
use sha2::{Digest, Sha256};

use super::page_files::on_pages;

/// Hands the files to the builder, as far as its limits go: those of the document, then those on these pages, counted
/// from 0, which the document does not hold as well. pdfium decodes each of them in the memory of the worker.
pub(super) fn hand_out(source: &Source, pdf: &PdfDocument, pages: &[usize], document: &mut DocumentBuilder) {
    let (mut seen, mut unopened) = (HashSet::new(), 0);
    let mut push = |size: usize, is_of_page: bool, name: &str, bytes: &dyn Fn() -> Option<Vec<u8>>| {
        if size as u64 > document.attachments().bytes_left() {
            document.attachments().leave_out();
            return;
        }
        match bytes() {
            Some(bytes) => {
                let is_new = seen.insert(<[u8; 32]>::from(Sha256::digest(&bytes)));
                if is_new || !is_of_page {
                    document.attachments().push(name, bytes);
                }
            }
            None => unopened += 1,
        }
    };
    for index in pdf.attachments().as_range() {
        match pdf.attachments().get(index) {
            Ok(file) => push(file.len(), false, &file.name(), &|| file.save_to_bytes().ok()),
            Err(_) => push(0, false, "", &|| None),
        }
    }
    if !pages.is_empty() {
        on_pages(source, pdf, pages, |file| match file {
            Some(file) => push(file.size, true, &file.name, &|| file.bytes()),
            None => push(0, true, "", &|| None),
        });
    }
    if unopened > 0 {
        document.warn(format!("Attached files that could not be opened: {unopened}."));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::test_files::pdf_file_of;
    use crate::{ExtractOptions, Extraction};

    /// One page with the text `text` and these annotations (the ninth and tenth object are some), in a document that
    /// holds a file.
    fn extracted(text: &str, annotations: &str) -> Extraction {
        let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        let stream = |text: &str| format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len());
        let file = pdf_file_of(&[
            "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(plan) 6 0 R] >> >> >>".to_owned(),
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 8 0 R /Annots [{annotations}] \
                 /Resources << /Font << /F1 3 0 R >> >> >>"
            ),
            "<< /Title (Lease of land) >>".to_owned(),
            "<< /Type /Filespec /F (plan.txt) /UF (plan.txt) /EF << /F 7 0 R >> >>".to_owned(),
            stream("The northern wall."),
            stream(&content),
            "<< /Type /Annot /Subtype /FileAttachment /Rect [72 600 92 620] /Contents (The survey) /FS 6 0 R >>"
                .to_owned(),
            "<< /Type /Annot /Subtype /FileAttachment /Rect [72 500 92 520] /FS 11 0 R >>".to_owned(),
            "<< /Type /Filespec /F (keys.txt) /UF (keys.txt) /EF << /F 12 0 R >> >>".to_owned(),
            stream("Two keys."),
        ]);
        crate::extract(Path::new("lease.pdf"), &file, &ExtractOptions::default()).unwrap()
    }

    #[test]
    fn files_of_the_document_and_on_its_pages_are_handed_out_once() {
        let extraction = extracted("The rent is due in May.", "9 0 R 10 0 R");
        let files: Vec<_> = extraction.attachments.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("plan.txt", &b"The northern wall."[..]), ("keys.txt", &b"Two keys."[..])]);
        let text = "The rent is due in May.\nAttached file: The survey\nAttached file";
        assert_eq!(extraction.pages[0].text, text);
        assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    }

    #[test]
    fn a_file_on_a_page_that_is_missing_is_a_warning() {
        let inline = "<< /Type /Annot /Subtype /FileAttachment /Rect [72 600 92 620] /FS 99 0 R >>";
        let extraction = extracted("The rent is due in May.", inline);
        assert_eq!(extraction.attachments.len(), 1);
        assert_eq!(extraction.warnings, ["Attached files that could not be opened: 1."]);
    }

    #[test]
    fn a_portfolio_without_text_lists_its_files() {
        let extraction = extracted("", "");
        assert_eq!(extraction.pages[0].text, "plan.txt");
        assert_eq!(extraction.attachments.len(), 1);
        assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    }
}
