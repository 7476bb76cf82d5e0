//! Excel and OpenDocument workbooks, over calamine: a sheet is a page, a row is a line.
//!
//! Cells show what they hold, not how they are formatted: dates in ISO 8601, numbers with up to 15 significant digits (all
//! that Excel keeps), no thousands separators. Hidden sheets are read, with a warning that names them.

use std::io::Cursor;

use calamine::{
    Cell as WorkbookCell, Data, DataRef, ExcelDateTime, Ods, OdsError, Range, Reader, Sheet, SheetType, SheetVisible,
    Xls, XlsError, Xlsb, XlsbError, Xlsx, XlsxError,
};
use casetrack_core::{Error, ExtractionMethod, Result};

use crate::ole;
use crate::page::DocumentBuilder;
use crate::registry::Extractor;
use crate::source::Source;
use crate::table::{Cell, TableWriter};
use crate::zip_container::ZipContainer;

pub(crate) struct Spreadsheet;

impl Extractor for Spreadsheet {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let reader = Cursor::new(source.bytes);
        if source.bytes.starts_with(ole::SIGNATURE) {
            let mut workbook = Xls::new(reader).map_err(|error| workbook_error(source, error))?;
            let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
            let sheets = workbook.sheets_metadata().to_vec();
            return write_sheets(source, document, title, sheets, |name| {
                read_range(source, workbook.worksheet_range(name))
            });
        }
        let mut container = ZipContainer::open(source)?;
        container.check_sizes()?;
        if container.part("mimetype")?.is_some() {
            let mut workbook = Ods::new(reader).map_err(|error| workbook_error(source, error))?;
            let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
            let sheets = workbook.sheets_metadata().to_vec();
            write_sheets(source, document, title, sheets, |name| read_range(source, workbook.worksheet_range(name)))
        } else if container.part("xl/workbook.bin")?.is_some() {
            let mut workbook = Xlsb::new(reader).map_err(|error| workbook_error(source, error))?;
            let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
            let sheets = workbook.sheets_metadata().to_vec();
            write_sheets(source, document, title, sheets, |name| match workbook.worksheet_cells_reader(name) {
                Ok(mut reader) => read_cells(source, || reader.next_cell()),
                Err(error) => Ok(SheetCells::failed(source, error)),
            })
        } else {
            let mut workbook = Xlsx::new(reader).map_err(|error| workbook_error(source, error))?;
            let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
            let sheets = workbook.sheets_metadata().to_vec();
            write_sheets(source, document, title, sheets, |name| match workbook.worksheet_cells_reader(name) {
                Ok(mut reader) => read_cells(source, || reader.next_cell()),
                Err(error) => Ok(SheetCells::failed(source, error)),
            })
        }
    }
}

/// Cells of a sheet by row number (from 1) and column, and what kept the rest of them from being read.
struct SheetCells {
    cells: Vec<(u32, Cell)>,
    text_bytes: u64,
    max_text_bytes: u64,
    problem: Option<String>,
}

impl SheetCells {
    fn new(source: &Source) -> Self {
        // A character takes at most four bytes.
        let max_text_bytes = source.limits().max_text_chars.saturating_mul(4);
        Self { cells: Vec::new(), text_bytes: 0, max_text_bytes, problem: None }
    }

    fn failed(source: &Source, error: impl std::fmt::Display) -> Self {
        Self { problem: Some(error.to_string()), ..Self::new(source) }
    }

    /// `row` and `column` count from 0. A shared text may stand in any number of cells, so the sum is limited here, before
    /// there is a page.
    fn push(&mut self, source: &Source, row: u32, column: u32, value: Data) -> Result<()> {
        let Some((text, is_value)) = shown(value) else { return Ok(()) };
        self.text_bytes += text.len() as u64;
        if self.text_bytes > self.max_text_bytes {
            return Err(source.too_large(format_args!(
                "a sheet holds more than {} characters of text",
                source.limits().max_text_chars
            )));
        }
        self.cells.push((row.saturating_add(1), Cell { column: column.saturating_add(1), text, is_value }));
        Ok(())
    }
}

