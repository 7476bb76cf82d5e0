//! Text that flows over pages: blocks and tables of word processor files, cut at the page breaks of the file.

use std::borrow::Cow;

use casetrack_core::{BlockKind, ExtractionMethod, Result};

use super::changes;
use super::document::DocumentBuilder;
use super::table::{Cell, TableWriter};

/// Stands for a page break inside a block's text.
pub const PAGE_BREAK: char = '\x0c';

/// Put around the number of a note inside a block's text, behind the mark that the reader sees.
const NOTE_START: char = '\x0e';
const NOTE_END: char = '\x0f';

/// True if a character has a meaning of its own inside a block's text, so that no text of the file may contain it.
pub fn is_reserved(c: char) -> bool {
    matches!(c, PAGE_BREAK | NOTE_START | NOTE_END) || changes::is_reserved(c)
}

/// The text of a block that is not put on pages by [`Flow`]: without page breaks, numbers of notes and marks of changes.
pub fn plain_text(text: &str) -> String {
    changes::plain(&marked_text(text)).into_owned()
}

/// As [`plain_text`], with the marks of changes.
pub fn marked_text(text: &str) -> String {
    numbers_of_notes(text).0.replace(PAGE_BREAK, " ")
}

/// The text without the numbers of notes, and those numbers.
fn numbers_of_notes(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let mut numbers = Vec::new();
    let mut pieces = text.split(NOTE_START);
    let Some(first) = pieces.next().filter(|first| first.len() < text.len()) else { return (text.into(), numbers) };
    let mut shown = first.to_owned();
    for piece in pieces {
        let (number, rest) = piece.split_once(NOTE_END).unwrap_or(("", piece));
        numbers.extend(number.parse::<usize>());
        shown.push_str(rest);
    }
    (shown.into(), numbers)
}

pub struct Note {
    /// As the text shows it: "1".
    pub mark: String,
    pub is_endnote: bool,
    pub blocks: Vec<FlowBlock>,
}

/// A longer paragraph in a heading style is a numbered clause: it heads nothing.
const MAX_HEADING_CHARS: usize = 200;

#[derive(Clone)]
pub struct FlowBlock {
    pub kind: BlockKind,
    /// May contain [`PAGE_BREAK`]s and marks of [`changes`].
    pub text: String,
}

impl FlowBlock {
    /// A paragraph with the level of its heading, from 1, and the label of its list, with the white space that follows.
    pub fn paragraph(mut text: String, level: Option<u8>, label: Option<&str>) -> Self {
        let is_short = changes::plain(&text).chars().nth(MAX_HEADING_CHARS).is_none();
        let kind = match (level, label) {
            (Some(level), _) if is_short => BlockKind::Heading { level },
            (_, Some(_)) => BlockKind::ListItem,
            _ => BlockKind::Paragraph,
        };
        if let Some(label) = label {
            // The label follows a break that is recorded at the start of the paragraph.
            let at = text.len() - text.trim_start().len();
            if !changes::is_blank(&text) {
                text.insert_str(at, label);
            }
        }
        Self { kind, text }
    }
}

#[derive(Clone, Default)]
pub struct FlowRow {
    pub cells: Vec<FlowCell>,
    /// True if the file marks it as one that names the columns.
    pub is_header: bool,
}

#[derive(Clone)]
pub struct FlowCell {
    pub column: u32,
    pub blocks: Vec<FlowBlock>,
}

impl FlowCell {
    pub fn text(&self) -> String {
        self.blocks.iter().map(|block| &*block.text).collect::<Vec<_>>().join(" ")
    }
}

pub enum Sink {
    Pages,
    /// Cells, text boxes and notes are placed when they are complete.
    Collected(Vec<FlowBlock>),
}

impl Sink {
    pub fn collect() -> Self {
        Sink::Collected(Vec::new())
    }

    pub fn into_blocks(self) -> Vec<FlowBlock> {
        match self {
            Sink::Pages => Vec::new(),
            Sink::Collected(blocks) => blocks,
        }
    }
}

