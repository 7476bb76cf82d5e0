//! Files and checks that the tests of several modules need.

#[allow(dead_code, reason = "some are for the tests of the other crate")]
#[path = "../../casetrack-pages/src/test_files.rs"]
mod shared;

use casetrack_core::{Page, Properties};

pub use self::shared::*;
use crate::Extraction;

/// The archive with this part made unreadable.
pub fn with_damaged_part(mut archive: Vec<u8>, name: &str) -> Vec<u8> {
    let place = archive.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
    archive[place + name.len()..][..4].fill(0xFF);
    archive
}

pub fn hidden_texts(page: &Page) -> Vec<(casetrack_core::HiddenReason, Option<String>, String)> {
    let chars: Vec<char> = page.text.chars().collect();
    let text = |start: u32, end: u32| chars[start as usize..end as usize].iter().collect();
    let hidden = page.notes.hidden.iter();
    hidden.map(|hidden| (hidden.reason, hidden.part.clone(), text(hidden.char_start, hidden.char_end))).collect()
}

/// Checks author, dates of creation and change, and language; `""` stands for none.
pub fn assert_properties(extraction: &Extraction, expected: [&str; 4]) {
    let [author, created, modified, language] =
        expected.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
    let mail = extraction.properties.mail.clone();
    assert_eq!(extraction.properties, Properties { author, created, modified, language, mail });
}

/// The content stream of a page of 612 by 792 points.
pub struct PdfPageContent(String);

impl PdfPageContent {
    /// Lines of Helvetica: left edge and baseline from the bottom left, size, text.
    pub fn text<'a>(lines: impl Iterator<Item = (f32, f32, f32, &'a str)>) -> Self {
        let show = |(x, y, size, text): (f32, f32, f32, &str)| {
            let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
            format!("BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n")
        };
        Self(lines.filter(|(.., text)| !text.is_empty()).map(show).collect())
    }

    /// Adds a line of 12-point Helvetica that is turned clockwise by right angles: where its baseline begins, from the bottom left.
    pub fn with_turned(mut self, quarters: u8, x: f32, y: f32, text: &str) -> Self {
        let matrix = ["1 0 0 1", "0 -1 1 0", "-1 0 0 -1", "0 1 -1 0"][usize::from(quarters % 4)];
        self.0 += &format!("BT /F1 12 Tf {matrix} {x} {y} Tm ({text}) Tj ET\n");
        self
    }

    /// Adds lines from one place to another, from the bottom left.
    pub fn with_rules(mut self, rules: &[[f32; 4]]) -> Self {
        for [from_x, from_y, to_x, to_y] in rules {
            self.0 += &format!("{from_x} {from_y} m {to_x} {to_y} l S\n");
        }
        self
    }

    /// All of it, turned clockwise around the middle of the page.
    pub fn turned_by(self, degrees: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (x, y) = (306.0 - 306.0 * cos - 396.0 * sin, 396.0 + 306.0 * sin - 396.0 * cos);
        Self(format!("q {cos} {} {sin} {cos} {x} {y} cm\n{}Q\n", -sin, self.0))
    }

    pub fn image() -> Self {
        Self(String::new()).with_image(0.0, 0.0, 612.0, 792.0)
    }

    /// Adds the file's picture at this place, from the bottom left.
    pub fn with_image(mut self, left: f32, bottom: f32, width: f32, height: f32) -> Self {
        self.0 += &format!("q {width} 0 0 {height} {left} {bottom} cm /Im1 Do Q\n");
        self
    }
}

pub fn pdf_file(title: &str, pages: &[PdfPageContent]) -> Vec<u8> {
    pdf_file_with_picture(title, pages, 1, b"A")
}

/// A PDF of one page that is this picture, in shades of grey, row by row.
pub fn scanned_pdf_file(width: usize, pixels: &[u8]) -> Vec<u8> {
    pdf_file_with_picture("", &[PdfPageContent::image()], width, pixels)
}

/// A PDF of these pages, and the picture that they show, in shades of grey, row by row.
pub fn pdf_file_with_picture(title: &str, pages: &[PdfPageContent], width: usize, pixels: &[u8]) -> Vec<u8> {
    let hex: String = pixels.iter().map(|pixel| format!("{pixel:02x}")).collect();
    let kids: Vec<String> = (0..pages.len()).map(|index| format!("{} 0 R", 6 + 2 * index)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!(
            "<< /Type /XObject /Subtype /Image /Width {width} /Height {} /ColorSpace /DeviceGray /BitsPerComponent 8 \
             /Filter /ASCIIHexDecode /Length {} >>\nstream\n{hex}>\nendstream",
            pixels.len() / width,
            hex.len() + 1
        ),
        format!(
            "<< /Title ({title}) /Author (Ann  B.) /CreationDate (D:20240503090000+02'00') /ModDate (D:20240504) >>"
        ),
    ];
    for (page, index) in pages.iter().zip(0..) {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> /XObject << /Im1 4 0 R >> >> >>",
            7 + 2 * index
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{}endstream", page.0.len(), page.0));
    }
    pdf_file_of(&objects)
}

/// A PDF of these objects, numbered from 1: the first is the catalogue, the fifth the document information.
pub fn pdf_file_of(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.7\n".to_owned();
    let mut places = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        places.push(file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let table = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        file += &format!("{place:010} 00000 n \n");
    }
    file += &format!("trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.into_bytes()
}
