//! One idea of "the same text", for everything that compares texts: search, quotations, names of documents and files, tags and names of entities.
//!
//! Texts are the same if they differ only in ways that a reader does not see, or takes for a matter of type:
//!
//! - Unicode's normal form: `ü` as one character or as `u` with a mark.
//! - Compatibility forms: full width (`１２，３００`), half-width kana, ligatures (`ﬁ`), `㈱`, `№`, no-break spaces. Raised and lowered
//!   signs, fractions and circled numbers are not among them, since `10²` is not `102` and `1½` is not `11/2`. The exponent of a unit of
//!   length is: `m²` is `m2`, as `㎡` is.
//! - Apostrophes, quotation marks and dashes of any kind, and invisible characters.
//! - A hyphen that breaks a word at the end of a line, or a soft one: the word may have it or not.
//!
//! [`Plain`] is a text in one such form, and [`folded`] and [`unaccented`] leave out more. An umlaut may be spelt with an `e`: texts are
//! the same in this respect if they have one of their [`spellings`] in common.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A hyphen that a word may have or not: a soft one, or one at the end of a line.
pub const SOFT_HYPHEN: char = '\u{ad}';

/// The text with a single space for each run of white space, and none at its ends.
pub fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True for a hyphen, a dash of any length and a minus.
pub fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{58a}' | '\u{2010}'
            ..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// True for every form of an apostrophe; some of these are single quotation marks, too.
pub fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`' | '\u{b4}' | '\u{2b9}' | '\u{2bb}'
            ..='\u{2bd}'
                | '\u{2c8}'
                | '\u{2ca}'
                | '\u{2cb}'
                | '\u{55a}'
                | '\u{2018}'
                | '\u{2019}'
                | '\u{201b}'
                | '\u{2032}'
                | '\u{2035}'
                | '\u{a78c}'
                | '\u{ff07}'
                | '\u{ff40}'
    )
}

/// True for a quotation mark that is not an apostrophe.
pub fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\u{ab}' | '\u{bb}' | '\u{201a}' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{2039}'
        | '\u{203a}' | '\u{300c}'..='\u{300f}' | '\u{301d}'..='\u{301f}' | '\u{ff02}' | '\u{ff62}' | '\u{ff63}')
}

/// True for characters that are not seen: joiners, marks of direction, selectors of variants and controls; not white space.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
        || c.is_control() && !c.is_whitespace()
}

/// True for marks that texts of a language have or not: accents, vowel points of Hebrew, vowels and the long stroke of Arabic. Marks of other
/// scripts, such as the vowels of Thai and Hindi, are as much as letters.
pub fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}')
}

/// True for characters that belong to the one before: marks, vowels that follow a consonant of Hangul, half-width sound marks.
pub fn continues(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}'))
}

/// True for letters of scripts that have no spaces between words, and for Hangul, whose words take endings without a space. Any of them may begin or
/// end a word.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' // Kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        | '\u{ac00}'..='\u{d7af}') // Hangul
}

/// True if what a character stands for is more than a matter of type: raised and lowered signs, fractions, circled numbers, signs of trade marks.
fn keeps_its_form(c: char) -> bool {
    matches!(c, '\u{a8}' | '\u{aa}' | '\u{af}' | '\u{b2}' | '\u{b3}' | '\u{b8}'..='\u{ba}' | '\u{bc}'..='\u{be}' | '\u{2b0}'..='\u{2b8}'
        | '\u{2d8}'..='\u{2dd}' | '\u{2e0}'..='\u{2e4}' | '\u{1d2c}'..='\u{1d6a}' | '\u{2024}'..='\u{2026}' | '\u{2070}'..='\u{209f}'
        | '\u{2120}' | '\u{2122}' | '\u{2150}'..='\u{215f}' | '\u{2189}' | '\u{2460}'..='\u{2473}' | '\u{24b6}'..='\u{24ea}'
        // Separate vowels and consonants of Hangul would join the syllable before.
        | '\u{3131}'..='\u{318e}' | '\u{ffa0}'..='\u{ffdc}')
}

/// True for a raised digit: an exponent, or the mark of a footnote.
pub fn is_raised(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{2070}' | '\u{2074}'..='\u{2079}')
}

/// Units of length, and variables, that have an exponent.
const WITH_EXPONENTS: [&str; 13] = ["m", "km", "hm", "dm", "cm", "mm", "ft", "yd", "mi", "in", "x", "y", "z"];

/// The digit of a raised 2 or 3, if it is an exponent by the characters `before`, which come nearest first. Behind any other word the digit may be a
/// footnote mark, which does not belong to the word.
pub fn exponent(c: char, before: impl Iterator<Item = char>) -> Option<char> {
    let digit = match c {
        '²' => '2',
        '³' => '3',
        _ => return None,
    };
    let mut before = before.peekable();
    let mut unit = String::new();
    while let Some(letter) = before.next_if(|c| c.is_alphabetic() || continues(*c)) {
        if unit.len() > 2 {
            return None;
        }
        unit.insert(0, letter.to_ascii_lowercase());
    }
    let is_elided = before.peek().is_some_and(|c| is_apostrophe(*c));
    // "in" is a word as well.
    let may_be_word = unit == "in" && !before.find(|c| !c.is_whitespace()).is_some_and(|c| c.is_ascii_digit());
    (WITH_EXPONENTS.contains(&unit.as_str()) && !is_elided && !may_be_word).then_some(digit)
}

/// A text whose letters and marks are composed: Unicode's normal form C.
pub fn composed(text: &str) -> Cow<'_, str> {
    match unicode_normalization::is_nfc(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

/// The letters of a character and the marks behind it: composed, and without a form of compatibility.
pub fn letters(cluster: &str) -> impl Iterator<Item = char> {
    let keeps = cluster.chars().next().is_some_and(keeps_its_form);
    let (composed, compatible) = match keeps {
        true => (Some(cluster.nfc()), None),
        false => (None, Some(cluster.nfkc())),
    };
    composed.into_iter().flatten().chain(compatible.into_iter().flatten())
}

/// The bytes of the character at the beginning of a text, with the marks behind it.
pub fn cluster(text: &str) -> usize {
    let mut chars = text.char_indices();
    chars.next();
    chars.find(|(_, c)| !continues(*c)).map_or(text.len(), |(end, _)| end)
}

/// The one sign of its kind for a dash, an apostrophe and a quotation mark.
fn plain_sign(c: char) -> char {
    match c {
        _ if is_dash(c) => '-',
        _ if is_apostrophe(c) => '\'',
        _ if is_quotation_mark(c) => '"',
        _ => c,
    }
}

/// A stretch that is written otherwise in the plain text. Bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    plain: Range<usize>,
    source: Range<usize>,
}

/// A text in the form in which texts are compared, and where each part of it comes from. Its hyphens at the ends of lines, without their line
/// breaks, and its soft ones are [`SOFT_HYPHEN`]; other dashes are `-`, apostrophes `'`, double quotation marks `"`. Case and accents are those of the
/// text.
#[derive(Debug, Clone)]
pub struct Plain<'t> {
    text: Cow<'t, str>,
    changes: Vec<Change>,
}

