//! Tables without rules: rows whose cells are below each other, with white between the columns.

use super::super::bidi;
use super::super::line::{Line, QuarterTurn};
use super::rivers::{Level, Segment, column_of, columns};
use super::signs;
use super::words::{PlacedWord, WordTable, joined};

/// Width of the gap between cells, as a share of the height of the print: no space between words is as wide.
const GAP: f32 = 0.95;
/// Rows are at most this far apart, as a share of the height of the print; a blank line is.
const MAX_APART: f32 = 1.7;
/// Rows with at least two cells that make a table.
const MIN_ROWS: usize = 3;
/// Rows of one cell in a row: as many as a wrapped label or the title of a group takes.
const MAX_SINGLE: usize = 2;
/// A page with more rows is left as it is: looking for tables takes the square of their number.
const MAX_LEVELS: usize = 250;
/// A row of one cell with as many characters is running text.
const PROSE: usize = 70;
/// Share of the columns found that must remain as rows are added.
const KEPT_COLUMNS: f32 = 0.6;

/// How many lines have wide gaps or are next to each other.
pub(super) fn divided_lines(lines: &[Line]) -> usize {
    let has_gap = |line: &Line| line.words.windows(2).any(|pair| pair[1].left - pair[0].right > GAP * line.size);
    let beside = |pair: &[Line]| {
        let (a, b) = (&pair[0].area, &pair[1].area);
        a.top < b.bottom && b.top < a.bottom && (a.right < b.left || b.right < a.left)
    };
    lines.iter().filter(|line| has_gap(line)).count() + lines.windows(2).filter(|pair| beside(pair)).count()
}

/// True if a line is drawn after one below it: cells may be drawn column by column.
pub(super) fn goes_back(lines: &[Line]) -> bool {
    lines.windows(2).any(|pair| pair[1].area.bottom < pair[0].area.top && pair[1].turn == QuarterTurn::NONE)
}

pub(super) fn may_hold(lines: &[Line]) -> bool {
    divided_lines(lines) >= MIN_ROWS || goes_back(lines)
}

/// Tables of a page, from its top downwards, of the words that are not in others.
pub(super) fn tables(words: &[PlacedWord], taken: &[bool]) -> Vec<WordTable> {
    let levels = levels(words, taken);
    let mut found = Vec::new();
    if levels.len() > MAX_LEVELS {
        return found;
    }
    for run in runs(&levels, words) {
        let mut start = 0;
        while let Some((end, table)) = first_table(&run[start..], words) {
            start += end;
            found.extend(table);
        }
    }
    found
}

/// Text by levels, from the top downwards.
fn levels(words: &[PlacedWord], taken: &[bool]) -> Vec<Level> {
    let mut eligible: Vec<usize> = (0..words.len()).filter(|word| !taken[*word] && words[*word].is_eligible).collect();
    eligible.sort_by(|a, b| words[*a].middle().1.total_cmp(&words[*b].middle().1));
    let height = |word: usize| words[word].area.bottom - words[word].area.top;
    let mut levels = Vec::new();
    let mut level: Vec<usize> = Vec::new();
    for word in eligible {
        let is_next = level.first().is_some_and(|first| {
            words[word].middle().1 - words[*first].middle().1 > 0.4 * height(word).min(height(*first))
        });
        if is_next {
            levels.push(divided(std::mem::take(&mut level), words));
        }
        level.push(word);
    }
    if !level.is_empty() {
        levels.push(divided(level, words));
    }
    levels
}

