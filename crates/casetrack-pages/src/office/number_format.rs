//! Numbers as list labels print them (`ST_NumberFormat`, 17.18.59).

use crate::text::roman::roman;

/// `number` in the named format; formats that are not listed here print as decimal numbers.
pub fn format_number(number: u32, format: &str) -> String {
    match format {
        "none" => String::new(),
        "decimalZero" => format!("{number:02}"),
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_ascii_uppercase(),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).to_ascii_uppercase(),
        "ordinal" => ordinal(number),
        "cardinalText" => capitalized(&cardinal_text(number)),
        "ordinalText" => capitalized(&ordinal_text(number)),
        _ => number.to_string(),
    }
}

/// a to z, then aa, bb and so on; Word repeats the letter.
fn letters(number: u32) -> String {
    let Some(index) = number.checked_sub(1) else { return "0".into() };
    let letter = char::from(b'a' + (index % 26) as u8);
    // Word prints at most 30 letters.
    std::iter::repeat_n(letter, (index / 26 + 1).min(30) as usize).collect()
}

fn ordinal(number: u32) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// From zero to nineteen.
const CARDINALS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
     seventeen eighteen nineteen";
const ORDINALS: &str = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth \
     fifteenth sixteenth seventeenth eighteenth nineteenth";
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// "twenty-one", where `small` are the words up to nineteen; `None` from 100 on, which no list of articles reaches in words.
fn in_words(number: u32, small: &str) -> Option<String> {
    let word = |index: u32| small.split_ascii_whitespace().nth(index as usize);
    match (number / 10, number % 10) {
        (0 | 1, _) => word(number).map(str::to_owned),
        (tens @ 2..=9, 0) => Some(TENS[tens as usize - 2].to_owned()),
        (tens @ 2..=9, ones) => Some(format!("{}-{}", TENS[tens as usize - 2], word(ones)?)),
        _ => None,
    }
}

fn cardinal_text(number: u32) -> String {
    in_words(number, CARDINALS).unwrap_or_else(|| number.to_string())
}

fn ordinal_text(number: u32) -> String {
    let text = in_words(number, ORDINALS).unwrap_or_else(|| ordinal(number));
    text.strip_suffix('y').map_or(text.clone(), |tens| format!("{tens}ieth"))
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_word_prints_them() {
        for (number, format, text) in [
            (3, "decimal", "3"),
            (3, "decimalZero", "03"),
            (28, "lowerLetter", "bb"),
            (1, "upperLetter", "A"),
            (1994, "upperRoman", "MCMXCIV"),
            (4, "lowerRoman", "iv"),
            (22, "ordinal", "22nd"),
            (112, "ordinal", "112th"),
            (21, "cardinalText", "Twenty-one"),
            (30, "ordinalText", "Thirtieth"),
            (1, "ordinalText", "First"),
            (9, "none", ""),
            (7, "chicago", "7"),
            (0, "lowerLetter", "0"),
        ] {
            assert_eq!(format_number(number, format), text, "{number} as {format}");
        }
    }
}
