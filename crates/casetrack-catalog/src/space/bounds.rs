//! The ends of ranges of time, as assistants write them.

use casetrack_core::{Error, Result};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::time::Time;

/// Which end of a range. Both belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Min,
    Max,
}

/// Reads one end of a range, in nanoseconds since 1970: an ISO 8601 date or date-time, in the zone of this machine if it names none, or
/// seconds since 1970. As the last end, a bare date is the end of its day, and a time without decimals is the end of its second.
///
/// Errors: any other text. The message describes the fault.
pub fn bound(text: &str, end: End) -> Result<i64> {
    bound_in(text.trim(), end, &TimeZone::system()).map(Time::stored).ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        Error::invalid(format!(
            "'{shown}' is not a time: write an ISO 8601 date (2024-12-31), a date-time (2024-12-31T18:00:00Z) or seconds since 1970"
        ))
    })
}

fn bound_in(text: &str, end: End, zone: &TimeZone) -> Option<Time> {
    let is_number = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number && let Ok(seconds) = text.parse::<f64>() {
        // The part behind the point counts forwards, also before 1970.
        let nanoseconds = ((seconds - seconds.floor()) * 1e9) as u32;
        let time = Time { seconds: seconds.floor() as i64, nanoseconds };
        let is_whole = !text.contains('.');
        return seconds.is_finite().then_some(if is_whole { last_of(time, end) } else { time });
    }
    let local = |time: DateTime| Some(Time::from(time.to_zoned(zone.clone()).ok()?.timestamp()));
    // A date-time is read first: a date would be found in it as well.
    let has_time = text.contains(['T', 't', ' ']);
    if has_time {
        let has_decimals = text.contains('.');
        let time = match text.parse::<Timestamp>() {
            Ok(time) => Time::from(time),
            Err(_) => local(text.parse::<DateTime>().ok()?)?,
        };
        return Some(if has_decimals { time } else { last_of(time, end) });
    }
    let date: Date = text.parse().ok()?;
    match end {
        End::Min => local(date.to_datetime(jiff::civil::Time::midnight())),
        End::Max => {
            let next = local(date.checked_add(1.day()).ok()?.to_datetime(jiff::civil::Time::midnight()))?;
            Some(Time { seconds: next.seconds - 1, nanoseconds: 999_999_999 })
        }
    }
}

/// The end of a second that is named without decimals: files have times with them.
fn last_of(time: Time, end: End) -> Time {
    match end {
        End::Min => time,
        End::Max => Time { nanoseconds: 999_999_999, ..time },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_includes_both_ends_and_a_date_its_whole_day() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        for (text, end, expected) in [
            ("2024-01-01", End::Min, "2023-12-31T23:00:00Z"),
            ("2024-12-31", End::Max, "2024-12-31T22:59:59.999999999Z"),
            // A day of 23 hours.
            ("2024-03-31", End::Max, "2024-03-31T21:59:59.999999999Z"),
            ("2024-06-01T12:00:00", End::Min, "2024-06-01T10:00:00Z"),
            ("2024-06-01 12:00", End::Max, "2024-06-01T10:00:00.999999999Z"),
            ("2024-06-01T12:00:00Z", End::Max, "2024-06-01T12:00:00.999999999Z"),
            ("2024-06-01T12:00:00.5+02:00", End::Max, "2024-06-01T10:00:00.5Z"),
            ("1732492800", End::Min, "2024-11-25T00:00:00Z"),
            ("1732492800", End::Max, "2024-11-25T00:00:00.999999999Z"),
            ("-1", End::Min, "1969-12-31T23:59:59Z"),
            ("1732492800.25", End::Max, "2024-11-25T00:00:00.25Z"),
            ("-1.25", End::Min, "1969-12-31T23:59:58.75Z"),
        ] {
            assert_eq!(bound_in(text, end, &berlin).unwrap().to_string(), expected, "{text} {end:?}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_examples() {
        for text in ["", "yesterday", "2024-13-01", "2024-02-30", "-", ".", "12:00"] {
            let message = bound(text, End::Min).unwrap_err().message;
            assert!(message.contains("2024-12-31T18:00:00Z"), "{text}: {message}");
        }
    }
}
