//! PDF files, over pdfium.
//!
//! Text is what the text layer says, in the order of the page's content, one line of text per line on the page with its
//! box. Paragraphs are found from geometry. A page that is a picture with little or no text is a scan, and a text layer
//! may be garbage: such pages are rendered and read by OCR, and so are large pictures beside a text layer. Where that is not
//! possible pages keep their places without being taken for empty ones.

mod columns;
mod file;
mod layout;
mod library;
mod line;
mod page;
mod pictures;
mod rendering;
mod report;
mod running;
mod scan;
mod text_layer;

use casetrack_core::{BlockKind, ExtractionMethod, Rect, Result};
use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType, PdfPage, PdfPageAnnotationType, PdfPageIndex, PdfiumError,
};
use std::borrow::Cow;

use self::file::{inside_pdfium, opened};
use self::layout::{Headings, Paragraph};
pub use self::library::pdfium_status;
use self::line::Line;
use self::page::{PageState, ReadPage};
use self::pictures::{Pictures, Unread};
pub(crate) use self::rendering::render;
use self::report::Report;
use self::text_layer::View;
use crate::build::{DocumentBuilder, Extractor, PlacedLine};
use crate::model::Source;
use crate::ocr::{self, OcrPage, Picture, tesseract_status};
use crate::text::dates;

/// Fewer characters than this on a page that is covered by a picture are a stamp or a page number, not its text.
const MIN_TEXT_OF_SCAN: usize = 50;
/// Share of the page that pictures must cover for a scan: on a page with a little text, and on one with none at all.
const SCAN_COVERAGE: f32 = 0.5;
const SCAN_COVERAGE_WITHOUT_TEXT: f32 = 0.1;
pub(crate) struct Pdf;

impl Extractor for Pdf {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let pdf = opened(source)?;
        let outcome = read_document(source, &pdf, document);
        let _inside = inside_pdfium();
        drop(pdf);
        outcome
    }
}

/// What the text layer of a page says.
struct TextPage {
    state: PageState,
    paragraphs: Vec<Paragraph>,
    /// Of a readable page.
    unread: Unread,
}

impl TextPage {
    fn needs_ocr(&self) -> bool {
        matches!(self.state, PageState::Scanned | PageState::Garbage) || !self.unread.areas.is_empty()
    }
}

/// OCR of a page with a garbage text layer replaces it when it makes at least this much sense.
const MIN_CONFIDENCE: f32 = 0.5;

/// Text layers first: they are fast to read, and show what is a heading. Then page by page, with OCR where it is needed, so that
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
    let entry = |kind| pdf.metadata().get(kind).map(|entry| entry.value().to_owned()).unwrap_or_default();
    document.set_author(&entry(PdfDocumentMetadataTagType::Author));
    document.set_created(dates::of_pdf(&entry(PdfDocumentMetadataTagType::CreationDate)));
    document.set_modified(dates::of_pdf(&entry(PdfDocumentMetadataTagType::ModificationDate)));
    let pages = read_text_layers(source, pdf)?;
    let sensible = pages.iter().filter(|page| page.state != PageState::Garbage);
    let headings = Headings::of(sensible.map(|page| &page.paragraphs));
    let missing = match pages.iter().any(TextPage::needs_ocr) {
        true => tesseract_status(source.options).err(),
        false => None,
    };
    let pictures = pages.iter().zip(0..).map(|(page, index)| {
        let wanted = page.needs_ocr() && missing.is_none();
        wanted.then(|| picture(source, pdf, index, page)).flatten()
    });
    let mut report = Report::default();
    let mut turn = pages.iter();
    ocr::read_in_order(source.options, pictures, |ocr| {
        let Some(page) = turn.next() else { return Ok(()) };
        report.unread(missing.is_some() && page.unread.is_large);
        let (method, confidence, paragraphs) = match ocr {
            Some(ocr) if page.state == PageState::Readable => {
                match scan::from_pictures(&ocr, &page.unread.areas, &page.paragraphs) {
                    Some(read) => {
                        let paragraphs = scan::merged(&page.paragraphs, read.paragraphs);
                        (ExtractionMethod::Hybrid, Some(read.confidence), Cow::Owned(paragraphs))
                    }
                    None => (ExtractionMethod::Native, None, Cow::Borrowed(&page.paragraphs)),
                }
            }
            // The picture shows what a stamp or page number in the text layer says.
            Some(ocr) if replaces(&ocr, page) => {
                (ExtractionMethod::Ocr, Some(ocr.confidence), Cow::Owned(scan::paragraphs(&ocr)))
            }
            _ => (ExtractionMethod::Native, None, Cow::Borrowed(&page.paragraphs)),
        };
        let state = if method == ExtractionMethod::Native { page.state } else { PageState::Readable };
        report.add(state, !paragraphs.is_empty());
        document.start_page(method, None);
        if let Some(confidence) = confidence {
            document.set_ocr_confidence(confidence);
        }
        push_paragraphs(document, &paragraphs, &headings)?;
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
            let _inside = inside_pdfium();
            flattened(pdf, index).and_then(|page| read_page(&page))
        };
        let page = read.unwrap_or_else(|error| {
            log_damage(source, index, &error);
            ReadPage { state: PageState::Damaged, lines: Vec::new(), unread: Unread::default(), height: 0.0 }
        });
        text_bytes += page.lines.iter().map(|line| line.text.len() as u64).sum::<u64>();
        if text_bytes > source.limits().max_text_chars.saturating_mul(4) {
            return Err(source
                .too_large(format_args!("it holds more than {} characters of text", source.limits().max_text_chars)));
        }
        pages.push(page);
    }
    running::mark(&mut pages);
    let grouped = |page: ReadPage| TextPage {
        state: page.state,
        paragraphs: layout::paragraphs(page.lines),
        unread: page.unread,
    };
    Ok(pages.into_iter().map(grouped).collect())
}

