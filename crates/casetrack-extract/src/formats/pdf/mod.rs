//! PDF files, over pdfium.
//!
//! Text is what the text layer says, in the order of the page's content, one line of text per line on the page with its
//! box. Paragraphs are found from geometry. A page that is a picture with no or hardly any text is a scan, and a text layer
//! may be garbage: such pages are rendered and read by OCR. Where that is not possible they keep their places without being
//! taken for empty pages.

mod layout;
mod library;
mod scan;
mod text_layer;

use std::sync::{Mutex, PoisonError};

use casetrack_core::{BlockKind, Error, ErrorCode, ExtractionMethod, Rect, Result};
use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType, PdfPage, PdfPageAnnotationType, PdfPageObject, PdfPageObjectCommon,
    PdfPageObjectsCommon, PdfiumError, PdfiumInternalError,
};

use self::layout::{Headings, Paragraph};
pub use self::library::pdfium_status;
use self::text_layer::{Line, View};
use crate::ocr::{self, OcrPage, Picture};
use crate::page::{DocumentBuilder, PlacedLine};
use crate::registry::Extractor;
use crate::source::Source;

/// Fewer characters than this on a page that is covered by a picture are a stamp or a page number, not its text.
const MIN_TEXT_OF_SCAN: usize = 50;
/// Share of the page that pictures must cover for a scan: on a page with a little text, and on one with none at all.
const SCAN_COVERAGE: f32 = 0.5;
const SCAN_COVERAGE_WITHOUT_TEXT: f32 = 0.1;
/// Pictures may be wrapped in forms this deep.
const MAX_FORM_DEPTH: u32 = 4;

/// One thread is inside pdfium at a time: it is not thread-safe, and its binding locks every single call, which is cheap
/// only without contention.
static PDFIUM: Mutex<()> = Mutex::new(());

pub(crate) struct Pdf;

impl Extractor for Pdf {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let pdfium = library::pdfium(source.options)?;
        let pdf = {
            let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
            let given = source.options.password.as_ref().map(|password| password.reveal());
            // Without a password at last: most encrypted files open so, and only forbid to print or copy.
            let mut opened = pdfium.load_pdf_from_byte_slice(source.bytes, given);
            if given.is_some() && opened.as_ref().is_err_and(is_password_error) {
                opened = pdfium.load_pdf_from_byte_slice(source.bytes, None);
            }
            opened.map_err(|error| open_error(source, &error))?
        };
        let outcome = read_document(source, &pdf, document);
        let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
        drop(pdf);
        outcome
    }
}

/// What a page is, apart from its text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PageState {
    /// Has text, or is truly blank.
    Readable,
    Scanned,
    /// Has a text layer that does not say what the page shows.
    Garbage,
    Damaged,
}

/// A page while the document is read.
struct ReadPage {
    state: PageState,
    method: ExtractionMethod,
    confidence: Option<f32>,
    paragraphs: Vec<Paragraph>,
}

/// OCR of a page with a garbage text layer replaces it when it makes at least this much sense.
const MIN_CONFIDENCE: f32 = 0.5;

fn read_document(source: &Source, pdf: &PdfDocument, document: &mut DocumentBuilder) -> Result<()> {
    let count = pdf.pages().len();
    if count == 0 {
        return Err(source.unreadable("it has no pages"));
    }
    if let Some(title) = pdf.metadata().get(PdfDocumentMetadataTagType::Title)
        && is_sensible_title(title.value())
    {
        document.set_title(title.value());
    }
    let read = ocr::read_all(source.options, |submit| read_pages(source, pdf, submit));
    let pages = add_ocr(read.fed?, read.pages);
    check_pages(source, &pages, read.missing, document)?;

    let headings = Headings::of(pages.iter().map(|page| &page.paragraphs));
    for page in &pages {
        document.start_page(page.method, None);
        if let Some(confidence) = page.confidence {
            document.set_ocr_confidence(confidence);
        }
        for paragraph in &page.paragraphs {
            let kind = match headings.level(paragraph) {
                Some(level) => BlockKind::Heading { level },
                None if paragraph.is_list_item() => BlockKind::ListItem,
                None => BlockKind::Paragraph,
            };
            let lines: Vec<PlacedLine> = paragraph.lines.iter().map(placed).collect();
            document.push_lines(kind, &lines)?;
        }
    }
    Ok(())
}

