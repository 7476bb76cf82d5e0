//! Currencies: symbols, codes of ISO 4217 and names, with the letters that multiply them.

use super::cells::{Distance, Side, number_before, side};
use super::conventions::Conventions;
use crate::numbers::scale;
use crate::tokens::{Gap, Tokens};

word_lists! {
    /// Codes of ISO 4217 that are in use, and some that were before the euro.
    CODES: set = "amounts/currencies.txt";
    /// The letters before a dollar sign or the like, and the currency: "US$", "C$", "HK$".
    DOLLARS: map = "amounts/dollars.txt";
    COUNTRIES: map = "amounts/countries.txt";
    NOUNS: map = "amounts/nouns.txt";
    NATIONAL: map = "amounts/national.txt";
    BEFORE: map = "amounts/before.txt";
    BEFORE_MONEY: map = "amounts/before-money.txt";
    /// "k", "Mio", "bn", and the power of ten.
    MULTIPLES: map = "amounts/multiples.txt";
    POINT_GROUPS: set = "amounts/point-groups.txt";
}

pub fn is_code(written: &str) -> bool {
    CODES.contains(written)
}

/// True if the countries of this currency group digits by points.
pub fn groups_by_points(code: &str) -> bool {
    POINT_GROUPS.contains(code)
}

/// The power of ten of "k", "Mio" or "bn", as it is written.
pub fn multiple(written: &str) -> Option<u32> {
    MULTIPLES.get(written)?.parse().ok()
}

/// Codes that are also English words in capitals; they count only right before or after digits on the same line.
const ALSO_WORDS: &[&str] = &["ALL", "TRY", "TOP", "COP", "MAD", "GEL", "PEN", "CUP", "LAK", "SOS", "BOB"];

/// Codes that letters multiply; others make words with them: "MARS", "TRON", "MSVC".
const OFTEN_MULTIPLIED: &[&str] = &[
    "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "CZK", "PLN", "HUF", "AUD", "CAD", "NZD", "JPY", "CNY", "INR",
    "RUB", "BRL", "ZAR", "AED", "SGD", "HKD",
];
/// Names of currencies that are other names with a capital: "Rand Corporation".
const ALSO_NAMES: &[&str] = &["rand", "dong", "lei", "leva", "taka", "cedis"];

/// A code as it is.
fn code(tokens: &Tokens, at: usize) -> Option<&'static str> {
    if !tokens.is_upper(at) {
        return None;
    }
    let code = CODES.get(tokens.surface(at)).copied()?;
    (!ALSO_WORDS.contains(&code)).then_some(code)
}

/// "TEUR", "kCHF", "MSEK", "EURm": a code with its multiplier.
fn multiplied_code(written: &str) -> Option<(&'static str, u32)> {
    let known = |code: &str| OFTEN_MULTIPLIED.iter().copied().find(|known| *known == code);
    if !written.is_ascii() || !(4..=6).contains(&written.len()) {
        return None;
    }
    let (letters, behind) = written.split_at(written.len() - 3);
    let (before, suffix) = written.split_at(3);
    let thousand = matches!(letters, "T" | "t").then_some(3);
    let prefixed = |code| Some((code, thousand.or_else(|| multiple(letters).filter(|power| *power < 9))?));
    known(behind).and_then(prefixed).or_else(|| {
        let suffix = Some(suffix).filter(|suffix| suffix.starts_with(char::is_lowercase));
        Some((known(before)?, multiple(suffix?)?))
    })
}

/// The currency of a sign, and true if the sign precedes its number.
fn symbol(c: char, conventions: &Conventions) -> Option<(&'static str, bool)> {
    let before = match c {
        '$' | '＄' => "USD",
        '£' | '￡' => "GBP",
        '¥' | '￥' => conventions.yen?,
        '₹' => "INR",
        '₩' | '￦' => "KRW",
        '₪' => "ILS",
        '₺' => "TRY",
        '₱' => "PHP",
        '₦' => "NGN",
        '฿' => "THB",
        '₡' => "CRC",
        '₲' => "PYG",
        '₵' => "GHS",
        '₭' => "LAK",
        '৳' => "BDT",
        _ => "",
    };
    let behind = match c {
        '€' => "EUR",
        '₽' => "RUB",
        '₫' => "VND",
        '₴' => "UAH",
        '₸' => "KZT",
        '₾' => "GEL",
        '₼' => "AZN",
        '₮' => "MNT",
        '֏' => "AMD",
        '៛' => "KHR",
        _ => before,
    };
    (!behind.is_empty()).then_some((behind, !before.is_empty()))
}

