//! Lines into paragraphs, by their geometry.
//!
//! Lines that follow each other downwards and overlap horizontally form a region (a column, a heading); running heads
//! and feet are regions of their own. Inside a region a paragraph ends at a larger distance, a change of font size, a
//! new indentation, or a line that ends early: the next word would have fitted.

use std::collections::{BTreeMap, HashMap, HashSet};

use casetrack_core::Rect;

use super::bidi;
use super::line::{Line, QuarterTurn, Row};

/// A longer text in large print is a text, not a heading.
pub(super) const MAX_HEADING_CHARS: usize = 200;
/// Glyphs this much higher than those of the running text make a heading.
const HEADING_RATIO: f32 = 1.15;
/// Large print that comes back on this many pages is a running head.
const RUNNING_HEAD_PAGES: usize = 3;
/// Font sizes that differ by less are the same.
const SIZE_TOLERANCE: f32 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paragraph {
    pub lines: Vec<Line>,
}

impl Paragraph {
    fn is_short(&self) -> bool {
        self.row().is_none()
            && self.lines.iter().map(|line| line.text.chars().count()).sum::<usize>() <= MAX_HEADING_CHARS
    }

    fn size(&self) -> f32 {
        self.lines.iter().map(|line| line.size).fold(0.0, f32::max)
    }

    /// Only the letters: running heads differ in page numbers.
    fn letters(&self) -> String {
        self.lines.iter().flat_map(|line| line.text.chars()).filter(|c| c.is_alphabetic()).collect()
    }

    /// True if it is a running head or foot, or a page number: neither a heading nor part of the text.
    pub fn is_running(&self) -> bool {
        self.lines.iter().all(|line| line.is_running)
    }

    /// The row of a table that it is, and its place.
    pub fn row(&self) -> Option<(&Row, Rect)> {
        self.lines.first().and_then(|line| line.row.as_ref().map(|row| (row, line.area)))
    }

    /// True if the paragraph starts with the mark of a list item. "- 2 -" is a page number.
    pub fn is_list_item(&self) -> bool {
        !self.is_running()
            && self.lines.first().is_some_and(|line| list_marker(&line.text).is_some())
            && !self.letters().is_empty()
    }
}

pub(super) fn paragraphs(lines: Vec<Line>) -> Vec<Paragraph> {
    if lines.iter().all(|line| line.row.is_none()) {
        return paragraphs_of_text(lines);
    }
    let parts = lines.chunk_by(|a, b| a.row.is_none() && b.row.is_none());
    parts.flat_map(|part| paragraphs_of_text(part.to_vec())).collect()
}

fn paragraphs_of_text(lines: Vec<Line>) -> Vec<Paragraph> {
    if lines.iter().all(|line| line.turn == QuarterTurn::NONE) {
        return upright_paragraphs(lines);
    }
    let mut paragraphs = Vec::new();
    for turned in lines.chunk_by(|a, b| a.turn == b.turn) {
        let upright = turned.iter().map(|line| Line { area: line.turn.upright(&line.area), ..line.clone() });
        let mut grouped = upright_paragraphs(upright.collect());
        for line in grouped.iter_mut().flat_map(|paragraph| &mut paragraph.lines) {
            line.area = line.turn.on_page(&line.area);
        }
        paragraphs.append(&mut grouped);
    }
    paragraphs
}

fn upright_paragraphs(lines: Vec<Line>) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut start = 0;
    for end in 1..=lines.len() {
        if end == lines.len() || !same_region(&lines[end - 1], &lines[end]) {
            group_region(&lines[start..end], &mut paragraphs);
            start = end;
        }
    }
    paragraphs
}

fn same_region(before: &Line, after: &Line) -> bool {
    let goes_down = after.area.top > before.area.top;
    let overlaps = after.area.left < before.area.right && before.area.left < after.area.right;
    let close = after.area.top - before.area.bottom < 4.0 * before.size.max(after.size);
    goes_down && overlaps && close && before.is_running == after.is_running
}