fn divided(mut level: Vec<usize>, words: &[PlacedWord]) -> Level {
    level.sort_by(|a, b| words[*a].area.left.total_cmp(&words[*b].area.left));
    let size = level.iter().map(|word| words[*word].size).sum::<f32>() / level.len().max(1) as f32;
    let mut segments: Vec<Segment> = Vec::new();
    for word in level.iter().copied() {
        let area = words[word].area;
        // Currency symbols belong to the amount behind them, the others to the text before them.
        let is_tail = matches!(words[word].text, "%" | ")" | ")%" | "%)");
        let follows_sign = |segment: &Segment| segment.words.last().is_some_and(|last| is_sign(words[*last].text));
        match segments.last_mut() {
            Some(last) if is_tail || area.left - last.right <= GAP * size || follows_sign(last) => {
                last.right = last.right.max(area.right);
                last.words.push(word);
            }
            _ => segments.push(Segment { left: area.left, right: area.right, words: vec![word] }),
        }
    }
    // Indices are in the order of reading, also in text that is read from right to left.
    for segment in &mut segments {
        if segment.words.iter().any(|word| bidi::runs_left(words[*word].text)) {
            segment.words.sort_unstable();
        }
    }
    Level {
        top: level.iter().map(|word| words[*word].area.top).fold(f32::INFINITY, f32::min),
        bottom: level.iter().map(|word| words[*word].area.bottom).fold(f32::NEG_INFINITY, f32::max),
        size,
        segments,
    }
}

fn is_sign(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "US$" | "C$" | "A$" | "($" | "(" | "RMB" | "USD" | "EUR" | "GBP")
}

/// Levels that follow each other closely, with a divided one at each end.
fn runs<'a>(levels: &'a [Level], words: &[PlacedWord]) -> Vec<&'a [Level]> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < levels.len() {
        if !levels[start].is_divided() {
            start += 1;
            continue;
        }
        let (mut end, mut single) = (start + 1, 0);
        let mut last_divided = start;
        while let Some(level) = levels.get(end) {
            let above = &levels[end - 1];
            if level.top - above.bottom > MAX_APART * above.size.max(level.size) {
                break;
            }
            if level.is_divided() {
                (last_divided, single) = (end, 0);
            } else {
                single += 1;
                if single > MAX_SINGLE || is_prose(level, words) {
                    break;
                }
            }
            end += 1;
        }
        if last_divided + 1 - start >= MIN_ROWS {
            runs.push(&levels[start..=last_divided]);
        }
        start = last_divided.max(start) + 1;
    }
    runs
}

fn is_prose(level: &Level, words: &[PlacedWord]) -> bool {
    level.segments.iter().any(|segment| joined(&segment.words, words).chars().count() >= PROSE)
}

/// The first rows of a run that have columns in common, and the table that they are, if any; `None` for a run with too few rows.
fn first_table(run: &[Level], words: &[PlacedWord]) -> Option<(usize, Option<WordTable>)> {
    if run.iter().filter(|level| level.is_divided()).count() < MIN_ROWS {
        return None;
    }
    let (mut most, mut common) = (0, None);
    for end in MIN_ROWS..=run.len() {
        let rows = &run[..end];
        if rows.last().is_some_and(|row| !row.is_divided())
            || rows.iter().filter(|row| row.is_divided()).count() < MIN_ROWS
        {
            continue;
        }
        let columns = columns(rows);
        if columns.len() < 2 || (columns.len() as f32) < KEPT_COLUMNS * most as f32 {
            break;
        }
        most = most.max(columns.len());
        common = Some((end, columns));
    }
    // Without common columns the next rows may have some.
    let Some((end, columns)) = common else { return Some((1, None)) };
    let table = table(&run[..end], &columns, words);
    let passed = if table.is_some() { end } else { 1 };
    Some((passed, table))
}

fn table(rows: &[Level], columns: &[(f32, f32)], words: &[PlacedWord]) -> Option<WordTable> {
    let mut found = WordTable::default();
    let mut texts: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let mut cells: Vec<Vec<usize>> = vec![Vec::new(); columns.len()];
        for segment in &row.segments {
            cells[column_of(segment, columns)].extend(&segment.words);
        }
        texts.push(cells.iter().map(|cell| joined(cell, words)).collect());
        found.rows.push((1..).zip(cells).filter(|(_, cell)| !cell.is_empty()).collect());
    }
    let sheet = Sheet { rows: texts };
    (sheet.is_plain() && (sheet.has_values() || sheet.is_named())).then_some(found)
}

