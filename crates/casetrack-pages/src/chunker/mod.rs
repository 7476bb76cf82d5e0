//! Cuts pages into chunks: the passages that are embedded, searched and cited.
//!
//! Chunks are verbatim, never cross a page, and cover every character except white space. They start and end on a character
//! that is not white space. Cuts are made before a heading, or at the end of a paragraph, table row or sentence, whichever is near the
//! target; else at the end of a part of a sentence, of a line, or of a word; inside a word only if the word exceeds the
//! maximum. Chunks of running text repeat the end of the one before, from the start of a sentence. Nothing is repeated
//! if no sentence starts near the end, unless the cut is inside a sentence. Table rows are not repeated.

mod boundary;
mod context;
mod cut;
mod headings;

use std::collections::HashMap;
use std::ops::RangeInclusive;

use casetrack_core::{Block, BlockKind, Chunk, ChunkConfig, ChunkId, ColumnRange, DocumentId, Page, Rect, RowRange};

pub use self::boundary::{sentence_ends, starts_after};
pub use self::headings::{heading_levels, headings_at};

use self::context::{DocumentContext, PageContext};
use self::cut::{Span, cut_page};

/// Cuts `pages`, which are all pages of the document in order, into chunks in reading order.
///
/// Sizes that contradict each other are adjusted: `target` and `min` give way to `max`, `overlap` to `target`. The result depends only on the
/// arguments. Time is linear in the length of the text, memory in the length of the chunks.
pub fn chunk_pages(document: DocumentId, pages: &[Page], config: &ChunkConfig) -> Vec<Chunk> {
    let config = consistent(config);
    let mut chunks = Vec::new();
    let mut document_context = DocumentContext::default();
    for page in pages {
        let mut page_context = PageContext::new(page, &mut document_context);
        let mut lines = LineCounter { text: &page.text, byte: 0, line: 1 };
        let mut occurrences: HashMap<&str, u32> = HashMap::new();
        for span in cut_page(&page.text, &page.blocks, &config) {
            let text = &page.text[span.bytes.clone()];
            let occurrence = occurrences.entry(text).or_default();
            let id = ChunkId::derive(document, page.number, *occurrence, text);
            *occurrence += 1;

            let line_start = lines.advance_to(span.bytes.start);
            let line_end = line_start + line_ends(text);
            let blocks = touched_blocks(&page.blocks, &span);
            let touched = page.blocks.get(blocks.clone()).unwrap_or_default();
            let (row_range, column_range) = table_ranges(touched, page.sheet_name.is_some());
            let (heading_path, context) = page_context.of_chunk(&span, blocks.start);
            let context = with_other_readings(context, page, line_start..=line_end);
            chunks.push(Chunk {
                id,
                index: chunks.len() as u32,
                page: page.number,
                char_start: span.chars.start as u32,
                char_end: span.chars.end as u32,
                byte_start: span.bytes.start as u32,
                byte_end: span.bytes.end as u32,
                paragraph_start: blocks.start as u32 + 1,
                paragraph_end: blocks.end.max(blocks.start + 1) as u32,
                line_start,
                line_end,
                sheet_name: page.sheet_name.clone(),
                row_range,
                column_range,
                bounding_boxes: bounding_boxes(page, touched, &span, line_start),
                heading_path,
                context,
                text: text.to_owned(),
            });
        }
        page_context.finish();
    }
    chunks
}

/// The sizes, adjusted so that they do not contradict each other.
fn consistent(config: &ChunkConfig) -> ChunkConfig {
    let max = config.max.max(1);
    let target = config.target.clamp(1, max);
    // With a minimum of at most half the maximum, any text longer than the maximum can be cut into two pieces that keep it.
    ChunkConfig { max, target, min: config.min.min(max / 2).min(target), overlap: config.overlap.min(target / 2) }
}

/// The context, and the readings of OCR for these lines: they are searched, too.
fn with_other_readings(context: String, page: &Page, lines: RangeInclusive<u32>) -> String {
    let readings = page.notes.other_readings.iter().filter(|reading| lines.contains(&reading.line));
    let parts: Vec<&str> = [context.as_str()].into_iter().chain(readings.map(|reading| &*reading.text)).collect();
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Counts lines on the way through a text.
struct LineCounter<'a> {
    text: &'a str,
    byte: usize,
    line: u32,
}

impl LineCounter<'_> {
    /// The line, from 1, at a byte offset that is not before the last one.
    fn advance_to(&mut self, byte: usize) -> u32 {
        self.line += line_ends(&self.text[self.byte..byte]);
        self.byte = byte;
        self.line
    }
}

fn line_ends(text: &str) -> u32 {
    text.bytes().filter(|&b| b == b'\n').count() as u32
}

fn touched_blocks(blocks: &[Block], span: &Span) -> std::ops::Range<usize> {
    let start = blocks.partition_point(|block| block.char_end as usize <= span.chars.start);
    let end = blocks.partition_point(|block| (block.char_start as usize) < span.chars.end);
    start..end.max(start)
}

/// Rows and columns of a chunk in a sheet, or in a single table: the rows of several tables have no common range.
fn table_ranges(touched: &[Block], is_sheet: bool) -> (Option<RowRange>, Option<ColumnRange>) {
    let mut table_of_chunk = None;
    let mut ranges: Option<(RowRange, ColumnRange)> = None;
    for block in touched {
        let BlockKind::TableRow { table, row, first_column, last_column, .. } = block.kind else { continue };
        if *table_of_chunk.get_or_insert(table) != table && !is_sheet {
            return (None, None);
        }
        let (rows, columns) = ranges
            .get_or_insert((RowRange { start: row, end: row }, ColumnRange { start: first_column, end: last_column }));
        *rows = RowRange { start: rows.start.min(row), end: rows.end.max(row) };
        *columns = ColumnRange { start: columns.start.min(first_column), end: columns.end.max(last_column) };
    }
    ranges.unzip()
}

/// One box around the lines of each paragraph, as far as the chunk touches them. Lines of a paragraph that continues in
/// the next column have a box of their own.
fn bounding_boxes(page: &Page, touched: &[Block], span: &Span, first_line: u32) -> Vec<Rect> {
    let mut boxes: Vec<Rect> = Vec::new();
    if page.line_boxes.is_empty() {
        return boxes;
    }
    let mut at = span.chars.start;
    let mut block = 0;
    let mut last_block = None;
    for (line, number) in page.text[span.bytes.clone()].split('\n').zip(first_line..) {
        while touched.get(block).is_some_and(|touched| touched.char_end as usize <= at) {
            block += 1;
        }
        at += line.chars().count() + 1;
        let Some(Some(area)) = page.line_boxes.get(number as usize - 1) else { continue };
        match boxes.last_mut() {
            Some(last) if last_block == Some(block) && area.left < last.right && last.left < area.right => {
                *last = Rect {
                    left: last.left.min(area.left),
                    top: last.top.min(area.top),
                    right: last.right.max(area.right),
                    bottom: last.bottom.max(area.bottom),
                };
            }
            _ => boxes.push(*area),
        }
        last_block = Some(block);
    }
    boxes
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
