use casetrack_core::single_spaced;

use super::annotations::AnnotationText;
use super::line::Line;
use super::pictures::Unread;
use super::rules::Rules;

/// The properties of a page, apart from its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PageState {
    /// Has text, or is truly blank.
    Readable,
    Scanned,
    /// Has a text layer that does not match the visible page.
    Garbage,
    Damaged,
    /// Ended the worker that read it.
    LeftOut,
}

/// Most characters of a label.
const MAX_LABEL_CHARS: usize = 40;

/// The label that a file gives a page, with white space folded; `None` for one that only repeats the number of the page
/// (from 1), and for one that is longer than a label.
pub(super) fn label(label: &str, number: u32) -> Option<String> {
    let label = single_spaced(label);
    let is_short = label.chars().nth(MAX_LABEL_CHARS).is_none();
    let says_more = label.contains(char::is_alphanumeric) && label != number.to_string();
    (is_short && says_more && !label.contains(char::is_control)).then_some(label)
}

pub(super) struct ReadPage {
    pub state: PageState,
    pub lines: Vec<Line>,
    /// That the page draws.
    pub rules: Rules,
    pub unread: Unread,
    pub units: Vec<AnnotationText>,
    /// True if a file is attached to a place on the page.
    pub holds_file: bool,
    /// As the file has it.
    pub label: Option<String>,
    /// In points, as it is shown.
    pub height: f32,
}

impl ReadPage {
    pub fn without_text(state: PageState) -> Self {
        let (unread, units) = (Unread::default(), Vec::new());
        let rules = Rules::default();
        Self { state, lines: Vec::new(), rules, unread, units, holds_file: false, label: None, height: 0.0 }
    }
}
