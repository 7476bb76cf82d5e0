//! Fonts whose map to characters contradicts the names of their glyphs (ISO 32000-1, 9.6.6 and 9.10.3): a ligature that is a space, or digits
//! that are other digits. Such text looks like text, so nothing else shows that it differs from the page.

use std::collections::{HashMap, HashSet};

use super::objects::{Objects, entry, from_hex, is_regular, name};

/// Fewest letters on which the names and the map of a font agree, and that many for each on which they differ: then the names are those of the
/// glyphs. Some programs give glyphs of subsets any names.
const LEAST_LETTERS: usize = 5;
const AGREEING: usize = 10;
/// Longest range of a map that is read; a font has 256 codes.
const MAX_CODE: u32 = 255;

const DIGITS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// By the name of a font: the characters that its map gives to glyphs of others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WrongMaps(HashMap<String, HashSet<char>>);

impl WrongMaps {
    pub fn of(file: &[u8]) -> Self {
        let objects = Objects::of(file);
        let mut wrong: HashMap<String, HashSet<char>> = HashMap::new();
        for font in objects.all().filter(|object| name(object, b"/Type") == Some(b"/Font")) {
            if let Some((font, chars)) = wrong_chars(font, &objects) {
                wrong.entry(font).or_default().extend(chars);
            }
        }
        Self(wrong)
    }

    /// True if a glyph that the map of its font calls `c` may be another. `font` is asked for only if there is a wrong map.
    pub fn may_be_another(&self, c: char, font: impl FnOnce() -> String) -> bool {
        !self.0.is_empty() && self.0.get(&font()).is_some_and(|chars| chars.contains(&c))
    }
}

/// The name of a font, and the characters of its map that contradict the names of its glyphs; `None` if there are none.
fn wrong_chars(font: &[u8], objects: &Objects) -> Option<(String, HashSet<char>)> {
    // In other fonts codes have no names, or names that mean nothing.
    if !matches!(name(font, b"/Subtype")?, b"/Type1" | b"/TrueType" | b"/MMType1") {
        return None;
    }
    let font_name = String::from_utf8_lossy(&name(font, b"/BaseFont")?[1..]).into_owned();
    let map = mapped(&objects.stream(entry(font, b"/ToUnicode")?)?);
    let (mut same, mut other) = (0, 0);
    let mut wrong = HashSet::new();
    for (code, named) in named(font, objects) {
        let Some(text) = map.get(&code).filter(|text| text.is_ascii() && !text.is_empty()) else { continue };
        let is_letter = named.len() == 1 && named.as_bytes()[0].is_ascii_alphabetic();
        // A capital of small size may be either.
        let is_same = text.eq_ignore_ascii_case(&named);
        same += usize::from(is_letter && is_same);
        other += usize::from(is_letter && !is_same);
        if !is_same {
            wrong.extend(text.chars());
        }
    }
    let names_are_true = same >= LEAST_LETTERS && same >= AGREEING * other;
    (names_are_true && !wrong.is_empty()).then_some((font_name, wrong))
}

/// The text that the names of the glyphs of a font stand for, by code: letters, digits and ligatures.
fn named(font: &[u8], objects: &Objects) -> HashMap<u32, String> {
    let mut named = HashMap::new();
    let Some(encoding) = entry(font, b"/Encoding") else { return named };
    let (base, differences) = match encoding.first() {
        Some(b'/') => (name(font, b"/Encoding"), None),
        _ => {
            let Some(encoding) = objects.resolved(encoding) else { return named };
            (name(encoding, b"/BaseEncoding"), entry(encoding, b"/Differences"))
        }
    };
    if matches!(base, Some(b"/WinAnsiEncoding" | b"/MacRomanEncoding" | b"/StandardEncoding")) {
        let plain = (0..=MAX_CODE).filter_map(char::from_u32).filter(char::is_ascii_alphanumeric);
        named.extend(plain.map(|c| (c as u32, c.to_string())));
    }
    let Some(mut rest) = differences.and_then(|list| objects.resolved(list)).and_then(|list| list.strip_prefix(b"["))
    else {
        return named;
    };
    let mut code = 0u32;
    while let [first, more @ ..] = rest {
        let length = match first {
            b'/' => {
                let length = 1 + more.iter().take_while(|byte| is_regular(**byte)).count();
                named.remove(&code);
                named.extend(text_of(&rest[1..length]).map(|text| (code, text)));
                code = code.saturating_add(1);
                length
            }
            b'0'..=b'9' => {
                let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                code = std::str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
                length
            }
            b']' => break,
            _ => 1,
        };
        rest = &rest[length..];
    }
    named
}

