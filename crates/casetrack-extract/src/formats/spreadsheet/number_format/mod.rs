//! Numbers as a sheet shows them: format codes ([ECMA-376] Part 1, 18.8.30–31) applied to values.
//!
//! Names of months and days are English for every locale of the code. If the display in Excel depends on the system
//! (the short date, format 14), dates are shown in ISO 8601, which cannot be misread.

mod date;
mod number;
mod token;

use std::collections::HashMap;

use self::number::general;
use self::token::Token;

pub(super) struct Formats {
    /// By the number of a cell's style.
    pub by_style: Vec<NumberFormat>,
    /// True if days count from 1904 instead of 1900.
    pub epoch_1904: bool,
}

impl Formats {
    /// A number as a cell in this style shows it; one without a style that is known, as General shows it.
    pub fn show(&self, style: Option<usize>, number: f64) -> String {
        let format = style.and_then(|style| self.by_style.get(style));
        format.map_or_else(|| general(number), |format| format.show(number, self.epoch_1904))
    }
}

#[derive(Debug, Clone)]
pub(super) struct NumberFormat {
    sections: Vec<Section>,
}

#[derive(Debug, Clone, Default)]
struct Section {
    condition: Option<(Comparison, f64)>,
    tokens: Vec<Token>,
}

type Comparison = fn(&f64, &f64) -> bool;

impl NumberFormat {
    pub fn parse(code: &str) -> Self {
        Self { sections: split_sections(code).iter().map(|section| Section::parse(section)).collect() }
    }

    /// The code of a built-in format; those that depend on the locale are the unambiguous ones. General for the rest.
    pub fn built_in(id: u32) -> Self {
        Self::parse(match id {
            1 => "0",
            2 => "0.00",
            3 | 37 | 38 => "#,##0;-#,##0",
            4 | 39 | 40 => "#,##0.00;-#,##0.00",
            5 | 6 => "$#,##0;-$#,##0",
            7 | 8 => "$#,##0.00;-$#,##0.00",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            12 => "# ?/?",
            13 => "# ??/??",
            14 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            15 => "d-mmm-yy",
            16 => "d-mmm",
            17 => "mmm-yy",
            18 => "h:mm AM/PM",
            19 => "h:mm:ss AM/PM",
            20 | 32 | 34 => "h:mm",
            21 | 33 | 35 | 55 | 56 => "h:mm:ss",
            22 => "yyyy-mm-dd h:mm",
            41 => "#,##0;-#,##0;\"-\"",
            42 => "$#,##0;-$#,##0;\"-\"",
            43 => "#,##0.00;-#,##0.00;\"-\"",
            44 => "$#,##0.00;-$#,##0.00;\"-\"",
            45 => "mm:ss",
            46 => "[h]:mm:ss",
            47 => "mm:ss.0",
            48 => "##0.0E+0",
            49 => "@",
            _ => "General",
        })
    }

    /// The format with a number: one that the file defines, or a built-in one. Writers list built-in formats, too;
    /// those that depend on the locale must not be taken at their word.
    pub fn numbered(id: u32, codes: &HashMap<u32, String>) -> Self {
        match codes.get(&id) {
            Some(code) if !matches!(id, 14 | 22) => Self::parse(code),
            _ => Self::built_in(id),
        }
    }

