//! Times of events (RFC 5545, 3.3) in words: local ones with the zone that the calendar names.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::content_lines::{Component, Property};

/// A day or a moment.
pub(super) enum Time {
    Day(Date),
    /// Local time with the name of its zone. Without a zone, the time is local for every reader.
    Local(DateTime, Option<String>),
    Utc(DateTime),
}

/// The zone that a calendar is in, which shows its times of Coordinated Universal Time locally.
pub(super) struct HomeZone(Option<(String, TimeZone)>);

impl HomeZone {
    /// The zone that the calendar names as its own, else its only one.
    pub fn of(calendar: &Component, zones: &[String]) -> Self {
        let own = calendar.text("X-WR-TIMEZONE").or_else(|| match zones {
            [only] => Some(only.clone()),
            _ => None,
        });
        let name = own.map(|own| zone_name(&own));
        Self(name.and_then(|name| Some((name.clone(), TimeZone::get(&name).ok()?))))
    }
}

impl Time {
    /// The value of a property of a date or a time. `None` if it is neither.
    pub fn of(property: &Property) -> Option<Self> {
        Self::parse(property.value.trim(), property.parameter("TZID"))
    }

    pub fn parse(value: &str, zone: Option<&str>) -> Option<Self> {
        if value.len() == 8 {
            return Some(Self::Day(Date::strptime("%Y%m%d", value).ok()?));
        }
        let (local, is_utc) = value.strip_suffix(['Z', 'z']).map_or((value, false), |local| (local, true));
        let time = DateTime::strptime("%Y%m%dT%H%M%S", local)
            .or_else(|_| DateTime::strptime("%Y%m%dT%H%M", local))
            .or_else(|_| local.parse::<DateTime>())
            .ok()?;
        let zone = zone.filter(|zone| !zone.trim().is_empty()).map(zone_name);
        Some(match zone {
            _ if is_utc => Self::Utc(time),
            Some(zone) if matches!(zone.as_str(), "UTC" | "Etc/UTC" | "GMT") => Self::Utc(time),
            zone => Self::Local(time, zone),
        })
    }

    /// The day, the time of day if there is one, and its zone in words.
    fn parts(&self, home: &HomeZone) -> (Date, String, String) {
        let clock = |time: DateTime| time.strftime("%H:%M").to_string();
        match self {
            Self::Day(date) => (*date, String::new(), String::new()),
            Self::Local(time, Some(zone)) => (time.date(), clock(*time), zone.clone()),
            Self::Local(time, None) => (time.date(), clock(*time), "no time zone given".to_owned()),
            Self::Utc(time) => {
                let local = home.0.as_ref().and_then(|(name, zone)| {
                    let zoned = time.to_zoned(TimeZone::UTC).ok()?.with_time_zone(zone.clone());
                    Some((name, zoned.datetime()))
                });
                match local {
                    Some((name, local)) if local.date() == time.date() => {
                        (local.date(), clock(local), format!("{name}; {} UTC", clock(*time)))
                    }
                    Some((name, local)) => {
                        let utc = time.strftime("%Y-%m-%d %H:%M");
                        (local.date(), clock(local), format!("{name}; {utc} UTC"))
                    }
                    None => (time.date(), clock(*time), "UTC".to_owned()),
                }
            }
        }
    }

    /// The day, if it is the same in Coordinated Universal Time as in the zone of the calendar.
    pub fn day(&self, home: &HomeZone) -> Option<Date> {
        let (shown, ..) = self.parts(home);
        match self {
            Self::Utc(time) => Some(shown).filter(|day| *day == time.date()),
            _ => Some(shown),
        }
    }

    /// `2024-06-11 10:00 (Europe/Berlin)`.
    pub fn shown(&self, home: &HomeZone) -> String {
        let (date, clock, zone) = self.parts(home);
        if clock.is_empty() { date.to_string() } else { format!("{date} {clock} ({zone})") }
    }

    /// From this time to another: `2024-06-11 10:00 to 12:00 (Europe/Berlin)`. The last day of whole days is not part of them.
    pub fn shown_to(&self, end: &Self, home: &HomeZone) -> String {
        if let (Self::Day(first), Self::Day(end)) = (self, end) {
            let last = end.yesterday().unwrap_or(*end);
            return if last > *first { format!("{first} to {last} (all day)") } else { format!("{first} (all day)") };
        }
        let ((day, from, zone), (last_day, to, last_zone)) = (self.parts(home), end.parts(home));
        let is_plain = |zone: &str| !zone.contains(';');
        match (day == last_day, zone == last_zone) {
            (true, true) => format!("{day} {from} to {to} ({zone})"),
            // Each has its own time of Coordinated Universal Time.
            (true, false) if !is_plain(&zone) && !is_plain(&last_zone) => {
                let (name, utc) = zone.split_once("; ").unwrap_or_default();
                let (_, last_utc) = last_zone.split_once("; ").unwrap_or_default();
                format!("{day} {from} to {to} ({name}; {} to {last_utc})", utc.trim_end_matches(" UTC"))
            }
            (false, true) => format!("{day} {from} to {last_day} {to} ({zone})"),
            _ => format!("{} to {}", self.shown(home), end.shown(home)),
        }
    }
}

