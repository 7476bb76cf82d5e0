//! Tables: a row is a block, its cells joined by tabs ([ODF] Part 3, 9).

use casetrack_pages::build::changes::is_blank;
use casetrack_pages::build::flow::{FlowBlock, FlowCell, FlowRow, Sink};
use casetrack_pages::container::xml::{Element, Stop};

use super::body::Body;

/// A cell or row is repeated at most this often; a hostile file must not ask for millions.
const MAX_REPETITIONS: u32 = 1000;

/// The cost of a copy of an empty row or paragraph.
const COPY_BYTES: usize = 64;

impl Body<'_, '_> {
    /// Reads `table:table` to its end. The rows before damage are kept.
    pub fn table(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        let style = element.attribute("style-name");
        let style = style.as_deref();
        let is_on_page = matches!(sink, Sink::Pages);
        if is_on_page && self.styles.table_breaks_before(style) {
            self.flow.break_page();
        }
        let (rows, outcome) = self.table_rows(element);
        self.flow.emit_table(rows, sink)?;
        self.place_comments(sink)?;
        if is_on_page && self.styles.table_breaks_after(style) {
            self.flow.break_page();
        }
        outcome
    }

    pub fn table_rows(&mut self, element: &Element) -> (Vec<FlowRow>, Result<(), Stop>) {
        let mut rows = Vec::new();
        let outcome = self.rows(false, &mut rows);
        // Tables of presentations mark no header, but may show their first row as one.
        if element.has("use-first-row-styles", "true")
            && !rows.iter().any(|row| row.is_header)
            && let Some(first) = rows.first_mut()
        {
            first.is_header = true;
        }
        (rows, outcome)
    }

    fn rows(&mut self, are_headers: bool, rows: &mut Vec<FlowRow>) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "table-row" => {
                    let repetitions = element.number("number-rows-repeated").unwrap_or(1).clamp(1, MAX_REPETITIONS);
                    let mut row = FlowRow { cells: Vec::new(), is_header: are_headers };
                    let outcome = self.row(&mut row);
                    // Empty rows are repeated too: rows below keep their numbers.
                    let copies: Vec<FlowRow> = (1..repetitions)
                        .map_while(|_| {
                            self.may_repeat(row.cells.iter().flat_map(|cell| &cell.blocks)).then(|| row.clone())
                        })
                        .collect();
                    rows.push(row);
                    rows.extend(copies);
                    outcome?;
                }
                "table-header-rows" => self.rows(true, rows)?,
                "table-rows" | "table-row-group" => self.rows(are_headers, rows)?,
                "soft-page-break" => {
                    self.end_page();
                    self.xml.skip()?;
                }
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    /// Covered cells count as columns, but their content is not shown.
    fn row(&mut self, row: &mut FlowRow) -> Result<(), Stop> {
        let mut column = 1u32;
        while let Some(element) = self.xml.child()? {
            let repetitions = element.number("number-columns-repeated").unwrap_or(1u32).max(1);
            match element.name() {
                "table-cell" => {
                    let (blocks, outcome) = self.collected();
                    let has_text = blocks.iter().any(|block| !is_blank(&block.text));
                    let copies: Vec<FlowCell> = (1..if has_text { repetitions.min(MAX_REPETITIONS) } else { 1 })
                        .map_while(|index| {
                            let column = column.saturating_add(index);
                            self.may_repeat(&blocks).then(|| FlowCell { column, blocks: blocks.clone() })
                        })
                        .collect();
                    row.cells.push(FlowCell { column, blocks });
                    row.cells.extend(copies);
                    outcome?;
                }
                "covered-table-cell" => self.xml.skip()?,
                _ => {
                    self.xml.skip()?;
                    continue;
                }
            }
            column = column.saturating_add(repetitions);
        }
        Ok(())
    }

    fn may_repeat<'b>(&mut self, blocks: impl IntoIterator<Item = &'b FlowBlock>) -> bool {
        let bytes: usize = blocks.into_iter().map(|block| COPY_BYTES + block.text.len()).sum();
        self.repeatable_bytes = self.repeatable_bytes.saturating_sub(COPY_BYTES + bytes);
        self.repeatable_bytes > 0
    }
}
