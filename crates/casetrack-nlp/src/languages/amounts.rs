//! Amounts of money and percentages by the data of a language. A comma is the decimal point, unless a point follows it.

use std::collections::HashMap;

use casetrack_core::{AmountValue, EntityType, EntityValue, Mention};
use regex::{Captures, Regex};

use super::dates::next_char;
use super::rules::{AmountsData, Expressions, Read, alternation};
use super::{Match, mention, stands_alone, without_overlap};
use crate::amounts::{Decimal, Side, is_currency, is_heading, is_year, number_before, side};

#[derive(Debug)]
pub(super) struct Amounts {
    patterns: Vec<Regex>,
    scales: Vec<(i32, Regex)>,
    units: Vec<(String, i32, Regex)>,
    numbers: HashMap<String, u64>,
    halves: HashMap<String, u64>,
    fraction: Regex,
}

/// White space and marks between groups of three digits.
const GROUPS: &str = r"[.,'’‘ʼ´`′\x{A0}\x{202f}\x{2005}-\x{200a} ]";
/// A fraction behind an amount, which is then another: "EUR 2 1/2 Mio.", "3 millions d'euros et demi".
const FRACTION: &str = r"^(?:[ \x{A0}]?[¼-¾⅐-⅞]|[ \x{A0}][0-9]{1,2}[/⁄][0-9]{1,2}(?:[^0-9/]|$)|\s(?:et\s(?:demie?|quart)|y\s(?:medi[oa]|cuarto)|e\smezz[oa]|und\sein\w*\s(?:halb|[Vv]iertel))\b)";
/// The power of ten of a million.
const LARGE: i32 = 6;
/// Currencies with a letter that multiplies them.
const MULTIPLIED: &str = r"[TtkKM](?:EUR|CHF|USD|GBP|SEK|NOK|DKK|PLN|CZK|€|\$|£)";

impl Amounts {
    pub fn new(data: &AmountsData, expressions: &Expressions) -> Read<Amounts> {
        let number = |name: &str| {
            format!(
                r"(?P<{name}>(?:[0-9]{{1,3}}(?:{GROUPS}[0-9]{{3}}){{1,9}}|[0-9]{{1,30}})(?:[.,][0-9]{{1,6}}|[ \x{{A0}}]?[¼½¾])?)(?:[.,](?:--?|–|—|=))?"
            )
        };
        let of = &data.of;
        let scales = joined(data.scales.iter().map(|(_, written)| written));
        let half = |name: &str| match &data.half {
            Some(half) => format!("(?:{{s}}(?P<{name}_half>{half}))?"),
            None => String::new(),
        };
        let scale = |name: &str| format!("(?:{{o}}(?P<{name}>{scales}){}(?:{of})?)?", half(name));
        let units = joined(data.units.iter().map(|(_, _, written)| written));
        let unit = |name: &str| format!("(?P<{name}>{units}|{MULTIPLIED}|[A-Z]{{3}})");
        let (signed, low) = (format!("(?P<sign>[-−])?{}", number("number")), number("low") + &scale("low_scale"));
        let low_unit = unit("low_unit");
        let unit = unit("unit");
        let of_number = format!("{signed}{}", scale("scale"));
        let word = alternation(data.numbers.keys().chain(data.halves.keys()));
        let AmountsData { to, between, and, .. } = data;
        let range = format!("(?:(?P<between>{between}){{s}})?");
        let joint = format!("(?:[-–—]|{{s}}(?:{to}|(?P<and>{and})){{s}})");
        let patterns = [
            format!("{range}{low}(?:{{o}}{low_unit})?{joint}{of_number}(?:{of})?{{o}}{unit}"),
            format!("{range}{unit}{{o}}{low}{joint}(?:{low_unit}{{o}})?{of_number}"),
            format!("{of_number}(?:{of})?{{o}}{unit}"),
            format!("{unit}{{o}}{of_number}"),
            format!("(?P<scale>{scales}){{o}}{unit}{{o}}{signed}"),
            format!("{unit}{{o}}(?P<scale>{scales}){{s}}{signed}"),
            format!(r"(?P<word>(?i:{word})){}(?:{of})?{{o}}{unit}", scale("scale")),
        ];
        let scales = data.scales.iter().map(|(power, written)| Ok((*power, expressions.all(written)?)));
        let units =
            data.units.iter().map(|(unit, power, written)| Ok((unit.clone(), *power, expressions.all(written)?)));
        Ok(Amounts {
            patterns: patterns.iter().map(|pattern| expressions.anywhere(pattern)).collect::<Read<_>>()?,
            scales: scales.collect::<Read<_>>()?,
            units: units.collect::<Read<_>>()?,
            numbers: data.numbers.clone(),
            halves: data.halves.clone(),
            fraction: expressions.anywhere(FRACTION)?,
        })
    }

