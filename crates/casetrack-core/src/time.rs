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
    fn shown_as_rfc_3339() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Timestamp(1_700_000_000_123).to_string(), "2023-11-14T22:13:20Z");
    }
}
