//! Bookmarks: the headings that the file itself names, regardless of their print.

use std::collections::{HashMap, HashSet};

use pdfium_render::prelude::{PdfBookmark, PdfDocument, PdfPageIndex};

use super::layout::{MAX_HEADING_CHARS, Paragraph};

/// Most bookmarks that are read.
const MAX_BOOKMARKS: usize = 10_000;
/// Deeper ones are as deep as this.
const MAX_LEVEL: u8 = 6;
/// A title without its number needs this many letters and digits to be known by them.
const MIN_TITLE: usize = 3;

#[derive(Default)]
pub(super) struct Bookmarks {
    pages: HashMap<PdfPageIndex, Vec<Bookmark>>,
}

/// A bookmark in the form that is compared with the printed text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bookmark {
    title: Title,
    level: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Title {
    /// Letters and digits, in lower case.
    whole: String,
    /// The same without a number at the beginning.
    unnumbered: String,
}

impl Bookmarks {
    /// Reads the bookmarks of a file. Bookmarks that lead back to themselves, and more than [`MAX_BOOKMARKS`], are left out.
    pub fn of(pdf: &PdfDocument) -> Self {
        let mut found = Self::default();
        let mut seen = HashSet::new();
        let mut open: Vec<(PdfBookmark, u8)> = pdf.bookmarks().root().map(|root| (root, 1)).into_iter().collect();
        while let Some((bookmark, level)) = open.pop() {
            if seen.len() == MAX_BOOKMARKS || !seen.insert(bookmark.clone()) {
                continue;
            }
            let page = bookmark.destination().and_then(|destination| destination.page_index().ok());
            if let (Some(page), Some(title)) = (page, bookmark.title().as_deref().and_then(Title::of)) {
                found.pages.entry(page).or_default().push(Bookmark { title, level });
            }
            open.extend(bookmark.next_sibling().map(|next| (next, level)));
            open.extend(bookmark.first_child().map(|child| (child, (level + 1).min(MAX_LEVEL))));
        }
        found
    }

    /// Those of a page that are yet to be found in its text.
    pub fn on(&self, page: usize) -> PageBookmarks {
        let bookmarks = PdfPageIndex::try_from(page).ok().and_then(|page| self.pages.get(&page));
        PageBookmarks { left: bookmarks.cloned().unwrap_or_default() }
    }
}

#[derive(Default)]
pub(super) struct PageBookmarks {
    left: Vec<Bookmark>,
}

impl PageBookmarks {
    /// The level of the bookmark that leads to the beginning of a paragraph, and how many lines its title takes. Each
    /// bookmark leads to one place.
    pub fn take(&mut self, paragraph: &Paragraph) -> Option<(u8, usize)> {
        if self.left.is_empty() || paragraph.row().is_some() || paragraph.is_running() {
            return None;
        }
        let mut written = String::new();
        for (lines, line) in (1..).zip(&paragraph.lines) {
            written.push_str(&line.text);
            written.push(' ');
            let title = Title::of(&written)?;
            if let Some(at) = self.left.iter().position(|bookmark| bookmark.title.is(&title)) {
                return Some((self.left.remove(at).level, lines));
            }
        }
        None
    }
}

impl Title {
    /// `None` if it is too long for a heading, or has no letter.
    fn of(title: &str) -> Option<Self> {
        if title.chars().count() > MAX_HEADING_CHARS + 1 || !title.contains(char::is_alphabetic) {
            return None;
        }
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let number = |c: char| c.is_numeric() || matches!(c, '.' | '(' | ')' | ' ' | '\t' | '\u{a0}' | '§');
        Some(Self { whole: plain(title), unnumbered: plain(title.trim_start_matches(number)) })
    }

    fn is(&self, other: &Self) -> bool {
        let is_numbered = |title: &Self| title.whole != title.unnumbered;
        self.whole == other.whole
            || (self.unnumbered == other.unnumbered
                && self.unnumbered.chars().count() >= MIN_TITLE
                && is_numbered(self) != is_numbered(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_known_by_its_letters_and_digits() {
        let same = |a: &str, b: &str| Title::of(a).unwrap().is(&Title::of(b).unwrap());
        for (a, b) in
            [("4.2 Payment", "4.2. PAYMENT"), ("Payment", "4.2 Payment"), ("Exhibit A – Fees", "EXHIBIT A: FEES")]
        {
            assert!(same(a, b) && same(b, a), "{a} {b}");
        }
        for (a, b) in [("4.2 Payment", "4.3 Payment"), ("Payment", "Payments"), ("A", "1. A")] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert_eq!((Title::of("12."), Title::of(&"long ".repeat(60))), (None, None));
    }
}