    pub fn find(&self, text: &str) -> Vec<Match<Mention>> {
        self.find_where(text, |_| true)
    }

    /// Amounts that are in this language in a text in English: "2 millions d'euros", "3,5 milioni di euro", but not "2.500 millones", which has two
    /// values there.
    pub fn in_words(&self, text: &str) -> Vec<Match<Mention>> {
        self.find_where(text, |groups| {
            let (Some(unit), Some(scale)) = (groups.name("unit"), groups.name("scale")) else { return false };
            let word = scale.as_str();
            let is_large =
                self.scales.iter().any(|(power, written)| *power >= LARGE && written.is_match(word)) && word.len() > 5;
            let between = text.get(scale.end()..unit.start()).unwrap_or_default();
            let is_english = matches!(word.to_lowercase().as_str(), "million" | "millions");
            let is_clear = |number: &str| {
                number.split_once(['.', ',']).is_none_or(|(_, rest)| rest.len() != 3 || rest.contains(['.', ',']))
            };
            is_large
                && (!is_english || !between.trim().is_empty())
                && ["low", "number"].iter().filter_map(|name| groups.name(name)).all(|number| is_clear(number.as_str()))
        })
    }

    /// The amounts whose parts fit.
    fn find_where(&self, text: &str, fits: impl Fn(&Captures) -> bool) -> Vec<Match<Mention>> {
        let mut found: Vec<Match<Vec<Match<Mention>>>> = Vec::new();
        for pattern in &self.patterns {
            let (mut at, mut free) = (0, 0);
            while let Some(groups) = pattern.captures_at(text, at) {
                let Some(all) = groups.get(0) else { break };
                // a sign, not a dash: nothing before it that it could join
                let joins = groups.name("sign").is_some_and(|sign| {
                    let before = text.get(..sign.start()).and_then(|before| before.chars().next_back());
                    sign.start() == all.start() && before.is_some_and(|c| !c.is_whitespace() && c != '(')
                });
                let start = if joins { next_char(text, all.start()) } else { all.start() };
                let whole = stands_alone(text, start, all.end()) && !self.fraction.is_match(&text[all.end()..]);
                let is_amount = !joins
                    && whole
                    && fits(&groups)
                    && self.is_own(text, &groups, free)
                    && !is_heading(text, start..all.end());
                let amounts = if is_amount { self.amounts(&groups) } else { Vec::new() };
                at = next_char(text, all.start());
                if !amounts.is_empty() {
                    (at, free) = (all.end(), all.end());
                    found.push(Match { start, end: all.end(), what: amounts });
                }
            }
        }
        without_overlap(found).into_iter().flat_map(|found| found.what).collect()
    }

    /// The amount that was matched, or both ends of a range.
    fn amounts(&self, groups: &Captures) -> Vec<Match<Mention>> {
        let Some(all) = groups.get(0) else { return Vec::new() };
        let place = |start: usize, end: usize, amount: AmountValue| Match {
            start,
            end,
            what: mention(EntityType::Amount, EntityValue::Amount(amount), None),
        };
        let Some(low) = groups.name("low") else {
            return self
                .amount(groups, "number", "scale")
                .map(|amount| place(all.start(), all.end(), amount))
                .into_iter()
                .collect();
        };
        let (Some(number), Some(unit)) = (groups.name("number"), groups.name("unit")) else { return Vec::new() };
        // "5 und 7 EUR" is a range only behind "zwischen", and so on.
        let is_range =
            groups.name("and").is_some() == groups.name("between").is_some() && groups.name("sign").is_none();
        let same = groups.name("low_unit").is_none_or(|low| self.unit(low.as_str()) == self.unit(unit.as_str()));
        let below = |a: &str, b: &str| as_float(a) < as_float(b);
        let shares = groups.name("low_scale").is_none() && below(low.as_str(), number.as_str());
        let low_scale = if shares { "scale" } else { "low_scale" };
        let (Some(from), Some(to)) = (self.amount(groups, "low", low_scale), self.amount(groups, "number", "scale"))
        else {
            return Vec::new();
        };
        if !(is_range && same && from.value.parse::<f64>().ok() < to.value.parse::<f64>().ok()) {
            return Vec::new();
        }
        let unit_leads = unit.start() < low.start();
        let parts = ["low_scale", "low_scale_half"].map(|name| groups.name(name));
        let ends = [Some(low), groups.name("low_unit").filter(|_| !unit_leads)].into_iter().chain(parts);
        let low_end = ends.flatten().map(|part| part.end()).max().unwrap_or(low.end());
        let low_start = if unit_leads { unit.start() } else { low.start() };
        let begins = groups.name("low_unit").filter(|_| unit_leads).map_or(number.start(), |unit| unit.start());
        vec![place(low_start, low_end, from), place(begins, all.end(), to)]
    }

