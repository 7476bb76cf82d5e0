use std::path::Path;

use casetrack_core::{BlockKind, ChunkConfig, DocumentId, ErrorCode, FileFormat, HiddenReason};
use casetrack_pages::chunker::chunk_pages;

use super::*;
use crate::test_files::{assert_page_invariants, assert_properties, hidden_texts, with_damaged_part, zip_file};
use crate::{ExtractOptions, Extraction};

fn xlsx(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    xlsx_with(sheets, &[])
}

/// The same; what follows `</sheetData>` in the rows comes behind them. `more` are further parts.
fn xlsx_with(sheets: &[(&str, &str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let mut parts = Vec::new();
    let (mut listed, mut related) = (String::new(), String::new());
    for (index, (name, state, rows)) in sheets.iter().enumerate() {
        let id = index + 1;
        listed += &format!("<sheet name='{name}' state='{state}' sheetId='{id}' r:id='rId{id}'/>");
        related += &format!("<Relationship Id='rId{id}' Type='x/worksheet' Target='worksheets/sheet{id}.xml'/>");
        parts.push((
            format!("xl/worksheets/sheet{id}.xml"),
            format!(
                "<worksheet><sheetData>{rows}{}</worksheet>",
                if rows.contains("</sheetData>") { "" } else { "</sheetData>" }
            ),
        ));
    }
    let part = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    let root = "<Relationships><Relationship Id='rId1' Target='xl/workbook.xml' Type='http://schemas.openxmlformats.org/\
        officeDocument/2006/relationships/officeDocument'/></Relationships>";
    parts.push(part("_rels/.rels", root));
    parts.push(part("xl/workbook.xml", &format!("<workbook><sheets>{listed}</sheets></workbook>")));
    parts.push(part("xl/_rels/workbook.xml.rels", &format!("<Relationships>{related}</Relationships>")));
    parts.push(part(
        "xl/styles.xml",
        "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='d\\ mmm\\ yyyy'/><numFmt numFmtId='165' \
         formatCode='[$€-407]\\ #,##0.00;[Red]\\-[$€-407]\\ #,##0.00'/></numFmts><cellStyleXfs><xf numFmtId='9'/>\
         </cellStyleXfs><cellXfs count='5'><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='164'/><xf numFmtId='165'/>\
         <xf numFmtId='10'/></cellXfs></styleSheet>",
    ));
    parts.push(part("xl/sharedStrings.xml", "<sst><si><t>Deposit &amp; rent</t></si></sst>"));
    parts.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    parts.extend(more.iter().map(|(name, content)| part(name, content)));
    parts.push(part(
        "[Content_Types].xml",
        "<Types><Override PartName='/xl/workbook.xml' ContentType='application/vnd.openxmlformats-officedocument.\
         spreadsheetml.sheet.main+xml'/></Types>",
    ));
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, content)| (name.as_str(), content.as_bytes())).collect();
    zip_file(&parts)
}

fn extract(bytes: &[u8]) -> Result<Extraction> {
    let extraction = crate::extract(Path::new("book.xlsx"), bytes, &ExtractOptions::default())?;
    extraction.pages.iter().for_each(assert_page_invariants);
    Ok(extraction)
}

const ROWS: &str = "<row r='2'><c r='B2' t='inlineStr'><is><t>Item</t></is></c>\
    <c r='C2' t='inlineStr'><is><t>Due</t></is></c><c r='E2' t='inlineStr'><is><t>Cost\nEUR</t></is></c></row>\
    <row r='4'><c r='B4' t='s'><v>0</v></c><c r='C4' s='1'><v>45352</v></c><c r='E4'><v>0.30000000000000004</v></c></row>\
    <row r='5'><c r='C5' t='b'><v>1</v></c><c r='E5' t='e'><v>#N/A</v></c></row>";

#[test]
fn the_properties_of_the_package_are_read() {
    let core = "<c><dc:title>Rents</dc:title><dc:creator> </dc:creator><dcterms:created>2024-05-03T09:00:00Z</dcterms:created>\
                <dcterms:modified>soon</dcterms:modified><dc:language>German</dc:language></c>";
    let extraction = extract(&xlsx_with(&[("Plan", "visible", ROWS)], &[("docProps/core.xml", core)])).unwrap();
    assert_eq!(extraction.title.as_deref(), Some("Rents"));
    assert_properties(&extraction, ["", "2024-05-03T09:00:00Z", "", ""]);
}