pub struct Flow<'d> {
    pub document: &'d mut DocumentBuilder,
    /// A page starts before the next text. Breaks in a row make one page.
    page_break_pending: bool,
    /// Number of the next table on this page.
    pub table: u32,
    /// By number, until they are on a page.
    notes: Vec<Option<Note>>,
    /// Numbers of those that the page in progress refers to.
    notes_of_page: Vec<usize>,
    /// Headers and footers of the page in progress, and of the page of the next text.
    margins: Vec<String>,
    next_margins: Vec<String>,
}

impl<'d> Flow<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self {
            document,
            page_break_pending: false,
            table: 0,
            notes: Vec::new(),
            notes_of_page: Vec::new(),
            margins: Vec::new(),
            next_margins: Vec::new(),
        }
    }

    /// Starts a page, also after one without text.
    pub fn start_page(&mut self) -> Result<()> {
        self.end_page()?;
        self.document.start_page(ExtractionMethod::Native, None);
        self.page_break_pending = false;
        self.table = 0;
        Ok(())
    }

    /// Takes a note; the result is put into the text that refers to it. The note goes to the end of that page.
    pub fn refer(&mut self, note: Note) -> String {
        let reference = format!("[{}]{NOTE_START}{}{NOTE_END}", note.mark, self.notes.len());
        self.notes.push(Some(note));
        reference
    }

    /// Texts for the end of the page with the next text.
    pub fn add_margins(&mut self, texts: Vec<String>) {
        self.next_margins.extend(texts);
    }

    /// Ends the last page. Notes without a reference on a page go there.
    pub fn finish(&mut self) -> Result<()> {
        self.margins.append(&mut self.next_margins);
        self.notes_of_page.extend(0..self.notes.len());
        self.end_page()
    }

    fn end_page(&mut self) -> Result<()> {
        self.document.end_text();
        let numbers = std::mem::take(&mut self.notes_of_page);
        let mut notes: Vec<Note> =
            numbers.into_iter().filter_map(|number| self.notes.get_mut(number)?.take()).collect();
        notes.sort_by_key(|note| note.is_endnote);
        notes.iter().try_for_each(|note| push_note(self.document, note))?;
        let margins = std::mem::take(&mut self.margins);
        margins.iter().try_for_each(|text| self.document.push_block(BlockKind::Paragraph, text))
    }

    /// The text without the numbers of notes; the page in progress refers to those.
    pub fn take_notes(&mut self, text: &str) -> String {
        let (shown, numbers) = numbers_of_notes(text);
        self.notes_of_page.extend(numbers);
        shown.into_owned()
    }

    /// The text behind it begins a new page.
    pub fn break_page(&mut self) {
        self.page_break_pending = true;
    }

    pub fn emit(&mut self, block: FlowBlock, sink: &mut Sink) -> Result<()> {
        self.emit_with(block, Vec::new(), sink)
    }

    /// Emits a block and the blocks attached to it, each with the number of page breaks in the block's text before its
    /// place.
    pub fn emit_with(&mut self, block: FlowBlock, attached: Vec<(usize, FlowBlock)>, sink: &mut Sink) -> Result<()> {
        let Sink::Collected(blocks) = sink else { return self.push_with(&block, attached) };
        blocks.push(block);
        blocks.extend(attached.into_iter().map(|(_, block)| block));
        Ok(())
    }

    /// Inside cells, text boxes and notes a row is a paragraph: only tables of the page are tables.
    pub fn emit_table(&mut self, rows: Vec<FlowRow>, sink: &mut Sink) -> Result<()> {
        let Sink::Collected(blocks) = sink else { return self.push_table(&rows) };
        if rows.iter().all(|row| row.cells.len() <= 1) {
            blocks.extend(rows.into_iter().flat_map(|row| row.cells).flat_map(|cell| cell.blocks));
        } else {
            blocks.extend(rows.iter().map(|row| FlowBlock {
                kind: BlockKind::Paragraph,
                text: row.cells.iter().map(FlowCell::text).collect::<Vec<_>>().join("\t"),
            }));
        }
        Ok(())
    }

    pub fn push(&mut self, block: &FlowBlock) -> Result<()> {
        self.push_with(block, Vec::new())
    }

    /// Attached blocks follow the part of the text that is on their page.
    fn push_with(&mut self, block: &FlowBlock, attached: Vec<(usize, FlowBlock)>) -> Result<()> {
        let mut attached = attached.into_iter().peekable();
        for (index, piece) in block.text.split(PAGE_BREAK).enumerate() {
            self.page_break_pending |= index > 0;
            if !changes::is_blank(piece) {
                self.start_pending_page()?;
                let text = self.take_notes(piece);
                self.document.push_block(block.kind.clone(), &text)?;
            } else if changes::has_marks(piece) {
                self.document.push_block(block.kind.clone(), piece)?;
            }
            if attached.peek().is_some() {
                self.document.changes().forget_separator();
            }
            while let Some((_, block)) = attached.next_if(|(breaks, _)| *breaks <= index) {
                self.push(&block)?;
            }
        }
        attached.try_for_each(|(_, block)| self.push(&block))
    }

    /// Writes a table row by row. One with a single column only frames text, and is read as that text.
    pub fn push_table(&mut self, rows: &[FlowRow]) -> Result<()> {
        if rows.iter().all(|row| row.cells.len() <= 1) {
            let mut blocks = rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.blocks);
            return blocks.try_for_each(|block| self.push(block));
        }
        let mut writer: Option<TableWriter> = None;
        for (row, number) in rows.iter().zip(1..) {
            let texts: Vec<String> = row.cells.iter().map(FlowCell::text).collect();
            // A row is not cut: a break before its text goes before the row, one inside it after the row.
            let mut pieces = texts.iter().flat_map(|text| text.split(PAGE_BREAK).enumerate());
            let broken = texts.iter().any(|text| text.contains(PAGE_BREAK));
            let first_text = pieces.find(|(_, piece)| !changes::is_blank(piece));
            let broken_before = broken && first_text.is_none_or(|(index, _)| index > 0);
            self.page_break_pending |= broken_before;

            let mut cells = row
                .cells
                .iter()
                .zip(texts)
                .map(|(cell, text)| Cell::from_text(cell.column, text.replace(PAGE_BREAK, " ")))
                .collect::<Vec<_>>();
            if cells.iter().all(|cell| changes::is_blank(&cell.text)) {
                // Only marks of changes, if anything: no row of the table.
                TableWriter::default().push_row(self.document, number, &cells, false)?;
                continue;
            }
            if self.page_break_pending
                && let Some(writer) = &mut writer
            {
                writer.next_page(self.document);
            }
            self.start_pending_page()?;
            cells.iter_mut().for_each(|cell| cell.text = self.take_notes(&cell.text));
            let writer = writer.get_or_insert_with(|| TableWriter::new(self.table));
            writer.push_row(self.document, number, &cells, row.is_header)?;
            self.page_break_pending |= broken && !broken_before;
        }
        if let Some(mut writer) = writer {
            writer.finish(self.document);
            self.table = writer.table() + 1;
        }
        Ok(())
    }

    pub fn take_page_break(&mut self) -> bool {
        std::mem::take(&mut self.page_break_pending)
    }

    /// Starts the page that a break asked for, unless the current one is empty.
    pub fn start_pending_page(&mut self) -> Result<()> {
        if self.take_page_break() && self.document.block_count() > 0 {
            self.start_page()?;
        }
        self.margins.append(&mut self.next_margins);
        Ok(())
    }
}

/// Writes a note behind the mark by which the text refers to it: `[1] text`.
fn push_note(document: &mut DocumentBuilder, note: &Note) -> Result<()> {
    for (index, block) in note.blocks.iter().enumerate() {
        let text = marked_text(&block.text);
        let text = text.trim();
        let text = if index == 0 { format!("[{}] {text}", note.mark) } else { text.to_owned() };
        document.push_block(BlockKind::Paragraph, &text)?;
    }
    Ok(())
}
