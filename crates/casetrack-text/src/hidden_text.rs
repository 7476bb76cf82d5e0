//! Text that files hold but do not show.

use casetrack_core::{FileFormat, HiddenReason};
use casetrack_engine::hidden::{HiddenPassage, HiddenPassages};

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::{citation, quote};
use crate::Reader;

/// The note that part of a quoted passage is invisible; `None` if all is visible.
pub(crate) fn contains(reasons: &[HiddenReason]) -> Option<String> {
    let reasons: Vec<&str> = reasons.iter().map(|reason| reason.label()).collect();
    (!reasons.is_empty()).then(|| format!("contains hidden text ({})", reasons.join("; ")))
}

/// The hidden texts, one after the other.
pub fn passages(list: &HiddenPassages, reader: Reader) -> String {
    let mut text = format!(
        "Hidden text in {}: {} in {} of {}\n",
        one_line(&list.collection),
        counted(list.total, "passage"),
        thousands(list.documents),
        counted(list.searched, "document"),
    );
    if list.total == 0 {
        text.push_str(&format!(
            "\nNo hidden text is known. CaseTrack detects it in {} files; documents ingested by an earlier version have to be \
             reindexed first.",
            FileFormat::labels(&FileFormat::WITH_HIDDEN_TEXT)
        ));
        return text;
    }
    text.push_str("Readers of the files do not see it. Check each in the file before you rely on it.\n");
    for passage in &list.passages {
        text.push_str(&format!("\n{}", entry(passage)));
    }
    let mut text = trimmed(text);
    reader.push_more(&mut text, list.total, list.next_offset);
    text
}

/// `Lease.pdf, p. 3, para. 8, l. 4 | chunk …`, then why it is hidden and the text.
fn entry(passage: &HiddenPassage) -> String {
    let chunk = passage.chunk_id.map(|id| format!(" | chunk {}", id.short())).unwrap_or_default();
    let part = passage.part.as_ref().map(|part| format!(", {}", one_line(part))).unwrap_or_default();
    let texts = if passage.texts > 1 { format!(", {} texts", thousands(passage.texts)) } else { String::new() };
    let cut = if passage.is_cut {
        format!(" (the beginning of {} characters)", thousands(passage.chars))
    } else {
        String::new()
    };
    let (reason, place) = (passage.reason.label(), citation(&passage.citation));
    format!("{place}{chunk}\n   {reason}{part}{texts}{cut}: {}\n", quote(&passage.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn hidden_texts_read_with_place_and_reason() {
        let list = HiddenPassages {
            collection: "Lease".to_owned(),
            searched: 3,
            documents: 1,
            passages: vec![samples::hidden(HiddenReason::Covered, "the sum of\nten")],
            total: 2,
            next_offset: Some(1),
        };
        let text = passages(&list, Reader::Assistant);
        assert!(text.starts_with("Hidden text in Lease: 2 passages in 1 of 3 documents\n"), "{text}");
        let entry = "Vendor_Agreement.docx, p. 12, para. 8, l. 4 | chunk c0ffee00\n   covered: \"the sum of ten\"";
        assert!(text.contains(entry), "{text}");
        let none = HiddenPassages { passages: Vec::new(), total: 0, documents: 0, next_offset: None, ..list };
        assert!(passages(&none, Reader::CommandLine).contains("No hidden text is known."));
        let said = contains(&[HiddenReason::Covered, HiddenReason::Tiny]).unwrap();
        assert_eq!(said, "contains hidden text (covered; too small to read)");
    }
}
