//! The analysis of text into terms, the same for documents and queries.
//!
//! Words are runs of letters and digits of the plain text ([`Plain`]), in which forms of one text are the same; lower-cased, accents folded to ASCII,
//! English suffixes stripped (Porter2). Beyond that:
//!
//! - `INV-2023-0042`, `4.2`, `2023-01-15`: pieces with a digit joined by `-`, `/`, `_`, or by a point between digits, give the
//!   whole and, after it at the same places, the pieces; a search for either finds them.
//! - `4.2(b)(iv)`: short pieces in parentheses after a digit give the whole and, after it, the terms without them.
//! - `1,250,000` gives `1250000`.
//! - `Tenant²` gives `tenant`: raised digits are marks of footnotes, except exponents that the plain text has as digits.
//! - `party's` gives `parti` (the stem of `party`), `don't` one term.
//! - Each Chinese, Japanese kana or Korean character is a term of its own, since such text has no spaces.
//! - A word of a document has all its spellings at its place: `Müller` also `mueller`; a word that a hyphen breaks at the end of a line is one
//!   word, one with a hyphen, and its pieces. A query looks each spelling up ([`Spelling`]).
//!
//! Documents in a language of [`languages`] get the same pieces, but the endings of their language.

mod languages;

pub(crate) use languages::Divider;
pub use languages::{Analysis, Form, Indexer, language_mark};

use casetrack_core::same_text::{self, Plain, SOFT_HYPHEN, is_accent};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, RemoveLongFilter, Stemmer, TextAnalyzer, Token,
    TokenStream, Tokenizer,
};

/// The name and version of the analysis. It is part of the identity of an index: a change here rebuilds the index.
pub const ANALYSIS: &str = "casetrack-7";
/// The name of [`exact_analyzer`], which changes with [`ANALYSIS`].
pub const EXACT: &str = "casetrack-exact-6";

/// Longer pieces in parentheses are not those of a section's number.
const MAX_PARENTHESISED: usize = 4;

/// Longer terms, in bytes, are not indexed: encoded data, not words.
const MAX_TERM_BYTES: usize = 128;

/// How the words of a text are spelt in its terms. Documents have [`All`](Self::All); the others are those of queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// Each word in all its spellings.
    All,
    /// Each word once, as it is written.
    Written,
    /// With `ue` for `ü`.
    SpeltOut,
    /// Words with a hyphen are one term with it, as documents have those that are broken at the end of a line.
    Joined,
    /// Words with a hyphen that they may have or not are divided there.
    Divided,
}

impl Spelling {
    /// Those of queries, the usual one first.
    const OF_QUERIES: [Self; 4] = [Self::Written, Self::SpeltOut, Self::Joined, Self::Divided];

    /// True if some terms of a text differ from those of the words as they are written.
    fn differs(self, text: &str) -> bool {
        let plain = Plain::of(text);
        let plain = plain.text();
        match self {
            Self::All | Self::Written => true,
            Self::SpeltOut => plain.contains(|c| same_text::spelt_out(c).is_some()),
            Self::Joined => plain.match_indices(['-', SOFT_HYPHEN]).any(|(at, sign)| is_inside(plain, at, sign.len())),
            Self::Divided => plain.contains(SOFT_HYPHEN),
        }
    }
}

/// True if a sign at a byte, of this length, has letters on both sides.
fn is_inside(text: &str, at: usize, length: usize) -> bool {
    text[..at].ends_with(char::is_alphabetic) && text[at + length..].starts_with(char::is_alphabetic)
}

/// The analyzer of documents in English, and in languages without rules of their own.
pub fn analyzer() -> TextAnalyzer {
    usual(Spelling::All)
}

