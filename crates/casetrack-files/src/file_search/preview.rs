//! A short preview of a file: redacted, and no longer than 2,048 bytes.

use std::fs::Metadata;
use std::ops::Range;
use std::path::{Path, PathBuf};

use casetrack_core::{Chunk, DocumentMeta, Error, ErrorCode, Page, Result};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use super::excerpt::{MAX_PREVIEW_BYTES, shown};
use super::pointer::Pointer;
use super::{current, place, pointer};
use casetrack_host::{Host, collections};
use casetrack_ingest::inspect::{Inspection, inspect};

/// Characters from the beginning of a page that a pointer without lines or rows means.
const BEGINNING: usize = 600;
/// Bytes that markers and "…" may add.
const SLACK: usize = 48;

/// A request for a preview. Texts are as the assistant gave them.
#[derive(Debug, Clone, Default)]
pub struct OpenFile {
    pub path: String,
    /// The beginning of the file if it is not given.
    pub pointer: Option<String>,
    /// Characters before and after the place; fewer if the preview would be too long.
    pub before: u32,
    pub after: u32,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FilePreview {
    /// Absolute.
    pub path: String,
    pub pointer: String,
    /// Redacted, at most 2,048 bytes.
    pub preview: String,
    /// True if the page has more text.
    pub truncated: bool,
    /// Something in the preview was redacted: it is not the text of the file word for word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// Shows a part of a file below the roots: from the index if that is up to date, else from the file, which is read for it.
///
/// Errors: a path that may not be named or is not there, a folder, a file that cannot be read, a place that the file does not have.
pub fn open_file(host: &Host, of_session: &[PathBuf], request: &OpenFile) -> Result<FilePreview> {
    let roots = crate::file_search_roots(host, of_session)?;
    let path = place::existing(host, &roots, &request.path)?;
    let wanted = request.pointer.as_deref().map(Pointer::parse).transpose()?.unwrap_or_default();
    let metadata = path.symlink_metadata().map_err(|error| Error::io(path.display(), error))?;
    if !metadata.is_file() {
        return Err(Error::invalid(format!("'{}' is not a file.", path.display()))
            .with_hint("Find the files of a folder with searchFiles."));
    }
    let collection = collections::files_collection(host)?.map(|meta| host.collection(meta.id)).transpose()?;
    let stored = match &collection {
        Some(collection) => document_as_indexed(host, collection, &path, &metadata, &wanted)?,
        None => None,
    };
    let text = match (stored, &collection) {
        (Some(document), Some(collection)) => Text::stored(collection, &document, &wanted)?,
        _ if wanted.attachment.is_some() => return Err(no_attachment(&path)),
        _ => Text::read(inspect(&host.within(&roots), &path, None)?, &wanted)?,
    };
    let shown = shown(&text.page, text.around(request));
    Ok(FilePreview {
        path: path.display().to_string(),
        pointer: request.pointer.clone().filter(|text| text != pointer::FILE_NAME).unwrap_or(text.pointer),
        preview: shown.text,
        truncated: shown.truncated,
        redacted: shown.redacted,
    })
}

/// The document of a file, or of the file inside it, if it matches the present file.
fn document_as_indexed(
    host: &Host,
    collection: &Collection,
    path: &Path,
    metadata: &Metadata,
    wanted: &Pointer,
) -> Result<Option<DocumentMeta>> {
    let Some(text) = path.to_str() else { return Ok(None) };
    let Some(file) = collection.document_by_path(text)? else { return Ok(None) };
    if !current::is_as_indexed(host, path, metadata, (&file).into()) {
        return Ok(None);
    }
    match &wanted.attachment {
        None => Ok(Some(file)),
        Some(name) => {
            let inside = format!("{text}{}{name}", std::path::MAIN_SEPARATOR);
            collection.document_by_path(&inside)?.map(Some).ok_or_else(|| no_attachment(path))
        }
    }
}

fn no_attachment(path: &Path) -> Error {
    Error::new(ErrorCode::NotFound, format!("'{}' has no such attachment in the index.", path.display()))
        .with_hint("Call indexFolder, then use the pointer of a search result.")
}

/// The page of a pointer, with its place on the page in characters.
struct Text {
    page: String,
    place: Range<usize>,
    pointer: String,
}

impl Text {
    fn stored(collection: &Collection, document: &DocumentMeta, wanted: &Pointer) -> Result<Self> {
        let page = |number: u32| collection.page(document.id, number);
        let number = match &wanted.sheet {
            None => wanted.page.unwrap_or(1),
            Some(sheet) => {
                let mut found = None;
                for number in 1..=document.page_count {
                    if page(number)?.is_some_and(|page| page.sheet_name.as_deref() == Some(sheet)) {
                        found = Some(number);
                        break;
                    }
                }
                found.ok_or_else(|| no_place(&format!("no sheet '{sheet}'")))?
            }
        };
        let found = page(number)?.ok_or_else(|| no_page(number, document.page_count))?;
        let chunks = match wanted.rows {
            Some(_) => collection.chunks(document.id)?,
            None => Vec::new(),
        };
        Self::of(found, number, &chunks, wanted)
    }

    fn read(mut file: Inspection, wanted: &Pointer) -> Result<Self> {
        let count = file.pages.len() as u32;
        let at = match &wanted.sheet {
            None => wanted.page.unwrap_or(1) as usize - 1,
            Some(sheet) => {
                let is_meant = |page: &Page| page.sheet_name.as_deref() == Some(sheet);
                file.pages.iter().position(is_meant).ok_or_else(|| no_place(&format!("no sheet '{sheet}'")))?
            }
        };
        let number = at as u32 + 1;
        if at >= file.pages.len() {
            return Err(no_page(number, count));
        }
        Self::of(file.pages.swap_remove(at), number, &file.chunks, wanted)
    }

    fn of(page: Page, number: u32, chunks: &[Chunk], wanted: &Pointer) -> Result<Self> {
        let place = match (wanted.rows, wanted.lines) {
            (Some((first, last)), _) => {
                let has_rows = |chunk: &&Chunk| {
                    chunk.page == number && chunk.row_range.is_some_and(|rows| rows.start <= last && first <= rows.end)
                };
                let mut found = chunks.iter().filter(has_rows);
                let first = found.next().ok_or_else(|| no_place("no such rows"))?;
                let end = found.next_back().unwrap_or(first).char_end;
                first.char_start as usize..end as usize
            }
            (None, Some((first, last))) => lines(&page.text, first, last).ok_or_else(|| no_place("no such lines"))?,
            (None, None) => 0..BEGINNING.min(page.text.chars().count()),
        };
        let pointer = match &page.sheet_name {
            Some(sheet) => format!("sheet '{}'", sheet.replace('\'', "''")),
            None => format!("page {number}"),
        };
        Ok(Self { page: page.text, place, pointer })
    }

    /// The place with the requested context, as far as it fits: the context is cut before the place itself.
    fn around(&self, request: &OpenFile) -> Range<usize> {
        let room = MAX_PREVIEW_BYTES - SLACK;
        let widths: Vec<usize> = self.page.chars().map(char::len_utf8).collect();
        let (mut start, mut end) = (self.place.start.min(widths.len()), self.place.start.min(widths.len()));
        let mut used = 0;
        while end < self.place.end.min(widths.len()) && used + widths[end] <= room {
            used += widths[end];
            end += 1;
        }
        let first = start.saturating_sub(request.before as usize);
        let last = widths.len().min(self.place.end + request.after as usize);
        // One on each side in turn.
        loop {
            let mut grown = false;
            if start > first && used + widths[start - 1] <= room {
                start -= 1;
                used += widths[start];
                grown = true;
            }
            if end < last && used + widths[end] <= room {
                used += widths[end];
                end += 1;
                grown = true;
            }
            if !grown {
                return start..end;
            }
        }
    }
}

/// The characters of some lines, from 1; those that there are.
fn lines(text: &str, first: u32, last: u32) -> Option<Range<usize>> {
    let mut at = 0;
    let mut found: Option<Range<usize>> = None;
    for (number, line) in (1..=last).zip(text.split('\n')) {
        let length = line.chars().count();
        if number >= first {
            let start = found.map_or(at, |found| found.start);
            found = Some(start..at + length);
        }
        at += length + 1;
    }
    found
}

fn no_page(number: u32, count: u32) -> Error {
    Error::invalid(format!("The file has no page {number}: it has {count}."))
        .with_hint("Use the pointer of a search result, or leave it out for the beginning.")
}

fn no_place(what: &str) -> Error {
    Error::invalid(format!("The file has {what}."))
        .with_hint("Use the pointer of a search result, or leave it out for the beginning.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_is_cut_before_the_place() {
        let text = |length: usize, place| Text { page: "é".repeat(length), place, pointer: String::new() };
        let request = |before, after| OpenFile { before, after, ..OpenFile::default() };
        assert_eq!(text(100, 40..50).around(&request(5, 10)), 35..60);
        assert_eq!(text(100, 40..50).around(&request(500, 500)), 0..100);
        // 1,000 characters of two bytes fit.
        assert_eq!(text(5000, 2000..2100).around(&request(9000, 9000)), 1550..2550);
        assert_eq!(text(5000, 0..4000).around(&request(10, 10)), 0..1000);
        assert_eq!(text(0, 0..0).around(&request(10, 10)), 0..0);
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(lines("ab\ncd\nef", 2, 2), Some(3..5));
        assert_eq!(lines("ab\ncd\nef", 2, 9), Some(3..8));
        assert_eq!(lines("ab", 2, 3), None);
    }
}
