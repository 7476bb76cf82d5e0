//! Rows of sheets and tables as lines of text, and which of them name the columns.
//!
//! Cells are joined by a tab: it cannot be mistaken for content, costs one white-space character if a cell is empty,
//! and a quoted row can be pasted back into a sheet. White space inside a cell is folded to single spaces.

use casetrack_core::{BlockKind, Rect, Result};

use super::changes::{self, Gap};
use super::document::{DocumentBuilder, PlacedLine};

const HEADER_SEARCH_ROWS: usize = 8;
pub const MAX_LABEL_CHARS: usize = 80;

/// A cell with content.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub column: u32,
    pub text: String,
    /// A number, date or truth value rather than a text.
    pub is_value: bool,
}

impl Cell {
    /// A cell of a format that has only text; it is a value if it reads like one.
    pub fn from_text(column: u32, text: String) -> Self {
        let is_value = reads_like_value(&changes::plain(&text));
        Self { column, text, is_value }
    }
}

/// A row of a table in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// In column order.
    pub cells: Vec<Cell>,
    /// True if the format states that the row names the columns.
    pub header: bool,
}

/// A part of a page.
pub enum Content {
    Block(BlockKind, String),
    Table(Vec<Row>),
}

impl Content {
    pub fn write(self, document: &mut DocumentBuilder, table: &mut u32) -> Result<()> {
        match self {
            Self::Block(kind, text) => document.push_block(kind, &text),
            Self::Table(rows) => push_table(document, table, &rows),
        }
    }
}

/// Writes a table of a text, and counts `table`, the number of the next one on the page.
pub fn push_table(document: &mut DocumentBuilder, table: &mut u32, rows: &[Row]) -> Result<()> {
    let mut writer = TableWriter::new(*table);
    let mut number = 0;
    for row in rows {
        number += 1;
        writer.push_row(document, number, &row.cells, row.header)?;
    }
    writer.finish(document);
    if number > 0 {
        *table = writer.table() + 1;
    }
    Ok(())
}

/// Writes the rows of a sheet or table, and marks its header. Rows below a gap that have a header of their own are
/// another table.
#[derive(Default)]
pub struct TableWriter {
    table: u32,
    last_row: u32,
    /// First rows since the last gap, until their header is decided.
    candidates: Vec<Candidate>,
    decided: bool,
    has_header: bool,
    /// True if the format itself marks header rows.
    explicit: bool,
    text: String,
    /// Marks of cells that have no text, by column, until the next cell that has.
    waiting: Vec<(u32, String)>,
}

/// The features of a row, for finding the header.
struct Candidate {
    block: usize,
    cells: usize,
    after_gap: bool,
    labels_only: bool,
    /// Labels, years and dates.
    labels_and_periods: bool,
    distinct: bool,
    /// True if neighbours are the same: a label over several columns, with labels of its own below.
    repeats: bool,
}

impl TableWriter {
    /// `table` is the number of the first table.
    pub fn new(table: u32) -> Self {
        Self { table, ..Self::default() }
    }

    pub fn table(&self) -> u32 {
        self.table
    }

    /// Writes a row; `cells` are in column order. A row without text is a gap.
    ///
    /// `header`: true if the format states that the row names the columns. If no row does, the first rows are judged by
    /// their content.
    pub fn push_row(&mut self, document: &mut DocumentBuilder, row: u32, cells: &[Cell], header: bool) -> Result<()> {
        self.write_row(document, row, cells, header, None)
    }

    /// As [`push_row`](Self::push_row), of a row that has a place on the page, as all lines of the page have.
    pub fn push_placed_row(
        &mut self,
        document: &mut DocumentBuilder,
        row: u32,
        cells: &[Cell],
        header: bool,
        area: Rect,
    ) -> Result<()> {
        self.write_row(document, row, cells, header, Some(area))
    }

