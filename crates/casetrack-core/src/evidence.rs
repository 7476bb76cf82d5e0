//! Evidence: passages that users collect from the documents of a collection, with their notes.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{DocumentId, Error, Result, Sha256, Timestamp};

/// Most items of a tray.
pub const MAX_ITEMS: usize = 2000;
/// Longest passage, in characters: about ten pages.
pub const MAX_TEXT_CHARS: usize = 30_000;
/// Longest note, in characters.
pub const MAX_NOTE_CHARS: usize = 10_000;
/// Longest exhibit number, in characters.
pub const MAX_EXHIBIT_CHARS: usize = 60;

/// A passage as it was when it was collected. Its present place is looked up when it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceItem {
    /// From 1; no other item of the tray has had it.
    pub id: u32,
    pub document: DocumentId,
    /// Name, path and digest of the file at that time.
    pub document_name: String,
    pub path: String,
    pub sha256: Sha256,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Verbatim text of the page between them.
    pub text: String,
    /// The line to cite it by.
    pub citation: String,
    /// The user's own words; empty for none.
    pub note: String,
    /// Number or letter of the exhibit ("A", "12"); empty for none.
    pub exhibit: String,
    pub added_at: Timestamp,
}

/// The evidence of a collection, in the order that the user gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceTray {
    /// The id that the last added item got; 0 before the first.
    pub last_id: u32,
    pub items: Vec<EvidenceItem>,
}

impl EvidenceTray {
    /// Adds an item at the end and gives it its id. Errors: [`ErrorCode::InvalidArgument`](crate::ErrorCode) if the
    /// tray is full or a text is too long.
    pub fn add(&mut self, item: EvidenceItem) -> Result<u32> {
        if self.items.len() >= MAX_ITEMS {
            return Err(Error::invalid(format!("The evidence is full: it has {MAX_ITEMS} passages."))
                .with_hint("Export them, and remove those that are no longer needed."));
        }
        item.check()?;
        self.last_id = self.last_id.saturating_add(1);
        self.items.push(EvidenceItem { id: self.last_id, ..item });
        Ok(self.last_id)
    }

    pub fn position(&self, id: u32) -> Option<usize> {
        self.items.iter().position(|item| item.id == id)
    }

    /// Checks a tray that comes from elsewhere.
    pub fn check(&self) -> Result<()> {
        if self.items.len() > MAX_ITEMS {
            return Err(Error::invalid(format!("The evidence has more than {MAX_ITEMS} passages.")));
        }
        let mut ids = HashSet::new();
        for item in &self.items {
            item.check()?;
            if item.id == 0 || item.id > self.last_id || !ids.insert(item.id) {
                return Err(Error::invalid(format!("Evidence {} has an invalid number.", item.id)));
            }
        }
        Ok(())
    }
}

impl EvidenceItem {
    /// Errors: [`ErrorCode::InvalidArgument`](crate::ErrorCode) if a text is too long, or its place is not the place of its text.
    pub fn check(&self) -> Result<()> {
        let lengths = [
            ("passage", &self.text, MAX_TEXT_CHARS),
            ("note", &self.note, MAX_NOTE_CHARS),
            ("number of an exhibit", &self.exhibit, MAX_EXHIBIT_CHARS),
        ];
        for (what, text, most) in lengths {
            if text.chars().count() > most {
                return Err(Error::invalid(format!("A {what} has more than {most} characters.")));
            }
        }
        if self.exhibit.contains(char::is_control) {
            return Err(Error::invalid("The number of an exhibit must be one line of text."));
        }
        let chars = self.char_end.checked_sub(self.char_start);
        if self.page == 0 || self.text.is_empty() || chars != u32::try_from(self.text.chars().count()).ok() {
            return Err(Error::invalid(format!("Evidence {} does not give the place of its text.", self.id)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> EvidenceItem {
        EvidenceItem {
            id: 0,
            document: DocumentId::from_bytes([7; 16]),
            document_name: "Lease.pdf".into(),
            path: "/data/Lease.pdf".into(),
            sha256: Sha256([1; 32]),
            page: 2,
            char_start: 10,
            char_end: 10 + text.chars().count() as u32,
            text: text.into(),
            citation: "Lease.pdf, p. 2".into(),
            note: String::new(),
            exhibit: String::new(),
            added_at: Timestamp(0),
        }
    }

    #[test]
    fn no_number_is_given_twice() {
        let mut tray = EvidenceTray::default();
        assert_eq!((tray.add(item("a")).unwrap(), tray.add(item("b")).unwrap()), (1, 2));
        tray.items.pop();
        assert_eq!(tray.add(item("c")).unwrap(), 3);
        tray.check().unwrap();
        tray.items[0].id = 3;
        assert!(tray.check().is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut tray = EvidenceTray::default();
        for wrong in [
            EvidenceItem { text: String::new(), char_end: 10, ..item("x") },
            EvidenceItem { char_end: 12, ..item("x") },
            EvidenceItem { page: 0, ..item("x") },
            EvidenceItem { note: "n".repeat(MAX_NOTE_CHARS + 1), ..item("x") },
            EvidenceItem { exhibit: "A\nB".into(), ..item("x") },
            item(&"x".repeat(MAX_TEXT_CHARS + 1)),
        ] {
            assert!(tray.add(wrong).is_err());
        }
        for _ in 0..MAX_ITEMS {
            tray.add(item("x")).unwrap();
        }
        assert!(tray.add(item("x")).unwrap_err().message.contains("2000"));
    }
}
