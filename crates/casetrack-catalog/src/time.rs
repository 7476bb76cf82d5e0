//! Points in time with the precision of file systems.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use casetrack_core::{Error, Result};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

const NANOS: i64 = 1_000_000_000;

/// Seconds since 1970 in UTC, which may be negative, and nanoseconds to add to them (0 to 999,999,999). Times sort as they follow
/// each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    pub seconds: i64,
    pub nanoseconds: u32,
}

impl Time {
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Reads an RFC 3339 date-time with its offset, such as `2025-12-15T00:00:00Z`.
    ///
    /// Errors: another form, or one without an offset from UTC. The message is one sentence.
    pub fn parse(text: &str) -> Result<Self> {
        let shown: String = text.chars().take(60).collect();
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => Ok(time.into()),
            Err(_) if text.parse::<DateTime>().is_ok() => Err(Error::invalid(format!(
                "'{shown}' has no offset from UTC: write 2025-12-15T00:00:00Z or 2025-12-15T09:00:00+09:00."
            ))),
            Err(_) => Err(Error::invalid(format!(
                "'{shown}' is not a date-time: write it in ISO 8601 with an offset, such as 2025-12-15T00:00:00Z."
            ))),
        }
    }

    /// As the database keeps it: nanoseconds since 1970. Times before 1677 or after 2262 become the nearest that fits.
    pub(crate) fn stored(self) -> i64 {
        let nanoseconds = i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanoseconds);
        i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX })
    }

    pub(crate) fn from_stored(nanoseconds: i64) -> Self {
        let remainder = nanoseconds.rem_euclid(NANOS);
        Self { seconds: nanoseconds.div_euclid(NANOS), nanoseconds: u32::try_from(remainder).unwrap_or_default() }
    }

    /// The nearest time that a calendar of the years -9999 to 9999 has.
    pub(crate) fn timestamp(self) -> jiff::Timestamp {
        let nanoseconds = i32::try_from(self.nanoseconds).unwrap_or_default();
        let limit = if self.seconds < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        jiff::Timestamp::new(self.seconds, nanoseconds).unwrap_or(limit)
    }

    /// The whole second that it is in.
    pub fn in_seconds(self) -> Self {
        Self { nanoseconds: 0, ..self }
    }

    /// Date and time of day in the zone of this machine, to the minute: `2026-03-05 14:02`.
    pub fn local(self) -> String {
        self.timestamp().to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
    }
}

/// RFC 3339 in UTC, with as many decimals as the time has.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.timestamp())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<jiff::Timestamp> for Time {
    fn from(time: jiff::Timestamp) -> Self {
        // The crate counts the fraction of a time before 1970 downwards.
        let (seconds, fraction) = (time.as_second(), time.subsec_nanosecond());
        match u32::try_from(fraction) {
            Ok(nanoseconds) => Self { seconds, nanoseconds },
            Err(_) => Self { seconds: seconds - 1, nanoseconds: (NANOS as i32 + fraction).unsigned_abs() },
        }
    }
}

impl From<SystemTime> for Time {
    fn from(time: SystemTime) -> Self {
        let seconds = |duration: std::time::Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self { seconds: seconds(after), nanoseconds: after.subsec_nanos() },
            Err(before) => {
                let before = before.duration();
                match before.subsec_nanos() {
                    0 => Self { seconds: -seconds(before), nanoseconds: 0 },
                    nanoseconds => Self { seconds: -seconds(before) - 1, nanoseconds: NANOS as u32 - nanoseconds },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset_and_written_in_utc() {
        for (text, expected) in [
            ("2025-12-15T00:00:00Z", "2025-12-15T00:00:00Z"),
            ("2025-12-15T09:00:00+09:00", "2025-12-15T00:00:00Z"),
            ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"),
            ("2150-01-01T00:00:00.5Z", "2150-01-01T00:00:00.5Z"),
        ] {
            let time = Time::parse(text).unwrap();
            assert_eq!(time.to_string(), expected);
            assert_eq!(Time::from_stored(time.stored()), time);
        }
        assert!(Time::parse("1969-12-31T23:59:59.5Z").unwrap() < Time { seconds: 0, nanoseconds: 0 });
    }

    #[test]
    fn what_has_no_offset_is_refused_in_one_sentence() {
        for (text, part) in [
            ("2025-12-15T00:00:00", "has no offset"),
            ("2025-12-15", "has no offset"),
            ("yesterday", "is not a date-time"),
            ("", "is not a date-time"),
        ] {
            let message = Time::parse(text).unwrap_err().message;
            assert!(message.contains(part) && message.contains("2025-12-15T00:00:00Z"), "{text}: {message}");
        }
    }

    #[test]
    fn clocks_far_away_are_kept_apart_from_the_index_that_cannot_hold_them() {
        let far = Time { seconds: 40_000_000_000, nanoseconds: 7 };
        assert_eq!(far.stored(), i64::MAX);
        assert_eq!(far.to_string(), "3237-07-19T23:06:40.000000007Z");
        assert_eq!(Time { seconds: i64::MAX, nanoseconds: 0 }.to_string(), jiff::Timestamp::MAX.to_string());
        let before = UNIX_EPOCH - std::time::Duration::new(1, 1);
        assert_eq!(Time::from(before), Time { seconds: -2, nanoseconds: 999_999_999 });
    }
}
