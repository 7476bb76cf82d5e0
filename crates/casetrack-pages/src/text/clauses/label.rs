//! Numbers of clauses as they are printed, and the titles behind them.

use crate::text::roman;

/// A kind of numbering. Each counts for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    /// "ARTICLE IV"
    Article,
    /// "4.", "4.2", "Section 4.2", "§ 4"
    Decimal,
    /// "4)"
    Bracketed,
    /// "IV."
    Roman,
    /// "D."
    Letter,
}

/// The first two levels of a number; `second` is 0 in "4.".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Number {
    pub first: u16,
    pub second: u16,
}

/// A number that a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub scheme: Scheme,
    pub number: Number,
    /// Levels of the number: 3 in "4.2.1".
    pub depth: usize,
    pub length: usize,
    /// True if punctuation closes it: "4.", not "4".
    pub is_closed: bool,
    /// True if it begins with a word, such as "Section", or with "§".
    pub has_word: bool,
}

impl Label {
    /// True if it is a number without any mark, which may count anything: "4".
    pub fn is_bare(&self) -> bool {
        !self.has_word && self.depth == 1 && !self.is_closed
    }
}

const WORDS: &[(&str, Scheme)] =
    &[("article", Scheme::Article), ("section", Scheme::Decimal), ("clause", Scheme::Decimal)];
const NUMBER_WORDS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Higher numbers are years, amounts or addresses.
const MAX_FIRST: u16 = 99;
const MAX_DEPTH: usize = 6;

