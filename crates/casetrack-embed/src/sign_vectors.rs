//! Token vectors of a passage as they are stored: one bit a value.
//!
//! A stored value keeps only its sign; the query's vectors are unchanged (binary passage retrieval, Yamada et al. 2021, here without
//! training for it). docs/embedding.md has what it costs in ranking.

use crate::outputs::TokenVectors;

/// The signs of a passage's token vectors, 48 bytes a token in 384 dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignVectors {
    dimension: usize,
    /// For each token `dimension / 8` bytes, rounded up, the first value in the lowest bit; 1 for a value above 0.
    bits: Vec<u8>,
}

impl SignVectors {
    /// Takes the signs of vectors of `dimension` values.
    pub fn new(vectors: &TokenVectors, dimension: usize) -> Self {
        let byte = |values: &[f32]| {
            values.iter().enumerate().fold(0u8, |byte, (bit, &value)| byte | (u8::from(value > 0.0) << bit))
        };
        let bits = vectors.vectors.chunks_exact(dimension).flat_map(|vector| vector.chunks(8).map(byte)).collect();
        Self { dimension, bits }
    }

    /// What is stored of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bits
    }

    /// The vectors of stored bytes; `None` if they are not a whole number of vectors.
    pub fn from_bytes(dimension: usize, bits: Vec<u8>) -> Option<Self> {
        bits.len().is_multiple_of(dimension.div_ceil(8)).then_some(Self { dimension, bits })
    }

    /// The vectors of length 1 that the signs represent, `[tokens, dimension]`.
    pub fn decode(&self) -> Vec<f32> {
        let value = 1.0 / (self.dimension as f32).sqrt();
        let tokens = self.bits.chunks_exact(self.dimension.div_ceil(8));
        let of_token = |token: &'_ [u8]| {
            let sign = |i: usize| if token[i / 8] >> (i % 8) & 1 == 1 { value } else { -value };
            (0..self.dimension).map(sign).collect::<Vec<_>>()
        };
        tokens.flat_map(of_token).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::random;
    use crate::late_interaction::max_sim;

    #[test]
    fn signs_survive_storing() {
        let (tokens, dimension) = (5, 21);
        let vectors = TokenVectors { tokens: vec![1; tokens], vectors: random(tokens * dimension, 3) };
        let stored = SignVectors::new(&vectors, dimension);
        assert_eq!(stored.as_bytes().len(), tokens * 3);
        let decoded = SignVectors::from_bytes(dimension, stored.as_bytes().to_vec()).unwrap().decode();
        for (decoded, original) in decoded.iter().zip(&vectors.vectors) {
            assert!((decoded.abs() - 1.0 / 21f32.sqrt()).abs() < 1e-6 && (*decoded > 0.0) == (*original > 0.0));
        }
        assert!(SignVectors::from_bytes(dimension, vec![0; 4]).is_none());
    }

    #[test]
    fn a_passage_with_the_querys_tokens_scores_best() {
        let dimension = 384;
        let passages: Vec<TokenVectors> =
            (1..20).map(|seed| TokenVectors { tokens: vec![0; 12], vectors: random(12 * dimension, seed) }).collect();
        for (own, passage) in passages.iter().enumerate() {
            let noise = random(4 * dimension, 99);
            let query: Vec<f32> = passage.vectors.iter().zip(&noise).map(|(value, noise)| value + noise).collect();
            let score = |other: &TokenVectors| max_sim(&query, &SignVectors::new(other, dimension).decode(), dimension);
            let best = (0..passages.len()).max_by(|&a, &b| score(&passages[a]).total_cmp(&score(&passages[b])));
            assert_eq!(best, Some(own));
        }
    }
}
