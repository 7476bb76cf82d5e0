//! The layers of a transformer encoder, each fused so that a tile of rows passes through all of its steps while it is in cache.
//!
//! Inputs and outputs are matrices `[tokens, width]`, row-major. The layers run only on the calling thread: the service
//! gives each of its threads its own batch.

use crate::architectures::EncoderConfig;
use crate::batch::TokenBatch;
use crate::kernels::Arch;
use crate::kernels::attention::SelfAttention;
use crate::kernels::gelu::gelu;
use crate::kernels::int8::{self, Int8Matrix};
use crate::kernels::layer_norm::{LayerNorm, layer_norm};
use crate::kernels::matmul::{Output, PackedMatrix, Rows, matmul};
use crate::precision::Precision;

/// Rows of a tile. With BERT-small's 384 columns a tile and its intermediate take 450 KB.
const TILE_ROWS: usize = 96;

/// Intermediate columns of the feed-forward network computed at a time.
const INTERMEDIATE_SLICE: usize = 384;

/// A weight, ready for products in its precision.
pub enum Weight {
    Float32(PackedMatrix),
    Int8(Int8Matrix),
}

impl Weight {
    /// From `out` rows of `width` values, `stride` apart.
    pub fn new(arch: Arch, precision: Precision, source: &[f32], stride: usize, out: usize, width: usize) -> Self {
        match precision {
            Precision::Float32 => {
                let mut packed = PackedMatrix::new(arch);
                packed.pack_transposed(source, stride, out, width);
                Self::Float32(packed)
            }
            Precision::Int8 => Self::Int8(Int8Matrix::pack_transposed(source, stride, out, width)),
        }
    }

    pub fn width(&self) -> usize {
        match self {
            Self::Float32(weight) => weight.k(),
            Self::Int8(weight) => weight.k(),
        }
    }

    /// `out += x · Wᵀ` for rows of `x` and `out`.
    fn add_product(&self, x: &[f32], out: &mut [f32]) {
        match self {
            Self::Float32(weight) => matmul(self.rows(x), weight, Output::Add, out, weight.n()),
            Self::Int8(weight) => int8::add_product(self.rows(x), weight, out, weight.n()),
        }
    }

    /// Each value of `out` becomes the greatest of it and of its column of `x · Wᵀ`, over all rows of `x`.
    pub fn raise_to_product(&self, x: &[f32], out: &mut [f32]) {
        match self {
            Self::Float32(weight) => matmul(self.rows(x), weight, Output::Max, out, weight.n()),
            Self::Int8(weight) => int8::raise_to_product(self.rows(x), weight, out),
        }
    }

    fn rows<'x>(&self, x: &'x [f32]) -> Rows<'x> {
        Rows { data: x, stride: self.width(), count: x.len() / self.width() }
    }
}

/// `x · Wᵀ + b`.
pub struct Linear {
    weight: Weight,
    bias: Vec<f32>,
}

impl Linear {
    pub fn new(arch: Arch, precision: Precision, weight: &[f32], bias: Vec<f32>) -> Self {
        let width = weight.len() / bias.len();
        Self { weight: Weight::new(arch, precision, weight, width, bias.len(), width), bias }
    }

    /// `x · Wᵀ + b` for rows of `x`, in the memory of `out`, as in all layers: blocks of this size are new pages of the system.
    pub fn apply(&self, x: &[f32], mut out: Vec<f32>) -> Vec<f32> {
        debug_assert!(x.len().is_multiple_of(self.weight.width()));
        repeat(&self.bias, x.len() / self.weight.width(), &mut out);
        self.weight.add_product(x, &mut out);
        out
    }
}

/// `LayerNorm(residual + x · Wᵀ + b)`: the end of an attention block.
pub struct LinearAddNorm {
    pub linear: Linear,
    pub norm: LayerNorm,
    pub arch: Arch,
}

