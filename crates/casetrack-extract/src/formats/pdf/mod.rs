//! PDF files, over pdfium.
//!
//! Text is what the text layer says, in the order of the page's content, one line of text per line on the page with its
//! box. Paragraphs are found from geometry. A page that is a picture with no or hardly any text is a scan, and a text layer
//! may be garbage: such pages are rendered and read by OCR. Where that is not possible they keep their places without being
//! taken for empty pages.

mod layout;
mod library;
mod report;
mod scan;
mod text_layer;

use std::sync::{Mutex, PoisonError};

use casetrack_core::{BlockKind, Error, ExtractionMethod, Rect, Result};
use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType, PdfPage, PdfPageAnnotationType, PdfPageObject, PdfPageObjectCommon,
    PdfPageObjectsCommon, PdfiumError, PdfiumInternalError,
};

use self::layout::{Headings, Paragraph};
pub use self::library::pdfium_status;
use self::report::Report;
use self::text_layer::{Line, View};
use crate::ocr::{self, OcrPage, Picture, tesseract_status};
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

/// What the text layer of a page says.
struct TextPage {
    state: PageState,
    paragraphs: Vec<Paragraph>,
}

impl TextPage {
    fn needs_ocr(&self) -> bool {
        matches!(self.state, PageState::Scanned | PageState::Garbage)
    }
}

/// OCR of a page with a garbage text layer replaces it when it makes at least this much sense.
const MIN_CONFIDENCE: f32 = 0.5;

/// Text layers first: they are read fast, and tell what is a heading. Then page by page, with OCR where it is needed, so that
/// what was read of a long scan is not lost if its reading is stopped.
fn read_document(source: &Source, pdf: &PdfDocument, document: &mut DocumentBuilder) -> Result<()> {
    if pdf.pages().is_empty() {
        return Err(source.unreadable("it has no pages"));
    }
    if let Some(title) = pdf.metadata().get(PdfDocumentMetadataTagType::Title)
        && is_sensible_title(title.value())
    {
        document.set_title(title.value());
    }
    let pages = read_text_layers(source, pdf)?;
    let sensible = pages.iter().filter(|page| page.state != PageState::Garbage);
    let headings = Headings::of(sensible.map(|page| &page.paragraphs));
    let missing = match pages.iter().any(TextPage::needs_ocr) {
        true => tesseract_status(source.options).err(),
        false => None,
    };
    let pictures = pages.iter().zip(0..).map(|(page, index)| {
        let wanted = page.needs_ocr() && missing.is_none();
        wanted.then(|| picture(source, pdf, index)).flatten()
    });
    let mut report = Report::default();
    let mut turn = pages.iter();
    ocr::read_in_order(source.options, pictures, |ocr| {
        let Some(page) = turn.next() else { return Ok(()) };
        match ocr.filter(|ocr| replaces(ocr, page)) {
            // The picture shows what a stamp or page number in the text layer says.
            Some(ocr) => {
                report.add(PageState::Readable, true);
                document.start_page(ExtractionMethod::Ocr, None);
                document.set_ocr_confidence(ocr.confidence);
                push_paragraphs(document, &scan::paragraphs(&ocr), &headings)?;
            }
            None => {
                report.add(page.state, !page.paragraphs.is_empty());
                document.start_page(ExtractionMethod::Native, None);
                push_paragraphs(document, &page.paragraphs, &headings)?;
            }
        }
        document.finish_page();
        Ok(())
    })?;
    report.finish(source, missing, document)
}

/// Whether what OCR read takes the place of what the text layer says.
fn replaces(ocr: &OcrPage, page: &TextPage) -> bool {
    let is_worse = page.state == PageState::Garbage && ocr.confidence < MIN_CONFIDENCE;
    !is_worse && !ocr.paragraphs.is_empty()
}

fn push_paragraphs(document: &mut DocumentBuilder, paragraphs: &[Paragraph], headings: &Headings) -> Result<()> {
    for paragraph in paragraphs {
        let kind = match headings.level(paragraph) {
            Some(level) => BlockKind::Heading { level },
            None if paragraph.is_list_item() => BlockKind::ListItem,
            None => BlockKind::Paragraph,
        };
        let lines: Vec<PlacedLine> = paragraph.lines.iter().map(placed).collect();
        document.push_lines(kind, &lines)?;
    }
    Ok(())
}

fn read_text_layers(source: &Source, pdf: &PdfDocument) -> Result<Vec<TextPage>> {
    let mut pages = Vec::new();
    let mut text_bytes = 0u64;
    for index in 0..pdf.pages().len() {
        let read = {
            let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
            pdf.pages().get(index).and_then(|mut page| read_page(&mut page))
        };
        let (state, lines) = read.unwrap_or_else(|error| {
            log_damage(source, index, &error);
            (PageState::Damaged, Vec::new())
        });
        text_bytes += lines.iter().map(|line| line.text.len() as u64).sum::<u64>();
        if text_bytes > source.limits().max_text_chars.saturating_mul(4) {
            return Err(source
                .too_large(format_args!("it holds more than {} characters of text", source.limits().max_text_chars)));
        }
        pages.push(TextPage { state, paragraphs: layout::paragraphs(lines) });
    }
    Ok(pages)
}

fn picture(source: &Source, pdf: &PdfDocument, index: i32) -> Option<Picture> {
    let _inside = PDFIUM.lock().unwrap_or_else(PoisonError::into_inner);
    let page = pdf.pages().get(index);
    let picture = page.and_then(|page| scan::render(&page, source.limits().max_image_pixels));
    picture.map_err(|error| log_damage(source, index, &error)).ok()
}

fn log_damage(source: &Source, index: i32, error: &PdfiumError) {
    tracing::debug!("page {} of {}: {error:?}", index + 1, source.path.display());
}

fn placed(line: &Line) -> PlacedLine {
    let Rect { left, right, top, bottom } = line.area;
    let area = (right > left && bottom > top).then_some(line.area);
    PlacedLine { text: line.text.clone(), area }
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
