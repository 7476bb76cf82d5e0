//! The paragraphs of a document as they are compared: on one line each, without running lines, and whole if a page ends inside.

use std::collections::HashSet;
use std::ops::Range;

use casetrack_core::{BlockKind, Page};
use casetrack_extract::running_lines;

/// A paragraph, heading, list item or row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paragraph {
    /// As the document has it, except for white space and line breaks, which are single spaces here.
    pub text: String,
    /// Its places, in order; several if a page ends inside it.
    pub places: Vec<PageSpan>,
    is_row: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageSpan {
    pub page: usize,
    pub chars: Range<u32>,
}

/// Longest line that may be a page number, in characters.
const PAGE_NUMBER_CHARS: usize = 20;
/// If a text does not mark the ends of its pages, this many numbers in paragraphs of their own count pages, …
const MIN_NUMBERS: usize = 3;
/// … each of them at most this much greater than the one before.
const MAX_STEP: u64 = 2;

/// The paragraphs of a document's pages, in order. Lines that repeat from page to page and numbers of pages are left out, and a paragraph
/// that continues after them, or on the next page, is one. Linear in the text, except for finding those lines.
pub(super) fn paragraphs(pages: &[Page]) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let has_pages = pages.len() > 1;
    let counting = if has_pages { HashSet::new() } else { counting(pages) };
    // True if a page or a running line has ended since the last paragraph.
    let mut broken = false;
    for ((page, running), index) in pages.iter().zip(running_lines(pages)).zip(0..) {
        broken |= index > 0;
        let chars: Vec<char> = page.text.chars().collect();
        for (block, number) in page.blocks.iter().zip(1..) {
            let is_at_edge = has_pages && (number == 1 || number == page.blocks.len());
            let Some((text, place)) = content(&chars, block.char_start..block.char_end, &running) else {
                broken = true;
                continue;
            };
            let is_row = matches!(block.kind, BlockKind::TableRow { .. });
            let counts_pages = is_at_edge && !is_row && page_number(&text).is_some();
            if counts_pages || counting.contains(&block.char_start) {
                broken = true;
                continue;
            }
            // The title of a clause before its text is a block of its own.
            let is_on_line = |last: &Paragraph| {
                let end = last.places.last().filter(|last| last.page == index).map(|last| last.chars.end);
                let between = end.and_then(|end| chars.get(end as usize..place.start as usize));
                !last.is_row && !is_row && between.is_some_and(|between| !between.contains(&'\n'))
            };
            if let Some(last) = found.last_mut().filter(|last| is_on_line(last)) {
                last.text.push(' ');
                last.text.push_str(&text);
                if let Some(whole) = last.places.last_mut() {
                    whole.chars.end = place.end;
                }
                broken = false;
                continue;
            }
            let place = PageSpan { page: index, chars: place };
            let goes_on = |last: &Paragraph| broken && !last.is_row && !is_row && goes_on(&last.text, &text);
            match found.last_mut() {
                Some(last) if goes_on(last) => {
                    last.text.push(' ');
                    last.text.push_str(&text);
                    last.places.push(place);
                }
                _ => found.push(Paragraph { text, places: vec![place], is_row }),
            }
            broken = false;
        }
    }
    found
}

/// The text of a block on one line, and the characters from its first to its last; `None` if nothing is left without running lines.
fn content(chars: &[char], block: Range<u32>, running: &[Range<u32>]) -> Option<(String, Range<u32>)> {
    let first = running.partition_point(|line| line.end <= block.start);
    let mut lines = running[first..].iter().peekable();
    let mut text = String::new();
    let mut place: Option<Range<u32>> = None;
    let mut has_gap = false;
    let mut at = block.start;
    while at < block.end {
        while lines.next_if(|line| line.end <= at).is_some() {}
        if let Some(line) = lines.peek().filter(|line| line.start <= at) {
            has_gap = true;
            at = line.end.max(at + 1);
            continue;
        }
        match chars.get(at as usize) {
            None => break,
            Some(c) if c.is_whitespace() => has_gap = true,
            // Soft hyphens and characters without width are not text.
            Some('\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}') => {}
            Some(&c) => {
                if has_gap && !text.is_empty() {
                    text.push(' ');
                }
                has_gap = false;
                text.push(c);
                let start = place.map_or(at, |place| place.start);
                place = Some(start..at + 1);
            }
        }
        at += 1;
    }
    let is_mark = text.strip_prefix("<PAGE>").is_some_and(|rest| page_number(rest).is_some() || rest.trim().is_empty());
    place.filter(|_| !is_mark).map(|place| (text, place))
}

/// `12`, `- 12 -`, `Page 3 of 10`
fn page_number(text: &str) -> Option<u64> {
    if text.chars().count() > PAGE_NUMBER_CHARS {
        return None;
    }
    let is_dash = |c| matches!(c, '-' | '–' | '—');
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(is_dash).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = words.strip_prefix(&["page"]).or_else(|| words.strip_prefix(&["p."])).unwrap_or(&words);
    match numbers {
        [number] if is_number(number) => number.parse().ok(),
        [number, "of" | "/", all] if is_number(number) && is_number(all) => number.parse().ok(),
        _ => None,
    }
}