fn group_region(lines: &[Line], paragraphs: &mut Vec<Paragraph>) {
    if 2 * lines.iter().filter(|line| bidi::runs_left(&line.text)).count() > lines.len() {
        // What runs to the left is judged as its mirror image.
        let images: Vec<Line> = lines.iter().cloned().map(mirrored).collect();
        let mut grouped = Vec::new();
        group_lines(&images, &mut grouped);
        let back = |paragraph: Paragraph| Paragraph { lines: paragraph.lines.into_iter().map(mirrored).collect() };
        paragraphs.extend(grouped.into_iter().map(back));
    } else {
        group_lines(lines, paragraphs);
    }
}

fn mirrored(line: Line) -> Line {
    Line { area: Rect { left: -line.area.right, right: -line.area.left, ..line.area }, ..line }
}

fn group_lines(lines: &[Line], paragraphs: &mut Vec<Paragraph>) {
    let region = Region::of(lines);
    let mut open: Vec<Line> = Vec::new();
    for line in lines {
        if region.starts_paragraph(&open, line) {
            paragraphs.push(Paragraph { lines: std::mem::take(&mut open) });
        }
        open.push(line.clone());
    }
    if !open.is_empty() {
        paragraphs.push(Paragraph { lines: open });
    }
}

struct Region {
    left: f32,
    /// The right edge of full lines.
    right: f32,
    /// Distance from line to line.
    pitch: f32,
}

impl Region {
    fn of(lines: &[Line]) -> Self {
        let pitches = lines.windows(2).map(|pair| pair[1].area.bottom - pair[0].area.bottom).collect();
        Self {
            left: lines.iter().map(|line| line.area.left).fold(f32::INFINITY, f32::min),
            // A few lines may stick out: running heads, signature rules.
            right: quantile(lines.iter().map(|line| line.area.right).collect(), 0.85),
            pitch: quantile(pitches, 0.5),
        }
    }

    /// True if `line` begins a paragraph after the lines of the open one.
    fn starts_paragraph(&self, open: &[Line], line: &Line) -> bool {
        let Some(last) = open.last() else { return false };
        let em = last.size.max(1.0);
        let pitch = line.area.bottom - last.area.bottom;
        if pitch > 1.35 * self.pitch || pitch > 2.5 * em {
            return true;
        }
        if line.size > last.size * HEADING_RATIO || last.size > line.size * HEADING_RATIO {
            return true;
        }
        if is_bullet(&line.text) || (list_marker(&line.text).is_some() && ends_clause(&last.text)) {
            return true;
        }
        let centred = |line: &Line| line.area.left > self.left + em;
        let same_axis = (last.area.left + last.area.right - line.area.left - line.area.right).abs() < em;
        if same_axis && centred(last) && centred(line) {
            return false;
        }
        // A space is about a quarter of the font size wide.
        if last.area.right + 0.25 * em + line.first_word < self.right - 0.02 * (self.right - self.left) {
            return true;
        }
        // First lines may be indented, or the lines below them; later lines are level.
        open.len() > 1 && (line.area.left - last.area.left).abs() > 1.2 * em
    }
}

/// The value below which this share of the values is; 0 without values.
fn quantile(mut values: Vec<f32>, share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    let index = (values.len().saturating_sub(1)) as f32 * share;
    values.get(index.round() as usize).copied().unwrap_or(0.0)
}

fn ends_clause(text: &str) -> bool {
    text.ends_with(['.', ';', ':', ',', '!', '?']) || text.ends_with(" and") || text.ends_with(" or")
}

fn is_bullet(text: &str) -> bool {
    let mut chars = text.chars();
    matches!(chars.next(), Some('•' | '▪' | '■' | '●' | '◦' | '○' | '‣' | '➢' | '✓' | '–' | '-' | '*' | '·'))
        && chars.next() == Some(' ')
}