/// Texts of cells, empty without text; each row has as many.
struct Sheet {
    rows: Vec<Vec<String>>,
}

/// Limits for a table without values: most characters of a cell on average, and of a name of a column.
const MAX_MEAN_CHARS: f32 = 28.0;
const MAX_NAME_CHARS: usize = 40;
/// Rows that may name the columns of a table with values.
const MAX_NAME_ROWS: usize = 3;
/// Lines of running text: how many at least in the first column, whose labels may be long, and in another; characters
/// on average; the share of them that reach this share of the longest.
const MIN_LINES: [usize; 2] = [8, 3];
const MIN_MEAN_CHARS: usize = 35;
const FULL_LINES: (usize, usize) = (60, 80);
const MAX_CELL_CHARS: usize = 160;

impl Sheet {
    fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Rows with at least two cells that do not only draw lines.
    fn full_rows(&self) -> impl Iterator<Item = &Vec<String>> + Clone {
        self.rows
            .iter()
            .filter(|row| row.iter().filter(|cell| !cell.is_empty() && !signs::draws_line(cell)).count() >= 2)
    }

    fn cells(&self) -> impl Iterator<Item = &String> + Clone {
        self.rows.iter().flatten().filter(|cell| !cell.is_empty() && !signs::draws_line(cell))
    }

    fn column(&self, column: usize) -> impl Iterator<Item = &String> + Clone {
        let cells = self.full_rows().filter_map(move |row| row.get(column));
        cells.filter(|cell| !cell.is_empty() && !signs::draws_line(cell))
    }

    /// True if nothing speaks against a table: it is no list, no table of contents, no form, no block of signatures, no running text.
    fn is_plain(&self) -> bool {
        let (full, all) = (self.full_rows().count(), self.rows.len());
        let is_text = |cell: &&String| signs::goes_on(cell);
        let flows = |column: usize| {
            let cells = self.column(column);
            let count = cells.clone().count();
            count >= 3 && cells.filter(is_text).count() * 100 >= count * 35
        };
        // Sentences next to something, or next to each other, are text in columns.
        let wordy = |row: &Vec<String>, from: usize| row.iter().skip(from).filter(|cell| signs::is_wordy(cell)).count();
        let sentences = self.full_rows().filter(|row| wordy(row, 1) > 0).count();
        let is_text_beside_text = self.full_rows().any(|row| wordy(row, 0) >= 2);
        let asking = self.cells().filter(|cell| signs::asks(cell) || signs::is_blank_to_fill(cell)).count();
        full >= MIN_ROWS
            && full * 2 >= all
            && !(0..self.width()).any(flows)
            && !(0..self.width()).any(|column| self.is_running_text(column))
            && sentences * 6 <= full
            && !is_text_beside_text
            && asking * 6 <= self.cells().count()
            && asking < 3
            && self.cells().all(|cell| cell.chars().count() <= MAX_CELL_CHARS)
            && !self.is_contents()
    }

    /// True if a column has lines that end for lack of room, as the text next to a chart does, and not cells that end
    /// with their content.
    fn is_running_text(&self, column: usize) -> bool {
        let lines = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let chars: Vec<usize> = lines.map(|cell| cell.chars().count()).collect();
        let longest = chars.iter().max().copied().unwrap_or(0);
        let full = chars.iter().filter(|count| **count * 100 >= longest * FULL_LINES.1).count();
        chars.len() >= MIN_LINES[usize::from(column > 0)]
            && chars.iter().sum::<usize>() >= MIN_MEAN_CHARS * chars.len()
            && full * 100 >= chars.len() * FULL_LINES.0
    }

