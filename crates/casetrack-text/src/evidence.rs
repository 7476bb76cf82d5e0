//! Evidence as text.

use std::fmt::Write;

use casetrack_engine::evidence::{EvidenceList, EvidenceStatus, EvidenceView};

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::{citation, document_text, quote};
use crate::Reader;

/// A notice about the source; `None` if it is unchanged.
pub fn source_note(status: EvidenceStatus) -> Option<&'static str> {
    match status {
        EvidenceStatus::Unchanged => None,
        EvidenceStatus::Moved => {
            Some("The text has moved in its source since it was collected; the citation is the new one.")
        }
        EvidenceStatus::Changed => {
            Some("The source has changed since this was collected, and no longer has this text.")
        }
        EvidenceStatus::Deleted => Some("The document is no longer in the collection."),
    }
}

pub fn list(list: &EvidenceList) -> String {
    let mut text = format!("Evidence of {}: {}\n", one_line(&list.collection), counted(list.total, "passage"));
    if list.changed > 0 {
        let _ = writeln!(text, "Passages that their sources no longer have: {}", thousands(list.changed));
    }
    for item in &list.items {
        let _ = write!(text, "\n{}", entry(item));
    }
    if list.total == 0 {
        text.push_str("\nNothing has been collected yet.");
    }
    let mut text = trimmed(text);
    Reader::Assistant.push_more(&mut text, list.total, list.next_offset);
    text
}

pub fn added(item: &EvidenceView) -> String {
    format!("Collected.\n\n{}", trimmed(entry(item)))
}

pub fn updated(item: &EvidenceView) -> String {
    format!("Changed.\n\n{}", trimmed(entry(item)))
}

pub fn removed(item: &EvidenceView) -> String {
    format!("Removed evidence {}: {}", item.id, citation(&item.citation))
}

fn entry(item: &EvidenceView) -> String {
    let exhibit =
        if item.exhibit.is_empty() { String::new() } else { format!(" | Exhibit {}", one_line(&item.exhibit)) };
    let mut text =
        format!("{}. Evidence {}{exhibit}\nCitation: {}\n", item.position, item.id, citation(&item.citation));
    if let Some(said) = source_note(item.status) {
        let _ = writeln!(text, "Note: {said}");
    }
    if !item.note.is_empty() {
        let _ = writeln!(text, "User's note: {}", quote(&item.note));
    }
    let _ = writeln!(text, "{}", document_text(&item.text));
    text
}

#[cfg(test)]
mod tests {
    use casetrack_core::{DocumentId, Timestamp};

    use super::*;

    fn item(position: u32, text: &str, status: EvidenceStatus) -> EvidenceView {
        EvidenceView {
            id: position + 10,
            position,
            exhibit: if position == 1 { "A".into() } else { String::new() },
            note: if position == 1 { "Ask <Ann> about this.\n=1+1".into() } else { String::new() },
            status,
            document_id: DocumentId::from_bytes([7; 16]),
            document_name: "Lease & Co.pdf".into(),
            page: 3,
            char_start: 5,
            char_end: 5 + text.chars().count() as u32,
            text: text.into(),
            citation: "Lease & Co.pdf, p. 3, para. 1, l. 2".into(),
            chunk_id: None,
            bounding_boxes: Vec::new(),
            has_picture: false,
            added_at: Timestamp(0),
        }
    }

    fn sample() -> EvidenceList {
        let items = vec![
            item(1, "The Tenant shall pay\n*USD* 100 – <script>alert(1)</script>.", EvidenceStatus::Unchanged),
            item(2, "=HYPERLINK(\"x\"), gone", EvidenceStatus::Changed),
        ];
        EvidenceList { collection: "Flat".into(), items, total: 2, changed: 1, next_offset: None }
    }

    #[test]
    fn each_passage_has_its_citation_and_what_became_of_its_source() {
        let text = list(&sample());
        assert!(
            text.starts_with(
                "Evidence of Flat: 2 passages\nPassages that their sources no longer have: 1\n\n1. Evidence 11 | Exhibit A\n"
            ),
            "{text}"
        );
        assert!(text.contains("Citation: \"Lease & Co.pdf\", p. 3, para. 1, l. 2\n"), "{text}");
        assert!(text.contains("User's note: \"Ask <Ann> about this. =1+1\""), "{text}");
        assert!(text.contains("Note: The source has changed"), "{text}");
    }
}
