//! Tables on a page: rows and cells that rules, or even gaps between columns, show.
//!
//! A text taken for a table reads worse than a table taken for a text, so doubtful tables stay lines. Each row becomes
//! one line, its cells joined by a tab as those of sheets are; its box is around all of its words.

mod aligned_tables;
mod rivers;
mod ruled_tables;
mod signs;
mod words;

use casetrack_core::Rect;
use casetrack_pages::build::table::Cell;
use casetrack_pages::model::union;

use self::words::{PlacedWord, WordTable, joined, placed_words};
use super::line::{Line, Row};
use super::page::{PageState, ReadPage};
use super::rules::Rules;

/// Rows at the top of a table that may name its columns.
const MAX_HEADER_ROWS: usize = 3;

/// Puts the rows of tables in the place of the lines that they consist of, on all pages of a file.
pub(super) fn find(pages: &mut [ReadPage]) {
    for page in pages.iter_mut() {
        if page.state == PageState::Readable && may_hold(&page.lines, &page.rules) {
            let lines = std::mem::take(&mut page.lines);
            page.lines = with_rows(lines, &page.rules);
        }
    }
    for index in 1..pages.len() {
        let (before, after) = pages.split_at_mut(index);
        if let (Some(before), Some(after)) = (before.last_mut(), after.first_mut()) {
            mark_repeated_header(&mut before.lines, &mut after.lines);
        }
    }
}

/// True if it is worth looking at the rules of a page with these lines: cells are next to each other.
pub(super) fn may_be_ruled(lines: &[Line]) -> bool {
    aligned_tables::divided_lines(lines) > 0 || aligned_tables::goes_back(lines)
}

/// True if it is worth looking for tables: there may be a grid, or lines have wide gaps or are next to each other.
/// Linear.
pub(super) fn may_hold(lines: &[Line], rules: &Rules) -> bool {
    rules.may_cross() || aligned_tables::may_hold(lines)
}

fn with_rows(lines: Vec<Line>, rules: &Rules) -> Vec<Line> {
    let words = placed_words(&lines);
    let mut taken = vec![false; words.len()];
    let mut found = ruled_tables::tables(&words, rules);
    take(&found, &mut taken);
    let aligned = aligned_tables::tables(&words, &taken);
    take(&aligned, &mut taken);
    found.extend(aligned);
    if found.is_empty() {
        return lines;
    }
    // A table goes to the place of its first line.
    let first_line = |table: &WordTable| table.words().filter_map(|word| words.get(word)).map(|word| word.line).min();
    found.sort_by_key(first_line);
    let mut found = found.iter().zip(0..).peekable();
    let mut rows = Vec::with_capacity(lines.len());
    let mut word = 0;
    for (index, line) in lines.iter().enumerate() {
        while let Some((table, number)) =
            found.next_if(|(table, _)| first_line(table).is_some_and(|first| first <= index))
        {
            rows.extend(table.rows.iter().filter_map(|cells| row(cells, number, &words, &lines)));
        }
        let start = word;
        while words.get(word).is_some_and(|word| word.line == index) {
            word += 1;
        }
        let left: Vec<usize> = (start..word).filter(|word| !taken[*word]).collect();
        if left.len() == word - start {
            rows.push(line.clone());
        } else if !left.is_empty() {
            rows.push(rest(line, &left, &words));
        }
    }
    rows
}

fn take(found: &[WordTable], taken: &mut [bool]) {
    for word in found.iter().flat_map(WordTable::words) {
        taken[word] = true;
    }
}

/// The line that a row is.
fn row(cells: &[(u32, Vec<usize>)], table: u32, words: &[PlacedWord], lines: &[Line]) -> Option<Line> {
    let all = || cells.iter().flat_map(|(_, cell)| cell).filter_map(|word| words.get(*word));
    let area = all().map(|word| word.area).reduce(|a, b| union(&a, &b))?;
    let sizes = || all().filter_map(|word| lines.get(word.line)).map(|line| line.size);
    let cells: Vec<Cell> = cells.iter().map(|(column, cell)| Cell::from_text(*column, joined(cell, words))).collect();
    Some(Line {
        text: cells.iter().map(|cell| &*cell.text).collect::<Vec<_>>().join("\t"),
        area,
        size: sizes().sum::<f32>() / sizes().count().max(1) as f32,
        first_word: area.right - area.left,
        is_running: false,
        turn: Default::default(),
        hidden: Vec::new(),
        words: Vec::new(),
        row: Some(Row { table, cells, is_header: false }),
    })
}

/// The parts of a line that are in no table.
fn rest(line: &Line, left: &[usize], words: &[PlacedWord]) -> Line {
    let areas = left.iter().filter_map(|word| words.get(*word)).map(|word| word.area);
    let area: Rect = areas.reduce(|a, b| union(&a, &b)).unwrap_or(line.area);
    Line { text: joined(left, words), area, words: Vec::new(), ..line.clone() }
}

/// Rows that the last table of a page and the first one of the next page both begin with name the columns of both.
fn mark_repeated_header(before: &mut [Line], after: &mut [Line]) {
    let number = |line: &Line| line.row.as_ref().map(|row| row.table);
    let Some(last) = before.iter().filter_map(number).max() else { return };
    let before: Vec<&mut Line> = before.iter_mut().filter(|line| number(line) == Some(last)).collect();
    let after: Vec<&mut Line> = after.iter_mut().filter(|line| number(line) == Some(0)).collect();
    let (rows, next_rows) = (before.len(), after.len());
    let same = before.iter().zip(&after).take_while(|(a, b)| a.text == b.text && a.text.contains('\t')).count();
    if same > MAX_HEADER_ROWS || same >= rows.min(next_rows) {
        return;
    }
    for line in before.into_iter().take(same).chain(after.into_iter().take(same)) {
        if let Some(row) = &mut line.row {
            row.is_header = true;
        }
    }
}
