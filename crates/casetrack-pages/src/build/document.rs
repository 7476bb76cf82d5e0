//! Builds pages that hold the invariants documented on [`casetrack_core::Page`] and [`casetrack_core::Block`].

use std::ops::Range;
use std::rc::Rc;

use casetrack_core::{
    Block, BlockKind, Error, ErrorCode, ExtractionMethod, FileFormat, FileLimit, HiddenReason, Limits, MailHeaders,
    OtherReading, Page, PageNotes, Properties, Rect, Result, single_spaced,
};

use super::changes::Changes;
use super::hidden_texts::HiddenTexts;
use super::layout::Layout;
use crate::model::attachment::Attachments;
use crate::model::{Extraction, StepTracker, split_or_raise};
use crate::text::page_list;

/// Mean confidence of OCR below which a page is named in a warning.
const UNCERTAIN: f32 = 0.6;

#[derive(Debug, Clone, PartialEq)]
pub struct PlacedLine {
    pub text: String,
    pub area: Option<Rect>,
    /// The characters that the page does not show, and the reasons.
    pub hidden: Vec<(Range<u32>, HiddenReason)>,
}

/// Called with each page as soon as it is complete.
pub type PageObserver = Box<dyn FnMut(&Page)>;

/// The first promise of [`Page`] and [`Block`] about blocks and lines that a page breaks, for tests. Linear in its text.
pub fn page_problem(page: &Page) -> Option<String> {
    let chars: Vec<char> = page.text.chars().collect();
    let is_blank = |range: Range<usize>| chars[range].iter().all(|c| c.is_whitespace());
    let mut covered_to = 0;
    for block in &page.blocks {
        let (start, end) = (block.char_start as usize, block.char_end as usize);
        if start < covered_to || start >= end || end > chars.len() {
            return Some(format!("{block:?} is empty, overlaps another or leaves the page"));
        }
        if chars[start].is_whitespace() || chars[end - 1].is_whitespace() {
            return Some(format!("{block:?} begins or ends with white space"));
        }
        if !is_blank(covered_to..start) {
            return Some(format!("text before {block:?} is in no block"));
        }
        covered_to = end;
    }
    if !is_blank(covered_to..chars.len()) {
        return Some("text at the end is in no block".to_owned());
    }
    let (lines, boxes) = (page.text.split('\n').count(), page.line_boxes.len());
    (boxes != 0 && boxes != lines).then(|| format!("{lines} lines have {boxes} boxes"))
}

/// Collects pages in order. One document has one text budget, checked on every addition.
#[derive(Default)]
pub struct DocumentBuilder {
    observer: Option<PageObserver>,
    steps: Rc<StepTracker>,
    /// Pages that the observer has seen.
    shown: usize,
    pages: Vec<Page>,
    /// Only of formats whose pages depend on how a program lays them out.
    layout: Option<Layout>,
    /// Characters in the last page.
    page_chars: u32,
    title: Option<String>,
    properties: Properties,
    warnings: Vec<String>,
    max_chars: u64,
    chars_left: u64,
    attachments: Attachments,
    changes: Changes,
    hidden: HiddenTexts,
}

impl DocumentBuilder {
    pub fn new(max_chars: u64) -> Self {
        Self { max_chars, chars_left: max_chars, ..Self::default() }
    }

    pub fn observe(&mut self, observer: Option<PageObserver>) {
        self.observer = observer;
    }

    pub fn follow(&mut self, steps: Rc<StepTracker>) {
        self.steps = steps;
    }

    pub fn steps(&self) -> Rc<StepTracker> {
        Rc::clone(&self.steps)
    }

    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    pub fn limit_attachments(&mut self, limits: &Limits) {
        self.attachments = Attachments::new(limits);
    }

    pub fn attachments(&mut self) -> &mut Attachments {
        &mut self.attachments
    }

    pub fn changes(&mut self) -> &mut Changes {
        &mut self.changes
    }

    pub fn hidden(&mut self) -> &mut HiddenTexts {
        &mut self.hidden
    }

    /// The text of the page in progress is all hidden.
    pub fn hide_page(&mut self, reason: HiddenReason) {
        self.hidden.place(reason, None, 0..self.page_chars);
    }

    pub fn end_text(&mut self) {
        self.changes.suspend(self.page_chars);
    }

    /// Pages depend on how a program lays out the text: without evidence of that, the document has none.
    pub fn expect_layout(&mut self) {
        self.layout.get_or_insert_default();
    }

