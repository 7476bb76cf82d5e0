//! The map between slots, by which the derived indexes know chunks, and documents.

use std::collections::{BTreeMap, HashMap};

use casetrack_core::{DocumentId, Result};

use crate::reader::Reader;
use crate::records::{Op, SlotRange};

/// All live slots, in memory: about 100 bytes a document.
#[derive(Debug, Clone, Default)]
pub struct SlotMap {
    by_slot: BTreeMap<u64, SlotRange>,
    by_document: HashMap<DocumentId, SlotRange>,
    chunks: u64,
}

impl SlotMap {
    /// Reads the slots of all documents.
    pub(crate) fn load(reader: &Reader<'_>) -> Result<Self> {
        let mut map = Self::default();
        for range in reader.slot_ranges()? {
            map.insert(range?);
        }
        Ok(map)
    }

    pub fn insert(&mut self, range: SlotRange) {
        self.by_slot.insert(range.first, range);
        self.by_document.insert(range.document, range);
        self.chunks += u64::from(range.count);
    }

    pub fn remove(&mut self, range: &SlotRange) {
        if self.by_slot.remove(&range.first).is_some() {
            self.by_document.remove(&range.document);
            self.chunks -= u64::from(range.count);
        }
    }

    pub(crate) fn apply(&mut self, op: &Op) {
        if let Some(removed) = &op.removed {
            self.remove(removed);
        }
        if let Some(added) = op.added {
            self.insert(added);
        }
    }

    pub fn documents(&self) -> usize {
        self.by_slot.len()
    }

    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    /// All documents by slot.
    pub fn ranges(&self) -> impl Iterator<Item = &SlotRange> {
        self.by_slot.values()
    }

    /// True if the document still has exactly these slots.
    pub fn is_live(&self, range: &SlotRange) -> bool {
        self.by_slot.get(&range.first) == Some(range)
    }

    /// The document and chunk index of a slot, while it is live.
    pub fn resolve(&self, slot: u64) -> Option<(DocumentId, u32)> {
        let (_, range) = self.by_slot.range(..=slot).next_back()?;
        let index = u32::try_from(slot - range.first).ok()?;
        (index < range.count).then_some((range.document, index))
    }

    pub fn slot(&self, document: DocumentId, index: u32) -> Option<u64> {
        let range = self.by_document.get(&document)?;
        (index < range.count).then(|| range.first + u64::from(index))
    }

    pub fn range_of(&self, document: DocumentId) -> Option<SlotRange> {
        self.by_document.get(&document).copied()
    }

    /// The slots of some documents; those that do not exist are skipped.
    pub fn select(&self, documents: &[DocumentId]) -> SlotSet {
        let mut ranges: Vec<SlotRange> = documents.iter().filter_map(|id| self.by_document.get(id)).copied().collect();
        ranges.sort_unstable_by_key(|range| range.first);
        ranges.dedup();
        SlotSet::of(ranges)
    }

    pub fn all(&self) -> SlotSet {
        SlotSet::of(self.ranges().copied().collect())
    }
}

/// Slots of some documents: all of them or a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotSet {
    /// Sorted, apart from each other.
    ranges: Vec<SlotRange>,
    len: u64,
}

impl SlotSet {
    /// Of ranges that are sorted and apart from each other, each within one document.
    pub fn of(ranges: Vec<SlotRange>) -> Self {
        Self { len: ranges.iter().map(|range| u64::from(range.count)).sum(), ranges }
    }

    pub fn ranges(&self) -> &[SlotRange] {
        &self.ranges
    }

    /// The slots that are also among others, given in ascending order.
    pub fn intersection(&self, others: &[u64]) -> Self {
        let mut kept: Vec<SlotRange> = Vec::new();
        let mut others = others.iter().copied().peekable();
        for range in &self.ranges {
            while others.next_if(|&slot| slot < range.first).is_some() {}
            let mut run: Option<SlotRange> = None;
            while let Some(slot) = others.next_if(|&slot| slot < range.end()) {
                match &mut run {
                    Some(run) if run.end() == slot => run.count += 1,
                    _ => kept.extend(run.replace(SlotRange { first: slot, count: 1, ..*range })),
                }
            }
            kept.extend(run);
        }
        Self::of(kept)
    }

