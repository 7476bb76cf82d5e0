//! Spans of time in everyday words: "last week", "since March", "2024", in the time zone of this machine.

use casetrack_core::{Error, Result};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span as Duration, Timestamp, ToSpan, Zoned};

use crate::query::TimeRange;

const MONTHS: &str = "january february march april may june july august september october november december";
/// The first months of the seasons, of the north, as the weather services count them.
const SEASONS: [(&str, i8); 5] = [("spring", 3), ("summer", 6), ("autumn", 9), ("fall", 9), ("winter", 12)];

/// A range of times, whose ends are the beginnings of hours, days, months or years.
pub type Span = TimeRange;

/// Reads a phrase: `today`, `yesterday`, `this` or `last` `week`, `month` or `year`, `last 3 days` (hours, weeks, months, years), a day
/// (`2025-03-05`), a month (`2025-03`, `March 2025`, `March`), a season (`spring`, `spring 2025`) or a year (`2025`), each also after `in`,
/// `on`, `since`, `before` or `until`. A month or season without a year is the last one that has begun. Weeks begin on Monday.
///
/// Errors: any other phrase. The message is one sentence with examples.
pub fn span(phrase: &str) -> Result<Span> {
    span_at(phrase, &Zoned::now())
}

/// The time that a date of a document covers: ISO 8601 from the year to fractions of a second, in the zone of this machine if it states no
/// offset. `None` for any other text.
pub fn stated(date: &str) -> Option<Span> {
    stated_at(date.trim(), &Zoned::now())
}

fn stated_at(date: &str, now: &Zoned) -> Option<Span> {
    let second = |from: Timestamp| {
        let to = from.checked_add(1.second()).ok()?;
        Some(Span { from: Some(from.into()), to: Some(to.into()) })
    };
    if let Ok(instant) = date.parse::<Timestamp>() {
        return second(instant);
    }
    if date.contains(['T', ' ']) {
        let local = date.parse::<DateTime>().ok()?.to_zoned(now.time_zone().clone()).ok()?;
        return second(local.timestamp());
    }
    date.starts_with(|c: char| c.is_ascii_digit()).then(|| read(&[date], now)).flatten()
}

fn span_at(phrase: &str, now: &Zoned) -> Result<Span> {
    let words = phrase.to_lowercase().replace(',', " ");
    let words: Vec<&str> = words.split_whitespace().filter(|word| *word != "the").collect();
    read(&words, now).ok_or_else(|| {
        let shown: String = phrase.chars().take(60).collect();
        Error::invalid(format!(
            "'{shown}' is not a time that can be read: write for example today, last week, last 3 days, since March, spring 2025, 2025-03 or \
             2025-03-05."
        ))
    })
}

fn read(words: &[&str], now: &Zoned) -> Option<Span> {
    let at = |date: Date| Some(date.to_zoned(now.time_zone().clone()).ok()?.timestamp().into());
    let range = |from: Date, to: Date| Some(Span { from: at(from), to: at(to) });
    match words {
        ["since" | "after" | "from", rest @ ..] => Some(Span { to: None, ..read(rest, now)? }),
        ["before", rest @ ..] => Some(Span { from: None, to: read(rest, now)?.from }),
        ["until" | "till", rest @ ..] => Some(Span { from: None, ..read(rest, now)? }),
        ["in" | "on" | "during", rest @ ..] => read(rest, now),
        ["last" | "past", rest @ ..] if matches!(rest, [_, _]) => {
            let [count, unit] = rest else { return None };
            let begin = now.checked_sub(several(count, unit)?).ok()?;
            Some(Span { from: Some(begin.timestamp().into()), to: None })
        }
        _ => {
            let (from, to) = days(words, now.date())?;
            range(from, to)
        }
    }
}

/// `3 days`
fn several(count: &str, unit: &str) -> Option<Duration> {
    let count: i64 = count.parse().ok().filter(|count| (1..=100_000).contains(count))?;
    match unit.strip_suffix('s').unwrap_or(unit) {
        "hour" => Duration::new().try_hours(count).ok(),
        "day" => Duration::new().try_days(count).ok(),
        "week" => Duration::new().try_weeks(count).ok(),
        "month" => Duration::new().try_months(count).ok(),
        "year" => Duration::new().try_years(count).ok(),
        _ => None,
    }
}

