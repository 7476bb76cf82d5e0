//! How a page is shown: from places in its content to those that a reader sees.

use casetrack_core::Rect;
use pdfium_render::prelude::{PdfPage, PdfPageRenderRotation, PdfRect};

/// How the page is shown: its visible part and its rotation.
pub(super) struct View {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    rotation: PdfPageRenderRotation,
}

impl View {
    pub fn of(page: &PdfPage) -> Self {
        let visible = page.boundaries().bounding().map(|boundary| boundary.bounds).unwrap_or(page.page_size());
        Self {
            left: visible.left().value,
            bottom: visible.bottom().value,
            right: visible.right().value,
            top: visible.top().value,
            rotation: page.rotation().unwrap_or(PdfPageRenderRotation::None),
        }
    }

    /// From the page's own coordinates (origin at the bottom left) to those of the page as it is shown.
    pub fn place(&self, area: &PdfRect) -> Rect {
        let (left, right) = (area.left().value, area.right().value);
        let (bottom, top) = (area.bottom().value, area.top().value);
        match self.rotation {
            PdfPageRenderRotation::None => Rect {
                left: left - self.left,
                top: self.top - top,
                right: right - self.left,
                bottom: self.top - bottom,
            },
            PdfPageRenderRotation::Degrees90 => Rect {
                left: bottom - self.bottom,
                top: left - self.left,
                right: top - self.bottom,
                bottom: right - self.left,
            },
            PdfPageRenderRotation::Degrees180 => Rect {
                left: self.right - right,
                top: bottom - self.bottom,
                right: self.right - left,
                bottom: top - self.bottom,
            },
            PdfPageRenderRotation::Degrees270 => Rect {
                left: self.top - top,
                top: self.right - right,
                right: self.top - bottom,
                bottom: self.right - left,
            },
        }
    }

    /// By how many right angles the page is turned clockwise to be shown.
    pub fn quarters(&self) -> u8 {
        match self.rotation {
            PdfPageRenderRotation::None => 0,
            PdfPageRenderRotation::Degrees90 => 1,
            PdfPageRenderRotation::Degrees180 => 2,
            PdfPageRenderRotation::Degrees270 => 3,
        }
    }

    /// Height of the page as it is shown.
    pub fn height(&self) -> f32 {
        match self.rotation {
            PdfPageRenderRotation::None | PdfPageRenderRotation::Degrees180 => self.top - self.bottom,
            PdfPageRenderRotation::Degrees90 | PdfPageRenderRotation::Degrees270 => self.right - self.left,
        }
    }

    /// The visible page, as it is shown.
    pub fn area(&self) -> Rect {
        let height = self.height();
        Rect { left: 0.0, top: 0.0, right: self.size() / height.max(f32::EPSILON), bottom: height }
    }

    /// Size of the visible page in square points.
    pub fn size(&self) -> f32 {
        (self.right - self.left) * (self.top - self.bottom)
    }

    /// The visible part of an area in the page's own coordinates, as it is shown.
    pub fn visible(&self, area: &PdfRect) -> Option<Rect> {
        let (left, right) = (area.left().value.max(self.left), area.right().value.min(self.right));
        let (bottom, top) = (area.bottom().value.max(self.bottom), area.top().value.min(self.top));
        (right > left && top > bottom).then(|| self.place(&PdfRect::new_from_values(bottom, left, top, right)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_rotation() {
        let view = |rotation| View { left: 0.0, bottom: 0.0, right: 100.0, top: 200.0, rotation };
        let area = PdfRect::new_from_values(10.0, 20.0, 30.0, 60.0);
        let place = |rotation| {
            let area = view(rotation).place(&area);
            (area.left, area.top, area.right, area.bottom)
        };
        assert_eq!(place(PdfPageRenderRotation::None), (20.0, 170.0, 60.0, 190.0));
        assert_eq!(place(PdfPageRenderRotation::Degrees90), (10.0, 20.0, 30.0, 60.0));
        assert_eq!(place(PdfPageRenderRotation::Degrees180), (40.0, 10.0, 80.0, 30.0));
        assert_eq!(place(PdfPageRenderRotation::Degrees270), (170.0, 40.0, 190.0, 80.0));
    }
}
