//! The small parts of a workbook: list of sheets, shared texts, number formats, tables, comments.

use std::collections::{BTreeSet, HashMap};

use casetrack_pages::container::xml::{Element, XmlError, XmlReader};

use super::super::number_format::NumberFormat;
use super::super::sheet::{Comment, Visibility, cell_reference, region_reference};

#[derive(Default)]
pub(super) struct Workbook {
    pub sheets: Vec<SheetEntry>,
    pub epoch_1904: bool,
    /// True if the results of formulas are to be calculated when the file is opened: its writer did not calculate them (18.2.2).
    pub is_uncalculated: bool,
}

/// A sheet as the workbook lists it (18.2.19).
#[derive(Default)]
pub(super) struct SheetEntry {
    pub name: String,
    pub visibility: Visibility,
    pub relationship: String,
}

/// True if an attribute is on.
pub(super) fn is_on(value: Option<String>) -> bool {
    matches!(value.as_deref(), Some("1" | "true" | "on"))
}

impl Workbook {
    pub fn read(&mut self, xml: &str) -> Result<(), XmlError> {
        let mut xml = XmlReader::new(xml);
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "workbookPr" => self.epoch_1904 = is_on(element.attribute("date1904")),
                "calcPr" => self.is_uncalculated = is_on(element.attribute("fullCalcOnLoad")),
                "sheet" => self.sheets.push(SheetEntry {
                    name: element.attribute("name").unwrap_or_default(),
                    visibility: match element.attribute("state").as_deref() {
                        Some("hidden") => Visibility::Hidden,
                        Some("veryHidden") => Visibility::VeryHidden,
                        _ => Visibility::Visible,
                    },
                    relationship: element.qualified_attribute("id").unwrap_or_default(),
                }),
                _ => {}
            }
        }
        Ok(())
    }
}

pub(super) fn shared_strings(xml: &str, strings: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        if element.name() == "si" {
            strings.push(rich_text(&mut xml)?);
        }
    }
    Ok(())
}

/// Reads `CT_Rst` to its end (18.4.8): plain text or runs, without phonetic hints.
pub(super) fn rich_text(xml: &mut XmlReader) -> Result<String, XmlError> {
    let mut text = String::new();
    let depth = xml.depth();
    while let Some(element) = xml.next_start(depth)? {
        match element.name() {
            "t" => xml.text_into(&mut text)?,
            "rPh" | "rPr" => xml.skip()?,
            _ => {}
        }
    }
    Ok(unescaped(text))
}

/// `_x000D_` stands for a character that XML cannot carry (22.9.2.19, `ST_Xstring`).
pub(super) fn unescaped(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find("_x") {
        plain.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest.as_bytes().get(at + 6) == Some(&b'_'));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        let taken = match code {
            Some(c) => {
                plain.push(c);
                7
            }
            None => {
                plain.push_str("_x");
                2
            }
        };
        rest = &rest[at + taken..];
    }
    plain + rest
}

/// Adds the number format of each cell style (`cellXfs`, 18.8.10). Cells with a style that is missing are shown as General shows them.
pub(super) fn number_formats(xml: &str, formats: &mut Vec<NumberFormat>) -> Result<(), XmlError> {
    let mut codes: HashMap<u32, String> = HashMap::new();
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "numFmt" => codes.extend(element.number("numFmtId").zip(element.attribute("formatCode"))),
            "dxfs" | "cellStyleXfs" => xml.skip()?,
            "cellXfs" => {
                while let Some(style) = xml.child()? {
                    formats.push(NumberFormat::numbered(style.number("numFmtId").unwrap_or(0), &codes));
                    xml.skip()?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn table_header(xml: &str, found: &mut BTreeSet<u32>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    let root = xml.root()?;
    let region = root.attribute("ref").and_then(|region| region_reference(&region));
    let rows = root.number("headerRowCount").unwrap_or(1).min(8);
    found.extend(region.into_iter().flat_map(|region| region.first_row..region.first_row + rows));
    Ok(())
}

pub(super) fn comments(xml: &str, found: &mut Vec<Comment>) -> Result<(), XmlError> {
    let mut authors: Vec<String> = Vec::new();
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "author" => authors.push(xml.text()?),
            "comment" => {
                let author = element.number::<usize>("authorId").and_then(|author| authors.get(author));
                let author = author.cloned().unwrap_or_default();
                let text = rich_text(&mut xml)?;
                found.extend(place_of(&element).map(|(row, column)| Comment { row, column, author, text }));
            }
            _ => {}
        }
    }
    Ok(())
}

fn place_of(comment: &Element) -> Option<(u32, u32)> {
    cell_reference(&comment.attribute("ref")?)
}

pub(super) fn persons(xml: &str, found: &mut HashMap<String, String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        if element.name() == "person" {
            found.extend(element.attribute("id").zip(element.attribute("displayName")));
        }
    }
    Ok(())
}

/// Adds comments and the answers to them, in order ([MS-XLSX] 2.6.205, `CT_ThreadedComment`).
pub(super) fn threaded_comments(
    xml: &str,
    persons: &HashMap<String, String>,
    found: &mut Vec<Comment>,
) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "threadedComment" => {
                let author = element.attribute("personId").and_then(|id| persons.get(&id).cloned()).unwrap_or_default();
                let text = String::new();
                found.extend(place_of(&element).map(|(row, column)| Comment { row, column, author, text }));
            }
            "text" => {
                let text = xml.text()?;
                if let Some(comment) = found.last_mut() {
                    comment.text = text;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
