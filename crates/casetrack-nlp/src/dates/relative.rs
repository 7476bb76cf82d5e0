//! Dates relative to another one: "thirty (30) days after the Effective Date".

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::roles::{AGREEMENT, EFFECTIVE};
use crate::numbers::{cardinal, ordinal};
use crate::tokens::Tokens;

/// A date that needs the day of its anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativeDate {
    /// Tokens, half-open.
    pub first: usize,
    pub end: usize,
    count: i32,
    unit: Unit,
    /// The role of the date that it counts from.
    pub anchor: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl RelativeDate {
    /// `None` where the calendar of jiff ends (years -9999 to 9999).
    pub fn resolve(&self, anchor: Date) -> Option<Date> {
        let span: Span = match self.unit {
            Unit::Day => self.count.days(),
            Unit::Week => self.count.weeks(),
            Unit::Month => self.count.months(),
            Unit::Year => self.count.years(),
        };
        anchor.checked_add(span).ok()
    }
}

/// The relative date whose unit is the word at this token. Business days are left out: they need a calendar of holidays.
pub fn relative(tokens: &Tokens, at: usize) -> Option<RelativeDate> {
    let unit = match tokens.word(at) {
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "year" | "years" | "anniversary" => Unit::Year,
        _ => return None,
    };
    let anniversary = tokens.word(at) == "anniversary";
    let last = at.checked_sub(1 + usize::from(tokens.word(at.wrapping_sub(1)) == "calendar"))?;
    let (first, count) = count_before(tokens, last, anniversary)?;
    let (sign, next) = match tokens.word(at + 1) {
        "after" | "following" | "from" => (1, at + 2),
        "of" if anniversary => (1, at + 2),
        "before" => (-1, at + 2),
        "prior" if tokens.word(at + 2) == "to" => (-1, at + 3),
        _ => return None,
    };
    let (anchor, end) = anchor_at(tokens, next)?;
    Some(RelativeDate { first, end, count: sign * count, unit, anchor })
}

/// The number that ends at this token, and where it begins: "30", "thirty", "thirty (30)", "third (3rd)".
fn count_before(tokens: &Tokens, last: usize, is_ordinal: bool) -> Option<(usize, i32)> {
    let words_end = if tokens.symbol(last) == ')' {
        let open = (last.saturating_sub(3)..last).find(|at| tokens.symbol(*at) == '(')?;
        open.checked_sub(1)?
    } else {
        last
    };
    for first in words_end.saturating_sub(3)..=words_end {
        let found = if is_ordinal {
            ordinal(tokens, first).map(|(n, end)| (u64::from(n), end))
        } else {
            cardinal(tokens, first)
        };
        let found = found.or_else(|| tokens.number(first).filter(|_| !is_ordinal).map(|n| (u64::from(n), first + 1)));
        if let Some((count, end)) = found
            && end == words_end + 1
            && (1..=10_000).contains(&count)
        {
            return Some((first, count as i32));
        }
    }
    None
}

/// "the Effective Date", "the date of this Agreement", "the date hereof": the role of the date, and the token after it.
fn anchor_at(tokens: &Tokens, at: usize) -> Option<(String, usize)> {
    let at = if tokens.word(at) == "the" { at + 1 } else { at };
    if tokens.has(at, &["date", "hereof"]) {
        return Some((AGREEMENT.to_owned(), at + 2));
    }
    if tokens.has(at, &["date", "of", "this"]) && tokens.is_capitalized(at + 3) {
        return Some((AGREEMENT.to_owned(), at + 4));
    }
    let date = (at + 1..at + 4).find(|word| tokens.word(*word) == "date")?;
    let words: Vec<&str> = (at..=date).map(|word| tokens.word(word)).collect();
    let plain = (at..=date).all(|word| tokens.is_word(word)) && tokens.is_capitalized(date);
    plain.then(|| (words.join(" "), date + 1))
}

/// Another role that may replace one that no date has: parties often define only one of the two.
pub fn substitute(role: &str) -> Option<&'static str> {
    match role {
        AGREEMENT => Some(EFFECTIVE),
        _ => None,
    }
}
