//! Tables whose cells are drawn: level and upright rules that form a grid.

use super::super::rules::{Rule, Rules};
use super::signs;
use super::words::{Cells, PlacedWord, WordTable, joined};

/// Rules that are closer, in points, are on one line; rules touch if their ends are at most this far apart.
const SAME_LINE: f32 = 2.5;
const SEAM: f32 = 4.0;
/// A page with more rules is a drawing.
const MAX_RULES: usize = 2_000;
/// Larger grids are drawings.
const MAX_COLUMNS: usize = 60;
const MAX_ROWS: usize = 200;
/// Narrower columns and lower rows, in points, are between double rules.
const MIN_CELL: f32 = 5.0;
/// A cell with more characters is a framed text, so its clauses are read as clauses.
const MAX_CELL_CHARS: usize = 700;
/// Share of the cells, in rows that have text, that must have some.
const MIN_FILLED: f32 = 0.45;
/// Share of the rows, on average, that the rules between columns must go through.
const MIN_SUPPORT: f32 = 0.5;
/// Share of the words that may cross a rule: it is no table of these words then.
const MAX_CROSSING: f32 = 0.03;
/// Width of a gap inside a cell, as a share of the height of the print, that is one between columns; and how many a row may have.
const WIDE_GAP: f32 = 1.3;
const MAX_GAPS: f32 = 0.2;
/// Share of the cells that may be labels of a form.
const MAX_LABELS: f32 = 0.25;

/// Tables of a page, from its top downwards.
pub(super) fn tables(words: &[PlacedWord], rules: &Rules) -> Vec<WordTable> {
    if !rules.may_cross() || rules.level.len() + rules.upright.len() > MAX_RULES {
        return Vec::new();
    }
    let (level, upright) = (merged(&rules.level), merged(&rules.upright));
    let mut taken = vec![false; words.len()];
    let mut found = Vec::new();
    for grid in grids(&level, &upright) {
        if let Some(table) = grid.table(words, &taken) {
            table.words().for_each(|word| taken[word] = true);
            found.push(table);
        }
    }
    found
}

/// Rules on one line that touch are one.
fn merged(rules: &[Rule]) -> Vec<Rule> {
    let mut rules = rules.to_vec();
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut merged: Vec<Rule> = Vec::new();
    for line in rules.chunk_by_mut(|a, b| b.at - a.at < SAME_LINE / 2.0) {
        let at = line.iter().map(|rule| rule.at).sum::<f32>() / line.len() as f32;
        line.sort_by(|a, b| a.from.total_cmp(&b.from));
        let first = merged.len();
        for rule in line.iter() {
            match merged.get_mut(first..).and_then(<[Rule]>::last_mut) {
                Some(last) if rule.from <= last.to + SEAM => last.to = last.to.max(rule.to),
                _ => merged.push(Rule { at, ..*rule }),
            }
        }
    }
    merged
}

fn touch(level: &Rule, upright: &Rule) -> bool {
    (level.from - SEAM..=level.to + SEAM).contains(&upright.at)
        && (upright.from - SEAM..=upright.to + SEAM).contains(&level.at)
}

/// Rules that touch each other, directly or through others.
fn grids(level: &[Rule], upright: &[Rule]) -> Vec<Grid> {
    let mut groups: Vec<usize> = (0..level.len() + upright.len()).collect();
    for (a, line) in level.iter().enumerate() {
        for (b, _) in upright.iter().enumerate().filter(|(_, rule)| touch(line, rule)) {
            join(&mut groups, a, level.len() + b);
        }
    }
    let mut grids: Vec<(usize, Grid)> = Vec::new();
    for index in 0..groups.len() {
        let group = root(&mut groups, index);
        let at = grids.iter().position(|(other, _)| *other == group).unwrap_or_else(|| {
            grids.push((group, Grid::default()));
            grids.len() - 1
        });
        match level.get(index) {
            Some(rule) => grids[at].1.level.push(*rule),
            None => grids[at].1.upright.extend(upright.get(index - level.len())),
        }
    }
    let mut grids: Vec<Grid> = grids.into_iter().map(|(_, grid)| grid).collect();
    grids.retain(|grid| grid.level.len() >= 2 && !grid.upright.is_empty());
    let top = |grid: &Grid| grid.level.iter().map(|rule| rule.at).fold(f32::INFINITY, f32::min);
    grids.sort_by(|a, b| top(a).total_cmp(&top(b)));
    grids
}

