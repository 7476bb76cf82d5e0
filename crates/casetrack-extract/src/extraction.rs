use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

use casetrack_core::{Error, FileFormat, FileLimit, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor, PageObserver};
use casetrack_pages::model::{ExtractOptions, Extraction, Source, StepTracker};
use casetrack_pages::text::bates::note_bates;
use casetrack_pages::text::clauses::mark_headings;
use casetrack_pages::text::exhibits::note_exhibits;
use casetrack_pages::text::language;
use casetrack_pages::text::paragraph_numbers::note_numbers;

use crate::formats::text::PlainText;
use crate::{detect, encryption, formats, office_xml};

/// Reads, detects by content and extracts. `bytes` is the whole file (the caller has read and hashed it).
///
/// `path` is used for messages, the tie-breaks of [`detect`](crate::detect) and the sheet name of a CSV; it is not
/// opened. Time and memory are linear in the size of the file's uncompressed parts, which `options.limits` bounds.
///
/// Errors: A file without text is never an empty success: it is `EmptyFile`, `UnsupportedFormat`, `UnreadableFile`,
/// `NeedsPassword`, `NeedsOcr` or `FileTooLarge`; `MissingDependency` when a PDF is read without libpdfium.
pub fn extract(path: &Path, bytes: &[u8], options: &ExtractOptions) -> Result<Extraction> {
    let mut extraction = extract_observed(path, bytes, options, None, StepTracker::default())?;
    complete(&mut extraction);
    Ok(extraction)
}

/// The pages of a text that did not come from a file: verbatim, in any format. Time and memory are linear in it.
/// Errors: `EmptyFile` if it has only white space; `FileTooLarge`; `UnsupportedFormat` if it is no text, such as only
/// control characters.
pub fn extract_text(name: &Path, text: &str, options: &ExtractOptions) -> Result<Extraction> {
    let source = Source { path: name, bytes: text.as_bytes(), options };
    let mut document = DocumentBuilder::new(options.limits.max_text_chars);
    PlainText.extract(&source, &mut document)?;
    let mut extraction = document.finish(FileFormat::Text);
    if extraction.pages.iter().all(|page| page.blocks.is_empty()) {
        return Err(source.empty("contains no text."));
    }
    extraction.properties.language = language::detected(&extraction.pages);
    complete(&mut extraction);
    Ok(extraction)
}

/// Finds the parts that need all pages: headings of clauses, numbers of paragraphs, Bates numbers and stamps of
/// exhibits.
pub(crate) fn complete(extraction: &mut Extraction) {
    mark_headings(extraction.format, &mut extraction.pages);
    note_numbers(&mut extraction.pages);
    note_exhibits(extraction.unpaged, &mut extraction.pages);
    extraction.warnings.extend(note_bates(extraction.unpaged, &mut extraction.pages));
}

/// The same, with each page shown to `observer` as soon as it is complete, in the steps of `steps`, and without the
/// headings of clauses, which need all pages. Pages that were read before may come without their text.
pub(crate) fn extract_observed(
    path: &Path,
    bytes: &[u8],
    options: &ExtractOptions,
    observer: Option<PageObserver>,
    steps: StepTracker,
) -> Result<Extraction> {
    let steps = Rc::new(steps);
    let source = Source { path, bytes, options };
    if bytes.len() as u64 > options.limits.max_file_bytes {
        return Err(source.too_large(
            FileLimit::FileSize,
            format_args!("it has {} bytes, and files are read up to {}", bytes.len(), options.limits.max_file_bytes),
        ));
    }
    let plain = encryption::decrypted(&source)?;
    let source = Source { bytes: plain.as_ref().map_or(bytes, |plain| &plain.bytes), ..source };
    let package = office_xml::packed(&source)?;
    let source = Source { bytes: package.as_deref().unwrap_or(source.bytes), ..source };
    let format = detect::detect_source(&source)?;
    let extractor = formats::extractor(format);

    let mut document = DocumentBuilder::new(options.limits.max_text_chars);
    document.observe(observer);
    document.follow(Rc::clone(&steps));
    document.limit_attachments(&options.limits);
    if let Some(warning) = name_and_content_differ(&source, format) {
        document.warn(warning);
    }
    if let Some(warning) = plain.as_ref().and_then(|plain| plain.warning) {
        document.warn(warning);
    }
    catch_unwind(AssertUnwindSafe(|| extractor.extract(&source, &mut document)))
        .unwrap_or_else(|panic| Err(panicked(&source, &*panic)))?;
    let mut extraction = document.finish(format);
    if !steps.had_text() && extraction.pages.iter().all(|page| page.blocks.is_empty()) {
        return Err(source.empty("contains no text."));
    }
    // Without pages that an earlier attempt has read, nothing can be compared.
    if format == FileFormat::Pdf && !steps.had_text() {
        extraction.warnings.extend(formats::invoice_pages::difference(&extraction));
    }
    let stated = extraction.properties.language.take();
    extraction.properties.language = language::of(stated, &extraction.pages);
    Ok(extraction)
}

