use casetrack_core::Rect;

use super::*;
use crate::formats::pdf::rendered_page;
use crate::test_files::{PdfPageContent, pdf_file};

const LINES: [&str; 3] =
    ["The tenant shall pay the rent in advance,", "on the first day of each quarter,", "without any deduction."];

fn picture() -> Picture {
    let lines = LINES.iter().zip(0..).map(|(line, number)| (72.0, 692.0 - 20.0 * number as f32, 12.0, *line));
    rendered_page(&pdf_file("", &[PdfPageContent::text(lines)]))
}

fn read_in_english(options: &ExtractOptions, picture: &Picture) -> Result<OcrPage> {
    read_one(options, "eng", picture, &time_for(options))
}

fn read(picture: &Picture) -> Option<OcrPage> {
    let read = read_in_english(&ExtractOptions::default(), picture);
    read.map_err(|error| eprintln!("skipped, without tesseract: {}", error.message)).ok()
}

fn assert_is_read(page: &OcrPage) {
    let lines: Vec<&OcrLine> = page.paragraphs.iter().flatten().collect();
    assert_eq!(lines.iter().map(|line| &*line.text).collect::<Vec<_>>(), LINES);
    assert!(page.confidence > 0.85, "{}", page.confidence);
}

#[test]
fn lines_are_read_with_their_boxes_in_points() {
    let Some(page) = read(&picture()) else { return };
    assert_is_read(&page);
    for (line, number) in page.paragraphs.iter().flatten().zip(0..) {
        let baseline = 100.0 + 20.0 * number as f32;
        let area = line.area;
        assert!((area.left - 72.0).abs() < 3.0 && area.right > 170.0 && area.right < 320.0, "{area:?}");
        assert!((area.top - (baseline - 9.0)).abs() < 3.0 && (area.bottom - (baseline + 2.5)).abs() < 3.0, "{area:?}");
    }
}

#[test]
fn reading_again_gives_the_same() {
    let picture = picture();
    assert_eq!(read(&picture), read(&picture));
}

#[test]
fn a_page_on_its_head_is_turned_and_its_boxes_stay_where_they_are() {
    // Orientation can only be found on a full page.
    let text = "the landlord may at any reasonable time enter and inspect the premises, and shall give";
    let lines = (0..30).map(|number| (72.0, 692.0 - 20.0 * number as f32, 12.0, text));
    let mut picture = rendered_page(&pdf_file("", &[PdfPageContent::text(lines)]));
    picture.image.pixels.reverse();
    let Some(page) = read(&picture) else { return };
    if take(tesseract::libraries().unwrap(), ORIENTATION).is_err() {
        eprintln!("skipped, without the data of orientation detection");
        return;
    }
    let lines: Vec<&OcrLine> = page.paragraphs.iter().flatten().collect();
    assert_eq!(lines[0].text, text);
    // The first line is at the bottom now, and ends where it began.
    assert!((lines[0].area.right - (612.0 - 72.0)).abs() < 3.0, "{:?}", lines[0].area);
    assert!((lines[0].area.bottom - (792.0 - 91.0)).abs() < 3.0, "{:?}", lines[0].area);
}

#[test]
fn a_page_that_lies_askew_is_straightened() {
    let text = "the landlord may at any reasonable time enter and inspect the premises, and";
    for degrees in [-10.0f32, 10.0] {
        let lines = (0..25).map(|number| (90.0, 640.0 - 20.0 * number as f32, 10.0, text));
        let picture = rendered_page(&pdf_file("", &[PdfPageContent::text(lines).turned_by(degrees)]));
        let Some(page) = read(&picture) else { return };
        let lines: Vec<&str> = page.paragraphs.iter().flatten().map(|line| &*line.text).collect();
        assert_eq!(lines, [text; 25], "{degrees}");
        assert!(page.confidence > 0.85, "{}", page.confidence);
    }
}

/// Options with the weights of the second engine, if they were fetched into the source tree.
fn with_second_engine() -> Option<ExtractOptions> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(OCR_MODEL);
    let options = ExtractOptions { ocr_model: Some(folder.clone()), ..ExtractOptions::default() };
    if !folder.is_dir() {
        eprintln!("skipped, without the weights of the second engine");
        return None;
    }
    assert!(second_engine_status(&options).unwrap().unwrap().starts_with("PP-OCRv6 small, "));
    Some(options)
}

#[test]
fn the_second_engine_reads_lines_with_their_boxes_upright_and_on_their_head() {
    let Some(options) = with_second_engine() else { return };
    let engine = choice::second_engine(&options, "eng").unwrap();
    let mut picture = picture();
    for is_turned in [false, true] {
        let page = choice::read_by(engine, &picture, Duration::from_secs(60));
        let lines: Vec<&OcrLine> = page.paragraphs.iter().flatten().collect();
        assert_eq!(lines.iter().map(|line| &*line.text).collect::<Vec<_>>(), LINES);
        assert!(page.confidence > 0.9, "{}", page.confidence);
        let area = lines[0].area;
        let (left, middle) = if is_turned { (612.0 - area.right, 792.0 - area.bottom) } else { (area.left, area.top) };
        assert!((left - 72.0).abs() < 6.0 && (middle - 91.0).abs() < 6.0, "{area:?}");
        assert_eq!(lines[0].words.len(), 8);
        picture.image.pixels.reverse();
    }
}

