use casetrack_core::HiddenReason;

use super::*;
use crate::formats::picture_tests::{NOTICE, assert_is_marked, has_tesseract, notice};
use crate::test_files::hidden_texts;

const CHARACTER_PAGES: usize = 12;
const SHAPES: usize = 40;
const DRAWINGS: usize = 50;

pub(super) fn add_table(stream: &mut [u8], table: &mut Vec<u8>, index: usize, content: &[u8]) {
    let place = [table.len() as u32, content.len() as u32];
    stream[0x9A + 8 * index..][..8].copy_from_slice(&numbers(&place));
    table.extend(content);
}

/// A document of this text, of 8 bits a character, with properties of its characters from these places on.
fn with_characters(text: &str, runs: &[(usize, Vec<u8>)]) -> (Vec<u8>, Vec<u8>) {
    with_runs(&[p(text)], &[], runs)
}

/// As [`with_characters`], of paragraphs and notes; places continue through the notes.
pub(super) fn with_runs(
    main: &[(String, Vec<u8>)],
    footnotes: &[&str],
    runs: &[(usize, Vec<u8>)],
) -> (Vec<u8>, Vec<u8>) {
    let (mut stream, mut table) = parts(main, footnotes);
    let end = main.iter().map(|(text, _)| text.len()).chain(footnotes.iter().map(|note| note.len())).sum();
    let ends = runs.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let places: Vec<u32> = std::iter::once(0).chain(ends).map(|at| (TEXT_AT + at) as u32).collect();
    let mut page = vec![0; 512];
    page[..4 * places.len()].copy_from_slice(&numbers(&places));
    let mut heap = 510;
    for (index, (_, modifiers)) in runs.iter().enumerate().filter(|(_, (_, modifiers))| !modifiers.is_empty()) {
        heap -= (modifiers.len() + 1).next_multiple_of(2);
        page[heap] = modifiers.len() as u8;
        page[heap + 1..][..modifiers.len()].copy_from_slice(modifiers);
        page[4 * places.len() + index] = (heap / 2) as u8;
    }
    page[511] = runs.len() as u8;
    stream.resize(stream.len().next_multiple_of(512), 0);
    let number = (stream.len() / 512) as u32;
    stream.extend(page);
    add_table(&mut stream, &mut table, CHARACTER_PAGES, &numbers(&[TEXT_AT as u32, u32::MAX, number]));
    (stream, table)
}

#[test]
fn hidden_characters_are_read_and_marked() {
    let text = "The rent is ten million euros. Not due. Shown by both.\r";
    let at = |words: &str| text.find(words).unwrap();
    let vanish = |how: u8| sprm(0x083C, &[how]);
    let in_style = sprm(0x4A30, &[4, 0]);
    let (stream, table) = with_characters(
        text,
        &[
            (0, Vec::new()),
            (at("ten "), vanish(1)),
            (at("million"), [vanish(1), sprm(0x0835, &[1])].concat()),
            (at(" euros"), vanish(0)),
            (at("Not due"), in_style.clone()),
            (at(" Shown"), [in_style, vanish(0x81)].concat()),
        ],
    );
    let extraction = read(&stream, &table).unwrap();
    assert_eq!(texts(&extraction), ["The rent is ten million euros. Not due. Shown by both."]);
    let hidden = hidden_texts(&extraction.pages[0]);
    let hidden: Vec<(HiddenReason, &str)> = hidden.iter().map(|(reason, _, text)| (*reason, &**text)).collect();
    assert_eq!(hidden, [(HiddenReason::HiddenFormat, "ten million"), (HiddenReason::HiddenFormat, "Not due.")]);
    assert_eq!(
        extraction.warnings,
        ["Hidden text, which is read and marked as such: formatted as hidden on page 1 (2 passages, 19 characters)."]
    );
}

fn record(kind: u16, instance: u16, content: &[u8]) -> Vec<u8> {
    let is_container = matches!(kind, 0xF000..=0xF004);
    let head = instance << 4 | if is_container { 0xF } else { 0 };
    [&head.to_le_bytes()[..], &kind.to_le_bytes(), &(content.len() as u32).to_le_bytes(), content].concat()
}

/// The notice as a picture of drawings, and its entry in a list, with its place if it is stored apart.
fn picture() -> Vec<u8> {
    record(0xF01E, 0x6E0, &[vec![0; 17], notice()].concat())
}

fn entry(place: u32, picture: &[u8]) -> Vec<u8> {
    record(0xF007, 6, &[vec![0; 28], place.to_le_bytes().to_vec(), vec![0; 4], picture.to_vec()].concat())
}

