//! The vectors of chunks on their way to the store, and those that need not be made.
//!
//! Texts that repeat word for word are embedded once: clauses that every contract has, quoted mail, the pages of a form. The vector of a
//! text does not depend on other texts, so each chunk with the same text would get the same one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use casetrack_core::{Chunk, ChunkId, DocumentMeta, Result};
use casetrack_embed::Outputs;
use casetrack_store::{Collection, SparseVector};
use sha2::{Digest, Sha256};

/// Texts whose vectors are remembered, the latest ones: about 3 kB each, 14 kB with token vectors.
const REMEMBERED: usize = 4096;

#[derive(Debug, Clone)]
pub(crate) struct ChunkVectors {
    pub dense: Vec<f32>,
    /// If the job makes them.
    pub sparse: Option<SparseVector>,
    /// The signs of its token vectors, if the job makes them.
    pub tokens: Option<Vec<u8>>,
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
