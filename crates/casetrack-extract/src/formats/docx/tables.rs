//! Tables: a row is a block, its cells joined by tabs (17.4).
//!
//! A table with a single column only frames text, and is read as that text. The rows of a nested table stand inside the
//! cell that holds it.

use casetrack_core::BlockKind;

use super::Stop;
use super::body::{Body, PAGE_BREAK, PendingBlock, Sink};
use crate::table::{Cell, TableWriter};

/// A row being read.
#[derive(Default)]
struct Row {
    cells: Vec<RowCell>,
    /// Grid column of the next cell, from 1.
    next_column: u32,
    is_header: bool,
    is_deleted: bool,
}

struct RowCell {
    column: u32,
    blocks: Vec<PendingBlock>,
}

impl RowCell {
    /// The cell's paragraphs on one line.
    fn text(&self) -> String {
        self.blocks.iter().map(|block| &*block.text).collect::<Vec<_>>().join(" ")
    }
}

impl Body<'_, '_> {
    /// Reads `w:tbl` to its end.
    pub fn table(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let mut rows = Vec::new();
        self.rows(&mut rows)?;
        if rows.iter().all(|row| row.cells.len() <= 1) {
            for block in rows.into_iter().flat_map(|row| row.cells).flat_map(|cell| cell.blocks) {
                self.emit(block, sink)?;
            }
            return Ok(());
        }
        match sink {
            Sink::Collected(blocks) => blocks.extend(rows.iter().map(|row| PendingBlock {
                kind: BlockKind::Paragraph,
                text: row.cells.iter().map(RowCell::text).collect::<Vec<_>>().join("\t"),
            })),
            Sink::Pages => self.write_table(&rows)?,
        }
        Ok(())
    }

    fn write_table(&mut self, rows: &[Row]) -> Result<(), Stop> {
        let mut writer: Option<TableWriter> = None;
        for (row, number) in rows.iter().zip(1..) {
            let texts: Vec<String> = row.cells.iter().map(RowCell::text).collect();
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

    /// Rows may be wrapped in content controls and revisions.
    fn rows(&mut self, rows: &mut Vec<Row>) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "tr" => {
                    let mut row = Row { next_column: 1, ..Row::default() };
                    self.row(&mut row)?;
                    if !row.is_deleted {
                        rows.push(row);
                    }
                }
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => self.rows(rows)?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &mut Row) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "trPr" => {
                    while let Some(property) = self.xml.child()? {
                        match property.name() {
                            "tblHeader" => row.is_header = property.is_on(),
                            "gridBefore" => row.next_column += span(property.value()).unwrap_or(0),
                            "del" => row.is_deleted = true,
                            _ => {}
                        }
                        self.xml.skip()?;
                    }
                }
                "tc" => self.cell(row)?,
                "sdt" | "sdtContent" | "customXml" => self.row(row)?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn cell(&mut self, row: &mut Row) -> Result<(), Stop> {
        let mut columns = 1;
        let mut continues = false;
        let mut sink = Sink::collect();
        while let Some(element) = self.xml.child()? {
            if element.name() != "tcPr" {
                self.block(&element, &mut sink)?;
                continue;
            }
            while let Some(property) = self.xml.child()? {
                match property.name() {
                    "gridSpan" => columns = span(property.value()).unwrap_or(1).max(1),
                    // Only the first cell of a vertical merge is shown.
                    "vMerge" => continues = property.value().as_deref() != Some("restart"),
                    _ => {}
                }
                self.xml.skip()?;
            }
        }
        let blocks = if continues { Vec::new() } else { sink.into_blocks() };
        row.cells.push(RowCell { column: row.next_column, blocks });
        row.next_column += columns;
        Ok(())
    }
}

/// A number of grid columns; Word allows 63, and a hostile file must not ask for millions.
fn span(value: Option<String>) -> Option<u32> {
    value?.parse().ok().map(|columns: u32| columns.min(1000))
}