    /// A number as the cell shows it. `epoch_1904`: whether days count from 1904 instead of 1900.
    ///
    /// A format that hides the number does not hide it from a reader of evidence: it is shown as General shows it.
    pub fn show(&self, number: f64, epoch_1904: bool) -> String {
        let (section, keeps_sign) = self.section_of(number);
        let shown = section.and_then(|section| {
            let number = if keeps_sign { number } else { number.abs() };
            if section.tokens.iter().any(Token::is_date) {
                date::show(&section.tokens, number, epoch_1904)
            } else {
                Some(number::show(&section.tokens, number))
            }
        });
        shown.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| general(number))
    }

    /// The section for a number, and whether the number's sign is shown in it: sections only for negative numbers bring
    /// their own.
    fn section_of(&self, number: f64) -> (Option<&Section>, bool) {
        // The last of four sections is for texts.
        let numeric = &self.sections[..self.sections.len().min(3)];
        let numeric = match numeric {
            [rest @ .., last] if !rest.is_empty() && last.tokens.contains(&Token::Text) => rest,
            all => all,
        };
        if numeric.iter().any(|section| section.condition.is_some()) {
            for (index, section) in numeric.iter().enumerate() {
                let applies = match section.condition {
                    Some((comparison, limit)) => comparison(&number, &limit),
                    // With a condition before it, the second of three sections is for negative numbers.
                    None => index + 1 == numeric.len() || (index == 1 && number < 0.0),
                };
                if applies {
                    return (Some(section), index == 0 || section.condition.is_none());
                }
            }
            return (None, true);
        }
        match numeric {
            [_, negative, ..] if number < 0.0 => (Some(negative), false),
            [_, _, zero, ..] if number == 0.0 => (Some(zero), true),
            [positive, ..] => (Some(positive), true),
            [] => (None, true),
        }
    }
}

/// Semicolons in quotation marks, in brackets and behind backslashes are literal.
fn split_sections(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    for c in code.chars() {
        if c == ';' && !quoted && !bracketed && !escaped {
            sections.push(String::new());
            continue;
        }
        match c {
            _ if escaped => escaped = false,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => bracketed = true,
            ']' => bracketed = false,
            _ => {}
        }
        if let Some(section) = sections.last_mut() {
            section.push(c);
        }
    }
    sections
}

impl Section {
    fn parse(code: &str) -> Self {
        let mut section = Self::default();
        let chars: Vec<char> = code.chars().collect();
        let mut rest = chars.as_slice();
        while let Some(&c) = rest.first() {
            let (token, taken) = section.token(c, rest);
            section.tokens.push(token);
            rest = rest.get(taken..).unwrap_or_default();
        }
        section.find_minutes();
        section
    }

    /// The token at the start of `rest`, which begins with `c`, and the number of characters it takes.
    fn token(&mut self, c: char, rest: &[char]) -> (Token, usize) {
        let next = rest.get(1);
        let until = |end: char| rest[1..].iter().take_while(|c| **c != end).collect::<String>();
        match c {
            '"' => {
                let text = until('"');
                let taken = text.chars().count() + 2;
                (Token::Literal(text), taken)
            }
            '\\' => (Token::Literal(next.map(char::to_string).unwrap_or_default()), 2),
            // A space as wide as the next character; that character as often as the column is wide.
            '_' | '*' => {
                let is_space = c == '_' || next == Some(&' ');
                (Token::Literal(if is_space { " ".into() } else { String::new() }), 2)
            }
            '[' => {
                let inside = until(']');
                (self.bracketed(&inside), inside.chars().count() + 2)
            }
            '0' | '#' | '?' => (Token::Digit(c), 1),
            '.' => {
                let zeros = rest[1..].iter().take_while(|c| **c == '0').count();
                let last = self.tokens.iter().rfind(|token| !matches!(token, Token::Literal(_)));
                match last {
                    Some(Token::Second(_) | Token::Elapsed('s', _)) if zeros > 0 => (Token::Fraction(zeros), zeros + 1),
                    _ => (Token::Point, 1),
                }
            }
            ',' => (Token::Comma, 1),
            '%' => (Token::Percent, 1),
            '/' => (Token::Slash, 1),
            '@' => (Token::Text, 1),
            'E' | 'e' if matches!(next, Some('+' | '-')) => (Token::Exponent(next == Some(&'+')), 2),
            'G' | 'g' if starts_with(rest, "general") => (Token::General, 7),
            'A' | 'a' if starts_with(rest, "am/pm") => (Token::Noon(true), 5),
            'A' | 'a' if starts_with(rest, "a/p") => (Token::Noon(false), 3),
            _ => {
                let run = rest.iter().take_while(|next| next.eq_ignore_ascii_case(&c)).count();
                match c.to_ascii_lowercase() {
                    'y' => (Token::Year(run), run),
                    'e' => (Token::Year(4), run),
                    'm' => (Token::Month(run), run),
                    'd' => (Token::Day(run), run),
                    'h' => (Token::Hour(run), run),
                    's' => (Token::Second(run), run),
                    _ => (Token::Literal(c.to_string()), 1),
                }
            }
        }
    }

