use std::collections::HashMap;
use std::collections::hash_map::Entry;

use casetrack_core::{ChunkId, DocumentId, Page, Provenance, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::NearestPassage;
use super::finder::{Finder, QuoteMatch};
use casetrack_host::documents::just_deleted;
use casetrack_host::documents::part::part_of;

/// The place of a passage. Line and paragraph numbers count from 1 within their page and include both ends.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuotePlace {
    pub citation: String,
    #[serde(skip)]
    pub document_id: DocumentId,
    pub document_name: String,
    pub file_path: String,
    /// The chunk it begins in.
    pub chunk_id: ChunkId,
    /// The page it begins on.
    pub page: u32,
    /// The page it ends on, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_end: Option<u32>,
    /// As in [`Provenance`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpaged: bool,
    pub paragraph_start: u32,
    pub paragraph_end: u32,
    pub line_start: u32,
    pub line_end: u32,
    /// Characters of their pages, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
}

/// Sorted by the paths of the documents, then by place.
pub(super) fn in_order(finder: &mut Finder<'_>, mut found: Vec<QuoteMatch>) -> Result<Vec<QuoteMatch>> {
    let mut paths: HashMap<DocumentId, String> = HashMap::new();
    for one in &found {
        if let Entry::Vacant(entry) = paths.entry(one.document) {
            let document = finder.passages.document(one.document)?;
            entry.insert(document.map_or_else(String::new, |document| document.meta.path.clone()));
        }
    }
    // The places of each document are in order.
    found.sort_by(|a, b| paths[&a.document].cmp(&paths[&b.document]));
    Ok(found)
}

pub(super) fn of(finder: &mut Finder<'_>, found: &QuoteMatch) -> Result<QuotePlace> {
    let pages = pages(finder, found)?;
    place(finder, found, &pages)
}

pub(super) fn nearest(finder: &mut Finder<'_>, found: &QuoteMatch, likeness: f32) -> Result<NearestPassage> {
    let pages = pages(finder, found)?;
    let mut text = String::new();
    for page in &pages {
        let start = if page.number == found.start.page { found.start.char } else { 0 };
        let end = if page.number == found.end.page { found.end.char } else { u32::MAX };
        if !text.is_empty() {
            text.push('\n');
        }
        text.extend(page.text.chars().take(end as usize).skip(start as usize));
    }
    let same_words = found.differences.iter().all(|difference| difference.kind.has_same_words());
    let differences = found.differences.clone();
    Ok(NearestPassage { place: place(finder, found, &pages)?, text, likeness, same_words, differences })
}

fn pages(finder: &Finder<'_>, found: &QuoteMatch) -> Result<Vec<Page>> {
    let numbers = found.start.page..=found.end.page;
    numbers.filter_map(|number| finder.page(found.document, number).transpose()).collect()
}

fn place(finder: &mut Finder<'_>, found: &QuoteMatch, pages: &[Page]) -> Result<QuotePlace> {
    let passage = finder.passages.at(found.document, found.start.chunk)?;
    let (passage, first, last) = match (passage, pages.first(), pages.last()) {
        (Some(passage), Some(first), Some(last)) => (passage, first, last),
        _ => return Err(just_deleted("The document")),
    };
    let chunk = &passage.chunk;
    let whole = Provenance {
        tracked_changes: passage.tracked_changes,
        hidden_text: passage.hidden_text.clone(),
        ..Provenance::of(chunk, &passage.document.meta, &passage.origin, finder.style.clone())
    };
    let page_end = (found.end.page != found.start.page).then_some(found.end.page);
    let text: String = first.text.chars().skip(chunk.char_start as usize).collect();
    let end = if page_end.is_some() { whole.char_start + text.chars().count() as u32 } else { found.end.char };
    let mut provenance = part_of(finder.collection, &whole, &text, &first.blocks, found.start.char..end)?;
    if page_end.is_some() {
        let last_char = found.end.char.saturating_sub(1);
        provenance.paragraph_end = last.blocks.partition_point(|block| block.char_start <= last_char).max(1) as u32;
        (provenance.line_end, provenance.char_end) = (found.end.line, found.end.char);
    }
    let citation = match page_end {
        None => provenance.citation(),
        // A style cites one passage of a page; this one is written in full.
        Some(_) => format!(
            "{}, {}, para. {}, l. {} to {}, para. {}, l. {}",
            provenance.document_name,
            provenance.cited_page(),
            provenance.paragraph_start,
            provenance.line_start,
            last.cited(provenance.unpaged),
            provenance.paragraph_end,
            provenance.line_end,
        ),
    };
    Ok(QuotePlace {
        citation,
        document_id: provenance.document_id,
        document_name: provenance.document_name,
        file_path: provenance.file_path,
        chunk_id: chunk.id,
        page: provenance.page,
        page_end,
        unpaged: provenance.unpaged,
        paragraph_start: provenance.paragraph_start,
        paragraph_end: provenance.paragraph_end,
        line_start: provenance.line_start,
        line_end: provenance.line_end,
        char_start: provenance.char_start,
        char_end: provenance.char_end,
        heading_path: provenance.heading_path,
    })
}
