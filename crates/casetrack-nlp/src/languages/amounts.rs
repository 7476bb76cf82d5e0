//! Amounts of money and percentages by the data of a language. A comma is the decimal point, unless a point follows it.

use std::collections::HashMap;

use casetrack_core::{AmountValue, EntityType, EntityValue, Mention};
use regex::{Captures, Regex};

use super::dates::next_char;
use super::rules::{AmountsData, Expressions, Read, alternation};
use super::{Match, mention, stands_alone, without_overlap};
use crate::amounts::{Decimal, is_currency};

#[derive(Debug)]
pub(super) struct Amounts {
    patterns: Vec<Regex>,
    scales: Vec<(i32, Regex)>,
    units: Vec<(String, i32, Regex)>,
    numbers: HashMap<String, u64>,
}

impl Amounts {
    pub fn new(data: &AmountsData, expressions: &Expressions) -> Read<Amounts> {
        let groups = if data.spaced { r"[.,'’\x{A0}\x{202f}\x{2009} ]" } else { r"[.,'’\x{A0}\x{202f}\x{2009}]" };
        let number = format!(
            r"(?P<sign>[-−])?(?P<number>(?:\d{{1,3}}(?:{groups}\d{{3}}){{1,9}}|\d{{1,30}})(?:[.,]\d{{1,6}})?)(?:[.,](?:--?|–|—|=))?"
        );
        let of = &data.of;
        let scale = joined(data.scales.iter().map(|(_, written)| written));
        let scale = format!("(?:{{o}}(?P<scale>{scale})(?:{of})?)?");
        let unit = joined(data.units.iter().map(|(_, _, written)| written));
        let unit = format!("(?P<unit>{unit}|[A-Z]{{3}})");
        let word = alternation(data.numbers.keys());
        let patterns = [
            format!("{number}{scale}(?:{of})?{{o}}{unit}"),
            format!("{unit}{{o}}{number}{scale}"),
            format!(r"(?P<word>(?i:{word})){scale}{{s}}{unit}"),
        ];
        let scales = data.scales.iter().map(|(power, written)| Ok((*power, expressions.all(written)?)));
        let units =
            data.units.iter().map(|(unit, power, written)| Ok((unit.clone(), *power, expressions.all(written)?)));
        Ok(Amounts {
            patterns: patterns.iter().map(|pattern| expressions.anywhere(pattern)).collect::<Read<_>>()?,
            scales: scales.collect::<Read<_>>()?,
            units: units.collect::<Read<_>>()?,
            numbers: data.numbers.clone(),
        })
    }

    pub fn find(&self, text: &str) -> Vec<Match<Mention>> {
        let mut found: Vec<Match<Mention>> = Vec::new();
        for pattern in &self.patterns {
            let mut at = 0;
            while let Some(groups) = pattern.captures_at(text, at) {
                let Some(all) = groups.get(0) else { break };
                // a sign, not a dash: nothing before it that it could join
                let joins = groups.name("sign").is_some_and(|sign| {
                    let before = text.get(..sign.start()).and_then(|before| before.chars().next_back());
                    sign.start() == all.start() && before.is_some_and(|c| !c.is_whitespace() && c != '(')
                });
                let start = if joins { next_char(text, all.start()) } else { all.start() };
                let amount = (!joins && stands_alone(text, start, all.end())).then(|| self.amount(&groups)).flatten();
                at = match amount {
                    Some(amount) => {
                        let what = mention(EntityType::Amount, EntityValue::Amount(amount), None);
                        found.push(Match { start, end: all.end(), what });
                        all.end()
                    }
                    None => next_char(text, all.start()),
                };
            }
        }
        without_overlap(found)
    }

    fn amount(&self, groups: &Captures) -> Option<AmountValue> {
        let unit = groups.name("unit")?;
        let (code, power) = self.unit(unit.as_str())?;
        let first = groups.name("number").is_some_and(|number| unit.start() < number.start());
        // "% 5", "Cent 50"
        if first && (code == "%" || power < 0) {
            return None;
        }
        let scale = match groups.name("scale") {
            Some(scale) => self.scales.iter().find(|(_, written)| written.is_match(scale.as_str()))?.0,
            None => 0,
        };
        let value = match (groups.name("number"), groups.name("word")) {
            (Some(number), _) => decimal(number.as_str()),
            (None, Some(word)) => Decimal::from_integer(*self.numbers.get(&word.as_str().to_lowercase())?),
            (None, None) => return None,
        };
        let mut value = value.shifted(scale + power);
        value.negative = groups.name("sign").is_some();
        Some(AmountValue { value: value.to_string(), unit: code.to_owned() })
    }

    fn unit<'a>(&'a self, written: &'a str) -> Option<(&'a str, i32)> {
        let named = self.units.iter().find(|(_, _, unit)| unit.is_match(written));
        named.map(|(code, power, _)| (code.as_str(), *power)).or_else(|| is_currency(written).then_some((written, 0)))
    }
}

fn joined<'w>(written: impl Iterator<Item = &'w String>) -> String {
    written.map(String::as_str).collect::<Vec<_>>().join("|")
}

/// The value of digits with separators. Of two kinds the last is the decimal point; a single comma is one, a single
/// point if no three digits follow it; several of one kind group digits.
fn decimal(written: &str) -> Decimal {
    let count = |c: char| written.chars().filter(|other| *other == c).count();
    let last = written.rfind(['.', ',']);
    let grouping = |at: usize| {
        let (whole, fraction) = (&written[..at], &written[at + 1..]);
        fraction.len() == 3 && whole.len() <= 3 && whole != "0"
    };
    let point = last.filter(|&at| match (count('.'), count(',')) {
        (1, 0) => !grouping(at),
        (_, 0) | (0, 2..) => false,
        (0, 1) => true,
        (points, commas) => {
            let once = if written[at..].starts_with('.') { points } else { commas };
            once == 1
        }
    });
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    let fraction = point.map_or(0, |at| written.len() - at - 1);
    Decimal::new(digits, fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_say_where_the_fraction_begins() {
        for (written, expected) in [
            ("1.500,00", "1500"),
            ("1 500,5", "1500.5"),
            ("15.000", "15000"),
            ("1.250.000,50", "1250000.5"),
            ("1,250,000.50", "1250000.5"),
            ("1,500", "1.5"),
            ("12.50", "12.5"),
            ("0.500", "0.5"),
            ("10’000.00", "10000"),
            ("3,25", "3.25"),
            ("1,250,000", "1250000"),
        ] {
            assert_eq!(decimal(written).to_string(), expected, "{written}");
        }
    }
}