/// The mark at the start of a list item: a bullet, "(a)", "1.", "4.2", "iv)".
pub(super) fn list_marker(text: &str) -> Option<&str> {
    let (word, _) = text.split_once(' ')?;
    if is_bullet(text) {
        return Some(word);
    }
    let inner = word.trim_start_matches('(').trim_end_matches([')', '.']);
    let numbers = inner.split('.').filter(|part| !part.is_empty() && part.len() <= 3);
    let is_number = inner.starts_with(|c: char| c.is_ascii_digit())
        && numbers.count() == inner.split('.').count()
        && inner.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let is_letter = inner.len() == 1 && inner.bytes().all(|b| b.is_ascii_alphabetic());
    let is_roman = inner.len() <= 5 && !inner.is_empty() && inner.bytes().all(|b| b"ivxIVX".contains(&b));
    let closed = word.ends_with([')', '.']);
    let sectioned = is_number && inner.contains('.');
    ((closed && (is_number || is_letter || is_roman)) || sectioned).then_some(word)
}

/// The headings of a document: short text in larger print than most, ranked by its size.
pub(super) struct Headings {
    sizes: Vec<f32>,
    /// Letters of text that is printed on several pages: running heads are not headings, even if they are large.
    running: HashSet<String>,
}

impl Headings {
    pub fn of<'a>(pages: impl Iterator<Item = &'a Vec<Paragraph>> + Clone) -> Self {
        let body = body_size(pages.clone().flatten());
        let mut pages_by_text: HashMap<String, usize> = HashMap::new();
        let mut sizes = Vec::new();
        for page in pages {
            let is_large =
                |text: &&Paragraph| text.is_short() && !text.is_running() && text.size() > body * HEADING_RATIO;
            let large: Vec<&Paragraph> = page.iter().filter(is_large).collect();
            sizes.extend(large.iter().map(|text| text.size()));
            let texts: HashSet<String> = large.iter().map(|text| text.letters()).collect();
            texts.into_iter().for_each(|text| *pages_by_text.entry(text).or_default() += 1);
        }
        sizes.sort_by(|a, b| b.total_cmp(a));
        sizes.dedup_by(|smaller, larger| *larger - *smaller < SIZE_TOLERANCE);
        let running = pages_by_text.into_iter().filter(|(_, pages)| *pages >= RUNNING_HEAD_PAGES);
        Self { sizes, running: running.map(|(text, _)| text).collect() }
    }

    /// The level of a heading, 1 to 6; `None` for running text.
    pub fn level(&self, paragraph: &Paragraph) -> Option<u8> {
        if !paragraph.is_short() || paragraph.is_running() {
            return None;
        }
        let size = paragraph.size();
        let rank = self.sizes.iter().position(|heading| size > heading - SIZE_TOLERANCE)?;
        let letters = paragraph.letters();
        (!letters.is_empty() && !self.running.contains(&letters)).then_some((rank + 1).min(6) as u8)
    }
}

