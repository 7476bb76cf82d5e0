//! TIFF pages of every kind of pixels, down to the pixels.

use std::path::Path;

use casetrack_core::{Error, ErrorCode};
use casetrack_pages::model::{ExtractOptions, Source};
use image::{DynamicImage, Rgba};

use super::super::frames::frames;

const WIDTH: u16 = 256;
const LENGTH: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const KIND: u16 = 262;
const FILL_ORDER: u16 = 266;
const OFFSETS: u16 = 273;
const ORIENTATION: u16 = 274;
const SAMPLES: u16 = 277;
const BYTES: u16 = 279;
const PLANAR: u16 = 284;
const T4_OPTIONS: u16 = 292;
const COLORS: u16 = 320;
const EXTRA: u16 = 338;
const FORMAT: u16 = 339;
const SUBSAMPLING: u16 = 530;

type Tag<'a> = (u16, &'a [u16]);
/// One page: its tags, and the bytes of its only strip.
type Page<'a> = (&'a [Tag<'a>], &'a [u8]);

/// A file of these pages, in the order of bytes of a PC or of a Mac.
fn tiff(pages: &[Page], is_little: bool) -> Vec<u8> {
    let short = |value: u16| if is_little { value.to_le_bytes() } else { value.to_be_bytes() };
    let long = |value: usize| if is_little { (value as u32).to_le_bytes() } else { (value as u32).to_be_bytes() };
    let mut file = if is_little { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
    let mut next = file.len();
    file.extend(long(0));
    for (tags, data) in pages {
        let strip = file.len();
        file.extend_from_slice(data);
        let mut tags: Vec<(u16, Vec<u16>)> = tags.iter().map(|(tag, values)| (*tag, values.to_vec())).collect();
        // Planes have a strip each.
        let planes = if tags.iter().any(|(tag, _)| *tag == PLANAR) { 3 } else { 1 };
        let length = data.len() / planes;
        tags.push((OFFSETS, (0..planes).map(|plane| (strip + plane * length) as u16).collect()));
        tags.push((BYTES, vec![length as u16; planes]));
        tags.sort();
        let places: Vec<usize> = tags
            .iter()
            .map(|(_, values)| {
                let place = file.len();
                if values.len() > 2 {
                    file.extend(values.iter().flat_map(|value| short(*value)));
                }
                place
            })
            .collect();
        file.resize(file.len().next_multiple_of(2), 0);
        let directory = file.len();
        file[next..next + 4].copy_from_slice(&long(directory));
        file.extend(short(tags.len() as u16));
        for ((tag, values), place) in tags.iter().zip(places) {
            file.extend([short(*tag), short(3)].concat());
            file.extend(long(values.len()));
            let mut value: Vec<u8> = values.iter().flat_map(|value| short(*value)).collect();
            if value.len() > 4 {
                value = long(place).to_vec();
            }
            value.resize(4, 0);
            file.extend(value);
        }
        next = file.len();
        file.extend(long(0));
    }
    file
}

fn pages(bytes: &[u8]) -> Vec<Result<DynamicImage, Error>> {
    let options = ExtractOptions::default();
    let source = Source { path: Path::new("scan.tif"), bytes, options: &options };
    let frames = frames(&source).unwrap();
    frames.map(|frame| frame.map(|(image, _)| image)).collect()
}

/// The pixels of the first row, of a page that is two pixels wide unless its tags have another width.
fn row(tags: &[Tag], data: &[u8]) -> Vec<[u8; 4]> {
    let width: [Tag; 2] = [(WIDTH, &[2]), (LENGTH, &[1])];
    let tags: Vec<Tag> = width
        .into_iter()
        .filter(|(tag, _)| tags.iter().all(|(own, _)| own != tag))
        .chain(tags.iter().copied())
        .collect();
    let mut pages = pages(&tiff(&[(&tags[..], data)], true));
    assert_eq!(pages.len(), 1);
    let image = pages.remove(0).unwrap().to_rgba8();
    (0..image.width()).map(|x| image.get_pixel(x, 0)).map(|Rgba(pixel)| *pixel).collect()
}

const BLACK: [u8; 4] = [0, 0, 0, 255];
const WHITE: [u8; 4] = [255, 255, 255, 255];
const RED: [u8; 4] = [255, 0, 0, 255];

#[test]
fn pixels_of_every_kind_are_shown_in_their_colours() {
    let palette: Vec<u16> =
        [[0xFFFF, 0], [0, 0], [0, 0]].map(|[one, other]| [vec![one, other], vec![0; 14]].concat()).concat();
    let bytes_of_colors: Vec<u16> = palette.iter().map(|color| color >> 8).collect();
    let eight: Tag = (BITS, &[8]);
    type Case<'a> = (&'a [Tag<'a>], &'a [u8], [[u8; 4]; 2]);
    let cases: [Case<'_>; 24] = [
        // Grey, in either direction, of few bits and of many.
        (&[(KIND, &[1]), eight], &[0, 255], [BLACK, WHITE]),
        (&[(KIND, &[0]), eight], &[0, 255], [WHITE, BLACK]),
        (&[(KIND, &[1])], &[0b0100_0000], [BLACK, WHITE]),
        (&[(KIND, &[0])], &[0b0100_0000], [WHITE, BLACK]),
        (&[(KIND, &[1]), (BITS, &[4])], &[0x0F], [BLACK, WHITE]),
        (&[(KIND, &[1]), (BITS, &[2])], &[0b0011_0000], [BLACK, WHITE]),
        (&[(KIND, &[1]), (BITS, &[16])], &[0, 0, 0xFF, 0xFF], [BLACK, WHITE]),
        // Numbers without an end: 7 is black and 300 white.
        (&[(KIND, &[1]), (BITS, &[32])], &[7, 0, 0, 0, 0x2C, 1, 0, 0], [BLACK, WHITE]),
        (&[(KIND, &[1]), (BITS, &[32]), (FORMAT, &[2])], &[0xFE, 0xFF, 0xFF, 0xFF, 9, 0, 0, 0], [BLACK, WHITE]),
        (&[(KIND, &[1]), (BITS, &[32]), (FORMAT, &[3])], &[0, 0, 0, 0, 0, 0, 0x80, 0x3F], [BLACK, WHITE]),
        (&[(KIND, &[1]), eight, (FORMAT, &[2])], &[0x80, 0x7F], [BLACK, WHITE]),
        // With transparency, straight and premultiplied.
        (&[(KIND, &[1]), (BITS, &[8, 8]), (SAMPLES, &[2]), (EXTRA, &[2])], &[0, 255, 9, 0], [BLACK, [9, 9, 9, 0]]),
        (
            &[(KIND, &[2]), (BITS, &[8; 4]), (SAMPLES, &[4]), (EXTRA, &[2])],
            &[255, 0, 0, 255, 1, 2, 3, 0],
            [RED, [1, 2, 3, 0]],
        ),
        (
            &[(KIND, &[2]), (BITS, &[8; 4]), (SAMPLES, &[4]), (EXTRA, &[1])],
            &[100, 0, 0, 100, 255, 255, 255, 255],
            [[255, 0, 0, 100], WHITE],
        ),
        // A sample that means nothing.
        (&[(KIND, &[2]), (BITS, &[8; 4]), (SAMPLES, &[4]), (EXTRA, &[0])], &[255, 0, 0, 1, 0, 0, 0, 2], [RED, BLACK]),
        // Colours.
        (&[(KIND, &[2]), (BITS, &[8; 3]), (SAMPLES, &[3])], &[255, 0, 0, 255, 255, 255], [RED, WHITE]),
        (&[(KIND, &[2]), (BITS, &[8; 3]), (SAMPLES, &[3]), (PLANAR, &[2])], &[255, 255, 0, 255, 0, 255], [RED, WHITE]),
        (&[(KIND, &[3]), (BITS, &[4]), (COLORS, &palette)], &[0x01], [RED, BLACK]),
        (&[(KIND, &[3]), (BITS, &[4]), (COLORS, &bytes_of_colors)], &[0x01], [RED, BLACK]),
        (&[(KIND, &[5]), (BITS, &[8; 4]), (SAMPLES, &[4])], &[0, 255, 255, 0, 0, 0, 0, 255], [RED, BLACK]),
        (
            &[(KIND, &[5]), (BITS, &[8; 5]), (SAMPLES, &[5]), (EXTRA, &[2])],
            &[0, 255, 255, 0, 255, 0, 0, 0, 0, 255],
            [RED, WHITE],
        ),
        (
            &[(KIND, &[6]), (BITS, &[8; 3]), (SAMPLES, &[3]), (SUBSAMPLING, &[1, 1])],
            &[76, 85, 255, 255, 128, 128],
            [[254, 0, 0, 255], WHITE],
        ),
        (&[(KIND, &[8]), (BITS, &[8; 3]), (SAMPLES, &[3])], &[0, 0, 0, 255, 0, 0], [BLACK, WHITE]),
        (&[(KIND, &[9]), (BITS, &[8; 3]), (SAMPLES, &[3])], &[0, 128, 128, 255, 128, 128], [BLACK, WHITE]),
    ];
    for (tags, data, expected) in cases {
        assert_eq!(row(tags, data), expected, "{tags:?}");
    }
    // Of the CIE's red, one step more or less is the same colour.
    let red = row(&[(KIND, &[8]), (BITS, &[8; 3]), (SAMPLES, &[3])], &[136, 80, 67, 0, 0, 0])[0];
    assert!(red[0] > 250 && red[1] < 12 && red[2] < 12, "{red:?}");
}

/// The bits of a fax, written as 0 and 1 with white space.
fn bits(text: &str) -> Vec<u8> {
    let bits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).map(|b| b - b'0').collect();
    bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |value, (at, bit)| value | bit << (7 - at))).collect()
}

