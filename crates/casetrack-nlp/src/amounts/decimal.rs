use crate::numbers::scale;
use crate::tokens::{Gap, Tokens};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    digits: String,
    fraction: usize,
    pub negative: bool,
}

impl Decimal {
    /// Of digits, the last `fraction` of them after the point; there are at least `fraction` digits.
    pub fn new(digits: String, fraction: usize) -> Decimal {
        Decimal { digits, fraction, negative: false }.shifted(0)
    }

    pub fn from_integer(value: u64) -> Decimal {
        Decimal { digits: value.to_string(), fraction: 0, negative: false }
    }

    /// Times ten to this power.
    pub fn shifted(mut self, power: i32) -> Decimal {
        for _ in 0..power.max(0) {
            if self.fraction > 0 {
                self.fraction -= 1;
            } else {
                self.digits.push('0');
            }
        }
        self.fraction += power.min(0).unsigned_abs() as usize;
        while self.digits.len() <= self.fraction {
            self.digits.insert(0, '0');
        }
        self
    }

    /// This whole number plus this many hundredths.
    fn with_hundredths(mut self, hundredths: u32) -> Decimal {
        if self.fraction == 0 && hundredths < 100 {
            self.digits.push_str(&format!("{hundredths:02}"));
            self.fraction = 2;
        }
        self
    }
}

impl std::fmt::Display for Decimal {
    /// Without insignificant zeros.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, fraction) = self.digits.split_at(self.digits.len().saturating_sub(self.fraction));
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let sign = if self.negative && !(whole.is_empty() && fraction.is_empty()) { "-" } else { "" };
        let whole = if whole.is_empty() { "0" } else { whole };
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

/// Digits in one number, at most: a longer one is not an amount.
const LONGEST: usize = 30;

/// The number in digits that begins here, and the token after it.
///
/// The last of two kinds of separator is the decimal point. A single kind groups digits if every group after the first
/// has three (or, in the Indian way, two and then three at the end) and there is a comma or more than one separator.
pub fn in_digits(tokens: &Tokens, at: usize) -> Option<(Decimal, usize)> {
    if !tokens.is_number(at) {
        // ".5"
        let point = tokens.symbol(at) == '.' && tokens.glued(at + 1) && tokens.is_number(at + 1);
        let alone = at == 0 || !tokens.glued(at) || !(tokens.is_number(at - 1) || tokens.is_word(at - 1));
        let digits = tokens.surface(at + 1);
        return (point && alone && digits.len() <= LONGEST)
            .then(|| (Decimal { digits: format!("0{digits}"), fraction: digits.len(), negative: false }, at + 2));
    }
    let mut groups = vec![tokens.surface(at)];
    let mut separators: Vec<char> = Vec::new();
    let mut next = at + 1;
    while groups.len() < 12 {
        let separator = tokens.symbol(next);
        let glued = tokens.glued(next) && tokens.glued(next + 1);
        // no-break and thin spaces group digits too
        if separator == '\0'
            && tokens.is_number(next)
            && tokens.surface(next).len() == 3
            && grouping_space(tokens, next)
        {
            separators.push(' ');
            groups.push(tokens.surface(next));
            next += 1;
        } else if matches!(separator, ',' | '.' | '\'' | '’') && glued && tokens.is_number(next + 1) {
            separators.push(if separator == '’' { '\'' } else { separator });
            groups.push(tokens.surface(next + 1));
            next += 2;
        } else {
            break;
        }
    }
    let last = separators.last().copied();
    let kinds = separators.iter().any(|separator| Some(*separator) != last);
    let point = match last {
        None | Some(' ' | '\'') => false,
        Some(last) if kinds => {
            if separators.iter().filter(|separator| **separator == last).count() == 1 {
                true
            } else {
                return None;
            }
        }
        Some('.') => separators.len() == 1,
        Some(_) => separators.len() == 1 && groups[1].len() != 3,
    };
    let whole = if point { &groups[..groups.len() - 1] } else { &groups[..] };
    let grouped = whole.len() == 1
        || (whole[0].len() <= 3
            && whole[whole.len() - 1].len() == 3
            && (whole[1..].iter().all(|group| group.len() == 3)
                || whole[1..whole.len() - 1].iter().all(|group| group.len() == 2)));
    if !grouped || groups.iter().map(|group| group.len()).sum::<usize>() > LONGEST {
        return None;
    }
    let fraction = if point { groups[groups.len() - 1].len() } else { 0 };
    Some((Decimal { digits: groups.concat(), fraction, negative: false }, next))
}

fn grouping_space(tokens: &Tokens, at: usize) -> bool {
    let end = tokens.bytes(at - 1).1;
    let between = tokens.text().get(end..tokens.bytes(at).0).unwrap_or("");
    matches!(between, "\u{a0}" | "\u{202f}" | "\u{2009}")
}

/// "and 50/100" after a number in words, as on cheques.
pub fn hundredths(tokens: &Tokens, number: Decimal, at: usize) -> (Decimal, usize) {
    let fraction = |at: usize| tokens.symbol(at + 1) == '/' && tokens.number(at + 2) == Some(100);
    match (tokens.word(at), tokens.number(at + 1)) {
        ("and", Some(cents)) if fraction(at + 1) => (number.with_hundredths(cents), at + 4),
        ("and", None) if matches!(tokens.word(at + 1), "no" | "xx") && fraction(at + 1) => (number, at + 4),
        _ => (number, at),
    }
}

/// "million", "bn", "k" after a number: the power of ten and the token after it.
pub fn scale_at(tokens: &Tokens, at: usize, currency: bool) -> Option<(u32, usize)> {
    if tokens.gap(at) > Gap::Line {
        return None;
    }
    if let Some(power) = scale(tokens.word(at)) {
        return Some((power, at + 1));
    }
    let glued = tokens.glued(at);
    let power = match tokens.surface(at) {
        "k" | "K" if glued && currency => 3,
        "M" | "MM" | "m" | "mm" if currency && (glued || tokens.is_upper(at)) => 6,
        "mn" | "mln" | "mio" | "Mio" | "Mn" | "mil" if currency => 6,
        "B" | "b" if glued && currency => 9,
        "bn" | "Bn" | "BN" if currency => 9,
        "B" if currency => 9,
        "tn" | "T" if glued && currency => 12,
        _ => return None,
    };
    let point =
        tokens.symbol(at + 1) == '.' && tokens.glued(at + 1) && matches!(tokens.surface(at), "mio" | "Mio" | "mil");
    (!tokens.glued(at + 1) || !(tokens.is_number(at + 1) || tokens.symbol(at + 1) == '-' && tokens.glued(at + 2)))
        .then_some((power, at + 1 + usize::from(point)))
}
