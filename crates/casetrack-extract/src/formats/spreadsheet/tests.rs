use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, HiddenReason};

use crate::test_files::{assert_page_invariants, assert_properties, zip_file};
use crate::{ExtractOptions, Extraction};

fn extract(bytes: &[u8]) -> Extraction {
    let extraction = crate::extract(Path::new("book.ods"), bytes, &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn ods(manifest: &str, content: &str) -> Vec<u8> {
    let content = format!("<office:document-content>{content}</office:document-content>").replace(">\n        <", "><");
    zip_file(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", manifest.as_bytes()),
        (
            "meta.xml",
            b"<m><office:meta><dc:title>Rents</dc:title><dc:date>2024-05-03T09:00:00.5</dc:date></office:meta></m>",
        ),
        ("content.xml", content.as_bytes()),
    ])
}

#[test]
fn opendocument_sheets_are_read() {
    let content = "<office:automatic-styles><style:style style:name='ta2'><style:table-properties table:display='false'/>
        </style:style></office:automatic-styles><office:body><office:spreadsheet><table:table table:name='Plan'>
        <table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-repeated='1024'/></table:table-row>
        <table:table-header-rows><table:table-row><table:table-cell/><table:table-cell><text:p>Item</text:p></table:table-cell>
        <table:table-cell><text:p>Due<text:s/>on</text:p></table:table-cell></table:table-row></table:table-header-rows>
        <table:table-row><table:table-cell/><table:table-cell office:value-type='string'><office:annotation>
        <dc:creator>Ann</dc:creator><dc:date>2024-03-02</dc:date><text:p>not agreed</text:p></office:annotation>
        <text:p>Rent</text:p></table:table-cell>
        <table:table-cell office:value-type='date' office:date-value='2024-03-01'><text:p>1 Mar 2024</text:p></table:table-cell>
        <table:table-cell office:value-type='float' office:value='7.5'/>
        <table:table-cell office:value-type='percentage' office:value='0.075' table:number-columns-repeated='2'>
        <text:p>7.5%</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated='1048570'><table:table-cell table:number-columns-repeated='16384'/>
        </table:table-row></table:table><table:table table:name='Notes' table:style-name='ta2'><table:table-row>
        <table:table-cell><text:p>Not for</text:p><text:p>the tenant</text:p></table:table-cell></table:table-row></table:table>
        </office:spreadsheet></office:body>";
    let extraction = extract(&ods("", content));
    assert_eq!((extraction.format, extraction.title.as_deref()), (FileFormat::Ods, Some("Rents")));
    assert_properties(&extraction, ["", "", "2024-05-03T09:00:00", ""]);
    let page = &extraction.pages[0];
    assert_eq!(page.text, "Item\tDue on\nRent\t1 Mar 2024\t7.5\t7.5%\t7.5%\nComment on B4 (Ann): not agreed");
    let row = |row, last_column, header| BlockKind::TableRow { table: 0, row, first_column: 2, last_column, header };
    let kinds: Vec<_> = page.blocks.iter().map(|block| block.kind.clone()).collect();
    assert_eq!(kinds, [row(3, 3, true), row(4, 6, false), row(4, 2, false)]);
    assert_eq!(extraction.pages[1].text, "Not for the tenant");
    assert_eq!(extraction.warnings, ["Sheet \"Notes\" is hidden; its text is included."]);
}

#[test]
fn collapsed_rows_and_columns_are_read_and_marked() {
    let row = |visibility: &str| {
        format!(
            "<table:table-row {visibility}>{}</table:table-row>",
            "<table:table-cell><text:p>a</text:p></table:table-cell>".repeat(3)
        )
    };
    let content = format!(
        "<table:table table:name='Plan'><table:table-column/><table:table-column-group><table:table-column table:visibility='collapse' \
         table:number-columns-repeated='2'/></table:table-column-group>{}{}{}</table:table>",
        row(""),
        row("table:visibility='filter' table:number-rows-repeated='2'"),
        row("")
    );
    let extraction = extract(&ods("", &content));
    let page = &extraction.pages[0];
    assert_eq!(page.text, ["a\ta\ta"; 4].join("\n"));
    let column = (HiddenReason::HiddenColumn, Some("columns B-C".to_owned()), "a\ta".to_owned());
    let rows = (HiddenReason::HiddenRow, Some("rows 2-3".to_owned()), "a\ta\ta\na\ta\ta".to_owned());
    assert_eq!(crate::test_files::hidden_texts(page), [column.clone(), rows, column]);
}

#[test]
fn damaged_and_protected_opendocument_sheets_say_so() {
    let cut =
        "<table:table table:name='Plan'><table:table-row><table:table-cell><text:p>kept</text:p></table:table-cell>
        </table:table-row><table:table-row><table:table-cell><text:p>lost";
    let extraction = extract(&ods("", cut));
    assert_eq!(extraction.pages[0].text, "kept");
    assert!(extraction.warnings[0].starts_with("Sheet \"Plan\" could not be read to its end"));
    let read = |bytes: &[u8]| crate::extract(Path::new("a.ods"), bytes, &ExtractOptions::default()).unwrap_err().code;
    assert_eq!(read(&ods("<manifest:encryption-data/>", "")), ErrorCode::NeedsPassword);
    assert_eq!(read(&ods("", "<office:body/>")), ErrorCode::UnreadableFile);
}

fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    let kind = if kind < 0x80 { vec![kind as u8] } else { vec![kind as u8 | 0x80, (kind >> 7) as u8] };
    [&kind, &[content.len() as u8][..], content].concat()
}

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    (text.encode_utf16().count() as u32).to_le_bytes().into_iter().chain(units).collect()
}

