//! spaCy's tokenizer (spacy/tokenizer.pyx): text is cut at white space, each chunk is looked up among the special cases, or
//! prefixes and suffixes are removed until none is left, and the rest is a special case, a URL, or cut at infixes.
//! Finally, special cases that look like affixes, such as emoticons, are found in the sequence of tokens.

mod affixes;
mod url;

use std::collections::HashMap;

use serde::Deserialize;

use super::charset::{CharSet, is_space};
use affixes::{Affixes, Alternative};
use url::UrlPattern;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenizerFile {
    sets: Vec<CharSet>,
    prefixes: Vec<Alternative>,
    suffixes: Vec<Alternative>,
    infixes: Vec<Alternative>,
    /// The set of the letters of a top-level domain.
    top_level_domain: usize,
    /// Chunks with the tokens they consist of, each with its norm if it differs from the word's.
    special_cases: HashMap<String, Vec<(String, Option<String>)>>,
}

/// A token within a chunk; the pieces of a chunk follow each other without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// The norm of a special case.
    pub norm: Option<&'a str>,
}

/// A chunk of a text, and its beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub text: &'a str,
    pub char_start: u32,
    pub byte_start: usize,
}

#[derive(Debug)]
pub(super) struct Tokenizer {
    sets: Vec<CharSet>,
    prefixes: Affixes,
    suffixes: Affixes,
    infixes: Affixes,
    url: UrlPattern,
    special_cases: HashMap<String, Vec<(String, Option<String>)>>,
    /// Length of the longest special case in bytes.
    longest_special: usize,
    /// The tokens of special cases that contain affixes, as they come out without special cases, by their first token.
    phrases: HashMap<String, Vec<Vec<String>>>,
}

