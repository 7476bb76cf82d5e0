//! Use cases of a person at the workbench besides those of assistants: pages with their layout, files that are uploaded, and the completion
//! of paths.

mod paths;
mod uploads;

use casetrack_core::{
    Annotations, Change, ChunkId, CollectionId, DocumentId, EntityType, HiddenText, Page, Rect, Result,
};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::Host;
use casetrack_host::documents::chunks::check_page;
use casetrack_host::documents::{document_named, just_deleted};

pub use paths::{PathEntry, complete_path};
pub use uploads::{Upload, UploadFile, begin_upload};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageLayout {
    pub document_id: DocumentId,
    pub document_name: String,
    /// From 1.
    pub page: u32,
    pub page_count: u32,
    /// The label that the file prints on the page, if it is not its number.
    pub label: Option<String>,
    /// The Bates number on the page, as printed.
    pub bates: Option<String>,
    /// Verbatim, as it is stored.
    pub text: String,
    /// The place of each line of the text, in points; null for a line without one, and empty if the format has no pages.
    pub lines: Vec<Option<Rect>>,
    /// The chunks of the page, in order.
    pub chunks: Vec<ChunkPlace>,
    /// The text that the file does not show.
    pub hidden: Vec<HiddenText>,
    /// Tracked changes, by place.
    pub changes: Vec<Change>,
    /// True if the page can be shown as a picture.
    pub has_picture: bool,
    pub sheet_name: Option<String>,
    /// Mean confidence, 0-1, if the text was read by OCR.
    pub ocr_confidence: Option<f32>,
    /// The people, organizations and places that the page names, in the order of their first mentions; none unless asked for.
    pub names: Vec<NameOnPage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameOnPage {
    pub entity_type: EntityType,
    /// As the document writes it most often.
    pub name: String,
    pub mentions: u32,
}

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

/// A page as it is stored, with the places of its lines and chunks. Reads the page; with `names`, also everything that was found in the
/// document.
///
/// Errors: [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode) for a page that is not there.
pub fn page_layout(
    host: &Host,
    collection: CollectionId,
    document: &str,
    page: u32,
    names: bool,
) -> Result<PageLayout> {
    let collection = host.collection(collection)?;
    let meta = document_named(&collection, document)?;
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
    let found = if names { collection.annotations(meta.id)? } else { None };
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
        has_picture: meta.format.is_drawn(),
        sheet_name,
        ocr_confidence,
        names: found.map_or_else(Vec::new, |found| names_on(&found, page)),
    })
}

fn names_on(found: &Annotations, page: u32) -> Vec<NameOnPage> {
    let mut names: Vec<(u32, NameOnPage)> = Vec::new();
    for mention in found.mentions.iter().filter(|mention| mention.page == page) {
        if let Some((_, name)) = names.iter_mut().find(|(entity, _)| *entity == mention.entity) {
            name.mentions += 1;
            continue;
        }
        let Some(entity) = found.entities.get(mention.entity as usize) else { continue };
        if matches!(entity.entity_type, EntityType::Person | EntityType::Organization | EntityType::Location) {
            let name = NameOnPage { entity_type: entity.entity_type, name: entity.name.clone(), mentions: 1 };
            names.push((mention.entity, name));
        }
    }
    names.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use casetrack_core::{LocalEntity, PlacedMention};

    use super::*;

    #[test]
    fn the_names_of_a_page_are_in_the_order_of_their_first_mentions() {
        let entity = |entity_type, name: &str| LocalEntity {
            entity_type,
            key: name.to_lowercase(),
            name: name.to_owned(),
            aliases: Vec::new(),
            value: None,
            confidence: 90,
        };
        let mention =
            |entity, page, char_start| PlacedMention { entity, page, char_start, char_end: char_start + 3, role: None };
        let found = Annotations {
            entities: vec![
                entity(EntityType::Person, "Ann"),
                entity(EntityType::Date, "2025-01-01"),
                entity(EntityType::Organization, "Acme"),
            ],
            mentions: vec![mention(0, 1, 0), mention(1, 2, 0), mention(2, 2, 10), mention(0, 2, 20), mention(2, 2, 30)],
            ..Annotations::default()
        };
        let names =
            |page| -> Vec<_> { names_on(&found, page).into_iter().map(|found| (found.name, found.mentions)).collect() };
        assert_eq!(names(2), [("Acme".to_owned(), 2), ("Ann".to_owned(), 1)]);
        assert_eq!(names(1), [("Ann".to_owned(), 1)]);
        assert_eq!(names(3), []);
    }
}
