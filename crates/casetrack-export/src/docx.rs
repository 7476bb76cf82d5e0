//! Evidence as a Word file (Office Open XML, ISO/IEC 29500).

use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::evidence::EvidenceList;
use casetrack_engine::pages::PagePicture;
use casetrack_text::evidence::source_note;

use super::title;
use crate::package::{Package, push_escaped};

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>"#;
const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
const STYLES: &str = r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:pPr><w:spacing w:after="240"/></w:pPr><w:rPr><w:b/><w:sz w:val="36"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:keepNext/><w:spacing w:before="360"/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="26"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/><w:pPr><w:ind w:left="567" w:right="567"/></w:pPr></w:style></w:styles>"#;
const NAMESPACES: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture""#;
/// Largest picture on a page of A4 or Letter with margins of an inch, in English Metric Units (914,400 to the inch).
const MAX_WIDTH: u64 = 5_486_400;
const MAX_HEIGHT: u64 = 7_772_400;

/// The bytes of the file. `pictures` has an entry for each item.
pub(super) fn of(list: &EvidenceList, pictures: &[Option<PagePicture>]) -> Result<Vec<u8>> {
    let mut body = String::new();
    paragraph(&mut body, "Title", &format!("Evidence: {}", list.collection));
    let mut links = String::from(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="styles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>"#,
    );
    let pictures = pictures.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let mut media = Vec::new();
    for (item, picture) in list.items.iter().zip(pictures) {
        paragraph(&mut body, "Heading1", &title(item));
        paragraph(&mut body, "Normal", &item.citation);
        item.text.lines().for_each(|line| paragraph(&mut body, "Quote", line));
        if let Some(said) = source_note(item.status) {
            paragraph(&mut body, "Normal", said);
        }
        item.note.lines().for_each(|line| paragraph(&mut body, "Normal", line));
        if let Some(picture) = picture {
            media.push(picture);
            let number = media.len();
            let _ = write!(
                links,
                r#"<Relationship Id="page{number}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/page{number}.png"/>"#
            );
            drawing(&mut body, number, picture, &item.citation);
        }
    }
    links.push_str("</Relationships>");
    let document = format!(
        r#"<w:document {NAMESPACES}><w:body>{body}<w:sectPr><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>"#
    );
    let parts = [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONSHIPS),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &links),
        ("word/styles.xml", STYLES),
    ];
    let mut package = Package::with_parts(parts)?;
    for (number, picture) in (1..).zip(media) {
        package.add_picture(&format!("word/media/page{number}.png"), &picture.png)?;
    }
    package.finish()
}

fn paragraph(body: &mut String, style: &str, text: &str) {
    let _ = write!(body, r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t xml:space="preserve">"#);
    push_escaped(body, text);
    body.push_str("</w:t></w:r></w:p>");
}

/// The picture of a page, as large as fits.
fn drawing(body: &mut String, number: usize, picture: &PagePicture, said: &str) {
    let (width, height) = (u64::from(picture.width.max(1)), u64::from(picture.height.max(1)));
    let (mut across, mut down) = (MAX_WIDTH, MAX_WIDTH * height / width);
    if down > MAX_HEIGHT {
        (across, down) = ((MAX_HEIGHT * width / height).max(1), MAX_HEIGHT);
    }
    let mut alt = String::new();
    push_escaped(&mut alt, said);
    let _ = write!(
        body,
        r#"<w:p><w:r><w:drawing><wp:inline><wp:extent cx="{across}" cy="{down}"/><wp:docPr id="{number}" name="Page {number}" descr="{alt}"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="{number}" name="page{number}.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="page{number}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{across}" cy="{down}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"#
    );
}
