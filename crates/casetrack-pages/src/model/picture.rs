//! A page to be drawn, and the picture of it.

use casetrack_core::{Error, Rect};
use image::{DynamicImage, RgbImage};
use serde::{Deserialize, Serialize};

use super::source::Source;

/// The page to draw, and the marks on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RenderRequest {
    pub page: u32,
    /// In points, as [`Page::line_boxes`](casetrack_core::Page); marks outside the page are left out.
    pub highlights: Vec<Rect>,
    pub longest_side: u32,
    /// Most dots per inch of a page that has no pixels of its own.
    pub resolution: f32,
}

/// A page as a PNG.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PagePicture {
    pub png: Vec<u8>,
    pub width: u32,
    pub height: u32,
    /// A point is 1/72 inch, as in the places of lines.
    pub pixels_per_point: f32,
}

/// The area around both.
pub fn union(a: &Rect, b: &Rect) -> Rect {
    Rect {
        left: a.left.min(b.left),
        top: a.top.min(b.top),
        right: a.right.max(b.right),
        bottom: a.bottom.max(b.bottom),
    }
}

/// The image on white.
pub fn on_paper(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image;
    }
    let mut pixels = image.into_rgba8();
    for pixel in pixels.pixels_mut() {
        let alpha = u32::from(pixel[3]);
        for channel in 0..3 {
            pixel[channel] = ((u32::from(pixel[channel]) * alpha + 255 * (255 - alpha)) / 255) as u8;
        }
    }
    DynamicImage::ImageRgba8(pixels)
}

pub struct Pixels {
    pub image: RgbImage,
    pub pixels_per_point: f32,
}

impl RenderRequest {
    pub fn no_such_page(&self, source: &Source) -> Error {
        Error::invalid(format!("{} has no page {}.", source.name(), self.page))
            .with_hint("Ask for a page from 1 to the number of pages.")
    }
}
