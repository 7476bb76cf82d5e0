//! The parts of a written date, and the days it covers.

use casetrack_core::{DatePrecision, DateValue};
use jiff::civil::Date;

use super::calendar::last_of_month;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stated {
    Day(Date),
    Month {
        year: i16,
        month: i8,
    },
    Quarter {
        year: i16,
        quarter: i8,
    },
    Year(i16),
    Days {
        first: Date,
        last: Date,
    },
    /// "January 5", which the end of a range may complete.
    DayOfMonth {
        month: i8,
        day: i8,
    },
    MonthOnly(i8),
}

impl Stated {
    /// `None` for a day that the month does not have.
    pub fn day(year: i16, month: i8, day: i8) -> Option<Stated> {
        Date::new(year, month, day).ok().map(Stated::Day)
    }

    /// Two days of one month, the first before the last.
    pub fn days(year: i16, month: i8, first: i8, last: i8) -> Option<Stated> {
        let (first, last) = (Date::new(year, month, first).ok()?, Date::new(year, month, last).ok()?);
        (first < last).then_some(Stated::Days { first, last })
    }

    /// The first and last day. `None` while the year is not known.
    pub fn bounds(self) -> Option<(Date, Date)> {
        match self {
            Stated::Day(date) => Some((date, date)),
            Stated::Month { year, month } => Some((Date::new(year, month, 1).ok()?, last_of_month(year, month)?)),
            Stated::Quarter { year, quarter } => {
                Some((Date::new(year, quarter * 3 - 2, 1).ok()?, last_of_month(year, quarter * 3)?))
            }
            Stated::Year(year) => Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)),
            Stated::Days { first, last } => Some((first, last)),
            Stated::DayOfMonth { .. } | Stated::MonthOnly(_) => None,
        }
    }

    pub fn value(self) -> Option<DateValue> {
        let (first, last) = self.bounds()?;
        let precision = match self {
            Stated::Day(_) => DatePrecision::Day,
            Stated::Month { .. } => DatePrecision::Month,
            Stated::Quarter { .. } => DatePrecision::Quarter,
            Stated::Year(_) => DatePrecision::Year,
            _ => DatePrecision::Range,
        };
        Some(DateValue { first: first.to_string(), last: last.to_string(), precision })
    }

    /// The range from one date to another, whose year the first may share. `None` unless the first comes before.
    pub fn to(self, last: Stated) -> Option<Stated> {
        let (from, until) = last.bounds()?;
        if matches!(last, Stated::Days { .. }) {
            return None;
        }
        let begin = match self {
            Stated::DayOfMonth { month, day } if matches!(last, Stated::Day(_)) => {
                Date::new(from.year(), month, day).ok()?
            }
            Stated::MonthOnly(month) if matches!(last, Stated::Month { .. }) => {
                Date::new(from.year(), month, 1).ok()?
            }
            Stated::Days { .. } | Stated::DayOfMonth { .. } | Stated::MonthOnly(_) => return None,
            complete => complete.bounds()?.0,
        };
        (begin < from).then_some(Stated::Days { first: begin, last: until })
    }
}
