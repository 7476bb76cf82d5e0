//! What groups, fonts and styles carry.

use std::collections::HashMap;

/// Styles inherit over at most this many steps; a cycle must end.
const MAX_INHERITANCE: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Destination {
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
}

/// What a group inherits and gives back at its end.
#[derive(Clone)]
pub(super) struct State {
    pub destination: Destination,
    pub font: i32,
    /// Characters after `\uN` that repeat it for old readers.
    pub fallback: u32,
    pub hidden: bool,
    pub deleted: bool,
    pub style: i32,
    pub outline_level: Option<u8>,
    pub in_table: bool,
    pub header_row: bool,
    /// The group is a note or text box, whose text is kept apart.
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

/// The paragraph around a note or text box.
pub(super) struct Frame {
    pub text: String,
    pub label: String,
    pub is_note: bool,
    pub is_endnote: bool,
    pub paragraphs: Vec<String>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            destination: Destination::Text,
            font: -1,
            fallback: 1,
            hidden: false,
            deleted: false,
            style: 0,
            outline_level: None,
            in_table: false,
            header_row: false,
            is_frame: false,
        }
    }
}

/// The level of the paragraph's own outline, or of the nearest style that has one or is a heading by its name.
pub(super) fn heading_level(styles: &HashMap<i32, Style>, state: &State) -> Option<u8> {
    let of_outline = |level: u8| (level < 9).then_some(level + 1);
    if let Some(level) = state.outline_level {
        return of_outline(level);
    }
    let mut id = state.style;
    for _ in 0..MAX_INHERITANCE {
        let style = styles.get(&id)?;
        if let Some(level) = style.outline_level {
            return of_outline(level);
        }
        let name = style.name.trim().to_ascii_lowercase();
        if name == "title" {
            return Some(1);
        }
        if let Some(level) = name.strip_prefix("heading ").and_then(|level| level.parse().ok()) {
            return Some(level).filter(|level| (1..=9).contains(level));
        }
        id = style.based_on?;
    }
    None
}
