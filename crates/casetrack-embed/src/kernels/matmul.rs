//! Matrix product of `f32` rows with a packed right-hand operand.
//!
//! Weights are packed once at load into column panels as wide as the register tile, so a product needs no rearrangement
//! at run time: the tile's columns stream from the panel and its rows are read in place. (The scheme of BLIS, Van Zee
//! and van de Geijn 2015, without packing the left operand, whose rows are short enough to stay in cache.)

use std::array::from_fn;

use pulp::{Simd, WithSimd};

use super::Arch;

/// Bytes of left-hand rows that are multiplied with all panels before the next rows: fits an L2 cache next to the panel.
const ROW_BLOCK_BYTES: usize = 192 << 10;

/// Vectors in a row of the register tile, and so in a row of a panel. Three of them with eight rows would load less,
/// but LLVM 22 spills their sums: on AVX-512 that was 2.5 times slower than two with twelve rows.
const VECTORS: usize = 2;

/// Repeats an expression for each row, with the number of the row as a constant, for at most 12 rows. Without a second optimisation, the compiler
/// unrolls a loop too late to keep its sums in registers.
macro_rules! repeat {
    ($number:ident < $count:expr => $body:expr) => {
        repeat!(@ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11; $number, $count, $body)
    };
    (@ $($at:literal),+; $number:ident, $count:expr, $body:expr) => {
        $(if $at < $count {
            let $number: usize = $at;
            $body
        })+
    };
}

/// The right-hand operand of a product: a `[k, n]` matrix in panels of `width` columns, each stored as `[k, width]`.
///
/// The last panel is padded with zeros.
#[derive(Debug, Clone)]
pub struct PackedMatrix {
    arch: Arch,
    width: usize,
    k: usize,
    n: usize,
    data: Vec<f32>,
}

impl PackedMatrix {
    /// An empty matrix, to be filled by one of the `pack` methods, which reuse its memory.
    pub fn new(arch: Arch) -> Self {
        Self { arch, width: arch.dispatch(PanelWidth), k: 0, n: 0, data: Vec::new() }
    }

    /// Packs the transpose of `n` rows of `k` values, `stride` apart: row `j` of the source becomes column `j`.
    ///
    /// This is the layout of a linear layer's weight, `[out, in]`.
    pub fn pack_transposed(&mut self, source: &[f32], stride: usize, n: usize, k: usize) {
        self.reshape(k, n);
        for (j, row) in source.chunks(stride).take(n).enumerate() {
            let panel = &mut self.data[(j / self.width) * k * self.width + j % self.width..];
            for (slot, &value) in panel.iter_mut().step_by(self.width).zip(&row[..k]) {
                *slot = value;
            }
        }
    }

    /// Packs `k` rows of `n` values, `stride` apart.
    pub fn pack(&mut self, source: &[f32], stride: usize, k: usize, n: usize) {
        self.reshape(k, n);
        let width = self.width;
        for (i, row) in source.chunks(stride).take(k).enumerate() {
            for (panel, columns) in self.data.chunks_exact_mut(k * width).zip(row[..n].chunks(width)) {
                panel[i * width..][..columns.len()].copy_from_slice(columns);
            }
        }
    }

    pub fn k(&self) -> usize {
        self.k
    }

    pub fn n(&self) -> usize {
        self.n
    }

    fn reshape(&mut self, k: usize, n: usize) {
        (self.k, self.n) = (k, n);
        if !n.is_multiple_of(self.width) {
            self.data.clear();
        }
        self.data.resize(k * n.next_multiple_of(self.width), 0.0);
    }
}

struct PanelWidth;

impl WithSimd for PanelWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        VECTORS * S::F32_LANES
    }
}

/// The rows of a left operand: `count` rows of `b.k()` values, `stride` apart.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    pub data: &'a [f32],
    pub stride: usize,
    pub count: usize,
}

/// The effect on the values that the output already holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Overwrite,
    Add,
    /// `out` has only one row, which becomes the greatest of its values and all rows of the product.
    Max,
}

