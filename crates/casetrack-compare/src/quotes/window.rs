//! The text of neighbouring chunks, and the place of each of its characters.

use std::ops::Range;

use casetrack_core::{DocumentId, Result, single_spaced};
use casetrack_store::Passages;

use super::symbols::{Row, Symbol, symbols};

/// Text of a document from one chunk to another. Text in the overlap of chunks is in it once.
pub(super) struct Window {
    pub document: DocumentId,
    pub chunks: Range<u32>,
    pub chars: Vec<char>,
    pub symbols: Vec<Symbol>,
    pub segments: Vec<Segment>,
    /// Characters of running lines, in order: they are not among the symbols.
    pub running: Vec<Range<usize>>,
}

/// The source of a part of the text.
pub(super) struct Segment {
    /// Its first character in the text.
    pub at: usize,
    pub len: usize,
    pub chunk: u32,
    pub page: u32,
    /// The character of the page, and its line from 1, at which the part begins.
    pub char: u32,
    line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub chunk: u32,
    pub page: u32,
    pub char: u32,
    pub line: u32,
}

impl Window {
    /// Reads the chunks of a document with some indexes, as far as they exist.
    pub fn read(passages: &mut Passages<'_>, document: DocumentId, chunks: Range<u32>) -> Result<Self> {
        let mut window = Self {
            document,
            chunks: chunks.clone(),
            chars: Vec::new(),
            symbols: Vec::new(),
            segments: Vec::new(),
            running: Vec::new(),
        };
        let mut last: Option<(u32, u32)> = None;
        for passage in passages.range(document, chunks)? {
            let chunk = passage.chunk;
            let known = last.filter(|(page, _)| *page == chunk.page).map_or(chunk.char_start, |(_, end)| end);
            let repeated = known.saturating_sub(chunk.char_start);
            let mut line = chunk.line_start;
            let mut new = chunk.text.chars();
            line += new.by_ref().take(repeated as usize).filter(|&c| c == '\n').count() as u32;
            if !window.chars.is_empty() && known <= chunk.char_start && last != Some((chunk.page, chunk.char_start)) {
                // White space is not in a chunk.
                window.chars.push('\n');
            }
            let at = window.chars.len();
            window.chars.extend(new);
            let len = window.chars.len() - at;
            if len > 0 {
                let char = chunk.char_start + repeated;
                window.segments.push(Segment { at, len, chunk: chunk.index, page: chunk.page, char, line });
            }
            last = Some((chunk.page, chunk.char_end.max(known)));
        }
        window.symbols = symbols(&window.chars, &[]);
        Ok(window)
    }

    /// Takes running lines out of the symbols. `running` has the characters of each page, in order.
    pub fn leave_out(&mut self, running: &[Vec<Range<u32>>]) {
        for segment in &self.segments {
            let on_page = segment.char..segment.char + segment.len as u32;
            let lines = (segment.page as usize).checked_sub(1).and_then(|page| running.get(page));
            for line in lines.into_iter().flatten() {
                let (start, end) = (line.start.max(on_page.start), line.end.min(on_page.end));
                if start < end {
                    let offset = |char: u32| segment.at + (char - segment.char) as usize;
                    self.running.push(offset(start)..offset(end));
                }
            }
        }
        self.symbols = symbols(&self.chars, &self.running);
    }

    pub fn row(&self) -> Row<'_> {
        Row { chars: &self.chars, symbols: &self.symbols }
    }

    pub fn chars_of(&self, place: &Range<usize>) -> Range<usize> {
        match (self.symbols.get(place.start), place.end.checked_sub(1).and_then(|last| self.symbols.get(last))) {
            (Some(first), Some(last)) if place.start < place.end => first.start as usize..last.end as usize,
            _ => 0..0,
        }
    }

    /// The text of some symbols on one line, without running lines.
    pub fn text_of(&self, place: &Range<usize>) -> String {
        let chars = self.chars_of(place);
        let is_running = |at: &usize| self.running.iter().any(|line| line.contains(at));
        let text: String = chars.filter(|at| !is_running(at)).filter_map(|at| self.chars.get(at)).collect();
        single_spaced(&text)
    }

    /// True if some characters are on several pages, or have running lines between them.
    pub fn is_broken(&self, chars: &Range<usize>) -> bool {
        let page = |at: usize| self.segment(at).map(|segment| segment.page);
        page(chars.start) != page(chars.end.saturating_sub(1))
            || self.running.iter().any(|line| chars.start < line.end && line.start < chars.end)
    }

    fn segment(&self, at: usize) -> Option<&Segment> {
        let next = self.segments.partition_point(|segment| segment.at <= at);
        next.checked_sub(1).and_then(|last| self.segments.get(last))
    }

    pub fn spot(&self, at: usize) -> Option<Spot> {
        let segment = self.segment(at)?;
        let before = self.chars.get(segment.at..at)?;
        let lines = before.iter().filter(|&&c| c == '\n').count() as u32;
        Some(Spot {
            chunk: segment.chunk,
            page: segment.page,
            char: segment.char + (at - segment.at) as u32,
            line: segment.line + lines,
        })
    }
}
