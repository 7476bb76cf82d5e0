//! Amounts of money and percentages: exact values with the currency's ISO 4217 code or `%`.
//!
//! A dollar sign without a country is the United States dollar. The document decides the currency of a sign that several currencies share
//! ([`Conventions`]); otherwise it is not an amount, except one of [`CROWNS`]. Both ends of a range are amounts: "$5 to $7 million" is 5 and 7
//! million. Cost: linear.

mod cells;
mod conventions;
mod currency;
mod decimal;
mod east_asian;
mod fractions;
mod ranges;

use casetrack_core::{AmountValue, EntityType, EntityValue, Mention};

pub(crate) use self::cells::{Side, is_heading, number_before, side};
pub use self::conventions::Conventions;
pub use self::currency::CROWNS;
pub(crate) use self::currency::is_code as is_currency;
pub(crate) use self::decimal::Decimal;
use self::decimal::{Digits, hundredths, in_digits, is_unclear_scale, of_money, scale_at};
use self::fractions::{behind_scale, large_fraction, large_in_words};
use crate::numbers::cardinal;
use crate::tokens::{Gap, Kind, Tokens};

/// The amounts of a page, in text order, without overlap.
pub fn find(tokens: &Tokens, conventions: &Conventions) -> Vec<Mention> {
    match east_asian::narrow(tokens.text()) {
        Some(text) => find_in(&Tokens::new(&text), conventions),
        None => find_in(tokens, conventions),
    }
}

fn find_in(tokens: &Tokens, conventions: &Conventions) -> Vec<Mention> {
    let mut found = east_asian::find(tokens.text(), conventions);
    let east_asian = found.len();
    let mut reader = Reader { tokens, conventions, free: 0 };
    let mut at = 0;
    while at < tokens.len() {
        let amounts = match reader.range_at(at) {
            Some(ends) => ends.to_vec(),
            None => reader.amount_at(at).map(|amount| reader.with_repetition(amount)).into_iter().collect(),
        };
        for amount in &amounts {
            let (char_start, char_end) = tokens.span(amount.first, amount.end);
            let covers = |other: &Mention| other.char_start < char_end && char_start < other.char_end;
            if !found[..east_asian].iter().any(covers) {
                found.push(mention(char_start, char_end, amount.value.to_string(), amount.unit));
            }
        }
        at = amounts.last().map_or(at + 1, |last| last.end);
        reader.free = if amounts.is_empty() { reader.free } else { at };
    }
    found.sort_by_key(|mention| mention.char_start);
    found
}

fn mention(char_start: u32, char_end: u32, value: String, unit: &str) -> Mention {
    let value = EntityValue::Amount(AmountValue { value, unit: unit.to_owned() });
    Mention { entity_type: EntityType::Amount, char_start, char_end, value: Some(value), role: None }
}

#[derive(Debug, Clone)]
struct Amount {
    first: usize,
    end: usize,
    value: Decimal,
    unit: &'static str,
}

/// Reads the amounts of a page.
struct Reader<'t> {
    tokens: &'t Tokens<'t>,
    conventions: &'t Conventions,
    /// The token after the last amount: the numbers before it have their currency.
    free: usize,
}

