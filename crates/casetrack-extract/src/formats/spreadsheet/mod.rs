//! Excel and OpenDocument workbooks: a sheet is a page, a row is a line.
//!
//! Cells show the same text as in the program that made them: numbers and dates by their formats. Hidden sheets, rows
//! and columns are read and marked; warnings name them. Comments follow the row of their cell; text boxes and titles of
//! charts are at the end of the sheet. Text in pictures is read by OCR and follows the row of the cell in which the
//! picture begins. Not read: headers and footers of printed pages, macros.

mod formula;
mod hidden_cells;
mod number_format;
mod ods;
mod sheet;
mod xls;
mod xlsb;
mod xlsx;
mod xml2003;

use casetrack_core::Result;
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::ole;
use casetrack_pages::container::zip::{self, ZipContainer};
use casetrack_pages::model::Source;

/// The last row and column that a sheet can have (Excel's limits; those of the other formats are not larger).
const MAX_ROWS: u32 = 1 << 20;
const MAX_COLUMNS: u32 = 1 << 14;

pub(crate) use self::xml2003::is_workbook;

pub(crate) struct Spreadsheet;

impl Extractor for Spreadsheet {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        if source.bytes.starts_with(ole::SIGNATURE) {
            return xls::read(source, document);
        }
        if !zip::SIGNATURES.iter().any(|signature| source.bytes.starts_with(signature)) {
            return xml2003::read(source, document);
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

#[cfg(test)]
mod tests;
