//! Rows and columns of sheets and tables.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows of a sheet or table, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowRange {
    pub start: u32,
    pub end: u32,
}

/// Columns of a sheet or table, from 1, both ends included. Shown with spreadsheet letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnRange {
    pub start: u32,
    pub end: u32,
}

impl fmt::Display for RowRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

impl fmt::Display for ColumnRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", column_letters(self.start), column_letters(self.end))
    }
}

/// Spreadsheet letters of a column number from 1: 1 is `A`, 27 is `AA`.
pub fn column_letters(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        letters.push(b'A' + (column % 26) as u8);
        column /= 26;
    }
    letters.iter().rev().map(|&letter| letter as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_spreadsheet_letters() {
        let shown = |start, end| ColumnRange { start, end }.to_string();
        assert_eq!(shown(1, 26), "A-Z");
        assert_eq!(shown(27, 703), "AA-AAA");
    }
}
