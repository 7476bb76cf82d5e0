//! Paragraphs with numbers of their own, as in complaints, answers, affidavits and judgments: `12. On May 4 …`, `[12] …`, `¶ 12 …`.
//!
//! A number counts if it continues from the one before, over at least five paragraphs of prose. Clauses with titles are headings, which have
//! numbers of another kind. Lists inside a paragraph have their own numbers, and their items are not paragraphs.

use std::ops::Range;

use casetrack_core::{BlockKind, NumberedText, Page};

/// Fewest paragraphs of a count.
const FEWEST: usize = 5;
/// Most numbers that may be missing between two paragraphs, such as those that OCR misread, once there are [`FEWEST`].
const MOST_MISSING: u32 = 2;
/// The share of paragraphs that are prose, and its length in characters.
const SHARE_OF_PROSE: f32 = 0.6;
const PROSE: usize = 50;
/// Most counts that are open at the same time.
const MOST_OPEN: usize = 32;
/// Higher numbers are years and amounts.
const MAX_NUMBER: u32 = 1899;

/// The signs around a number; the numbers of one count have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Dot,
    Parenthesis,
    Brackets,
    Sign,
}

/// A place at which a numbered paragraph may begin, or at which a heading ends one.
struct Start {
    page: usize,
    at: u32,
    block_end: u32,
    label: Option<(Style, u32)>,
    is_prose: bool,
}

struct Count {
    style: Style,
    last: u32,
    starts: Vec<usize>,
}

/// Notes the numbered paragraphs of pages, which are all pages of a document in order. Linear in the text.
pub fn note_numbers(pages: &mut [Page]) {
    if pages.iter().any(|page| page.sheet_name.is_some()) {
        return;
    }
    let starts = starts(pages);
    let mut taken: Vec<Range<usize>> = Vec::new();
    for count in counts(&starts) {
        let (Some(&first), Some(&last)) = (count.starts.first(), count.starts.last()) else { continue };
        if taken.iter().any(|other| first < other.end && other.start <= last) {
            continue;
        }
        taken.push(first..last + 1);
        for (n, &index) in count.starts.iter().enumerate() {
            note(pages, &starts, index, count.starts.get(n + 1).copied());
        }
    }
    pages.iter_mut().for_each(|page| page.notes.numbered.sort_by_key(|text| text.char_start));
}

/// Notes a paragraph up to the next one of its count, or up to a heading; the last one to the end of its block.
fn note(pages: &mut [Page], starts: &[Start], index: usize, next: Option<usize>) {
    let start = &starts[index];
    let Some((_, number)) = start.label else { return };
    let end = match next {
        None => (start.page, start.block_end),
        Some(next) => {
            let heading = starts[index + 1..next].iter().find(|other| other.label.is_none());
            let end = heading.unwrap_or(&starts[next]);
            (end.page, end.at)
        }
    };
    for (page, place) in pages.iter_mut().zip(0..).take(end.0 + 1).skip(start.page) {
        let char_start = if place == start.page { start.at } else { 0 };
        let char_end = if place == end.0 { end.1 } else { page.blocks.last().map_or(0, |block| block.char_end) };
        if char_start < char_end {
            page.notes.numbered.push(NumberedText { char_start, char_end, number });
        }
    }
}

fn starts(pages: &[Page]) -> Vec<Start> {
    let mut starts = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        let mut chars = (0u32..).zip(page.text.chars()).peekable();
        for block in &page.blocks {
            while chars.next_if(|(at, _)| *at < block.char_start).is_some() {}
            let mut text = String::new();
            while let Some((_, c)) = chars.next_if(|(at, _)| *at < block.char_end) {
                text.push(c);
            }
            let start =
                |at: u32, label, is_prose| Start { page: index, at, block_end: block.char_end, label, is_prose };
            match block.kind {
                BlockKind::Heading { .. } => starts.push(start(block.char_start, None, false)),
                BlockKind::Paragraph | BlockKind::ListItem => {
                    let (mut at, mut may_begin) = (block.char_start, true);
                    for line in text.split('\n') {
                        if let Some((label, rest)) = label(line).filter(|_| may_begin) {
                            // The lines that follow are part of it, too.
                            let length = text.chars().count() - (at - block.char_start) as usize;
                            let is_prose = length >= PROSE && rest.contains(char::is_lowercase);
                            starts.push(start(at, Some(label), is_prose));
                        }
                        at += line.chars().count() as u32 + 1;
                        may_begin = line.trim_end().ends_with(['.', ':', ';', '?', '!', '"', '”', ')']);
                    }
                }
                _ => {}
            }
        }
    }
    starts
}

/// The number at the beginning of a line, and the text behind it.
fn label(line: &str) -> Option<((Style, u32), &str)> {
    let line = line.trim_start();
    let (style, rest) = match line.chars().next()? {
        '[' => (Style::Brackets, &line[1..]),
        '¶' => (Style::Sign, line['¶'.len_utf8()..].trim_start()),
        _ => (Style::Dot, line),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest.get(..digits)?.parse().ok().filter(|number| (1..=MAX_NUMBER).contains(number))?;
    if rest.starts_with('0') {
        return None;
    }
    let rest = &rest[digits..];
    let (style, rest) = match (style, rest.chars().next()?) {
        (Style::Dot, '.') | (Style::Sign, '.') => (style, &rest[1..]),
        (Style::Dot, ')') => (Style::Parenthesis, &rest[1..]),
        (Style::Brackets, ']') => (style, &rest[1..]),
        (Style::Sign, c) if c.is_whitespace() => (style, rest),
        _ => return None,
    };
    let text = rest.trim_start();
    let begins_text = text.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '“' | '(' | '[' | '‘' | '§'));
    (text.len() < rest.len() && begins_text).then_some(((style, number), text))
}

