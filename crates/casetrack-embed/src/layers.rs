//! The layers of a transformer encoder as candle operations for the CPU, each fused so that a tile of rows passes through
//! all of its steps while it is in cache.
//!
//! All tensors are `[tokens, width]`, `f32`, contiguous. The operations run only on the calling thread: the service gives each of its
//! threads its own batch.

use candle_core::{CpuStorage, CustomOp1, CustomOp2, Error, Layout, Result, Shape};

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
    /// From `out` rows of `width` values that lie `stride` apart.
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

    /// Width of the rows that it is multiplied with.
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
    /// From a weight `[out, in]`, row-major, with `out == bias.len()`.
    pub fn new(arch: Arch, precision: Precision, weight: &[f32], bias: Vec<f32>) -> Self {
        let width = weight.len() / bias.len();
        Self { weight: Weight::new(arch, precision, weight, width, bias.len(), width), bias }
    }

    /// `x · Wᵀ + b` for rows of `x`, without a tensor around them.
    pub fn apply(&self, x: &[f32]) -> Vec<f32> {
        let mut out = self.bias.repeat(x.len() / self.weight.width());
        self.weight.add_product(x, &mut out);
        out
    }
}

impl CustomOp1 for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = rows_of(storage, layout, self.weight.width())?;
        let tokens = x.len() / self.weight.width();
        Ok((CpuStorage::F32(self.apply(x)), (tokens, self.bias.len()).into()))
    }
}

/// `LayerNorm(residual + x · Wᵀ + b)`: the end of an attention block.
pub struct LinearAddNorm {
    pub linear: Linear,
    pub norm: LayerNorm,
    pub arch: Arch,
}

impl CustomOp2 for LinearAddNorm {
    fn name(&self) -> &'static str {
        "linear-add-norm"
    }

    fn cpu_fwd(&self, x: &CpuStorage, x_at: &Layout, y: &CpuStorage, y_at: &Layout) -> Result<(CpuStorage, Shape)> {
        let (width, hidden) = (self.linear.weight.width(), self.linear.bias.len());
        let x = rows_of(x, x_at, width)?;
        let mut out = add_to_rows(rows_of(y, y_at, hidden)?, &self.linear.bias);
        for (x, out) in x.chunks(TILE_ROWS * width).zip(out.chunks_mut(TILE_ROWS * hidden)) {
            self.linear.weight.add_product(x, out);
            layer_norm(self.arch, &self.norm, out);
        }
        let tokens = out.len() / hidden;
        Ok((CpuStorage::F32(out), (tokens, hidden).into()))
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
}

impl CustomOp1 for FeedForward {
    fn name(&self) -> &'static str {
        "feed-forward"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let hidden = self.bias.len();
        let x = rows_of(storage, layout, hidden)?;
        let mut out = add_to_rows(x, &self.bias);
        let mut intermediate = Vec::new();
        for (x, out) in x.chunks(TILE_ROWS * hidden).zip(out.chunks_mut(TILE_ROWS * hidden)) {
            for (up, down) in &self.slices {
                intermediate.clear();
                (0..x.len() / hidden).for_each(|_| intermediate.extend_from_slice(&up.bias));
                up.weight.add_product(x, &mut intermediate);
                gelu(self.arch, &mut intermediate);
                down.add_product(&intermediate, out);
            }
            layer_norm(self.arch, &self.norm, out);
        }
        let tokens = out.len() / hidden;
        Ok((CpuStorage::F32(out), (tokens, hidden).into()))
    }
}

/// Multi-head self-attention of each sequence of a batch over itself, from `[tokens, 3 * hidden]` to `[tokens, hidden]`.
pub struct Attention<'a> {
    pub arch: Arch,
    pub heads: usize,
    pub batch: &'a TokenBatch,
}

impl CustomOp1 for Attention<'_> {
    fn name(&self) -> &'static str {
        "self-attention"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (tokens, width) = layout.shape().dims2()?;
        let hidden = width / 3;
        let qkv = rows_of(storage, layout, width)?;
        let mut context = vec![0f32; tokens * hidden];
        let mut attention = SelfAttention::new(self.arch, self.heads);
        for (range, &visible) in self.batch.ranges().zip(self.batch.visible()) {
            let (start, end) = (range.start * hidden, range.end * hidden);
            attention.run(&qkv[3 * start..3 * end], hidden, visible, &mut context[start..end]);
        }
        Ok((CpuStorage::F32(context), (tokens, hidden).into()))
    }
}

/// The values of a contiguous `f32` tensor whose rows have this width.
fn rows_of<'a>(storage: &'a CpuStorage, layout: &Layout, width: usize) -> Result<&'a [f32]> {
    let dims = layout.shape().dims();
    match (layout.contiguous_offsets(), dims) {
        (Some((start, end)), &[_, last]) if last == width => Ok(&storage.as_slice::<f32>()?[start..end]),
        _ => Err(Error::msg(format!("expected contiguous rows of {width} values, got shape {dims:?}"))),
    }
}

