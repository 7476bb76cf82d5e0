//! Amounts of money and percentages: exact values with the currency's ISO 4217 code or `%`.
//!
//! A dollar sign without a country is the United States dollar. Cost: linear.

mod currency;
mod decimal;

use casetrack_core::{AmountValue, EntityType, EntityValue, Mention};

pub(crate) use self::currency::is_code as is_currency;
pub(crate) use self::decimal::Decimal;
use self::decimal::{hundredths, in_digits, scale_at};
use crate::numbers::cardinal;
use crate::tokens::{Gap, Kind, Tokens};

/// The amounts of a page, in text order, without overlap.
pub fn find(tokens: &Tokens) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(amount) = amount_at(tokens, at) else {
            at += 1;
            continue;
        };
        let amount = with_repetition(tokens, amount);
        let (char_start, char_end) = tokens.span(amount.first, amount.end);
        found.push(Mention {
            entity_type: EntityType::Amount,
            char_start,
            char_end,
            value: Some(EntityValue::Amount(AmountValue {
                value: amount.value.to_string(),
                unit: amount.unit.to_owned(),
            })),
            role: None,
        });
        at = amount.end;
    }
    found
}

#[derive(Debug)]
struct Amount {
    first: usize,
    end: usize,
    value: Decimal,
    unit: &'static str,
}

fn amount_at(tokens: &Tokens, at: usize) -> Option<Amount> {
    match tokens.kind(at)? {
        Kind::Symbol => match tokens.symbol(at) {
            '-' | '−' => {
                // a sign, not a dash: nothing before it that it could join
                if tokens.glued(at) && at > 0 && !matches!(tokens.symbol(at - 1), '(' | '[' | '|') {
                    return None;
                }
                let unsigned = || amount_at_currency(tokens, at + 1).or_else(|| amount_at_number(tokens, at + 1));
                let mut amount = tokens.glued(at + 1).then(unsigned).flatten()?;
                amount.first = at;
                amount.value.negative = true;
                Some(amount)
            }
            '(' if accounting(tokens, at) => {
                let mut amount = amount_at_currency(tokens, at + 1).or_else(|| amount_at_number(tokens, at + 1))?;
                if tokens.symbol(amount.end) != ')' {
                    return None;
                }
                (amount.first, amount.end) = (at, amount.end + 1);
                amount.value.negative = true;
                Some(amount)
            }
            '.' => amount_at_number(tokens, at),
            _ => amount_at_currency(tokens, at),
        },
        Kind::Number => amount_at_number(tokens, at),
        Kind::Word => amount_at_currency(tokens, at).or_else(|| amount_in_words(tokens, at)),
    }
}

/// True if parentheses here can be the sign of accounts: in a column, not an apposition in a sentence.
fn accounting(tokens: &Tokens, at: usize) -> bool {
    tokens.gap(at) >= Gap::Line
        || at > 0 && (matches!(tokens.symbol(at - 1), ')' | '|' | '%' | '—') || tokens.is_number(at - 1))
}

/// "$1,250,000", "USD 1.2 million", "£200k", "$(1,234)".
fn amount_at_currency(tokens: &Tokens, at: usize) -> Option<Amount> {
    let (unit, mut next) = currency::before(tokens, at)?;
    if tokens.gap(next) > Gap::Space || (at > 0 && tokens.glued(at) && tokens.is_word(at) && tokens.is_word(at - 1)) {
        return None;
    }
    let negative = match tokens.symbol(next) {
        '(' | '-' | '−' if tokens.glued(next) || tokens.symbol(next) == '(' => Some(tokens.symbol(next)),
        _ => None,
    };
    next += usize::from(negative.is_some());
    let (value, end) = in_digits(tokens, next)?;
    // "USD 4.2.1": no amount
    if tokens.is_word(at)
        && tokens.glued(end)
        && tokens.symbol(end) == '.'
        && tokens.glued(end + 1)
        && tokens.is_number(end + 1)
    {
        return None;
    }
    let (mut value, mut end) = match scale_at(tokens, end, true) {
        Some((power, end)) => (value.shifted(power.min(15) as i32), end),
        None => (value, end),
    };
    if negative == Some('(') {
        if tokens.symbol(end) != ')' {
            return None;
        }
        end += 1;
    }
    value.negative = negative.is_some();
    // "$20,000 USD", "$5 Canadian"
    let unit = match currency::after(tokens, end) {
        Some((after, 0, next)) if unit == "USD" && tokens.symbol(at) == '$' && tokens.is_word(end) => {
            end = next;
            after
        }
        _ => unit,
    };
    Some(Amount { first: at, end, value, unit })
}

