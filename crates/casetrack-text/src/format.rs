//! Numbers, sizes, durations and single lines.

use std::borrow::Cow;
use std::fmt::Write;

/// `1051` as `1,051`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount as it is stored, `EUR 3000000000`, as people read it: `EUR 3,000,000,000`, and `EUR 2.5` as `EUR 2.50`. Numbers with other signs stay as they are.
/// Crowns without a country get those that they can be.
pub fn amount(stored: &str) -> String {
    let crowns = if stored.split(' ').any(|word| word == "kr") { " (SEK, NOK, DKK or ISK)" } else { "" };
    let has_currency =
        stored.split(' ').any(|word| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()));
    let grouped = |word: &str| {
        let (sign, digits) = word.strip_prefix('-').map_or(("", word), |digits| ("-", digits));
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match whole.parse() {
            Ok(number) if is_digits(whole) && !whole.starts_with('0') && fraction.is_none_or(is_digits) => {
                let least = if has_currency { 2 } else { 1 };
                let fraction = fraction.map(|digits| format!(".{digits:0<least$}")).unwrap_or_default();
                format!("{sign}{}{fraction}", thousands(number))
            }
            _ => word.to_owned(),
        }
    };
    stored.split(' ').map(grouped).collect::<Vec<_>>().join(" ") + crowns
}

/// `1 chunk`, `1,051 chunks`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// `1 entry`, `1,051 entries`.
pub(crate) fn entries(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{} entries", thousands(number)) }
}

/// `812 bytes`, `12.3 MB`; 1 MB is 1,000,000 bytes.
pub fn bytes(number: u64) -> String {
    let mut size = number as f64 / 1000.0;
    for unit in ["kB", "MB", "GB"] {
        if number < 1000 {
            return counted(number, "byte");
        }
        if size < 999.95 {
            return format!("{size:.1} {unit}");
        }
        size /= 1000.0;
    }
    format!("{size:.1} TB")
}

/// `4 minutes 12 seconds`; tenths below ten seconds.
pub fn duration(milliseconds: u64) -> String {
    let seconds = (milliseconds + 500) / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        _ if milliseconds < 9_950 => format!("{:.1} seconds", milliseconds as f64 / 1000.0),
        (0, 0, seconds) => counted(seconds, "second"),
        (0, minutes, seconds) => format!("{} {}", counted(minutes, "minute"), counted(seconds, "second")),
        (hours, minutes, _) => format!("{} {}", counted(hours, "hour"), counted(minutes, "minute")),
    }
}

/// `8` for a single number, `8-9` for a range.
pub(crate) fn range(start: u32, end: u32) -> String {
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}

/// Appends the notices of an answer, one line each.
pub fn push_notices(text: &mut String, notices: &[String]) {
    for notice in notices {
        let _ = writeln!(text, "Note: {}", one_line(notice));
    }
}

/// True for a control or invisible character: one that could break a line, hide text, or reorder the text around it.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with hidden characters escaped ([`is_hidden`]), so that it stays on its line and reads in the order in which it is written.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The text with hidden characters escaped, except line breaks and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// At most `max` characters of the text, with an ellipsis if there was more.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    text.char_indices().nth(max).map_or(Cow::Borrowed(text), |(end, _)| Cow::Owned(format!("{}…", &text[..end])))
}

/// The text [cut](cut) to `max` characters and escaped as by [`one_line`].
pub fn shorten(text: &str, max: usize) -> String {
    one_line(&cut(text, max)).into_owned()
}

/// Appends `  Name:       value`.
pub(crate) fn push_fact(text: &mut String, name: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  {:<12}{value}", format!("{name}:"));
}

/// The text without white space at its end.
pub(crate) fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text
}

/// Appends a heading and a [list](push_list), unless there are no items.
pub(crate) fn push_section(text: &mut String, heading: &str, items: impl Iterator<Item = String>, shown: usize) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        let _ = writeln!(text, "\n  {heading}:");
        push_list(text, items.into_iter(), shown);
    }
}

/// Appends the first `shown` items as `  - …` lines, then how many more there are.
pub fn push_list(text: &mut String, items: impl ExactSizeIterator<Item = String>, shown: usize) {
    let more = items.len().saturating_sub(shown);
    for item in items.take(shown) {
        let _ = writeln!(text, "  - {item}");
    }
    if more > 0 {
        let _ = writeln!(text, "  ... {} more", thousands(more as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        assert_eq!([0, 999, 1000, 1_051, 1_234_567].map(thousands), ["0", "999", "1,000", "1,051", "1,234,567"]);
        assert_eq!([0, 1, 2].map(|n| counted(n, "chunk")), ["0 chunks", "1 chunk", "2 chunks"]);
    }

    #[test]
    fn sizes_and_durations_are_readable() {
        let sizes = [0, 1, 999, 1000, 999_949, 999_950, 12_345_678, 5_000_000_000_000];
        let expected = ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "999.9 kB", "1.0 MB", "12.3 MB", "5.0 TB"];
        assert_eq!(sizes.map(bytes), expected);
        let times = [0, 412, 9_949, 9_950, 59_499, 61_000, 252_000, 3_660_000, 7_200_000];
        let expected = [
            "0.0 seconds",
            "0.4 seconds",
            "9.9 seconds",
            "10 seconds",
            "59 seconds",
            "1 minute 1 second",
            "4 minutes 12 seconds",
            "1 hour 1 minute",
            "2 hours 0 minutes",
        ];
        assert_eq!(times.map(duration), expected);
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(one_line("Überblick – 3.pdf"), "Überblick – 3.pdf");
        assert_eq!(one_line("a\nb\u{2028}c\x1b.pdf"), "a\\nb\\u{2028}c\\u{1b}.pdf");
        assert_eq!(one_line("invoice\u{202e}fdp.exe\u{e0041}\u{feff}"), "invoice\\u{202e}fdp.exe\\u{e0041}\\u{feff}");
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöü\n", 3), "äöü…");
    }

    #[test]
    fn amounts_are_grouped() {
        for (stored, shown) in [
            ("EUR 3000000000", "EUR 3,000,000,000"),
            ("EUR 999", "EUR 999"),
            ("1250000 CHF", "1,250,000 CHF"),
            ("USD -20000.50", "USD -20,000.50"),
            ("INR 12345678.9", "INR 12,345,678.90"),
            ("1.5 million", "1.5 million"),
            ("EUR 0.5", "EUR 0.5"),
            ("EUR 1e21", "EUR 1e21"),
            ("EUR 18,400", "EUR 18,400"),
            ("kr 1250000", "kr 1,250,000 (SEK, NOK, DKK or ISK)"),
            ("", ""),
        ] {
            assert_eq!(amount(stored), shown);
        }
    }

    #[test]
    fn long_lists_end_in_a_count() {
        let list = |count: usize, shown| {
            let mut text = String::new();
            push_list(&mut text, (0..count).map(|i| i.to_string()), shown);
            text
        };
        assert_eq!(list(3, 3), "  - 0\n  - 1\n  - 2\n");
        assert_eq!(list(4, 2), "  - 0\n  - 1\n  ... 2 more\n");
    }
}
