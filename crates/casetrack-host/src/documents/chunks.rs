//! Show chunks with their provenance, and the text around them.

use std::ops::Range;

use casetrack_core::{
    Action, ChunkId, CitationStyle, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Provenance, Result,
    TextView, hint,
};
use casetrack_store::{Collection, Passage, Passages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tracked_changes::{Viewed, viewed};
use super::{document_named, embedders};
use crate::Host;
use crate::paging::{Paging, Part, check_range};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChunkView {
    pub chunk_id: ChunkId,
    /// Verbatim text of the page between `char_start` and `char_end`.
    pub text: String,
    /// The same passage before its tracked changes, or with them, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewed: Option<Viewed>,
    /// The rows that name the columns, if the passage continues a table of a sheet; cells are divided by tabs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_header: Option<String>,
    pub citation: String,
    pub short_citation: String,
    pub provenance: Provenance,
    pub chunk_count: u32,
    /// The models that have a vector of it.
    pub embeddings: Vec<String>,
}

/// Chunks of a document, or of one of its pages, in reading order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentChunks {
    pub document: DocumentMeta,
    pub chunks: Vec<ChunkView>,
    /// Chunks of the document, or of the page, also those that are not listed.
    pub total: u64,
    /// The offset to continue with; `None` at the end.
    pub next_offset: Option<u64>,
}

/// A chunk with its neighbours in the document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceContext {
    pub chunk_id: ChunkId,
    pub before: Vec<ChunkView>,
    pub chunk: ChunkView,
    pub after: Vec<ChunkView>,
}

/// The chunks of a range of pages, in reading order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageChunks {
    pub document: DocumentMeta,
    pub start_page: u32,
    /// The last page that was read: the one asked for, or the document's last one.
    pub end_page: u32,
    pub chunks: Vec<ChunkView>,
    /// The page to continue with, if the answer was cut at [`MAX_BROWSED`] chunks.
    pub next_page: Option<u32>,
}

/// Chunks that follow each other.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Traversal {
    pub document: DocumentMeta,
    pub direction: Direction,
    /// In document order, whatever the direction; the starting chunk is one of them.
    pub chunks: Vec<ChunkView>,
    /// The start of the next part in the same direction; `None` at the end of the document.
    pub next_chunk_id: Option<ChunkId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    #[default]
    Forward,
    Backward,
}

/// Most chunks of one [`browse_pages`].
pub const MAX_BROWSED: usize = 100;
/// Most chunks of one [`traverse_chunks`].
pub const MAX_TRAVERSED: u32 = 20;

/// Most chunks listed if the beginning of an id fits several.
const MAX_AMBIGUOUS: usize = 10;
/// Most neighbours on each side in [`source_context`].
pub const MAX_WINDOW: u32 = 5;

pub fn chunk(host: &Host, collection: CollectionId, id: &str, text: TextView) -> Result<ChunkView> {
    let collection = host.collection(collection)?;
    let mut chunk = view(find_chunk(&mut collection.passages(), id)?, &host.config().citations);
    show_as(&collection, text, std::iter::once(&mut chunk))?;
    Ok(chunk)
}

/// Chunks of a document; with `page`, of that page only.
pub fn document_chunks(
    host: &Host,
    collection: CollectionId,
    name: &str,
    page: Option<u32>,
    paging: Paging,
) -> Result<DocumentChunks> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, name)?;
    let all = match page {
        Some(page) => {
            check_page(&document, page)?;
            collection.chunks_on_pages(document.id, page..=page)?
        }
        None => 0..document.chunk_count,
    };
    let Part { items, total, next_offset } = paging.of(all.collect());
    let indexes = items.first().map_or(0..0, |first| *first..first + items.len() as u32);
    let chunks = views(host, &mut collection.passages(), document.id, indexes)?;
    Ok(DocumentChunks { document, chunks, total, next_offset })
}

