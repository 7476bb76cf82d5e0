//! Evidence: passages that users collect, with notes and exhibit numbers. Each is compared with its source whenever it is shown.

mod places;

use std::ops::Range;

use casetrack_core::evidence::{EvidenceItem, EvidenceTray, MAX_TEXT_CHARS};
use casetrack_core::{
    Action, ChunkId, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Page, Provenance, Rect, Result,
    Timestamp, hint,
};
use casetrack_store::Passage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::places::Sources;
use casetrack_host::changes::Change;
use casetrack_host::documents::chunks::{check_page, find_chunk};
use casetrack_host::documents::document_named;
use casetrack_host::documents::pages::{lines, touched};
use casetrack_host::documents::part::part_of;
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection};

/// The passage to collect: a chunk, or a passage of a page, or a quotation in either.
#[derive(Debug, Clone, Default)]
pub struct AddEvidence {
    pub chunk_id: Option<String>,
    /// Name or id of a document, if no chunk is named.
    pub document: Option<String>,
    /// Its page, from 1.
    pub page: Option<u32>,
    /// Words of the page, or of the chunk's page; white space makes no difference.
    pub quote: Option<String>,
    /// Characters of the page, half-open, in place of a quotation.
    pub chars: Option<Range<u32>>,
    pub note: String,
    pub exhibit: String,
}

#[derive(Debug, Clone, Default)]
pub struct UpdateEvidence {
    pub id: u32,
    pub note: Option<String>,
    pub exhibit: Option<String>,
    /// Its new place in the order, from 1; beyond the end means the end.
    pub position: Option<u32>,
    /// Takes it out of the tray.
    pub remove: bool,
}

/// The kinds of files that evidence is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceFormat {
    // Word, with pictures of pages.
    Docx,
    // With pictures of pages.
    Pdf,
    Markdown,
    Csv,
}

impl EvidenceFormat {
    pub const ALL: [Self; 4] = [Self::Docx, Self::Pdf, Self::Markdown, Self::Csv];

    pub fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Pdf => "pdf",
            Self::Markdown => "md",
            Self::Csv => "csv",
        }
    }

    /// The format whose files have this ending, in upper or lower case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// The present state of an item in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceStatus {
    /// The source has the text at its old place.
    Unchanged,
    /// The source has the text elsewhere; place and citation are the new ones.
    Moved,
    /// The source has changed and does not have the text any more; place and citation are those of the time when it was collected.
    Changed,
    /// The document is not in the collection any more.
    Deleted,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceView {
    pub id: u32,
    /// Its place in the order, from 1.
    pub position: u32,
    /// Number or letter of the exhibit; absent if it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub exhibit: String,
    /// The user's own words; absent if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    pub status: EvidenceStatus,
    pub document_id: DocumentId,
    pub document_name: String,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Verbatim text, as it was when it was collected.
    pub text: String,
    pub citation: String,
    /// The chunk in which it begins, if the source still has it.
    pub chunk_id: Option<ChunkId>,
    /// The places of its lines, in points.
    pub bounding_boxes: Vec<Rect>,
    /// True if the page can be shown as a picture.
    pub has_picture: bool,
    pub added_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceList {
    pub collection: String,
    /// In the order of the user.
    pub items: Vec<EvidenceView>,
    /// Items of the tray, also those that are not listed.
    pub total: u64,
    /// The listed items whose source has changed or is gone.
    pub changed: u64,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
}

/// Collects a passage, verbatim and with its citation.
///
/// Errors: [`ErrorCode::NotFound`] for a chunk, document or quotation that is not there; [`ErrorCode::InvalidArgument`] if no passage is
/// named, or it is longer than 30,000 characters.
pub fn add_evidence(host: &Host, collection: CollectionId, request: AddEvidence) -> Result<EvidenceView> {
    let collection = host.collection_to_change(collection)?;
    let (meta, page, within) = page_of(&collection, &request)?;
    let AddEvidence { quote, chars, note, exhibit, .. } = request;
    let range = match (quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty()), chars, within) {
        (Some(quote), near, within) => {
            if quote.chars().count() > MAX_TEXT_CHARS {
                return Err(too_long());
            }
            let near = near.or(within).map_or(0, |range| range.start);
            places::quoted(&page.text, quote, near).ok_or_else(|| not_on(&meta, page.number))?
        }
        (None, Some(chars), _) => chars,
        (None, None, Some(within)) => within,
        (None, None, None) => {
            return Err(Error::invalid("Give the words of the page, or the range of characters."));
        }
    };
    let text = places::slice(&page.text, &range).filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        Error::invalid(format!("Page {} of {} has no text at these characters.", page.number, meta.name))
    })?;
    if text.chars().count() > MAX_TEXT_CHARS {
        return Err(too_long());
    }
    let item = EvidenceItem {
        id: 0,
        document: meta.id,
        document_name: meta.name.clone(),
        path: meta.path.clone(),
        sha256: meta.sha256,
        page: page.number,
        char_start: range.start,
        char_end: range.end,
        citation: citation_of(host, &collection, &meta, &page, &range)?.0,
        text,
        note: note.trim().to_owned(),
        exhibit: exhibit.trim().to_owned(),
        added_at: Timestamp::now(),
    };
    let (item, position) = collection.change_evidence(|tray| {
        tray.add(item)?;
        let position = tray.items.len();
        tray.items.last().cloned().map(|item| (item, position)).ok_or_else(|| Error::internal("There is no evidence."))
    })?;
    host.changes().notify(Change::Evidence(collection.meta().id));
    evidence_view(host, &mut Sources::new(&collection), &item, position)
}

