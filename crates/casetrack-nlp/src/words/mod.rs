#[macro_use]
mod class;

use std::iter::Peekable;
use std::str::CharIndices;

pub(crate) use self::class::{
    Class, Phrases, WordSet, class_of, entries, list, map, mark_lowered, pairs, phrases, set,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Begins with a capital: "Smith", "iWidget", "McHugh". An all-capitals word is `Upper`.
    Title,
    /// Two capitals or more and no lower-case letter: "ACME", "U.S.".
    Upper,
    /// One capital, with or without a point: "J.".
    Initial,
    Lower,
    /// Begins with a digit, or has one and no capital: "i3".
    Number,
    Mark(char),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    None,
    Space,
    /// Four blanks or more, or a tab: columns, or lines joined with their indents.
    Wide,
    Line,
    /// An empty line, or the beginning of the text.
    Blank,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    /// Characters of the text, half-open.
    pub start: u32,
    pub end: u32,
    pub shape: Shape,
    pub gap: Gap,
    pub class: Class,
}

impl Word<'_> {
    pub fn is(&self, mark: char) -> bool {
        self.shape == Shape::Mark(mark)
    }

    pub fn is_mark(&self) -> bool {
        matches!(self.shape, Shape::Mark(_))
    }

    /// May be part of a name by its capital letters.
    pub fn is_capital(&self) -> bool {
        matches!(self.shape, Shape::Title | Shape::Upper | Shape::Initial)
    }

    pub fn has(&self, class: Class) -> bool {
        self.class.has(class)
    }

    /// True for a word of every contract, and for one that the document also writes in lower case.
    pub fn is_common(&self) -> bool {
        self.has(Class::GENERIC) || self.has(Class::LOWERED)
    }

    /// Lower case without points, as in the word lists.
    pub fn folded(&self) -> String {
        fold(self.text)
    }

    /// True if it is this word of the word lists.
    pub fn is_folded(&self, listed: &str) -> bool {
        letters(self.text).eq(listed.chars())
    }
}

/// Lower case, without points.
pub(crate) fn fold(text: &str) -> String {
    letters(text).collect()
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|&c| c != '.').flat_map(char::to_lowercase)
}

/// The words `first..last` with single blanks between those that have white space between them.
pub(crate) fn surface(words: &[Word<'_>], first: usize, last: usize) -> String {
    let mut out = String::new();
    for (i, word) in words[first..last].iter().enumerate() {
        if i > 0 && word.gap > Gap::None {
            out.push(' ');
        }
        out.push_str(word.text);
    }
    out
}

word_lists! {
    PARTY_PHRASES: set = "words/party-phrases.txt";
}

/// True if a term of one or two words is a contract's word for a party.
pub(crate) fn is_party_word(term: &str) -> bool {
    class_of(term).has(Class::PARTY) || PARTY_PHRASES.contains(fold(term).as_str())
}

/// Longest word, in bytes; a longer one continues as the next word.
const LONGEST: usize = 128;

/// Characters that join two letters or digits into one word.
fn joins(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '‑' | '&' | '.' | '@')
}

word_lists! {
    /// Abbreviations that keep their point, so that it does not end a sentence.
    POINTED: set = "words/pointed.txt";
}

/// Splits a text. Cost: linear. A word's possessive ("Smith's") is left out of it.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::with_capacity(text.len() / 5);
    let mut chars = text.char_indices().peekable();
    let (mut place, mut gap) = (0u32, Gap::Blank);
    while let Some((byte, c)) = chars.next() {
        let start = place;
        place += 1;
        if c.is_whitespace() {
            gap = gap.max(white_space(c, &mut chars, &mut place));
            continue;
        }
        let mut byte_end = byte + c.len_utf8();
        if c.is_alphanumeric() {
            byte_end = word_end(text, byte_end, &mut chars, &mut place);
        }
        let word = &text[byte..byte_end];
        let shape = if c.is_alphanumeric() { shape(word) } else { Shape::Mark(c) };
        let class = if c.is_alphanumeric() { class_of(word) } else { Class::default() };
        found.push(Word { text: word, start, end: place, shape, gap, class });
        gap = Gap::None;
    }
    found
}

