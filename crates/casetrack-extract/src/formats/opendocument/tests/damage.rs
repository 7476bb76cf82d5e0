use casetrack_core::ErrorCode;

use super::*;

#[test]
fn damage_keeps_what_was_read() {
    let table =
        format!("<table:table>{}{}</table:table>", row(&[&cell(&p("1")), &cell(&p("2"))]), row(&[&cell(&p("3"))]));
    let whole = content(&format!("<office:text>{}{table}</office:text>", p("first")));
    let cut = |at: &str| package("text", &[("content.xml", &whole[..whole.find(at).unwrap()])]);
    let extraction = extract_bytes(&cut("3</text:p>"));
    assert_eq!(extraction.pages[0].text, "first\n1\t2");
    assert_eq!(extraction.warnings.len(), 1);
    assert!(extraction.warnings[0].starts_with("The document is damaged"), "{:?}", extraction.warnings);
    assert_eq!(extract_bytes(&cut("st</text:p>")).pages[0].text, "fir");

    let slides = slide("", &placeholder("title", &p("One"))) + &slide("", &placeholder("", &p("two")));
    let bytes = presentation(&slides.replace("two</text:p>", "two</text:q>"));
    let extraction = extract_bytes(&bytes);
    assert_eq!(extraction.pages.iter().map(|page| &*page.text).collect::<Vec<_>>(), ["One", "two"]);
    assert!(extraction.warnings[0].ends_with("what follows the last slide is missing."), "{:?}", extraction.warnings);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let error = |bytes: &[u8]| crate::extract(Path::new("a.odt"), bytes, &ExtractOptions::default()).unwrap_err();
    let whole = content(&format!("<office:text>{}</office:text>", p("first")));
    let nothing = package("text", &[("content.xml", &whole[..whole.find("first").unwrap()])]);
    assert_eq!(error(&nothing).code, ErrorCode::UnreadableFile);
    assert!(error(&package("text", &[("styles.xml", STYLES)])).message.contains("content.xml is missing"));
    let bottomless = content(&format!("<office:text>{}", "<text:list><text:list-item>".repeat(1000)));
    assert!(error(&package("text", &[("content.xml", &bottomless)])).message.contains("nested"));
    assert_eq!(error(&presentation("")).code, ErrorCode::EmptyFile);
    assert_eq!(error(&package("text", &[("content.xml", &content("<office:text/>"))])).code, ErrorCode::EmptyFile);
    let half = package("text", &[("content.xml", &whole)]);
    assert_eq!(error(&half[..half.len() / 2]).code, ErrorCode::UnreadableFile);
}

#[test]
fn a_damaged_style_sheet_costs_labels_only() {
    let body = content(&format!("<office:text>{}</office:text>", list("text:style-name='L'", &[&p("item")])));
    let extraction = extract_bytes(&package("text", &[("content.xml", &body), ("styles.xml", &STYLES[..200])]));
    assert_eq!(extraction.pages[0].text, "item");
    assert!(extraction.warnings[0].starts_with("The style sheet is damaged"), "{:?}", extraction.warnings);
}