    fn amount(&self, groups: &Captures, number: &str, scale: &str) -> Option<AmountValue> {
        let unit = groups.name("unit")?;
        let (code, power) = self.unit(unit.as_str())?;
        let first = groups.name("number").is_some_and(|number| unit.start() < number.start());
        // "% 5", "Cent 50"
        if first && (code == "%" || power < 0) {
            return None;
        }
        let scaled = groups.name(scale);
        let scale = match scaled {
            Some(scale) => self.scales.iter().find(|(_, written)| written.is_match(scale.as_str()))?.0,
            None => 0,
        };
        let value = match (groups.name(number), groups.name("word")) {
            (Some(number), _) => {
                let before = scaled.is_some_and(|scale| scale.start() < number.start()) || first && power > 0;
                if before && is_year(number.as_str()) {
                    return None;
                }
                decimal(number.as_str())
            }
            (None, Some(word)) => {
                let word = word.as_str().to_lowercase();
                match self.numbers.get(&word) {
                    Some(number) => Decimal::from_integer(*number),
                    None => Decimal::from_integer(self.halves.get(&word)?.checked_mul(5)?).shifted(-1),
                }
            }
            (None, None) => return None,
        };
        let half = groups.name(if number == "low" { "low_scale_half" } else { "scale_half" });
        let value = if half.is_some() { value.with_fraction(1, 2)? } else { value };
        let mut value = value.shifted(scale + power);
        value.negative = groups.name("sign").is_some();
        Some(AmountValue { value: value.to_string(), unit: code.to_owned() })
    }

    fn unit<'a>(&'a self, written: &'a str) -> Option<(&'a str, i32)> {
        let named = self.units.iter().find(|(_, _, unit)| unit.is_match(written));
        named
            .map(|(code, power, _)| (code.as_str(), *power))
            .or_else(|| is_currency(written).then_some((written, 0)))
            .or_else(|| {
                let power = if written.starts_with('M') { 6 } else { 3 };
                let rest = written.strip_prefix(['T', 't', 'k', 'K', 'M'])?;
                self.unit(rest).filter(|(_, of_rest)| *of_rest == 0).map(|(code, _)| (code, power))
            })
    }

    /// True if the currency belongs to the number that was matched with it: the nearest of its cell. `free`: the numbers before this byte have theirs.
    fn is_own(&self, text: &str, groups: &Captures, free: usize) -> bool {
        let (Some(unit), Some(number)) = (groups.name("unit"), groups.name("number").or(groups.name("word"))) else {
            return false;
        };
        let first = groups.name("low").unwrap_or(number).start();
        // Digits before plain spaces between groups: "2019 150 200 EUR".
        let apart =
            text[..first].strip_suffix(' ').is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()));
        if apart && number.as_str().contains(' ') {
            return false;
        }
        if self.unit(unit.as_str()).is_some_and(|(code, _)| code == "%") {
            return true;
        }
        if unit.start() < first {
            // "In Mio. EUR 2023 2022" is the heading of columns.
            let word = text[..unit.start()].split_whitespace().next_back().unwrap_or_default();
            if is_year(number.as_str()) && self.scales.iter().any(|(_, scale)| scale.is_match(word)) {
                return false;
            }
            let before = number_before(text, unit.start(), free.min(unit.start()));
            return side(text, before, unit.range(), false) == Some(Side::After);
        }
        let parts = ["scale", "scale_half"].into_iter().filter_map(|name| groups.name(name));
        let end = parts.map(|part| part.end()).fold(number.end(), usize::max);
        side(text, Some(number.start()..end), unit.range(), false) == Some(Side::Before)
    }
}

fn as_float(written: &str) -> Option<f64> {
    decimal(written).to_string().parse().ok()
}

fn joined<'w>(written: impl Iterator<Item = &'w String>) -> String {
    written.map(String::as_str).collect::<Vec<_>>().join("|")
}

