//! A page while it is read.

use super::annotations::Unit;
use super::line::Line;
use super::pictures::Unread;

/// What a page is, apart from its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PageState {
    /// Has text, or is truly blank.
    Readable,
    Scanned,
    /// Has a text layer that does not match what the page shows.
    Garbage,
    Damaged,
    /// Ended the worker that read it.
    LeftOut,
}

/// A page as it was read, before its lines were grouped.
pub(super) struct ReadPage {
    pub state: PageState,
    pub lines: Vec<Line>,
    pub unread: Unread,
    pub units: Vec<Unit>,
    /// Whether a file is attached to a place on the page.
    pub holds_file: bool,
    /// In points, as it is shown.
    pub height: f32,
}

impl ReadPage {
    pub fn without_text(state: PageState) -> Self {
        Self { state, lines: Vec::new(), unread: Unread::default(), units: Vec::new(), holds_file: false, height: 0.0 }
    }
}
