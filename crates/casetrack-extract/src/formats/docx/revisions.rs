//! Tracked changes (17.13.5): runs, paragraph marks, rows and cells that were inserted, deleted or moved.
//!
//! Changes of formatting, and cells that were merged, are counted (`unlisted`).

use casetrack_core::ChangeKind;
use casetrack_pages::build::changes::{self, Stamp};
use casetrack_pages::build::flow::{Sink, plain_text};
use casetrack_pages::container::xml::{Element, Stop, XmlError, XmlReader};
use casetrack_pages::office::tracked_changes::{InsertedMarks, MarkRevision};

use super::body::{Body, Paragraph};

#[derive(Default)]
pub(super) struct Revisions {
    inserting: usize,
    deleting: usize,
    /// Bytes of the deletion being read that are in insertions of their own.
    inserted_bytes: usize,
    /// The paragraph whose mark was deleted: the next one continues with its text.
    pub merged: Option<Box<Paragraph>>,
    run: InsertedMarks,
}

impl Revisions {
    /// True if the text being read is no longer part of the document.
    pub fn is_deleting(&self) -> bool {
        self.deleting > 0
    }
}

/// Takes an element of the properties of a mark, row or cell, if it is a change (17.13.5.1, 17.13.5.2, 17.13.5.15, 17.13.5.20).
pub(super) fn take_revision(element: &Element, revision: &mut MarkRevision) {
    match kind(element.name()) {
        Some(kind) if kind.removes() => revision.deleted = Some((kind, stamp(element))),
        Some(kind) => revision.inserted = Some((kind, stamp(element))),
        None => {}
    }
}

pub(super) fn mark_properties(xml: &mut XmlReader, mark: &mut MarkRevision) -> Result<(), XmlError> {
    while let Some(property) = xml.child()? {
        take_revision(&property, mark);
        xml.skip()?;
    }
    Ok(())
}

fn kind(name: &str) -> Option<ChangeKind> {
    match name {
        "ins" | "cellIns" => Some(ChangeKind::Insertion),
        "del" | "cellDel" => Some(ChangeKind::Deletion),
        "moveFrom" => Some(ChangeKind::MoveFrom),
        "moveTo" => Some(ChangeKind::MoveTo),
        _ => None,
    }
}

fn stamp(element: &Element) -> Stamp {
    let [author, date] = element.attributes(["author", "date"]);
    Stamp::new(author.as_deref(), date.as_deref())
}

impl Body<'_, '_> {
    pub fn inserted(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        if self.revisions.is_deleting() {
            let before = paragraph.text.len();
            let outcome = self.inlines(paragraph);
            self.revisions.inserted_bytes += paragraph.text.len() - before;
            return outcome;
        }
        // An insertion inside an insertion, as in a row that was inserted, is part of it.
        let is_outermost = self.revisions.inserting == 0;
        let kind = kind(element.name()).unwrap_or(ChangeKind::Insertion);
        let id = is_outermost.then(|| self.flow.document.changes().insertion(kind, &stamp(element))).flatten();
        paragraph.text.extend(id.map(changes::start));
        self.revisions.inserting += 1;
        let outcome = self.inlines(paragraph);
        self.revisions.inserting -= 1;
        paragraph.text.extend(id.map(changes::end));
        outcome
    }

    /// Reads `w:del`, `w:moveFrom`, or a separate `w:delText`, to its end.
    pub fn deleted(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        if self.revisions.is_deleting() {
            return self.inlines(paragraph);
        }
        // Fields that begin or end here are not those of the text.
        let fields = std::mem::take(&mut self.fields);
        self.revisions.deleting += 1;
        self.revisions.inserted_bytes = 0;
        let mut gone = Paragraph::default();
        let outcome = match element.name() {
            "delText" => self.text(&mut gone),
            _ => self.inlines(&mut gone),
        };
        self.revisions.deleting -= 1;
        self.fields = fields;
        let is_all_inserted = self.revisions.inserted_bytes > 0 && self.revisions.inserted_bytes == gone.text.len();
        let texts = std::iter::once(gone.text).chain(gone.boxed.into_iter().map(|(_, block)| block.text));
        let texts: Vec<String> = texts.map(|text| plain_text(&text)).filter(|text| !text.is_empty()).collect();
        let kind = kind(element.name()).unwrap_or(ChangeKind::Deletion);
        let of_insertion = self.revisions.inserting > 0 || is_all_inserted;
        let id = self.flow.document.changes().deletion(kind, &stamp(element), texts.join("\n"), of_insertion);
        paragraph.text.extend(id.map(changes::gone));
        outcome
    }

    /// The paragraph that continues with the text of those before, whose marks were deleted.
    pub fn begun(&mut self) -> Paragraph {
        let Some(merged) = self.revisions.merged.take() else { return Paragraph::default() };
        let Paragraph { mut text, mark, boxed, drawings, .. } = *merged;
        if let Some((kind, stamp)) = mark.deleted {
            let of_insertion = mark.inserted.is_some();
            let id = self.flow.document.changes().deletion(kind, &stamp, "\n".to_owned(), of_insertion);
            text.extend(id.map(changes::gone));
        }
        Paragraph { text, boxed, drawings, ..Paragraph::default() }
    }

    /// Ends a paragraph whose mark was deleted, but that nothing follows.
    pub fn finish_merged(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        match self.revisions.merged.take() {
            Some(merged) => self.finish_paragraph(Paragraph { mark: MarkRevision::default(), ..*merged }, sink),
            None => Ok(()),
        }
    }

    /// Reads blocks of a cell or text box: content that was begun outside does not continue there.
    pub fn apart(
        &mut self,
        sink: &mut Sink,
        read: impl FnOnce(&mut Self, &mut Sink) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let outside = (self.revisions.merged.take(), std::mem::take(&mut self.revisions.run));
        let is_on_paper = std::mem::take(&mut self.is_on_paper);
        let outcome = read(self, sink);
        let ended = self.finish_merged(sink);
        (self.revisions.merged, self.revisions.run) = outside;
        self.is_on_paper = is_on_paper;
        outcome.and(ended)
    }

    /// Reads `w:txbxContent` to its end. It follows its paragraph, and so is in no insertion of that.
    pub fn text_box(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let inserting = std::mem::take(&mut self.revisions.inserting);
        let outcome = self.apart(sink, Self::blocks);
        self.revisions.inserting = inserting;
        outcome
    }

    /// Marks the end of a paragraph as inserted, if it is, and its label.
    pub fn mark_inserted(&mut self, mark: MarkRevision, text: &mut String, label: Option<String>) -> Option<String> {
        if self.revisions.inserting > 0 {
            return label;
        }
        self.revisions.run.end_paragraph(mark.inserted, text, label, self.flow.document.changes())
    }

    /// Starts a row or cell whose insertion is tracked; the insertions inside are part of it. True if no
    /// insertion contains it.
    pub fn start_inserted_part(&mut self) -> bool {
        self.revisions.inserting += 1;
        self.revisions.inserting == 1
    }

    pub fn end_inserted_part(&mut self) {
        self.revisions.inserting = self.revisions.inserting.saturating_sub(1);
    }
}
