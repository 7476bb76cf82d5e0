//! The matter sheet as a workbook (Office Open XML, ISO/IEC 29500): one sheet, all cells text, so that none is a formula.

use casetrack_core::Result;
use casetrack_engine::sheet::Sheet;
use casetrack_text::sheet::{fields, header};

use crate::package::{Package, push_escaped};

/// The parts that do not depend on the sheet.
const PARTS: [(&str, &str); 4] = [
    (
        "[Content_Types].xml",
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#,
    ),
    (
        "_rels/.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
    (
        "xl/workbook.xml",
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Matter sheet" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
    ),
];
/// Longest text of a cell, in characters: the limit of spreadsheet programs.
const CELL: usize = 32_767;

pub fn of(sheet: &Sheet) -> Result<Vec<u8>> {
    let worksheet = worksheet(sheet);
    Package::with_parts(PARTS.into_iter().chain([("xl/worksheets/sheet1.xml", worksheet.as_str())]))?.finish()
}

fn worksheet(sheet: &Sheet) -> String {
    let mut text = String::from(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews><sheetData>"#,
    );
    let rows = std::iter::once(header(&sheet.columns)).chain(sheet.rows.iter().map(|row| fields(row, &sheet.columns)));
    for row in rows {
        text.push_str("<row>");
        for cell in row {
            text.push_str(r#"<c t="inlineStr"><is><t xml:space="preserve">"#);
            push_escaped(&mut text, &cell.chars().take(CELL).collect::<String>());
            text.push_str("</t></is></c>");
        }
        text.push_str("</row>");
    }
    text.push_str("</sheetData></worksheet>");
    text
}
