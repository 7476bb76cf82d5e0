//! Facts of letters and memos, of invoices and of minutes. Most of these facts are on lines with labels, so the rules read the pages line by line.

mod invoices;
mod letters;
mod minutes;

use std::ops::Range;

use casetrack_core::{DocumentType, single_spaced};
use regex::Regex;

use super::text::{Day, Text};
use super::{Fact, FactKind};

pattern_table! {
    "facts/kinds.toml":
    PERSON, TITLED, ROLE,
}

/// Longest value, in characters.
const VALUE: usize = 200;

/// A line of a page that is not blank.
#[derive(Debug, Clone, Copy)]
struct Line<'p> {
    page: u32,
    /// Characters of the page before it.
    at: u32,
    text: &'p str,
    /// True after a blank line, and at the beginning of a page.
    begins_block: bool,
}

/// The facts of a kind of documents that has some of its own. Linear in the length of the pages.
pub(super) fn find(text: &Text<'_>, pages: &[&str], kind: DocumentType) -> Vec<Fact> {
    let lines = lines(pages);
    match kind {
        DocumentType::Correspondence | DocumentType::Memo => letters::find(text, &lines),
        DocumentType::Invoice => invoices::find(text, pages, &lines),
        DocumentType::Report | DocumentType::Other => minutes::find(text, &lines),
        _ => Vec::new(),
    }
}

fn lines<'p>(pages: &[&'p str]) -> Vec<Line<'p>> {
    let mut all = Vec::new();
    for (page, whole) in (1..).zip(pages) {
        let (mut at, mut begins_block) = (0, true);
        for text in whole.split('\n') {
            if text.trim().is_empty() {
                begins_block = true;
            } else {
                all.push(Line { page, at, text, begins_block });
                begins_block = false;
            }
            at += text.chars().count() as u32 + 1;
        }
    }
    all
}

impl Line<'_> {
    /// A range of bytes without white space at its ends; `None` if nothing is left.
    fn trimmed(&self, range: Range<usize>) -> Option<Range<usize>> {
        let written = self.text.get(range.clone())?;
        let start = range.start + written.len() - written.trim_start().len();
        (!written.trim().is_empty()).then(|| start..start + written.trim().len())
    }

    fn chars(&self, bytes: Range<usize>) -> Range<u32> {
        let before = |byte: usize| self.at + self.text[..byte].chars().count() as u32;
        before(bytes.start)..before(bytes.end)
    }

    /// The words of a range of bytes as a fact.
    fn fact(&self, kind: FactKind, bytes: Range<usize>, confidence: u8) -> Fact {
        let value = single_spaced(&self.text[bytes.clone()]).chars().take(VALUE).collect();
        Fact::at(kind, value, self.page, self.chars(bytes), confidence)
    }

    /// The first day in a range of bytes.
    fn day<'t>(&self, text: &'t Text<'_>, bytes: Range<usize>) -> Option<&'t Day> {
        let chars = self.chars(self.trimmed(bytes)?);
        let (first, last) = (text.flat.byte(self.page, chars.start)?, text.flat.byte(self.page, chars.end - 1)?);
        text.days_in(first..last + 1).first()
    }

    /// The day of a line that has at most some other words.
    fn day_of_line<'t>(&self, text: &'t Text<'_>, others: usize) -> Option<&'t Day> {
        let day = self.day(text, 0..self.text.len())?;
        let of_day = text.text()[day.range.clone()].split_whitespace().count();
        (self.text.split_whitespace().count() <= of_day + others).then_some(day)
    }
}

fn of_day(text: &Text<'_>, kind: FactKind, day: &Day, confidence: u8) -> Fact {
    Fact::new(text, kind, day.iso.clone(), day.range.clone(), confidence)
}

/// The first value of a label, in its first group: on the line of the label or, if the label ends the line, on the next one.
fn labelled<'l, 'p>(lines: &'l [Line<'p>], label: &Regex) -> Option<(&'l Line<'p>, Range<usize>)> {
    lines.iter().enumerate().find_map(|(at, line)| {
        let value = label.captures(line.text)?.get(1)?;
        let beside = line.trimmed(value.range()).map(|range| (line, range));
        beside.or_else(|| {
            let next = lines.get(at + 1).filter(|next| !next.text.contains(':'))?;
            Some((next, next.trimmed(0..next.text.len())?))
        })
    })
}

fn is_person(name: &str) -> bool {
    let name = single_spaced(name);
    (PERSON.is_match(&name) || TITLED.is_match(&name)) && !ROLE.is_match(&name)
}
