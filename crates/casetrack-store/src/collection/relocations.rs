//! Documents that got new paths or names while the collection was open.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use casetrack_core::DocumentId;

use crate::records::Op;
use crate::slots::SlotMap;
use crate::write::Relocation;

/// The change that gave each of them its path and name last.
#[derive(Default)]
pub(super) struct Relocations(RwLock<HashMap<DocumentId, u64>>);

/// Distinguishes the number of a change from a first slot.
const RELOCATED: u64 = 1 << 63;

impl Relocations {
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

    /// See [`ReadDocuments::versions`](crate::roles::ReadDocuments::versions).
    pub fn versions(&self, slots: &SlotMap) -> Vec<(DocumentId, u64)> {
        let relocated = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let version = |document, first| relocated.get(&document).map_or(first, |seq| RELOCATED | seq);
        slots.ranges().map(|range| (range.document, version(range.document, range.first))).collect()
    }
}
