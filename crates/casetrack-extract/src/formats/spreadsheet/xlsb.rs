//! Binary workbooks ([MS-XLSB]): the parts of an XLSX with records in place of XML. Drawings are XML in both.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::ole::{clipped, u16_at, u32_at, utf16};
use casetrack_pages::container::opc::Package;
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::properties;

use super::number_format::{Formats, NumberFormat};
use super::sheet::{Comment, Region, Sheet, Visibility, write_all};
use super::xls::worksheet::{error, f64_at, short_number, truth};
use super::{MAX_COLUMNS, MAX_ROWS, xlsx};
use crate::formats::pictures::Pictures;

mod kind {
    pub const ROW: u16 = 0;
    pub const SHORT_NUMBER: u16 = 2;
    pub const ERROR: u16 = 3;
    pub const BOOLEAN: u16 = 4;
    pub const NUMBER: u16 = 5;
    pub const TEXT: u16 = 6;
    pub const SHARED_TEXT: u16 = 7;
    pub const FORMULA_TEXT: u16 = 8;
    pub const FORMULA_NUMBER: u16 = 9;
    pub const FORMULA_BOOLEAN: u16 = 10;
    pub const FORMULA_ERROR: u16 = 11;
    pub const SHARED_STRING: u16 = 19;
    pub const FORMAT: u16 = 44;
    pub const STYLE: u16 = 47;
    pub const COLUMNS: u16 = 60;
    pub const RICH_TEXT: u16 = 62;
    pub const SHEET_DATA_END: u16 = 146;
    pub const WORKBOOK_PROPERTIES: u16 = 153;
    pub const SHEET: u16 = 156;
    pub const MERGED_CELL: u16 = 176;
    pub const CELL_STYLES: u16 = 617;
    pub const CELL_STYLES_END: u16 = 618;
    pub const COMMENT_AUTHOR: u16 = 632;
    pub const COMMENT: u16 = 635;
    pub const COMMENT_TEXT: u16 = 637;
}

struct WorkbookParts<'a> {
    source: &'a Source<'a>,
    strings: Vec<String>,
    formats: Formats,
}

/// A sheet as the workbook lists it (2.4.304).
struct SheetEntry {
    name: String,
    visibility: Visibility,
    relationship: String,
}

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let mut package = Package::open(source)?;
    let root = package.relationships_of("");
    if let Some(title) = properties::of_package(&mut package, &root, document) {
        document.set_title(&title);
    }
    let main = root.target("officeDocument").unwrap_or("xl/workbook.bin").to_owned();
    let related = package.relationships_of(&main);
    let bytes = package.part(&main)?.unwrap_or_default();
    warn_if_cut(&mut package, &bytes, "list of sheets", &main);
    let (epoch_1904, listed) = workbook(&bytes);
    let mut part = |kind: &str, usual: &str, holds: &str| {
        let bytes = package.related(&related, kind, usual, holds).unwrap_or_default();
        warn_if_cut(&mut package, &bytes, holds, related.target(kind).unwrap_or(usual));
        bytes
    };
    let strings = part("sharedStrings", "xl/sharedStrings.bin", "shared texts");
    let styles = part("styles", "xl/styles.bin", "number formats");
    let strings = Records::of(&strings).filter(|record| record.0 == kind::SHARED_STRING);
    let strings = strings.map(|(_, data)| wide(data, 1).unwrap_or_default()).collect();
    let shared = WorkbookParts { source, strings, formats: Formats { by_style: formats(&styles), epoch_1904 } };
    if listed.is_empty() {
        return Err(source.unreadable("it has no worksheet"));
    }
    let mut pictures = Pictures::new(source, document);
    write_all(source, document, listed, |listed| {
        let mut sheet = Sheet::new(listed.name, listed.visibility);
        let target = related.target_of_id(&listed.relationship);
        if let Some(bytes) = sheet.part(&mut package, target)? {
            shared.read(&bytes, &mut sheet)?;
        }
        let related = target.map(|part| package.relationships_of(part)).unwrap_or_default();
        for part in related.targets("comments") {
            let bytes = package.beside(part, "comments").unwrap_or_default();
            warn_if_cut(&mut package, &bytes, "comments", part);
            sheet.comments.extend(comments(&bytes));
        }
        xlsx::read_drawings(&mut package, &related, &mut pictures, &mut sheet)?;
        Ok(sheet)
    })?;
    pictures.finish(document);
    EmbeddedFiles::of_package(&mut package, document)
}

