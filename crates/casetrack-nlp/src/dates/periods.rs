//! Quarters, halves, fiscal years and bare years.

use jiff::civil::Date;

use super::calendar::{century, year_at};
use super::date_parts::DateParts;
use crate::numbers::ordinal;
use crate::tokens::{Gap, Tokens};

/// "Q3", "H1" or "FY" and what follows; "third quarter of 2023", "first half of 2023", "fiscal year 2023".
///
/// A fiscal year and its quarters are taken as those of the calendar: documents seldom state when theirs begin.
pub fn period(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    if at > 0
        && tokens.glued(at)
        && (tokens.is_number(at - 1) || tokens.is_word(at - 1) || tokens.symbol(at - 1) == '_')
    {
        return None;
    }
    match tokens.word(at) {
        "q" | "h" if tokens.is_capitalized(at) && tokens.glued(at + 1) => {
            let number = tokens.number(at + 1)? as i8;
            let (year, next) = year_of_period(tokens, at + 2)?;
            part_of_year(year, number, tokens.word(at) == "q").map(|stated| (stated, next))
        }
        "fy" if tokens.is_upper(at) => {
            let (year, next) = fiscal(tokens, at)?;
            Some((DateParts::Year(year), next))
        }
        "fiscal" | "calendar" | "tax" | "financial" | "year" | "years" => {
            let mut next = at + 1;
            if matches!(tokens.word(next), "year" | "years") {
                next += 1;
            } else if tokens.word(at).starts_with("tax") || tokens.word(at).starts_with("fin") {
                return None;
            }
            if matches!(tokens.word(next), "of" | "ended" | "ending") {
                next += 1;
            }
            let (year, next) = four_digits(tokens, next)?;
            Some((DateParts::Year(year), next))
        }
        _ => {
            let (number, mut next) = ordinal(tokens, at)?;
            if tokens.symbol(next) == '(' && tokens.symbol(next + 2) == ')' {
                next += 3;
            }
            if tokens.word(next) == "fiscal" {
                next += 1;
            }
            let quarter = match tokens.word(next) {
                "quarter" => true,
                "half" => false,
                _ => return None,
            };
            let (year, end) = year_of_period(tokens, next + 1)?;
            part_of_year(year, i8::try_from(number).ok()?, quarter).map(|stated| (stated, end))
        }
    }
}

fn part_of_year(year: i16, number: i8, quarter: bool) -> Option<DateParts> {
    match (quarter, number) {
        (true, 1..=4) => Some(DateParts::Quarter { year, quarter: number }),
        (false, 1) => Some(DateParts::Days { first: Date::new(year, 1, 1).ok()?, last: Date::new(year, 6, 30).ok()? }),
        (false, 2) => Some(DateParts::Days { first: Date::new(year, 7, 1).ok()?, last: Date::new(year, 12, 31).ok()? }),
        _ => None,
    }
}

/// "3Q23", "3Q 2023".
pub fn number_quarter(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    let quarter = tokens.number(at).filter(|_| tokens.surface(at).len() == 1)? as i8;
    if tokens.surface(at + 1) != "Q" || !tokens.glued(at + 1) || (at > 0 && tokens.glued(at)) {
        return None;
    }
    let (year, next) = match tokens.surface(at + 2).len() {
        2 if tokens.glued(at + 2) => (century(tokens.number(at + 2)?), at + 3),
        _ => year_at(tokens, at + 2)?,
    };
    part_of_year(year, quarter, true).map(|stated| (stated, next))
}

fn four_digits(tokens: &Tokens, at: usize) -> Option<(i16, usize)> {
    if tokens.is_number(at) {
        year_at(tokens, at).filter(|(year, end)| plausible(tokens, at, *year, *end))
    } else {
        None
    }
}

/// "FY23", "FY 2023".
fn fiscal(tokens: &Tokens, at: usize) -> Option<(i16, usize)> {
    if tokens.word(at) != "fy" {
        return None;
    }
    let next = at + 1 + usize::from(matches!(tokens.symbol(at + 1), '\'' | '’' | '-'));
    match tokens.surface(next).len() {
        2 => Some((century(tokens.number(next)?), next + 1)),
        _ => year_at(tokens, next),
    }
}

