//! A page as it is drawn with and without the texts that may be hidden.

use std::collections::{HashMap, HashSet};

use casetrack_core::Rect;
use pdfium_render::prelude::{PdfBitmapFormat, PdfPage, PdfPageObject, PdfRenderConfig, PdfiumError};

use super::objects::{Key, walk};
use super::suspects::Suspect;

/// Pixels for each point: a letter of small print has some six by eight.
const SCALE: f32 = 1.5;
/// Most pixels of a page.
const MAX_PIXELS: f32 = 8_000_000.0;
/// Greatest change of a channel, of 255, that cannot be seen.
const UNSEEN: u8 = 16;

struct Image {
    columns: usize,
    rows: usize,
    stride: usize,
    bytes: Vec<u8>,
}

pub(super) struct Drawing {
    shown: Image,
    without: Image,
    scale: f32,
}

/// The pixels of an area: how much they change when the texts are left out, how different they are from each other, and
/// which they are: blue, green, red.
pub(super) struct Pixels {
    change: u8,
    range: u8,
    shown: Vec<[u8; 3]>,
}

impl Pixels {
    pub fn is_unchanged(&self) -> bool {
        self.change <= UNSEEN
    }

    /// True if most of the pixels have this colour: red, green, blue.
    pub fn are_mostly(&self, [red, green, blue]: [u8; 3]) -> bool {
        let is_like = |pixel: &&[u8; 3]| pixel.iter().zip([blue, green, red]).all(|(a, b)| a.abs_diff(b) <= UNSEEN);
        2 * self.shown.iter().filter(is_like).count() > self.shown.len()
    }

    /// True if nothing can be seen here but a ground.
    pub fn is_even(&self) -> bool {
        self.range <= UNSEEN
    }
}

impl Drawing {
    /// Draws a page twice. The texts are left out for that time only.
    pub fn of(page: &PdfPage, suspects: &HashMap<Key, Suspect>) -> Result<Self, PdfiumError> {
        let (width, height) = (page.width().value.max(1.0), page.height().value.max(1.0));
        let scale = SCALE.min((MAX_PIXELS / (width * height)).sqrt());
        let shown = draw(page, width * scale)?;
        let orders: HashSet<usize> = suspects.values().map(|suspect| suspect.order).collect();
        let set_active = |is_active: bool| {
            let mut outcome = Ok(());
            walk(page, &mut |order, object: &mut PdfPageObject, _| {
                if orders.contains(&order) {
                    let set = if is_active { object.set_active() } else { object.set_inactive() };
                    outcome = std::mem::replace(&mut outcome, Ok(())).and(set);
                }
            });
            outcome
        };
        let left_out = set_active(false);
        let without = draw(page, width * scale);
        let put_back = set_active(true);
        left_out.and(put_back)?;
        let scale = shown.columns as f32 / width;
        Ok(Self { shown, without: without?, scale })
    }

    /// Those of an area of the page, without its margin, which neighbours may reach into; `None` outside the page.
    pub fn pixels(&self, area: &Rect) -> Option<Pixels> {
        let range = |from: f32, to: f32, count: usize| {
            let (from, to) = (from * self.scale, to * self.scale);
            let margin = ((to - from) / 6.0).min(1.0);
            let start = (from + margin).round().max(0.0) as usize;
            let end = ((to - margin).round().max(0.0) as usize).max(start + 1).min(count);
            (start < end).then_some(start..end)
        };
        let columns = range(area.left, area.right, self.shown.columns)?;
        let rows = range(area.top, area.bottom, self.shown.rows)?;
        let (mut change, mut least, mut greatest, mut all) = (0, [u8::MAX; 3], [0; 3], Vec::new());
        for row in rows {
            let at = |image: &Image| row * image.stride + 4 * columns.start..row * image.stride + 4 * columns.end;
            let (shown, without) = (self.shown.bytes.get(at(&self.shown))?, self.without.bytes.get(at(&self.without))?);
            for (shown, without) in shown.as_chunks::<4>().0.iter().zip(without.as_chunks::<4>().0) {
                all.push([shown[0], shown[1], shown[2]]);
                for channel in 0..3 {
                    change = shown[channel].abs_diff(without[channel]).max(change);
                    least[channel] = least[channel].min(shown[channel]);
                    greatest[channel] = greatest[channel].max(shown[channel]);
                }
            }
        }
        let range = greatest.iter().zip(least).map(|(greatest, least)| greatest - least).max()?;
        Some(Pixels { change, range, shown: all })
    }
}

fn draw(page: &PdfPage, columns: f32) -> Result<Image, PdfiumError> {
    let config = PdfRenderConfig::new()
        .set_target_width((columns as i32).max(1))
        .set_format(PdfBitmapFormat::BGRx)
        .set_reverse_byte_order(false);
    let bitmap = page.render_with_config(&config)?;
    let count = |pixels: i32| usize::try_from(pixels).unwrap_or(0);
    let (columns, rows) = (count(bitmap.width()), count(bitmap.height()));
    let bytes = bitmap.as_raw_bytes().to_vec();
    Ok(Image { columns, rows, stride: bytes.len() / rows.max(1), bytes })
}
