//! The matter sheet for people: a table where its columns fit side by side, else a list of documents; in their words, with places.

use std::fmt::Write;

use casetrack_core::single_spaced;
use casetrack_engine::sheet::{CellValue, ColumnType, ColumnView, Sheet, SheetRow};
use unicode_width::UnicodeWidthStr;

use super::{VALUE_CHARS, computed, no_value, not_sure};
use crate::format::{amount, counted, cut, one_line, push_notices, thousands, trimmed};
use crate::terminal::{dim, strong, wrap};

/// Columns of the terminal between two of the table.
const GAP: usize = 2;
/// The narrowest column of a table: a date fits.
const NARROWEST: usize = 10;

/// `width` is the width of the terminal, in columns; without one, the text goes to a file and is a list.
pub fn for_people(sheet: &Sheet, width: Option<usize>) -> String {
    let mut text = format!("Matter sheet of {}: {}", one_line(&sheet.collection), counted(sheet.documents, "document"));
    if sheet.total < sheet.documents {
        let _ = write!(text, ", {} of which fit the conditions", thousands(sheet.total));
    }
    text.push('\n');
    push_notices(&mut text, &sheet.notices);
    if sheet.rows.is_empty() {
        return text + "\nNo document fits.";
    }
    text.push_str("Each value is followed by its place and how sure it is.\n");
    match width.and_then(|width| table(sheet, width)) {
        Some(table) => text.push_str(&table),
        None => list(&mut text, sheet),
    }
    trimmed(text)
}

/// `governing law` of the column governing_law, `non-compete` of non_compete.
fn words(column: &str) -> String {
    let words = column.replace('_', " ");
    match words.split_once(' ') {
        Some((prefix @ ("non" | "no"), rest)) => format!("{prefix}-{rest}"),
        _ => words,
    }
}

/// `Governing law` of the column governing_law.
fn title(column: &str) -> String {
    let words = words(column);
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    one_line(&first.chain(letters).collect::<String>()).into_owned()
}

fn value(cell: &CellValue, of_type: ColumnType) -> String {
    let said = single_spaced(&cell.value);
    let said = if of_type == ColumnType::Amount { amount(&said) } else { said };
    format!("{}{}", one_line(&cut(&said, VALUE_CHARS)), computed(cell))
}

fn place(cell: &CellValue) -> String {
    format!("{}; {}%", cell.place.place, cell.confidence)
}

fn list(text: &mut String, sheet: &Sheet) {
    let titles: Vec<String> = sheet.columns.iter().map(|column| title(&column.name)).collect();
    let widest = titles.iter().map(|title| title.width()).max().unwrap_or(0);
    for (number, row) in (1..).zip(&sheet.rows) {
        let _ = writeln!(text, "\n{number}. {}", one_line(&row.document_name));
        for (column, title) in sheet.columns.iter().zip(&titles) {
            let values = row.values(&column.name).iter();
            let values: Vec<String> =
                values.map(|cell| format!("{} [{}]", value(cell, column.column_type), place(cell))).collect();
            if !values.is_empty() {
                let room = " ".repeat(widest - title.width() + 1);
                let _ = writeln!(text, "   {title}:{room}{}", values.join("; "));
            }
        }
        for (column, candidates) in not_sure(row, &sheet.columns) {
            let of_type = column.column_type;
            let shown = |cell: &CellValue| format!("{} [{}]", value(cell, of_type), place(cell));
            let all: Vec<String> = candidates.iter().map(shown).collect();
            let _ = writeln!(text, "   {}: not sure; candidates: {}", title(&column.name), all.join("; "));
        }
        if !row.not_found.is_empty() {
            let missing: Vec<String> = row.not_found.iter().map(|column| words(column)).collect();
            let _ = writeln!(text, "   Not found: {}", one_line(&missing.join(", ")));
        }
    }
}

/// A part of a cell, which begins on a line of its own.
struct Part {
    text: String,
    dim: bool,
}

impl Part {
    fn new(text: String, dim: bool) -> Self {
        Self { text, dim }
    }

    fn lines(&self, width: usize) -> Vec<(&str, bool)> {
        wrap(&self.text, width, width).into_iter().map(|piece| (&self.text[piece], self.dim)).collect()
    }
}

/// A table, unless that would cut words.
fn table(sheet: &Sheet, width: usize) -> Option<String> {
    let header: Vec<Vec<Part>> = std::iter::once("Document".to_owned())
        .chain(sheet.columns.iter().map(|column| title(&column.name)))
        .map(|title| vec![Part::new(title, false)])
        .collect();
    let rows: Vec<Vec<Vec<Part>>> = sheet.rows.iter().map(|row| cells(row, &sheet.columns)).collect();
    let widths = widths(header.iter(), &rows, width)?;
    let mut text = String::from("\n");
    push_row(&mut text, &header, &widths, strong);
    let rule = "─".repeat(widths.iter().sum::<usize>() + GAP * (widths.len() - 1));
    let _ = writeln!(text, "{}", dim(&rule));
    for (n, row) in rows.iter().enumerate() {
        if n > 0 {
            text.push('\n');
        }
        push_row(&mut text, row, &widths, str::to_owned);
    }
    Some(text)
}

