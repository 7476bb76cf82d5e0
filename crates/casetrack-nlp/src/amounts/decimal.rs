//! Exact decimal numbers: "1,250,000.50", "1.250.000,50", "12,34,567", "3.5 million".

use super::cells::{Distance, is_label};
use super::currency::{is_code, multiple};
use super::fractions::{Mixed, mixed};
use crate::numbers::scale;
use crate::tokens::{Gap, Tokens};

word_lists! {
    TRILLIONS: set = "amounts/trillions.txt";
}

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

    /// The number with its fraction as a group of digits: 1,500 for "1.500".
    pub fn without_point(mut self) -> Decimal {
        self.fraction = 0;
        self
    }

    /// The sum of two whole numbers; `None` if one has a fraction or many digits.
    pub fn plus(&self, other: &Decimal) -> Option<Decimal> {
        let whole = |number: &Decimal| number.to_string().parse::<u64>().ok();
        Some(Decimal::from_integer(whole(self)?.checked_add(whole(other)?)?))
    }

    /// True if this number is smaller, as far as both are not negative.
    pub fn is_below(&self, other: &Decimal) -> bool {
        let value = |number: &Decimal| number.to_string().parse::<f64>().unwrap_or(f64::INFINITY);
        value(self) < value(other)
    }

    /// The digits of a whole number; `None` for one with a fraction.
    pub fn whole_digits(&self) -> Option<usize> {
        (self.fraction == 0).then(|| self.digits.trim_start_matches('0').len())
    }

    /// This whole number plus a fraction below one; `None` if the fraction has no exact decimal.
    pub fn with_fraction(&self, over: u32, under: u32) -> Option<Decimal> {
        let (over, under) = (u64::from(over), u64::from(under));
        let places = (1..=4).find(|places| over * 10u64.pow(*places) % under == 0)?;
        let digits = over * 10u64.pow(places) / under;
        let width = places as usize;
        let digits = format!("{}{digits:0width$}", self.digits);
        (self.fraction == 0).then_some(Decimal { digits, fraction: width, negative: self.negative })
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

/// Maximum digits of one number: a longer one is not an amount.
const LONGEST: usize = 30;

/// A number in digits.
#[derive(Debug, Clone)]
pub struct Digits {
    pub value: Decimal,
    /// The token after it.
    pub end: usize,
    /// True if a single point precedes three digits: a fraction, or a group of "1.500".
    pub doubtful: bool,
}

/// The number in digits that begins here.
///
/// The last of two kinds of separator is the decimal point. A single kind groups digits if every group after the first
/// has three (or, in the Indian way, two and then three at the end) and there is a comma or more than one separator.
pub fn in_digits(tokens: &Tokens, at: usize) -> Option<Digits> {
    read(tokens, at, false)
}

/// The same for an amount: plain spaces also group digits, a dash may replace the cents, and a fraction may follow: "1 250 000", "5'000.-",
/// "10.000,--", "2 1/2".
pub fn of_money(tokens: &Tokens, at: usize) -> Option<Digits> {
    // "£000s" is the unit of a table
    if tokens.surface(at).len() > 2 && tokens.surface(at).bytes().all(|digit| digit == b'0') {
        return None;
    }
    let whole = without_fraction(tokens, at)?;
    match mixed(tokens, &whole.value, whole.end) {
        Some(Mixed { value, end }) => Some(Digits { value: value?, end, doubtful: false }),
        None => Some(whole),
    }
}

fn without_fraction(tokens: &Tokens, at: usize) -> Option<Digits> {
    let number = at > 0 && tokens.is_number(at - 1);
    let found = read(tokens, at, !number && !is_label(tokens.text(), tokens.bytes(at).0))?;
    let dash = |at: usize| matches!(tokens.symbol(at), '-' | '–' | '—' | '=') && tokens.glued(at);
    let mark = tokens.symbol(found.end);
    let mut end = found.end + 1;
    if !(matches!(mark, ',' | '.' | '/' | ':') && tokens.glued(found.end) && dash(end)) {
        return Some(found);
    }
    end += 1 + usize::from(dash(end + 1));
    if tokens.glued(end) && (tokens.is_number(end) || tokens.is_word(end)) {
        return Some(found);
    }
    let value = if found.doubtful && mark == ',' { found.value.without_point() } else { found.value };
    Some(Digits { value, end, doubtful: found.doubtful && mark != ',' })
}

fn read(tokens: &Tokens, at: usize, spaced: bool) -> Option<Digits> {
    if !tokens.is_number(at) {
        // ".5"
        let point = tokens.symbol(at) == '.' && tokens.glued(at + 1) && tokens.is_number(at + 1);
        let alone = at == 0 || !tokens.glued(at) || !(tokens.is_number(at - 1) || tokens.is_word(at - 1));
        let digits = tokens.surface(at + 1);
        return (point && alone && digits.len() <= LONGEST).then(|| {
            let value = Decimal { digits: format!("0{digits}"), fraction: digits.len(), negative: false };
            Digits { value, end: at + 2, doubtful: false }
        });
    }
    let (groups, separators, end) = groups(tokens, at, spaced);
    let last = separators.last().copied();
    let kinds = separators.iter().any(|separator| Some(*separator) != last);
    let single = separators.len() == 1;
    let point = match last {
        None | Some(' ' | '\'') => false,
        Some(last) if kinds => {
            if separators.iter().filter(|separator| **separator == last).count() == 1 {
                true
            } else {
                return None;
            }
        }
        Some('.') => single,
        Some(_) => single && (groups[1].len() != 3 || groups[0] == "0"),
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
    let doubtful = single && fraction == 3 && groups[0].len() <= 3 && !groups[0].starts_with('0') && last == Some('.');
    Some(Digits { value: Decimal { digits: groups.concat(), fraction, negative: false }, end, doubtful })
}

/// The groups of digits from here, their separator, and the token after them. `spaced`: plain spaces separate groups of three.
fn groups<'t>(tokens: &Tokens<'t>, at: usize, spaced: bool) -> (Vec<&'t str>, Vec<char>, usize) {
    let mut groups = vec![tokens.surface(at)];
    let mut separators: Vec<char> = Vec::new();
    let mut next = at + 1;
    while groups.len() < 12 {
        let separator = tokens.symbol(next);
        let glued = tokens.glued(next) && tokens.glued(next + 1);
        let only_spaces = separators.iter().all(|separator| *separator == ' ');
        if separator == '\0'
            && only_spaces
            && groups[0].len() <= 3
            && grouping_space(tokens, next, spaced && !groups[0].starts_with('0'))
        {
            separators.push(' ');
            groups.push(tokens.surface(next));
            next += 1;
        } else if matches!(separator, ',' | '.' | '\'' | '’' | '‘' | 'ʼ' | '´' | '`' | '′')
            && glued
            && tokens.is_number(next + 1)
        {
            separators.push(if matches!(separator, ',' | '.') { separator } else { '\'' });
            groups.push(tokens.surface(next + 1));
            next += 2;
        } else {
            break;
        }
    }
    (groups, separators, next)
}

/// True if white space before these three digits groups them with the ones before: a no-break, thin or figure space, or a plain one.
fn grouping_space(tokens: &Tokens, at: usize, plain: bool) -> bool {
    if !tokens.is_number(at) || tokens.surface(at).len() != 3 {
        return false;
    }
    match tokens.between(at) {
        "\u{a0}" | "\u{202f}" | "\u{2007}" | "\u{2008}" | "\u{2009}" | "\u{200a}" | "\u{2005}" | "\u{2006}" => true,
        // "12 500kg" are two numbers
        " " => plain && !(tokens.glued(at + 1) && tokens.is_word(at + 1) && !is_unit(tokens.surface(at + 1))),
        _ => false,
    }
}

/// A currency or scale written directly after an amount: "5 000zł", "1 250k€".
fn is_unit(written: &str) -> bool {
    multiple(written).is_some() || is_code(written) || matches!(written, "kr" | "zł" | "Kč" | "円" | "元")
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

/// True if a letter is joined to a number here that may mean a thousand or a trillion, or a ton: "250T".
pub fn is_unclear_scale(tokens: &Tokens, at: usize) -> bool {
    let apart = tokens.gap(at) == Gap::Space && !matches!(tokens.symbol(at + 1), '-' | '.' | '\'' | '’');
    match tokens.surface(at) {
        "T" => tokens.glued(at) || apart,
        "t" => tokens.glued(at),
        _ => false,
    }
}

/// "million", "bn", "thousand crore" after a number: the power of ten and the token after it. With a currency, or "" for one that follows, letters
/// such as "m" count too.
pub fn scale_at(tokens: &Tokens, at: usize, currency: Option<&str>) -> Option<(u32, usize)> {
    if at > 0 && Distance::of(tokens.between(at)) > Distance::Line {
        return None;
    }
    if let Some(mut power) = scale(tokens.word(at)) {
        // "thousand crore", "hundred million"
        let mut next = at + 1;
        while let Some(more) = scale(tokens.word(next)).filter(|more| tokens.gap(next) == Gap::Space && *more > 2) {
            power += more;
            next += 1;
        }
        return Some((power, next));
    }
    let currency = currency?;
    let (glued, written) = (tokens.glued(at), tokens.surface(at));
    let joined = tokens.glued(at + 1) && !matches!(tokens.symbol(at + 1), '.' | ',' | ';' | ')');
    let power = match written {
        "T" if glued && TRILLIONS.contains(currency) => 12,
        "cr" | "Cr" | "CR" if currency == "INR" => 7,
        "L" if currency == "INR" => 5,
        "b" | "mm" if !glued => return None,
        // "5 m²"
        "m" | "k" | "K" if !glued && joined => return None,
        _ => multiple(written)?,
    };
    let point = tokens.symbol(at + 1) == '.'
        && tokens.glued(at + 1)
        && matches!(tokens.word(at), "mio" | "mil" | "mill" | "mrd" | "tsd" | "mia");
    (!tokens.glued(at + 1) || !(tokens.is_number(at + 1) || tokens.symbol(at + 1) == '-' && tokens.glued(at + 2)))
        .then_some((power, at + 1 + usize::from(point)))
}
