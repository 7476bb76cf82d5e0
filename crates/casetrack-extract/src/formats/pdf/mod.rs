//! PDF files, over pdfium.
//!
//! The text is the text layer, in the order of the page's content, one line of text per line on the page with its box.
//! Paragraphs are found from geometry. A page that is a picture with little or no text is a scan, and a text layer may
//! be garbage: such pages are rendered and read by OCR, and so are large pictures next to a text layer. Without OCR
//! such pages keep their places and are not taken for empty ones.

mod annotations;
mod attachments;
mod bidi;
mod bookmarks;
mod columns;
mod file;
mod garbage;
mod hidden_text;
mod layout;
mod library;
mod line;
mod maps;
mod merge;
mod objects;
mod page;
mod page_files;
mod pictures;
mod rendering;
mod report;
mod rules;
mod running_lines;
mod scan;
mod signatures;
mod tables;
mod text_layer;
mod view;

use casetrack_core::{BlockKind, ExtractionMethod, FileLimit, Rect, Result};
use pdfium_render::prelude::{PdfDocument, PdfDocumentMetadataTagType, PdfPageIndex, PdfiumError};
use std::borrow::Cow;

use casetrack_pages::build::table::TableWriter;
use casetrack_pages::build::{DocumentBuilder, Extractor, PlacedLine};
use casetrack_pages::model::{EarlierPage, Pixels, RenderRequest, Source, Stage, Step, StepTracker};
use casetrack_pages::text::dates;

use self::annotations::{AnnotatedPage, AnnotationText};
use self::bookmarks::{Bookmarks, PageBookmarks};
use self::file::{inside_pdfium, opened};
use self::hidden_text::Search;
use self::layout::{Headings, Paragraph};
pub use self::library::pdfium_status;
use self::line::Line;
use self::maps::WrongMaps;
use self::merge::Merged;
use self::page::{PageState, ReadPage};
use self::pictures::{Pictures, Unread};
use self::report::Report;
use self::rules::Rules;
use self::signatures::Signatures;
use self::view::View;
use crate::ocr::{self, OcrPage, Picture};

/// Fewer characters than this on a page that is covered by a picture are a stamp or a page number, not its text.
const MIN_TEXT_OF_SCAN: usize = 50;
/// Share of the page that pictures must cover for a scan: on a page with a little text, and on one with none at all.
const SCAN_COVERAGE: f32 = 0.5;
const SCAN_COVERAGE_WITHOUT_TEXT: f32 = 0.1;
/// Share of the page that one picture must cover for a scan with longer stamps at its edges.
const STAMPED_SCAN_COVERAGE: f32 = 0.8;

pub(crate) struct Pdf;

impl Extractor for Pdf {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let pdf = opened(source)?;
        let outcome = read_document(source, &pdf, document);
        let _inside = inside_pdfium();
        drop(pdf);
        outcome
    }

    fn draw(&self, source: &Source, request: &RenderRequest) -> Result<Pixels> {
        rendering::draw(source, request)
    }
}

struct TextPage {
    state: PageState,
    /// With the text of annotations.
    paragraphs: Vec<Paragraph>,
    /// For a page that OCR reads, the text that it shows and the file states: not a garbage text layer.
    stated: Vec<Paragraph>,
    /// For such a page, the text of annotations that it does not show: they may cover the text that OCR reads.
    remarks: Vec<AnnotationText>,
    holds_file: bool,
    /// The pictures of a readable page that were not read.
    unread: Unread,
    /// The places of the stamps on a scan with longer ones.
    stamps: Vec<Rect>,
    label: Option<String>,
}

impl TextPage {
    /// Groups the lines of a page into paragraphs.
    fn of(read: ReadPage) -> Self {
        let ReadPage { state, lines, unread, units, holds_file, label, .. } = read;
        let is_stamped = state == PageState::Scanned && letters_of(&lines) >= MIN_TEXT_OF_SCAN;
        let stamps = lines.iter().filter(|_| is_stamped).map(|line| line.area).collect();
        let printed = layout::paragraphs(lines);
        let (paragraphs, stated, remarks) = (Vec::new(), Vec::new(), Vec::new());
        let mut page = Self { state, paragraphs, stated, remarks, holds_file, unread, stamps, label };
        if page.needs_ocr() {
            let (shown, remarks) = units.iter().cloned().partition(|unit| unit.is_shown);
            page.stated = if state == PageState::Garbage { Vec::new() } else { printed.clone() };
            annotations::insert(&mut page.stated, shown);
            page.remarks = remarks;
        }
        page.paragraphs = printed;
        annotations::insert(&mut page.paragraphs, units);
        page
    }