/// The document and the page of a passage to collect, and the characters of the chunk that is named.
fn page_of(collection: &OpenCollection, request: &AddEvidence) -> Result<(DocumentMeta, Page, Option<Range<u32>>)> {
    let (meta, page, within) = match (&request.chunk_id, &request.document, request.page) {
        (Some(id), _, _) => {
            let Passage { document, chunk, .. } = find_chunk(&mut collection.passages(), id)?;
            let page = collection.page(document.meta.id, chunk.page)?;
            (document.meta.clone(), page, Some(chunk.char_start..chunk.char_end))
        }
        (None, Some(name), Some(number)) => {
            let meta = document_named(collection, name)?;
            check_page(&meta, number)?;
            let page = collection.page(meta.id, number)?;
            (meta, page, None)
        }
        _ => return Err(Error::invalid("Name a chunk, or a document and a page.")),
    };
    let page = page.ok_or_else(|| Error::internal(format!("A page of {} is missing.", meta.name)))?;
    Ok((meta, page, within))
}

/// The evidence in its order, each item compared with its source. Reads the page of each listed item; of one that has moved, up to 200 pages.
pub fn list_evidence(host: &Host, collection: CollectionId, paging: Paging) -> Result<EvidenceList> {
    let collection = host.collection(collection)?;
    let numbered: Vec<(usize, EvidenceItem)> = (1..).zip(collection.evidence()?.items).collect();
    let Part { items, total, next_offset } = paging.of(numbered);
    let mut sources = Sources::new(&collection);
    let views = items.iter().map(|(position, item)| evidence_view(host, &mut sources, item, *position));
    let items = views.collect::<Result<Vec<_>>>()?;
    let is_changed = |view: &&EvidenceView| matches!(view.status, EvidenceStatus::Changed | EvidenceStatus::Deleted);
    let changed = items.iter().filter(is_changed).count() as u64;
    Ok(EvidenceList { collection: collection.meta().name.clone(), items, total, changed, next_offset })
}