/// The counts that are numbered paragraphs, the longest first.
fn counts(starts: &[Start]) -> Vec<Count> {
    let (mut open, mut closed): (Vec<Count>, Vec<Count>) = (Vec::new(), Vec::new());
    for (index, start) in starts.iter().enumerate() {
        let Some((style, number)) = start.label else { continue };
        let goes_on = |count: &Count| {
            let missing = if count.starts.len() >= FEWEST { MOST_MISSING } else { 0 };
            count.style == style && (count.last + 1..=count.last + 1 + missing).contains(&number)
        };
        match open.iter().rposition(goes_on) {
            Some(place) => {
                // Later counts are inside the paragraph before.
                closed.extend(open.drain(place + 1..));
                open[place].last = number;
                open[place].starts.push(index);
            }
            None => {
                if open.len() == MOST_OPEN
                    && let Some(shortest) = (0..open.len()).min_by_key(|place| open[*place].starts.len())
                {
                    closed.push(open.remove(shortest));
                }
                open.push(Count { style, last: number, starts: vec![index] });
            }
        }
    }
    closed.append(&mut open);
    let is_prose = |count: &Count| {
        let prose = count.starts.iter().filter(|index| starts[**index].is_prose).count();
        prose as f32 >= SHARE_OF_PROSE * count.starts.len() as f32
    };
    closed.retain(|count| count.starts.len() >= FEWEST && is_prose(count));
    closed.sort_by_key(|count| (std::cmp::Reverse(count.starts.len()), count.starts.first().copied()));
    closed
}

#[cfg(test)]
mod tests {
    use casetrack_core::Block;

    use super::*;
    use crate::test_files::page_of;

    fn noted(pages: &[&[&str]]) -> Vec<Vec<(u32, String)>> {
        let page = |blocks: &&[&str]| {
            let mut page = page_of(1, &blocks.join("\n"));
            let mut at = 0;
            for text in *blocks {
                let char_end = at + text.chars().count() as u32;
                let is_heading = !text.contains(char::is_lowercase);
                let kind = if is_heading { BlockKind::Heading { level: 1 } } else { BlockKind::Paragraph };
                page.blocks.push(Block { char_start: at, char_end, kind });
                at = char_end + 1;
            }
            page
        };
        let mut pages: Vec<Page> = pages.iter().map(page).collect();
        note_numbers(&mut pages);
        let text = |page: &Page, text: &NumberedText| -> String {
            page.text
                .chars()
                .take(text.char_end as usize)
                .skip(text.char_start as usize)
                .collect::<String>()
                .trim()
                .to_owned()
        };
        pages.iter().map(|page| page.notes.numbered.iter().map(|one| (one.number, text(page, one))).collect()).collect()
    }

    const SAID: &str = "On May 4 the defendant refused to pay what was due under it.";

    #[test]
    fn paragraphs_of_a_complaint_are_numbered_over_pages_and_headings() {
        let [one, two, three, four, five] = [1, 2, 3, 4, 5].map(|number| format!("{number}. {SAID}"));
        let with_list = format!("{three} Namely:");
        let pages = noted(&[
            &["PARTIES", &one, &two, &with_list, "1. The rent of May, with interest on it.", "2. The costs."],
            &["It did so twice.", "COUNT I", &four, &five, "Dated: May 9, 2021"],
        ]);
        let numbers: Vec<Vec<u32>> =
            pages.iter().map(|page| page.iter().map(|(number, _)| *number).collect()).collect();
        assert_eq!(numbers, [vec![1, 2, 3], vec![3, 4, 5]]);
        assert_eq!(pages[0][2].1, format!("{with_list}\n1. The rent of May, with interest on it.\n2. The costs."));
        assert_eq!(pages[1][0].1, "It did so twice.");
        assert_eq!(pages[1][2].1, five);
    }

    #[test]
    fn lists_years_and_headings_are_no_numbered_paragraphs() {
        let items = ["1. Rent", "2. Heat", "3. Water", "4. Power", "5. Taxes", "6. Fees"];
        let years: Vec<String> = (0..6).map(|n| format!("{}. {SAID}", 1985 + 7 * n)).collect();
        let years: Vec<&str> = years.iter().map(String::as_str).collect();
        assert_eq!(noted(&[&items, &years]), [vec![], vec![]]);
        let few: Vec<String> = (1..5).map(|n| format!("{n}. {SAID}")).collect();
        assert_eq!(noted(&[&few.iter().map(String::as_str).collect::<Vec<_>>()]), [vec![]]);
    }

    #[test]
    fn signs_brackets_and_missing_numbers_are_understood() {
        for form in ["[N] ", "¶ N ", "N) "] {
            let texts: Vec<String> =
                [7, 8, 9, 10, 11, 13].iter().map(|n: &u32| form.replace('N', &n.to_string()) + SAID).collect();
            let pages = noted(&[&texts.iter().map(String::as_str).collect::<Vec<_>>()]);
            assert_eq!(pages[0].iter().map(|(number, _)| *number).collect::<Vec<_>>(), [7, 8, 9, 10, 11, 13], "{form}");
        }
    }
}