/// `out = a · b`, `out += a · b` or the columns' maxima; `out` has rows of `b.n()` values, `stride` apart.
pub fn matmul(a: Rows<'_>, b: &PackedMatrix, output: Output, out: &mut [f32], stride: usize) {
    debug_assert!(a.stride >= b.k && stride >= b.n);
    if b.k > 0 {
        b.arch.dispatch(Product { a, b, output, out, stride });
    }
}

struct Product<'a> {
    a: Rows<'a>,
    b: &'a PackedMatrix,
    output: Output,
    out: &'a mut [f32],
    stride: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // AVX-512 and NEON have 32 vector registers, which hold 24 sums; AVX2 has 16, which hold 12.
        if S::REGISTER_COUNT >= 32 { self.run::<S, 12>(simd) } else { self.run::<S, 6>(simd) }
    }
}

impl Product<'_> {
    /// Runs the product in tiles of `MR` rows and one panel.
    #[inline(always)]
    fn run<S: Simd, const MR: usize>(mut self, simd: S) {
        let (k, n) = (self.b.k, self.b.n);
        let block = (ROW_BLOCK_BYTES / (size_of::<f32>() * k)).max(1).next_multiple_of(MR);
        let panels = S::as_simd_f32s(&self.b.data).0.as_chunks::<VECTORS>().0;
        let mut start = 0;
        while start < self.a.count {
            let end = (start + block).min(self.a.count);
            for (p, panel) in panels.chunks_exact(k).enumerate() {
                let column = p * self.b.width;
                let columns = self.b.width.min(n - column);
                let mut row = start;
                while row + MR <= end {
                    self.tile::<S, MR>(simd, row, panel, column, columns);
                    row += MR;
                }
                while row + 4 <= end {
                    self.tile::<S, 4>(simd, row, panel, column, columns);
                    row += 4;
                }
                while row < end {
                    self.tile::<S, 1>(simd, row, panel, column, columns);
                    row += 1;
                }
            }
            start = end;
        }
    }

    /// The register tile: `MR` rows from `row` on times one panel, of which `columns` are not padding. The sums stay in
    /// registers throughout.
    #[inline(always)]
    fn tile<S: Simd, const MR: usize>(
        &mut self,
        simd: S,
        row: usize,
        panel: &[[S::f32s; VECTORS]],
        column: usize,
        columns: usize,
    ) {
        let mut rows: [&[f32]; MR] = [&[]; MR];
        repeat!(r < MR => rows[r] = &self.a.data[(row + r) * self.a.stride..][..panel.len()]);
        let mut sums = [[simd.splat_f32s(0.0); VECTORS]; MR];
        if self.output == Output::Add {
            repeat!(r < MR => {
                let out = &self.out[(row + r) * self.stride + column..][..columns];
                sums[r] = from_fn(|v| load(simd, out, v * S::F32_LANES));
            });
        }
        for (i, columns) in panel.iter().enumerate() {
            repeat!(r < MR => {
                let x = simd.splat_f32s(rows[r][i]);
                sums[r] = from_fn(|v| simd.mul_add_e_f32s(x, columns[v], sums[r][v]));
            });
        }
        if self.output == Output::Max {
            let out = &mut self.out[column..][..columns];
            let mut max: [_; VECTORS] = from_fn(|v| load(simd, out, v * S::F32_LANES));
            repeat!(r < MR => max = from_fn(|v| simd.max_f32s(max[v], sums[r][v])));
            for (v, max) in max.into_iter().enumerate() {
                store(simd, out, v * S::F32_LANES, max);
            }
            return;
        }
        repeat!(r < MR => {
            let out = &mut self.out[(row + r) * self.stride + column..][..columns];
            for (v, sum) in sums[r].into_iter().enumerate() {
                store(simd, out, v * S::F32_LANES, sum);
            }
        });
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32], from: usize) -> S::f32s {
    match values.get(from..from + S::F32_LANES) {
        Some(whole) => S::as_simd_f32s(whole).0[0],
        None => simd.partial_load_f32s(&values[from.min(values.len())..]),
    }
}