/// The text of a glyph with this name, if it is a letter, a digit or a ligature.
fn text_of(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let is_letter = |part: &str| part.len() == 1 && part.as_bytes()[0].is_ascii_alphabetic();
    match name {
        "ff" | "fi" | "fl" | "ffi" | "ffl" => Some(name.to_owned()),
        name if is_letter(name) => Some(name.to_owned()),
        // `t_i`
        name if name.contains('_') => name.split('_').all(is_letter).then(|| name.replace('_', "")),
        name => DIGITS.iter().position(|digit| *digit == name).map(|digit| digit.to_string()),
    }
}

/// The text of each code by a map (ISO 32000-1, 9.10.3).
fn mapped(map: &[u8]) -> HashMap<u32, String> {
    let mut mapped = HashMap::new();
    // Behind `beginbfchar` pairs, behind `beginbfrange` triples follow.
    let mut size = 0usize;
    let mut group: Vec<Token> = Vec::new();
    for token in Tokens(map) {
        match token {
            Token::Word(b"beginbfchar") => (size, group) = (2, Vec::new()),
            Token::Word(b"beginbfrange") => (size, group) = (3, Vec::new()),
            Token::Word(b"endbfchar" | b"endbfrange") => (size, group) = (0, Vec::new()),
            token if size > 0 => group.push(token),
            _ => {}
        }
        if group.len() < size.max(1) {
            continue;
        }
        match std::mem::take(&mut group).as_slice() {
            [Token::Hex(code), Token::Hex(text)] => drop(mapped.insert(number(code), utf16(text, 0))),
            [Token::Hex(first), Token::Hex(last), Token::Hex(text)] => {
                let codes = number(first)..=number(last).min(MAX_CODE);
                mapped.extend(codes.zip(0..).map(|(code, step)| (code, utf16(text, step))));
            }
            [Token::Hex(first), Token::Hex(_), Token::List(texts)] => {
                mapped.extend((number(first)..=MAX_CODE).zip(texts.iter().map(|text| utf16(text, 0))));
            }
            _ => {}
        }
    }
    mapped
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u32, |number, byte| number.wrapping_shl(8) | u32::from(*byte))
}

/// The text, of which the last unit is `step` more.
fn utf16(bytes: &[u8], step: u16) -> String {
    let mut units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    if let Some(last) = units.last_mut() {
        *last = last.wrapping_add(step);
    }
    String::from_utf16_lossy(&units)
}

enum Token<'m> {
    Hex(Vec<u8>),
    List(Vec<Vec<u8>>),
    Word(&'m [u8]),
}

struct Tokens<'m>(&'m [u8]);

impl<'m> Iterator for Tokens<'m> {
    type Item = Token<'m>;

