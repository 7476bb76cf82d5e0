//! Matrix product of `f32` rows with a weight of small integers, by the CPU's instructions for products of bytes.
//!
//! A column of the weight is held as integers in [-63, 63] and a scale. A row is turned into integers in [0, 255], a
//! scale and a zero point of its own at the time it is multiplied (dynamic quantisation; Jacob et al. 2018). Sums are
//! exact in 32 bits, and seven bits of weight rather than eight let AVX2 add two products in 16 bits without overflow,
//! so that all instruction sets give the same, bit for bit.

use pulp::bytemuck::{Pod, cast_slice, pod_read_unaligned};
use pulp::{Simd, WithSimd};

use super::Arch;
use super::matmul::Rows;

/// The greatest integers of a weight and of a row.
const WEIGHT_MAX: f32 = 63.0;
const ROW_MAX: f32 = 255.0;

/// Products that one instruction adds up to one sum.
const DEPTH: usize = 4;

/// Bytes of rows that are multiplied with all panels before the next rows: fits an L2 cache next to the panel.
const ROW_BLOCK_BYTES: usize = 96 << 10;

/// Vectors in a row of the register tile, and so in a row of a panel; see the product of `f32`.
const VECTORS: usize = 2;

/// The instructions a product is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    /// None in particular: for tests, and for the few texts of a query on a CPU without the others.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Instructions {
    /// Those that this CPU has, the best last.
    fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            all.extend(is_x86_feature_detected!("avx2").then_some(Self::Avx2));
            all.extend(avx512.then_some(Self::Avx512));
            all.extend(is_x86_feature_detected!("avxvnni").then_some(Self::AvxVnni));
            all.extend((avx512 && is_x86_feature_detected!("avx512vnni")).then_some(Self::Avx512Vnni));
        }
        all
    }

    fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    fn lanes(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx512Vnni => 16,
            _ => 8,
        }
    }
}

/// True if products of integers are faster than those of `f32` on this CPU.
pub fn is_fast() -> bool {
    Instructions::best() != Instructions::Portable
}

/// The right-hand operand of a product: a `[k, n]` matrix of integers in panels of columns, each stored as
/// `[k / DEPTH, width, DEPTH]`.
///
/// The last panel and the last row of each are padded with zeros.
#[derive(Debug, Clone)]
pub struct Int8Matrix {
    arch: Arch,
    instructions: Instructions,
    k: usize,
    n: usize,
    data: Vec<i8>,
    /// For each column: the value of one step, and the sum of its integers.
    scales: Vec<f32>,
    sums: Vec<i32>,
}

impl Int8Matrix {
    /// Quantises and packs the transpose of `n` rows of `k` values, `stride` apart: the layout of a linear layer's
    /// weight, `[out, in]`.
    pub fn pack_transposed(source: &[f32], stride: usize, n: usize, k: usize) -> Self {
        Self::pack_for(Instructions::best(), source, stride, n, k)
    }

    fn pack_for(instructions: Instructions, source: &[f32], stride: usize, n: usize, k: usize) -> Self {
        let width = VECTORS * instructions.lanes();
        let (groups, columns) = (k.div_ceil(DEPTH), n.next_multiple_of(width));
        let mut data = vec![0i8; groups * columns * DEPTH];
        let (mut scales, mut sums) = (vec![0f32; columns], vec![0i32; columns]);
        for (j, row) in source.chunks(stride).take(n).enumerate() {
            let scale = row[..k].iter().fold(f32::MIN_POSITIVE, |max, x| max.max(x.abs() / WEIGHT_MAX));
            scales[j] = scale;
            let panel = &mut data[(j / width) * groups * width * DEPTH..];
            for (i, x) in row[..k].iter().enumerate() {
                let integer = (x / scale).round_ties_even() as i8;
                sums[j] += i32::from(integer);
                panel[((i / DEPTH) * width + j % width) * DEPTH + i % DEPTH] = integer;
            }
        }
        Self { arch: Arch::new(), instructions, k, n, data, scales, sums }
    }

    pub fn k(&self) -> usize {
        self.k
    }

    pub fn n(&self) -> usize {
        self.n
    }
}

/// `out += a · b`; `out` has rows of `b.n()` values, `stride` apart.
pub fn add_product(a: Rows<'_>, b: &Int8Matrix, out: &mut [f32], stride: usize) {
    debug_assert!(a.stride >= b.k && stride >= b.n);
    run(Product { a, b, out, stride, raise: false });
}

/// Each value of `out`, a row of `b.n()`, becomes the greatest of it and of its column of `a · b`.
pub fn raise_to_product(a: Rows<'_>, b: &Int8Matrix, out: &mut [f32]) {
    debug_assert!(a.stride >= b.k && out.len() >= b.n);
    run(Product { a, b, out, stride: 0, raise: true });
}