/// Sixteen pixels of white, 32 of black, 16 of white.
const LINE: &str = "101010 000001101010 101010";
const END: &str = "000000000001";

#[test]
fn faxes_of_every_group_are_read() {
    let expected: Vec<[u8; 4]> = (0..64).map(|x| if (16..48).contains(&x) { BLACK } else { WHITE }).collect();
    let size: [Tag; 3] = [(WIDTH, &[64]), (LENGTH, &[2]), (KIND, &[0])];
    let three = bits(&format!("{END} {LINE} {END} {LINE} {END}{END}{END}{END}{END}{END}"));
    let filled = bits(&format!("0000{END} {LINE} 00000000{END} {LINE} 0000{END}{END}{END}{END}{END}{END}"));
    // The second line is the same as the first: each of its three changes is below a change of the first.
    let two_dimensional = bits(&format!("{END}1 {LINE} {END}0 1 1 1 {END}1{END}1{END}1{END}1{END}1{END}1"));
    // Each line begins with a byte.
    let plain = bits(&format!("{LINE} {LINE}"));
    let four = bits("001 101010 000001101010 1 1 1 1 000000000001 000000000001");
    let reversed: Vec<u8> = three.iter().map(|byte| byte.reverse_bits()).collect();
    let cases: [(u16, &[Tag], &[u8]); 6] = [
        (3, &[], &three),
        (3, &[(T4_OPTIONS, &[4])], &filled),
        (3, &[(T4_OPTIONS, &[1])], &two_dimensional),
        (3, &[(FILL_ORDER, &[2])], &reversed),
        (2, &[], &plain),
        (4, &[], &four),
    ];
    for (compression, more, data) in cases {
        let compression = [compression];
        let own: [Tag; 1] = [(COMPRESSION, &compression)];
        let tags = [&size[..], &own, more].concat();
        for is_little in [true, false] {
            let mut pages = pages(&tiff(&[(&tags[..], data)], is_little));
            let page = pages.remove(0).unwrap_or_else(|error| panic!("{compression:?} {more:?}: {error:?}")).to_rgba8();
            for y in 0..2 {
                let row: Vec<[u8; 4]> = (0..64).map(|x| page.get_pixel(x, y).0).collect();
                assert_eq!(row, expected, "{compression:?} {more:?} {y}");
            }
        }
    }
    // In negative.
    let tags: [Tag; 4] = [(WIDTH, &[64]), (LENGTH, &[1]), (KIND, &[1]), (COMPRESSION, &[3])];
    assert_eq!(row(&tags, &three)[20], WHITE);
    // Cut off in transmission.
    let tags: [Tag; 4] = [(WIDTH, &[64]), (LENGTH, &[90]), (KIND, &[0]), (COMPRESSION, &[3])];
    assert_eq!(row(&tags, &three[..7])[20], BLACK);
}

