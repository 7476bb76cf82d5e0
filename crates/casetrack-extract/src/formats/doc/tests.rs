use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, Result};
use proptest::prelude::*;

use crate::test_files::{assert_page_invariants, assert_properties, compound_file_of, summary_of};
use crate::{ExtractOptions, Extraction};

const TEXT_AT: usize = 2048;

fn sprm(operation: u16, operand: &[u8]) -> Vec<u8> {
    [&operation.to_le_bytes()[..], operand].concat()
}

fn styled(text: &str, style: u16, modifiers: &[Vec<u8>]) -> (String, Vec<u8>) {
    (text.into(), [style.to_le_bytes().to_vec(), modifiers.concat()].concat())
}

fn p(text: &str) -> (String, Vec<u8>) {
    styled(text, 0, &[])
}

fn cell(text: &str) -> (String, Vec<u8>) {
    styled(&format!("{text}\x07"), 0, &[sprm(0x2416, &[1])])
}

/// The end of a row with these edges; `continued` is a cell merged with the one above it.
fn row_end(edges: &[i16], is_header: bool, continued: Option<usize>) -> (String, Vec<u8>) {
    let count = edges.len() - 1;
    // Cells at the end that have no properties may be left out.
    let mut cells = vec![0; continued.map_or(0, |cell| 20 * (cell + 1))];
    if let Some(cell) = continued {
        cells[20 * cell] = 0x20;
    }
    let edges: Vec<u8> = edges.iter().flat_map(|edge| edge.to_le_bytes()).collect();
    let size = (2 + edges.len() + cells.len()) as u16;
    let definition = [&size.to_le_bytes()[..], &[count as u8], &edges, &cells].concat();
    let header = sprm(0x3404, &[u8::from(is_header)]);
    styled("\x07", 0, &[sprm(0x2416, &[1]), sprm(0x2417, &[1]), sprm(0xD608, &definition), header])
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn positions(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

fn style_sheet() -> Vec<u8> {
    let style = |built_in: u16, base: u16, name: &str, modifiers: &[u8]| {
        let mut style: Vec<u8> =
            [built_in, 1 | base << 4, 2, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        style.extend((name.len() as u16).to_le_bytes());
        style.extend(utf16(name));
        style.extend([0, 0]);
        style.extend((2 + modifiers.len() as u16).to_le_bytes());
        style.extend([0, 0]);
        style.extend(modifiers);
        style.resize(style.len().next_multiple_of(2), 0);
        [&(style.len() as u16).to_le_bytes()[..], &style].concat()
    };
    let list = [sprm(0x460B, &[1, 0]), sprm(0x260A, &[0])].concat();
    let mut sheet = vec![18, 0, 5, 0, 10, 0];
    sheet.resize(20, 0);
    sheet.extend(style(0, 0xFFF, "Normal", &[]));
    sheet.extend(style(1, 0, "heading 1", &[]));
    sheet.extend([0, 0]);
    sheet.extend(style(0xFFE, 1, "Clause", &list));
    // A style of characters that hides them.
    let mut secret: Vec<u8> =
        [0xFFE, 2 | 0xFFF0, 1, 0, 0, 1, b'S'.into(), 0].iter().flat_map(|word: &u16| word.to_le_bytes()).collect();
    secret.extend([&[3, 0][..], &sprm(0x083C, &[1]), &[0]].concat());
    sheet.extend((secret.len() as u16).to_le_bytes());
    sheet.extend(secret);
    sheet
}

/// One list of two levels in use: "1." and "(a)".
fn lists() -> (Vec<u8>, Vec<u8>) {
    let level = |format: u8, text: &[u16]| {
        let mut level = vec![1, 0, 0, 0, format];
        level.resize(28, 0);
        level.extend((text.len() as u16).to_le_bytes());
        level.extend(text.iter().flat_map(|unit| unit.to_le_bytes()));
        level
    };
    let mut definitions = vec![1, 0, 77, 0, 0, 0];
    definitions.resize(2 + 28, 0);
    definitions.extend(level(0, &[0, u16::from(b'.')]));
    definitions.extend(level(4, &[u16::from(b'('), 1, u16::from(b')')]));
    (0..7).for_each(|_| definitions.extend(level(0, &[])));
    (definitions, [numbers(&[1, 77, 0, 0, 0]), vec![0; 4]].concat())
}

/// A document of these paragraphs, each a piece of its own, with 8 bits a character if that is enough. Notes belong to
/// the characters U+0002 of the text. The table stream ends with the piece table.
fn parts(main: &[(String, Vec<u8>)], footnotes: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let notes: Vec<_> = footnotes.iter().map(|note| p(note)).collect();
    let (mut text, mut pieces, mut bounds, mut ends) = (Vec::new(), Vec::new(), vec![0], vec![TEXT_AT as u32]);
    for (paragraph, _) in main.iter().chain(&notes) {
        let place = (TEXT_AT + text.len()) as u32;
        let compressed = paragraph.chars().all(|c| c.is_ascii() || ('\u{A0}'..='\u{FF}').contains(&c));
        let place = if compressed { (place * 2) | 0x4000_0000 } else { place };
        text.extend(if compressed { paragraph.chars().map(|c| c as u8).collect() } else { utf16(paragraph) });
        pieces.extend([vec![0, 0], place.to_le_bytes().to_vec(), vec![0, 0]].concat());
        bounds.push(bounds[bounds.len() - 1] + positions(paragraph));
        ends.push((TEXT_AT + text.len()) as u32);
    }
    let mut page = numbers(&ends);
    let (mut heap, mut entries) = (510usize, Vec::new());
    let mut properties = vec![0u8; 512];
    for (_, modifiers) in main.iter().chain(&notes) {
        heap -= (modifiers.len() + 2).next_multiple_of(2);
        properties[heap + 1] = modifiers.len().div_ceil(2) as u8;
        properties[heap + 2..heap + 2 + modifiers.len()].copy_from_slice(modifiers);
        entries.extend([vec![(heap / 2) as u8], vec![0; 12]].concat());
    }
    page.extend(entries);
    assert!(page.len() <= heap, "too much for a page of properties");
    properties[..page.len()].copy_from_slice(&page);
    properties[511] = (ends.len() - 1) as u8;

    let mut stream = vec![0; TEXT_AT];
    stream.extend(text);
    stream.resize(stream.len().next_multiple_of(512), 0);
    let page_number = (stream.len() / 512) as u32;
    stream.extend(properties);

    let joined: String = main.iter().map(|(text, _)| &**text).collect();
    let references = joined.encode_utf16().zip(0..).filter(|(unit, _)| *unit == 2).map(|(_, position)| position);
    let mut references = references.collect::<Vec<u32>>();
    let count = references.len();
    references.push(positions(&joined));
    let mut note_ends = vec![0];
    footnotes.iter().for_each(|note| note_ends.push(note_ends[note_ends.len() - 1] + positions(note)));

    let (definitions, lists) = lists();
    let plc = [numbers(&bounds), pieces].concat();
    let clx = [&[2][..], &numbers(&[plc.len() as u32]), &plc].concat();
    let mut table = Vec::new();
    let words = |stream: &mut Vec<u8>, at: usize, values: &[u32]| {
        stream[at..at + 4 * values.len()].copy_from_slice(&numbers(values));
    };
    for (index, content) in [
        (1, style_sheet()),
        (2, [numbers(&references), vec![1; 2 * count]].concat()),
        (3, numbers(&note_ends)),
        (13, numbers(&[TEXT_AT as u32, u32::MAX, page_number])),
        (73, definitions),
        (74, lists),
        (33, clx),
    ] {
        let counted = if index == 73 { 30 } else { content.len() };
        words(&mut stream, 0x9A + 8 * index, &[table.len() as u32, counted as u32]);
        table.extend(content);
    }
    words(&mut stream, 0, &[0x00C1_A5EC]);
    words(&mut stream, 8, &[0x0200_0000]);
    words(&mut stream, 0x4C, &[positions(&joined), positions(&footnotes.concat())]);
    for (at, count) in [(32, 14), (62, 22), (0x98, 93)] {
        stream[at] = count;
    }
    (stream, table)
}

fn file(stream: &[u8], table: &[u8]) -> Vec<u8> {
    let summary = summary_of(b"Lease  of land\0", 1252);
    compound_file_of(&[("/WordDocument", stream), ("/1Table", table), ("/\u{5}SummaryInformation", &summary)])
}

fn read(stream: &[u8], table: &[u8]) -> Result<Extraction> {
    crate::extract(Path::new("lease.doc"), &file(stream, table), &ExtractOptions::default())
}

fn extract(main: &[(String, Vec<u8>)], footnotes: &[&str]) -> Extraction {
    let (stream, table) = parts(main, footnotes);
    let extraction = read(&stream, &table).unwrap();
    assert_eq!(extraction.format, FileFormat::Doc);
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn texts(extraction: &Extraction) -> Vec<&str> {
    extraction.pages.iter().map(|page| &*page.text).collect()
}

fn kinds(extraction: &Extraction) -> Vec<BlockKind> {
    extraction.pages.iter().flat_map(|page| &page.blocks).map(|block| block.kind.clone()).collect()
}

fn row(row: u32, first_column: u32, last_column: u32, header: bool) -> BlockKind {
    BlockKind::TableRow { table: 0, row, first_column, last_column, header }
}

#[test]
fn headings_labels_and_notes() {
    let second_level = [sprm(0x460B, &[1, 0]), sprm(0x260A, &[1])];
    let extraction = extract(
        &[
            styled("Pachtvertrag für Šabac 😀\r", 1, &[]),
            styled("Term\r", 3, &[]),
            styled("starts in May\x02\r", 0, &second_level),
            styled("ends in June\r", 0, &second_level),
            styled("Rent is due\r", 3, &[sprm(0x2640, &[9])]),
            styled("Outlined\r", 0, &[sprm(0x2640, &[2])]),
            p("Text\r"),
        ],
        &["\x02 As amended.\r"],
    );
    assert_eq!(extraction.title.as_deref(), Some("Lease of land"));
    assert_properties(&extraction, ["Ann", "2024-06-20T07:15:30Z", "2024-06-20T07:15:30Z", ""]);
    assert_eq!(
        texts(&extraction),
        [
            "Pachtvertrag für Šabac 😀\n1. Term\n(a) starts in May[1]\n(b) ends in June\n2. Rent is due\nOutlined\nText\n\
          [1] As amended."
        ]
    );
    let heading = |level| BlockKind::Heading { level };
    assert_eq!(
        kinds(&extraction),
        [
            heading(1),
            heading(1),
            BlockKind::ListItem,
            BlockKind::ListItem,
            BlockKind::ListItem,
            heading(3),
            BlockKind::Paragraph,
            BlockKind::Paragraph
        ]
    );
}

#[test]
fn fields_show_their_result_and_breaks_make_pages() {
    let extraction = extract(
        &[
            p("See \x13 HYPERLINK \"http://a.b\" \x14clause \x13REF x\x144\x15\x15, a\x1Eb, co\x1Fop,\x0Bnext\x01\r"),
            p("one\x0Ctwo\r"),
            styled("three\r", 0, &[sprm(0x2407, &[1])]),
            p("\x13 TOC without an end\r"),
            p("still there\r"),
        ],
        &[],
    );
    assert_eq!(texts(&extraction), ["See clause 4, a-b, coop,\nnext\none", "two", "three\nstill there"]);
}

#[test]
fn notes_stand_on_the_page_that_refers_to_them() {
    let extraction = extract(&[p("one\x02\x0Ctwo\x02\r"), p("\x0Cthree\r")], &["\x02 First.\r", "\x02 Second.\r"]);
    assert_eq!(texts(&extraction), ["one[1]\n[1] First.", "two[2]\n[2] Second.", "three"]);
}

#[test]
fn tables_are_read_row_by_row() {
    let narrow = [0, 1000, 2000, 3000];
    let extraction = extract(
        &[
            p("Before\r"),
            cell("Item"),
            cell("From"),
            cell("To"),
            row_end(&narrow, true, None),
            styled("Rent\r", 0, &[sprm(0x2416, &[1])]),
            cell("net"),
            cell("1 May"),
            cell(""),
            row_end(&narrow, false, None),
            // Wider cells: the second one starts at the third column. Edges are drawn by hand.
            cell("gone"),
            cell("agreed"),
            row_end(&[3, 2010, 3000], false, Some(0)),
            p("After\r"),
            cell("Framed"),
            row_end(&[0, 3000], false, None),
        ],
        &[],
    );
    assert_eq!(texts(&extraction), ["Before\nItem\tFrom\tTo\nRent net\t1 May\nagreed\nAfter\nFramed"]);
    let kinds = kinds(&extraction);
    assert_eq!(kinds[1..4], [row(1, 1, 3, true), row(2, 1, 2, false), row(3, 3, 3, false)]);
    assert_eq!(kinds[5], BlockKind::Paragraph);
}

#[test]
fn old_files_give_their_text() {
    let text = b"Quarterly \x93report\x94\rA\x07B\x07\x07C\x07D\x07\x07Note\r";
    let mut stream = vec![0; 1024];
    stream[..4].copy_from_slice(&[0xDC, 0xA5, 101, 0]);
    stream[6] = 9;
    stream[24..28].copy_from_slice(&numbers(&[1024]));
    stream[28..32].copy_from_slice(&numbers(&[1024 + text.len() as u32]));
    stream[0x34..0x3C].copy_from_slice(&numbers(&[text.len() as u32 - 5, 5]));
    stream.extend(text);
    let extraction = read(&stream, &[]).unwrap();
    assert_eq!(texts(&extraction), ["Quarterly “report”\nA\tB\t\nC\tD\nNote"]);
}

/// A document of Word 95: text that is not in pieces, of `chars` characters.
fn old_document(language: u16, flags: u16, character_set: u16, chars: u32, text: &[u8]) -> Extraction {
    let mut stream = vec![0; 1024];
    stream[..4].copy_from_slice(&[0xDC, 0xA5, 104, 0]);
    stream[6..8].copy_from_slice(&language.to_le_bytes());
    stream[10..12].copy_from_slice(&flags.to_le_bytes());
    stream[20..22].copy_from_slice(&character_set.to_le_bytes());
    stream[24..32].copy_from_slice(&numbers(&[1024, 1024 + text.len() as u32]));
    stream[0x34..0x38].copy_from_slice(&numbers(&[chars]));
    stream.extend(text);
    read(&stream, &[]).unwrap()
}

#[test]
fn old_files_of_a_macintosh_give_their_text() {
    let extraction = old_document(0x0409, 0, 0x0100, 14, b"\xD2\x8Er\xD3 \xA52\xDB \xB7 x\r\r");
    assert_eq!(texts(&extraction), ["“ér” •2€ ∑ x"]);
}

#[test]
fn old_files_of_far_east_editions_give_their_text() {
    let text = "契約 12ｱ\r";
    for (language, encoding) in [
        (0x0411, encoding_rs::SHIFT_JIS),
        (0x0404, encoding_rs::BIG5),
        (0x0804, encoding_rs::GBK),
        (0x0412, encoding_rs::EUC_KR),
    ] {
        let text = if language == 0x0411 { text } else { "契 12x\r" };
        let bytes = encoding.encode(text).0;
        let narrow = old_document(language, 0, 0, bytes.len() as u32, &bytes);
        assert_eq!(texts(&narrow), [text.trim_end()]);
        let wide: Vec<u8> = text
            .chars()
            .flat_map(|c| match *encoding.encode(c.encode_utf8(&mut [0; 4])).0 {
                [first, second] => [second, first],
                [only] => [only, 0],
                _ => [0, 0],
            })
            .collect();
        let wide = old_document(language, 0x1000, 0, text.chars().count() as u32, &wide);
        assert_eq!(texts(&wide), [text.trim_end()]);
    }
    assert_eq!(texts(&old_document(0x0409, 0x1000, 0, 3, &utf16("Ω契\r"))), ["Ω契"]);
}

#[test]
fn what_cannot_be_read_says_why() {
    let (stream, table) = parts(&[p("plain\r")], &[]);
    assert_eq!(read(&stream, &[]).unwrap_err().code, ErrorCode::UnreadableFile);
    assert_eq!(read(&stream[..100], &table).unwrap_err().code, ErrorCode::UnreadableFile);
    assert_eq!(read(b"", &table).unwrap_err().code, ErrorCode::UnreadableFile);
    let (stream, table) = parts(&[p("\r")], &[]);
    assert_eq!(read(&stream, &table).unwrap_err().code, ErrorCode::EmptyFile);
}

#[test]
fn damaged_pieces_cost_themselves() {
    let (stream, table) = parts(&[p("first\r"), p("second\r"), p("third\r")], &[]);
    let piece = |index: usize| table.len() - 8 * (3 - index) + 2;
    let bound = |index: usize| table.len() - 8 * 3 - 4 * (4 - index);
    let with = |at: usize, number: u32| {
        let mut lying = table.clone();
        lying[at..at + 4].copy_from_slice(&number.to_le_bytes());
        read(&stream, &lying).unwrap()
    };
    for (at, number, expected) in [
        // Outside of the stream.
        (piece(1), 0x3FFF_FFFF, "first\nthird"),
        // The same place twice.
        (piece(1), (TEXT_AT as u32 * 2) | 0x4000_0000, "first\nfirst\nsthird"),
        // Reversed: the next piece covers the positions that were skipped.
        (bound(2), 3, "first\nrd"),
    ] {
        let extraction = with(at, number);
        assert_eq!(extraction.pages[0].text, expected, "{number:x}");
        assert_eq!(extraction.warnings.is_empty(), expected.contains("sthird"));
    }
}

#[test]
fn damaged_list_definitions_cost_labels_and_are_named() {
    let (stream, table) = parts(&[styled("Term\r", 3, &[])], &[]);
    assert_eq!(texts(&read(&stream, &table).unwrap()), ["1. Term"]);
    for index in [73, 74] {
        let at = 0x9A + 8 * index;
        let place = u32::from_le_bytes(stream[at..at + 4].try_into().unwrap()) as usize;
        let mut lying = table.clone();
        // More of them than there are.
        lying[place..place + 2].fill(0xFF);
        let extraction = read(&stream, &lying).unwrap();
        assert_eq!(texts(&extraction), ["Term"]);
        assert_eq!(extraction.warnings, ["The list definitions are damaged; list labels may be missing."]);
    }
}

/// Every failure is an error or less text, never a panic, and never more text than there is.
fn survives(stream: &[u8], table: &[u8]) {
    match read(stream, table) {
        Ok(extraction) => {
            let chars: usize = extraction.pages.iter().map(|page| page.text.chars().count()).sum();
            assert!(chars <= 40 * (stream.len() + table.len()), "{chars} characters");
            extraction.pages.iter().for_each(assert_page_invariants);
        }
        Err(error) => assert!(!error.message.contains("parser failed"), "{}", error.message),
    }
}

fn rich() -> (Vec<u8>, Vec<u8>) {
    parts(
        &[
            styled("Heading\r", 1, &[]),
            styled("Clause\x02\r", 3, &[]),
            cell("a"),
            cell("b"),
            row_end(&[0, 1000, 2000], true, Some(1)),
            p("Ende \u{2014} \x13FORMCHECKBOX\x01\x15\x0C\r"),
        ],
        &["\x02 Note\r"],
    )
}

#[test]
fn truncated_streams_are_survived() {
    let (stream, table) = rich();
    (0..stream.len()).step_by(7).for_each(|length| survives(&stream[..length], &table));
    (0..table.len()).for_each(|length| survives(&stream, &table[..length]));
}

#[test]
fn lying_numbers_are_survived() {
    let (stream, table) = rich();
    for at in (0..TEXT_AT / 2).step_by(2) {
        for value in [[0xFF; 4], [0xFF, 0xFF, 0xFF, 0x7F], [1, 0, 0, 0]] {
            let mut lying = stream.clone();
            lying[at..at + 4].copy_from_slice(&value);
            survives(&lying, &table);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_bytes_are_survived(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let (stream, mut table) = rich();
        let mut used = stream;
        for (at, byte) in changes {
            // Half of them in the tables, the others behind the text too.
            let at = at.index(used.len() + table.len());
            match at.checked_sub(used.len()) {
                Some(at) => table[at] = byte,
                None => used[at] = byte,
            }
        }
        survives(&used, &table);
    }
}

mod characters;
mod revisions;
