//! The headings that are in force at a place.

use casetrack_core::{Block, BlockKind, single_spaced};

use crate::text::Cursor;
use crate::text::headings::plain_heading;
use crate::text::sections::{SectionStart, section_starts};

/// Longest heading, in characters.
const MAX_HEADING_CHARS: usize = 120;

/// The headings in force at a character of a page, outermost first. A heading is in force from its own first character
/// on, until one of its own or a higher level, signatures, or a schedule.
///
/// `text` is any part of the page, such as a chunk; it begins at the character `text_start`, where `headings` are in
/// force ([`Chunk::heading_path`](casetrack_core::Chunk)). `blocks` are all blocks of the page. Linear in `text` up to
/// `char`, and in the blocks there. `levels` are those of `headings`, as [`heading_levels`] finds them. One that is not
/// known is judged by the heading's number and place, so that with headings which skip levels the outer ones may be
/// off; the innermost never is.
pub fn headings_at(
    text: &str,
    text_start: u32,
    blocks: &[Block],
    headings: &[String],
    levels: &[Option<u8>],
    char: u32,
) -> Vec<String> {
    let first = blocks.partition_point(|block| block.char_start < text_start);
    let last = blocks.partition_point(|block| block.char_start <= char).max(first);
    let mut open = Headings::resumed(headings, levels);
    let starts = section_starts(text, text_start, blocks.get(..last).unwrap_or_default());
    let mut cursor = Cursor::starting_at(text, text_start as usize);
    for (index, block) in blocks.iter().enumerate().take(last).skip(first) {
        let start = starts.iter().find(|(at, _)| *at == index).map(|(_, start)| *start);
        if start.is_some() || matches!(block.kind, BlockKind::Heading { .. }) {
            open.pass(&block.kind, cursor.slice(block), start);
        }
    }
    open.into_titles()
}

/// Adds the levels of headings in force at a place, outermost first, that are not known yet: those of the last headings of a page with
/// their titles, as far as these begin at or before `until`. A heading at that place may head the text there.
pub fn heading_levels(text: &str, blocks: &[Block], until: u32, headings: &[String], levels: &mut [Option<u8>]) {
    let mut cursor = Cursor::new(text);
    let before = blocks.iter().take_while(|block| block.char_start <= until);
    let found: Vec<(String, u8)> = before
        .filter_map(|block| match block.kind {
            BlockKind::Heading { level } => Some((titled(cursor.slice(block)), level)),
            _ => None,
        })
        .collect();
    let mut end = found.len();
    for (title, level) in headings.iter().zip(levels).rev().filter(|(_, level)| level.is_none()) {
        if let Some(at) = found[..end].iter().rposition(|(other, _)| other == title) {
            *level = Some(found[at].1);
            end = at;
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Heading {
    /// From 1, the outermost; `None` if only its place among the others is known.
    level: Option<u8>,
    title: String,
}

/// Headings in force, outermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Headings {
    open: Vec<Heading>,
    /// The document's first heading, which is its title while no other one has ended it.
    first: Option<String>,
    /// True if the document has had a heading. Otherwise the title of a schedule becomes none: filings begin with "Exhibit 10.1".
    any: bool,
}

impl Headings {
    fn resumed(titles: &[String], levels: &[Option<u8>]) -> Self {
        let levels = levels.iter().copied().chain(std::iter::repeat(None));
        let open: Vec<Heading> =
            titles.iter().zip(levels).map(|(title, level)| Heading { level, title: title.clone() }).collect();
        // The only heading may as well be the last section's.
        let first = titles.first().filter(|_| titles.len() > 1).cloned();
        Self { open, first, any: !titles.is_empty() }
    }

    /// Goes past a block; `start` is the section that begins with it.
    pub fn pass(&mut self, kind: &BlockKind, text: &str, start: Option<SectionStart>) {
        if start.is_some() {
            let is_title =
                |heading: &Heading| self.first.as_ref() == Some(&heading.title) && !is_clause(&heading.title);
            self.open.truncate(usize::from(self.open.first().is_some_and(is_title)));
        }
        match kind {
            BlockKind::Heading { level } => self.open(*level, titled(text)),
            _ if start == Some(SectionStart::Schedule) && self.any => {
                self.open.push(Heading { level: Some(1), title: titled(text) })
            }
            _ => {}
        }
    }

    /// A heading closes the headings of its own and lower levels.
    fn open(&mut self, level: u8, title: String) {
        let is_it = |heading: &Heading| heading.level.is_none_or(|own| own == level) && heading.title == title;
        match self.open.iter().position(is_it) {
            Some(at) => self.open.truncate(at),
            None => {
                while self.open.last().is_some_and(|last| last.ends_before(level, &title, self.open.len())) {
                    self.open.pop();
                }
            }
        }
        self.any = true;
        self.first.get_or_insert_with(|| title.clone());
        self.open.push(Heading { level: Some(level), title });
    }

    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|heading| heading.title.as_str())
    }

    pub fn into_titles(self) -> Vec<String> {
        self.open.into_iter().map(|heading| heading.title).collect()
    }

    /// The number of outermost headings that are the same.
    pub fn in_common(&self, other: &Self) -> usize {
        self.open.iter().zip(&other.open).take_while(|(a, b)| a == b).count()
    }
}

impl Heading {
    /// True if a heading ends this one, which is the `place`-th from outside.
    fn ends_before(&self, level: u8, title: &str, place: usize) -> bool {
        if let Some(own) = self.level {
            return own >= level;
        }
        match (number(&self.title), number(title)) {
            (Some(own), Some(other)) => !other.strip_prefix(own).is_some_and(|rest| rest.starts_with('.')),
            _ => place >= usize::from(level),
        }
    }
}