fn white_space(first: char, chars: &mut Peekable<CharIndices>, place: &mut u32) -> Gap {
    let (mut lines, mut blanks) = (u32::from(first == '\n'), 1);
    let mut tab = first == '\t';
    while let Some(&(_, c)) = chars.peek().filter(|(_, c)| c.is_whitespace()) {
        lines += u32::from(c == '\n');
        tab |= c == '\t';
        blanks += 1;
        *place += 1;
        chars.next();
    }
    match lines {
        0 if tab || blanks >= 4 => Gap::Wide,
        0 => Gap::Space,
        1 => Gap::Line,
        _ => Gap::Blank,
    }
}

/// Takes the rest of a word from `chars` and returns the byte after it.
fn word_end(text: &str, mut end: usize, chars: &mut Peekable<CharIndices>, place: &mut u32) -> usize {
    let begin = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    while let Some(&(at, c)) = chars.peek() {
        if at - begin >= LONGEST {
            break;
        }
        let behind = at + c.len_utf8();
        let mut rest = text[behind..].chars();
        let next = rest.next();
        let joined = joins(c) && next.is_some_and(char::is_alphanumeric);
        let possessive = matches!(c, '\'' | '’')
            && matches!(next, Some('s' | 'S'))
            && !rest.next().is_some_and(char::is_alphanumeric);
        let pointed = c == '.' && !joined && keeps_point(&text[begin..at]);
        let combining = matches!(c, '\u{300}'..='\u{36f}');
        if !(c.is_alphanumeric() || combining || joined && !possessive || pointed) {
            break;
        }
        end = behind;
        *place += 1;
        chars.next();
        if pointed {
            break;
        }
    }
    end
}

/// "J.", "L.P.", "Inc.": the point belongs to the word.
fn keeps_point(word: &str) -> bool {
    POINTED.contains(word)
        || word.len() <= 12
            && word.split('.').all(|part| part.len() <= 2 && part.chars().filter(|c| c.is_alphabetic()).count() == 1)
}

fn shape(word: &str) -> Shape {
    let (mut upper, mut lower) = (0, 0);
    for c in word.chars() {
        upper += usize::from(c.is_uppercase());
        lower += usize::from(c.is_lowercase());
    }
    let first = word.chars().next().unwrap_or(' ');
    match (upper, lower) {
        _ if first.is_ascii_digit() || upper == 0 && word.bytes().any(|b| b.is_ascii_digit()) => Shape::Number,
        (1, 0) if word.trim_end_matches('.').chars().count() == 1 => Shape::Initial,
        (0, _) => Shape::Lower,
        (_, 0) => Shape::Upper,
        // iWidget, i-Trust; acme.example stays lower
        _ if first.is_uppercase() || word.chars().skip(1).find(|&c| c != '-').is_some_and(char::is_uppercase) => {
            Shape::Title
        }
        _ => Shape::Lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_keep_their_point_and_possessives_are_left_out() {
        let found: Vec<_> = words("Acme Corp. paid J. Smith’s A.B. L.P. team.\n\nEnd").iter().map(|w| w.text).collect();
        assert_eq!(found, ["Acme", "Corp.", "paid", "J.", "Smith", "’", "s", "A.B.", "L.P.", "team", ".", "End"]);
    }

    #[test]
    fn places_are_characters() {
        let text = "Zürich — Acme\tInc.";
        let found = words(text);
        let chars: Vec<char> = text.chars().collect();
        for word in &found {
            assert_eq!(chars[word.start as usize..word.end as usize].iter().collect::<String>(), word.text);
        }
        assert_eq!((found[3].text, found[3].gap, found[3].shape), ("Inc.", Gap::Wide, Shape::Title));
    }
}
