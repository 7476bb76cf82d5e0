//! From the hidden states of a sequence's tokens to one vector.

use serde::Deserialize;

use crate::batch::TokenBatch;

/// How token states become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The mean over all tokens, special tokens included (sentence-transformers' "mean").
    Mean,
    /// The state of the first token, `[CLS]`.
    Cls,
}

/// Pools `[tokens, dimension]` states into one vector for each sequence of the batch, in order; an empty sequence gives zeros.
pub fn pool(pooling: Pooling, states: &[f32], dimension: usize, batch: &TokenBatch) -> Vec<Vec<f32>> {
    let states = batch.ranges().map(|range| &states[range.start * dimension..range.end * dimension]);
    states.map(|states| pool_one(pooling, states, dimension)).collect()
}

fn pool_one(pooling: Pooling, states: &[f32], dimension: usize) -> Vec<f32> {
    let rows = match pooling {
        Pooling::Mean => states,
        Pooling::Cls => &states[..dimension.min(states.len())],
    };
    let mut vector = vec![0f32; dimension];
    for row in rows.chunks_exact(dimension) {
        vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let count = (rows.len() / dimension).max(1) as f32;
    vector.iter_mut().for_each(|value| *value /= count);
    vector
}

/// Scales the vector to length 1; a zero vector stays zero.
pub fn normalise(vector: &mut [f32]) {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|value| *value /= norm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sequence_is_pooled_by_itself() {
        let states = [1.0, 2.0, 3.0, 6.0, -1.0, 5.0];
        let batch = TokenBatch::new(&[vec![7, 8], vec![9], vec![]]);
        assert_eq!(pool(Pooling::Mean, &states, 2, &batch), [[2.0, 4.0], [-1.0, 5.0], [0.0, 0.0]]);
        assert_eq!(pool(Pooling::Cls, &states, 2, &batch), [[1.0, 2.0], [-1.0, 5.0], [0.0, 0.0]]);
    }

    #[test]
    fn normalised_vectors_have_length_one() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0; 2];
        normalise(&mut zero);
        assert_eq!(zero, [0.0; 2]);
    }
}
