//! The outline of a document: its headings and numbered clauses, with their places.

use casetrack_core::{
    BlockKind, ChunkId, CollectionId, DocumentMeta, PlacedReference, Reference, ReferenceKind, Result, single_spaced,
};
use casetrack_nlp::references::resolve::Headings;
use schemars::JsonSchema;
use serde::Serialize;

use super::document_named;
use crate::Host;
use crate::paging::{Paging, Part};

/// Longest title of a section, in characters; a longer one is a paragraph that looks like a heading.
const MAX_TITLE_CHARS: usize = 200;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentStructure {
    pub document: DocumentMeta,
    /// In reading order. Empty if the document has no headings; browse its pages instead.
    pub sections: Vec<Section>,
    /// Sections of the document, also those that are not listed.
    pub total: u64,
    /// The offset to continue with; `None` at the end.
    pub next_offset: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Section {
    /// As the page has it, in one line.
    pub title: String,
    /// From 1, the outermost.
    pub level: u8,
    /// From 1.
    pub page: u32,
    /// From 1, on the page.
    pub paragraph: u32,
    pub line_start: u32,
    pub line_end: u32,
    /// Characters of the page, half-open: the heading itself.
    pub char_start: u32,
    pub char_end: u32,
    pub chunk_id: Option<ChunkId>,
    pub chunk_index: Option<u32>,
    /// References to it in the document ("Section 4.2"), in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cited_at: Vec<CitedAt>,
}

/// A reference to a section, in another place of the same document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CitedAt {
    /// Normalised: "Section 4.2(b)".
    pub name: String,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
}

/// The headings of a document, each with the internal references that mean it. Reads all its pages.
pub fn document_structure(
    host: &Host,
    collection: CollectionId,
    name: &str,
    paging: Paging,
) -> Result<DocumentStructure> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, name)?;
    let chunks = collection.chunk_spans(document.id)?;
    let mut sections: Vec<Section> = Vec::new();
    for number in 1..=document.page_count {
        let Some(page) = collection.page(document.id, number)? else { continue };
        let headings = (1..).zip(&page.blocks).filter_map(|(paragraph, block)| match block.kind {
            BlockKind::Heading { level } => Some((level, paragraph, block)),
            _ => None,
        });
        let mut chars = page.text.chars();
        let mut at = 0;
        let mut line = 1;
        for (level, paragraph, block) in headings {
            let before = chars.by_ref().take(block.char_start.saturating_sub(at) as usize);
            line += before.filter(|&c| c == '\n').count() as u32;
            let title: String = chars.by_ref().take((block.char_end - block.char_start) as usize).collect();
            at = block.char_end;
            let line_start = line;
            line += title.chars().filter(|&c| c == '\n').count() as u32;
            let line_end = line_start + title.trim_end().chars().filter(|&c| c == '\n').count() as u32;
            let title = single_spaced(&title);
            let holds = |chunk: &&casetrack_store::ChunkSpan| {
                chunk.page == number && (chunk.char_start..chunk.char_end).contains(&block.char_start)
            };
            let chunk = chunks.iter().find(holds);
            sections.push(Section {
                title: title.chars().take(MAX_TITLE_CHARS).collect(),
                level: level.max(1),
                page: number,
                paragraph,
                line_start,
                line_end,
                char_start: block.char_start,
                char_end: block.char_end,
                chunk_id: chunk.map(|chunk| chunk.id),
                chunk_index: chunk.map(|chunk| chunk.index),
                cited_at: Vec::new(),
            });
        }
    }
    let headings = Headings::new(sections.iter().map(|section| section.title.as_str()));
    let annotations = collection.annotations(document.id)?.unwrap_or_default();
    for PlacedReference { page, reference } in annotations.references {
        if reference.kind == ReferenceKind::Internal
            && let Some(section) = headings.resolve(&reference.name)
        {
            let Reference { name, char_start, char_end, .. } = reference;
            sections[section].cited_at.push(CitedAt { name, page, char_start, char_end });
        }
    }
    let Part { items: sections, total, next_offset } = paging.of(sections);
    Ok(DocumentStructure { document, sections, total, next_offset })
}
