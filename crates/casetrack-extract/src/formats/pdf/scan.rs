//! Pages without a usable text layer, or with pictures beside it: which they are, and what OCR reads on them.

use casetrack_core::Rect;
use pdfium_render::prelude::{PdfBitmapFormat, PdfPage, PdfRenderConfig, PdfiumError};

use super::layout::Paragraph;
use super::line::Line;
use super::pictures::intersection;
use crate::model::union;
use crate::ocr::{GrayImage, OcrLine, OcrPage, POINTS, Picture};

/// Dots per inch at which pages are rendered; what tesseract was trained on.
const RESOLUTION: u32 = 300;
/// Fewer letters than this show nothing about a text layer.
const MIN_LETTERS: usize = 100;
/// Share of characters without a meaning above which a text layer is garbage.
const MAX_MEANINGLESS: f32 = 0.3;
/// Share of words of basic Latin letters that have a vowel, below which they are none. Running text of the European languages
/// has more than 0.95, tables of abbreviations more than 0.6.
const MIN_WITH_VOWEL: f32 = 0.4;

/// Share of words in Latin letters that are longer than any word of a language, above which they are none.
const MAX_ENDLESS: f32 = 0.5;
const ENDLESS_WORD: usize = 25;
/// The commonest sixteenth of the shades of grey covers at least this much of a picture with text, whose ground is even, and less
/// of a photograph; where it covers nearly all, nothing is drawn.
const EVEN_GROUND: std::ops::RangeInclusive<f32> = 0.3..=0.998;
/// Lines read in a picture with less confidence are no text.
const MIN_LINE_CONFIDENCE: f32 = 0.7;

/// The page as it is shown, at [`RESOLUTION`] or as much less as keeps it within `max_pixels`.
pub(super) fn render(page: &PdfPage, max_pixels: u64) -> Result<Picture, PdfiumError> {
    let (width, height) = (page.width().value.max(1.0), page.height().value.max(1.0));
    let wanted = RESOLUTION as f32 / POINTS;
    let factor = wanted.min((max_pixels as f32 / (width * height)).sqrt());
    let config = PdfRenderConfig::new()
        .set_target_width((width * factor) as i32)
        .set_format(PdfBitmapFormat::BGRx)
        .set_reverse_byte_order(false)
        .use_grayscale_rendering(true);
    let bitmap = page.render_with_config(&config)?;
    let size = |pixels: i32| usize::try_from(pixels).unwrap_or(0);
    let (columns, rows) = (size(bitmap.width()), size(bitmap.height()));
    let bytes = bitmap.as_raw_bytes();
    let stride = bytes.len() / rows.max(1);
    // The channels are equal.
    let pixels = bytes.chunks(stride.max(1)).flat_map(|row| row.chunks_exact(4).take(columns).map(|pixel| pixel[0]));
    let image = GrayImage { width: columns, height: rows, pixels: pixels.collect() };
    Ok(Picture {
        scale: width / columns.max(1) as f32,
        resolution: Some((RESOLUTION as f32 * factor / wanted) as u32),
        image,
        is_whole: true,
    })
}

