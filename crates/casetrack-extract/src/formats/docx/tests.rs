mod alternative_content;
mod forms;
mod hidden_text;
mod revisions;

use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat};

use crate::test_files::{assert_page_invariants, assert_properties, with_damaged_part, zip_file};
use crate::{ExtractOptions, Extraction};

const STYLES: &str = "<w:styles>
    <w:style w:type='paragraph' w:styleId='H1'><w:name w:val='heading 1'/></w:style>
    <w:style w:type='paragraph' w:styleId='Clause'><w:name w:val='Clause'/><w:basedOn w:val='H1'/>
      <w:pPr><w:numPr><w:numId w:val='1'/></w:numPr><w:outlineLvl w:val='1'/></w:pPr></w:style></w:styles>";
const NUMBERING: &str = "<w:numbering><w:abstractNum w:abstractNumId='0'>
    <w:lvl w:ilvl='0'><w:start w:val='4'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%2)'/></w:lvl>
    </w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>";
const FOOTNOTES: &str = "<w:footnotes><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>
    <w:footnote w:id='7'><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space='preserve'> As amended.</w:t></w:r></w:p>
    </w:footnote></w:footnotes>";

fn docx_of(document: &[u8]) -> Vec<u8> {
    docx_with(document, &[])
}

fn docx_with(document: &[u8], more: &[(&str, &[u8])]) -> Vec<u8> {
    let parts: [(&str, &[u8]); 6] = [
        (
            "[Content_Types].xml",
            b"<Types><Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument.\
              wordprocessingml.document.main+xml'/></Types>",
        ),
        ("word/document.xml", document),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/numbering.xml", NUMBERING.as_bytes()),
        ("word/footnotes.xml", FOOTNOTES.as_bytes()),
        (
            "docProps/core.xml",
            b"<cp:coreProperties><dc:title>Lease  of land</dc:title><dc:creator>Ann &amp; Bob</dc:creator>\
              <cp:lastModifiedBy>Eve</cp:lastModifiedBy><dcterms:created xsi:type='dcterms:W3CDTF'>2024-05-03T09:00:00Z\
              </dcterms:created><dcterms:modified>2024-05</dcterms:modified><dc:language>de_AT</dc:language>\
              </cp:coreProperties>",
        ),
    ];
    let others = parts.iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name)).copied();
    zip_file(&others.chain(more.iter().copied()).collect::<Vec<_>>())
}

fn document(body: &str) -> String {
    format!("<?xml version='1.0' encoding='UTF-8'?><w:document><w:body>{body}<w:sectPr/></w:body></w:document>")
}

fn extract(body: &str) -> Extraction {
    let bytes = docx_of(document(body).as_bytes());
    let extraction = crate::extract(Path::new("lease.docx"), &bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Docx);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

/// The blocks of all pages: page number, kind, text.
fn blocks(body: &str) -> Vec<(u32, BlockKind, String)> {
    let mut found = Vec::new();
    for page in extract(body).pages {
        let chars: Vec<char> = page.text.chars().collect();
        found.extend(page.blocks.iter().map(|block| {
            let text = chars[block.char_start as usize..block.char_end as usize].iter().collect();
            (page.number, block.kind.clone(), text)
        }));
    }
    found
}

fn texts(body: &str) -> Vec<String> {
    blocks(body).into_iter().map(|(.., text)| text).collect()
}

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>")
}