fn body_size<'a>(paragraphs: impl Iterator<Item = &'a Paragraph>) -> f32 {
    let mut chars_by_size = BTreeMap::<u32, usize>::new();
    // The text of annotations has no known sizes.
    for line in paragraphs.flat_map(|paragraph| &paragraph.lines).filter(|line| line.size > 0.0) {
        // In steps of half a point.
        *chars_by_size.entry((line.size * 2.0).round() as u32).or_default() += line.text.len();
    }
    chars_by_size.into_iter().max_by_key(|(_, chars)| *chars).map_or(0.0, |(size, _)| size as f32 / 2.0)
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::*;

    fn line(text: &str, left: f32, top: f32, size: f32) -> Line {
        let width = |text: &str| text.chars().count() as f32 * size / 2.0;
        Line {
            text: text.into(),
            area: Rect { left, top, right: left + width(text), bottom: top + size },
            size,
            first_word: width(text.split(' ').next().unwrap()),
            is_running: false,
            turn: QuarterTurn::NONE,
            hidden: Vec::new(),
            words: Vec::new(),
            row: None,
        }
    }

    fn grouped(lines: Vec<Line>) -> Vec<Vec<String>> {
        paragraphs(lines)
            .into_iter()
            .map(|paragraph| paragraph.lines.into_iter().map(|line| line.text).collect())
            .collect()
    }

    const FULL: &str = "a full line of text that reaches the right edge of it";

    #[test]
    fn paragraphs_end_at_gaps_and_short_lines() {
        let groups = grouped(vec![
            line(FULL, 50.0, 0.0, 10.0),
            line("ends early.", 50.0, 12.0, 10.0),
            line(FULL, 50.0, 24.0, 10.0),
            line(FULL, 50.0, 36.0, 10.0),
            line(FULL, 50.0, 56.0, 10.0),
        ]);
        assert_eq!(groups, [vec![FULL, "ends early."], vec![FULL, FULL], vec![FULL]]);
    }

    #[test]
    fn indentation_starts_a_paragraph_and_hangs_in_a_list() {
        let indented = &FULL[5..];
        let groups = grouped(vec![
            line(indented, 75.0, 0.0, 10.0),
            line(FULL, 50.0, 12.0, 10.0),
            line(indented, 75.0, 24.0, 10.0),
            line(FULL, 50.0, 36.0, 10.0),
        ]);
        assert_eq!(groups, [vec![indented, FULL], vec![indented, FULL]]);
        let groups = grouped(vec![
            line(&format!("• {}", &FULL[2..]), 50.0, 0.0, 10.0),
            line(indented, 75.0, 12.0, 10.0),
            line(&format!("• {}", &FULL[2..]), 50.0, 24.0, 10.0),
        ]);
        assert_eq!(groups.len(), 2);
    }

    #[test]
    fn columns_and_centred_titles() {
        let groups = grouped(vec![
            line("A TITLE THAT IS CENTRED", 100.0, 0.0, 10.0),
            line("ON TWO LINES", 127.5, 12.0, 10.0),
            line(FULL, 0.0, 40.0, 10.0),
            line(FULL, 0.0, 52.0, 10.0),
            line(FULL, 300.0, 40.0, 10.0),
        ]);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    }

    #[test]
    fn large_print_is_a_heading_ranked_by_size() {
        let pages = [
            paragraphs(vec![line("Title", 0.0, 0.0, 20.0), line("Part", 0.0, 40.0, 14.0), line(FULL, 0.0, 80.0, 10.0)]),
            paragraphs(vec![line("Part", 0.0, 0.0, 14.2), line(FULL, 0.0, 40.0, 10.0), line("12", 0.0, 90.0, 20.0)]),
        ];
        let headings = Headings::of(pages.iter());
        let levels: Vec<_> = pages.iter().flatten().map(|paragraph| headings.level(paragraph)).collect();
        assert_eq!(levels, [Some(1), Some(2), None, Some(2), None, None]);
    }

    #[test]
    fn running_heads_are_no_headings() {
        let page = |number: u32| {
            paragraphs(vec![line(&format!("Lease, page {number}"), 0.0, 0.0, 14.0), line(FULL, 0.0, 40.0, 10.0)])
        };
        let level = |pages: Vec<Vec<Paragraph>>| Headings::of(pages.iter()).level(&pages[0][0]);
        assert_eq!(level(vec![page(1), page(2), page(3)]), None);
        assert_eq!(level(vec![page(1), page(2)]), Some(1));
    }

    #[test]
    fn list_markers() {
        for (text, marker) in [
            ("(a) text", Some("(a)")),
            ("1. text", Some("1.")),
            ("4.2 text", Some("4.2")),
            ("12.3.1. text", Some("12.3.1.")),
            ("iv) text", Some("iv)")),
            ("• text", Some("•")),
            ("Inc. shall", None),
            ("2020 was", None),
            ("1234.5 is", None),
            ("the text", None),
        ] {
            assert_eq!(list_marker(text), marker, "{text}");
        }
    }
}
