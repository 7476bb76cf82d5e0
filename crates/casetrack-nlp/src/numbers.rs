//! English number words: "twenty thousand", "one hundred and twenty-five", "twenty-first".

use crate::tokens::{Gap, Tokens};

word_lists! {
    UNITS: list = "numbers/units.txt";
    TENS: list = "numbers/tens.txt";
    ORDINALS: list = "numbers/ordinals.txt";
}

/// The power of ten of a scale word.
pub fn scale(word: &str) -> Option<u32> {
    Some(match word {
        "hundred" => 2,
        "thousand" => 3,
        "lakh" | "lakhs" | "lac" | "lacs" => 5,
        "million" | "millions" => 6,
        "crore" | "crores" => 7,
        "billion" | "billions" => 9,
        "trillion" | "trillions" => 12,
        _ => return None,
    })
}

fn index(list: &[&str], word: &str) -> Option<u64> {
    list.iter().position(|entry| *entry == word).map(|at| at as u64)
}

/// "seven", "seventeen", "seventy", "seventy-seven".
fn below_hundred(tokens: &Tokens, at: usize) -> Option<(u64, usize)> {
    let word = tokens.word(at);
    if let Some(unit) = index(&UNITS, word) {
        return Some((unit, at + 1));
    }
    let tens = (index(&TENS, word)? + 2) * 10;
    let unit_at = if tokens.symbol(at + 1) == '-' { at + 2 } else { at + 1 };
    match index(&UNITS, tokens.word(unit_at)) {
        Some(unit @ 1..=9) if tokens.gap(unit_at) <= Gap::Line => Some((tens + unit, unit_at + 1)),
        _ => Some((tens, at + 1)),
    }
}

/// Maximum words of a number; it bounds the work for text made of number words.
const LONGEST: usize = 24;

pub fn cardinal(tokens: &Tokens, at: usize) -> Option<(u64, usize)> {
    let first = tokens.word(at).as_bytes().first()?;
    // the letters that number words begin with
    if !b"zotfsen".contains(first) {
        return None;
    }
    let (mut total, mut group, mut next) = (0u64, None::<u64>, at);
    while next < at + LONGEST {
        let begin = if next > at && tokens.word(next) == "and" { next + 1 } else { next };
        if next > at && tokens.gap(next) > Gap::Line {
            break;
        }
        if let Some((value, after)) = below_hundred(tokens, begin)
            && group.is_none_or(|group| group >= 100 && group % 100 == 0)
        {
            group = Some(group.unwrap_or(0) + value);
            next = after;
        } else if let Some(power) = scale(tokens.word(next)).filter(|_| next > at) {
            let Some(value) = group else { break };
            if power == 2 {
                if !(1..=99).contains(&value) {
                    break;
                }
                group = Some(value * 100);
            } else {
                total = total.checked_add(value.checked_mul(10u64.checked_pow(power)?)?)?;
                group = None;
            }
            next += 1;
        } else {
            break;
        }
    }
    (next > at).then_some((total.checked_add(group.unwrap_or(0))?, next))
}

/// An ordinal number below 100, in words or as "21st", and the token after it.
pub fn ordinal(tokens: &Tokens, at: usize) -> Option<(u32, usize)> {
    if let Some(value) = tokens.number(at) {
        let suffix = matches!(tokens.word(at + 1), "st" | "nd" | "rd" | "th");
        // OCR sets a superscript apart, or parts it
        let parted =
            matches!((tokens.word(at + 1), tokens.word(at + 2)), ("s", "t") | ("n", "d") | ("r", "d") | ("t", "h"));
        let valid = (suffix || parted && tokens.glued(at + 1)) && tokens.gap(at + 1) <= Gap::Space && value < 100;
        return valid.then_some((value, at + if suffix { 2 } else { 3 }));
    }
    let word = tokens.word(at);
    if let Some(value) = index(&ORDINALS, word) {
        return Some((value as u32 + 1, at + 1));
    }
    if word == "thirtieth" {
        return Some((30, at + 1));
    }
    let tens = (index(&TENS, word)? as u32 + 2) * 10;
    let unit_at = if tokens.symbol(at + 1) == '-' { at + 2 } else { at + 1 };
    match index(&ORDINALS, tokens.word(unit_at)) {
        Some(unit @ 0..=8) => Some((tens + unit as u32 + 1, unit_at + 1)),
        _ => None,
    }
}

pub fn roman(word: &str) -> Option<u32> {
    let mut total = 0u32;
    let mut last = 0;
    if word.is_empty() || word.len() > 7 {
        return None;
    }
    for byte in word.bytes().rev() {
        let value = match byte.to_ascii_lowercase() {
            b'i' => 1,
            b'v' => 5,
            b'x' => 10,
            b'l' => 50,
            _ => return None,
        };
        if value < last {
            total = total.checked_sub(value)?;
        } else {
            total += value;
            last = value;
        }
    }
    (total > 0 && total < 100).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_give_their_value() {
        for (text, expected) in [
            ("twenty thousand", Some(20_000)),
            ("one hundred and twenty-five thousand six hundred fifty", Some(125_650)),
            ("two million three hundred thousand", Some(2_300_000)),
            ("nine", Some(9)),
            ("two thousand nineteen", Some(2019)),
            ("twenty thousand and no more", Some(20_000)),
            ("thousand", None),
            ("often", None),
        ] {
            assert_eq!(cardinal(&Tokens::new(text), 0).map(|found| found.0), expected, "{text}");
        }
        for (text, expected) in [("twenty-first", Some(21)), ("31st", Some(31)), ("thirtieth", Some(30)), ("ten", None)]
        {
            assert_eq!(ordinal(&Tokens::new(text), 0).map(|found| found.0), expected, "{text}");
        }
        for (text, expected) in [("IV", Some(4)), ("xii", Some(12)), ("XL", Some(40)), ("MIX", None), ("", None)] {
            assert_eq!(roman(text), expected, "{text}");
        }
    }
}