#[test]
fn a_page_of_another_kind_costs_no_other_page() {
    let gray: [Tag; 4] = [(WIDTH, &[2]), (LENGTH, &[1]), (KIND, &[1]), (BITS, &[8])];
    let alpha: [Tag; 6] =
        [(WIDTH, &[2]), (LENGTH, &[1]), (KIND, &[1]), (BITS, &[8, 8]), (SAMPLES, &[2]), (EXTRA, &[2])];
    let turned: [Tag; 5] = [(WIDTH, &[2]), (LENGTH, &[1]), (KIND, &[1]), (BITS, &[8]), (ORIENTATION, &[3])];
    let packed: [Tag; 5] = [(WIDTH, &[2]), (LENGTH, &[1]), (KIND, &[1]), (BITS, &[8]), (COMPRESSION, &[34925])];
    let file =
        tiff(&[(&gray[..], &[0, 255]), (&alpha, &[0, 255, 255, 255]), (&packed, &[1]), (&turned, &[0, 255])], true);
    let pages = pages(&file);
    let first = |page: usize| pages[page].as_ref().unwrap().to_rgba8().get_pixel(0, 0).0;
    assert_eq!([first(0), first(1), first(3)], [BLACK, BLACK, WHITE]);
    let error = pages[2].as_ref().unwrap_err();
    assert_eq!(error.code, ErrorCode::UnsupportedFormat);
    let hint = error.hint.as_ref().and_then(|hint| hint.plain()).unwrap();
    let said = format!("{} {hint}", error.message);
    assert!(said.contains("LZMA") && said.contains("save it as PNG, JPEG or PDF"), "{said}");
    assert!(!said.contains("damaged") && !said.contains("Unknown"), "{said}");
}

