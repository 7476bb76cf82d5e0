//! OpenDocument spreadsheets ([OpenDocument 1.3] Part 3, chapter 9). Cells hold the visible text next to their value,
//! so that no format needs to be applied.

use std::collections::HashSet;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::xml::{Element, Node, Stop, XmlError, XmlReader};
use casetrack_pages::container::zip::ZipContainer;
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::open_document;
use casetrack_pages::text::encoding;

use super::formula;
use super::sheet::{Comment, Picture, Region, Sheet, Visibility, write_all};
use super::{MAX_COLUMNS, MAX_ROWS};
use crate::formats::pictures::Pictures;

pub(super) fn read(source: &Source, container: &mut ZipContainer, document: &mut DocumentBuilder) -> Result<()> {
    let part = |container: &mut ZipContainer, name: &str| -> Result<String> {
        Ok(encoding::decode_xml(&container.part(name)?.unwrap_or_default()).into_owned())
    };
    if part(container, "META-INF/manifest.xml")?.contains("encryption-data") {
        return Err(source.needs_password());
    }
    let meta = open_document::optional_part(container, "meta.xml", "properties of the document", document)?;
    if let Some(title) = open_document::properties(&meta, document) {
        document.set_title(&title);
    }
    let content = part(container, "content.xml")?;
    let mut pictures = Pictures::new(source, document);
    let mut xml = XmlReader::new(&content);
    let mut reader = SheetReader { source, hidden_styles: HashSet::new(), ended: false, damage: None };
    let mut found = false;
    let sheets = std::iter::from_fn(|| match reader.next_sheet(&mut xml) {
        Ok(sheet) => {
            found |= sheet.is_some();
            sheet.map(Ok)
        }
        Err(error) => Some(Err(error)),
    });
    write_all(source, document, sheets, |sheet| {
        let mut sheet = sheet?;
        for (place, name) in std::mem::take(&mut sheet.picture_parts) {
            let text = pictures.read_part(container, &name);
            sheet.pictures.extend(text.map(|text| Picture { place, text }));
        }
        Ok(sheet)
    })?;
    pictures.finish(document);
    match reader.damage {
        Some(damage) if !found => Err(source.unreadable(damage)),
        Some(damage) => {
            document.warn(format!("The file is damaged after its last sheet: {damage}"));
            Ok(())
        }
        None if !found => Err(source.unreadable("it has no worksheet")),
        None => Ok(()),
    }?;
    EmbeddedFiles::of_open_document(container, document)
}

struct SheetReader<'a> {
    source: &'a Source<'a>,
    hidden_styles: HashSet<String>,
    ended: bool,
    /// The problem that ended reading, when it is not in a sheet.
    damage: Option<XmlError>,
}

/// The start of the next row, from 1.
struct RowCursor {
    row: u32,
    is_header: bool,
    /// The next column that is described, from 1.
    column: u32,
}