/// "1.250.000,50 EUR", "50 cents", "12.5%", "5 lakh rupees", "50 basis points".
fn amount_at_number(tokens: &Tokens, at: usize) -> Option<Amount> {
    if at > 0
        && tokens.glued(at)
        && (tokens.is_word(at - 1)
            || tokens.is_number(at - 1)
            || matches!(tokens.symbol(at - 1), '.' | '/' | '_' | ',' | '#'))
    {
        return None;
    }
    let (value, end) = in_digits(tokens, at)?;
    let (value, end) = match scale_at(tokens, end, false).or_else(|| {
        // "3.5m €": letters count only with a currency after them
        scale_at(tokens, end, true).filter(|(_, after)| currency::after(tokens, *after).is_some())
    }) {
        Some((power, end)) => (value.shifted(power.min(15) as i32), end),
        None => (value, end),
    };
    let (unit, power, end) = unit_after(tokens, end)?;
    Some(Amount { first: at, end, value: value.shifted(power), unit })
}

fn amount_in_words(tokens: &Tokens, at: usize) -> Option<Amount> {
    let (value, end) = cardinal(tokens, at)?;
    // "one half of one percent", "twenty-five hundredths of one percent"
    let fraction = tokens.word(at.wrapping_sub(2));
    if tokens.word(at.wrapping_sub(1)) == "of"
        && (fraction.ends_with("ths") || matches!(fraction, "half" | "quarter" | "third" | "tenth"))
    {
        return None;
    }
    let (value, end) = hundredths(tokens, Decimal::from_integer(value), end);
    // "twelve (12) percent", "twenty thousand ($20,000) dollars"
    let (unit, power, end) = unit_after(tokens, after_repetition(tokens, end, &value))?;
    Some(Amount { first: at, end, value: value.shifted(power), unit })
}

