//! Excel 2003 XML ([XML Spreadsheet Reference]): a workbook in one XML file, often named `.xls`. Programs that export tables write it, too.
//!
//! [XML Spreadsheet Reference]: https://learn.microsoft.com/previous-versions/office/developer/office-xp/aa140066(v=office.10)

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::xml::{Element, Stop, XmlError, XmlReader};
use casetrack_pages::model::Source;
use casetrack_pages::text::{dates, encoding};

use super::formula;
use super::number_format::{Formats, NumberFormat};
use super::sheet::{Comment, Region, Sheet, Visibility, iso_date, write_all};
use super::{MAX_COLUMNS, MAX_ROWS};

const NAMESPACE: &str = "urn:schemas-microsoft-com:office:spreadsheet";

/// True if a text is a workbook.
pub(crate) fn is_workbook(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    text.starts_with('<')
        && text.contains(NAMESPACE)
        && XmlReader::new(text).root().is_ok_and(|root| root.name() == "Workbook")
}

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let decoded = encoding::decode_html(source.bytes).ok_or_else(|| source.unreadable("it is not XML"))?;
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let mut workbook = Workbook::default();
    let mut xml = XmlReader::new(text);
    let mut damage = None;
    let (mut found, mut is_cut) = (false, false);
    // Properties and styles precede the sheets.
    let mut listed = Vec::new();
    if let Err(error) = workbook.read(&mut xml, document, &mut listed) {
        damage = Some(error);
    }
    let formats = workbook.formats();
    write_all(source, document, listed, |at| {
        found = true;
        let mut xml = XmlReader::new(&text[at..]);
        let mut sheet = Sheet::default();
        let mut rows = Rows { source, formats: &formats, styles: &workbook.styles, sheet: &mut sheet, row: 0 };
        let outcome = rows.read(&mut xml);
        sheet.problem = Stop::damage(outcome)?.map(|error| error.to_string());
        is_cut = sheet.problem.is_some();
        Ok(sheet)
    })?;
    match damage {
        Some(damage) if !found => Err(source.unreadable(damage)),
        Some(damage) => {
            // Damage in a sheet was reported with the sheet.
            if !is_cut {
                document.warn(format!("The file is damaged after its last sheet: {damage}"));
            }
            Ok(())
        }
        None if !found => Err(source.unreadable("it has no worksheet")),
        None => Ok(()),
    }
}

/// The definitions that cells of all sheets refer to.
#[derive(Default)]
struct Workbook {
    /// The places of the formats of styles, by their ids.
    styles: HashMap<String, usize>,
    formats: Vec<NumberFormat>,
    epoch_1904: bool,
}

impl Workbook {
    fn formats(&mut self) -> Formats {
        Formats { by_style: std::mem::take(&mut self.formats), epoch_1904: self.epoch_1904 }
    }

    /// Reads all but the sheets, whose places are left in `listed`.
    fn read(
        &mut self,
        xml: &mut XmlReader,
        document: &mut DocumentBuilder,
        listed: &mut Vec<usize>,
    ) -> std::result::Result<(), XmlError> {
        xml.root()?;
        loop {
            let at = xml.offset();
            let Some(element) = xml.child()? else { return Ok(()) };
            match element.name() {
                "DocumentProperties" => properties(xml, document)?,
                "Styles" => self.styles(xml)?,
                "ExcelWorkbook" => {
                    let depth = xml.depth();
                    while let Some(setting) = xml.next_start(depth)? {
                        self.epoch_1904 |= setting.name() == "Date1904";
                    }
                }
                "Worksheet" => {
                    listed.push(at);
                    xml.skip()?;
                }
                _ => xml.skip()?,
            }
        }
    }

    fn styles(&mut self, xml: &mut XmlReader) -> std::result::Result<(), XmlError> {
        while let Some(style) = xml.child()? {
            let [id, parent] = style.attributes(["ID", "Parent"]);
            let mut format = parent.and_then(|parent| self.styles.get(&parent).copied());
            while let Some(part) = xml.child()? {
                if part.name() == "NumberFormat" {
                    format = Some(self.formats.len());
                    self.formats.push(number_format(&part.attribute("Format").unwrap_or_default()));
                }
                xml.skip()?;
            }
            self.styles.extend(id.zip(format));
        }
        Ok(())
    }
}

