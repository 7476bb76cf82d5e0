//! The invariants of chunks, checked naively on random pages.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::*;
use crate::build::DocumentBuilder;
use crate::test_files::assert_page_invariants;
use casetrack_core::{ExtractionMethod, FileFormat};

/// Text of any kind: prose, any Unicode, no spaces, only white space, ideographs, long words.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-zA-Z]{1,12}",
        3 => Just(". ".to_owned()),
        8 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        1 => "\\PC{1,10}",
        1 => "[\u{300}-\u{30F}👩\u{200D}👧字。]{1,30}",
        1 => "[ \t\n\u{A0}\u{2003}]{1,80}",
        1 => "[a-z.,-]{100,400}",
    ];
    prop_oneof![
        8 => prop::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => "[ \n\t]{0,300}",
    ]
}

/// A page with blocks of random kinds over random parts of the text, which hold the invariants of pages.
fn page() -> impl Strategy<Value = Page> {
    let kind = prop_oneof![
        4 => Just(BlockKind::Paragraph),
        1 => (1u8..4).prop_map(|level| BlockKind::Heading { level }),
        1 => Just(BlockKind::ListItem),
        3 => (0u32..2, 1u32..9, any::<bool>()).prop_map(|(table, row, header)| BlockKind::TableRow {
            table,
            row,
            first_column: 1,
            last_column: 3,
            header
        }),
    ];
    (text(), prop::collection::vec((any::<prop::sample::Index>(), kind), 0..40)).prop_map(|(text, cuts)| {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<(usize, BlockKind)> =
            cuts.into_iter().map(|(index, kind)| (*index.get(&boundaries), kind)).collect();
        cuts.sort_by_key(|(at, _)| *at);
        let spans: Vec<_> = cuts.windows(2).map(|pair| (pair[0].0..pair[1].0, pair[0].1.clone())).collect();
        let mut document = DocumentBuilder::new(u64::MAX);
        document.start_page(ExtractionMethod::Native, None);
        document.push_verbatim(&text, &spans).unwrap();
        document.finish(FileFormat::Text).pages.remove(0)
    })
}

fn config() -> impl Strategy<Value = ChunkConfig> {
    prop_oneof![
        Just(ChunkConfig::default()),
        (2usize..300, 0usize..60, 0usize..60, 0usize..80).prop_map(|(target, over, overlap, min)| ChunkConfig {
            target,
            max: target + over,
            overlap,
            min
        }),
    ]
}

/// True if a cut at `at` tears a word: letters or digits on both sides, inside one word of UAX #29.
fn tears_word(text: &str, chars: &[char], at: usize) -> bool {
    if at == 0 || at == chars.len() || chars[at - 1].is_whitespace() || chars[at].is_whitespace() {
        return false;
    }
    let byte: usize = chars[..at].iter().map(|c| c.len_utf8()).sum();
    !text.split_word_bound_indices().any(|(boundary, _)| boundary == byte)
}

/// Length of the run of characters without white space around `at`.
fn run_length(chars: &[char], at: usize) -> usize {
    let before = chars[..at].iter().rev().take_while(|c| !c.is_whitespace()).count();
    before + chars[at..].iter().take_while(|c| !c.is_whitespace()).count()
}

