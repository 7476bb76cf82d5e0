//! E1: one vector a text.

use crate::batch::TokenBatch;
use crate::pooling::{Pooling, normalise, pool};

/// Turns the states of a text's tokens into one vector.
pub trait DenseHead: Send + Sync {
    /// One vector for each sequence of the batch, in order, from the encoder's states `[tokens, hidden]`.
    fn vectors(&self, states: &[f32], batch: &TokenBatch) -> Vec<Vec<f32>>;
}

/// Pooling of the states, as in sentence-transformers models.
pub struct PooledStates {
    pub pooling: Pooling,
    pub hidden: usize,
    pub normalise: bool,
}

impl DenseHead for PooledStates {
    fn vectors(&self, states: &[f32], batch: &TokenBatch) -> Vec<Vec<f32>> {
        let mut vectors = pool(self.pooling, states, self.hidden, batch);
        if self.normalise {
            vectors.iter_mut().for_each(|vector| normalise(vector));
        }
        vectors
    }
}
