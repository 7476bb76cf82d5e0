//! A chunk: the unit that is embedded, searched and cited.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::provenance::{ColumnRange, RowRange};
use crate::{ChunkId, Rect};

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
    /// Boxes of the lines the chunk touches, on the page; empty where the format has no geometry.
    pub bounding_boxes: Vec<Rect>,
    /// Headings above the chunk, outermost first.
    pub heading_path: Vec<String>,
    /// What the embedding sees before the text (table header, heading path); never shown as a quotation.
    pub context: String,
    pub text: String,
}

impl Chunk {
    /// The text that is embedded: context, then the verbatim text.
    pub fn embedding_text(&self) -> String {
        if self.context.is_empty() { self.text.clone() } else { format!("{}\n{}", self.context, self.text) }
    }
}
