//! The state of groups, fonts and styles.

use std::collections::HashMap;

use casetrack_pages::office::lineage;

use super::revisions::Revision;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Destination {
    #[default]
    Text,
    Skipped,
    Fonts,
    Styles,
    Info,
    Title,
    Author,
    /// When the file was made.
    Created,
    /// When it was last saved.
    Revised,
    Label,
    /// Of a field.
    Instruction,
    /// Of a drop-down list.
    Entry,
    /// The table of those who made changes.
    Revisers,
    /// The author of a comment.
    Commenter,
}

/// The state that a group inherits and restores at its end.
#[derive(Clone, Default)]
pub(super) struct State {
    pub destination: Destination,
    pub font: i32,
    /// Characters after `\uN` that repeat it for old readers.
    pub fallback: u32,
    pub hidden: bool,
    pub revision: Revision,
    pub style: i32,
    pub outline_level: Option<u8>,
    pub in_table: bool,
    pub header_row: bool,
    pub is_frame: bool,
}

#[derive(Default)]
pub(super) struct Font {
    pub charset: Option<i32>,
    pub name: String,
}

#[derive(Default)]
pub(super) struct Style {
    pub name: String,
    pub based_on: Option<i32>,
    pub outline_level: Option<u8>,
}

impl State {
    pub fn new() -> Self {
        Self { font: -1, fallback: 1, ..Self::default() }
    }
}

/// The level of the paragraph's own outline, or of the nearest style that has one or is a heading by its name.
pub(super) fn heading_level(styles: &HashMap<i32, Style>, state: &State) -> Option<u8> {
    let of_outline = |level: u8| (level < 9).then_some(level + 1);
    if let Some(level) = state.outline_level {
        return of_outline(level);
    }
    lineage(styles.get(&state.style), |style| styles.get(&style.based_on?)).find_map(|style| {
        let name = style.name.trim().to_ascii_lowercase();
        let named = || match name.as_str() {
            "title" => Some(1),
            name => name.strip_prefix("heading ")?.parse().ok(),
        };
        let named = || named().map(|level| Some(level).filter(|level| (1..=9).contains(level)));
        style.outline_level.map(of_outline).or_else(named)
    })?
}
