use std::path::Path;

use casetrack_core::HiddenReason::{self, Colour, HiddenFormat, Tiny};

use super::{document, docx_with, extract};
use crate::test_files::hidden_texts;
use crate::{ExtractOptions, Extraction};

fn run(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>")
}

fn p(runs: &[String]) -> String {
    format!("<w:p>{}</w:p>", runs.concat())
}

const STYLES: &str = "<w:styles>
    <w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/></w:style>
    <w:style w:type='paragraph' w:styleId='Draft'><w:name w:val='Draft'/><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type='paragraph' w:styleId='Cover'><w:name w:val='Cover'/><w:pPr><w:shd w:val='clear' w:fill='203040'/></w:pPr>
      <w:rPr><w:color w:val='FFFFFF'/></w:rPr></w:style>
    <w:style w:type='character' w:styleId='Secret'><w:name w:val='Secret'/><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type='character' w:styleId='More'><w:name w:val='More'/><w:basedOn w:val='Secret'/></w:style></w:styles>";

fn styled(body: &str, more: &[(&str, &[u8])]) -> Extraction {
    let parts: Vec<(&str, &[u8])> =
        [("word/styles.xml", STYLES.as_bytes())].into_iter().chain(more.iter().copied()).collect();
    let file = docx_with(document(body).as_bytes(), &parts);
    crate::extract(Path::new("lease.docx"), &file, &ExtractOptions::default()).unwrap()
}

fn hidden(extraction: &Extraction) -> Vec<(HiddenReason, String)> {
    extraction.pages.iter().flat_map(hidden_texts).map(|(reason, _, text)| (reason, text)).collect()
}

#[test]
fn runs_that_are_formatted_as_hidden_are_read_and_marked() {
    let body = p(&[
        run("", "The rent is "),
        run("<w:vanish/>", "ten "),
        run("<w:b/><w:vanish w:val='1'/>", "million "),
        run("<w:vanish w:val='0'/>", "euros."),
    ]);
    let extraction = extract(&body);
    assert_eq!(extraction.pages[0].text, "The rent is ten million euros.");
    assert_eq!(hidden(&extraction), [(HiddenFormat, "ten million".to_owned())]);
    assert_eq!(
        extraction.warnings,
        ["Hidden text, which is read and marked as such: formatted as hidden on page 1 (1 passage, 11 characters)."]
    );
}

#[test]
fn styles_hide_what_does_not_say_otherwise() {
    let paragraph = |style: &str, runs: &[String]| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr>{}</w:p>", runs.concat())
    };
    let body = [
        paragraph("Draft", &[run("", "Hidden by the paragraph. "), run("<w:vanish w:val='0'/>", "Shown.")]),
        p(&[run("<w:rStyle w:val='More'/>", "Hidden by its style."), run("", " Shown, too.")]),
        // On in both styles is off (17.7.3).
        paragraph("Draft", &[run("<w:rStyle w:val='Secret'/>", "Shown by both.")]),
        paragraph("Cover", &[run("", "White on a dark ground.")]),
    ];
    assert_eq!(
        hidden(&styled(&body.concat(), &[])),
        [(HiddenFormat, "Hidden by the paragraph.".to_owned()), (HiddenFormat, "Hidden by its style.".to_owned())]
    );
}

#[test]
fn white_text_is_hidden_only_on_paper() {
    let white = |more: &str| run(&format!("<w:color w:val='FFFFFF'/>{more}"), "White words.");
    let on_paper = p(&[run("", "Black. "), white("")]);
    assert_eq!(hidden(&extract(&on_paper)), [(Colour, "White words.".to_owned())]);
    for seen in [
        p(&[white("<w:highlight w:val='black'/>")]),
        p(&[white("<w:shd w:val='clear' w:color='auto' w:fill='000000'/>")]),
        format!("<w:p><w:pPr><w:shd w:val='clear' w:fill='000000'/></w:pPr>{}</w:p>", white("")),
        // The styles of a table may colour its cells, and a text box may have any background.
        format!("<w:tbl><w:tr><w:tc>{0}</w:tc><w:tc>{0}</w:tc></w:tr></w:tbl>", p(&[white("")])),
        format!("<w:p><w:r><w:txbxContent>{}</w:txbxContent></w:r></w:p>", p(&[white("")])),
        format!("{}<w:p><w:r><w:drawing><wp:anchor behindDoc=\"1\"/></w:drawing></w:r></w:p>", p(&[white("")])),
        p(&[run("<w:color w:val='DDDDDD'/>", "Grey words.")]),
    ] {
        let extraction = extract(&format!("<w:p><w:r><w:t>Black.</w:t></w:r></w:p>{seen}"));
        assert_eq!(hidden(&extraction), [], "{seen}");
        assert_eq!(extraction.warnings, Vec::<String>::new());
    }
    // The header has a picture behind the text.
    let related = "<Relationships><Relationship Id='h' Type='x/header' Target='header1.xml'/></Relationships>";
    let header = "<w:hdr><w:p><w:r><w:drawing><wp:anchor behindDoc='1'/></w:drawing></w:r></w:p></w:hdr>";
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", related.as_bytes()), ("word/header1.xml", header.as_bytes())];
    assert_eq!(hidden(&styled(&on_paper, &parts)), []);
}

#[test]
fn text_of_one_point_and_hidden_text_in_tables_and_over_pages_is_marked() {
    let body = p(&[run("<w:sz w:val='2'/>", "Half of this. "), run("<w:sz w:val='12'/>", "Small print.")])
        + &format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
            p(&[run("", "Fee")]),
            p(&[run("<w:vanish/>", "900")])
        )
        + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>First</w:t><w:br w:type='page'/><w:t>second</w:t></w:r></w:p>";
    let extraction = extract(&body);
    let texts: Vec<&str> = extraction.pages.iter().map(|page| &*page.text).collect();
    assert_eq!(texts, ["Half of this. Small print.\nFee\t900\nFirst", "second"]);
    let format = |text: &str| (HiddenFormat, text.to_owned());
    assert_eq!(hidden(&extraction), [(Tiny, "Half of this.".to_owned()), format("900\nFirst"), format("second")]);
}
