use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, ExtractionMethod, FileFormat, OtherReading};
use casetrack_pages::model::StepTracker;

use crate::test_files::{
    PdfPageContent, assert_page_invariants, assert_properties, pdf_file, pdf_file_with_picture, scanned_pdf_file,
};
use crate::{ExtractOptions, Extraction};

mod annotations;
mod bidi;
mod bookmarks;
mod ligatures;
mod passwords;
mod tables;

fn extract(bytes: &[u8]) -> casetrack_core::Result<Extraction> {
    let extraction = crate::extract(Path::new("lease.pdf"), bytes, &ExtractOptions::default())?;
    assert_eq!(extraction.format, FileFormat::Pdf);
    extraction.pages.iter().for_each(assert_page_invariants);
    Ok(extraction)
}

/// Lines of 12-point text, 14 points apart from the top of the page downwards.
fn text(lines: &[&str]) -> PdfPageContent {
    PdfPageContent::text(lines.iter().zip(1..).map(|(line, number)| (72.0, 792.0 - 14.0 * number as f32, 12.0, *line)))
}

const PARAGRAPH: [&str; 3] = [
    "This agreement is made between the landlord and the tenant of the land,",
    "and it lasts for three years from the day on which both of them have",
    "signed it.",
];

#[test]
fn lines_have_boxes_and_form_paragraphs() {
    let mut lines = PARAGRAPH.to_vec();
    lines.extend(["", "(a) The rent is due in May."]);
    let extraction = extract(&pdf_file("Lease of land", &[text(&lines)])).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(extraction.title.as_deref(), Some("Lease of land"));
    assert_properties(&extraction, ["Ann B.", "2024-05-03T09:00:00+02:00", "2024-05-04", "en"]);
    assert_eq!(page.text, format!("{}\n(a) The rent is due in May.", PARAGRAPH.join("\n")));
    assert_eq!(
        page.blocks.iter().map(|block| block.kind.clone()).collect::<Vec<_>>(),
        [BlockKind::Paragraph, BlockKind::ListItem]
    );
    assert_eq!(page.line_boxes.len(), 4);
    for (area, number) in page.line_boxes.iter().zip([1.0, 2.0, 3.0, 5.0]) {
        let area = area.unwrap();
        let baseline = 14.0 * number;
        assert!((area.left - 72.0).abs() < 2.0 && area.right > area.left + 30.0, "{area:?}");
        assert!(area.top < baseline - 5.0 && area.bottom >= baseline && area.bottom < baseline + 6.0, "{area:?}");
    }
}

#[test]
fn a_hyphen_at_the_end_of_a_line_stays_and_the_line_ends() {
    let lines =
        ["This paragraph breaks a word at the end of a line, the word agree-", "ment, which is printed in two parts."];
    let extraction = extract(&pdf_file("", &[text(&lines)])).unwrap();
    assert_eq!(extraction.pages[0].text, lines.join("\n"));
}

#[test]
fn large_print_is_a_heading() {
    let mut lines = vec![(72.0, 700.0, 20.0, "LEASE")];
    lines.extend(PARAGRAPH.iter().zip(0..).map(|(line, number)| (72.0, 660.0 - 14.0 * number as f32, 12.0, *line)));
    let extraction = extract(&pdf_file("", &[PdfPageContent::text(lines.into_iter())])).unwrap();
    assert_eq!(extraction.pages[0].blocks[0].kind, BlockKind::Heading { level: 1 });
    assert_eq!(extraction.pages[0].blocks[1].kind, BlockKind::Paragraph);
}

