//! The vectors of chunks on their way to the store, and those that need not be made.
//!
//! Texts that repeat word for word are embedded once: clauses that every contract has, quoted mail, the pages of a form. The vector of a
//! text does not depend on other texts, so each chunk with the same text would get the same one.
//!
//! In a large table with few kinds of rows, one row of each kind is embedded, and chunks get the vectors of their rows.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use casetrack_core::{Chunk, ChunkId, DocumentMeta, Result};
use casetrack_embed::Outputs;
use casetrack_store::{Collection, SparseVector};
use sha2::{Digest, Sha256};

/// Texts whose vectors are remembered, the latest ones: about 3 kB each, 14 kB with token vectors.
const REMEMBERED: usize = 4096;
/// A table of this many chunks or more gets its vectors from its rows.
const LARGE: usize = 256;
/// Chunks for each row that is embedded, at least.
const LEAST_SAVED: usize = 2;
/// Most terms, and most bytes of token vectors, of a chunk that gets its vectors from its rows: a passage of running text has about as many.
/// Without a limit, the vectors of a large table take more memory than its text.
const MOST_TERMS: usize = 192;
const MOST_TOKEN_BYTES: usize = 12 << 10;

#[derive(Debug, Clone)]
pub(crate) struct ChunkVectors {
    pub dense: Vec<f32>,
    /// If the job makes them.
    pub sparse: Option<SparseVector>,
    /// The signs of its token vectors, if the job makes them.
    pub tokens: Option<Vec<u8>>,
}

impl ChunkVectors {
    /// The vectors of a passage from those of its rows: the direction of the sum, the terms of the largest weights, and the tokens of the first
    /// rows.
    fn of_rows<'v>(rows: impl Iterator<Item = &'v Self> + Clone) -> Self {
        let mut dense = vec![0.0f32; rows.clone().next().map_or(0, |row| row.dense.len())];
        rows.clone().for_each(|row| dense.iter_mut().zip(&row.dense).for_each(|(sum, value)| *sum += value));
        let length = dense.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        dense.iter_mut().for_each(|value| *value /= length);
        let has_sparse = rows.clone().any(|row| row.sparse.is_some());
        let sparse = has_sparse.then(|| SparseVector { terms: heaviest_terms(rows.clone()) });
        let has_tokens = rows.clone().any(|row| row.tokens.is_some());
        let tokens = has_tokens.then(|| {
            let mut all: Vec<u8> = Vec::new();
            for tokens in rows.filter_map(|row| row.tokens.as_deref()) {
                if all.is_empty() || all.len() + tokens.len() <= MOST_TOKEN_BYTES {
                    all.extend(tokens);
                }
            }
            all
        });
        Self { dense, sparse, tokens }
    }
}

/// The largest weight of each term in these rows, of at most [`MOST_TERMS`] terms, by term.
fn heaviest_terms<'v>(rows: impl Iterator<Item = &'v ChunkVectors>) -> Vec<(u32, f32)> {
    let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
    for (term, weight) in rows.filter_map(|row| row.sparse.as_ref()).flat_map(|row| &row.terms) {
        let most = weights.entry(*term).or_default();
        *most = most.max(*weight);
    }
    let mut terms: Vec<(u32, f32)> = weights.into_iter().collect();
    if terms.len() > MOST_TERMS {
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        terms.truncate(MOST_TERMS);
        terms.sort_by_key(|(term, _)| *term);
        terms.shrink_to_fit();
    }
    terms
}

/// The rows of a large table, which are embedded instead of its chunks.
pub(super) struct RowTexts {
    /// Those that differ in more than digits, each with the context of its chunk.
    pub texts: Vec<String>,
    /// For each missing chunk its index, and the places of its rows in `texts`.
    chunks: Vec<(usize, Vec<usize>)>,
}