/// The paragraphs of a text without page breaks that count its pages, by start: numbers in paragraphs of their own that rise in steps of one
/// or two. If some are missing in one version, as when a page was cut out, their series is still found.
fn counting(pages: &[Page]) -> HashSet<u32> {
    let mut found = HashSet::new();
    for page in pages.iter().filter(|page| page.sheet_name.is_none()) {
        let chars: Vec<char> = page.text.chars().collect();
        let paragraphs = page.blocks.iter().filter(|block| !matches!(block.kind, BlockKind::TableRow { .. }));
        let numbers = paragraphs.filter_map(|block| {
            let text = chars.get(block.char_start as usize..block.char_end as usize)?;
            let text: String = text.iter().take(PAGE_NUMBER_CHARS + 1).collect();
            Some((block.char_start, page_number(&text)?))
        });
        let numbers: Vec<(u32, u64)> = numbers.collect();
        for series in numbers.chunk_by(|(_, a), (_, b)| b > a && b - a <= MAX_STEP) {
            if series.len() >= MIN_NUMBERS {
                found.extend(series.iter().map(|(at, _)| *at));
            }
        }
    }
    found
}

/// True if a paragraph continues in another: it ends within a sentence, and the other begins within one.
fn goes_on(text: &str, next: &str) -> bool {
    let end = text.trim_end_matches(['"', '\'', '”', '’', ')', ']']);
    !end.ends_with(['.', '!', '?', ':', ';']) && next.starts_with(char::is_lowercase)
}

#[cfg(test)]
pub(super) mod tests {
    use casetrack_core::{Block, ExtractionMethod, PageNotes};

    use super::*;

    pub fn page(number: u32, text: &str) -> Page {
        let (mut blocks, mut at) = (Vec::new(), 0);
        for block in text.split("\n\n") {
            let chars = block.chars().count() as u32;
            blocks.push(Block { char_start: at, char_end: at + chars, kind: BlockKind::Paragraph });
            at += chars + 2;
        }
        Page {
            number,
            text: text.to_owned(),
            blocks,
            line_boxes: Vec::new(),
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            sheet_name: None,
            notes: PageNotes::default(),
        }
    }

    fn texts(pages: &[&str]) -> Vec<String> {
        let pages: Vec<Page> = pages.iter().zip(1..).map(|(text, number)| page(number, text)).collect();
        paragraphs(&pages).into_iter().map(|paragraph| paragraph.text).collect()
    }

    #[test]
    fn a_paragraph_is_one_over_the_end_of_a_page_and_without_its_number() {
        let pages =
            ["1. Term\n\nThe term begins\non the  first day and\n\n- 1 -", "ends a year later.\n\nNotices\n\n2"];
        assert_eq!(texts(&pages), ["1. Term", "The term begins on the first day and ends a year later.", "Notices"]);
        let pages: Vec<Page> = pages.iter().zip(1..).map(|(text, number)| page(number, text)).collect();
        let whole = &paragraphs(&pages)[1];
        assert_eq!(whole.places, [PageSpan { page: 0, chars: 9..46 }, PageSpan { page: 1, chars: 0..18 }]);
    }

    #[test]
    fn sentences_that_end_with_their_page_and_headings_stay_apart() {
        assert_eq!(texts(&["It ends.", "it begins"]), ["It ends.", "it begins"]);
        assert_eq!(texts(&["5. Term and", "Termination"]), ["5. Term and", "Termination"]);
        assert_eq!(texts(&["a first part", "of 2019"]), ["a first part of 2019"]);
        assert_eq!(texts(&["a first part\n\nof one page"]), ["a first part", "of one page"]);
    }

    #[test]
    fn running_lines_are_left_out_wherever_they_stand() {
        let source = "Source: ACME INC, 8-K, 1/20/2009";
        let text = format!("The rent is due\n\n{source}\n\non the first day.\n\nA line\n{source}\nand another.");
        assert_eq!(texts(&[&text]), ["The rent is due on the first day.", "A line and another."]);
        let pages: Vec<String> =
            (1..=4).map(|n| format!("LEASE OF MAY\n\nText {} of its own.\n\nPage {n} of 4", n * n)).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(texts(&pages)[1..3], ["Text 4 of its own.", "Text 9 of its own."]);
        assert_eq!(texts(&["<PAGE> 3\n\nText."]), ["Text."]);
    }

    #[test]
    fn a_title_and_the_text_on_its_line_are_one_paragraph() {
        let mut page = page(1, "1. Rent. It is due\non Monday.\n\n2. Term");
        page.blocks[0].char_end = 8;
        let rest = Block { char_start: 9, char_end: 29, kind: BlockKind::Paragraph };
        page.blocks.insert(1, rest);
        let found = paragraphs(&[page]);
        assert_eq!(found[0].text, "1. Rent. It is due on Monday.");
        assert_eq!((&found[0].places[..], found.len()), (&[PageSpan { page: 0, chars: 0..29 }][..], 2));
    }

    #[test]
    fn numbers_of_pages_are_only_at_their_edges() {
        assert_eq!(texts(&["12\n\ntext 4\n\n17\n\nmore.\n\nPage 1 of 2", "ii"]), ["text 4", "17", "more.", "ii"]);
        assert_eq!(texts(&["12"]), ["12"]);
        // Without page breaks, numbers that count.
        let text = "a.\n\n1\n\nthe rent\n\n2\n\nis due.\n\n- 4 -\n\n30\n\nb.";
        assert_eq!(texts(&[text]), ["a.", "the rent is due.", "30", "b."]);
    }
}
