//! The tracked changes of a document: insertions, deletions and moves, with their places.

use casetrack_core::{Change, ChangeKind, ChunkId, CollectionId, DocumentMeta, Page, Result, TextView};
use casetrack_store::{ChunkSpan, Collection};
use schemars::JsonSchema;
use serde::Serialize;

use super::facts::CitedPlace;
use super::{document_named, just_deleted};
use crate::Host;
use crate::paging::Paging;

/// Longest text of a change in an answer, in characters.
const MAX_CHARS: usize = 2000;

/// A text with tracked changes, shown in another view than the final one. It is no quotation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Viewed {
    pub view: TextView,
    pub text: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TrackedChange {
    #[serde(flatten)]
    pub change: CitedChange,
    /// From 1.
    pub page: u32,
    #[serde(flatten)]
    pub place: CitedPlace,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CitedChange {
    /// Its place in the final text.
    pub citation: String,
    pub kind: ChangeKind,
    /// As the file puts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The inserted, deleted or moved text.
    pub text: String,
    /// True if `text` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// True if the deleted text had itself been inserted, so that the original does not have it either.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_insertion: bool,
    /// The passage at this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentChanges {
    pub document: DocumentMeta,
    pub changes: Vec<TrackedChange>,
    /// Changes of the document, also those that are not listed.
    pub total: u64,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// The tracked changes of a document. Reads the pages before the requested part of the list without their text.
pub fn list_changes(host: &Host, collection: CollectionId, name: &str, paging: Paging) -> Result<DocumentChanges> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, name)?;
    let (start, end) = (u64::from(paging.offset), u64::from(paging.offset) + u64::from(paging.limit));
    let (mut changes, mut total) = (Vec::new(), 0);
    let mut spans = None;
    for number in pages_with_changes(&document) {
        let found = collection.page_changes(document.id, number)?;
        let wanted = found
            .iter()
            .zip(total..)
            .filter(|(_, index)| (start..end).contains(index))
            .map(|(change, _)| change)
            .collect::<Vec<_>>();
        total += found.len() as u64;
        if !wanted.is_empty() {
            let spans = known_spans(&collection, &document, &mut spans)?;
            changes.extend(placed(&collection, &document, number, wanted.into_iter(), spans)?);
        }
    }
    Ok(DocumentChanges { document, changes, total, next_offset: (end < total).then_some(end) })
}

pub fn pages_with_changes(document: &DocumentMeta) -> std::ops::Range<u32> {
    if document.tracked_changes == 0 { 1..1 } else { 1..document.page_count.saturating_add(1) }
}

/// The places of a document's chunks, read once.
pub fn known_spans<'s>(
    collection: &Collection,
    document: &DocumentMeta,
    spans: &'s mut Option<Vec<ChunkSpan>>,
) -> Result<&'s [ChunkSpan]> {
    let known = match spans.take() {
        Some(known) => known,
        None => collection.chunk_spans(document.id)?,
    };
    Ok(spans.insert(known))
}

pub fn placed<'c>(
    collection: &Collection,
    document: &DocumentMeta,
    number: u32,
    changes: impl Iterator<Item = &'c Change>,
    spans: &[ChunkSpan],
) -> Result<Vec<TrackedChange>> {
    let page = collection.page(document.id, number)?.ok_or_else(|| just_deleted(&document.name))?;
    Ok(changes.map(|change| tracked(document, &page, change, spans)).collect())
}

fn tracked(document: &DocumentMeta, page: &Page, change: &Change, spans: &[ChunkSpan]) -> TrackedChange {
    let Change { kind, author, date, char_start, char_end, text, of_insertion } = change.clone();
    let place = CitedPlace::new(page, document.unpaged, char_start..char_end);
    let length = (char_end - char_start) as usize;
    let (shown, chars): (String, usize) = match kind.removes() {
        true => (text.chars().take(MAX_CHARS).collect(), text.chars().count()),
        false => (page.text.chars().skip(char_start as usize).take(length.min(MAX_CHARS)).collect(), length),
    };
    let is_here = |span: &&ChunkSpan| span.page == page.number && change.touches(span.char_start, span.char_end);
    let change = CitedChange {
        citation: format!("{}, {}", document.name, place.place),
        kind,
        author,
        date,
        text: shown,
        is_cut: chars > MAX_CHARS,
        of_insertion,
        chunk_id: spans.iter().find(is_here).map(|span| span.id),
    };
    TrackedChange { change, page: page.number, place }
}

/// A part of a page in a view; `None` for the final text, which is the stored one.
pub fn viewed(view: TextView, text: &str, char_start: u32, changes: &[Change]) -> Option<Viewed> {
    (view != TextView::Final).then(|| Viewed { view, text: view.of(text, char_start, changes) })
}
