//! The starts and ends of the chunks of a page.

use std::cell::OnceCell;
use std::ops::Range;

use casetrack_core::{Block, BlockKind, ChunkConfig};
use unicode_segmentation::UnicodeSegmentation;

use super::boundary::{sentence_ends, starts_after};

/// A piece of a page's text, in characters and in bytes. It starts and ends on characters that are no white space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub chars: Range<usize>,
    pub bytes: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct TextPosition {
    char: usize,
    byte: usize,
}

/// Cuts a text; `config` is consistent. Each character is visited a constant number of times on average: a window of
/// `max` characters goes through the text in steps of about `target`.
pub(super) fn cut_page(text: &str, blocks: &[Block], config: &ChunkConfig) -> Vec<Span> {
    let page = PageText::new(text, blocks, config);
    let PageText { content, end, .. } = page;
    let mut spans = Vec::new();
    let mut start = skip_white_space(content, TextPosition { char: 0, byte: 0 });
    // End of the last chunk: the text before it is covered.
    let mut covered = TextPosition { char: 0, byte: 0 };
    while covered.char < end.char {
        let window = Window::new(&page, start);
        let Some(length) = window.cut(covered.char.saturating_sub(start.char) + 1) else {
            // The repeated text leaves no room for the next word.
            start = skip_white_space(content, covered);
            continue;
        };
        covered = window.place(length);
        spans.push(Span { chars: start.char..covered.char, bytes: start.byte..covered.byte });
        start = match window.overlap_start(length) {
            Some(offset) => window.place(offset),
            None => skip_white_space(content, covered),
        };
    }
    spans
}

fn skip_white_space(text: &str, mut place: TextPosition) -> TextPosition {
    for c in text[place.byte..].chars().take_while(|c| c.is_whitespace()) {
        place.char += 1;
        place.byte += c.len_utf8();
    }
    place
}

struct PageText<'a> {
    content: &'a str,
    end: TextPosition,
    last_start: usize,
    blocks: &'a [Block],
    config: &'a ChunkConfig,
}

impl<'a> PageText<'a> {
    fn new(text: &'a str, blocks: &'a [Block], config: &'a ChunkConfig) -> Self {
        let content = text.trim_end();
        let end = TextPosition { char: content.chars().count(), byte: content.len() };
        let from_end = content.chars().rev().zip(1..).skip(config.min.saturating_sub(1));
        let length = from_end.into_iter().find(|(c, _)| !c.is_whitespace()).map_or(end.char, |(_, length)| length);
        Self { content, end, last_start: end.char - length, blocks, config }
    }
}

/// The text that the next chunk is taken from. Offsets count characters from its start.
struct Window<'a> {
    content: &'a str,
    start: TextPosition,
    /// At most `max` characters and the one that follows.
    chars: Vec<char>,
    /// Byte offset of each character in `content`, and of the end.
    bytes: Vec<usize>,
    /// Characters from the start to the end of the page.
    rest: usize,
    /// A chunk that starts behind this character of the page is too short.
    last_start: usize,
    blocks: &'a [Block],
    sentence_ends: OnceCell<Vec<usize>>,
    config: &'a ChunkConfig,
}

impl<'a> Window<'a> {
    fn new(page: &PageText<'a>, start: TextPosition) -> Self {
        let PageText { content, end, last_start, blocks, config } = *page;
        let mut chars = Vec::with_capacity(config.max.min(end.char - start.char) + 1);
        let mut bytes = Vec::with_capacity(chars.capacity() + 1);
        for (byte, c) in content[start.byte..].char_indices().take(config.max + 1) {
            chars.push(c);
            bytes.push(start.byte + byte);
        }
        bytes.push(bytes.last().zip(chars.last()).map_or(start.byte, |(byte, c)| byte + c.len_utf8()));
        let first = blocks.partition_point(|block| block.char_end as usize <= start.char);
        let last = blocks.partition_point(|block| (block.char_start as usize) < start.char + chars.len());
        let blocks = &blocks[first..last.max(first)];
        let rest = end.char - start.char;
        Self { content, start, chars, bytes, rest, last_start, blocks, sentence_ends: OnceCell::new(), config }
    }

    fn place(&self, offset: usize) -> TextPosition {
        TextPosition { char: self.start.char + offset, byte: self.bytes[offset] }
    }