    /// The content of brackets: a condition, a currency with its locale, elapsed time, or a colour.
    fn bracketed(&mut self, inside: &str) -> Token {
        if let Some(currency) = inside.strip_prefix('$') {
            return Token::Literal(currency.split('-').next().unwrap_or_default().to_owned());
        }
        let unit = inside.chars().next().map(|c| c.to_ascii_lowercase());
        if let Some(unit @ ('h' | 'm' | 's')) = unit
            && inside.chars().all(|c| c.to_ascii_lowercase() == unit)
        {
            return Token::Elapsed(unit, inside.len());
        }
        const SIGNS: [(&str, Comparison); 6] =
            [("<=", f64::le), (">=", f64::ge), ("<>", f64::ne), ("<", f64::lt), (">", f64::gt), ("=", f64::eq)];
        let condition = SIGNS
            .iter()
            .find_map(|(sign, comparison)| Some((*comparison, inside.strip_prefix(sign)?.trim().parse().ok()?)));
        self.condition = condition.or(self.condition);
        Token::Literal(String::new())
    }

    /// `m` next to hours or seconds means minutes.
    fn find_minutes(&mut self) {
        let places: Vec<usize> = (0..self.tokens.len()).filter(|at| self.tokens[*at].is_date()).collect();
        for (index, &at) in places.iter().enumerate() {
            let Token::Month(digits @ 1..=2) = self.tokens[at] else { continue };
            let before = index.checked_sub(1).map(|before| &self.tokens[places[before]]);
            let after = places.get(index + 1).map(|after| &self.tokens[*after]);
            if matches!(before, Some(Token::Hour(_) | Token::Elapsed('h', _)))
                || matches!(after, Some(Token::Second(_)))
            {
                self.tokens[at] = Token::Minute(digits);
            }
        }
    }
}