#[test]
fn scanned_pages_are_not_taken_for_blank_ones() {
    let scan = PdfPageContent::image;
    let blank = || PdfPageContent::text(std::iter::empty());
    let error = extract(&pdf_file("", &[scan(), scan()])).unwrap_err();
    let has_ocr = crate::tesseract_status(&ExtractOptions::default()).is_ok();
    if has_ocr {
        assert_eq!(error.code, ErrorCode::EmptyFile);
        assert_eq!(error.message, "lease.pdf is a scan on which no text was recognised.");
    } else {
        assert_eq!(error.code, ErrorCode::NeedsOcr);
        assert_eq!(error.message, "lease.pdf is a scan without a text layer (2 pages).");
    }
    assert_eq!(extract(&pdf_file("", &[blank()])).unwrap_err().code, ErrorCode::EmptyFile);

    let extraction = extract(&pdf_file("", &[scan(), text(&PARAGRAPH), blank(), scan(), scan()])).unwrap();
    let warning = if has_ocr {
        "OCR found no text on pages 1, 4-5."
    } else {
        "No text layer on pages 1, 4-5: scanned, so that reading needs OCR."
    };
    assert_eq!(extraction.warnings, [warning]);
    let blocks: Vec<usize> = extraction.pages.iter().map(|page| page.blocks.len()).collect();
    assert_eq!(blocks, [0, 1, 0, 0, 0]);
}

#[test]
fn scanned_pages_are_read() {
    if let Err(error) = crate::tesseract_status(&ExtractOptions::default()) {
        eprintln!("skipped, without tesseract: {}", error.message);
        return;
    }
    let native = pdf_file("", &[text(&PARAGRAPH)]);
    let picture = super::rendered_page(&native);
    let extraction = extract(&scanned_pdf_file(picture.image.width, &picture.image.pixels)).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(page.text, PARAGRAPH.join("\n"));
    assert_eq!(page.method, ExtractionMethod::Ocr);
    assert!(page.ocr_confidence.unwrap() > 0.85);
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    let native = extract(&native).unwrap();
    assert_eq!((native.pages[0].method, native.pages[0].ocr_confidence), (ExtractionMethod::Native, None));
    for (scanned, native) in page.line_boxes.iter().zip(&native.pages[0].line_boxes) {
        let (scanned, native) = (scanned.unwrap(), native.unwrap());
        assert!((scanned.left - native.left).abs() < 4.0 && (scanned.bottom - native.bottom).abs() < 6.0);
        assert!((scanned.right - native.right).abs() < 4.0 && (scanned.top - native.top).abs() < 6.0);
    }
}

#[test]
fn damaged_files_are_refused_with_a_reason() {
    let whole = pdf_file("", &[text(&PARAGRAPH)]);
    assert_eq!(extract(b"%PDF-1.7\nnothing else").unwrap_err().code, ErrorCode::UnreadableFile);
    assert!(matches!(
        extract(&whole[..whole.len() / 4]).map_err(|error| error.code),
        Err(ErrorCode::UnreadableFile | ErrorCode::EmptyFile)
    ));
}

#[test]
fn titles_that_say_nothing_are_dropped() {
    for (title, sensible) in
        [("Lease of land", true), ("Microsoft Word - lease.doc", false), ("untitled", false), ("12", false)]
    {
        assert_eq!(super::is_sensible_title(title), sensible, "{title}");
    }
}

