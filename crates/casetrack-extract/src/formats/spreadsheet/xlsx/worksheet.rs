//! The cells of a sheet (18.3.1).

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::container::xml::{Element, Stop, XmlError, XmlReader};
use casetrack_pages::model::Source;

use super::super::MAX_ROWS;
use super::super::formula;
use super::super::number_format::Formats;
use super::super::sheet::{Sheet, cell_reference, iso_date, region_reference};
use super::parts::{is_on, rich_text, unescaped};

pub(super) struct WorkbookParts<'a> {
    pub source: &'a Source<'a>,
    pub strings: Vec<String>,
    pub formats: Formats,
    pub persons: HashMap<String, String>,
}

/// A cell that cannot be placed, or XML that cannot be read, ends the sheet: what came before it is kept.
pub(super) fn read(shared: &WorkbookParts, xml: &str, sheet: &mut Sheet) -> Result<()> {
    let mut cells = Cells { shared, sheet: &mut *sheet, row: 0, column: 0, formulas: HashMap::new() };
    let damage = Stop::damage(cells.read(&mut XmlReader::new(xml)))?;
    sheet.problem = damage.map(|error| error.to_string());
    Ok(())
}

struct Cells<'a> {
    shared: &'a WorkbookParts<'a>,
    sheet: &'a mut Sheet,
    /// The row of the cell read last; a cell may leave out its place when it follows at once.
    row: u32,
    column: u32,
    /// Formulas that several cells share, with the cell that has the text, by their number.
    formulas: HashMap<String, (String, u32, u32)>,
}

impl Cells<'_> {
    fn read(&mut self, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "row" => {
                    self.row = element.number("r").unwrap_or(self.row + 1);
                    self.column = 0;
                    if is_on(element.attribute("hidden")) {
                        self.sheet.hidden.add_rows(self.row, self.row);
                    }
                }
                "c" => self.cell(&element, xml)?,
                "col" if is_on(element.attribute("hidden")) => {
                    let (first, last) = (element.number("min").unwrap_or(0), element.number("max").unwrap_or(0));
                    self.sheet.hidden.add_columns(first, last);
                }
                "mergeCell" => {
                    let region = element.attribute("ref").and_then(|region| region_reference(&region));
                    self.sheet.merged.extend(region);
                }
                "extLst" | "conditionalFormatting" | "dataValidations" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    fn cell(&mut self, cell: &Element, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        let [place, style, kind] = cell.attributes(["r", "s", "t"]);
        match place {
            Some(place) => {
                (self.row, self.column) = cell_reference(&place)
                    .ok_or_else(|| XmlError::Invalid(format!("the place of a cell is damaged ({place})")))?;
            }
            None => self.column += 1,
        }
        if self.row == 0 || self.row > MAX_ROWS {
            return Err(XmlError::Invalid(format!("a row has the number {}", self.row)).into());
        }
        let (mut stored, mut inline, mut formula) = (None, String::new(), None);
        while let Some(element) = xml.child()? {
            match element.name() {
                "v" => stored = Some(xml.text()?),
                "is" => inline = rich_text(xml)?,
                "f" => {
                    let shared = element.attribute("si").filter(|_| element.has("t", "shared"));
                    formula = Some(self.formula(xml.text()?, shared));
                }
                _ => xml.skip()?,
            }
        }
        let kind = kind.as_deref().unwrap_or("n");
        // The result of a formula can be an empty text.
        let is_text = kind == "str" && stored.is_some();
        let value = stored.unwrap_or_default();
        let has_value = is_text || !value.trim().is_empty() || !inline.is_empty();
        if formula.is_some() && has_value {
            let is_zero = kind == "n" && value.trim() == "0";
            let results = &mut self.sheet.results;
            *(if is_zero { &mut results.zero } else { &mut results.other }) += 1;
        }
        let (text, is_value) = match formula.filter(|_| !has_value) {
            Some(formula) => {
                self.sheet.without_result += 1;
                (formula::without_value(&formula), true)
            }
            None => self.shown(kind, style.as_deref(), value, inline),
        };
        Ok(self.sheet.push(self.shared.source, self.row, self.column, text, is_value)?)
    }

    /// The formula of the cell. One of the cells that share a formula has its text.
    fn formula(&mut self, text: String, shared: Option<String>) -> String {
        let Some(number) = shared else { return text };
        if !text.is_empty() {
            self.formulas.insert(number, (text.clone(), self.row, self.column));
            return text;
        }
        let Some((first, row, column)) = self.formulas.get(&number) else { return text };
        let (rows, columns) = (i64::from(self.row) - i64::from(*row), i64::from(self.column) - i64::from(*column));
        formula::moved(first, rows, columns)
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
            "d" => (iso_date(value.trim()), true),
            _ => match value.trim().parse::<f64>() {
                Ok(number) => (self.shared.formats.show(style.and_then(|style| style.parse().ok()), number), true),
                Err(_) => (if value.is_empty() { inline } else { value }, false),
            },
        }
    }
}