impl<'t> Plain<'t> {
    /// Linear; texts of plain ASCII are not copied.
    pub fn of(text: &'t str) -> Self {
        let is_plain = |c: char| c.is_ascii() && (!c.is_ascii_control() || c.is_ascii_whitespace()) && c != '`';
        let bytes = text.as_bytes();
        let breaks = bytes.windows(2).any(|two| two[0] == b'-' && two[1].is_ascii_whitespace() && two[1] != b' ');
        if text.chars().all(is_plain) && !breaks && !text.contains("- \n") {
            return Self { text: Cow::Borrowed(text), changes: Vec::new() };
        }
        let mut plain = Self { text: Cow::Owned(String::with_capacity(text.len())), changes: Vec::new() };
        let mut at = 0;
        while at < text.len() {
            at = plain.read(text, at);
        }
        plain
    }

    /// Reads the form that begins at `at`; returns the start of the next one.
    fn read(&mut self, text: &str, at: usize) -> usize {
        let Some(first) = text[at..].chars().next() else { return text.len() };
        let sign_end = at + first.len_utf8();
        if first == SOFT_HYPHEN || is_dash(first) {
            if let Some(next) = broken_word(text, at, sign_end) {
                self.change(SOFT_HYPHEN.encode_utf8(&mut [0; 2]), at..next);
                return next;
            }
        } else if is_invisible(first) {
            self.change("", at..sign_end);
            return sign_end;
        }
        if let Some(digit) = exponent(first, text[..at].chars().rev()) {
            self.change(digit.encode_utf8(&mut [0; 1]), at..sign_end);
            return sign_end;
        }
        if plain_sign(first) != first || first == SOFT_HYPHEN {
            self.write(plain_sign(first).encode_utf8(&mut [0; 4]), text, at..sign_end);
            return sign_end;
        }
        let end = at + cluster(&text[at..]);
        match first.is_ascii() && end == sign_end {
            true => self.text.to_mut().push(first),
            false => {
                let letters: String = letters(&text[at..end]).filter(|c| !is_invisible(*c)).map(plain_sign).collect();
                self.write(&letters, text, at..end);
            }
        }
        end
    }

    fn write(&mut self, plain: &str, text: &str, source: Range<usize>) {
        match text[source.clone()] == *plain {
            true => self.text.to_mut().push_str(plain),
            false => self.change(plain, source),
        }
    }

    fn change(&mut self, plain: &str, source: Range<usize>) {
        let start = self.text.len();
        self.text.to_mut().push_str(plain);
        self.changes.push(Change { plain: start..self.text.len(), source });
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn into_text(self) -> Cow<'t, str> {
        self.text
    }

