//! Tracked changes: the three views, who and when, and where.

use casetrack_core::{ChangeKind, TextView};

use super::characters::{add_table, with_runs};
use super::*;

const REVISERS: usize = 51;
const ANN: u16 = 1;
const BOB: u16 = 2;

/// 3 May 2024, five past nine: minutes, hours, day, month, years from 1900.
const DATE: u32 = 5 | 9 << 6 | 3 << 11 | 5 << 16 | 124 << 20;

fn ins(author: u16, date: u32) -> Vec<u8> {
    [sprm(0x0801, &[1]), sprm(0x4804, &author.to_le_bytes()), sprm(0x6805, &date.to_le_bytes())].concat()
}

fn del(author: u16, date: u32) -> Vec<u8> {
    [sprm(0x0800, &[1]), sprm(0x4863, &author.to_le_bytes()), sprm(0x6864, &date.to_le_bytes())].concat()
}

fn kept() -> Vec<u8> {
    Vec::new()
}

fn revisers() -> Vec<u8> {
    let names = ["Unknown", "Ann Lee", "Bob"];
    let mut table = vec![0xFF, 0xFF, names.len() as u8, 0, 0, 0];
    for name in names {
        table.extend((name.len() as u16).to_le_bytes());
        table.extend(utf16(name));
    }
    table
}

/// Paragraphs and notes in which these pieces follow each other, each with its change.
fn file_of(main: &[(String, Vec<u8>)], footnotes: &[&str], pieces: &[(&str, Vec<u8>)]) -> (Vec<u8>, Vec<u8>) {
    let mut at = 0;
    let mut runs = Vec::new();
    for (piece, properties) in pieces {
        runs.push((at, properties.clone()));
        at += piece.len();
    }
    let (mut stream, mut table) = with_runs(main, footnotes, &runs);
    add_table(&mut stream, &mut table, REVISERS, &revisers());
    (stream, table)
}

fn text_of(pieces: &[(&str, Vec<u8>)]) -> String {
    pieces.iter().map(|(piece, _)| *piece).collect()
}

fn draft(pieces: &[(&str, Vec<u8>)]) -> Extraction {
    let (stream, table) = file_of(&[p(&text_of(pieces))], &[], pieces);
    checked(&stream, &table)
}

