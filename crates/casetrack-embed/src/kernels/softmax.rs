//! Softmax numerators of attention scores, scaled and exponentiated in one pass.

use pulp::{Simd, WithSimd};

use super::{Arch, MAX_LANES};

/// Replaces each row of `scores` by `exp(scale * (score - max of the row))` and writes the rows' sums to `sums`.
///
/// Rows are `stride` apart and hold `len` scores; `stride` must be at least `len` rounded up to [`MAX_LANES`], and the
/// values between the scores and that bound are overwritten. `scale` must be positive. The caller divides by the sum
/// after multiplying with the values, which is cheaper than dividing here.
pub fn softmax_numerators(arch: Arch, scores: &mut [f32], stride: usize, len: usize, scale: f32, sums: &mut [f32]) {
    debug_assert!(stride >= len.next_multiple_of(MAX_LANES) && len > 0);
    arch.dispatch(Numerators { scores, stride, len, scale, sums });
}

struct Numerators<'a> {
    scores: &'a mut [f32],
    stride: usize,
    len: usize,
    scale: f32,
    sums: &'a mut [f32],
}

impl WithSimd for Numerators<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let padded = self.len.next_multiple_of(MAX_LANES);
        let factor = simd.splat_f32s(self.scale * std::f32::consts::LOG2_E);
        for (row, sum) in self.scores.chunks_mut(self.stride).zip(self.sums) {
            let row = &mut row[..padded];
            row[self.len..].fill(f32::MIN);
            let vectors = S::as_mut_simd_f32s(row).0;
            let mut max = simd.splat_f32s(f32::MIN);
            for &scores in vectors.iter() {
                max = simd.max_f32s(max, scores);
            }
            let max = simd.splat_f32s(simd.reduce_max_f32s(max));
            let mut total = simd.splat_f32s(0.0);
            for scores in vectors {
                *scores = exp2(simd, simd.mul_f32s(simd.sub_f32s(*scores, max), factor));
                total = simd.add_f32s(total, *scores);
            }
            *sum = simd.reduce_sum_f32s(total);
        }
    }
}

/// 2^x for x ≤ 0, relative error below 3e-7; x under -126 counts as -126.
///
/// x = n + r with n an integer and |r| ≤ 1/2: 2^n goes into the exponent bits, 2^r is the polynomial of Cephes' `exp2f`
/// (Moshier).
#[inline(always)]
fn exp2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// 1.5 · 2^23: adding it leaves the rounded integer in the low bits of the sum.
    const ROUND: f32 = 12_582_912.0;
    const COEFFICIENTS: [f32; 6] = [1.339_887_4e-3, 9.618_437e-3, 5.550_332_5e-2, 2.402_264_8e-1, 6.931_472e-1, 1.0];
    let x = simd.max_f32s(x, simd.splat_f32s(-126.0));
    let round = simd.splat_f32s(ROUND);
    let shifted = simd.add_f32s(x, round);
    let r = simd.sub_f32s(x, simd.sub_f32s(shifted, round));
    let mut p = simd.splat_f32s(1.535_336_2e-4);
    for coefficient in COEFFICIENTS {
        p = simd.mul_add_e_f32s(p, r, simd.splat_f32s(coefficient));
    }
    // The shift drops all of ROUND's own bits, so that only n is added to the exponent of 1.
    let n = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    let power = simd.transmute_f32s_u32s(simd.add_u32s(n, simd.splat_u32s(1f32.to_bits())));
    simd.mul_f32s(p, power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::{architectures, random};
    use pulp::Scalar;

    #[test]
    fn exp2_is_exact_to_a_few_units_in_the_last_place() {
        for step in 0..=126_000 {
            let x = -f64::from(step) / 1000.0;
            let (found, expected) = (f64::from(exp2(Scalar::new(), x as f32)), f64::from(x as f32).exp2());
            assert!((found / expected - 1.0).abs() < 3e-7, "2^{x}: {found} {expected}");
        }
        assert_eq!(exp2(Scalar::new(), f32::NEG_INFINITY), 2f32.powi(-126));
    }

    #[test]
    fn divided_by_their_sum_the_numerators_are_the_softmax() {
        let scale = 0.177;
        for arch in architectures() {
            for len in [1usize, 15, 16, 17, 100] {
                let stride = len.next_multiple_of(MAX_LANES) + 3;
                let original: Vec<f32> = random(stride * 4, len as u64).iter().map(|x| x * 60.0).collect();
                let mut scores = original.clone();
                let mut sums = [0f32; 4];
                softmax_numerators(arch, &mut scores, stride, len, scale, &mut sums);
                for row in 0..4 {
                    let exact: Vec<f64> = original[row * stride..][..len]
                        .iter()
                        .map(|&x| (f64::from(x) * f64::from(scale)).exp())
                        .collect();
                    let total: f64 = exact.iter().sum();
                    for (found, exact) in scores[row * stride..].iter().zip(exact) {
                        let found = f64::from(found / sums[row]);
                        assert!((found - exact / total).abs() < 1e-6, "{arch:?} {len}: {found} {}", exact / total);
                    }
                }
            }
        }
    }
}