    /// The bytes of the source that some bytes of the plain text come from.
    pub fn source(&self, plain: Range<usize>) -> Range<usize> {
        let start = match self.changes[..self.until(plain.start)].last() {
            Some(change) if plain.start < change.plain.end => change.source.start,
            Some(change) => change.source.end + (plain.start - change.plain.end),
            None => plain.start,
        };
        let last = plain.end.saturating_sub(1).max(plain.start);
        let end = match self.changes[..self.until(last)].last() {
            Some(change) if last < change.plain.end => change.source.end,
            Some(change) => change.source.end + (plain.end - change.plain.end),
            None => plain.end,
        };
        start..end.max(start)
    }

    /// The number of changes that begin at a byte or before.
    fn until(&self, at: usize) -> usize {
        self.changes.partition_point(|change| change.plain.start <= at)
    }
}

/// The place where a word continues that a hyphen from `at` to `end` breaks at the end of a line: letters on both sides, with white space and a
/// line break between.
fn broken_word(text: &str, at: usize, end: usize) -> Option<usize> {
    let behind = &text[end..];
    let next = end + behind.find(|c: char| !c.is_whitespace()).unwrap_or(behind.len());
    let breaks = text[end..next].contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let before = text[..at].chars().rev().find(|c| !continues(*c));
    let is_word = before.is_some_and(char::is_alphabetic) && text[next..].starts_with(char::is_alphabetic);
    (breaks && is_word).then_some(next)
}

/// The form of a text that is compared without regard to case: plain, without optional hyphens, in small letters, with
/// `ss` for `ß`.
pub fn folded(text: &str) -> String {
    // Most words.
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return text.to_ascii_lowercase();
    }
    let plain = Plain::of(text);
    let mut folded = String::with_capacity(plain.text.len());
    for c in plain.text.chars() {
        match c {
            SOFT_HYPHEN => {}
            'a'..='z' | '0'..='9' | ' ' => folded.push(c),
            // In small letters this one is two characters.
            'İ' => folded.push('i'),
            'ß' | 'ẞ' => folded.push_str("ss"),
            _ => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// The form of a text that is compared without regard to case and accents. Marks stay in scripts in which they are as important as letters.
pub fn unaccented(text: &str) -> String {
    without_accents(&folded(text))
}

fn without_accents(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    let mut plain = String::with_capacity(folded.len());
    for c in folded.chars() {
        match plain_letters(c) {
            Some(letters) => plain.push_str(letters),
            None if loses_accents(c) => plain.extend(base_letter(c)),
            None if is_accent(c) => {}
            None => plain.push(c),
        }
    }
    plain
}

/// Of Latin and Greek. Some letters of other scripts consist of another letter and a mark that is as much as a letter: й is и with one, が is か.
fn loses_accents(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | 'ё' | '\u{1e00}'..='\u{1fff}')
}

/// A letter without its accents.
pub fn base_letter(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).nfd().filter(|c| !is_accent(*c))
}

/// Letters that Unicode does not decompose.
fn plain_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' | 'ǽ' => "ae",
        'œ' => "oe",
        'ø' | 'ǿ' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ł' => "l",
        'ŧ' => "t",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}

/// The spelling of a letter with an umlaut, or of its kin, where there is no such letter.
pub fn spelt_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ä' => "ae",
        'ö' | 'ø' => "oe",
        'ü' => "ue",
        'å' => "aa",
        'Ä' => "Ae",
        'Ö' | 'Ø' => "Oe",
        'Ü' => "Ue",
        'Å' => "Aa",
        _ => return None,
    })
}

/// A plain text with umlauts spelt with an `e`; `None` if it has none.
pub fn with_umlauts_spelt_out(plain: &str) -> Option<String> {
    plain.contains(|c| spelt_out(c).is_some()).then(|| {
        let mut spelt = String::with_capacity(plain.len() + 8);
        for c in plain.chars() {
            match spelt_out(c) {
                Some(letters) => spelt.push_str(letters),
                None => spelt.push(c),
            }
        }
        spelt
    })
}

/// The ways to spell a text without its accents: [`unaccented`], and with its umlauts spelt with an `e`, if it has some. "Müller" and "Mueller" have one
/// in common, "Mueller" and "Muller" have none.
pub fn spellings(text: &str) -> Vec<String> {
    let folded = folded(text);
    let spelt = with_umlauts_spelt_out(&folded).map(|spelt| without_accents(&spelt));
    std::iter::once(without_accents(&folded)).chain(spelt).collect()
}

/// True if two texts have a spelling in common.
pub fn is_same(a: &str, b: &str) -> bool {
    let others = spellings(b);
    spellings(a).iter().any(|own| others.contains(own))
}

#[cfg(test)]
mod tests;
