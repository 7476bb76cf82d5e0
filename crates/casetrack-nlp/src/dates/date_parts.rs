//! The parts of a written date, and the days it covers.

use casetrack_core::{DatePrecision, DateValue};
use jiff::civil::Date;

use super::calendar::last_of_month;
use super::order::DateOrder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateParts {
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
    /// "05/06/2021", which is either day.
    Ambiguous {
        day_first: Date,
        month_first: Date,
    },
}

impl DateParts {
    /// `None` for a day that the month does not have.
    pub fn day(year: i16, month: i8, day: i8) -> Option<DateParts> {
        Date::new(year, month, day).ok().map(DateParts::Day)
    }

    /// The day of two numbers and a year. Where the order is not known and both numbers may be the month, it is ambiguous.
    pub fn in_order(year: i16, first: i8, second: i8, order: DateOrder) -> Option<DateParts> {
        let (day_first, month_first) = (Date::new(year, second, first).ok(), Date::new(year, first, second).ok());
        Some(match (day_first, month_first, order) {
            (Some(day_first), Some(month_first), DateOrder::Unknown) if day_first != month_first => {
                DateParts::Ambiguous { day_first, month_first }
            }
            (_, Some(month_first), DateOrder::MonthFirst) => DateParts::Day(month_first),
            (day_first, month_first, _) => DateParts::Day(day_first.or(month_first)?),
        })
    }

    /// Two days of one month, the first before the last.
    pub fn days(year: i16, month: i8, first: i8, last: i8) -> Option<DateParts> {
        let (first, last) = (Date::new(year, month, first).ok()?, Date::new(year, month, last).ok()?);
        (first < last).then_some(DateParts::Days { first, last })
    }

    /// The first and last day. `None` while the year is not known.
    pub fn bounds(self) -> Option<(Date, Date)> {
        match self {
            DateParts::Day(date) => Some((date, date)),
            DateParts::Month { year, month } => Some((Date::new(year, month, 1).ok()?, last_of_month(year, month)?)),
            DateParts::Quarter { year, quarter } => {
                Some((Date::new(year, quarter * 3 - 2, 1).ok()?, last_of_month(year, quarter * 3)?))
            }
            DateParts::Year(year) => Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)),
            DateParts::Days { first, last } => Some((first, last)),
            DateParts::DayOfMonth { .. } | DateParts::MonthOnly(_) | DateParts::Ambiguous { .. } => None,
        }
    }

    pub fn value(self) -> Option<DateValue> {
        if let DateParts::Ambiguous { day_first, month_first } = self {
            let (first, last) = (day_first.min(month_first).to_string(), day_first.max(month_first).to_string());
            return Some(DateValue { first, last, precision: DatePrecision::Ambiguous });
        }
        let (first, last) = self.bounds()?;
        let precision = match self {
            DateParts::Day(_) => DatePrecision::Day,
            DateParts::Month { .. } => DatePrecision::Month,
            DateParts::Quarter { .. } => DatePrecision::Quarter,
            DateParts::Year(_) => DatePrecision::Year,
            _ => DatePrecision::Range,
        };
        Some(DateValue { first: first.to_string(), last: last.to_string(), precision })
    }

    /// The range from one date to another, whose year the first may share. `None` unless the first comes before.
    pub fn to(self, last: DateParts) -> Option<DateParts> {
        let (from, until) = last.bounds()?;
        if matches!(last, DateParts::Days { .. }) {
            return None;
        }
        let begin = match self {
            DateParts::DayOfMonth { month, day } if matches!(last, DateParts::Day(_)) => {
                Date::new(from.year(), month, day).ok()?
            }
            DateParts::MonthOnly(month) if matches!(last, DateParts::Month { .. }) => {
                Date::new(from.year(), month, 1).ok()?
            }
            DateParts::Days { .. }
            | DateParts::DayOfMonth { .. }
            | DateParts::MonthOnly(_)
            | DateParts::Ambiguous { .. } => return None,
            complete => complete.bounds()?.0,
        };
        (begin < from).then_some(DateParts::Days { first: begin, last: until })
    }
}