fn styled(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn cell(content: &str) -> String {
    format!("<w:tc>{content}</w:tc>")
}

#[test]
fn headings_and_labels_come_from_styles_and_lists() {
    let list = |level| format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr>");
    let found = blocks(
        &[
            styled("<w:pStyle w:val='H1'/>", "Lease"),
            styled("<w:pStyle w:val='Clause'/>", "Term"),
            styled(&list(1), "starts in May"),
            styled(&list(1), "ends in June"),
            styled("<w:pStyle w:val='Clause'/><w:outlineLvl w:val='9'/>", "Rent is due"),
            styled("<w:pStyle w:val='Clause'/><w:numPr><w:numId w:val='0'/></w:numPr>", "Unnumbered"),
            p("R&amp;D text"),
        ]
        .concat(),
    );
    let expected = [
        (BlockKind::Heading { level: 1 }, "Lease"),
        (BlockKind::Heading { level: 2 }, "4. Term"),
        (BlockKind::ListItem, "(a) starts in May"),
        (BlockKind::ListItem, "(b) ends in June"),
        (BlockKind::ListItem, "5. Rent is due"),
        (BlockKind::Heading { level: 2 }, "Unnumbered"),
        (BlockKind::Paragraph, "R&D text"),
    ];
    assert_eq!(found.len(), expected.len());
    for ((_, kind, text), expected) in found.iter().zip(expected) {
        assert_eq!((kind.clone(), text.as_str()), expected);
    }
    let extraction = extract(&p("text"));
    assert_eq!(extraction.title.as_deref(), Some("Lease of land"));
    assert_properties(&extraction, ["Ann & Bob", "2024-05-03T09:00:00Z", "2024-05", "de-AT"]);
}

#[test]
fn runs_keep_what_is_printed() {
    let body = "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r>
        <w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t> new</w:t></w:r></w:ins>
        <w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink>
        <w:r><w:noBreakHyphen/><w:sym w:font='Wingdings' w:char='F0FE'/><w:softHyphen/></w:r>
        <w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent><w:r><w:t xml:space='preserve'> control</w:t></w:r></w:sdtContent></w:sdt>
        <w:r><w:ruby><w:rt><w:r><w:t>no</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>字</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>";
    assert_eq!(texts(body), ["one\ttwo\nthree new link-☑ control字"]);
}

#[test]
fn fields_show_their_results() {
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
    let run = |text: &str| format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>");
    let body = [
        "<w:p>",
        &run("Page "),
        &field("begin"),
        "<w:r><w:instrText>IF </w:instrText></w:r>",
        &field("begin"),
        &field("separate"),
        &run("inner"),
        &field("end"),
        &field("separate"),
        &run("3"),
        &field("end"),
        "<w:fldSimple><w:r><w:t> of 5</w:t></w:r></w:fldSimple>",
        "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>\
         </w:fldChar></w:r>",
        &field("end"),
        "</w:p><w:p>",
        &field("begin"),
        "</w:p>",
        &p("not hidden by a field that never ends"),
    ]
    .concat();
    assert_eq!(texts(&body), ["Page 3 of 5☒", "not hidden by a field that never ends"]);
}

#[test]
fn text_boxes_are_read_once_and_follow_their_paragraph() {
    let body = format!(
        "<w:p><w:r><w:t>anchor</w:t></w:r><w:r><mc:AlternateContent>
         <mc:Choice><w:drawing><wp:posOffset>12</wp:posOffset><w:txbxContent>{}</w:txbxContent></w:drawing></mc:Choice>
         <mc:Fallback><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
        p("boxed"),
        p("boxed")
    );
    assert_eq!(texts(&body), ["anchor", "boxed"]);
}

#[test]
fn a_table_row_is_a_block() {
    let wide = format!("<w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{}</w:tc>", p("wide"));
    let merged = |value: &str, text: &str| format!("<w:tc><w:tcPr><w:vMerge {value}/></w:tcPr>{}</w:tc>", p(text));
    let rows = [
        format!("<w:trPr><w:tblHeader/></w:trPr>{}{}{}", cell(&p("Item")), cell(&p("Due")), cell(&p("Cost"))),
        format!("{}{}{}", merged("w:val='restart'", "rent"), cell(&(p("May") + &p("June"))), cell(&p("7"))),
        format!("{}{}", merged("", "hidden"), wide),
        format!("<w:trPr><w:del/></w:trPr>{}{}", cell(&p("deleted")), cell(&p("row"))),
    ];
    let body = format!("<w:tbl>{}</w:tbl>", rows.map(|row| format!("<w:tr>{row}</w:tr>")).concat());
    let row = |row, first_column, last_column, header| BlockKind::TableRow {
        table: 0,
        row,
        first_column,
        last_column,
        header,
    };
    assert_eq!(
        blocks(&body),
        [
            (1, row(1, 1, 3, true), "Item\tDue\tCost".to_owned()),
            (1, row(2, 1, 3, false), "rent\tMay June\t7".to_owned()),
            (1, row(3, 2, 2, false), "wide".to_owned()),
        ]
    );
}

#[test]
fn frames_and_nested_tables_are_read() {
    let inner = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell(&p("a")), cell(&p("b")));
    let frame = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell(&(p("framed") + &p("text"))));
    let outer = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell(&(p("before") + &inner)), cell(&p("c")));
    assert_eq!(texts(&(frame + &outer)), ["framed", "text", "before a b\tc"]);
}