/// A format, by its code or by the name of a built-in one. No currency is shown where the system decides which.
fn number_format(code: &str) -> NumberFormat {
    match code {
        "Currency" | "Standard" => NumberFormat::built_in(4),
        "Euro Currency" => NumberFormat::parse("[$€-2]\\ #,##0.00;\\-[$€-2]\\ #,##0.00"),
        "Fixed" => NumberFormat::built_in(2),
        "Percent" => NumberFormat::built_in(10),
        "Scientific" => NumberFormat::parse("0.00E+00"),
        "Short Date" | "Medium Date" | "Long Date" => NumberFormat::built_in(14),
        "General Date" => NumberFormat::built_in(22),
        "Short Time" | "Medium Time" => NumberFormat::built_in(20),
        "Long Time" => NumberFormat::built_in(21),
        code => NumberFormat::parse(code),
    }
}

fn properties(xml: &mut XmlReader, document: &mut DocumentBuilder) -> std::result::Result<(), XmlError> {
    while let Some(property) = xml.child()? {
        let name = property.name().to_owned();
        let text = xml.text()?;
        match name.as_str() {
            "Title" => document.set_title(&text),
            "Author" => document.set_author(&text),
            "Created" => document.set_created(dates::of_iso(&text)),
            "LastSaved" => document.set_modified(dates::of_iso(&text)),
            _ => {}
        }
    }
    Ok(())
}

struct Rows<'a> {
    source: &'a Source<'a>,
    formats: &'a Formats,
    styles: &'a HashMap<String, usize>,
    sheet: &'a mut Sheet,
    /// Of the row read last.
    row: u32,
}

