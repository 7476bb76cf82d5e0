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

#[test]
fn a_damaged_object_or_part_is_named() {
    let frame = "<draw:frame><draw:object xlink:href='./Object 1'/></draw:frame>";
    let body = content(&format!("<office:text>{}<text:p>{frame}</text:p></office:text>", p("first")));
    let chart = "<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Rent</text:p></chart:title>";
    let parts = [("content.xml", &*body), ("Object 1/content.xml", chart), ("meta.xml", &META[..META.len() / 2])];
    let extraction = extract_bytes(&package("text", &parts));
    assert_eq!(extraction.pages[0].text, "first\nRent");
    assert_eq!(extraction.properties.author.as_deref(), Some("Ann"));
    let words = ["embedded object Object 1", "part meta.xml is damaged"];
    for words in words {
        assert!(extraction.warnings.iter().any(|warning| warning.contains(words)), "{:?}", extraction.warnings);
    }
    let unpacked = with_damaged_part(package("text", &parts[..2]), "Object 1/content.xml");
    let extraction = extract_bytes(&unpacked);
    assert_eq!((&*extraction.pages[0].text, extraction.warnings.len()), ("first", 1), "{:?}", extraction.warnings);
}
