//! Days on which an entry of a calendar does not take place, although the calendar names them.

use std::ops::Range;

use casetrack_core::Mention;

/// The lines that `casetrack-extract` writes for such days.
const LABELS: [&str; 2] = ["Not on: ", "In place of the date: "];

/// Takes the days away that a calendar leaves out.
pub(crate) fn without_left_out(text: &str, days: &mut Vec<Mention>) {
    if days.is_empty() || !LABELS.iter().any(|label| text.contains(label)) {
        return;
    }
    let lines = lines(text);
    days.retain(|day| !lines.iter().any(|line| line.contains(&day.char_start)));
}

/// The characters of those lines.
fn lines(text: &str) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.chars().count() as u32;
        if LABELS.iter().any(|label| line.starts_with(label)) {
            found.push(start..end);
        }
        start = end;
    }
    found
}