    /// True if the last column counts pages: it has only numbers, which never fall; or if dots lead to the
    /// numbers of pages.
    fn is_contents(&self) -> bool {
        let others_have_values = (1..self.width().saturating_sub(1)).any(|column| self.is_value_column(column));
        let numbers_of = |column: usize| self.column(column).map(|cell| signs::page_number(cell)).collect::<Vec<_>>();
        let has_pages = |numbers: Vec<Option<u32>>| numbers.iter().flatten().count() * 2 >= numbers.len().max(1);
        let numbers = numbers_of(self.width().saturating_sub(1));
        let known: Vec<u32> = numbers.iter().copied().flatten().collect();
        let counts = known.len() * 10 >= numbers.len() * 7 && known.is_sorted();
        let leaders = self.cells().filter(|cell| signs::has_leader(cell)).count();
        let leads_to_pages =
            || leaders * 2 >= self.full_rows().count() && (1..self.width()).any(|column| has_pages(numbers_of(column)));
        counts && !others_have_values || leads_to_pages()
    }

    /// True if a column, apart from its name, has values which do not only number the rows.
    fn is_value_column(&self, column: usize) -> bool {
        let cells: Vec<&String> = self.column(column).collect();
        let values = cells.iter().filter(|cell| signs::is_value(cell)).count();
        let real = cells.iter().filter(|cell| signs::is_value(cell) && !signs::stands_for_value(cell)).count();
        let numbering = cells.iter().filter(|cell| signs::numbers_item(cell)).count();
        let counts = || {
            let numbers: Vec<u32> = cells.iter().filter_map(|cell| signs::page_number(cell)).collect();
            numbers.len() + 1 >= cells.len() && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
        };
        let only_numbers = numbering == cells.len() && (column == 0 || counts());
        values >= 2 && real >= 2 && values * 10 >= cells.len() * 6 && !only_numbers
    }

    /// True if most rows have a value behind their first cell, and the columns or rows are named.
    fn has_values(&self) -> bool {
        let columns: Vec<usize> = (1..self.width()).filter(|column| self.is_value_column(*column)).collect();
        let has_value = |row: &&Vec<String>| {
            columns.iter().any(|column| row.get(*column).is_some_and(|cell| signs::is_value(cell)))
        };
        let full = self.full_rows().count();
        let filled = self.full_rows().flatten().filter(|cell| !cell.is_empty()).count();
        let is_labelled = |row: &&Vec<String>| row.first().is_some_and(|cell| signs::has_letters(cell));
        let mut names = self.full_rows().take(MAX_NAME_ROWS);
        let is_named = names.any(|row| {
            let letters = row.iter().filter(|cell| signs::has_letters(cell)).count();
            letters >= 2 && letters * 2 >= self.width()
        });
        !columns.is_empty()
            && self.full_rows().filter(has_value).count() * 2 >= full
            && filled * 100 >= full * self.width() * 45
            && (is_named || self.full_rows().filter(is_labelled).count() * 10 >= full * 7)
    }

    /// True if three columns and more of short texts are named by the first row.
    fn is_named(&self) -> bool {
        let width = self.width();
        let Some(names) = self.full_rows().next() else { return false };
        let is_name = |cell: &String| {
            signs::has_letters(cell) && !cell.starts_with(char::is_lowercase) && cell.chars().count() <= MAX_NAME_CHARS
        };
        let chars: usize = self.cells().map(|cell| cell.chars().count()).sum();
        let (cells, full) = (self.cells().count(), self.full_rows().count());
        let numbered = self.column(0).filter(|cell| signs::numbers_item(cell)).count() * 2 >= full;
        width >= 3 + usize::from(numbered)
            && full > MIN_ROWS
            && full * 10 >= self.rows.len() * 8
            && names.iter().all(is_name)
            && cells * 100 >= full * width * 75
            && chars as f32 <= MAX_MEAN_CHARS * cells as f32
            && !self.cells().any(|cell| signs::goes_on(cell) && cell.split_whitespace().count() >= 3)
    }
}
