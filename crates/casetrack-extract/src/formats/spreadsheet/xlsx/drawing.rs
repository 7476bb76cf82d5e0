//! Texts that are drawn over the cells: shapes, diagrams, titles of charts.

use crate::container::xml::{Node, XmlError, XmlReader};

/// Adds the text of each shape or point, a line for each paragraph.
pub(super) fn texts(xml: &str, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    loop {
        match xml.next()? {
            Node::Start(element) if matches!(element.name(), "txBody" | "t") => paragraphs(&mut xml, found)?,
            // The fallback repeats the choice for older programs.
            Node::Start(element) if element.name() == "Fallback" => xml.skip()?,
            Node::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Adds titles of a chart and its axes: written, or taken from a cell (21.2.2.210).
pub(super) fn chart_titles(xml: &str, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    loop {
        match xml.next()? {
            Node::Start(element) if element.name() == "title" => paragraphs(&mut xml, found)?,
            Node::Start(element) if matches!(element.name(), "ser" | "chartData" | "txPr") => xml.skip()?,
            Node::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Reads the element started last to its end: its paragraphs, or the values cached for a reference, as one text.
fn paragraphs(xml: &mut XmlReader, found: &mut Vec<String>) -> Result<(), XmlError> {
    let mut text = String::new();
    let mut open = 1;
    while open > 0 {
        match xml.next()? {
            Node::Start(element) => match element.name() {
                "t" | "v" => text.push_str(&xml.text()?),
                "f" | "txPr" => xml.skip()?,
                "p" => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    open += 1;
                }
                "br" | "tab" => {
                    text.push(' ');
                    open += 1;
                }
                _ => open += 1,
            },
            Node::End => open -= 1,
            Node::Text(_) => {}
            Node::Eof => return Err(XmlError::EndsEarly),
        }
    }
    found.extend(Some(text).filter(|text| !text.trim().is_empty()));
    Ok(())
}
