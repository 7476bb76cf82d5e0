mod tiff_kinds;

use std::io::Cursor;
use std::path::Path;

use casetrack_core::{ErrorCode, FileFormat, Limits};
use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, GrayImage, ImageFormat};

use super::tiff;
use crate::formats::pdf::rendered_page;
use crate::test_files::{PdfPageContent, assert_page_invariants, pdf_file};
use crate::{ExtractOptions, Extraction, extract, tesseract_status};

fn has_tesseract() -> bool {
    let status = tesseract_status(&ExtractOptions::default());
    status.map_err(|error| eprintln!("skipped, without tesseract: {}", error.message)).is_ok()
}

fn page(text: &str) -> DynamicImage {
    let content = PdfPageContent::text([(72.0, 692.0, 14.0, text)].into_iter());
    let image = rendered_page(&pdf_file("", &[content])).image;
    let (width, height) = (image.width as u32, image.height as u32);
    DynamicImage::ImageLuma8(GrayImage::from_raw(width, height, image.pixels).unwrap()).crop_imm(0, 0, width, 700)
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Two TIFFs as one: the directory of the second follows that of the first.
fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    let long = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let short = |bytes: &[u8], at: usize| usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
    let mut file = first.to_vec();
    file.resize(file.len().next_multiple_of(2), 0);
    let moved = file.len() as u32;
    let mut second = second.to_vec();
    let directory = long(&second, 4) as usize;
    for entry in (0..short(&second, directory)).map(|index| directory + 2 + 12 * index) {
        let size = [0, 1, 1, 2, 4, 8][short(&second, entry + 2)] * long(&second, entry + 4);
        // Strips' places, and values that do not fit into the entry, are counted from the start of the file.
        if short(&second, entry) == 273 || size > 4 {
            let place = long(&second, entry + 8);
            assert!(short(&second, entry) != 273 || size == 4, "one strip");
            second[entry + 8..entry + 12].copy_from_slice(&(place + moved).to_le_bytes());
        }
    }
    file.extend(&second);
    let next = long(first, 4) as usize;
    let next = next + 2 + 12 * short(first, next);
    file[next..next + 4].copy_from_slice(&(moved + directory as u32).to_le_bytes());
    file
}

fn read(name: &str, bytes: &[u8]) -> Extraction {
    let extraction = extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Image);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

#[test]
fn every_kind_of_picture_is_read() {
    if !has_tesseract() {
        return;
    }
    let text = "Delivery note of the first of May";
    let page = page(text);
    for (name, format) in [
        ("a.png", ImageFormat::Png),
        ("a.jpg", ImageFormat::Jpeg),
        ("a.tif", ImageFormat::Tiff),
        ("a.bmp", ImageFormat::Bmp),
        ("a.webp", ImageFormat::WebP),
    ] {
        let image = if format == ImageFormat::WebP { page.to_rgb8().into() } else { page.clone() };
        let extraction = read(name, &encoded(&image, format));
        let page = &extraction.pages[0];
        assert_eq!((extraction.pages.len(), &*page.text), (1, text), "{name}");
        assert_eq!(page.method, casetrack_core::ExtractionMethod::Ocr);
        assert!(page.ocr_confidence.unwrap() > 0.8, "{name}");
        assert!(page.line_boxes[0].unwrap().left > 50.0, "{name}");
        assert!(extraction.warnings.is_empty(), "{name}");
    }
}

#[test]
fn frames_are_pages() {
    if !has_tesseract() {
        return;
    }
    let pages = [page("Page one of the delivery note"), page("Page two of the delivery note")];
    let mut gif = Vec::new();
    let mut encoder = GifEncoder::new(&mut gif);
    for page in &pages {
        encoder.encode_frame(Frame::new(page.to_rgba8())).unwrap();
    }
    drop(encoder);
    let [first, second] = pages.map(|page| encoded(&page.crop_imm(0, 0, 1500, 500), ImageFormat::Tiff));
    let texts = |extraction: Extraction| extraction.pages.into_iter().map(|page| page.text).collect::<Vec<_>>();
    let expected = ["Page one of the delivery note", "Page two of the delivery note"];
    assert_eq!(texts(read("a.gif", &gif)), expected);
    if tiff::directories(&first).len() == 1 {
        assert_eq!(texts(read("a.tiff", &joined(&first, &second))), expected);
    }
}

#[test]
fn hostile_pictures_are_errors() {
    let whole = encoded(&DynamicImage::ImageLuma8(GrayImage::new(300, 300)), ImageFormat::Png);
    let code = |bytes: &[u8], options: &ExtractOptions| extract(Path::new("a.png"), bytes, options).unwrap_err().code;
    let options = ExtractOptions::default();
    assert_eq!(code(&whole[..whole.len() / 2], &options), ErrorCode::UnreadableFile);
    let limits = Limits { max_image_pixels: 10_000, ..Limits::default() };
    assert_eq!(code(&whole, &ExtractOptions { limits, ..options.clone() }), ErrorCode::FileTooLarge);
    // A header that promises 60,000 by 60,000 pixels.
    let mut bomb = whole.clone();
    bomb[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
    assert!(matches!(code(&bomb, &options), ErrorCode::FileTooLarge | ErrorCode::UnreadableFile));
    // A chain of directories that has no end.
    let endless = [b"II*\0\x08\0\0\0\0\0\x08\0\0\0".as_slice(), &[0; 20]].concat();
    assert_eq!(code(&endless, &options), ErrorCode::UnreadableFile);
    assert_eq!(code(b"MM\0*", &options), ErrorCode::UnreadableFile);
}
