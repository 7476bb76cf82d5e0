//! Judgements of places: spans.jsonl, one gold span per line.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use casetrack_core::{DocumentId, Error, ErrorCode, Result};
use casetrack_store::{Collection, Hit};
use serde::Deserialize;

use super::{EvalRequest, Ingested, Judgements, json_lines};

const SPANS: &str = "spans.jsonl";

/// Numbers of first passages that count.
const DEPTHS: [usize; 3] = [5, 10, 20];

#[derive(Deserialize)]
struct Line {
    query: String,
    file: String,
    /// From 1; without it, offsets count in all pages joined by one form feed each.
    page: Option<u32>,
    start: Option<u32>,
    end: Option<u32>,
    /// Instead of `start` and `end`: places of which any one will do.
    #[serde(default)]
    spans: Vec<(u32, u32)>,
}

/// A stretch of a page, in characters, half-open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Passage {
    document: DocumentId,
    page: u32,
    start: u32,
    end: u32,
}

/// Something that has to be found, at one of its places. A place has several parts if it runs over page breaks.
#[derive(Debug, Clone)]
struct GoldSpan {
    places: Vec<Vec<Passage>>,
}

struct SpanQuery {
    text: String,
    /// The only document that is searched.
    within: Option<DocumentId>,
    gold: Vec<GoldSpan>,
}

/// Queries with the places that answer them.
pub struct Spans {
    queries: Vec<SpanQuery>,
    /// The chunks of each document that holds a gold span, in order.
    chunks: HashMap<DocumentId, Vec<Passage>>,
}

/// The ranges of a document's pages in its joined text: (number, start, end) of each.
type Pages = Vec<(u32, u32, u32)>;

/// Checks that the folder has gold spans.
pub(super) fn check(directory: &Path) -> Result<()> {
    if directory.join(SPANS).is_file() {
        return Ok(());
    }
    let message = format!("{} has no {SPANS}.", directory.display());
    Err(Error::new(ErrorCode::FileNotFound, message).with_hint(
        "It must hold one JSON object per line: the query, the file that answers it, and start and end of the answer.",
    ))
}

impl Spans {
    /// Reads spans.jsonl; lines of the same query belong together, with `within_files` only if they have the same file too. Files are named
    /// relative to `documents` and must be among those that were ingested.
    pub(super) fn read(request: &EvalRequest, documents: &Path, ingested: &Ingested) -> Result<Self> {
        let path = request.directory.join(SPANS);
        let documents = casetrack_core::real_path(documents).map_err(|error| Error::io(documents.display(), error))?;
        let collection = &ingested.collection;
        let mut layouts: HashMap<DocumentId, Pages> = HashMap::new();
        let mut found = Self { queries: Vec::new(), chunks: HashMap::new() };
        let mut known: BTreeMap<(String, Option<DocumentId>), usize> = BTreeMap::new();
        for (number, line) in (1..).zip(json_lines::<Line>(&path)?) {
            let place = || format!("Span {number} of {}", path.display());
            let file = casetrack_core::real_path(documents.join(&line.file));
            let stored = file.ok().as_deref().and_then(Path::to_str).and_then(|file| ingested.documents.get(file));
            let Some(&document) = stored else {
                let message = format!("{} is in \"{}\", which was not ingested.", place(), line.file);
                return Err(
                    Error::invalid(message).with_hint(format!("Name files relative to {}.", documents.display()))
                );
            };
            let layout = match layouts.entry(document) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    found.chunks.insert(document, chunks(collection, document)?);
                    entry.insert(pages(collection, document)?)
                }
            };
            let mut spans = line.spans;
            spans.extend(line.start.zip(line.end));
            let places: Vec<Vec<Passage>> =
                spans.iter().map(|&span| parts(document, layout, line.page, span)).collect();
            if places.is_empty() || places.iter().any(Vec::is_empty) {
                let message = format!("{} is empty or outside the text of \"{}\".", place(), line.file);
                return Err(Error::invalid(message).with_hint(
                    "Offsets count characters of the text as it was read, half-open: see `casetrack inspect FILE --text`.",
                ));
            }
            let within = request.within_files.then_some(document);
            let at = *known.entry((line.query.clone(), within)).or_insert_with(|| {
                found.queries.push(SpanQuery { text: line.query, within, gold: Vec::new() });
                found.queries.len() - 1
            });
            found.queries[at].gold.push(GoldSpan { places });
        }
        Ok(found)
    }

    /// The places of the first `count` chunks. Documents without a gold span have empty places: they find nothing.
    fn passages(&self, ranking: &[Hit], count: usize) -> Vec<Passage> {
        let place = |hit: &Hit| {
            let known = self.chunks.get(&hit.document).and_then(|chunks| chunks.get(hit.index as usize));
            known.copied().unwrap_or(Passage { document: hit.document, page: 0, start: 0, end: 0 })
        };
        ranking.iter().take(count).map(place).collect()
    }
}