impl SheetReader<'_> {
    fn next_sheet(&mut self, xml: &mut XmlReader) -> Result<Option<Sheet>> {
        let mut style = None;
        while !self.ended {
            match xml.next() {
                Ok(Node::Start(element)) => match element.name() {
                    "style" => style = element.attribute("name"),
                    "table-properties" if element.has("display", "false") => {
                        self.hidden_styles.extend(style.take());
                    }
                    "table" => return self.sheet(&element, xml).map(Some),
                    _ => {}
                },
                Ok(Node::Eof) => self.ended = true,
                Ok(Node::End | Node::Text(_)) => {}
                Err(error) => (self.ended, self.damage) = (true, Some(error)),
            }
        }
        Ok(None)
    }

    fn sheet(&mut self, table: &Element, xml: &mut XmlReader) -> Result<Sheet> {
        let [name, style] = table.attributes(["name", "style-name"]);
        let is_hidden = style.is_some_and(|style| self.hidden_styles.contains(&style));
        let visibility = if is_hidden { Visibility::Hidden } else { Visibility::Visible };
        let mut sheet = Sheet::new(name.unwrap_or_default(), visibility);
        let mut place = RowCursor { row: 1, is_header: false, column: 1 };
        // What came before damage is kept.
        if let Some(error) = Stop::damage(self.rows(xml, &mut sheet, &mut place))? {
            sheet.problem = Some(error.to_string());
            self.ended = true;
        }
        Ok(sheet)
    }

    /// Reads to the end of the element started last, which holds rows or groups of them.
    fn rows(&self, xml: &mut XmlReader, sheet: &mut Sheet, place: &mut RowCursor) -> std::result::Result<(), Stop> {
        while let Some(element) = xml.child()? {
            match element.name() {
                "table-row" => self.row(&element, xml, sheet, place)?,
                "table-rows" | "table-row-group" | "table-columns" | "table-column-group" | "table-header-columns" => {
                    self.rows(xml, sheet, place)?;
                }
                "table-column" => {
                    let first = place.column;
                    let columns = count(element.attribute("number-columns-repeated"));
                    place.column = first.saturating_add(columns).min(MAX_COLUMNS + 1);
                    if is_hidden(&element) {
                        sheet.hidden.add_columns(first, place.column - 1);
                    }
                    xml.skip()?;
                }
                "table-header-rows" => {
                    place.is_header = true;
                    self.rows(xml, sheet, place)?;
                    place.is_header = false;
                }
                "shapes" => {
                    let text = paragraphs(xml, sheet, None)?;
                    sheet.texts.extend(Some(text).filter(|text| !text.trim().is_empty()));
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn row(
        &self,
        row: &Element,
        xml: &mut XmlReader,
        sheet: &mut Sheet,
        place: &mut RowCursor,
    ) -> std::result::Result<(), Stop> {
        let first_row = place.row;
        let next_row = first_row.saturating_add(count(row.attribute("number-rows-repeated"))).min(MAX_ROWS + 1);
        if is_hidden(row) {
            sheet.hidden.add_rows(first_row, next_row - 1);
        }
        let mut column = 1u32;
        let mut texts = Vec::new();
        while let Some(cell) = xml.child()? {
            let [repeated, columns, rows] =
                cell.attributes(["number-columns-repeated", "number-columns-spanned", "number-rows-spanned"]);
            let next_column = column.saturating_add(count(repeated)).min(MAX_COLUMNS + 1);
            let (text, is_value) = cell_text(&cell, xml, sheet, (first_row, column))?;
            if !text.trim().is_empty() {
                texts.push((column..next_column, text, is_value));
            }
            let (rows, columns) = (count(rows), count(columns));
            if rows > 1 || columns > 1 {
                sheet.merged.push(Region {
                    first_row,
                    last_row: first_row.saturating_add(rows - 1).min(MAX_ROWS),
                    first_column: column,
                    last_column: column.saturating_add(columns - 1).min(MAX_COLUMNS),
                });
            }
            column = next_column;
        }
        if !texts.is_empty() {
            for row in first_row..next_row {
                if place.is_header {
                    sheet.header_rows.insert(row);
                }
                for (columns, text, is_value) in &texts {
                    for column in columns.clone() {
                        sheet.push(self.source, row, column, text.clone(), *is_value)?;
                    }
                }
            }
        }
        place.row = next_row;
        Ok(())
    }
}

/// Reads a cell to its end. Returns what it shows, and whether that is a value rather than a text.
fn cell_text(
    cell: &Element,
    xml: &mut XmlReader,
    sheet: &mut Sheet,
    place: (u32, u32),
) -> std::result::Result<(String, bool), XmlError> {
    let [kind, formula] = cell.attributes(["value-type", "formula"]);
    let value = ["date-value", "time-value", "boolean-value", "value", "string-value"];
    let value = value.iter().find_map(|name| cell.attribute(name));
    let has_result = value.is_some() || kind.is_some();
    let mut text = paragraphs(xml, sheet, Some(place))?;
    if text.trim().is_empty() {
        text = value.unwrap_or_default();
    }
    if let Some(formula) = formula.filter(|_| text.trim().is_empty() && !has_result) {
        sheet.without_result += 1;
        return Ok((formula::without_value(&formula::of_open_document(&formula)), true));
    }
    Ok((text, kind.is_some_and(|kind| kind != "string")))
}

fn is_hidden(element: &Element) -> bool {
    element.has("visibility", "collapse") || element.has("visibility", "filter")
}

/// How often something is repeated, or over how many columns or rows it goes.
fn count(value: Option<String>) -> u32 {
    value.and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
}

/// Reads the element started last to its end: its paragraphs, one a line. Comments in it go to the cell at `place`.
fn paragraphs(
    xml: &mut XmlReader,
    sheet: &mut Sheet,
    place: Option<(u32, u32)>,
) -> std::result::Result<String, XmlError> {
    let mut text = String::new();
    let depth = xml.depth();
    while let Some(element) = xml.next_start(depth)? {
        match element.name() {
            "annotation" => annotation(xml, sheet, place)?,
            "image" => picture(&element, sheet, place),
            "p" | "h" => {
                if !text.is_empty() {
                    text.push('\n');
                }
                paragraph(xml, sheet, place, &mut text)?;
            }
            _ => {}
        }
    }
    Ok(text)
}

fn paragraph(
    xml: &mut XmlReader,
    sheet: &mut Sheet,
    place: Option<(u32, u32)>,
    text: &mut String,
) -> std::result::Result<(), XmlError> {
    let depth = xml.depth();
    while let Some(node) = xml.next_inside(depth)? {
        match node {
            Node::Start(element) => match element.name() {
                "annotation" => annotation(xml, sheet, place)?,
                "image" => picture(&element, sheet, place),
                "s" | "tab" | "line-break" => {
                    text.push(' ');
                    xml.skip()?;
                }
                _ => {}
            },
            Node::Text(piece) => text.push_str(&piece),
            _ => {}
        }
    }
    Ok(())
}

fn picture(image: &Element, sheet: &mut Sheet, place: Option<(u32, u32)>) {
    sheet.picture_parts.extend(open_document::picture_part(image).map(|part| (place, part)));
}

fn annotation(xml: &mut XmlReader, sheet: &mut Sheet, place: Option<(u32, u32)>) -> std::result::Result<(), XmlError> {
    let (mut author, mut lines) = (String::new(), Vec::new());
    while let Some(element) = xml.child()? {
        match element.name() {
            "creator" => author = xml.text()?,
            "p" | "list" => lines.push(xml.text()?),
            _ => xml.skip()?,
        }
    }
    let text = lines.join("\n");
    match place {
        Some((row, column)) => sheet.comments.push(Comment { row, column, author, text }),
        None => sheet.texts.push(text),
    }
    Ok(())
}
