//! Rows and columns that a sheet does not show.

use casetrack_core::{HiddenReason, column_letters};
use casetrack_pages::build::{HiddenTexts, changes};

use super::{MAX_COLUMNS, MAX_ROWS};

/// Most runs of hidden rows, and of hidden columns, of a sheet: as many rows as can be hidden one by one between others.
const MAX_RUNS: usize = MAX_ROWS as usize / 2;

/// Runs of rows and of columns, from 1, both ends included.
#[derive(Default)]
pub(super) struct HiddenCells {
    rows: Vec<(u32, u32)>,
    columns: Vec<(u32, u32)>,
}

impl HiddenCells {
    pub fn add_rows(&mut self, first: u32, last: u32) {
        add(&mut self.rows, first, last.min(MAX_ROWS));
    }

    pub fn add_columns(&mut self, first: u32, last: u32) {
        add(&mut self.columns, first, last.min(MAX_COLUMNS));
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.columns.is_empty()
    }

    /// In their order, each row and column in one run only.
    pub fn sorted(mut self) -> Self {
        for runs in [&mut self.rows, &mut self.columns] {
            runs.sort_unstable();
            let sorted = std::mem::take(runs);
            sorted.into_iter().for_each(|(first, last)| add(runs, first, last));
        }
        self
    }

    /// Marks the text of a cell, if it is not shown. The runs are [sorted](Self::sorted).
    pub fn mark(&self, hidden: &mut HiddenTexts, (row, column): (u32, u32), text: &mut String) {
        let of_row = run(&self.rows, row).map(|(first, last)| {
            let rows = if first == last { format!("row {first}") } else { format!("rows {first}-{last}") };
            (HiddenReason::HiddenRow, rows)
        });
        let of_column = || {
            let (first, last) = run(&self.columns, column)?;
            let (from, to) = (column_letters(first), column_letters(last));
            let columns = if first == last { format!("column {from}") } else { format!("columns {from}-{to}") };
            Some((HiddenReason::HiddenColumn, columns))
        };
        if let Some((reason, part)) = of_row.or_else(of_column) {
            let id = hidden.cause(reason, Some(part));
            *text = changes::hidden(id, &text.replace(changes::is_reserved, " "));
        }
    }
}

fn add(runs: &mut Vec<(u32, u32)>, first: u32, last: u32) {
    let may_add = runs.len() < MAX_RUNS;
    match runs.last_mut() {
        _ if first == 0 || first > last => {}
        Some((start, end)) if first >= *start && first <= end.saturating_add(1) => *end = last.max(*end),
        _ if may_add => runs.push((first, last)),
        _ => {}
    }
}

fn run(runs: &[(u32, u32)], number: u32) -> Option<(u32, u32)> {
    let after = runs.partition_point(|(first, _)| *first <= number);
    runs.get(after.checked_sub(1)?).copied().filter(|(_, last)| number <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_in_any_order_are_joined() {
        let mut hidden = HiddenCells::default();
        [(9, 9), (4, 5), (6, 6), (0, 3), (7, 2)].into_iter().for_each(|(first, last)| hidden.add_rows(first, last));
        hidden.add_columns(3, 99_999);
        let hidden = hidden.sorted();
        assert_eq!((&*hidden.rows, &*hidden.columns), (&[(4, 6), (9, 9)][..], &[(3, MAX_COLUMNS)][..]));
        assert_eq!(
            [3, 4, 6, 7, 9, 10].map(|row| run(&hidden.rows, row).is_some()),
            [false, true, true, false, true, false]
        );
    }
}