/// The numbers that a text may begin with: "I." is a Roman number or a letter.
pub(super) fn labels(text: &str) -> impl Iterator<Item = Label> {
    let (first, second) = match text.chars().next() {
        Some(c) if c.is_ascii_digit() => (decimal(text), None),
        Some('§') => (paragraph_sign(text), None),
        Some(c) if c.is_ascii_alphabetic() => match word_label(text) {
            Some(label) => (Some(label), None),
            None => (roman_label(text), letter(text)),
        },
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

fn word_label(text: &str) -> Option<Label> {
    let (word, rest) = text.split_once([' ', '\t'])?;
    let (_, scheme) = WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
    word.starts_with(|c: char| c.is_ascii_uppercase()).then_some(())?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let at = text.len() - rest.len();
    let (number, depth, length) = match digits(rest) {
        Some(found) => found,
        None => {
            let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let word = &rest[..length];
            let position = || NUMBER_WORDS.iter().position(|name| word.eq_ignore_ascii_case(name));
            let first = roman(word).or_else(|| position().map(|index| index as u16 + 1))?;
            (Number { first, second: 0 }, 1, length)
        }
    };
    let rest = &rest[length..];
    let closing = rest.len() - rest.trim_start_matches(['.', ':', ')']).len();
    ends_label(&rest[closing..], closing > 0).then_some(Label {
        scheme: *scheme,
        number,
        depth,
        length: at + length + closing,
        is_closed: closing > 0,
        has_word: true,
    })
}

fn paragraph_sign(text: &str) -> Option<Label> {
    let rest = text.strip_prefix('§')?.trim_start_matches([' ', '\u{A0}']);
    let (number, depth, length) = digits(rest)?;
    let at = text.len() - rest.len() + length;
    let closing = usize::from(text[at..].starts_with(['.', ':']));
    let label =
        Label { scheme: Scheme::Decimal, number, depth, length: at + closing, is_closed: closing > 0, has_word: true };
    ends_label(&text[at + closing..], false).then_some(label)
}

fn decimal(text: &str) -> Option<Label> {
    let (mut number, mut depth, mut length) = digits(text)?;
    // "2. 3. 1. The parties": the levels are separate.
    while depth < MAX_DEPTH
        && let Some(rest) = text[length..].strip_prefix(". ")
        && let Some((next, 1, more)) = digits(rest)
        && rest[more..].starts_with(". ")
    {
        if depth == 1 {
            number.second = next.first;
        }
        (depth, length) = (depth + 1, length + 2 + more);
    }
    let dots = usize::from(text[length..].starts_with('.'));
    let brackets = usize::from(text[length + dots..].starts_with(')'));
    let closing = dots + brackets;
    let label = Label {
        scheme: if brackets > 0 { Scheme::Bracketed } else { Scheme::Decimal },
        number,
        depth,
        length: length + closing,
        is_closed: closing > 0,
        has_word: false,
    };
    ends_label(&text[length + closing..], closing > 0 || depth > 1).then_some(label)
}

fn roman_label(text: &str) -> Option<Label> {
    let length = text.bytes().take(8).take_while(u8::is_ascii_uppercase).count();
    let first = roman(&text[..length])?;
    let rest = text[length..].strip_prefix('.')?;
    ends_label(rest, true).then_some(simple(Scheme::Roman, first, length + 1))
}

fn letter(text: &str) -> Option<Label> {
    let &[letter @ b'A'..=b'Z', b'.', ..] = text.as_bytes() else { return None };
    ends_label(&text[2..], true).then_some(simple(Scheme::Letter, u16::from(letter - b'A') + 1, 2))
}

fn simple(scheme: Scheme, first: u16, length: usize) -> Label {
    Label { scheme, number: Number { first, second: 0 }, depth: 1, length, is_closed: true, has_word: false }
}

/// True if a label may end before `rest`. Punctuation may be followed by a title at once.
fn ends_label(rest: &str, is_closed: bool) -> bool {
    rest.chars()
        .next()
        .is_none_or(|c| c.is_whitespace() || is_closed && (c.is_uppercase() || matches!(c, '"' | '“' | '[')))
}

/// "4.2.1" with its levels and its length; "4.0" is "4".
fn digits(text: &str) -> Option<(Number, usize, usize)> {
    let length = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let written = text[..length].trim_end_matches('.');
    let mut parts = Vec::new();
    for part in written.split('.') {
        parts.push(part.parse::<u16>().ok().filter(|_| (1..=2).contains(&part.len()))?);
    }
    if parts.len() == 2 && parts[1] == 0 {
        parts.pop();
    }
    let first = *parts.first().filter(|first| (1..=MAX_FIRST).contains(*first))?;
    Some((Number { first, second: parts.get(1).copied().unwrap_or(0) }, parts.len(), written.len()))
}

/// A Roman number up to 89, in capitals.
fn roman(word: &str) -> Option<u16> {
    let number = roman::value(word).filter(|number| (1..90).contains(number))?;
    (roman::roman(number).to_ascii_uppercase() == word).then_some(number as u16)
}

/// The longest title in a clause's first line, in characters and in words.
const MAX_TITLE_CHARS: usize = 110;
const MAX_TITLE_WORDS: usize = 14;
/// Words that are in lower case in titles.
const SMALL_WORDS: &[&str] = &[
    "a", "an", "after", "and", "as", "at", "be", "before", "between", "by", "during", "for", "from", "if", "in",
    "into", "is", "it", "its", "no", "not", "of", "on", "or", "per", "the", "through", "to", "under", "upon", "vs",
    "with", "without",
];
const VERBS: &[&str] = &["shall", "will", "is", "are", "may", "means", "has", "have", "must", "agree", "agrees"];

/// The length in bytes of the title that a text begins with: "Limitation of Liability. In no event …".
pub(super) fn title_length(text: &str) -> Option<usize> {
    text.chars().find(|c| !matches!(c, '"' | '“' | '(' | '[' | '*')).filter(|c| c.is_uppercase())?;
    let end = title_end(text)?;
    let title = &text[..end];
    let words: Vec<&str> = title
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-'))
        .filter(|word| word.starts_with(char::is_alphabetic))
        .collect();
    if words.is_empty() || words.len() > MAX_TITLE_WORDS {
        return None;
    }
    let is_one_of = |word: &str, list: &[&str]| list.iter().any(|listed| word.eq_ignore_ascii_case(listed));
    let lower =
        words.iter().filter(|word| word.starts_with(char::is_lowercase) && !is_one_of(word, SMALL_WORDS)).count();
    let is_capitalized = lower == 0 || lower == 1 && words.len() >= 6;
    let is_short_sentence =
        title.ends_with(['.', ':']) && words.len() <= 5 && !words.iter().any(|word| is_one_of(word, VERBS));
    (is_capitalized || is_short_sentence).then_some(end)
}

/// The end of the first sentence of a text, or of the text itself. In text without line ends spaces may stand for one.
fn title_end(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().zip(0..).peekable();
    let mut spaces = 0;
    while let Some(((at, c), count)) = chars.next() {
        if count > MAX_TITLE_CHARS {
            return None;
        }
        let next = chars.peek().map(|((_, next), _)| *next);
        spaces = if c == ' ' { spaces + 1 } else { 0 };
        if spaces == 3 {
            return Some(text[..at].trim_end().len()).filter(|end| *end > 1);
        }
        match c {
            '.' | ':' | ';' => {
                let ends = next.is_none_or(|next| next.is_whitespace() || matches!(next, '”' | '"' | '’'));
                return (ends && count >= 2).then_some(at + c.len_utf8());
            }
            '–' | '—' => return Some(text[..at].trim_end().len()).filter(|end| *end > 1),
            '-' if next.is_some_and(char::is_whitespace) => return Some(text[..at].trim_end().len()),
            _ => {}
        }
    }
    Some(text.trim_end().len()).filter(|end| *end > 1)
}

/// True if a text begins with a word or more in capitals.
pub(super) fn starts_in_capitals(text: &str) -> bool {
    let text = text.trim_start_matches(['"', '“', '(']);
    let is_capital = |c: char| c.is_uppercase() || matches!(c, '&' | ',' | '\'' | '’' | '-' | '/' | ' ');
    text.starts_with(char::is_uppercase) && text.chars().take(4).filter(|c| is_capital(*c)).count() == 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> Option<(Scheme, u16, u16, usize)> {
        labels(text).next().map(|label| (label.scheme, label.number.first, label.number.second, label.depth))
    }

    #[test]
    fn labels_of_every_scheme_are_read() {
        for (text, expected) in [
            ("1. Term", (Scheme::Decimal, 1, 0, 1)),
            ("7.6 Limitation", (Scheme::Decimal, 7, 6, 2)),
            ("1.2\"Affiliate\" means", (Scheme::Decimal, 1, 2, 2)),
            ("7.6. Limitation", (Scheme::Decimal, 7, 6, 2)),
            ("12.3.1 Words", (Scheme::Decimal, 12, 3, 3)),
            ("2. 3. 1. Words", (Scheme::Decimal, 2, 3, 3)),
            ("1.0 Scope", (Scheme::Decimal, 1, 0, 1)),
            ("2.Sufficient", (Scheme::Decimal, 2, 0, 1)),
            ("3) Sales", (Scheme::Bracketed, 3, 0, 1)),
            ("ARTICLE IV\nPRICE", (Scheme::Article, 4, 0, 1)),
            ("Article Two - Term", (Scheme::Article, 2, 0, 1)),
            ("Section 2.03. Fees", (Scheme::Decimal, 2, 3, 2)),
            ("SECTION 5: TERM", (Scheme::Decimal, 5, 0, 1)),
            ("§ 12 Kündigung", (Scheme::Decimal, 12, 0, 1)),
            ("XIV. NOTICES", (Scheme::Roman, 14, 0, 1)),
            ("B. Warranties", (Scheme::Letter, 2, 0, 1)),
        ] {
            assert_eq!(label(text), Some(expected), "{text}");
        }
        assert_eq!(labels("I. Term").map(|label| label.scheme).collect::<Vec<_>>(), [Scheme::Roman, Scheme::Letter]);
    }

    #[test]
    fn numbers_of_other_things_are_no_labels() {
        for text in [
            "2003 was",
            "100.5 kg",
            "3.14159 is",
            "10%",
            "Section 3.2(b) of",
            "Section of",
            "section 4 of",
            "1st",
            "§ a",
            "IIII. x",
        ] {
            assert_eq!(label(text), None, "{text}");
        }
    }

    #[test]
    fn titles_end_where_the_sentence_begins() {
        let title = |text: &'static str| title_length(text).map(|length| &text[..length]);
        assert_eq!(title("Limitation of Liability. In no event shall"), Some("Limitation of Liability."));
        assert_eq!(title("TERM - This Agreement"), Some("TERM"));
        assert_eq!(title("Effect of termination. Upon"), Some("Effect of termination."));
        assert_eq!(title("Governing Law"), Some("Governing Law"));
        assert_eq!(title("Notices     All notices"), Some("Notices"));
        assert_eq!(title("The Supplier shall deliver the goods. Then"), None);
        assert_eq!(title("of this Agreement."), None);
    }
}