#[test]
fn pages_start_at_breaks_but_only_once() {
    let page_break = "<w:r><w:br w:type='page'/></w:r>";
    let rendered = "<w:r><w:lastRenderedPageBreak/></w:r>";
    let body = [
        p("one"),
        format!("<w:p>{page_break}</w:p>"),
        format!("<w:p>{rendered}<w:r><w:t>two</w:t></w:r>{rendered}<w:r><w:t>three</w:t></w:r></w:p>"),
        styled("<w:pageBreakBefore/>", "four"),
        styled("<w:sectPr><w:type w:val='continuous'/></w:sectPr>", "still four"),
        styled("<w:sectPr><w:type w:val='continuous'/></w:sectPr>", "four again"),
        p("five, because the last section starts a page"),
    ]
    .concat();
    let pages: Vec<(u32, String)> = blocks(&body).into_iter().map(|(page, _, text)| (page, text)).collect();
    let expected = [
        (1, "one"),
        (2, "two"),
        (3, "three"),
        (4, "four"),
        (4, "still four"),
        (4, "four again"),
        (5, "five, because the last section starts a page"),
    ];
    assert_eq!(pages, expected.map(|(page, text)| (page, text.to_owned())));
}

#[test]
fn pages_count_where_word_saved_them() {
    let is_unpaged = |body: &str, app: &str| {
        let app = format!("<Properties><Template>Normal</Template><Pages>{app}</Pages></Properties>");
        let bytes = docx_with(document(body).as_bytes(), &[("docProps/app.xml", app.as_bytes())]);
        crate::extract(Path::new("lease.docx"), &bytes, &ExtractOptions::default()).unwrap().unpaged
    };
    assert!(extract(&p("one")).unpaged);
    assert!(!is_unpaged(&p("one"), "1"));
    assert!(is_unpaged(&p("one"), "3"));
    assert!(!is_unpaged("<w:p><w:r><w:t>1</w:t><w:lastRenderedPageBreak/><w:t>2</w:t></w:r></w:p>", ""));
    let broken = format!("{}<w:p><w:r><w:br w:type='page'/></w:r></w:p>{}", p("one"), p("two"));
    assert!(!is_unpaged(&broken, "2"));
    assert!(!is_unpaged(&broken, ""));
    assert!(is_unpaged(&(broken + &p(&"long ".repeat(1000))), ""));
}

#[test]
fn a_table_goes_on_after_a_page_break() {
    let broken = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>3</w:t></w:r></w:p>";
    let row = |first: &str, second: &str| format!("<w:tr>{}{}</w:tr>", cell(first), cell(second));
    let body = format!("<w:tbl>{}{}</w:tbl>", row(&p("1"), &p("2")), row(broken, &p("4")));
    let found = blocks(&body);
    assert_eq!((found[1].0, &*found[1].2), (2, "3\t4"));
    assert!(matches!(found[1].1, BlockKind::TableRow { table: 0, row: 2, .. }));
}

#[test]
fn notes_follow_their_page() {
    let body = "<w:p><w:r><w:t>The Act</w:t><w:footnoteReference w:id='7'/><w:t> applies.</w:t></w:r></w:p>";
    assert_eq!(texts(body), ["The Act[1] applies.", "[1] As amended."]);
}