#[test]
fn a_sheet_is_a_page_and_a_row_a_line() {
    let extraction = extract(&xlsx(&[("Plan", "visible", ROWS), ("Secret", "hidden", ROWS), ("Empty", "visible", "")]));
    let extraction = extraction.unwrap();
    assert_eq!(extraction.format, FileFormat::Xlsx);
    let names: Vec<_> = extraction.pages.iter().map(|page| page.sheet_name.as_deref().unwrap()).collect();
    assert_eq!(names, ["Plan", "Secret", "Empty"]);
    let page = &extraction.pages[0];
    assert_eq!(page.text, "Item\tDue\t\tCost EUR\nDeposit & rent\t2024-03-01\t\t0.3\nTRUE\t\t#N/A");
    let row = |row, first_column, header| BlockKind::TableRow { table: 0, row, first_column, last_column: 5, header };
    let kinds: Vec<_> = page.blocks.iter().map(|block| block.kind.clone()).collect();
    assert_eq!(kinds, [row(2, 2, true), row(4, 2, false), row(5, 3, false)]);
    assert_eq!(extraction.warnings, ["Sheet \"Secret\" is hidden; its text is included."]);
}

#[test]
fn hidden_rows_and_columns_are_read_and_marked() {
    let row = |number: u32, hidden: &str| {
        let cell = |column: &str| format!("<c r='{column}{number}'><v>{number}</v></c>");
        format!("<row r='{number}'{hidden}>{}</row>", ["A", "B", "C", "D"].map(cell).concat())
    };
    let hidden = " hidden='1'";
    let rows: String =
        [1, 2, 3, 4, 5, 6].map(|number| row(number, if matches!(number, 3 | 4) { hidden } else { "" })).concat();
    let sheet = format!(
        "</sheetData><cols><col min='1' max='1'/><col min='3' max='4' hidden='true'/></cols><sheetData>{rows}</sheetData>"
    );
    let extraction = extract(&xlsx(&[("Plan", "visible", &sheet), ("Secret", "hidden", &rows)])).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(page.text, "1\t1\t1\t1\n2\t2\t2\t2\n3\t3\t3\t3\n4\t4\t4\t4\n5\t5\t5\t5\n6\t6\t6\t6");
    let column = |text: &str| (HiddenReason::HiddenColumn, Some("columns C-D".to_owned()), text.to_owned());
    assert_eq!(
        hidden_texts(page),
        [
            column("1\t1"),
            column("2\t2"),
            (HiddenReason::HiddenRow, Some("rows 3-4".to_owned()), "3\t3\t3\t3\n4\t4\t4\t4".to_owned()),
            column("5\t5"),
            column("6\t6"),
        ]
    );
    let secret = &extraction.pages[1];
    assert_eq!(hidden_texts(secret), [(HiddenReason::HiddenSheet, None, secret.text.clone())]);
    assert_eq!(
        extraction.warnings,
        [
            "Sheet \"Secret\" is hidden; its text is included.",
            "Hidden text, which is read and marked as such: in hidden rows on sheet \"Plan\" (1 passage, 15 characters); in hidden \
             columns on sheet \"Plan\" (4 passages, 12 characters)."
        ]
    );
}

#[test]
fn a_damaged_sheet_keeps_the_others() {
    let bytes =
        xlsx(&[("Good", "visible", ROWS), ("Bad", "visible", "<row r='1'><c r='A1'><v>7</v></c><c r='!'/></row>")]);
    let extraction = extract(&bytes).unwrap();
    assert_eq!(extraction.pages[1].text, "7");
    assert!(extraction.warnings[0].starts_with("Sheet \"Bad\" could not be read to its end"));
    assert_eq!(
        extract(&xlsx(&[("Bad", "visible", "<row><c r='!'/></row>")])).unwrap_err().code,
        ErrorCode::UnreadableFile
    );
}

#[test]
fn cells_far_apart_cost_nothing() {
    let rows = "<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row>";
    assert_eq!(extract(&xlsx(&[("Wide", "visible", rows)])).unwrap().pages[0].text, "1\n2");
}

