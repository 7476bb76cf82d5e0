//! Token vectors of a passage as they are stored: one bit a value.
//!
//! Only the sign of a value is stored; the query's vectors are unchanged (binary passage retrieval, Yamada et al. 2021,
//! here without training for it). docs/dev/embedding.md has the cost in ranking.

use crate::outputs::TokenVectors;

/// Values in a byte of a lookup table.
const BYTE: usize = 256;
/// Sums that do not wait for each other.
const LANES: usize = 4;

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

    pub fn into_bytes(self) -> Vec<u8> {
        self.bits
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

/// A query's token vectors, to be compared with the signs of passages.
///
/// The inner product with a vector of signs is looked up a byte of signs at a time: for each token and byte the sum of
/// the values whose bits are set (Jégou et al. 2011, asymmetric distance computation).
#[derive(Debug, Clone, PartialEq)]
pub struct SignQuery {
    /// Bytes of a token of a passage.
    bytes: usize,
    /// For each token of the query, [`BYTE`] sums for each byte.
    tables: Vec<Vec<f32>>,
    bases: Vec<f32>,
}

impl SignQuery {
    /// Prepares the vectors of a query, of `dimension` values each.
    pub fn new(query: &TokenVectors, dimension: usize) -> Self {
        // The vectors that signs represent have length 1.
        let scale = 1.0 / (dimension as f32).sqrt();
        let table = |vector: &[f32]| {
            let mut table = Vec::with_capacity(dimension.div_ceil(8) * BYTE);
            for values in vector.chunks(8) {
                for bits in 0..BYTE {
                    let set = values.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                    table.push(2.0 * scale * set.map(|(_, value)| value).sum::<f32>());
                }
            }
            table
        };
        let vectors = || query.vectors.chunks_exact(dimension.max(1));
        Self {
            bytes: dimension.div_ceil(8).max(1),
            tables: vectors().map(table).collect(),
            bases: vectors().map(|vector| -scale * vector.iter().sum::<f32>()).collect(),
        }
    }

    /// True if no token of the query counts, so that it ranks no passage.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// MaxSim with each stored passage: the mean over the query's tokens of the highest cosine with a token of the
    /// passage, -1 to 1; 0 if either has none. Sums are in a fixed order.
    pub fn max_sims(&self, passages: &[impl AsRef<[u8]>]) -> Vec<f32> {
        let mut sums = vec![0.0; passages.len()];
        // Token by token, so that its table stays in cache.
        for (table, base) in self.tables.iter().zip(&self.bases) {
            for (sum, passage) in sums.iter_mut().zip(passages) {
                let product = |token: &[u8]| {
                    let mut lanes = [0.0; LANES];
                    for (n, (&byte, sums)) in token.iter().zip(table.as_chunks::<BYTE>().0).enumerate() {
                        lanes[n % LANES] += sums[usize::from(byte)];
                    }
                    base + lanes.iter().sum::<f32>()
                };
                let best = passage.as_ref().chunks_exact(self.bytes).map(product).reduce(f32::max);
                *sum += best.unwrap_or_default();
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= self.tables.len().max(1) as f32);
        sums
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
        assert_eq!(stored.clone().into_bytes().len(), tokens * 3);
        let decoded = SignVectors::from_bytes(dimension, stored.into_bytes()).unwrap().decode();
        for (decoded, original) in decoded.iter().zip(&vectors.vectors) {
            assert!((decoded.abs() - 1.0 / 21f32.sqrt()).abs() < 1e-6 && (*decoded > 0.0) == (*original > 0.0));
        }
        assert!(SignVectors::from_bytes(dimension, vec![0; 4]).is_none());
    }

    #[test]
    fn looked_up_products_are_those_of_the_vectors() {
        for dimension in [21, 96, 384] {
            let vectors = |tokens: usize, seed| TokenVectors {
                tokens: vec![0; tokens],
                vectors: random(tokens * dimension, seed),
            };
            let query = vectors(3, 1);
            let prepared = SignQuery::new(&query, dimension);
            let passages: Vec<SignVectors> =
                (0..6).map(|n| SignVectors::new(&vectors(n, n as u64 + 2), dimension)).collect();
            let stored: Vec<Vec<u8>> = passages.iter().cloned().map(SignVectors::into_bytes).collect();
            for (found, passage) in prepared.max_sims(&stored).iter().zip(&passages) {
                let expected = max_sim(&query.vectors, &passage.decode(), dimension) / 3.0;
                assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
            let none = SignQuery::new(&TokenVectors::default(), dimension);
            assert!(none.is_empty() && none.max_sims(&stored) == vec![0.0; 6]);
        }
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
