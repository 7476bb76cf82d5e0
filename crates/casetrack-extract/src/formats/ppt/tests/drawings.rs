use super::*;
use crate::formats::picture_tests::{NOTICE, assert_is_marked, has_tesseract, notice};
use crate::test_files::hidden_texts;

fn options(property: u16, value: u32) -> Vec<u8> {
    record(kind::OPTIONS, 1, &[property.to_le_bytes().to_vec(), numbers(&[value])].concat())
}

fn with(record: Vec<u8>, content: &str) -> Vec<u8> {
    container(kind::SHAPE, 0, &[record, container(kind::TEXT_BOX, 0, &[text(OTHER, content)])])
}

/// Top, left, right and bottom, in master units.
fn anchor(edges: [i16; 4]) -> Vec<u8> {
    record(kind::CLIENT_ANCHOR, 0, &edges.map(i16::to_le_bytes).concat())
}

#[test]
fn shapes_that_a_slide_does_not_show_are_marked() {
    // Slides of ten by seven and a half inches.
    let size = record(kind::DOCUMENT_ATOM, 0, &[numbers(&[5760, 4320]), vec![0; 32]].concat());
    let group = |records: Vec<u8>, inner: &str| {
        container(kind::GROUP, 0, &[container(kind::SHAPE, 0, &[records]), text_box(inner)])
    };
    let shapes = [
        with(anchor([10, 10, 500, 500]), "Shown."),
        with(anchor([10, 6000, 6500, 500]), "Beside the slide."),
        with(anchor([10, 5500, 6500, 500]), "Half on it."),
        with(options(SWITCHES, 0x0002_0002), "Hidden."),
        with(options(SWITCHES, 0x0000_0002), "Not said to be hidden."),
        group(anchor([-900, 10, 500, -10]), "In a group above it."),
        group(options(SWITCHES, 0x0002_0002), "In a hidden group."),
    ];
    let document = document(&[size, list(0, &[listed(2, 256, &[])])]);
    let extraction = Streams::of(&[document, slide(0, &[drawing(&shapes)])]).read().unwrap();
    let hidden: Vec<(HiddenReason, String)> =
        hidden_texts(&extraction.pages[0]).into_iter().map(|(reason, _, text)| (reason, text)).collect();
    assert_eq!(
        hidden,
        [
            (HiddenReason::OutsidePage, "Beside the slide.".to_owned()),
            (HiddenReason::HiddenFormat, "Hidden.".to_owned()),
            (HiddenReason::OutsidePage, "In a group above it.".to_owned()),
            (HiddenReason::HiddenFormat, "In a hidden group.".to_owned()),
        ]
    );
    assert_eq!(extraction.pages[0].text.lines().count(), 7);
}

/// `fBid` of the properties, which marks the number as one of the list.
const SHOWS_PICTURE: u16 = 0x4104;
const SWITCHES: u16 = 0x03BF;

#[test]
fn pictures_are_read_from_their_stream() {
    if !has_tesseract() {
        return;
    }
    let picture = record(0xF01E, 0x6E0, &[vec![0; 17], notice()].concat());
    let drawing_of_emf = record(0xF01A, 0x3D4, &[7; 60]);
    let entry = |place: u32| {
        let head = [vec![0; 28], place.to_le_bytes().to_vec(), vec![0; 4]].concat();
        record(0xF007, 6, &head)
    };
    let store = container(0xF001, 2, &[entry(drawing_of_emf.len() as u32), entry(0)]);
    let group = container(kind::DRAWING_GROUP, 0, &[container(0xF000, 0, &[store])]);
    let document = document(&[group, list(0, &[listed(2, 256, &[])])]);
    let shows = |number| container(kind::SHAPE, 0, &[options(SHOWS_PICTURE, number)]);
    let shapes = [text_box("See:"), shows(1), shows(1), shows(2), shows(9), text_box("After.")];
    let streams = Streams::of(&[document, slide(0, &[drawing(&shapes)])]);
    let pictures = [drawing_of_emf, picture].concat();
    let file = compound_file_of(&[
        ("/PowerPoint Document", &streams.main),
        ("/Current User", &streams.current_user),
        ("/Pictures", &pictures),
    ]);
    let extraction = read(&file).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(page.text, format!("See:\nPicture: {NOTICE}\nAfter."));
    assert_eq!(assert_is_marked(page, "Picture", NOTICE), BlockKind::Paragraph);
    assert_eq!(
        extraction.warnings,
        [
            "Pictures in it that were not read: 1; they are drawings (EMF, WMF, SVG) or of another kind that OCR does not read."
        ]
    );
}
