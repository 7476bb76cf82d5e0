//! Tracked changes: characters that were inserted, deleted or moved (RTF 1.9.1, "Track Changes").

use casetrack_core::ChangeKind;
use casetrack_pages::build::changes::{self, ChangeId, Stamp};
use casetrack_pages::text::dates;

use super::reader::Reader;

/// The revision of the characters of a group: its author, an index of the table of revisers, and when, in minutes ([MS-DOC] 2.9.62).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Revision {
    inserted: Option<RevisionStamp>,
    deleted: Option<RevisionStamp>,
    /// Kept while the change is switched on and off.
    authors: [i32; 3],
    dates: [i32; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RevisionStamp {
    kind: ChangeKind,
    author: i32,
    date: i32,
}

const INSERTED: usize = 0;
const DELETED: usize = 1;
const MOVED: usize = 2;

impl Revision {
    pub fn set(&mut self, word: &str, number: Option<i32>) -> bool {
        let (on, value) = (number != Some(0), number.unwrap_or(0));
        let tracked = |kind| on.then_some(RevisionStamp { kind, author: 0, date: 0 });
        match word {
            "revised" => self.inserted = tracked(ChangeKind::Insertion),
            "mvt" => self.inserted = tracked(ChangeKind::MoveTo),
            "deleted" => self.deleted = tracked(ChangeKind::Deletion),
            "mvf" => self.deleted = tracked(ChangeKind::MoveFrom),
            "revauth" => self.authors[INSERTED] = value,
            "revdttm" => self.dates[INSERTED] = value,
            "revauthdel" => self.authors[DELETED] = value,
            "revdttmdel" => self.dates[DELETED] = value,
            "mvauth" => self.authors[MOVED] = value,
            "mvdate" => self.dates[MOVED] = value,
            _ => return false,
        }
        true
    }

    pub fn clear(&mut self) {
        (self.inserted, self.deleted) = (None, None);
    }

    pub fn is_deleted(&self) -> bool {
        self.deleted.is_some()
    }

    fn of(&self, change: Option<RevisionStamp>) -> Option<RevisionStamp> {
        let change = change?;
        let row = match change.kind {
            ChangeKind::Insertion => INSERTED,
            ChangeKind::Deletion => DELETED,
            ChangeKind::MoveFrom | ChangeKind::MoveTo => MOVED,
        };
        Some(RevisionStamp { author: self.authors[row], date: self.dates[row], ..change })
    }
}

#[derive(Default)]
pub(super) struct Revisions {
    revisers: String,
    open: Option<(RevisionStamp, Option<ChangeId>)>,
    gone: Option<(RevisionStamp, bool, String)>,
}

/// Most bytes of the table of revisers.
const MAX_REVISERS: usize = 1 << 16;

impl Revisions {
    pub fn add_reviser(&mut self, text: &str) {
        if self.revisers.len() < MAX_REVISERS {
            self.revisers.push_str(text);
        }
    }
}

impl Reader<'_> {
    /// Marks the changes that begin or end before existing text.
    pub(super) fn mark_text(&mut self) {
        self.end_deletion();
        let wanted = self.state.revision.of(self.state.revision.inserted);
        if self.revisions.open.as_ref().map(|(open, _)| *open) == wanted {
            return;
        }
        self.end_insertion();
        if let Some(wanted) = wanted {
            let stamp = self.stamp(wanted);
            let id = self.output.document().changes().insertion(wanted.kind, &stamp);
            self.text.extend(id.map(changes::start));
            self.revisions.open = Some((wanted, id));
        }
    }

    pub(super) fn delete(&mut self, text: &str) {
        let Some(deleted) = self.state.revision.of(self.state.revision.deleted) else { return };
        let was_new = self.state.revision.inserted.is_some();
        match &mut self.revisions.gone {
            Some((known, new, gone)) if (*known, *new) == (deleted, was_new) => gone.push_str(text),
            _ => {
                self.end_deletion();
                self.revisions.gone = Some((deleted, was_new, text.to_owned()));
            }
        }
    }

    fn end_deletion(&mut self) {
        if let Some((deleted, was_new, text)) = self.revisions.gone.take() {
            let stamp = self.stamp(deleted);
            let id = self.output.document().changes().deletion(deleted.kind, &stamp, text, was_new);
            self.text.extend(id.map(changes::gone));
        }
    }

    fn end_insertion(&mut self) {
        if let Some((_, id)) = self.revisions.open.take() {
            self.text.extend(id.map(changes::end));
        }
    }

    /// The paragraph, cell or note ends.
    pub(super) fn end_changes(&mut self, is_paragraph: bool) {
        self.end_deletion();
        if is_paragraph && self.state.revision.inserted.is_some() {
            self.mark_text();
        }
        let open = self.revisions.open.as_ref().and_then(|(_, id)| *id);
        self.end_insertion();
        if is_paragraph && self.state.revision.inserted.is_some() {
            self.text.extend(open.map(changes::inserted_break));
        }
    }

    fn stamp(&self, change: RevisionStamp) -> Stamp {
        let author =
            usize::try_from(change.author).ok().and_then(|index| self.revisions.revisers.split(';').nth(index));
        Stamp::new(author.filter(|name| *name != "Unknown"), dates::of_packed(change.date as u32).as_deref())
    }
}