    fn write_row(
        &mut self,
        document: &mut DocumentBuilder,
        row: u32,
        cells: &[Cell],
        header: bool,
        area: Option<Rect>,
    ) -> Result<()> {
        let (first, last) = self.join(cells);
        if self.text.is_empty() {
            return Ok(());
        }
        if last == 0 {
            // All text of this row was deleted.
            return document.push_block(BlockKind::Paragraph, &self.text);
        }
        let after_gap = self.last_row > 0 && row > self.last_row + 1;
        if after_gap {
            self.start_group(document);
        }
        self.last_row = row;
        let block = document.block_count();
        let kind = BlockKind::TableRow { table: self.table, row, first_column: first, last_column: last, header };
        match area {
            Some(_) => {
                document.push_lines(kind, &[PlacedLine { text: self.text.clone(), area, hidden: Vec::new() }])?
            }
            None => document.push_block(kind, &self.text)?,
        }
        self.explicit |= header;
        if !self.decided {
            let plain = cells.iter().any(|cell| changes::has_marks(&cell.text)).then(|| plain_cells(cells));
            self.candidates.push(Candidate::of(block, plain.as_deref().unwrap_or(cells), after_gap));
            if self.candidates.len() == HEADER_SEARCH_ROWS {
                self.decide(document);
            }
        }
        Ok(())
    }

    /// Makes the text of a row. Returns the columns of the first and the last cell with text, or 0 if there are none.
    fn join(&mut self, cells: &[Cell]) -> (u32, u32) {
        self.text.clear();
        let (mut first, mut last) = (0, 0);
        for cell in cells {
            let marked = changes::has_marks(&cell.text).then(|| changes::fold(&cell.text));
            if marked.as_deref().is_some_and(changes::is_blank) {
                self.waiting.extend(marked.map(|marked| (cell.column, marked)));
                continue;
            }
            if cell.text.trim().is_empty() {
                continue;
            }
            if last == 0 {
                first = cell.column;
            }
            self.move_to(last, cell.column);
            last = cell.column;
            match marked {
                Some(marked) => self.text.push_str(&marked),
                None => {
                    for word in cell.text.split_whitespace() {
                        self.text.push_str(word);
                        self.text.push(' ');
                    }
                    self.text.pop();
                }
            }
        }
        // The cells behind the last one with text.
        for (index, (_, marks)) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            let is_first = last == 0 && index == 0;
            self.text.push_str(&if is_first { marks } else { changes::after_gap(&marks, Gap::Tab) });
        }
        (first, last)
    }

    /// Puts the tabs between the cell in column `last` (0 for none) and that in `column`, and the marks of cells between them.
    fn move_to(&mut self, last: u32, column: u32) {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        if last > 0 {
            for tab in 1..=(column - last).max(1) {
                self.text.push('\t');
                while let Some((_, marks)) = waiting.next_if(|(cell, _)| *cell <= last + tab) {
                    self.text.push_str(&marks);
                }
            }
        }
        waiting.for_each(|(_, marks)| self.text.push_str(&changes::before_gap(&marks, Gap::Tab)));
    }

    /// A header row follows that the format marks: it heads a table of its own.
    pub fn start_table(&mut self, document: &mut DocumentBuilder) {
        self.finish(document);
        self.table += u32::from(self.has_header);
        self.has_header = true;
    }

    /// Ends the table in progress, which has no further rows on this page.
    pub fn finish(&mut self, document: &mut DocumentBuilder) {
        if !self.decided {
            self.decide(document);
        }
    }

    /// The page ended inside the table, which continues as the first one of the next page.
    pub fn next_page(&mut self, document: &mut DocumentBuilder) {
        self.finish(document);
        self.table = 0;
    }

    /// Empty rows came: the next rows may have a header of their own. Labels without values above the gap may be the
    /// header of the rows below it.
    fn start_group(&mut self, document: &mut DocumentBuilder) {
        if self.decided || self.candidates.iter().any(|row| !row.labels_only) {
            self.finish(document);
            self.decided = self.explicit;
        }
    }

    fn decide(&mut self, document: &mut DocumentBuilder) {
        self.decided = true;
        let candidates = std::mem::take(&mut self.candidates);
        if self.explicit {
            return;
        }
        let headers = header_blocks(&candidates);
        if let Some(first) = headers.first() {
            self.table += u32::from(self.has_header);
            self.has_header = true;
            for candidate in candidates.iter().filter(|row| row.block >= *first) {
                document.assign_row(candidate.block, self.table, headers.contains(&candidate.block));
            }
        }
    }
}

