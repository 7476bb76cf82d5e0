//! The days on which an entry is repeated (RFC 5545, 3.3.10), for rules with an end that name few days.

use jiff::Span;
use jiff::civil::{Date, Weekday};

use super::content_lines::{Component, Property};
use super::times::{HomeZone, Time};

/// Most days of a rule that are listed, the first included.
const MOST_DAYS: usize = 50;
/// Most steps until a rule ends: the 29th of February comes every fourth year, and no interval is longer than some years.
const MOST_STEPS: i64 = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug)]
struct Rule {
    unit: Unit,
    interval: i64,
    /// The weekdays of a weekly rule. If the list is empty, the rule has the weekday of its first day.
    weekdays: Vec<Weekday>,
    count: Option<usize>,
    /// The last day, and true if the rule may end within it.
    until: Option<(Date, bool)>,
}

/// The days after the first on which an entry is repeated. `None` if there is no rule, if the rule has no end or too many days, and if its days
/// are not certain.
pub(super) fn further_days(entry: &Component, home: &HomeZone) -> Option<Vec<Date>> {
    let named = |name: &'static str| entry.properties.iter().filter(move |property| property.name == name);
    let mut rules = named("RRULE");
    let (rule, None) = (rules.next()?, rules.next()) else { return None };
    let start = Time::of(entry.property("DTSTART")?)?.day(home)?;
    let left_out: Option<Vec<Date>> = named("EXDATE").flat_map(|property| days_of(property, home)).collect();
    let (left_out, days) = (left_out?, Rule::parse(rule.value.trim(), home)?.days(start)?);
    Some(days.into_iter().skip(1).filter(|day| !left_out.contains(day)).collect())
}

fn days_of<'p>(property: &'p Property, home: &'p HomeZone) -> impl Iterator<Item = Option<Date>> + 'p {
    let zone = property.parameter("TZID");
    property.value.split(',').map(move |date| Time::parse(date.trim(), zone)?.day(home))
}

impl Rule {
    /// `None` for a rule with other parts.
    fn parse(rule: &str, home: &HomeZone) -> Option<Self> {
        let mut read = Self { unit: Unit::Day, interval: 1, weekdays: Vec::new(), count: None, until: None };
        let (mut has_unit, mut begins_on_monday) = (false, true);
        for part in rule.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().to_ascii_uppercase();
            match name.trim().to_ascii_uppercase().as_str() {
                "FREQ" => {
                    has_unit = true;
                    read.unit = match value.as_str() {
                        "DAILY" => Unit::Day,
                        "WEEKLY" => Unit::Week,
                        "MONTHLY" => Unit::Month,
                        "YEARLY" => Unit::Year,
                        _ => return None,
                    };
                }
                "INTERVAL" => read.interval = value.parse::<u16>().ok().filter(|interval| *interval > 0)?.into(),
                "COUNT" => read.count = Some(value.parse().ok()?),
                "UNTIL" => {
                    let time = Time::parse(&value, None)?;
                    read.until = Some((time.day(home)?, !matches!(time, Time::Day(_))));
                }
                "BYDAY" => read.weekdays = value.split(',').map(|day| weekday(day.trim())).collect::<Option<_>>()?,
                "WKST" => begins_on_monday = value == "MO",
                _ => return None,
            }
        }
        // The week begins to matter when weeks are left out.
        let is_clear = begins_on_monday || read.interval == 1;
        let has_days = read.weekdays.is_empty() || read.unit == Unit::Week;
        let ends = read.count.is_some() != read.until.is_some();
        (has_unit && is_clear && has_days && ends).then_some(read)
    }

    /// All days, the first included.
    fn days(&self, start: Date) -> Option<Vec<Date>> {
        if !self.weekdays.is_empty() && !self.weekdays.contains(&start.weekday()) {
            return None;
        }
        let mut days = Vec::new();
        for step in 0..MOST_STEPS {
            if self.count.is_some_and(|count| days.len() == count) {
                return Some(days);
            }
            let day = self.day(start, step)?;
            match self.until {
                Some((last, may_end_within)) if day == last && may_end_within => return None,
                Some((last, _)) if day > last => return Some(days),
                _ => {}
            }
            if self.is_on(start, day) {
                days.push(day);
            }
            if days.len() > MOST_DAYS {
                return None;
            }
        }
        None
    }

    /// The day of a step. The rule may not contain it.
    fn day(&self, start: Date, step: i64) -> Option<Date> {
        let span = match self.unit {
            // One day after another.
            Unit::Week if !self.weekdays.is_empty() => Span::new().try_days(step),
            Unit::Day => Span::new().try_days(step.checked_mul(self.interval)?),
            Unit::Week => Span::new().try_weeks(step.checked_mul(self.interval)?),
            Unit::Month => Span::new().try_months(step.checked_mul(self.interval)?),
            Unit::Year => Span::new().try_years(step.checked_mul(self.interval)?),
        };
        start.checked_add(span.ok()?).ok()
    }

    fn is_on(&self, start: Date, day: Date) -> bool {
        match self.unit {
            Unit::Week if !self.weekdays.is_empty() => {
                let from_monday = i64::from(start.weekday().to_monday_zero_offset());
                let passed = start.until(day).map_or(0, |span| i64::from(span.get_days()));
                (passed + from_monday) / 7 % self.interval == 0 && self.weekdays.contains(&day.weekday())
            }
            Unit::Day | Unit::Week => true,
            // A month without that day is left out.
            Unit::Month | Unit::Year => day.day() == start.day(),
        }
    }
}

fn weekday(code: &str) -> Option<Weekday> {
    Some(match code {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(rule: &str, start: &str) -> Option<Vec<String>> {
        let home = HomeZone::of(&Component::default(), &[]);
        let days = Rule::parse(rule, &home)?.days(start.parse().unwrap())?;
        Some(days.iter().map(Date::to_string).collect())
    }

    #[test]
    fn rules_with_an_end_give_their_days() {
        for (rule, start, expected) in [
            ("FREQ=WEEKLY;COUNT=3", "2024-09-05", vec!["2024-09-05", "2024-09-12", "2024-09-19"]),
            ("FREQ=DAILY;INTERVAL=10;UNTIL=20240925", "2024-09-05", vec!["2024-09-05", "2024-09-15", "2024-09-25"]),
            ("FREQ=MONTHLY;COUNT=3", "2024-01-31", vec!["2024-01-31", "2024-03-31", "2024-05-31"]),
            ("FREQ=YEARLY;COUNT=2", "2024-02-29", vec!["2024-02-29", "2028-02-29"]),
            (
                "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=4",
                "2024-09-05",
                vec!["2024-09-05", "2024-09-10", "2024-09-12", "2024-09-17"],
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3",
                "2024-09-06",
                vec!["2024-09-06", "2024-09-16", "2024-09-20"],
            ),
        ] {
            assert_eq!(days(rule, start).unwrap_or_default(), expected, "{rule}");
        }
    }

    #[test]
    fn other_rules_give_none() {
        for rule in [
            "FREQ=WEEKLY",
            "FREQ=DAILY;COUNT=51",
            "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3",
            "FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3",
            "FREQ=WEEKLY;BYDAY=MO;COUNT=3",
            "FREQ=WEEKLY;UNTIL=20240912T100000Z",
            "FREQ=WEEKLY;INTERVAL=0;COUNT=3",
            "COUNT=3",
        ] {
            assert_eq!(days(rule, "2024-09-05"), None, "{rule}");
        }
    }
}