impl LinearAddNorm {
    /// The layer's output for rows of `x` and as many rows of `residual`.
    pub fn apply(&self, x: &[f32], residual: &[f32], out: Vec<f32>) -> Vec<f32> {
        let (width, hidden) = (self.linear.weight.width(), self.linear.bias.len());
        debug_assert_eq!(x.len() * hidden, residual.len() * width);
        let mut out = add_to_rows(residual, &self.linear.bias, out);
        for (x, out) in x.chunks(TILE_ROWS * width).zip(out.chunks_mut(TILE_ROWS * hidden)) {
            self.linear.weight.add_product(x, out);
            layer_norm(self.arch, &self.norm, out);
        }
        out
    }
}

/// `LayerNorm(x + GELU(x · W₁ᵀ + b₁) · W₂ᵀ + b₂)`: the feed-forward block.
pub struct FeedForward {
    /// The network in slices of intermediate columns: their part of W₁ and b₁, and of W₂.
    slices: Vec<(Linear, Weight)>,
    bias: Vec<f32>,
    norm: LayerNorm,
    arch: Arch,
}

impl FeedForward {
    /// From `up` `[intermediate, hidden]` and `down` `[hidden, intermediate]`, row-major, with their biases.
    pub fn new(
        (arch, precision): (Arch, Precision),
        (up, up_bias): (&[f32], &[f32]),
        (down, bias): (&[f32], Vec<f32>),
        norm: LayerNorm,
    ) -> Self {
        let (intermediate, hidden) = (up_bias.len(), bias.len());
        let slices = up.chunks(INTERMEDIATE_SLICE * hidden).zip(up_bias.chunks(INTERMEDIATE_SLICE)).enumerate();
        let slices = slices.map(|(i, (weight, bias))| {
            let down = &down[i * INTERMEDIATE_SLICE..];
            let down = Weight::new(arch, precision, down, intermediate, hidden, bias.len());
            (Linear::new(arch, precision, weight, bias.to_vec()), down)
        });
        Self { slices: slices.collect(), bias, norm, arch }
    }

    /// The layer's output for rows of `x`, of the same shape.
    pub fn apply(&self, x: &[f32], out: Vec<f32>) -> Vec<f32> {
        let hidden = self.bias.len();
        debug_assert!(x.len().is_multiple_of(hidden));
        let mut out = add_to_rows(x, &self.bias, out);
        let mut intermediate = Vec::new();
        for (x, out) in x.chunks(TILE_ROWS * hidden).zip(out.chunks_mut(TILE_ROWS * hidden)) {
            for (up, down) in &self.slices {
                repeat(&up.bias, x.len() / hidden, &mut intermediate);
                up.weight.add_product(x, &mut intermediate);
                gelu(self.arch, &mut intermediate);
                down.add_product(&intermediate, out);
            }
            layer_norm(self.arch, &self.norm, out);
        }
        out
    }
}

/// Multi-head self-attention of each sequence of a batch over itself, from `[tokens, 3 * hidden]` to `[tokens, hidden]`.
pub fn attend(arch: Arch, config: &EncoderConfig, batch: &TokenBatch, qkv: &[f32], mut context: Vec<f32>) -> Vec<f32> {
    let hidden = config.hidden;
    context.clear();
    context.resize(batch.ids().len() * hidden, 0.0);
    debug_assert_eq!(qkv.len(), 3 * context.len());
    let mut attention = SelfAttention::new(arch, config.heads);
    for (range, &visible) in batch.ranges().zip(batch.visible()) {
        let (start, end) = (range.start * hidden, range.end * hidden);
        attention.run(&qkv[3 * start..3 * end], hidden, visible, &mut context[start..end]);
    }
    context
}

/// `row`, `count` times.
fn repeat(row: &[f32], count: usize, out: &mut Vec<f32>) {
    out.clear();
    out.reserve(count * row.len());
    (0..count).for_each(|_| out.extend_from_slice(row));
}

