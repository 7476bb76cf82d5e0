use super::*;
use crate::test_files::pdf_file_of;

const LINE: &str = "The rent is due in May.";

/// A page with a line of text and these annotations, each with its entries, in a file with these fields among them,
/// counted from 0. Entries without a subtype are of objects that are no annotations.
fn annotated(annotations: &[&str], fields: &[usize]) -> Extraction {
    let content = format!("BT /F1 12 Tf 72 650 Td ({LINE}) Tj ET\n");
    let references = |indices: &mut dyn Iterator<Item = usize>| {
        indices.map(|index| format!("{} 0 R", 7 + index)).collect::<Vec<_>>().join(" ")
    };
    let mut objects = vec![
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{}] >> >>",
            references(&mut fields.iter().copied())
        ),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> >> \
             /Annots [{}] >>",
            references(&mut (0..annotations.len()).filter(|index| annotations[*index].starts_with("/Subtype")))
        ),
        "<< /Title (Lease) >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
    ];
    objects.extend(annotations.iter().map(|entries| format!("<< /Type /Annot /P 4 0 R {entries} >>")));
    // The place for the range of a signature.
    let mut file = String::from_utf8(pdf_file_of(&objects)).unwrap();
    while let Some(range) = file.find("[RANGE_OF_THE_SIGNATURE_____]") {
        let gap = range + file[range..].find("<30AF>").unwrap();
        let rest = gap + "<30AF>".len();
        let numbers = format!("[0 {gap:06} {rest:06} {:09}]", file.len() - rest);
        file.replace_range(range..range + 29, &format!("{numbers:29}"));
    }
    extract(file.as_bytes()).unwrap()
}

fn blocks(extraction: &Extraction) -> Vec<String> {
    let page = &extraction.pages[0];
    let chars: Vec<char> = page.text.chars().collect();
    let text = |block: &casetrack_core::Block| {
        chars[block.char_start as usize..block.char_end as usize].iter().collect::<String>()
    };
    page.blocks.iter().map(text).collect()
}

#[test]
fn what_reviewers_insert_and_mark_is_kept() {
    let quads = "/Rect [72 646 300 662] /QuadPoints [72 662 300 662 72 646 300 646]";
    let extraction = annotated(
        &[
            "/Subtype /Caret /Contents (or June) /T (Ann B.) /M (D:20240503) /Rect [190 640 200 650] /F 4",
            &format!("/Subtype /Underline /T (Ben) {quads} /F 4"),
            &format!("/Subtype /Highlight {quads} /F 4"),
            "/Subtype /Line /Contents (See the plan.) /T (Ann B.) /Rect [72 500 200 510] /L [72 500 200 510] /F 4",
            "/Subtype /Polygon /Contents (This part.) /Rect [72 450 200 470] /Vertices [72 450 200 450 200 470] /F 4",
            "/Subtype /Link /Contents (A link) /Rect [72 400 200 410] /F 4",
            "/Subtype /Caret /Contents (hidden) /Rect [72 300 200 310] /F 2",
        ],
        &[],
    );
    let expected = [
        LINE,
        "Underlined (Ben): “The rent is due in May.”",
        "Highlight: “The rent is due in May.”",
        "Inserted (Ann B., 2024-05-03): or June",
        "Comment (Ann B.): See the plan.",
        "Comment: This part.",
    ];
    assert_eq!(blocks(&extraction), expected);
}

#[test]
fn a_signature_is_told_in_its_own_field() {
    let widget =
        |entries: &str, left: u32| format!("/Subtype /Widget /FT /Sig {entries} /Rect [{left} 500 {} 520]", left + 100);
    let signature = "/Type /Sig /Name (Ann Lee) /ByteRange [RANGE_OF_THE_SIGNATURE_____] /Contents <30AF>";
    let landlord = widget("/T (Landlord) /F 4", 72);
    let tenant = widget("/T (Tenant) /V 9 0 R /F 4", 300);
    let whole = "signed by Ann Lee; it covers the whole file";
    let extraction = annotated(&[&landlord, &tenant, signature], &[0, 1]);
    assert_eq!(blocks(&extraction), [LINE.to_owned(), format!("Tenant: {whole}")]);
    // In a field that is hidden, no page shows it.
    let hidden = tenant.replace("/F 4", "/F 2");
    let extraction = annotated(&[&landlord, &hidden, signature], &[0, 1]);
    assert_eq!(blocks(&extraction), [format!("Signature that no page shows: {whole}"), LINE.to_owned()]);
}

#[test]
fn a_scan_that_lies_askew_is_read_under_the_stamps_of_a_court() {
    let lines = [
        "The landlord keeps the roof and the walls of the house in good",
        "repair and the tenant pays for it in the month of May of every",
        "year until the lease of the land and of the house comes to an end",
        "and the keys are given back on the day on which the lease ends",
    ];
    let body = lines.iter().zip(0..).map(|(line, row)| (90.0, 520.0 - 20.0 * row as f32, 12.0, *line));
    let image = super::super::rendered_page(&pdf_file("", &[PdfPageContent::text(body).turned_by(8.0)])).image;
    let header = "Case 3:20-cv-00123-ABC Document 45-2 Filed 05/03/24 Page 1 of 12 PageID #: 1023";
    let stamps = [(90.0, 775.0, 10.0, header), (480.0, 24.0, 10.0, "SMITH000042")];
    let stamped = PdfPageContent::text(stamps.into_iter()).with_image(0.0, 0.0, 612.0, 792.0);
    let extraction = extract(&pdf_file_with_picture("", &[stamped], image.width, &image.pixels)).unwrap();
    let page = &extraction.pages[0];
    if crate::tesseract_status(&ExtractOptions::default()).is_err() {
        assert_eq!(page.text, format!("{header}\nSMITH000042"));
        return;
    }
    assert_eq!(page.method, ExtractionMethod::Hybrid);
    assert_eq!(page.text, format!("{header}\n{}\nSMITH000042", lines.join("\n")));
}

