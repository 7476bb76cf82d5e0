use casetrack_core::HiddenReason;

use super::*;
use crate::test_files::hidden_texts;

#[test]
fn headings_carry_the_numbers_of_the_outline() {
    let body = [
        h(1, "Land"),
        h(2, "Term"),
        h(2, "Rent"),
        h(3, "Unnumbered"),
        "<text:h text:outline-level='2' text:is-list-header='true'>No number</text:h>".into(),
        "<text:h text:outline-level='1' text:restart-numbering='true' text:start-value='9'>Annex</text:h>".into(),
        "<text:h text:outline-level='2'><text:number>IX-1</text:number>As it was shown</text:h>".into(),
        styled("P6", "By its style"),
        styled("Title", "Title"),
    ];
    let heading = |level, text: &str| (BlockKind::Heading { level }, text.to_owned());
    assert_eq!(
        blocks(&body.concat()),
        [
            heading(1, "Part I Land"),
            heading(2, "I.1 Term"),
            heading(2, "I.2 Rent"),
            heading(3, "Unnumbered"),
            heading(2, "No number"),
            heading(1, "Part IX Annex"),
            heading(2, "IX-1 As it was shown"),
            heading(2, "By its style"),
            heading(1, "Title"),
        ]
    );
}

#[test]
fn lists_count_nest_and_continue() {
    let deep = list("", &[&p("deep")]);
    let nested = list("", &[&p("a"), &(p("b") + &deep)]);
    let body = [
        list("xml:id='first' text:style-name='L'", &[&(p("four") + &p("more of four")), &(p("five") + &nested)]),
        p("between"),
        list("text:style-name='L' text:continue-numbering='true'", &[&p("six"), &list("", &[&p("a again")])]),
        list("text:style-name='L'", &[&p("four again")]),
        list("text:continue-list='first' text:style-name='L'", &[&p("seven"), &list("", &[&p("a"), &p("b")])]),
        "<text:list text:style-name='L'><text:list-header><text:p>header</text:p></text:list-header>\
         <text:list-item text:start-value='30'><text:p>thirty</text:p></text:list-item></text:list>"
            .into(),
    ];
    let item = |text: &str| (BlockKind::ListItem, text.to_owned());
    let plain = |text: &str| (BlockKind::Paragraph, text.to_owned());
    assert_eq!(
        blocks(&body.concat()),
        [
            item("4. four"),
            plain("more of four"),
            item("5. five"),
            item("(a)a"),
            item("(b)b"),
            item("5/1: deep"),
            plain("between"),
            item("6. six"),
            item("(a)a again"),
            item("4. four again"),
            item("7. seven"),
            item("(a)a"),
            item("(b)b"),
            plain("header"),
            item("30. thirty"),
        ]
    );
}

#[test]
fn a_second_list_in_an_item_starts_again() {
    let inner = list("", &[&p("one"), &p("two")]);
    let body = list("text:style-name='L'", &[&(p("item") + &inner + &p("and") + &inner)]);
    assert_eq!(texts(&body), ["4. item", "(a)one", "(b)two", "and", "(a)one", "(b)two"]);
}

#[test]
fn bullets_are_shown_and_items_without_labels_are_items() {
    let body = list("text:style-name='Dots'", &[&(p("dot") + &list("", &[&p("private")]))])
        + &list("", &[&p("bare"), &styled("P7", "by paragraph style")])
        + "<text:numbered-paragraph text:list-id='n' text:style-name='L' text:level='2'><text:p>x</text:p>\
           </text:numbered-paragraph>"
        + "<text:numbered-paragraph text:list-id='n' text:style-name='L' text:level='2'><text:p>y</text:p>\
           </text:numbered-paragraph>";
    let found = blocks(&body);
    assert!(found.iter().all(|(kind, _)| *kind == BlockKind::ListItem));
    let texts: Vec<&str> = found.iter().map(|(_, text)| &**text).collect();
    assert_eq!(texts, ["• dot", "• private", "bare", "• by paragraph style", "(a)x", "(b)y"]);
}

#[test]
fn text_is_read_as_it_is_shown() {
    let body = "<text:p>
        one  two<text:s text:c='2'/>three<text:tab/>four<text:line-break/>five
        <text:span>R&amp;D</text:span> <text:a xlink:href='x'>link</text:a>
        <text:change text:change-id='1'/><text:bookmark-ref>see 3</text:bookmark-ref>
        <text:variable-set text:display='none'>hidden</text:variable-set><text:page-number>7</text:page-number>
        <text:ruby><text:ruby-base>字</text:ruby-base><text:ruby-text>ji</text:ruby-text></text:ruby>
        <text:script>alert</text:script></text:p>";
    assert_eq!(texts(body), ["one two  three\tfour\nfive R&D link see 3 7 字"]);
}

