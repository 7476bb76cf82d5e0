//! The numbers that a citation has: pages, Bates numbers, sections, exhibits, paragraphs and lines.

use std::ops::Range;

use casetrack_core::BatesNumber;

/// Longest label that a page has printed on it, in characters.
const MAX_PAGE_LABEL: usize = 10;
/// Digits of a Bates number without the word before it.
const MIN_BATES_DIGITS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelKind {
    Page,
    Bates,
    /// A numbered section, clause or article.
    Section,
    /// A schedule, exhibit, annex or appendix.
    Part,
    /// "para. 24", which may be counted on the page, printed, or mean a section.
    Paragraph,
    /// "¶ 24", a printed number.
    Numbered,
    Line,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub kind: LabelKind,
    /// The number, as it is written.
    pub number: String,
    pub place: Range<usize>,
}

/// "p. 3", "pp. 3-4", "p. A-1"; "§ 4.2", "clause 4.2(b)", "Article IV"; "Exhibit B"; "paras. 8-9", "¶ 12"; "ll. 1-4"; "SMITH000042".
pub(super) fn labels(text: &str) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let inner = word.trim_end().trim_start_matches(['(', '[', ',', ';', '—', '–', '“', '"']);
        let begin = start + word.trim_end().len() - inner.len();
        if let Some((kind, from)) = kind(text, inner, begin, at)
            && let Some(number) = number(kind, &text[from..])
        {
            let end = from + number.len();
            labels.push(Label { kind, place: begin..end, number });
        } else if let Some(number) = bates(inner)
            && labels.last().is_none_or(|last| last.place.end <= begin)
        {
            labels.push(Label { kind: LabelKind::Bates, place: begin..begin + number.len(), number });
        }
    }
    labels
}

/// The kind that the word at `begin` gives to the number behind it, and the start of the number. The next word is at `next`.
fn kind(text: &str, word: &str, begin: usize, next: usize) -> Option<(LabelKind, usize)> {
    for (sign, kind) in [('§', LabelKind::Section), ('¶', LabelKind::Numbered)] {
        if word.starts_with(sign) {
            let rest = text[begin..].trim_start_matches([sign, ' ', '\u{a0}']);
            return Some((kind, text.len() - rest.len()));
        }
    }
    let folded = word.trim_end_matches('.').to_lowercase();
    let kind = match folded.as_str() {
        "p" | "pp" | "page" | "pages" | "pg" => LabelKind::Page,
        "bates" => LabelKind::Bates,
        "section" | "sections" | "sec" | "clause" | "clauses" | "cl" | "article" | "articles" | "art" => {
            LabelKind::Section
        }
        "schedule" | "exhibit" | "annex" | "appendix" => LabelKind::Part,
        "para" | "paras" | "paragraph" | "paragraphs" => LabelKind::Paragraph,
        "l" | "ll" | "line" | "lines" if !word.starts_with('L') => LabelKind::Line,
        _ => return None,
    };
    Some((kind, next))
}

fn number(kind: LabelKind, text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '(' | ')' | '-' | '–' | '_');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let number = text[..length].trim_end_matches(['.', '-', '–']);
    let number = if number.contains('(') { number } else { number.trim_end_matches(')') };
    let number = number.trim_end_matches('.');
    let has_digit = number.contains(|c: char| c.is_ascii_digit());
    let begins_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
    let is_roman = |signs: &str| !number.is_empty() && number.chars().all(|c| signs.contains(c));
    let is_letter = number.len() == 1 && number.starts_with(|c: char| c.is_ascii_uppercase());
    let fits = match kind {
        LabelKind::Page => {
            begins_with_digit
                || number.chars().count() <= MAX_PAGE_LABEL && (has_digit || is_roman("ivxl") || is_roman("IVXL"))
        }
        LabelKind::Bates => has_digit,
        LabelKind::Section => begins_with_digit || is_roman("IVXL") || is_letter,
        LabelKind::Part => has_digit || is_roman("IVXL") || is_letter,
        LabelKind::Paragraph | LabelKind::Numbered | LabelKind::Line => begins_with_digit,
    };
    fits.then(|| number.to_owned())
}

/// A Bates number without a word before it: capitals and then digits.
fn bates(word: &str) -> Option<String> {
    let word = word.trim_end_matches([')', ']', '.', ',', ';', ':']);
    let number: BatesNumber = word.parse().ok()?;
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let is_stamp = number.width >= MIN_BATES_DIGITS
        && number.prefix.starts_with(|c: char| c.is_ascii_uppercase())
        && number.prefix.chars().all(is_capital);
    is_stamp.then(|| word.to_owned())
}

/// The first and the last number of "3", "3-4" or "123-4".
pub(super) fn range(number: &str) -> Option<(u32, u32)> {
    let mut numbers = number.split(['-', '–']).map(|number| number.parse::<u32>().ok());
    let first = numbers.next().flatten()?;
    let last = match numbers.next() {
        None => first,
        Some(last) => match last? {
            last if last >= first => last,
            // "123-4" ends at 124.
            last => {
                let power = 10u32.checked_pow(last.checked_ilog10().unwrap_or(0) + 1)?;
                Some(first / power * power + last).filter(|end| *end >= first).unwrap_or(first)
            }
        },
    };
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_citations_are_told_apart() {
        use LabelKind::{Bates, Line, Numbered, Page, Paragraph, Part, Section};
        for (text, expected) in [
            ("(X.pdf, p. 4, para. 24, ll. 28-29)", &[(Page, "4"), (Paragraph, "24"), (Line, "28-29")][..]),
            ("pp. 3–4 and page 12.", &[(Page, "3–4"), (Page, "12")]),
            ("p. A-1; p. iii", &[(Page, "A-1"), (Page, "iii")]),
            (
                "p. 7 (Exhibit 3, ¶¶ 12-14, Bates SMITH000042)",
                &[(Page, "7"), (Part, "3"), (Numbered, "12-14"), (Bates, "SMITH000042")],
            ),
            ("Lease, SMITH000042", &[(Bates, "SMITH000042")]),
            (
                "§14.3, §§ 4.2, Section 4.2(b), Article IV.",
                &[(Section, "14.3"), (Section, "4.2"), (Section, "4.2(b)"), (Section, "IV")],
            ),
            ("Schedule B, clause 4", &[(Part, "B"), (Section, "4")]),
            ("page of the ISO 27001 page, in 2010 by ACME", &[]),
        ] {
            let found = labels(text);
            let found: Vec<(LabelKind, &str)> = found.iter().map(|label| (label.kind, &*label.number)).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(
            [range("3"), range("3-4"), range("123-4"), range("A-1")],
            [Some((3, 3)), Some((3, 4)), Some((123, 124)), None]
        );
    }
}
