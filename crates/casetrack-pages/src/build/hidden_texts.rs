//! Text that a file holds but does not show: its place on a page, and the warning that names it.
//!
//! Readers of PDF files give places. Readers of other formats write marks around the text, defined in
//! [`changes`](super::changes). Marks also show text that OCR read in pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use casetrack_core::{HiddenReason, HiddenText, Page, PictureText};

use super::changes::{ChangeId, HiddenBoundary};

/// Most hidden texts of a document that are kept. A sheet with a hidden column has one in every row; beyond these, a
/// file is made to cost memory.
const MAX_TEXTS: usize = 50_000;
/// Maximum names for the causes of hidden text, such as "rows 4-6".
const MAX_PARTS: usize = 10_000;
/// Most pages or sheets that the warning names for a reason.
const MAX_NAMED: usize = 8;
/// Longest name of a sheet in the warning, in characters.
const MAX_NAME_CHARS: usize = 40;

/// The reason and part of a marked text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// The reason, with the name of the hidden part.
    Hides(HiddenReason, Option<String>),
    /// OCR read it in a picture, with this mean confidence in percent.
    Picture(u8),
}

#[derive(Default)]
struct ReasonCounts {
    texts: u64,
    chars: u64,
    /// By the number of the page.
    pages: BTreeMap<u32, Option<String>>,
    pages_in_all: u64,
}

/// The hidden texts of a document while its pages are made.
#[derive(Default)]
pub struct HiddenTexts {
    causes: Vec<Cause>,
    known: BTreeMap<Cause, ChangeId>,
    /// The reason that hides the current text, and its beginning on this page.
    open: Vec<(ChangeId, u32)>,
    placed: Vec<HiddenText>,
    pictures: Vec<PictureText>,
    kept: usize,
    left_out: bool,
    found: BTreeMap<HiddenReason, ReasonCounts>,
}

impl HiddenTexts {
    pub fn cause(&mut self, reason: HiddenReason, part: Option<String>) -> ChangeId {
        let part = part.filter(|_| self.causes.len() < MAX_PARTS);
        self.registered(Cause::Hides(reason, part))
    }

    /// Registers that OCR read a text in a picture, with this mean confidence in percent, for marks around that.
    pub fn picture(&mut self, percent: u8) -> ChangeId {
        self.registered(Cause::Picture(percent))
    }

    fn registered(&mut self, cause: Cause) -> ChangeId {
        if let Some(id) = self.known.get(&cause) {
            return *id;
        }
        let id = ChangeId(self.causes.len() as u32);
        self.causes.push(cause.clone());
        self.known.insert(cause, id);
        id
    }

    pub(super) fn is_marked(&self) -> bool {
        !self.causes.is_empty()
    }

    /// Takes marks with their places on the page in progress, in their order.
    pub(super) fn put(&mut self, veils: impl Iterator<Item = (u32, HiddenBoundary)>) {
        for (at, veil) in veils {
            match veil {
                HiddenBoundary::Begins(id) => self.open.push((id, at)),
                HiddenBoundary::Ends(id) => {
                    if let Some(index) = self.open.iter().rposition(|(open, _)| *open == id) {
                        let (_, from) = self.open.remove(index);
                        self.place_cause(id, from..at);
                    }
                }
            }
        }
    }

    fn place_cause(&mut self, id: ChangeId, place: Range<u32>) {
        match self.causes.get(id.0 as usize).cloned() {
            Some(Cause::Hides(reason, part)) => self.place(reason, part, place),
            Some(Cause::Picture(percent)) if place.start < place.end => {
                self.pictures.push(PictureText { char_start: place.start, char_end: place.end, percent });
            }
            _ => {}
        }
    }

    /// Characters of the page in progress are hidden.
    pub fn place(&mut self, reason: HiddenReason, part: Option<String>, place: Range<u32>) {
        if place.start < place.end {
            self.placed.push(HiddenText { reason, part, char_start: place.start, char_end: place.end });
        }
    }

    /// Gives the page in progress, which is complete and has `end` characters, its hidden texts.
    pub(super) fn finish_page(&mut self, page: &mut Page, end: u32) {
        for index in 0..self.open.len() {
            let (id, from) = self.open[index];
            self.place_cause(id, from..end);
            self.open[index].1 = 0;
        }
        page.notes.pictures = std::mem::take(&mut self.pictures);
        page.notes.pictures.sort_by_key(|picture| picture.char_start);
        if self.placed.is_empty() {
            return;
        }
        let mut texts = joined(std::mem::take(&mut self.placed), &page.text);
        let left = MAX_TEXTS.saturating_sub(self.kept);
        for text in &texts {
            let found = self.found.entry(text.reason).or_default();
            found.texts += 1;
            found.chars += u64::from(text.char_end - text.char_start);
        }
        for reason in texts.iter().map(|text| text.reason).collect::<BTreeSet<_>>() {
            let found = self.found.entry(reason).or_default();
            found.pages_in_all += 1;
            if found.pages.len() < MAX_NAMED {
                found.pages.insert(page.number, page.sheet_name.clone());
            }
        }
        self.left_out |= texts.len() > left;
        texts.truncate(left);
        self.kept += texts.len();
        page.notes.hidden = texts;
    }