/// The value of digits with separators. Of two kinds the last is the decimal point; a single comma is one, a single
/// point if no three digits follow it; several of one kind group digits.
fn decimal(written: &str) -> Decimal {
    let fraction = match written.chars().next_back() {
        Some('¼') => Some((1, 4)),
        Some('½') => Some((1, 2)),
        Some('¾') => Some((3, 4)),
        _ => None,
    };
    if let Some((over, under)) = fraction {
        let whole = decimal(written.trim_end_matches(['¼', '½', '¾', ' ', '\u{a0}']));
        return whole.with_fraction(over, under).unwrap_or(whole);
    }
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
    use crate::languages::{Language, amounts};

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
            ("2½", "2.5"),
            ("10 ¾", "10.75"),
        ] {
            assert_eq!(decimal(written).to_string(), expected, "{written}");
        }
    }

    #[test]
    fn currencies_cells_and_ranges_are_read_in_each_language() {
        let mut wrong = Vec::new();
        for (language, text, expected) in [
            (Language::German, "Ofen\t2\tEUR 18.400", "18400 EUR"),
            (Language::German, "Ofen\t18.400 EUR\t2", "18400 EUR"),
            (Language::German, "Ofen\t2\tEUR\t18.400,00", "18400 EUR"),
            (Language::German, "EUR 100 USD 120", "100 EUR; 120 USD"),
            (Language::German, "CHF 1 250 000", "1250000 CHF"),
            (Language::German, "CHF 1’250’000.50", "1250000.5 CHF"),
            (Language::German, "1\u{2009}250\u{2009}000,50 €", "1250000.5 EUR"),
            (Language::German, "k€ 45 und T€ 250", "45000 EUR; 250000 EUR"),
            (Language::German, "45 k€ und 250 TCHF", "45000 EUR; 250000 CHF"),
            (Language::German, "Mio. EUR 3,5", "3500000 EUR"),
            (Language::German, "in Mio. EUR 2023 2022", ""),
            (Language::German, "2–3 Mio. EUR", "2000000 EUR; 3000000 EUR"),
            (Language::German, "EUR 2-3 Mio.", "2000000 EUR; 3000000 EUR"),
            (Language::German, "zwischen 5 und 7 Millionen Euro", "5000000 EUR; 7000000 EUR"),
            (Language::German, "5 bis 7 %", "5 %; 7 %"),
            (Language::German, "um 5 % 2024", "5 %"),
            (Language::German, "500.000 € bis 1 Mio. €", "500000 EUR; 1000000 EUR"),
            (Language::German, "1 und 5 EUR", "5 EUR"),
            (Language::German, "10.000,- €", "10000 EUR"),
            (Language::German, "2½ Mio. EUR und EUR 3 ½ Mio.", "2500000 EUR; 3500000 EUR"),
            (Language::German, "eineinhalb Millionen Euro", "1500000 EUR"),
            (Language::German, "anderthalb Mio. €", "1500000 EUR"),
            (Language::German, "eine halbe Million Euro", "500000 EUR"),
            (Language::German, "1 Million Euro", "1000000 EUR"),
            (Language::German, "EUR 2 1/2 Mio.", ""),
            (Language::French, "1,5 Md€ et 2 Md €", "1500000000 EUR; 2000000000 EUR"),
            (Language::French, "3 millions et demi d’euros", "3500000 EUR"),
            (Language::French, "un million et demi d'euros et un million d'euros", "1500000 EUR; 1000000 EUR"),
            (Language::French, "EUR 2 millions et demi", "2500000 EUR"),
            (Language::French, "entre 2 et 3 milliards et demi de dollars", "2000000000 USD; 3500000000 USD"),
            (Language::Spanish, "3 millones y medio de euros", "3500000 EUR"),
            (Language::Italian, "2 milioni e mezzo di euro", "2500000 EUR"),
            (Language::Spanish, "medio millón de euros", "500000 EUR"),
            (Language::Italian, "mezzo milione di euro", "500000 EUR"),
            (Language::French, "Four\t2\tEUR 18 400", "18400 EUR"),
            (Language::French, "entre 5 et 7 millions d’euros", "5000000 EUR; 7000000 EUR"),
            (Language::French, "de 10 à 15 %", "10 %; 15 %"),
            (Language::French, "45 k€ et k€ 12", "45000 EUR; 12000 EUR"),
            (Language::Spanish, "entre 5 y 7 millones de euros", "5000000 EUR; 7000000 EUR"),
            (Language::Spanish, "Horno\t2\tEUR 18.400", "18400 EUR"),
            (Language::Italian, "tra 5 e 7 milioni di euro", "5000000 EUR; 7000000 EUR"),
            (Language::Italian, "CHF 1 250 000", "1250000 CHF"),
        ] {
            let found: Vec<String> = amounts(language, text)
                .unwrap()
                .into_iter()
                .filter_map(|found| match found.value {
                    Some(EntityValue::Amount(amount)) => Some(format!("{} {}", amount.value, amount.unit)),
                    _ => None,
                })
                .collect();
            if found.join("; ") != expected {
                wrong.push(format!("{text:?}: {found:?}, not {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