    /// Notes that the file states the end of a page here.
    pub fn has_saved_break(&mut self) {
        if let Some(layout) = &mut self.layout {
            layout.has_breaks = true;
        }
    }

    /// Sets the number of pages that the file states.
    pub fn set_page_count(&mut self, count: Option<u32>) {
        if let Some(layout) = &mut self.layout {
            layout.page_count = count;
        }
    }

    /// Sets the title, with white space folded; one without a letter or digit is ignored.
    pub fn set_title(&mut self, title: &str) {
        let title = single_spaced(title);
        if title.chars().any(char::is_alphanumeric) {
            self.title = Some(title);
        }
    }

    /// Sets the author, with white space folded, unless it is blank or one was set before.
    pub fn set_author(&mut self, author: &str) {
        let author = Some(single_spaced(author)).filter(|author| !author.is_empty());
        self.properties.author = self.properties.author.take().or(author);
    }

    /// Sets the date of creation, in ISO 8601 as [`dates`](crate::text::dates) gives it, unless one was set before.
    pub fn set_created(&mut self, date: Option<String>) {
        self.properties.created = self.properties.created.take().or(date);
    }

    pub fn set_mail(&mut self, mail: MailHeaders) {
        self.properties.mail = Some(mail.bounded());
    }

    pub fn set_modified(&mut self, date: Option<String>) {
        self.properties.modified = self.properties.modified.take().or(date);
    }