/// What of a page is to be read by OCR; `None` when its pictures hold no text, or it cannot be rendered.
fn picture(source: &Source, pdf: &PdfDocument, index: i32, text: &TextPage) -> Option<Picture> {
    let rendered = {
        let _inside = inside_pdfium();
        pdf.pages().get(index).and_then(|page| scan::render(&page, source.limits().max_image_pixels))
    };
    let page = rendered.map_err(|error| log_damage(source, index, &error)).ok()?;
    match text.state {
        PageState::Readable => scan::cut_out(&page, &text.unread.areas, &text.paragraphs),
        _ => Some(page),
    }
}

fn log_damage(source: &Source, index: i32, error: &PdfiumError) {
    tracing::debug!("page {} of {}: {error:?}", index + 1, source.path.display());
}

fn placed(line: &Line) -> PlacedLine {
    let Rect { left, right, top, bottom } = line.area;
    let area = (right > left && bottom > top).then_some(line.area);
    PlacedLine { text: line.text.clone(), area }
}

/// The page with the annotations that print as part of its content.
fn flattened<'a>(pdf: &'a PdfDocument, index: PdfPageIndex) -> Result<PdfPage<'a>, PdfiumError> {
    let mut page = pdf.pages().get(index)?;
    if !has_printed_annotations(&page) {
        return Ok(page);
    }
    if let Err(error) = page.flatten() {
        tracing::debug!("annotations are left out: {error:?}");
    }
    // pdfium-render 0.9.5 closes the page when it flattens it, but leaves its boundaries and objects with the old handle.
    drop(page);
    pdf.pages().get(index)
}

fn read_page(page: &PdfPage) -> Result<ReadPage, PdfiumError> {
    let view = View::of(page);
    let (lines, unmapped) = text_layer::read_lines(page, &view)?;
    let pictures = Pictures::of(page, &view);
    let printed: usize = lines.iter().map(|line| line.text.chars().filter(|c| !c.is_whitespace()).count()).sum();
    let coverage = if printed == 0 { SCAN_COVERAGE_WITHOUT_TEXT } else { SCAN_COVERAGE };
    let state = if printed < MIN_TEXT_OF_SCAN && pictures.cover(coverage) {
        PageState::Scanned
    } else if scan::is_garbage(&lines, unmapped) {
        PageState::Garbage
    } else {
        PageState::Readable
    };
    let unread = if state == PageState::Readable { pictures.unread(&lines) } else { Unread::default() };
    Ok(ReadPage { state, lines, unread, height: view.height() })
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
    let pdfium = library::pdfium(&crate::model::ExtractOptions::default()).unwrap();
    let _inside = inside_pdfium();
    let pdf = pdfium.load_pdf_from_byte_slice(bytes, None).unwrap();
    scan::render(&pdf.pages().get(0).unwrap(), 100_000_000).unwrap()
}

#[cfg(test)]
mod tests;