/// `bias` added to every row.
fn add_to_rows(rows: &[f32], bias: &[f32]) -> Vec<f32> {
    let mut out = Vec::with_capacity(rows.len());
    // Row by row, since the compiler turns the extension by one row into vector instructions, but not a flattened iterator.
    rows.chunks_exact(bias.len()).for_each(|row| out.extend(row.iter().zip(bias).map(|(x, b)| x + b)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{architectures, random};
    use candle_core::{Device, Tensor};

    const DEVICE: Device = Device::Cpu;

    fn tensor(values: &[f32], rows: usize) -> Tensor {
        Tensor::from_slice(values, (rows, values.len() / rows), &DEVICE).unwrap()
    }

    fn assert_close(found: &Tensor, expected: &Tensor) {
        assert_eq!(found.dims(), expected.dims());
        let difference = (found - expected).unwrap().abs().unwrap().flatten_all().unwrap().max(0).unwrap();
        assert!(difference.to_scalar::<f32>().unwrap() < 2e-5, "{difference}");
    }

    /// LayerNorm in candle's elementary operations.
    fn normed(x: &Tensor, norm: &LayerNorm) -> Tensor {
        let centred = x.broadcast_sub(&x.mean_keepdim(1).unwrap()).unwrap();
        let variance = (centred.sqr().unwrap().mean_keepdim(1).unwrap() + f64::from(norm.epsilon)).unwrap();
        let scaled = centred.broadcast_div(&variance.sqrt().unwrap()).unwrap();
        scaled.broadcast_mul(&tensor(&norm.gamma, 1)).unwrap().broadcast_add(&tensor(&norm.beta, 1)).unwrap()
    }

    fn linear(x: &Tensor, weight: &[f32], bias: &[f32]) -> Tensor {
        x.matmul(&tensor(weight, bias.len()).t().unwrap()).unwrap().broadcast_add(&tensor(bias, 1)).unwrap()
    }

    #[test]
    fn fused_layers_equal_the_same_in_elementary_operations() {
        let (tokens, hidden, intermediate) = (TILE_ROWS + 5, 40, INTERMEDIATE_SLICE + 30);
        let norm = LayerNorm { gamma: random(hidden, 1), beta: random(hidden, 2), epsilon: 1e-6 };
        let scaled = |n, seed| random(n, seed).into_iter().map(|x| x * 0.2).collect::<Vec<f32>>();
        let (x, residual) = (tensor(&random(tokens * hidden, 3), tokens), tensor(&random(tokens * hidden, 4), tokens));
        let (square, bias) = (scaled(hidden * hidden, 5), scaled(hidden, 6));
        let (up, up_bias, down) =
            (scaled(intermediate * hidden, 7), scaled(intermediate, 8), scaled(hidden * intermediate, 9));
        for arch in architectures() {
            let plain = Linear::new(arch, Precision::Float32, &square, bias.clone());
            assert_close(&x.apply_op1_no_bwd(&plain).unwrap(), &linear(&x, &square, &bias));

            let fused = LinearAddNorm { linear: plain, norm: norm.clone(), arch };
            let expected = normed(&(linear(&x, &square, &bias) + &residual).unwrap(), &norm);
            assert_close(&x.apply_op2_no_bwd(&residual, &fused).unwrap(), &expected);

            let parts = ((&up[..], &up_bias[..]), (&down[..], bias.clone()));
            let fused = FeedForward::new((arch, Precision::Float32), parts.0, parts.1, norm.clone());
            let inner = linear(&x, &up, &up_bias).gelu_erf().unwrap();
            let expected = normed(&(linear(&inner, &down, &bias) + &x).unwrap(), &norm);
            assert_close(&x.apply_op1_no_bwd(&fused).unwrap(), &expected);
        }
    }

    #[test]
    fn in_integers_layers_give_nearly_the_same() {
        let (tokens, hidden, intermediate) = (TILE_ROWS + 5, 40, INTERMEDIATE_SLICE + 30);
        let (x, bias) = (tensor(&random(tokens * hidden, 1), tokens), random(hidden, 2));
        let norm = LayerNorm { gamma: vec![1.0; hidden], beta: vec![0.0; hidden], epsilon: 1e-6 };
        let (up, up_bias) = (random(intermediate * hidden, 3), random(intermediate, 4));
        let down: Vec<f32> = random(hidden * intermediate, 5).iter().map(|x| x * 0.1).collect();
        let layer = |precision| {
            let parts = ((&up[..], &up_bias[..]), (&down[..], bias.clone()));
            let linear = Linear::new(Arch::new(), precision, &up[..hidden * hidden], bias.clone());
            let linear = LinearAddNorm { linear, norm: norm.clone(), arch: Arch::new() };
            let attended = x.apply_op2_no_bwd(&x, &linear).unwrap();
            let layer = FeedForward::new((Arch::new(), precision), parts.0, parts.1, norm.clone());
            attended.apply_op1_no_bwd(&layer).unwrap()
        };
        let (exact, found) = (layer(Precision::Float32), layer(Precision::Int8));
        // The rows have a norm of √hidden, so this is the mean square of the relative error.
        let error = (exact - found).unwrap().sqr().unwrap().mean_all().unwrap().to_scalar::<f32>().unwrap();
        assert!(0.0 < error && error < 0.03f32.powi(2), "{}", error.sqrt());
    }

    #[test]
    fn a_tensor_of_another_width_is_refused() {
        let layer = Linear::new(Arch::new(), Precision::Float32, &random(6, 1), vec![0.0; 2]);
        assert!(tensor(&random(8, 2), 2).apply_op1_no_bwd(&layer).is_err());
        let transposed = tensor(&random(12, 2), 3).t().unwrap();
        assert!(transposed.apply_op1_no_bwd(&layer).is_err());
    }
}