/// The token after a number's repetition in parentheses, if there is one: "twelve (12)", "60 (sixty)", "ten thousand
/// ($10,000)".
fn after_repetition(tokens: &Tokens, at: usize, value: &Decimal) -> usize {
    if tokens.symbol(at) != '(' {
        return at;
    }
    let digits = in_digits(tokens, currency::before(tokens, at + 1).map_or(at + 1, |(_, after)| after));
    let inside = digits.or_else(|| cardinal(tokens, at + 1).map(|(same, end)| (Decimal::from_integer(same), end)));
    match inside {
        Some((same, close)) if tokens.symbol(close) == ')' && same.to_string() == value.to_string() => close + 1,
        _ => at,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The nearest one; never negative.
    pub value: f64,
    /// The factor of a word after the digits: 1,000,000 in "3 million", else 1.
    pub scale: f64,
    /// The token after it, and after its repetition in parentheses.
    pub end: usize,
}

/// The number that begins at this token, in digits or words: "1,500", "3 million", "sixty (60)". `None` inside of a
/// word or a longer number. Bounded work.
pub fn number(tokens: &Tokens, at: usize) -> Option<Number> {
    let before = at.wrapping_sub(1);
    let joined = tokens.is_word(before) || tokens.is_number(before) || matches!(tokens.symbol(before), '.' | '/' | '_');
    if at > 0 && tokens.glued(at) && joined {
        return None;
    }
    let (value, power, end) = match in_digits(tokens, at) {
        Some((value, end)) => match scale_at(tokens, end, false) {
            Some((power, end)) => (value.shifted(power as i32), power, end),
            None => (value, 0, end),
        },
        None => cardinal(tokens, at).map(|(value, end)| (Decimal::from_integer(value), 0, end))?,
    };
    let end = after_repetition(tokens, end, &value);
    Some(Number { value: value.to_string().parse().ok()?, scale: 10f64.powi(power as i32), end })
}

/// The unit of a number: a currency, percent or basis points, with the power of ten that brings it to the unit.
fn unit_after(tokens: &Tokens, at: usize) -> Option<(&'static str, i32, usize)> {
    if tokens.gap(at) > Gap::Line {
        return None;
    }
    if matches!(tokens.symbol(at), '%' | '％') {
        let joined = tokens.glued(at + 1) && (tokens.is_word(at + 1) || tokens.is_number(at + 1));
        return (!joined).then_some(("%", 0, at + 1));
    }
    match tokens.word(at) {
        "percent" | "pct" if tokens.word(at + 1) != "age" => Some(("%", 0, at + 1)),
        "per" if tokens.word(at + 1) == "cent" => Some(("%", 0, at + 2)),
        "basis" if matches!(tokens.word(at + 1), "points" | "point") => Some(("%", -2, at + 2)),
        "bps" | "bp" => Some(("%", -2, at + 1)),
        _ => currency::after(tokens, at),
    }
}

fn with_repetition(tokens: &Tokens, mut amount: Amount) -> Amount {
    let (words, cents_end) = hundredths(tokens, amount.value.clone(), amount.end);
    let end = match tokens.word(cents_end) {
        "dollars" if cents_end > amount.end => cents_end + 1,
        _ => cents_end,
    };
    if tokens.symbol(end) == '(' && tokens.gap(end) <= Gap::Line {
        let inside = amount_at_currency(tokens, end + 1).or_else(|| amount_at_number(tokens, end + 1));
        if let Some(inside) = inside
            && tokens.symbol(inside.end) == ')'
            && inside.value.to_string() == words.to_string()
            && (inside.unit == amount.unit || amount.unit == "USD")
        {
            amount.end = inside.end + 1;
            amount.unit = inside.unit;
            amount.value = words;
            return amount;
        }
    }
    if cents_end > amount.end {
        (amount.value, amount.end) = (words, end);
    }
    amount
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        find(&Tokens::new(text))
            .iter()
            .map(|mention| match &mention.value {
                Some(EntityValue::Amount(amount)) => {
                    let surface: String =
                        chars[mention.char_start as usize..mention.char_end as usize].iter().collect();
                    format!("{surface} = {} {}", amount.value, amount.unit)
                }
                _ => unreachable!(),
            })
            .collect()
    }

    #[test]
    fn every_form_gives_its_exact_value() {
        for (text, expected) in [
            ("a fee of $1,250,000 payable", "$1,250,000 = 1250000 USD"),
            ("USD 1.2 million was", "USD 1.2 million = 1200000 USD"),
            ("for € 3.5m.", "€ 3.5m = 3500000 EUR"),
            ("sum 1.250.000,50 EUR due", "1.250.000,50 EUR = 1250000.5 EUR"),
            ("at £200k each", "£200k = 200000 GBP"),
            ("Rs. 5 lakh only", "Rs. 5 lakh = 500000 INR"),
            ("₹12,34,567 in all", "₹12,34,567 = 1234567 INR"),
            ("pay twenty thousand dollars ($20,000) now", "twenty thousand dollars ($20,000) = 20000 USD"),
            (
                "Five Thousand and 50/100 Dollars ($5,000.50)",
                "Five Thousand and 50/100 Dollars ($5,000.50) = 5000.5 USD",
            ),
            ("one million dollars (US$1,000,000)", "one million dollars (US$1,000,000) = 1000000 USD"),
            ("ten thousand ($10,000) dollars", "ten thousand ($10,000) dollars = 10000 USD"),
            ("50 cents each", "50 cents = 0.5 USD"),
            ("US$ 5.00 and", "US$ 5.00 = 5 USD"),
            ("U.S. $500", "U.S. $500 = 500 USD"),
            ("C$75.10", "C$75.10 = 75.1 CAD"),
            ("¥10,000", "¥10,000 = 10000 JPY"),
            ("net $(1,234)", "$(1,234) = -1234 USD"),
            ("loss of -$500", "-$500 = -500 USD"),
            ("12.5% of it", "12.5% = 12.5 %"),
            ("twelve percent (12%) of", "twelve percent (12%) = 12 %"),
            ("twelve (12) percent of", "twelve (12) percent = 12 %"),
            ("by 50 basis points", "50 basis points = 0.5 %"),
            ("$2.5\u{a0}billion", "$2.5\u{a0}billion = 2500000000 USD"),
            ("10 000 EUR", "10 000 EUR = 10000 EUR"),
            ("20,000 U.S. dollars", "20,000 U.S. dollars = 20000 USD"),
            ("$20,000 CAD", "$20,000 CAD = 20000 CAD"),
            (".5% interest", ".5% = 0.5 %"),
            ("1,5 % p.a.", "1,5 % = 1.5 %"),
            ("CHF 1'250.00", "CHF 1'250.00 = 1250 CHF"),
        ] {
            let text = text.replace("10 000", "10\u{a0}000");
            assert_eq!(amounts(&text), [expected.replace("10 000", "10\u{a0}000")], "{text}");
        }
    }

    #[test]
    fn a_number_is_read_with_its_scale_and_its_repetition() {
        for (text, expected) in [
            ("1,500 users", Some((1500.0, 1.0, 3))),
            ("3 million units", Some((3e6, 1e6, 2))),
            ("sixty (60) days", Some((60.0, 1.0, 4))),
            ("60 (sixty) days", Some((60.0, 1.0, 4))),
            ("sixty (90) days", Some((60.0, 1.0, 1))),
            ("days", None),
        ] {
            let found = number(&Tokens::new(text), 0).map(|found| (found.value, found.scale, found.end));
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(number(&Tokens::new("A4"), 1), None);
    }

    #[test]
    fn other_numbers_are_no_amounts() {
        for text in [
            "Section 4.2 has 50 pages",
            "version 1.2.3",
            "call 555-1234",
            "(1,234)",
            "5 pounds of flour",
            "ALL 5 of them",
            "$ each",
            "percent of",
            "a%20b",
            "1/2%",
            "EUR",
            "2,000 kg",
            "one half of one percent",
        ] {
            assert_eq!(amounts(text), Vec::<String>::new(), "{text}");
        }
    }
}