    /// Sets the tag of the language, unless one was set before. Text that is no tag, such as the name of a language, is
    /// ignored, and so is `und`, which states none.
    pub fn set_language(&mut self, tag: &str) {
        let tag = tag.trim().replace('_', "-");
        let language = tag.split('-').next().unwrap_or_default();
        let is_language = matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_tag = tag
            .split('-')
            .all(|part| matches!(part.len(), 1..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if is_language && is_tag && !language.eq_ignore_ascii_case("und") {
            self.properties.language.get_or_insert(tag);
        }
    }

    /// Ends the page before, if any.
    pub fn start_page(&mut self, method: ExtractionMethod, sheet_name: Option<String>) {
        self.finish_page();
        self.page_chars = 0;
        self.changes.start_page();
        self.pages.push(Page {
            number: self.pages.len() as u32 + 1,
            text: String::new(),
            blocks: Vec::new(),
            line_boxes: Vec::new(),
            method,
            ocr_confidence: None,
            sheet_name,
            notes: PageNotes::default(),
        });
    }

    /// Shows the page in progress, if any, to the observer: nothing more may be added to it. Starting the next one does
    /// the same, but the next one may be long in coming.
    pub fn finish_page(&mut self) {
        if self.shown == self.pages.len() {
            return;
        }
        self.shown = self.pages.len();
        if let Some(page) = self.pages.last_mut() {
            self.changes.finish_page(page, self.page_chars);
            self.hidden.finish_page(page, self.page_chars);
        }
        if let (Some(page), Some(observer)) = (self.pages.last(), &mut self.observer) {
            observer(page);
        }
    }

    /// Sets the confidence of the page in progress, 0–1.
    pub fn set_ocr_confidence(&mut self, confidence: f32) {
        self.page().ocr_confidence = Some(confidence);
    }

    /// Sets the readings of the page in progress: the line, from 0, and the reading of OCR in its place.
    pub fn set_other_readings(&mut self, readings: Vec<(usize, String)>) {
        let reading = |(line, text): (usize, String)| OtherReading { line: line as u32 + 1, text };
        self.page().notes.other_readings = readings.into_iter().map(reading).collect();
    }

    /// Sets the label of the page in progress; see [`PageNotes`].
    pub fn set_label(&mut self, label: Option<String>) {
        self.page().notes.label = label;
    }

    pub fn is_blank(&self) -> bool {
        self.pages.iter().all(|page| page.blocks.is_empty())
    }

    pub fn block_count(&self) -> usize {
        self.pages.last().map_or(0, |page| page.blocks.len())
    }

    /// Adds a block on lines of its own; without text it adds nothing. White space around it is dropped, and marks of
    /// tracked changes are taken out.
    pub fn push_block(&mut self, kind: BlockKind, text: &str) -> Result<()> {
        let block = self.changes.read(text, self.hidden.is_marked());
        let text = block.text.trim();
        if text.is_empty() {
            self.changes.put_blank(&block, self.page_chars);
            self.hidden.put(block.veils(self.page_chars, self.page_chars));
            return Ok(());
        }
        self.separate()?;
        let start = self.page_chars;
        self.append(text)?;
        let end = self.page_chars;
        self.changes.put(&block, start, end);
        self.hidden.put(block.veils(start, end));
        self.page().blocks.push(Block { char_start: start, char_end: end, kind });
        Ok(())
    }

    /// Adds a block of lines that have places; lines without text are dropped. No line contains `'\n'`.
    pub fn push_lines(&mut self, kind: BlockKind, lines: &[PlacedLine]) -> Result<()> {
        let mut start = None;
        for line in lines {
            let text = line.text.trim();
            if text.is_empty() {
                continue;
            }
            self.separate()?;
            let at = self.page_chars;
            start.get_or_insert(at);
            self.append(text)?;
            self.page().line_boxes.push(line.area);
            let lead = count(&line.text[..line.text.len() - line.text.trim_start().len()]);
            for (range, reason) in &line.hidden {
                let place = |char: u32| (at + char.saturating_sub(lead)).min(self.page_chars);
                let place = place(range.start)..place(range.end);
                self.hidden.place(*reason, None, place);
            }
        }
        if let Some(start) = start {
            let end = self.page_chars;
            self.page().blocks.push(Block { char_start: start, char_end: end, kind });
        }
        Ok(())
    }

    /// Makes `text` the page's text as it is. `spans` are byte ranges of blocks, in order and without overlap; text
    /// between them becomes paragraphs, so that nothing is left uncovered.
    pub fn push_verbatim(&mut self, text: &str, spans: &[(Range<usize>, BlockKind)]) -> Result<()> {
        debug_assert!(self.page().text.is_empty());
        self.append(text)?;
        let mut blocks = BlockCutter { text, byte: 0, chars: 0, blocks: Vec::new() };
        for (range, kind) in spans {
            blocks.cut(range.start, BlockKind::Paragraph);
            blocks.cut(range.end, kind.clone());
        }
        blocks.cut(text.len(), BlockKind::Paragraph);
        self.page().blocks = blocks.blocks;
        Ok(())
    }

    /// Changes a table row of the page in progress, after the rows behind it have shown its role.
    pub fn assign_row(&mut self, block: usize, to_table: u32, is_header: bool) {
        let block = self.page().blocks.get_mut(block);
        if let Some(Block { kind: BlockKind::TableRow { table, header, .. }, .. }) = block {
            (*table, *header) = (to_table, is_header);
        }
    }

    pub fn finish(mut self, format: FileFormat) -> Extraction {
        self.finish_page();
        let is_uncertain = |page: &&Page| {
            !page.blocks.is_empty() && page.ocr_confidence.is_some_and(|confidence| confidence < UNCERTAIN)
        };
        let uncertain: Vec<usize> = self.pages.iter().filter(is_uncertain).map(|page| page.number as usize).collect();
        if !uncertain.is_empty() {
            let pages = page_list(&uncertain);
            self.warn(format!(
                "OCR is uncertain on {pages} (mean confidence below {UNCERTAIN}): compare quotations with the page."
            ));
        }
        self.warnings.extend(self.attachments.warning());
        self.warnings.extend(self.changes.warning());
        self.warnings.extend(self.hidden.warnings());
        Extraction {
            format,
            title: self.title,
            properties: self.properties,
            unpaged: self.layout.is_some_and(|layout| !layout.agrees_with(&self.pages)),
            pages: self.pages,
            warnings: self.warnings,
            attachments: self.attachments.into_vec(),
        }
    }

    fn page(&mut self) -> &mut Page {
        if self.pages.is_empty() {
            self.start_page(ExtractionMethod::Native, None);
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    fn separate(&mut self) -> Result<()> {
        if self.page().text.is_empty() {
            return Ok(());
        }
        self.append("\n")?;
        self.changes.separated(self.page_chars - 1);
        Ok(())
    }

    fn append(&mut self, text: &str) -> Result<()> {
        let chars = text.chars().count() as u64;
        // Offsets are 32 bits wide, regardless of the configured limit.
        let page_bytes = self.page().text.len() as u64 + text.len() as u64;
        if chars > self.chars_left || page_bytes > u64::from(u32::MAX) {
            return Err(Error::new(
                ErrorCode::FileTooLarge,
                format!(
                    "The file has more than {} characters of text, the most that is read from one file.",
                    self.max_chars
                ),
            )
            .with_hint(split_or_raise(FileLimit::TextLength)));
        }
        self.chars_left -= chars;
        self.page_chars += chars as u32;
        self.page().text.push_str(text);
        Ok(())
    }
}

struct BlockCutter<'a> {
    text: &'a str,
    byte: usize,
    chars: u32,
    blocks: Vec<Block>,
}

impl BlockCutter<'_> {
    /// Makes a block of the text between the last cut and `end`, a byte offset at a character boundary.
    fn cut(&mut self, end: usize, kind: BlockKind) {
        let Some(piece) = self.text.get(self.byte..end) else { return };
        let content = piece.trim_start();
        let start = self.chars + count(&piece[..piece.len() - content.len()]);
        let content = content.trim_end();
        let char_end = start + count(content);
        if char_end > start {
            self.blocks.push(Block { char_start: start, char_end, kind });
        }
        self.chars += count(piece);
        self.byte = end;
    }
}

fn count(text: &str) -> u32 {
    text.chars().count() as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_files::assert_page_invariants;

    fn built(build: impl FnOnce(&mut DocumentBuilder)) -> Vec<Page> {
        let mut document = DocumentBuilder::new(1_000_000);
        build(&mut document);
        let pages = document.finish(FileFormat::Text).pages;
        pages.iter().for_each(assert_page_invariants);
        pages
    }

    #[test]
    fn the_observer_sees_every_page_once_and_complete() {
        let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let keep = std::rc::Rc::clone(&seen);
        let observer = Box::new(move |page: &Page| keep.borrow_mut().push(page.clone()));
        let mut document = DocumentBuilder::new(1_000);
        document.observe(Some(observer));
        for text in ["one", "", "three"] {
            document.start_page(ExtractionMethod::Native, None);
            document.push_block(BlockKind::Paragraph, text).unwrap();
        }
        assert_eq!(seen.borrow().len(), 2);
        document.finish_page();
        assert_eq!(seen.borrow().len(), 3);
        assert_eq!(document.finish(FileFormat::Text).pages, *seen.borrow());
    }

    #[test]
    fn pages_that_ocr_read_with_little_confidence_are_named() {
        let mut document = DocumentBuilder::new(1_000);
        for (confidence, text) in [(0.59, "a"), (0.6, "b"), (0.3, ""), (0.2, "d")] {
            document.start_page(ExtractionMethod::Ocr, None);
            document.set_ocr_confidence(confidence);
            document.push_block(BlockKind::Paragraph, text).unwrap();
        }
        let warning = "OCR is uncertain on pages 1, 4 (mean confidence below 0.6): compare quotations with the page.";
        assert_eq!(document.finish(FileFormat::Image).warnings, [warning]);
    }

    #[test]
    fn blocks_stand_on_lines_of_their_own() {
        let pages = built(|document| {
            document.push_block(BlockKind::Heading { level: 1 }, " Über uns ").unwrap();
            document.push_block(BlockKind::Paragraph, "\t").unwrap();
            document.push_block(BlockKind::Paragraph, "a\nb").unwrap();
        });
        assert_eq!(pages[0].text, "Über uns\na\nb");
        assert_eq!((pages[0].blocks[1].char_start, pages[0].blocks[1].char_end), (9, 12));
    }

    #[test]
    fn placed_lines_keep_one_box_each() {
        let area = |left| Some(Rect { left, top: 0.0, right: 9.0, bottom: 1.0 });
        let line = |text: &str, left| PlacedLine { text: text.into(), area: area(left), hidden: Vec::new() };
        let pages = built(|document| {
            document.push_lines(BlockKind::Paragraph, &[line("one", 1.0), line(" ", 2.0), line("two", 3.0)]).unwrap();
            document.push_lines(BlockKind::Paragraph, &[line("three", 4.0)]).unwrap();
        });
        assert_eq!(pages[0].text, "one\ntwo\nthree");
        let lefts: Vec<f32> = pages[0].line_boxes.iter().map(|area| area.unwrap().left).collect();
        assert_eq!(lefts, [1.0, 3.0, 4.0]);
        assert_eq!(pages[0].blocks.len(), 2);
    }

    proptest! {
        #[test]
        fn any_spans_give_a_covering(text in "[\\PC \n]{0,60}", cuts in prop::collection::vec(0usize..60, 0..6)) {
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| boundaries[cut % boundaries.len()]).collect();
            cuts.sort_unstable();
            let spans: Vec<_> = cuts.chunks_exact(2).map(|pair| (pair[0]..pair[1], BlockKind::ListItem)).collect();
            let pages = built(|document| document.push_verbatim(&text, &spans).unwrap());
            prop_assert_eq!(&pages[0].text, &text);
        }
    }
}
