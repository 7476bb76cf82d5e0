//! Pages without a usable text layer, or with pictures next to it: how they are found, and the text that OCR reads on
//! them.

use casetrack_core::{Limits, Rect};
use casetrack_pages::model::union;
use pdfium_render::prelude::{PdfBitmapFormat, PdfPage, PdfRenderConfig, PdfiumError};

use super::layout::Paragraph;
use super::line::{Line, QuarterTurn};
use super::pictures::intersection;
use crate::ocr::{GrayImage, OcrPage, POINTS, Picture};

/// Dots per inch at which pages are rendered; tesseract was trained on it.
const RESOLUTION: u32 = 300;
/// Most pixels of a side: tesseract counts them in 16 bits.
const MAX_SIDE: f32 = 32_000.0;
/// Bytes that a pixel takes while a page is drawn and read: twice four channels, shades of grey, and two copies of
/// those for tesseract.
const BYTES_PER_PIXEL: u64 = 11;
/// The commonest sixteenth of the shades of grey covers at least this much of a picture with text, whose ground is
/// even, and less of a photograph; if it covers nearly all, nothing is drawn.
const EVEN_GROUND: std::ops::RangeInclusive<f32> = 0.3..=0.998;
/// Lines read in a picture with less confidence are not text.
const MIN_LINE_CONFIDENCE: f32 = 0.7;

/// Share of a page's height and width at its edges that holds stamps, and the greatest height of a line of them as a
/// share of the page's.
const STAMP_MARGIN: f32 = 0.12;
const MAX_STAMP: f32 = 0.025;
/// Most lines of stamps at one edge.
const MAX_STAMP_LINES: usize = 2;

/// True if a text layer has only stamps on a page of this area, such as a court's header and a Bates number: small
/// print at the edges, in a line or two.
pub(super) fn is_stamped(lines: &[Line], page: &Rect) -> bool {
    let (width, height) = (page.right - page.left, page.bottom - page.top);
    let (across, down) = (STAMP_MARGIN * width, STAMP_MARGIN * height);
    // The places of lines, by their edges: how far from the top, or from the left.
    let mut edges: [Vec<f32>; 4] = Default::default();
    for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
        let Rect { left, top, right, bottom } = line.area;
        let at =
            [(bottom < down, top), (top > height - down, top), (right < across, left), (left > width - across, left)];
        match at.into_iter().zip(&mut edges).find(|((is_there, _), _)| *is_there) {
            Some(((_, at), edge)) if line.size <= MAX_STAMP * height => edge.push(at),
            _ => return false,
        }
    }
    edges.into_iter().all(|mut places| {
        places.sort_by(f32::total_cmp);
        let is_level = |a: &f32, b: &f32| b - a < 0.5 * MAX_STAMP * height;
        places.chunk_by(is_level).count() <= MAX_STAMP_LINES
    })
}

/// The most pixels of a page, so that all that is made of it fits into half of the worker's memory.
pub(super) fn max_pixels(limits: &Limits) -> u64 {
    limits.max_image_pixels.min(limits.max_reader_bytes / 2 / BYTES_PER_PIXEL)
}

/// The page as it is shown, at [`RESOLUTION`] or as much less as keeps it within `max_pixels` and [`MAX_SIDE`].
pub(super) fn render(page: &PdfPage, max_pixels: u64) -> Result<Picture, PdfiumError> {
    let (width, height) = (page.width().value.max(1.0), page.height().value.max(1.0));
    let wanted = RESOLUTION as f32 / POINTS;
    let factor = wanted.min((max_pixels as f32 / (width * height)).sqrt()).min(MAX_SIDE / width.max(height));
    let config = PdfRenderConfig::new()
        .set_target_width(((width * factor) as i32).max(1))
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
        is_snapshot: false,
    })
}

/// A scan without the stamps at `areas`, which the text layer has: they are level on a page that may be askew, and read
/// so well that the page would seem to be level, too.
pub(super) fn without(mut page: Picture, areas: &[Rect]) -> Picture {
    let width = page.image.width;
    for area in areas {
        let PixelRanges { columns, rows } = page.pixels(area);
        for row in rows {
            let place = row * width + columns.start..row * width + columns.end;
            page.image.pixels.get_mut(place).into_iter().for_each(|row| row.fill(u8::MAX));
        }
    }
    page
}

/// Pictures on a page that is rendered, in one picture of the part of the page that holds them, without the text of the
/// text layer. `None` if they cannot hold text.
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
    holds_text.then_some(Picture {
        image,
        resolution: page.resolution,
        scale: page.scale,
        is_whole: false,
        is_snapshot: false,
    })
}

struct PixelRanges {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
}

impl Picture {
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

/// The text that OCR read in pictures at `areas` and that the text layer does not have.
pub(super) struct FromPictures {
    pub paragraphs: Vec<Paragraph>,
    /// Mean by length, 0–1.
    pub confidence: f32,
}

/// `None` when that is nothing.
pub(super) fn from_pictures(ocr: &OcrPage, areas: &[Rect], text: &[Paragraph]) -> Option<FromPictures> {
    let around = areas.iter().copied().reduce(|a, b| union(&a, &b))?;
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
                line_of(line.text.clone(), moved(&line.area, around.left, around.top))
            })
            .collect();
        if !lines.is_empty() {
            paragraphs.push(Paragraph { lines });
        }
    }
    (length > 0.0).then(|| FromPictures { paragraphs, confidence: sum / length })
}

/// Puts the text read in pictures among the paragraphs of the text layer: behind the last one that ends above it.
pub(super) fn merged(text: &[Paragraph], from_pictures: Vec<Paragraph>) -> Vec<Paragraph> {
    let top = from_pictures.iter().flat_map(|paragraph| &paragraph.lines).map(|line| line.area.top).reduce(f32::min);
    let is_above =
        |paragraph: &Paragraph| paragraph.lines.iter().all(|line| top.is_some_and(|top| line.area.bottom <= top));
    let place = text.iter().rposition(is_above).map_or(0, |last| last + 1);
    let (before, after) = text.split_at(place);
    before.iter().cloned().chain(from_pictures).chain(after.iter().cloned()).collect()
}

/// A line whose size is not known. Heights of boxes depend on the letters in them, and would make false headings.
pub(super) fn line_of(text: String, area: Rect) -> Line {
    Line {
        text,
        area,
        size: 0.0,
        first_word: 0.0,
        is_running: false,
        turn: QuarterTurn::NONE,
        hidden: Vec::new(),
        words: Vec::new(),
        row: None,
    }
}

/// Only letters and digits, in lower case.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// An area of a picture whose left upper corner is here.
fn moved(area: &Rect, left: f32, top: f32) -> Rect {
    Rect { left: area.left + left, top: area.top + top, right: area.right + left, bottom: area.bottom + top }
}