fn texts(cells: &[(&str, &str)]) -> String {
    let cell = |(place, text): &(&str, &str)| format!("<c r='{place}' t='inlineStr'><is><t>{text}</t></is></c>");
    format!("<row>{}</row>", cells.iter().map(cell).collect::<String>())
}

fn header_rows(extraction: &Extraction, page: usize) -> Vec<(u32, u32)> {
    let row = |kind: &BlockKind| match kind {
        BlockKind::TableRow { table, row, header: true, .. } => Some((*table, *row)),
        _ => None,
    };
    extraction.pages[page].blocks.iter().filter_map(|block| row(&block.kind)).collect()
}

#[test]
fn values_are_shown_by_their_formats() {
    let rows = "<row r='1'><c r='A1' s='2'><v>45382</v></c><c r='B1' s='3'><v>1250000</v></c><c r='C1' s='3'><v>-7.5</v></c>\
        <c r='D1' s='4'><v>0.075</v></c><c r='E1'><v>3.1415926535897931</v></c><c r='F1'><v>12</v></c>\
        <c r='G1' t='d'><v>2024-03-31T00:00:00</v></c><c r='H1' t='str'><f>A1&amp;B1</f><v>a_x000D_b</v></c>\
        <c r='I1' t='b'/><c r='J1' s='99'><v>0.5</v></c></row>";
    let page = &extract(&xlsx(&[("Plan", "visible", rows)])).unwrap().pages[0];
    assert_eq!(page.text, "31 Mar 2024\t€ 1,250,000.00\t-€ 7.50\t7.50%\t3.141592654\t12\t2024-03-31\ta b\t\t0.5");
}

#[test]
fn formulas_without_a_result_are_shown_and_counted() {
    let rows = "<row r='1'><c r='A1'><v>1</v></c><c r='B1'><f>A1+1</f></c><c r='C1'><f>A1+2</f><v/></c>\
        <c r='D1'><f>A1*5</f><v>5</v></c><c r='E1' t='str'><f>\"\"</f><v></v></c><c r='F1' t='str'><f>A1&amp;\"x\"</f></c></row>\
        <row r='2'><c r='A2'><f t='shared' ref='A2:A3' si='0'>B2*$C$1</f></c></row>\
        <row r='3'><c r='A3'><f t='shared' si='0'/></c><c r='B3'><f t='array' ref='B3'>SUM(A2:A3)</f><v> </v></c></row>";
    let extraction = extract(&xlsx(&[("Plan", "visible", rows)])).unwrap();
    assert_eq!(
        extraction.pages[0].text,
        "1\t=A1+1 (no value stored)\t=A1+2 (no value stored)\t5\t\t=A1&\"x\" (no value stored)\n\
         =B2*$C$1 (no value stored)\n=B3*$C$1 (no value stored)\t=SUM(A2:A3) (no value stored)"
    );
    assert_eq!(
        extraction.warnings,
        ["Sheet \"Plan\" has 6 formulas whose result is not in the file; the text shows the formulas instead."]
    );
}

#[test]
fn zeros_that_nobody_calculated_are_warned_of() {
    let warnings = |properties: &str, rows: &str| {
        let workbook = format!(
            "<workbook><sheets><sheet name='Plan' sheetId='1' r:id='rId1'/></sheets><calcPr {properties}/></workbook>"
        );
        extract(&xlsx_with(&[("Plan", "visible", rows)], &[("xl/workbook.xml", &workbook)])).unwrap().warnings
    };
    let zero = "<row r='1'><c r='A1'><f>B1*2</f><v>0</v></c><c r='B1'><v>7</v></c></row>";
    let other = "<row r='1'><c r='A1'><f>B1*2</f><v>14</v></c><c r='B1'><f>0</f><v>0</v></c></row>";
    assert_eq!(
        warnings("fullCalcOnLoad='1'", zero),
        [
            "Sheet \"Plan\" has formulas whose stored result is 0 (1 of them), and no others; the program that wrote the file did not \
          calculate them."
        ]
    );
    assert!(warnings("calcId='1'", zero).is_empty() && warnings("fullCalcOnLoad='1'", other).is_empty());
}

