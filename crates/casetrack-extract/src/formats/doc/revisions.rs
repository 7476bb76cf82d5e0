//! Tracked changes: characters, ends of paragraphs and rows that were inserted or deleted (sprmCFRMarkIns and
//! sprmCFRMarkDel, [MS-DOC] 2.6.1).
//!
//! The format has no moves: moved text was deleted in one place and inserted in another.

use casetrack_core::ChangeKind;
use casetrack_pages::build::changes::{self, ChangeId, Stamp};
use casetrack_pages::build::flow::{FlowBlock, PAGE_BREAK, is_reserved, plain_text};
use casetrack_pages::container::ole::{u16_at, utf16};
use casetrack_pages::office::tracked_changes::{InsertedMarks, MarkRevision};
use casetrack_pages::text::dates;

use super::body::{Body, State};
use super::properties::{CharacterProperties, Reviser};

#[derive(Default)]
pub(super) struct Revisions {
    open: Option<(Reviser, Option<ChangeId>)>,
    gone: Option<Gone>,
    /// Fields that are open in the deleted text: for each, true if it shows its result by now.
    fields: Vec<bool>,
    pub marks: InsertedMarks,
}

/// The text that was deleted here, as far as it was read.
struct Gone {
    by: Reviser,
    /// True if it had been inserted while changes were tracked.
    was_new: bool,
    text: String,
}

/// The names of those who made changes (SttbfRMark, 2.9.298): as many as there are whole.
pub(super) fn revisers(table: &[u8]) -> Vec<String> {
    const WIDE: u16 = 0xFFFF;
    if u16_at(table, 0) != Some(WIDE) {
        return Vec::new();
    }
    let count = u16_at(table, 2).unwrap_or(0);
    let extra = usize::from(u16_at(table, 4).unwrap_or(0));
    let mut at = 6;
    let next = |_| {
        let bytes = 2 * usize::from(u16_at(table, at)?);
        let name = table.get(at + 2..at + 2 + bytes)?;
        at += 2 + bytes + extra;
        Some(utf16(name))
    };
    (0..count).map_while(next).collect()
}

impl<'a> Body<'a, '_, '_> {
    /// Marks the changes that begin or end before existing text.
    pub fn mark_text(&mut self, state: &mut State<'a>, properties: &CharacterProperties) {
        self.end_deletion(state);
        let wanted = properties.is_inserted.then_some(properties.insertion);
        if state.revisions.open.as_ref().map(|(by, _)| *by) == wanted {
            return;
        }
        Self::end_insertion(state);
        if let Some(by) = wanted {
            let stamp = self.stamp(by);
            let id = self.flow.document.changes().insertion(ChangeKind::Insertion, &stamp);
            state.text.extend(id.map(changes::start));
            state.revisions.open = Some((by, id));
        }
    }

    /// Takes a character that was deleted, and the text of the objects anchored there. Instructions of fields are no
    /// text.
    pub fn delete(
        &mut self,
        state: &mut State<'a>,
        position: u32,
        (unit, pair): (u16, Option<char>),
        properties: &CharacterProperties,
        boxed: &[FlowBlock],
    ) {
        let fields = &mut state.revisions.fields;
        match unit {
            0x13 => fields.push(false),
            0x14 => fields.last_mut().into_iter().for_each(|shows| *shows = true),
            0x15 => drop(fields.pop()),
            _ if fields.contains(&false) || state.fields.contains(&false) => {}
            _ => {
                let mut text = self.anchors.notes.get(&position).cloned().unwrap_or_default();
                let shown = self.shown(unit, pair, properties);
                text.extend(shown.map(|c| match c {
                    PAGE_BREAK => '\n',
                    c if is_reserved(c) => ' ',
                    c => c,
                }));
                for block in boxed {
                    let original = self.flow.document.changes().original(&block.text);
                    text.push('\n');
                    text.push_str(plain_text(&original).trim());
                }
                self.delete_text(state, &text, properties);
            }
        }
    }

    pub fn delete_end(&mut self, state: &mut State<'a>, properties: &CharacterProperties) {
        state.revisions.fields.retain(|shows| *shows);
        self.delete_text(state, "\n", properties);
    }

    fn delete_text(&mut self, state: &mut State<'a>, text: &str, properties: &CharacterProperties) {
        let (by, was_new) = (properties.deletion, properties.is_inserted);
        match &mut state.revisions.gone {
            Some(gone) if (gone.by, gone.was_new) == (by, was_new) => gone.text.push_str(text),
            _ => {
                self.end_deletion(state);
                state.revisions.gone = Some(Gone { by, was_new, text: text.to_owned() });
            }
        }
    }

    /// Marks the text that was deleted up to here.
    pub fn end_deletion(&mut self, state: &mut State<'a>) {
        if let Some(Gone { by, was_new, text }) = state.revisions.gone.take() {
            let stamp = self.stamp(by);
            let id = self.flow.document.changes().deletion(ChangeKind::Deletion, &stamp, text, was_new);
            state.text.extend(id.map(changes::gone));
        }
    }

    fn end_insertion(state: &mut State) {
        if let Some((_, id)) = state.revisions.open.take() {
            state.text.extend(id.map(changes::end));
        }
    }

    pub fn end_changes(&mut self, state: &mut State<'a>) {
        self.end_deletion(state);
        Self::end_insertion(state);
        state.revisions.fields.retain(|shows| *shows);
    }

    pub fn tracked(&self, mark: &CharacterProperties) -> MarkRevision {
        let done = |is_done: bool, kind, by| is_done.then(|| (kind, self.stamp(by)));
        MarkRevision {
            inserted: done(mark.is_inserted, ChangeKind::Insertion, mark.insertion),
            deleted: done(mark.is_deleted, ChangeKind::Deletion, mark.deletion),
        }
    }

    fn stamp(&self, by: Reviser) -> Stamp {
        let author = self.file.revisers.get(usize::from(by.author)).map(String::as_str);
        let date = dates::of_packed(by.date);
        Stamp::new(author.filter(|name| *name != "Unknown"), date.as_deref())
    }
}
