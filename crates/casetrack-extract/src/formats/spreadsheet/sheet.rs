//! A sheet of any file format, before it becomes a page.

use std::collections::BTreeSet;

use casetrack_core::{BlockKind, ErrorCode, ExtractionMethod, FileLimit, HiddenReason, Result, single_spaced};
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::table::{Cell, MAX_LABEL_CHARS, TableWriter};
use casetrack_pages::container::opc::Package;
use casetrack_pages::model::Source;

use super::hidden_cells::HiddenCells;
use super::{MAX_COLUMNS, MAX_ROWS};
use crate::formats::pictures::PictureText;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Visibility {
    #[default]
    Visible,
    Hidden,
    /// Only a macro can show it.
    VeryHidden,
}

impl Visibility {
    /// By the number that the binary formats give.
    pub fn numbered(number: u32) -> Self {
        match number {
            0 => Self::Visible,
            1 => Self::Hidden,
            _ => Self::VeryHidden,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub first_row: u32,
    pub last_row: u32,
    pub first_column: u32,
    pub last_column: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comment {
    pub row: u32,
    pub column: u32,
    pub author: String,
    pub text: String,
}

/// A picture with text, and the row and column of its upper left corner if it is anchored in a cell.
pub(super) struct Picture {
    pub place: Option<(u32, u32)>,
    pub text: PictureText,
}

struct CellNote {
    row: u32,
    column: u32,
    text: String,
}

/// How many formulas have the stored result 0, and how many another one.
#[derive(Default)]
pub(super) struct Results {
    pub zero: u32,
    pub other: u32,
}

/// The content of a sheet, in any order.
#[derive(Default)]
pub(super) struct Sheet {
    pub name: String,
    pub visibility: Visibility,
    pub hidden: HiddenCells,
    /// Row number, from 1, and cell.
    cells: Vec<(u32, Cell)>,
    pub merged: Vec<Region>,
    /// Rows that the file itself marks as naming columns.
    pub header_rows: BTreeSet<u32>,
    pub comments: Vec<Comment>,
    pub pictures: Vec<Picture>,
    /// Names of the parts of pictures that are still to be read, with the places of these.
    pub picture_parts: Vec<(Option<(u32, u32)>, String)>,
    /// Texts outside the cells: boxes, titles of charts.
    pub texts: Vec<String>,
    /// Cells that show their formula, as its result is not in the file.
    pub without_result: u32,
    /// Stored results of formulas.
    pub results: Results,
    /// The problem that ended reading before the end.
    pub problem: Option<String>,
    text_bytes: u64,
}

impl Sheet {
    pub fn new(name: String, visibility: Visibility) -> Self {
        Self { name, visibility, ..Self::default() }
    }

    /// The bytes of the part that holds the sheet; `None` if it is missing or damaged, which is the sheet's problem.
    pub fn part(&mut self, package: &mut Package, name: Option<&str>) -> Result<Option<Vec<u8>>> {
        match name.map(|name| package.part(name)).transpose() {
            Ok(None) => self.problem = Some("its part is missing".into()),
            Ok(Some(None)) => self.problem = Some(format!("its part {} is missing", name.unwrap_or_default())),
            Ok(Some(bytes)) => return Ok(bytes),
            Err(error) if error.code == ErrorCode::UnreadableFile => self.problem = Some(error.message),
            Err(error) => return Err(error),
        }
        Ok(None)
    }

    /// `row` and `column` count from 1. A shared text may be in any number of cells, so the sum is limited here, before
    /// there is a page.
    pub fn push(&mut self, source: &Source, row: u32, column: u32, text: String, is_value: bool) -> Result<()> {
        self.text_bytes += text.len() as u64;
        // A character takes at most four bytes.
        if self.text_bytes > source.limits().max_text_chars.saturating_mul(4) {
            return Err(source.too_large(
                FileLimit::TextLength,
                format_args!("a sheet holds more than {} characters of text", source.limits().max_text_chars),
            ));
        }
        if !text.trim().is_empty() {
            self.cells.push((row, Cell { column, text, is_value }));
        }
        Ok(())
    }

    /// Writes the sheet as a page: its rows, comments behind the row they belong to, other texts at the end.
    pub fn write(mut self, document: &mut DocumentBuilder) -> Result<()> {
        document.start_page(ExtractionMethod::Spreadsheet, Some(self.name.clone()));
        // Writers should keep the order, but not all do.
        self.cells.sort_by_key(|(row, cell)| (*row, cell.column));
        self.repeat_merged_labels();
        self.hide_cells(document);
        let mut remarks = self.remarks(document).into_iter().peekable();
        let mut table = TableWriter::new(0);
        let mut row_cells = Vec::new();
        let mut was_header = false;
        let mut cells = std::mem::take(&mut self.cells).into_iter().peekable();
        while let Some((row, cell)) = cells.next() {
            while let Some(remark) = remarks.next_if(|remark| remark.row < row) {
                remark.write(document, table.table())?;
            }
            row_cells.push(cell);
            if cells.peek().is_some_and(|(next_row, _)| *next_row == row) {
                continue;
            }
            let is_header = self.header_rows.contains(&row);
            if is_header && !was_header {
                table.start_table(document);
            }
            was_header = is_header;
            table.push_row(document, row, &row_cells, is_header)?;
            row_cells.clear();
        }
        table.finish(document);
        remarks.try_for_each(|remark| remark.write(document, table.table()))?;
        for text in &self.texts {
            document.push_block(BlockKind::Paragraph, text)?;
        }
        if self.visibility != Visibility::Visible {
            document.hide_page(HiddenReason::HiddenSheet);
        }
        self.warn(document);
        Ok(())
    }

    /// Comments and pictures, in the order of their cells. Pictures without a cell join the other texts.
    fn remarks(&mut self, document: &mut DocumentBuilder) -> Vec<CellNote> {
        let mut remarks: Vec<CellNote> =
            std::mem::take(&mut self.comments).iter().filter_map(Comment::remark).collect();
        for Picture { place, mut text } in std::mem::take(&mut self.pictures) {
            text.text = single_spaced(&text.text);
            match place {
                Some((row, column)) => {
                    let place = format!("Picture at {}{row}", casetrack_core::column_letters(column));
                    remarks.push(CellNote { row, column, text: text.marked(&place, document) });
                }
                None => self.texts.push(text.marked("Picture", document)),
            }
        }
        remarks.sort_by_key(|remark| (remark.row, remark.column));
        remarks
    }

    /// Marks the texts that are in hidden rows and columns of a sheet that is shown.
    fn hide_cells(&mut self, document: &mut DocumentBuilder) {
        let hidden = std::mem::take(&mut self.hidden);
        if hidden.is_empty() || self.visibility != Visibility::Visible {
            return;
        }
        let hidden = hidden.sorted();
        for (row, cell) in &mut self.cells {
            hidden.mark(document.hidden(), (*row, cell.column), &mut cell.text);
        }
        for comment in &mut self.comments {
            hidden.mark(document.hidden(), (comment.row, comment.column), &mut comment.text);
        }
    }

    fn warn(&self, document: &mut DocumentBuilder) {
        if document.block_count() > 0 {
            match self.visibility {
                Visibility::Visible => {}
                Visibility::Hidden => {
                    document.warn(format!("Sheet \"{}\" is hidden; its text is included.", self.name));
                }
                Visibility::VeryHidden => document.warn(format!(
                    "Sheet \"{}\" is hidden so that only a macro can show it; its text is included.",
                    self.name
                )),
            }
        }
        if self.results.zero > 0 {
            document.warn(format!(
                "Sheet \"{}\" has formulas whose stored result is 0 ({} of them), and no others; the program that wrote the file did not \
                 calculate them.",
                self.name, self.results.zero,
            ));
        }
        if self.without_result > 0 {
            document.warn(format!(
                "Sheet \"{}\" has {} formula{} whose result is not in the file; the text shows the formula{} instead.",
                self.name,
                self.without_result,
                if self.without_result == 1 { "" } else { "s" },
                if self.without_result == 1 { "" } else { "s" },
            ));
        }
    }

    /// In rows of labels above the values, a label merged over several columns with labels of their own below names
    /// each of them, and one merged over several rows belongs to the labels of the last: it is repeated there. A title
    /// over the whole table is not.
    fn repeat_merged_labels(&mut self) {
        if self.merged.is_empty() {
            return;
        }
        let heads = self.head_rows();
        let mut added = Vec::new();
        for region in &self.merged {
            let place = (region.first_row, region.first_column);
            let Ok(anchor) = self.cells.binary_search_by_key(&place, |(row, cell)| (*row, cell.column)) else {
                continue;
            };
            let label = &self.cells[anchor].1;
            if label.text.chars().count() > MAX_LABEL_CHARS || !heads.contains(&region.first_row) {
                continue;
            }
            let columns = region.first_column..=region.last_column;
            let below = self.row(region.last_row + 1);
            let named = below.iter().filter(|(_, cell)| columns.contains(&cell.column)).count();
            let is_part = self.row(region.first_row).len() > 1 || below.len() > named;
            let is_group = named >= 2 && is_part && heads.contains(&(region.last_row + 1));
            let is_tall = region.last_row > region.first_row
                && heads.contains(&region.last_row)
                && self.row(region.last_row).iter().any(|(_, cell)| !columns.contains(&cell.column));
            let last_row = if is_tall { region.last_row } else { region.first_row };
            // A region may be wider than any sheet.
            let last_column = if is_group { region.last_column.min(MAX_COLUMNS) } else { region.first_column };
            for row in [region.first_row, last_row] {
                for column in region.first_column..=last_column {
                    added.push((row, Cell { column, text: label.text.clone(), is_value: false }));
                }
            }
            // Regions that overlap are a fault, and could ask for any number of cells.
            if added.len() > MAX_COLUMNS as usize + self.cells.len() {
                break;
            }
        }
        self.cells.append(&mut added);
        self.cells.sort_by_key(|(row, cell)| (*row, cell.column));
        self.cells.dedup_by(|next, kept| next.0 == kept.0 && next.1.column == kept.1.column);
    }

    /// Rows of labels without values at the top of the sheet and below gaps.
    fn head_rows(&self) -> BTreeSet<u32> {
        let mut heads = BTreeSet::new();
        let (mut last_row, mut is_head) = (0, true);
        for row in self.cells.chunk_by(|one, other| one.0 == other.0) {
            let number = row[0].0;
            is_head |= number > last_row + 1;
            is_head &= row.iter().all(|(_, cell)| !cell.is_value);
            if is_head {
                heads.insert(number);
            }
            last_row = number;
        }
        heads
    }

    fn row(&self, number: u32) -> &[(u32, Cell)] {
        let start = self.cells.partition_point(|(row, _)| *row < number);
        let end = self.cells.partition_point(|(row, _)| *row <= number);
        &self.cells[start..end]
    }
}

impl Comment {
    fn remark(&self) -> Option<CellNote> {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        if words.is_empty() {
            return None;
        }
        let author = self.author.trim();
        let by = if author.is_empty() { String::new() } else { format!(" ({author})") };
        // Excel begins the text with the author's name.
        let text = words.join(" ");
        let own = text.strip_prefix(author).and_then(|rest| rest.strip_prefix(':'));
        let text = own.filter(|_| !author.is_empty()).unwrap_or(&text).trim();
        let place = format!("{}{}", casetrack_core::column_letters(self.column), self.row);
        Some(CellNote { row: self.row, column: self.column, text: format!("Comment on {place}{by}: {text}") })
    }
}

impl CellNote {
    /// As a row of its own, so that a passage with it names the cell's row and column.
    fn write(&self, document: &mut DocumentBuilder, table: u32) -> Result<()> {
        let kind = BlockKind::TableRow {
            table,
            row: self.row,
            first_column: self.column,
            last_column: self.column,
            header: false,
        };
        document.push_block(kind, &self.text)
    }
}

/// Row and column, from 1, of a reference in A1 style; `$`s are allowed. `None` beyond the edges of a sheet.
pub(super) fn cell_reference(text: &str) -> Option<(u32, u32)> {
    let mut column = 0u32;
    let mut row = 0u32;
    for b in text.bytes().filter(|b| *b != b'$') {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' if row == 0 => {
                column = column.checked_mul(26)?.checked_add(u32::from(b.to_ascii_uppercase() - b'A') + 1)?;
            }
            b'0'..=b'9' => row = row.checked_mul(10)?.checked_add(u32::from(b - b'0'))?,
            _ => return None,
        }
    }
    ((1..=MAX_ROWS).contains(&row) && (1..=MAX_COLUMNS).contains(&column)).then_some((row, column))
}

/// `B2:D5`, or a single cell.
pub(super) fn region_reference(text: &str) -> Option<Region> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let ((first_row, first_column), (last_row, last_column)) = (cell_reference(first)?, cell_reference(last)?);
    Some(Region { first_row, last_row, first_column, last_column })
}