/// The text layers of all pages; pages without a usable one are handed on as pictures, with their numbers from 0.
fn read_pages(source: &Source, pdf: &PdfDocument, submit: &mut dyn FnMut(usize, Picture)) -> Result<Vec<ReadPage>> {
    let mut pages = Vec::new();
    let mut text_bytes = 0u64;
    for index in 0..pdf.pages().len() {
        let read = {
            let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
            pdf.pages().get(index).and_then(|mut page| {
                let (state, lines) = read_page(&mut page)?;
                let wanted = matches!(state, PageState::Scanned | PageState::Garbage);
                let picture = wanted.then(|| scan::render(&page, source.limits().max_image_pixels)).transpose();
                Ok((state, lines, picture))
            })
        };
        let damaged =
            |error: &PdfiumError| tracing::debug!("page {} of {}: {error:?}", index + 1, source.path.display());
        let (state, lines) = match read {
            Ok((state, lines, picture)) => {
                match picture {
                    Ok(Some(picture)) => submit(pages.len(), picture),
                    Ok(None) => {}
                    Err(error) => damaged(&error),
                }
                (state, lines)
            }
            Err(error) => {
                damaged(&error);
                (PageState::Damaged, Vec::new())
            }
        };
        text_bytes += lines.iter().map(|line| line.text.len() as u64).sum::<u64>();
        if text_bytes > source.limits().max_text_chars.saturating_mul(4) {
            return Err(source
                .too_large(format_args!("it holds more than {} characters of text", source.limits().max_text_chars)));
        }
        let paragraphs = layout::paragraphs(lines);
        pages.push(ReadPage { state, method: ExtractionMethod::Native, confidence: None, paragraphs });
    }
    Ok(pages)
}

/// Puts what OCR read in the place of what the text layer says.
fn add_ocr(mut pages: Vec<ReadPage>, read: Vec<(usize, OcrPage)>) -> Vec<ReadPage> {
    for (number, ocr) in read {
        let Some(page) = pages.get_mut(number) else { continue };
        let is_worse = page.state == PageState::Garbage && ocr.confidence < MIN_CONFIDENCE;
        let paragraphs = scan::paragraphs(&ocr);
        if is_worse || paragraphs.is_empty() {
            continue;
        }
        // The picture shows what a stamp or page number in the text layer says.
        *page = ReadPage {
            state: PageState::Readable,
            method: ExtractionMethod::Ocr,
            confidence: Some(ocr.confidence),
            paragraphs,
        };
    }
    pages
}

fn placed(line: &Line) -> PlacedLine {
    let Rect { left, right, top, bottom } = line.area;
    let area = (right > left && bottom > top).then_some(line.area);
    PlacedLine { text: line.text.clone(), area }
}

/// Says which pages are missing; an error when there is no text at all. `missing` is why there was no OCR.
fn check_pages(
    source: &Source,
    pages: &[ReadPage],
    missing: Option<Error>,
    document: &mut DocumentBuilder,
) -> Result<()> {
    let numbers = |wanted: PageState| -> Vec<usize> {
        pages.iter().zip(1..).filter(|(page, _)| page.state == wanted).map(|(_, number)| number).collect()
    };
    let (scanned, garbage, damaged) =
        (numbers(PageState::Scanned), numbers(PageState::Garbage), numbers(PageState::Damaged));
    let has_text = pages.iter().any(|page| page.state == PageState::Readable && !page.paragraphs.is_empty());
    if !has_text && garbage.is_empty() && !scanned.is_empty() {
        return Err(match missing {
            Some(missing) => Error::new(
                ErrorCode::NeedsOcr,
                format!("{} is a scan without a text layer ({}).", source.name(), plural(pages.len(), "page")),
            )
            .with_hint(missing.hint.unwrap_or_default()),
            None => source.empty("is a scan on which no text was recognised."),
        });
    }
    if !has_text && garbage.is_empty() && !damaged.is_empty() {
        return Err(source.unreadable("none of its pages can be read"));
    }
    if !has_text && garbage.is_empty() {
        return Err(source.empty("contains no text."));
    }
    if !scanned.is_empty() && missing.is_some() {
        document.warn(format!("No text layer on {}: scanned, needs OCR.", page_list(&scanned)));
    }
    if !scanned.is_empty() && missing.is_none() {
        document.warn(format!("No text was recognised on {}: a picture.", page_list(&scanned)));
    }
    if !garbage.is_empty() {
        document.warn(format!("The text layer of {} does not say what the page shows.", page_list(&garbage)));
    }
    if !damaged.is_empty() {
        document.warn(format!("Could not be read: {}. The other pages are complete.", page_list(&damaged)));
    }
    Ok(())
}