#[test]
fn deletions_forms_and_declarations_are_left_out() {
    let body = "<office:forms><form:form><text:p>form</text:p></form:form></office:forms>
        <text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>
        </text:changed-region></text:tracked-changes>
        <text:sequence-decls><text:sequence-decl text:name='Table'/></text:sequence-decls>
        <text:p>kept <text:change-start text:change-id='2'/>and new<text:change-end text:change-id='2'/></text:p>
        <text:table-of-content><text:table-of-content-source><text:index-title-template>Template</text:index-title-template>
        </text:table-of-content-source><text:index-body><text:index-title><text:p>Contents</text:p></text:index-title>
        <text:p>Land<text:tab/>2</text:p></text:index-body></text:table-of-content>";
    assert_eq!(texts(body), ["kept and new", "Contents", "Land\t2"]);
}

#[test]
fn pages_start_at_breaks_but_only_once() {
    let soft = "<text:soft-page-break/>";
    let body = [
        styled("P2", "one, since nothing stands before it"),
        styled("P2", ""),
        format!("<text:p>{soft}two{soft}three</text:p>"),
        styled("P2", "four"),
        styled("P3", "still four"),
        styled("P1", "four, since automatic styles of headers are others"),
        styled("P4", "five"),
        styled("P5", "still five"),
        list("", &[&p("six")]),
        soft.to_owned(),
        frame(&format!("<draw:text-box>{}</draw:text-box>", styled("P2", "seven"))),
        format!(
            "<table:table table:style-name='T1'>{}{soft}{}</table:table>",
            row(&[&cell(&p("8")), &cell(&p("8"))]),
            row(&[&cell(&p("")), &cell(&p("9"))])
        ),
    ];
    let found: Vec<(u32, String)> =
        blocks_of(&extract(&body.concat())).into_iter().map(|(page, _, text)| (page, text)).collect();
    let expected = [
        (1, "one, since nothing stands before it"),
        (2, "two"),
        (3, "three"),
        (4, "four"),
        (4, "still four"),
        (4, "four, since automatic styles of headers are others"),
        (5, "five"),
        (5, "still five"),
        (6, "six"),
        (7, "seven"),
        (8, "8\t8"),
        (9, "9"),
    ];
    assert_eq!(found, expected.map(|(page, text)| (page, text.to_owned())));
}

#[test]
fn notes_follow_the_text_and_comments_their_paragraph() {
    let note = |class: &str, mark: &str, text: &str| {
        format!(
            "<text:note text:note-class='{class}'><text:note-citation>{mark}</text:note-citation><text:note-body>{}\
             </text:note-body></text:note>",
            p(text)
        )
    };
    let comment = "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-01</dc:date><text:p>Check</text:p>\
                   <text:list><text:list-item><text:p>this</text:p></text:list-item></text:list></office:annotation>";
    let anonymous = "<office:annotation><text:p>In a cell</text:p></office:annotation>";
    let body = [
        p(&format!(
            "The Act{}{} applies{comment}.",
            note("endnote", "", "In force."),
            note("footnote", "*", "As amended.")
        )),
        format!("<table:table>{}</table:table>", row(&[&cell(&p(&format!("1{anonymous}"))), &cell(&p("2"))])),
        p(&format!("End{}", note("footnote", "", "Second."))),
    ];
    assert_eq!(
        texts(&body.concat()),
        [
            "The Act[i][*] applies.",
            "Comment by Ann: Check\nthis",
            "1\t2",
            "Comment: In a cell",
            "End[2]",
            "[*] As amended.",
            "[2] Second.",
            "[i] In force.",
        ]
    );
}

#[test]
fn notes_and_comments_stand_on_the_page_of_their_place() {
    let note = |text: &str| {
        format!("<text:note><text:note-citation/><text:note-body>{}</text:note-body></text:note>", p(text))
    };
    let comment = "<office:annotation><text:p>Check</text:p></office:annotation>";
    let body = [
        p(&format!("one{}{comment}<text:soft-page-break/>two{}", note("First."), note("Second."))),
        "<text:soft-page-break/>".to_owned(),
        p(&format!("{}three{comment}", note("Third."))),
    ];
    let extraction = extract(&body.concat());
    let texts: Vec<&str> = extraction.pages.iter().map(|page| &*page.text).collect();
    assert_eq!(
        texts,
        ["one[1]\nComment: Check\n[1] First.", "two[2]\n[2] Second.", "[3]three\nComment: Check\n[3] Third."]
    );
}