/// `bias` added to every row.
fn add_to_rows(rows: &[f32], bias: &[f32], mut out: Vec<f32>) -> Vec<f32> {
    out.clear();
    out.reserve(rows.len());
    // Row by row, since the compiler turns the extension by one row into vector instructions, but not a flattened iterator.
    rows.chunks_exact(bias.len()).for_each(|row| out.extend(row.iter().zip(bias).map(|(x, b)| x + b)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{architectures, random};
    use crate::reference::{Matrix, gelu};

    fn assert_close(found: &[f32], expected: &Matrix) {
        assert_eq!(found.len(), expected.values.len());
        for (&found, expected) in found.iter().zip(&expected.values) {
            assert!((f64::from(found) - expected).abs() < 2e-5, "{found} instead of {expected}");
        }
    }

    #[test]
    fn fused_layers_equal_the_same_step_by_step() {
        let (tokens, hidden, intermediate) = (TILE_ROWS + 5, 40, INTERMEDIATE_SLICE + 30);
        let norm = LayerNorm { gamma: random(hidden, 1), beta: random(hidden, 2), epsilon: 1e-6 };
        let scaled = |n, seed| random(n, seed).into_iter().map(|x| x * 0.2).collect::<Vec<f32>>();
        let (x, residual) = (random(tokens * hidden, 3), random(tokens * hidden, 4));
        let (rows, residual_rows) = (Matrix::new(&x, hidden), Matrix::new(&residual, hidden));
        let (square, bias) = (scaled(hidden * hidden, 5), scaled(hidden, 6));
        let (up, up_bias, down) =
            (scaled(intermediate * hidden, 7), scaled(intermediate, 8), scaled(hidden * intermediate, 9));
        for arch in architectures() {
            let plain = Linear::new(arch, Precision::Float32, &square, bias.clone());
            assert_close(&plain.apply(&x, Vec::new()), &rows.linear(&square, &bias));

            let fused = LinearAddNorm { linear: plain, norm: norm.clone(), arch };
            let expected = rows.linear(&square, &bias).plus(&residual_rows).norm(&norm);
            assert_close(&fused.apply(&x, &residual, vec![1.0]), &expected);

            let parts = ((&up[..], &up_bias[..]), (&down[..], bias.clone()));
            let fused = FeedForward::new((arch, Precision::Float32), parts.0, parts.1, norm.clone());
            let inner = rows.linear(&up, &up_bias).map(gelu);
            assert_close(&fused.apply(&x, Vec::new()), &inner.linear(&down, &bias).plus(&rows).norm(&norm));
        }
    }

    #[test]
    fn in_integers_layers_give_nearly_the_same() {
        let (tokens, hidden, intermediate) = (TILE_ROWS + 5, 40, INTERMEDIATE_SLICE + 30);
        let (x, bias) = (random(tokens * hidden, 1), random(hidden, 2));
        let norm = LayerNorm { gamma: vec![1.0; hidden], beta: vec![0.0; hidden], epsilon: 1e-6 };
        let (up, up_bias) = (random(intermediate * hidden, 3), random(intermediate, 4));
        let down: Vec<f32> = random(hidden * intermediate, 5).iter().map(|x| x * 0.1).collect();
        let layer = |precision| {
            let parts = ((&up[..], &up_bias[..]), (&down[..], bias.clone()));
            let linear = Linear::new(Arch::new(), precision, &up[..hidden * hidden], bias.clone());
            let linear = LinearAddNorm { linear, norm: norm.clone(), arch: Arch::new() };
            let attended = linear.apply(&x, &x, Vec::new());
            let layer = FeedForward::new((Arch::new(), precision), parts.0, parts.1, norm.clone());
            layer.apply(&attended, Vec::new())
        };
        let (exact, found) = (layer(Precision::Float32), layer(Precision::Int8));
        // The rows have a norm of √hidden, so this is the mean square of the relative error.
        let squares = exact.iter().zip(&found).map(|(exact, found)| (exact - found).powi(2));
        let error = squares.sum::<f32>() / exact.len() as f32;
        assert!(0.0 < error && error < 0.03f32.powi(2), "{}", error.sqrt());
    }
}