/// A date that is stored in ISO 8601, as it is shown: without the time of midnight, and without fractions of seconds that are zero.
pub(super) fn iso_date(value: &str) -> String {
    let Some((day, time)) = value.split_once('T') else { return value.to_owned() };
    let time = time.trim_end_matches('Z');
    let time =
        time.split_once('.').filter(|(_, fraction)| fraction.bytes().all(|b| b == b'0')).map_or(time, |(time, _)| time);
    match time {
        "" | "00:00" | "00:00:00" => day.to_owned(),
        time => format!("{day} {time}"),
    }
}

/// Writes sheets one by one; only one of them is in memory besides its page.
pub(super) fn write_all<T>(
    source: &Source,
    document: &mut DocumentBuilder,
    listed: impl IntoIterator<Item = T>,
    mut read: impl FnMut(T) -> Result<Sheet>,
) -> Result<()> {
    let mut problems = Vec::new();
    for listed in listed {
        let mut sheet = read(listed)?;
        if let Some(problem) = sheet.problem.take() {
            problems.push(format!("Sheet \"{}\" could not be read to its end: {problem}", sheet.name));
        }
        sheet.write(document)?;
    }
    if document.is_blank()
        && let Some(problem) = problems.first()
    {
        return Err(source.unreadable(problem));
    }
    problems.into_iter().for_each(|problem| document.warn(problem));
    Ok(())
}
