//! Rows of a table on one grid.

use casetrack_pages::build::flow::{FlowCell, FlowRow};
use casetrack_pages::office::tracked_changes::MarkRevision;

use super::properties::RowProperties;

/// Edges that are closer, in twentieths of a point, are one: rows of a table are drawn by hand.
const SAME_EDGE: i32 = 60;

pub(super) struct TableRow {
    pub cells: Vec<FlowCell>,
    pub properties: RowProperties,
    pub tracked: MarkRevision,
}

/// Gives each cell its column, from the edges of the cells in rows of different widths.
pub(super) fn with_columns(rows: Vec<TableRow>) -> Vec<(FlowRow, MarkRevision)> {
    let width = rows.first().map_or(0, |row| row.cells.len());
    let is_regular = rows.iter().all(|row| row.cells.len() == width);
    let left_edges = |row: &TableRow| -> Vec<i32> {
        let edges = row.properties.edges.iter().take(row.cells.len());
        edges.map(|edge| i32::from(*edge)).collect()
    };
    let mut grid: Vec<i32> = rows.iter().flat_map(&left_edges).collect();
    grid.sort_unstable();
    grid.dedup_by(|next, first| *next - *first < SAME_EDGE);
    rows.into_iter()
        .map(|mut row| {
            let edges = left_edges(&row);
            let mut last = 0;
            for (index, cell) in row.cells.iter_mut().enumerate() {
                let by_edge = edges.get(index).map(|edge| grid.partition_point(|column| column <= edge) as u32);
                let column = if is_regular { index as u32 + 1 } else { by_edge.unwrap_or(last + 1) };
                cell.column = column.max(last + 1);
                last = cell.column;
                // Only the first cell of a vertical merge is shown.
                if row.properties.continued.contains(&index) {
                    cell.blocks.clear();
                }
            }
            (FlowRow { cells: row.cells, is_header: row.properties.is_header }, row.tracked)
        })
        .collect()
}
