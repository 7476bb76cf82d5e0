//! Numbers as list labels print them (`ST_NumberFormat`, 17.18.59).

/// `number` in the named format; formats that are not listed here print as decimal numbers.
pub(crate) fn format_number(number: u32, format: &str) -> String {
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
    // Word prints no more than 30 letters.
    std::iter::repeat_n(letter, (index / 26 + 1).min(30) as usize).collect()
}

pub(crate) fn roman(mut number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if number == 0 || number > 32_767 {
        return number.to_string();
    }
    let mut text = String::new();
    for (value, digits) in DIGITS {
        while number >= value {
            text.push_str(digits);
            number -= value;
        }
    }
    text
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

const SMALL: [(&str, &str); 20] = [
    ("zero", "zeroth"),
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "fifth"),
    ("six", "sixth"),
    ("seven", "seventh"),
    ("eight", "eighth"),
    ("nine", "ninth"),
    ("ten", "tenth"),
    ("eleven", "eleventh"),
    ("twelve", "twelfth"),
    ("thirteen", "thirteenth"),
    ("fourteen", "fourteenth"),
    ("fifteen", "fifteenth"),
    ("sixteen", "sixteenth"),
    ("seventeen", "seventeenth"),
    ("eighteen", "eighteenth"),
    ("nineteen", "nineteenth"),
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// "twenty-one"; digits from 100 on, which no list of articles reaches in words.
fn cardinal_text(number: u32) -> String {
    match number {
        0..=19 => SMALL[number as usize].0.to_owned(),
        20..=99 => {
            let tens = TENS[number as usize / 10 - 2];
            match number % 10 {
                0 => tens.to_owned(),
                ones => format!("{tens}-{}", SMALL[ones as usize].0),
            }
        }
        _ => number.to_string(),
    }
}

fn ordinal_text(number: u32) -> String {
    match number {
        0..=19 => SMALL[number as usize].1.to_owned(),
        20..=99 => {
            let tens = TENS[number as usize / 10 - 2];
            match number % 10 {
                0 => format!("{}ieth", tens.trim_end_matches('y')),
                ones => format!("{tens}-{}", SMALL[ones as usize].1),
            }
        }
        _ => ordinal(number),
    }
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
