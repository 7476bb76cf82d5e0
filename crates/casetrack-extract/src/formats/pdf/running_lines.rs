//! Running heads and feet: text that is printed at the same place of several pages, and page numbers.

use std::collections::HashMap;

use casetrack_pages::text::roman;

use super::page::ReadPage;

/// Pages that must have it, and how far each may be from the next: left and right pages may differ.
const MIN_PAGES: usize = 3;
const MAX_STEP: usize = 2;
/// Share of the page's height at its top and bottom that may hold them.
const MARGIN: f32 = 0.12;
/// Places on different pages that differ by less, in points, are the same.
const SAME_PLACE: f32 = 3.0;

/// The running lines that pages have in common.
#[derive(PartialEq, Eq, Hash)]
enum Mark {
    /// The text, with its numbers left out.
    Text(String),
    /// A number that counts the pages: by how much it differs from their place in the file.
    Number(i64),
}

/// Marks lines at the same place of consecutive pages with the same text, except numbers. A line of only a number must
/// count the pages: tables have numbers at the same place, too.
pub(super) fn mark(pages: &mut [ReadPage]) {
    let mut places: HashMap<Mark, Vec<(f32, usize, usize)>> = HashMap::new();
    for (page, number) in pages.iter().zip(0..) {
        for (line, index) in page.lines.iter().zip(0..) {
            let in_margin = line.area.bottom < MARGIN * page.height || line.area.top > (1.0 - MARGIN) * page.height;
            if let Some(mark) = in_margin.then(|| mark_of(&line.text, number)).flatten() {
                places.entry(mark).or_default().push((line.area.top, number, index));
            }
        }
    }
    for mut places in places.into_values() {
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        for same in places.chunk_by_mut(|a, b| b.0 - a.0 < SAME_PLACE) {
            same.sort_by_key(|(_, page, _)| *page);
            for series in same.chunk_by(|a, b| b.1 - a.1 <= MAX_STEP) {
                if series.chunk_by(|a, b| a.1 == b.1).count() < MIN_PAGES {
                    continue;
                }
                for &(_, page, index) in series {
                    if let Some(line) = pages.get_mut(page).and_then(|page| page.lines.get_mut(index)) {
                        line.is_running = true;
                    }
                }
            }
        }
    }
}

fn mark_of(text: &str, page: usize) -> Option<Mark> {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if let Some(number) = bare.parse::<i64>().ok().or_else(|| roman::value(bare).map(i64::from)) {
        return Some(Mark::Number(number.saturating_sub_unsigned(page as u64)));
    }
    let words: String = text.chars().filter(|c| !c.is_numeric() && !c.is_whitespace()).collect();
    words.contains(char::is_alphabetic).then_some(Mark::Text(words))
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::super::line::{Line, QuarterTurn};
    use super::super::page::PageState;
    use super::super::pictures::Unread;
    use super::super::rules::Rules;
    use super::*;

    fn page(lines: &[(&str, f32)]) -> ReadPage {
        let line = |(text, top): &(&str, f32)| {
            let area = Rect { left: 50.0, top: *top, right: 100.0, bottom: top + 10.0 };
            Line {
                text: (*text).into(),
                area,
                size: 10.0,
                first_word: 10.0,
                is_running: false,
                turn: QuarterTurn::NONE,
                hidden: Vec::new(),
                words: Vec::new(),
                row: None,
            }
        };
        ReadPage {
            state: PageState::Readable,
            lines: lines.iter().map(line).collect(),
            rules: Rules::default(),
            unread: Unread::default(),
            units: Vec::new(),
            holds_file: false,
            label: None,
            height: 800.0,
        }
    }

    fn running(mut pages: Vec<ReadPage>) -> Vec<Vec<bool>> {
        mark(&mut pages);
        pages.iter().map(|page| page.lines.iter().map(|line| line.is_running).collect()).collect()
    }

    #[test]
    fn heads_and_page_numbers_are_found() {
        let pages = (0..4).map(|number| {
            let (foot, count) = (format!("Page {} of 4", number + 1), format!("- {} -", number + 7));
            page(&[("Lease of land", 20.0), ("Lease of land", 400.0), (&foot, 760.0), (&count, 775.0)])
        });
        assert_eq!(running(pages.collect()), vec![vec![true, false, true, true]; 4]);
        let pages = ["iii", "iv", "v"].map(|number| page(&[("The rent", 60.0), (number, 770.0)]));
        assert_eq!(running(pages.into()), vec![vec![true, true]; 3]);
    }

    #[test]
    fn other_lines_in_the_margin_are_text() {
        let pages = ["12", "17", "30"].map(|number| page(&[(number, 770.0)]));
        assert_eq!(running(pages.into()), vec![vec![false]; 3]);
        let pages = [20.0, 40.0, 60.0].map(|top| page(&[("Lease of land", top)]));
        assert_eq!(running(pages.into()), vec![vec![false]; 3]);
        let pages = ["The rent", "12", "", "The rent", "", "", "The rent"].map(|text| page(&[(text, 60.0)]));
        assert!(running(pages.into()).concat().iter().all(|is_running| !is_running));
        let pages = [20.0, 21.0].map(|top| page(&[("Lease of land", top)]));
        assert_eq!(running(pages.into()), vec![vec![false]; 2]);
    }
}