fn assert_shows_notice(stream: &[u8], table: &[u8], data: &[u8]) {
    let file = compound_file_of(&[("/WordDocument", stream), ("/1Table", table), ("/Data", data)]);
    let extraction = crate::extract(Path::new("lease.doc"), &file, &ExtractOptions::default()).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(page.text, format!("See this.\nPicture: {NOTICE}\nAfter."));
    assert_eq!(assert_is_marked(page, "Picture", NOTICE), BlockKind::Paragraph);
    assert_eq!(extraction.warnings, Vec::<String>::new());
}

#[test]
fn pictures_in_the_text_are_read() {
    if !has_tesseract() {
        return;
    }
    let shape = [record(0xF004, 0, &[]), entry(u32::MAX, &picture())].concat();
    let head = [&numbers(&[68 + shape.len() as u32])[..], &[68, 0, 0x64, 0]].concat();
    let data = [vec![9; 4], head, vec![0; 60], shape].concat();
    let text = "See \x01this.\rAfter.\r";
    let place = [sprm(0x0855, &[1]), sprm(0x6A03, &[4, 0, 0, 0])].concat();
    let (stream, table) = with_characters(text, &[(0, Vec::new()), (4, place), (5, Vec::new())]);
    assert_shows_notice(&stream, &table, &data);
}

#[test]
fn pictures_that_float_are_read() {
    if !has_tesseract() {
        return;
    }
    let (mut stream, mut table) = with_characters("See \x08this.\rAfter.\r", &[(0, sprm(0x0855, &[1]))]);
    let place = stream.len() as u32;
    stream.extend(picture());
    let group = record(0xF000, 0, &record(0xF001, 1, &entry(place, &[])));
    let number = record(0xF00A, 75, &numbers(&[1025, 0]));
    let options = record(0xF00B, 1, &[&0x4104u16.to_le_bytes()[..], &numbers(&[1])].concat());
    let shape = record(0xF004, 0, &[number, options].concat());
    let drawing = |content: &[u8]| record(0xF002, 0, &record(0xF003, 0, content));
    // That of headers follows.
    let drawings = [group, vec![0], drawing(&shape), vec![1], drawing(&[])].concat();
    add_table(&mut stream, &mut table, DRAWINGS, &drawings);
    let shape = [numbers(&[4, 17]), numbers(&[1025]), vec![0; 22]].concat();
    add_table(&mut stream, &mut table, SHAPES, &shape);
    assert_shows_notice(&stream, &table, &[]);
}

/// The stories of headers and footers, and comments, follow each other behind the text.
#[test]
fn comments_and_margins_stand_on_the_page_of_their_place() {
    let (margins, comment) = (["Lease of land\r\r", "Annex\r\r", "Draft 3\r\r"], "\x05Ask Ben.\r");
    let stories: Vec<&str> = margins.into_iter().chain([comment]).collect();
    let (mut stream, mut table) = parts(&[p("One\x05.\x0C"), p("Two.\r")], &stories);
    let size = margins.concat().len() as u32;
    stream[0x4C..0x60].copy_from_slice(&numbers(&[11, 0, size, 0, comment.len() as u32]));
    let sections = [numbers(&[0, 6, 11]), vec![0xFF; 24]].concat();
    let separators = [0; 6];
    // Headers of even and odd pages, footers of even and odd pages, both of the first page.
    let places = [separators, [0, 0, 15, 15, 15, 15], [15, 15, 22, 22, size, size]].concat();
    let reference = [numbers(&[3, 11]), vec![0; 20], vec![1, 0], vec![0; 8]].concat();
    let names = ["Zoe", "Ann Lee"].map(|name| [vec![name.len() as u8, 0], utf16(name)].concat()).concat();
    for (index, content) in [
        (4, reference),
        (5, numbers(&[0, comment.len() as u32, 0])),
        (6, sections),
        (11, numbers(&[places, vec![size, size]].concat())),
        (36, names),
    ] {
        add_table(&mut stream, &mut table, index, &content);
    }
    let extraction = read(&stream, &table).unwrap();
    assert_eq!(
        texts(&extraction),
        ["One.\nComment by Ann Lee: Ask Ben.\nHeader: Lease of land", "Two.\nHeader: Annex\nFooter: Draft 3"]
    );
    extraction.pages.iter().for_each(assert_page_invariants);
    (0..table.len()).step_by(3).for_each(|length| survives(&stream, &table[..length]));
}