fn run(product: Product<'_>) {
    let b = product.b;
    if b.k == 0 {
        return;
    }
    // SAFETY: a matrix has only instructions that `Instructions::available` has found this CPU to have.
    match b.instructions {
        Instructions::Portable => product.portable(),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { product.avx2() },
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { product.avx512() },
        #[cfg(target_arch = "x86_64")]
        Instructions::AvxVnni => unsafe { product.avx_vnni() },
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512Vnni => unsafe { product.avx512_vnni() },
    }
}

struct Product<'a> {
    a: Rows<'a>,
    b: &'a Int8Matrix,
    out: &'a mut [f32],
    /// From one row of the output to the next; 0 if it has only one.
    stride: usize,
    raise: bool,
}

impl Product<'_> {
    fn portable(self) {
        let dot = |sums: [i32; 8], row: [i32; 8], column: [i32; 8]| {
            let add = |lane: usize| {
                let (row, column) = (row[lane].to_ne_bytes(), column[lane].to_ne_bytes());
                let products = (0..DEPTH).map(|i| i32::from(row[i]) * i32::from(column[i] as i8));
                sums[lane] + products.sum::<i32>()
            };
            std::array::from_fn(add)
        };
        self.run::<[i32; 8], 8, 2>(|x| [x; 8], dot);
    }

    /// Runs the product in tiles of `MR` rows and one panel. `dot` adds to each sum the products of four bytes without
    /// sign and four with.
    #[inline(always)]
    fn run<V: Pod, const LANES: usize, const MR: usize>(
        mut self,
        splat: impl Fn(i32) -> V + Copy,
        dot: impl Fn(V, V, V) -> V + Copy,
    ) {
        let b = self.b;
        let groups = b.k.div_ceil(DEPTH);
        let block = (ROW_BLOCK_BYTES / (groups * DEPTH)).max(1).next_multiple_of(MR);
        let mut rows = QuantisedRows::default();
        for start in (0..self.a.count).step_by(block) {
            let count = block.min(self.a.count - start);
            rows.quantise(b.arch, self.a, start, count, b.k);
            let panels = b.data.chunks_exact(groups * VECTORS * LANES * DEPTH);
            for (panel, column) in panels.zip((0..).step_by(VECTORS * LANES)) {
                let mut row = 0;
                while row + MR <= count {
                    let out = (start + row) * self.stride + column;
                    self.tile::<V, LANES, MR>(&rows, row, panel, column, out, splat, dot);
                    row += MR;
                }
                while row < count {
                    let out = (start + row) * self.stride + column;
                    self.tile::<V, LANES, 1>(&rows, row, panel, column, out, splat, dot);
                    row += 1;
                }
            }
        }
    }

    /// The register tile: `MR` rows from `row` times the panel that begins at `column`; `at` is the start of its output.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "loops over constants by index unroll into registers")]
    #[expect(clippy::too_many_arguments, reason = "inlined, and of one caller")]
    fn tile<V: Pod, const LANES: usize, const MR: usize>(
        &mut self,
        rows: &QuantisedRows,
        row: usize,
        panel: &[i8],
        column: usize,
        at: usize,
        splat: impl Fn(i32) -> V,
        dot: impl Fn(V, V, V) -> V,
    ) {
        let groups = self.b.k.div_ceil(DEPTH);
        let mut bytes: [&[[u8; DEPTH]]; MR] = [&[]; MR];
        for r in 0..MR {
            bytes[r] = &rows.bytes[(row + r) * groups..][..groups];
        }
        let mut sums = [[V::zeroed(); VECTORS]; MR];
        for i in 0..groups {
            let columns = &panel[i * VECTORS * size_of::<V>()..][..VECTORS * size_of::<V>()];
            let columns: [V; VECTORS] = std::array::from_fn(|v| {
                pod_read_unaligned(cast_slice(&columns[v * size_of::<V>()..][..size_of::<V>()]))
            });
            for r in 0..MR {
                let x = splat(i32::from_ne_bytes(bytes[r][i]));
                for v in 0..VECTORS {
                    sums[r][v] = dot(sums[r][v], x, columns[v]);
                }
            }
        }
        // A copy, so that the code below does not keep the compiler from holding the sums in registers above.
        let mut totals = [[[0i32; LANES]; VECTORS]; MR];
        for r in 0..MR {
            for v in 0..VECTORS {
                totals[r][v].copy_from_slice(cast_slice(&[sums[r][v]]));
            }
        }
        let columns = (VECTORS * LANES).min(self.b.n - column);
        let scales = self.b.scales[column..].as_chunks::<LANES>().0;
        let column_sums = self.b.sums[column..].as_chunks::<LANES>().0;
        for (r, (scale, zero)) in rows.scales[row..][..MR].iter().enumerate() {
            let out = self.out[at + r * self.stride..][..columns].chunks_mut(LANES);
            for (((out, totals), scales), column_sums) in out.zip(&totals[r]).zip(scales).zip(column_sums) {
                let value = |lane: usize| {
                    let sum = totals[lane].wrapping_sub(column_sums[lane].wrapping_mul(*zero));
                    sum as f32 * (scale * scales[lane])
                };
                let greater = |x: f32, y: f32| if x > y { x } else { y };
                match (out.first_chunk_mut::<LANES>(), self.raise) {
                    (Some(out), false) => (0..LANES).for_each(|lane| out[lane] += value(lane)),
                    (Some(out), true) => (0..LANES).for_each(|lane| out[lane] = greater(value(lane), out[lane])),
                    (None, false) => out.iter_mut().enumerate().for_each(|(lane, out)| *out += value(lane)),
                    (None, true) => {
                        out.iter_mut().enumerate().for_each(|(lane, out)| *out = greater(value(lane), *out))
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! The kernel for each set of instructions: AVX2 has 16 vector registers, which hold 12 sums; AVX-512 has 32, for 24.

    use std::arch::x86_64::*;

    use super::Product;

    impl Product<'_> {
        #[target_feature(enable = "avx2")]
        pub fn avx2(self) {
            let ones = _mm256_set1_epi16(1);
            self.run::<__m256i, 8, 6>(
                |x| _mm256_set1_epi32(x),
                |sums, row, column| _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_maddubs_epi16(row, column), ones)),
            );
        }

        #[target_feature(enable = "avx512f,avx512bw")]
        pub fn avx512(self) {
            let ones = _mm512_set1_epi16(1);
            self.run::<__m512i, 16, 12>(
                |x| _mm512_set1_epi32(x),
                |sums, row, column| _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_maddubs_epi16(row, column), ones)),
            );
        }

        #[target_feature(enable = "avx2,avxvnni")]
        pub fn avx_vnni(self) {
            self.run::<__m256i, 8, 6>(
                |x| _mm256_set1_epi32(x),
                |sums, row, column| _mm256_dpbusd_avx_epi32(sums, row, column),
            );
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        pub fn avx512_vnni(self) {
            self.run::<__m512i, 16, 12>(
                |x| _mm512_set1_epi32(x),
                |sums, row, column| _mm512_dpbusd_epi32(sums, row, column),
            );
        }
    }
}

