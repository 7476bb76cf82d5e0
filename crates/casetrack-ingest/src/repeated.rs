//! Texts that repeat word for word are embedded once: clauses that every contract has, quoted mail, the pages of a form.
//!
//! The vector of a text does not depend on what else is embedded, so that of an earlier chunk with the same text is the one it would get.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::pipeline::ChunkVectors;

/// Texts whose vectors are remembered, the latest ones: about 3 kB each, 14 kB with token vectors.
const REMEMBERED: usize = 4096;

/// What stands for a text.
pub(super) type Key = [u8; 32];

pub(super) fn key(text: &str) -> Key {
    Sha256::digest(text).into()
}

/// The vectors of the latest texts.
#[derive(Default)]
pub(super) struct Repeated {
    known: HashMap<Key, Arc<ChunkVectors>>,
    /// The oldest first.
    order: VecDeque<Key>,
}

impl Repeated {
    pub fn get(&self, key: &Key) -> Option<Arc<ChunkVectors>> {
        self.known.get(key).cloned()
    }

    /// Remembers the vectors of a text, and forgets those of the oldest one where there are too many.
    pub fn remember(&mut self, key: Key, vectors: ChunkVectors) -> Arc<ChunkVectors> {
        let vectors = Arc::new(vectors);
        if self.known.insert(key, Arc::clone(&vectors)).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        vectors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_texts_are_known() {
        let mut repeated = Repeated::default();
        let vectors = |n: usize| ChunkVectors { dense: vec![n as f32], sparse: None, tokens: None };
        for n in 0..=REMEMBERED {
            repeated.remember(key(&n.to_string()), vectors(n));
        }
        assert!(repeated.get(&key("0")).is_none());
        assert_eq!(repeated.get(&key("1")).unwrap().dense, [1.0]);
        repeated.remember(key("1"), vectors(7));
        assert_eq!((repeated.get(&key("1")).unwrap().dense[0], repeated.order.len()), (7.0, REMEMBERED));
    }
}