/// Changes an item: its note, its exhibit number, its place in the order; or removes it. Returns it as it is now, or was.
///
/// Errors: [`ErrorCode::NotFound`] for a number that no item has.
pub fn update_evidence(host: &Host, collection: CollectionId, request: UpdateEvidence) -> Result<EvidenceView> {
    let collection = host.collection_to_change(collection)?;
    let UpdateEvidence { id, note, exhibit, position, remove } = request;
    let (item, position) = collection.change_evidence(|tray| {
        let at = tray.position(id).ok_or_else(|| unknown(id, tray))?;
        let mut item = tray.items.remove(at);
        if remove {
            return Ok((item, at + 1));
        }
        item.note = note.map_or(item.note, |note| note.trim().to_owned());
        item.exhibit = exhibit.map_or(item.exhibit, |exhibit| exhibit.trim().to_owned());
        item.check()?;
        let to = position.map_or(at, |position| (position.max(1) as usize - 1).min(tray.items.len()));
        tray.items.insert(to, item.clone());
        Ok((item, to + 1))
    })?;
    host.changes().notify(Change::Evidence(collection.meta().id));
    evidence_view(host, &mut Sources::new(&collection), &item, position)
}

fn evidence_view(host: &Host, sources: &mut Sources<'_>, item: &EvidenceItem, position: usize) -> Result<EvidenceView> {
    let mut view = EvidenceView {
        id: item.id,
        position: position as u32,
        exhibit: item.exhibit.clone(),
        note: item.note.clone(),
        status: EvidenceStatus::Deleted,
        document_id: item.document,
        document_name: item.document_name.clone(),
        page: item.page,
        char_start: item.char_start,
        char_end: item.char_end,
        text: item.text.clone(),
        citation: item.citation.clone(),
        chunk_id: None,
        bounding_boxes: Vec::new(),
        has_picture: false,
        added_at: item.added_at,
    };
    let Some(meta) = sources.collection.document(item.document)? else { return Ok(view) };
    let Some((page, range)) = sources.find(&meta, item)? else {
        view.status = EvidenceStatus::Changed;
        return Ok(view);
    };
    let is_there = (page.number, &range) == (item.page, &(item.char_start..item.char_end));
    view.status = if is_there { EvidenceStatus::Unchanged } else { EvidenceStatus::Moved };
    let (citation, chunk) = citation_of(host, sources.collection, &meta, &page, &range)?;
    view.bounding_boxes = lines(&page, touched(&page, &range));
    view.document_name = meta.name.clone();
    view.has_picture = meta.format.is_drawn();
    (view.page, view.char_start, view.char_end) = (page.number, range.start, range.end);
    (view.citation, view.chunk_id) = (citation, chunk);
    Ok(view)
}

/// The line to cite a passage by, and the chunk in which it begins.
fn citation_of(
    host: &Host,
    collection: &OpenCollection,
    meta: &DocumentMeta,
    page: &Page,
    range: &Range<u32>,
) -> Result<(String, Option<ChunkId>)> {
    let on_page = collection.chunks_on_pages(meta.id, page.number..=page.number)?;
    let mut passages = collection.passages();
    for passage in passages.range(meta.id, on_page)? {
        let Passage { chunk, origin, .. } = &passage;
        if chunk.char_end <= range.start {
            continue;
        }
        let style = host.config().citations.clone();
        let provenance = Provenance::of(chunk, meta, origin, style);
        let text: String = page.text.chars().skip(chunk.char_start as usize).collect();
        let cited = part_of(collection, &provenance, &text, &page.blocks, range.clone())?;
        return Ok((cited.citation(), Some(chunk.id)));
    }
    Ok((format!("{}, {}", meta.name, page.cited(meta.unpaged)), None))
}

fn too_long() -> Error {
    Error::invalid(format!("A passage has more than {MAX_TEXT_CHARS} characters."))
        .with_hint("Collect it in several parts.")
}

fn not_on(meta: &DocumentMeta, page: u32) -> Error {
    Error::new(ErrorCode::NotFound, format!("Page {page} of {} does not have these words.", meta.name))
        .with_hint(hint!["Copy them from the page, word for word: read it with ", Action::BrowsePages, "."])
}

fn unknown(id: u32, tray: &EvidenceTray) -> Error {
    let known: Vec<String> = tray.items.iter().take(20).map(|item| item.id.to_string()).collect();
    let hint = match known.is_empty() {
        true => "Nothing has been collected in this collection.".to_owned(),
        false => format!("There are: {}{}.", known.join(", "), if tray.items.len() > 20 { ", …" } else { "" }),
    };
    Error::new(ErrorCode::NotFound, format!("There is no evidence {id}.")).with_hint(hint)
}