    fn next(&mut self) -> Option<Token<'m>> {
        self.0 = self.0.trim_ascii_start();
        let until = |bytes: &[u8], end: u8| bytes.iter().position(|byte| *byte == end).unwrap_or(bytes.len());
        let rest = self.0;
        match rest {
            [] => None,
            // Dictionaries of the map itself.
            [b'<', b'<', more @ ..] => {
                self.0 = more;
                Some(Token::Word(b"<<"))
            }
            [b'<', more @ ..] => {
                let end = until(more, b'>');
                self.0 = more.get(end + 1..).unwrap_or_default();
                Some(Token::Hex(from_hex(&more[..end])))
            }
            [b'[', more @ ..] => {
                let end = until(more, b']');
                self.0 = more.get(end + 1..).unwrap_or_default();
                let texts = Tokens(&more[..end]).filter_map(|token| match token {
                    Token::Hex(text) => Some(text),
                    _ => None,
                });
                Some(Token::List(texts.collect()))
            }
            _ => {
                let length = rest.iter().skip(1).take_while(|byte| is_regular(**byte)).count() + 1;
                let (word, more) = rest.split_at(length);
                self.0 = more;
                Some(Token::Word(word))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(encoding: &str, map: &str) -> Vec<u8> {
        format!(
            "3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Times /Encoding {encoding} /ToUnicode 8 0 R >>\nendobj\n\
             8 0 obj\n<< /Length {} >>\nstream\n{map}\nendstream\nendobj\n9 0 obj\n[30 /fi 31/t_i/one.oldstyle]\nendobj\n",
            map.len()
        )
        .into_bytes()
    }

    const PLAIN: &str =
        "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange ";

    fn wrong(encoding: &str, map: &str) -> String {
        let WrongMaps(fonts) = WrongMaps::of(&file(encoding, map));
        let mut chars: Vec<char> = fonts.into_values().flatten().collect();
        chars.sort_unstable();
        chars.into_iter().collect()
    }

    #[test]
    fn maps_that_contradict_the_names_of_glyphs_are_found() {
        let encoding = "<< /BaseEncoding /WinAnsiEncoding /Differences 9 0 R >>";
        for (map, expected) in [
            ("", ""),
            ("1 beginbfchar <1E> <FB01> endbfchar", ""),
            ("2 beginbfchar <1E> <00660069> <1F> <00740069> endbfchar", ""),
            ("1 beginbfchar <1E> <0020> endbfchar", " "),
            ("1 beginbfchar <1E> <0066> endbfchar", "f"),
            ("1 beginbfrange <1E> <1F> [<0066> <00740069>] endbfrange", "f"),
            ("1 beginbfrange <30> <36> <0033> endbfrange", "3456789"),
            // An old style figure, a superior one, and a small capital.
            ("3 beginbfchar <20> <0037> <31> <00B9> <61> <0041> endbfchar", ""),
        ] {
            assert_eq!(wrong(encoding, &format!("{PLAIN}{map}")), expected, "{map}");
        }
        assert_eq!(wrong("/WinAnsiEncoding", &format!("{PLAIN} 1 beginbfchar <31> <0034> endbfchar")), "4");
        let maps = WrongMaps::of(&file("/WinAnsiEncoding", &format!("{PLAIN} 1 beginbfchar <31> <0034> endbfchar")));
        assert!(maps.may_be_another('4', || "ABCDEF+Times".to_owned()));
        assert!(!maps.may_be_another('5', || "ABCDEF+Times".to_owned()));
        assert!(!maps.may_be_another('4', || "Times".to_owned()));
    }

    #[test]
    fn names_that_mean_nothing_contradict_no_map() {
        // As programs name the glyphs of a subset in the order of their use.
        let encoding = "<< /Differences [1 /A /B /C /D /E /F /G] >>";
        assert_eq!(wrong(encoding, "1 beginbfrange <01> <07> <0061> endbfrange"), "");
        assert_eq!(wrong(encoding, "1 beginbfrange <01> <07> [<0052> <0065> <006E> <0074>] endbfrange"), "");
        assert_eq!(wrong("<< /Differences [1 /g12 /g13 /A] >>", "1 beginbfchar <01> <0020> endbfchar"), "");
        // Files that end early.
        let whole = file("<< /Differences [30 /fi 65 /A] >>", &format!("{PLAIN} 1 beginbfrange <1E> <1F> [<0020>"));
        for end in 0..whole.len() {
            WrongMaps::of(&whole[..end]);
        }
    }
}
