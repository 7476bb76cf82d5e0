//! Tracked changes: their facts in the file, and their places on a page.
//!
//! A reader registers a change and writes its mark into the text. The marks travel with the text through labels, cells
//! and notes, and are taken out when it is put on a page; so a page has the final text, as if there were no marks.

mod marks;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use casetrack_core::{Change, ChangeKind, Page, single_spaced};

pub use self::marks::{
    ChangeId, Gap, HiddenBoundary, after_gap, before_gap, end, fold, gone, has_marks, hidden, hide, inserted_break,
    is_blank, is_reserved, plain, show, start, trim_break, without_insertions,
};
use self::marks::{Mark, Piece, Pieces};
use crate::text::dates;

/// Most changes of a document, and most characters of deleted text. A contract that went through many hands has some
/// thousands of changes; with more, a file is made to cost memory.
const MAX_CHANGES: usize = 50_000;
const MAX_DELETED_CHARS: usize = 4_000_000;
/// Longest name of an author that is kept, in characters.
const MAX_AUTHOR_CHARS: usize = 200;

/// The author and time of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    author: Option<String>,
    date: Option<String>,
}

impl Stamp {
    /// From the values in a file: a name, and a date in ISO 8601 or a profile of it.
    pub fn new(author: Option<&str>, date: Option<&str>) -> Self {
        let author = author.map(single_spaced).map(|author| author.chars().take(MAX_AUTHOR_CHARS).collect::<String>());
        Self { author: author.filter(|author| !author.is_empty()), date: date.and_then(dates::of_iso) }
    }
}

struct Budget {
    changes: usize,
    chars: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { changes: MAX_CHANGES, chars: MAX_DELETED_CHARS }
    }
}

impl Budget {
    fn take(&mut self, text: &str) -> bool {
        let chars = text.chars().count();
        if self.changes == 0 || chars > self.chars {
            return false;
        }
        self.changes -= 1;
        self.chars -= chars;
        true
    }
}

/// An insertion that has begun on the page in progress, and where; `None` with the next text.
struct Open {
    id: ChangeId,
    from: Option<u32>,
}

/// The changes of a document while its pages are made.
#[derive(Default)]
pub struct Changes {
    /// As the file has them, by number; without places.
    known: Vec<Change>,
    may_know: Budget,
    may_place: Budget,
    left_out: bool,
    open: Vec<Open>,
    /// The page has only notes and margins left, which are in no insertion of the text.
    suspended: bool,
    /// The change that the next line feed is part of.
    separator: Option<ChangeId>,
    /// Text that was deleted from the beginning of a page that has no text yet.
    waiting: Vec<(ChangeId, String)>,
    placed: Vec<Change>,
}

/// A text without its marks, and these with the number of characters before them.
pub(super) struct Unmarked<'t> {
    pub text: Cow<'t, str>,
    marks: Vec<(u32, Mark, ChangeId)>,
}

impl Unmarked<'_> {
    /// The places at which the text, put at `start..end` of the page without the white space around it, begins and ends to be hidden.
    pub(super) fn veils(&self, start: u32, end: u32) -> impl Iterator<Item = (u32, HiddenBoundary)> {
        let lead = self.text.chars().take_while(|c| c.is_whitespace()).count() as u32;
        self.marks.iter().filter_map(move |&(at, mark, id)| {
            let veil = match mark {
                Mark::Hide => HiddenBoundary::Begins(id),
                Mark::Show => HiddenBoundary::Ends(id),
                _ => return None,
            };
            Some((start + at.saturating_sub(lead).min(end - start), veil))
        })
    }
}

impl Changes {
    /// Registers text that was inserted or moved here. `None` if the document has too many changes: nothing is marked then.
    pub fn insertion(&mut self, kind: ChangeKind, stamp: &Stamp) -> Option<ChangeId> {
        self.register(kind, stamp, String::new(), false)
    }