#[test]
fn hostile_pages_are_errors() {
    let huge: [Tag; 4] = [(WIDTH, &[60_000]), (LENGTH, &[60_000]), (KIND, &[1]), (BITS, &[8])];
    let short: [Tag; 4] = [(WIDTH, &[64]), (LENGTH, &[64]), (KIND, &[3]), (BITS, &[8])];
    let many: [Tag; 5] = [(WIDTH, &[2]), (LENGTH, &[1]), (KIND, &[2]), (BITS, &[8]), (SAMPLES, &[1])];
    let subsampled: [Tag; 5] = [(WIDTH, &[2]), (LENGTH, &[2]), (KIND, &[6]), (BITS, &[8; 3]), (SAMPLES, &[3])];
    let cases: [(&[Tag], ErrorCode); 6] = [
        (&huge, ErrorCode::FileTooLarge),
        (&short, ErrorCode::UnreadableFile),
        (&many, ErrorCode::UnreadableFile),
        (&subsampled, ErrorCode::UnsupportedFormat),
        (&[(WIDTH, &[2]), (LENGTH, &[0]), (KIND, &[1])], ErrorCode::UnreadableFile),
        (&[(WIDTH, &[2]), (LENGTH, &[1])], ErrorCode::UnreadableFile),
    ];
    for (tags, code) in cases {
        let error = pages(&tiff(&[(tags, &[1, 2])], false)).remove(0).unwrap_err();
        assert_eq!(error.code, code, "{tags:?} {error:?}");
    }
}