/// A warning when the name promises another kind of file. Formats of plain text are all read alike, so their names do not matter.
fn name_and_content_differ(source: &Source, format: FileFormat) -> Option<String> {
    let promised = source.promised_format()?;
    let textual = |format| matches!(format, FileFormat::Text | FileFormat::Markdown | FileFormat::Csv);
    if promised == format || promised.is_same_kind(format) || (textual(promised) && textual(format)) {
        return None;
    }
    let extension = source.path.extension()?.to_string_lossy();
    let found = format.description();
    Some(format!("The name ends in .{extension}, but the content is {found}; it was read as {found}."))
}

pub(crate) fn panicked(source: &Source, panic: &(dyn Any + Send)) -> Error {
    let reason = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    source.unreadable(format_args!("its parser failed ({})", reason.unwrap_or("without a reason")))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{ErrorCode, Limits};

    use super::*;

    fn extract_with(name: &str, bytes: &[u8], limits: Limits) -> Result<Extraction> {
        extract(Path::new(name), bytes, &ExtractOptions { limits, ..ExtractOptions::default() })
    }

    #[test]
    fn sizes_are_limited_before_and_while_reading() {
        let limits = Limits { max_file_bytes: 10, ..Limits::default() };
        assert_eq!(extract_with("a.txt", b"eleven char", limits).unwrap_err().code, ErrorCode::FileTooLarge);
        let limits = Limits { max_text_chars: 5, ..Limits::default() };
        assert_eq!(extract_with("a.txt", b"sixsix", limits).unwrap_err().code, ErrorCode::FileTooLarge);
        assert!(extract_with("a.txt", "fünf!".as_bytes(), limits).is_ok());
    }

    #[test]
    fn content_wins_over_the_name_and_is_said_to() {
        let extraction = extract_with("report.pdf", b"Only text.\n", Limits::default()).unwrap();
        assert_eq!(extraction.format, FileFormat::Text);
        assert_eq!(
            extraction.warnings,
            ["The name ends in .pdf, but the content is plain text; it was read as plain text."]
        );
        assert!(extract_with("report.log", b"Only text.\n", Limits::default()).unwrap().warnings.is_empty());
    }

    #[test]
    fn a_text_is_a_text_whatever_it_looks_like() {
        let of = |text| extract_text(Path::new("a.pdf"), text, &ExtractOptions::default());
        for text in
            ["<html><body>Rent</body></html>", "{\\rtf1 Rent}", "%PDF-1.4 Rent", "From: Ann\nSubject: Rent\n\nDue."]
        {
            let extraction = of(text).unwrap();
            assert_eq!((extraction.format, extraction.pages[0].text.as_str()), (FileFormat::Text, text));
            assert_eq!((extraction.pages.len(), extraction.warnings.len()), (1, 0));
        }
        assert_eq!(of("one\x0ctwo").unwrap().pages.len(), 2);
        assert_eq!(of(" \n\t").unwrap_err().code, ErrorCode::EmptyFile);
    }

    #[test]
    fn a_file_without_text_is_an_error() {
        for bytes in [&b""[..], b" \n\t\r\n"] {
            let error = extract_with("blank.txt", bytes, Limits::default()).unwrap_err();
            assert_eq!(error.code, ErrorCode::EmptyFile);
            assert!(error.message.starts_with("blank.txt "), "{}", error.message);
        }
    }
}