    pub fn union(&self, other: &Self) -> Self {
        let mut ranges: Vec<SlotRange> = self.ranges.iter().chain(&other.ranges).copied().collect();
        ranges.sort_unstable_by_key(|range| range.first);
        let mut kept: Vec<SlotRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match kept.last_mut() {
                // Ranges of different documents may touch; they never overlap.
                Some(last) if last.document == range.document && range.first <= last.end() => {
                    let end = last.end().max(range.end());
                    last.count = u32::try_from(end - last.first).unwrap_or(u32::MAX);
                }
                _ => kept.push(range),
            }
        }
        Self::of(kept)
    }

    pub fn within(&self, documents: &[DocumentId]) -> Self {
        Self::of(self.ranges.iter().filter(|range| documents.contains(&range.document)).copied().collect())
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if any of the slots is in a range.
    pub fn overlaps(&self, range: &std::ops::Range<u64>) -> bool {
        let after = self.ranges.partition_point(|own| own.end() <= range.start);
        self.ranges.get(after).is_some_and(|own| own.first < range.end)
    }

    pub fn contains(&self, slot: u64) -> bool {
        let after = self.ranges.partition_point(|range| range.end() <= slot);
        self.ranges.get(after).is_some_and(|range| range.first <= slot)
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().flat_map(SlotRange::slots)
    }

    /// Each document once.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> {
        self.ranges.chunk_by(|a, b| a.document == b.document).map(|ranges| ranges[0].document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_resolve_while_they_are_live() {
        let (a, b) = (DocumentId::random(), DocumentId::random());
        let range = |document, first, count| SlotRange { document, first, count };
        let mut map = SlotMap::default();
        map.apply(&Op { removed: None, added: Some(range(a, 0, 3)) });
        map.apply(&Op { removed: None, added: Some(range(b, 3, 2)) });
        assert_eq!(map.resolve(2), Some((a, 2)));
        assert_eq!(map.resolve(3), Some((b, 0)));
        assert_eq!(map.resolve(5), None);
        assert_eq!(map.chunks(), 5);

        map.apply(&Op { removed: Some(range(a, 0, 3)), added: Some(range(a, 5, 1)) });
        assert_eq!(map.resolve(2), None);
        assert_eq!(map.resolve(5), Some((a, 0)));
        assert!(!map.is_live(&range(a, 0, 3)));
        assert!(map.is_live(&range(a, 5, 1)));
        assert_eq!(map.chunks(), 3);
    }

    #[test]
    fn a_selection_holds_the_slots_of_its_documents() {
        let (a, b, c) = (DocumentId::random(), DocumentId::random(), DocumentId::random());
        let mut map = SlotMap::default();
        for (document, first, count) in [(a, 0, 3), (b, 3, 2), (c, 5, 4)] {
            map.insert(SlotRange { document, first, count });
        }
        let set = map.select(&[c, a, a, DocumentId::random()]);
        assert_eq!(set.len(), 7);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 1, 2, 5, 6, 7, 8]);
        assert!((0..10).all(|slot| set.contains(slot) == (slot < 3 || (5..9).contains(&slot))));
        assert!(set.overlaps(&(2..4)) && set.overlaps(&(4..6)) && !set.overlaps(&(3..5)) && !set.overlaps(&(9..12)));
        assert_eq!(map.select(&[]).len(), 0);
        let part = set.intersection(&[0, 2, 3, 4, 5, 6, 8, 90]);
        assert_eq!(part.iter().collect::<Vec<_>>(), [0, 2, 5, 6, 8]);
        assert_eq!((part.len(), part.documents().collect::<Vec<_>>()), (5, vec![a, c]));
        assert_eq!(map.all().intersection(&[2, 3]).ranges().len(), 2, "a range is of one document");
        let other = map.all().intersection(&[1, 2, 4, 8]);
        assert_eq!(part.union(&other).iter().collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6, 8]);
        assert_eq!(part.union(&other).len(), 7);
    }
}