/// The chunks of pages `start` to `end` (from 1; an end beyond the document means its last page), at most
/// [`MAX_BROWSED`](chunks::MAX_BROWSED) or those of one page.
pub fn browse_pages(host: &Host, collection: CollectionId, name: &str, start: u32, end: u32) -> Result<PageChunks> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, name)?;
    check_page(&document, start)?;
    if end < start {
        return Err(Error::invalid(format!("end_page is {end} and start_page {start}; it must not be smaller.")));
    }
    let end = end.min(document.page_count);
    let mut spans = collection.chunk_spans(document.id)?;
    spans.retain(|span| (start..=end).contains(&span.page));
    let begins_page = |n: &usize| spans[n - 1].page < spans[*n].page;
    let next = (MAX_BROWSED..spans.len()).find(begins_page).map(|n| spans[n]);
    let indexes = match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => first.index..next.map_or(last.index + 1, |next| next.index),
        _ => 0..0,
    };
    let next_page = next.map(|next| next.page);
    let end_page = next_page.map_or(end, |next| next - 1);
    let chunks = views(host, &mut collection.passages(), document.id, indexes)?;
    Ok(PageChunks { document, start_page: start, end_page, chunks, next_page })
}

/// `count` (1–[`MAX_TRAVERSED`](chunks::MAX_TRAVERSED)) chunks from the one with this id on, or up to it.
pub fn traverse_chunks(
    host: &Host,
    collection: CollectionId,
    id: &str,
    direction: Direction,
    count: u32,
) -> Result<Traversal> {
    check_range("count", count, 1..=MAX_TRAVERSED)?;
    let collection = host.collection(collection)?;
    let mut passages = collection.passages();
    let Passage { document, chunk: start, .. } = find_chunk(&mut passages, id)?;
    let (range, next) = match direction {
        Direction::Forward => (start.index..start.index.saturating_add(count), start.index.checked_add(count)),
        Direction::Backward => {
            ((start.index + 1).saturating_sub(count)..start.index + 1, start.index.checked_sub(count))
        }
    };
    let next = next.map(|index| passages.at(document.meta.id, index)).transpose()?.flatten();
    let chunks = views(host, &mut passages, document.meta.id, range)?;
    let next_chunk_id = next.map(|next| next.chunk.id);
    Ok(Traversal { document: document.meta.clone(), direction, chunks, next_chunk_id })
}

/// A chunk and up to `window` (1–[`MAX_WINDOW`](chunks::MAX_WINDOW)) chunks on each side of it.
pub fn source_context(
    host: &Host,
    collection: CollectionId,
    id: &str,
    window: u32,
    text: TextView,
) -> Result<SourceContext> {
    check_range("window", window, 1..=MAX_WINDOW)?;
    let collection = host.collection(collection)?;
    let mut passages = collection.passages();
    let passage = find_chunk(&mut passages, id)?;
    let (document, index) = (passage.document.meta.id, passage.chunk.index);
    let before = views(host, &mut passages, document, index.saturating_sub(window)..index)?;
    let after = views(host, &mut passages, document, index + 1..index.saturating_add(window + 1))?;
    let mut context =
        SourceContext { chunk_id: passage.chunk.id, before, chunk: view(passage, &host.config().citations), after };
    let SourceContext { before, chunk, after, .. } = &mut context;
    show_as(&collection, text, before.iter_mut().chain([chunk]).chain(after))?;
    Ok(context)
}

/// The chunks of a document with some indexes, as far as they exist.
fn views(
    host: &Host,
    passages: &mut Passages<'_>,
    document: DocumentId,
    indexes: Range<u32>,
) -> Result<Vec<ChunkView>> {
    Ok(passages.range(document, indexes)?.into_iter().map(|passage| view(passage, &host.config().citations)).collect())
}

/// Adds the text of chunks in another view than the final one.
fn show_as<'c>(collection: &Collection, view: TextView, chunks: impl Iterator<Item = &'c mut ChunkView>) -> Result<()> {
    if view == TextView::Final {
        return Ok(());
    }
    for chunk in chunks {
        let place = &chunk.provenance;
        let changes = collection.page_changes(place.document_id, place.page)?;
        chunk.viewed = viewed(view, &chunk.text, place.char_start, &changes);
    }
    Ok(())
}

pub fn check_page(document: &DocumentMeta, page: u32) -> Result<()> {
    if (1..=document.page_count).contains(&page) {
        return Ok(());
    }
    let message = format!("{} has {} pages; there is no page {page}.", document.name, document.page_count);
    Err(Error::invalid(message).with_hint("Ask for a page from 1 to the number of pages."))
}