fn warn_if_cut(package: &mut Package, part: &[u8], holds: &str, name: &str) {
    if Records::of(part).ends_inside_one() {
        package.warn_of_end(holds, name, &"its last record is cut off");
    }
}

/// Records with their numbers (2.1.4); the last one is clipped at the end of the part.
struct Records<'a> {
    rest: &'a [u8],
    is_cut: bool,
}

impl<'a> Records<'a> {
    fn of(part: &'a [u8]) -> Self {
        Self { rest: part, is_cut: false }
    }

    fn ends_inside_one(mut self) -> bool {
        self.by_ref().for_each(drop);
        self.is_cut
    }

    /// A number in bytes of seven bits, of which all but the last have their highest bit set.
    fn number(&mut self, max_bytes: u32) -> Option<usize> {
        let mut number = 0;
        for index in 0..max_bytes {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= usize::from(byte & 0x7F) << (7 * index);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.is_cut = true;
        let (number, size) = (self.number(2)?, self.number(4)?);
        self.is_cut = size > self.rest.len();
        let (data, rest) = self.rest.split_at(size.min(self.rest.len()));
        self.rest = rest;
        Some((number as u16, data))
    }
}

/// `XLWideString` (2.5.169) at a place; clipped at the end of the record.
fn wide(data: &[u8], at: usize) -> Option<String> {
    let length = u32_at(data, at)? as usize;
    Some(utf16(clipped(data, at + 4, length.saturating_mul(2))))
}

fn workbook(part: &[u8]) -> (bool, Vec<SheetEntry>) {
    let (mut epoch_1904, mut listed) = (false, Vec::new());
    let sheet = |data: &[u8]| {
        let relationship = wide(data, 8)?;
        let name = wide(data, 12 + 2 * u32_at(data, 8)? as usize)?;
        Some(SheetEntry { name, visibility: Visibility::numbered(u32_at(data, 0)?), relationship })
    };
    for (number, data) in Records::of(part) {
        match number {
            kind::WORKBOOK_PROPERTIES => epoch_1904 = data.first().is_some_and(|flags| flags & 1 != 0),
            // Modules of macros are listed, too, without a part.
            kind::SHEET => listed.extend(sheet(data).filter(|sheet| !sheet.relationship.is_empty())),
            _ => {}
        }
    }
    (epoch_1904, listed)
}

/// The number format of each cell style (2.4.657, 2.4.876).
fn formats(part: &[u8]) -> Vec<NumberFormat> {
    let mut codes = HashMap::new();
    let mut formats = Vec::new();
    let mut in_cell_styles = false;
    for (number, data) in Records::of(part) {
        match number {
            kind::FORMAT => codes.extend(u16_at(data, 0).map(u32::from).zip(wide(data, 2))),
            kind::CELL_STYLES => in_cell_styles = true,
            kind::CELL_STYLES_END => in_cell_styles = false,
            kind::STYLE if in_cell_styles => {
                formats.push(NumberFormat::numbered(u16_at(data, 2).map_or(0, u32::from), &codes));
            }
            _ => {}
        }
    }
    formats
}

fn comments(part: &[u8]) -> Vec<Comment> {
    let (mut authors, mut found): (Vec<String>, Vec<Comment>) = Default::default();
    for (number, data) in Records::of(part) {
        match number {
            kind::COMMENT_AUTHOR => authors.push(wide(data, 0).unwrap_or_default()),
            kind::COMMENT => {
                let author = u32_at(data, 0).and_then(|author| authors.get(author as usize)).cloned();
                let (row, column) = (u32_at(data, 4).unwrap_or(0), u32_at(data, 12).unwrap_or(0));
                if row < MAX_ROWS && column < MAX_COLUMNS {
                    let author = author.unwrap_or_default();
                    found.push(Comment { row: row + 1, column: column + 1, author, text: String::new() });
                }
            }
            kind::COMMENT_TEXT => {
                if let (Some(comment), Some(text)) = (found.last_mut(), wide(data, 1)) {
                    comment.text = text;
                }
            }
            _ => {}
        }
    }
    found
}

impl WorkbookParts<'_> {
    fn read(&self, part: &[u8], sheet: &mut Sheet) -> Result<()> {
        let mut row = 0;
        let mut has_ended = false;
        for (number, data) in Records::of(part) {
            match number {
                kind::ROW => {
                    row = u32_at(data, 0).unwrap_or(MAX_ROWS);
                    // 2.4.740: the row has no height.
                    if row < MAX_ROWS && data.get(11).is_some_and(|flags| flags & 0x10 != 0) {
                        sheet.hidden.add_rows(row + 1, row + 1);
                    }
                }
                // 2.4.323.
                kind::COLUMNS => {
                    if u16_at(data, 16).is_some_and(|flags| flags & 1 != 0) {
                        let number = |at| u32_at(data, at).map_or(0, |number| number.saturating_add(1));
                        sheet.hidden.add_columns(number(0), number(4));
                    }
                }
                kind::SHEET_DATA_END => has_ended = true,
                kind::MERGED_CELL => {
                    let number = |at| Some(u32_at(data, at)?.saturating_add(1));
                    if let (Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
                        (number(0), number(4), number(8), number(12))
                    {
                        sheet.merged.push(Region { first_row, last_row, first_column, last_column });
                    }
                }
                _ if has_ended => {}
                _ => {
                    let column = u32_at(data, 0).unwrap_or(MAX_COLUMNS);
                    if let Some((text, is_value)) = self.shown(number, data)
                        && row < MAX_ROWS
                        && column < MAX_COLUMNS
                    {
                        sheet.push(self.source, row + 1, column + 1, text, is_value)?;
                    }
                }
            }
        }
        if !has_ended || Records::of(part).ends_inside_one() {
            sheet.problem = Some("its part is cut off".into());
        }
        Ok(())
    }

    /// The text of a cell, and whether it is a value rather than a text; `None` for other records (2.2.1, 2.5.9).
    fn shown(&self, number: u16, data: &[u8]) -> Option<(String, bool)> {
        Some(match number {
            kind::SHORT_NUMBER => (self.formatted(short_number(u32_at(data, 8)?), data)?, true),
            kind::NUMBER | kind::FORMULA_NUMBER => (self.formatted(f64_at(data, 8)?, data)?, true),
            kind::BOOLEAN | kind::FORMULA_BOOLEAN => (truth(*data.get(8)?).to_owned(), true),
            kind::ERROR | kind::FORMULA_ERROR => (error(*data.get(8)?).to_owned(), true),
            kind::TEXT | kind::FORMULA_TEXT => (wide(data, 8)?, false),
            kind::RICH_TEXT => (wide(data, 9)?, false),
            kind::SHARED_TEXT => (self.strings.get(u32_at(data, 8)? as usize)?.clone(), false),
            _ => return None,
        })
    }

    fn formatted(&self, number: f64, data: &[u8]) -> Option<String> {
        // 24 bits; the others are flags.
        let style = u32_at(data, 4)? & 0xFF_FFFF;
        Some(self.formats.show(Some(style as usize), number))
    }
}
