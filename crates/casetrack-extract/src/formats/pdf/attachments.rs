//! Files inside a PDF: attachments, and the members of a portfolio.

use pdfium_render::prelude::PdfDocument;

use crate::build::DocumentBuilder;

/// Hands the files to the builder, as far as its limits go. pdfium decodes each of them in the memory of the worker.
pub(super) fn hand_out(pdf: &PdfDocument, document: &mut DocumentBuilder) {
    let mut unopened = 0;
    for index in pdf.attachments().as_range() {
        let Ok(file) = pdf.attachments().get(index) else {
            unopened += 1;
            continue;
        };
        if file.len() as u64 > document.attachments().bytes_left() {
            document.attachments().leave_out();
            continue;
        }
        match file.save_to_bytes() {
            Ok(bytes) => document.attachments().push(&file.name(), bytes),
            Err(error) => {
                tracing::debug!("attachment {index}: {error:?}");
                unopened += 1;
            }
        }
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

    /// One page that says `text`, with these annotations (the ninth object is one), in a document that holds a file.
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
        ]);
        crate::extract(Path::new("lease.pdf"), &file, &ExtractOptions::default()).unwrap()
    }

    #[test]
    fn files_of_the_document_are_handed_out_and_files_on_pages_are_named() {
        let extraction = extracted("The rent is due in May.", "9 0 R");
        let files: Vec<_> = extraction.attachments.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("plan.txt", &b"The northern wall."[..])]);
        assert_eq!(extraction.pages[0].text, "The rent is due in May.\nAttached file: The survey");
        let warning = "Files attached to places on page 1 were not opened; a PDF viewer can save them.";
        assert_eq!(extraction.warnings, [warning]);
    }

    #[test]
    fn a_portfolio_without_text_lists_its_files() {
        let extraction = extracted("", "");
        assert_eq!(extraction.pages[0].text, "plan.txt");
        assert_eq!(extraction.attachments.len(), 1);
        assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    }
}
