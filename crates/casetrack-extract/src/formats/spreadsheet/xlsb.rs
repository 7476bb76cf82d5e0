//! Binary workbooks ([MS-XLSB]), over calamine, which does not tell number formats: dates are shown in ISO 8601, numbers as the
//! format General shows them. Comments and drawn texts are not read.

use std::io::Cursor;

use calamine::{
    Cell as WorkbookCell, Data, DataRef, ExcelDateTime, Reader, Sheet as Listed, SheetType, SheetVisible, Xlsb,
    XlsbError,
};
use casetrack_core::Result;

use super::number_format::{NumberFormat, general};
use super::sheet::{Sheet, Visibility};
use super::write_all;
use crate::page::DocumentBuilder;
use crate::source::Source;

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let mut workbook: Xlsb<_> = Xlsb::new(Cursor::new(source.bytes)).map_err(|error| match error {
        XlsbError::Password => source.needs_password(),
        error => source.unreadable(error),
    })?;
    let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
    let listed = worksheets(source, workbook.sheets_metadata())?;
    if let Some(title) = title {
        document.set_title(&title);
    }
    write_all(source, document, listed, |mut sheet| {
        match workbook.worksheet_cells_reader(&sheet.name.clone()) {
            Ok(mut reader) => read_cells(source, &mut sheet, || reader.next_cell())?,
            Err(error) => sheet.problem = Some(error.to_string()),
        }
        Ok(sheet)
    })
}

fn worksheets(source: &Source, listed: &[Listed]) -> Result<Vec<Sheet>> {
    let is_grid = |sheet: &&Listed| matches!(sheet.typ, SheetType::WorkSheet | SheetType::MacroSheet);
    let sheets: Vec<Sheet> = listed
        .iter()
        .filter(is_grid)
        .map(|sheet| {
            let visibility = match sheet.visible {
                SheetVisible::Visible => Visibility::Visible,
                SheetVisible::Hidden => Visibility::Hidden,
                SheetVisible::VeryHidden => Visibility::VeryHidden,
            };
            Sheet::new(sheet.name.clone(), visibility)
        })
        .collect();
    if sheets.is_empty() { Err(source.unreadable("it has no worksheet")) } else { Ok(sheets) }
}

/// Streams a sheet's cells: a sheet with one cell at each corner must not become a grid of 17 thousand million cells.
fn read_cells<'a, E: std::fmt::Display>(
    source: &Source,
    sheet: &mut Sheet,
    mut next: impl FnMut() -> std::result::Result<Option<WorkbookCell<DataRef<'a>>>, E>,
) -> Result<()> {
    loop {
        match next() {
            Ok(Some(cell)) => push(source, sheet, cell.get_position(), cell.get_value().clone().into())?,
            Ok(None) => return Ok(()),
            Err(error) => {
                sheet.problem = Some(error.to_string());
                return Ok(());
            }
        }
    }
}

/// `row` and `column` count from 0.
fn push(source: &Source, sheet: &mut Sheet, (row, column): (u32, u32), value: Data) -> Result<()> {
    let Some((text, is_value)) = shown(value) else { return Ok(()) };
    sheet.push(source, row.saturating_add(1), column.saturating_add(1), text, is_value)
}

/// The text of a cell, and whether it is a value rather than a text; `None` for an empty cell.
fn shown(value: Data) -> Option<(String, bool)> {
    Some(match value {
        Data::Empty => return None,
        Data::String(text) => (text, false),
        Data::Int(number) => (number.to_string(), true),
        Data::Float(number) => (general(number), true),
        Data::Bool(truth) => (if truth { "TRUE" } else { "FALSE" }.to_owned(), true),
        Data::DateTime(time) => (shown_time(&time), true),
        Data::DateTimeIso(time) => (time.strip_suffix("T00:00:00").unwrap_or(&time).to_owned(), true),
        Data::DurationIso(duration) => (duration, true),
        Data::Error(error) => (error.to_string(), true),
    })
}

fn shown_time(time: &ExcelDateTime) -> String {
    let number = time.as_f64();
    let code = match (time.is_duration(), number < 1.0, number.fract() == 0.0) {
        (true, ..) => "[h]:mm:ss",
        (_, true, _) => "hh:mm:ss",
        (.., true) => "yyyy-mm-dd",
        _ => "yyyy-mm-dd hh:mm:ss",
    };
    NumberFormat::parse(code).show(number, false)
}