    fn needs_ocr(&self) -> bool {
        matches!(self.state, PageState::Scanned | PageState::Garbage) || !self.unread.areas.is_empty()
    }
}

/// OCR of a page with a garbage text layer replaces it when it makes at least this much sense.
const MIN_CONFIDENCE: f32 = 0.5;

/// Text layers first: they are fast to read, and show the headings. Then page by page, with OCR if it is needed: if
/// reading stops, the finished pages of a long scan are kept.
fn read_document(source: &Source, pdf: &PdfDocument, document: &mut DocumentBuilder) -> Result<()> {
    if pdf.pages().is_empty() {
        return Err(source.unreadable("it has no pages"));
    }
    set_properties(pdf, document);
    let steps = document.steps();
    let pages = read_text_layers(source, pdf, &steps)?;
    let sensible = pages.iter().filter(|page| page.state != PageState::Garbage);
    let headings = Headings::of(sensible.map(|page| &page.paragraphs));
    let bookmarks = {
        let _inside = inside_pdfium();
        let with_files: Vec<usize> = (0..pages.len()).filter(|index| pages[*index].holds_file).collect();
        attachments::hand_out(source, pdf, &with_files, document);
        Bookmarks::of(pdf)
    };
    let missing = pages.iter().any(TextPage::needs_ocr).then(|| ocr::can_read(source.options).err()).flatten();
    // A portfolio without text of its own lists its files on its first page.
    let is_silent = pages.iter().all(|page| page.paragraphs.is_empty() && !page.needs_ocr());
    let listed = (is_silent && document.attachments().names().next().is_some()).then_some(0);
    let drawn = |index: usize| Step { stage: Stage::Picture, page: index as u32 + 1 };
    let pictures = pages.iter().enumerate().map(|(index, page)| {
        let wanted = page.needs_ocr() && missing.is_none() && steps.earlier_page(index).is_none();
        (wanted && steps.takes(drawn(index))).then(|| picture(source, pdf, index as PdfPageIndex, page)).flatten()
    });
    let mut report = Report::default();
    let mut turn = pages.iter().enumerate();
    let warning = ocr::read_in_order(source.options, steps.one_at_a_time(), pictures, |ocr| {
        let Some((index, page)) = turn.next() else { return Ok(()) };
        report.unread(missing.is_some() && page.unread.is_large);
        if let Some(EarlierPage { method, has_text }) = steps.earlier_page(index)
            && method != ExtractionMethod::Native
        {
            report.add(page.state, PageState::Readable, has_text);
            document.start_page(method, None);
            document.finish_page();
            return Ok(());
        }
        let PageText { method, confidence, paragraphs, other_readings } = PageText::of(page, ocr);
        let state = match method {
            ExtractionMethod::Native if steps.leaves_out(drawn(index)) => PageState::LeftOut,
            ExtractionMethod::Native => page.state,
            _ => PageState::Readable,
        };
        report.add(page.state, state, !paragraphs.is_empty() || listed == Some(index));
        document.start_page(method, None);
        if let Some(confidence) = confidence {
            document.set_ocr_confidence(confidence);
        }
        push_paragraphs(document, &paragraphs, &headings, bookmarks.on(index))?;
        if listed == Some(index) {
            list_attachments(document)?;
        }
        document.set_other_readings(other_readings);
        document.set_label(page.label.as_deref().and_then(|label| page::label(label, index as u32 + 1)));
        document.finish_page();
        Ok(())
    })?;
    warning.into_iter().for_each(|warning| document.warn(warning));
    report.finish(source, missing, document)
}

fn set_properties(pdf: &PdfDocument, document: &mut DocumentBuilder) {
    if let Some(title) = pdf.metadata().get(PdfDocumentMetadataTagType::Title)
        && is_sensible_title(title.value())
    {
        document.set_title(title.value());
    }
    let entry = |kind| pdf.metadata().get(kind).map(|entry| entry.value().to_owned()).unwrap_or_default();
    document.set_author(&entry(PdfDocumentMetadataTagType::Author));
    document.set_created(dates::of_pdf(&entry(PdfDocumentMetadataTagType::CreationDate)));
    document.set_modified(dates::of_pdf(&entry(PdfDocumentMetadataTagType::ModificationDate)));
}

