//! Drawings over the cells: the texts of shapes and diagrams, titles of charts, pictures.

use casetrack_pages::container::xml::{XmlError, XmlReader};

use super::super::{MAX_COLUMNS, MAX_ROWS};

pub(super) fn texts(xml: &str, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "txBody" | "t" => paragraphs(&mut xml, found)?,
            // The fallback repeats the choice for older programs.
            "Fallback" => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}

/// A picture: the row and column, from 1, of its upper left corner, if it is anchored in a cell, and its relationship.
pub(super) type AnchoredPicture = (Option<(u32, u32)>, String);

pub(super) fn pictures(xml: &str, found: &mut Vec<AnchoredPicture>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    let (mut place, mut column) = (None, None);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "absoluteAnchor" | "oneCellAnchor" | "twoCellAnchor" => (place, column) = (None, None),
            "to" | "Fallback" => xml.skip()?,
            // Counted from 0.
            "col" => column = xml.text()?.trim().parse::<u32>().ok().filter(|column| *column < MAX_COLUMNS),
            "row" => {
                let row = xml.text()?.trim().parse::<u32>().ok().filter(|row| *row < MAX_ROWS);
                place = row.zip(column).map(|(row, column)| (row + 1, column + 1));
            }
            "blip" => found.extend(element.qualified_attribute("embed").map(|id| (place, id))),
            _ => {}
        }
    }
    Ok(())
}

/// Adds titles of a chart and its axes: written, or taken from a cell (21.2.2.210).
pub(super) fn chart_titles(xml: &str, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "title" => paragraphs(&mut xml, found)?,
            "ser" | "chartData" | "txPr" => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads the element started last to its end: its paragraphs, or the values cached for a reference, as one text.
fn paragraphs(xml: &mut XmlReader, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut text = String::new();
    let depth = xml.depth();
    while let Some(element) = xml.next_start(depth)? {
        match element.name() {
            "t" | "v" => text.push_str(&xml.text()?),
            "f" | "txPr" => xml.skip()?,
            "p" if !text.is_empty() => text.push('\n'),
            "br" | "tab" => text.push(' '),
            _ => {}
        }
    }
    found.extend(Some(text).filter(|text| !text.trim().is_empty()));
    Ok(())
}