impl Tokenizer {
    /// `decimals` and `alphanumeric` are the characters of the classes `\d` and `\w` of Python, the latter without `_`.
    /// An error describes the fault of the file.
    pub fn new(file: TokenizerFile, decimals: CharSet, alphanumeric: CharSet) -> Result<Self, &'static str> {
        const BAD_AFFIX: &str = "an affix is empty or names a set of characters that is not there";
        let top_level_domain = file.sets.get(file.top_level_domain).ok_or(BAD_AFFIX)?.clone();
        let affixes = |alternatives| Affixes::new(alternatives, &file.sets).ok_or(BAD_AFFIX);
        let (prefixes, suffixes, infixes) = (affixes(file.prefixes)?, affixes(file.suffixes)?, affixes(file.infixes)?);
        let in_pieces = |(chunk, tokens): (&String, &Vec<(String, Option<String>)>)| {
            tokens.iter().map(|(text, _)| text.as_str()).collect::<String>() == *chunk
                && tokens.iter().all(|(text, _)| !text.is_empty())
        };
        if !file.special_cases.iter().all(in_pieces) {
            return Err("the tokens of a special case are not those of its text");
        }
        let mut tokenizer = Self {
            prefixes,
            suffixes,
            infixes,
            url: UrlPattern { top_level_domain, decimals, alphanumeric },
            longest_special: file.special_cases.keys().map(String::len).max().unwrap_or(0),
            special_cases: file.special_cases,
            phrases: HashMap::new(),
            sets: file.sets,
        };
        tokenizer.phrases = tokenizer.phrases();
        Ok(tokenizer)
    }

    fn phrases(&self) -> HashMap<String, Vec<Vec<String>>> {
        let mut phrases: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        for case in self.special_cases.keys() {
            let chars: Vec<char> = case.chars().collect();
            let has_affix = self.prefixes.prefix(&self.sets, &chars) > 0
                || self.suffixes.suffix(&self.sets, &chars) > 0
                || !self.infixes.infixes(&self.sets, &chars).is_empty();
            if !has_affix || case.contains(' ') {
                continue;
            }
            let mut pieces = Vec::new();
            self.split_affixes(case, false, &mut pieces);
            let tokens: Vec<String> = pieces.iter().map(|piece| piece.text.to_owned()).collect();
            if let Some(first) = tokens.first() {
                phrases.entry(first.clone()).or_default().push(tokens);
            }
        }
        phrases
    }

    /// True if a special case that looks like affixes may begin with this token.
    pub fn begins_phrase(&self, token: &str) -> bool {
        self.phrases.contains_key(token)
    }

    /// How many tokens each special case has that the tokens of `text` from `token(0)` on spell; `token` gives `None`
    /// after the last one.
    pub fn phrases_at<'a>(&self, token: impl Fn(usize) -> Option<&'a str>) -> impl Iterator<Item = usize> {
        let phrases = token(0).and_then(|first| self.phrases.get(first)).map_or(&[][..], Vec::as_slice);
        let spelled = move |phrase: &&Vec<String>| {
            phrase.iter().enumerate().skip(1).all(|(i, expected)| token(i) == Some(expected.as_str()))
        };
        phrases.iter().filter(spelled).map(Vec::len)
    }

    pub fn special_case(&self, text: &str) -> Option<impl Iterator<Item = Piece<'_>>> {
        if text.len() > self.longest_special {
            return None;
        }
        let tokens = self.special_cases.get(text)?;
        Some(tokens.iter().map(|(text, norm)| Piece { text, norm: norm.as_deref() }))
    }

    pub fn split<'a>(&'a self, chunk: &'a str, pieces: &mut Vec<Piece<'a>>) {
        // Only letters have no affix: prefixes and suffixes of letters are before "$" or after a digit.
        if chunk.bytes().all(|byte| byte.is_ascii_alphabetic()) && !self.special_cases.contains_key(chunk) {
            pieces.push(Piece { text: chunk, norm: None });
        } else {
            self.split_affixes(chunk, true, pieces);
        }
    }

    fn split_affixes<'a>(&'a self, chunk: &'a str, with_special_cases: bool, pieces: &mut Vec<Piece<'a>>) {
        let is_special = |text: &str| {
            with_special_cases && text.len() <= self.longest_special && self.special_cases.contains_key(text)
        };
        let chars: Vec<char> = chunk.chars().collect();
        let mut bytes: Vec<usize> = chunk.char_indices().map(|(at, _)| at).collect();
        bytes.push(chunk.len());
        let slice = |start: usize, end: usize| &chunk[bytes[start]..bytes[end]];
        let plain = |start, end| Piece { text: slice(start, end), norm: None };

        let (mut start, mut end, mut last_length) = (0, chars.len(), 0);
        let mut suffixes = Vec::new();
        while start < end && end - start != last_length && !is_special(slice(start, end)) {
            last_length = end - start;
            let prefix = self.prefixes.prefix(&self.sets, &chars[start..end]);
            if prefix > 0 && is_special(slice(start + prefix, end)) {
                pieces.push(plain(start, start + prefix));
                start += prefix;
                break;
            }
            let suffix = self.suffixes.suffix(&self.sets, &chars[start + prefix..end]);
            // An apparent prefix may belong to a special case before the suffix.
            if prefix > 0 && !(suffix > 0 && is_special(slice(start, end - suffix))) {
                pieces.push(plain(start, start + prefix));
                start += prefix;
            }
            if suffix > 0 {
                suffixes.push(plain(end - suffix, end));
                end -= suffix;
            }
        }
        if start < end {
            self.split_middle(slice(start, end), &chars[start..end], with_special_cases, pieces);
        }
        pieces.extend(suffixes.into_iter().rev());
    }

    /// Appends the pieces of a text without prefix and suffix.
    fn split_middle<'a>(
        &'a self,
        text: &'a str,
        chars: &[char],
        with_special_cases: bool,
        pieces: &mut Vec<Piece<'a>>,
    ) {
        if with_special_cases && let Some(special) = self.special_case(text) {
            pieces.extend(special);
            return;
        }
        let mut rest = text;
        if !self.url.matches(chars) {
            let mut start = 0;
            let mut cut = |length: usize| {
                let at = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
                let (piece, after) = rest.split_at(at);
                rest = after;
                if !piece.is_empty() {
                    pieces.push(Piece { text: piece, norm: None });
                }
            };
            // An infix at the very start stays with the text after it.
            for (from, to) in self.infixes.infixes(&self.sets, chars).into_iter().filter(|&(from, _)| from > 0) {
                cut(from - start);
                cut(to - from);
                start = to;
            }
        }
        if !rest.is_empty() {
            pieces.push(Piece { text: rest, norm: None });
        }
    }
}

