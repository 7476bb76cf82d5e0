use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, HiddenReason};

use crate::test_files::{assert_page_invariants, assert_properties, hidden_texts, zip_file};
use crate::{ExtractOptions, Extraction};

const RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn shape(placeholder: &str, paragraphs: &str) -> String {
    format!("<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>")
}

fn slide(shapes: &str) -> String {
    format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

fn p(text: &str) -> String {
    format!("<a:p><a:r><a:rPr><a:latin t='no'/></a:rPr><a:t>{text}</a:t></a:r></a:p>")
}

fn presentation(parts: &[(&str, &str)]) -> Vec<u8> {
    let list = "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='rId9'/><p:sldId id='257' r:id='rId2'/></p:sldIdLst>\
                <p:sldSz cx='9000' cy='7000'/></p:presentation>";
    let related = format!(
        "<Relationships><Relationship Id='rId2' Type='{RELATIONSHIP}/slide' Target='slides/slide1.xml'/>\
         <Relationship Id='rId9' Type='{RELATIONSHIP}/slide' Target='/ppt/slides/slide2.xml'/></Relationships>"
    );
    let mut all = vec![
        ("ppt/presentation.xml", list.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", related.as_bytes()),
        (
            "docProps/core.xml",
            b"<c><dc:title>PowerPoint Presentation</dc:title><dc:creator>Ann</dc:creator></c>".as_slice(),
        ),
    ];
    all.extend(parts.iter().map(|(name, content)| (*name, content.as_bytes())));
    zip_file(&all)
}

fn extract(parts: &[(&str, &str)]) -> Extraction {
    let bytes = presentation(parts);
    let extraction = crate::extract(Path::new("deck.pptx"), &bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Pptx);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

#[test]
fn slides_are_pages_in_the_order_of_the_presentation() {
    let title =
        shape("<p:ph type='ctrTitle'/>", "<a:p><a:r><a:t>Site</a:t></a:r><a:br/><a:r><a:t>report</a:t></a:r></a:p>");
    let first = slide(&(shape("<p:ph type='sldNum'/>", &p("7")) + &shape("", &p("drawn first")) + &title));
    let second = slide(&shape("<p:ph idx='1'/>", &p("R&amp;D")));
    let extraction = extract(&[("ppt/slides/slide2.xml", &first), ("ppt/slides/slide1.xml", &second)]);
    assert_eq!(extraction.title.as_deref(), Some("Site report"));
    assert_properties(&extraction, ["Ann", "", "", ""]);
    let texts: Vec<(u32, &str)> = extraction.pages.iter().map(|page| (page.number, &*page.text)).collect();
    assert_eq!(texts, [(1, "Site report\ndrawn first"), (2, "R&D")]);
    let kinds: Vec<_> = extraction.pages.iter().flat_map(|page| &page.blocks).map(|block| block.kind.clone()).collect();
    assert_eq!(kinds, [BlockKind::Heading { level: 1 }, BlockKind::Paragraph, BlockKind::ListItem]);
}

#[test]
fn bullets_and_numbers_are_shown() {
    let item =
        |properties: &str, text: &str| format!("<a:p><a:pPr {properties}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>");
    let number = "<a:buAutoNum type='arabicPeriod' startAt='3'/>";
    let letter = "lvl='1'><a:buAutoNum type='alphaLcParenBoth'/>";
    let list = [
        item(&format!(">{number}"), "three"),
        item(letter, "a"),
        "<a:p/>".into(),
        item(letter, "b"),
        item(&format!(">{number}"), "four"),
        item(letter, "a again"),
        item("><a:buChar char='§'/>", "square"),
        item("><a:buNone/>", "plain"),
    ];
    let extraction = extract(&[("ppt/slides/slide1.xml", &slide(&shape("<p:ph type='body'/>", &list.concat())))]);
    let page = &extraction.pages[1];
    assert_eq!(page.text, "3. three\n(a) a\n(b) b\n4. four\n(a) a again\n• square\nplain");
    assert_eq!(page.blocks[0].kind, BlockKind::ListItem);
    assert_eq!(page.blocks[6].kind, BlockKind::Paragraph);
    assert_eq!(extraction.warnings.len(), 1, "{:?}", extraction.warnings);
}

#[test]
fn tables_charts_diagrams_and_notes_are_read() {
    let cell = |attributes: &str, text: &str| format!("<a:tc {attributes}><a:txBody>{}</a:txBody></a:tc>", p(text));
    let table = format!(
        "<a:tbl><a:tblPr firstRow='1'/><a:tr>{}{}{}</a:tr><a:tr>{}{}{}</a:tr></a:tbl>",
        cell("", "Item"),
        cell("", "Due"),
        cell("", "Cost"),
        cell("gridSpan='2'", "Rent"),
        cell("hMerge='1'", ""),
        cell("", "7"),
    );
    let shapes = format!(
        "<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>\
         <mc:AlternateContent><mc:Choice><p:grpSp>{}</p:grpSp></mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>\
         <p:graphicFrame><c:chart r:id='rId1'/></p:graphicFrame><p:graphicFrame><dgm:relIds r:dm='rId2'/></p:graphicFrame>",
        shape("", &p("chosen")),
        shape("", &p("repeated")),
    );
    let related = format!(
        "<Relationships><Relationship Id='rId1' Type='{RELATIONSHIP}/chart' Target='../charts/chart1.xml'/>\
         <Relationship Id='rId2' Type='{RELATIONSHIP}/diagramData' Target='../diagrams/data1.xml'/>\
         <Relationship Id='rId3' Type='{RELATIONSHIP}/notesSlide' Target='../notesSlides/notesSlide1.xml'/></Relationships>"
    );
    let cache = |points: &[(u32, &str)]| -> String {
        points.iter().map(|(index, text)| format!("<c:pt idx='{index}'><c:v>{text}</c:v></c:pt>")).collect()
    };
    let chart = format!(
        "<c:chartSpace><c:title><c:tx><c:rich>{}</c:rich></c:tx></c:title><c:ser><c:tx><c:strRef><c:f>A1</c:f>{}</c:strRef></c:tx>\
         <c:cat>{}</c:cat><c:val>{}</c:val></c:ser></c:chartSpace>",
        p("Sales"),
        cache(&[(0, "2024")]),
        cache(&[(0, "North"), (1, "South")]),
        cache(&[(1, "8.1999999999999993"), (4_000_000_000, "far")]),
    );
    let notes = slide(
        &(shape("<p:ph type='body'/>", &(p("Say hello.") + &p("Then stop."))) + &shape("<p:ph type='dt'/>", &p("May"))),
    );
    let extraction = extract(&[
        ("ppt/slides/slide1.xml", &slide("")),
        ("ppt/slides/slide2.xml", &slide(&shapes)),
        ("ppt/slides/_rels/slide2.xml.rels", &related),
        ("ppt/charts/chart1.xml", &chart),
        (
            "ppt/diagrams/data1.xml",
            &format!("<dgm:dataModel><dgm:pt><dgm:t>{}</dgm:t></dgm:pt></dgm:dataModel>", p("Step")),
        ),
        ("ppt/notesSlides/notesSlide1.xml", &notes),
    ]);
    let page = &extraction.pages[0];
    assert_eq!(
        page.text,
        "Item\tDue\tCost\nRent\t\t7\nchosen\nSales\n2024\nNorth\nSouth\t8.2\nStep\nNotes: Say hello.\nThen stop."
    );
    let row = |table, row, first_column, last_column, header| BlockKind::TableRow {
        table,
        row,
        first_column,
        last_column,
        header,
    };
    assert_eq!(page.blocks[0].kind, row(0, 1, 1, 3, true));
    assert_eq!(page.blocks[1].kind, row(0, 2, 1, 3, false));
    assert_eq!(page.blocks[6].kind, row(1, 3, 1, 2, false));
    assert_eq!(page.blocks.len(), 9);
}

#[test]
fn layouts_masters_and_comments_are_read() {
    let related = |links: &str| format!("<Relationships>{links}</Relationships>");
    let link = |id: u32, kind: &str, target: &str| {
        format!("<Relationship Id='rId{id}' Type='{RELATIONSHIP}/{kind}' Target='{target}'/>")
    };
    let of_slide = link(1, "slideLayout", "../slideLayouts/slideLayout1.xml");
    let layout = slide(&(shape("<p:ph type='title'/>", &p("Click to edit")) + &shape("", &p("Acme Corp."))));
    let commented = of_slide.clone() + &link(2, "comments", "../comments/comment1.xml");
    let extraction = extract(&[
        ("ppt/slides/slide1.xml", &slide(&shape("", &p("one")))),
        ("ppt/slides/slide2.xml", &slide(&shape("", &p("two")))),
        ("ppt/slides/_rels/slide1.xml.rels", &related(&of_slide)),
        ("ppt/slides/_rels/slide2.xml.rels", &related(&commented)),
        ("ppt/slideLayouts/slideLayout1.xml", &layout),
        (
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels",
            &related(&link(1, "slideMaster", "../slideMasters/slideMaster1.xml")),
        ),
        ("ppt/slideMasters/slideMaster1.xml", &slide(&shape("", &p("Confidential")))),
        (
            "ppt/comments/comment1.xml",
            &format!(
                "<p:cmLst><p:cm authorId='0'><p:text>Is this\nright?</p:text></p:cm><p:cm authorId='7'><p:txBody>{}\
                 </p:txBody></p:cm></p:cmLst>",
                p("Yes.")
            ),
        ),
    ]);
    let mut texts: Vec<&str> = extraction.pages.iter().map(|page| page.text.as_str()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "two\nAcme Corp.\nConfidential\nComment: Is this right?\nComment: Yes."]);
}

#[test]
fn damage_costs_one_slide_and_is_named() {
    let whole = slide(&(shape("", &p("kept")) + &shape("", &p("lost"))));
    let cut = &whole[..whole.find("lost").unwrap()];
    let hidden = slide(&shape("", &p("hidden"))).replace("<p:sld>", "<p:sld show='0'>");
    let extraction = extract(&[("ppt/slides/slide1.xml", cut), ("ppt/slides/slide2.xml", &hidden)]);
    assert_eq!(extraction.pages[1].text, "kept");
    assert!(extraction.warnings[0].starts_with("Slide 2 is damaged"), "{:?}", extraction.warnings);
    assert_eq!(extraction.warnings[1], "Hidden when the presentation is shown: slide 1.");

    let deep = slide(&"<p:grpSp>".repeat(5000));
    let bytes = presentation(&[("ppt/slides/slide1.xml", &deep)]);
    let error = crate::extract(Path::new("a.pptx"), &bytes, &ExtractOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnreadableFile);
}

#[test]
fn slides_are_found_without_a_list() {
    let parts =
        [10, 9].map(|number| (format!("ppt/slides/slide{number}.xml"), slide(&shape("", &p(&number.to_string())))));
    let mut parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, xml)| (&**name, xml.as_bytes())).collect();
    parts.push(("ppt/presentation.xml", b"<cut"));
    let extraction = crate::extract(Path::new("a.pptx"), &zip_file(&parts), &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.pages.iter().map(|page| &*page.text).collect::<Vec<_>>(), ["9", "10"]);
    assert_eq!(extraction.warnings.len(), 1);
}