/// The analyzer of English words as they are written.
fn usual(spelling: Spelling) -> TextAnalyzer {
    TextAnalyzer::builder(Words { marks: false, spelling })
        .filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// The same as [`analyzer`] without the stemmer: words as they are written, except for case and accents. They have the positions of their terms.
pub fn exact_analyzer() -> TextAnalyzer {
    exact(Spelling::All)
}

fn exact(spelling: Spelling) -> TextAnalyzer {
    TextAnalyzer::builder(Words { marks: false, spelling })
        .filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .build()
}

/// The analyzer of English words of queries.
pub(crate) fn query_analyzer() -> TextAnalyzer {
    usual(Spelling::Written)
}

/// The same as [`query_analyzer`] without the stemmer.
pub(crate) fn exact_query_analyzer() -> TextAnalyzer {
    exact(Spelling::Written)
}

/// A piece of a word without case and accents.
pub fn folded(piece: &str) -> String {
    let plain = Plain::of(piece);
    let mut analyzer =
        TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).filter(AsciiFoldingFilter).build();
    let mut folded = String::new();
    analyzer.token_stream(&written(plain.text())).process(&mut |token| folded.push_str(&token.text));
    folded
}

/// A word without marks and hyphens that it may have or not, in letters that lose their accents when they are folded to ASCII.
fn written(word: &str) -> String {
    let mut written = String::with_capacity(word.len());
    for c in word.chars().filter(|c| *c != SOFT_HYPHEN && !is_accent(*c)) {
        match c {
            // In small letters this one is two characters.
            'İ' => written.push('I'),
            'ς' => written.push('σ'),
            'Ё' | 'ё' | '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => written.extend(same_text::base_letter(c)),
            _ => written.push(c),
        }
    }
    written
}

/// Splits text into the pieces described above.
#[derive(Clone)]
struct Words {
    /// True if Thai letters have no neighbours.
    marks: bool,
    spelling: Spelling,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Tokens;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let plain = Plain::of(text);
        let mut scanner =
            Scanner { text: plain.text(), marks: self.marks, spelling: self.spelling, tokens: Vec::new(), position: 0 };
        scanner.scan();
        let mut tokens = scanner.tokens;
        for token in &mut tokens {
            let source = plain.source(token.offset_from..token.offset_to);
            (token.offset_from, token.offset_to) = (source.start, source.end);
        }
        Tokens { tokens, next: 0 }
    }
}

struct Tokens {
    tokens: Vec<Token>,
    /// One past the current token.
    next: usize,
}

impl TokenStream for Tokens {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}

struct Scanner<'t> {
    /// Plain.
    text: &'t str,
    marks: bool,
    spelling: Spelling,
    tokens: Vec<Token>,
    position: usize,
}

