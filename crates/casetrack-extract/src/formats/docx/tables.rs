//! Tables: a row is a block, its cells joined by tabs (17.4). The rows of a nested table go inside the cell that holds
//! it.

use casetrack_pages::build::changes;
use casetrack_pages::build::flow::{FlowCell, FlowRow, Sink};
use casetrack_pages::container::xml::Stop;
use casetrack_pages::office::tracked_changes::{self, MarkRevision, Rows};

use super::body::Body;
use super::revisions::take_revision;

#[derive(Default)]
struct Row {
    row: FlowRow,
    next_column: u32,
    tracked: MarkRevision,
}

impl Body<'_, '_> {
    pub fn table(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let mut rows = Rows::default();
        self.rows(&mut rows)?;
        let (rows, marks) = rows.finish();
        self.flow.emit_table(rows, sink)?;
        Ok(self.flow.emit(marks, sink)?)
    }

    /// Rows may be wrapped in content controls and revisions.
    fn rows(&mut self, rows: &mut Rows) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "tr" => {
                    let mut row = Row { next_column: 1, ..Row::default() };
                    let outcome = self.row(&mut row);
                    if row.tracked.inserted.is_some() {
                        self.end_inserted_part();
                    }
                    outcome?;
                    rows.add(row.row, row.tracked, self.flow.document.changes());
                }
                "sdt" => self.control(|body| body.rows(rows))?,
                "sdtPr" => self.control_properties()?,
                "sdtContent" | "customXml" | "ins" | "moveTo" => self.rows(rows)?,
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
                            "ins" if row.tracked.inserted.is_none() => {
                                take_revision(&property, &mut row.tracked);
                                self.start_inserted_part();
                            }
                            _ => take_revision(&property, &mut row.tracked),
                        }
                        self.xml.skip()?;
                    }
                }
                "tc" => self.cell(row)?,
                "sdt" => self.control(|body| body.row(row))?,
                "sdtPr" => self.control_properties()?,
                "sdtContent" | "customXml" => self.row(row)?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn cell(&mut self, row: &mut Row) -> Result<(), Stop> {
        let mut columns = 1;
        let mut continues = false;
        let mut tracked = MarkRevision::default();
        let (mut is_inserted, mut is_outermost) = (false, false);
        let mut sink = Sink::collect();
        let outcome = self.apart(&mut sink, |body, sink| {
            while let Some(element) = body.xml.child()? {
                if element.name() != "tcPr" {
                    body.block(&element, sink)?;
                    continue;
                }
                while let Some(property) = body.xml.child()? {
                    match property.name() {
                        "gridSpan" => columns = span(property.value()).unwrap_or(1).max(1),
                        // Only the first cell of a vertical merge is shown.
                        "vMerge" => continues = property.value().as_deref() != Some("restart"),
                        "cellIns" if !is_inserted => {
                            is_inserted = true;
                            is_outermost = body.start_inserted_part();
                            take_revision(&property, &mut tracked);
                        }
                        "cellDel" => take_revision(&property, &mut tracked),
                        _ => {}
                    }
                    body.xml.skip()?;
                }
            }
            Ok(())
        });
        if is_inserted {
            self.end_inserted_part();
        }
        outcome?;
        let mut blocks = if continues { Vec::new() } else { sink.into_blocks() };
        blocks.last_mut().into_iter().for_each(|last| changes::trim_break(&mut last.text));
        // In a row that was inserted, the cell is part of that.
        if is_outermost || tracked.deleted.is_some() {
            blocks = tracked_changes::cell(blocks, tracked, self.flow.document.changes());
        }
        row.row.cells.push(FlowCell { column: row.next_column, blocks });
        row.next_column += columns;
        Ok(())
    }
}

/// A number of grid columns; Word allows 63, and a hostile file must not ask for millions.
fn span(value: Option<String>) -> Option<u32> {
    value?.parse().ok().map(|columns: u32| columns.min(1000))
}