/// Pictures on a page that is rendered, in one picture of the part of the page that holds them, without what the text layer says.
/// `None` when they cannot hold text.
pub(super) fn cut_out(page: &Picture, areas: &[Rect], text: &[Paragraph]) -> Option<Picture> {
    let around = areas.iter().copied().reduce(|a, b| union(&a, &b))?;
    let page_area = page.pixels(&around);
    let width = page_area.columns.len();
    let mut pixels = vec![u8::MAX; width * page_area.rows.len()];
    let mut holds_text = false;
    for area in areas {
        let part = page.pixels(area);
        let mut shades = [0usize; 16];
        for row in part.rows {
            let place = (row - page_area.rows.start) * width + part.columns.start - page_area.columns.start;
            let (Some(from), Some(to)) = (
                page.image.pixels.get(row * page.image.width..).and_then(|row| row.get(part.columns.clone())),
                pixels.get_mut(place..place + part.columns.len()),
            ) else {
                continue;
            };
            to.copy_from_slice(from);
            from.iter().for_each(|pixel| shades[usize::from(pixel / 16)] += 1);
        }
        let commonest = shades.iter().max().copied().unwrap_or(0) as f32;
        holds_text |= EVEN_GROUND.contains(&(commonest / shades.iter().sum::<usize>().max(1) as f32));
    }
    for said in text.iter().flat_map(|paragraph| &paragraph.lines).filter_map(|line| intersection(&line.area, &around))
    {
        let part = page.pixels(&said);
        for row in part.rows {
            let place = (row - page_area.rows.start) * width + part.columns.start - page_area.columns.start;
            pixels.get_mut(place..place + part.columns.len()).into_iter().for_each(|row| row.fill(u8::MAX));
        }
    }
    let image = GrayImage { width, height: pixels.len() / width.max(1), pixels };
    holds_text.then_some(Picture { image, resolution: page.resolution, scale: page.scale, is_whole: false })
}

struct PixelRanges {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
}

impl Picture {
    /// The pixels of an area of the page.
    fn pixels(&self, area: &Rect) -> PixelRanges {
        let range = |from: f32, to: f32, limit: usize| {
            let end = ((to / self.scale).ceil() as usize).min(limit);
            ((from / self.scale) as usize).min(end)..end
        };
        PixelRanges {
            columns: range(area.left, area.right, self.image.width),
            rows: range(area.top, area.bottom, self.image.height),
        }
    }
}

/// What OCR read in pictures at `areas` and the text layer does not say.
pub(super) struct FromPictures {
    pub paragraphs: Vec<Paragraph>,
    /// Mean by length, 0–1.
    pub confidence: f32,
}

/// `None` when that is nothing.
pub(super) fn from_pictures(ocr: &OcrPage, areas: &[Rect], text: &[Paragraph]) -> Option<FromPictures> {
    let around = areas.iter().copied().reduce(|a, b| union(&a, &b))?;
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let said: String = text.iter().flat_map(|paragraph| &paragraph.lines).map(|line| letters(&line.text)).collect();
    let (mut sum, mut length) = (0.0, 0.0);
    let mut paragraphs = Vec::new();
    for paragraph in &ocr.paragraphs {
        let lines: Vec<Line> = paragraph
            .iter()
            .filter(|line| {
                let letters = letters(&line.text);
                line.confidence >= MIN_LINE_CONFIDENCE && letters.chars().count() >= 2 && !said.contains(&letters)
            })
            .map(|line| {
                let chars = line.text.chars().count() as f32;
                sum += line.confidence * chars;
                length += chars;
                line_of(line, around.left, around.top)
            })
            .collect();
        if !lines.is_empty() {
            paragraphs.push(Paragraph { lines });
        }
    }
    (length > 0.0).then(|| FromPictures { paragraphs, confidence: sum / length })
}

/// Puts what was read in pictures among the paragraphs of the text layer: behind the last one that ends above it.
pub(super) fn merged(text: &[Paragraph], from_pictures: Vec<Paragraph>) -> Vec<Paragraph> {
    let top = from_pictures.iter().flat_map(|paragraph| &paragraph.lines).map(|line| line.area.top).reduce(f32::min);
    let is_above =
        |paragraph: &Paragraph| paragraph.lines.iter().all(|line| top.is_some_and(|top| line.area.bottom <= top));
    let place = text.iter().rposition(is_above).map_or(0, |last| last + 1);
    let (before, after) = text.split_at(place);
    before.iter().cloned().chain(from_pictures).chain(after.iter().cloned()).collect()
}

