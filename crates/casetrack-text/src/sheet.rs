//! The matter sheet: as text, as a table in Markdown, and as comma-separated values.

mod people;

use std::fmt::Write;

use casetrack_core::single_spaced;
use casetrack_engine::sheet::{CellValue, ColumnType, ColumnView, Sheet, SheetRow};

use super::format::{amount, counted, cut, one_line, push_notices, thousands, trimmed};
use super::marks::{name, quote};
use crate::Reader;
pub use people::for_people;

/// Why a row lacks columns.
const NOT_FOUND: &str = " A column that a document does not list was not found in it.";
/// Longest value of a cell in text, in characters.
const VALUE_CHARS: usize = 240;
/// Longest clause in text, in characters.
const CLAUSE_CHARS: usize = 400;

/// Row by row, each value with its citation and confidence. `offset` is the number of the first row.
pub fn rows(sheet: &Sheet, offset: u32) -> String {
    let mut text = format!("Matter sheet of {}: {}", one_line(&sheet.collection), counted(sheet.documents, "document"));
    if sheet.total < sheet.documents {
        let _ = write!(text, ", {} of which fit the conditions", thousands(sheet.total));
    }
    text.push('\n');
    if !sheet.rows.is_empty() {
        text.push_str("Each value is followed by its place and how sure it is.");
        text.push_str(if sheet.rows.iter().any(|row| !row.not_found.is_empty()) { NOT_FOUND } else { "" });
        text.push('\n');
    }
    push_notices(&mut text, &sheet.notices);
    for (number, row) in (u64::from(offset) + 1..).zip(&sheet.rows) {
        let id = row.document_id.map(|id| format!(" (ID: {})", id.short())).unwrap_or_default();
        let _ = writeln!(text, "\n{number}. {}{id}", name(&row.document_name));
        for column in &sheet.columns {
            let values = row.values(&column.name).iter().map(|value| cited(value, column.column_type));
            let values: Vec<String> = values.collect();
            if !values.is_empty() {
                let _ = writeln!(text, "   {}: {}", column.name, values.join("; "));
            }
        }
        for (column, candidates) in not_sure(row, &sheet.columns) {
            let of_type = column.column_type;
            let all: Vec<String> = candidates.iter().map(|candidate| cited(candidate, of_type)).collect();
            let _ = writeln!(text, "   {}: not sure; candidates: {}", column.name, all.join("; "));
        }
    }
    if sheet.rows.is_empty() {
        text.push_str("\nNo document fits.");
    }
    let mut text = trimmed(text);
    Reader::Assistant.push_more(&mut text, sheet.total, sheet.next_offset);
    text
}

/// `2003-11-14, computed: 3 years from 2000-11-14 (p. 1) [p. 4, para. 2, l. 7; 80%]`
fn cited(value: &CellValue, of_type: ColumnType) -> String {
    let shown = match of_type {
        ColumnType::Text => quote(&cut(&value.value, VALUE_CHARS)),
        ColumnType::Amount => amount(&one_line(&value.value)),
        _ => one_line(&value.value).into_owned(),
    };
    let computed = computed(value);
    let clause = value.clause.as_ref().map(|clause| format!(", clause: {}", quote(&cut(clause, CLAUSE_CHARS))));
    format!("{shown}{computed} [{}; {}%]{}", value.place.place, value.confidence, clause.unwrap_or_default())
}

/// The columns of a row that are not sure, in the order of the sheet, with their candidates.
fn not_sure<'s>(
    row: &'s SheetRow,
    columns: &'s [ColumnView],
) -> impl Iterator<Item = (&'s ColumnView, &'s [CellValue])> {
    columns.iter().filter_map(|column| Some((column, row.not_sure.get(&column.name)?.as_slice())))
}

/// The words of a cell without a value; none if documents of its kind have no such fact.
fn no_value(row: &SheetRow, column: &ColumnView) -> &'static str {
    match row.not_sure.contains_key(&column.name) {
        true => "not sure",
        false if row.not_found.contains(&column.name) => "not found",
        false => "",
    }
}

fn computed(value: &CellValue) -> String {
    value.computed.as_ref().map(|how| format!(", computed: {}", one_line(how))).unwrap_or_default()
}

/// A table in Markdown: a line for each document.
pub fn markdown(sheet: &Sheet) -> String {
    let mut text = String::from("| document |");
    for column in &sheet.columns {
        let _ = write!(text, " {} |", column.name);
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(sheet.columns.len()));
    for row in &sheet.rows {
        let _ = write!(text, "\n| {} |", escaped(&row.document_name));
        for column in &sheet.columns {
            let values: Vec<String> = row
                .values(&column.name)
                .iter()
                .map(|value| {
                    let shown = match column.column_type {
                        ColumnType::Amount => amount(&value.value).into(),
                        _ => cut(&value.value, VALUE_CHARS),
                    };
                    format!("{}{} ({})", escaped(&shown), escaped(&computed(value)), value.place.place)
                })
                .collect();
            let cell = if values.is_empty() { no_value(row, column).to_owned() } else { values.join("; ") };
            let _ = write!(text, " {cell} |");
        }
    }
    Reader::Assistant.push_more(&mut text, sheet.total, sheet.next_offset);
    text
}

/// On one line, with the ends of cells escaped.
fn escaped(text: &str) -> String {
    one_line(&single_spaced(text)).replace('|', "\\|").replace('<', "&lt;")
}

