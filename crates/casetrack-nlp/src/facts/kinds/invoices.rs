//! Number, day and total of an invoice or a receipt.

use std::ops::Range;

use casetrack_core::EntityValue;

use super::{Line, of_day};
use crate::amounts::{self, Conventions};
use crate::facts::text::Text;
use crate::facts::{Fact, FactKind};
use crate::tokens::Tokens;

pattern_table! {
    "facts/invoices.toml":
    NUMBER, NUMBER_LABEL, ONLY_TOKEN, NAMED, OWN_DATE, DATE, OTHER_DATE, PAYABLE, TOTAL, NOT_TOTAL, SUM,
}

/// Most letters of a currency.
const CURRENCY: usize = 3;
/// Percent, by the kind of evidence: a label of its own, a general label, no label.
const OWN: u8 = 90;
const GENERAL: u8 = 80;
const PLACED: u8 = 65;

pub(super) fn find(text: &Text<'_>, pages: &[&str], lines: &[Line<'_>]) -> Vec<Fact> {
    let conventions = Conventions::of(pages.iter().copied());
    [number(text, lines), day(text, lines), total(&conventions, lines)].into_iter().flatten().collect()
}

fn number(text: &Text<'_>, lines: &[Line<'_>]) -> Option<Fact> {
    let own = lines.iter().find_map(|line| token(text, line, NUMBER.captures(line.text)?.get(1)?.range(), OWN));
    let below = || {
        lines
            .windows(2)
            .filter(|pair| NUMBER_LABEL.is_match(pair[0].text))
            .find_map(|pair| token(text, &pair[1], ONLY_TOKEN.captures(pair[1].text)?.get(1)?.range(), GENERAL))
    };
    let named = || lines.iter().find_map(|line| token(text, line, NAMED.captures(line.text)?.get(1)?.range(), GENERAL));
    own.or_else(below).or_else(named)
}

/// A number of an invoice, unless it is a day or a sum.
fn token(text: &Text<'_>, line: &Line<'_>, range: Range<usize>, confidence: u8) -> Option<Fact> {
    let written = line.text[range.clone()].trim_end_matches(['.', '-', '/', '_']);
    let range = range.start..range.start + written.len();
    let is_sum = SUM.is_match(written) || line.text[range.end..].starts_with(',');
    let is_day = line.day(text, range.clone()).is_some_and(|day| day.range.len() >= written.len());
    (!is_sum && !is_day).then(|| line.fact(FactKind::Number, range, confidence))
}

fn day(text: &Text<'_>, lines: &[Line<'_>]) -> Option<Fact> {
    let behind = |line: &Line<'_>, label: regex::Match<'_>| line.day(text, label.end()..line.text.len());
    let own = lines.iter().find_map(|line| behind(line, OWN_DATE.find(line.text)?)).map(|day| (day, OWN));
    let others = || lines.iter().filter(|line| !OTHER_DATE.is_match(line.text));
    let general = || others().find_map(|line| behind(line, DATE.find(line.text)?)).map(|day| (day, GENERAL));
    let placed = || others().find_map(|line| line.day(text, 0..line.text.len())).map(|day| (day, PLACED));
    let (day, confidence) = own.or_else(general).or_else(placed)?;
    Some(of_day(text, FactKind::Date, day, confidence))
}

/// The greatest sum behind the surest label: a summary of taxes repeats the label with smaller sums.
fn total(conventions: &Conventions, lines: &[Line<'_>]) -> Option<Fact> {
    let totals = lines.iter().enumerate().filter(|(_, line)| !NOT_TOTAL.is_match(line.text));
    let found = totals.filter_map(|(at, line)| {
        let own = PAYABLE.find(line.text).map(|label| (label, OWN));
        let (label, confidence) = own.or_else(|| TOTAL.find(line.text).map(|label| (label, GENERAL)))?;
        // The heading of a column does not begin a line, and the sums below it belong to entries.
        let begins_line = !line.text[..label.start()].contains(char::is_alphanumeric);
        let next = lines.get(at + 1).filter(|next| begins_line && is_only_sum(next.text));
        let found = sum(conventions, line, label.end(), confidence);
        found.or_else(|| sum(conventions, next?, 0, confidence)).filter(|(number, _)| *number > 0.0)
    });
    let rank = |(number, fact): &(f64, Fact)| (fact.confidence, *number);
    found.reduce(|best, next| if rank(&next) > rank(&best) { next } else { best }).map(|(_, fact)| fact)
}

/// True for a line of digits, with a currency at most.
fn is_only_sum(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphabetic()).count() <= CURRENCY
}

/// The last sum behind a byte of a line, with its number: "EUR 8.20", or "8.20" without a currency.
fn sum(conventions: &Conventions, line: &Line<'_>, from: usize, confidence: u8) -> Option<(f64, Fact)> {
    let rest = &line.text[from..];
    let of_money =
        amounts::find(&Tokens::new(rest), conventions).into_iter().rev().find_map(|mention| match mention.value? {
            EntityValue::Amount(amount) if amount.unit != "%" => Some((amount, mention.char_start..mention.char_end)),
            _ => None,
        });
    let (value, number, chars) = match of_money {
        Some((amount, chars)) => {
            let begin = line.chars(from..from).start;
            (format!("{} {}", amount.unit, amount.value), amount.value, begin + chars.start..begin + chars.end)
        }
        None => {
            let sums = SUM.captures_iter(rest).filter_map(|sum| sum.get(1));
            let last = sums.filter(|sum| !rest[sum.end()..].starts_with('%')).last()?;
            let digits: String = last.as_str().chars().filter(char::is_ascii_digit).collect();
            let (whole, hundredths) = digits.split_at(digits.len() - 2);
            let number = format!("{whole}.{hundredths}");
            (number.clone(), number, line.chars(from + last.start()..from + last.end()))
        }
    };
    Some((number.parse().ok()?, Fact::at(FactKind::Total, value, line.page, chars, confidence)))
}
