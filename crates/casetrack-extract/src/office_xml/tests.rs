use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat};
use image::{DynamicImage, GrayImage, ImageFormat};

use crate::test_files::{assert_page_invariants, assert_properties};
use crate::{ExtractOptions, Extraction, detect, extract};

fn read(name: &str, bytes: &[u8], format: FileFormat) -> Extraction {
    assert_eq!(detect(Path::new(name), bytes).unwrap(), format);
    let extraction = extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, format);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn word2003(content: &str) -> String {
    format!(
        "<?xml version='1.0'?><?mso-application progid='Word.Document'?><w:wordDocument \
         xmlns:w='http://schemas.microsoft.com/office/word/2003/wordml' xmlns:wx='x' xmlns:aml='a' xmlns:o='o'>{content}\
         </w:wordDocument>"
    )
}

const LETTER: &str = "<o:DocumentProperties><o:Title>Lease</o:Title><o:Author>Ann</o:Author><o:Created>2004-05-03T09:00:00Z</o:Created>\
    </o:DocumentProperties>\
    <w:lists><w:listDef w:listDefId='3'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:lvlText w:val='%1.'/></w:lvl>\
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:nfc w:val='4'/><w:lvlText w:val='(%2)'/></w:lvl></w:listDef>\
    <w:list w:ilfo='7'><w:ilst w:val='3'/></w:list></w:lists>\
    <w:styles><w:style w:type='paragraph' w:styleId='H'><w:name w:val='heading 1'/></w:style></w:styles>\
    <w:body><wx:sect><wx:sub-section><w:p><w:pPr><w:pStyle w:val='H'/></w:pPr><w:r><w:t>Lease &amp; rent</w:t></w:r></w:p>\
    <w:p><w:pPr><w:listPr><w:ilvl w:val='0'/><w:ilfo w:val='7'/><wx:t wx:val='1.'/></w:listPr></w:pPr><w:r><w:t>First</w:t></w:r></w:p>\
    <w:p><w:pPr><w:listPr><w:ilvl w:val='1'/><w:ilfo w:val='7'/></w:listPr></w:pPr><w:r><w:t>Second</w:t></w:r></w:p></wx:sub-section>\
    <ns1:party xmlns:ns1='urn:x'><w:p><w:r><w:t xml:space='preserve'>Rent is </w:t></w:r>\
    <aml:annotation aml:id='1' aml:author='Bob' aml:createdate='2004-01-01T00:00:00Z' w:type='Word.Deletion'><aml:content>\
    <w:r><w:delText>1</w:delText></w:r></aml:content></aml:annotation>\
    <aml:annotation aml:id='2' aml:author='Bob' aml:createdate='2004-01-01T00:00:00Z' w:type='Word.Insertion'><aml:content>\
    <w:r><w:t>2</w:t></w:r></aml:content></aml:annotation><w:r><w:rPr><aml:annotation w:type='Word.Formatting'><aml:content>\
    <w:rPr><w:b/></w:rPr></aml:content></aml:annotation></w:rPr><w:t> units</w:t></w:r>\
    <w:r><w:footnote><w:p><w:r><w:t>As amended.</w:t></w:r></w:p></w:footnote></w:r>\
    <w:r><aml:annotation aml:id='3' aml:author='Eve' w:type='Word.Comment'><aml:content><w:p><w:r><w:t>Sure?</w:t></w:r></w:p>\
    </aml:content></aml:annotation></w:r></w:p></ns1:party>\
    <w:tbl><w:tr><w:tc><w:tcPr><w:vmerge w:val='restart'/></w:tcPr><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc>\
    <w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
    <w:sectPr><w:hdr w:type='odd'><w:p><w:r><w:t>Privileged</w:t></w:r></w:p></w:hdr></w:sectPr></wx:sect></w:body>";