#[test]
fn damage_beside_a_slide_is_named() {
    let related = format!(
        "<Relationships><Relationship Id='rId1' Type='{RELATIONSHIP}/notesSlide' Target='../notes.xml'/>\
         <Relationship Id='rId2' Type='{RELATIONSHIP}/comments' Target='../comments.xml'/>\
         <Relationship Id='rId3' Type='{RELATIONSHIP}/slideLayout' Target='../layout.xml'/>\
         <Relationship Id='rId4' Type='{RELATIONSHIP}/chart' Target='../chart.xml'/></Relationships>"
    );
    let notes = slide(&(shape("", &p("Kept.")) + &shape("", &p("Lost."))));
    let chart = "<p:graphicFrame><c:chart r:id='rId4'/></p:graphicFrame>";
    let extraction = extract(&[
        ("ppt/slides/slide1.xml", &slide(&(shape("", &p("Plan")) + chart))),
        ("ppt/slides/slide2.xml", &slide(&shape("", &p("First")))),
        ("ppt/slides/_rels/slide1.xml.rels", &related),
        ("ppt/notes.xml", &notes[..notes.find("Lost").unwrap()]),
        ("ppt/comments.xml", "<p:cmLst><p:cm><p:text>Good.</p:text></p:cm><p:cm>"),
        ("ppt/layout.xml", &slide(&shape("", &p("Draft"))).replace("</p:spTree>", "")),
    ]);
    assert_eq!(extraction.pages[1].text, "Plan\nDraft\nComment: Good.\nNotes: Kept.");
    let parts: Vec<bool> =
        ["chart.xml is missing", "layout.xml is damaged", "comments.xml is damaged", "notes.xml is damaged"]
            .iter()
            .map(|words| extraction.warnings.iter().any(|warning| warning.contains(words)))
            .collect();
    assert_eq!((parts, extraction.warnings.len()), (vec![true; 4], 4), "{:?}", extraction.warnings);
}