fn check_page(page: &Page, chunks: &[Chunk], config: &ChunkConfig) {
    let chars: Vec<char> = page.text.chars().collect();
    let config = consistent(config);
    let mut covered = vec![false; chars.len()];
    let mut last_end = 0;
    for (position, chunk) in chunks.iter().enumerate() {
        let (start, end) = (chunk.char_start as usize, chunk.char_end as usize);
        // Verbatim, in characters and in bytes.
        assert_eq!(chars[start..end].iter().collect::<String>(), chunk.text);
        assert_eq!(&page.text[chunk.byte_start as usize..chunk.byte_end as usize], chunk.text);
        assert!(!chars[start].is_whitespace() && !chars[end - 1].is_whitespace());
        // Sizes.
        assert!(end - start <= config.max);
        if end - start < config.min && position + 1 < chunks.len() {
            let next_word_end = chars[end..]
                .iter()
                .position(|c| !c.is_whitespace())
                .map(|spaces| end + spaces)
                .map(|word| word + chars[word..].iter().take_while(|c| !c.is_whitespace()).count());
            assert!(next_word_end.is_some_and(|word_end| word_end - start > config.max), "{chunk:?}");
        }
        // Words.
        for at in [start, end] {
            assert!(!tears_word(&page.text, &chars, at) || run_length(&chars, at) > config.max, "{at} in {chunk:?}");
        }
        // Order, overlap and progress.
        assert!(end > last_end);
        assert!(last_end.saturating_sub(start) <= config.overlap || position == 0);
        last_end = end;
        covered[start..end].fill(true);
        // Lines and paragraphs, counted naively.
        let line_of = |at: usize| 1 + chars[..at].iter().filter(|&&c| c == '\n').count() as u32;
        assert_eq!((chunk.line_start, chunk.line_end), (line_of(start), line_of(end - 1)));
        let paragraph_of = |at: usize| {
            let holds = |block: &Block| (block.char_start as usize..block.char_end as usize).contains(&at);
            1 + page.blocks.iter().position(holds).unwrap() as u32
        };
        assert_eq!((chunk.paragraph_start, chunk.paragraph_end), (paragraph_of(start), paragraph_of(end - 1)));
        // Rows.
        let touched = &page.blocks[chunk.paragraph_start as usize - 1..chunk.paragraph_end as usize];
        let rows: Vec<(u32, u32)> = touched
            .iter()
            .filter_map(|block| match block.kind {
                BlockKind::TableRow { table, row, .. } => Some((table, row)),
                _ => None,
            })
            .collect();
        let one_table = rows.iter().all(|(table, _)| *table == rows[0].0);
        let expected = (one_table && !rows.is_empty()).then(|| RowRange {
            start: rows.iter().map(|(_, row)| *row).min().unwrap(),
            end: rows.iter().map(|(_, row)| *row).max().unwrap(),
        });
        assert_eq!(chunk.row_range, expected);
        assert!(chunk.context.chars().count() <= 301);
    }
    // A last chunk is short only when there is no word end that would leave it more.
    if let [.., before, last] = chunks
        && last.text.chars().count() < config.min
    {
        let end = last.char_end as usize;
        let allowed = before.char_start as usize + config.min..=end - config.min;
        let ends_word = |at: &usize| !chars[at - 1].is_whitespace() && chars[*at].is_whitespace();
        let leaves_enough = |at: &usize| chars[*at..=end - config.min].iter().any(|c| !c.is_whitespace());
        let possible = allowed.into_iter().find(|at| ends_word(at) && leaves_enough(at));
        assert!(possible.is_none_or(|at| at <= before.char_start as usize + config.overlap), "{last:?}");
    }
    // Covered.
    for (c, covered) in chars.iter().zip(covered) {
        assert!(covered || c.is_whitespace());
    }
}

/// Seeds of failures become tests by hand, not files.
fn config_without_files(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config_without_files(600))]

    #[test]
    fn chunks_hold_their_invariants(pages in prop::collection::vec(page(), 1..4), config in config()) {
        let mut pages = pages;
        for (page, number) in pages.iter_mut().zip(1..) {
            page.number = number;
            assert_page_invariants(page);
        }
        let document = DocumentId::from_bytes([1; 16]);
        let chunks = chunk_pages(document, &pages, &config);
        prop_assert_eq!(&chunks, &chunk_pages(document, &pages, &config), "deterministic");
        for page in &pages {
            let of_page: Vec<Chunk> = chunks.iter().filter(|chunk| chunk.page == page.number).cloned().collect();
            check_page(page, &of_page, &config);
        }
        let mut ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), chunks.len(), "ids are unique");
        prop_assert!(chunks.iter().zip(0..).all(|(chunk, index)| chunk.index == index));
        prop_assert!(chunks.windows(2).all(|pair| pair[0].page <= pair[1].page));
    }

    #[test]
    fn ids_of_pages_that_stay_do_not_change(first in page(), second in page(), other in page()) {
        let number = |mut page: Page, number| { page.number = number; page };
        let document = DocumentId::from_bytes([1; 16]);
        let ids = |pages: &[Page]| -> Vec<ChunkId> {
            let chunks = chunk_pages(document, pages, &ChunkConfig::default());
            chunks.iter().filter(|chunk| chunk.page == 2).map(|chunk| chunk.id).collect()
        };
        let second = number(second, 2);
        prop_assert_eq!(ids(&[number(first, 1), second.clone()]), ids(&[number(other, 1), second]));
    }
}

proptest! {
    #![proptest_config(config_without_files(8))]

    #[test]
    fn lines_of_a_megabyte_hold_them_too(unit in "[a-z字é ]{1,40}|[x]{1}|\\PC{1,8}") {
        let text = unit.repeat((1 << 20) / unit.len());
        let mut document = DocumentBuilder::new(u64::MAX);
        document.push_block(BlockKind::Paragraph, &text).unwrap();
        let Some(page) = document.finish(FileFormat::Text).pages.pop() else { return Ok(()) };
        let chunks = chunk_pages(DocumentId::from_bytes([1; 16]), std::slice::from_ref(&page), &ChunkConfig::default());
        let mut end = 0;
        let chars = page.text.chars().count();
        for chunk in &chunks {
            prop_assert_eq!(&page.text[chunk.byte_start as usize..chunk.byte_end as usize], &chunk.text);
            prop_assert_eq!(chunk.text.chars().count(), (chunk.char_end - chunk.char_start) as usize);
            prop_assert!(chunk.char_start <= end || page.text[..chunk.byte_start as usize].ends_with(char::is_whitespace));
            prop_assert!(chunk.char_end - chunk.char_start <= 2200);
            end = chunk.char_end;
        }
        prop_assert_eq!(end as usize, chars);
    }
}
