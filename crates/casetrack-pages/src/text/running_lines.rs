//! Lines that show the context of a page rather than anything of their own: running heads and feet, page numbers, and
//! the source that collections of filings print below each page.

use std::collections::HashMap;
use std::ops::Range;

use casetrack_core::Page;

use super::bates::folded;

/// Pages that must have a line, and how far each may be from the next: left and right pages may differ.
const MIN_PAGES: usize = 3;
const MAX_STEP: u64 = 2;
/// Share of the printed height at its top and bottom that may hold such lines.
const MARGIN: f32 = 0.12;
/// Places on different pages that differ by less, in points, are the same.
const SAME_PLACE: f32 = 3.0;
/// If lines have no places: the number of first and last lines of a page that are looked at.
const EDGE_LINES: usize = 3;

/// For each of the document's pages, in order, the character ranges of its running lines, in order and half-open.
///
/// These are the lines with the pages' Bates numbers; lines at the same place of at least three pages, at most two
/// pages apart, and are the same except for numbers that count the pages; and lines like `Source: ACME INC, 10-K,
/// 3/31/2005` anywhere. A text without page breaks is taken to have one after each such line, and at each `<PAGE>`.
/// Sheets have no running lines. The text itself stays as it is: this serves analyses, which would take a line at the
/// foot of each page for content of the document. Linear in the text, except sorting.
pub fn running_lines(pages: &[Page]) -> Vec<Vec<Range<u32>>> {
    let boxes = || pages.iter().flat_map(|page| page.line_boxes.iter().flatten());
    let top = boxes().map(|area| area.top).fold(f32::INFINITY, f32::min);
    let bottom = boxes().map(|area| area.bottom).fold(f32::NEG_INFINITY, f32::max);
    let margin = MARGIN * (bottom - top);

    let mut found = vec![Vec::new(); pages.len()];
    let mut leaves = Leaves::default();
    for (page, index) in pages.iter().zip(0..).filter(|(page, _)| page.sheet_name.is_none()) {
        let mut char = 0;
        for (text, number) in page.text.split('\n').zip(0..) {
            let chars = char..char + text.chars().count() as u32;
            char = chars.end + 1;
            let content = text.trim();
            let area = page.line_boxes.get(number).copied().flatten();
            if let Some(number) = &page.notes.bates
                && is_stamp(content, number)
            {
                found[index].push(chars.clone());
            }
            if is_source(content) {
                found[index].push(chars);
                leaves.end();
            } else if content.starts_with("<PAGE>") {
                leaves.end();
            } else if let Some(area) = area {
                if area.bottom < top + margin || area.top > bottom - margin {
                    leaves.add(
                        content,
                        LinePosition::Printed,
                        Line { page: index, chars, leaf: 0, top: area.top, numbers: Vec::new() },
                    );
                }
            } else if !content.is_empty() {
                leaves.open.push((content, index, chars));
            }
        }
        leaves.end();
    }
    for mut lines in leaves.lines.into_values() {
        lines.sort_by(|a, b| a.top.total_cmp(&b.top));
        for same in lines.chunk_by_mut(|a, b| b.top - a.top < SAME_PLACE) {
            same.sort_by_key(|line| line.leaf);
            for series in same.chunk_by(Line::is_followed_by) {
                if series.chunk_by(|a, b| a.leaf == b.leaf).count() >= MIN_PAGES {
                    series.iter().for_each(|line| found[line.page].push(line.chars.clone()));
                }
            }
        }
    }
    for ranges in &mut found {
        ranges.sort_by_key(|range| range.start);
        ranges.dedup();
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum LinePosition {
    /// The place of its box.
    Printed,
    /// From the first line, or from the last.
    FromTop(usize),
    FromBottom(usize),
}

struct Line {
    page: usize,
    chars: Range<u32>,
    /// Number of the page, or of the part of one that was a page.
    leaf: u64,
    top: f32,
    numbers: Vec<u64>,
}

impl Line {
    /// True if the same line comes again on the next pages: its numbers are the same, or count the pages.
    fn is_followed_by(&self, next: &Self) -> bool {
        let step = next.leaf - self.leaf;
        let numbers = self.numbers.iter().zip(&next.numbers);
        step <= MAX_STEP && numbers.into_iter().all(|(a, b)| a == b || a.checked_add(step) == Some(*b))
    }
}

/// The lines of pages, by their text without its numbers, and their place.
#[derive(Default)]
struct Leaves<'t> {
    lines: HashMap<(String, LinePosition), Vec<Line>>,
    /// Lines without boxes since the last page ended, each with its page and characters.
    open: Vec<(&'t str, usize, Range<u32>)>,
    /// Pages that have ended.
    ended: u64,
}

impl<'t> Leaves<'t> {
    fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        let from_top = open.iter().zip(0..).map(|(found, index)| (LinePosition::FromTop(index), found));
        let from_bottom = open.iter().rev().zip(0..).map(|(found, index)| (LinePosition::FromBottom(index), found));
        for (place, (text, page, chars)) in from_top.take(EDGE_LINES).chain(from_bottom.take(EDGE_LINES)) {
            let line = Line { page: *page, chars: chars.clone(), leaf: 0, top: 0.0, numbers: Vec::new() };
            self.add(text, place, line);
        }
        self.ended += 1;
    }

    fn add(&mut self, text: &str, place: LinePosition, line: Line) {
        let (mut key, mut numbers): (String, Vec<u64>) = Default::default();
        let mut in_number = false;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            match c.to_digit(10) {
                Some(digit) => {
                    if !in_number {
                        key.push('0');
                        numbers.push(0);
                    }
                    if let Some(number) = numbers.last_mut() {
                        *number = number.saturating_mul(10).saturating_add(u64::from(digit));
                    }
                }
                None => key.push(c),
            }
            in_number = c.is_ascii_digit();
        }
        if key.contains(char::is_alphanumeric) {
            self.lines.entry((key, place)).or_default().push(Line { leaf: self.ended, numbers, ..line });
        }
    }
}

