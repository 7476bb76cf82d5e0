//! Repetition of entries (RFC 5545, 3.8.5): a simple rule in words, any other as written.

use super::content_lines::{Component, Property};
use super::repetition::further_days;
use super::times::{HomeZone, Time};

/// The rules of an entry, the dates that it leaves out, and those that it adds.
pub(super) fn lines(entry: &Component, home: &HomeZone) -> Vec<String> {
    let named = |name: &'static str| entry.properties.iter().filter(move |property| property.name == name);
    let mut lines: Vec<String> = named("RRULE").map(|rule| format!("Repeats: {}", in_words(rule, home))).collect();
    for (name, label) in [("RDATE", "Also on"), ("EXDATE", "Not on")] {
        let dates: Vec<String> = named(name)
            .flat_map(|property| {
                let zone = property.parameter("TZID");
                property.value.split(',').map(move |date| match Time::parse(date.trim(), zone) {
                    Some(time) => time.shown(home),
                    None => date.trim().to_owned(),
                })
            })
            .collect();
        if !dates.is_empty() {
            lines.push(format!("{label}: {}", dates.join(", ")));
        }
    }
    let further = further_days(entry, home).unwrap_or_default();
    if !further.is_empty() {
        let days: Vec<String> = further.iter().map(ToString::to_string).collect();
        lines.push(format!("Repeated on: {}", days.join(", ")));
    }
    lines
}

fn in_words(rule: &Property, home: &HomeZone) -> String {
    simple(rule.value.trim(), home).unwrap_or_else(|| rule.value.trim().to_owned())
}

/// `None` for a rule with parts that have no words here.
fn simple(rule: &str, home: &HomeZone) -> Option<String> {
    let (mut unit, mut interval, mut days, mut end) = ("", 1u32, String::new(), String::new());
    for part in rule.split(';').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=')?;
        match name.trim().to_ascii_uppercase().as_str() {
            "FREQ" => {
                unit = match value.trim().to_ascii_uppercase().as_str() {
                    "DAILY" => "day",
                    "WEEKLY" => "week",
                    "MONTHLY" => "month",
                    "YEARLY" => "year",
                    _ => return None,
                }
            }
            "INTERVAL" => interval = value.trim().parse().ok()?,
            "COUNT" => end = format!(", {} times", value.trim().parse::<u32>().ok()?),
            "UNTIL" => end = format!(" until {}", Time::parse(value.trim(), None)?.shown(home)),
            "BYDAY" => {
                let names: Option<Vec<&str>> = value.split(',').map(|day| weekday(day.trim())).collect();
                days = format!(" on {}", names?.join(", "));
            }
            // The first day of the week matters to few rules.
            "WKST" => {}
            _ => return None,
        }
    }
    match (unit, interval) {
        ("", _) | (_, 0) => None,
        (unit, 1) => Some(format!("every {unit}{days}{end}")),
        (unit, many) => Some(format!("every {many} {unit}s{days}{end}")),
    }
}

fn weekday(code: &str) -> Option<&'static str> {
    const DAYS: [(&str, &str); 7] = [
        ("MO", "Monday"),
        ("TU", "Tuesday"),
        ("WE", "Wednesday"),
        ("TH", "Thursday"),
        ("FR", "Friday"),
        ("SA", "Saturday"),
        ("SU", "Sunday"),
    ];
    DAYS.iter().find(|(own, _)| own.eq_ignore_ascii_case(code)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_rules_are_words_and_others_stay() {
        let home = HomeZone::of(&Component::default(), &[]);
        for (rule, words) in [
            ("FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20241231", Some("every week on Monday, Wednesday until 2024-12-31")),
            ("FREQ=DAILY;INTERVAL=2;COUNT=5", Some("every 2 days, 5 times")),
            ("FREQ=YEARLY", Some("every year")),
            ("FREQ=MONTHLY;BYDAY=-1FR", None),
            ("FREQ=MONTHLY;BYMONTHDAY=15", None),
            ("INTERVAL=2", None),
        ] {
            assert_eq!(simple(rule, &home).as_deref(), words, "{rule}");
        }
    }
}
