//! Changes that a file tracks: insertions, deletions and moves, with author and time.
//!
//! The text of a page is the final one, as if all changes were accepted. With its changes it gives the two other views.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::labelled;

/// The beginning of a document's warning that counts its tracked changes of formatting and merged table cells, which no list has.
pub const UNLISTED_CHANGES: &str = "Tracked changes that are not listed";

labelled! {
    /// The kind of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        Insertion = "inserted",
        Deletion = "deleted",
        /// It stood here and was moved away.
        MoveFrom = "moved away",
        /// It was moved here.
        MoveTo = "moved here",
    }
}

impl ChangeKind {
    /// True if the text is no longer there.
    pub fn removes(self) -> bool {
        matches!(self, ChangeKind::Deletion | ChangeKind::MoveFrom)
    }

    /// The marks around the text in a redline.
    pub fn marks(self) -> (&'static str, &'static str) {
        match self {
            ChangeKind::Insertion => ("[+", "+]"),
            ChangeKind::Deletion => ("[-", "-]"),
            ChangeKind::MoveFrom => ("[<", "<]"),
            ChangeKind::MoveTo => ("[>", ">]"),
        }
    }
}

/// One tracked change of a page. Those of a page are in the order of their places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    pub kind: ChangeKind,
    /// As the file puts it.
    pub author: Option<String>,
    /// In ISO 8601, as the dates of [`Properties`](crate::Properties).
    pub date: Option<String>,
    /// Characters of the page's text, half-open: the text inserted or moved here. For text that is no longer there, its
    /// former place.
    pub char_start: u32,
    pub char_end: u32,
    /// The text that is no longer there; empty for text of the page.
    pub text: String,
    /// True if the deleted text had itself been inserted by a tracked change, so that the original does not have it
    /// either.
    pub of_insertion: bool,
}

impl Change {
    /// True if it is in, or at an end of, these characters of the page.
    pub fn touches(&self, start: u32, end: u32) -> bool {
        if self.char_start == self.char_end {
            (start..=end).contains(&self.char_start)
        } else {
            self.char_start < end && self.char_end > start
        }
    }
}

labelled! {
    /// How a text with tracked changes is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum TextView {
        /// As if all changes were accepted: the text that is stored, searched and cited.
        #[default]
        Final = "final",
        /// As if all changes were rejected.
        Original = "original",
        /// Both, with [marks](ChangeKind::marks).
        Redline = "redline",
    }
}

impl TextView {
    /// A part of a page in this view. `text` begins at character `start` of the page, `changes` are the page's changes.
    /// Linear in the text, the changes and the deleted text.
    pub fn of(self, text: &str, start: u32, changes: &[Change]) -> String {
        match self {
            TextView::Final => text.to_owned(),
            TextView::Original => original(text, start, changes),
            TextView::Redline => redline(text, start, changes),
        }
    }
}

/// A piece of the original of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginalPiece<'c> {
    /// Characters of the page that were there already.
    Kept(Range<u32>),
    /// Text that is no longer there.
    Removed(&'c Change),
    /// Text that was added here; the original does not have it.
    Added(&'c Change),
}

/// The pieces of characters `start..end` of a page as they were before its `changes`, in order. Linear in the changes.
pub fn original_pieces(start: u32, end: u32, changes: &[Change]) -> Vec<OriginalPiece<'_>> {
    let mut pieces = Vec::new();
    let mut at = start;
    let mut keep = |pieces: &mut Vec<_>, to: u32, then: u32| {
        if at < to {
            pieces.push(OriginalPiece::Kept(at..to));
        }
        at = at.max(to).max(then);
    };
    for change in changes.iter().filter(|change| change.touches(start, end)) {
        if change.kind.removes() {
            keep(&mut pieces, change.char_start, 0);
            // Text that was inserted before it was deleted was not in the original.
            if !change.of_insertion {
                pieces.push(OriginalPiece::Removed(change));
            }
        } else {
            keep(&mut pieces, change.char_start, change.char_end);
            pieces.push(OriginalPiece::Added(change));
        }
    }
    keep(&mut pieces, end, 0);
    pieces
}

fn original(text: &str, start: u32, changes: &[Change]) -> String {
    let end = start.saturating_add(text.chars().count() as u32);
    let mut shown = String::with_capacity(text.len());
    let mut chars = (start..).zip(text.chars()).peekable();
    for piece in original_pieces(start, end, changes) {
        match piece {
            OriginalPiece::Kept(kept) => {
                while chars.next_if(|(at, _)| *at < kept.start).is_some() {}
                while let Some((_, c)) = chars.next_if(|(at, _)| *at < kept.end) {
                    shown.push(c);
                }
            }
            OriginalPiece::Removed(change) => shown.push_str(&change.text),
            OriginalPiece::Added(_) => {}
        }
    }
    shown
}

