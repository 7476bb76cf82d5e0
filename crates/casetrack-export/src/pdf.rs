//! Evidence as a PDF (ISO 32000-1): a page of text for each item or as many as it needs, then the page that it is from.
//!
//! The text is in Helvetica, which every reader of PDF files has, so no font is embedded; it has the letters of Western
//! European languages (WinAnsiEncoding). Other letters are shown as `?`, and the caller gets their number.

use std::fmt::Write as _;
use std::io::Cursor;

use casetrack_core::Result;
use casetrack_engine::evidence::EvidenceList;
use casetrack_engine::pages::PagePicture;
use casetrack_text::evidence::source_note;
use casetrack_text::format::counted;
use image::ImageFormat;
use image::codecs::jpeg::JpegEncoder;

use super::title;
use crate::package::unwritable;

/// A page of A4 and its margins, in points.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 64.0;
/// Quality of pictures, in percent.
const QUALITY: u8 = 80;

/// Widths of the characters 32 to 126 of Helvetica, in thousandths of the size (Adobe's font metrics).
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Widest of the others, except dashes and the ellipsis: lines may end a little early.
const OTHER_WIDTH: u16 = 722;
const WIDE: u16 = 1000;

/// The characters of WinAnsiEncoding from 0x80 to 0x9f; a space if there is none.
const WIN_ANSI: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

type Object = Vec<u8>;

/// The bytes of the file. `pictures` has an entry for each item.
pub(super) fn of(list: &EvidenceList, pictures: &[Option<PagePicture>], notices: &mut Vec<String>) -> Result<Vec<u8>> {
    let mut file = File::default();
    let mut flow = Flow::default();
    flow.put(&format!("Evidence: {}", list.collection), Style { size: 18.0, bold: true, indent: 0.0, before: 0.0 });
    let pictures = pictures.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    for (item, picture) in list.items.iter().zip(pictures) {
        flow.put(&title(item), Style { size: 13.0, bold: true, indent: 0.0, before: 18.0 });
        flow.put(&item.citation, Style::PLAIN);
        item.text.lines().for_each(|line| flow.put(line, Style { indent: 24.0, ..Style::PLAIN }));
        if let Some(said) = source_note(item.status) {
            flow.put(said, Style::PLAIN);
        }
        item.note.lines().for_each(|line| flow.put(line, Style::PLAIN));
        if let Some(picture) = picture {
            flow.end_page(&mut file);
            file.picture(picture)?;
        }
    }
    flow.end_page(&mut file);
    if flow.lacking > 0 {
        let lacking = counted(flow.lacking, "character");
        notices.push(format!("{lacking} that the PDF's font lacks are shown as \"?\"; the Word file has them."));
    }
    Ok(file.finish())
}

#[derive(Debug, Clone, Copy)]
struct Style {
    size: f32,
    bold: bool,
    indent: f32,
    /// Space before it.
    before: f32,
}

impl Style {
    const PLAIN: Self = Self { size: 10.5, bold: false, indent: 0.0, before: 5.0 };
}

/// Text that fills pages from the top.
#[derive(Default)]
struct Flow {
    content: String,
    /// The filled height of the page, in points.
    filled: f32,
    pages: Vec<String>,
    /// Characters that the font lacks.
    lacking: u64,
}

impl Flow {
    /// Writes a paragraph, broken into lines.
    fn put(&mut self, text: &str, style: Style) {
        let encoded: Vec<u8> = text.chars().filter_map(|c| self.encoded(c)).collect();
        // Bold letters are up to a tenth wider.
        let share = if style.bold { 0.9 } else { 1.0 };
        let room = ((WIDTH - 2.0 * MARGIN - 2.0 * style.indent) / style.size * 1000.0 * share) as u32;
        self.filled += style.before;
        for line in lines(&encoded, room) {
            let height = style.size * 1.35;
            if self.filled + height > HEIGHT - 2.0 * MARGIN {
                self.pages.push(std::mem::take(&mut self.content));
                self.filled = 0.0;
            }
            self.filled += height;
            let font = if style.bold { "F2" } else { "F1" };
            let (x, y) = (MARGIN + style.indent, HEIGHT - MARGIN - self.filled);
            let _ = write!(self.content, "BT /{font} {} Tf {x:.2} {y:.2} Td <", style.size);
            for byte in line {
                let _ = write!(self.content, "{byte:02x}");
            }
            self.content.push_str("> Tj ET\n");
        }
    }

    /// The code of a character; `None` for one that is not shown.
    fn encoded(&mut self, c: char) -> Option<u8> {
        Some(match c {
            '\t' | '\u{a0}' => b' ',
            c if c.is_control() => return None,
            ' '..='~' | '\u{a1}'..='\u{ff}' => c as u8,
            c => match (0x80..=0x9f).zip(WIN_ANSI.chars()).find(|(_, known)| *known == c && c != ' ') {
                Some((code, _)) => code,
                None => {
                    self.lacking += 1;
                    b'?'
                }
            },
        })
    }

