use casetrack_core::{ExtractionMethod, FileFormat};

use super::*;
use crate::build::{DocumentBuilder, PlacedLine};

fn document() -> DocumentId {
    DocumentId::from_bytes([7; 16])
}

fn built(build: impl FnOnce(&mut DocumentBuilder)) -> Vec<Page> {
    let mut document = DocumentBuilder::new(10_000_000);
    build(&mut document);
    document.finish(FileFormat::Text).pages
}

fn chunked(pages: &[Page]) -> Vec<Chunk> {
    chunk_pages(document(), pages, &ChunkConfig::default())
}

fn sentence(index: usize) -> String {
    format!("Sentence number {index} states what the parties to the agreement have agreed on.")
}

fn paragraph(sentences: std::ops::Range<usize>) -> String {
    sentences.map(sentence).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_short_page_is_one_chunk_and_a_blank_one_none() {
    let pages = built(|document| {
        document.push_block(BlockKind::Paragraph, "Short.").unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(BlockKind::Paragraph, "Short.").unwrap();
    });
    let chunks = chunked(&pages);
    assert_eq!(
        chunks.iter().map(|chunk| (chunk.index, chunk.page, &*chunk.text)).collect::<Vec<_>>(),
        [(0, 1, "Short."), (1, 3, "Short.")]
    );
    assert_ne!(chunks[0].id, chunks[1].id);
}

#[test]
fn cuts_are_made_at_paragraphs_and_overlap_from_a_sentence() {
    let pages = built(|document| {
        for index in 0..6 {
            document.push_block(BlockKind::Paragraph, &paragraph(10 * index..10 * index + 10)).unwrap();
        }
    });
    let chunks = chunked(&pages);
    assert_eq!(chunks.len(), 3);
    assert!(chunks[0].text.ends_with("Sentence number 19 states what the parties to the agreement have agreed on."));
    assert!(chunks[1].text.starts_with("Sentence number 18 states"));
    assert_eq!((chunks[0].paragraph_start, chunks[0].paragraph_end), (1, 2));
    assert_eq!((chunks[1].paragraph_start, chunks[1].paragraph_end), (2, 4));
    assert_eq!((chunks[1].line_start, chunks[1].line_end), (2, 4));
}

#[test]
fn long_paragraphs_are_cut_at_sentences() {
    let pages = built(|document| document.push_block(BlockKind::Paragraph, &paragraph(0..100)).unwrap());
    for chunk in chunked(&pages) {
        assert!(chunk.text.starts_with("Sentence number") && chunk.text.ends_with("agreed on."), "{}", chunk.text);
    }
}

#[test]
fn chunks_begin_at_headings_where_those_are_near() {
    let pages = built(|document| {
        for index in 0..9 {
            document.push_block(BlockKind::Heading { level: 2 }, &format!("{}. Duty", index + 1)).unwrap();
            document.push_block(BlockKind::Paragraph, &paragraph(24 * index..24 * index + 12)).unwrap();
            document.push_block(BlockKind::Paragraph, &paragraph(24 * index + 12..24 * index + 24)).unwrap();
        }
    });
    let chunks = chunked(&pages);
    assert_eq!(chunks.len(), 9);
    assert!(chunks.iter().zip(1..).all(|(chunk, number)| chunk.text.starts_with(&format!("{number}. Duty"))));
}

#[test]
fn nothing_is_repeated_from_inside_a_sentence() {
    let long = |index: usize| format!("Sentence {index} {}ends.", "goes on and on and ".repeat(16));
    let text = (0..20).map(long).collect::<Vec<_>>().join(" ");
    let pages = built(|document| document.push_block(BlockKind::Paragraph, &text).unwrap());
    let chunks = chunked(&pages);
    assert!(chunks.len() > 2);
    for chunk in &chunks {
        assert!(chunk.text.starts_with("Sentence") && chunk.text.ends_with("ends."), "{}", chunk.text);
    }
}

#[test]
fn sentences_longer_than_a_chunk_are_cut_at_their_parts() {
    let items = ('a'..='z').map(|item| format!("({item}) {}", "the goods and the works ".repeat(12)));
    let text = format!("The Supplier delivers {}.", items.collect::<String>());
    let pages = built(|document| document.push_block(BlockKind::Paragraph, &text).unwrap());
    let chunks = chunked(&pages);
    assert!(chunks.len() > 2);
    assert!(chunks[1..].iter().all(|chunk| chunk.text.starts_with('(')));
}

#[test]
fn the_rest_of_a_torn_sentence_starts_no_chunk() {
    let sentences = [paragraph(0..23), "the rest of a sentence ends here.".to_owned(), paragraph(23..40)];
    let pages = built(|document| {
        sentences
            .iter()
            .for_each(|text| document.push_block(BlockKind::Paragraph, text.trim_end_matches('.')).unwrap());
    });
    assert!(chunked(&pages).iter().all(|chunk| chunk.text.starts_with("Sentence")));
}

#[test]
fn a_short_tail_is_merged_or_balanced() {
    for length in [2199, 2200, 2201, 2250, 2599, 2601, 4100, 4390] {
        let text: String = "word ".repeat(1000).chars().take(length).collect();
        let pages = built(|document| document.push_block(BlockKind::Paragraph, &text).unwrap());
        let chunks = chunked(&pages);
        assert_eq!(chunks.len() == 1, text.trim_end().len() <= 2200);
        assert!(chunks.iter().all(|chunk| chunk.text.len() >= 400 && chunk.text.len() <= 2200), "{length}");
    }
}

#[test]
fn a_heading_is_not_torn_from_its_text() {
    let pages = built(|document| {
        document.push_block(BlockKind::Paragraph, &paragraph(0..24)).unwrap();
        document.push_block(BlockKind::Heading { level: 1 }, "2 Term").unwrap();
        document.push_block(BlockKind::Paragraph, &paragraph(24..60)).unwrap();
    });
    assert!(chunked(&pages).iter().all(|chunk| !chunk.text.ends_with("2 Term")));
}

#[test]
fn headings_above_a_chunk_are_its_path_and_context() {
    let pages = built(|document| {
        document.push_block(BlockKind::Heading { level: 1 }, "# Agreement").unwrap();
        document.push_block(BlockKind::Heading { level: 2 }, "Fees\nand costs").unwrap();
        document.push_block(BlockKind::Paragraph, &paragraph(0..50)).unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(BlockKind::Paragraph, "Still about fees.").unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(BlockKind::Heading { level: 2 }, "Term").unwrap();
        document.push_block(BlockKind::Paragraph, "Three years.").unwrap();
    });
    let chunks = chunked(&pages);
    let fees = ["Agreement", "Fees and costs"];
    assert_eq!((&chunks[0].heading_path[..], &*chunks[0].context), (&fees.map(String::from)[..], ""));
    assert_eq!(
        (&chunks[1].heading_path[..], &*chunks[1].context),
        (&fees.map(String::from)[..], "Agreement > Fees and costs")
    );
    let [.., still, term] = &chunks[..] else { panic!() };
    assert_eq!(still.context, "Agreement > Fees and costs");
    assert_eq!((&term.heading_path[..], &*term.context), (&["Agreement", "Term"].map(String::from)[..], "Agreement"));
    assert_eq!(term.embedding_text(), "Agreement\nTerm\nThree years.");
}

fn row(row: u32, header: bool) -> BlockKind {
    BlockKind::TableRow { table: 0, row, first_column: 2, last_column: 4, header }
}

#[test]
fn tables_are_cut_between_rows_and_carry_their_header() {
    let pages = built(|document| {
        document.start_page(ExtractionMethod::Spreadsheet, Some("Costs".into()));
        document.push_block(row(1, true), "Item\tPlan\tActual").unwrap();
        for number in 2..200 {
            document.push_block(row(number, false), &format!("Item number {number}\t1000\t2000")).unwrap();
        }
    });
    let chunks = chunked(&pages);
    assert!(chunks.len() > 2);
    assert_eq!(chunks[0].context, "");
    let mut next_row = 1;
    for chunk in &chunks {
        assert_eq!(chunk.sheet_name.as_deref(), Some("Costs"));
        assert_eq!(chunk.column_range, Some(ColumnRange { start: 2, end: 4 }));
        let rows = chunk.row_range.unwrap();
        assert_eq!(rows.start, next_row, "rows are whole and not repeated");
        next_row = rows.end + 1;
    }
    assert_eq!(next_row, 200);
    assert!(chunks[1..].iter().all(|chunk| chunk.context == "Item\tPlan\tActual"));
}

#[test]
fn a_row_longer_than_a_chunk_is_cut_at_words() {
    let pages = built(|document| {
        document.push_block(row(1, true), "Item\tText").unwrap();
        document.push_block(row(2, false), &format!("Clause\t{}", "word ".repeat(1000))).unwrap();
    });
    let chunks = chunked(&pages);
    assert!(chunks.len() >= 3);
    for chunk in &chunks[1..] {
        assert!(chunk.text.starts_with("word") && chunk.text.ends_with("word"));
        assert_eq!(chunk.row_range, Some(RowRange { start: 2, end: 2 }));
        assert_eq!(chunk.context, "Item\tText");
    }
}

#[test]
fn a_table_that_goes_on_takes_its_header_to_the_next_page() {
    let pages = built(|document| {
        document.push_block(row(1, true), "Item\tPlan").unwrap();
        document.push_block(row(2, false), "Rent\t1").unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(row(3, false), "Food\t2").unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(row(1, false), "another\ttable").unwrap();
    });
    let contexts: Vec<String> = chunked(&pages).into_iter().map(|chunk| chunk.context).collect();
    assert_eq!(contexts, ["", "Item\tPlan", ""]);
}

#[test]
fn rows_of_several_tables_have_no_range() {
    let table = |table| BlockKind::TableRow { table, row: 1, first_column: 1, last_column: 2, header: false };
    let pages = built(|document| {
        document.push_block(table(0), "a\tb").unwrap();
        document.push_block(table(1), "c\td").unwrap();
    });
    assert_eq!(chunked(&pages)[0].row_range, None);
}

#[test]
fn boxes_are_merged_by_paragraph() {
    let line = |left: f32, top: f32| PlacedLine {
        text: "text of a line".into(),
        area: Some(Rect { left, top, right: left + 100.0, bottom: top + 10.0 }),
        hidden: Vec::new(),
    };
    let pages = built(|document| {
        document.push_lines(BlockKind::Paragraph, &[line(0.0, 0.0), line(5.0, 12.0), line(200.0, 0.0)]).unwrap();
        document.push_lines(BlockKind::Paragraph, &[line(200.0, 30.0)]).unwrap();
    });
    let rect = |left, top, right, bottom| Rect { left, top, right, bottom };
    assert_eq!(
        chunked(&pages)[0].bounding_boxes,
        [rect(0.0, 0.0, 105.0, 22.0), rect(200.0, 0.0, 300.0, 10.0), rect(200.0, 30.0, 300.0, 40.0)]
    );
}

#[test]
fn a_line_of_a_megabyte_is_cut_in_linear_time() {
    // In quadratic time this test would take hours.
    for text in ["x".repeat(1 << 20), "é".repeat(1 << 20), "wörd ".repeat(1 << 18), "字".repeat(1 << 19)] {
        let pages = built(|document| document.push_block(BlockKind::Paragraph, &text).unwrap());
        assert!(chunked(&pages).len() > 200);
    }
}

#[test]
fn contradictory_sizes_are_mended() {
    let pages = built(|document| document.push_block(BlockKind::Paragraph, &paragraph(0..10)).unwrap());
    for (target, overlap, max, min) in [(0, 0, 0, 0), (10, 50, 5, 90), (1, 9, 1, 1)] {
        let config = ChunkConfig { target, overlap, max, min };
        let chunks = chunk_pages(document(), &pages, &config);
        assert!(chunks.iter().all(|chunk| chunk.text.chars().count() <= max.max(1)), "{config:?}");
    }
}