#[test]
fn a_receipt_that_tesseract_is_not_sure_of_is_read_by_the_second_engine() {
    let (Some(options), Ok(_)) = (with_second_engine(), tesseract_status(&ExtractOptions::default())) else { return };
    // A letter is 6 pixels high, and the paper as dark as a receipt in the shade.
    let mut small = picture();
    let image = image::GrayImage::from_raw(small.image.width as u32, small.image.height as u32, small.image.pixels);
    let (width, height) = (612, 792);
    let mut shrunk = image::imageops::thumbnail(&image.unwrap(), width, height);
    for (x, y, pixel) in shrunk.enumerate_pixels_mut() {
        let shade = 0.35 + 0.15 * ((x as f32 / 40.0).sin() * (y as f32 / 30.0).cos());
        pixel[0] = (f32::from(pixel[0]) * shade) as u8;
    }
    small = Picture {
        image: GrayImage { width: width as usize, height: height as usize, pixels: shrunk.into_raw() },
        resolution: None,
        scale: 1.0,
        is_whole: true,
        is_snapshot: true,
    };
    let lines = |page: OcrPage| page.paragraphs.into_iter().flatten().map(|line| line.text).collect::<Vec<_>>();
    assert_eq!(lines(read_in_english(&options, &small).unwrap()), LINES);
    // A page of a PDF file stays with tesseract.
    small.is_snapshot = false;
    assert_eq!(
        read_in_english(&options, &small).unwrap(),
        read_in_english(&ExtractOptions::default(), &small).unwrap()
    );
}

#[test]
fn a_blank_page_and_no_page_have_no_text() {
    for (width, height) in [(500, 700), (1, 1), (0, 0)] {
        let image = GrayImage { width, height, pixels: vec![255; width * height] };
        let Some(page) = read(&Picture { image, resolution: None, scale: 1.0, is_whole: true, is_snapshot: false })
        else {
            return;
        };
        assert_eq!(page, OcrPage::default());
    }
}

#[test]
fn a_language_without_data_is_named_with_its_package() {
    if tesseract::libraries().is_err() {
        return;
    }
    let error = tesseract_status(&ExtractOptions { languages: "eng+xx_yy".into(), ..ExtractOptions::default() });
    let error = error.unwrap_err();
    assert_eq!(error.code, ErrorCode::MissingDependency);
    assert!(error.hint.unwrap().plain().unwrap().contains("apt-get install tesseract-ocr-eng tesseract-ocr-xx-yy"));
}

#[test]
fn a_page_in_a_language_without_data_is_read_and_the_language_told() {
    let german = "Der Vermieter darf die Wohnung nach Absprache betreten und die Schäden ansehen";
    let lines = (0..8).map(|number| (72.0, 692.0 - 20.0 * number as f32, 12.0, german));
    let picture = rendered_page(&pdf_file("", &[PdfPageContent::text(lines)]));
    let options = ExtractOptions::default();
    let (Ok(libraries), Ok(_)) = (tesseract::libraries(), tesseract_status(&options)) else { return };
    let mut read = None;
    let warning = read_in_order(&options, false, std::iter::once(Some(picture)), |page| {
        read = page;
        Ok(())
    });
    let text = read.unwrap().text();
    assert!(text.contains("Der Vermieter darf die Wohnung"), "{text}");
    if installed(libraries).iter().any(|name| name == "deu") {
        assert_eq!(warning.unwrap(), None);
        assert!(text.contains("Schäden"), "{text}");
    } else {
        assert!(warning.unwrap().unwrap().contains("seems to be German"));
    }
}

#[test]
fn boxes_are_turned_back() {
    let area = Rect { left: 10.0, top: 20.0, right: 30.0, bottom: 25.0 };
    // On a page of 100 by 200 that was turned, these are the same corner seen from the page before.
    let back = |quarters, width, height| page::turned_back(&area, quarters, width, height);
    assert_eq!(back(1, 100.0, 200.0), Rect { left: 20.0, top: 70.0, right: 25.0, bottom: 90.0 });
    assert_eq!(back(2, 100.0, 200.0), Rect { left: 70.0, top: 175.0, right: 90.0, bottom: 180.0 });
    assert_eq!(back(3, 100.0, 200.0), Rect { left: 175.0, top: 10.0, right: 180.0, bottom: 30.0 });
    assert_eq!(page::tilted_back(&area, 0.0, 100.0, 200.0), area);
}

#[test]
fn pages_come_in_order_and_before_later_ones_are_asked_for() {
    const PAGES: usize = 14;
    let options = ExtractOptions::default();
    if tesseract_status(&options).is_err() {
        return;
    }
    let asked = std::cell::Cell::new(0);
    let image = picture().image;
    let pictures = (0..PAGES).map(|number| {
        asked.set(number + 1);
        // Some places have no picture, and some pictures no pixels; the first has both.
        let height = if number % 4 == 3 { 0 } else { 700 };
        let image = GrayImage { width: image.width, height, pixels: image.pixels[..image.width * height].to_vec() };
        (number % 3 != 1).then_some(Picture {
            image,
            resolution: None,
            scale: 0.24,
            is_whole: true,
            is_snapshot: false,
        })
    });
    let mut came = Vec::new();
    read_in_order(&options, false, pictures, |page| {
        assert!(!came.is_empty() || asked.get() < PAGES);
        came.push(page.is_some_and(|page| !page.paragraphs.is_empty()));
        Ok(())
    })
    .unwrap();
    let expected: Vec<bool> = (0..PAGES).map(|number| number % 3 != 1 && number % 4 != 3).collect();
    assert_eq!(came, expected);
}

#[test]
fn an_error_of_the_receiver_ends_the_reading() {
    let pictures = std::iter::repeat_with(|| None);
    let error = read_in_order(&ExtractOptions::default(), false, pictures, |_| Err(Error::internal("full")));
    assert!(error.unwrap_err().message.contains("full"));
}