    fn end_page(&mut self, file: &mut File) {
        if !self.content.is_empty() {
            self.pages.push(std::mem::take(&mut self.content));
        }
        self.filled = 0.0;
        for content in self.pages.drain(..) {
            file.page(&content, "");
        }
    }
}

fn width(byte: u8) -> u32 {
    match byte {
        b' '..=b'~' => WIDTHS[usize::from(byte - b' ')].into(),
        0x85 | 0x89 | 0x8c | 0x97 | 0x99 | 0xc6 => WIDE.into(),
        _ => OTHER_WIDTH.into(),
    }
}

/// Breaks a text at spaces into lines no wider than `room`, and inside words that are wider than that.
fn lines(text: &[u8], room: u32) -> Vec<Vec<u8>> {
    let (mut lines, mut line, mut used) = (Vec::new(), Vec::new(), 0);
    for word in text.split_inclusive(|byte| *byte == b' ') {
        let wide: u32 = word.iter().copied().map(width).sum();
        if used + wide > room && used > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for &byte in word {
            if used + width(byte) > room && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            used += width(byte);
            line.push(byte);
        }
    }
    lines.push(line);
    lines
}

/// Numbers of the objects that every file has.
const CATALOGUE: usize = 1;
const PAGES: usize = 2;
const PLAIN: usize = 3;
const BOLD: usize = 4;

struct File {
    objects: Vec<Object>,
    pages: Vec<usize>,
}

impl Default for File {
    fn default() -> Self {
        // The list of pages is written at the end.
        let font = |name: &str| {
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>").into_bytes()
        };
        let catalogue = format!("<< /Type /Catalog /Pages {PAGES} 0 R >>").into_bytes();
        Self { objects: vec![catalogue, Object::new(), font("Helvetica"), font("Helvetica-Bold")], pages: Vec::new() }
    }
}

impl File {
    fn object(&mut self, object: Object) -> usize {
        self.objects.push(object);
        self.objects.len()
    }

    fn stream(&mut self, dictionary: &str, bytes: &[u8]) -> usize {
        let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", bytes.len()).into_bytes();
        object.extend_from_slice(bytes);
        object.extend_from_slice(b"\nendstream");
        self.object(object)
    }

    /// A page with this content. `resources` are added to the fonts.
    fn page(&mut self, content: &str, resources: &str) {
        let content = self.stream("", content.as_bytes());
        let page = format!(
            "<< /Type /Page /Parent {PAGES} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R \
             /Resources << /Font << /F1 {PLAIN} 0 R /F2 {BOLD} 0 R >> {resources} >> >>"
        );
        let page = self.object(page.into_bytes());
        self.pages.push(page);
    }

    /// A page with the picture of one, as large as fits.
    fn picture(&mut self, picture: &PagePicture) -> Result<()> {
        let pixels =
            image::load_from_memory_with_format(&picture.png, ImageFormat::Png).map_err(unwritable)?.into_rgb8();
        let mut jpeg = Cursor::new(Vec::new());
        JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode_image(&pixels).map_err(unwritable)?;
        let (columns, rows) = pixels.dimensions();
        let image = self.stream(
            &format!(
                "/Type /XObject /Subtype /Image /Width {columns} /Height {rows} /ColorSpace /DeviceRGB \
                 /BitsPerComponent 8 /Filter /DCTDecode"
            ),
            jpeg.get_ref(),
        );
        let room = (WIDTH - MARGIN, HEIGHT - MARGIN);
        let scale = (room.0 / columns.max(1) as f32).min(room.1 / rows.max(1) as f32);
        let (across, down) = (columns as f32 * scale, rows as f32 * scale);
        let (x, y) = ((WIDTH - across) / 2.0, (HEIGHT - down) / 2.0);
        let content = format!(
            "q {across:.2} 0 0 {down:.2} {x:.2} {y:.2} cm /P Do Q\n0.6 G 0.5 w {x:.2} {y:.2} {across:.2} {down:.2} re S\n"
        );
        self.page(&content, &format!("/XObject << /P {image} 0 R >>"));
        Ok(())
    }

    fn finish(mut self) -> Vec<u8> {
        let kids: Vec<String> = self.pages.iter().map(|page| format!("{page} 0 R")).collect();
        let pages = format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len());
        self.objects[PAGES - 1] = pages.into_bytes();
        // The second line marks the file as binary.
        let mut bytes = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut places = Vec::with_capacity(self.objects.len());
        for (number, object) in (1..).zip(&self.objects) {
            places.push(bytes.len());
            bytes.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
            bytes.extend_from_slice(object);
            bytes.extend_from_slice(b"\nendobj\n");
        }
        let start = bytes.len();
        let size = self.objects.len() + 1;
        let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
        for place in places {
            let _ = writeln!(table, "{place:010} 00000 n ");
        }
        let _ = write!(table, "trailer\n<< /Size {size} /Root {CATALOGUE} 0 R >>\nstartxref\n{start}\n%%EOF\n");
        bytes.extend_from_slice(table.as_bytes());
        bytes
    }
}
