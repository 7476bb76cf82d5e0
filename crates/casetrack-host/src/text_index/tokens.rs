//! The words of a text.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The rules that take texts apart: into words by Unicode's rules (UAX #29), without stop words and stems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokenizer {
    /// True if case makes no difference.
    pub lowercase: bool,
    /// Words of fewer characters are no tokens: they are neither counted nor ranked by. They are found in phrases and in words that are required or
    /// excluded.
    pub min_length: u32,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self { lowercase: true, min_length: 2 }
    }
}

/// A word and its bytes in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'t> {
    pub text: Cow<'t, str>,
    pub place: Range<usize>,
}

impl Tokenizer {
    /// All words, also those that are too short to be tokens, in order.
    pub fn words<'t>(self, text: &'t str) -> impl Iterator<Item = Word<'t>> {
        // CLDR takes the colon out of the letters that join words, and so do we: "author:Smith" is two.
        let parts = text.unicode_word_indices().flat_map(|(start, word)| {
            let begin = move |part: &str| start + (part.as_ptr() as usize - word.as_ptr() as usize);
            word.split(':').filter(|part| !part.is_empty()).map(move |part| (begin(part), part))
        });
        parts.map(move |(start, word)| Word { text: self.written(word), place: start..start + word.len() })
    }

    /// True if a word is a token. In a script without spaces between words, a token may have any length, because each sign is a word.
    pub fn is_token(self, word: &str) -> bool {
        let length = word.chars().take(self.min_length as usize).count();
        length >= self.min_length as usize || word.chars().next().is_some_and(is_ideographic)
    }

    pub fn count(self, text: &str) -> u32 {
        self.words(text).filter(|word| self.is_token(&word.text)).count() as u32
    }

    fn written(self, word: &str) -> Cow<'_, str> {
        let mut written = Cow::Borrowed(word);
        if self.lowercase && word.chars().any(|c| !c.is_ascii_lowercase() && !c.is_ascii_digit()) {
            written = Cow::Owned(word.to_lowercase());
        }
        if written.contains('’') {
            written = Cow::Owned(written.replace('’', "'"));
        }
        written
    }
}

/// Kana and the ideographs of Chinese, Japanese and Korean.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(tokenizer: Tokenizer, text: &str) -> Vec<String> {
        tokenizer.words(text).map(|word| word.text.into_owned()).collect()
    }

    #[test]
    fn the_examples_of_the_contract_have_six_and_ten_tokens() {
        let count = |text| Tokenizer::default().count(text);
        assert_eq!(count("Python rate limiting with token buckets"), 6);
        assert_eq!(count("Rate limiting protects APIs from abuse by throttling request frequency."), 10);
        assert_eq!((count(""), count(" \n"), count("!?"), count("a I x")), (0, 0, 0, 0));
    }

    #[test]
    fn words_are_those_of_unicode() {
        let usual = Tokenizer::default();
        let text = "The user’s rate-limit is 3.14 (author:Smith) in naïve_mode; Straße, ÉTÉ.";
        let expected =
            ["the", "user's", "rate", "limit", "is", "3.14", "author", "smith", "in", "naïve_mode", "straße", "été"];
        assert_eq!(words(usual, text), expected);
        for word in usual.words(text) {
            assert_eq!(text[word.place.clone()].to_lowercase().replace('’', "'"), word.text);
        }
        assert_eq!(words(Tokenizer { lowercase: false, ..usual }, "Rate API"), ["Rate", "API"]);
    }

    #[test]
    fn the_shortest_token_is_counted_in_characters() {
        let three = Tokenizer { min_length: 3, ..Tokenizer::default() };
        assert!(three.is_token("été") && three.is_token("api") && !three.is_token("is"));
        assert_eq!(Tokenizer::default().count("東京 と 한국어 x"), 4);
    }
}
