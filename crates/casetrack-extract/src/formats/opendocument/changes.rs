//! Tracked changes ([ODF] Part 3, 5.5): deleted text comes before the body; the body marks the places of deletions and
//! the inserted text.
//!
//! Moves are written as a deletion and an insertion. Changes of formatting have no text.

use std::collections::{HashMap, HashSet};

use casetrack_core::ChangeKind;
use casetrack_pages::build::changes::{self, ChangeId, Stamp};
use casetrack_pages::container::xml::{Element, Node, Stop, XmlError, XmlReader};

use super::body::Body;
use super::inline::{Paragraph, spaces};

#[derive(Default)]
pub(super) struct TrackedChanges {
    regions: HashMap<String, (ChangeKind, ChangeId)>,
    /// Insertions that end after they begin. Others would be without end.
    paired: HashSet<String>,
}

impl TrackedChanges {
    /// The mark in the text for an element that marks a change; nothing for an unknown change.
    pub fn mark(&self, element: &Element) -> String {
        let name = element.attribute("change-id").unwrap_or_default();
        match (element.name(), self.regions.get(&name)) {
            ("change", Some((ChangeKind::Deletion, id))) => changes::gone(*id),
            ("change-start", Some((ChangeKind::Insertion, id))) if self.paired.contains(&name) => changes::start(*id),
            ("change-end", Some((ChangeKind::Insertion, id))) if self.paired.contains(&name) => changes::end(*id),
            _ => String::new(),
        }
    }
}

#[derive(Default)]
struct Region {
    is_insertion: bool,
    /// The paragraphs that were deleted.
    deleted: Option<Vec<String>>,
    insertion: Stamp,
    deletion: Stamp,
}

impl Body<'_, '_> {
    pub fn tracked_changes(&mut self) -> Result<(), Stop> {
        self.changes.paired = paired(self.text);
        while let Some(element) = self.xml.child()? {
            // Two attributes may have the name, with and without the prefix xml.
            let Some(name) = element.attribute("id") else {
                self.xml.skip()?;
                continue;
            };
            let mut region = Region::default();
            let outcome = read_region(&mut self.xml, &mut region);
            let changes = self.flow.document.changes();
            let known = match region.deleted {
                Some(paragraphs) => changes
                    .deletion(ChangeKind::Deletion, &region.deletion, paragraphs.join("\n"), region.is_insertion)
                    .map(|id| (ChangeKind::Deletion, id)),
                None if region.is_insertion => {
                    changes.insertion(ChangeKind::Insertion, &region.insertion).map(|id| (ChangeKind::Insertion, id))
                }
                None => None,
            };
            if let Some(known) = known {
                self.changes.regions.insert(name, known);
            }
            outcome?;
        }
        Ok(())
    }
}

/// A region has a deletion, an insertion, or both if the deleted text had been inserted before.
fn read_region(xml: &mut XmlReader, region: &mut Region) -> Result<(), XmlError> {
    while let Some(element) = xml.child()? {
        match element.name() {
            "insertion" => {
                region.is_insertion = true;
                region.insertion = read_change(xml, &mut Vec::new())?;
            }
            "deletion" => {
                let mut paragraphs = Vec::new();
                let outcome = read_change(xml, &mut paragraphs);
                region.deleted = Some(paragraphs);
                region.deletion = outcome?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn read_change(xml: &mut XmlReader, paragraphs: &mut Vec<String>) -> Result<Stamp, XmlError> {
    let mut stamp = Stamp::default();
    while let Some(element) = xml.child()? {
        match element.name() {
            "change-info" => {
                let (mut author, mut date) = (None, None);
                while let Some(info) = xml.child()? {
                    match info.name() {
                        "creator" => author = Some(xml.text()?),
                        "date" => date = Some(xml.text()?),
                        _ => xml.skip()?,
                    }
                }
                stamp = Stamp::new(author.as_deref(), date.as_deref());
            }
            name => read_deleted(xml, name, paragraphs)?,
        }
    }
    Ok(stamp)
}

/// Adds the paragraphs of a block that was deleted; the rows of a table are lines. Content before damage is kept.
fn read_deleted(xml: &mut XmlReader, name: &str, paragraphs: &mut Vec<String>) -> Result<(), XmlError> {
    match name {
        "p" | "h" => {
            let mut paragraph = Paragraph::default();
            let outcome = read_inline(xml, &mut paragraph);
            paragraphs.push(paragraph.text);
            return outcome;
        }
        "table-row" => {
            let mut cells = Vec::new();
            let outcome = read_blocks(xml, &mut cells);
            paragraphs.push(cells.join("\t"));
            return outcome;
        }
        "annotation" | "table-columns" | "table-column" => xml.skip()?,
        _ => read_blocks(xml, paragraphs)?,
    }
    Ok(())
}

fn read_blocks(xml: &mut XmlReader, paragraphs: &mut Vec<String>) -> Result<(), XmlError> {
    while let Some(element) = xml.child()? {
        read_deleted(xml, element.name(), paragraphs)?;
    }
    Ok(())
}

fn read_inline(xml: &mut XmlReader, paragraph: &mut Paragraph) -> Result<(), XmlError> {
    loop {
        match xml.next()? {
            Node::Text(text) => paragraph.push_folded(&text),
            Node::End => return Ok(()),
            Node::Eof => return Err(XmlError::EndsEarly),
            Node::Start(element) => match element.name() {
                "s" => {
                    paragraph.push(&spaces(&element));
                    xml.skip()?;
                }
                "tab" => {
                    paragraph.push("\t");
                    xml.skip()?;
                }
                "line-break" => {
                    paragraph.push("\n");
                    xml.skip()?;
                }
                "note-body" => {
                    let mut note = Vec::new();
                    let outcome = read_blocks(xml, &mut note);
                    paragraph.push(&format!(" [note: {}]", note.join(" ").trim()));
                    outcome?;
                }
                "annotation" | "note-citation" | "ruby-text" | "script" | "title" | "desc" | "image" => xml.skip()?,
                _ => read_inline(xml, paragraph)?,
            },
        }
    }
}

/// The names of changes that begin and later end. Damage is met, and reported, when the text is read.
fn paired(text: &str) -> HashSet<String> {
    let (mut begun, mut paired) = (HashSet::new(), HashSet::new());
    let mut xml = XmlReader::new(text);
    while let Ok(Some(element)) = xml.next_start(0) {
        match element.name() {
            "change-start" => begun.extend(element.attribute("change-id")),
            "change-end" => paired.extend(element.attribute("change-id").filter(|name| begun.contains(name))),
            _ => {}
        }
    }
    paired
}
