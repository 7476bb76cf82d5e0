//! The picture of a page, and the words that were read from it.

use casetrack_core::Rect;

/// An image in shades of grey, row by row, 0 is black.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GrayImage {
    pub width: usize,
    pub height: usize,
    /// `width * height` of them.
    pub pixels: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub text: String,
    /// 0–1.
    pub confidence: f32,
    /// In pixels from the top left.
    pub area: Rect,
    pub starts_line: bool,
    pub starts_paragraph: bool,
}