#[test]
fn hidden_sections_are_read_and_named() {
    let body = format!(
        "<text:section text:name='Draft' text:display='none'>{}</text:section><text:section>{}</text:section>",
        p("secret"),
        p("open")
    );
    let extraction = extract(&body);
    assert_eq!(extraction.pages[0].text, "secret\nopen");
    assert_eq!(extraction.warnings[0], "Hidden when the document is printed: section Draft.");
    assert!(extraction.warnings[1].contains("formatted as hidden on page 1 (1 passage, 6 characters)"));
    assert_eq!(hidden_texts(&extraction.pages[0]), [(HiddenReason::HiddenFormat, None, "secret".to_owned())]);
}

#[test]
fn styles_hide_paragraphs_and_characters() {
    let body =
        "<text:p>The rent is <text:span text:style-name='Secret'>ten <text:s/>million</text:span> euros.</text:p>
        <text:p text:style-name='Unseen'>Not <text:span>printed</text:span>.</text:p>
        <text:p><text:span text:style-name='Other'>Printed.</text:span></text:p>";
    let extraction = extract(body);
    assert_eq!(extraction.pages[0].text, "The rent is ten  million euros.\nNot printed.\nPrinted.");
    let hidden: Vec<String> = hidden_texts(&extraction.pages[0]).into_iter().map(|(.., text)| text).collect();
    assert_eq!(hidden, ["ten  million", "Not printed."]);
}

#[test]
fn headers_and_footers_stand_on_the_first_page_of_their_kind() {
    let kind = |name: &str, next: &str, parts: &str| {
        format!("<style:master-page style:name='{name}' style:next-style-name='{next}'>{parts}</style:master-page>")
    };
    let part = |name: &str, content: &str| format!("<style:{name}>{content}</style:{name}>");
    let styles = format!(
        "<office:document-styles><office:master-styles>{}{}{}</office:master-styles></office:document-styles>",
        kind(
            "Standard",
            "Standard",
            &(part("header", &p("Lease of land")) + &part("footer", &p("<text:page-number>1</text:page-number>")))
        ),
        kind("Landscape", "", &(part("header", &p("Lease of land")) + &part("footer-left", &p("Annex")))),
        kind("Unused", "", &part("header", &p("Nowhere"))),
    );
    let body = content(&format!("<office:text>{}{}{}</office:text>", p("one"), styled("P4", "two"), p("three")));
    let extraction = extract_bytes(&package("text", &[("content.xml", &body), ("styles.xml", &styles)]));
    let texts: Vec<&str> = extraction.pages.iter().map(|page| &*page.text).collect();
    assert_eq!(texts, ["one\nHeader: Lease of land", "two\nthree\nFooter: Annex"]);
    let table = format!("<table:table>{}</table:table>", row(&[&cell(&p("a")), &cell(&p("b"))]));
    let body = content(&format!("<office:text>{table}</office:text>"));
    let extraction = extract_bytes(&package("text", &[("content.xml", &body), ("styles.xml", &styles)]));
    assert_eq!(extraction.pages[0].text, "a\tb\nHeader: Lease of land");
}

#[test]
fn documents_in_a_document_are_documents_of_their_own() {
    let frame = "<draw:frame><draw:object xlink:href='./Object 1'/></draw:frame>";
    let body = content(&format!("<office:text>{}{}</office:text>", p("The rent."), p(frame)));
    let sheet = content(
        "<office:spreadsheet><table:table table:name='Rents'><table:table-row><table:table-cell \
         office:value-type='string'><text:p>Forty</text:p></table:table-cell></table:table-row></table:table>\
         </office:spreadsheet>",
    );
    let parts = [("content.xml", &*body), ("Object 1/content.xml", &sheet), ("Object 1/meta.xml", META)];
    let extraction = extract_bytes(&package("text", &parts));
    assert_eq!(extraction.pages[0].text, "The rent.");
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    let [file] = &extraction.attachments[..] else { panic!("{:?}", extraction.attachments.len()) };
    assert_eq!(file.name, "Object 1.ods");
    let inner = extract_bytes(&file.bytes);
    assert_eq!((inner.format, inner.pages[0].text.as_str()), (FileFormat::Ods, "Forty"));
    // The same in a spreadsheet, and in a file that is all in one.
    let parts = [("content.xml", &*sheet), ("Object 1/content.xml", &body)];
    let extraction = extract_bytes(&package("spreadsheet", &parts));
    assert_eq!(extraction.attachments[0].name, "Object 1.odt");
    let inline = "<draw:frame><draw:object><office:document><office:body><office:spreadsheet/></office:body>\
                  </office:document></draw:object></draw:frame>";
    let flat = extract(&format!("{}{}", p("The rent."), p(inline)));
    assert_eq!(flat.warnings, ["A document that is embedded in it was not read: it has no file of its own."]);
}
