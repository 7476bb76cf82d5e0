use std::io::Read;
use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, HiddenReason, Result};
use flate2::Compression;
use flate2::read::ZlibEncoder;
use proptest::prelude::*;

use super::records::kind;
use crate::test_files::{assert_page_invariants, assert_properties, compound_file_of, summary_of};
use crate::{ExtractOptions, Extraction};

const TITLE: u32 = 0;
const BODY: u32 = 1;
const NOTES: u32 = 2;
const OTHER: u32 = 4;
const TITLE_PLACEHOLDER: u8 = 0x0D;
const BODY_PLACEHOLDER: u8 = 0x0E;
const FIRST_MASTER: u32 = 0x8000_0000;

fn record(kind: u16, instance: u16, content: &[u8]) -> Vec<u8> {
    let head = [(instance << 4).to_le_bytes(), kind.to_le_bytes()].concat();
    [&head[..], &(content.len() as u32).to_le_bytes(), content].concat()
}

fn container(kind: u16, instance: u16, children: &[Vec<u8>]) -> Vec<u8> {
    let mut container = record(kind, instance, &children.concat());
    container[0] |= 0xF;
    container
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn string(instance: u16, text: &str) -> Vec<u8> {
    record(kind::STRING, instance, &utf16(text))
}

/// A text, of 8 bits a character if that is enough.
fn text(text_type: u32, text: &str) -> Vec<u8> {
    let header = record(kind::TEXT_HEADER, 0, &numbers(&[text_type]));
    let is_short = text.is_ascii();
    let (kind, content) =
        if is_short { (kind::TEXT_BYTES, text.as_bytes().to_vec()) } else { (kind::TEXT_CHARS, utf16(text)) };
    [header, record(kind, 0, &content)].concat()
}

fn outline(index: u32) -> Vec<u8> {
    record(kind::OUTLINE_REFERENCE, 0, &numbers(&[index]))
}

fn shape(placeholder: u8, text_box: &[Vec<u8>]) -> Vec<u8> {
    let data = [record(kind::PLACEHOLDER, 0, &[0, 0, 0, 0, placeholder, 0, 0, 0])];
    container(kind::SHAPE, 0, &[container(kind::CLIENT_DATA, 0, &data), container(kind::TEXT_BOX, 0, text_box)])
}

fn text_box(content: &str) -> Vec<u8> {
    shape(0, &[text(OTHER, content)])
}

fn drawing(shapes: &[Vec<u8>]) -> Vec<u8> {
    let group = container(kind::GROUP, 0, shapes);
    container(kind::DRAWING, 0, &[container(kind::DRAWING_CONTAINER, 0, &[group])])
}

fn tag(name: &str, records: &[Vec<u8>]) -> Vec<u8> {
    let data = record(kind::BINARY_TAG_DATA, 0, &records.concat());
    container(kind::TAGS, 0, &[container(kind::BINARY_TAG, 0, &[string(0, name), data])])
}

fn slide(notes: u32, rest: &[Vec<u8>]) -> Vec<u8> {
    let atom = [numbers(&[0, 0, 0, FIRST_MASTER, notes]), vec![7, 0, 0, 0]].concat();
    container(kind::SLIDE, 0, &[vec![record(kind::SLIDE_ATOM, 0, &atom)], rest.to_vec()].concat())
}

fn notes(shapes: &[Vec<u8>]) -> Vec<u8> {
    container(kind::NOTES, 0, &[drawing(shapes)])
}

/// A master whose body has bullets on its first level only.
fn master(shapes: &[Vec<u8>]) -> Vec<u8> {
    let level = |has_bullet: u8| [numbers(&[1]), vec![has_bullet, 0], numbers(&[0])].concat();
    let styles = [vec![2, 0], level(1), level(0)].concat();
    container(kind::MAIN_MASTER, 0, &[record(kind::MASTER_STYLE, 1, &styles), drawing(shapes)])
}

fn listed(object: u32, id: u32, texts: &[Vec<u8>]) -> Vec<u8> {
    [record(kind::SLIDE_PERSIST, 0, &numbers(&[object, 0, 0, id, 0])), texts.concat()].concat()
}

fn list(instance: u16, entries: &[Vec<u8>]) -> Vec<u8> {
    container(kind::SLIDE_LIST, instance, entries)
}

fn document(children: &[Vec<u8>]) -> Vec<u8> {
    container(kind::DOCUMENT, 0, children)
}

/// The streams of a presentation: the main one, and the one that points to its newest edit.
struct Streams {
    main: Vec<u8>,
    current_user: Vec<u8>,
}

impl Streams {
    /// The objects have numbers from 1; the first one is the document.
    fn of(objects: &[Vec<u8>]) -> Self {
        let mut streams = Self { main: Vec::new(), current_user: Vec::new() };
        streams.save(1, objects, &[]);
        streams
    }

    /// Adds an edit that holds objects from this number on.
    fn save(&mut self, first: u32, objects: &[Vec<u8>], key: &[u32]) {
        let before = self.current_user.get(16..20).map_or(0, |place| u32::from_le_bytes(place.try_into().unwrap()));
        let mut directory = vec![first | (objects.len() as u32) << 20];
        for object in objects {
            directory.push(self.main.len() as u32);
            self.main.extend(object);
        }
        let directory_at = self.main.len() as u32;
        self.main.extend(record(kind::PERSIST_DIRECTORY, 0, &numbers(&directory)));
        let edit_at = self.main.len() as u32;
        let edit = [&[0, 0, before, directory_at, 1, 0, 0], key].concat();
        self.main.extend(record(kind::USER_EDIT, 0, &numbers(&edit)));
        self.current_user = [vec![0; 8], numbers(&[20, 0xE391_C05F, edit_at, 0])].concat();
    }

    fn file(&self) -> Vec<u8> {
        compound_file_of(&[("/PowerPoint Document", &self.main), ("/Current User", &self.current_user)])
    }

    fn read(&self) -> Result<Extraction> {
        read(&self.file())
    }
}

fn read(file: &[u8]) -> Result<Extraction> {
    let extraction = crate::extract(Path::new("deck.ppt"), file, &ExtractOptions::default())?;
    assert_eq!(extraction.format, FileFormat::Ppt);
    extraction.pages.iter().for_each(assert_page_invariants);
    Ok(extraction)
}

fn one_slide(rest: &[Vec<u8>]) -> Streams {
    Streams::of(&[document(&[list(0, &[listed(2, 256, &[])])]), slide(0, rest)])
}

fn texts(extraction: &Extraction) -> Vec<&str> {
    extraction.pages.iter().map(|page| &*page.text).collect()
}

fn kinds(extraction: &Extraction) -> Vec<BlockKind> {
    extraction.pages.iter().flat_map(|page| &page.blocks).map(|block| block.kind.clone()).collect()
}

/// Two slides with notes, under a master with a text of its own.
fn deck() -> Streams {
    let levels = [numbers(&[5]), vec![0, 0], numbers(&[0, 4]), vec![1, 0], numbers(&[0])].concat();
    let points = [text(BODY, "Rent\rDue"), record(kind::TEXT_STYLE, 0, &levels)].concat();
    let document = document(&[
        list(1, &[listed(2, FIRST_MASTER, &[])]),
        list(
            0,
            &[listed(4, 257, &[text(TITLE, "Site\u{B}report"), points]), listed(3, 256, &[text(BODY, "No shape")])],
        ),
        list(2, &[listed(5, 300, &[])]),
    ]);
    let number = [text(OTHER, "*"), record(kind::SLIDE_NUMBER, 0, &[0; 8])].concat();
    Streams::of(&[
        document,
        master(&[shape(1, &[text(TITLE, "Click here")]), text_box("On every slide")]),
        slide(0, &[drawing(&[text_box("Ωmega R&D")])]),
        slide(
            300,
            &[drawing(&[
                text_box("drawn first"),
                shape(TITLE_PLACEHOLDER, &[outline(0)]),
                shape(BODY_PLACEHOLDER, &[outline(1)]),
                shape(0, &[number]),
            ])],
        ),
        notes(&[shape(0x0C, &[text(NOTES, "Say hello.\rThen stop.")]), shape(0x09, &[text(OTHER, "Footer")])]),
    ])
}

#[test]
fn slides_are_pages_in_the_order_of_the_list() {
    let extraction = deck().read().unwrap();
    assert_eq!(
        texts(&extraction),
        ["Site report\ndrawn first\nRent\nDue\nOn every slide\nNotes: Say hello.\nThen stop.", "Ωmega R&D\nNo shape"]
    );
    use BlockKind::{Heading, ListItem, Paragraph};
    let first = [Heading { level: 1 }, Paragraph, ListItem, Paragraph, Paragraph, Paragraph];
    assert_eq!(kinds(&extraction), [&first[..], &[Paragraph, ListItem]].concat());
    assert_eq!(extraction.title.as_deref(), Some("Site report"));
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
}

#[test]
fn the_newest_edit_counts_and_the_summary_names_the_presentation() {
    let mut streams = deck();
    streams.save(3, &[slide(0, &[drawing(&[text_box("Changed")])])], &[]);
    let summary = summary_of(b"Lease\0", 1252);
    let file = compound_file_of(&[
        ("/PP97_DUALSTORAGE/PowerPoint Document", &streams.main),
        ("/PP97_DUALSTORAGE/Current User", &streams.current_user),
        ("/PowerPoint Document", b"of PowerPoint 95"),
        ("/\u{5}SummaryInformation", &summary),
    ]);
    let extraction = read(&file).unwrap();
    assert_eq!(extraction.pages[1].text, "Changed\nNo shape");
    assert_eq!(extraction.title.as_deref(), Some("Lease"));
    assert_properties(&extraction, ["Ann", "2024-06-20T07:15:30Z", "2024-06-20T07:15:30Z", ""]);
}

#[test]
fn bullets_numbers_symbols_and_fields_are_shown() {
    // Two numbered paragraphs, one with a sign of its own, one without, one with a symbol and two fields.
    let content = "one\rtwo\r-\u{2013}\rplain\r\u{F0E0} * of *";
    let paragraph =
        |count: u32, mask: u32, rest: &[u8]| [&numbers(&[count])[..], &[0, 0], &numbers(&[mask]), rest].concat();
    let character =
        |count: u32, mask: u32, value: u16| [numbers(&[count, mask]), value.to_le_bytes().to_vec()].concat();
    let style = [
        paragraph(8, 1, &[1, 0]),
        paragraph(3, 1 | 1 << 7 | 1 << 20, &[1, 0, b'*', 0, 1, 0, 9, 9, 9, 9]),
        paragraph(6, 1, &[0, 0]),
        paragraph(9, 0, &[]),
        character(8, 1 << 10, 1 << 10),
        character(9, 1 << 10, 0),
        character(9, 1 << 23, 3),
    ];
    let numbering = [vec![0; 12], numbers(&[3 << 24]), vec![1, 0, 12, 0, 3, 0], vec![0; 8]].concat();
    let data = tag("___PPT9", &[record(kind::TEXT_STYLE_9, 0, &numbering)]);
    let records = [
        text(OTHER, content),
        record(kind::TEXT_STYLE, 0, &style.concat()),
        record(kind::SLIDE_NUMBER, 0, &numbers(&[19])),
        record(kind::GENERIC_DATE, 0, &numbers(&[24])),
    ];
    let shape =
        container(kind::SHAPE, 0, &[container(kind::CLIENT_DATA, 0, &[data]), container(kind::TEXT_BOX, 0, &records)]);
    let fonts = container(kind::FONTS, 0, &[record(kind::FONT, 3, &utf16("Wingdings\0junk"))]);
    let footers = container(
        kind::HEADERS_FOOTERS,
        3,
        &[record(kind::HEADERS_FOOTERS_ATOM, 0, &[0, 0, 4, 0]), string(0, "1 May"), string(2, "hidden")],
    );
    let first_number = [vec![0; 32], vec![7, 0]].concat();
    let streams = Streams::of(&[
        document(&[
            record(kind::DOCUMENT_ATOM, 0, &first_number),
            container(kind::ENVIRONMENT, 0, &[fonts]),
            footers,
            list(0, &[listed(2, 256, &[])]),
        ]),
        slide(0, &[drawing(&[shape])]),
    ]);
    let extraction = streams.read().unwrap();
    assert_eq!(texts(&extraction), ["(3) one\n(4) two\n* -–\nplain\n→ 7 of 1 May"]);
    use BlockKind::{ListItem, Paragraph};
    assert_eq!(kinds(&extraction), [ListItem, ListItem, ListItem, Paragraph, Paragraph]);
}

#[test]
fn tables_groups_and_word_art_are_read() {
    let anchored = |left: u32, top: u32, content: &str| {
        let text_box = container(kind::TEXT_BOX, 0, &[text(OTHER, content)]);
        container(kind::SHAPE, 0, &[record(kind::CHILD_ANCHOR, 0, &numbers(&[left, top, 0, 0])), text_box])
    };
    let options = |property: u16, value: u32| [property.to_le_bytes().to_vec(), numbers(&[value])].concat();
    let of_group = container(kind::SHAPE, 0, &[record(kind::MORE_OPTIONS, 1, &options(0x039F, 1))]);
    // Cells as they were made, one of them merged over two columns.
    let table = [
        of_group.clone(),
        anchored(300, 0, "Cost"),
        anchored(200, 0, "Due"),
        anchored(100, 50, "Rent\rand heat"),
        anchored(300, 50, "7"),
        anchored(100, 0, "Item"),
    ];
    let frame = [of_group, anchored(0, 9, "below"), anchored(0, 1, "above")];
    let art = "Sold".encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let art = [options(0x8145, 2), options(0x80C0, art.len() as u32), vec![1, 2], art].concat();
    let art = container(kind::SHAPE, 0, &[record(kind::OPTIONS, 2, &art)]);
    let inner = container(kind::GROUP, 0, &[text_box("inside")]);
    let extraction = one_slide(&[drawing(&[
        container(kind::GROUP, 0, &table),
        container(kind::GROUP, 0, &frame),
        container(kind::GROUP, 0, &[inner]),
        art,
    ])])
    .read()
    .unwrap();
    assert_eq!(texts(&extraction), ["Item\tDue\tCost\nRent and heat\t\t7\nabove\nbelow\ninside\nSold"]);
    let row = |row, header| BlockKind::TableRow { table: 0, row, first_column: 1, last_column: 3, header };
    assert_eq!(kinds(&extraction)[..3], [row(1, true), row(2, false), BlockKind::Paragraph]);
}

#[test]
fn footers_comments_and_hidden_slides_are_reported() {
    let footers = container(
        kind::HEADERS_FOOTERS,
        0,
        &[record(kind::HEADERS_FOOTERS_ATOM, 0, &[0, 0, 0x25, 0]), string(0, "May"), string(2, "Draft")],
    );
    let comment = |author: &str, text: &str| container(kind::COMMENT, 0, &[string(0, author), string(1, text)]);
    let extraction = one_slide(&[
        record(kind::SLIDE_SHOW_INFO, 0, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
        footers,
        drawing(&[text_box("Figures"), text_box("Draft")]),
        tag("___PPT10", &[comment("Ann", "Check\rthis"), comment("", "Done"), comment("Bob", " ")]),
    ])
    .read()
    .unwrap();
    assert_eq!(texts(&extraction), ["Figures\nDraft\nMay\nComment by Ann: Check\nthis\nComment: Done"]);
    assert_eq!(extraction.warnings, ["Hidden when the presentation is shown: slide 1."]);
    let page = &extraction.pages[0];
    assert_eq!(crate::test_files::hidden_texts(page), [(HiddenReason::HiddenSheet, None, page.text.clone())]);
}

#[test]
fn passwords_and_old_presentations_are_refused() {
    let refused = |file: &[u8]| read(file).unwrap_err().code;
    let mut streams = deck();
    streams.current_user[12..16].copy_from_slice(&0xF3D1_C4DFu32.to_le_bytes());
    assert_eq!(refused(&streams.file()), ErrorCode::NeedsPassword);
    let mut streams = deck();
    streams.save(9, &[container(kind::CRYPT_SESSION, 0, &[])], &[9]);
    assert_eq!(refused(&streams.file()), ErrorCode::NeedsPassword);
    assert_eq!(refused(&compound_file_of(&[("/PP40", b"old")])), ErrorCode::UnsupportedFormat);
    let old = compound_file_of(&[("/PowerPoint Document", b"old"), ("/Current User", b"\x03\0\0\0Ann")]);
    assert_eq!(refused(&old), ErrorCode::UnsupportedFormat);
    assert_eq!(refused(&compound_file_of(&[("/PowerPoint Document", b"")])), ErrorCode::UnreadableFile);
    assert_eq!(refused(&Streams::of(&[document(&[])]).file()), ErrorCode::EmptyFile);
}

#[test]
fn damage_costs_one_slide_and_is_named() {
    let lists = [list(0, &[listed(9, 256, &[text(TITLE, "From the outline")]), listed(2, 257, &[])])];
    let streams = Streams::of(&[document(&lists), slide(0, &[drawing(&[text_box("kept")])])]);
    let extraction = streams.read().unwrap();
    assert_eq!(texts(&extraction), ["From the outline", "kept"]);
    assert_eq!(extraction.warnings, ["Slide 1 is damaged (its record is missing); what follows on it is missing."]);

    let mut streams = deck();
    streams.current_user.clear();
    let extraction = streams.read().unwrap();
    assert_eq!(extraction.pages.len(), 2);
    assert!(extraction.warnings[0].starts_with("The newest changes"), "{:?}", extraction.warnings);
}

#[test]
fn notes_that_are_damaged_are_named() {
    let lists = [list(0, &[listed(2, 256, &[])]), list(2, &[listed(3, 300, &[])])];
    // In the place of the notes is another slide.
    let objects = [document(&lists), slide(300, &[drawing(&[text_box("kept")])]), slide(0, &[])];
    let extraction = Streams::of(&objects).read().unwrap();
    assert_eq!(texts(&extraction), ["kept"]);
    assert_eq!(extraction.warnings, ["The notes of slide 1 are damaged and missing."]);
}

#[test]
fn texts_are_found_without_a_directory() {
    let mut streams = deck();
    // The number of the document in the directory, which is none.
    let at = streams.main.len() - 12;
    streams.main[at..at + 4].copy_from_slice(&77u32.to_le_bytes());
    let extraction = streams.read().unwrap();
    let text = "Site\nreport\nRent\nDue\nNo shape\nΩmega R&D\ndrawn first\nSay hello.\nThen stop.\nFooter";
    assert_eq!(texts(&extraction), [text]);
    assert_eq!(kinds(&extraction)[0], BlockKind::Heading { level: 1 });
    assert!(extraction.warnings[0].starts_with("The directory"), "{:?}", extraction.warnings);
}

#[test]
fn deep_groups_and_circles_end() {
    let deep = (0..5_000).fold(text_box("deep"), |inner, _| container(kind::GROUP, 0, &[inner]));
    let extraction = one_slide(&[drawing(&[text_box("flat"), deep])]).read().unwrap();
    assert_eq!(texts(&extraction), ["flat"]);
    // An edit that follows itself, and a slide that is listed twice.
    let mut streams = Streams::of(&[
        document(&[list(0, &[listed(2, 256, &[]), listed(2, 257, &[])])]),
        slide(0, &[drawing(&[text_box("once")])]),
    ]);
    let edit = streams.current_user[16..20].to_vec();
    let at = streams.main.len() - 20;
    streams.main[at..at + 4].copy_from_slice(&edit);
    assert_eq!(texts(&streams.read().unwrap()), ["once", ""]);
}

#[test]
fn truncated_files_are_survived() {
    let whole = deck();
    for length in 0..whole.main.len() {
        let main = whole.main[..length].to_vec();
        // An error is as good as a part of the text; a panic is neither.
        if let Err(error) = (Streams { main, current_user: whole.current_user.clone() }).read() {
            assert!(!error.message.contains("parser failed"), "{}", error.message);
        }
    }
    let file = whole.file();
    for length in 0..file.len() {
        if let Err(error) = crate::extract(Path::new("deck.ppt"), &file[..length], &ExtractOptions::default()) {
            assert!(!error.message.contains("parser failed"), "{}", error.message);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes_are_survived(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let mut streams = deck();
        for (at, value) in changes {
            let at = at.index(streams.main.len());
            streams.main[at] = value;
        }
        if let Err(error) = streams.read() {
            prop_assert!(!error.message.contains("parser failed"), "{}", error.message);
        }
    }
}

#[test]
fn embedded_files_are_documents_of_their_own_but_not_the_data_of_charts() {
    let word = compound_file_of(&[("/WordDocument", b"text")]);
    let mut compressed = (word.len() as u32).to_le_bytes().to_vec();
    ZlibEncoder::new(&word[..], Compression::fast()).read_to_end(&mut compressed).unwrap();
    let object = |sub_type, number| {
        let atom = record(kind::OBJECT_ATOM, 0, &numbers(&[1, 0, 1, sub_type, number, 0]));
        container(kind::EMBEDDED_OBJECT, 0, &[atom])
    };
    let objects = container(kind::OBJECT_LIST, 0, &[object(2, 3), object(4, 3), object(2, 4), object(2, 5)]);
    let streams = Streams::of(&[
        document(&[list(0, &[listed(2, 256, &[])]), objects]),
        slide(0, &[drawing(&[text_box("The plan")])]),
        record(kind::OBJECT_STORAGE, 1, &compressed),
        record(kind::OBJECT_STORAGE, 0, &word),
        record(kind::OBJECT_STORAGE, 1, b"damaged"),
    ]);
    let extraction = streams.read().unwrap();
    assert_eq!(texts(&extraction), ["The plan"]);
    let files: Vec<_> = extraction.attachments.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
    assert_eq!(files, [("object1.doc", &word[..]), ("object2.doc", &word[..])]);
    assert_eq!(extraction.warnings, ["Embedded objects that could not be opened: 1 (object3.bin)."]);
}

mod drawings;
