//! Footnotes and endnotes: listed after the text, in the order in which the text refers to them (17.11).

use std::borrow::Cow;
use std::collections::HashMap;

use super::body::Body;
use super::inline::{NoteKind, Reference};
use crate::build::DocumentBuilder;
use crate::build::flow::{FlowBlock, Sink, push_note};
use crate::container::xml::Stop;
use crate::office::numbering::Numbering;
use crate::office::styles::Styles;

/// Adds the notes referred to: `[1] text`. `parts` hold them, empty where there is none.
pub(super) fn append_notes(
    parts: [(NoteKind, Cow<str>); 2],
    references: &[Reference],
    styles: &Styles,
    numbering: &mut Numbering,
    document: &mut DocumentBuilder,
) -> casetrack_core::Result<()> {
    for (kind, xml) in parts {
        let mut references = references.iter().filter(|reference| reference.kind == kind).peekable();
        if xml.is_empty() || references.peek().is_none() {
            continue;
        }
        let mut notes = Vec::new();
        let outcome = read_notes(&xml, styles, numbering, document, &mut notes);
        let mut notes: HashMap<String, Vec<FlowBlock>> = notes.into_iter().map(|note| (note.id, note.blocks)).collect();
        for reference in references {
            push_note(document, &reference.mark, &notes.remove(&reference.id).unwrap_or_default())?;
        }
        if let Some(error) = Stop::damage(outcome)? {
            document.warn(format!("The {} are damaged ({error}); some of them are missing.", kind.name()));
        }
    }
    Ok(())
}

/// A note or a comment.
pub(super) struct Note {
    pub id: String,
    /// Of comments only.
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