impl RowTexts {
    /// `None` if there are not [`LARGE`] chunks without vectors, or if nearly every row is different, so that rows would cost more than chunks.
    pub fn of(chunks: &[Chunk], vectors: &[Option<ChunkVectors>]) -> Option<Self> {
        let missing: Vec<usize> = (0..chunks.len()).filter(|&at| vectors[at].is_none()).collect();
        if missing.len() < LARGE {
            return None;
        }
        let mut rows = Self { texts: Vec::new(), chunks: Vec::with_capacity(missing.len()) };
        let mut places: HashMap<TextKey, usize> = HashMap::new();
        for &at in &missing {
            let chunk = &chunks[at];
            let mut of_chunk = Vec::new();
            for row in chunk.searchable_text().lines().filter(|row| !row.trim().is_empty()) {
                let text = format!("{}\n{}", chunk.context, without_digits(row));
                let place = *places.entry(text_key(&text)).or_insert_with(|| {
                    rows.texts.push(text);
                    rows.texts.len() - 1
                });
                if !of_chunk.contains(&place) {
                    of_chunk.push(place);
                }
            }
            if of_chunk.is_empty() || rows.texts.len() > missing.len() / LEAST_SAVED {
                return None;
            }
            rows.chunks.push((at, of_chunk));
        }
        Some(rows)
    }

    /// Chunks that get their vectors from `texts`.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// The vectors of the chunks, by index, from those of `texts`.
    pub fn chunk_vectors(self, made: &[ChunkVectors]) -> impl Iterator<Item = (usize, ChunkVectors)> {
        let of_rows = |rows: Vec<usize>| ChunkVectors::of_rows(rows.iter().map(|&row| &made[row]));
        self.chunks.into_iter().map(move |(at, rows)| (at, of_rows(rows)))
    }
}

/// A text with one `0` for each run of digits: rows of one kind differ in days, numbers and sums.
fn without_digits(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if written.ends_with('0') => {}
            true => written.push('0'),
            false => written.push(c),
        }
    }
    written
}

pub(super) type TextKey = [u8; 32];

pub(super) fn text_key(text: &str) -> TextKey {
    Sha256::digest(text).into()
}

/// The vectors of the latest texts.
#[derive(Default)]
pub(super) struct VectorCache {
    vectors: HashMap<TextKey, Arc<ChunkVectors>>,
    /// The oldest first.
    order: VecDeque<TextKey>,
}

impl VectorCache {
    pub fn get(&self, key: &TextKey) -> Option<Arc<ChunkVectors>> {
        self.vectors.get(key).cloned()
    }

    /// Adds the vectors of a text, and drops those of the oldest one if there are too many.
    pub fn insert(&mut self, key: TextKey, vectors: ChunkVectors) -> Arc<ChunkVectors> {
        let vectors = Arc::new(vectors);
        if self.vectors.insert(key, Arc::clone(&vectors)).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.vectors.remove(&oldest);
        }
        vectors
    }
}

