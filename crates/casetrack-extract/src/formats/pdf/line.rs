//! Lines of text with their places.

use casetrack_core::Rect;

/// A line as it stands on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub area: Rect,
    /// Mean height of its glyphs in points, a measure of the font size.
    pub size: f32,
    /// Width of its first word in points.
    pub first_word: f32,
    /// Whether it is a running head or foot, or a page number.
    pub is_running: bool,
}

/// A line, or a part of one.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub line: Line,
    /// Whether the library has it on one line with the piece before.
    pub goes_on: bool,
}

pub(super) fn continues(before: &Rect, after: &Rect) -> bool {
    let overlap = before.bottom.min(after.bottom) - before.top.max(after.top);
    let height = (before.bottom - before.top).min(after.bottom - after.top);
    height > 0.0 && overlap > 0.6 * height && after.left > before.right - 0.3 * height
}
