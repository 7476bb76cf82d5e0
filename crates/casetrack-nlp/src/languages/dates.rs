//! Dates and their roles by the data of a language.

use std::collections::HashMap;

use casetrack_core::{EntityType, EntityValue, Mention};
use regex::{Captures, Regex};

use super::rules::{DatesData, Expressions, Read};
use super::{Match, mention, stands_alone, without_overlap};
use crate::dates::{DateOrder, DateParts, century};
use crate::numbers::roman;

/// Dates in digits, alike in all these languages.
const DIGITS: &[&str] = &[
    r"(?P<day>\d{1,2})\.[ \x{A0}]?(?P<month>\d{1,2})\.[ \x{A0}]?(?P<year>\d{4})",
    r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4})",
    r"(?P<first>\d{1,2})-(?P<second>\d{1,2})-(?P<year>\d{4})",
    r"(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<short>\d{2})",
    r"(?P<first>\d{2})/(?P<second>\d{2})/(?P<short>\d{2})",
    r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})",
];
word_lists! {
    ENGLISH_MONTHS: list = "dates/months.txt";
}
/// Bytes before a date in which its role is sought.
const REACH: usize = 90;

/// The names of months and numbers.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    months: HashMap<String, i8>,
    ordinals: HashMap<String, i8>,
}

#[derive(Debug)]
pub(super) struct Dates {
    calendar: Calendar,
    patterns: Vec<Regex>,
    roles: Vec<(Regex, String)>,
}

impl Dates {
    pub fn new(data: &DatesData, calendar: Calendar, expressions: &Expressions) -> Read<Dates> {
        let patterns = data.patterns.iter().map(String::as_str).chain(DIGITS.iter().copied());
        let role = |(role, cue): &(String, String)| {
            let fillers = &data.fillers;
            let pattern = format!(r"(?i)\b(?:{cue})(?:{{s}}(?:{fillers})){{0,4}}\s*(?:[:,]\s*)?\z");
            Ok((expressions.anywhere(&pattern)?, role.clone()))
        };
        Ok(Dates {
            calendar,
            patterns: patterns.map(|pattern| expressions.anywhere(pattern)).collect::<Read<_>>()?,
            roles: data.roles.iter().map(role).collect::<Read<_>>()?,
        })
    }

    /// The dates of a text, in text order, without overlap.
    pub fn find(&self, text: &str, order: DateOrder) -> Vec<Match<Mention>> {
        let mut found: Vec<Match<DateParts>> = Vec::new();
        for pattern in &self.patterns {
            let mut at = 0;
            while let Some(groups) = pattern.captures_at(text, at) {
                let Some(all) = groups.get(0) else { break };
                let (start, end) =
                    groups.name("date").map_or((all.start(), all.end()), |date| (date.start(), date.end()));
                let stated = stands_alone(text, start, end).then(|| self.calendar.stated(&groups, order)).flatten();
                at = match stated {
                    Some(what) => {
                        found.push(Match { start, end, what });
                        end
                    }
                    None => next_char(text, all.start()),
                };
            }
        }
        let value = |Match { start, end, what }: Match<DateParts>| {
            let value = EntityValue::Date(what.value()?);
            Some(Match { start, end, what: mention(EntityType::Date, value, self.role(text, start)) })
        };
        without_overlap(found).into_iter().filter_map(value).collect()
    }

    /// The role of a date by the words before it.
    fn role(&self, text: &str, start: usize) -> Option<String> {
        let before = text.get(text.ceil_char_boundary(start.saturating_sub(REACH))..start)?;
        self.roles.iter().find(|(cue, _)| cue.is_match(before)).map(|(_, role)| role.clone())
    }
}

impl Calendar {
    pub fn new(data: &DatesData) -> Read<Calendar> {
        if data.months.len() != 12 {
            return Err(format!("{} months", data.months.len()));
        }
        let mut months = HashMap::new();
        for (month, words) in (1..).zip(&data.months) {
            months.extend(words.iter().map(|word| (word.clone(), month)));
        }
        Ok(Calendar { months, ordinals: data.ordinals.clone() })
    }

    /// The date that the groups of an expression give; `None` if no calendar has it, or the year is of another age.
    fn stated(&self, groups: &Captures, order: DateOrder) -> Option<DateParts> {
        let year = |name: &str| -> Option<i16> {
            groups.name(name)?.as_str().parse().ok().filter(|year| (1600..2200).contains(year))
        };
        let short = || groups.name("short").and_then(|short| short.as_str().parse().ok()).map(century);
        let month = |name: &str| groups.name(name).and_then(|word| self.month(word.as_str()));
        let day = |name: &str| groups.name(name).and_then(|day| self.number(day.as_str()));
        let last_year = year("year2");
        let year = year("year").or_else(short).or(last_year)?;
        if let (Some(first), Some(second)) = (day("first"), day("second")) {
            return DateParts::in_order(year, first, second, order);
        }
        if let Some(quarter) = day("quarter") {
            return (1..=4).contains(&quarter).then_some(DateParts::Quarter { year, quarter });
        }
        let last_month = month("month2");
        let month = month("month").or(last_month)?;
        let first = match day("day") {
            Some(day) => DateParts::day(year, month, day)?,
            None => DateParts::Month { year, month },
        };
        match (day("day2"), last_month) {
            (Some(day), Some(month)) => first.to(DateParts::day(last_year?, month, day)?),
            (None, Some(month)) => first.to(DateParts::Month { year: last_year?, month }),
            _ => Some(first),
        }
    }

    /// The day of the groups `day`, `month` and `year` in ISO 8601.
    pub fn iso(&self, groups: &Captures) -> Option<String> {
        self.stated(groups, DateOrder::DayFirst)?.value().map(|value| value.first)
    }

    fn month(&self, word: &str) -> Option<i8> {
        let word = word.trim_end_matches('.').to_lowercase();
        self.months.get(&word).copied().or_else(|| word.parse().ok())
    }

    fn number(&self, word: &str) -> Option<i8> {
        let word = word.trim_end_matches('.').to_lowercase();
        let known = self.ordinals.get(&word).copied().or_else(|| word.parse().ok());
        known.or_else(|| roman(&word).and_then(|value| value.try_into().ok()))
    }
}

/// True if a text names a month in English, or has the three letters of one.
pub(super) fn names_english_month(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.any(|word| word == "sept" || ENGLISH_MONTHS.iter().any(|month| *month == word || month[..3] == *word))
}

/// The byte after the character that begins at one.
pub(super) fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// True for the name of a month that is neither an English name nor the beginning of one.
pub(super) fn is_foreign(name: &str) -> bool {
    !ENGLISH_MONTHS.iter().any(|month| month.starts_with(name))
}