fn is_dollar(tokens: &Tokens, at: usize) -> bool {
    matches!(tokens.symbol(at), '$' | '＄')
}

/// A currency before its number.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    pub unit: &'static str,
    /// The power of ten that multiplies it: 3 in "k€".
    pub power: u32,
    /// The token after it.
    pub next: usize,
    /// True if only a number in the form of money makes it a currency: "R", "Fr.".
    pub doubtful: bool,
}

/// A currency before its number: "$", "US$", "U.S. $", "USD", "EUR", "Rs.", "k€", "TEUR", "Mio. EUR", "€m".
pub fn before(tokens: &Tokens, conventions: &Conventions, at: usize) -> Option<Before> {
    // no name of a currency is in lower case and long
    if tokens.is_word(at) && !tokens.is_capitalized(at) && tokens.surface(at).len() > 4 {
        return None;
    }
    if let Some((power, next)) = multiplies(tokens, at)
        && let Some((unit, next, false)) = plain(tokens, conventions, next)
    {
        return Some(Before { unit, power, next, doubtful: false });
    }
    if let Some((unit, power)) = multiplied_code(tokens.surface(at)) {
        return Some(Before { unit, power, next: at + 1, doubtful: false });
    }
    let (unit, next, doubtful) = plain(tokens, conventions, at)?;
    let glued = tokens.glued(next);
    let power = multiple(tokens.surface(next))
        .filter(|_| glued || tokens.surface(next).len() > 1 || matches!(tokens.surface(next), "k" | "K" | "m" | "M"))
        .or_else(|| scale(tokens.word(next)).filter(|power| *power > 2));
    let point = usize::from(tokens.symbol(next + 1) == '.' && tokens.glued(next + 1));
    match power {
        // "€m 3.5", "USD million 5.2"
        Some(power)
            if !doubtful
                && tokens.gap(next) <= Gap::Space
                && tokens.is_number(next + 1 + point)
                && tokens.gap(next + 1 + point) == Gap::Space =>
        {
            Some(Before { unit, power, next: next + 1 + point, doubtful })
        }
        _ => Some(Before { unit, power: 0, next, doubtful }),
    }
}

/// The multiplier of the next currency, and the token of the currency: "k€", "T€", "Mio. €".
fn multiplies(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    let written = tokens.surface(at);
    // "B$" is a dollar
    let power =
        if matches!(written, "T" | "t") { 3 } else { multiple(written).filter(|_| !matches!(written, "b" | "B"))? };
    let point = usize::from(tokens.symbol(at + 1) == '.' && tokens.glued(at + 1));
    let next = at + 1 + point;
    let long = written.len() > 2 && tokens.gap(next) <= Gap::Space;
    (tokens.glued(next) && point == 0 || long).then_some((power, next))
}

/// A currency before its number without its multiplier, the token after it, and true if it is doubtful.
fn plain(tokens: &Tokens, conventions: &Conventions, at: usize) -> Option<(&'static str, usize, bool)> {
    if let Some((unit, _)) = symbol(tokens.symbol(at), conventions) {
        // "$US 5"
        let named = is_dollar(tokens, at) && tokens.glued(at + 1) && tokens.surface(at + 1) == "US";
        return Some((unit, at + 1 + usize::from(named), false));
    }
    if !tokens.is_word(at) {
        return None;
    }
    let surface = tokens.surface(at);
    if is_dollar(tokens, at + 1) && tokens.gap(at + 1) <= Gap::Space {
        let glued = tokens.glued(at + 1);
        // "San Jose, CA $500"
        let apart = surface.len() > 2 || matches!(surface, "US" | "HK" | "NZ" | "NT" | "SG" | "AU");
        if let Some(unit) = DOLLARS.get(surface).copied().filter(|_| glued || apart) {
            return Some((unit, at + 2, false));
        }
    }
    if let Some(next) = tokens.letters(at, "us").filter(|next| *next > at + 1 && is_dollar(tokens, *next)) {
        return Some(("USD", next + 1, false));
    }
    let point = usize::from(tokens.symbol(at + 1) == '.' && tokens.glued(at + 1));
    if let Some(unit) = BEFORE.get(surface) {
        let sign = usize::from(tokens.symbol(at + 1) == '¥' || tokens.symbol(at + 1) == '￥');
        return Some((shared(unit, conventions)?, at + 1 + point.max(sign), false));
    }
    if let Some(unit) = BEFORE_MONEY.get(surface) {
        return Some((shared(unit, conventions)?, at + 1 + point, true));
    }
    let unit = code(tokens, at)?;
    let sign = symbol(tokens.symbol(at + 1), conventions).is_some_and(|(sign, _)| sign == unit);
    Some((unit, at + 1 + usize::from(sign && tokens.gap(at + 1) <= Gap::Space), false))
}

