//! Multi-head self-attention within one sequence (Vaswani et al. 2017).

use super::matmul::{Output, PackedMatrix, Rows, matmul};
use super::softmax::softmax_numerators;
use super::{Arch, MAX_LANES};

/// Query rows whose scores are held at a time: with 512 keys their scores take 96 KB, so they stay in L2 cache.
const QUERY_ROWS: usize = 48;

/// The working memory of [`SelfAttention::run`], reused from sequence to sequence.
#[derive(Debug)]
pub struct SelfAttention {
    arch: Arch,
    heads: usize,
    keys: PackedMatrix,
    values: PackedMatrix,
    scores: Vec<f32>,
}

impl SelfAttention {
    pub fn new(arch: Arch, heads: usize) -> Self {
        Self { arch, heads, keys: PackedMatrix::new(arch), values: PackedMatrix::new(arch), scores: Vec::new() }
    }

    /// Attends within one sequence: `qkv` holds for each token its query, key and value, `[tokens, 3 * hidden]`;
    /// `context` receives softmax(QKᵀ / √head size) · V, `[tokens, hidden]`, heads side by side. Only the first
    /// `visible` tokens, at least one, are attended to.
    pub fn run(&mut self, qkv: &[f32], hidden: usize, visible: usize, context: &mut [f32]) {
        let tokens = context.len() / hidden;
        if tokens == 0 {
            return;
        }
        debug_assert!((1..=tokens).contains(&visible));
        let (head_size, stride) = (hidden / self.heads, 3 * hidden);
        let scale = 1.0 / (head_size as f32).sqrt();
        let score_stride = visible.next_multiple_of(MAX_LANES);
        self.scores.resize(QUERY_ROWS * score_stride, 0.0);
        let mut sums = [0f32; QUERY_ROWS];
        for head in 0..self.heads {
            let offset = head * head_size;
            self.keys.pack_transposed(&qkv[hidden + offset..], stride, visible, head_size);
            self.values.pack(&qkv[2 * hidden + offset..], stride, visible, head_size);
            for start in (0..tokens).step_by(QUERY_ROWS) {
                let count = QUERY_ROWS.min(tokens - start);
                let queries = Rows { data: &qkv[start * stride + offset..], stride, count };
                matmul(queries, &self.keys, Output::Overwrite, &mut self.scores, score_stride);
                let scores = &mut self.scores[..count * score_stride];
                softmax_numerators(self.arch, scores, score_stride, visible, scale, &mut sums);
                let weights = Rows { data: scores, stride: score_stride, count };
                let out = &mut context[start * hidden + offset..];
                matmul(weights, &self.values, Output::Overwrite, out, hidden);
                for (row, sum) in out.chunks_mut(hidden).zip(&sums[..count]) {
                    for value in &mut row[..head_size] {
                        *value /= sum;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{architectures, random};
    use crate::reference::Matrix;

    #[test]
    fn equals_the_definition_for_short_and_long_sequences() {
        let (hidden, heads) = (24, 3);
        for arch in architectures() {
            let mut attention = SelfAttention::new(arch, heads);
            for (tokens, visible) in [(100usize, 100usize), (1, 1), (2, 1), (17, 17), (48, 31), (49, 49), (32, 16)] {
                let qkv: Vec<f32> = random(tokens * 3 * hidden, tokens as u64).iter().map(|x| x * 3.0).collect();
                let mut context = vec![0f32; tokens * hidden];
                attention.run(&qkv, hidden, visible, &mut context);
                let exact = Matrix::new(&qkv, 3 * hidden).attention(heads, visible);
                for (found, exact) in context.iter().zip(exact.values) {
                    assert!((f64::from(*found) - exact).abs() < 1e-5, "{arch:?} {tokens} tokens: {found} {exact}");
                }
            }
        }
    }
}
