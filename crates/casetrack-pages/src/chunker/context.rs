//! The context of a chunk: the headings above it and the header of its table. Only embeddings see it.

use std::collections::HashMap;

use casetrack_core::{BlockKind, Page};

use super::cut::Span;
use super::headings::{Headings, truncated};
use crate::text::Cursor;
use crate::text::sections::{SectionStart, section_starts};

/// Longest context, in characters. It must leave the text of the chunk room in the model's input.
const MAX_CONTEXT_CHARS: usize = 300;

#[derive(Default)]
pub(super) struct DocumentContext {
    headings: Headings,
    /// The table that the last page ended in.
    open_table: Option<OpenTable>,
}

struct OpenTable {
    last_row: u32,
    header: String,
}

/// Goes through the blocks of a page along with its chunks.
pub(super) struct PageContext<'p, 'd> {
    page: &'p Page,
    document: &'d mut DocumentContext,
    /// Blocks before this one are behind the chunk; their headings are open.
    next_block: usize,
    cursor: Cursor<'p>,
    /// The blocks that end a section, in order.
    section_starts: Vec<(usize, SectionStart)>,
    /// Per table, the text of its header rows and their end, in characters.
    table_headers: HashMap<u32, (String, u32)>,
}

impl<'p, 'd> PageContext<'p, 'd> {
    pub fn new(page: &'p Page, document: &'d mut DocumentContext) -> Self {
        let cursor = Cursor::new(&page.text);
        let mut headers: HashMap<u32, (String, u32)> = HashMap::new();
        let mut rows = cursor.clone();
        for block in &page.blocks {
            if let BlockKind::TableRow { table, header: true, .. } = block.kind {
                let (text, end) = headers.entry(table).or_default();
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(truncated(rows.slice(block), MAX_CONTEXT_CHARS));
                *end = block.char_end;
            }
        }
        // A table that continues from the page before takes its header along.
        let goes_on = match (page.blocks.first().map(|block| &block.kind), document.open_table.take()) {
            (Some(BlockKind::TableRow { table, row, header: false, .. }), Some(open)) if *row == open.last_row + 1 => {
                Some((*table, open.header))
            }
            _ => None,
        };
        if let Some((table, header)) = goes_on {
            headers.entry(table).or_insert((header, 0));
        }
        // Sheets have neither signatures nor schedules.
        let section_starts =
            if page.sheet_name.is_some() { Vec::new() } else { section_starts(&page.text, 0, &page.blocks) };
        Self { page, document, next_block: 0, cursor, section_starts, table_headers: headers }
    }

    /// Heading path and context of the chunk whose first block is `first_block`. Chunks are asked for in order.
    pub fn of_chunk(&mut self, span: &Span, first_block: usize) -> (Vec<String>, String) {
        self.open_headings_before(first_block);
        let above = &self.document.headings;
        // A heading at the beginning of the chunk is in force in it, and needs no repetition in its context.
        let mut here = above.clone();
        let mut cursor = self.cursor.clone();
        for (index, block) in self.page.blocks.iter().enumerate().skip(first_block) {
            let start = self.section_start(index);
            let is_heading = matches!(block.kind, BlockKind::Heading { .. });
            if (block.char_start as usize) < span.chars.start || !is_heading && start.is_none() {
                break;
            }
            here.pass(&block.kind, cursor.slice(block), start);
            if !is_heading {
                break;
            }
        }
        let mut parts = Vec::new();
        let kept: Vec<&str> = above.titles().take(above.in_common(&here)).collect();
        if !kept.is_empty() {
            parts.push(kept.join(" > "));
        }
        parts.extend(self.table_header(span, first_block));
        let each = MAX_CONTEXT_CHARS / parts.len().max(1);
        let context: Vec<&str> = parts.iter().map(|part| truncated(part, each)).collect();
        (here.into_titles(), context.join("\n"))
    }

    pub fn finish(mut self) {
        self.open_headings_before(self.page.blocks.len());
        self.document.open_table = match self.page.blocks.last().map(|block| &block.kind) {
            Some(BlockKind::TableRow { table, row, .. }) => {
                self.table_headers.remove(table).map(|(header, _)| OpenTable { last_row: *row, header })
            }
            _ => None,
        };
    }

    fn open_headings_before(&mut self, block: usize) {
        while self.next_block < block {
            let Some(passed) = self.page.blocks.get(self.next_block) else { return };
            let start = self.section_start(self.next_block);
            if start.is_some() || matches!(passed.kind, BlockKind::Heading { .. }) {
                self.document.headings.pass(&passed.kind, self.cursor.slice(passed), start);
            }
            self.next_block += 1;
        }
    }

    fn section_start(&self, block: usize) -> Option<SectionStart> {
        let at = self.section_starts.binary_search_by_key(&block, |(index, _)| *index).ok()?;
        Some(self.section_starts[at].1)
    }

    /// The header of the table that the chunk starts in, unless the chunk contains it.
    fn table_header(&self, span: &Span, first_block: usize) -> Option<String> {
        let BlockKind::TableRow { table, .. } = self.page.blocks.get(first_block)?.kind else { return None };
        let (header, end) = self.table_headers.get(&table)?;
        ((*end as usize) <= span.chars.start).then(|| header.clone())
    }
}
