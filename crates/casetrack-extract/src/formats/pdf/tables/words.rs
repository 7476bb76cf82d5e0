//! The words of a page with their places, and tables of them.

use casetrack_core::Rect;

use super::super::line::{Line, QuarterTurn};

#[derive(Debug, Clone)]
pub(super) struct PlacedWord<'a> {
    pub text: &'a str,
    pub area: Rect,
    pub line: usize,
    pub size: f32,
    /// True if it may be in a table: it is read to the right, and is no running head or foot. Lines with hidden text
    /// stay as they are, so that hidden text keeps its place.
    pub is_eligible: bool,
}

impl PlacedWord<'_> {
    pub fn middle(&self) -> (f32, f32) {
        ((self.area.left + self.area.right) / 2.0, (self.area.top + self.area.bottom) / 2.0)
    }
}

pub(super) fn placed_words(lines: &[Line]) -> Vec<PlacedWord<'_>> {
    let mut placed = Vec::new();
    for (line, index) in lines.iter().zip(0..) {
        let is_eligible =
            line.turn == QuarterTurn::NONE && !line.is_running && !line.words.is_empty() && line.hidden.is_empty();
        let word = |text, area| PlacedWord { text, area, line: index, size: line.size, is_eligible };
        if line.words.is_empty() {
            placed.push(word(&line.text, line.area));
            continue;
        }
        let ends = line.words.iter().skip(1).map(|word| word.start).chain([line.text.len()]);
        for (at, end) in line.words.iter().zip(ends) {
            let text = line.text.get(at.start..end).unwrap_or_default().trim();
            placed.push(word(text, Rect { left: at.left, right: at.right, ..line.area }));
        }
    }
    placed
}

/// Words as one text. One that is broken at the end of a line is whole, with its hyphen.
pub(super) fn joined(indices: &[usize], words: &[PlacedWord]) -> String {
    let mut text = String::new();
    let mut last_line = None;
    for word in indices.iter().filter_map(|index| words.get(*index)) {
        let is_broken = last_line.is_some_and(|line| line != word.line)
            && text.strip_suffix('-').is_some_and(|start| start.ends_with(char::is_lowercase))
            && word.text.starts_with(char::is_lowercase);
        if !text.is_empty() && !is_broken {
            text.push(' ');
        }
        text.push_str(word.text);
        last_line = Some(word.line);
    }
    text
}

/// The cells of a row that have text: their columns, from 1, and the indices of their words.
pub(super) type Cells = Vec<(u32, Vec<usize>)>;

#[derive(Debug, Clone, Default)]
pub(super) struct WordTable {
    pub rows: Vec<Cells>,
}

impl WordTable {
    pub fn words(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().flatten().flat_map(|(_, words)| words.iter().copied())
    }
}
