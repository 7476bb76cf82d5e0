//! Formulas whose results are not in the file: they are shown as formulas.

use casetrack_core::column_letters;

use super::sheet::cell_reference;

/// More of a formula than anyone reads is left out, in characters.
const MAX_FORMULA_CHARS: usize = 200;

/// The text of a cell that has a formula and no result. The formula comes with or without its equals sign.
pub(super) fn without_value(formula: &str) -> String {
    let formula = formula.trim().trim_start_matches('=');
    match formula.char_indices().nth(MAX_FORMULA_CHARS) {
        _ if formula.is_empty() => "(formula, no value stored)".to_owned(),
        Some((end, _)) => format!("={}… (no value stored)", &formula[..end]),
        None => format!("={formula} (no value stored)"),
    }
}

/// A formula of OpenDocument in the notation of spreadsheets: `of:=SUM([.B2:.B9])` is `SUM(B2:B9)`.
pub(super) fn of_open_document(formula: &str) -> String {
    let formula = formula.split_once(":=").map_or(formula, |(_, formula)| formula);
    let mut plain = String::with_capacity(formula.len());
    let mut is_text = false;
    let mut before = ' ';
    let mut is_reference = false;
    for c in formula.chars() {
        is_text ^= c == '"';
        match c {
            '[' if !is_text => is_reference = true,
            ']' if !is_text => is_reference = false,
            // A dot precedes a cell of the same sheet, and separates a sheet from its cell.
            '.' if is_reference && matches!(before, '[' | ':') => {}
            c => plain.push(c),
        }
        before = c;
    }
    plain
}

/// A formula that several cells share, as the cell `rows` and `columns` away from the first has it ([ECMA-376] Part 1, 18.3.1.40): the
/// references without `$` move with it.
pub(super) fn moved(formula: &str, rows: i64, columns: i64) -> String {
    let mut text = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some(first) = rest.chars().next() {
        if matches!(first, '"' | '\'') {
            let end = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if end == 0 {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        // LOG10( is a function, and Q1! a sheet.
        let is_name = after.starts_with(['(', '!']);
        match moved_reference(word, rows, columns).filter(|_| !is_name) {
            Some(reference) => text.push_str(&reference),
            None => text.push_str(word),
        }
        rest = after;
    }
    text
}

fn moved_reference(word: &str, rows: i64, columns: i64) -> Option<String> {
    let (row, column) = cell_reference(word)?;
    let column_is_fixed = word.starts_with('$');
    let row_is_fixed = word[1..].contains('$');
    let column = u32::try_from(i64::from(column) + if column_is_fixed { 0 } else { columns }).ok()?;
    let row = u32::try_from(i64::from(row) + if row_is_fixed { 0 } else { rows }).ok()?;
    let dollar = |is_fixed: bool| if is_fixed { "$" } else { "" };
    Some(format!("{}{}{}{row}", dollar(column_is_fixed), column_letters(column), dollar(row_is_fixed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_formulas_move_with_their_cells() {
        for (formula, expected) in [
            ("B2*C2", "C5*D5"),
            ("$B$2*C$2+$C2", "$B$2*D$2+$C5"),
            ("LOG10(A1)&\"A1\"&'Q1'!A1", "LOG10(B4)&\"A1\"&'Q1'!B4"),
            ("SUM(A1:A9)/Rate_1", "SUM(B4:B12)/Rate_1"),
            ("Tab1!A1", "Tab1!B4"),
        ] {
            assert_eq!(moved(formula, 3, 1), expected, "{formula}");
        }
    }

    #[test]
    fn formulas_are_shown_as_people_write_them() {
        assert_eq!(without_value("SUM(B2:B9)"), "=SUM(B2:B9) (no value stored)");
        assert_eq!(
            without_value(&of_open_document("of:=SUM([.B2:.B9];[Plan.A1])")),
            "=SUM(B2:B9;Plan.A1) (no value stored)"
        );
        assert_eq!(of_open_document("oooc:=CONCATENATE(\"[.A1]\";[.A1])"), "CONCATENATE(\"[.A1]\";A1)");
        assert_eq!(without_value(""), "(formula, no value stored)");
        assert!(without_value(&"A1+".repeat(900)).ends_with("A1… (no value stored)"));
    }
}