impl Reader<'_> {
    fn amount_at(&self, at: usize) -> Option<Amount> {
        let tokens = self.tokens;
        match tokens.kind(at)? {
            Kind::Symbol => match tokens.symbol(at) {
                '-' | '−' => {
                    // a sign, not a dash: nothing before it that it could join
                    if tokens.glued(at) && at > 0 && !matches!(tokens.symbol(at - 1), '(' | '[' | '|') {
                        return None;
                    }
                    let mut amount = tokens.glued(at + 1).then(|| self.unsigned_at(at + 1)).flatten()?;
                    amount.first = at;
                    amount.value.negative = true;
                    Some(amount)
                }
                '(' => self.amount_in_brackets(at),
                '.' => self.amount_at_number(at),
                _ => self.amount_at_currency(at),
            },
            Kind::Number => self.amount_at_number(at),
            Kind::Word => self.amount_at_currency(at).or_else(|| self.amount_in_words(at)),
        }
    }

    /// An amount in parentheses that are a sign, or have a word of its number behind them: "(£1,250) thousand".
    fn amount_in_brackets(&self, at: usize) -> Option<Amount> {
        let tokens = self.tokens;
        let mut amount = self.unsigned_at(at + 1).filter(|amount| tokens.symbol(amount.end) == ')')?;
        let close = amount.end + 1;
        let scale = scale_at(tokens, close, None).filter(|_| amount.unit != "%");
        amount.end = scale.map_or(close, |(_, end)| end);
        let negative = self.is_cell(at, amount.end);
        if !negative && scale.is_none() {
            return None;
        }
        amount.first = at;
        amount.value = amount.value.shifted(scale.map_or(0, |(power, _)| power.min(15) as i32));
        amount.value.negative = negative;
        Some(amount)
    }

    fn unsigned_at(&self, at: usize) -> Option<Amount> {
        self.amount_at_currency(at).or_else(|| self.amount_at_number(at))
    }

    /// True if parentheses here can be the sign of accounts: in a column, not an apposition in a sentence.
    fn is_cell(&self, from: usize, to: usize) -> bool {
        cells::is_cell(self.tokens.text(), self.tokens.bytes(from).0..self.tokens.bytes(to - 1).1)
    }

    /// True if an amount is the year of a column with its currency.
    fn is_heading(&self, amount: &Amount) -> bool {
        let bytes = self.tokens.bytes(amount.first).0..self.tokens.bytes(amount.end - 1).1;
        amount.end - amount.first == 2 && cells::is_heading(self.tokens.text(), bytes)
    }

    /// "$1,250,000", "USD 1.2 million", "£200k", "$(1,234)", "EUR two million".
    fn amount_at_currency(&self, at: usize) -> Option<Amount> {
        let tokens = self.tokens;
        let before = currency::before(tokens, self.conventions, at)?;
        let mut next = before.next;
        let joined = at > 0 && tokens.glued(at) && tokens.is_word(at) && tokens.is_word(at - 1);
        if tokens.gap(next) > Gap::Space || joined {
            return None;
        }
        let sign = match tokens.symbol(next) {
            '(' | '-' | '−' if tokens.glued(next) || tokens.symbol(next) == '(' => Some(tokens.symbol(next)),
            _ => None,
        };
        next += usize::from(sign.is_some());
        if !tokens.is_number(next) && tokens.symbol(next) != '.' {
            return self.amount_in_words_of(at, before, next).filter(|_| sign.is_none());
        }
        if !currency::leads(tokens, self.free, at, before.next, self.conventions) {
            return None;
        }
        if let Some((value, end)) = large_fraction(tokens, next).filter(|_| sign.is_none()) {
            return Some(Amount { first: at, end, value: value?.shifted(before.power as i32), unit: before.unit });
        }
        let digits = of_money(tokens, next)?;
        let is_plain = digits.end == next + 1;
        if before.power > 0 && is_year(tokens.surface(next)) && is_plain {
            return None;
        }
        // "USD 4.2.1": no amount
        if tokens.is_word(at) && self.is_point_before_digit(digits.end) {
            return None;
        }
        let (value, end, scaled) = self.scaled(&digits, before.unit);
        if !scaled && is_unclear_scale(tokens, end) {
            return None;
        }
        // "R 2.10" is a rule
        let apart = before.unit == "ZAR" && !tokens.glued(before.next);
        let cents = tokens.surface(digits.end - 1).len() == 2;
        if before.doubtful
            && !scaled
            && (is_plain || !self.is_grouped(digits.end) || apart && (cents || digits.doubtful))
        {
            return None;
        }
        let mut amount = Amount { first: at, end, value: value.shifted(before.power as i32), unit: before.unit };
        amount.value.negative = matches!(sign, Some('-' | '−'));
        if sign == Some('(') {
            amount = self.closed(amount, before.next, scaled)?;
        }
        (!self.is_heading(&amount)).then(|| self.with_country(amount))
    }

    /// An amount whose number is in parentheses, to their end: "$(1,234)", "EUR (2.3) million".
    fn closed(&self, mut amount: Amount, open: usize, scaled: bool) -> Option<Amount> {
        let tokens = self.tokens;
        if tokens.symbol(amount.end) != ')' {
            return None;
        }
        amount.end += 1;
        if let Some((power, end)) = scale_at(tokens, amount.end, None).filter(|_| !scaled) {
            (amount.value, amount.end) = (amount.value.shifted(power.min(15) as i32), end);
        }
        let end = amount.end;
        let accounts = tokens.glued(open) && !tokens.is_word(open - 1);
        let ends_line = tokens.gap(end) >= Gap::Line && !tokens.surface(end).starts_with(char::is_lowercase);
        amount.value.negative = accounts && ends_line || self.is_cell(amount.first, end);
        // otherwise the only number of a line of accounts, or the end of a line of text
        (amount.value.negative || !ends_line).then_some(amount)
    }

    /// "$20,000 USD", "$5 Canadian", "JPY 1,200,000 yen".
    fn with_country(&self, mut amount: Amount) -> Amount {
        let tokens = self.tokens;
        if !tokens.is_word(amount.end) {
            return amount;
        }
        let number = (amount.first..amount.end).find(|at| tokens.is_number(*at)).unwrap_or(amount.first);
        if let Some(after) = currency::after(tokens, self.conventions, number, amount.end)
            && after.power == 0
            && (after.unit == amount.unit || amount.unit == "USD" && tokens.symbol(amount.first) == '$')
        {
            (amount.unit, amount.end) = (after.unit, after.end);
        }
        amount
    }

    fn is_point_before_digit(&self, at: usize) -> bool {
        let tokens = self.tokens;
        tokens.glued(at) && tokens.symbol(at) == '.' && tokens.glued(at + 1) && tokens.is_number(at + 1)
    }

    /// True if a number in digits has groups, cents or a dash for them.
    fn is_grouped(&self, end: usize) -> bool {
        let last = self.tokens.surface(end - 1);
        !self.tokens.is_number(end - 1) || matches!(last.len(), 2 | 3)
    }

    /// The value of digits with the words behind them ("million", "5 crore 20 lakh"), the token after it, and true if there are such words.
    fn scaled(&self, digits: &Digits, unit: &str) -> (Decimal, usize, bool) {
        let tokens = self.tokens;
        let currency = Some(unit).filter(|unit| !unit.is_empty());
        let Some((power, mut end)) = scale_at(tokens, digits.end, currency) else {
            return (self.settled(digits, unit), digits.end, false);
        };
        if let Some((value, end)) = behind_scale(tokens, &digits.value, end) {
            return (value.shifted(power.min(15) as i32), end, true);
        }
        let mut value = digits.value.clone().shifted(power.min(15) as i32);
        let next = end + usize::from(tokens.word(end) == "and");
        if tokens.gap(next) == Gap::Space
            && let Some(more) = in_digits(tokens, next)
            && let Some((less, after)) = scale_at(tokens, more.end, currency).filter(|(less, _)| *less < power)
            && let Some(sum) = value.plus(&more.value.shifted(less as i32))
        {
            (value, end) = (sum, after);
        }
        (value, end, true)
    }

    /// The value of a number that may have a point before a group: "EUR 1.500".
    fn settled(&self, digits: &Digits, unit: &str) -> Decimal {
        let groups =
            digits.doubtful && currency::groups_by_points(unit) && self.conventions.decimal_points != Some(true);
        let groups = groups || digits.doubtful && unit != "%" && self.conventions.decimal_points == Some(false);
        if groups { digits.value.clone().without_point() } else { digits.value.clone() }
    }

    /// "1.250.000,50 EUR", "50 cents", "12.5%", "5 lakh rupees", "50 basis points".
    fn amount_at_number(&self, at: usize) -> Option<Amount> {
        let tokens = self.tokens;
        if self.is_joined(at) {
            return None;
        }
        let digits = of_money(tokens, at)?;
        let (value, end, unit, power) = self.number_with_unit(at, &digits)?;
        let amount = Amount { first: at, end, value: value.shifted(power), unit };
        (!self.is_heading(&amount)).then_some(amount)
    }

    /// True if this number is a part of something longer: the fraction of "5-1/2%" is not the percentage.
    fn is_joined(&self, at: usize) -> bool {
        let tokens = self.tokens;
        at > 0
            && tokens.glued(at)
            && (tokens.is_word(at - 1)
                || tokens.is_number(at - 1)
                || matches!(tokens.symbol(at - 1), '.' | '/' | '_' | ',' | '#'))
    }

    fn number_with_unit(&self, at: usize, digits: &Digits) -> Option<(Decimal, usize, &'static str, i32)> {
        // "45 k€", "250 T€": the letter is of the currency
        if let Some((unit, power, end)) = self.unit_after(at, digits.end) {
            return Some((self.settled(digits, unit), end, unit, power));
        }
        let (value, end, _) = self.scaled(digits, "");
        // "20,000 (twenty thousand) dollars"
        let end = self.after_repetition(end, &value);
        if let Some((unit, power, end)) = (end > digits.end).then(|| self.unit_after(at, end)).flatten() {
            return Some((value, end, unit, power));
        }
        // "3.5m €", "2T USD": letters count only with a currency after them
        let trillions = is_unclear_scale(self.tokens, digits.end);
        let behind = |end| currency::after(self.tokens, self.conventions, at, end);
        let unit = trillions.then(|| behind(digits.end + 1)).flatten().map_or("", |after| after.unit);
        let (power, end) = scale_at(self.tokens, digits.end, Some(unit))?;
        let after = behind(end)?;
        Some((digits.value.clone().shifted(power.min(15) as i32), after.end, after.unit, after.power))
    }

    fn amount_in_words(&self, at: usize) -> Option<Amount> {
        let tokens = self.tokens;
        // "one and a half million dollars", "half a million euros"
        if let Some((value, end)) = large_in_words(tokens, at) {
            let (unit, power, end) = self.unit_after(at, end)?;
            return Some(Amount { first: at, end, value: value.shifted(power), unit });
        }
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
        let (unit, power, end) = self.unit_after(at, self.after_repetition(end, &value))?;
        Some(Amount { first: at, end, value: value.shifted(power), unit })
    }

    /// "EUR two million (2,000,000)", "Rs. five lakhs".
    fn amount_in_words_of(&self, at: usize, before: currency::Before, words: usize) -> Option<Amount> {
        let (value, end) = cardinal(self.tokens, words)?;
        // "USD one" is hardly an amount, nor is "€ 2 or two"
        let large = value >= 100 && !before.doubtful && self.tokens.gap(words) == Gap::Space;
        let value = Decimal::from_integer(value);
        let end = self.after_repetition(end, &value);
        large.then(|| Amount { first: at, end, value: value.shifted(before.power as i32), unit: before.unit })
    }

    /// The token after a number's repetition in parentheses, where there is one: "twelve (12)", "60 (sixty)", "ten thousand ($10,000)".
    fn after_repetition(&self, at: usize, value: &Decimal) -> usize {
        let before = currency::before(self.tokens, self.conventions, at + 1);
        after_repetition(self.tokens, at, before.map_or(at + 1, |before| before.next), value)
    }

    /// The unit of a number: a currency, percent or basis points, with the power of ten that brings it to the unit.
    fn unit_after(&self, number: usize, at: usize) -> Option<(&'static str, i32, usize)> {
        let tokens = self.tokens;
        if tokens.gap(at) > Gap::Line {
            return None;
        }
        if matches!(tokens.symbol(at), '%' | '％') {
            let joined = tokens.glued(at + 1) && (tokens.is_word(at + 1) || tokens.is_number(at + 1));
            return (!joined && currency::is_near(tokens, at)).then_some(("%", 0, at + 1));
        }
        match tokens.word(at) {
            "percent" | "pct" if tokens.word(at + 1) != "age" => Some(("%", 0, at + 1)),
            "per" if tokens.word(at + 1) == "cent" => Some(("%", 0, at + 2)),
            "basis" if matches!(tokens.word(at + 1), "points" | "point") => Some(("%", -2, at + 2)),
            "bps" | "bp" => Some(("%", -2, at + 1)),
            _ => {
                currency::after(tokens, self.conventions, number, at).map(|after| (after.unit, after.power, after.end))
            }
        }
    }

    /// "twenty thousand dollars ($20,000)": the amount and its repetition in parentheses are one mention.
    fn with_repetition(&self, mut amount: Amount) -> Amount {
        let tokens = self.tokens;
        let (words, cents_end) = hundredths(tokens, amount.value.clone(), amount.end);
        let end = match tokens.word(cents_end) {
            "dollars" if cents_end > amount.end => cents_end + 1,
            _ => cents_end,
        };
        if tokens.symbol(end) == '('
            && tokens.gap(end) <= Gap::Line
            && let Some(inside) = self.unsigned_at(end + 1)
            && tokens.symbol(inside.end) == ')'
            && inside.value.to_string() == words.to_string()
            && (inside.unit == amount.unit || amount.unit == "USD")
        {
            amount.end = inside.end + 1;
            amount.unit = inside.unit;
            amount.value = words;
            return amount;
        }
        if cents_end > amount.end {
            (amount.value, amount.end) = (words, end);
        }
        amount
    }
}

/// "In EUR million 2023 2022" is the heading of columns.
pub(crate) fn is_year(number: &str) -> bool {
    number.len() == 4 && (number.starts_with("19") || number.starts_with("20"))
}

/// The token after a repetition in parentheses, whose number begins at `inside`.
fn after_repetition(tokens: &Tokens, at: usize, inside: usize, value: &Decimal) -> usize {
    if tokens.symbol(at) != '(' {
        return at;
    }
    let digits = of_money(tokens, inside).map(|digits| (digits.value, digits.end));
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
        Some(digits) => match scale_at(tokens, digits.end, None) {
            Some((power, end)) => (digits.value.shifted(power as i32), power, end),
            None => (digits.value, 0, digits.end),
        },
        None => cardinal(tokens, at).map(|(value, end)| (Decimal::from_integer(value), 0, end))?,
    };
    let end = after_repetition(tokens, end, end + 1, &value);
    Some(Number { value: value.to_string().parse().ok()?, scale: 10f64.powi(power as i32), end })
}

#[cfg(test)]
mod tests;
