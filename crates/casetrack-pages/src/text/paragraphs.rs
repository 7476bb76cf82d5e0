//! The paragraphs of plain text.

use std::ops::Range;

use casetrack_core::BlockKind;

/// Byte ranges of the runs of lines between blank lines.
pub fn paragraphs(text: &str) -> Vec<(Range<usize>, BlockKind)> {
    let mut found = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim().is_empty() {
            found.extend(open.take().map(|range| (range, BlockKind::Paragraph)));
        } else {
            let start = open.map_or(at, |range| range.start);
            open = Some(start..end);
        }
        at = end;
    }
    found.extend(open.map(|range| (range, BlockKind::Paragraph)));
    found
}