/// The vectors of the chunks that `earlier` has with the same text and context, if these have all `outputs`.
pub(crate) fn unchanged_vectors(
    collection: &Collection,
    earlier: &DocumentMeta,
    chunks: &[Chunk],
    outputs: Outputs,
) -> Result<Vec<Option<ChunkVectors>>> {
    let contexts: HashMap<ChunkId, String> =
        collection.chunks(earlier.id)?.into_iter().map(|chunk| (chunk.id, chunk.context)).collect();
    let mut known: HashMap<ChunkId, Vec<f32>> = collection.vectors(earlier.id)?.into_iter().collect();
    let mut known_sparse: HashMap<ChunkId, SparseVector> = match outputs.sparse {
        true => collection.sparse_vectors(earlier.id)?.into_iter().collect(),
        false => HashMap::new(),
    };
    let mut known_tokens: HashMap<ChunkId, Vec<u8>> = HashMap::new();
    if outputs.tokens {
        for span in collection.chunk_spans(earlier.id)? {
            let signs = collection.token_vectors_at(earlier.id, span.index)?;
            known_tokens.extend(signs.map(|signs| (span.id, signs)));
        }
    }
    let take = |chunk: &Chunk| {
        let same = contexts.get(&chunk.id).is_some_and(|context| *context == chunk.context);
        let of_chunk = known_sparse.remove(&chunk.id);
        let tokens = known_tokens.remove(&chunk.id);
        if !same || of_chunk.is_some() != outputs.sparse || tokens.is_some() != outputs.tokens {
            return None;
        }
        Some(ChunkVectors { dense: known.remove(&chunk.id)?, sparse: of_chunk, tokens })
    };
    Ok(chunks.iter().map(take).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chunk of two rows.
    fn chunk(index: usize, rows: [&str; 2]) -> Chunk {
        let text = rows.join("\n");
        let number = index as u32;
        Chunk {
            id: ChunkId::derive(casetrack_core::DocumentId::random(), 1, number, &text),
            index: number,
            page: 1,
            char_start: 0,
            char_end: text.len() as u32,
            byte_start: 0,
            byte_end: text.len() as u32,
            paragraph_start: 1,
            paragraph_end: 2,
            line_start: 1,
            line_end: 2,
            sheet_name: None,
            row_range: None,
            column_range: None,
            bounding_boxes: Vec::new(),
            heading_path: Vec::new(),
            context: "Date, Supplier".to_owned(),
            text,
        }
    }

    #[test]
    fn of_a_large_table_the_rows_that_differ_in_more_than_digits_are_embedded() {
        let rows = |at: usize| [format!("2024-01-{at:02} Acme {at}"), format!("2023-12-{at:02} Beta {at}")];
        let chunks: Vec<Chunk> = (0..LARGE).map(|at| chunk(at, rows(at).each_ref().map(String::as_str))).collect();
        let none = vec![None; LARGE];
        let found = RowTexts::of(&chunks, &none).unwrap();
        assert_eq!(found.texts, ["Date, Supplier\n0-0-0 Acme 0", "Date, Supplier\n0-0-0 Beta 0"]);
        let row = |dense: [f32; 2], term, token| ChunkVectors {
            dense: dense.to_vec(),
            sparse: Some(SparseVector { terms: vec![(1, 0.5), (term, 2.0)] }),
            tokens: Some(vec![token]),
        };
        let made = [row([1.0, 0.0], 7, 1), row([0.0, 1.0], 3, 2)];
        let vectors: Vec<_> = found.chunk_vectors(&made).collect();
        assert_eq!(vectors.len(), LARGE);
        let (at, first) = &vectors[0];
        assert_eq!((*at, first.tokens.as_deref()), (0, Some(&[1, 2][..])));
        assert_eq!(first.sparse.as_ref().unwrap().terms, [(1, 0.5), (3, 2.0), (7, 2.0)]);
        assert!(first.dense.iter().all(|value| (value - 0.5f32.sqrt()).abs() < 1e-6));
        // Small tables, and rows of as many kinds as chunks.
        assert!(RowTexts::of(&chunks[1..], &none[1..]).is_none());
        let name = |at: usize| "x".repeat(at);
        let different: Vec<Chunk> = (0..LARGE).map(|at| chunk(at, [&name(at + 1), "end"])).collect();
        assert!(RowTexts::of(&different, &none).is_none());
    }

    #[test]
    fn a_chunk_of_many_rows_has_no_more_terms_and_tokens_than_a_passage() {
        let row = |n: u32| ChunkVectors {
            dense: vec![1.0],
            sparse: Some(SparseVector { terms: (0..100).map(|term| (100 * n + term, (n + 1) as f32)).collect() }),
            tokens: Some(vec![n as u8; 5 << 10]),
        };
        let rows: Vec<ChunkVectors> = (0..5).map(row).collect();
        let vectors = ChunkVectors::of_rows(rows.iter());
        let terms = vectors.sparse.unwrap().terms;
        assert_eq!((terms.len(), terms[0], terms.last()), (MOST_TERMS, (300, 4.0), Some(&(499, 5.0))));
        assert!(terms.is_sorted_by_key(|(term, _)| *term));
        assert_eq!(vectors.tokens.unwrap().len(), 10 << 10);
    }

    #[test]
    fn the_latest_texts_are_in_the_cache() {
        let mut cache = VectorCache::default();
        let vectors = |n: usize| ChunkVectors { dense: vec![n as f32], sparse: None, tokens: None };
        for n in 0..=REMEMBERED {
            cache.insert(text_key(&n.to_string()), vectors(n));
        }
        assert!(cache.get(&text_key("0")).is_none());
        assert_eq!(cache.get(&text_key("1")).unwrap().dense, [1.0]);
        cache.insert(text_key("1"), vectors(7));
        assert_eq!((cache.get(&text_key("1")).unwrap().dense[0], cache.order.len()), (7.0, REMEMBERED));
    }
}