fn binary_workbook() -> Vec<(&'static str, Vec<u8>)> {
    let styles = [
        record(44, &[&[164, 0][..], &wide("d mmm yyyy")].concat()),
        record(626, &[0; 4]),
        record(47, &[0, 0, 9, 0]),
        record(617, &[0; 4]),
        record(47, &[0; 4]),
        record(47, &[0, 0, 164, 0]),
        record(618, &[]),
    ];
    let comments = [
        record(632, &wide("Ann")),
        record(635, &[&[0, 0, 0, 0][..], &[4, 0, 0, 0].repeat(2), &[2, 0, 0, 0].repeat(2), &[0; 16]].concat()),
        record(637, &[&[0][..], &wide("Ann:\nnot agreed")].concat()),
    ];
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
        record(2, &[&[3, 0, 0, 0, 1, 0, 0, 0][..], &(45_382u32 << 2 | 2).to_le_bytes()].concat()),
        record(7, &cell(4, &[0; 4])),
        record(11, &cell(5, &[0x2A])),
        record(0x92, &[]),
    ];
    let sheet_rels = b"<Relationships><Relationship Id='a' Type='x/comments' Target='../comments1.bin'/>\
        <Relationship Id='b' Type='x/drawing' Target='../drawings/drawing1.xml'/></Relationships>";
    let rels =
        b"<Relationships><Relationship Id='rId1' Type='x/worksheet' Target='worksheets/sheet1.bin'/></Relationships>";
    vec![
        ("xl/workbook.bin", workbook.concat()),
        ("xl/_rels/workbook.bin.rels", rels.to_vec()),
        ("xl/worksheets/sheet1.bin", sheet.concat()),
        ("xl/worksheets/_rels/sheet1.bin.rels", sheet_rels.to_vec()),
        ("xl/styles.bin", styles.concat()),
        ("xl/sharedStrings.bin", record(19, &[&[0][..], &wide("paid")].concat())),
        ("xl/comments1.bin", comments.concat()),
        ("docProps/core.xml", b"<c><dc:creator>Ann</dc:creator><dc:language>de-DE</dc:language></c>".to_vec()),
        ("xl/drawings/drawing1.xml", b"<d><sp><txBody><p><t>Draft</t></p></txBody></sp></d>".to_vec()),
    ]
}

fn extract_binary(parts: &[(&str, Vec<u8>)]) -> Extraction {
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, part)| (*name, part.as_slice())).collect();
    crate::extract(Path::new("rents.xlsb"), &zip_file(&parts), &ExtractOptions::default()).unwrap()
}

#[test]
fn binary_workbooks_are_read() {
    let extraction = extract_binary(&binary_workbook());
    assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    assert_eq!(extraction.format, FileFormat::Xlsb);
    assert_properties(&extraction, ["Ann", "", "", "de-DE"]);
    let page = &extraction.pages[0];
    crate::test_files::assert_page_invariants(page);
    assert_eq!(page.sheet_name.as_deref(), Some("Rents"));
    assert_eq!(
        page.text,
        "Tenant\t\tRent\nMüller\t\t1250.5\t31 Mar 2024\tpaid\t#N/A\nComment on C5 (Ann): not agreed\nDraft"
    );
}

#[test]
fn binary_workbooks_that_are_cut_say_so() {
    for (index, warning) in [
        (0, "The list of sheets could not be read to the end: the part xl/workbook.bin"),
        (2, "Sheet \"Rents\" could not be read to its end"),
        (4, "The number formats could not be read to the end: the part xl/styles.bin"),
        (5, "The shared texts could not be read to the end: the part xl/sharedStrings.bin"),
        (6, "The comments could not be read to the end: the part xl/comments1.bin"),
    ] {
        let mut parts = binary_workbook();
        // A record of a kind that is not read, without its last byte.
        parts[index].1.extend([1, 2, 0]);
        let extraction = extract_binary(&parts);
        assert!(extraction.pages[0].text.contains("paid\t#N/A\nComment on C5"), "{}", extraction.pages[0].text);
        assert_eq!(extraction.warnings.len(), 1, "{:?}", extraction.warnings);
        assert!(extraction.warnings[0].starts_with(warning), "{:?}", extraction.warnings);
    }
}