impl Judgements for Spans {
    fn queries(&self) -> usize {
        self.queries.len()
    }

    fn query(&self, number: usize) -> (&str, Option<DocumentId>) {
        (&self.queries[number].text, self.queries[number].within)
    }

    fn measures(&self) -> &'static [&'static str] {
        &["recall@5", "recall@10", "recall@20"]
    }

    fn measure(&self, number: usize, ranking: &[Hit]) -> Vec<f64> {
        let passages = self.passages(ranking, DEPTHS[2]);
        DEPTHS.map(|k| span_recall(&passages, &self.queries[number].gold, k)).to_vec()
    }
}

fn chunks(collection: &Collection, document: DocumentId) -> Result<Vec<Passage>> {
    let chunks = collection.chunks(document)?.into_iter();
    let place = |page, start, end| Passage { document, page, start, end };
    Ok(chunks.map(|chunk| place(chunk.page, chunk.char_start, chunk.char_end)).collect())
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

/// A span as parts of pages; none if it is outside the text.
fn parts(document: DocumentId, pages: &Pages, page: Option<u32>, (start, end): (u32, u32)) -> Vec<Passage> {
    let mut parts = Vec::new();
    for &(number, first, last) in pages {
        // Offsets within one page count as in a text with no other page.
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

/// The share of gold spans that the first `k` passages hold: at least half of the characters of one of a span's places, taking all
/// these passages together.
fn span_recall(passages: &[Passage], gold: &[GoldSpan], k: usize) -> f64 {
    let seen = &passages[..passages.len().min(k)];
    let found = gold.iter().filter(|span| span.places.iter().any(|place| is_held(place, seen))).count();
    if gold.is_empty() { 0.0 } else { found as f64 / gold.len() as f64 }
}

/// True if at least half of the characters of a place, all its parts together, are in the passages.
fn is_held(place: &[Passage], passages: &[Passage]) -> bool {
    let (mut length, mut held) = (0, 0);
    for part in place {
        length += part.end - part.start;
        let same_page = passages.iter().filter(|other| (other.document, other.page) == (part.document, part.page));
        let mut covers: Vec<(u32, u32)> = same_page
            .map(|other| (other.start.max(part.start), other.end.min(part.end)))
            .filter(|(start, end)| start < end)
            .collect();
        covers.sort_unstable();
        let mut reached = part.start;
        for (start, end) in covers {
            held += end.saturating_sub(start.max(reached));
            reached = reached.max(end);
        }
    }
    length > 0 && 2 * held >= length
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

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn a_span_is_found_where_the_passages_together_hold_half_of_it() {
        let document = DocumentId::random();
        let on_page = |page, start, end| Passage { document, page, start, end };
        let gold = |parts: &[Passage]| GoldSpan { places: vec![parts.to_vec()] };
        let span = gold(&[on_page(1, 100, 200)]);
        let measure = |passages: &[Passage], span: &GoldSpan| span_recall(passages, std::slice::from_ref(span), 5);
        close(measure(&[on_page(1, 0, 150)], &span), 1.0);
        close(measure(&[on_page(1, 0, 149)], &span), 0.0);
        // Characters that two passages share count once.
        close(measure(&[on_page(1, 0, 130), on_page(1, 110, 140)], &span), 0.0);
        close(measure(&[on_page(1, 180, 300), on_page(1, 0, 130)], &span), 1.0);
        close(measure(&[on_page(2, 100, 200)], &span), 0.0);
        close(measure(&[Passage { document: DocumentId::random(), ..on_page(1, 100, 200) }], &span), 0.0);
        // Over a page break.
        let over = gold(&[on_page(1, 90, 100), on_page(2, 0, 30)]);
        close(measure(&[on_page(1, 0, 100)], &over), 0.0);
        close(measure(&[on_page(2, 0, 20)], &over), 1.0);
        // One of several places is enough; two spans of which one is found.
        let either = GoldSpan { places: vec![vec![on_page(1, 0, 10)], vec![on_page(3, 0, 10)]] };
        close(span_recall(&[on_page(3, 0, 50)], &[either, span], 5), 0.5);
        close(span_recall(&[on_page(9, 0, 50), on_page(1, 0, 500)], &[gold(&[on_page(1, 0, 9)])], 1), 0.0);
    }
}