#[test]
fn dates_of_strict_workbooks_are_shown_without_the_time_of_midnight() {
    for (stored, shown) in [
        ("2023-02-28T00:00:00.000", "2023-02-28"),
        ("2023-02-28T00:00:00Z", "2023-02-28"),
        ("2023-02-28", "2023-02-28"),
        ("2021-01-01T10:10:10.000", "2021-01-01 10:10:10"),
        ("2021-01-01T10:10:10.250", "2021-01-01 10:10:10.250"),
        ("10:10:10", "10:10:10"),
    ] {
        let rows = format!("<row r='1'><c r='A1' t='d'><v>{stored}</v></c></row>");
        assert_eq!(extract(&xlsx(&[("Plan", "visible", &rows)])).unwrap().pages[0].text, shown, "{stored}");
    }
}

#[test]
fn merged_headers_name_every_column() {
    let rows = [
        texts(&[("B2", "Budget by department")]),
        texts(&[("B3", "Item"), ("C3", "2023"), ("E3", "2024")]),
        texts(&[("C4", "Plan"), ("D4", "Actual"), ("E4", "Plan"), ("F4", "Actual")]),
        "<row r='5'><c r='B5' t='s'><v>0</v></c><c r='C5'><v>1</v></c><c r='D5'><v>2</v></c><c r='E5'><v>3</v></c>\
         <c r='F5'><v>4</v></c></row></sheetData><mergeCells><mergeCell ref='B2:F2'/><mergeCell ref='B3:B4'/>\
         <mergeCell ref='C3:D3'/><mergeCell ref='E3:F3'/></mergeCells>"
            .to_owned(),
    ];
    let extraction = extract(&xlsx(&[("Plan", "visible", &rows.concat())])).unwrap();
    assert_eq!(
        extraction.pages[0].text,
        "Budget by department\nItem\t2023\t2023\t2024\t2024\nItem\tPlan\tActual\tPlan\tActual\n\
         Deposit & rent\t1\t2\t3\t4"
    );
    assert_eq!(header_rows(&extraction, 0), [(0, 3), (0, 4)]);
}

#[test]
fn every_chunk_knows_its_rows_columns_and_header() {
    let mut rows = texts(&[("C3", "Tenant"), ("D3", "Rent")]);
    for row in 4..400 {
        rows += &format!("<row r='{row}'><c r='C{row}' t='s'><v>0</v></c><c r='D{row}' s='3'><v>{row}</v></c></row>");
    }
    let extraction = extract(&xlsx(&[("Rents", "visible", &rows)])).unwrap();
    let chunks = chunk_pages(DocumentId::random(), &extraction.pages, &ChunkConfig::default());
    assert!(chunks.len() > 3);
    let mut next_row = 3;
    for chunk in &chunks {
        let rows = chunk.row_range.unwrap();
        assert_eq!((rows.start, rows.end + 1 - rows.start), (next_row, chunk.text.lines().count() as u32));
        next_row = rows.end + 1;
        assert_eq!(chunk.column_range.unwrap().to_string(), "C-D");
        assert_eq!(chunk.sheet_name.as_deref(), Some("Rents"));
        assert_eq!(chunk.context, if rows.start == 3 { "" } else { "Tenant\tRent" });
    }
    assert_eq!(next_row, 400);
}

#[test]
fn tables_of_the_file_name_their_header() {
    let table = |first: u32| {
        let last = first + 2;
        texts(&[(&format!("A{first}"), "Name"), (&format!("B{first}"), "Seat")])
            + &texts(&[(&format!("A{}", first + 1), "Acme"), (&format!("B{}", first + 1), "Reno")])
            + &texts(&[(&format!("A{last}"), "Zeta"), (&format!("B{last}"), "Ulm")])
    };
    let bytes = xlsx_with(
        &[("Firms", "visible", &(table(1) + &table(4)))],
        &[
            (
                "xl/worksheets/_rels/sheet1.xml.rels",
                "<Relationships><Relationship Id='a' Type='x/table' Target='../tables/table1.xml'/>\
                 <Relationship Id='b' Type='x/table' Target='../tables/table2.xml'/></Relationships>",
            ),
            ("xl/tables/table1.xml", "<table ref='A1:B3'/>"),
            ("xl/tables/table2.xml", "<table ref='A4:B6' headerRowCount='1'/>"),
        ],
    );
    assert_eq!(header_rows(&extract(&bytes).unwrap(), 0), [(0, 1), (1, 4)]);
}