impl Rows<'_> {
    /// Reads a worksheet.
    fn read(&mut self, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        self.sheet.name = xml.root()?.attribute("Name").unwrap_or_default();
        while let Some(part) = xml.child()? {
            match part.name() {
                "Table" => self.table(xml)?,
                "WorksheetOptions" => {
                    while let Some(option) = xml.child()? {
                        let is_visibility = option.name() == "Visible";
                        let text = xml.text()?;
                        self.sheet.visibility = match text.trim() {
                            "SheetHidden" if is_visibility => Visibility::Hidden,
                            "SheetVeryHidden" if is_visibility => Visibility::VeryHidden,
                            _ => self.sheet.visibility,
                        };
                    }
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn table(&mut self, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        let mut column = 0u32;
        while let Some(element) = xml.child()? {
            let first = index(&element);
            let more = element.number("Span").unwrap_or(0).min(MAX_ROWS);
            let is_hidden = element.has("Hidden", "1");
            match element.name() {
                "Column" => {
                    let first = first.unwrap_or(column + 1);
                    column = first.saturating_add(more).min(MAX_COLUMNS);
                    if is_hidden {
                        self.sheet.hidden.add_columns(first, column);
                    }
                    xml.skip()?;
                }
                "Row" => {
                    self.row = first.unwrap_or(self.row + 1);
                    if self.row > MAX_ROWS {
                        return Err(XmlError::Invalid(format!("a row has the number {}", self.row)).into());
                    }
                    if is_hidden {
                        self.sheet.hidden.add_rows(self.row, self.row.saturating_add(more));
                    }
                    self.cells(xml)?;
                    self.row += more;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn cells(&mut self, xml: &mut XmlReader) -> std::result::Result<(), Stop> {
        let mut next = 1;
        while let Some(cell) = xml.child()? {
            if cell.name() != "Cell" {
                xml.skip()?;
                continue;
            }
            let column = index(&cell).unwrap_or(next).min(MAX_COLUMNS);
            let merged = |name: &str| cell.number::<u32>(name).unwrap_or(0).min(MAX_ROWS);
            let (across, down) = (merged("MergeAcross"), merged("MergeDown"));
            if across > 0 || down > 0 {
                self.sheet.merged.push(Region {
                    first_row: self.row,
                    last_row: self.row.saturating_add(down).min(MAX_ROWS),
                    first_column: column,
                    last_column: column.saturating_add(across).min(MAX_COLUMNS),
                });
            }
            next = column.saturating_add(across).saturating_add(1);
            let [style, formula] = cell.attributes(["StyleID", "Formula"]);
            let style = style.and_then(|style| self.styles.get(&style).copied());
            self.cell(xml, column, style, formula)?;
        }
        Ok(())
    }

    fn cell(
        &mut self,
        xml: &mut XmlReader,
        column: u32,
        style: Option<usize>,
        formula: Option<String>,
    ) -> std::result::Result<(), Stop> {
        let mut shown = None;
        while let Some(part) = xml.child()? {
            match part.name() {
                "Data" => {
                    let kind = part.attribute("Type").unwrap_or_default();
                    shown = Some(self.shown(&kind, style, xml.text()?));
                }
                "Comment" => {
                    let author = part.attribute("Author").unwrap_or_default();
                    let text = xml.text()?;
                    self.sheet.comments.push(Comment { row: self.row, column, author, text });
                }
                _ => xml.skip()?,
            }
        }
        let (text, is_value) = match (shown, formula) {
            (None, Some(formula)) => {
                self.sheet.without_result += 1;
                (formula::without_value(&formula), true)
            }
            (shown, _) => shown.unwrap_or_default(),
        };
        Ok(self.sheet.push(self.source, self.row, column, text, is_value)?)
    }

    /// The text of a cell, and whether it is a value rather than a text.
    fn shown(&self, kind: &str, style: Option<usize>, text: String) -> (String, bool) {
        match (kind, text.trim().parse::<f64>()) {
            ("Number", Ok(number)) => (self.formats.show(style, number), true),
            ("Boolean", _) => (if text.trim() == "0" { "FALSE" } else { "TRUE" }.to_owned(), true),
            ("DateTime", _) => (iso_date(text.trim()), true),
            (kind, _) => (text, kind == "Error"),
        }
    }
}

/// The number of a row, column or cell, if it is stated.
fn index(element: &Element) -> Option<u32> {
    element.number("Index").filter(|index| *index > 0)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::{BlockKind, ErrorCode, FileFormat, HiddenReason};

    use crate::test_files::{assert_page_invariants, assert_properties, hidden_texts};
    use crate::{ExtractOptions, Extraction};

    fn workbook(content: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n<?mso-application progid='Excel.Sheet'?>\n<Workbook \
             xmlns='urn:schemas-microsoft-com:office:spreadsheet' xmlns:ss='urn:schemas-microsoft-com:office:spreadsheet'>\
             {content}</Workbook>"
        )
    }

    fn extract(name: &str, bytes: &[u8]) -> Extraction {
        let extraction = crate::extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap();
        assert_eq!(extraction.format, FileFormat::Xls);
        extraction.pages.iter().for_each(assert_page_invariants);
        extraction
    }

    const SHEET: &str = "<DocumentProperties><Title>Rent roll</Title><Author>Ann</Author><Created>2024-05-03T09:00:00Z</Created>\
        </DocumentProperties><Styles><Style ss:ID='m'><NumberFormat ss:Format='Standard'/></Style><Style ss:ID='b' ss:Parent='m'>\
        <Font/></Style><Style ss:ID='p'><NumberFormat ss:Format='0.0%'/></Style></Styles>\
        <Worksheet ss:Name='Plan &amp; rent'><Table><Column ss:Index='5' ss:Hidden='1'/>\
        <Row ss:Index='2'><Cell><Data ss:Type='String'>Unit</Data></Cell><Cell><Data ss:Type='String'>Due</Data></Cell>\
        <Cell><Data ss:Type='String'>Rent</Data></Cell></Row>\
        <Row><Cell><Data ss:Type='String'>Pier 9</Data><Comment ss:Author='Ann'><ss:Data><B>Ann:</B> not let</ss:Data></Comment></Cell>\
        <Cell><Data ss:Type='DateTime'>2023-02-28T00:00:00.000</Data></Cell>\
        <Cell ss:StyleID='b'><Data ss:Type='Number'>4500</Data></Cell><Cell ss:StyleID='p'><Data ss:Type='Number'>0.075</Data></Cell>\
        <Cell><Data ss:Type='String'>secret</Data></Cell></Row>\
        <Row ss:Index='5'><Cell ss:MergeAcross='1'><Data ss:Type='String'>Total</Data></Cell>\
        <Cell ss:Formula='=SUM(R[-2]C:R[-1]C)'/><Cell><Data ss:Type='Boolean'>1</Data></Cell></Row></Table></Worksheet>\
        <Worksheet ss:Name='Old'><Table><Row><Cell><Data ss:Type='Error'>#REF!</Data></Cell></Row></Table>\
        <WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>";

    #[test]
    fn a_workbook_in_one_xml_file_is_read_as_a_workbook() {
        let extraction = extract("rent.xls", workbook(SHEET).as_bytes());
        assert_eq!(extraction.title.as_deref(), Some("Rent roll"));
        assert_properties(&extraction, ["Ann", "2024-05-03T09:00:00Z", "", ""]);
        let page = &extraction.pages[0];
        assert_eq!(page.sheet_name.as_deref(), Some("Plan & rent"));
        assert_eq!(
            page.text,
            "Unit\tDue\tRent\nPier 9\t2023-02-28\t4,500.00\t7.5%\tsecret\nComment on A3 (Ann): not let\n\
             Total\t\t=SUM(R[-2]C:R[-1]C) (no value stored)\tTRUE"
        );
        assert!(matches!(page.blocks[0].kind, BlockKind::TableRow { row: 2, header: true, .. }));
        assert!(matches!(page.blocks[3].kind, BlockKind::TableRow { row: 5, header: false, .. }));
        let hidden = (HiddenReason::HiddenColumn, Some("column E".to_owned()), "secret".to_owned());
        assert_eq!(hidden_texts(page), [hidden]);
        assert_eq!(extraction.pages[1].text, "#REF!");
        let warnings = extraction.warnings.join("\n");
        assert!(
            warnings.contains("1 formula whose result") && warnings.contains("Sheet \"Old\" is hidden"),
            "{warnings}"
        );
    }

    #[test]
    fn encodings_names_and_prefixes_may_differ() {
        let prefixed = "<?xml version='1.0' encoding='windows-1252'?><ss:Workbook xmlns:ss='urn:schemas-microsoft-com:office:\
            spreadsheet'><ss:Worksheet ss:Name='A'><ss:Table><ss:Row><ss:Cell><ss:Data ss:Type='String'>K\u{F6}nigsallee\
            </ss:Data></ss:Cell></ss:Row></ss:Table></ss:Worksheet></ss:Workbook>";
        let latin: Vec<u8> = prefixed.chars().map(|c| c as u8).collect();
        let wide: Vec<u8> = [0xFEFF].into_iter().chain(prefixed.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for bytes in [&latin[..], &wide, prefixed.replace("windows-1252", "UTF-8").as_bytes()] {
            for name in ["a.xls", "a.xml", "a.txt"] {
                assert_eq!(extract(name, bytes).pages[0].text, "Königsallee", "{name}");
            }
        }
        assert!(extract("a.xls", &latin).warnings.is_empty());
    }

    #[test]
    fn a_damaged_workbook_keeps_what_comes_before_the_damage() {
        let whole = workbook(SHEET);
        let cut = &whole[..whole.find("<Worksheet ss:Name='Old'").unwrap() - 60];
        let extraction = extract("a.xls", cut.as_bytes());
        assert!(extraction.pages[0].text.starts_with("Unit\tDue"));
        assert!(extraction.warnings.iter().any(|warning| warning.contains("could not be read to its end")));
        for content in ["", "<Styles/>"] {
            let error = crate::extract(Path::new("a.xls"), workbook(content).as_bytes(), &ExtractOptions::default());
            assert_eq!(error.unwrap_err().code, ErrorCode::UnreadableFile);
        }
    }
}