/// Names of the fields of a table of texts: the document, then each column with one for its sources.
pub fn header(columns: &[ColumnView]) -> Vec<String> {
    let of_column = |column: &ColumnView| [column.name.clone(), format!("{} source", column.name)];
    std::iter::once("document".to_owned()).chain(columns.iter().flat_map(of_column)).collect()
}

/// The texts of a row, by [`header`]. A cell without a value is empty, and its source is "not found".
pub fn fields(row: &SheetRow, columns: &[ColumnView]) -> Vec<String> {
    let of_column = |column: &ColumnView| {
        let values = row.values(&column.name);
        let shown: Vec<&str> = values.iter().map(|value| value.value.as_str()).collect();
        let sources: Vec<String> = values
            .iter()
            .map(|value| format!("{}, {}%{}", value.place.place, value.confidence, computed(value)))
            .collect();
        let sources = if sources.is_empty() { no_value(row, column).to_owned() } else { sources.join("; ") };
        [shown.join("; "), sources]
    };
    std::iter::once(row.document_name.clone()).chain(columns.iter().flat_map(of_column)).collect()
}

/// Comma-separated values (RFC 4180), with a header. A text that a spreadsheet would read as a formula begins with an apostrophe.
pub fn csv(sheet: &Sheet) -> String {
    let line = |fields: Vec<String>| fields.iter().map(|field| csv_field(field)).collect::<Vec<_>>().join(",");
    let mut text = line(header(&sheet.columns));
    for row in &sheet.rows {
        text.push_str("\r\n");
        text.push_str(&line(fields(row, &sheet.columns)));
    }
    text
}

pub fn csv_field(text: &str) -> String {
    let text = single_spaced(text);
    let text = if is_formula(&text) { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// True if a spreadsheet would compute a text instead of showing it.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '|', '%', '＝', '＋', '－', '＠'])
}

/// The columns of a sheet, after one was defined.
pub fn columns(columns: &[ColumnView]) -> String {
    let mut text = String::from("Columns of the matter sheet:\n");
    for column in columns {
        let _ = write!(text, "\n  {} ({})", column.name, type_name(column.column_type));
        if let Some(definition) = &column.defined_by {
            let _ = write!(text, ": {}", quote(definition));
        }
    }
    text
}

fn type_name(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::Text => "text",
        ColumnType::Date => "date",
        ColumnType::Duration => "duration",
        ColumnType::Amount => "amount",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casetrack_engine::CitedPlace;

    use super::*;
    use crate::samples;

    pub(super) fn sheet(value: &str) -> Sheet {
        let column = |name: &str, column_type| ColumnView { name: name.to_owned(), column_type, defined_by: None };
        let place = CitedPlace { place: "p. 4, para. 2, l. 7".to_owned(), page: 4, char_start: 10, char_end: 20 };
        let computed = Some("3 years from 2000-11-14 (p. 1)".to_owned());
        let values = vec![CellValue {
            value: "2003-11-14".to_owned(),
            computed,
            place: place.clone(),
            confidence: 80,
            clause: None,
        }];
        let title = vec![CellValue { value: value.to_owned(), computed: None, place, confidence: 95, clause: None }];
        let cells = [("title".to_owned(), title), ("expiry".to_owned(), values)].into();
        let document = samples::document();
        Sheet {
            collection: "Acme".to_owned(),
            columns: vec![
                column("title", ColumnType::Text),
                column("expiry", ColumnType::Date),
                column("venue", ColumnType::Text),
            ],
            documents: 2,
            total: 1,
            rows: vec![SheetRow {
                document_id: Some(document.id),
                document_name: document.name,
                cells,
                not_sure: BTreeMap::new(),
                not_found: vec!["venue".to_owned()],
            }],
            next_offset: None,
            notices: Vec::new(),
        }
    }

    #[test]
    fn every_value_has_its_citation_and_what_is_missing_is_named() {
        assert_eq!(
            rows(&sheet("SUPPLY AGREEMENT"), 0),
            "Matter sheet of Acme: 2 documents, 1 of which fit the conditions\nEach value is followed by its place and how sure it is. \
             A column that a document does not list was not found in it.\n\n\
             1. Vendor_Agreement.docx (ID: d0c00001)\n   \
             title: \"SUPPLY AGREEMENT\" [p. 4, para. 2, l. 7; 95%]\n   \
             expiry: 2003-11-14, computed: 3 years from 2000-11-14 (p. 1) [p. 4, para. 2, l. 7; 80%]"
        );
    }

    #[test]
    fn a_spreadsheet_computes_no_text_of_a_document() {
        for formula in ["=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(A1)", "  =1"] {
            let text = csv(&sheet(formula));
            let line = text.lines().nth(1).unwrap();
            assert!(line.contains(&format!(",'{}", formula.trim())), "{line}");
        }
        let text = csv(&sheet("Acme, Inc. (\"Acme\")"));
        assert!(text.contains(",\"Acme, Inc. (\"\"Acme\"\")\","), "{text}");
        assert!(text.ends_with(",,not found"), "{text}");
    }

    #[test]
    fn a_cell_cannot_end_its_column_of_a_markdown_table() {
        let text = markdown(&sheet("a | b\nc"));
        assert!(text.lines().nth(2).unwrap().contains("| a \\| b c (p. 4, para. 2, l. 7) |"), "{text}");
        assert_eq!(text.lines().count(), 3);
    }
}
