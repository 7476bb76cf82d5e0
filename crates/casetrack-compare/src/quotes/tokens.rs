use std::ops::Range;

use super::symbols::{Gap, Row, SOFT, WILD, are_one_word, is_word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Number,
    /// Punctuation.
    Mark,
    /// A sign that belongs to a number: of a currency, per cent, a section.
    Sign,
    /// In a quotation: the text that an ellipsis or brackets replace.
    Hole,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub text: String,
    pub skeleton: String,
    pub class: Class,
    pub place: Range<usize>,
}

impl Token {
    pub fn new(text: String, place: Range<usize>) -> Self {
        let is_number = text.contains(|c: char| c.is_numeric()) && !text.contains(|c: char| c.is_alphabetic());
        let class = match text.chars().next() {
            _ if is_number => Class::Number,
            Some(c) if is_word(c) => Class::Word,
            Some('$' | '€' | '£' | '¥' | '¢' | '%' | '‰' | '§' | '°' | '+' | '<' | '>') => Class::Sign,
            _ => Class::Mark,
        };
        Self { skeleton: skeleton(&text), text, class, place }
    }

    pub fn hole(at: usize) -> Self {
        Self { text: String::new(), skeleton: String::new(), class: Class::Hole, place: at..at }
    }

    pub fn has_digit(&self) -> bool {
        self.text.contains(|c: char| c.is_numeric())
    }

    /// Its weight in the likeness of two passages.
    pub fn weight(&self) -> f32 {
        match self.class {
            Class::Word if is_common(&self.skeleton) => 0.25,
            Class::Word | Class::Number => 1.0,
            Class::Mark | Class::Sign | Class::Hole => 0.0,
        }
    }
}

/// Words that most passages have, by their skeletons.
const COMMON: [&str; 28] = [
    "a", "an", "and", "any", "as", "at", "be", "by", "for", "from", "has", "in", "ls", "lt", "lts", "of", "on", "or",
    "shall", "such", "that", "the", "thls", "to", "wlll", "wlth", "whlch", "all",
];

/// True if most passages have a word, given as its skeleton.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// The tokens of a part of a row. A number is one token with its points: `1,250,000.50`.
pub(super) fn tokens(row: &Row<'_>, part: Range<usize>) -> Vec<Token> {
    let symbols = row.symbols.get(part.clone()).unwrap_or_default();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = symbols.get(at) {
        let start = at;
        at += 1;
        if first.c == ' ' {
            continue;
        }
        if first.is_word() {
            let digit =
                |at: usize| symbols.get(at).is_some_and(|next| next.c.is_ascii_digit() && next.gap == Gap::None);
            while let Some(next) = symbols.get(at) {
                let in_number = matches!(next.c, '.' | ',' | ':' | '/') && next.gap == Gap::None && digit(at + 1);
                let before = symbols[at - 1];
                let divides = before.is_word() && !are_one_word(before.c, next.c);
                if !(next.is_word() && !divides || in_number && before.c.is_ascii_digit()) {
                    break;
                }
                at += 1;
            }
        }
        let text: String =
            symbols[start..at].iter().map(|symbol| symbol.c).filter(|c| !matches!(*c, SOFT | WILD)).collect();
        if !text.is_empty() {
            tokens.push(Token::new(text, part.start + start..part.start + at));
        }
    }
    tokens
}

/// The same for words that a scan confuses: `rn` and `m`, `l`, `I` and `1`, `O` and `0`.
pub(super) fn skeleton(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '1' | 'I' | 'i' | 'l' | 'L' | '|' | '!' => folded.push('l'),
            '0' => folded.push('o'),
            '5' => folded.push('s'),
            '8' => folded.push('b'),
            'n' | 'N' if folded.ends_with('r') => replace_last(&mut folded, 'm'),
            'v' | 'V' if folded.ends_with('v') => replace_last(&mut folded, 'w'),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

fn replace_last(text: &mut String, c: char) {
    text.pop();
    text.push(c);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Likeness {
    Same,
    /// Except for capitals.
    Letters,
    /// Except for letters that a scan confuses.
    Confused,
    /// A letter or a few differ.
    Spelling,
    /// Different, but of the same class.
    Other,
    /// Never one for the other.
    Unlike,
}

pub(super) fn likeness(a: &Token, b: &Token) -> Likeness {
    let of_words = |class| matches!(class, Class::Word | Class::Number);
    if a.class == Class::Hole || b.class == Class::Hole {
        return Likeness::Unlike;
    }
    if a.text == b.text {
        return Likeness::Same;
    }
    if of_words(a.class) != of_words(b.class) {
        return Likeness::Unlike;
    }
    if a.class == Class::Mark || a.class == Class::Sign || (a.class == Class::Number && b.class == Class::Number) {
        return Likeness::Other;
    }
    if a.skeleton == b.skeleton {
        let is_case = a.text.to_lowercase() == b.text.to_lowercase();
        return if is_case { Likeness::Letters } else { Likeness::Confused };
    }
    let (short, long) = (a.skeleton.len().min(b.skeleton.len()), a.skeleton.len().max(b.skeleton.len()));
    let most = (long / 4).clamp(1, 3);
    let ends = |word: &str| (word.chars().next(), word.chars().next_back());
    let ((first, last), (other_first, other_last)) = (ends(&a.skeleton), ends(&b.skeleton));
    if a.class == b.class
        && short >= 3
        && long - short <= most
        && (first == other_first || last == other_last)
        && strsim::osa_distance(&a.skeleton, &b.skeleton) <= most
    {
        return Likeness::Spelling;
    }
    Likeness::Other
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::symbols::symbols;
    use super::*;

    pub fn of(text: &str) -> Vec<Token> {
        let chars: Vec<char> = text.chars().collect();
        let symbols = symbols(&chars, &[]);
        tokens(&Row { chars: &chars, symbols: &symbols }, 0..symbols.len())
    }

    #[test]
    fn numbers_are_one_token_and_broken_words_too() {
        let texts: Vec<String> = of("Pay $1,250,000.50, by 4/15/2011 (a), on exam-\nple 4.2(b) party's.")
            .into_iter()
            .map(|one| one.text)
            .collect();
        let expected = [
            "Pay",
            "$",
            "1,250,000.50",
            ",",
            "by",
            "4/15/2011",
            "(",
            "a",
            ")",
            ",",
            "on",
            "example",
            "4.2",
            "(",
            "b",
            ")",
            "party's",
            ".",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn words_are_alike_in_degrees() {
        let alike = |a: &str, b: &str| likeness(&of(a)[0], &of(b)[0]);
        for (a, b, expected) in [
            ("rent", "rent", Likeness::Same),
            ("Rent", "rent", Likeness::Letters),
            ("terrn", "term", Likeness::Confused),
            ("l0O", "100", Likeness::Confused),
            ("Seclion", "Section", Likeness::Spelling),
            ("terminaton", "termination", Likeness::Spelling),
            ("30", "60", Likeness::Other),
            ("11", "1I", Likeness::Confused),
            ("not", "now", Likeness::Spelling),
            ("buyer", "seller", Likeness::Other),
            ("buyer", ",", Likeness::Unlike),
            (";", ",", Likeness::Other),
        ] {
            assert_eq!(alike(a, b), expected, "{a} {b}");
        }
    }
}
