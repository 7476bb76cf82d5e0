//! The redline between two documents.

use std::fmt::Write;

use casetrack_engine::versions::{ChangeKind, Redline, RedlineChange, RedlineSide};

use super::format::{cut, one_line, push_notices, thousands, trimmed};
use super::marks::{name, quote};
use crate::Reader;

/// Longest text of a paragraph that is new or has gone, and of one that only moved, in characters.
const WHOLE: usize = 1_000;
const MOVED: usize = 120;

/// `offset` is the start of the shown part.
pub fn redline(redline: &Redline, offset: u32, reader: Reader) -> String {
    let counts = &redline.counts;
    let mut text = format!(
        "Redline of {}\nOld: {}\nNew: {}\n",
        one_line(&redline.collection),
        name(&redline.old_document),
        name(&redline.new_document)
    );
    push_notices(&mut text, &redline.notices);
    let kinds = [
        (counts.changed, "changed"),
        (counts.inserted, "inserted"),
        (counts.deleted, "deleted"),
        (counts.moved, "moved"),
        (counts.moved_and_changed, "moved and changed"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{} {kind}", thousands(*count)))
        .collect();
    let unchanged = thousands(counts.unchanged);
    let _ = match kinds.as_slice() {
        [] => writeln!(text, "Both have the same text: {unchanged} paragraphs."),
        kinds => writeln!(text, "Paragraphs: {unchanged} unchanged, {}", kinds.join(", ")),
    };
    if redline.changes.iter().any(|change| change.marked.is_some()) {
        text.push_str("Words: [-deleted-] {+inserted+}\n");
    }
    for (change, number) in redline.changes.iter().zip(u64::from(offset) + 1..) {
        let _ = write!(text, "\n{number}. {}", one_change(change));
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, redline.total, redline.next_offset);
    text
}

fn one_change(change: &RedlineChange) -> String {
    let RedlineChange { kind, old, new, marked } = change;
    let label = match kind {
        ChangeKind::Changed => "changed",
        ChangeKind::Inserted => "inserted",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Moved => "moved",
        ChangeKind::MovedAndChanged => "moved and changed",
    };
    let places: Vec<String> = [("old", old), ("new", new)]
        .into_iter()
        .filter_map(|(side, found)| found.as_ref().map(|found| format!("{side} {}", place(found))))
        .collect();
    let said = match (marked, new.as_ref().or(old.as_ref())) {
        (Some(marked), _) => quote(marked),
        (None, Some(side)) => quote(&cut(&side.quote, if *kind == ChangeKind::Moved { MOVED } else { WHOLE })),
        (None, None) => String::new(),
    };
    format!("{label} ({}): {said}", places.join("; "))
}

/// The first and the last place of a paragraph.
fn place(side: &RedlineSide) -> String {
    side.continued
        .last()
        .map_or_else(|| side.place.place.clone(), |last| format!("{} to {}", side.place.place, last.place))
}

#[cfg(test)]
mod tests {
    use casetrack_engine::CitedPlace;
    use casetrack_engine::versions::RedlineCounts;

    use super::*;

    fn side(quote: &str, places: &[&str]) -> RedlineSide {
        let mut places =
            places.iter().map(|place| CitedPlace { place: (*place).to_owned(), page: 1, char_start: 0, char_end: 9 });
        RedlineSide { quote: quote.to_owned(), place: places.next().unwrap(), continued: places.collect() }
    }

    #[test]
    fn each_change_is_a_line_with_its_places() {
        let mut found = Redline {
            collection: "Acme".to_owned(),
            old_document: "v1.pdf".to_owned(),
            new_document: "v2.docx".to_owned(),
            counts: RedlineCounts { unchanged: 1_200, changed: 1, moved: 1, ..RedlineCounts::default() },
            total: 3,
            changes: vec![
                RedlineChange {
                    kind: ChangeKind::Changed,
                    old: Some(side("Pay 30 on time", &["p. 1, para. 2, l. 9", "p. 2, para. 1, l. 1"])),
                    new: Some(side("Pay 60 on time", &["no page, para. 2, l. 2"])),
                    marked: Some("Pay [-30-]{+60+} on time".to_owned()),
                },
                RedlineChange {
                    kind: ChangeKind::Moved,
                    old: Some(side("5. Term", &["p. 4, para. 1, l. 1"])),
                    new: Some(side("5. Term", &["no page, para. 9, l. 9"])),
                    marked: None,
                },
            ],
            next_offset: Some(2),
            notices: Vec::new(),
        };
        let text = redline(&found, 0, Reader::Assistant);
        let expected = "Redline of Acme\nOld: v1.pdf\nNew: v2.docx\nParagraphs: 1,200 unchanged, 1 changed, 1 moved\nWords: \
            [-deleted-] {+inserted+}\n\n1. changed (old p. 1, para. 2, l. 9 to p. 2, para. 1, l. 1; new no page, para. 2, l. 2): \
            \"Pay [-30-]{+60+} on time\"\n2. moved (old p. 4, para. 1, l. 1; new no page, para. 9, l. 9): \"5. Term\"";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("offset"), "{text}");
        found.changes.clear();
        (found.counts, found.total, found.next_offset) =
            (RedlineCounts { unchanged: 3, ..RedlineCounts::default() }, 0, None);
        assert!(redline(&found, 0, Reader::Assistant).ends_with("Both have the same text: 3 paragraphs."));
    }
}
