//! Where a passage comes from, and how that is cited.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Chunk, ColumnRange, DocumentId, DocumentMeta, ExtractionMethod, Rect, RowRange, Sha256, Timestamp};

/// The exact origin of a chunk. No text leaves the engine without one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    pub document_id: DocumentId,
    pub document_name: String,
    /// Absolute path of the source file.
    pub file_path: String,
    pub sha256: Sha256,
    pub page: u32,
    pub paragraph_start: u32,
    pub paragraph_end: u32,
    pub line_start: u32,
    pub line_end: u32,
    pub char_start: u32,
    pub char_end: u32,
    pub sheet_name: Option<String>,
    pub row_range: Option<RowRange>,
    pub column_range: Option<ColumnRange>,
    pub bounding_boxes: Vec<Rect>,
    pub heading_path: Vec<String>,
    pub extraction_method: ExtractionMethod,
    pub ocr_confidence: Option<f32>,
    pub chunk_index: u32,
    pub created_at: Timestamp,
    pub embedded_at: Option<Timestamp>,
}

impl Provenance {
    /// `method` and `ocr_confidence` describe the chunk's page.
    pub fn of(chunk: &Chunk, document: &DocumentMeta, method: ExtractionMethod, ocr_confidence: Option<f32>) -> Self {
        Self {
            document_id: document.id,
            document_name: document.name.clone(),
            file_path: document.path.clone(),
            sha256: document.sha256,
            page: chunk.page,
            paragraph_start: chunk.paragraph_start,
            paragraph_end: chunk.paragraph_end,
            line_start: chunk.line_start,
            line_end: chunk.line_end,
            char_start: chunk.char_start,
            char_end: chunk.char_end,
            sheet_name: chunk.sheet_name.clone(),
            row_range: chunk.row_range,
            column_range: chunk.column_range,
            bounding_boxes: chunk.bounding_boxes.clone(),
            heading_path: chunk.heading_path.clone(),
            extraction_method: method,
            ocr_confidence,
            chunk_index: chunk.index,
            created_at: document.ingested_at,
            embedded_at: document.embedded_at,
        }
    }

    /// `Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4`
    pub fn citation(&self) -> String {
        format!(
            "{}, p. {}, {}, {}",
            self.document_name,
            self.page,
            numbered("para.", "paras.", self.paragraph_start, self.paragraph_end),
            numbered("l.", "ll.", self.line_start, self.line_end),
        )
    }

    /// `Vendor_Agreement, p. 12`
    pub fn short_citation(&self) -> String {
        let name = match self.document_name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 && !extension.contains(' ') => stem,
            _ => &self.document_name,
        };
        format!("{name}, p. {}", self.page)
    }
}

fn numbered(one: &str, many: &str, start: u32, end: u32) -> String {
    if start == end { format!("{one} {start}") } else { format!("{many} {start}-{end}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_numbers_and_ranges_are_cited_differently() {
        assert_eq!(numbered("para.", "paras.", 8, 8), "para. 8");
        assert_eq!(numbered("l.", "ll.", 1, 4), "ll. 1-4");
    }
}
