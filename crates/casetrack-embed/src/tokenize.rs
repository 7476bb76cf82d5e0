use std::collections::HashSet;
use std::path::Path;

use casetrack_core::{Error, Result};
use tokenizers::{Tokenizer, TruncationParams};

use crate::errors::{damaged, unreadable};
use crate::manifest::ModelSpec;
use crate::outputs::Side;
use crate::unigram::Unigram;

/// The vocabulary of a unigram model in a model's folder, in the place of a `tokenizer.json`.
pub const UNIGRAM_FILE: &str = "tokenizer.safetensors";

/// Bytes of a text that are tokenised at first, per token wanted: enough in nearly every script and language.
const BYTES_PER_TOKEN: usize = 16;

pub struct TextTokenizer {
    vocabulary: Vocabulary,
    max_tokens: usize,
    query: Frame,
    passage: Frame,
    mask: Option<u32>,
    special: HashSet<u32>,
}

/// The part that divides a text.
enum Vocabulary {
    /// The tokenizer of a `tokenizer.json`.
    Pieces(Box<Tokenizer>),
    Unigram(Unigram),
}

/// The tokens around the texts of one side.
struct Frame {
    prefix: String,
    /// Follows the first token.
    marker: Option<u32>,
    /// The sequence is filled up to this length with masks.
    fewest_tokens: usize,
}

