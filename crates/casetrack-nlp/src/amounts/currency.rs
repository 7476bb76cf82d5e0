//! Currencies: symbols, codes of ISO 4217 and names.

use crate::tokens::{Gap, Tokens};

word_lists! {
    /// Codes of ISO 4217 that are in use, and some that were before the euro.
    CODES: set = "amounts/currencies.txt";
    /// The letters before a dollar sign or the like, and the currency: "US$", "C$", "HK$".
    DOLLARS: map = "amounts/dollars.txt";
    COUNTRIES: map = "amounts/countries.txt";
    NOUNS: map = "amounts/nouns.txt";
}

pub fn is_code(written: &str) -> bool {
    CODES.contains(written)
}

/// Codes that are also English words in capitals; they count only right before or after digits on the same line.
const ALSO_WORDS: &[&str] = &["ALL", "TRY", "TOP", "COP", "MAD", "GEL", "PEN", "CUP", "LAK", "SOS", "BOB"];

fn code(tokens: &Tokens, at: usize) -> Option<&'static str> {
    if !tokens.is_upper(at) {
        return None;
    }
    let code = CODES.get(tokens.surface(at)).copied()?;
    (!ALSO_WORDS.contains(&code)).then_some(code)
}

fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '$' | '＄' => "USD",
        '€' => "EUR",
        '£' => "GBP",
        '¥' | '￥' => "JPY",
        '₹' => "INR",
        '₽' => "RUB",
        '₩' => "KRW",
        '₪' => "ILS",
        '₺' => "TRY",
        '₫' => "VND",
        '₱' => "PHP",
        '₦' => "NGN",
        '₴' => "UAH",
        '฿' => "THB",
        _ => return None,
    })
}

/// A currency before its number: "$", "US$", "U.S. $", "USD", "EUR", "Rs.", and the token after it.
pub fn before(tokens: &Tokens, at: usize) -> Option<(&'static str, usize)> {
    if let Some(unit) = symbol(tokens.symbol(at)) {
        // "$US 5"
        if tokens.glued(at + 1) && tokens.surface(at + 1) == "US" {
            return Some(("USD", at + 2));
        }
        return Some((unit, at + 1));
    }
    if !tokens.is_capitalized(at) {
        return None;
    }
    if tokens.symbol(at + 1) == '$' && tokens.gap(at + 1) <= Gap::Space {
        let glued = tokens.glued(at + 1);
        let long = tokens.surface(at).len() > 1;
        if let Some(unit) = DOLLARS.get(tokens.surface(at)).copied().filter(|_| glued || long) {
            return Some((unit, at + 2));
        }
    }
    if let Some(next) = tokens.letters(at, "us").filter(|next| *next > at + 1 && tokens.symbol(*next) == '$') {
        return Some(("USD", next + 1));
    }
    match tokens.surface(at) {
        "Rs" => Some(("INR", at + 1 + usize::from(tokens.symbol(at + 1) == '.' && tokens.glued(at + 1)))),
        _ => {
            let unit = code(tokens, at)?;
            let sign = usize::from(symbol(tokens.symbol(at + 1)) == Some(unit) && tokens.gap(at + 1) <= Gap::Space);
            Some((unit, at + 1 + sign))
        }
    }
}

/// A currency after its number: "EUR", "€", "dollars", "U.S. dollars", "cents". Its code, the power of ten of the named
/// part of it, and the token after it.
pub fn after(tokens: &Tokens, at: usize) -> Option<(&'static str, i32, usize)> {
    if tokens.gap(at) > Gap::Line {
        return None;
    }
    if let Some(unit) = symbol(tokens.symbol(at)) {
        // a sign that belongs to the number after it is none of this one
        let next = tokens.gap(at + 1) == Gap::None && tokens.is_number(at + 1);
        let attached = unit != "USD" || tokens.glued(at);
        return if next || !attached { None } else { Some((unit, 0, at + 1)) };
    }
    if let Some(unit) = code(tokens, at) {
        return (!tokens.glued(at + 1) || !tokens.is_number(at + 1)).then_some((unit, 0, at + 1));
    }
    let (country, next) = match tokens.word(at) {
        "u" => (Some("USD"), tokens.letters(at, "us")?),
        "united" if tokens.word(at + 1) == "states" => (Some("USD"), at + 2),
        "hong" if tokens.word(at + 1) == "kong" => (Some("HKD"), at + 2),
        word => COUNTRIES.get(word).map_or((None, at), |country| (Some(*country), at + 1)),
    };
    let (unit, power) = match tokens.word(next) {
        "dollar" | "dollars" => (country.unwrap_or("USD"), 0),
        "cent" | "cents" => (country.unwrap_or("USD"), -2),
        "pound" | "pounds" if country == Some("GBP") || tokens.word(next + 1) == "sterling" => ("GBP", 0),
        "pence" => ("GBP", -2),
        "franc" | "francs" if country.is_some() => ("CHF", 0),
        noun => (*NOUNS.get(noun)?, 0),
    };
    let sterling = usize::from(tokens.word(next + 1) == "sterling");
    Some((unit, power, next + 1 + sterling))
}
