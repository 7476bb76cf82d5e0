//! The tokens of several sequences, end to end.

use std::ops::Range;

/// Sequences of token ids, packed without padding.
#[derive(Debug, Clone, Default)]
pub struct TokenBatch {
    ids: Vec<u32>,
    ends: Vec<usize>,
    visible: Vec<usize>,
}

impl TokenBatch {
    pub fn new(sequences: &[Vec<u32>]) -> Self {
        let mut batch = Self::default();
        for sequence in sequences {
            batch.ids.extend_from_slice(sequence);
            batch.ends.push(batch.ids.len());
            batch.visible.push(sequence.len());
        }
        batch
    }

    /// Lets no token attend to those with this id at the end of a sequence; they still attend to the others.
    pub fn with_unseen_tail(mut self, id: u32) -> Self {
        let visible = self.ranges().map(|range| {
            let sequence = &self.ids[range];
            sequence.iter().rposition(|&other| other != id).map_or(sequence.len(), |last| last + 1)
        });
        self.visible = visible.collect();
        self
    }

    /// For each sequence how many of its first tokens are attended to.
    pub fn visible(&self) -> &[usize] {
        &self.visible
    }

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

    #[test]
    fn a_tail_that_is_not_seen_is_what_follows_the_last_other_token() {
        let batch = TokenBatch::new(&[vec![1, 9, 2, 9, 9], vec![3], vec![], vec![9, 9]]);
        assert_eq!(batch.visible(), [5, 1, 0, 2]);
        assert_eq!(batch.with_unseen_tail(9).visible(), [3, 1, 0, 2]);
    }
}