/// The number that a heading begins with: "16.15".
fn number(title: &str) -> Option<&str> {
    let end = title.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(title.len());
    Some(title[..end].trim_end_matches('.')).filter(|number| !number.is_empty())
}

/// True if a heading is a part's or a clause's rather than the document's title.
fn is_clause(title: &str) -> bool {
    let word = title.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    number(title).is_some()
        || title.starts_with('§')
        || ["article", "section", "clause", "part", "chapter"].iter().any(|part| word.eq_ignore_ascii_case(part))
}

fn titled(text: &str) -> String {
    let title = single_spaced(plain_heading(text));
    truncated(&title, MAX_HEADING_CHARS).to_owned()
}

pub(super) fn truncated(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(byte, _)| text[..byte].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGREEMENT: &str = "SERVICES AGREEMENT";

    /// A page of blocks; a number before a bar is the level of a heading.
    fn page(lines: &[&str]) -> (String, Vec<Block>) {
        let (mut text, mut blocks) = (String::new(), Vec::new());
        for line in lines {
            let (level, line) = line.split_once('|').map_or((None, *line), |(level, line)| (level.parse().ok(), line));
            let kind = level.map_or(BlockKind::Paragraph, |level| BlockKind::Heading { level });
            let char_start = text.chars().count() as u32;
            text.push_str(line);
            blocks.push(Block { char_start, char_end: text.chars().count() as u32, kind });
            text.push('\n');
        }
        (text, blocks)
    }

    /// The headings in force at the first place of a word.
    fn at(lines: &[&str], headings: &[&str], word: &str) -> String {
        let (text, blocks) = page(lines);
        let headings: Vec<String> = headings.iter().map(|heading| heading.to_string()).collect();
        let char = text[..text.find(word).unwrap()].chars().count() as u32;
        headings_at(&text, 0, &blocks, &headings, &[], char).join(" > ")
    }

    #[test]
    fn a_heading_without_a_number_ends_the_one_before_it_on_its_level() {
        let (page, all) = page(&[
            "2|Confidentiality",
            "None.",
            "2|Term",
            "A year.",
            "3|Renewal",
            "Yearly.",
            "2|Notices",
            "In writing.",
        ]);
        let at = |from: &str, headings: &[&str], word: &str| {
            let place = |word: &str| page[..page.find(word).unwrap()].chars().count() as u32;
            let headings: Vec<String> = headings.iter().map(|heading| heading.to_string()).collect();
            let mut levels = vec![None; headings.len()];
            heading_levels(&page, &all, place(from), &headings, &mut levels);
            let text = &page[page.find(from).unwrap()..];
            headings_at(text, place(from), &all, &headings, &levels, place(word)).join(" > ")
        };
        assert_eq!(at("None", &["Confidentiality"], "A year"), "Term");
        assert_eq!(at("A year", &["Term"], "Yearly"), "Term > Renewal");
        assert_eq!(at("Yearly", &["Term", "Renewal"], "In writing"), "Notices");
        assert_eq!(at("Term", &["Term"], "Yearly"), "Term > Renewal");
    }

    #[test]
    fn the_heading_in_force_is_the_last_one_before_a_place() {
        let lines = ["Käse.", "3|16.15 Limitation", "None.", "3|16.16 Notices", "In writing.", "2|17. Term", "A year."];
        let headings = [AGREEMENT, "16. Liability", "16.14 Insurance"];
        assert_eq!(at(&lines, &headings, "Käse"), "SERVICES AGREEMENT > 16. Liability > 16.14 Insurance");
        assert_eq!(at(&lines, &headings, "16.15"), "SERVICES AGREEMENT > 16. Liability > 16.15 Limitation");
        assert_eq!(at(&lines, &headings, "writing"), "SERVICES AGREEMENT > 16. Liability > 16.16 Notices");
        assert_eq!(at(&lines, &headings, "year"), "SERVICES AGREEMENT > 17. Term");
        // A chunk that starts with its heading.
        assert_eq!(at(&["4|Payment", "Monthly."], &["Terms", "Payment"], "Monthly"), "Terms > Payment");
    }

    #[test]
    fn signatures_and_schedules_end_sections() {
        let lines = [
            "Text.",
            "IN WITNESS WHEREOF the parties sign.",
            "By: ____",
            "SCHEDULE 1",
            "Services.",
            "2|1. Scope",
            "All.",
        ];
        let headings = [AGREEMENT, "16.15 Limitation of Liability"];
        assert_eq!(at(&lines, &headings, "Text"), "SERVICES AGREEMENT > 16.15 Limitation of Liability");
        assert_eq!(at(&lines, &headings, "the parties"), AGREEMENT);
        assert_eq!(at(&lines, &headings, "____"), AGREEMENT);
        assert_eq!(at(&lines, &headings, "Services."), "SERVICES AGREEMENT > SCHEDULE 1");
        assert_eq!(at(&lines, &headings, "All"), "SERVICES AGREEMENT > SCHEDULE 1 > 1. Scope");
        assert_eq!(at(&lines, &["16. Liability", "16.15 Limitation of Liability"], "____"), "");
        assert_eq!(at(&["Exhibit 10.1", "Text."], &[], "Text"), "");
    }

    #[test]
    fn a_part_of_a_page_is_enough() {
        let (text, blocks) = page(&["1|Änderungen", "Text.", "1|Kündigung", "Frist."]);
        let start = text.find("Text").unwrap();
        let char_start = text[..start].chars().count() as u32;
        let headings = ["Änderungen".to_owned()];
        let found = |char| headings_at(&text[start..], char_start, &blocks, &headings, &[], char);
        assert_eq!(found(char_start), headings);
        assert_eq!(found(char_start + 8), ["Kündigung"]);
    }
}
