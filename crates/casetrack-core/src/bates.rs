//! Bates numbers: the numbers that are stamped on the pages of a production, such as SMITH000042.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Most digits of a number, which then fits into 64 bits, and most characters before them.
const MAX_DIGITS: usize = 18;
const MAX_PREFIX: usize = 40;

/// A Bates number: the text before its last digits, and these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatesNumber {
    /// As printed, with the printed separator, if any, at its end; may be empty.
    pub prefix: String,
    pub number: u64,
    /// Number of printed digits, leading zeros included, 1–18.
    pub width: usize,
}

impl BatesNumber {
    /// The prefix without separators and in capitals, by which numbers belong together: `Smith-` and `SMITH ` are one.
    pub fn series(&self) -> String {
        series(&self.prefix)
    }
}

fn series(prefix: &str) -> String {
    prefix.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

impl fmt::Display for BatesNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:0width$}", self.prefix, self.number, width = self.width)
    }
}

impl FromStr for BatesNumber {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let prefix = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &text[prefix.len()..];
        let is_short = digits.len() <= MAX_DIGITS && prefix.chars().count() <= MAX_PREFIX;
        let number = digits.parse().ok().filter(|_| is_short && !prefix.contains(char::is_control));
        let number = number.ok_or_else(|| no_number(text))?;
        Ok(Self { prefix: prefix.to_owned(), number, width: digits.len() })
    }
}

fn no_number(text: &str) -> Error {
    let shown: String = text.chars().take(80).collect();
    Error::invalid(format!("\"{shown}\" is not a Bates number."))
        .with_hint("Write it as it is printed, as in SMITH000042, and a range as SMITH000042..SMITH000050.")
}

/// Bates numbers from the first to the last, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatesRange {
    /// As [`BatesNumber::series`] has it; `None` for any.
    series: Option<String>,
    first: u64,
    last: u64,
    written: String,
}

impl BatesRange {
    pub fn contains(&self, number: &BatesNumber) -> bool {
        (self.first..=self.last).contains(&number.number)
            && self.series.as_ref().is_none_or(|series| *series == number.series())
    }
}

impl fmt::Display for BatesRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl FromStr for BatesRange {
    type Err = Error;

    /// One number, or a range `A..B`, of which the second may lack the prefix or be left out; `A-B` and `A–B` if both
    /// have the same prefix. Digits without a prefix match any prefix.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let dashed = || {
            text.match_indices(['-', '–']).find_map(|(at, dash)| {
                let (first, last): (BatesNumber, BatesNumber) =
                    (text[..at].parse().ok()?, text[at + dash.len()..].parse().ok()?);
                (!first.prefix.is_empty() && first.series() == last.series()).then_some((first, Some(last)))
            })
        };
        let (first, last) = match text.split_once("..") {
            Some((first, "")) => (first.parse()?, None),
            Some((first, last)) => (first.parse()?, Some(last.parse::<BatesNumber>()?)),
            None => match dashed() {
                Some(range) => range,
                None => {
                    let one: BatesNumber = text.parse()?;
                    (one.clone(), Some(one))
                }
            },
        };
        let series = first.series();
        let end = last.as_ref().map_or(u64::MAX, |last| last.number);
        let other = last.map(|last| last.series()).filter(|other| !other.is_empty() && *other != series);
        if other.is_some() || end < first.number {
            return Err(Error::invalid(format!("\"{text}\" is not a range of Bates numbers."))
                .with_hint("Give two numbers with the same prefix, the lower one first."));
        }
        let series = (!series.is_empty()).then_some(series);
        Ok(Self { series, first: first.number, last: end, written: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_they_are_printed() {
        for text in ["SMITH000042", "ABC-DEF 0007", "000123", "X_12"] {
            assert_eq!(text.parse::<BatesNumber>().unwrap().to_string(), text);
        }
        let long = format!("{}1", "x".repeat(41));
        for wrong in ["", "SMITH", "12a", "1234567890123456789", "a\n1", &long] {
            assert!(wrong.parse::<BatesNumber>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_have_their_numbers_whatever_separates_the_prefix() {
        let has = |range: &str, number: &str| {
            range.parse::<BatesRange>().unwrap().contains(&number.parse::<BatesNumber>().unwrap())
        };
        for (range, number, expected) in [
            ("SMITH000042", "SMITH000042", true),
            ("smith-42", "SMITH 000042", true),
            ("SMITH000042", "JONES000042", false),
            ("SMITH000042..SMITH000050", "SMITH000050", true),
            ("SMITH000042..000050", "SMITH000051", false),
            ("SMITH000042..", "SMITH999999", true),
            ("SMITH000042-SMITH000050", "SMITH000047", true),
            ("ABC-0042–ABC-0050", "ABC-0043", true),
            ("ABC-0042", "ABC0042", true),
            ("42", "SMITH000042", true),
            ("A2B0001..A2B0009", "A2B0005", true),
        ] {
            assert_eq!(has(range, number), expected, "{range} {number}");
        }
        for wrong in ["SMITH9..SMITH1", "SMITH1..JONES9", "..9", "soon", ".."] {
            assert!(wrong.parse::<BatesRange>().is_err(), "{wrong}");
        }
    }
}
