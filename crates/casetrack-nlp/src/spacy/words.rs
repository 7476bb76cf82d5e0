//! The words met so far: how chunks of text divide into tokens, and the tokens' embeddings.

use std::collections::HashMap;

use super::attributes::{ATTRIBUTES, Lexicon};
use super::charset::is_space;
use super::network::{Network, WIDTH};
use super::tokenizer::{Chunk, Piece, Tokenizer, chunks};

/// Chunks that are kept from text to text, words, and bytes of text in them: all is dropped after a text that leaves
/// more. A chunk takes some 600 bytes, most of it the embedding.
const MOST_CHUNKS: usize = 8192;
const MOST_BYTES: usize = 1 << 20;

/// A token of a text: characters, half-open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub char_start: u32,
    pub char_end: u32,
    /// Number in [`Words`].
    pub word: u32,
    byte_start: u32,
    byte_end: u32,
}

/// The words and chunks met so far. It saves time and changes no result.
#[derive(Debug, Default)]
pub(super) struct Words {
    chunks: HashMap<Box<str>, (u32, u32)>,
    chunk_bytes: usize,
    /// The tokens of chunks: word, bytes and characters.
    pieces: Vec<(u32, u32, u32)>,
    /// Words by text, except those with a norm of their own.
    words: HashMap<Box<str>, u32>,
    flags: Vec<Flags>,
    /// Attributes of the words that have no vector yet, the last ones.
    pending: Vec<[u64; ATTRIBUTES]>,
    /// `[words, WIDTH]`
    vectors: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
struct Flags {
    is_space: bool,
    begins_phrase: bool,
}

impl Words {
    /// True if it is large enough to be dropped.
    pub fn is_full(&self) -> bool {
        self.chunks.len().max(self.flags.len()) > MOST_CHUNKS || self.chunk_bytes > MOST_BYTES
    }

    pub fn is_space(&self, word: u32) -> bool {
        self.flags[word as usize].is_space
    }

    pub fn vector(&self, word: u32) -> &[f32] {
        &self.vectors[word as usize * WIDTH..][..WIDTH]
    }

    pub fn embed(&mut self, network: &Network) {
        network.embed(&self.pending, &mut self.vectors);
        self.pending.clear();
    }

    pub fn tokens(&mut self, text: &str, tokenizer: &Tokenizer, lexicon: &Lexicon) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 5);
        for chunk in chunks(text) {
            let (first, count) = match self.chunks.get(chunk.text) {
                Some(&known) => known,
                None => self.learn(chunk.text, tokenizer, lexicon),
            };
            self.push(chunk, first, count, &mut tokens);
        }
        self.apply_phrases(text, tokenizer, lexicon, &mut tokens);
        tokens
    }

    fn push(&self, chunk: Chunk<'_>, first: u32, count: u32, tokens: &mut Vec<Token>) {
        let (mut char_start, mut byte_start) = (chunk.char_start, chunk.byte_start as u32);
        for &(word, bytes, chars) in &self.pieces[first as usize..][..count as usize] {
            let (char_end, byte_end) = (char_start + chars, byte_start + bytes);
            tokens.push(Token { char_start, char_end, word, byte_start, byte_end });
            (char_start, byte_start) = (char_end, byte_end);
        }
    }

    fn learn(&mut self, chunk: &str, tokenizer: &Tokenizer, lexicon: &Lexicon) -> (u32, u32) {
        let mut pieces = Vec::new();
        match tokenizer.special_case(chunk) {
            Some(special) => pieces.extend(special),
            None => tokenizer.split(chunk, &mut pieces),
        }
        let range = (self.pieces.len() as u32, pieces.len() as u32);
        for piece in pieces {
            let word = self.word(piece, tokenizer, lexicon);
            self.pieces.push((word, piece.text.len() as u32, piece.text.chars().count() as u32));
        }
        self.chunks.insert(chunk.into(), range);
        self.chunk_bytes += chunk.len();
        range
    }

    fn word(&mut self, piece: Piece<'_>, tokenizer: &Tokenizer, lexicon: &Lexicon) -> u32 {
        if piece.norm.is_none()
            && let Some(&word) = self.words.get(piece.text)
        {
            return word;
        }
        let word = self.flags.len() as u32;
        self.flags.push(Flags {
            is_space: piece.text.chars().all(is_space),
            begins_phrase: tokenizer.begins_phrase(piece.text),
        });
        self.pending.push(lexicon.attributes(piece.text, piece.norm));
        if piece.norm.is_none() {
            self.words.insert(piece.text.into(), word);
        }
        word
    }

    /// Puts special cases that look like affixes in place of the tokens that spell them (`_apply_special_cases`).
    fn apply_phrases(&mut self, text: &str, tokenizer: &Tokenizer, lexicon: &Lexicon, tokens: &mut Vec<Token>) {
        let spelled = |token: &Token| &text[token.byte_start as usize..token.byte_end as usize];
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if self.flags[token.word as usize].begins_phrase {
                let lengths = tokenizer.phrases_at(|i| tokens.get(at + i).map(spelled));
                found.extend(lengths.map(|length| (at, at + length)));
            }
        }
        if found.is_empty() {
            return;
        }
        // The longest first, of equal ones the first; one that begins or ends in another before it is left out.
        found.sort_by_key(|&(start, end)| (std::cmp::Reverse(end - start), start));
        let mut taken = vec![false; tokens.len()];
        found.retain(|&(start, end)| {
            let free = !taken[start] && !taken[end - 1];
            taken[start..end].fill(true);
            free
        });
        found.sort_unstable();
        let mut replaced = Vec::with_capacity(tokens.len());
        let mut next = 0;
        for (start, end) in found {
            replaced.extend_from_slice(&tokens[next..start]);
            let (first, last) = (tokens[start], tokens[end - 1]);
            let whole = &text[first.byte_start as usize..last.byte_end as usize];
            // Tokens with white space between them may spell a special case that has none.
            if tokenizer.special_case(whole).is_some() {
                let (from, count) = match self.chunks.get(whole) {
                    Some(&known) => known,
                    None => self.learn(whole, tokenizer, lexicon),
                };
                let chunk = Chunk { text: whole, char_start: first.char_start, byte_start: first.byte_start as usize };
                self.push(chunk, from, count, &mut replaced);
            } else {
                replaced.extend_from_slice(&tokens[start..end]);
            }
            next = end;
        }
        replaced.extend_from_slice(&tokens[next..]);
        *tokens = replaced;
    }
}
