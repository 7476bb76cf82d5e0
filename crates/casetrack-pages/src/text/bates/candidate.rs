//! Parts of a line that may be Bates numbers.

use casetrack_core::BatesNumber;

use super::lines::{EdgeLine, EdgePosition};

/// Digits of a number with a prefix, and of one without.
const MIN_DIGITS: usize = 4;
const MIN_DIGITS_ALONE: usize = 5;
const MAX_DIGITS: usize = 12;
/// Letters and digits of a prefix, and its words.
const MAX_PREFIX: usize = 24;
const MAX_WORDS: usize = 3;

/// Words before numbers that are something else: pages, forms, telephones, invoices, cases, dates.
const OTHER_NUMBERS: [&str; 60] = [
    "PAGE", "PAGES", "PAGEID", "PG", "PP", "NO", "NOS", "NR", "NUMBER", "ID", "FORM", "REV", "VER", "VERSION", "TEL",
    "PHONE", "FAX", "ISBN", "ISSN", "OMB", "ZIP", "BOX", "INV", "INVOICE", "CHECK", "CHEQUE", "ORDER", "PO", "ITEM",
    "LINE", "ROW", "FIG", "TABLE", "SECTION", "FILE", "CASE", "DOC", "DOCUMENT", "DKT", "DOCKET", "CV", "CIV", "CR",
    "BK", "MC", "FILED", "DATE", "FRAME", "REEL", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT",
    "NOV",
];
const MORE_OTHER_NUMBERS: [&str; 13] = [
    "DEC",
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
    "SUITE",
];
/// Words that precede a number, or are above it, and are no part of it.
const BESIDE: [&str; 15] = [
    "CONFIDENTIAL",
    "CONFIDENTIALITY",
    "RESTRICTED",
    "PRIVILEGED",
    "PRIVATE",
    "SECRET",
    "ONLY",
    "EYES",
    "BATES",
    "PRODUCED",
    "INFORMATION",
    "MATERIAL",
    "TREATMENT",
    "REQUESTED",
    "BY",
];

/// A candidate for a Bates number, with its place.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub number: BatesNumber,
    /// As [`BatesNumber::series`] has it.
    pub series: String,
    pub place: EdgePosition,
    /// True if the line has nothing else.
    pub is_alone: bool,
}

impl Reading {
    /// True if the number is filled up with zeros.
    pub fn is_padded(&self) -> bool {
        self.number.width > self.number.number.to_string().len()
    }
}

/// The readings of a line. If OCR read it, hyphens may have spaces next to them that are not there.
pub(super) fn readings(line: &EdgeLine<'_>, by_ocr: bool) -> Vec<Reading> {
    let mut readings = of_text(line.text, line);
    if by_ocr {
        let mut more = of_text(&joined(line.text, false), line);
        more.retain(|reading| readings.iter().all(|known| known.number != reading.number));
        readings.append(&mut more);
    }
    readings
}

/// The readings of a line without any spaces next to hyphens, which may join a number to unrelated text.
pub(super) fn closed_up(line: &EdgeLine<'_>) -> Vec<Reading> {
    of_text(&joined(line.text, true), line)
}

/// A line without the spaces next to hyphens within a number: before digits, and if only one side has a space; with
/// `all` at every hyphen. Spaces around a full stop between a word and digits go too: it ends no sentence there.
fn joined(line: &str, all: bool) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if !matches!(c, '-' | '–' | '—' | '_' | '~' | '.') {
            text.push(c);
            continue;
        }
        let (before, after) = (text.trim_end().len(), rest.trim_start());
        let is_apart = before < text.len() && after.len() < rest.len();
        let is_before_digits = after.starts_with(|c: char| c.is_ascii_digit());
        let closes = match c {
            '.' => is_apart && is_before_digits,
            _ => all || !is_apart || is_before_digits,
        };
        if closes {
            text.truncate(before);
            rest = after;
        }
        text.push(if matches!(c, '_' | '.') { c } else { '-' });
    }
    text
}

