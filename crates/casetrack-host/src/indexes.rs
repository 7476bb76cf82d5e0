//! The indexes of texts in memory of a data directory. They end with the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock, TryLockError};

use super::{Host, lock};
use crate::text_index::{TextIndex, Tokenizer};

pub const DEFAULT_INDEX: &str = "default";

/// Searches of an index run at the same time.
pub(crate) type SharedIndex = Arc<RwLock<TextIndex>>;

pub(super) struct MemoryIndexes(Mutex<BTreeMap<String, SharedIndex>>);

impl Default for MemoryIndexes {
    fn default() -> Self {
        Self(Mutex::new(BTreeMap::from([(DEFAULT_INDEX.to_owned(), SharedIndex::default())])))
    }
}

impl Host {
    pub fn memory_index(&self, name: &str) -> Option<SharedIndex> {
        lock(&self.shared.indexes.0).get(name).cloned()
    }

    pub fn memory_indexes(&self) -> usize {
        lock(&self.shared.indexes.0).len()
    }

    /// Makes an index; `false` if there is one of this name.
    pub fn add_memory_index(&self, name: &str, tokenizer: Tokenizer) -> bool {
        let mut indexes = lock(&self.shared.indexes.0);
        if indexes.contains_key(name) {
            return false;
        }
        indexes.insert(name.to_owned(), Arc::new(RwLock::new(TextIndex::new(tokenizer))));
        true
    }

    /// True if indexes in memory hold data that the end of the process would lose: documents, or indexes that a user made.
    pub fn has_indexes_in_memory(&self) -> bool {
        let indexes = lock(&self.shared.indexes.0);
        let holds = |index: &SharedIndex| match index.try_read() {
            Ok(index) => !index.is_empty(),
            Err(TryLockError::Poisoned(index)) => !index.into_inner().is_empty(),
            // A document is being added.
            Err(TryLockError::WouldBlock) => true,
        };
        indexes.len() > 1 || indexes.values().any(holds)
    }
}
