//! The place of finished paragraphs and rows: the page, or the block that is not complete yet.

use casetrack_core::{BlockKind, Result};
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::{Flow, FlowBlock, Note};
use casetrack_pages::build::table::{Cell, Row, push_table};

pub(super) struct Output<'d> {
    flow: Flow<'d>,
    rows: Vec<Row>,
    cells: Vec<Cell>,
    column: u32,
    cell: String,
}

impl<'d> Output<'d> {
    pub fn new(document: &'d mut DocumentBuilder) -> Self {
        Self { flow: Flow::new(document), rows: Vec::new(), cells: Vec::new(), column: 1, cell: String::new() }
    }

    /// The document, for the properties that the file states.
    pub fn document(&mut self) -> &mut DocumentBuilder {
        self.flow.document
    }

    /// The sign in the text that refers to the note.
    pub fn refer(&mut self, note: Note) -> String {
        self.flow.refer(note)
    }

    /// Texts for the end of the page with the next text.
    pub fn add_margins(&mut self, texts: Vec<String>) {
        self.flow.add_margins(texts);
    }

    pub fn finish(&mut self) -> Result<()> {
        self.finish_table()?;
        self.flow.finish()
    }

    pub fn break_page(&mut self) {
        self.flow.break_page();
    }

    pub fn paragraph(&mut self, level: Option<u8>, label: &str, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.finish_table()?;
        let label = Some(label.trim()).filter(|label| !label.is_empty()).map(|label| format!("{label} "));
        self.flow.push(&FlowBlock::paragraph(text.to_owned(), level, label.as_deref()))
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
        if !cells.is_empty() && self.flow.take_page_break() {
            // A row is not cut: the break goes before it.
            self.finish_rows()?;
            self.flow.break_page();
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
        let mut rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        self.flow.start_pending_page()?;
        for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
            cell.text = self.flow.take_notes(&cell.text);
        }
        if rows.iter().any(|row| row.cells.len() > 1) {
            return push_table(self.flow.document, &mut self.flow.table, &rows);
        }
        for cell in rows.into_iter().flat_map(|row| row.cells) {
            self.flow.document.push_block(BlockKind::Paragraph, &cell.text)?;
        }
        Ok(())
    }
}