    /// Registers text that was deleted or moved away; `of_insertion` if it had been inserted while changes were
    /// tracked. `None` as in [`insertion`](Self::insertion), and for no text.
    pub fn deletion(&mut self, kind: ChangeKind, stamp: &Stamp, text: String, of_insertion: bool) -> Option<ChangeId> {
        if text.is_empty() {
            return None;
        }
        self.register(kind, stamp, text, of_insertion)
    }

    fn register(&mut self, kind: ChangeKind, stamp: &Stamp, text: String, of_insertion: bool) -> Option<ChangeId> {
        if !self.may_know.take(&text) {
            self.left_out = true;
            return None;
        }
        let Stamp { author, date } = stamp.clone();
        self.known.push(Change { kind, author, date, char_start: 0, char_end: 0, text, of_insertion });
        Some(ChangeId(self.known.len() as u32 - 1))
    }

    /// The original of a text with marks, on its own.
    pub fn original(&self, marked: &str) -> String {
        let (mut text, mut inside) = (String::new(), 0usize);
        for piece in Pieces(marked) {
            match piece {
                Piece::Text(_) if inside > 0 => {}
                Piece::Text(piece) => text.push_str(piece),
                Piece::Mark(Mark::Start, _) => inside += 1,
                Piece::Mark(Mark::End, _) => inside = inside.saturating_sub(1),
                Piece::Mark(Mark::Break | Mark::Hide | Mark::Show, _) => {}
                Piece::Mark(Mark::Gone { .. }, id) => {
                    let change = self.known.get(id.0 as usize).filter(|change| !change.of_insertion);
                    change.iter().for_each(|change| text.push_str(&change.text));
                }
            }
        }
        text
    }

    pub fn warning(&self) -> Option<String> {
        let most = format!("{MAX_CHANGES} tracked changes, or {MAX_DELETED_CHARS} characters of deleted text");
        self.left_out.then(|| {
            format!("It has more than {most}, of which the rest are not kept: its text is complete, its original and its redline are not.")
        })
    }

