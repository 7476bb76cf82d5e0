//! Dates relative to another one: "thirty (30) days after the Effective Date".

use jiff::civil::Date;

use super::durations::Unit;
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
    /// Its role by the words before it.
    pub role: Option<&'static str>,
}

impl RelativeDate {
    /// "30 days from", "1 year before"
    pub fn arithmetic(&self) -> String {
        let count = self.count.unsigned_abs();
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {}{plural} {}", self.unit.name(), if self.count < 0 { "before" } else { "from" })
    }

    /// The kind of day at the end of a term of months or years: the day after it for a year from May 3, and its last day for six months from
    /// August 31.
    pub fn end_of_term(&self, anchor: Date, end: Date) -> &'static str {
        if self.role != Some("end of term") || !matches!(self.unit, Unit::Month | Unit::Year) {
            ""
        } else if self.unit.is_shortened(anchor, end) {
            ", to the last day of the month"
        } else {
            ", the anniversary"
        }
    }

    /// `None` beyond the calendar of jiff (years -9999 to 9999).
    pub fn resolve(&self, anchor: Date) -> Option<Date> {
        anchor.checked_add(self.unit.times(self.count)).ok()
    }
}

/// The relative date whose unit is the word at this token. Business days are left out: they need a calendar of holidays.
pub fn relative(tokens: &Tokens, at: usize) -> Option<RelativeDate> {
    let anniversary = tokens.word(at) == "anniversary";
    let unit = if anniversary { Unit::Year } else { Unit::of(tokens.word(at))? };
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
    let role = role(tokens, first, sign);
    Some(RelativeDate { first, end, count: sign * count, unit, anchor, role })
}

/// Maximum words between the text that names a relative date and the date.
const REACH: usize = 8;

/// "for a term of three years from", "notice of termination at least thirty days before"
fn role(tokens: &Tokens, first: usize, sign: i32) -> Option<&'static str> {
    let begin = (first.saturating_sub(REACH)..first).rev().find(|at| tokens.starts_sentence(*at));
    (begin.unwrap_or(first.saturating_sub(REACH))..first).rev().find_map(|at| match tokens.word(at) {
        "expire" | "expires" | "expiring" | "expiration" | "terminate" | "terminates" | "until" => {
            Some("expiration date")
        }
        "term" | "period" | "continue" | "continues" | "remain" if sign > 0 => Some("end of term"),
        "renew" | "renews" | "renewed" | "renewal" | "extend" | "extended" => Some("renewal date"),
        "notice" | "notify" | "notifies" | "notification" => Some("notice deadline"),
        "pay" | "paid" | "payable" | "due" | "payment" => Some("due date"),
        _ => None,
    })
}

/// The number that ends at this token, and its beginning: "30", "thirty", "thirty (30)", "third (3rd)".
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