#[test]
fn comments_and_drawn_texts_are_read() {
    let rels = "<Relationships><Relationship Id='a' Type='x/comments' Target='../comments1.xml'/>\
        <Relationship Id='b' Type='x/threadedComment' Target='../threadedComments/threadedComment1.xml'/>\
        <Relationship Id='c' Type='x/drawing' Target='../drawings/drawing1.xml'/></Relationships>";
    let bytes = xlsx_with(
        &[("Plan", "visible", ROWS)],
        &[
            ("xl/worksheets/_rels/sheet1.xml.rels", rels),
            (
                "xl/comments1.xml",
                "<comments><authors><author>Ann</author></authors><commentList><comment ref='E4' authorId='0'><text><r>\
                 <t>Ann:</t></r><r><t>\nnot agreed</t></r></text></comment><comment ref='B2' authorId='0'><text>\
                 <t>[Threaded comment] Your version of Excel</t></text></comment></commentList></comments>",
            ),
            (
                "xl/threadedComments/threadedComment1.xml",
                "<ThreadedComments><threadedComment ref='B2' personId='{1}'><text>Which item?</text></threadedComment>\
                 <threadedComment ref='B2' personId='{2}'><text>The deposit</text></threadedComment></ThreadedComments>",
            ),
            ("xl/persons/person.xml", "<personList><person displayName='Bob' id='{1}'/></personList>"),
            (
                "xl/drawings/drawing1.xml",
                "<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Draft</a:t></a:r></a:p><a:p><a:r><a:t>for review</a:t></a:r>\
                 </a:p></xdr:txBody></xdr:sp><c:chart r:id='rId1'/></xdr:wsDr>",
            ),
            (
                "xl/drawings/_rels/drawing1.xml.rels",
                "<Relationships><Relationship Id='rId1' Type='x/chart' Target='../charts/chart1.xml'/></Relationships>",
            ),
            (
                "xl/charts/chart1.xml",
                "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Costs by month</a:t></a:r></a:p></c:rich></c:tx>\
                 </c:title><c:plotArea><c:ser><c:tx><c:v>no</c:v></c:tx></c:ser><c:valAx><c:title><c:tx><c:strRef><c:f>A1</c:f>\
                 <c:strCache><c:pt idx='0'><c:v>EUR</c:v></c:pt></c:strCache></c:strRef></c:tx></c:title></c:valAx></c:plotArea>\
                 </c:chart></c:chartSpace>",
            ),
        ],
    );
    let extraction = extract(&bytes).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(
        page.text,
        "Item\tDue\t\tCost EUR\nComment on B2 (Bob): Which item?\nComment on B2: The deposit\n\
         Deposit & rent\t2024-03-01\t\t0.3\nComment on E4 (Ann): not agreed\nTRUE\t\t#N/A\nDraft\nfor review\n\
         Costs by month\nEUR"
    );
    let place = BlockKind::TableRow { table: 0, row: 4, first_column: 5, last_column: 5, header: false };
    assert_eq!(page.blocks[4].kind, place);
    assert_eq!(header_rows(&extraction, 0), [(0, 2)]);
}

#[test]
fn hidden_sheets_are_named_exactly() {
    let extraction = extract(&xlsx(&[(" A&amp;B ", "veryHidden", ROWS)])).unwrap();
    assert_eq!(extraction.pages[0].sheet_name.as_deref(), Some(" A&B "));
    assert_eq!(
        extraction.warnings,
        ["Sheet \" A&B \" is hidden so that only a macro can show it; its text is included."]
    );
}

#[test]
fn workbooks_with_missing_parts_are_read() {
    let sheet = "<worksheet><sheetData><row><c><v>7</v></c><c><v>8</v></c></row></sheetData></worksheet>";
    let extraction = extract(&zip_file(&[("xl/workbook.xml", b""), ("xl/worksheets/sheet2.xml", sheet.as_bytes())]));
    let extraction = extraction.unwrap();
    assert_eq!((&*extraction.pages[0].text, extraction.pages[0].sheet_name.as_deref()), ("7\t8", Some("Sheet2")));
    assert_eq!(extraction.warnings, ["The list of sheets is damaged; they are in the order of their file names."]);
}