fn of_text(text: &str, line: &EdgeLine<'_>) -> Vec<Reading> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut readings = Vec::new();
    let mut add = |prefix: &str, digits: &str, words_of_it: usize| {
        if let Ok(number) = format!("{prefix}{digits}").parse::<BatesNumber>() {
            let is_alone = words_of_it == words.len();
            readings.push(Reading { series: number.series(), number, place: line.place, is_alone });
        }
    };
    for (n, word) in words.iter().enumerate() {
        let Some((prefix, digits)) = parts(word) else { continue };
        match prefix {
            "" => match before(&words[..n], digits) {
                Some(Before::Prefix(word)) => {
                    add(&format!("{word} "), digits, 2);
                    if let Some(run) = several_words(&words[..n]).filter(|_| !line.has_gap) {
                        add(&format!("{} ", run.join(" ")), digits, run.len() + 1);
                    }
                }
                Some(Before::Nothing) if digits.len() >= MIN_DIGITS_ALONE => add("", digits, 1),
                _ => {}
            },
            prefix if is_prefix(prefix) => add(prefix, digits, 1),
            _ => {}
        }
    }
    readings
}

/// The words in capitals at the end that make a prefix of several, such as the name of a party. They begin the line, or
/// follow unrelated text; others are the end of a title or a sentence.
fn several_words<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    let is_capitals = |word: &str| {
        word.starts_with(char::is_alphabetic)
            && word.ends_with(char::is_alphanumeric)
            && !word.contains(char::is_lowercase)
            && is_prefix(word)
            && !BESIDE.contains(&word)
    };
    let count = words.iter().rev().take_while(|word| is_capitals(word) || **word == "&").count();
    let (before, run) = words.split_at(words.len() - count);
    let ends_there = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_uppercase();
        BESIDE.contains(&&*bare) || bare.chars().all(|c| c.is_ascii_digit())
    };
    let letters = run.iter().flat_map(|word| word.chars()).filter(|c| c.is_alphanumeric()).count();
    let is_run = (2..=MAX_WORDS).contains(&count) && letters <= MAX_PREFIX && run.first() != Some(&"&");
    (is_run && before.last().is_none_or(ends_there)).then_some(run)
}

/// The part of a word before its last digits, and the digits, without punctuation around them and without a suffix of
/// letters, as in `SMITH000042-CONF`.
fn parts(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let word = match word.rsplit_once(['-', '_', '.']) {
        Some((number, suffix)) if !suffix.is_empty() && suffix.chars().all(char::is_alphabetic) => number,
        _ => word,
    };
    let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[prefix.len()..];
    let prefix = match prefix.split_once('-') {
        Some((first, rest)) if BESIDE.contains(&first.to_uppercase().as_str()) => rest,
        _ => prefix,
    };
    (MIN_DIGITS..=MAX_DIGITS).contains(&digits.len()).then_some((prefix, digits))
}

fn is_prefix(prefix: &str) -> bool {
    let letters: String = prefix.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_uppercase).collect();
    !letters.is_empty()
        && !is_other(&letters)
        && prefix.chars().filter(|c| c.is_alphanumeric()).count() <= MAX_PREFIX
        && prefix.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '&'))
}

fn is_other(word: &str) -> bool {
    OTHER_NUMBERS.contains(&word) || MORE_OTHER_NUMBERS.contains(&word)
}

/// The text before digits.
enum Before<'w> {
    Prefix(&'w str),
    /// Nothing that belongs to them.
    Nothing,
}

/// `None` if the words before make the digits another number.
fn before<'w>(words: &[&'w str], digits: &str) -> Option<Before<'w>> {
    let Some(word) = words.iter().rev().find(|word| word.contains(char::is_alphanumeric)) else {
        return Some(Before::Nothing);
    };
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let upper = bare.to_uppercase();
    if BESIDE.contains(&upper.as_str()) {
        return Some(Before::Nothing);
    }
    let labels = words.last().is_some_and(|last| last.ends_with([':', '#', '=']));
    if labels || is_other(&upper) {
        return None;
    }
    let is_padded = digits.starts_with('0') || digits.len() > MIN_DIGITS_ALONE;
    let is_adjacent = words.last() == Some(word);
    match is_padded && is_adjacent && is_prefix(bare) && !word.ends_with([',', ';', '.', ')']) {
        true => Some(Before::Prefix(bare)),
        false => Some(Before::Nothing),
    }
}