/// The chunks of a text: runs of white space and of other characters; one space after a run of others is not a chunk.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let (mut byte, mut char_at) = (0, 0u32);
    std::iter::from_fn(move || {
        let rest = &text[byte..];
        let space = is_space(rest.chars().next()?);
        let (mut length, mut chars) = (rest.len(), 0);
        for (at, c) in rest.char_indices() {
            if is_space(c) != space {
                length = at;
                break;
            }
            chars += 1;
        }
        let chunk = Chunk { text: &rest[..length], char_start: char_at, byte_start: byte };
        (byte, char_at) = (byte + length, char_at + chars);
        if !space && text[byte..].starts_with(' ') {
            (byte, char_at) = (byte + 1, char_at + 1);
        }
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spacy::attributes::LexiconFile;
    use crate::spacy::files::read_json;
    use crate::spacy::testing::model_folder;

    fn tokenizer() -> Tokenizer {
        let folder = model_folder();
        let lexicon: LexiconFile = read_json(&folder.join("lexicon.json")).unwrap();
        let file = read_json(&folder.join("tokenizer.json")).unwrap();
        Tokenizer::new(file, lexicon.decimals, lexicon.alphanumeric).unwrap()
    }

    #[test]
    fn the_shortcut_for_letters_gives_what_the_rules_give() {
        let tokenizer = tokenizer();
        let mut words: Vec<String> = tokenizer.special_cases.keys().cloned().collect();
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').collect();
        for &a in &letters {
            words.push(a.to_string());
            for &b in &letters {
                words.extend([format!("{a}{b}"), format!("{a}{b}{a}"), format!("US{a}{b}"), format!("k{a}{b}Pa")]);
            }
        }
        words.retain(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
        assert!(words.len() > 10_000);
        for word in &words {
            let (mut quick, mut by_rules) = (Vec::new(), Vec::new());
            tokenizer.split(word, &mut quick);
            tokenizer.split_affixes(word, true, &mut by_rules);
            assert_eq!(quick, by_rules);
        }
    }

    const URLS: &[&str] = &[
        "example.com",
        "example.co.uk",
        "www.example.com:443",
        "http://example.com/x?y#z",
        "user@example.com",
        "user:pw@example.com",
        "a@b@example.com",
        "http://user:pw@host.example.net/~x?q=1,2",
        "8.8.8.8",
        "93.184.216.34/",
        "223.255.255.254",
        "192.169.0.1",
        "169.253.1.1",
        "172.15.0.1",
        "172.32.1.1",
        "172.2.0.1",
        "8.09.8.8",
        "a-b.example.com",
        "a_b.example.com",
        "example.com/",
        "example.com?",
        "example.com#x",
        "example.com:80/a",
        "mailto:info@example.org",
        "ftp://files.example.org",
        "münchen.example.de",
        "例え.テスト",
        "x.y.z.abc",
        "℡.example",
        "example.com/😀",
        "1٣2.8.8.8",
        "8.٣.8.8",
        "8.8.8.1٣",
        "http://8.8.8.8:8080/x",
        "+x-y.z://example.com",
        "½½://example.com",
        "end.next",
        "file.txt",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com",
        "x.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];

    #[test]
    fn urls_match_as_by_the_expression_of_spacy() {
        let tokenizer = tokenizer();
        let matches = |text: &str| tokenizer.url.matches(&text.chars().collect::<Vec<char>>());
        for &url in URLS {
            assert!(matches(url), "{url}");
        }
        for other in [
            "a.b",
            "www.example.com:4",
            "www.example.com:443210",
            "@example.com",
            "10.2.3.4",
            "127.0.0.1",
            "256.1.1.1",
            "224.1.1.1",
            "192.168.0.1",
            "169.254.1.1",
            "172.16.0.1",
            "172.29.1.1",
            "1.2.3",
            "1.2.3.4.5",
            "8.8.8.0",
            "8.8.8.255",
            "8.256.8.8",
            "a..example.com",
            ".example.com",
            "example.com.",
            "-a.example.com",
            "a-.example.com",
            "example.COM",
            "example.c",
            "example.com:",
            "//cdn.example.io",
            "x://example.com",
            "😀.example.com",
            "example.com😀",
            "a.bc@d",
            "e.g.",
            "i.e.",
            "U.S.A.",
            "a.m.",
            "end.Next",
            "v1.2.3",
            "12.50",
            "1,234.56",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com",
            "x.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert!(!matches(other), "{other}");
        }
    }

    #[test]
    fn chunks_are_divided_by_single_spaces_and_white_space_is_a_chunk_of_its_own() {
        let found = |text| chunks(text).map(|chunk| (chunk.text, chunk.char_start)).collect::<Vec<_>>();
        assert_eq!(found(""), []);
        assert_eq!(found(" a"), [(" ", 0), ("a", 1)]);
        assert_eq!(found("é b  c \n\u{1f}d "), [("é", 0), ("b", 2), (" ", 4), ("c", 5), ("\n\u{1f}", 7), ("d", 9)]);
    }
}
