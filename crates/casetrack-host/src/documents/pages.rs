//! Pages of documents: their text, and the page itself as a picture.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use casetrack_core::{
    Action, Cancel, ChunkId, CollectionId, DocumentMeta, Error, ErrorCode, ExtractionMethod, HiddenText, Page,
    Password, Rect, Result, TextView, hint,
};
use casetrack_extract::{ExtractOptions, RenderRequest};
use casetrack_store::{Collection, Passage};
use schemars::JsonSchema;
use serde::Serialize;

use super::chunks::{check_page, find_chunk};
use super::tracked_changes::{Viewed, viewed};
use super::{document_named, just_deleted};
use crate::{EngineConfig, Host, KeptCopy, read};

/// Longer side of a picture, in pixels: the largest size that language models read without scaling it down.
const LONGEST_SIDE: u32 = 2000;
/// Dots per inch of pages drawn so: small print can be read, and a page of A4 has 1,240 by 1,754 pixels.
const RESOLUTION: f32 = 150.0;
/// The same if a width is requested, which readers do to look closer.
const SHARPEST: f32 = 300.0;
/// Most pixels of a width that is requested.
const MAX_WIDTH: u32 = 4000;
/// Longest time to draw a page, in seconds. Pages take some 50 ms.
const MAX_SECONDS: u64 = 20;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageText {
    pub document: DocumentMeta,
    /// From 1.
    pub page: u32,
    /// Verbatim, as it is stored.
    pub text: String,
    /// The page before its tracked changes, or with them, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewed: Option<Viewed>,
    pub tracked_changes: u32,
    /// Texts on the page that the file does not show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<HiddenText>,
    pub extraction_method: ExtractionMethod,
    pub ocr_confidence: Option<f32>,
    pub sheet_name: Option<String>,
    /// The chunks of the page, in order.
    pub chunks: Vec<ChunkId>,
    /// True if [`page_picture`] can draw pages of this format.
    pub has_picture: bool,
}

#[derive(Debug, Clone, Default)]
pub struct PictureRequest<'a> {
    /// Name, path or id of the document.
    pub document: &'a str,
    /// From 1.
    pub page: u32,
    /// The id of a chunk on this page whose lines are marked.
    pub chunk: Option<&'a str>,
    /// Characters of this page whose lines are marked, half-open, in place of a chunk.
    pub chars: Option<Range<u32>>,
    /// The password of a protected file.
    pub password: Option<Password>,
    /// Minimum width of an upright page in pixels, up to 4,000. Default: the width that fits 2,000 pixels.
    pub width: Option<u32>,
}

/// A page as a PNG.
#[derive(Debug, Clone, PartialEq)]
pub struct PagePicture {
    pub document: DocumentMeta,
    /// From 1.
    pub page: u32,
    pub png: Vec<u8>,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// A point is 1/72 inch, as in the places of lines.
    pub pixels_per_point: f32,
}

pub fn page_text(host: &Host, collection: CollectionId, document: &str, page: u32, view: TextView) -> Result<PageText> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, document)?;
    let Page { text, method, ocr_confidence, sheet_name, notes, .. } = stored(&collection, &document, page)?;
    let chunks = collection.chunk_spans(document.id)?;
    Ok(PageText {
        has_picture: document.format.is_drawn(),
        page,
        viewed: viewed(view, &text, 0, &notes.changes),
        tracked_changes: notes.changes.len() as u32,
        hidden: notes.hidden,
        text,
        extraction_method: method,
        ocr_confidence,
        sheet_name,
        chunks: chunks.iter().filter(|chunk| chunk.page == page).map(|chunk| chunk.id).collect(),
        document,
    })
}