#[derive(Default)]
struct Grid {
    level: Vec<Rule>,
    upright: Vec<Rule>,
}

/// The lines of a grid in one direction: those of the rules, and the ends of the others if no rule is drawn along them.
fn lines(rules: &[Rule], across: &[Rule]) -> Vec<f32> {
    let mut lines: Vec<f32> = rules.iter().map(|rule| rule.at).collect();
    lines.push(across.iter().map(|rule| rule.from).fold(f32::INFINITY, f32::min));
    lines.push(across.iter().map(|rule| rule.to).fold(f32::NEG_INFINITY, f32::max));
    lines.sort_by(f32::total_cmp);
    lines.dedup_by(|b, a| *b - *a < MIN_CELL);
    lines
}

/// True if a rule is drawn at this line, past this place.
fn is_drawn(rules: &[Rule], line: f32, place: f32) -> bool {
    rules.iter().any(|rule| (rule.at - line).abs() < MIN_CELL && rule.from - SEAM <= place && place <= rule.to + SEAM)
}

/// The cell between lines that holds this place.
fn slot(lines: &[f32], place: f32) -> Option<usize> {
    let after = lines.partition_point(|line| *line <= place);
    (after > 0 && after < lines.len()).then(|| after - 1)
}

impl Grid {
    fn table(&self, words: &[PlacedWord], taken: &[bool]) -> Option<WordTable> {
        let (xs, ys) = (lines(&self.upright, &self.level), lines(&self.level, &self.upright));
        let (columns, rows) = (xs.len().checked_sub(1)?, ys.len().checked_sub(1)?);
        if columns < 2 || rows < 2 || columns > MAX_COLUMNS || rows > MAX_ROWS {
            return None;
        }
        let cells = self.cells(&xs, &ys);
        let mut texts: Vec<Vec<usize>> = vec![Vec::new(); rows * columns];
        let (mut inside, mut crossing) = (0, 0);
        for (word, index) in words.iter().zip(0..) {
            let (x, y) = word.middle();
            let (Some(column), Some(row)) = (slot(&xs, x), slot(&ys, y)) else { continue };
            if taken[index] || !word.is_eligible {
                continue;
            }
            inside += 1;
            let crosses = |line: f32| word.area.left < line - SAME_LINE && line + SAME_LINE < word.area.right;
            crossing += usize::from(xs.iter().any(|line| crosses(*line) && is_drawn(&self.upright, *line, y)));
            texts[cells[row * columns + column]].push(index);
        }
        if inside == 0 || crossing as f32 > MAX_CROSSING * inside as f32 {
            return None;
        }
        let support = (1..columns).map(|line| {
            let through = ys.windows(2).filter(|row| is_drawn(&self.upright, xs[line], (row[0] + row[1]) / 2.0));
            through.count() as f32 / rows as f32
        });
        if support.sum::<f32>() < MIN_SUPPORT * (columns - 1) as f32 {
            return None;
        }
        // Cells that begin in rows with text.
        let begins = |cell: usize| cells[cell] == cell;
        let has_text = |row: &usize| (0..columns).any(|column| !texts[row * columns + column].is_empty());
        let kept: Vec<usize> = (0..rows).filter(has_text).collect();
        let all = kept.iter().flat_map(|row| (row * columns..(row + 1) * columns).filter(|cell| begins(*cell))).count();
        let filled: Vec<String> =
            texts.iter().filter(|text| !text.is_empty()).map(|text| joined(text, words)).collect();
        let labels = filled.iter().filter(|text| signs::asks(text) || signs::is_blank_to_fill(text)).count();
        let in_columns =
            |column: &usize| kept.iter().filter(|row| !texts[*row * columns + column].is_empty()).count() >= 2;
        if kept.len() < 2
            || filled.len() < 4
            || (filled.len() as f32) < MIN_FILLED * all as f32
            || labels as f32 > MAX_LABELS * filled.len() as f32
            || filled.iter().any(|text| text.chars().count() > MAX_CELL_CHARS)
            || (0..columns).filter(in_columns).count() < 2
            || gaps(&texts, words) as f32 > MAX_GAPS * kept.len() as f32
        {
            return None;
        }
        let mut found = WordTable::default();
        for row in kept {
            let cells = (0..columns).zip(1..).map(|(column, number)| (number, texts[row * columns + column].clone()));
            let cells: Cells = cells.filter(|(_, words)| !words.is_empty()).collect();
            found.rows.extend(split(&cells, words).unwrap_or_else(|| vec![cells]));
        }
        Some(found)
    }