    fn text(&self) -> &'a str {
        &self.content[self.start.byte..self.bytes[self.chars.len()]]
    }

    /// Ends of sentences, except in headings, which belong to the text after them.
    fn sentence_ends(&self) -> &[usize] {
        self.sentence_ends.get_or_init(|| {
            let mut ends = sentence_ends(self.text(), &self.chars);
            let headings = self.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Heading { .. }));
            let mut headings =
                headings.map(|block| self.offset(block.char_start)..=self.offset(block.char_end)).peekable();
            ends.retain(|end| {
                while headings.next_if(|heading| heading.end() < end).is_some() {}
                headings.peek().is_none_or(|heading| !heading.contains(end))
            });
            ends
        })
    }

    /// The offset of a character of the page; 0 for one before the window.
    fn offset(&self, char: u32) -> usize {
        (char as usize).saturating_sub(self.start.char)
    }

    /// True if a block begins like a sentence or an item, not with the rest of a sentence that its layout has torn.
    fn starts_sentence(&self, block: &Block) -> bool {
        let mut chars = self.chars.iter().skip(self.offset(block.char_start));
        !(chars.next().is_some_and(|c| c.is_lowercase())
            && chars.next().is_none_or(|c| c.is_alphanumeric() || *c == ' '))
    }

    /// The length of the chunk: at least `needed`, which makes progress, at most the maximum. `None` when the window
    /// starts with repeated text that leaves no room for the next word.
    fn cut(&self, needed: usize) -> Option<usize> {
        let ChunkConfig { target, max, min, .. } = *self.config;
        if self.rest <= max {
            return Some(self.rest);
        }
        let lowest = min.max(needed);
        let highest = max.min(self.last_start.saturating_sub(self.start.char)).max(lowest);
        let lowest_text = lowest.max(target / 2);

        if let Some(offset) = self.cut_between_blocks_or_sentences(lowest, lowest_text, highest) {
            return Some(offset);
        }
        let nearest = |offsets: &mut dyn Iterator<Item = usize>| offsets.min_by_key(|offset| offset.abs_diff(target));
        let parts = (lowest_text..=highest).filter(|&offset| self.is_part_end(offset));
        if let Some(offset) = nearest(&mut parts.filter(|&offset| self.is_word_end(offset))) {
            return Some(offset);
        }
        if let Some(offset) = nearest(&mut (lowest_text..=highest).filter(|&offset| self.is_line_end(offset))) {
            return Some(offset);
        }
        if let Some(offset) = nearest(&mut (lowest..=highest).filter(|&offset| self.is_word_end(offset))) {
            return Some(offset);
        }
        self.cut_at_long_word(needed, lowest, highest)
    }

    /// The best end of a block or sentence. A cut may be further from the target before a clause than between
    /// paragraphs, and there than between sentences.
    fn cut_between_blocks_or_sentences(&self, lowest: usize, lowest_text: usize, highest: usize) -> Option<usize> {
        let target = self.config.target;
        let mut best: Option<(usize, usize)> = None;
        let mut consider = |offset: usize, detour: usize| {
            let cost = offset.abs_diff(target) + detour;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, offset));
            }
        };
        let mut has_row = false;
        for (index, block) in self.blocks.iter().enumerate() {
            let offset = self.offset(block.char_end);
            let is_row = matches!(block.kind, BlockKind::TableRow { .. });
            // Rows stay whole, even if that makes shorter chunks.
            let lowest = if is_row { lowest } else { lowest_text };
            // A heading stays with its text.
            let is_heading = matches!(block.kind, BlockKind::Heading { .. });
            if is_heading || !(lowest..=highest).contains(&offset) || !self.is_word_end(offset) {
                continue;
            }
            has_row |= is_row;
            match self.blocks.get(index + 1) {
                Some(next) if matches!(next.kind, BlockKind::Heading { .. }) => consider(offset, 0),
                Some(next) if !is_row && !self.starts_sentence(next) => {}
                _ => consider(offset, target * 3 / 20),
            }
        }
        if !has_row {
            let in_text = |offset: &&usize| (lowest_text..=highest).contains(*offset);
            self.sentence_ends().iter().filter(in_text).for_each(|&offset| consider(offset, target * 9 / 20));
        }
        best.map(|(_, offset)| offset)
    }

    /// No word ends within the bounds: the chunk becomes shorter or longer, unless the word that is in the way exceeds
    /// the maximum by itself; such a word is cut.
    fn cut_at_long_word(&self, needed: usize, lowest: usize, highest: usize) -> Option<usize> {
        let max = self.config.max;
        if let Some(longer) = (highest + 1..=max).find(|&offset| self.is_word_end(offset)) {
            return Some(longer);
        }
        let shorter = (1..lowest).rev().find(|&offset| self.is_word_end(offset));
        let next_word = self.chars[shorter.unwrap_or(0)..].iter().position(|c| !c.is_whitespace());
        let next_word = next_word.map(|spaces| shorter.unwrap_or(0) + spaces);
        match next_word.filter(|&word| word < highest && self.word_exceeds_max(word)) {
            Some(word) => Some(self.cut_inside_word(lowest.max(word + 1), highest)),
            // A word that ends before `needed` is repeated text: without it there is room for the next one.
            None => shorter.filter(|&offset| offset >= needed),
        }
    }

    /// True if the word at `offset` is longer than the maximum.
    fn word_exceeds_max(&self, offset: usize) -> bool {
        let word = self.content[self.bytes[offset]..].chars().take_while(|c| !c.is_whitespace());
        word.take(self.config.max + 1).count() > self.config.max
    }

    /// At a word boundary of UAX #29 (between ideographs, around punctuation), else between grapheme clusters, else anywhere.
    fn cut_inside_word(&self, lowest: usize, highest: usize) -> usize {
        let text = self.text();
        let offset_of = |byte: usize| self.bytes.binary_search(&(self.start.byte + byte)).ok();
        let allowed = |offset: &usize| (lowest..=highest).contains(offset);
        let boundaries = text.split_word_bound_indices().filter_map(|(byte, _)| offset_of(byte));
        // The text ends behind the window; a boundary next to its edge may not be one.
        let certain = |offset: &usize| *offset < self.chars.len();
        boundaries
            .filter(allowed)
            .filter(certain)
            .min_by_key(|offset| offset.abs_diff(self.config.target))
            .or_else(|| text.grapheme_indices(true).filter_map(|(byte, _)| offset_of(byte)).rfind(allowed))
            .unwrap_or(highest)
    }

    fn is_word_end(&self, offset: usize) -> bool {
        !self.chars[offset - 1].is_whitespace() && self.chars.get(offset).is_none_or(|c| c.is_whitespace())
    }

    fn is_line_end(&self, offset: usize) -> bool {
        !self.chars[offset - 1].is_whitespace() && self.chars.get(offset) == Some(&'\n')
    }

    /// True if a part of a long sentence ends: at a semicolon or colon, or before "(b)".
    fn is_part_end(&self, offset: usize) -> bool {
        let opens_item = || {
            let mut next = self.chars[offset..].iter().skip_while(|c| c.is_whitespace());
            next.next() == Some(&'(')
                && next.next().is_some_and(|c| c.is_alphanumeric())
                && next.take(5).find(|c| !c.is_alphanumeric()) == Some(&')')
        };
        matches!(self.chars[offset - 1], ';' | ':') || opens_item()
    }

    /// The start of the next chunk so that it repeats the end of this one, of `length` characters: at a sentence or block. `None` when nothing is to
    /// be repeated, as before a heading. A chunk that ends inside a sentence is repeated from one of its parts, or a word.
    fn overlap_start(&self, length: usize) -> Option<usize> {
        if length == self.rest {
            return None;
        }
        let before_cut = |block: &&Block| (block.char_start as usize) < self.start.char + length;
        let behind = self.blocks.iter().find(|block| self.offset(block.char_end) > length);
        if behind.is_some_and(|block| matches!(block.kind, BlockKind::Heading { .. }) && !before_cut(&block)) {
            return None;
        }
        let last_row = self
            .blocks
            .iter()
            .filter(before_cut)
            .rfind(|block| matches!(block.kind, BlockKind::TableRow { .. }))
            .map_or(0, |block| self.offset(block.char_end));
        let earliest = length.saturating_sub(self.config.overlap).max(last_row).max(1);
        let range = earliest..length;
        let block_starts =
            self.blocks.iter().filter(|block| self.starts_sentence(block)).map(|block| self.offset(block.char_start));
        let sentence_starts = starts_after(self.sentence_ends(), &self.chars);
        let is_word_start =
            |&offset: &usize| !self.chars[offset].is_whitespace() && self.chars[offset - 1].is_whitespace();
        let start = block_starts
            .filter(|offset| range.contains(offset) && is_word_start(offset))
            .chain(sentence_starts.into_iter().filter(|offset| range.contains(offset)))
            .min();
        let ends_block = || self.blocks.iter().any(|block| self.offset(block.char_end) == length);
        if start.is_some() || ends_block() || self.sentence_ends().contains(&length) {
            return start;
        }
        let starts_part = |word: &usize| {
            let spaces = self.chars[..*word].iter().rev().take_while(|c| c.is_whitespace()).count();
            self.is_part_end(word - spaces)
        };
        let part = range.clone().filter(is_word_start).find(starts_part);
        part.or_else(|| range.clone().find(is_word_start).filter(|_| !self.is_part_end(length)))
    }
}