impl TextTokenizer {
    /// Reads a `tokenizer.json`; its settings for padding and truncation are replaced by no padding and the model's
    /// longest input.
    pub fn load(path: &Path, spec: &ModelSpec) -> Result<Self> {
        if path.file_name().is_some_and(|name| name == UNIGRAM_FILE) {
            let frame = |prefix: &str| Frame { prefix: prefix.to_owned(), marker: None, fewest_tokens: 0 };
            return Ok(Self {
                vocabulary: Vocabulary::Unigram(Unigram::load(path)?),
                max_tokens: spec.max_tokens,
                query: frame(&spec.query_prefix),
                passage: frame(&spec.passage_prefix),
                mask: None,
                special: HashSet::new(),
            });
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, error))?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| damaged(path, error))?;
        let id = |token: &str| {
            tokenizer.token_to_id(token).ok_or_else(|| damaged(path, format!("its vocabulary has no {token}")))
        };
        let late = spec.late_interaction.as_ref();
        let marker = |name: Option<&String>| name.map(|name| id(name)).transpose();
        let fewest_tokens = late.map_or(0, |late| late.query_tokens);
        let query_marker = marker(late.and_then(|late| late.query_marker.as_ref()))?;
        let passage_marker = marker(late.and_then(|late| late.passage_marker.as_ref()))?;
        let query = Frame { prefix: spec.query_prefix.clone(), marker: query_marker, fewest_tokens };
        let passage = Frame { prefix: spec.passage_prefix.clone(), marker: passage_marker, fewest_tokens: 0 };
        let mask = if fewest_tokens > 0 { Some(id("[MASK]")?) } else { None };
        let added = tokenizer.get_added_tokens_decoder();
        let special = added.into_iter().filter(|(_, token)| token.special).map(|(id, _)| id).collect();
        let room = spec.max_tokens - usize::from(query.marker.or(passage.marker).is_some());
        let truncation = TruncationParams { max_length: room, ..Default::default() };
        tokenizer.with_padding(None).with_truncation(Some(truncation)).map_err(|error| damaged(path, error))?;
        let vocabulary = Vocabulary::Pieces(Box::new(tokenizer));
        Ok(Self { vocabulary, max_tokens: room, query, passage, mask, special })
    }

    pub fn vocabulary_size(&self) -> usize {
        match &self.vocabulary {
            Vocabulary::Pieces(tokenizer) => tokenizer.get_vocab_size(true),
            Vocabulary::Unigram(unigram) => unigram.len(),
        }
    }

    pub fn token(&self, id: u32) -> Option<String> {
        match &self.vocabulary {
            Vocabulary::Pieces(tokenizer) => tokenizer.id_to_token(id),
            Vocabulary::Unigram(unigram) => unigram.token(id),
        }
    }

    /// The token that queries are filled up with, if they are.
    pub fn mask(&self) -> Option<u32> {
        self.mask
    }

    /// True if an id is a special token such as `[CLS]`.
    pub fn is_special(&self, id: u32) -> bool {
        match &self.vocabulary {
            Vocabulary::Pieces(_) => self.special.contains(&id),
            Vocabulary::Unigram(unigram) => unigram.is_control(id),
        }
    }

    /// True if a word is one token: vocabularies have the frequent words of the model's languages, as written.
    pub fn is_word(&self, word: &str) -> Result<bool> {
        let ids = self.encode_plain("", word)?;
        Ok(ids.into_iter().filter(|id| !self.is_special(*id)).count() == 1)
    }

    /// The ids of a text with the model's prefix and special tokens, cut to the model's longest input. Only the necessary part of a long
    /// text is tokenised. It is cut at white space, so that the tokens before the cut are final.
    pub fn encode(&self, text: &str, side: Side) -> Result<Vec<u32>> {
        let frame = if side == Side::Query { &self.query } else { &self.passage };
        let mut ids = self.encode_plain(&frame.prefix, text)?;
        if let Some(marker) = frame.marker {
            ids.insert(1.min(ids.len()), marker);
        }
        if let Some(mask) = self.mask
            && ids.len() < frame.fewest_tokens
        {
            ids.resize(frame.fewest_tokens, mask);
        }
        Ok(ids)
    }

    fn encode_plain(&self, prefix: &str, text: &str) -> Result<Vec<u32>> {
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
        let tokenizer = match &self.vocabulary {
            Vocabulary::Pieces(tokenizer) => tokenizer,
            Vocabulary::Unigram(unigram) => return Ok(unigram.ids(text, self.max_tokens)),
        };
        let encoding = tokenizer.encode_fast(text, true);
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
    text[from..].find(char::is_whitespace).map_or(text, |at| &text[..from + at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::vendored_tokenizer;

    #[test]
    fn special_tokens_frame_the_text_and_an_empty_text() {
        let tokenizer = vendored_tokenizer(|_| {});
        let encode = |text| tokenizer.encode(text, Side::Passage).unwrap();
        assert_eq!(encode(""), [101, 102]);
        assert_eq!(encode("Hello, world!"), [101, 7592, 1010, 2088, 999, 102]);
    }

    #[test]
    fn frequent_words_are_tokens_and_slips_are_none() {
        let tokenizer = vendored_tokenizer(|_| {});
        for (word, is_word) in
            [("lease", true), ("State", true), ("contarct", false), ("", false), ("two words", false)]
        {
            assert_eq!(tokenizer.is_word(word).unwrap(), is_word, "{word}");
        }
    }

    #[test]
    fn a_side_has_its_prefix_its_marker_and_its_masks() {
        let tokenizer = vendored_tokenizer(|spec| {
            spec.max_tokens = 8;
            spec.passage_prefix = "hello, ".to_owned();
            let late = spec.late_interaction.as_mut().unwrap();
            (late.query_marker, late.query_tokens) = (Some("[unused0]".to_owned()), 6);
        });
        let encode = |text, side| tokenizer.encode(text, side).unwrap();
        assert_eq!(encode("World!", Side::Passage), [101, 7592, 1010, 2088, 999, 102]);
        assert_eq!(encode("World!", Side::Query), [101, 1, 2088, 999, 102, 103]);
        assert_eq!(encode("hello world hello world hello", Side::Query), [101, 1, 7592, 2088, 7592, 2088, 7592, 102]);
        assert!(tokenizer.is_special(103) && !tokenizer.is_special(7592));
    }

    #[test]
    fn a_long_text_keeps_its_first_tokens_and_the_closing_one() {
        let tokenizer = vendored_tokenizer(|spec| spec.max_tokens = 32);
        let whole = vendored_tokenizer(|spec| spec.max_tokens = 1 << 20);
        let spaced = format!("{}{}", " ".repeat(20_000), "the term of this Agreement ".repeat(5_000));
        let unspaced = "x".repeat(50_000);
        for text in [spaced.as_str(), unspaced.as_str(), &"漢字かな交じり文。".repeat(3_000)] {
            let ids = tokenizer.encode(text, Side::Passage).unwrap();
            let all = whole.encode(text, Side::Passage).unwrap();
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
