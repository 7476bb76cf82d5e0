//! Texts to token ids.

use std::path::Path;

use casetrack_core::{Error, Result};
use tokenizers::{Tokenizer, TruncationParams};

use crate::errors::{damaged, unreadable};

/// Bytes of a text that are tokenised at first, per token wanted: enough in nearly every script and language.
const BYTES_PER_TOKEN: usize = 16;

/// The tokenizer of a model, cutting at the model's longest input.
pub struct TextTokenizer {
    tokenizer: Tokenizer,
    max_tokens: usize,
}

impl TextTokenizer {
    /// Reads a `tokenizer.json`; whatever it says of padding and truncation is replaced by no padding and `max_tokens`.
    pub fn load(path: &Path, max_tokens: usize) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, error))?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| damaged(path, error))?;
        let truncation = TruncationParams { max_length: max_tokens, ..Default::default() };
        tokenizer.with_padding(None).with_truncation(Some(truncation)).map_err(|error| damaged(path, error))?;
        Ok(Self { tokenizer, max_tokens })
    }

    /// Number of ids the tokenizer may give: all are below it.
    pub fn vocabulary_size(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The ids of `prefix` and `text`, with the model's special tokens, cut to the model's longest input.
    ///
    /// Costs time and memory in proportion to the tokens kept, not to the text: only as much of a long text is tokenised
    /// as is needed to fill the input. It is cut at white space, where the tokens of what precedes are settled.
    pub fn encode(&self, prefix: &str, text: &str) -> Result<Vec<u32>> {
        let mut budget = self.max_tokens * BYTES_PER_TOKEN;
        loop {
            let head = head_of(text, budget);
            let ids = if prefix.is_empty() { self.ids(head)? } else { self.ids(&format!("{prefix}{head}"))? };
            if ids.len() >= self.max_tokens || head.len() == text.len() {
                return Ok(ids);
            }
            budget = head.len().max(budget) * 4;
        }
    }

    fn ids(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self.tokenizer.encode_fast(text, true);
        let encoding = encoding.map_err(|error| Error::internal(format!("A text could not be tokenised: {error}")))?;
        Ok(encoding.get_ids().to_vec())
    }
}

/// The text up to the first white space at or after byte `budget`.
fn head_of(text: &str, budget: usize) -> &str {
    if text.len() <= budget {
        return text;
    }
    let from = text.floor_char_boundary(budget);
    match text[from..].find(char::is_whitespace) {
        Some(at) => &text[..from + at],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::vendored_tokenizer;

    #[test]
    fn special_tokens_frame_the_text_and_an_empty_text() {
        let tokenizer = vendored_tokenizer(512);
        assert_eq!(tokenizer.encode("", "").unwrap(), [101, 102]);
        assert_eq!(tokenizer.encode("", "Hello, world!").unwrap(), [101, 7592, 1010, 2088, 999, 102]);
        assert_eq!(tokenizer.encode("hello, ", "World!").unwrap(), [101, 7592, 1010, 2088, 999, 102]);
    }

    #[test]
    fn a_long_text_keeps_its_first_tokens_and_the_closing_one() {
        let tokenizer = vendored_tokenizer(32);
        let whole = vendored_tokenizer(1 << 20);
        let spaced = format!("{}{}", " ".repeat(20_000), "the term of this Agreement ".repeat(5_000));
        let unspaced = "x".repeat(50_000);
        for text in [spaced.as_str(), unspaced.as_str(), &"漢字かな交じり文。".repeat(3_000)] {
            let ids = tokenizer.encode("", text).unwrap();
            let all = whole.encode("", text).unwrap();
            let kept = all.len().min(32);
            assert_eq!(ids.len(), kept);
            assert_eq!(ids[..kept - 1], all[..kept - 1]);
            assert_eq!(ids[kept - 1], 102);
        }
    }

    #[test]
    fn a_head_ends_before_white_space_or_is_the_whole_text() {
        assert_eq!(head_of("one two", 100), "one two");
        assert_eq!(head_of("one two three", 4), "one two");
        assert_eq!(head_of("one two three", 10), "one two three");
        assert_eq!(head_of("éé é", 1), "éé");
    }
}
