//! Lengths of time: "thirty (30) days", "two weeks", "a 10-year term".

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use crate::amounts::number;
use crate::tokens::{Gap, Tokens};

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    pub fn of(word: &str) -> Option<Unit> {
        Some(match word {
            "day" | "days" => Unit::Day,
            "week" | "weeks" => Unit::Week,
            "month" | "months" => Unit::Month,
            "year" | "years" => Unit::Year,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
        }
    }

    pub fn times(self, count: i32) -> Span {
        match self {
            Unit::Day => count.days(),
            Unit::Week => count.weeks(),
            Unit::Month => count.months(),
            Unit::Year => count.years(),
        }
    }

    /// True if some of these units after a day would end on a day that its month does not have, so that the last day of the month takes its place:
    /// six months from August 31.
    pub fn is_shortened(self, from: Date, end: Date) -> bool {
        matches!(self, Unit::Month | Unit::Year) && end > from && end.day() < from.day()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duration {
    /// In calendar days.
    pub days: f64,
    /// The token after it.
    pub end: usize,
}

/// The length of time whose number begins at this token. Bounded work.
pub fn duration(tokens: &Tokens, at: usize) -> Option<Duration> {
    let count = number(tokens, at)?;
    // "a 10-year term"
    let next = count.end + usize::from(tokens.symbol(count.end) == '-' && tokens.glued(count.end));
    let of_unit = unit(tokens, next)?;
    Some(Duration { days: count.value * of_unit.days, end: of_unit.end })
}

/// One unit of time, named at this token. A year has 365 days, a month the twelfth of it, so that twelve months are a
/// year; five business days are a week.
pub fn unit(tokens: &Tokens, at: usize) -> Option<Duration> {
    if tokens.gap(at) > Gap::Line {
        return None;
    }
    let (business, next) = match tokens.word(at) {
        "business" | "working" => (true, at + 1),
        "calendar" | "consecutive" | "full" => (false, at + 1),
        _ => (false, at),
    };
    let days = match Unit::of(tokens.word(next)) {
        None if matches!(tokens.word(next), "hour" | "hours") => 1.0 / 24.0,
        Some(Unit::Day) if business => 7.0 / 5.0,
        Some(Unit::Day) => 1.0,
        Some(Unit::Week) => 7.0,
        Some(Unit::Month) => 365.0 / 12.0,
        Some(Unit::Year) => 365.0,
        None => return None,
    };
    Some(Duration { days, end: next + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_gives_its_days() {
        for (text, expected) in [
            ("thirty (30) days' notice", Some(30.0)),
            ("one hundred and eighty (180) days", Some(180.0)),
            ("two weeks", Some(14.0)),
            ("12 months", Some(365.0)),
            ("10-year term", Some(3650.0)),
            ("five business days", Some(7.0)),
            ("48 hours", Some(2.0)),
            ("30 units", None),
            ("30\n\ndays", None),
        ] {
            let found = duration(&Tokens::new(text), 0).map(|found| found.days);
            assert!(found.zip(expected).map_or(found == expected, |(a, b)| (a - b).abs() < 1e-9), "{text}: {found:?}");
        }
    }
}
