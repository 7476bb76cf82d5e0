//! Judgements of places: spans.jsonl, one gold span a line.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use casetrack_core::{DocumentId, Error, Result};
use casetrack_store::Collection;
use serde::Deserialize;

use super::json_lines;
use super::ranking::Passage;

pub(super) const SPANS: &str = "spans.jsonl";

#[derive(Deserialize)]
struct Line {
    query: String,
    file: String,
    /// From 1; without it, offsets are those of all pages joined by one form feed each.
    page: Option<u32>,
    start: Option<u32>,
    end: Option<u32>,
    /// Instead of `start` and `end`: places of which any one will do.
    #[serde(default)]
    spans: Vec<(u32, u32)>,
}

/// Something that has to be found, at one of its places. A place has several parts where it runs over page breaks.
#[derive(Debug, Clone)]
pub(super) struct GoldSpan {
    pub places: Vec<Vec<Passage>>,
}

/// A query and all that has to be found with it.
pub(super) struct SpanQuery {
    pub text: String,
    /// The only document that is searched.
    pub within: Option<DocumentId>,
    pub gold: Vec<GoldSpan>,
}

impl SpanQuery {
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> + '_ {
        self.gold.iter().flat_map(|span| &span.places).flatten().map(|part| part.document)
    }
}

/// Where the pages of a document begin in its joined text: (number, start, end) of each.
type Pages = Vec<(u32, u32, u32)>;

/// Reads `directory`/spans.jsonl; lines of the same query belong together, with `within_files` those of the same file too. Files
/// are named relative to `documents`; they have to be among `stored`, the documents by absolute path.
pub(super) fn queries(
    directory: &Path,
    documents: &Path,
    within_files: bool,
    collection: &Collection,
    stored: &HashMap<String, DocumentId>,
) -> Result<Vec<SpanQuery>> {
    let path = directory.join(SPANS);
    let documents = documents.canonicalize().map_err(|error| Error::io(documents.display(), error))?;
    let mut layouts: HashMap<DocumentId, Pages> = HashMap::new();
    let mut queries: Vec<SpanQuery> = Vec::new();
    let mut known: BTreeMap<(String, Option<DocumentId>), usize> = BTreeMap::new();
    for (number, line) in (1..).zip(json_lines::<Line>(&path)?) {
        let place = || format!("Span {number} of {}", path.display());
        let file = documents.join(&line.file);
        let document = match file.canonicalize().ok().as_deref().and_then(Path::to_str) {
            Some(file) => stored.get(file).copied(),
            None => None,
        };
        let Some(document) = document else {
            let message =
                format!("{} is in \"{}\", which is not among the documents that were read.", place(), line.file);
            return Err(Error::invalid(message).with_hint(format!("Name files relative to {}.", documents.display())));
        };
        let pages = match layouts.entry(document) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(pages(collection, document)?),
        };
        let mut spans = line.spans;
        spans.extend(line.start.zip(line.end));
        let places: Vec<Vec<Passage>> = spans.iter().map(|&span| parts(document, pages, line.page, span)).collect();
        if places.is_empty() || places.iter().any(Vec::is_empty) {
            let message = format!("{} is empty or lies outside the text of \"{}\".", place(), line.file);
            return Err(Error::invalid(message).with_hint(
                "Offsets count characters of the text as it was read, half-open: see `casetrack inspect FILE --text`.",
            ));
        }
        let within = within_files.then_some(document);
        let at = *known.entry((line.query.clone(), within)).or_insert_with(|| {
            queries.push(SpanQuery { text: line.query, within, gold: Vec::new() });
            queries.len() - 1
        });
        queries[at].gold.push(GoldSpan { places });
    }
    Ok(queries)
}

fn pages(collection: &Collection, document: DocumentId) -> Result<Pages> {
    let count = collection.document(document)?.map_or(0, |meta| meta.page_count);
    let mut at = 0;
    let mut pages = Vec::new();
    for number in 1..=count {
        let length = collection.page(document, number)?.map_or(0, |page| page.text.chars().count() as u32);
        pages.push((number, at, at + length));
        at += length + 1;
    }
    Ok(pages)
}

/// A span as parts of pages; none where it lies outside the text.
fn parts(document: DocumentId, pages: &Pages, page: Option<u32>, (start, end): (u32, u32)) -> Vec<Passage> {
    let mut parts = Vec::new();
    for &(number, first, last) in pages {
        // Offsets within one page are those of a text that has no other.
        let (first, last) = match page {
            None => (first, last),
            Some(only) if only == number => (0, last - first),
            Some(_) => continue,
        };
        let (from, to) = (start.max(first), end.min(last));
        if from < to {
            parts.push(Passage { document, page: number, start: from - first, end: to - first });
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_the_joined_text_become_parts_of_pages() {
        let document = DocumentId::random();
        // Pages of 10, 5 and 8 characters, joined by one character each.
        let pages = vec![(1, 0, 10), (2, 11, 16), (3, 17, 25)];
        let found = |page, span| -> Vec<(u32, u32, u32)> {
            parts(document, &pages, page, span).iter().map(|part| (part.page, part.start, part.end)).collect()
        };
        assert_eq!(found(None, (2, 6)), [(1, 2, 6)]);
        assert_eq!(found(None, (8, 19)), [(1, 8, 10), (2, 0, 5), (3, 0, 2)]);
        assert_eq!(found(Some(3), (0, 8)), [(3, 0, 8)]);
        assert!(
            found(None, (25, 30)).is_empty() && found(None, (4, 4)).is_empty() && found(Some(4), (0, 1)).is_empty()
        );
    }
}