#[test]
fn the_pages_of_a_scan_are_shown_as_they_are_read() {
    use std::cell::RefCell;
    use std::rc::Rc;
    let seen = Rc::new(RefCell::new(Vec::new()));
    let keep = Rc::clone(&seen);
    let observer = Box::new(move |page: &casetrack_core::Page| keep.borrow_mut().push(page.clone()));
    let limits = casetrack_core::Limits { max_text_chars: 400, ..Default::default() };
    let options = ExtractOptions { limits, ..ExtractOptions::default() };
    // Nothing is read of the scans; the third text is too much.
    let scan = PdfPageContent::image;
    let file = pdf_file("", &[scan(), text(&PARAGRAPH), scan(), text(&PARAGRAPH), text(&PARAGRAPH)]);
    let result = crate::extraction::extract_observed(
        Path::new("lease.pdf"),
        &file,
        &options,
        Some(observer),
        StepTracker::default(),
    );
    assert_eq!(result.unwrap_err().code, ErrorCode::FileTooLarge);
    assert_eq!(seen.borrow().iter().map(|page| page.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

/// A picture of a page with these lines at its top, and how wide it is.
fn picture_of(lines: &[&str]) -> (usize, Vec<u8>) {
    let image = super::rendered_page(&pdf_file("", &[text(lines)])).image;
    (image.width, image.pixels)
}

#[test]
fn a_large_picture_beside_a_text_layer_is_read_too() {
    let (width, pixels) = picture_of(&["Annex: the tenant may keep two cats", "and a small dog."]);
    // The upper half of the page as a picture, in the lower half of one with text.
    let half = &pixels[..pixels.len() / width / 2 * width];
    let below = ["This sentence stands at the very foot of the page."];
    let content = |picture: bool| {
        let lines = PARAGRAPH.iter().zip(0..).map(|(line, number)| (72.0, 750.0 - 14.0 * number as f32, 12.0, *line));
        let content = PdfPageContent::text(lines.chain([(72.0, 20.0, 12.0, below[0])]));
        if picture { content.with_image(0.0, 60.0, 612.0, 396.0) } else { content }
    };
    let extraction = extract(&pdf_file_with_picture("", &[content(true), content(false)], width, half)).unwrap();
    let (page, plain) = (&extraction.pages[0], &extraction.pages[1]);
    assert_eq!(plain.text, format!("{}\n{}", PARAGRAPH.join("\n"), below[0]));
    if crate::tesseract_status(&ExtractOptions::default()).is_err() {
        assert_eq!(page.text, plain.text);
        assert_eq!(extraction.warnings, ["Large pictures on page 1 were not read: that needs OCR."]);
        return;
    }
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    let annex = "Annex: the tenant may keep two cats\nand a small dog.";
    assert_eq!(page.text, format!("{}\n{annex}\n{}", PARAGRAPH.join("\n"), below[0]));
    assert_eq!((page.method, plain.method), (ExtractionMethod::Hybrid, ExtractionMethod::Native));
    assert!(page.ocr_confidence.unwrap() > 0.85);
    let area = page.line_boxes[3].unwrap();
    let top = 792.0 - 60.0 - 396.0 + 14.0 - 9.0;
    assert!((area.left - 72.0).abs() < 4.0 && (area.top - top).abs() < 5.0, "{area:?}");
}

#[test]
fn what_the_text_layer_says_is_not_read_again() {
    let (width, pixels) = picture_of(&PARAGRAPH);
    // A searchable scan, and a scan that only has a stamp.
    let searchable = text(&PARAGRAPH).with_image(0.0, 0.0, 612.0, 792.0);
    let stamp = "Case 3:20-cv-00123, document 45, filed on the first of May, page 1 of 2";
    let stamped = PdfPageContent::text([(72.0, 30.0, 10.0, stamp)].into_iter()).with_image(0.0, 0.0, 612.0, 792.0);
    let extraction = extract(&pdf_file_with_picture("", &[searchable, stamped], width, &pixels)).unwrap();
    assert_eq!(extraction.pages[0].text, PARAGRAPH.join("\n"));
    if crate::tesseract_status(&ExtractOptions::default()).is_ok() {
        assert_eq!(extraction.pages[0].method, ExtractionMethod::Native);
        assert_eq!(extraction.pages[1].text, format!("{}\n{stamp}", PARAGRAPH.join("\n")));
        assert_eq!(extraction.pages[1].method, ExtractionMethod::Hybrid);
    }
}

#[test]
fn a_number_that_is_stamped_on_a_scan_is_kept_as_the_file_states_it() {
    // The picture shows a letter in the place of the first zero.
    let lines = PARAGRAPH.iter().zip(1..).map(|(line, number)| (72.0, 792.0 - 14.0 * number as f32, 12.0, *line));
    let shown = PdfPageContent::text(lines.chain([(440.0, 30.0, 12.0, "SMITHO00042")]));
    let image = super::rendered_page(&pdf_file("", &[shown])).image;
    let stamped =
        PdfPageContent::text([(440.0, 30.0, 12.0, "SMITH000042")].into_iter()).with_image(0.0, 0.0, 612.0, 792.0);
    let extraction = extract(&pdf_file_with_picture("", &[stamped], image.width, &image.pixels)).unwrap();
    let page = &extraction.pages[0];
    if crate::tesseract_status(&ExtractOptions::default()).is_err() {
        assert_eq!(page.text, "SMITH000042");
        return;
    }
    assert_eq!(page.text, format!("{}\nSMITH000042", PARAGRAPH.join("\n")));
    assert_eq!(page.method, ExtractionMethod::Hybrid);
    let [OtherReading { line: 4, text: reading }] = &page.notes.other_readings[..] else {
        panic!("{:?}", page.notes);
    };
    assert!(reading.starts_with("SMITHO"), "{reading}");
    let document = casetrack_core::DocumentId::from_bytes([1; 16]);
    let chunks = casetrack_pages::chunker::chunk_pages(document, &extraction.pages, &Default::default());
    assert!(chunks[0].embedding_text().contains(reading) && !chunks[0].text.contains(reading));
}

#[test]
fn fields_and_annotations_are_blocks_of_their_own() {
    let content = "BT /F1 12 Tf 72 692 Td (Tenant:) Tj ET BT /F1 12 Tf 72 650 Td (The rent is due in May.) Tj ET \
        BT /F1 12 Tf 72 600 Td (Both keep the house in good repair.) Tj ET\n";
    let annotation = |entries: &str| format!("<< /Type /Annot /P 4 0 R /F 4 {entries} >>");
    // Without appearances: a viewer is to make them.
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true /DR << /Font << /F1 3 0 R >> >> \
         /Fields [7 0 R 8 0 R 9 0 R] >> >>"
            .to_owned(),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> >> \
         /Annots [7 0 R 8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R] >>"
            .to_owned(),
        "<< /Title (Form) >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
    ];
    objects.extend(
        [
            "/Subtype /Widget /FT /Tx /T (Tenant) /V (Ann Bell) /DA (/F1 12 Tf) /Rect [150 688 350 704]",
            "/Subtype /Widget /FT /Btn /T (Pets) /V /On /AS /On /Rect [400 688 412 700]",
            "/Subtype /Widget /FT /Ch /Ff 131072 /T (Payment) /Opt [(monthly) (yearly)] /V (monthly) /Rect [150 646 350 662]",
            "/Subtype /Text /Contents (Ask Ben.) /T (Ann B.) /M (D:20240503) /Rect [500 646 520 666]",
            "/Subtype /Highlight /Contents (Agreed.) /T (Ann B.) /Rect [72 646 300 662] \
             /QuadPoints [72 662 300 662 72 646 300 646]",
            "/Subtype /Redact /Rect [72 596 300 612] /QuadPoints [72 612 300 612 72 596 300 596]",
            "/Subtype /FreeText /Contents (Draft only) /DA (/F1 12 Tf) /Rect [72 500 200 516]",
        ]
        .map(annotation),
    );
    let extraction = extract(&crate::test_files::pdf_file_of(&objects)).unwrap();
    let page = &extraction.pages[0];
    let chars: Vec<char> = page.text.chars().collect();
    let block = |block: &casetrack_core::Block| {
        chars[block.char_start as usize..block.char_end as usize].iter().collect::<String>()
    };
    let expected = [
        "Tenant:",
        "Tenant: Ann Bell",
        "Pets: ticked",
        "The rent is due in May.",
        "Highlight (Ann B.): “The rent is due in May.” – Agreed.",
        "Payment: monthly",
        "Note (Ann B., 2024-05-03): Ask Ben.",
        "Both keep the house in good repair.",
        "Marked for redaction: “Both keep the house in good repair.”",
        "Draft only",
    ];
    assert_eq!(page.blocks.iter().map(block).collect::<Vec<_>>(), expected);
    assert!(page.blocks.iter().all(|block| block.kind == BlockKind::Paragraph));
    let area = page.line_boxes[1].unwrap();
    assert_eq!([area.left, area.top, area.right, area.bottom], [150.0, 88.0, 350.0, 104.0]);
}

#[test]
fn letters_in_a_code_of_their_own_are_read_by_ocr_instead() {
    let lines = [
        "The landlord keeps the roof and the walls of the house in good",
        "repair and the tenant pays for it in the month of May of every",
        "year until the lease of the land and of the house comes to an end",
    ];
    let (width, pixels) = picture_of(&lines);
    let moved =
        |line: &str| line.chars().map(|c| if c == ' ' { c } else { (c as u8 - 29) as char }).collect::<String>();
    let moved = lines.map(moved);
    let garbage = text(&[&*moved[0], &*moved[1], &*moved[2]]).with_image(0.0, 0.0, 612.0, 792.0);
    let extraction = extract(&pdf_file_with_picture("", &[garbage], width, &pixels)).unwrap();
    let page = &extraction.pages[0];
    if crate::tesseract_status(&ExtractOptions::default()).is_err() {
        assert_eq!(page.text, moved.join("\n"));
        let warning = "The text layer of page 1 does not match the page image, and reading the page instead needs OCR.";
        assert_eq!(extraction.warnings, [warning]);
        return;
    }
    assert_eq!((&*page.text, page.method), (&*lines.join("\n"), ExtractionMethod::Ocr));
    let warning = "The text layer of page 1 does not match the page image: OCR was used instead.";
    assert_eq!(extraction.warnings, [warning]);
}

#[test]
fn a_page_of_great_height_is_read() {
    let mut file = String::from_utf8(scanned_pdf_file(1, b"A")).unwrap();
    file = file.replace("/MediaBox [0 0 612 792]", "/MediaBox [0 0 99 13949]");
    assert_eq!(
        extract(file.as_bytes()).unwrap_err().code,
        if crate::tesseract_status(&ExtractOptions::default()).is_ok() {
            ErrorCode::EmptyFile
        } else {
            ErrorCode::NeedsOcr
        }
    );
    let picture = super::rendered_page(file.as_bytes());
    assert!(picture.image.height <= 32_000 && picture.image.height > 31_000, "{}", picture.image.height);
}

#[test]
fn turned_text_is_read_line_by_line_in_its_own_direction() {
    // The first line is at the head of the turned page, and the others below it in that sense.
    for (quarters, x, y, step) in
        [(1, 500.0, 740.0, (-14.0, 0.0)), (2, 540.0, 80.0, (0.0, 14.0)), (3, 90.0, 60.0, (14.0, 0.0))]
    {
        let lines = PARAGRAPH.iter().zip(0..).fold(PdfPageContent::text(std::iter::empty()), |page, (line, row)| {
            page.with_turned(quarters, x + step.0 * row as f32, y + step.1 * row as f32, line)
        });
        let page = &extract(&pdf_file("", &[lines])).unwrap().pages[0];
        assert_eq!((&*page.text, page.blocks.len()), (&*PARAGRAPH.join("\n"), 1), "turned by {quarters}");
        let upright = &extract(&pdf_file("", &[text(&PARAGRAPH)])).unwrap().pages[0];
        for ((area, upright), row) in page.line_boxes.iter().zip(&upright.line_boxes).zip(0..) {
            let (area, upright) = (area.unwrap(), upright.unwrap());
            let length = upright.right - upright.left;
            // The baseline from the top left.
            let (x, y) = (x + step.0 * row as f32, 792.0 - y - step.1 * row as f32);
            let expected = match quarters {
                1 => (x - 3.0, y, x + 9.5, y + length),
                2 => (x - length, y - 3.0, x, y + 9.5),
                _ => (x - 9.5, y - length, x + 3.0, y),
            };
            let found = [area.left, area.top, area.right, area.bottom];
            let expected = [expected.0, expected.1, expected.2, expected.3];
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 3.0), "{quarters}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn turned_text_beside_level_text_is_text_of_its_own() {
    let content = text(&PARAGRAPH).with_turned(3, 40.0, 200.0, "Received on 3 May 2024").with_turned(
        1,
        590.0,
        500.0,
        "Exhibit A",
    );
    let extraction = extract(&pdf_file("", &[content])).unwrap();
    assert_eq!(extraction.pages[0].text, format!("{}\nExhibit A\nReceived on 3 May 2024", PARAGRAPH.join("\n")));
    assert_eq!(extraction.pages[0].blocks.len(), 3);
}

#[test]
fn running_heads_and_page_numbers_are_blocks_of_their_own() {
    let page = |number: &str| {
        let lines = PARAGRAPH.iter().zip(0..).map(|(line, row)| (72.0, 742.0 - 14.0 * row as f32, 12.0, *line));
        let margins =
            [(72.0, 756.0, 12.0, "Lease of land and house, between landlord and tenant"), (300.0, 30.0, 12.0, number)];
        PdfPageContent::text(margins[..1].iter().copied().chain(lines).chain(margins[1..].iter().copied()))
    };
    let extraction = extract(&pdf_file("", &["7", "8", "9"].map(page))).unwrap();
    for (page, number) in extraction.pages.iter().zip(7..) {
        let chars: Vec<char> = page.text.chars().collect();
        let blocks: Vec<(String, BlockKind)> = page
            .blocks
            .iter()
            .map(|block| {
                let text = &chars[block.char_start as usize..block.char_end as usize];
                (text.iter().collect(), block.kind.clone())
            })
            .collect();
        let head = "Lease of land and house, between landlord and tenant".to_owned();
        let expected = [head, PARAGRAPH.join("\n"), number.to_string()].map(|text| (text, BlockKind::Paragraph));
        assert_eq!(blocks, expected);
    }
}

#[test]
fn columns_that_were_drawn_line_by_line_are_read_one_after_the_other() {
    let column =
        |side: &str| (0..6).map(|row| format!("and line {row} of the {side} column goes on")).collect::<Vec<_>>();
    let (left, right) = (column("left"), column("right"));
    let rows = left.iter().zip(&right).zip(0..).flat_map(|((left, right), row)| {
        let baseline = 700.0 - 14.0 * row as f32;
        [(40.0, baseline, 10.0, &**left), (320.0, baseline, 10.0, &**right)]
    });
    let extraction = extract(&pdf_file("", &[PdfPageContent::text(rows)])).unwrap();
    assert_eq!(extraction.pages[0].text, [left, right].concat().join("\n"));
    assert_eq!(extraction.pages[0].blocks.len(), 2);
}

#[test]
fn pages_have_the_labels_of_the_file_and_their_bates_numbers() {
    let page = |number: u32| {
        let stamp = format!("SMITH{number:06}");
        let lines = PARAGRAPH.iter().zip(1..).map(|(line, n)| (72.0, 792.0 - 14.0 * n as f32, 12.0, *line));
        PdfPageContent::text(lines.chain([(480.0, 24.0, 9.0, stamp.as_str())]))
    };
    let file = pdf_file("", &[41, 42, 43, 44].map(page));
    let labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >> 3 << /P (A-) /S /D >>] >>";
    let file = String::from_utf8(file).unwrap().replace("/Type /Catalog", &format!("/Type /Catalog {labels}"));
    let pages = extract(file.as_bytes()).unwrap().pages;
    let labels: Vec<_> = pages.iter().map(|page| page.notes.label.as_deref()).collect();
    assert_eq!(labels, [Some("i"), Some("ii"), Some("1"), Some("A-1")]);
    let numbers: Vec<_> = pages.iter().map(|page| page.notes.bates.as_deref().unwrap()).collect();
    assert_eq!(numbers, ["SMITH000041", "SMITH000042", "SMITH000043", "SMITH000044"]);
    let plain = extract(&pdf_file("", &[page(1)])).unwrap().pages;
    assert_eq!(plain[0].notes.label, None);
    assert_eq!(super::page::label(" A-1\n", 3).as_deref(), Some("A-1"));
    for none in ["3", "", "-", &"x".repeat(41)] {
        assert_eq!(super::page::label(none, 3), None, "{none}");
    }
}