fn list_attachments(document: &mut DocumentBuilder) -> Result<()> {
    let names: Vec<String> = document.attachments().names().map(str::to_owned).collect();
    names.iter().try_for_each(|name| document.push_block(BlockKind::ListItem, name))
}

/// The text of a page, with how it was read.
struct PageText<'p> {
    method: ExtractionMethod,
    confidence: Option<f32>,
    paragraphs: Cow<'p, [Paragraph]>,
    other_readings: Vec<(usize, String)>,
}

impl<'p> PageText<'p> {
    /// The text layer, with what OCR read in its pictures, or what OCR read in its place.
    fn of(page: &'p TextPage, ocr: Option<OcrPage>) -> Self {
        let (method, paragraphs) = (ExtractionMethod::Native, Cow::Borrowed(&page.paragraphs[..]));
        let native = Self { method, confidence: None, paragraphs, other_readings: Vec::new() };
        match ocr {
            Some(ocr) if page.state == PageState::Readable => {
                let Some(read) = scan::from_pictures(&ocr, &page.unread.areas, &page.paragraphs) else { return native };
                let paragraphs = Cow::Owned(scan::merged(&page.paragraphs, read.paragraphs));
                let (method, confidence) = (ExtractionMethod::Hybrid, Some(read.confidence));
                Self { method, confidence, paragraphs, ..native }
            }
            Some(ocr) if replaces(&ocr, page) => {
                let Merged { paragraphs, other_readings } = merge::merge(&ocr, &page.stated, &page.remarks);
                let is_read = page.stated.is_empty() && page.remarks.is_empty();
                let method = if is_read { ExtractionMethod::Ocr } else { ExtractionMethod::Hybrid };
                Self { method, confidence: Some(ocr.confidence), paragraphs: Cow::Owned(paragraphs), other_readings }
            }
            _ => native,
        }
    }
}

fn replaces(ocr: &OcrPage, page: &TextPage) -> bool {
    let is_worse = page.state == PageState::Garbage && ocr.confidence < MIN_CONFIDENCE;
    !is_worse && !ocr.paragraphs.is_empty()
}

fn push_paragraphs(
    document: &mut DocumentBuilder,
    paragraphs: &[Paragraph],
    headings: &Headings,
    mut bookmarks: PageBookmarks,
) -> Result<()> {
    let mut table: Option<OpenTable> = None;
    let mut next_table = 0;
    for paragraph in paragraphs {
        if let Some((row, area)) = paragraph.row() {
            if table.as_ref().is_some_and(|open| open.found != row.table) {
                next_table = OpenTable::end(table.take(), document, next_table);
            }
            let open = table.get_or_insert_with(|| OpenTable {
                found: row.table,
                writer: TableWriter::new(next_table),
                rows: 0,
            });
            open.rows += 1;
            open.writer.push_placed_row(document, open.rows, &row.cells, row.is_header, area)?;
            continue;
        }
        let kind = match headings.level(paragraph) {
            Some(level) => BlockKind::Heading { level },
            None if paragraph.is_list_item() => BlockKind::ListItem,
            None => BlockKind::Paragraph,
        };
        let lines: Vec<PlacedLine> = paragraph.lines.iter().map(placed).collect();
        let (title, text) = match bookmarks.take(paragraph) {
            Some((level, count)) => {
                let (title, text) = lines.split_at(count);
                document.push_lines(BlockKind::Heading { level }, title)?;
                (title, text)
            }
            None => (&[][..], &lines[..]),
        };
        if !text.is_empty() {
            // The source of a heading is no heading itself.
            let kind = if title.is_empty() { kind } else { BlockKind::Paragraph };
            document.push_lines(kind, text)?;
        }
    }
    OpenTable::end(table, document, next_table);
    Ok(())
}

struct OpenTable {
    found: u32,
    writer: TableWriter,
    rows: u32,
}

impl OpenTable {
    fn end(table: Option<Self>, document: &mut DocumentBuilder, next: u32) -> u32 {
        let Some(mut open) = table else { return next };
        open.writer.finish(document);
        open.writer.table() + 1
    }
}