fn checked(stream: &[u8], table: &[u8]) -> Extraction {
    let extraction = read(stream, table).unwrap();
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn views(extraction: &Extraction) -> [String; 3] {
    [TextView::Final, TextView::Original, TextView::Redline].map(|view| {
        let pages = extraction.pages.iter().map(|page| view.of(&page.text, 0, &page.notes.changes));
        pages.collect::<Vec<_>>().join("\u{c}")
    })
}

#[test]
fn characters_that_were_inserted_and_deleted_have_author_date_and_place() {
    let extraction = draft(&[
        ("Rent is ", kept()),
        ("1,000", del(BOB, DATE)),
        ("1,200", ins(ANN, DATE + 1)),
        (" a ", sprm(0x0800, &[0x80])),
        // As newer programs write it: the opposite of the style.
        ("year", [sprm(0x0800, &[0x81]), sprm(0x4863, &[9, 0])].concat()),
        ("month", sprm(0x0801, &[0x81])),
        (".", kept()),
        ("both", [ins(ANN, 0), del(BOB, 0)].concat()),
        ("\r", kept()),
    ]);
    assert_eq!(
        views(&extraction),
        ["Rent is 1,200 a month.", "Rent is 1,000 a year.", "Rent is [-1,000-][+1,200+] a [-year-][+month+].[-both-]"]
    );
    let shown: Vec<_> = extraction.pages[0]
        .notes
        .changes
        .iter()
        .map(|change| {
            let by = (change.author.as_deref(), change.date.as_deref());
            (change.kind, change.char_start, change.char_end, &*change.text, by, change.of_insertion)
        })
        .collect();
    let (deleted, inserted) = (ChangeKind::Deletion, ChangeKind::Insertion);
    assert_eq!(
        shown,
        [
            (deleted, 8, 8, "1,000", (Some("Bob"), Some("2024-05-03T09:05")), false),
            (inserted, 8, 13, "", (Some("Ann Lee"), Some("2024-05-03T09:06")), false),
            (deleted, 16, 16, "year", (None, None), false),
            (inserted, 16, 21, "", (None, None), false),
            (deleted, 22, 22, "both", (Some("Bob"), None), true),
        ]
    );
}

#[test]
fn ends_of_paragraphs_that_were_inserted_and_deleted_have_changes() {
    let extraction = draft(&[
        ("One ", kept()),
        ("\r", del(ANN, 0)),
        ("and two.\r", kept()),
        ("Garage.\r", del(ANN, 0)),
        ("Deposit.", kept()),
        ("\rNew.", ins(BOB, 0)),
        ("\rLast.\r", kept()),
    ]);
    assert_eq!(
        views(&extraction),
        [
            "One and two.\nDeposit.\nNew.\nLast.",
            "One \nand two.\nGarage.\nDeposit.\nLast.",
            "One [-\n-]and two.\n[-Garage.\n-]Deposit.[+\nNew.+]\nLast.",
        ]
    );
    // Nothing follows that could continue with its text.
    let extraction = draft(&[("All ", kept()), ("gone", del(ANN, 0)), ("\r", del(ANN, 0))]);
    assert_eq!(views(&extraction)[..2], ["All", "All gone"]);
}

#[test]
fn rows_have_changes_and_no_paragraph_goes_on_in_a_table() {
    let edges = [0, 1000, 2000];
    let end = || row_end(&edges, false, None);
    let row = |first: &str, second: &str| [cell(first), cell(second), end()];
    let main: Vec<_> = [
        vec![p("Fees\r")],
        row("Rent", "1,0001,200").to_vec(),
        row("Garage", "50").to_vec(),
        row("Heat", "70").to_vec(),
        vec![p("After\r")],
    ]
    .concat();
    let pieces = [
        ("Fees", kept()),
        ("\r", del(ANN, 0)),
        ("Rent\x07", kept()),
        ("1,000", del(BOB, 0)),
        ("1,200", ins(BOB, 0)),
        ("\x07\x07", kept()),
        ("Garage\x0750\x07\x07", del(ANN, 0)),
        ("Heat\x0770\x07\x07", ins(ANN, 0)),
        ("After\r", kept()),
    ];
    let (stream, table) = file_of(&main, &[], &pieces);
    assert_eq!(
        views(&checked(&stream, &table)),
        [
            "Fees\nRent\t1,200\nHeat\t70\nAfter",
            "Fees\nRent\t1,000\nGarage\t50\nAfter",
            "Fees\nRent\t[-1,000-][+1,200+][-\nGarage\t50-]\n[+Heat\t70\n+]After",
        ]
    );
}

#[test]
fn fields_and_notes_that_were_deleted_are_part_of_the_deletion() {
    let pieces = [
        ("See ", kept()),
        ("\x13 REF a \x14clause 4\x15", del(ANN, 0)),
        ("\x13 REF b \x14clause 5\x15", ins(ANN, 0)),
        (" there", kept()),
        ("\x02", del(BOB, 0)),
        (" and here\x02.\r", kept()),
        ("\x02 Old note.\r", del(BOB, 0)),
        ("\x02 As ", kept()),
        ("made", del(ANN, 0)),
        ("amended", ins(ANN, 0)),
        (".\r", kept()),
    ];
    let (stream, table) =
        file_of(&[p(&text_of(&pieces[..6]))], &["\x02 Old note.\r", "\x02 As madeamended.\r"], &pieces);
    assert_eq!(
        views(&checked(&stream, &table)),
        [
            "See clause 5 there and here[2].\n[2] As amended.",
            "See clause 4 there [note: Old note.] and here[2].\n[2] As made.",
            "See [-clause 4-][+clause 5+] there[- [note: Old note.]-] and here[2].\n[2] As [-made-][+amended+].",
        ]
    );
}

#[test]
fn labels_of_inserted_paragraphs_are_inserted() {
    let clause = |text: &str| styled(text, 3, &[]);
    let pieces = [("Rent", kept()), ("\rHeat", ins(ANN, 0)), ("\rTerm\r", kept())];
    let (stream, table) = file_of(&[clause("Rent\r"), clause("Heat\r"), clause("Term\r")], &[], &pieces);
    assert_eq!(
        views(&checked(&stream, &table)),
        ["1. Rent\n2. Heat\n3. Term", "1. Rent\n3. Term", "1. Rent[+\n2. Heat+]\n3. Term"]
    );
}

#[test]
fn a_damaged_table_of_names_costs_names() {
    let pieces = [("a", ins(ANN, DATE)), ("b\r", kept())];
    let (stream, table) = file_of(&[p("ab\r")], &[], &pieces);
    let names = revisers().len();
    for length in table.len() - names..=table.len() {
        let extraction = read(&stream, &table[..length]).unwrap();
        let change = &extraction.pages[0].notes.changes[0];
        let whole = 6 + 2 * 2 + 2 * ("Unknown".len() + "Ann Lee".len());
        let known = length >= table.len() - names + whole;
        assert_eq!(change.author.as_deref(), known.then_some("Ann Lee"));
        assert_eq!(change.date.as_deref(), Some("2024-05-03T09:05"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_mixture_of_changes_is_survived(kinds in prop::collection::vec((0usize..9, 0usize..4), 1..14), cut in 0usize..400) {
        const TEXTS: [&str; 9] = ["ab ", "\r", "\x07", "\x0C", "\x13 REF \x14c", "\x15", "\x02", "\x01", "d\x08"];
        let done = [kept(), ins(ANN, DATE), del(BOB, 0), [ins(BOB, 0), del(ANN, DATE)].concat()];
        let pieces: Vec<_> = kinds.iter().map(|(text, how)| (TEXTS[*text], done[*how].clone())).collect();
        let notes = vec!["\x02 Note.\r"; text_of(&pieces).matches('\x02').count()];
        let (stream, table) = file_of(&[p(&text_of(&pieces))], &notes, &pieces);
        survives(&stream, &table);
        survives(&stream, &table[..table.len().saturating_sub(cut)]);
    }
}
