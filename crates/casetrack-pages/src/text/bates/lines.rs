//! The lines near the edges of a page, which may have Bates numbers.

use casetrack_core::{Page, Rect};

/// The number of lines from the top and from the bottom to look at: a footer may have several next to and below each other.
const EDGE_LINES: usize = 6;
/// The same, for lines without places.
const UNPLACED_LINES: usize = 3;
/// Longer lines are text, in characters.
const MAX_LINE: usize = 300;
/// Places that differ by less, in points, are the same on pages that were scanned askew.
const SAME_PLACE: f32 = 40.0;
/// A letter is no wider than this many heights of its line, not even a bold capital on a scan, on which a line is as
/// high as these.
const MAX_LETTER: f32 = 1.2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edge {
    Top,
    Bottom,
    /// Written upwards or downwards.
    Side,
}

/// The position of a line.
#[derive(Debug, Clone, Copy)]
pub struct EdgePosition {
    pub edge: Edge,
    /// Lines between it and its edge.
    pub rank: usize,
    /// In points from the top, or from the left for a line at the side; `None` if lines have no places.
    pub at: Option<f32>,
}

impl EdgePosition {
    /// True if lines of two pages are at the same place.
    pub fn is_near(&self, other: &Self) -> bool {
        self.edge == other.edge
            && match (self.at, other.at) {
                (Some(a), Some(b)) => (a - b).abs() <= SAME_PLACE,
                (None, None) => self.rank.abs_diff(other.rank) <= 1,
                _ => false,
            }
    }

    /// A key shared by all places near this one, or by their neighbours, which are one more or less.
    pub fn bucket(&self) -> (Edge, i64) {
        (self.edge, self.at.map_or(self.rank as i64, |at| (at / SAME_PLACE).floor() as i64))
    }
}

/// A line near an edge of a page.
#[derive(Debug, Clone, Copy)]
pub struct EdgeLine<'p> {
    pub text: &'p str,
    pub place: EdgePosition,
    /// True if it is longer than its letters: it is of parts that are far from each other.
    pub has_gap: bool,
}

/// The lines near the edges of a page. One on a page with few lines may be near two edges.
pub fn edge_lines<'p>(page: &'p Page) -> Vec<EdgeLine<'p>> {
    let area = |line: usize| page.line_boxes.get(line).copied().flatten();
    let lines: Vec<(&'p str, Option<Rect>)> = page
        .text
        .split('\n')
        .enumerate()
        .map(|(line, text)| (text.trim(), area(line)))
        .filter(|(text, _)| !text.is_empty() && text.chars().nth(MAX_LINE).is_none())
        .collect();
    let placed: Vec<(&'p str, Rect)> = lines.iter().filter_map(|&(text, area)| Some((text, area?))).collect();
    if placed.is_empty() {
        let line = |edge| {
            move |(rank, &(text, _))| EdgeLine { text, place: EdgePosition { edge, rank, at: None }, has_gap: false }
        };
        let top = lines.iter().take(UNPLACED_LINES).enumerate().map(line(Edge::Top));
        let bottom = lines.iter().rev().take(UNPLACED_LINES).enumerate().map(line(Edge::Bottom));
        return top.chain(bottom).collect();
    }
    let is_upright = |(_, area): &(&str, Rect)| area.bottom - area.top > 2.0 * (area.right - area.left);
    let (mut upright, mut level): (Vec<_>, Vec<_>) = placed.into_iter().partition(is_upright);
    level.sort_by(|(_, a), (_, b)| (a.top + a.bottom).total_cmp(&(b.top + b.bottom)));
    upright.sort_by(|(_, a), (_, b)| a.left.total_cmp(&b.left));
    let mut found = Vec::new();
    let mut add = |edge: Edge, rank: usize, &(text, area): &(&'p str, Rect)| {
        let at = if edge == Edge::Side { area.left } else { (area.top + area.bottom) / 2.0 };
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        let (along, across) = if edge == Edge::Side { (height, width) } else { (width, height) };
        let has_gap = along > MAX_LETTER * across * text.chars().count() as f32;
        found.push(EdgeLine { text, place: EdgePosition { edge, rank, at: Some(at) }, has_gap });
    };
    for (edge, lines) in [(Edge::Top, &level), (Edge::Side, &upright)] {
        let last = if edge == Edge::Side { Edge::Side } else { Edge::Bottom };
        lines.iter().take(EDGE_LINES).enumerate().for_each(|(rank, line)| add(edge, rank, line));
        lines.iter().rev().take(EDGE_LINES).enumerate().for_each(|(rank, line)| add(last, rank, line));
    }
    found
}

/// A text without spaces and punctuation, and with one sign for all that OCR confuses, so that `SM1TH 0OO042` and
/// `SMITH000042` are the same.
pub fn folded(text: &str) -> Vec<char> {
    let sign = |c: char| match c {
        'O' | 'o' | 'Q' | 'D' => Some('0'),
        'I' | 'i' | 'l' | '|' | '!' | 'j' | 'J' => Some('1'),
        'Z' | 'z' => Some('2'),
        'A' => Some('4'),
        'S' | 's' | '$' | '§' => Some('5'),
        'G' | 'b' => Some('6'),
        'T' => Some('7'),
        'B' => Some('8'),
        'g' | 'q' => Some('9'),
        c if c.is_alphanumeric() => c.to_uppercase().next(),
        _ => None,
    };
    text.chars().filter_map(sign).collect()
}
