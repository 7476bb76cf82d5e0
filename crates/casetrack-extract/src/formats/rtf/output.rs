//! Where finished paragraphs and rows go: to the page, or into what is not complete yet.

use casetrack_core::{BlockKind, ExtractionMethod, Result};

use crate::build::DocumentBuilder;
use crate::build::table::{Cell, Row, push_table};

/// A longer paragraph in a heading style is a numbered clause: it heads nothing.
const MAX_HEADING_CHARS: usize = 200;

pub(super) struct Output<'d> {
    document: &'d mut DocumentBuilder,
    /// Number of the next table on the page.
    table: u32,
    rows: Vec<Row>,
    /// The row being read.
    cells: Vec<Cell>,
    column: u32,
    /// Paragraphs of the cell being read.
    cell: String,
    page_break: bool,
}

impl<'d> Output<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self {
            document,
            table: 0,
            rows: Vec::new(),
            cells: Vec::new(),
            column: 1,
            cell: String::new(),
            page_break: false,
        }
    }

    /// For what the file says about itself.
    pub fn document(&mut self) -> &mut DocumentBuilder {
        self.document
    }

    pub fn break_page(&mut self) {
        self.page_break = true;
    }

    pub fn paragraph(&mut self, level: Option<u8>, label: &str, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.finish_table()?;
        self.start_pending_page();
        let label = label.trim();
        let labelled = if label.is_empty() { text.to_owned() } else { format!("{label} {}", text.trim_start()) };
        let kind = match level {
            Some(level) if text.chars().nth(MAX_HEADING_CHARS).is_none() => BlockKind::Heading { level },
            _ if !label.is_empty() => BlockKind::ListItem,
            _ => BlockKind::Paragraph,
        };
        self.document.push_block(kind, &labelled)
    }

    pub fn cell_paragraph(&mut self, label: &str, text: &str) {
        for piece in [label.trim(), text.trim()] {
            if !piece.is_empty() {
                self.cell.push_str(piece);
                self.cell.push(' ');
            }
        }
    }

    pub fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.cell);
        self.cells.push(Cell::from_text(self.column, text));
        self.column = self.column.saturating_add(1);
    }

    pub fn end_row(&mut self, header: bool) -> Result<()> {
        if !self.cell.trim().is_empty() {
            self.end_cell();
        }
        self.column = 1;
        let cells = std::mem::take(&mut self.cells);
        if self.page_break && !cells.is_empty() {
            // A row is not cut: the break stands before it.
            self.page_break = false;
            self.finish_rows()?;
            self.page_break = true;
        }
        if !cells.is_empty() {
            self.rows.push(Row { cells, header });
        }
        Ok(())
    }

    pub fn finish_table(&mut self) -> Result<()> {
        self.end_row(false)?;
        self.finish_rows()
    }

    /// A table with a single column only frames text.
    fn finish_rows(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        self.start_pending_page();
        if rows.iter().any(|row| row.cells.len() > 1) {
            return push_table(self.document, &mut self.table, &rows);
        }
        for cell in rows.into_iter().flat_map(|row| row.cells) {
            self.document.push_block(BlockKind::Paragraph, &cell.text)?;
        }
        Ok(())
    }

    fn start_pending_page(&mut self) {
        if std::mem::take(&mut self.page_break) && self.document.block_count() > 0 {
            self.document.start_page(ExtractionMethod::Native, None);
            self.table = 0;
        }
    }
}
