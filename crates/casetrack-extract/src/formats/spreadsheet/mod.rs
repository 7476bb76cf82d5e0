//! Excel and OpenDocument workbooks: a sheet is a page, a row is a line.
//!
//! Cells show what the program that made them shows: numbers and dates by their formats. Hidden sheets, rows and columns
//! are read; a warning names hidden sheets. Comments stand behind the row of their cell; text boxes and titles of charts at
//! the end of the sheet. Not read: headers and footers of printed pages, pictures, macros.

mod number_format;
mod ods;
mod sheet;
mod xls;
mod xlsb;
mod xlsx;

use casetrack_core::Result;

use self::sheet::Sheet;
use crate::ole;
use crate::page::DocumentBuilder;
use crate::registry::Extractor;
use crate::source::Source;
use crate::zip_container::ZipContainer;

pub(crate) struct Spreadsheet;

impl Extractor for Spreadsheet {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        if source.bytes.starts_with(ole::SIGNATURE) {
            return xls::read(source, document);
        }
        let mut container = ZipContainer::open(source)?;
        let has_part = |name: &str| container.names().iter().any(|part| part.eq_ignore_ascii_case(name));
        if has_part("mimetype") {
            ods::read(source, &mut container, document)
        } else if has_part("xl/workbook.bin") {
            xlsb::read(source, document)
        } else {
            xlsx::read(source, document)
        }
    }
}

/// Writes sheets one by one; only one of them is in memory besides its page.
fn write_all<T>(
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

#[cfg(test)]
mod tests;