/// A shape at this place, in EMU.
fn placed(properties: &str, [x, y, width, height]: [i64; 4], turn: &str, text: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='2' name='a'{properties}/></p:nvSpPr><p:spPr><a:xfrm{turn}><a:off x='{x}' y='{y}'/>\
         <a:ext cx='{width}' cy='{height}'/></a:xfrm></p:spPr><p:txBody>{}</p:txBody></p:sp>",
        p(text)
    )
}

#[test]
fn texts_that_a_slide_does_not_show_are_marked() {
    let group = |properties: &str, x: i64, shapes: &str| {
        format!(
            "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='3' name='g'{properties}/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x='{x}' y='0'/>\
             <a:ext cx='1000' cy='1000'/><a:chOff x='0' y='0'/><a:chExt cx='100' cy='100'/></a:xfrm></p:grpSpPr>{shapes}</p:grpSp>"
        )
    };
    let inside = [100, 100, 500, 500];
    let shapes = [
        placed("", inside, "", "Shown."),
        placed(" hidden='1'", inside, "", "Hidden shape."),
        placed("", [9100, 0, 500, 500], "", "Beside the slide."),
        placed("", [8800, 0, 500, 500], "", "Half on it."),
        // Turned, it reaches onto the slide.
        placed("", [4000, 7050, 900, 100], " rot='5400000'", "Turned."),
        // Ten times as large as in the group, and moved.
        group("", 8500, &(placed("", [40, 0, 10, 10], "", "In the group on it.") + &placed("", [60, 0, 10, 10], "", "In the group beside it."))),
        group(" hidden='true'", 0, &placed("", [0, 0, 10, 10], "", "In a hidden group.")),
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='4' name='t' hidden='1'/></p:nvGraphicFramePr><a:tbl><a:tr><a:tc><a:txBody>"
            .to_owned()
            + &p("Fee")
            + "</a:txBody></a:tc><a:tc><a:txBody>"
            + &p("900")
            + "</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>",
    ];
    let secret = slide(&shape("", &p("Kept back."))).replacen("<p:sld>", "<p:sld show='0'>", 1);
    let extraction =
        extract(&[("ppt/slides/slide2.xml", &slide(&shapes.concat())), ("ppt/slides/slide1.xml", &secret)]);
    let hidden: Vec<(HiddenReason, String)> =
        extraction.pages.iter().flat_map(hidden_texts).map(|(reason, _, text)| (reason, text)).collect();
    let text = |reason, text: &str| (reason, text.to_owned());
    assert_eq!(
        hidden,
        [
            text(HiddenReason::HiddenFormat, "Hidden shape."),
            text(HiddenReason::OutsidePage, "Beside the slide."),
            text(HiddenReason::OutsidePage, "In the group beside it."),
            text(HiddenReason::HiddenFormat, "In a hidden group.\nFee\t900"),
            text(HiddenReason::HiddenSheet, "Kept back."),
        ]
    );
    assert!(
        extraction.pages[0].text.contains("Half on it.\nTurned.\nIn the group on it.\n"),
        "{}",
        extraction.pages[0].text
    );
    assert_eq!(
        extraction.warnings,
        [
            "Hidden when the presentation is shown: slide 2.",
            "Hidden text, which is read and marked as such: outside the page on page 1 (2 passages, 40 characters); formatted as hidden on \
             page 1 (2 passages, 39 characters)."
        ]
    );
}
