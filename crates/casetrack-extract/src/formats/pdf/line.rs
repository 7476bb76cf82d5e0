//! Lines of text with their places.

use std::ops::Range;

use casetrack_core::{HiddenReason, Rect};
use casetrack_pages::build::table::Cell;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub area: Rect,
    pub size: f32,
    pub first_word: f32,
    pub is_running: bool,
    /// The direction that it is read in.
    pub turn: QuarterTurn,
    /// Which of its characters the page does not show, and why; in their order.
    pub hidden: Vec<(Range<u32>, HiddenReason)>,
    /// The places of its words, in their order; empty if no reader needs them.
    pub words: Vec<Word>,
    /// The table of the row.
    pub row: Option<Row>,
}

/// The place of a word of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Word {
    /// The byte of the line's text at which it begins.
    pub start: usize,
    /// On the page.
    pub left: f32,
    pub right: f32,
}

/// A row of a table, all of whose text the line has.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// The number of the table on its page, from 0.
    pub table: u32,
    /// In column order.
    pub cells: Vec<Cell>,
    pub is_header: bool,
}

/// By how many right angles a text is turned clockwise on the page: 0 is read to the right, 1 downwards, 2 on its head, 3 upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct QuarterTurn(u8);

impl QuarterTurn {
    pub const NONE: Self = Self(0);

    /// The nearest to an angle, clockwise in radians, on a page that is shown turned by some more right angles.
    pub fn nearest(angle: f32, more: u8) -> Self {
        let quarters = (angle / std::f32::consts::FRAC_PI_2).round().rem_euclid(4.0) as u8;
        Self((quarters + more) % 4)
    }

    /// All of them, the usual one first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..4).map(Self)
    }

    /// An area of the page in coordinates in which the text is upright: it is read to the right, and lines follow each
    /// other downwards.
    pub fn upright(self, area: &Rect) -> Rect {
        let Rect { left, top, right, bottom } = *area;
        match self.0 {
            1 => Rect { left: top, top: -right, right: bottom, bottom: -left },
            2 => Rect { left: -right, top: -bottom, right: -left, bottom: -top },
            3 => Rect { left: -bottom, top: left, right: -top, bottom: right },
            _ => *area,
        }
    }

    /// An area of the upright text in the coordinates of the page.
    pub fn on_page(self, area: &Rect) -> Rect {
        Self((4 - self.0) % 4).upright(area)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub line: Line,
    /// True if the library has it on one line with the piece before.
    pub goes_on: bool,
}

pub(super) fn continues(before: &Rect, after: &Rect) -> bool {
    let overlap = before.bottom.min(after.bottom) - before.top.max(after.top);
    let height = (before.bottom - before.top).min(after.bottom - after.top);
    height > 0.0 && overlap > 0.6 * height && after.left > before.right - 0.3 * height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_come_back_from_where_the_text_is_upright() {
        let area = Rect { left: 500.0, top: 90.0, right: 512.0, bottom: 300.0 };
        for turn in QuarterTurn::all() {
            let upright = turn.upright(&area);
            assert!(upright.left < upright.right && upright.top < upright.bottom, "{turn:?}");
            assert_eq!(turn.on_page(&upright), area);
        }
        // Downwards: a line further to the left is further down.
        let next = Rect { left: 480.0, right: 492.0, ..area };
        assert!(QuarterTurn(1).upright(&next).top > QuarterTurn(1).upright(&area).bottom);
        assert_eq!(QuarterTurn::nearest(6.2, 1), QuarterTurn(1));
        assert_eq!(QuarterTurn::nearest(4.71, 1), QuarterTurn(0));
    }
}
