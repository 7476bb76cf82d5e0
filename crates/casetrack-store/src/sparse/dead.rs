//! Slots whose chunks were deleted, but whose postings are still there.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::records::SlotRange;

/// Ranges of slots, apart from each other, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Dead(Vec<Range<u64>>);

impl Dead {
    /// Adds slots of which none is there yet, or passes over them.
    pub fn insert(&mut self, slots: &SlotRange) {
        let Range { start, end } = slots.slots();
        let place = self.0.partition_point(|range| range.end < start);
        match self.0.get_mut(place) {
            Some(range) if range.start <= start && end <= range.end => {}
            // A neighbour, as the next chunks of a document that grows, is joined.
            Some(range) if range.end == start => {
                range.end = end;
                if let Some(after) = self.0.get(place + 1).filter(|after| after.start == end).cloned() {
                    self.0[place].end = after.end;
                    self.0.remove(place + 1);
                }
            }
            Some(range) if range.start == end => range.start = start,
            _ if start < end => self.0.insert(place, start..end),
            _ => {}
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, slot: u64) -> bool {
        let place = self.0.partition_point(|range| range.end <= slot);
        self.0.get(place).is_some_and(|range| range.start <= slot)
    }

    pub fn count(&self, slots: Range<u64>) -> u64 {
        let first = self.0.partition_point(|range| range.end <= slots.start);
        let inside = self.0[first..].iter().take_while(|range| range.start < slots.end);
        inside.map(|range| range.end.min(slots.end) - range.start.max(slots.start)).sum()
    }

    /// Forgets the slots of a range, which have no postings any more.
    pub fn forget(&mut self, slots: &Range<u64>) {
        let ranges = std::mem::take(&mut self.0);
        let outside =
            |range: Range<u64>| [range.start..range.end.min(slots.start), range.start.max(slots.end)..range.end];
        self.0.extend(ranges.into_iter().flat_map(outside).filter(|range| range.start < range.end));
    }

    pub fn is_well_formed(&self) -> bool {
        self.0.iter().all(|range| range.start < range.end) && self.0.is_sorted_by(|a, b| a.end <= b.start)
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentId;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set_of_slots(order in Just((0..12u64).collect::<Vec<_>>()).prop_shuffle(), taken in 0usize..12, gone in (0u64..40, 0u64..40)) {
            let document = DocumentId::from_bytes([1; 16]);
            let mut dead = Dead::default();
            let mut slots = Vec::new();
            // Ranges of 0 to 3 slots, some of them neighbours; each twice.
            for n in order.iter().take(taken).chain(order.iter().take(taken)) {
                let range = SlotRange { document, first: 4 * n, count: [3, 4, 1, 0][*n as usize % 4] };
                dead.insert(&range);
                slots.extend(range.slots());
                prop_assert!(dead.is_well_formed(), "{dead:?}");
            }
            prop_assert!((0..50).all(|slot| dead.contains(slot) == slots.contains(&slot)));
            let gone = gone.0.min(gone.1)..gone.0.max(gone.1);
            let expected = gone.clone().filter(|slot| slots.contains(slot)).count() as u64;
            prop_assert_eq!(dead.count(gone.clone()), expected);
            dead.forget(&gone);
            prop_assert!(dead.is_well_formed(), "{dead:?}");
            prop_assert!((0..50).all(|slot| dead.contains(slot) == (!gone.contains(&slot) && slots.contains(&slot))));
        }
    }
}
