//! Dates in the information about a document.

use casetrack_pages::text::dates;

/// The control words of a date's parts, from its year to its second.
const WORDS: [&str; 6] = ["yr", "mo", "dy", "hr", "min", "sec"];

/// The numbers of [`WORDS`], as far as the file gives them.
#[derive(Default)]
pub(super) struct Date([Option<i16>; 6]);

impl Date {
    /// Takes a control word; those that are no part of a date are ignored.
    pub fn set(&mut self, word: &str, value: i32) {
        if let Some(at) = WORDS.iter().position(|known| *known == word) {
            self.0[at] = i16::try_from(value).ok();
        }
    }

    /// The date in ISO 8601, up to its first missing part. RTF states no offset.
    pub fn to_iso(&self) -> Option<String> {
        let fields: Vec<i16> = self.0.iter().map_while(|field| *field).collect();
        dates::of_fields(&fields)
    }
}