/// Letters and digits that may be next to a Bates number, as in `CONFIDENTIAL SMITH000042`.
const BESIDE_NUMBER: usize = 16;

/// True if a line is the page's Bates number, with little besides. OCR may have misread it.
fn is_stamp(line: &str, number: &str) -> bool {
    let number = folded(number);
    // Lines of text need not be compared.
    let is_short = line.len() <= 4 * (number.len() + BESIDE_NUMBER);
    let line = if is_short { folded(line) } else { Vec::new() };
    line.len() <= number.len() + BESIDE_NUMBER && line.windows(number.len().max(1)).any(|part| part == number)
}

/// `Source: ACME INC, 10-K, 3/31/2005`: the filer, the form and the date of a filing.
fn is_source(line: &str) -> bool {
    let Some(source) = line.strip_prefix("Source:") else { return false };
    let mut parts = source.rsplitn(3, ',').map(str::trim);
    let (Some(date), Some(form), Some(filer)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let is_number = |part: &str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_form = (1..=16).contains(&form.len())
        && form
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b' '));
    date.split('/').count() == 3 && date.split('/').all(is_number) && is_form && !filer.is_empty()
}

#[cfg(test)]
mod tests {
    use casetrack_core::{ExtractionMethod, PageNotes, Rect};

    use super::*;

    fn page(text: &str) -> Page {
        Page {
            number: 1,
            text: text.to_owned(),
            blocks: Vec::new(),
            line_boxes: Vec::new(),
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            sheet_name: None,
            notes: PageNotes::default(),
        }
    }

    fn running(pages: &[Page]) -> Vec<Vec<String>> {
        let slice = |page: &Page, range: &Range<u32>| {
            page.text.chars().skip(range.start as usize).take(range.len()).collect::<String>()
        };
        let found = running_lines(pages);
        pages.iter().zip(found).map(|(page, ranges)| ranges.iter().map(|range| slice(page, range)).collect()).collect()
    }