fn write_sheets(
    source: &Source,
    document: &mut DocumentBuilder,
    title: Option<String>,
    sheets: Vec<Sheet>,
    mut read: impl FnMut(&str) -> Result<SheetCells>,
) -> Result<()> {
    if let Some(title) = title {
        document.set_title(&title);
    }
    let is_grid = |sheet: &&Sheet| matches!(sheet.typ, SheetType::WorkSheet | SheetType::MacroSheet);
    if !sheets.iter().any(|sheet| is_grid(&sheet)) {
        return Err(source.unreadable("it has no worksheet"));
    }
    let mut problems = Vec::new();
    for sheet in sheets.iter().filter(is_grid) {
        let SheetCells { mut cells, problem, .. } = read(&sheet.name)?;
        document.start_page(ExtractionMethod::Spreadsheet, Some(sheet.name.clone()));
        // Writers should keep the order, but not all do.
        cells.sort_by_key(|(row, cell)| (*row, cell.column));
        let mut table = TableWriter::new(0);
        let mut row_cells = Vec::new();
        let mut cells = cells.into_iter().peekable();
        while let Some((row, cell)) = cells.next() {
            row_cells.push(cell);
            if cells.peek().is_none_or(|(next_row, _)| *next_row != row) {
                table.push_row(document, row, &row_cells, false)?;
                row_cells.clear();
            }
        }
        table.finish(document);
        if sheet.visible != SheetVisible::Visible && document.block_count() > 0 {
            document.warn(format!("Sheet \"{}\" is hidden; its text is included.", sheet.name));
        }
        if let Some(problem) = problem {
            problems.push(format!("Sheet \"{}\" could not be read to its end: {problem}", sheet.name));
        }
    }
    if document.is_blank()
        && let Some(problem) = problems.first()
    {
        return Err(source.unreadable(problem));
    }
    problems.into_iter().for_each(|problem| document.warn(problem));
    Ok(())
}

/// Streams a sheet's cells: a sheet with one cell at each corner must not become a grid of 17 thousand million cells.
fn read_cells<'a, E: std::fmt::Display>(
    source: &Source,
    mut next: impl FnMut() -> std::result::Result<Option<WorkbookCell<DataRef<'a>>>, E>,
) -> Result<SheetCells> {
    let mut sheet = SheetCells::new(source);
    loop {
        match next() {
            Ok(Some(cell)) => {
                let (row, column) = cell.get_position();
                sheet.push(source, row, column, cell.get_value().clone().into())?;
            }
            Ok(None) => return Ok(sheet),
            Err(error) => {
                sheet.problem = Some(error.to_string());
                return Ok(sheet);
            }
        }
    }
}

fn read_range<E: std::fmt::Display>(source: &Source, range: std::result::Result<Range<Data>, E>) -> Result<SheetCells> {
    let range = match range {
        Ok(range) => range,
        Err(error) => return Ok(SheetCells::failed(source, error)),
    };
    let mut sheet = SheetCells::new(source);
    let (first_row, first_column) = range.start().unwrap_or_default();
    for (row, column, value) in range.used_cells() {
        sheet.push(source, first_row + row as u32, first_column + column as u32, value.clone())?;
    }
    Ok(sheet)
}

/// The text of a cell, and whether it is a value rather than a text; `None` for an empty cell.
fn shown(value: Data) -> Option<(String, bool)> {
    Some(match value {
        Data::Empty => return None,
        Data::String(text) => (text, false),
        Data::Int(number) => (number.to_string(), true),
        Data::Float(number) => (shown_number(number), true),
        Data::Bool(truth) => (if truth { "TRUE" } else { "FALSE" }.to_owned(), true),
        Data::DateTime(time) => (shown_time(&time), true),
        Data::DateTimeIso(time) => (time.strip_suffix("T00:00:00").unwrap_or(&time).to_owned(), true),
        Data::DurationIso(duration) => (duration, true),
        Data::Error(error) => (error.to_string(), true),
    })
}

/// 15 significant digits, as Excel calculates and shows; an exponent only where the digits would not fit on a line.
fn shown_number(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded != 0.0 && !(1e-9..1e21).contains(&rounded.abs()) { format!("{rounded:e}") } else { rounded.to_string() }
}

fn shown_time(time: &ExcelDateTime) -> String {
    if time.is_duration() {
        let seconds = (time.as_f64() * 86_400.0).round();
        let sign = if seconds < 0.0 { "-" } else { "" };
        let seconds = seconds.abs() as u64;
        return format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let mut clock = format!("{hour:02}:{minute:02}:{second:02}");
    if milli > 0 {
        clock.push_str(&format!(".{milli:03}"));
    }
    match (time.as_f64() < 1.0, clock == "00:00:00") {
        (true, _) => clock,
        (false, true) => date,
        (false, false) => format!("{date}T{clock}"),
    }
}

/// The errors of calamine that need different words.
trait WorkbookError: std::fmt::Display {
    fn is_password(&self) -> bool;
}

impl WorkbookError for XlsError {
    fn is_password(&self) -> bool {
        matches!(self, XlsError::Password)
    }
}

impl WorkbookError for OdsError {
    fn is_password(&self) -> bool {
        matches!(self, OdsError::Password)
    }
}

impl WorkbookError for XlsxError {
    fn is_password(&self) -> bool {
        matches!(self, XlsxError::Password)
    }
}

impl WorkbookError for XlsbError {
    fn is_password(&self) -> bool {
        matches!(self, XlsbError::Password)
    }
}

fn workbook_error(source: &Source, error: impl WorkbookError) -> Error {
    if error.is_password() { source.needs_password() } else { source.unreadable(error) }
}

#[cfg(test)]
mod tests;
