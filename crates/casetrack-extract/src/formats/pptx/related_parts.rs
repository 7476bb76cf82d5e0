//! Content of a slide from other parts: the texts of its layout and master, and comments.

use std::collections::HashMap;

use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::office::paragraphs::{Paragraph, text_body};

use super::frame::Frame;
use super::slide::shape;

/// Adds the texts of a layout or master that its slides show: those that are not places for texts of the slides (19.3.1.36).
pub(super) fn fixed_texts(xml: &str, texts: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        if element.name() == "sp" {
            let mut paragraphs: Vec<Paragraph> = Vec::new();
            let (placeholder, outcome) = shape(&mut xml, &mut Frame::default(), &mut paragraphs);
            if placeholder.is_none() {
                texts.extend(paragraphs.iter().map(Paragraph::labelled));
            }
            outcome?;
        }
    }
    Ok(())
}

pub(super) fn authors(
    package: &mut Package,
    presentation: &Relationships,
) -> casetrack_core::Result<HashMap<String, String>> {
    let mut authors = HashMap::new();
    for part in ["commentAuthors", "authors"].iter().filter_map(|kind| presentation.target(kind)) {
        package.read_beside(part, "names of comment authors", |xml| {
            let mut xml = XmlReader::new(xml);
            while let Some(element) = xml.next_start(0)? {
                if matches!(element.name(), "cmAuthor" | "author") {
                    authors.extend(element.attribute("id").zip(element.attribute("name")));
                }
            }
            Ok::<(), XmlError>(())
        })?;
    }
    Ok(authors)
}

/// Adds comments and the answers to them, each on one line: "Comment by NAME: …" (19.4.1; [MS-PPTX] 2.7.1).
pub(super) fn comments(
    xml: &str,
    authors: &HashMap<String, String>,
    comments: &mut Vec<String>,
) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    let mut by = String::new();
    while let Some(element) = xml.next_start(0)? {
        let mut text = String::new();
        let mut outcome = Ok(());
        match element.name() {
            "cm" | "reply" => {
                let author = element.attribute("authorId").and_then(|id| authors.get(&id));
                by = author.map(|author| format!(" by {author}")).unwrap_or_default();
            }
            "text" => text = xml.text()?,
            "txBody" => {
                let mut paragraphs: Vec<Paragraph> = Vec::new();
                outcome = text_body(&mut xml, &mut paragraphs);
                text = paragraphs.iter().map(Paragraph::labelled).collect::<Vec<_>>().join(" ");
            }
            _ => {}
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if !words.is_empty() {
            comments.push(format!("Comment{by}: {}", words.join(" ")));
        }
        outcome?;
    }
    Ok(())
}
