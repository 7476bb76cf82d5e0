//! Numbers by digit placeholders.
//!
//! Digits are decimal: Excel keeps 15 of them and rounds those half up, so that 2.675 with two decimals is 2.68.

use super::token::Token;

/// More digits than this on one side of the point are of no use to a reader.
const MAX_DIGITS: usize = 400;

/// Longer numbers are shown with an exponent in the format General.
const MAX_WHOLE_DIGITS: i32 = 20;

/// `0.d₁d₂… · 10^point`
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    fn of(number: f64) -> Self {
        let text = format!("{:.14e}", number.abs());
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        let mut decimal = Self { digits, point: exponent.parse::<i32>().unwrap_or(0) + 1 };
        decimal.trim();
        if decimal.is_zero() {
            decimal.point = 0;
        }
        decimal
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    fn round(&mut self, decimals: i32) {
        let kept = self.point + decimals;
        if kept < 0 {
            self.digits.clear();
        }
        let Ok(kept) = usize::try_from(kept) else { return };
        let Some(&next) = self.digits.get(kept) else { return };
        self.digits.truncate(kept);
        if next >= 5 {
            let carried = self.digits.iter().rposition(|digit| *digit < 9);
            match carried {
                Some(at) => {
                    self.digits.truncate(at + 1);
                    self.digits[at] += 1;
                }
                None => {
                    self.digits = vec![1];
                    self.point += 1;
                }
            }
        }
        self.trim();
    }

    /// Digits before the point, without leading zeros.
    fn integer(&self) -> String {
        (0..self.point.max(0)).map(|at| self.digit(at)).collect()
    }

    /// Digits behind the point, without trailing zeros.
    fn fraction(&self) -> String {
        (self.point..self.digits.len() as i32).map(|at| self.digit(at)).collect()
    }

    fn digit(&self, at: i32) -> char {
        let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
}

/// The format General: eleven characters with the point, as Excel shows them in a wide column; but whole numbers keep
/// all of their digits, because they may be identifiers.
pub(in super::super) fn general(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let mut decimal = Decimal::of(number);
    if decimal.is_zero() {
        return "0".into();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    if decimal.point > MAX_WHOLE_DIGITS || decimal.point < -3 {
        let exponent = decimal.point - 1;
        decimal.point = 1;
        decimal.round(5);
        // 9.999999 rounds to 10.
        let exponent = exponent + decimal.point - 1;
        decimal.point = 1;
        let fraction = decimal.fraction();
        let point = if fraction.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{}{point}{fraction}E{exponent_sign}{:02}", decimal.integer(), exponent.abs());
    }
    let places = if decimal.point >= 10 { (15 - decimal.point).max(0) } else { 10 - decimal.point.max(1) };
    decimal.round(places);
    let (integer, fraction) = (decimal.integer(), decimal.fraction());
    let integer = if integer.is_empty() { "0" } else { &integer };
    if fraction.is_empty() { format!("{sign}{integer}") } else { format!("{sign}{integer}.{fraction}") }
}

pub(super) fn show(tokens: &[Token], number: f64) -> String {
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let Some(first) = tokens.iter().position(is_digit) else { return without_digits(tokens, number) };
    // The denominator of a fraction may be named.
    let is_fraction = tokens[first..].contains(&Token::Slash);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_named = |token: &Token| matches!(token, Token::Literal(text) if is_fraction && is_number(text));
    let last = tokens.iter().rposition(|token| is_digit(token) || is_named(token)).unwrap_or(first);
    if !number.is_finite() {
        return general(number);
    }
    let mut decimal = Decimal::of(number);
    let percents = tokens.iter().filter(|token| **token == Token::Percent).count().min(10);
    decimal.point += 2 * percents as i32;
    let body = &tokens[first..=last];
    let (shown, is_zero) = if let Some(exponent) = body.iter().position(|token| matches!(token, Token::Exponent(_))) {
        scientific(&body[..exponent], &body[exponent..], decimal)
    } else if let Some(slash) = body.iter().position(|token| *token == Token::Slash) {
        // Only digits before and behind the bar make a fraction.
        fraction(body, slash, decimal.as_f64())
    } else {
        let scale = tokens[last + 1..].iter().take_while(|token| **token == Token::Comma).count();
        let before_point = body.iter().position(|token| *token == Token::Point).unwrap_or(0);
        let inner = body[..before_point].iter().rev().take_while(|token| **token == Token::Comma).count();
        decimal.point -= 3 * (scale + inner).min(10) as i32;
        plain(body, decimal)
    };
    let mut text = String::new();
    if number < 0.0 && !is_zero {
        text.push('-');
    }
    push_literals(&mut text, &tokens[..first]);
    text.push_str(&shown);
    push_literals(&mut text, &tokens[last + 1..]);
    text
}

impl Decimal {
    fn as_f64(&self) -> f64 {
        let digits: String = (0..self.digits.len() as i32).map(|at| self.digit(at)).collect();
        format!("0.{digits}e{}", self.point).parse().unwrap_or(0.0)
    }
}

fn without_digits(tokens: &[Token], number: f64) -> String {
    let mut text = String::new();
    let has_number = tokens.iter().any(|token| matches!(token, Token::General | Token::Text));
    for token in tokens {
        match token {
            Token::General | Token::Text => text.push_str(&general(number)),
            token => push_literals(&mut text, std::slice::from_ref(token)),
        }
    }
    // A code of only words describes the number's sign; the number itself must not be lost.
    if has_number || number == 0.0 || text.trim().is_empty() { text } else { format!("{} {text}", general(number)) }
}

fn push_literals(text: &mut String, tokens: &[Token]) {
    for token in tokens {
        match token {
            Token::Literal(literal) => text.push_str(literal),
            Token::Percent => text.push('%'),
            Token::Slash => text.push('/'),
            Token::Point => text.push('.'),
            _ => {}
        }
    }
}

fn count_digits(tokens: &[Token]) -> usize {
    tokens.iter().filter(|token| matches!(token, Token::Digit(_))).count().min(MAX_DIGITS)
}

/// Digits, groups and point; true if rounding left only zeros.
fn plain(body: &[Token], mut decimal: Decimal) -> (String, bool) {
    let point = body.iter().position(|token| *token == Token::Point).unwrap_or(body.len());
    let (whole, behind) = (&body[..point], body.get(point + 1..).unwrap_or_default());
    decimal.round(count_digits(behind) as i32);
    let trailing_commas = whole.iter().rev().take_while(|token| **token == Token::Comma).count();
    let grouped = whole[..whole.len() - trailing_commas].contains(&Token::Comma);
    let mut text = integer_text(whole, &decimal.integer(), grouped);
    if point < body.len() {
        text.push('.');
    }
    let digits = decimal.fraction();
    let mut digits = digits.chars();
    for token in behind {
        match token {
            Token::Digit(kind) => match (digits.next(), kind) {
                (Some(digit), _) => text.push(digit),
                (None, '0') => text.push('0'),
                (None, _) => {}
            },
            token => push_literals(&mut text, std::slice::from_ref(token)),
        }
    }
    (text, decimal.is_zero())
}

/// Digits before the point, filled from the right; the first placeholder takes all that are left.
fn integer_text(tokens: &[Token], digits: &str, grouped: bool) -> String {
    let mut digits: Vec<char> = digits.chars().collect();
    let mut places = count_digits(tokens);
    let mut reversed: Vec<char> = Vec::new();
    let mut written = 0;
    let mut push = |reversed: &mut Vec<char>, digit: char| {
        if grouped && written > 0 && written % 3 == 0 {
            reversed.push(',');
        }
        written += 1;
        reversed.push(digit);
    };
    for token in tokens.iter().rev() {
        match token {
            Token::Digit(kind) => {
                match (digits.pop(), kind) {
                    (Some(digit), _) => push(&mut reversed, digit),
                    (None, '0') => push(&mut reversed, '0'),
                    (None, _) => {}
                }
                places = places.saturating_sub(1);
                while places == 0
                    && let Some(digit) = digits.pop()
                {
                    push(&mut reversed, digit);
                }
            }
            Token::Literal(literal) => reversed.extend(literal.chars().rev()),
            _ => {}
        }
    }
    reversed.iter().rev().collect()
}

fn scientific(mantissa: &[Token], exponent_tokens: &[Token], mut decimal: Decimal) -> (String, bool) {
    let point = mantissa.iter().position(|token| *token == Token::Point).unwrap_or(mantissa.len());
    let places = count_digits(&mantissa[..point]).max(1) as i32;
    let decimals = count_digits(&mantissa[point..]) as i32;
    let mut exponent = 0;
    if !decimal.is_zero() {
        // With several places before the point, the exponent is a multiple of their number.
        exponent = (decimal.point - 1).div_euclid(places) * places;
        decimal.point -= exponent;
        let before = decimal.point;
        decimal.round(decimals);
        if decimal.point > before && decimal.point > places {
            exponent += places;
            decimal.point -= places;
        }
    }
    let is_zero = decimal.is_zero();
    let (mut text, _) = plain(mantissa, decimal);
    text.push('E');
    match (exponent < 0, exponent_tokens.first()) {
        (true, _) => text.push('-'),
        (false, Some(Token::Exponent(true))) => text.push('+'),
        _ => {}
    }
    text.push_str(&format!("{:0width$}", exponent.abs(), width = count_digits(exponent_tokens)));
    (text, is_zero)
}

/// `# ?/?`: a whole number if there is a place for it, then the nearest fraction with that number of digits, or with
/// the denominator that the code names.
fn fraction(body: &[Token], slash: usize, number: f64) -> (String, bool) {
    let (before, behind) = (&body[..slash], &body[slash + 1..]);
    let whole_end = before.iter().rposition(|token| matches!(token, Token::Literal(text) if text.trim().is_empty()));
    let has_whole = whole_end.is_some_and(|end| count_digits(&before[..end]) > 0);
    let named: String = behind
        .iter()
        .filter_map(|token| match token {
            Token::Literal(text) => Some(text.as_str()),
            Token::Digit('0') => Some("0"),
            _ => None,
        })
        .collect();
    let whole = if has_whole { number.floor() } else { 0.0 };
    let rest = number - whole;
    let (mut above, below) = match named.trim().parse::<u32>() {
        Ok(below) if below > 0 => ((rest * f64::from(below)).round(), f64::from(below)),
        _ => nearest(rest, 10u32.pow(count_digits(behind).clamp(1, 4) as u32) - 1),
    };
    let mut whole = whole;
    if has_whole && above >= below {
        (whole, above) = (whole + 1.0, 0.0);
    }
    let text = match (has_whole, above == 0.0) {
        (true, true) => format!("{whole}"),
        (true, false) if whole == 0.0 => format!("{above}/{below}"),
        (true, false) => format!("{whole} {above}/{below}"),
        (false, _) => format!("{above}/{below}"),
    };
    (text, whole == 0.0 && above == 0.0)
}

/// Numerator and denominator, at most `limit`, of the fraction next to `number`.
fn nearest(number: f64, limit: u32) -> (f64, f64) {
    let mut best = (number.round(), 1.0);
    for below in 2..=limit {
        let below = f64::from(below);
        let above = (number * below).round();
        // Of fractions that are as good as equal, the first is in lowest terms.
        if (number - above / below).abs() + 1e-12 < (number - best.0 / best.1).abs() {
            best = (above, below);
        }
    }
    best
}
