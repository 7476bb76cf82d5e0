//! The place of a part of a passage. Search, evidence, quotations and exports cite parts by this one function, so that one text has one citation.

use std::ops::Range;

use casetrack_core::{Block, BlockKind, Provenance, Result, RowRange};
use casetrack_extract::chunker::{heading_levels, headings_at};
use casetrack_store::Collection;

/// Most pages before a passage that are read for the levels of the headings above it.
const MOST_PAGES: u32 = 20;

/// The provenance of `chars`, in characters of the page, which begin in the passage `whole` and may end behind it. `text` begins as the passage
/// does and holds the part; `blocks` are all blocks of the page. Paragraphs, lines, rows and headings are those of the part. Reads earlier pages if
/// a heading is between the beginning of the passage and the part.
pub fn part_of(
    collection: &Collection,
    whole: &Provenance,
    text: &str,
    blocks: &[Block],
    chars: Range<u32>,
) -> Result<Provenance> {
    let mut part = numbered(whole, text, blocks, &chars);
    let headings_within = blocks.iter().any(|block| {
        matches!(block.kind, BlockKind::Heading { .. }) && (whole.char_start..=chars.start).contains(&block.char_start)
    });
    if whole.sheet_name.is_none() && chars.start > whole.char_start {
        let levels = if headings_within { levels(collection, whole)? } else { Vec::new() };
        part.heading_path = headings_at(text, whole.char_start, blocks, &whole.heading_path, &levels, chars.start);
    }
    Ok(part)
}

/// As [`part_of`], with the headings of the whole passage.
fn numbered(whole: &Provenance, text: &str, blocks: &[Block], chars: &Range<u32>) -> Provenance {
    let first = blocks.partition_point(|block| block.char_end <= chars.start);
    let last = blocks.partition_point(|block| block.char_start < chars.end).max(first + 1);
    let before = chars.start.saturating_sub(whole.char_start) as usize;
    let inside = chars.end.saturating_sub(chars.start).saturating_sub(1) as usize;
    let mut rest = text.chars();
    let mut breaks = |count: usize| rest.by_ref().take(count).filter(|c| *c == '\n').count() as u32;
    let line_start = whole.line_start + breaks(before);
    let line_end = line_start + breaks(inside);
    let has_blocks = blocks.get(first).is_some();
    Provenance {
        paragraph_start: if has_blocks { first as u32 + 1 } else { whole.paragraph_start },
        paragraph_end: if has_blocks { last as u32 } else { whole.paragraph_end },
        row_range: rows(whole, blocks.get(first..last).unwrap_or_default(), line_start, line_end),
        line_start,
        line_end,
        char_start: chars.start,
        char_end: chars.end,
        ..whole.clone()
    }
}

/// The rows of the blocks of a sheet; else those of the lines, if each line of the passage is a row; else the rows of the whole passage.
fn rows(whole: &Provenance, blocks: &[Block], line_start: u32, line_end: u32) -> Option<RowRange> {
    let all = whole.row_range?;
    let row = |block: &Block| match block.kind {
        BlockKind::TableRow { row, .. } => Some(row),
        _ => None,
    };
    if whole.sheet_name.is_some()
        && let (Some(start), Some(end)) = (blocks.first().and_then(row), blocks.last().and_then(row))
    {
        return Some(RowRange { start, end });
    }
    if whole.sheet_name.is_none() || all.end - all.start != whole.line_end - whole.line_start {
        return Some(all);
    }
    let row = |line: u32| all.start + line.saturating_sub(whole.line_start);
    Some(RowRange { start: row(line_start), end: row(line_end) })
}

/// The levels of the headings above a passage, outermost first, as far as they are found on its page and those before it.
fn levels(collection: &Collection, whole: &Provenance) -> Result<Vec<Option<u8>>> {
    let mut levels = vec![None; whole.heading_path.len()];
    for number in (1..=whole.page).rev().take(MOST_PAGES as usize) {
        if levels.iter().all(Option::is_some) {
            break;
        }
        let Some(page) = collection.page(whole.document_id, number)? else { continue };
        let until = if number == whole.page { whole.char_start } else { u32::MAX };
        heading_levels(&page.text, &page.blocks, until, &whole.heading_path, &mut levels);
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_provenance::provenance;

    fn whole(text: &str) -> Provenance {
        Provenance {
            document_name: "a.txt".into(),
            page: 1,
            paragraph_start: 3,
            paragraph_end: 5,
            line_start: 10,
            line_end: 12,
            char_start: 100,
            char_end: 100 + text.chars().count() as u32,
            ..provenance()
        }
    }

    #[test]
    fn paragraphs_and_lines_are_those_of_the_part() {
        let text = "Käse is due.\nRent is\ndue.\nNotice.";
        let block = |char_start, char_end| Block { kind: BlockKind::Paragraph, char_start, char_end };
        let blocks = [block(0, 40), block(41, 99), block(100, 112), block(113, 125), block(126, 133)];
        let cited = |chars: Range<u32>| numbered(&whole(text), text, &blocks, &chars).citation();
        assert_eq!(cited(100..133), "a.txt, p. 1, paras. 3-5, ll. 10-13");
        assert_eq!(cited(113..125), "a.txt, p. 1, para. 4, ll. 11-12");
        // Inside a word, and behind the last character of a line.
        assert_eq!(cited(114..116), "a.txt, p. 1, para. 4, l. 11");
        assert_eq!(cited(121..126), "a.txt, p. 1, para. 4, l. 12");
        assert_eq!(cited(126..133), "a.txt, p. 1, para. 5, l. 13");
    }

    #[test]
    fn the_rows_of_a_sheet_are_those_of_the_part() {
        let text = "1\ta\n2\tb\n3\tc";
        let sheet = Provenance {
            sheet_name: Some("Ledger".into()),
            row_range: Some(RowRange { start: 301, end: 303 }),
            ..whole(text)
        };
        assert_eq!(numbered(&sheet, text, &[], &(104..107)).row_range, Some(RowRange { start: 302, end: 302 }));
        // Gaps between the rows: the blocks number them.
        let row = |row, char_start| Block {
            kind: BlockKind::TableRow { table: 0, row, first_column: 1, last_column: 2, header: false },
            char_start,
            char_end: char_start + 3,
        };
        let blocks = [row(301, 100), row(350, 104), row(399, 108)];
        let gaps = Provenance { row_range: Some(RowRange { start: 301, end: 399 }), ..sheet.clone() };
        assert_eq!(numbered(&gaps, text, &blocks, &(104..107)).row_range, Some(RowRange { start: 350, end: 350 }));
        assert_eq!(numbered(&gaps, text, &[], &(104..107)).row_range, gaps.row_range);
    }
}