#[test]
fn word_2003_xml_is_read_as_the_document_that_it_is() {
    for prefix in ["w", "ns0"] {
        let file =
            word2003(LETTER).replace("w:", &format!("{prefix}:")).replace("xmlns:w=", &format!("xmlns:{prefix}="));
        let extraction = read("lease.doc", file.as_bytes(), FileFormat::Docx);
        assert_eq!(extraction.title.as_deref(), Some("Lease"));
        assert_properties(&extraction, ["Ann", "2004-05-03T09:00:00Z", "", ""]);
        let page = &extraction.pages[0];
        assert_eq!(
            page.text,
            "Lease & rent\n1. First\n(a) Second\nRent is 2 units[1]\nComment by Eve: Sure?\nA\tB\n[1] As amended.\nHeader: Privileged"
        );
        assert_eq!(page.blocks[0].kind, BlockKind::Heading { level: 1 });
        assert_eq!(page.notes.changes.len(), 2, "{:?}", page.notes.changes);
        assert!(!extraction.warnings.iter().any(|warning| warning.contains("name ends")), "{:?}", extraction.warnings);
    }
}

fn part(name: &str, content_type: &str, content: &str) -> String {
    format!(
        "<pkg:part pkg:name='{name}' pkg:contentType='{content_type}'><pkg:xmlData>{content}</pkg:xmlData></pkg:part>"
    )
}

fn package(parts: &str) -> String {
    format!(
        "<?xml version=\"1.0\" standalone=\"yes\"?>\r\n<?mso-application progid=\"Word.Document\"?><pkg:package \
         xmlns:pkg=\"http://schemas.microsoft.com/office/2006/xmlPackage\">{parts}</pkg:package>"
    )
}

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const SLIDES: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml";

#[test]
fn a_package_in_one_file_is_read_as_the_package() {
    let image = DynamicImage::ImageLuma8(GrayImage::new(2, 2));
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png).unwrap();
    let png = {
        use base64::Engine;
        base64::prelude::BASE64_STANDARD.encode(png.into_inner())
    };
    let (first, second) = png.split_at(20);
    let picture = format!(
        "<pkg:part pkg:name='/word/media/a.png' pkg:contentType='image/png' pkg:compression='store'><pkg:binaryData>{first}\r\n{second}\
         </pkg:binaryData></pkg:part>"
    );
    let document = part(
        "/word/document.xml",
        WORD,
        "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>R&amp;D agreement</w:t></w:r></w:p><w:p/></w:body></w:document>",
    );
    let core = part("/docProps/core.xml", "x", "<c><dc:title>Flat</dc:title></c>");
    let whole = package(&(document.clone() + &picture + &core));
    let wide: Vec<u8> = [0xFEFF].into_iter().chain(whole.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [whole.as_bytes(), &wide, format!("\u{FEFF}{whole}").as_bytes()] {
        for name in ["a.xml", "a.doc", "a.docx", "a"] {
            let extraction = read(name, bytes, FileFormat::Docx);
            assert_eq!((&*extraction.pages[0].text, extraction.title.as_deref()), ("R&D agreement", Some("Flat")));
            assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
        }
    }
    let slides = package(&part("/ppt/presentation.xml", SLIDES, "<p:presentation/>"));
    assert_eq!(detect(Path::new("a.xml"), slides.as_bytes()).unwrap(), FileFormat::Pptx);
}

#[test]
fn damaged_files_keep_what_comes_before_the_damage() {
    let whole = word2003(LETTER);
    let cut = &whole[..whole.find("<w:tbl>").unwrap()];
    let extraction = read("a.doc", cut.as_bytes(), FileFormat::Docx);
    assert!(extraction.pages[0].text.contains("First"));
    assert!(extraction.warnings.iter().any(|warning| warning.contains("damaged")), "{:?}", extraction.warnings);
    for broken in [word2003(""), package("").replace("</pkg:package>", "<"), package("")] {
        let error = extract(Path::new("a.doc"), broken.as_bytes(), &ExtractOptions::default()).unwrap_err();
        assert!(matches!(error.code, ErrorCode::EmptyFile | ErrorCode::UnreadableFile), "{error:?}");
    }
    // A text that only names the formats.
    let text = "<note>http://schemas.microsoft.com/office/word/2003/wordml</note>";
    assert_eq!(detect(Path::new("a.xml"), text.as_bytes()).unwrap(), FileFormat::Text);
}