/// The chunk with an id, or the only one whose id begins so: brief answers show the beginning of ids.
pub fn find_chunk(passages: &mut Passages<'_>, id: &str) -> Result<Passage> {
    let shown: String = id.chars().take(80).collect();
    let not_found = || {
        Error::new(ErrorCode::NotFound, format!("Chunk not found: \"{shown}\".")).with_hint(hint![
            "Use the ID of a chunk from a search result or from ",
            Action::ListDocumentChunks,
            ", in the collection it came from."
        ])
    };
    if let Ok(whole) = id.parse::<ChunkId>() {
        return passages.with_id(whole)?.ok_or_else(not_found);
    }
    let beginning = ChunkId::beginning_with(id).ok_or_else(not_found)?;
    match passages.ids_within(beginning, MAX_AMBIGUOUS)?[..] {
        [] => Err(not_found()),
        [one] => passages.with_id(one)?.ok_or_else(not_found),
        ref several => {
            let listed: String = several.iter().map(|id| format!("\n  - {id}")).collect();
            let message = format!("Chunk ID is ambiguous: \"{shown}\". It could be:{listed}");
            Err(Error::new(ErrorCode::NotFound, message)
                .with_hint("Use the whole ID: the place in the answer it came from shows which one it is."))
        }
    }
}

pub fn view(passage: Passage, style: &CitationStyle) -> ChunkView {
    let Passage { document, chunk, origin, tracked_changes, hidden_text } = passage;
    let provenance =
        Provenance { tracked_changes, hidden_text, ..Provenance::of(&chunk, &document.meta, &origin, style.clone()) };
    // For a row of a sheet, the header is the whole context of a chunk.
    let is_row = provenance.sheet_name.is_some() && provenance.row_range.is_some();
    ChunkView {
        chunk_id: chunk.id,
        table_header: Some(chunk.context).filter(|context| is_row && !context.is_empty()),
        citation: provenance.citation(),
        short_citation: provenance.short_citation(),
        provenance,
        viewed: None,
        text: chunk.text,
        chunk_count: document.meta.chunk_count,
        embeddings: embedders(&document.meta, document.has_sparse_vectors, document.has_token_vectors),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use casetrack_store::parts::VisitChunk;
    use casetrack_store::{DescribedDocument, PageFacts, PassageSource};

    use super::*;

    /// A source of ids without chunks.
    struct Ids(Vec<ChunkId>);

    impl PassageSource for Ids {
        fn document(&self, _: DocumentId) -> Result<Option<DescribedDocument>> {
            Ok(None)
        }

        fn place_of(&self, _: ChunkId) -> Result<Option<(DocumentId, u32)>> {
            Err(Error::internal("It was looked up."))
        }

        fn ids_within(&self, ids: RangeInclusive<ChunkId>, most: usize) -> Result<Vec<ChunkId>> {
            Ok(self.0.iter().filter(|id| ids.contains(id)).take(most).copied().collect())
        }

        fn page(&self, _: DocumentId, _: u32) -> Result<PageFacts> {
            Err(Error::internal("There is no page."))
        }

        fn chunks(&self, _: DocumentId, _: Range<u32>, _: &mut VisitChunk<'_>) -> Result<()> {
            Ok(())
        }

        fn some_chunks(&self, _: DocumentId, _: &[u32], _: &mut VisitChunk<'_>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_beginning_of_an_id_names_a_chunk_unless_others_begin_so() {
        let ids = ["4f2ac183-0000-5000-8000-000000000001", "4f2ac183-0000-5000-8000-000000000002"];
        let other = "c0ffee00-0000-5000-8000-000000000001";
        let known = || Ids(ids.iter().chain([&other]).map(|id| id.parse().unwrap()).collect());
        let refused = |id: &str| find_chunk(&mut Passages::of(Ok(Box::new(known()))), id).unwrap_err();
        let several = refused("4f2ac183");
        assert_eq!(several.code, ErrorCode::NotFound);
        let listed = format!("Chunk ID is ambiguous: \"4f2ac183\". It could be:\n  - {}\n  - {}", ids[0], ids[1]);
        assert_eq!(several.message, listed);
        for found in ["c0ffee00", "C0FFEE00-0000", other, ids[1]] {
            assert_eq!(refused(found).message, "It was looked up.", "{found}");
        }
        for missing in ["c0ffee", "c0ffee01", "no ID", ""] {
            assert_eq!(refused(missing).message, format!("Chunk not found: \"{missing}\"."), "{missing}");
        }
    }
}