fn read_text_layers(source: &Source, pdf: &PdfDocument, steps: &StepTracker) -> Result<Vec<TextPage>> {
    let mut pages = Vec::new();
    let mut text_bytes = 0u64;
    let mut signatures = {
        let _inside = inside_pdfium();
        Signatures::of(source.bytes, usize::from(pdf.signatures().len()))
    };
    let mut search = Search::of(source.bytes);
    let maps = WrongMaps::of(source.bytes);
    for index in 0..pdf.pages().len() {
        let page = if steps.takes(Step { stage: Stage::TextLayer, page: index as u32 + 1 }) {
            let read = {
                let _inside = inside_pdfium();
                annotations::annotated(pdf, index, &mut signatures).and_then(|page| read_page(page, &mut search, &maps))
            };
            read.unwrap_or_else(|error| {
                log_damage(source, index, &error);
                ReadPage::without_text(PageState::Damaged)
            })
        } else {
            ReadPage::without_text(PageState::LeftOut)
        };
        text_bytes += page.lines.iter().map(|line| line.text.len() as u64).sum::<u64>();
        if text_bytes > source.limits().max_text_chars.saturating_mul(4) {
            let what = format!("it holds more than {} characters of text", source.limits().max_text_chars);
            return Err(source.too_large(FileLimit::TextLength, what));
        }
        pages.push(page);
    }
    if let Some(first) = pages.first_mut() {
        first.units.extend(annotations::of_hidden_signatures(&mut signatures));
    }
    running_lines::mark(&mut pages);
    tables::find(&mut pages);
    Ok(pages.into_iter().map(TextPage::of).collect())
}

/// The number of characters that are printed in lines, without white space.
fn letters_of(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.text.chars().filter(|c| !c.is_whitespace()).count()).sum()
}

/// The parts of a page that OCR has to read; `None` when its pictures hold no text, or it cannot be rendered.
fn picture(source: &Source, pdf: &PdfDocument, index: i32, text: &TextPage) -> Option<Picture> {
    let rendered = {
        let _inside = inside_pdfium();
        pdf.pages().get(index).and_then(|page| scan::render(&page, scan::max_pixels(source.limits())))
    };
    let page = rendered.map_err(|error| log_damage(source, index, &error)).ok()?;
    match text.state {
        PageState::Readable => scan::cut_out(&page, &text.unread.areas, &text.stated),
        _ => Some(scan::without(page, &text.stamps)),
    }
}

fn log_damage(source: &Source, index: i32, error: &PdfiumError) {
    tracing::debug!("page {} of {}: {error:?}", index + 1, source.path.display());
}

fn placed(line: &Line) -> PlacedLine {
    let Rect { left, right, top, bottom } = line.area;
    let area = (right > left && bottom > top).then_some(line.area);
    PlacedLine { text: line.text.clone(), area, hidden: line.hidden.clone() }
}

fn read_page(mut annotated: AnnotatedPage, search: &mut Search, maps: &WrongMaps) -> Result<ReadPage, PdfiumError> {
    let view = View::of(&annotated.page);
    let (mut lines, odd) = text_layer::read_lines(&annotated.page, &view, search, maps)?;
    let mut rules = Rules::default();
    let may_be_ruled = tables::may_be_ruled(&lines);
    let pictures = Pictures::of(&annotated.page, &view, |object| {
        if may_be_ruled {
            rules.see(object, &view);
        }
    });
    annotated.take_stamps(&mut lines);
    let printed = letters_of(&lines);
    let coverage = if printed == 0 { SCAN_COVERAGE_WITHOUT_TEXT } else { SCAN_COVERAGE };
    let is_stamped = || pictures.one_covers(STAMPED_SCAN_COVERAGE) && scan::is_stamped(&lines, &view.area());
    let state = if printed < MIN_TEXT_OF_SCAN && pictures.cover(coverage) {
        PageState::Scanned
    } else if garbage::is_garbage(&lines, odd) {
        PageState::Garbage
    } else if is_stamped() {
        PageState::Scanned
    } else {
        PageState::Readable
    };
    let unread = if state == PageState::Readable { pictures.unread(&lines) } else { Unread::default() };
    let label = annotated.page.label().map(str::to_owned);
    let AnnotatedPage { units, holds_file, .. } = annotated;
    if !tables::may_hold(&lines, &rules) {
        lines.iter_mut().for_each(|line| line.words = Vec::new());
        rules = Rules::default();
    }
    Ok(ReadPage { state, lines, rules, unread, units, holds_file, label, height: view.height() })
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

#[cfg(test)]
pub(crate) fn rendered_page(bytes: &[u8]) -> Picture {
    let pdfium = library::pdfium(&casetrack_pages::model::ExtractOptions::default()).unwrap();
    let _inside = inside_pdfium();
    let pdf = pdfium.load_pdf_from_byte_slice(bytes, None).unwrap();
    scan::render(&pdf.pages().get(0).unwrap(), 100_000_000).unwrap()
}

#[cfg(test)]
mod tests;
