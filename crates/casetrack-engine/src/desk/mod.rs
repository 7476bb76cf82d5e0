//! What a person at the workbench needs besides the use cases of assistants: pages with their layout, files that are uploaded, and the
//! completion of paths.

mod paths;
mod uploads;

use casetrack_core::{Change, ChunkId, CollectionId, DocumentId, HiddenText, Page, Rect, Result};
use casetrack_extract::can_render;
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::chunks::check_page;
use crate::documents::{find_document, just_deleted};
use crate::host::Host;

pub use paths::PathEntry;
pub use uploads::Upload;

/// A page with its layout.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageLayout {
    pub document_id: DocumentId,
    pub document_name: String,
    /// From 1.
    pub page: u32,
    pub page_count: u32,
    /// The label that the file prints on the page, where it is not its number.
    pub label: Option<String>,
    /// The Bates number on the page, as printed.
    pub bates: Option<String>,
    /// Verbatim, as it is stored.
    pub text: String,
    /// The place of each line of the text, in points; null for a line without one, and none where the format has no pages.
    pub lines: Vec<Option<Rect>>,
    /// The chunks of the page, in order.
    pub chunks: Vec<ChunkPlace>,
    /// What of the text the file does not show.
    pub hidden: Vec<HiddenText>,
    /// Tracked changes, by place.
    pub changes: Vec<Change>,
    /// Whether the page can be shown as a picture.
    pub has_picture: bool,
    /// The name of the sheet, for spreadsheets.
    pub sheet_name: Option<String>,
    /// Mean confidence, 0-1, where the text was read by OCR.
    pub ocr_confidence: Option<f32>,
}

/// Where a chunk is on its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChunkPlace {
    pub chunk_id: ChunkId,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// From 1.
    pub line_start: u32,
    pub line_end: u32,
}

impl Host {
    /// A page as it is stored, with the places of its lines and chunks. Costs the reading of the page.
    ///
    /// Errors: [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode) for a page that is not there.
    pub fn page_layout(&self, collection: CollectionId, document: &str, page: u32) -> Result<PageLayout> {
        let collection = self.collection(collection)?;
        let meta = find_document(&collection, document)?;
        check_page(&meta, page)?;
        let stored = collection.page(meta.id, page)?.ok_or_else(|| just_deleted(&meta.name))?;
        let on_page = collection.chunks_on_pages(meta.id, page..=page)?;
        let chunks = collection.chunk_range(meta.id, on_page)?;
        let chunks = chunks.into_iter().map(|chunk| ChunkPlace {
            chunk_id: chunk.id,
            char_start: chunk.char_start,
            char_end: chunk.char_end,
            line_start: chunk.line_start,
            line_end: chunk.line_end,
        });
        let Page { text, line_boxes, notes, ocr_confidence, sheet_name, .. } = stored;
        Ok(PageLayout {
            document_id: meta.id,
            document_name: meta.name,
            page,
            page_count: meta.page_count,
            label: notes.label,
            bates: notes.bates,
            text,
            lines: line_boxes,
            chunks: chunks.collect(),
            hidden: notes.hidden,
            changes: notes.changes,
            has_picture: can_render(meta.format),
            sheet_name,
            ocr_confidence,
        })
    }
}
