//! The text around a place of the graph.

use casetrack_core::{ChunkId, CitationStyle, Provenance, Result};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_graph::Place;
use casetrack_host::documents::chunks;
use casetrack_host::documents::part::part_of;
use casetrack_search::Excerpt;

/// Characters shown on each side of a mention or citation.
pub(super) const AROUND: usize = 140;
/// The same for a date of a timeline, which has many dates: some 100 characters with the date.
pub(super) const CLOSE: usize = 45;

/// A verbatim part of a passage around a mention or citation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Snippet {
    pub chunk_id: ChunkId,
    pub provenance: Provenance,
    /// Some words before and after it, with their own place.
    pub excerpt: Excerpt,
    /// Characters of the page, half-open: the mention or citation itself.
    pub char_start: u32,
    pub char_end: u32,
}

/// `None` if the document has gone since the query of the graph.
pub(super) fn at(
    collection: &Collection,
    place: &Place,
    around: usize,
    style: &CitationStyle,
) -> Result<Option<Snippet>> {
    let Some(passage) = collection.passages().at(place.document, place.chunk)? else { return Ok(None) };
    let view = chunks::view(passage, style);
    let chars: Vec<char> = view.text.chars().collect();
    let start = (place.char_start.saturating_sub(view.provenance.char_start) as usize).min(chars.len());
    let end = (place.char_end.saturating_sub(view.provenance.char_start) as usize).clamp(start, chars.len());
    // Whole words, if a space is within reach.
    let mut from = start.saturating_sub(around);
    if from > 0 {
        from = (from..start).find(|&at| chars[at].is_whitespace()).map_or(from, |space| space + 1);
    }
    let mut to = (end + around).min(chars.len());
    if to < chars.len() {
        to = (end..to).rev().find(|&at| chars[at].is_whitespace()).unwrap_or(to);
    }
    let start = view.provenance.char_start;
    let chars_shown = start + from as u32..start + to as u32;
    let blocks = collection.page_blocks(place.document, view.provenance.page)?;
    let part = part_of(collection, &view.provenance, &view.text, &blocks, chars_shown)?;
    let excerpt = Excerpt::of(chars[from..to].iter().collect(), &part);
    let Place { char_start, char_end, .. } = *place;
    Ok(Some(Snippet { chunk_id: view.chunk_id, provenance: view.provenance, excerpt, char_start, char_end }))
}