fn plain_cells(cells: &[Cell]) -> Vec<Cell> {
    cells.iter().map(|cell| Cell { text: changes::plain(&cell.text).into_owned(), ..cell.clone() }).collect()
}

impl Candidate {
    fn of(block: usize, cells: &[Cell], after_gap: bool) -> Self {
        let cells: Vec<&Cell> = cells.iter().filter(|cell| !cell.text.trim().is_empty()).collect();
        let texts: Vec<&str> = cells.iter().map(|cell| cell.text.trim()).collect();
        let is_label = |cell: &&Cell| !cell.is_value && cell.text.chars().count() <= MAX_LABEL_CHARS;
        let names_period = |cell: &&Cell| cell.is_value && reads_like_period(cell.text.trim());
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        Self {
            block,
            cells: texts.len(),
            after_gap,
            labels_only: cells.iter().all(is_label),
            labels_and_periods: cells.iter().all(|cell| is_label(cell) || names_period(cell)),
            distinct: sorted.len() == texts.len(),
            repeats: texts.windows(2).any(|pair| pair[0] == pair[1]),
        }
    }
}

/// The rows of labels above the first row with a value, from the last gap among them: down to the first one that is
/// about as wide as the table, so that group headings above it are included and text rows below it are not. Rows of a
/// single cell above are titles.
///
/// A table of only texts has a header only if it has three columns and more, each named once: two columns are mostly
/// pairs of name and value.
fn header_blocks(candidates: &[Candidate]) -> Vec<usize> {
    let Some(start) = candidates.iter().position(|row| row.cells >= 2) else { return Vec::new() };
    let rows = &candidates[start..];
    let is_labels = |index: &usize| {
        let row = &rows[*index];
        let names_periods =
            row.labels_and_periods && row.distinct && rows.get(index + 1).is_some_and(|next| !next.labels_and_periods);
        row.labels_only || names_periods
    };
    let labels = (0..rows.len()).take_while(is_labels).count();
    let width = rows.iter().map(|row| row.cells).max().unwrap_or(0);
    if labels == rows.len() {
        let first = &rows[0];
        let named = width >= 3 && rows.len() >= 2 && first.cells == width && first.distinct;
        return if named { vec![first.block] } else { Vec::new() };
    }
    let labels = &rows[..labels];
    let labels = &labels[labels.iter().rposition(|row| row.after_gap).unwrap_or(0)..];
    let is_full = |row: &Candidate| row.cells * 10 >= width * 7;
    let full = labels.iter().position(|row| is_full(row) && !row.repeats).or_else(|| labels.iter().position(is_full));
    let count = full.map_or(labels.len().min(1), |full| full + 1);
    labels[..count].iter().map(|row| row.block).collect()
}

/// Numbers with separators, signs, units of currency or percent, dates and times: more digits than letters.
fn reads_like_value(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    digits > 0 && letters <= 3 && letters < digits
}

/// A year, or a date in figures or with the name of a month.
fn reads_like_period(text: &str) -> bool {
    if let Ok(number) = text.parse::<u32>() {
        return (1900..=2100).contains(&number);
    }
    let mut parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    // Groups of three digits belong to a number.
    let is_figure = |part: &str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|b| b.is_ascii_digit());
    let is_date = parts.clone().count() == 3 && parts.clone().all(is_figure);
    let is_month = |part: &str| {
        const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
        part.get(..3).is_some_and(|start| MONTHS.contains(&start.to_ascii_lowercase()))
    };
    is_date || parts.any(is_month)
}

