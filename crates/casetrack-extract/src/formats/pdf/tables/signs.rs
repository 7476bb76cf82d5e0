//! Signs of cells: texts that tables have in their cells, and those of lists, forms and tables of contents.

use casetrack_pages::build::table::Cell;
use casetrack_pages::text::roman;

use super::super::layout::list_marker;

/// An amount, a number, a date, or a substitute for one.
pub(super) fn is_value(text: &str) -> bool {
    Cell::from_text(1, text.to_owned()).is_value || stands_for_value(text)
}

/// A dash, "N/A", or a value that was blacked out.
pub(super) fn stands_for_value(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "$€£()[]".contains(c));
    !text.is_empty()
        && (bare.is_empty()
            || bare.chars().all(|c| "-–—*".contains(c))
            || ["n/a", "nil"].contains(&&*bare.to_lowercase()))
}

/// True if a text of signs only draws a line: "-----", "=====", "_____".
pub(super) fn draws_line(text: &str) -> bool {
    let signs = text.chars().filter(|c| !c.is_whitespace());
    signs.clone().count() >= 3 && signs.clone().all(|c| "-=_–—.*".contains(c))
}

/// "1.", "(a)", "iv)", "2.3", "•", "Section 4": the number of a list item, a clause or a line.
pub(super) fn numbers_item(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let is_short = bare.chars().count() <= 3;
    let alone = list_marker(&format!("{text} x")).is_some()
        || is_short && (bare.is_empty() || bare.chars().all(|c| c.is_ascii_digit()) || roman::value(bare).is_some());
    alone
        || ["section", "article", "exhibit", "schedule", "annex", "appendix", "clause"].iter().any(|part| {
            let word = text.split_whitespace().next().unwrap_or_default();
            word.eq_ignore_ascii_case(part) && text.split_whitespace().count() <= 2
        })
}

/// The number of a page, as tables of contents have it.
pub(super) fn page_number(text: &str) -> Option<u32> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || c == '.' || c == '-');
    bare.parse().ok().or_else(|| roman::value(bare)).filter(|number| *number < 2_000)
}

/// Dots that lead to a page number or an amount.
pub(super) fn has_leader(text: &str) -> bool {
    text.contains(".....") || text.contains(". . . .")
}

/// A line to write on, or a box to tick.
pub(super) fn is_blank_to_fill(text: &str) -> bool {
    text.contains("___") || text.contains(['☐', '□', '☑', '☒']) || text.contains("[ ]")
}

/// Labels in blocks of signatures, addresses and forms.
pub(super) fn asks(text: &str) -> bool {
    const LABELS: &[&str] = &[
        "by",
        "name",
        "title",
        "its",
        "signature",
        "signed",
        "witness",
        "attest",
        "address",
        "attn",
        "attention",
        "tel",
        "telephone",
        "phone",
        "fax",
        "facsimile",
        "email",
        "e-mail",
        "mobile",
        "print name",
        "to",
        "from",
        "re",
        "cc",
        "date",
        "dated",
        "telecopy",
        "telecopier",
        "ph",
        "if to",
        "executed",
    ];
    const ALONE: &[&str] = &["telephone", "phone", "fax", "facsimile", "e-mail", "email", "city", "zip", "address"];
    if ALONE.iter().any(|label| text.eq_ignore_ascii_case(label)) {
        return true;
    }
    let label = text.split([':', '/']).next().unwrap_or_default().trim().to_lowercase();
    text.trim_end().ends_with(':') || text.contains(':') && LABELS.contains(&&*label) || text.starts_with("/s/")
}

/// Running text continues with a small letter at the beginning of a cell.
pub(super) fn goes_on(text: &str) -> bool {
    text.starts_with(char::is_lowercase) && text.split_whitespace().count() >= 2
}

/// Part of a sentence rather than a label.
pub(super) fn is_wordy(text: &str) -> bool {
    text.split_whitespace().filter(|word| word.starts_with(char::is_lowercase)).count() >= 4
}

pub(super) fn has_letters(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() >= 2
}
