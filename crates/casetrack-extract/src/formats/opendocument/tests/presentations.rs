use super::*;

const FORMULA: &str =
    "<math><semantics><mrow><mi>a</mi><mo>=</mo><mn>2</mn></mrow><annotation>a = 2</annotation></semantics></math>";

#[test]
fn formulas_and_charts_are_read_from_their_parts() {
    let object = |name: &str| frame(&format!("<draw:object xlink:href='./{name}'/><draw:image/>"));
    let body = format!("<office:text>{}{}</office:text>", p(&format!("where {} holds", object("F"))), p(&object("C")));
    let parts = [
        ("content.xml", &*content(&body)),
        ("F/content.xml", FORMULA),
        ("C/content.xml", &chart()),
        ("Damaged/content.xml", "<math"),
    ];
    let extraction = extract_bytes(&package("text", &parts));
    assert_eq!(extraction.pages[0].text, "where a=2 holds\nCosts\nCost\nMay\t7");
    let body = format!("<office:text>{}</office:text>", p(&format!("whole{}{}", object("Damaged"), object("None"))));
    assert_eq!(extract_bytes(&package("text", &[("content.xml", &content(&body)), parts[3]])).pages[0].text, "whole");
}

#[test]
fn flat_files_and_templates_are_read() {
    let flat = |kind: &str, body: &str| {
        format!(
            "<?xml version='1.0'?>\n<office:document office:mimetype='application/vnd.oasis.opendocument.{kind}'>\
             <office:meta><dc:title>Flat</dc:title></office:meta>{AUTOMATIC_STYLES}<office:body>{body}</office:body>\
             </office:document>"
        )
    };
    let body = format!(
        "<office:text>{}{}</office:text>",
        p(&frame(&format!("<draw:object>{FORMULA}</draw:object>"))),
        styled("P4", "two")
    );
    let extraction = extract_bytes(flat("text", &body).as_bytes());
    assert_eq!((extraction.format, extraction.title.as_deref()), (FileFormat::Odt, Some("Flat")));
    assert_eq!((&*extraction.pages[0].text, &*extraction.pages[1].text), ("a=2", "two"));
    let slides = format!(
        "<office:presentation>{}</office:presentation>",
        slide("", &frame(&format!("<draw:text-box>{}</draw:text-box>", p("x"))))
    );
    let utf16: Vec<u8> = flat("presentation-template", &slides).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(extract_bytes(&utf16).format, FileFormat::Odp);
}

#[test]
fn slides_count_through_lists_of_other_styles() {
    let numbered = |text: &str| list("text:style-name='L'", &[&p(text)]);
    let deep = |style: &str| list(&format!("text:style-name='{style}'"), &[&list("", &[&p("deep")])]);
    let content = [
        numbered("four"),
        deep("Dots"),
        numbered("five"),
        deep("L"),
        numbered("six"),
        deep("L"),
        p("text"),
        numbered("four again"),
        list("text:style-name='Dots'", &[&p("dot")]),
        numbered("four after a dot"),
    ];
    let boxes = placeholder("outline", &content.concat()) + &placeholder("", &numbered("other box"));
    let notes = format!("<presentation:notes>{}</presentation:notes>", placeholder("notes", &numbered("noted")));
    let slides = slide("", &(boxes + &notes));
    assert_eq!(
        extract_bytes(&presentation(&slides)).pages[0].text,
        "4. four\n• deep\n5. five\n(a)deep\n6. six\n(a)deep\ntext\n\
         4. four again\n• dot\n4. four after a dot\n4. other box\nNotes: 4. noted"
    );
}

#[test]
fn slides_are_pages_with_titles_tables_charts_and_notes() {
    let cells = row(&[&cell(&p("Rent")), &cell(&p("7"))]);
    let table = format!("<table:table table:use-first-row-styles='true'>{cells}</table:table>");
    let notes = format!(
        "<presentation:notes><draw:page-thumbnail/>{}{}</presentation:notes>",
        placeholder("notes", &(p("Say hello") + &p("and wait"))),
        placeholder("page-number", &p("1"))
    );
    let first = [
        placeholder("outline", &list("text:style-name='Dots'", &[&p("drawn first")])),
        placeholder(
            "title",
            &format!(
                "<text:list><text:list-header>{}</text:list-header></text:list>",
                p("Site<text:line-break/>report")
            ),
        ),
        placeholder("page-number", &p("1")),
        format!("<draw:g><draw:custom-shape>{}</draw:custom-shape></draw:g>", p("in<text:soft-page-break/> group")),
        frame(&table),
        frame("<draw:object xlink:href='./C'/>"),
        format!("<office:annotation><dc:creator>Ann</dc:creator>{}</office:annotation>", p("Check")),
        notes,
    ];
    let slides =
        slide("", &first.concat()) + &slide("draw:style-name='dp2'", "") + &slide("", &placeholder("", &p("end")));
    let extraction = extract_bytes(&presentation(&slides));
    assert_eq!((extraction.format, extraction.title.as_deref()), (FileFormat::Odp, Some("Site report")));
    assert_eq!(extraction.warnings, ["Hidden when the presentation is shown: slide 2."]);
    let pages: Vec<&str> = extraction.pages.iter().map(|page| &*page.text).collect();
    let expected = "Site report\n• drawn first\nin group\nRent\t7\nCosts\nCost\nMay\t7\nComment by Ann: Check\n\
                    Notes: Say hello\nand wait";
    assert_eq!(pages, [expected, "", "end"]);
    let kinds: Vec<&BlockKind> = extraction.pages[0].blocks.iter().map(|block| &block.kind).collect();
    assert_eq!(kinds[..3], [&BlockKind::Heading { level: 1 }, &BlockKind::ListItem, &BlockKind::Paragraph]);
    assert!(matches!(
        kinds[3],
        BlockKind::TableRow { table: 0, row: 1, first_column: 1, last_column: 2, header: true }
    ));
    assert!(matches!(kinds[5], BlockKind::TableRow { table: 1, row: 1, first_column: 2, header: true, .. }));
}
