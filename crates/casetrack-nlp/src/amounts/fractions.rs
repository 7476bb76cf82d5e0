//! Mixed numbers: "2 1/2 million", "3½", "one and a half million", "half a million".

use super::decimal::{Decimal, scale_at};
use crate::numbers::{cardinal, scale};
use crate::tokens::{Gap, Tokens};

word_lists! {
    FRACTIONS: map = "amounts/fractions.txt";
}

/// A whole number and the fraction behind it.
#[derive(Debug, Clone)]
pub(super) struct Mixed {
    /// `None` if the text leaves in doubt how much it is.
    pub value: Option<Decimal>,
    /// The token after it.
    pub end: usize,
}

/// Greatest denominator of a fraction: "3/31" may be a day.
const GREATEST: u32 = 100;
/// Denominators of prices, which need no "million" behind them: "$2 1/2".
const OF_PRICES: &[u32] = &[2, 4, 8, 16];

/// The whole number that ends before this token with the fraction that begins here; `None` if no fraction does.
pub(super) fn mixed(tokens: &Tokens, whole: &Decimal, at: usize) -> Option<Mixed> {
    let size = whole.whole_digits()?;
    if let Some((over, under)) =
        FRACTIONS.get(tokens.surface(at)).filter(|_| !tokens.is_word(at)).and_then(|f| parts(f))
    {
        let near = tokens.glued(at) || size <= 2 && tokens.between(at).chars().count() == 1;
        return near.then(|| Mixed { value: whole.with_fraction(over, under), end: at + 1 });
    }
    if tokens.word(at) == "and" {
        return in_words(tokens, whole, at + 1, size);
    }
    let dash = usize::from(tokens.symbol(at) == '-' && tokens.glued(at));
    let near = if dash > 0 { tokens.glued(at + 1) } else { tokens.between(at).chars().count() == 1 };
    let (over, under) = (tokens.number(at + dash)?, tokens.number(at + dash + 2)?);
    let end = at + dash + 3;
    let slash = matches!(tokens.symbol(at + dash + 1), '/' | '⁄') && tokens.glued(end - 2) && tokens.glued(end - 1);
    let longer = tokens.glued(end) && (matches!(tokens.symbol(end), '/' | '-') || tokens.is_word(end));
    if !(near && slash) || longer || !(1..under).contains(&over) || under > GREATEST {
        return None;
    }
    let counts = is_counted(tokens, end);
    if !counts && size > 2 {
        // "$500 1/2 of which"
        return None;
    }
    let clear = dash == 0 && (counts || OF_PRICES.contains(&under));
    Some(Mixed { value: whole.with_fraction(over, under).filter(|_| clear), end })
}

/// "and a half million", "and three quarters of a percent".
fn in_words(tokens: &Tokens, whole: &Decimal, at: usize, size: usize) -> Option<Mixed> {
    let ((over, under), end) = fraction(tokens, at)?;
    if tokens.word(end) == "of" || size > 3 {
        return None;
    }
    let value = whole.with_fraction(over, under).filter(|_| is_counted(tokens, end));
    Some(Mixed { value, end })
}

/// Words that may follow "3 million and a half". In "3 million and a half interest" the half does not belong to the million.
const BEHIND_FRACTION: &[&str] = &[
    "dollars", "euros", "euro", "pounds", "francs", "yen", "per", "in", "for", "to", "from", "by", "on", "at", "and",
    "or", "is", "was", "shall", "will", "within",
];

/// The whole number before a scale with the fraction behind the scale, "3 million and a half", and the token after it.
pub(super) fn behind_scale(tokens: &Tokens, whole: &Decimal, at: usize) -> Option<(Decimal, usize)> {
    let ((over, under), end) = (tokens.word(at) == "and").then(|| fraction(tokens, at + 1)).flatten()?;
    if tokens.is_word(end) && !BEHIND_FRACTION.contains(&tokens.word(end)) {
        return None;
    }
    Some((whole.with_fraction(over, under)?, end))
}

/// "half", "a quarter", "three-quarters", and the token after it.
fn fraction(tokens: &Tokens, at: usize) -> Option<((u32, u32), usize)> {
    let second = at + 1 + usize::from(tokens.symbol(at + 1) == '-');
    let two = format!("{} {}", tokens.word(at), tokens.word(second));
    let near = |at: usize| tokens.gap(at) <= Gap::Line;
    match FRACTIONS.get(two.as_str()).filter(|_| near(second)) {
        Some(found) => Some((parts(found)?, second + 1)),
        None => Some((parts(FRACTIONS.get(tokens.word(at)).filter(|_| tokens.is_word(at))?)?, at + 1)),
    }
}

/// True if a number ends here: a word such as "million", or a sign of percent, follows.
fn is_counted(tokens: &Tokens, at: usize) -> bool {
    tokens.gap(at) <= Gap::Line
        && (scale_at(tokens, at, Some("")).is_some()
            || matches!(tokens.symbol(at), '%' | '％')
            || matches!(tokens.word(at), "percent" | "pct"))
}

/// "one and a half million", "half a million", "three quarters of a billion", and the token after it.
pub(super) fn large_in_words(tokens: &Tokens, at: usize) -> Option<(Decimal, usize)> {
    if let Some((whole, end)) = cardinal(tokens, at)
        && let Some(Mixed { value, end }) = mixed(tokens, &Decimal::from_integer(whole), end)
    {
        return scaled(tokens, value?, end);
    }
    if !matches!(tokens.word(at), "half" | "quarter" | "a" | "one" | "three") {
        return None;
    }
    let before = tokens.word(at.wrapping_sub(1));
    if at > 0 && (matches!(before, "and" | "a" | "an" | "one") || matches!(tokens.symbol(at - 1), '-')) {
        return None;
    }
    of_scale(tokens, at)
}

/// "3/4 million" in digits, and the token after it. The value is `None` if the fraction has no exact decimal.
pub(super) fn large_fraction(tokens: &Tokens, at: usize) -> Option<(Option<Decimal>, usize)> {
    let (over, under) = (tokens.number(at)?, tokens.number(at + 2)?);
    let slash = matches!(tokens.symbol(at + 1), '/' | '⁄') && tokens.glued(at + 1) && tokens.glued(at + 2);
    let power = scale(tokens.word(at + 3)).filter(|power| *power > 2 && tokens.gap(at + 3) <= Gap::Line)?;
    let value = if (1..under).contains(&over) { Decimal::from_integer(0).with_fraction(over, under) } else { None };
    slash.then(|| (value.map(|value| value.shifted(power as i32)), at + 4))
}

/// "half a million", "a quarter of a billion", "a half million".
fn of_scale(tokens: &Tokens, at: usize) -> Option<(Decimal, usize)> {
    let ((over, under), end) = fraction(tokens, at)?;
    let of = end + usize::from(tokens.word(end) == "of");
    let next = of + usize::from(matches!(tokens.word(of), "a" | "one"));
    // "half million", but not "three quarters million"
    let joined = next > of || of == end && under == 2;
    let value = Decimal::from_integer(0).with_fraction(over, under)?;
    scaled(tokens, value, next).filter(|_| joined)
}

fn scaled(tokens: &Tokens, value: Decimal, at: usize) -> Option<(Decimal, usize)> {
    let power = scale(tokens.word(at)).filter(|power| *power > 2 && tokens.gap(at) <= Gap::Line)?;
    Some((value.shifted(power as i32), at + 1))
}

/// The numerator and denominator of "3/4".
fn parts(written: &str) -> Option<(u32, u32)> {
    let (over, under) = written.split_once('/')?;
    Some((over.parse().ok()?, under.parse().ok()?))
}
