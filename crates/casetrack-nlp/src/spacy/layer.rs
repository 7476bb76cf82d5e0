//! The arithmetic: linear and maxout layers over rows of `f32`, and layer normalisation.
//!
//! Written once over [`pulp::Simd`] and compiled for every instruction set that pulp supports; one is picked at run time. Every
//! output row depends only on its own input row, in a fixed order of operations, however rows are grouped into calls.

use pulp::{Arch, Simd, WithSimd};

/// Floats in the widest vector of any instruction set; the outputs of a layer are a multiple of it.
pub(super) const MAX_LANES: usize = 16;

/// Maxout (Goodfellow et al. 2013): each output is the greatest of some linear functions of the input, its pieces. One
/// piece makes a linear layer.
#[derive(Debug)]
pub(super) struct Layer {
    arch: Arch,
    inputs: usize,
    outputs: usize,
    pieces: usize,
    /// The weights in panels of as many outputs as a vector has lanes: `[panel, input, piece, lane]`.
    weights: Vec<f32>,
    /// `[panel, piece, lane]`
    bias: Vec<f32>,
}

impl Layer {
    /// `weights` are `[outputs, pieces, inputs]` and `bias` is `[outputs, pieces]`, as in thinc; one or three pieces.
    pub fn new(arch: Arch, weights: &[f32], bias: &[f32], outputs: usize, pieces: usize) -> Self {
        let inputs = weights.len() / bias.len();
        let lanes = arch.dispatch(Lanes);
        let padded = outputs.next_multiple_of(MAX_LANES);
        let mut layer = Self {
            arch,
            inputs,
            outputs: padded,
            pieces,
            weights: vec![0.0; padded * pieces * inputs],
            bias: vec![0.0; padded * pieces],
        };
        for (row, (weights, &bias)) in weights.chunks_exact(inputs).zip(bias).enumerate() {
            let (output, piece) = (row / pieces, row % pieces);
            let (panel, lane) = (output / lanes, output % lanes);
            layer.bias[(panel * pieces + piece) * lanes + lane] = bias;
            for (input, &weight) in weights.iter().enumerate() {
                layer.weights[((panel * inputs + input) * pieces + piece) * lanes + lane] = weight;
            }
        }
        layer
    }

    /// Outputs of a row: those given to [`Layer::new`], filled up with zeros.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Runs the layer over rows of its inputs that begin `stride` apart, and may so overlap; `out` has the rows' outputs.
    pub fn run(&self, input: &[f32], stride: usize, out: &mut [f32]) {
        self.arch.dispatch(Run { layer: self, input, stride, out });
    }
}

struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

struct Run<'a> {
    layer: &'a Layer,
    input: &'a [f32],
    stride: usize,
    out: &'a mut [f32],
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many sums as there are registers for: 32 on AVX-512 and NEON, 16 on AVX2.
        match (self.layer.pieces, S::REGISTER_COUNT >= 32) {
            (1, true) => self.tiles::<S, 16, 1>(simd),
            (1, false) => self.tiles::<S, 8, 1>(simd),
            (_, true) => self.tiles::<S, 6, 3>(simd),
            (_, false) => self.tiles::<S, 4, 3>(simd),
        }
    }
}

impl Run<'_> {
    #[inline(always)]
    fn tiles<S: Simd, const ROWS: usize, const PIECES: usize>(mut self, simd: S) {
        let rows = self.out.len() / self.layer.outputs;
        let weights = S::as_simd_f32s(&self.layer.weights).0.as_chunks::<PIECES>().0;
        let biases = S::as_simd_f32s(&self.layer.bias).0.as_chunks::<PIECES>().0;
        for (panel, (weights, bias)) in weights.chunks_exact(self.layer.inputs).zip(biases).enumerate() {
            let mut row = 0;
            while row + ROWS <= rows {
                self.tile::<S, ROWS, PIECES>(simd, row, panel, weights, bias);
                row += ROWS;
            }
            while row + 2 <= rows {
                self.tile::<S, 2, PIECES>(simd, row, panel, weights, bias);
                row += 2;
            }
            if row < rows {
                self.tile::<S, 1, PIECES>(simd, row, panel, weights, bias);
            }
        }
    }

    /// `ROWS` rows times one panel. The sums stay in registers.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "loops over constants by index unroll into registers")]
    fn tile<S: Simd, const ROWS: usize, const PIECES: usize>(
        &mut self,
        simd: S,
        row: usize,
        panel: usize,
        weights: &[[S::f32s; PIECES]],
        bias: &[S::f32s; PIECES],
    ) {
        let mut inputs: [&[f32]; ROWS] = [&[]; ROWS];
        for r in 0..ROWS {
            inputs[r] = &self.input[(row + r) * self.stride..][..weights.len()];
        }
        let mut sums = [[simd.splat_f32s(0.0); PIECES]; ROWS];
        for (i, weights) in weights.iter().enumerate() {
            for r in 0..ROWS {
                let x = simd.splat_f32s(inputs[r][i]);
                for p in 0..PIECES {
                    sums[r][p] = simd.mul_add_e_f32s(x, weights[p], sums[r][p]);
                }
            }
        }
        for r in 0..ROWS {
            let mut greatest = simd.add_f32s(sums[r][0], bias[0]);
            for p in 1..PIECES {
                greatest = simd.max_f32s(greatest, simd.add_f32s(sums[r][p], bias[p]));
            }
            let out = &mut self.out[(row + r) * self.layer.outputs + panel * S::F32_LANES..][..S::F32_LANES];
            S::as_mut_simd_f32s(out).0[0] = greatest;
        }
    }
}