fn year_of_period(tokens: &Tokens, at: usize) -> Option<(i16, usize)> {
    let mut next = at;
    if matches!(tokens.symbol(next), ',' | '-' | '/') || tokens.word(next) == "of" {
        next += 1;
    }
    for word in ["the", "fiscal", "calendar", "year"] {
        if tokens.word(next) == word {
            next += 1;
        }
    }
    fiscal(tokens, next).or_else(|| year_at(tokens, next))
}

/// A year from 1900 to 2099 that is not part of a longer number or identifier.
fn plausible(tokens: &Tokens, at: usize, year: i16, end: usize) -> bool {
    let before = at > 0
        && tokens.glued(at)
        && (tokens.is_word(at - 1)
            || tokens.is_number(at - 1)
            || matches!(tokens.symbol(at - 1), '.' | '-' | '/' | '#' | '_' | '$' | '€' | '£' | '+' | ':'));
    (1900..2100).contains(&year) && !before && ends(tokens, end)
}

/// True if a number ends here or a range of years continues.
fn ends(tokens: &Tokens, end: usize) -> bool {
    let inside = |at: usize| tokens.glued(at) && (tokens.is_number(at) || tokens.is_word(at));
    let joined = tokens.glued(end)
        && (tokens.symbol(end) == '%'
            || (matches!(tokens.symbol(end), '.' | ',' | '-' | '/' | ':' | '_')
                && inside(end + 1)
                && !(tokens.symbol(end) == '-' && tokens.surface(end + 1).len() == 4)));
    !inside(end) && !joined
}

/// Words after which four digits are a year whatever follows, and those after which they are one unless they count something.
const SURE: &[&str] =
    &["since", "©", "copyright", "circa", "spring", "summer", "autumn", "winter", "early", "late", "mid"];
const LIKELY: &[&str] = &["in", "during", "until", "till", "by", "before", "after", "from", "between", "through"];

pub fn bare_year(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    let (year, next) = year_at(tokens, at)?;
    if !plausible(tokens, at, year, next) {
        return None;
    }
    // "2019-2021", "2019 to 2021": the caller makes the range
    let range = || {
        let dash = matches!(tokens.symbol(next), '-' | '–' | '—');
        let last = tokens.number(next + 1)? as i16;
        let ok = tokens.surface(next + 1).len() == 4
            && (1900..2100).contains(&last)
            && ends(tokens, next + 2)
            && year < last
            && ((dash && tokens.gap(next + 1) == tokens.gap(next))
                || matches!(tokens.word(next), "to" | "through" | "until"));
        ok.then_some(())
    };
    let before = at.wrapping_sub(1);
    let cue = match tokens.symbol(before) {
        '\0' => tokens.word(before),
        '©' => "©",
        ')' if tokens.word(before.wrapping_sub(1)) == "c" => "©",
        '-' => tokens.word(before.wrapping_sub(1)),
        _ => "",
    };
    let sure = SURE.contains(&cue) || range().is_some();
    let further = tokens.word(before.wrapping_sub(1));
    let likely = match cue {
        "of" => matches!(further, "end" | "beginning") && ends_phrase(tokens, next),
        "for" => ends_phrase(tokens, next),
        "and" => {
            let joins = (before.saturating_sub(3)..before)
                .any(|word| matches!(tokens.word(word), "in" | "between" | "for" | "years"));
            joins && ends_phrase(tokens, next)
        }
        cue => LIKELY.contains(&cue),
    };
    let likely = likely && !counts(tokens, next);
    (sure || likely).then_some((DateParts::Year(year), next))
}

fn ends_phrase(tokens: &Tokens, at: usize) -> bool {
    tokens.gap(at) == Gap::Paragraph
        || matches!(tokens.symbol(at), '.' | ',' | ';' | ')' | ':')
        || matches!(tokens.word(at), "and" | "to" | "as" | "was" | "were" | "is")
}

word_lists! {
    COUNTED: set = "dates/counted.txt";
}

/// True if the number counts the noun after it: "in 2000 cases".
fn counts(tokens: &Tokens, at: usize) -> bool {
    tokens.gap(at) != Gap::Paragraph
        && tokens.is_word(at)
        && !tokens.is_capitalized(at)
        && (tokens.word(at).ends_with('s')
            && !matches!(tokens.word(at), "as" | "was" | "is" | "has" | "this" | "its" | "his" | "us")
            || COUNTED.contains(tokens.word(at)))
}