    #[test]
    fn the_source_of_a_filing_is_found_wherever_it_stands() {
        let text = "Agreement dated 1/2/2005.\n\n Source: ACME, INC /FL, 10-K/A, 3/31/2005\n\nSource: the ledger, as of 3/31/2005\nÜ";
        assert_eq!(running(&[page(text)]), [[" Source: ACME, INC /FL, 10-K/A, 3/31/2005"]]);
    }

    #[test]
    fn lines_at_the_edges_of_pages_repeat_but_for_page_numbers() {
        let pages: Vec<Page> = (1..=4)
            .map(|number| {
                page(&format!("Käse AG, 31 May 2004\n\nText {}.\nSame.\nPage {number} of 4", number * number))
            })
            .collect();
        let expected: Vec<Vec<String>> = (1..=4)
            .map(|number| vec!["Käse AG, 31 May 2004".to_owned(), "Same.".into(), format!("Page {number} of 4")])
            .collect();
        assert_eq!(running(&pages), expected);
        assert_eq!(running(&pages[..2]).concat(), [""; 0], "two pages are no series");
    }

    #[test]
    fn numbers_that_do_not_count_pages_are_what_the_document_says() {
        let pages =
            ["31 Jan 2004", "29 Feb 2004", "31 Mar 2004"].map(|date| page(&format!("Statement of {date}\nText.")));
        assert!(running(&pages).iter().all(|lines| lines == &["Text."]), "{:?}", running(&pages));
        let pages = ["12", "50", "7"].map(|total| page(&format!("{total}\nabc{total}")));
        assert_eq!(running(&pages).concat(), [""; 0]);
    }

    #[test]
    fn sources_and_marks_end_the_pages_of_a_text() {
        let source = "Source: ACME INC, 8-K, 1/20/2009";
        let body =
            |number: u32| format!("CONFIDENTIAL\n\nClause {number}0.\nSome text {number}{number}.\n\n{number}\n\n");
        let text: String = (1..=3).map(|number| format!("{}{source}\n", body(number))).collect();
        let lines = |number: u32| vec!["CONFIDENTIAL".to_owned(), number.to_string(), source.to_owned()];
        assert_eq!(running(&[page(&text)]), [[lines(1), lines(2), lines(3)].concat()]);
        let text: String = (1..=3).map(|number| format!("<PAGE>\nACME\n{number}0 kg\nrent\n")).collect();
        assert_eq!(running(&[page(&text)])[0].iter().filter(|line| *line == "ACME").count(), 3);
    }

    #[test]
    fn printed_lines_must_stand_in_the_margin_at_the_same_place() {
        let printed = |tops: [f32; 3]| {
            let line_boxes = tops.map(|top| Some(Rect { left: 50.0, top, right: 100.0, bottom: top + 10.0 })).to_vec();
            Page { line_boxes, ..page("Lease of 3 May 2004\nRent of 3 May 2004\nEnd") }
        };
        let pages = [20.0, 21.0, 22.0].map(|top| printed([top, 400.0, 760.0]));
        let lines = vec!["Lease of 3 May 2004".to_owned(), "End".to_owned()];
        assert_eq!(running(&pages), [lines.clone(), lines.clone(), lines]);
        let pages = [20.0, 40.0, 60.0].map(|top| printed([top, 400.0, 500.0 + 3.0 * top]));
        assert_eq!(running(&pages).concat(), [""; 0]);
    }

    #[test]
    fn the_line_of_a_bates_number_is_running_on_any_page() {
        let mut stamped =
            page("See SMITH000041 and SMITH000042, which the parties agree on.\nConfidential SM1TH0OO042\nSMITH000043");
        stamped.notes.bates = Some("SMITH000042".into());
        assert_eq!(running(&[stamped]).concat(), ["Confidential SM1TH0OO042"]);
    }

    #[test]
    fn sheets_have_no_running_lines() {
        let sheet = || Page { sheet_name: Some("May".into()), ..page("Acme Corp\nBudget") };
        assert_eq!(running(&[sheet(), sheet(), sheet()]).concat(), [""; 0]);
    }
}