fn cells(row: &SheetRow, columns: &[ColumnView]) -> Vec<Vec<Part>> {
    let of_column = |column: &ColumnView| {
        let values = row.values(&column.name);
        match values.is_empty() {
            true => vec![Part::new(no_value(row, column).to_owned(), true)],
            false => values
                .iter()
                .flat_map(|cell| [Part::new(value(cell, column.column_type), false), Part::new(place(cell), true)])
                .collect(),
        }
    };
    let name = vec![Part::new(one_line(&row.document_name).into_owned(), false)];
    std::iter::once(name).chain(columns.iter().map(of_column)).collect()
}

/// The width of each column: at least its longest word, and a share of the rest for columns that would use it. `None` if they do not fit.
fn widths<'p>(
    header: impl Iterator<Item = &'p Vec<Part>>,
    rows: &'p [Vec<Vec<Part>>],
    width: usize,
) -> Option<Vec<usize>> {
    // The least and the greatest width that is of use.
    let mut bounds: Vec<(usize, usize)> = header.map(|cell| of_cell(cell)).collect();
    for row in rows {
        for (bound, cell) in bounds.iter_mut().zip(row) {
            let (least, most) = of_cell(cell);
            *bound = (bound.0.max(least), bound.1.max(most));
        }
    }
    let mut widths: Vec<usize> = bounds.iter().map(|&(least, most)| least.max(NARROWEST.min(most))).collect();
    let used = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
    for _ in 0..width.checked_sub(used)? {
        let (column, _) = bounds.iter().enumerate().max_by_key(|&(n, &(_, most))| most.saturating_sub(widths[n]))?;
        if bounds[column].1 <= widths[column] {
            break;
        }
        widths[column] += 1;
    }
    Some(widths)
}

fn of_cell(cell: &[Part]) -> (usize, usize) {
    let least = cell.iter().flat_map(|part| part.lines(1)).map(|(line, _)| line.width()).max().unwrap_or(0);
    (least, cell.iter().map(|part| part.text.width()).max().unwrap_or(0))
}

fn push_row(text: &mut String, cells: &[Vec<Part>], widths: &[usize], plain: impl Fn(&str) -> String) {
    let columns: Vec<Vec<(&str, bool)>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, &width)| cell.iter().flat_map(|part| part.lines(width)).collect())
        .collect();
    for n in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        // Spaces are written only before something, so that no line ends with them.
        let mut room = 0;
        for (column, &width) in columns.iter().zip(widths) {
            let (said, is_dim) = column.get(n).copied().unwrap_or_default();
            if !said.is_empty() {
                let dressed = if is_dim { dim(said) } else { plain(said) };
                let _ = write!(line, "{:room$}{dressed}", "");
                room = 0;
            }
            room += width.saturating_sub(said.width()) + GAP;
        }
        let _ = writeln!(text, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sheet;
    use super::*;
    use crate::terminal::{Layout, Paint, dress};

    #[test]
    fn people_read_the_names_of_columns_and_no_escapes() {
        let text = for_people(&sheet("The \"Supply\" Agreement"), None);
        let expected = "Matter sheet of Acme: 2 documents, 1 of which fit the conditions\nEach value is followed by its place and how sure it \
                        is.\n\n1. Vendor_Agreement.docx\n   Title:  The \"Supply\" Agreement [p. 4, para. 2, l. 7; 95%]\n   Expiry: 2003-11-14, \
                        computed: 3 years from 2000-11-14 (p. 1) [p. 4, para. 2, l. 7; 80%]\n   Not found: venue";
        assert_eq!(text, expected);
        assert_eq!(title("governing_law"), "Governing law");
        assert_eq!(title(""), "");
    }

    #[test]
    fn columns_that_fit_stand_side_by_side_and_words_stay_whole() {
        let sheet = sheet("A supply agreement of several words");
        let text = for_people(&sheet, Some(80));
        let dressed = dress(&text, Layout { columns: 80, paint: Paint::None });
        let lines: Vec<&str> = dressed.lines().collect();
        let header = lines.iter().position(|line| line.starts_with("Document  ")).unwrap();
        assert!(lines[header].contains("Title") && lines[header].ends_with("Venue"), "{dressed}");
        assert!(lines[header + 2].starts_with("Vendor_Agreement.docx  ") && lines[header + 2].ends_with("not found"));
        assert!(lines.iter().all(|line| line.width() <= 80 && !line.ends_with(' ')), "{dressed}");
        assert!(dressed.contains("p. 4, para. 2"), "{dressed}");
        // Too narrow for its longest words side by side.
        assert!(for_people(&sheet, Some(45)).contains("\n1. Vendor_Agreement.docx\n"));
    }
}