#[cfg(test)]
mod tests {
    use casetrack_core::{ExtractionMethod, FileFormat, Page};

    use super::*;
    use crate::test_files::assert_page_invariants;

    fn written(rows: &[(u32, &[&str])]) -> Page {
        let mut document = DocumentBuilder::new(10_000);
        document.start_page(ExtractionMethod::Spreadsheet, Some("Sheet".into()));
        let mut table = TableWriter::new(0);
        for (row, cells) in rows {
            let cells: Vec<Cell> = cells
                .iter()
                .enumerate()
                .filter(|(_, text)| !text.is_empty())
                .map(|(index, text)| Cell::from_text(index as u32 + 1, text.to_string()))
                .collect();
            table.push_row(&mut document, *row, &cells, false).unwrap();
        }
        table.finish(&mut document);
        let page = document.finish(FileFormat::Csv).pages.remove(0);
        assert_page_invariants(&page);
        page
    }

    /// Table and number of each header row.
    fn header_rows(page: &Page) -> Vec<(u32, u32)> {
        let row = |kind: &BlockKind| match kind {
            BlockKind::TableRow { table, row, header: true, .. } => Some((*table, *row)),
            _ => None,
        };
        page.blocks.iter().filter_map(|block| row(&block.kind)).collect()
    }

    #[test]
    fn cells_keep_their_columns() {
        let page = written(&[(2, &["", "a  b", "", "c\nd"])]);
        assert_eq!(page.text, "a b\t\tc d");
        assert_eq!(
            page.blocks[0].kind,
            BlockKind::TableRow { table: 0, row: 2, first_column: 2, last_column: 4, header: false }
        );
    }

    #[test]
    fn labels_above_values_are_the_header() {
        let page = written(&[
            (1, &["Budget 2024"]),
            (2, &["", "Cost", "", "Revenue"]),
            (3, &["Item", "Plan", "Actual", "Plan"]),
            (4, &["Rent", "to be agreed", "n/a", ""]),
            (5, &["Salaries", "1,200", "1,300", "€ 5"]),
        ]);
        assert_eq!(header_rows(&page), [(0, 2), (0, 3)]);
    }

    #[test]
    fn years_and_dates_name_columns_above_other_values() {
        for (first, second) in [("2023", "2024"), ("31 Mar 2024", "30 Jun 2024"), ("31.03.2024", "30.06.2024")] {
            let page = written(&[(1, &["Item", first, second]), (2, &["Rent", "1.200.000", "1,300"])]);
            assert_eq!(header_rows(&page), [(0, 1)], "{first}");
        }
        assert!(
            header_rows(&written(&[(1, &["Ann", "2019"]), (2, &["Bob", "2020"]), (3, &["Eve", "12.5"])])).is_empty()
        );
    }

    #[test]
    fn a_header_after_a_gap_is_found_too() {
        let page =
            written(&[(1, &["Item", "Cost"]), (2, &["Rent", "100"]), (5, &["Name", "Hours"]), (6, &["Ann", "7.5"])]);
        assert_eq!(header_rows(&page), [(0, 1), (1, 5)]);
        assert!(matches!(page.blocks[3].kind, BlockKind::TableRow { table: 1, row: 6, .. }));
        let page = written(&[(1, &["Prepared by", "Ann"]), (3, &["Item", "Cost"]), (5, &["Rent", "100"])]);
        assert_eq!(header_rows(&page), [(0, 3)]);
    }

    #[test]
    fn tables_of_text_have_a_header_from_three_columns_on() {
        assert!(header_rows(&written(&[(1, &["Name", "Acme"]), (2, &["Seat", "Reno"])])).is_empty());
        assert_eq!(header_rows(&written(&[(1, &["Name", "Role", "Seat"]), (2, &["Ann", "CEO", "Reno"])])), [(0, 1)]);
        assert!(header_rows(&written(&[(1, &["1", "2", "3"]), (2, &["4", "5", "6"])])).is_empty());
    }
}