fn redline(text: &str, start: u32, changes: &[Change]) -> String {
    let end = start.saturating_add(text.chars().count() as u32);
    let mut changes = changes.iter().filter(|change| change.touches(start, end)).peekable();
    let mut shown = String::with_capacity(text.len());
    // The end of each open change, with the mark that closes it.
    let mut open: Vec<(u32, &str)> = Vec::new();
    for (at, c) in (start..).zip(text.chars().map(Some).chain([None])) {
        while let Some(last) = open.iter().rposition(|(end, _)| *end <= at) {
            shown.push_str(open.remove(last).1);
        }
        while let Some(change) = changes.next_if(|change| change.char_start <= at) {
            let (before, after) = change.kind.marks();
            shown.push_str(before);
            match change.kind.removes() {
                true => shown.extend([&change.text, after]),
                false => open.push((change.char_end.min(end), after)),
            }
        }
        shown.extend(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn change(kind: ChangeKind, place: (u32, u32), text: &str) -> Change {
        let (char_start, char_end) = place;
        Change { kind, author: None, date: None, char_start, char_end, text: text.into(), of_insertion: false }
    }

    fn views(text: &str, start: u32, changes: &[Change]) -> [String; 3] {
        [TextView::Final, TextView::Original, TextView::Redline].map(|view| view.of(text, start, changes))
    }

    #[test]
    fn the_original_and_the_redline_are_computed_from_the_final_text() {
        let changes = [
            change(ChangeKind::Deletion, (4, 4), "old "),
            change(ChangeKind::Insertion, (4, 8), ""),
            change(ChangeKind::MoveFrom, (12, 12), " here"),
            change(ChangeKind::MoveTo, (12, 18), ""),
            Change { of_insertion: true, ..change(ChangeKind::Deletion, (18, 18), "second thought") },
        ];
        let [end, original, redline] = views("The new rent there", 0, &changes);
        assert_eq!(end, "The new rent there");
        assert_eq!(original, "The old rent here");
        assert_eq!(redline, "The [-old -][+new +]rent[< here<][> there>][-second thought-]");
    }

    #[test]
    fn the_original_is_made_of_what_was_kept_and_what_was_removed() {
        let changes = [
            change(ChangeKind::Deletion, (4, 4), "old "),
            change(ChangeKind::Insertion, (4, 8), ""),
            Change { of_insertion: true, ..change(ChangeKind::Deletion, (9, 9), "no") },
        ];
        use OriginalPiece::{Added, Kept, Removed};
        assert_eq!(
            original_pieces(0, 12, &changes),
            [Kept(0..4), Removed(&changes[0]), Added(&changes[1]), Kept(8..9), Kept(9..12)]
        );
    }

    #[test]
    fn a_part_of_a_page_has_the_changes_that_touch_it() {
        let changes = [change(ChangeKind::Insertion, (2, 6), ""), change(ChangeKind::Deletion, (8, 8), "x")];
        assert_eq!(views("efgh", 4, &changes), ["efgh", "ghx", "[+ef+]gh[-x-]"]);
        assert_eq!(views("abc", 0, &changes), ["abc", "ab", "ab[+c+]"]);
        assert!(!changes[0].touches(6, 9) && !changes[0].touches(0, 2) && changes[1].touches(8, 9));
    }

    #[test]
    fn nested_and_crossing_insertions_close_where_they_end() {
        let changes = [
            change(ChangeKind::Insertion, (0, 4), ""),
            change(ChangeKind::Insertion, (1, 2), ""),
            change(ChangeKind::Insertion, (3, 5), ""),
        ];
        assert_eq!(views("abcdef", 0, &changes), ["abcdef", "f", "[+a[+b+]c[+d+]e+]f"]);
    }

    proptest! {
        #[test]
        fn a_redline_without_its_marks_is_the_text_and_what_was_deleted(
            text in "[a-z ]{0,30}",
            places in prop::collection::vec((0u32..40, 0u32..10, prop::bool::ANY), 0..6),
        ) {
            let mut changes: Vec<Change> = places
                .into_iter()
                .map(|(start, length, removes)| match removes {
                    true => change(ChangeKind::Deletion, (start, start), "X"),
                    false => change(ChangeKind::Insertion, (start, start + length + 1), ""),
                })
                .collect();
            changes.sort_by_key(|change| change.char_start);
            let redline = TextView::Redline.of(&text, 0, &changes);
            let bare: String = redline.chars().filter(|c| !matches!(c, '[' | ']' | '+' | '-' | 'X')).collect();
            prop_assert_eq!(bare, text);
            let count = |mark: &str| redline.matches(mark).count();
            prop_assert_eq!((count("[+"), count("[-")), (count("+]"), count("-]")));
        }
    }
}
