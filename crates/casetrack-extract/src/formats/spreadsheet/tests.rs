use std::path::Path;

use calamine::ExcelDateTimeType;
use casetrack_core::{BlockKind, ErrorCode, FileFormat};

use super::*;
use crate::test_files::{assert_page_invariants, zip_file};
use crate::{ExtractOptions, Extraction};

/// A workbook of these sheets: name, state, rows as XML.
fn xlsx(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut parts = Vec::new();
    let (mut listed, mut related) = (String::new(), String::new());
    for (index, (name, state, rows)) in sheets.iter().enumerate() {
        let id = index + 1;
        listed += &format!("<sheet name='{name}' state='{state}' sheetId='{id}' r:id='rId{id}'/>");
        related += &format!("<Relationship Id='rId{id}' Type='x/worksheet' Target='worksheets/sheet{id}.xml'/>");
        parts.push((
            format!("xl/worksheets/sheet{id}.xml"),
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
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
        "<styleSheet><cellXfs count='2'><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>",
    ));
    parts.push(part("xl/sharedStrings.xml", "<sst><si><t>Deposit &amp; rent</t></si></sst>"));
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

#[test]
fn numbers_and_times_are_shown_plainly() {
    for (number, text) in
        [(3.0, "3"), (-0.5, "-0.5"), (0.1 + 0.2, "0.3"), (1e300, "1e300"), (1.5e-12, "1.5e-12"), (0.0, "0")]
    {
        assert_eq!(shown_number(number), text);
    }
    let time = |value, kind| shown_time(&ExcelDateTime::new(value, kind, false));
    assert_eq!(time(45352.5, ExcelDateTimeType::DateTime), "2024-03-01T12:00:00");
    assert_eq!(time(0.75, ExcelDateTimeType::DateTime), "18:00:00");
    assert_eq!(time(1.125, ExcelDateTimeType::TimeDelta), "27:00:00");
}

#[test]
fn old_workbooks_are_read() {
    let bytes = include_bytes!("../../../tests/fixtures/sheets.xls");
    let extraction = extract(bytes).unwrap();
    assert_eq!(extraction.format, FileFormat::Xls);
    assert_eq!(extraction.pages[0].text, "Item\tDue\tCost\nRent für Mai\t2024-03-01\t1200.5\nPaid\t\tTRUE");
    assert!(matches!(
        extraction.pages[0].blocks[0].kind,
        BlockKind::TableRow { row: 2, first_column: 2, header: true, .. }
    ));
    assert_eq!(extraction.pages[1].text, "Not for the tenant");
    assert!(extraction.warnings.contains(&"Sheet \"Notes\" is hidden; its text is included.".to_owned()));
}

#[test]
fn opendocument_sheets_are_read() {
    let content = "<office:document-content><office:body><office:spreadsheet><table:table table:name='Plan'>
        <table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-repeated='1024'/></table:table-row>
        <table:table-row><table:table-cell office:value-type='string'><text:p>Rent</text:p></table:table-cell>
        <table:table-cell office:value-type='date' office:date-value='2024-03-01'/>
        <table:table-cell office:value-type='float' office:value='7.5'/></table:table-row></table:table>
        </office:spreadsheet></office:body></office:document-content>"
        .replace(">\n        <", "><");
    let bytes = zip_file(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", b"<manifest:manifest/>"),
        ("content.xml", content.as_bytes()),
    ]);
    let extraction = extract(&bytes).unwrap();
    assert_eq!(extraction.format, FileFormat::Ods);
    assert_eq!(extraction.pages[0].text, "Rent\t2024-03-01\t7.5");
    assert!(matches!(extraction.pages[0].blocks[0].kind, BlockKind::TableRow { row: 3, .. }));
}

/// A record of a binary workbook ([MS-XLSB] 2.1.4).
fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    let kind = if kind < 0x80 { vec![kind as u8] } else { vec![kind as u8 | 0x80, (kind >> 7) as u8] };
    [&kind, &[content.len() as u8][..], content].concat()
}

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    (text.encode_utf16().count() as u32).to_le_bytes().into_iter().chain(units).collect()
}

#[test]
fn binary_workbooks_are_read() {
    let workbook = [
        record(0x9C, &[&[0; 4][..], &[1, 0, 0, 0], &wide("rId1"), &wide("Rents")].concat()),
        record(0x90, &[]),
        record(0x9D, &[]),
    ];
    let cell = |column: u8, value: &[u8]| [&[column, 0, 0, 0, 0, 0, 0, 0][..], value].concat();
    let row = |number: u8| [&[number][..], &[0; 16]].concat();
    let sheet = [
        record(0x94, &[0; 16]),
        record(0x91, &[]),
        record(0, &row(0)),
        record(6, &cell(0, &wide("Tenant"))),
        record(6, &cell(2, &wide("Rent"))),
        record(0, &row(4)),
        record(6, &cell(0, &wide("Müller"))),
        record(5, &cell(2, &1250.5f64.to_le_bytes())),
        record(0x92, &[]),
    ];
    let rels = b"<Relationships><Relationship Id='rId1' Target='worksheets/sheet1.bin'/></Relationships>";
    let parts: &[(&str, &[u8])] = &[
        ("xl/workbook.bin", &workbook.concat()),
        ("xl/_rels/workbook.bin.rels", rels),
        ("xl/worksheets/sheet1.bin", &sheet.concat()),
    ];
    let file = crate::test_files::zip_file(parts);
    let extraction = crate::extract(Path::new("rents.xlsb"), &file, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Xlsb);
    let page = &extraction.pages[0];
    crate::test_files::assert_page_invariants(page);
    assert_eq!((page.sheet_name.as_deref(), &*page.text), (Some("Rents"), "Tenant\t\tRent\nMüller\t\t1250.5"));
}