/// A piece of a word: its place and the characters between it and the next piece.
struct Piece {
    start: usize,
    end: usize,
    joint: Option<char>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        let mut at = 0;
        while let Some((offset, c)) = self.text[at..].char_indices().find(|(_, c)| is_letter_or_digit(*c)) {
            let start = at + offset;
            at = if stands_alone(c, self.marks) {
                let end = self.past_marks(start + c.len_utf8());
                self.push(self.text[start..end].to_owned(), start, end, self.position);
                self.position += 1;
                end
            } else {
                let pieces = self.word(start);
                let end = pieces.last().map_or(start + c.len_utf8(), |piece| piece.end);
                let parenthesised = self.parenthesised(end);
                let whole_end = parenthesised.last().map_or(end, |(_, end)| end + 1);
                if whole_end > end {
                    self.push(self.text[start..whole_end].to_owned(), start, whole_end, self.position);
                }
                self.emit(&pieces);
                for (start, end) in parenthesised {
                    self.push(self.text[start..end].to_owned(), start, end, self.position);
                    self.position += 1;
                }
                whole_end
            };
        }
    }

    /// The end of the marks that follow a character.
    fn past_marks(&self, end: usize) -> usize {
        let rest = &self.text[end..];
        end + rest.find(|c: char| !is_mark(c)).unwrap_or(rest.len())
    }

    /// The texts in parentheses right after a number that ends at `end`: of "4.2(b)(iv)", the places of "b" and "iv".
    fn parenthesised(&self, end: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if !self.text[..end].ends_with(|c: char| c.is_ascii_digit()) {
            return found;
        }
        let mut at = end;
        while let Some(rest) = self.text[at..].strip_prefix('(') {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            if !(1..=MAX_PARENTHESISED).contains(&length) || !rest[length..].starts_with(')') {
                break;
            }
            found.push((at + 1, at + 1 + length));
            at += length + 2;
        }
        found
    }

    /// The pieces of the word that begins at `start`, as far as joints hold it together.
    fn word(&self, start: usize) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut start = start;
        loop {
            let rest = &self.text[start..];
            let length = rest.char_indices().find(|(at, c)| !self.is_of_word(*c, start + at)).map(|(at, _)| at);
            let end = start + length.unwrap_or(rest.len());
            let mut after = self.text[end..].chars();
            let (joint, next) = (after.next(), after.next());
            let joint = joint.filter(|&joint| {
                next.is_some_and(|next| {
                    is_letter_or_digit(next)
                        && !stands_alone(next, self.marks)
                        && joins(joint, &self.text[start..end], next)
                })
            });
            pieces.push(Piece { start, end, joint });
            match joint {
                Some(joint) => start = end + joint.len_utf8(),
                None => return pieces,
            }
        }
    }

    /// True if a character at a byte belongs to the word that it is in or behind.
    fn is_of_word(&self, c: char, at: usize) -> bool {
        match c {
            SOFT_HYPHEN => self.spelling != Spelling::Divided,
            '-' => self.spelling == Spelling::Joined && is_inside(self.text, at, 1),
            _ => (is_letter_or_digit(c) || is_mark(c)) && !stands_alone(c, self.marks),
        }
    }

    fn emit(&mut self, pieces: &[Piece]) {
        let pieces = self.merge(pieces);
        if let [(_, start, _, _), .., (_, _, end, _)] = pieces.as_slice()
            && pieces.iter().any(|(text, ..)| text.contains(|c: char| c.is_numeric()))
        {
            let mut whole = String::new();
            for (text, _, _, joint) in &pieces {
                whole.push_str(text);
                whole.extend(*joint);
            }
            self.push(whole, *start, *end, self.position);
        }
        for (text, start, end, _) in pieces {
            self.push(text, start, end, self.position);
            self.position += 1;
        }
    }

    /// Joins the parts of one term: digit groups without their commas, and words around an apostrophe without a final
    /// `'s`.
    fn merge(&self, pieces: &[Piece]) -> Vec<(String, usize, usize, Option<char>)> {
        let mut merged: Vec<(String, usize, usize, Option<char>)> = Vec::new();
        for &Piece { start, end, joint } in pieces {
            let text = &self.text[start..end];
            match merged.last_mut() {
                Some((before, _, stop, through @ Some(',' | '\''))) => {
                    if *through == Some(',') {
                        before.push_str(text);
                    } else if !text.eq_ignore_ascii_case("s") {
                        before.push('\'');
                        before.push_str(text);
                    }
                    (*stop, *through) = (end, joint);
                }
                _ => merged.push((text.to_owned(), start, end, joint)),
            }
        }
        merged
    }

    fn push(&mut self, text: String, offset_from: usize, offset_to: usize, position: usize) {
        let tokens = &mut self.tokens;
        let mut push = |text: &str| {
            let text = written(text);
            if !text.is_empty() {
                tokens.push(Token { offset_from, offset_to, position, text, position_length: 1 });
            }
        };
        let with_hyphens = || text.replace(SOFT_HYPHEN, "-");
        match self.spelling {
            Spelling::Written | Spelling::Divided => push(&text),
            Spelling::SpeltOut => push(&same_text::with_umlauts_spelt_out(&text).unwrap_or(text)),
            Spelling::Joined => push(&with_hyphens()),
            Spelling::All => {
                push(&text);
                if let Some(spelt) = same_text::with_umlauts_spelt_out(&text) {
                    push(&spelt);
                }
                if text.contains(SOFT_HYPHEN) {
                    push(&with_hyphens());
                    text.split(SOFT_HYPHEN).for_each(push);
                }
            }
        }
    }
}

