//! The text around a passage.

use casetrack_core::{Provenance, Result};
use casetrack_store::Collection;

use super::Surroundings;

/// Up to `chars` characters of the page on each side of a passage, cut at the ends of words if possible. Reads the page.
pub(super) fn around(collection: &Collection, place: &Provenance, chars: u32) -> Result<Surroundings> {
    if chars == 0 {
        return Ok(Surroundings::default());
    }
    let Some(page) = collection.page(place.document_id, place.page)? else { return Ok(Surroundings::default()) };
    let start = byte_of(&page.text, place.char_start);
    let end = byte_of(&page.text, place.char_end);
    let (before, after) = (&page.text[..start], &page.text[end..]);
    let from = before.char_indices().rev().nth(chars as usize).map(|(at, _)| at);
    let before = match from {
        // The character before the first one that is wanted shows whether a word is cut.
        Some(from) => before[from..].split_once(char::is_whitespace).map_or(&before[from..], |(_, whole)| whole),
        None => before,
    };
    let after = match after.char_indices().nth(chars as usize) {
        Some((to, c)) => {
            let to = to + c.len_utf8();
            after[..to].rsplit_once(char::is_whitespace).map_or(&after[..to], |(whole, _)| whole)
        }
        None => after,
    };
    Ok(Surroundings { before: Some(before.to_owned()), after: Some(after.to_owned()) })
}

/// The byte offset of a character; the end of the text if it has fewer.
fn byte_of(text: &str, char: u32) -> usize {
    text.char_indices().nth(char as usize).map_or(text.len(), |(at, _)| at)
}
