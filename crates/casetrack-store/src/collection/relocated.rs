//! Documents that got new paths or names while the collection was open.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use casetrack_core::DocumentId;

use super::LocalCollection;
use crate::records::Op;
use crate::write::Relocation;

/// The change that gave each of them its path and name last.
#[derive(Default)]
pub(super) struct Relocated(RwLock<HashMap<DocumentId, u64>>);

/// Distinguishes the number of a change from a first slot.
const RELOCATED: u64 = 1 << 63;

impl Relocated {
    pub fn note(&self, seq: u64, relocations: &[Relocation]) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(relocations.iter().map(|relocation| (relocation.document, seq)));
    }

    /// A document that is stored again or deleted has other slots, which identify its version.
    pub fn forget(&self, op: &Op) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for range in op.removed.iter().chain(&op.added) {
            known.remove(&range.document);
        }
    }
}

impl LocalCollection {
    /// All documents with the number of the version that is stored, in the order in which they were stored. No other version of any
    /// document ever has this number; since the collection was opened, a new path or name makes a version too. From memory.
    pub fn versions(&self) -> Vec<(DocumentId, u64)> {
        let relocated = self.relocated.0.read().unwrap_or_else(PoisonError::into_inner);
        let version = |document, first| relocated.get(&document).map_or(first, |seq| RELOCATED | seq);
        self.slots().ranges().map(|range| (range.document, version(range.document, range.first))).collect()
    }
}