fn starts_with(chars: &[char], word: &str) -> bool {
    chars.len() >= word.len() && chars.iter().zip(word.chars()).all(|(c, wanted)| c.eq_ignore_ascii_case(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, number: f64) -> String {
        NumberFormat::parse(code).show(number, false).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_have_digits_groups_and_scales() {
        for (code, number, text) in [
            ("0", 2.5, "3"),
            ("0.00", 2.675, "2.68"),
            ("0.00", -0.001, "0.00"),
            ("#,##0.00", 1_250_000.0, "1,250,000.00"),
            ("#,##0", -1234.5, "-1,235"),
            ("#.##", 0.5, ".5"),
            ("0.0##", 1.25, "1.25"),
            ("00000", 42.0, "00042"),
            ("0%", 0.075, "8%"),
            ("0.00%", 0.075, "7.50%"),
            ("#,##0,", 1_250_000.0, "1,250"),
            ("0.0,,\" M\"", 1_250_000.0, "1.3 M"),
            ("0.00E+00", 12345.0, "1.23E+04"),
            ("##0.0E+0", 12345.0, "12.3E+3"),
            ("0E-0", 0.0012, "1E-3"),
            ("# ?/?", 1.5, "1 1/2"),
            ("# ??/??", 0.333_333_333, "1/3"),
            ("?/8", 0.25, "2/8"),
            ("000-00-0000", 123_456_789.0, "123-45-6789"),
            ("0.00", 1e300, &format!("1{}.00", "0".repeat(300))),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
    }

    #[test]
    fn literals_currencies_and_sections_are_kept() {
        for (code, number, text) in [
            ("\"EUR\" #,##0.00", 5.0, "EUR 5.00"),
            ("[$€-407] #,##0.00", 5.0, "€ 5.00"),
            ("#,##0.00\\ [$kr-41D]", 1e3, "1,000.00 kr"),
            ("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", -7.0, "$ (7.00)"),
            ("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", 0.0, "$ -"),
            ("#,##0_);[Red](#,##0)", -12.0, "(12)"),
            ("[<100]0.0;[>=1000]0,\"k\";0", 5.0, "5.0"),
            ("[<100]0.0;[>=1000]0,\"k\";0", 5e3, "5k"),
            ("[<100]0.0;[>=1000]0,\"k\";0", 500.0, "500"),
            ("0.0;@", -2.0, "-2.0"),
            (";;;", 5.0, "5"),
            ("General\" kg\"", 2.5, "2.5 kg"),
            ("@", 12.5, "12.5"),
            ("\"a;b\"0", 1.0, "a;b1"),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
    }

    #[test]
    fn dates_and_times_follow_the_code() {
        let moment = 45_382.0 + 13.0 / 24.0 + 5.0 / 1440.0 + 9.25 / 86_400.0;
        for (code, number, text) in [
            ("d mmm yyyy", moment, "31 Mar 2024"),
            ("dddd, mmmm dd, yyyy", moment, "Sunday, March 31, 2024"),
            ("dd/mm/yy hh:mm", moment, "31/03/24 13:05"),
            ("dd.mm.yyyy", moment, "31.03.2024"),
            ("h:mm AM/PM", moment, "1:05 PM"),
            ("h:mm:ss.00", moment, "13:05:09.25"),
            ("mm:ss", moment, "05:09"),
            ("yyyy\\-mm\\-dd;@", moment, "2024-03-31"),
            ("[$-409]mmm\\-yy;@", moment, "Mar-24"),
            ("mmmmm", moment, "M"),
            ("[h]:mm", 1.125, "27:00"),
            ("[mm]:ss", 0.5, "720:00"),
            ("h:mm:ss", 0.999_999_999, "0:00:00"),
            ("yyyy-mm-dd", 60.0, "1900-02-29"),
            ("yyyy-mm-dd", 1.0, "1900-01-01"),
            ("yyyy-mm-dd", -1.0, "-1"),
            ("yyyy-mm-dd", 1e9, "1000000000"),
        ] {
            assert_eq!(shown(code, number), text, "{code} of {number}");
        }
        assert_eq!(NumberFormat::built_in(14).show(0.0, true), "1904-01-01");
    }

    #[test]
    fn general_shows_what_fits() {
        for (number, text) in [
            (3.0, "3"),
            (-0.5, "-0.5"),
            (0.1 + 0.2, "0.3"),
            (std::f64::consts::PI, "3.141592654"),
            (1_234_567.891_234, "1234567.891"),
            (123_456_789_012_345.0, "123456789012345"),
            (1_234_567_890_123_450.0, "1234567890123450"),
            (99_999_999_999.999_9, "99999999999.9999"),
            (12_345_678_901.25, "12345678901.25"),
            (0.0001, "0.0001"),
            (0.000_012_345_678, "1.23457E-05"),
            (1e300, "1E+300"),
            (-1.5e-12, "-1.5E-12"),
            (0.0, "0"),
            (-0.0, "0"),
        ] {
            assert_eq!(general(number), text);
        }
    }

    #[test]
    fn any_code_is_shown_without_panic() {
        for code in
            ["", "[", "\"", "\\", "_", "*", "E+", "0E", "/", "0/", "?/?/?", ".,.", "[>]", "%%%%", ",,,", "s.0", "[$"]
        {
            for number in [0.0, -1.5, 1e308, 5e-324, f64::NAN, f64::INFINITY] {
                NumberFormat::parse(code).show(number, false);
            }
        }
    }
}
