use std::io::Cursor;
use std::path::Path;

use casetrack_core::{BlockKind, ExtractionMethod, Page, PictureText};
use image::{DynamicImage, GrayImage, ImageFormat};

use super::pdf::rendered_page;
use crate::test_files::{PdfPageContent, assert_page_invariants, pdf_file, zip_file};
use crate::{ExtractOptions, Extraction, tesseract_status};

pub const NOTICE: &str = "Notice of default\nServed on 4 May 2021";

fn encoded(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

pub fn notice() -> Vec<u8> {
    let lines = NOTICE.lines().zip(0..).map(|(line, number)| (72.0, 720.0 - 24.0 * number as f32, 14.0, line));
    let image = rendered_page(&pdf_file("", &[PdfPageContent::text(lines)])).image;
    let (width, height) = (image.width as u32, image.height as u32);
    encoded(
        &DynamicImage::ImageLuma8(GrayImage::from_raw(width, height, image.pixels).unwrap()).crop_imm(0, 0, 1500, 600),
    )
}

pub fn has_tesseract() -> bool {
    let status = tesseract_status(&ExtractOptions::default());
    status.map_err(|error| eprintln!("skipped, without tesseract: {}", error.message)).is_ok()
}

/// The file of these parts, with the picture, an icon, and a drawing and a picture that cannot be read.
fn extract(name: &str, folder: &str, parts: &[(&str, &str)]) -> Extraction {
    let (notice, icon) = (notice(), encoded(&DynamicImage::new_luma8(20, 20)));
    let broken = &notice[..notice.len() / 2];
    let pictures = [("notice.png", &*notice), ("again.png", &*notice), ("icon.png", &*icon), ("cut.png", broken)];
    let pictures = pictures.into_iter().chain([("drawing.emf", &b"\x01\0\0\0\x6c\0\0\0"[..])]);
    let pictures: Vec<(String, &[u8])> = pictures.map(|(name, bytes)| (format!("{folder}/{name}"), bytes)).collect();
    let parts = parts.iter().map(|(name, content)| (*name, content.as_bytes()));
    let all: Vec<(&str, &[u8])> = parts.chain(pictures.iter().map(|(name, bytes)| (&**name, *bytes))).collect();
    let extraction = crate::extract(Path::new(name), &zip_file(&all), &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

/// Relationships to the pictures, in a part `up` folders below that of the pictures' folder.
fn relationships(up: &str) -> String {
    let names = ["notice.png", "icon.png", "again.png", "cut.png", "drawing.emf", "nowhere.png"];
    let list: String = names
        .iter()
        .zip(1..)
        .map(|(name, id)| format!("<Relationship Id='r{id}' Type='x/image' Target='{up}media/{name}'/>"))
        .collect();
    format!("<Relationships>{list}</Relationships>")
}

/// The picture's block, which is marked as what OCR read.
pub fn assert_is_marked(page: &Page, label: &str, text: &str) -> BlockKind {
    let said = format!("{label}: {text}");
    let at = page.text.find(&said).unwrap_or_else(|| panic!("{said:?} in {:?}", page.text));
    let start = page.text[..at].chars().count() as u32;
    let end = start + said.chars().count() as u32;
    let [PictureText { char_start, char_end, percent }] = page.notes.pictures[..] else {
        panic!("{:?}", page.notes.pictures)
    };
    assert_eq!((char_start, char_end), (start, end));
    assert!(percent > 80, "{percent}");
    page.blocks.iter().find(|block| (block.char_start, block.char_end) == (start, end)).unwrap().kind.clone()
}

fn assert_warns_of_what_was_not_read(extraction: &Extraction) {
    let warnings = extraction.warnings.join("\n");
    assert!(warnings.contains("Pictures in it that were not read: 1; they are damaged ("), "{warnings}");
    assert!(warnings.contains("Pictures in it that were not read: 1; they are drawings (EMF, WMF, SVG)"), "{warnings}");
    assert_eq!(extraction.warnings.len(), 2, "{warnings}");
}

#[test]
fn pictures_follow_the_paragraph_of_a_word_file_that_shows_them_first() {
    if !has_tesseract() {
        return;
    }
    let blips: String = (2..=6).map(|id| format!("<w:drawing><a:blip r:embed='r{id}'/></w:drawing>")).collect();
    let document = format!(
        "<w:document><w:body><w:p><w:r><w:t>Before.</w:t></w:r></w:p><w:p><w:r><w:t>See:</w:t></w:r>\
         <w:r><w:pict><v:imagedata r:id='r1'/></w:pict></w:r></w:p><w:p><w:r><w:t>After.</w:t>{blips}</w:r></w:p>\
         </w:body></w:document>"
    );
    let types = "<Types><Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument.\
                 wordprocessingml.document.main+xml'/></Types>";
    let parts = [
        ("[Content_Types].xml", types),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &relationships("")),
    ];
    let extraction = extract("letter.docx", "word/media", &parts);
    let page = &extraction.pages[0];
    assert_eq!(page.text, format!("Before.\nSee:\nPicture: {NOTICE}\nAfter."));
    assert_eq!(assert_is_marked(page, "Picture", NOTICE), BlockKind::Paragraph);
    assert_eq!((page.method, page.blocks.len()), (ExtractionMethod::Native, 4));
    assert_warns_of_what_was_not_read(&extraction);
}

#[test]
fn pictures_in_headers_are_read() {
    if !has_tesseract() {
        return;
    }
    let document = "<w:document><w:body><w:p><w:r><w:t>Text.</w:t></w:r></w:p><w:sectPr><w:headerReference r:id='h'/></w:sectPr>\
                    </w:body></w:document>";
    let header = "<w:hdr><w:p><w:r><w:drawing><a:blip r:embed='p'/></w:drawing></w:r></w:p></w:hdr>";
    let types = "<Types><Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument.\
                 wordprocessingml.document.main+xml'/></Types>";
    let related = |id: &str, kind: &str, target: &str| {
        format!("<Relationships><Relationship Id='{id}' Type='x/{kind}' Target='{target}'/></Relationships>")
    };
    let parts = [
        ("[Content_Types].xml", types),
        ("word/document.xml", document),
        ("word/_rels/document.xml.rels", &related("h", "header", "header1.xml")),
        ("word/header1.xml", header),
        ("word/_rels/header1.xml.rels", &related("p", "image", "media/notice.png")),
    ];
    let extraction = extract("letter.docx", "word/media", &parts);
    let page = &extraction.pages[0];
    let folded = NOTICE.replace('\n', " ");
    assert_eq!(page.text, format!("Text.\nHeader: Picture: {folded}"));
    assert_eq!(page.notes.pictures.len(), 1);
    assert_eq!(extraction.warnings, Vec::<String>::new());
}

#[test]
fn pictures_are_read_on_the_slide_that_shows_them_first() {
    if !has_tesseract() {
        return;
    }
    let slide = |text: &str, ids: std::ops::RangeInclusive<u32>| {
        let pictures: String =
            ids.map(|id| format!("<p:pic><p:blipFill><a:blip r:embed='r{id}'/></p:blipFill></p:pic>")).collect();
        format!(
            "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>{pictures}\
             </p:spTree></p:cSld></p:sld>"
        )
    };
    let (first, second) = (slide("One", 2..=2), slide("Two", 1..=6));
    let parts = [
        ("ppt/presentation.xml", "<p:presentation/>"),
        ("ppt/slides/slide1.xml", &*first),
        ("ppt/slides/slide2.xml", &*second),
        ("ppt/slides/_rels/slide1.xml.rels", &relationships("../")),
        ("ppt/slides/_rels/slide2.xml.rels", &relationships("../")),
    ];
    let mut extraction = extract("deck.pptx", "ppt/media", &parts);
    extraction.warnings.retain(|warning| !warning.starts_with("The list of slides is damaged"));
    assert_eq!(extraction.pages[0].text, "One");
    assert_eq!(extraction.pages[1].text, format!("Two\nPicture: {NOTICE}"));
    assert_is_marked(&extraction.pages[1], "Picture", NOTICE);
    assert_warns_of_what_was_not_read(&extraction);
}

/// In sheets, a picture is one line.
fn in_a_cell() -> String {
    NOTICE.replace('\n', " ")
}

fn assert_is_at_b2(page: &Page) {
    assert_eq!(page.text, format!("Rent\t1250\nPicture at B2: {}\nPaid\tyes", in_a_cell()));
    let kind = assert_is_marked(page, "Picture at B2", &in_a_cell());
    let expected = BlockKind::TableRow { table: 0, row: 2, first_column: 2, last_column: 2, header: false };
    assert_eq!(kind, expected);
    assert_eq!(page.method, ExtractionMethod::Spreadsheet);
}

#[test]
fn pictures_over_a_sheet_stand_behind_the_row_of_their_cell() {
    if !has_tesseract() {
        return;
    }
    let cell = |place: &str, text: &str| format!("<c r='{place}' t='inlineStr'><is><t>{text}</t></is></c>");
    let sheet = format!(
        "<worksheet><sheetData><row r='1'>{}{}</row><row r='3'>{}{}</row></sheetData><drawing r:id='d'/></worksheet>",
        cell("A1", "Rent"),
        cell("B1", "1250"),
        cell("A3", "Paid"),
        cell("B3", "yes")
    );
    let anchor = |id: u32| {
        format!(
            "<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>9</xdr:col>\
             <xdr:row>9</xdr:row></xdr:to><xdr:pic><xdr:blipFill><a:blip r:embed='r{id}'/></xdr:blipFill></xdr:pic>\
             </xdr:twoCellAnchor>"
        )
    };
    let drawing = format!("<xdr:wsDr>{}</xdr:wsDr>", (1..=6).map(anchor).collect::<String>());
    let types = "<Types><Override PartName='/xl/workbook.xml' ContentType='application/vnd.openxmlformats-officedocument.\
                 spreadsheetml.sheet.main+xml'/></Types>";
    let parts = [
        ("[Content_Types].xml", types),
        ("xl/workbook.xml", "<workbook><sheets><sheet name='Plan' sheetId='1' r:id='s'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='s' Type='x/worksheet' Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        ("xl/worksheets/sheet1.xml", &sheet),
        (
            "xl/worksheets/_rels/sheet1.xml.rels",
            "<Relationships><Relationship Id='d' Type='x/drawing' Target='../drawings/drawing1.xml'/></Relationships>",
        ),
        ("xl/drawings/drawing1.xml", &drawing),
        ("xl/drawings/_rels/drawing1.xml.rels", &relationships("../")),
    ];
    let extraction = extract("book.xlsx", "xl/media", &parts);
    assert_is_at_b2(&extraction.pages[0]);
    assert_warns_of_what_was_not_read(&extraction);
}

const IMAGES: &str = "<draw:frame><draw:image xlink:href='Pictures/notice.png'/></draw:frame>\
                      <draw:frame><draw:image xlink:href='Pictures/icon.png'/></draw:frame>\
                      <draw:frame><draw:image xlink:href='./Pictures/again.png'/></draw:frame>\
                      <draw:frame><draw:image xlink:href='Pictures/cut.png'/></draw:frame>\
                      <draw:frame><draw:image xlink:href='Pictures/drawing.emf'/></draw:frame>\
                      <draw:frame><draw:image xlink:href='./ObjectReplacements/Object 1'/></draw:frame>";

fn open_document(kind: &str, body: &str) -> Extraction {
    let mime = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!("<office:document-content><office:body>{body}</office:body></office:document-content>");
    let manifest = "<manifest:manifest/>";
    extract("file", "Pictures", &[("mimetype", &mime), ("META-INF/manifest.xml", manifest), ("content.xml", &content)])
}

#[test]
fn pictures_of_open_document_files_stand_where_they_are_anchored() {
    if !has_tesseract() {
        return;
    }
    let text = format!(
        "<office:text><text:p>Before.</text:p><text:p>See:{IMAGES}</text:p><text:p>After.</text:p></office:text>"
    );
    let extraction = open_document("text", &text);
    assert_eq!(extraction.pages[0].text, format!("Before.\nSee:\nPicture: {NOTICE}\nAfter."));
    assert_is_marked(&extraction.pages[0], "Picture", NOTICE);
    assert_warns_of_what_was_not_read(&extraction);

    let slides = format!(
        "<office:presentation><draw:page><draw:frame><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame>\
         </draw:page><draw:page>{IMAGES}</draw:page></office:presentation>"
    );
    let extraction = open_document("presentation", &slides);
    assert_eq!(extraction.pages[1].text, format!("Picture: {NOTICE}"));
    assert_is_marked(&extraction.pages[1], "Picture", NOTICE);
    assert_warns_of_what_was_not_read(&extraction);

    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let sheet = format!(
        "<office:spreadsheet><table:table table:name='Plan'><table:table-row>{}{}</table:table-row><table:table-row>\
         <table:table-cell/><table:table-cell>{IMAGES}</table:table-cell></table:table-row><table:table-row>{}{}\
         </table:table-row></table:table></office:spreadsheet>",
        cell("Rent"),
        cell("1250"),
        cell("Paid"),
        cell("yes")
    );
    let extraction = open_document("spreadsheet", &sheet);
    assert_is_at_b2(&extraction.pages[0]);
    assert_warns_of_what_was_not_read(&extraction);
}
