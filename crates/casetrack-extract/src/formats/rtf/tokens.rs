#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\name` and its number.
    Word(&'a str, Option<i32>),
    /// `\` and a character that is not a letter.
    Symbol(u8),
    Byte(u8),
    /// Characters that stand for themselves, without line ends.
    Text(&'a [u8]),
}

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Passes over bytes that are no RTF, the data of `\bin`.
    pub fn pass_over(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.bytes.len());
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let taken = &rest[..rest.iter().position(|b| !belongs(*b)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.bytes.get(self.at)?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            if first != b'\'' {
                return Some(Token::Symbol(first));
            }
            let digits = self.bytes.get(self.at..self.at + 2).and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            self.at += if byte.is_some() { 2 } else { 0 };
            return Some(Token::Byte(byte.unwrap_or(b' ')));
        }
        let name = self.take_while(|b| b.is_ascii_alphabetic());
        let negative =
            self.bytes.get(self.at) == Some(&b'-') && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
        self.at += usize::from(negative);
        let digits = self.take_while(|b| b.is_ascii_digit());
        let number = std::str::from_utf8(digits).ok().filter(|digits| !digits.is_empty());
        let number = number.map(|digits| digits.parse::<i32>().unwrap_or(i32::MAX));
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let number = number.map(|number| if negative { -number } else { number });
        Some(Token::Word(std::str::from_utf8(name).unwrap_or_default(), number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.take_while(|b| matches!(b, b'\r' | b'\n' | 0));
        let first = *self.bytes.get(self.at)?;
        match first {
            b'{' | b'}' | b'\\' => self.at += 1,
            _ => return Some(Token::Text(self.take_while(|b| !matches!(b, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0)))),
        }
        match first {
            b'{' => Some(Token::Open),
            b'}' => Some(Token::Close),
            _ => self.control(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_with_their_number_and_one_space() {
        let tokens: Vec<Token> = Tokens::new(b"{\\b0  a\\'e4\\u-3913?\\~\r\nb\\fs99999999999}").collect();
        let expected = [
            Token::Open,
            Token::Word("b", Some(0)),
            Token::Text(b" a"),
            Token::Byte(0xE4),
            Token::Word("u", Some(-3913)),
            Token::Text(b"?"),
            Token::Symbol(b'~'),
            Token::Text(b"b"),
            Token::Word("fs", Some(i32::MAX)),
            Token::Close,
        ];
        assert_eq!(tokens, expected);
        for cut in [&b"\\"[..], b"\\'", b"\\'4", b"\\'zz", b"\\b-", b"{"] {
            assert!(Tokens::new(cut).count() <= 2);
        }
    }
}