    /// For each place in the grid the one at which its cell begins, at the left top: cells without a rule between them
    /// are joined.
    fn cells(&self, xs: &[f32], ys: &[f32]) -> Vec<usize> {
        let columns = xs.len() - 1;
        let mut cells: Vec<usize> = (0..columns * (ys.len() - 1)).collect();
        for at in 0..cells.len() {
            let (row, column) = (at / columns, at % columns);
            let (x, y) = ((xs[column] + xs[column + 1]) / 2.0, (ys[row] + ys[row + 1]) / 2.0);
            if column + 1 < columns && !is_drawn(&self.upright, xs[column + 1], y) {
                join(&mut cells, at, at + 1);
            }
            if at + columns < cells.len() && !is_drawn(&self.level, ys[row + 1], x) {
                join(&mut cells, at, at + columns);
            }
        }
        (0..cells.len()).map(|at| root(&mut cells, at)).collect()
    }
}

/// The least member of a group, in a forest of groups whose roots are their least members.
fn root(groups: &mut [usize], mut at: usize) -> usize {
    while groups[at] != at {
        groups[at] = groups[groups[at]];
        at = groups[at];
    }
    at
}

fn join(groups: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(groups, a), root(groups, b));
    groups[a.max(b)] = a.min(b);
}

/// Wide gaps between words of one cell: if there are many, columns are not ruled.
fn gaps(cells: &[Vec<usize>], words: &[PlacedWord]) -> usize {
    let is_wide = |pair: &&[usize]| {
        let (Some(a), Some(b)) = (words.get(pair[0]), words.get(pair[1])) else { return false };
        let is_sign = !a.text.contains(char::is_alphanumeric);
        a.line == b.line && !is_sign && b.area.left - a.area.right > WIDE_GAP * a.size
    };
    cells.iter().map(|cell| cell.windows(2).filter(is_wide).count()).sum()
}

/// A row of the grid whose lines are rows of their own: they are next to each other in its columns, with values.
fn split(cells: &[(u32, Vec<usize>)], words: &[PlacedWord]) -> Option<Vec<Cells>> {
    let mut levels: Vec<(f32, f32)> = Vec::new();
    let mut all: Vec<&PlacedWord> =
        cells.iter().flat_map(|(_, cell)| cell).filter_map(|word| words.get(*word)).collect();
    all.sort_by(|a, b| a.middle().1.total_cmp(&b.middle().1));
    for word in all {
        let middle = word.middle().1;
        match levels.last_mut() {
            Some((_, last)) if middle - *last < 0.4 * (word.area.bottom - word.area.top) => *last = middle,
            _ => levels.push((middle, middle)),
        }
    }
    let rows: Vec<Cells> = levels
        .iter()
        .map(|(from, to)| {
            let on_level = |word: &usize| words.get(*word).is_some_and(|word| (*from..=*to).contains(&word.middle().1));
            let part = |(column, cell): &(u32, Vec<usize>)| {
                (*column, cell.iter().copied().filter(on_level).collect::<Vec<_>>())
            };
            cells.iter().map(part).filter(|(_, cell)| !cell.is_empty()).collect()
        })
        .collect();
    let beside = rows.iter().filter(|row| row.len() >= 2).count();
    let full = rows.iter().filter(|row| row.len() == cells.len()).count();
    let goes_on = |row: &&Cells| row.iter().any(|(_, cell)| signs::is_wordy(&joined(cell, words)));
    let is_full =
        cells.len() >= 3 && full * 10 >= rows.len() * 8 && rows.iter().filter(goes_on).count() * 5 <= rows.len();
    let valued = rows.iter().filter(|row| row.iter().any(|(_, cell)| signs::is_value(&joined(cell, words)))).count();
    let is_valued = beside * 10 >= rows.len() * 8 && valued * 10 >= rows.len() * 6;
    (rows.len() >= 3 && (is_valued || is_full)).then_some(rows)
}
