//! The cells of a sheet (18.3.1).

use std::collections::HashMap;

use casetrack_core::Result;

use super::super::number_format::{NumberFormat, general};
use super::super::sheet::{MAX_ROWS, Sheet, cell_reference, region_reference};
use super::parts::{rich_text, unescaped};
use crate::container::xml::{Element, Node, XmlError, XmlReader};
use crate::model::Source;

/// What the cells of all sheets refer to.
pub(super) struct Shared<'a> {
    pub source: &'a Source<'a>,
    pub strings: Vec<String>,
    /// By the number of a cell's style.
    pub formats: Vec<NumberFormat>,
    pub epoch_1904: bool,
    /// Names of those who write comments, by id.
    pub persons: HashMap<String, String>,
}

/// A cell that cannot be placed, or XML that cannot be read, ends the sheet: what came before it is kept.
enum Stop {
    Damage(String),
    Limit(casetrack_core::Error),
}

impl From<XmlError> for Stop {
    fn from(error: XmlError) -> Self {
        Stop::Damage(error.to_string())
    }
}

pub(super) fn read(shared: &Shared, xml: &str, sheet: &mut Sheet) -> Result<()> {
    let mut cells = Cells { shared, sheet: &mut *sheet, row: 0, column: 0 };
    match cells.read(&mut XmlReader::new(xml)) {
        Err(Stop::Limit(error)) => return Err(error),
        Err(Stop::Damage(problem)) => sheet.problem = Some(problem),
        Ok(()) => {}
    }
    Ok(())
}

struct Cells<'a> {
    shared: &'a Shared<'a>,
    sheet: &'a mut Sheet,
    /// Of the cell read last; a cell may leave out its place when it follows at once.
    row: u32,
    column: u32,
}

impl Cells<'_> {
    fn read(&mut self, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        loop {
            match xml.next()? {
                Node::Start(element) => match element.name() {
                    "row" => {
                        let number = element.attribute("r").and_then(|row| row.parse().ok());
                        self.row = number.unwrap_or(self.row + 1);
                        self.column = 0;
                    }
                    "c" => self.cell(&element, xml)?,
                    "mergeCell" => {
                        let region = element.attribute("ref").and_then(|region| region_reference(&region));
                        self.sheet.merged.extend(region);
                    }
                    "extLst" | "conditionalFormatting" | "dataValidations" => xml.skip()?,
                    _ => {}
                },
                Node::Eof => return Ok(()),
                Node::End | Node::Text(_) => {}
            }
        }
    }

    fn cell(&mut self, cell: &Element, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        let [place, style, kind] = cell.attributes(["r", "s", "t"]);
        match place {
            Some(place) => {
                (self.row, self.column) = cell_reference(&place)
                    .ok_or_else(|| Stop::Damage(format!("the place of a cell is damaged ({place})")))?;
            }
            None => self.column += 1,
        }
        if self.row == 0 || self.row > MAX_ROWS {
            return Err(Stop::Damage(format!("a row has the number {}", self.row)));
        }
        let (mut value, mut inline, mut has_formula) = (String::new(), String::new(), false);
        while let Some(element) = xml.child()? {
            match element.name() {
                "v" => value = xml.text()?,
                "is" => inline = rich_text(xml)?,
                "f" => {
                    has_formula = true;
                    xml.skip()?;
                }
                _ => xml.skip()?,
            }
        }
        let kind = kind.as_deref().unwrap_or("n");
        if has_formula && value.trim().is_empty() && inline.is_empty() && kind != "str" {
            self.sheet.without_result += 1;
            return Ok(());
        }
        let (text, is_value) = self.shown(kind, style.as_deref(), value, inline);
        self.sheet.push(self.shared.source, self.row, self.column, text, is_value).map_err(Stop::Limit)
    }

    /// The text of a cell, and whether it is a value rather than a text (18.18.11).
    fn shown(&self, kind: &str, style: Option<&str>, value: String, inline: String) -> (String, bool) {
        match kind {
            "b" if value.trim().is_empty() => (String::new(), false),
            "inlineStr" => (if inline.is_empty() { unescaped(value) } else { inline }, false),
            "s" => {
                let shared = value.trim().parse::<usize>().ok().and_then(|index| self.shared.strings.get(index));
                (shared.cloned().unwrap_or_default(), false)
            }
            "str" => (unescaped(value), false),
            "b" => (if matches!(value.trim(), "0" | "false") { "FALSE" } else { "TRUE" }.to_owned(), true),
            "e" => (value, true),
            "d" => (value.strip_suffix("T00:00:00").map(str::to_owned).unwrap_or(value), true),
            _ => match value.trim().parse::<f64>() {
                Ok(number) => {
                    let format = style
                        .and_then(|style| style.parse::<usize>().ok())
                        .and_then(|style| self.shared.formats.get(style));
                    let text =
                        format.map_or_else(|| general(number), |format| format.show(number, self.shared.epoch_1904));
                    (text, true)
                }
                Err(_) => (if value.is_empty() { inline } else { value }, false),
            },
        }
    }
}
