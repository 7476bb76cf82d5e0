//! A chunk: the unit that is embedded, searched and cited.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ChunkId, ColumnRange, Rect, RowRange};

/// A passage of one page: `page.text[char_start..char_end]` is `text`, verbatim.
///
/// Line and paragraph numbers count from 1 within the page and include both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chunk {
    pub id: ChunkId,
    /// Place in the document, from 0, without gaps, in reading order.
    pub index: u32,
    pub page: u32,
    pub char_start: u32,
    pub char_end: u32,
    /// The same span in bytes of the page's UTF-8 text, so that a reader can slice without counting characters.
    pub byte_start: u32,
    pub byte_end: u32,
    pub paragraph_start: u32,
    pub paragraph_end: u32,
    pub line_start: u32,
    pub line_end: u32,
    pub sheet_name: Option<String>,
    pub row_range: Option<RowRange>,
    pub column_range: Option<ColumnRange>,
    /// Boxes of the lines the chunk touches, on the page; empty if the format has no geometry.
    pub bounding_boxes: Vec<Rect>,
    /// Headings above the chunk, outermost first.
    pub heading_path: Vec<String>,
    /// Context that the embedding gets before the text (table header, heading path); never shown as a quotation.
    pub context: String,
    pub text: String,
}

impl Chunk {
    /// The text that is embedded: context, then the text with its words whole.
    pub fn embedding_text(&self) -> String {
        let text = self.searchable_text();
        if self.context.is_empty() { text.into_owned() } else { format!("{}\n{text}", self.context) }
    }

    /// The text whose words are whole where a line breaks them. It serves no quotation: offsets refer to `text`.
    pub fn searchable_text(&self) -> Cow<'_, str> {
        whole_words(&self.text)
    }
}

/// Joins "exam-\nple" to "example" if there are lower-case letters around the break: capitals and digits belong to
/// names and numbers that are written with a hyphen. A compound that the text also has with a hyphen keeps it.
fn whole_words(text: &str) -> Cow<'_, str> {
    let mut joined = String::new();
    let mut copied = 0;
    for (place, _) in text.match_indices('\n') {
        let Some((hyphen, mark)) = text[..place].char_indices().next_back() else { continue };
        let is_lower = |c: char| c.is_lowercase();
        if !matches!(mark, '-' | '\u{2010}' | '\u{AD}')
            || !text[..hyphen].ends_with(is_lower)
            || !text[place + 1..].starts_with(is_lower)
        {
            continue;
        }
        let first = text[..hyphen].rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let second = text[place + 1..].split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let is_compound = mark == '-' && text.contains(&format!("{first}-{second}"));
        joined.push_str(&text[copied..if is_compound { place } else { hyphen }]);
        copied = place + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    joined.push_str(&text[copied..]);
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_broken_at_the_end_of_a_line_are_searched_whole() {
        for (text, whole) in [
            ("an exam-\nple of it", "an example of it"),
            ("Prü\u{AD}\nfung and agree\u{2010}\nment", "Prüfung and agreement"),
            ("a well-\nknown and well-known thing", "a well-known and well-known thing"),
            ("Baden-\nBaden, 2020-\n21, see -\nnote, a-\n b", "Baden-\nBaden, 2020-\n21, see -\nnote, a-\n b"),
            ("no break", "no break"),
            ("ends in a-\n", "ends in a-\n"),
        ] {
            assert_eq!(whole_words(text), whole);
        }
    }
}
