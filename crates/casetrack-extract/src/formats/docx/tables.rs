//! Tables: a row is a block, its cells joined by tabs (17.4).
//!
//! The rows of a nested table stand inside the cell that holds it.

use super::body::Body;
use crate::build::flow::{FlowCell, FlowRow, Sink};
use crate::container::xml::Stop;

/// A row being read.
#[derive(Default)]
struct Row {
    row: FlowRow,
    /// Grid column of the next cell, from 1.
    next_column: u32,
    is_deleted: bool,
}

impl Body<'_, '_> {
    /// Reads `w:tbl` to its end.
    pub fn table(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let mut rows = Vec::new();
        self.rows(&mut rows)?;
        Ok(self.flow.emit_table(rows, sink)?)
    }

    /// Rows may be wrapped in content controls and revisions.
    fn rows(&mut self, rows: &mut Vec<FlowRow>) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "tr" => {
                    let mut row = Row { next_column: 1, ..Row::default() };
                    self.row(&mut row)?;
                    if !row.is_deleted {
                        rows.push(row.row);
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
                            "tblHeader" => row.row.is_header = property.is_on(),
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
        row.row.cells.push(FlowCell { column: row.next_column, blocks });
        row.next_column += columns;
        Ok(())
    }
}

/// A number of grid columns; Word allows 63, and a hostile file must not ask for millions.
fn span(value: Option<String>) -> Option<u32> {
    value?.parse().ok().map(|columns: u32| columns.min(1000))
}