    /// The warnings that there is hidden text, and that some of it is not marked. Hidden sheets have one of their own.
    pub fn warnings(&self) -> Vec<String> {
        let said = |(reason, found): (&HiddenReason, &ReasonCounts)| {
            let (pages, texts) = (named(&found.pages, found.pages_in_all), counted(found.texts, "passage"));
            format!("{} on {pages} ({texts}, {})", reason.label(), counted(found.chars, "character"))
        };
        let shown: Vec<String> =
            self.found.iter().filter(|(reason, _)| **reason != HiddenReason::HiddenSheet).map(said).collect();
        let mut warnings = Vec::new();
        if !shown.is_empty() {
            warnings.push(format!("Hidden text, which is read and marked as such: {}.", shown.join("; ")));
        }
        if self.left_out {
            warnings.push(format!(
                "It has more than {MAX_TEXTS} hidden passages, of which the rest are read but not marked as hidden."
            ));
        }
        warnings
    }
}

/// In their order, without overlaps, as few as possible, and without white space at their ends. A text without a letter
/// or digit does not count.
fn joined(mut texts: Vec<HiddenText>, page: &str) -> Vec<HiddenText> {
    texts.sort_by_key(|text| (text.char_start, text.char_end));
    let mut chars = page.chars();
    let mut read = 0u32;
    let mut joined: Vec<(HiddenText, bool)> = Vec::new();
    // Between a joined text and the next: true if there is only white space.
    let mut is_blank = true;
    for mut text in texts {
        if let Some((last, _)) = joined.last() {
            text.char_start = text.char_start.max(last.char_end);
        }
        while read < text.char_start {
            let Some(c) = chars.next() else { break };
            is_blank &= c.is_whitespace();
            read += 1;
        }
        let (mut first, mut last, mut says_something) = (None, 0, false);
        while read < text.char_end {
            let Some(c) = chars.next() else { break };
            if !c.is_whitespace() {
                first = first.or(Some(read));
                last = read + 1;
            }
            says_something |= c.is_alphanumeric();
            read += 1;
        }
        let Some(first) = first else { continue };
        (text.char_start, text.char_end) = (first, last);
        match joined.last_mut() {
            Some((before, says)) if is_blank && (before.reason, &before.part) == (text.reason, &text.part) => {
                before.char_end = text.char_end;
                *says |= says_something;
            }
            _ => joined.push((text, says_something)),
        }
        is_blank = true;
    }
    joined.into_iter().filter(|(_, says_something)| *says_something).map(|(text, _)| text).collect()
}

/// "page 3", "pages 1, 4 and 7 more", "sheets "A", "B"".
fn named(pages: &BTreeMap<u32, Option<String>>, in_all: u64) -> String {
    let name = |(number, sheet): (&u32, &Option<String>)| match sheet {
        Some(sheet) => format!("\"{}\"", sheet.chars().take(MAX_NAME_CHARS).collect::<String>()),
        None => number.to_string(),
    };
    let what = if pages.values().any(Option::is_some) { "sheet" } else { "page" };
    let names: Vec<String> = pages.iter().map(name).collect();
    let more = in_all.saturating_sub(names.len() as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what}{} {}{more}", if in_all == 1 { "" } else { "s" }, names.join(", "))
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(reason: HiddenReason, char_start: u32, char_end: u32) -> HiddenText {
        HiddenText { reason, part: None, char_start, char_end }
    }

    #[test]
    fn texts_are_joined_over_white_space_and_have_none_at_their_ends() {
        use HiddenReason::{Covered, Tiny};
        let texts = vec![
            hidden(Covered, 6, 8),
            hidden(Covered, 0, 4),
            hidden(Tiny, 9, 12),
            hidden(Tiny, 12, 13),
            hidden(Covered, 14, 15),
            hidden(Covered, 13, 99),
        ];
        let page = "ab c\n d ; ef. g";
        assert_eq!(joined(texts, page), [hidden(Covered, 0, 7), hidden(Tiny, 10, 13), hidden(Covered, 14, 15)]);
        // Only signs.
        assert_eq!(joined(vec![hidden(Tiny, 8, 9)], page), []);
    }

    #[test]
    fn the_warning_is_short_however_much_is_hidden() {
        let mut all = HiddenTexts::default();
        for number in 1..=2000 {
            let mut page = crate::test_files::page_of(number, "abc");
            all.place(HiddenReason::Colour, None, 0..3);
            all.finish_page(&mut page, 3);
            assert_eq!(page.notes.hidden, [hidden(HiddenReason::Colour, 0, 3)]);
        }
        assert_eq!(
            all.warnings(),
            [
                "Hidden text, which is read and marked as such: in the colour of its background on pages 1, 2, 3, 4, 5, 6, 7, 8 \
              and 1992 more (2000 passages, 6000 characters)."
            ]
        );
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let mut all = HiddenTexts::default();
        let text = "ab ".repeat(MAX_TEXTS + 1);
        let mut page = crate::test_files::page_of(1, &text);
        for number in 0..=MAX_TEXTS as u32 {
            all.place(HiddenReason::Tiny, Some(format!("{}", number % 2)), 3 * number..3 * number + 2);
        }
        all.finish_page(&mut page, text.len() as u32);
        assert_eq!(page.notes.hidden.len(), MAX_TEXTS);
        assert!(all.warnings()[1].starts_with("It has more than 50000 hidden passages"));
    }
}