/// The first day and the one behind the last.
fn days(words: &[&str], today: Date) -> Option<(Date, Date)> {
    let plus = |date: Date, span: Duration| date.checked_add(span).ok();
    let week = |date: Date| date.checked_sub(i64::from(date.weekday().since(Weekday::Monday)).days()).ok();
    let first_of = |year: i16, month: i8| Date::new(year, month, 1).ok();
    let pair = |from: Date, span: Duration| Some((from, plus(from, span)?));
    let (year, month) = (today.year(), today.month());
    match words {
        ["today"] => pair(today, 1.day()),
        ["yesterday"] => pair(today.yesterday().ok()?, 1.day()),
        ["this", "week"] => pair(week(today)?, 1.week()),
        ["last" | "previous", "week"] => pair(week(today)?.checked_sub(1.week()).ok()?, 1.week()),
        ["this", "month"] => pair(first_of(year, month)?, 1.month()),
        ["last" | "previous", "month"] => pair(first_of(year, month)?.checked_sub(1.month()).ok()?, 1.month()),
        ["this", "year"] => pair(first_of(year, 1)?, 1.year()),
        ["last" | "previous", "year"] => pair(first_of(year.checked_sub(1)?, 1)?, 1.year()),
        [name] | ["last", name] if months(name).is_some() => {
            let (first, length) = months(name)?;
            let begun = first_of(year, first)?;
            let begun = if begun > today { first_of(year.checked_sub(1)?, first)? } else { begun };
            pair(begun, length)
        }
        [name, year] if months(name).is_some() => {
            let (first, length) = months(name)?;
            pair(first_of(four_digits(year)?, first)?, length)
        }
        [text] => {
            let parts: Vec<&str> = text.split('-').collect();
            match parts.as_slice() {
                [year] => pair(first_of(four_digits(year)?, 1)?, 1.year()),
                [year, month] => pair(first_of(four_digits(year)?, month.parse().ok()?)?, 1.month()),
                [year, month, day] => {
                    pair(Date::new(four_digits(year)?, month.parse().ok()?, day.parse().ok()?).ok()?, 1.day())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The first month of a month or season, and how long it is.
fn months(name: &str) -> Option<(i8, Duration)> {
    let is_month = |month: &str| month == name || name.len() >= 3 && month.starts_with(name);
    if let Some(index) = MONTHS.split(' ').position(is_month) {
        return Some((i8::try_from(index).ok()? + 1, 1.month()));
    }
    SEASONS.iter().find(|(season, _)| *season == name).map(|(_, first)| (*first, 3.months()))
}

fn four_digits(text: &str) -> Option<i16> {
    text.parse().ok().filter(|_| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(phrase: &str) -> String {
        // A Wednesday, in a zone whose clocks change.
        let now: Zoned = "2026-04-15T12:30:00[Europe/Berlin]".parse().unwrap();
        let span = span_at(phrase, &now).unwrap();
        let text = |time: Option<crate::Time>| time.map_or("…".to_owned(), |time| time.to_string());
        format!("{} {}", text(span.from), text(span.to))
    }

    #[test]
    fn phrases_mean_days_of_the_local_zone() {
        for (phrase, expected) in [
            ("today", "2026-04-14T22:00:00Z 2026-04-15T22:00:00Z"),
            ("Yesterday", "2026-04-13T22:00:00Z 2026-04-14T22:00:00Z"),
            ("this week", "2026-04-12T22:00:00Z 2026-04-19T22:00:00Z"),
            ("last week", "2026-04-05T22:00:00Z 2026-04-12T22:00:00Z"),
            ("last month", "2026-02-28T23:00:00Z 2026-03-31T22:00:00Z"),
            ("in the last 3 days", "2026-04-12T10:30:00Z …"),
            ("last 2 hours", "2026-04-15T08:30:00Z …"),
            ("since March", "2026-02-28T23:00:00Z …"),
            ("in spring", "2026-02-28T23:00:00Z 2026-05-31T22:00:00Z"),
            ("winter", "2025-11-30T23:00:00Z 2026-02-28T23:00:00Z"),
            ("sept 2024", "2024-08-31T22:00:00Z 2024-09-30T22:00:00Z"),
            ("December", "2025-11-30T23:00:00Z 2025-12-31T23:00:00Z"),
            ("2025", "2024-12-31T23:00:00Z 2025-12-31T23:00:00Z"),
            ("before 2025-03", "… 2025-02-28T23:00:00Z"),
            ("until 2025-03-05", "… 2025-03-05T23:00:00Z"),
            ("last year", "2024-12-31T23:00:00Z 2025-12-31T23:00:00Z"),
        ] {
            assert_eq!(read(phrase), expected, "{phrase}");
        }
    }

    #[test]
    fn other_phrases_are_refused_with_examples() {
        for phrase in
            ["", "soon", "last", "last 0 days", "last 9999999 days", "2025-13", "2025-02-30", "25", "in", "since"]
        {
            let message = span(phrase).unwrap_err().message;
            assert!(message.contains("last week"), "{phrase}: {message}");
        }
    }

    #[test]
    fn dates_of_documents_cover_the_time_that_they_state() {
        let now: Zoned = "2026-11-23T09:00:00+01:00[Europe/Berlin]".parse().unwrap();
        for (date, expected) in [
            ("2025", Some(("2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"))),
            ("2025-03", Some(("2025-02-28T23:00:00Z", "2025-03-31T22:00:00Z"))),
            ("2025-03-05", Some(("2025-03-04T23:00:00Z", "2025-03-05T23:00:00Z"))),
            ("2025-03-05T10:30", Some(("2025-03-05T09:30:00Z", "2025-03-05T09:30:01Z"))),
            ("2025-03-05T10:30:00", Some(("2025-03-05T09:30:00Z", "2025-03-05T09:30:01Z"))),
            ("2025-03-05T10:30:00+09:00", Some(("2025-03-05T01:30:00Z", "2025-03-05T01:30:01Z"))),
            ("2025-13", None),
            ("today", None),
            ("", None),
        ] {
            let found = stated_at(date, &now).map(|span| [span.from, span.to].map(|time| time.unwrap().to_string()));
            assert_eq!(found, expected.map(|(from, to)| [from.to_owned(), to.to_owned()]), "{date}");
        }
    }
}