/// Whether a text layer says something else than the page shows: codes of glyphs without a mapping to characters, letters in a
/// code of their own, or words without the spaces between them.
pub(super) fn is_garbage(lines: &[Line], unmapped: usize) -> bool {
    let text = || lines.iter().flat_map(|line| line.text.chars()).filter(|c| !c.is_whitespace());
    let meaningless = |c: char| c == '\u{FFFD}' || matches!(c, '\u{E000}'..='\u{F8FF}') || matches!(c, '\u{F0000}'..);
    let bad = unmapped + text().filter(|c| meaningless(*c)).count();
    let all = unmapped + text().count();
    if bad >= MIN_LETTERS / 4 && bad as f32 > MAX_MEANINGLESS * all as f32 {
        return true;
    }
    let words = || {
        lines
            .iter()
            .flat_map(|line| line.text.split(|c: char| !c.is_alphabetic()))
            .filter(|word| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic()))
    };
    let letters: usize = words().map(str::len).sum();
    let latin = |word: &&str| word.chars().all(|c| c < '\u{250}');
    let (mut endless, mut usual) = (0, 0);
    for word in lines.iter().flat_map(|line| line.text.split(|c: char| !c.is_alphabetic())).filter(latin) {
        let length = word.chars().count();
        *(if length > ENDLESS_WORD { &mut endless } else { &mut usual }) += length;
    }
    if endless >= MIN_LETTERS && endless as f32 > MAX_ENDLESS * (endless + usual) as f32 {
        return true;
    }
    let with_vowel = words().filter(|word| word.bytes().any(|b| b"aeiouyAEIOUY".contains(&b))).count();
    letters >= MIN_LETTERS && (with_vowel as f32) < MIN_WITH_VOWEL * words().count() as f32
}

/// What OCR read, as the paragraphs of a page. Sizes are left equal: heights of boxes depend on the letters in them, and would
/// make headings where there are none.
pub(super) fn paragraphs(page: &OcrPage) -> Vec<Paragraph> {
    let lines = |lines: &Vec<OcrLine>| Paragraph { lines: lines.iter().map(|line| line_of(line, 0.0, 0.0)).collect() };
    page.paragraphs.iter().map(lines).collect()
}

/// A line that was read in a picture whose left upper corner is here.
fn line_of(line: &OcrLine, left: f32, top: f32) -> Line {
    let area = Rect {
        left: line.area.left + left,
        top: line.area.top + top,
        right: line.area.right + left,
        bottom: line.area.bottom + top,
    };
    Line { text: line.text.clone(), area, size: 0.0, first_word: 0.0, is_running: false }
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let area = Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        text.lines()
            .map(|text| Line { text: text.into(), area, size: 10.0, first_word: 1.0, is_running: false })
            .collect()
    }

    const PLAIN: &str = "The tenant pays the rent on the first day of every month.\nThe landlord keeps the roof and the walls \
                         in good repair.\nBoth may end the lease.";

    #[test]
    fn letters_in_a_code_of_their_own_are_garbage() {
        assert!(!is_garbage(&lines(PLAIN), 0));
        let shifted: String = PLAIN
            .chars()
            .map(|c| if c.is_ascii_lowercase() { ((c as u8 - b'a' + 22) % 26 + b'a') as char } else { c })
            .map(|c| if "aeiouy".contains(c) { 'x' } else { c })
            .collect();
        assert!(is_garbage(&lines(&shifted), 0));
        assert!(!is_garbage(&lines("Договор аренды жилого помещения на срок не более одиннадцати месяцев"), 0));
        let endless: String = PLAIN.chars().filter(|c| c.is_alphabetic()).collect();
        assert!(is_garbage(&lines(&endless), 0));
        assert!(!is_garbage(
            &lines("Donaudampfschifffahrtsgesellschaftskapitän und andere lange Wörter, die es sonst nicht gibt"),
            0
        ));
        assert!(!is_garbage(&lines("Qty Ref GBP VAT 1,200.00 20 % 3,400.00"), 0));
    }

    #[test]
    fn characters_without_a_meaning_are_garbage() {
        assert!(is_garbage(&lines(&"\u{E001}\u{E002}\u{E003} ".repeat(30)), 0));
        assert!(is_garbage(&lines(PLAIN), 100));
        assert!(!is_garbage(&lines(PLAIN), 20));
    }
}
