//! One page for each way to hide text, and pages that look like them but hide nothing.

use std::path::Path;

use casetrack_core::HiddenReason::{Colour, Covered, HiddenLayer, Invisible, OutsidePage, Tiny};
use casetrack_core::{HiddenReason, Page};

use crate::test_files::{assert_page_invariants, hidden_texts, pdf_file_of};
use crate::{ExtractOptions, Extraction};

/// A page of 612 by 792 points with this content, the fonts F1 (Helvetica), the grey picture Im1, the form Fm1 with the
/// content `form` and the layer L1, which is off.
fn pdf(content: &str, form: &str, more: [&str; 2]) -> Vec<u8> {
    let [catalogue, page] = more;
    let picture = "80".repeat(16);
    pdf_file_of(&[
        format!("<< /Type /Catalog /Pages 2 0 R {catalogue} >>"),
        "<< /Type /Pages /Kids [6 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!(
            "<< /Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode \
             /Length 33 >>\nstream\n{picture}>\nendstream"
        ),
        "<< /Author (A) >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R {page} /Resources << /Font << /F1 3 0 R >> /XObject \
             << /Im1 4 0 R /Fm1 8 0 R >> /Properties << /L1 9 0 R >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len() + 1),
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 600 600] /Matrix [1 0 0 1 0 20] /Resources << /Font << /F1 3 0 R >> >> \
             /Length {} >>\nstream\n{form}\nendstream",
            form.len() + 1
        ),
        "<< /Type /OCG /Name (Draft) >>".to_owned(),
        "<< /Type /Annot /Subtype /Square /Rect [70 640 200 660] /IC [0 0 0] /C [0 0 0] /AP << /N 11 0 R >> >>".to_owned(),
        "<< /Type /XObject /Subtype /Form /BBox [70 640 200 660] /Length 27 >>\nstream\n0 g 70 640 130 20 re f    \nendstream".to_owned(),
    ])
}