/// Stores the vector at `from`, as far as `values` reaches.
#[inline(always)]
fn store<S: Simd>(simd: S, values: &mut [f32], from: usize, vector: S::f32s) {
    match values.get_mut(from..from + S::F32_LANES) {
        Some(whole) => S::as_mut_simd_f32s(whole).0[0] = vector,
        None => {
            let from = from.min(values.len());
            simd.partial_store_f32s(&mut values[from..], vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{architectures, random};

    fn reference(a: Rows<'_>, weight: &[f32], k: usize, n: usize) -> Vec<f64> {
        let mut out = Vec::with_capacity(a.count * n);
        for row in 0..a.count {
            for column in 0..n {
                let products =
                    (0..k).map(|i| f64::from(a.data[row * a.stride + i]) * f64::from(weight[column * k + i]));
                out.push(products.sum());
            }
        }
        out
    }

    #[test]
    fn equals_the_plain_sum_for_every_shape_and_instruction_set() {
        for arch in architectures() {
            for (rows, k, n) in [(1, 1, 1), (5, 7, 3), (13, 32, 32), (29, 33, 50), (50, 130, 97), (200, 384, 48)] {
                let weight = random(n * k, 1);
                let stride = k + 3;
                let data = random(rows * stride, 2);
                let a = Rows { data: &data, stride, count: rows };
                let expected = reference(a, &weight, k, n);
                let mut packed = PackedMatrix::new(arch);
                packed.pack_transposed(&weight, k, n, k);
                let out_stride = n + 1;
                let mut out = vec![9f32; rows * out_stride];
                matmul(a, &packed, Output::Overwrite, &mut out, out_stride);
                matmul(a, &packed, Output::Add, &mut out, out_stride);
                for (row, expected) in out.chunks(out_stride).zip(expected.chunks(n)) {
                    assert_eq!(row[n], 9.0, "wrote past the columns");
                    for (&found, &sum) in row.iter().zip(expected) {
                        assert!((f64::from(found) - 2.0 * sum).abs() < 1e-4, "{arch:?} {rows}x{k}x{n}: {found} {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_maximum_is_over_all_rows_and_what_the_output_holds() {
        let (rows, k, n) = (41, 20, 100);
        let (data, weight) = (random(rows * k, 7), random(n * k, 8));
        for arch in architectures() {
            let a = Rows { data: &data, stride: k, count: rows };
            let mut packed = PackedMatrix::new(arch);
            packed.pack_transposed(&weight, k, n, k);
            let mut product = vec![0f32; rows * n];
            matmul(a, &packed, Output::Overwrite, &mut product, n);
            let mut max = vec![0.5f32; n];
            matmul(a, &packed, Output::Max, &mut max, n);
            for (column, &found) in max.iter().enumerate() {
                let expected = product.iter().skip(column).step_by(n).fold(0.5f32, |max, &x| max.max(x));
                assert_eq!(found, expected, "{arch:?} column {column}");
            }
        }
    }

    #[test]
    fn packing_rows_and_packing_their_transpose_agree() {
        let arch = Arch::new();
        let (k, n) = (21, 37);
        let rows = random(k * n, 3);
        let transposed: Vec<f32> = (0..n * k).map(|at| rows[(at % k) * n + at / k]).collect();
        let (mut left, mut right) = (PackedMatrix::new(arch), PackedMatrix::new(arch));
        // Leftovers of a larger matrix must not show in the padding.
        left.pack(&random(64 * 64, 4), 64, 64, 64);
        left.pack(&rows, n, k, n);
        right.pack_transposed(&transposed, k, n, k);
        assert_eq!(left.data, right.data);
        assert_eq!((left.k(), left.n()), (k, n));
    }

    #[test]
    fn a_row_does_not_depend_on_the_rows_around_it() {
        let (rows, k, n) = (41, 96, 100);
        let data = random(rows * k, 5);
        for arch in architectures() {
            let mut packed = PackedMatrix::new(arch);
            packed.pack_transposed(&random(n * k, 6), k, n, k);
            let mut together = vec![0f32; rows * n];
            matmul(Rows { data: &data, stride: k, count: rows }, &packed, Output::Overwrite, &mut together, n);
            let mut alone = vec![0f32; n];
            for row in 0..rows {
                matmul(Rows { data: &data[row * k..], stride: k, count: 1 }, &packed, Output::Overwrite, &mut alone, n);
                assert_eq!(alone, together[row * n..][..n]);
            }
        }
    }
}