/// Draws a page of a PDF or picture as it is shown, no larger than 2,000 pixels, with the lines of a chunk marked in translucent yellow. The file is
/// read again, in a process of its own. If it is no longer the ingested file, the copy in the collection is used, if there is one.
///
/// Errors: `ErrorCode::UnsupportedFormat` for other formats, whose pages exist as text only; `ErrorCode::FileNotFound` or `ErrorCode::UnreadableFile`
/// if the file is gone or was changed and there is no copy; `ErrorCode::InvalidArgument` for a page that is not there and a chunk of another page.
pub fn page_picture(
    host: &Host,
    collection: CollectionId,
    request: &PictureRequest<'_>,
    cancel: &Cancel,
) -> Result<PagePicture> {
    let collection = host.collection(collection)?;
    let document = document_named(&collection, request.document)?;
    let page = stored(&collection, &document, request.page)?;
    if !document.format.is_drawn() {
        let message = format!("{} has no images of its pages: only PDF files and images do.", document.name);
        return Err(Error::new(ErrorCode::UnsupportedFormat, message).with_hint(hint![
            "Read the text of the page with ",
            Action::BrowsePages,
            "."
        ]));
    }
    let highlights = match (request.chunk, &request.chars) {
        (Some(id), _) => {
            let Passage { document: owner, chunk, .. } = find_chunk(&mut collection.passages(), id)?;
            let owner = &owner.meta;
            if owner.id != document.id || chunk.page != request.page {
                let message = format!(
                    "Chunk {} is on page {} of {}, not on page {} of {}.",
                    chunk.id, chunk.page, owner.name, request.page, document.name
                );
                return Err(Error::invalid(message).with_hint("Ask for the page that the chunk's provenance names."));
            }
            lines(&page, chunk.line_start..=chunk.line_end)
        }
        (None, Some(chars)) => lines(&page, touched(&page, chars)),
        (None, None) => Vec::new(),
    };
    let bytes = source_of(host, &collection, &document)?;
    let mut options = ExtractOptions { password: request.password.clone(), ..host.config().extract_options() };
    options.limits.max_page_seconds = options.limits.max_page_seconds.min(MAX_SECONDS);
    let (longest_side, resolution) = match request.width {
        // Upright pages are up to half as high again as they are wide.
        Some(width) => (width.min(MAX_WIDTH) * 3 / 2, SHARPEST),
        None => (LONGEST_SIDE, RESOLUTION),
    };
    let render = RenderRequest { page: request.page, highlights, longest_side, resolution };
    let path = Path::new(&document.path);
    let drawn = host.readers().render(path, &bytes, &options, &render, cancel)?;
    let casetrack_extract::PagePicture { png, width, height, pixels_per_point } = drawn;
    Ok(PagePicture { document, page: request.page, png, width, height, pixels_per_point })
}

/// The file of a document as it was ingested: at its place, or its copy.
fn source_of(host: &Host, collection: &Collection, document: &DocumentMeta) -> Result<Vec<u8>> {
    let path = Path::new(&document.path);
    // Everyone who may read a document may see its pages, regardless of the place of its file. The file is compared with the ingested one
    // before anything is shown.
    let access = host.config().access.clone().for_nobody();
    let config = EngineConfig { access, ..host.config().clone() };
    let problem = match read(path, None, &config) {
        Ok((bytes, sha256)) if sha256 == document.sha256 => return Ok(bytes),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    if let Some(copy) = collection.kept_copy(document)
        && let Ok((bytes, sha256)) = read(path, Some(KeptCopy { collection, path: &copy }), &config)
        && sha256 == document.sha256
    {
        return Ok(bytes);
    }
    let name = &document.name;
    Err(match problem {
        None => Error::new(
            ErrorCode::UnreadableFile,
            format!(
                "{} has changed since {name} was ingested, so that its page cannot be shown as it was.",
                document.path
            ),
        )
        .with_hint("Ingest or reindex the document, then ask again. The text that was ingested is still there."),
        Some(_) if Path::new(&document.path).ancestors().skip(1).any(Path::is_file) => Error::new(
            ErrorCode::FileNotFound,
            format!("{name} is inside another file, which is not opened to show a page."),
        )
        .with_hint(hint![
            "Ingest the file that contains it again and ",
            Action::KeepOriginal,
            ". Or read the text of the page."
        ]),
        Some(error) => Error::new(
            ErrorCode::FileNotFound,
            format!("The file of {name} cannot be read, so that its page cannot be shown. {}", error.message),
        )
        .with_hint("Put the file back, or ingest it from its new place. The text that was ingested is still there."),
    })
}

fn stored(collection: &Collection, document: &DocumentMeta, page: u32) -> Result<Page> {
    check_page(document, page)?;
    collection.page(document.id, page)?.ok_or_else(|| just_deleted(&document.name))
}

/// The lines of a page that a range of its characters touches, from 1. Costs time in proportion to the page before its end.
pub fn touched(page: &Page, chars: &Range<u32>) -> RangeInclusive<u32> {
    let mut text = page.text.chars();
    let breaks =
        |count: u32, text: &mut std::str::Chars<'_>| text.take(count as usize).filter(|c| *c == '\n').count() as u32;
    let first = 1 + breaks(chars.start, &mut text);
    let length = chars.end.saturating_sub(chars.start).saturating_sub(1);
    first..=first.saturating_add(breaks(length, &mut text))
}

pub fn lines(page: &Page, lines: RangeInclusive<u32>) -> Vec<Rect> {
    let (first, last) = lines.into_inner();
    let boxes = page.line_boxes.iter().skip(first.saturating_sub(1) as usize);
    boxes.take((last + 1).saturating_sub(first) as usize).copied().flatten().collect()
}