#[derive(Debug)]
pub(super) struct LayerNorm {
    pub arch: Arch,
    pub gain: Vec<f32>,
    pub bias: Vec<f32>,
}

/// Added to the variance, as in thinc.
const EPSILON: f32 = 1e-8;

impl LayerNorm {
    /// Adds the normalised rows of `rows` to those of `sums`.
    pub fn add_to(&self, rows: &[f32], sums: &mut [f32]) {
        self.arch.dispatch(AddNormalised { norm: self, rows, sums });
    }
}

struct AddNormalised<'a> {
    norm: &'a LayerNorm,
    rows: &'a [f32],
    sums: &'a mut [f32],
}

impl WithSimd for AddNormalised<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.norm.gain.len();
        let (gain, bias) = (S::as_simd_f32s(&self.norm.gain).0, S::as_simd_f32s(&self.norm.bias).0);
        for (row, sums) in self.rows.chunks_exact(width).zip(self.sums.chunks_exact_mut(width)) {
            let (row, sums) = (S::as_simd_f32s(row).0, S::as_mut_simd_f32s(sums).0);
            let total = row.iter().fold(simd.splat_f32s(0.0), |sum, &x| simd.add_f32s(sum, x));
            let mean = simd.splat_f32s(simd.reduce_sum_f32s(total) / width as f32);
            let mut squares = simd.splat_f32s(0.0);
            for &x in row {
                let x = simd.sub_f32s(x, mean);
                squares = simd.mul_add_e_f32s(x, x, squares);
            }
            let variance = simd.reduce_sum_f32s(squares) / width as f32 + EPSILON;
            let scale = simd.splat_f32s(1.0 / variance.sqrt());
            for (((sum, &x), &gain), &bias) in sums.iter_mut().zip(row).zip(gain).zip(bias) {
                let x = simd.mul_f32s(simd.sub_f32s(x, mean), scale);
                *sum = simd.add_f32s(*sum, simd.mul_add_e_f32s(x, gain, bias));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn architectures() -> Vec<Arch> {
        let mut all = vec![Arch::Scalar, Arch::new()];
        #[cfg(target_arch = "x86_64")]
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        all
    }

    /// `n` values in [-1, 1), the same for the same seed (xorshift64).
    fn random(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn a_layer_is_the_greatest_of_its_linear_pieces() {
        for (rows, inputs, outputs, pieces, stride) in
            [(1, 4, 16, 3, 4), (17, 288, 96, 3, 96), (35, 20, 37, 1, 20), (5, 9, 3, 3, 9)]
        {
            let (weights, bias) = (random(outputs * pieces * inputs, 1), random(outputs * pieces, 2));
            let input = random(stride * (rows - 1) + inputs, 3);
            for arch in architectures() {
                let layer = Layer::new(arch, &weights, &bias, outputs, pieces);
                let mut out = vec![9.0; rows * layer.outputs()];
                layer.run(&input, stride, &mut out);
                for row in 0..rows {
                    let x = &input[row * stride..][..inputs];
                    for output in 0..layer.outputs() {
                        let piece = |p: usize| {
                            let w = &weights[(output * pieces + p) * inputs..][..inputs];
                            let sum: f64 = w.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum();
                            sum + f64::from(bias[output * pieces + p])
                        };
                        let expected =
                            if output < outputs { (0..pieces).map(piece).fold(f64::MIN, f64::max) } else { 0.0 };
                        let found = f64::from(out[row * layer.outputs() + output]);
                        assert!((found - expected).abs() < 1e-4, "{arch:?}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn normalised_rows_are_added() {
        let width = 96;
        let (gain, bias) = (random(width, 1), random(width, 2));
        let (rows, sums) = (random(3 * width, 3), random(3 * width, 4));
        for arch in architectures() {
            let norm = LayerNorm { arch, gain: gain.clone(), bias: bias.clone() };
            let mut found = sums.clone();
            norm.add_to(&rows, &mut found);
            for (r, row) in rows.chunks(width).enumerate() {
                let mean = row.iter().sum::<f32>() / width as f32;
                let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / width as f32;
                for i in 0..width {
                    let expected = sums[r * width + i] + (row[i] - mean) / variance.sqrt() * gain[i] + bias[i];
                    assert!((found[r * width + i] - expected).abs() < 1e-5);
                }
            }
        }
    }
}
