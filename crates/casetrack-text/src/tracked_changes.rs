//! Tracked changes: the changes of a document, and deleted texts that a search found.

use casetrack_core::{FileFormat, TextView, UNLISTED_CHANGES};
use casetrack_engine::search::{DeletedTexts, SearchResponse};
use casetrack_engine::tracked_changes::{CitedChange, DocumentChanges, Viewed};

use super::format::{counted, one_line, push_notices, shorten, trimmed};
use super::marks::{citation, document_text, name, quote};
use crate::Reader;

/// The note that a passage is shown with all changes accepted.
pub(crate) const CONTAINS: &str = "contains tracked changes; shown as if all were accepted";
/// Longest query repeated above the results, in characters.
const MAX_QUERY_CHARS: usize = 300;

/// A text in another view than the final one.
pub fn viewed(viewed: &Viewed) -> String {
    let about = match viewed.view {
        TextView::Final => "Final text, as if all tracked changes were accepted",
        TextView::Original => {
            "Original text, as if all tracked changes were rejected. Not a quotation of the present document"
        }
        TextView::Redline => {
            "Redline: [+inserted+] [-deleted-] [>moved here>] [<moved away<]. Not a quotation of the present document"
        }
    };
    format!("{about}:\n{}", document_text(&viewed.text))
}

/// The changes of a document, one after the other.
pub fn changes(list: &DocumentChanges, reader: Reader) -> String {
    let document = &list.document;
    let mut text = format!(
        "{}: {}\nFile: {}\n",
        name(&document.name),
        counted(list.total, "tracked change"),
        name(&document.path)
    );
    let unlisted: Vec<&String> =
        document.warnings.iter().filter(|warning| warning.starts_with(UNLISTED_CHANGES)).collect();
    for warning in &unlisted {
        text.push_str(&format!("{}\n", one_line(warning)));
    }
    if list.total == 0 && !unlisted.is_empty() {
        text.push_str("\nNo insertions, deletions or moves are known.");
        return text;
    }
    if list.total == 0 {
        text.push_str(&format!(
            "\nNo tracked changes are known. They are read from {} files; documents ingested by an earlier version have to be \
             reindexed first.",
            FileFormat::labels(&FileFormat::WITH_TRACKED_CHANGES)
        ));
        return text;
    }
    text.push_str("The text of the document is that after all changes.\n");
    for change in &list.changes {
        text.push_str(&format!("\n{}", entry(&change.change)));
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, list.total, list.next_offset);
    text
}

/// `deleted by Ann Lee, 2024-05-03T09:00:00Z: Lease.docx, p. 3, para. 8, l. 4`, then the text.
pub(crate) fn entry(change: &CitedChange) -> String {
    let by = change.author.as_ref().map(|author| format!(" by {}", name(author))).unwrap_or_default();
    let date = change.date.as_ref().map(|date| format!(", {}", one_line(date))).unwrap_or_default();
    let was_new = if change.of_insertion { " (had been inserted)" } else { "" };
    let cut = if change.is_cut { " (part of it)" } else { "" };
    let chunk = change.chunk_id.map(|id| format!(" | chunk {}", id.short())).unwrap_or_default();
    let (kind, place) = (change.kind.label(), citation(&change.citation));
    format!("{place}{chunk}\n   {kind}{was_new}{by}{date}{cut}: {}\n", quote(&change.text))
}

pub(crate) fn deleted(response: &SearchResponse, found: &DeletedTexts, reader: Reader) -> String {
    let mut text = format!(
        "Search in deleted texts: \"{}\"\nCollection: {} | {} searched\n\nFound: {} in {}\n",
        shorten(&response.query, MAX_QUERY_CHARS),
        one_line(&response.collection),
        counted(response.documents, "document"),
        counted(found.total, "deletion"),
        counted(found.documents, "document"),
    );
    push_notices(&mut text, &reader.notices(&response.notices));
    for deleted in &found.texts {
        let collection = deleted.collection.as_ref().map(|name| format!("{}: ", one_line(name))).unwrap_or_default();
        text.push_str(&format!("\n{collection}{}", entry(&deleted.change.change)));
    }
    trimmed(text)
}

#[cfg(test)]
mod tests {
    use casetrack_core::ChangeKind;

    use super::*;
    use crate::samples;

    #[test]
    fn changes_read_with_place_author_and_date() {
        let list = DocumentChanges {
            document: samples::document(),
            changes: vec![samples::change(ChangeKind::Deletion, "thirty\ndays")],
            total: 2,
            next_offset: Some(1),
        };
        let text = changes(&list, Reader::Assistant);
        let entry = "Vendor_Agreement.docx, p. 12, para. 8, l. 4 | chunk c0ffee00\n   deleted by \"Ann Lee\", 2024-05-03T09:00:00Z: \"thirty days\"";
        assert!(text.contains(entry) && text.starts_with("Vendor_Agreement.docx: 2 tracked changes\n"), "{text}");
        let none = DocumentChanges { changes: Vec::new(), total: 0, next_offset: None, ..list };
        assert!(changes(&none, Reader::Assistant).contains("No tracked changes are known."));
        let mut counted = none;
        counted.document.warnings =
            vec![format!("{UNLISTED_CHANGES}: 2 of formatting (by Ann)."), "Another.".to_owned()];
        let text = changes(&counted, Reader::Assistant);
        assert!(text.contains("\nTracked changes that are not listed: 2 of formatting (by Ann).\n"), "{text}");
        assert!(!text.contains("Another") && !text.contains("No tracked changes"), "{text}");
    }
}
