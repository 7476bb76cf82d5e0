//! The tokens of several sequences, end to end.

use std::ops::Range;

/// Sequences of token ids, packed without padding.
#[derive(Debug, Clone, Default)]
pub struct TokenBatch {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl TokenBatch {
    /// Packs the sequences in order.
    pub fn new(sequences: &[Vec<u32>]) -> Self {
        let mut batch = Self::default();
        for sequence in sequences {
            batch.ids.extend_from_slice(sequence);
            batch.ends.push(batch.ids.len());
        }
        batch
    }

    /// All token ids, sequence after sequence.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// For each sequence the rows it occupies in a `[tokens, _]` matrix.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter().copied()).map(|(start, end)| start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cut_the_ids_back_into_the_sequences() {
        let sequences = vec![vec![1, 2, 3], vec![], vec![4]];
        let batch = TokenBatch::new(&sequences);
        let cut: Vec<Vec<u32>> = batch.ranges().map(|range| batch.ids()[range].to_vec()).collect();
        assert_eq!(cut, sequences);
    }
}