#[test]
fn notes_comments_and_margins_stand_on_the_page_of_their_place() {
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let related = format!(
        "<Relationships><Relationship Id='rId1' Type='{kind}/header' Target='h1.xml'/><Relationship Id='rId2' \
         Type='{kind}/header' Target='h2.xml'/><Relationship Id='rId3' Type='{kind}/endnotes' Target='endnotes.xml'/>\
         <Relationship Id='rId4' Type='{kind}/comments' Target='comments.xml'/></Relationships>"
    );
    let part = |root: &str, inner: &str| format!("<w:{root}>{inner}</w:{root}>");
    let note = |tag: &str, id: u32, text: &str| format!("<w:{tag} w:id='{id}'>{}</w:{tag}>", p(text));
    let footnotes =
        note("footnote", 1, "First.") + &note("footnote", 2, "Second.") + &note("footnote", 3, "In a table.");
    let section = |id: &str| format!("<w:sectPr><w:headerReference w:type='default' r:id='{id}'/></w:sectPr>");
    let rendered = "<w:lastRenderedPageBreak/>";
    let body = [
        format!(
            "<w:p><w:r><w:t>One</w:t><w:endnoteReference w:id='1'/><w:footnoteReference w:id='1'/>\
             <w:commentReference w:id='1'/>{rendered}<w:t>two</w:t><w:footnoteReference w:id='2'/></w:r></w:p>"
        ),
        p("still two"),
        styled(&section("rId1"), "the end of a section"),
        format!(
            "<w:tbl><w:tr>{}{}</w:tr></w:tbl>",
            cell("<w:p><w:r><w:t>three</w:t><w:footnoteReference w:id='3'/></w:r></w:p>"),
            cell(&p("3"))
        ),
        format!("<w:p><w:r>{rendered}<w:t>four</w:t></w:r></w:p>"),
    ]
    .concat();
    let xml = format!("<w:document><w:body>{body}{}</w:body></w:document>", section("rId2"));
    let (footnotes, endnotes) = (part("footnotes", &footnotes), part("endnotes", &note("endnote", 1, "Late.")));
    let comments = part("comments", &note("comment", 1, "Is it?"));
    let (first, second) = (part("hdr", &p("Draft")), part("hdr", &p("Schedule")));
    let mut parts = vec![("word/document.xml", xml.as_bytes()), ("word/footnotes.xml", footnotes.as_bytes())];
    parts.extend([("word/endnotes.xml", endnotes.as_bytes()), ("word/comments.xml", comments.as_bytes())]);
    parts.extend([("word/h1.xml", first.as_bytes()), ("word/h2.xml", second.as_bytes())]);
    parts.push(("word/_rels/document.xml.rels", related.as_bytes()));
    let extraction = crate::extract(Path::new("lease.docx"), &zip_file(&parts), &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    let texts: Vec<&str> = extraction.pages.iter().map(|page| &*page.text).collect();
    assert_eq!(
        texts,
        [
            "One[i][1]\nComment: Is it?\n[1] First.\n[i] Late.\nHeader: Draft",
            "two[2]\nstill two\nthe end of a section\n[2] Second.",
            "three[3]\t3\n[3] In a table.\nHeader: Schedule",
            "four",
        ]
    );
}

#[test]
fn comments_charts_headers_and_footers_are_read() {
    let body = "<w:p><w:r><w:t>The rent</w:t></w:r><w:r><w:commentReference w:id='3'/></w:r></w:p>\
        <w:p><w:r><w:drawing><a:graphic><a:graphicData><c:chart r:id='rId4'/></a:graphicData></a:graphic></w:drawing></w:r></w:p>\
        <w:p><w:r><w:t>The end.</w:t></w:r></w:p>";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let related = format!(
        "<Relationships><Relationship Id='rId4' Type='{kind}/chart' Target='charts/chart1.xml'/>\
         <Relationship Id='rId5' Type='{kind}/header' Target='header1.xml'/><Relationship Id='rId6' Type='{kind}/header' \
         Target='header2.xml'/><Relationship Id='rId7' Type='{kind}/footer' Target='footer1.xml'/></Relationships>"
    );
    let value = |text: &str| format!("<c:strCache><c:pt idx='0'><c:v>{text}</c:v></c:pt></c:strCache>");
    let chart = format!(
        "<c:chartSpace><c:ser><c:tx><c:strRef>{}</c:strRef></c:tx><c:cat><c:strRef>{}</c:strRef></c:cat><c:val><c:numRef>{}\
         </c:numRef></c:val></c:ser></c:chartSpace>",
        value("Rent"),
        value("2024"),
        value("4800")
    );
    let comments = format!(
        "<w:comments><w:comment w:id='3' w:author='Ann Lee'>{}{}</w:comment><w:comment w:id='9'>{}</w:comment></w:comments>",
        p("Is it net"),
        p("or gross?"),
        p("Of nothing.")
    );
    let header = format!("<w:hdr>{}</w:hdr>", p("Draft of 3 May"));
    let footer = format!("<w:ftr>{}{}</w:ftr>", p("7"), p("Draft of 3 May"));
    let bytes = docx_with(
        document(body).as_bytes(),
        &[
            ("word/_rels/document.xml.rels", related.as_bytes()),
            ("word/charts/chart1.xml", chart.as_bytes()),
            ("word/comments.xml", comments.as_bytes()),
            ("word/header1.xml", header.as_bytes()),
            ("word/header2.xml", header.as_bytes()),
            ("word/footer1.xml", footer.as_bytes()),
        ],
    );
    let extraction = crate::extract(Path::new("lease.docx"), &bytes, &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    assert_eq!(
        extraction.pages[0].text,
        "The rent\nComment by Ann Lee: Is it net or gross?\nRent\n2024\t4800\nThe end.\nHeader: Draft of 3 May"
    );
}

#[test]
fn strict_documents_and_utf16_parts_are_read() {
    let xml = "<?xml version='1.0' encoding='UTF-16'?><document xmlns='http://purl.oclc.org/ooxml/wordprocessingml/main'>\
        <body><p><r><t>strict</t></r></p></body></document>";
    let utf16: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let extraction = crate::extract(Path::new("a.docx"), &docx_of(&utf16), &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.pages[0].text, "strict");
}

#[test]
fn damage_keeps_what_was_read() {
    let whole = document(&(p("first") + &p("second")));
    let cut = &whole[..whole.find("second").unwrap()];
    let extraction = crate::extract(Path::new("a.docx"), &docx_of(cut.as_bytes()), &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.pages[0].text, "first");
    assert_eq!(extraction.warnings.len(), 1);

    let nothing = &whole[..whole.find("first").unwrap()];
    let error = crate::extract(Path::new("a.docx"), &docx_of(nothing.as_bytes()), &ExtractOptions::default());
    assert_eq!(error.unwrap_err().code, ErrorCode::UnreadableFile);
    let bottomless = document(&"<w:tbl><w:tr><w:tc>".repeat(1000));
    let error = crate::extract(Path::new("a.docx"), &docx_of(bottomless.as_bytes()), &ExtractOptions::default());
    assert!(error.unwrap_err().message.contains("nested"));
}

#[test]
fn damage_beside_the_text_is_named() {
    let body = "<w:p><w:r><w:t>The rent</w:t><w:commentReference w:id='3'/><w:commentReference w:id='4'/>\
        <w:footnoteReference w:id='1'/><w:footnoteReference w:id='2'/></w:r></w:p>\
        <w:p><w:r><w:drawing><c:chart r:id='rId4'/></w:drawing></w:r></w:p>";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let related = format!(
        "<Relationships><Relationship Id='rId4' Type='{kind}/chart' Target='charts/chart1.xml'/>\
         <Relationship Id='rId5' Type='{kind}/header' Target='header1.xml'/><Relationship Id='rId7' Type='{kind}/footer' \
         Target='footer1.xml'/><Relationship Id='rId8' Type='{kind}/footnotes' Target='notes.xml'/></Relationships>"
    );
    let comments =
        format!("<w:comments><w:comment w:id='3'>{}</w:comment><w:comment w:id='4'>{}", p("Net?"), p("Lost."));
    let notes =
        format!("<w:footnotes><w:footnote w:id='1'>{}</w:footnote><w:footnote w:id='2'>{}", p("Kept."), p("Lost."));
    let header = format!("<w:hdr>{}<w:p><w:r><w:t>and more", p("Draft of 3 May"));
    let bytes = docx_with(
        document(body).as_bytes(),
        &[
            ("word/_rels/document.xml.rels", related.as_bytes()),
            (
                "word/charts/chart1.xml",
                b"<c:chartSpace><c:title><c:rich><a:p><a:r><a:t>Rent</a:t></a:r></a:p></c:rich></c:ti",
            ),
            ("word/comments.xml", comments.as_bytes()),
            ("word/header1.xml", header.as_bytes()),
            ("word/notes.xml", notes.as_bytes()),
        ],
    );
    let extraction = crate::extract(Path::new("lease.docx"), &bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.pages[0].text, "The rent[1][2]\nComment: Net?\nRent\n[1] Kept.\nHeader: Draft of 3 May");
    let found = |words: &str| extraction.warnings.iter().filter(|warning| warning.contains(words)).count();
    assert_eq!(extraction.warnings.len(), 5, "{:?}", extraction.warnings);
    for words in [
        "The comments are damaged",
        "The footnotes are damaged",
        "The chart could not be read to the end: the part word/charts/chart1.xml is damaged",
        "The header could not be read to the end: the part word/header1.xml is damaged",
        "The footer could not be read: the part word/footer1.xml is missing.",
    ] {
        assert_eq!(found(words), 1, "{words}: {:?}", extraction.warnings);
    }
}

#[test]
fn parts_that_cannot_be_unpacked_cost_only_what_they_hold() {
    let bytes = docx_of(document(&p("first")).as_bytes());
    for part in ["word/styles.xml", "word/numbering.xml", "word/footnotes.xml", "docProps/core.xml"] {
        let damaged = with_damaged_part(bytes.clone(), part);
        let extraction = crate::extract(Path::new("a.docx"), &damaged, &ExtractOptions::default()).unwrap();
        assert_eq!(extraction.pages[0].text, "first");
        assert_eq!(extraction.warnings.len(), 1, "{:?}", extraction.warnings);
        assert!(extraction.warnings[0].contains(part), "{}", extraction.warnings[0]);
    }
}