    /// `is_hiding`: whether there can be marks of hidden text.
    pub(super) fn read<'t>(&self, text: &'t str, is_hiding: bool) -> Unmarked<'t> {
        if (self.known.is_empty() && !is_hiding) || !has_marks(text) {
            return Unmarked { text: text.into(), marks: Vec::new() };
        }
        let (mut shown, mut chars, mut marks) = (String::with_capacity(text.len()), 0, Vec::new());
        for piece in Pieces(text) {
            match piece {
                Piece::Text(piece) => {
                    shown.push_str(piece);
                    chars += piece.chars().count() as u32;
                }
                Piece::Mark(mark, id) => marks.push((chars, mark, id)),
            }
        }
        Unmarked { text: shown.into(), marks }
    }

    /// The line feed before the next block is no part of an insertion: another text is in between.
    pub fn forget_separator(&mut self) {
        self.separator = None;
    }

    pub(super) fn separated(&mut self, at: u32) {
        if let Some(id) = self.separator.take() {
            self.place(id, at..at + 1, "", "");
        }
    }

    /// The text of a block was put at `start..end` of the page, without the white space around it.
    pub(super) fn put(&mut self, block: &Unmarked, start: u32, end: u32) {
        if self.known.is_empty() {
            return;
        }
        if !self.suspended {
            self.open.iter_mut().for_each(|open| open.from = open.from.or(Some(start)));
        }
        for (id, after) in std::mem::take(&mut self.waiting) {
            self.place(id, start..start, "", &after);
        }
        if block.marks.is_empty() {
            return;
        }
        let text = &*block.text;
        let lead = text.chars().take_while(|c| c.is_whitespace()).count();
        let length = (end - start) as usize;
        // White space at an end of the block is not put on the page: the original has it next to the text deleted
        // there.
        let lost = |from: usize, to: usize| match to.checked_sub(from) {
            None | Some(0) => String::new(),
            Some(count) => text.chars().skip(from).take(count).collect(),
        };
        for &(at, mark, id) in &block.marks {
            let chars = at as usize;
            let place = start + chars.saturating_sub(lead).min(length) as u32;
            match mark {
                Mark::Start => self.open.push(Open { id, from: Some(place) }),
                Mark::End => self.close(id, place),
                Mark::Break if place < end => self.place(id, place..place + 1, "", ""),
                Mark::Break => self.separator = Some(id),
                Mark::Hide | Mark::Show => {}
                Mark::Gone { before, after } => {
                    let before = before.map_or_else(|| lost(lead + length, chars), |gap| gap.char().to_string());
                    let after = after.map_or_else(|| lost(chars, lead), |gap| gap.char().to_string());
                    self.place(id, place..place, &before, &after);
                }
            }
        }
    }

    /// A block without text has these marks; the page has text up to `end`. The text deleted there had a line of its
    /// own.
    pub(super) fn put_blank(&mut self, block: &Unmarked, end: u32) {
        let is_gone = |mark: &(u32, Mark, ChangeId)| matches!(mark.1, Mark::Gone { .. });
        let first = block.marks.iter().position(is_gone);
        let last = block.marks.iter().rposition(is_gone);
        for (index, &(_, mark, id)) in block.marks.iter().enumerate() {
            let line = |of: Option<usize>, gap: Option<Gap>| match gap {
                _ if of == Some(index) => "\n".to_owned(),
                gap => gap.map(|gap| gap.char().to_string()).unwrap_or_default(),
            };
            match mark {
                Mark::Start => self.open.push(Open { id, from: None }),
                Mark::End => self.close(id, end),
                Mark::Break | Mark::Hide | Mark::Show => {}
                Mark::Gone { before, .. } if end > 0 => self.place(id, end..end, &line(first, before), ""),
                Mark::Gone { after, .. } => self.waiting.push((id, line(last, after))),
            }
        }
    }

    fn close(&mut self, id: ChangeId, at: u32) {
        if let Some(index) = self.open.iter().rposition(|open| open.id == id) {
            let from = self.open.remove(index).from;
            from.into_iter().for_each(|from| self.place(id, from..at, "", ""));
        }
    }

    /// The text of the page ends at `end`; open changes continue with the text of the next page.
    pub(super) fn suspend(&mut self, end: u32) {
        self.suspended = true;
        self.separator = None;
        for index in 0..self.open.len() {
            let Open { id, from } = &mut self.open[index];
            if let (id, Some(from)) = (*id, from.take()) {
                self.place(id, from..end, "", "");
            }
        }
        for (id, after) in std::mem::take(&mut self.waiting) {
            self.place(id, end..end, "", &after);
        }
    }

    /// Gives the page in progress, which is complete, its changes.
    pub(super) fn finish_page(&mut self, page: &mut Page, end: u32) {
        self.suspend(end);
        let mut placed = std::mem::take(&mut self.placed);
        placed.sort_by_key(|change| change.char_start);
        page.notes.changes = placed;
    }

    pub(super) fn start_page(&mut self) {
        self.suspended = false;
    }

    /// Puts a change at its place, or adds it to the one before, if that is of the same kind, author and date and continues here.
    fn place(&mut self, id: ChangeId, place: std::ops::Range<u32>, before: &str, after: &str) {
        let Some(known) = self.known.get(id.0 as usize) else { return };
        if known.kind.removes() != (place.start == place.end) || place.start > place.end {
            return;
        }
        let text = if known.kind.removes() { [before, &known.text, after].concat() } else { String::new() };
        if let Some(last) = self.placed.last_mut().filter(|last| goes_on(last, known, place.start)) {
            let chars = text.chars().count();
            if chars <= self.may_place.chars {
                self.may_place.chars -= chars;
                last.text.push_str(&text);
                last.char_end = place.end;
            } else {
                self.left_out = true;
            }
        } else if self.may_place.take(&text) {
            self.placed.push(Change { char_start: place.start, char_end: place.end, text, ..known.clone() });
        } else {
            self.left_out = true;
        }
    }
}

fn goes_on(last: &Change, next: &Change, at: u32) -> bool {
    (last.kind, last.of_insertion, last.char_end) == (next.kind, next.of_insertion, at)
        && (&last.author, &last.date) == (&next.author, &next.date)
}
