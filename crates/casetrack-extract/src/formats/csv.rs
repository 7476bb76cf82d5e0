//! Delimited text: one sheet, one line of text per record.

use casetrack_core::{ExtractionMethod, Result};
use casetrack_pages::build::table::{Cell, TableWriter};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;

use crate::formats::text::decoded_text;

const DELIMITERS: [u8; 4] = *b",;\t|";
/// Records looked at to find the delimiter.
const SNIFF_RECORDS: usize = 50;
/// A quoted field over more lines than this is taken for a quotation mark that was never closed.
const MAX_FIELD_LINES: usize = 500;

pub(crate) struct Csv;

impl Extractor for Csv {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let text = decoded_text(source, document)?;
        let (declared, body) = declared_delimiter(&text);
        let delimiter = declared.or_else(|| sniff_delimiter(body)).unwrap_or(b',');
        let quoting = !has_unclosed_quote(body, delimiter);
        if !quoting {
            document.warn("A quotation mark is never closed; quotation marks were read as ordinary characters.");
        }
        document.start_page(ExtractionMethod::Spreadsheet, Some(source.stem()));
        let mut table = TableWriter::new(0);
        let mut row = 0;
        for record in records(body, delimiter, quoting) {
            row += 1;
            let cells: Vec<Cell> = record
                .iter()
                .zip(1..)
                .filter(|(field, _)| !field.trim().is_empty())
                .map(|(field, column)| Cell::from_text(column, field.to_owned()))
                .collect();
            table.push_row(document, row, &cells, false)?;
        }
        table.finish(document);
        Ok(())
    }
}

pub(crate) fn sniff_delimiter(text: &str) -> Option<u8> {
    DELIMITERS
        .into_iter()
        .filter_map(|delimiter| {
            let widths: Vec<usize> =
                records(text, delimiter, true).take(SNIFF_RECORDS).map(|record| record.len()).collect();
            let same = |width: usize| widths.iter().filter(|&&other| other == width).count();
            let usual = widths.iter().copied().max_by_key(|&width| (same(width), width))?;
            // Titles above a table and totals below it may differ; most records must not.
            (usual >= 2 && same(usual) * 10 >= widths.len() * 7).then_some((same(usual), usual, delimiter))
        })
        .max_by_key(|&(records, width, _)| (records, width))
        .map(|(.., delimiter)| delimiter)
}

/// Excel writes and honours a first line `sep=;`.
fn declared_delimiter(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) if delimiter.is_ascii() => (Some(*delimiter), rest),
        _ => (None, text),
    }
}

fn records(text: &str, delimiter: u8, quoting: bool) -> impl Iterator<Item = csv::StringRecord> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(quoting)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .into_records()
        // Reading records of any width from valid UTF-8 in memory has no way to fail.
        .map_while(|record| record.ok())
}

fn has_unclosed_quote(text: &str, delimiter: u8) -> bool {
    records(text, delimiter, true)
        .any(|record| record.iter().any(|field| field.bytes().filter(|&b| b == b'\n').count() > MAX_FIELD_LINES))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::{BlockKind, Page};

    use super::*;
    use crate::ExtractOptions;
    use crate::test_files::assert_page_invariants;

    fn page(bytes: &[u8]) -> Page {
        let extraction = crate::extract(Path::new("dir/costs.csv"), bytes, &ExtractOptions::default()).unwrap();
        assert_page_invariants(&extraction.pages[0]);
        extraction.pages.into_iter().next().unwrap()
    }

    #[test]
    fn delimiters_are_recognised() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", Some(b',')),
            ("a;b\n\"1;5\";2,5\n3;4,5\n", Some(b';')),
            ("a\tb c, d\n1\t2\n", Some(b'\t')),
            ("a|b|c\n1|2|3\n", Some(b'|')),
            ("one column\nof text\n", None),
        ] {
            assert_eq!(sniff_delimiter(text), delimiter, "{text:?}");
        }
    }

    #[test]
    fn one_line_of_text_per_record() {
        let page = page("\u{FEFF}Name,Note,Cost\r\nAnn,\"two\r\nlines\",7\r\nBob,,8.5\r\n".as_bytes());
        assert_eq!(page.text, "Name\tNote\tCost\nAnn\ttwo lines\t7\nBob\t\t8.5");
        assert_eq!(page.sheet_name.as_deref(), Some("costs"));
        assert!(matches!(page.blocks[0].kind, BlockKind::TableRow { row: 1, header: true, .. }));
        assert!(matches!(page.blocks[2].kind, BlockKind::TableRow { row: 3, last_column: 3, header: false, .. }));
    }

    #[test]
    fn the_delimiter_may_be_declared() {
        assert_eq!(page(b"sep=;\na,b;c\nd;e\n").text, "a,b\tc\nd\te");
    }

    #[test]
    fn an_unclosed_quote_does_not_swallow_the_file() {
        let text = format!("item,size\nscreen,\"24\n{}", "row,1\n".repeat(1000));
        assert_eq!(page(text.as_bytes()).blocks.len(), 1002);
    }
}
