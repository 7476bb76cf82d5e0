use std::collections::HashMap;

use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::{FlowBlock, Sink};
use casetrack_pages::container::xml::{Stop, XmlError};
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::styles::Styles;

use super::body::Body;
use super::inline::NoteKind;

pub(super) type Notes = HashMap<(NoteKind, String), Vec<FlowBlock>>;

/// The notes of a part, up to its end or the first damage, which is returned.
pub(super) fn notes_of(
    kind: NoteKind,
    xml: &str,
    styles: &Styles,
    numbering: &mut Numbering,
    document: &mut DocumentBuilder,
    found: &mut Notes,
) -> casetrack_core::Result<Option<XmlError>> {
    if xml.is_empty() {
        return Ok(None);
    }
    let mut notes = Vec::new();
    let outcome = read_notes(xml, styles, numbering, document, &mut notes);
    found.extend(notes.into_iter().map(|note| ((kind, note.id), note.blocks)));
    Stop::damage(outcome)
}

/// Warns of the damage to footnotes and endnotes, if the text refers to any of them: `references` counts them.
pub(super) fn warn_of_damage(
    damaged: Vec<(NoteKind, Option<XmlError>)>,
    references: [u32; 2],
    document: &mut DocumentBuilder,
) {
    for ((kind, error), count) in damaged.into_iter().zip(references) {
        if let Some(error) = error.filter(|_| count > 0) {
            document.warn(format!("The {} are damaged ({error}); some of them are missing.", kind.name()));
        }
    }
}

pub(super) struct Note {
    pub id: String,
    pub author: Option<String>,
    pub blocks: Vec<FlowBlock>,
}

/// Adds the notes or comments of a part, up to its end or the first damage. Notes that refer to notes are not followed.
pub(super) fn read_notes(
    xml: &str,
    styles: &Styles,
    numbering: &mut Numbering,
    document: &mut DocumentBuilder,
    notes: &mut Vec<Note>,
) -> Result<(), Stop> {
    let mut body = Body::new(xml, styles, numbering, document);
    body.xml.root()?;
    while let Some(element) = body.xml.child()? {
        let mut sink = Sink::collect();
        body.blocks(&mut sink)?;
        if let Some(id) = element.attribute("id") {
            notes.push(Note { id, author: element.attribute("author"), blocks: sink.into_blocks() });
        }
    }
    Ok(())
}
