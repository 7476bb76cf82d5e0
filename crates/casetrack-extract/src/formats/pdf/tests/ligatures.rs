//! Text layers in which ligatures map to another character, or to none.

use casetrack_core::ExtractionMethod;

use super::extract;
use crate::ExtractOptions;
use crate::test_files::pdf_file_of;

const LINES: [&str; 3] = [
    "The certificate of the office confirms the final figures of the",
    "firm and the benefits of the classified offer that the landlord",
    "filed in the offices of the district on the first of May.",
];

/// A page of Helvetica with ligatures. The text layer maps each of them to `fi`: digits of UTF-16, or nothing; `None` for a font without
/// a map.
fn page(fi: Option<&str>) -> Vec<u8> {
    let map = fi.map(|fi| format!("1 beginbfrange <20> <7E> <0020> endbfrange\n1 beginbfchar <1E> <{fi}> endbfchar"));
    page_of(&LINES, map.as_deref())
}

fn page_of(lines: &[&str], map: Option<&str>) -> Vec<u8> {
    let text: String = lines
        .iter()
        .zip(1..)
        .map(|(line, number)| {
            format!("BT /F1 12 Tf 72 {} Td ({}) Tj ET\n", 792 - 20 * number, line.replace("fi", "\\036"))
        })
        .collect();
    let map = map.map(|map| {
        format!(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n\
             1 begincodespacerange <00> <FF> endcodespacerange\n{map}\nendcmap end end"
        )
    });
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [6 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [30 /fi] >> {} >>",
            if map.is_some() { "/ToUnicode 8 0 R" } else { "" }
        ),
        "null".to_owned(),
        "<< >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R /Resources << /Font << /F1 3 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{text}endstream", text.len()),
    ];
    objects.extend(map.map(|map| format!("<< /Length {} >>\nstream\n{map}\nendstream", map.len())));
    pdf_file_of(&objects)
}

#[test]
fn ligatures_that_map_wrongly_are_read_by_ocr() {
    for fi in [None, Some("FB01"), Some("00660069"), Some("")] {
        let extraction = extract(&page(fi)).unwrap();
        assert_eq!((&*extraction.pages[0].text, extraction.warnings.len()), (&*LINES.join("\n"), 0), "{fi:?}");
    }
    let has_engine = crate::tesseract_status(&ExtractOptions::default()).is_ok();
    for fi in ["0000", "0001", "000C", "FFFD", "F001", "019F", "00AE", "0020", "0066"] {
        let extraction = extract(&page(Some(fi))).unwrap();
        let page = &extraction.pages[0];
        assert!(
            extraction.warnings.iter().any(|warning| warning.starts_with("The text layer of page 1 does not match")),
            "{fi}: {} {:?}",
            page.text,
            extraction.warnings
        );
        if has_engine {
            assert_eq!((&*page.text, page.method), (&*LINES.join("\n"), ExtractionMethod::Ocr), "{fi}");
        }
    }
}

#[test]
fn digits_that_map_to_other_digits_are_read_by_ocr() {
    let lines =
        ["The tenant pays a rent of 1234 EUR on the 5th day of each month", "and gives notice by 30 June 2021."];
    let map = |digits: &str| {
        format!("2 beginbfrange <20> <2F> <0020> <3A> <7E> <003A> endbfrange 1 beginbfrange {digits} endbfrange")
    };
    let right = extract(&page_of(&lines, Some(&map("<30> <39> <0030>")))).unwrap();
    assert_eq!((&*right.pages[0].text, right.warnings.len()), (&*lines.join("\n"), 0));
    let moved = extract(&page_of(&lines, Some(&map("<30> <36> <0033>")))).unwrap();
    let warning = "The text layer of page 1 does not match";
    assert!(moved.warnings.iter().any(|said| said.starts_with(warning)), "{:?}", moved.warnings);
}
