//! The text of a page as tokens, which all rules read: made once, in linear time, without a copy of any word.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// ASCII digits.
    Number,
    /// One other character that is not white space; a run of `_` is one token, since it is one blank to fill in.
    Symbol,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    None,
    Space,
    Line,
    /// A blank line, or the start of the text.
    Paragraph,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    start: u32,
    end: u32,
    char_start: u32,
    char_end: u32,
    kind: Kind,
    gap: Gap,
}

/// The tokens of a text. An index past the last token is not an error: it gives an empty word.
#[derive(Debug)]
pub struct Tokens<'a> {
    text: &'a str,
    /// The text with ASCII letters in lower case: the same bytes elsewhere.
    lower: String,
    tokens: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Texts of 4 GiB or more are cut: offsets have 32 bits.
    pub fn new(text: &'a str) -> Tokens<'a> {
        let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
        let mut gap = Gap::Paragraph;
        let mut line_breaks = 0u32;
        let mut place = 0u32;
        for (byte, c) in text.char_indices() {
            let (Ok(start), Ok(end)) = (u32::try_from(byte), u32::try_from(byte + c.len_utf8())) else { break };
            let char_start = place;
            place += 1;
            let kind = match c {
                'a'..='z' | 'A'..='Z' => Kind::Word,
                '0'..='9' => Kind::Number,
                '\n' | '\u{c}' | '\u{2028}' | '\u{2029}' => {
                    line_breaks += 1;
                    gap = gap.max(if line_breaks > 1 { Gap::Paragraph } else { Gap::Line });
                    continue;
                }
                // zero-width characters separate nothing, but no word may run over them either
                '\u{200b}' | '\u{feff}' | '\u{ad}' => continue,
                c if c.is_whitespace() => {
                    gap = gap.max(Gap::Space);
                    continue;
                }
                c if c.is_alphabetic() => Kind::Word,
                _ => Kind::Symbol,
            };
            line_breaks = 0;
            if gap == Gap::None
                && let Some(last) = tokens.last_mut()
                && last.kind == kind
                && last.end == start
                && (kind != Kind::Symbol || (c == '_' && text.as_bytes().get(last.start as usize) == Some(&b'_')))
            {
                last.end = end;
                last.char_end = place;
            } else {
                tokens.push(Token { start, end, char_start, char_end: place, kind, gap });
            }
            gap = Gap::None;
        }
        Tokens { text, lower: text.to_ascii_lowercase(), tokens }
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// The white space before a token; past the end, as before a paragraph.
    pub fn gap(&self, at: usize) -> Gap {
        self.tokens.get(at).map_or(Gap::Paragraph, |token| token.gap)
    }

    /// True if a token follows the one before it without white space.
    pub fn glued(&self, at: usize) -> bool {
        self.gap(at) == Gap::None
    }

    pub fn word(&self, at: usize) -> &str {
        self.tokens.get(at).and_then(|t| self.lower.get(t.start as usize..t.end as usize)).unwrap_or("")
    }

    pub fn surface(&self, at: usize) -> &'a str {
        self.tokens.get(at).and_then(|t| self.text.get(t.start as usize..t.end as usize)).unwrap_or("")
    }

    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) => self.text.get(first.start as usize..last.end as usize).unwrap_or(""),
            _ => "",
        }
    }

    /// The white space before a token, as it is written.
    pub fn between(&self, at: usize) -> &'a str {
        let end = at.checked_sub(1).and_then(|before| self.tokens.get(before)).map_or(0, |token| token.end as usize);
        self.text.get(end..self.bytes(at).0).unwrap_or("")
    }

    /// The character of a symbol; `'\0'` for any other token.
    pub fn symbol(&self, at: usize) -> char {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Symbol => self.surface(at).chars().next().unwrap_or('\0'),
            _ => '\0',
        }
    }

    pub fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    pub fn is_number(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Number)
    }

    /// A word that begins with an upper-case letter.
    pub fn is_capitalized(&self, at: usize) -> bool {
        self.is_word(at) && self.surface(at).chars().next().is_some_and(char::is_uppercase)
    }

    /// A word all of whose letters are upper case.
    pub fn is_upper(&self, at: usize) -> bool {
        self.is_word(at) && self.surface(at).chars().all(char::is_uppercase)
    }

    /// The value of a number of at most nine digits.
    pub fn number(&self, at: usize) -> Option<u32> {
        if self.is_number(at) && self.surface(at).len() <= 9 { self.surface(at).parse().ok() } else { None }
    }

    /// True if the tokens from here are these words (in lower case) or symbols, in this order, without a blank line between them.
    pub fn has(&self, at: usize, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(n, word)| self.word(at + n) == *word && (n == 0 || self.gap(at + n) != Gap::Paragraph))
    }

    /// Letters with or without points between and after them ("CFR", "C.F.R.", "C. F. R."): the token after them.
    pub fn letters(&self, at: usize, letters: &str) -> Option<usize> {
        if self.word(at) == letters {
            return Some(at + usize::from(self.symbol(at + 1) == '.' && self.glued(at + 1)) + 1);
        }
        let mut next = at;
        let mut rest = letters;
        while !rest.is_empty() {
            let word = self.word(next);
            if next > at && self.gap(next) > Gap::Space || word.is_empty() {
                return None;
            }
            rest = rest.strip_prefix(word)?;
            next += 1;
            if self.symbol(next) == '.' && self.glued(next) {
                next += 1;
            } else if !rest.is_empty() {
                return None;
            }
        }
        Some(next)
    }

    pub fn span(&self, from: usize, to: usize) -> (u32, u32) {
        let start = self.tokens.get(from).map_or(0, |token| token.char_start);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.char_end);
        (start, end.max(start))
    }

    /// The token that starts at or after a byte of the text.
    pub fn at_byte(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| (token.start as usize) < byte)
    }

    pub fn bytes(&self, at: usize) -> (usize, usize) {
        self.tokens
            .get(at)
            .map_or((self.text.len(), self.text.len()), |token| (token.start as usize, token.end as usize))
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// True if a sentence can end before this token: a blank line, or a stop after something other than an abbreviation.
    pub fn starts_sentence(&self, at: usize) -> bool {
        if self.gap(at) == Gap::Paragraph {
            return true;
        }
        let Some(before) = at.checked_sub(1) else { return true };
        matches!(self.symbol(before), '.' | '!' | '?' | ';')
            && !self.glued(at)
            && (self.symbol(before) != '.' || before.checked_sub(1).is_none_or(|word| self.surface(word).len() > 3))
            && !self.word(at).chars().next().is_some_and(|c| c.is_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_symbols_keep_their_places() {
        let tokens = Tokens::new("Préface 5th ___\n\n§ 10b");
        let all: Vec<_> =
            (0..tokens.len()).map(|at| (tokens.surface(at), tokens.gap(at), tokens.span(at, at + 1))).collect();
        assert_eq!(
            all,
            [
                ("Préface", Gap::Paragraph, (0, 7)),
                ("5", Gap::Space, (8, 9)),
                ("th", Gap::None, (9, 11)),
                ("___", Gap::Space, (12, 15)),
                ("§", Gap::Paragraph, (17, 18)),
                ("10", Gap::Space, (19, 21)),
                ("b", Gap::None, (21, 22)),
            ]
        );
        assert_eq!(tokens.word(99), "");
    }

    #[test]
    fn an_abbreviation_may_have_points() {
        for text in ["CFR 240", "C.F.R. 240", "C. F. R. 240", "CFR. 240"] {
            let tokens = Tokens::new(text);
            let next = tokens.letters(0, "cfr").unwrap();
            assert_eq!(tokens.surface(next), "240", "{text}");
        }
        assert_eq!(Tokens::new("C F R").letters(0, "cfr"), None);
    }
}