/// True if a character between the piece before and the character after holds them together.
fn joins(joint: char, before: &str, after: char) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match joint {
        '-' | '/' | '_' | '\'' | SOFT_HYPHEN => true,
        '.' => before.ends_with(|c: char| c.is_ascii_digit()) && after.is_ascii_digit(),
        ',' => before.len() <= 3 && digits(before) && after.is_ascii_digit(),
        _ => false,
    }
}

fn is_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric() && !same_text::is_raised(c)
}

/// Marks that belong to the letter before: accents, vowels and tones of Thai above and below, the Tamil pulli.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && same_text::continues(c)
}

/// Characters of scripts that are written without spaces between words; Thai only if `marks` belong to letters.
fn stands_alone(c: char, marks: bool) -> bool {
    matches!(u32::from(c),
        0x3040..=0x30ff      // Hiragana, Katakana
        | 0x3400..=0x4dbf    // CJK extension A
        | 0x4e00..=0x9fff    // CJK unified ideographs
        | 0xac00..=0xd7af    // Hangul syllables
        | 0xf900..=0xfaff    // CJK compatibility ideographs
        | 0x20000..=0x3ffff  // CJK extensions B and later
    ) || (marks && matches!(u32::from(c), 0x0e01..=0x0e46))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut analyzer = analyzer();
        let mut stream = analyzer.token_stream(text);
        let mut terms = Vec::new();
        stream.process(&mut |token| terms.push(token.text.clone()));
        terms
    }

    #[test]
    fn words_are_lower_cased_folded_and_stemmed() {
        assert_eq!(terms("Running CAFÉ agreements, (terminated)!"), ["run", "cafe", "agreement", "termin"]);
        assert_eq!(terms("party's don't O’Brien"), ["parti", "don't", "o'brien"]);
    }

    #[test]
    fn identifiers_and_numbers_stay_whole_and_are_found_by_their_pieces() {
        assert_eq!(terms("INV-2023-0042"), ["inv-2023-0042", "inv", "2023", "0042"]);
        assert_eq!(terms("Section 4.2(b)"), ["section", "4.2(b)", "4.2", "4", "2", "b"]);
        assert_eq!(terms("§ 12(a)(IV), 3(see)"), ["12(a)(iv)", "12", "a", "iv", "3(see)", "3", "see"]);
        assert_eq!(
            terms("In 2023(annual) and f(x), 7 (b) 5("),
            ["in", "2023", "annual", "and", "f", "x", "7", "b", "5"]
        );
        assert_eq!(terms("$1,250,000"), ["1250000"]);
        assert_eq!(terms("1,250,000.50"), ["1250000.50", "1250000", "50"]);
        assert_eq!(terms("well-known and/or"), ["well", "known", "and", "or"]);
        assert_eq!(terms("Tenant¹ rent², 2020³ 10² ¹see CO₂"), ["tenant", "rent", "2020", "10", "see", "co2"]);
        assert_eq!(terms("10 m² and 5km³, note²"), ["10", "m2", "and", "5km3", "note"]);
        assert_eq!(terms("in 2020, 300 men. 4 left"), ["in", "2020", "300", "men", "4", "left"]);
    }

    #[test]
    fn scripts_without_spaces_give_one_term_a_character() {
        assert_eq!(terms("合同 v2 계약"), ["合", "同", "v2", "계", "약"]);
    }

    #[test]
    fn encoded_data_is_not_indexed() {
        assert_eq!(terms(&format!("before {} after", "A1".repeat(100))), ["befor", "after"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_terms_in_order_within_it(text in "\\PC{0,60}") {
            let mut analyzer = analyzer();
            let mut stream = analyzer.token_stream(&text);
            let mut last = 0;
            while stream.advance() {
                let token = stream.token();
                prop_assert!(token.position >= last);
                prop_assert!(token.offset_from < token.offset_to && text.get(token.offset_from..token.offset_to).is_some());
                last = token.position;
            }
        }

        #[test]
        fn joints_of_all_kinds_are_survived(text in "[a1,.'’/_\\- é合()]{0,30}") {
            let found = terms(&text);
            prop_assert_eq!(found.is_empty(), !text.contains(is_letter_or_digit));
        }
    }
}
