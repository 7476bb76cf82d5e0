//! Points in time, stored as milliseconds and shown as RFC 3339 in UTC.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC. Serialises as RFC 3339 text in human-readable formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct Timestamp(#[schemars(with = "String")] pub i64);

impl Timestamp {
    pub fn now() -> Self {
        Self(jiff::Timestamp::now().as_millisecond())
    }

    /// A date of ISO 8601, with or without a time and an offset from UTC. A part that is not stated counts as the
    /// first: `2024` is the start of that year in UTC. `None` for anything else.
    pub fn of_iso(text: &str) -> Option<Self> {
        if let Ok(time) = text.parse::<jiff::Timestamp>() {
            return Some(Self(time.as_millisecond()));
        }
        let whole = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            _ => text.to_owned(),
        };
        let time = whole.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self(time.timestamp().as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.0}"),
            Err(_) => write!(f, "{} ms since 1970", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            match jiff::Timestamp::from_millisecond(self.0) {
                Ok(time) => serializer.collect_str(&format_args!("{time:.3}")),
                Err(error) => Err(serde::ser::Error::custom(error)),
            }
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            let time: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
            Ok(Self(time.as_millisecond()))
        } else {
            i64::deserialize(deserializer).map(Self)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_any_precision_are_points_in_time() {
        let hour = 3_600_000;
        for (text, expected) in [
            ("1970-01-01T02:00:00+02:00", Some(0)),
            ("1970-01-01T01:00", Some(hour)),
            ("1970-01-02", Some(24 * hour)),
            ("1970-02", Some(31 * 24 * hour)),
            ("1970", Some(0)),
            ("soon", None),
        ] {
            assert_eq!(Timestamp::of_iso(text), expected.map(Timestamp), "{text}");
        }
    }

    #[test]
    fn shown_as_rfc_3339() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Timestamp(1_700_000_000_123).to_string(), "2023-11-14T22:13:20Z");
    }
}
