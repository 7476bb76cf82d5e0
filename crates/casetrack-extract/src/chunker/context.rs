//! What stands above a chunk: headings and the header of its table. Only embeddings see it.

use std::collections::HashMap;

use casetrack_core::{Block, BlockKind, Page};

use super::cut::Span;
use crate::text::Cursor;
use crate::text::headings::plain_heading;

/// Of one heading, in characters.
const MAX_HEADING_CHARS: usize = 120;
/// Of the whole context, in characters. It must leave the text of the chunk room in the model's input.
const MAX_CONTEXT_CHARS: usize = 300;

/// What one page leaves to the next.
#[derive(Default)]
pub(super) struct DocumentContext {
    /// Open headings, outermost first, with their levels.
    headings: Vec<(u8, String)>,
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
    /// Per table, the text of its header rows and where they end, in characters.
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
        // A table that goes on from the page before takes its header along.
        let goes_on = match (page.blocks.first().map(|block| &block.kind), document.open_table.take()) {
            (Some(BlockKind::TableRow { table, row, header: false, .. }), Some(open)) if *row == open.last_row + 1 => {
                Some((*table, open.header))
            }
            _ => None,
        };
        if let Some((table, header)) = goes_on {
            headers.entry(table).or_insert((header, 0));
        }
        Self { page, document, next_block: 0, cursor, table_headers: headers }
    }

    /// Heading path and context of the chunk whose first block is `first_block`. Chunks are asked for in order.
    pub fn of_chunk(&mut self, span: &Span, first_block: usize) -> (Vec<String>, String) {
        self.open_headings_before(first_block);
        let above = self.document.headings.clone();
        // Headings that the chunk starts with are above its text too, but need no repetition in its context.
        let mut path = above.clone();
        let mut cursor = self.cursor.clone();
        for block in self.page.blocks.get(first_block..).unwrap_or_default() {
            match block.kind {
                BlockKind::Heading { level } if block.char_start as usize >= span.chars.start => {
                    open_heading(&mut path, level, cursor.slice(block));
                }
                _ => break,
            }
        }
        let kept = above.iter().zip(&path).take_while(|(above, path)| above == path).count();
        let mut parts = Vec::new();
        if kept > 0 {
            let titles: Vec<&str> = above[..kept].iter().map(|(_, title)| title.as_str()).collect();
            parts.push(titles.join(" > "));
        }
        parts.extend(self.table_header(span, first_block));
        let each = MAX_CONTEXT_CHARS / parts.len().max(1);
        let context: Vec<&str> = parts.iter().map(|part| truncated(part, each)).collect();
        (path.into_iter().map(|(_, title)| title).collect(), context.join("\n"))
    }

    /// Ends the page.
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
            if let BlockKind::Heading { level } = passed.kind {
                open_heading(&mut self.document.headings, level, self.cursor.slice(passed));
            }
            self.next_block += 1;
        }
    }

    /// The header of the table that the chunk starts in, unless the chunk contains it.
    fn table_header(&self, span: &Span, first_block: usize) -> Option<String> {
        let BlockKind::TableRow { table, .. } = self.page.blocks.get(first_block)?.kind else { return None };
        let (header, end) = self.table_headers.get(&table)?;
        ((*end as usize) <= span.chars.start).then(|| header.clone())
    }
}

/// A heading closes those of its own and lower levels.
fn open_heading(open: &mut Vec<(u8, String)>, level: u8, text: &str) {
    while open.last().is_some_and(|(last, _)| *last >= level) {
        open.pop();
    }
    let title = plain_heading(text).split_whitespace().collect::<Vec<_>>().join(" ");
    open.push((level, truncated(&title, MAX_HEADING_CHARS).to_owned()));
}

fn truncated(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(byte, _)| text[..byte].trim_end())
}