/// The unit of "kr" in a document that does not decide between the crowns of Sweden, Norway, Denmark and Iceland.
pub const CROWNS: &str = "kr";

/// The code of a name that several currencies have.
fn shared(name: &'static str, conventions: &Conventions) -> Option<&'static str> {
    match name {
        "krona" => Some(conventions.krona.unwrap_or(CROWNS)),
        "rupee" => conventions.rupee,
        code => Some(code),
    }
}

/// A currency after its number.
#[derive(Debug, Clone, Copy)]
pub struct After {
    pub unit: &'static str,
    /// The power of ten of the named part of the currency, or of its multiplier: -2 for cents, 3 for "k€".
    pub power: i32,
    /// The token after it.
    pub end: usize,
}

/// The currency at this token that belongs to the number of the tokens from `number` up to it: "EUR", "€", "dollars", "U.S. dollars", "cents",
/// "k€", "TEUR".
pub fn after(tokens: &Tokens, conventions: &Conventions, number: usize, at: usize) -> Option<After> {
    let (found, leads) = named(tokens, conventions, number, at)?;
    let (start, end) = (tokens.bytes(number).0, tokens.bytes(at - 1).1);
    let currency = tokens.bytes(at).0..tokens.bytes(found.end - 1).1;
    let own = side(tokens.text(), Some(start..end), currency, leads) == Some(Side::Before);
    own.then_some(found)
}

/// The currency at this token, for either number, and true if it is a sign that precedes its number.
fn named(tokens: &Tokens, conventions: &Conventions, number: usize, at: usize) -> Option<(After, bool)> {
    if at == 0 || tokens.gap(at) > Gap::Line {
        return None;
    }
    let found = |unit, power, end| Some((After { unit, power, end }, false));
    if let Some((power, sign)) = multiplies(tokens, at)
        && let Some((unit, _)) = symbol(tokens.symbol(sign), conventions)
    {
        return found(unit, power as i32, sign + 1);
    }
    if let Some((unit, leads)) = symbol(tokens.symbol(at), conventions) {
        // "5 $ 7" has the sign of the next number
        if is_dollar(tokens, at) && !tokens.glued(at) {
            return None;
        }
        // "12 €m"
        let suffix = multiple(tokens.surface(at + 1)).filter(|_| tokens.glued(at + 1) && !tokens.is_number(at + 2));
        let end = at + 1 + usize::from(suffix.is_some());
        return Some((After { unit, power: suffix.unwrap_or(0) as i32, end }, leads));
    }
    if let Some((unit, power)) = multiplied_code(tokens.surface(at)) {
        return found(unit, power as i32, at + 1);
    }
    if let Some(unit) = code(tokens, at) {
        // "5 USD million", unless another amount follows
        let scaled = multiple(tokens.surface(at + 1)).filter(|_| tokens.surface(at + 1).len() > 1);
        let scaled = scaled.or_else(|| scale(tokens.word(at + 1)).filter(|power| *power > 2));
        let scaled = scaled.filter(|_| tokens.gap(at + 1) == Gap::Space && !tokens.is_number(at + 2));
        return found(unit, scaled.unwrap_or(0) as i32, at + 1 + usize::from(scaled.is_some()));
    }
    in_words(tokens, conventions, number, at).map(|after| (after, false))
}

/// "Canadian dollars", "pounds sterling", "Danish kroner", "cents", "kr".
fn in_words(tokens: &Tokens, conventions: &Conventions, number: usize, at: usize) -> Option<After> {
    let found = |unit, power, end| Some(After { unit, power, end });
    if !tokens.is_word(at) {
        return None;
    }
    let lower = tokens.surface(at).to_lowercase();
    if let Some(unit) = NATIONAL.get(format!("{lower} {}", tokens.surface(at + 1).to_lowercase()).as_str()) {
        return found(unit, 0, at + 2);
    }
    if matches!(lower.as_str(), "kr" | "kronor") {
        let krona = if lower == "kr" { conventions.krona.unwrap_or(CROWNS) } else { "SEK" };
        let point = tokens.symbol(at + 1) == '.' && tokens.glued(at + 1) && !tokens.starts_sentence(at + 2);
        return found(krona, 0, at + 1 + usize::from(point));
    }
    let (country, next) = match tokens.word(at) {
        "u" => (Some("USD"), tokens.letters(at, "us")?),
        "united" if tokens.word(at + 1) == "states" => (Some("USD"), at + 2),
        "hong" if tokens.word(at + 1) == "kong" => (Some("HKD"), at + 2),
        "new" if tokens.word(at + 1) == "zealand" => (Some("NZD"), at + 2),
        word => COUNTRIES.get(word).map_or((None, at), |country| (Some(*country), at + 1)),
    };
    let sterling = usize::from(tokens.word(next + 1) == "sterling");
    match tokens.word(next) {
        "dollar" | "dollars" => found(country.unwrap_or("USD"), 0, next + 1),
        "cent" | "cents" => found(country.unwrap_or("USD"), -2, next + 1),
        "pound" | "pounds" if country == Some("GBP") || sterling > 0 || is_money(tokens, conventions, number, next) => {
            found("GBP", 0, next + 1 + sterling)
        }
        "pence" => found("GBP", -2, next + 1),
        "franc" | "francs" if country.is_some() => found("CHF", 0, next + 1),
        "rupee" | "rupees" => found(country.or(conventions.rupee)?, 0, next + 1),
        _ => {
            let noun = tokens.surface(next).to_lowercase();
            let other = tokens.is_capitalized(next) && ALSO_NAMES.contains(&noun.as_str());
            found(NOUNS.get(noun.as_str()).filter(|_| !other)?, 0, next + 1)
        }
    }
}

/// True if these pounds are no weight: in a document with pounds of money, or a number in British words, with nothing that weighs.
fn is_money(tokens: &Tokens, conventions: &Conventions, number: usize, pounds: usize) -> bool {
    let british =
        (number..pounds).any(|at| matches!(tokens.word(at), "hundred" | "thousand") && tokens.word(at + 1) == "and");
    let area = matches!(tokens.word(pounds + 2), "square" | "cubic" | "inch" | "foot" | "acre" | "bushel");
    let weight =
        matches!(tokens.word(pounds + 1), "of" | "avoirdupois" | "force") || tokens.word(pounds + 1) == "per" && area;
    (conventions.pounds || british) && !conventions.weighs && !weight
}

/// True if the currency at these tokens belongs to the number behind it. A number before it counts if it begins at the token `free` or later.
pub fn leads(tokens: &Tokens, free: usize, at: usize, next: usize, conventions: &Conventions) -> bool {
    let currency = tokens.bytes(at).0..tokens.bytes(next - 1).1;
    let number = number_before(tokens.text(), currency.start, tokens.bytes(free).0.min(currency.start));
    let sign = symbol(tokens.symbol(at), conventions).is_some_and(|(_, leads)| leads) || is_dollar(tokens, next - 1);
    side(tokens.text(), number, currency, sign) == Some(Side::After)
}

/// True if a sign of percent is in the cell of the number before it, or in a cell of its own.
pub fn is_near(tokens: &Tokens, at: usize) -> bool {
    let distance = |at: usize| Distance::of(tokens.between(at));
    tokens.gap(at) <= Gap::Line
        && (distance(at) < Distance::Cell || tokens.gap(at + 1) >= Gap::Line || distance(at + 1) >= Distance::Cell)
}
