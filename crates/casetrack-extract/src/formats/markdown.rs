//! Markdown: verbatim like plain text; the parser only finds headings, list items and table rows.

use std::ops::Range;

use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::headings::plain_heading;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::formats::text::decoded_text;

pub(crate) struct Markdown;

impl Extractor for Markdown {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let text = decoded_text(source, document)?;
        document.start_page(ExtractionMethod::Native, None);
        let spans = Spans::of(&text);
        if let Some((range, _)) = spans.found.iter().find(|(_, kind)| matches!(kind, BlockKind::Heading { level: 1 })) {
            document.set_title(plain_heading(&text[range.clone()]));
        }
        document.push_verbatim(&text, &spans.found)
    }
}

/// Byte ranges of blocks in order. A block ends at the start of the next one.
struct Spans<'a> {
    text: &'a str,
    found: Vec<(Range<usize>, BlockKind)>,
}

impl<'a> Spans<'a> {
    fn of(text: &'a str) -> Self {
        let mut spans = Self { text, found: Vec::new() };
        // The first paragraph of a list item is the item.
        let mut item_opened = false;
        let (mut tables, mut row, mut columns, mut in_header) = (0u32, 0u32, 0u32, false);
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Item) => {
                    item_opened = true;
                    spans.push(range, BlockKind::ListItem);
                    continue;
                }
                Event::Start(Tag::Paragraph) if item_opened => {}
                Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                    spans.push(range, BlockKind::Paragraph);
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    spans.push(range, BlockKind::Heading { level: level as u8 });
                }
                Event::Start(Tag::Table(alignments)) => (row, columns) = (0, alignments.len() as u32),
                Event::End(TagEnd::Table) => tables += 1,
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    in_header = matches!(event, Event::Start(Tag::TableHead));
                    row += 1;
                    let kind = BlockKind::TableRow {
                        table: tables,
                        row,
                        first_column: 1,
                        last_column: columns.max(1),
                        header: in_header,
                    };
                    spans.push(range, kind);
                }
                // The line of dashes below a header belongs to it.
                Event::End(TagEnd::TableHead) if in_header => spans.extend_by_line(),
                _ => {}
            }
            item_opened = false;
        }
        spans
    }

    fn push(&mut self, range: Range<usize>, kind: BlockKind) {
        // Marks of quotations and indentation precede the block on its line.
        let line_start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let mut start = line_start;
        if let Some((last, _)) = self.found.last_mut() {
            start = start.max(last.start);
            last.end = last.end.min(start);
        }
        self.found.push((start..range.end, kind));
    }

    fn extend_by_line(&mut self) {
        if let Some((last, _)) = self.found.last_mut() {
            let line = self.text[last.end..].trim_start_matches('\n');
            let skipped = self.text.len() - line.len();
            last.end = skipped + line.find('\n').unwrap_or(line.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::test_files::assert_page_invariants;
    use crate::{ExtractOptions, Extraction};

    fn extract(text: &str) -> Extraction {
        let extraction = crate::extract(Path::new("a.md"), text.as_bytes(), &ExtractOptions::default()).unwrap();
        assert_eq!(extraction.pages[0].text, text);
        assert_page_invariants(&extraction.pages[0]);
        extraction
    }

    fn blocks(text: &str) -> Vec<(String, BlockKind)> {
        let page = &extract(text).pages[0];
        let chars: Vec<char> = page.text.chars().collect();
        let slice = |start: u32, end: u32| chars[start as usize..end as usize].iter().collect();
        page.blocks.iter().map(|block| (slice(block.char_start, block.char_end), block.kind.clone())).collect()
    }

    #[test]
    fn headings_lists_and_quotes() {
        let heading = |level| BlockKind::Heading { level };
        let found = blocks("# Títle #\n\nText\nmore.\n\n- one\n\n  two\n  - three\n\nSetext\n---\n\n> quote\n");
        let expected: Vec<(&str, BlockKind)> = vec![
            ("# Títle #", heading(1)),
            ("Text\nmore.", BlockKind::Paragraph),
            ("- one", BlockKind::ListItem),
            ("two", BlockKind::Paragraph),
            ("- three", BlockKind::ListItem),
            ("Setext\n---", heading(2)),
            ("> quote", BlockKind::Paragraph),
        ];
        assert_eq!(found.iter().map(|(text, kind)| (&**text, kind.clone())).collect::<Vec<_>>(), expected);
        assert_eq!(extract("# Títle #\n").title.as_deref(), Some("Títle"));
    }

    #[test]
    fn table_rows_are_numbered_and_the_header_marked() {
        let row = |table, row, header| BlockKind::TableRow { table, row, first_column: 1, last_column: 2, header };
        let found = blocks("| a | b |\n|---|---|\n| 1 | 2 |\n\ntext\n\n| c | d |\n|---|---|\n");
        let expected: Vec<(&str, BlockKind)> = vec![
            ("| a | b |\n|---|---|", row(0, 1, true)),
            ("| 1 | 2 |", row(0, 2, false)),
            ("text", BlockKind::Paragraph),
            ("| c | d |\n|---|---|", row(1, 1, true)),
        ];
        assert_eq!(found.iter().map(|(text, kind)| (&**text, kind.clone())).collect::<Vec<_>>(), expected);
    }

    proptest! {
        #[test]
        fn any_markdown_is_kept_verbatim(lines in prop::collection::vec("[-#>|*`1. \tab]{0,12}|[=~-]{3,5}", 1..20)) {
            let text = lines.join("\n");
            if !text.trim().is_empty() {
                extract(&text);
            }
        }
    }
}
