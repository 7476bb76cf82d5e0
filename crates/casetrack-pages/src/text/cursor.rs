use std::ops::Range;

use casetrack_core::Block;

/// Slices blocks, which are asked for in text order, in one walk through the text.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    char: usize,
    byte: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self::starting_at(text, 0)
    }

    /// For a text that is a part of a page and begins at this character of it.
    pub fn starting_at(text: &'a str, char: usize) -> Self {
        Self { text, char, byte: 0 }
    }

    pub fn slice(&mut self, block: &Block) -> &'a str {
        let range = self.byte_range(block);
        &self.text[range]
    }

    /// The bytes that the text of a block takes.
    pub fn byte_range(&mut self, block: &Block) -> Range<usize> {
        let start = self.advance_to(block.char_start as usize);
        let mut end = self.clone();
        start..end.advance_to(block.char_end as usize)
    }

    fn advance_to(&mut self, char: usize) -> usize {
        let ahead = char.saturating_sub(self.char);
        let rest = &self.text[self.byte..];
        self.byte += rest.char_indices().nth(ahead).map_or(rest.len(), |(byte, _)| byte);
        self.char += ahead;
        self.byte
    }
}
