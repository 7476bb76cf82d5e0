//! Text that flows over pages: blocks and tables of word processor files, cut where the file asks for a new page.

use casetrack_core::{BlockKind, ExtractionMethod, Result};

use super::document::DocumentBuilder;
use super::table::{Cell, TableWriter};

/// Stands for a page break inside a block's text.
pub(crate) const PAGE_BREAK: char = '\x0c';

/// A longer paragraph in a heading style is a numbered clause: it heads nothing.
const MAX_HEADING_CHARS: usize = 200;

/// A paragraph that is not on a page yet.
#[derive(Clone)]
pub(crate) struct FlowBlock {
    pub kind: BlockKind,
    /// May contain [`PAGE_BREAK`]s.
    pub text: String,
}

impl FlowBlock {
    /// A paragraph with the level of its heading, from 1, and the label of its list, with the white space that follows.
    pub fn paragraph(mut text: String, level: Option<u8>, label: Option<&str>) -> Self {
        let is_short = text.chars().nth(MAX_HEADING_CHARS).is_none();
        let kind = match (level, label) {
            (Some(level), _) if is_short => BlockKind::Heading { level },
            (_, Some(_)) => BlockKind::ListItem,
            _ => BlockKind::Paragraph,
        };
        if let Some(label) = label {
            // The label stands behind a break that is recorded at the start of the paragraph.
            let at = text.len() - text.trim_start().len();
            if at < text.len() {
                text.insert_str(at, label);
            }
        }
        Self { kind, text }
    }
}

/// A table row that is not on a page yet.
#[derive(Clone, Default)]
pub(crate) struct FlowRow {
    pub cells: Vec<FlowCell>,
    /// Whether the file marks it as one that names the columns.
    pub is_header: bool,
}

#[derive(Clone)]
pub(crate) struct FlowCell {
    /// From 1.
    pub column: u32,
    pub blocks: Vec<FlowBlock>,
}

impl FlowCell {
    /// The cell's paragraphs on one line.
    pub fn text(&self) -> String {
        self.blocks.iter().map(|block| &*block.text).collect::<Vec<_>>().join(" ")
    }
}

/// Where blocks go.
pub(crate) enum Sink {
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

/// Puts blocks on pages.
pub(crate) struct Flow<'d> {
    pub document: &'d mut DocumentBuilder,
    /// A page starts before the next text. Breaks in a row make one page.
    page_break_pending: bool,
    /// Number of the next table on this page.
    pub table: u32,
}

impl<'d> Flow<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self { document, page_break_pending: false, table: 0 }
    }

    /// Starts a page, also after one without text.
    pub fn start_page(&mut self) {
        self.document.start_page(ExtractionMethod::Native, None);
        self.page_break_pending = false;
        self.table = 0;
    }

    /// What follows stands on a new page.
    pub fn break_page(&mut self) {
        self.page_break_pending = true;
    }

    pub fn emit(&mut self, block: FlowBlock, sink: &mut Sink) -> Result<()> {
        match sink {
            Sink::Collected(blocks) => blocks.push(block),
            Sink::Pages => self.push(&block)?,
        }
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
        for (index, piece) in block.text.split(PAGE_BREAK).enumerate() {
            self.page_break_pending |= index > 0;
            if !piece.trim().is_empty() {
                self.start_pending_page();
                self.document.push_block(block.kind.clone(), piece)?;
            }
        }
        Ok(())
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
            // A row is not cut: a break before its text stands before the row, one inside it after the row.
            let mut pieces = texts.iter().flat_map(|text| text.split(PAGE_BREAK).enumerate());
            let broken = texts.iter().any(|text| text.contains(PAGE_BREAK));
            let first_text = pieces.find(|(_, piece)| !piece.trim().is_empty());
            let broken_before = broken && first_text.is_none_or(|(index, _)| index > 0);
            self.page_break_pending |= broken_before;

            let cells: Vec<Cell> = row
                .cells
                .iter()
                .zip(texts)
                .map(|(cell, text)| Cell::from_text(cell.column, text.replace(PAGE_BREAK, " ")))
                .collect();
            if cells.iter().all(|cell| cell.text.trim().is_empty()) {
                continue;
            }
            if self.page_break_pending
                && let Some(writer) = &mut writer
            {
                writer.next_page(self.document);
            }
            self.start_pending_page();
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

    /// Whether a break asked for a page; it does so no longer.
    pub fn take_page_break(&mut self) -> bool {
        std::mem::take(&mut self.page_break_pending)
    }

    /// Starts the page that a break asked for, unless nothing stands on the current one.
    pub fn start_pending_page(&mut self) {
        if self.take_page_break() && self.document.block_count() > 0 {
            self.start_page();
        }
    }
}

/// Writes a note behind the mark by which the text refers to it: `[1] text`.
pub(crate) fn push_note(document: &mut DocumentBuilder, mark: &str, blocks: &[FlowBlock]) -> Result<()> {
    for (index, block) in blocks.iter().enumerate() {
        let text = block.text.replace(PAGE_BREAK, " ");
        let text = text.trim();
        let text = if index == 0 { format!("[{mark}] {text}") } else { text.to_owned() };
        document.push_block(BlockKind::Paragraph, &text)?;
    }
    Ok(())
}