#[test]
fn a_long_comment_over_a_stamped_scan_takes_no_word_of_it() {
    let lines = [
        "The landlord keeps the roof and the walls of the house in good",
        "repair and the tenant pays for it in the month of May of every",
        "year until the lease of the land and of the house comes to an end",
    ];
    let body = lines.iter().zip(0..).map(|(line, row)| (90.0, 520.0 - 20.0 * row as f32, 12.0, *line));
    let image = super::super::rendered_page(&pdf_file("", &[PdfPageContent::text(body)])).image;
    let comment = "We never agreed to this, and the letter of the third of May says so in as many words.";
    let highlight = format!(
        "/Annots [<< /Type /Annot /Subtype /Highlight /Contents ({comment}) /T (Ann B.) /C [1 1 0] /F 4 \
         /Rect [92 496 470 512] /QuadPoints [92 512 470 512 92 496 470 496] >>]"
    );
    let header = "Case 3:20-cv-00123-ABC Document 45-2 Filed 05/03/24 Page 1 of 12 PageID #: 1023";
    let number = (480.0, 24.0, 10.0, "SMITH000042");
    for stamps in [vec![number], vec![(90.0, 775.0, 10.0, header), number]] {
        let said: Vec<&str> = stamps[1..].iter().map(|_| header).collect();
        let stamped = PdfPageContent::text(stamps.into_iter()).with_image(0.0, 0.0, 612.0, 792.0);
        let file = pdf_file_with_picture("", &[stamped], image.width, &image.pixels);
        let file = String::from_utf8(file)
            .unwrap()
            .replace("/Type /Page /Parent", &format!("/Type /Page {highlight} /Parent"));
        let page = extract(file.as_bytes()).unwrap().pages.remove(0);
        let remark = format!("Highlight (Ann B.): – {comment}");
        if crate::tesseract_status(&ExtractOptions::default()).is_err() {
            assert!(page.text.contains(&remark) && page.text.contains("SMITH000042"), "{}", page.text);
            continue;
        }
        let expected = [&said[..], &[lines[0], lines[1], &*remark, lines[2], "SMITH000042"][..]].concat();
        assert_eq!((page.text, page.method), (expected.join("\n"), ExtractionMethod::Hybrid));
        // The text read there is page text, not another reading of the comment.
        assert!(page.notes.other_readings.iter().all(|other| !other.text.contains("tenant")), "{:?}", page.notes);
    }
}

#[test]
fn a_comment_over_a_picture_beside_a_text_layer_takes_no_word_of_it() {
    let (width, pixels) = picture_of(&["Annex: the tenant may keep two cats", "and a small dog."]);
    let half = &pixels[..pixels.len() / width / 2 * width];
    let lines = PARAGRAPH.iter().zip(0..).map(|(line, number)| (72.0, 750.0 - 14.0 * number as f32, 12.0, *line));
    let content = PdfPageContent::text(lines).with_image(0.0, 60.0, 612.0, 396.0);
    let file = String::from_utf8(pdf_file_with_picture("", &[content], width, half)).unwrap();
    // Over the first line of the picture, which begins 456 points from the bottom.
    let comment =
        "/Annots [<< /Type /Annot /Subtype /Square /Contents (Which?) /C [1 1 0] /F 4 /Rect [70 434 290 458] >>]";
    let file = file.replace("/Type /Page /Parent", &format!("/Type /Page {comment} /Parent"));
    let extraction = extract(file.as_bytes()).unwrap();
    if crate::tesseract_status(&ExtractOptions::default()).is_ok() {
        let text = &extraction.pages[0].text;
        assert!(text.contains("Annex: the tenant may keep two cats") && text.contains("Comment: Which?"), "{text}");
    }
}

#[test]
fn small_print_at_the_edges_is_stamped_and_a_title_is_not() {
    let page = casetrack_core::Rect { left: 0.0, top: 0.0, right: 612.0, bottom: 792.0 };
    let line = |left: f32, top: f32, size: f32| {
        let area = casetrack_core::Rect { left, top, right: left + 200.0, bottom: top + size };
        super::super::Line { size, ..super::super::scan::line_of("x".into(), area) }
    };
    let is_stamped = |lines: &[super::super::Line]| super::super::scan::is_stamped(lines, &page);
    assert!(is_stamped(&[line(72.0, 10.0, 12.0), line(400.0, 760.0, 14.0)]));
    let two = [line(72.0, 10.0, 12.0), line(400.0, 11.0, 12.0), line(72.0, 24.0, 12.0)];
    assert!(is_stamped(&two));
    assert!(!is_stamped(&[&two[..], &[line(72.0, 38.0, 12.0)]].concat()), "a paragraph");
    assert!(!is_stamped(&[line(72.0, 10.0, 32.0)]), "a title");
    assert!(!is_stamped(&[line(72.0, 10.0, 12.0), line(72.0, 300.0, 12.0)]), "a line of the text");
}
