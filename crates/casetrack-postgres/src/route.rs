//! The routes of the rows of a collection.

use casetrack_core::{CollectionId, DocumentId};
use sha2::{Digest, Sha256};

/// Bits of a slot that are the index of the chunk; those above are the document's ordinal.
pub(crate) const INDEX_BITS: u32 = 20;

pub(crate) fn first_slot(ordinal: u64) -> u64 {
    ordinal << INDEX_BITS
}

pub(crate) fn ordinal_of(slot: u64) -> u64 {
    slot >> INDEX_BITS
}

/// The settings of a database for its collections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Buckets of a collection.
    pub fanout: u32,
    /// So many chunks of a bucket whose postings are in no block become one of each term.
    pub block_chunks: i64,
    /// Vectors are searched one by one if there are at most this many.
    pub exact_chunks: u64,
    /// True if other machines have the tables, and let this client do what its rights allow.
    pub is_guarded: bool,
}

fn number(parts: &[&[u8]]) -> u64 {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    let digest: [u8; 32] = hasher.finalize().into();
    digest.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

/// The routes of a collection.
#[derive(Debug, Clone)]
pub(crate) struct Routes {
    collection: CollectionId,
    fanout: u32,
    pub all: Vec<i64>,
}

impl Routes {
    pub fn of(collection: CollectionId, fanout: u32) -> Self {
        let route = |bucket: u32| number(&[collection.as_bytes(), &bucket.to_be_bytes()]).cast_signed();
        Self { collection, fanout, all: (0..fanout).map(route).collect() }
    }

    pub fn collection(&self) -> CollectionId {
        self.collection
    }

    pub fn bucket(&self, document: DocumentId) -> usize {
        (number(&[document.as_bytes()]) % u64::from(self.fanout.max(1))) as usize
    }

    pub fn route(&self, document: DocumentId) -> i64 {
        self.all.get(self.bucket(document)).copied().unwrap_or_default()
    }

    /// The route of the rows that the collection has once.
    pub fn first(&self) -> i64 {
        self.all.first().copied().unwrap_or_default()
    }

    /// The lock of changes of the collection.
    pub fn lock(&self) -> i64 {
        number(&[b"casetrack collection ", self.collection.as_bytes()]).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_what_they_were() {
        // Rows are found by them: they may never change.
        let routes = Routes::of(CollectionId::from_bytes([1; 16]), 4);
        assert_eq!(
            routes.all,
            [
                -2_551_300_858_954_129_076,
                -8_496_972_430_129_550_689,
                -635_122_528_905_074_854,
                8_632_818_397_625_551_052
            ]
        );
        let buckets: Vec<usize> = (0..8).map(|n| routes.bucket(DocumentId::from_bytes([n; 16]))).collect();
        assert_eq!(buckets, [1, 1, 2, 2, 2, 2, 2, 2]);
    }
}