/// The name of a zone without the prefix that programs add: `/freeassociation.sourceforge.net/Europe/Berlin`.
fn zone_name(id: &str) -> String {
    let id = id.trim().trim_matches('"');
    let known = id.match_indices('/').map(|(at, _)| &id[at + 1..]).find(|rest| is_zone(rest));
    known.filter(|_| !is_zone(id)).unwrap_or(id).to_owned()
}

fn is_zone(name: &str) -> bool {
    name.contains('/') && TimeZone::get(name).is_ok()
}

/// A duration (3.3.6): `PT1H30M` is "1 h 30 min". `None` if it is not a duration.
pub(super) fn duration(value: &str) -> Option<String> {
    let (mut words, mut number, mut in_time) = (Vec::new(), String::new(), false);
    for c in value.trim().trim_start_matches('+').strip_prefix('P')?.chars() {
        let unit = match c {
            '0'..='9' => {
                number.push(c);
                continue;
            }
            'T' => {
                in_time = true;
                continue;
            }
            'W' => "weeks",
            'D' => "days",
            'H' if in_time => "h",
            'M' if in_time => "min",
            'S' if in_time => "s",
            _ => return None,
        };
        match std::mem::take(&mut number).parse::<u32>().ok()? {
            0 => {}
            1 => words.push(format!("1 {}", unit.trim_end_matches('s'))),
            many => words.push(format!("{many} {unit}")),
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: &str, zone: Option<&str>) -> Time {
        Time::parse(value, zone).unwrap()
    }

    #[test]
    fn times_are_local_and_name_their_zone() {
        let (none, berlin) = (HomeZone(None), HomeZone::of(&Component::default(), &["Europe/Berlin".to_owned()]));
        let zone = Some("/freeassociation.sourceforge.net/Tzfile/Europe/Berlin");
        assert_eq!(at("20240611T100000", zone).shown(&none), "2024-06-11 10:00 (Europe/Berlin)");
        assert_eq!(
            at("20240611T100000", Some("W. Europe Standard Time")).shown(&none),
            "2024-06-11 10:00 (W. Europe Standard Time)"
        );
        assert_eq!(at("20240611T080000Z", None).shown(&none), "2024-06-11 08:00 (UTC)");
        assert_eq!(at("20240611T080000Z", None).shown(&berlin), "2024-06-11 10:00 (Europe/Berlin; 08:00 UTC)");
        assert_eq!(
            at("20240610T230000Z", None).shown(&berlin),
            "2024-06-11 01:00 (Europe/Berlin; 2024-06-10 23:00 UTC)"
        );
        assert_eq!(at("20240611T1000", None).shown(&berlin), "2024-06-11 10:00 (no time zone given)");
        assert!(Time::parse("20241301T100000", None).is_none() && Time::parse("soon", None).is_none());
    }

    #[test]
    fn spans_are_as_short_as_they_can_be() {
        let home = HomeZone::of(&Component::default(), &["Europe/Berlin".to_owned()]);
        let span = |from, to, zone| at(from, zone).shown_to(&at(to, zone), &home);
        let berlin = Some("Europe/Berlin");
        assert_eq!(span("20240611T100000", "20240611T120000", berlin), "2024-06-11 10:00 to 12:00 (Europe/Berlin)");
        assert_eq!(
            span("20240611T220000", "20240612T020000", berlin),
            "2024-06-11 22:00 to 2024-06-12 02:00 (Europe/Berlin)"
        );
        assert_eq!(
            span("20240611T080000Z", "20240611T100000Z", None),
            "2024-06-11 10:00 to 12:00 (Europe/Berlin; 08:00 to 10:00 UTC)"
        );
        assert_eq!(span("20240611", "20240612", None), "2024-06-11 (all day)");
        assert_eq!(span("20240611", "20240614", None), "2024-06-11 to 2024-06-13 (all day)");
    }

    #[test]
    fn durations_are_words() {
        assert_eq!(duration("PT1H30M").as_deref(), Some("1 h 30 min"));
        assert_eq!(duration("P1W").as_deref(), Some("1 week"));
        assert_eq!(duration("P2DT0H").as_deref(), Some("2 days"));
        assert_eq!(duration("later"), None);
    }
}