#[derive(Default)]
struct QuantisedRows {
    /// In groups of [`DEPTH`], the last one of a row padded.
    bytes: Vec<[u8; DEPTH]>,
    /// For each row: the value of one step, and the integer that represents 0.
    scales: Vec<(f32, i32)>,
}

impl QuantisedRows {
    /// Replaces the contents with `count` rows of `k` values from `start`.
    fn quantise(&mut self, arch: Arch, a: Rows<'_>, start: usize, count: usize, k: usize) {
        self.bytes.resize(count * k.div_ceil(DEPTH), [0; DEPTH]);
        self.scales.clear();
        arch.dispatch(Quantise { rows: a, start, k, quantised: self });
    }
}

struct Quantise<'a> {
    rows: Rows<'a>,
    start: usize,
    k: usize,
    quantised: &'a mut QuantisedRows,
}

impl WithSimd for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let groups = self.k.div_ceil(DEPTH);
        for (r, bytes) in self.quantised.bytes.chunks_exact_mut(groups).enumerate() {
            let row = &self.rows.data[(self.start + r) * self.rows.stride..][..self.k];
            self.quantised.scales.push(quantise(simd, row, bytes.as_flattened_mut()));
        }
    }
}

/// Writes a row as integers; returns the value of one step, and the integer that represents 0.
///
/// Without sums and without fused operations, so that all instruction sets give the same.
#[inline(always)]
fn quantise<S: Simd>(simd: S, row: &[f32], bytes: &mut [u8]) -> (f32, i32) {
    /// Added to a number in [0, 2^23), it leaves the number, rounded to an integer, in the lowest bits.
    const ROUND: f32 = 8_388_608.0;
    let (vectors, rest) = S::as_simd_f32s(row);
    let rest = simd.partial_load_f32s(rest);
    let zeros = simd.splat_f32s(0.0);
    let (mut least, mut greatest) = (simd.min_f32s(rest, zeros), simd.max_f32s(rest, zeros));
    for &x in vectors {
        (least, greatest) = (simd.min_f32s(least, x), simd.max_f32s(greatest, x));
    }
    let (least, greatest) = (simd.reduce_min_f32s(least), simd.reduce_max_f32s(greatest));
    let scale = ((greatest - least) / ROW_MAX).max(f32::MIN_POSITIVE);
    let (per_unit, zero) = (1.0 / scale, (-least / scale).round_ties_even());
    for (byte, &x) in bytes.iter_mut().zip(row) {
        let integer = x * per_unit + zero;
        let integer = if integer < ROW_MAX { integer } else { ROW_MAX };
        let integer = if integer > 0.0 { integer } else { 0.0 };
        *byte = (integer + ROUND).to_bits() as u8;
    }
    (scale, zero as i32)
}

#[cfg(test)]
mod tests;