fn read_page(page: &mut PdfPage) -> Result<(PageState, Vec<Line>), PdfiumError> {
    if has_printed_annotations(page)
        && let Err(error) = page.flatten()
    {
        tracing::debug!("annotations are left out: {error:?}");
    }
    let page = &*page;
    let (lines, unmapped) = text_layer::read_lines(page)?;
    let printed: usize = lines.iter().map(|line| line.text.chars().filter(|c| !c.is_whitespace()).count()).sum();
    let coverage = if printed == 0 { SCAN_COVERAGE_WITHOUT_TEXT } else { SCAN_COVERAGE };
    let state = if printed < MIN_TEXT_OF_SCAN && is_covered_by_pictures(page, coverage) {
        PageState::Scanned
    } else if scan::is_garbage(&lines, unmapped) {
        PageState::Garbage
    } else {
        PageState::Readable
    };
    Ok((state, lines))
}

/// Whether annotations show text of their own: filled-in form fields, text written onto the page, stamps. They are no part of
/// the page's text layer until they are merged into the page, in memory.
fn has_printed_annotations(page: &PdfPage) -> bool {
    page.annotations().iter().any(|annotation| {
        matches!(
            annotation.annotation_type(),
            PdfPageAnnotationType::Widget | PdfPageAnnotationType::FreeText | PdfPageAnnotationType::Stamp
        )
    })
}

fn is_covered_by_pictures(page: &PdfPage, share: f32) -> bool {
    let view = View::of(page);
    let covered: f32 = page.objects().iter().map(|object| covered_by(&object, &view, 0)).sum();
    covered >= share * view.size()
}

/// What pictures in a page object cover, in square points. A form counts as a whole when it holds a picture: positions
/// inside it are its own.
fn covered_by(object: &PdfPageObject, view: &View, depth: u32) -> f32 {
    let holds_picture = match object {
        PdfPageObject::Image(_) => true,
        PdfPageObject::XObjectForm(form) if depth < MAX_FORM_DEPTH => {
            form.iter().any(|inner| covered_by(&inner, view, depth + 1) > 0.0)
        }
        _ => false,
    };
    if !holds_picture {
        return 0.0;
    }
    if depth > 0 {
        return 1.0;
    }
    object.bounds().map_or(0.0, |bounds| view.visible(&bounds.to_rect()))
}

fn is_password_error(error: &PdfiumError) -> bool {
    matches!(error, PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError))
}

fn open_error(source: &Source, error: &PdfiumError) -> Error {
    match error {
        error if is_password_error(error) => source.needs_password(),
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::SecurityError) => {
            source.unsupported_encryption("the PDF library knows no such security handler")
        }
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::FormatError) => {
            source.unreadable("it is not a complete PDF")
        }
        other => source.unreadable(format_args!("the PDF library reports {other:?}")),
    }
}

/// Producers fill in file names and placeholders.
fn is_sensible_title(title: &str) -> bool {
    let title = title.trim();
    let lower = title.to_lowercase();
    let is_file_name =
        [".doc", ".docx", ".pdf", ".dvi", ".indd", ".qxd", ".ps", ".txt", ".htm", ".html", ".xls", ".xlsx", ".ppt"]
            .iter()
            .any(|extension| lower.ends_with(extension));
    let is_placeholder = ["untitled", "microsoft word - ", "about:blank", "no title", "slide 1"]
        .iter()
        .any(|placeholder| lower.starts_with(placeholder));
    title.chars().filter(|c| c.is_alphabetic()).count() >= 3 && !is_file_name && !is_placeholder
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// "page 3" or "pages 1, 4-7".
fn page_list(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}-{end}") })
        .collect();
    format!("page{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges.join(", "))
}

/// The first page of a PDF as a picture.
#[cfg(test)]
pub(crate) fn rendered_page(bytes: &[u8]) -> Picture {
    let pdfium = library::pdfium(&crate::ExtractOptions::default()).unwrap();
    let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
    let pdf = pdfium.load_pdf_from_byte_slice(bytes, None).unwrap();
    scan::render(&pdf.pages().get(0).unwrap(), 100_000_000).unwrap()
}

#[cfg(test)]
mod tests;