#[test]
fn merged_areas_that_overlap_do_not_multiply_cells() {
    let cell = |place: &str| format!("<c r='{place}' t='inlineStr'><is><t>Fee</t></is></c>");
    let areas = "<mergeCell ref='A1:XFD1'/>".repeat(1000);
    let rows = format!(
        "<row r='1'>{}</row><row r='2'>{}{}{}</row></sheetData><mergeCells>{areas}</mergeCells>",
        cell("A1"),
        cell("A2"),
        cell("B2"),
        cell("C3")
    );
    let extraction = extract(&xlsx_with(&[("Fees", "visible", &rows)], &[])).unwrap();
    assert!(extraction.pages[0].text.len() < 100_000, "{} bytes", extraction.pages[0].text.len());
}

#[test]
fn damage_beside_the_cells_is_named() {
    let related = "<Relationships><Relationship Id='1' Type='x/comments' Target='../comments1.xml'/><Relationship Id='2' \
        Type='x/drawing' Target='../drawings/drawing1.xml'/><Relationship Id='3' Type='x/table' Target='../tables/table1.xml'/>\
        <Relationship Id='4' Type='x/threadedComment' Target='../threads/thread1.xml'/></Relationships>";
    let comment =
        |place: &str, text: &str| format!("<comment ref='{place}' authorId='0'><text><t>{text}</t></text></comment>");
    let comments = format!(
        "<comments><authors><author>Ann</author></authors><commentList>{}{}</commentList></comments>",
        comment("A1", "Kept."),
        comment("B1", "Lost.")
    );
    let parts = [
        ("xl/worksheets/_rels/sheet1.xml.rels", related),
        ("xl/comments1.xml", &comments[..comments.find("Lost").unwrap()]),
        (
            "xl/drawings/drawing1.xml",
            "<wsDr><sp><txBody><p><r><t>A text box that is long enough to be compressed.</t></r></p>",
        ),
        ("xl/tables/table1.xml", "<table"),
    ];
    let bytes = xlsx_with(&[("Plan", "visible", &texts(&[("A1", "Rent")]))], &parts);
    let extraction = extract(&with_damaged_part(bytes, "xl/drawings/drawing1.xml")).unwrap();
    assert!(extraction.pages[0].text.contains("Kept."), "{}", extraction.pages[0].text);
    let warnings: Vec<&str> = extraction.warnings.iter().map(|warning| warning.split('(').next().unwrap()).collect();
    assert_eq!(
        warnings,
        [
            "The comments could not be read: the part xl/threads/thread1.xml is missing.",
            "The comments could not be read to the end: the part xl/comments1.xml is damaged ",
            "The header of a table could not be read to the end: the part xl/tables/table1.xml is damaged ",
            "The drawings could not be read: the part xl/drawings/drawing1.xml is damaged.",
        ]
    );
}

#[test]
fn a_damaged_list_of_sheets_and_damaged_properties_are_named() {
    let list = "<workbook><sheets><sheet name='Plan' sheetId='1' r:id='rId1'/><sheet name='Re";
    let parts = [("xl/workbook.xml", list), ("docProps/core.xml", "<c><dc:creator>Ann</dc:creator><dc:title>Pl")];
    let mut all = vec![
        (
            "_rels/.rels",
            "<Relationships><Relationship Id='rId1' Target='xl/workbook.xml' Type='x/officeDocument'/></Relationships>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='rId1' Type='x/worksheet' Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>"),
    ];
    all.extend(parts);
    let all: Vec<(&str, &[u8])> = all.iter().map(|(name, content)| (*name, content.as_bytes())).collect();
    let extraction = extract(&zip_file(&all)).unwrap();
    assert_eq!((&*extraction.pages[0].text, extraction.properties.author.as_deref()), ("1", Some("Ann")));
    assert_eq!(extraction.warnings.len(), 2, "{:?}", extraction.warnings);
    for (warning, part) in extraction.warnings.iter().zip(["docProps/core.xml", "xl/workbook.xml"]) {
        assert!(warning.contains(part), "{warning}");
    }
}