fn extract(bytes: &[u8]) -> Extraction {
    let extraction = crate::extract(Path::new("lease.pdf"), bytes, &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn shown(x: u32, y: u32, text: &str) -> String {
    format!("BT /F1 12 Tf {x} {y} Td ({text}) Tj ET\n")
}

fn page(content: &str) -> String {
    shown(72, 720, "The tenant pays the rent in May.")
        + content
        + &shown(72, 100, "Both keep the house in good repair.")
}

fn hidden(page: &Page) -> Vec<(HiddenReason, String)> {
    hidden_texts(page).into_iter().map(|(reason, _, text)| (reason, text)).collect()
}

fn hidden_in(content: &str) -> Vec<(HiddenReason, String)> {
    hidden(&extract(&pdf(&page(content), "", [""; 2])).pages[0])
}

#[track_caller]
fn assert_hidden(content: &str, reason: HiddenReason, text: &str) {
    assert_eq!(hidden_in(content), [(reason, text.to_owned())]);
}

#[track_caller]
fn assert_seen(content: &str) {
    assert_eq!(hidden_in(content), []);
}

const SECRET: &str = "The price is ten million.";

fn secret() -> String {
    shown(72, 645, SECRET)
}

#[test]
fn white_text_on_paper_is_hidden_and_named() {
    let extraction = extract(&pdf(&page(&format!("1 g {}0 g ", secret())), "", [""; 2]));
    let page = &extraction.pages[0];
    assert_eq!(page.text, format!("The tenant pays the rent in May.\n{SECRET}\nBoth keep the house in good repair."));
    assert_eq!(hidden(page), [(Colour, SECRET.to_owned())]);
    assert_eq!(
        extraction.warnings,
        [
            "Hidden text, which is read and marked as such: in the colour of its background on page 1 (1 passage, 25 characters)."
        ]
    );
    assert_hidden(&format!("0.99 0.98 0.99 rg {}0 g ", secret()), Colour, SECRET);
}

#[test]
fn text_in_the_colour_of_a_box_is_hidden() {
    assert_hidden(&format!("0.2 0.3 0.4 rg 60 630 300 40 re f 0.21 0.3 0.4 rg {}0 g ", secret()), Colour, SECRET);
}

#[test]
fn white_text_on_dark_grounds_is_seen() {
    assert_seen(&format!("0 g 60 630 300 40 re f 1 g {}0 g ", secret()));
    assert_seen(&format!("q 300 0 0 40 60 630 cm /Im1 Do Q 1 g {}0 g ", secret()));
    // Grey, but not white.
    assert_seen(&format!("0.85 g {}0 g ", secret()));
    // The shadow of a title.
    assert_seen(&format!("1 g {}0 g {}", shown(73, 644, SECRET), secret()));
}

#[test]
fn what_a_box_covers_is_hidden_word_for_word() {
    // The words before are 65 points wide.
    assert_hidden(&format!("{}0 g 137 640 60 16 re f\n", secret()), Covered, "ten million.");
    // A label on the bar, as programs for redaction draw it.
    let labelled = format!("{}0 g 70 640 160 16 re f 1 g {}0 g ", secret(), shown(100, 645, "REDACTED"));
    assert_eq!(hidden_in(&labelled).first(), Some(&(Covered, SECRET.to_owned())));
    // White and coloured bars cover as well; so does a picture.
    assert_hidden(&format!("{}1 g 70 640 160 16 re f 0 g ", secret()), Covered, SECRET);
    assert_hidden(&format!("{}q 160 0 0 16 70 640 cm /Im1 Do Q\n", secret()), Covered, SECRET);
    // Before the text, the bar is its ground; next to it, nothing.
    assert_seen(&format!("0.9 g 70 640 160 16 re f 0 g {}", secret()));
    assert_seen(&format!("{}0 g 72 615 160 16 re f\n", secret()));
    // An underline and a line through the text.
    assert_seen(&format!("{}0 g 70 643 160 1 re f 70 648 160 1 re f\n", secret()));
}

#[test]
fn text_that_is_drawn_again_over_a_box_is_seen() {
    assert_seen(&format!("{}0.9 g 70 640 160 16 re f 0 g {}", secret(), secret()));
}

#[test]
fn a_frame_around_text_covers_nothing() {
    // Filled by the even-odd rule: a frame.
    assert_seen(&format!("{}0 g 60 630 300 40 re 64 634 292 32 re f*\n", secret()));
}

#[test]
fn an_annotation_may_cover_text() {
    let bytes = pdf(&page(&shown(72, 645, "Ten million.")), "", ["", "/Annots [10 0 R]"]);
    assert_eq!(hidden(&extract(&bytes).pages[0]), [(Covered, "Ten million.".to_owned())]);
}

#[test]
fn text_without_ink_is_hidden_where_nothing_shows_it() {
    let invisible = format!("BT 3 Tr /F1 12 Tf 72 645 Td ({SECRET}) Tj ET\nBT 0 Tr ET\n");
    assert_hidden(&invisible, Invisible, SECRET);
    // Over letters that are drawn as paths, and over a part of the page that is a picture.
    let drawn: String = (0..20).map(|index| format!("{} 645 3 8 re f\n", 72 + 7 * index)).collect();
    assert_seen(&format!("0 g {drawn}{invisible}"));
    assert_seen(&format!("q 300 0 0 40 60 630 cm /Im1 Do Q {invisible}"));
}

#[test]
fn the_text_layer_of_a_scan_is_what_one_sees() {
    let lines: String = (0..30).map(|line| shown(72, 740 - 20 * line, "A line that OCR read on the scan.")).collect();
    for content in [
        format!("q 612 0 0 792 0 0 cm /Im1 Do Q BT 3 Tr ET {lines}"),
        format!("BT 3 Tr ET {lines} q 612 0 0 792 0 0 cm /Im1 Do Q"),
        // With ink, below the picture.
        format!("{lines} q 612 0 0 792 0 0 cm /Im1 Do Q"),
    ] {
        let extraction = extract(&pdf(&content, "", [""; 2]));
        assert_eq!(hidden(&extraction.pages[0]), [], "{content}");
        assert!(!extraction.warnings.iter().any(|warning| warning.contains("Hidden")), "{:?}", extraction.warnings);
    }
}

#[test]
fn tiny_text_is_hidden() {
    assert_hidden(&format!("BT /F1 0.8 Tf 72 645 Td ({SECRET}) Tj ET\n"), Tiny, SECRET);
    assert_seen(&format!("BT /F1 4 Tf 72 645 Td ({SECRET}) Tj ET\n"));
    // A large font, made small.
    assert_hidden(&format!("BT /F1 12 Tf 0.05 0 0 0.05 72 645 Tm ({SECRET}) Tj ET\n"), Tiny, SECRET);
    // Full stops are small in every size.
    assert_seen(&shown(72, 645, ". . ."));
}

#[test]
fn text_outside_the_page_is_hidden() {
    assert_hidden(&shown(700, 645, "Outside."), OutsidePage, "Outside.");
    let cropped = pdf(&page(&shown(72, 20, "A slug.")), "", ["", "/CropBox [50 60 600 780]"]);
    assert_eq!(hidden(&extract(&cropped).pages[0]), [(OutsidePage, "A slug.".to_owned())]);
    let turned = pdf(&page(&secret()), "", ["", "/Rotate 90"]);
    assert_eq!(hidden(&extract(&turned).pages[0]), []);
}

#[test]
fn text_in_forms_is_compared_with_the_page_around_it() {
    // The form is moved by its matrix and by that of the page.
    let read = |content: &str, form: &str| hidden(&extract(&pdf(&page(content), form, [""; 2])).pages[0]);
    let form = format!("1 g {}", shown(12, 5, SECRET));
    assert_eq!(read("q 1 0 0 1 60 620 cm /Fm1 Do Q\n", &form), [(Colour, SECRET.to_owned())]);
    assert_eq!(read("0 g 60 630 300 40 re f q 1 0 0 1 60 620 cm /Fm1 Do Q\n", &form), []);
    let form = shown(12, 5, SECRET);
    assert_eq!(read("q 1 0 0 1 60 620 cm /Fm1 Do Q 0 g 60 630 300 40 re f\n", &form), [(Covered, SECRET.to_owned())]);
}

#[test]
fn text_on_a_layer_that_is_off_is_hidden() {
    let content = page(&format!("/OC /L1 BDC {}EMC\n", secret()));
    let read = |state: &str| hidden(&extract(&pdf(&content, "", [state, ""])).pages[0]);
    assert_eq!(read("/OCProperties << /OCGs [9 0 R] /D << /OFF [9 0 R] >> >>"), [(HiddenLayer, SECRET.to_owned())]);
    assert_eq!(read("/OCProperties << /OCGs [9 0 R] /D << /ON [9 0 R] >> >>"), []);
}

#[test]
fn many_objects_are_compared() {
    let squares: String =
        (0..3000).map(|index| format!("{} {} 4 4 re f\n", 5 * (index % 100), 5 * (index / 100))).collect();
    let letters: String = (0..3000)
        .map(|index| format!("BT /F1 4 Tf {} {} Td (a) Tj ET\n", 5 * (index % 100), 300 + 5 * (index / 100)))
        .collect();
    let found = hidden_in(&format!("0.9 g {squares} 1 g {letters} 0 g "));
    let chars: usize = found.iter().map(|(_, text)| text.chars().filter(|c| *c == 'a').count()).sum();
    assert_eq!(chars, 3000);
}
