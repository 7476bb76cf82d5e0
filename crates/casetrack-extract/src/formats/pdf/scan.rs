//! Pages without a usable text layer: which they are, their pictures, and what OCR reads on them.

use pdfium_render::prelude::{PdfBitmapFormat, PdfPage, PdfRenderConfig, PdfiumError};

use super::layout::Paragraph;
use super::text_layer::Line;
use crate::ocr::{GrayImage, OcrLine, OcrPage, POINTS, Picture};

/// Dots per inch at which pages are rendered; what tesseract was trained on.
const RESOLUTION: u32 = 300;
/// Fewer letters than this tell nothing about a text layer.
const MIN_LETTERS: usize = 100;
/// Share of characters without a meaning above which a text layer is garbage.
const MAX_MEANINGLESS: f32 = 0.3;
/// Share of words of basic Latin letters that have a vowel, below which they are none. Running text of the European languages
/// has more than 0.95, tables of abbreviations more than 0.6.
const MIN_WITH_VOWEL: f32 = 0.4;

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
    })
}

/// Whether a text layer says something else than the page shows: codes of glyphs without a mapping to characters, or letters
/// in a code of their own.
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
    let with_vowel = words().filter(|word| word.bytes().any(|b| b"aeiouyAEIOUY".contains(&b))).count();
    letters >= MIN_LETTERS && (with_vowel as f32) < MIN_WITH_VOWEL * words().count() as f32
}

/// What OCR read, as the paragraphs of a page. Sizes are left equal: heights of boxes depend on the letters in them, and would
/// make headings where there are none.
pub(super) fn paragraphs(page: &OcrPage) -> Vec<Paragraph> {
    let lines = |lines: &Vec<OcrLine>| Paragraph {
        lines: lines
            .iter()
            .map(|line| Line { text: line.text.clone(), area: line.area, size: 0.0, first_word: 0.0 })
            .collect(),
    };
    page.paragraphs.iter().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let area = Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        text.lines().map(|text| Line { text: text.into(), area, size: 10.0, first_word: 1.0 }).collect()
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
        assert!(!is_garbage(&lines("Qty Ref GBP VAT 1,200.00 20 % 3,400.00"), 0));
    }

    #[test]
    fn characters_without_a_meaning_are_garbage() {
        assert!(is_garbage(&lines(&"\u{E001}\u{E002}\u{E003} ".repeat(30)), 0));
        assert!(is_garbage(&lines(PLAIN), 100));
        assert!(!is_garbage(&lines(PLAIN), 20));
    }
}
