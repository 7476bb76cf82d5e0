//! The distance between vectors in the graph: one less their dot product, summed in single precision.
//!
//! usearch can bring kernels for every type and processor (its feature `numkong`). They take minutes to compile, and the graph needs one
//! of them. The last bits of a sum depend on the kernel. The graph only proposes candidates, so scores do not.

use std::sync::Arc;

use half::f16;
use half::slice::HalfFloatSliceExt;
use usearch::Index;

use super::vector::dot;

/// An index of vectors with `dimension` components, with this distance. To be called after a file is loaded or viewed,
/// which brings back the slow distance of usearch.
pub(super) fn shared(mut index: Index, dimension: usize) -> Arc<Index> {
    let kernel = kernel();
    index.change_metric(Box::new(move |a: *const usearch::f16, b: *const usearch::f16| {
        // SAFETY: usearch passes pointers to two vectors of the index, each of `dimension` components. Its `f16` is a
        // transparent wrapper of 16 bits, as ours is.
        let (a, b) = unsafe {
            (
                std::slice::from_raw_parts(a.cast::<f16>(), dimension),
                std::slice::from_raw_parts(b.cast::<f16>(), dimension),
            )
        };
        1.0 - kernel(a, b)
    }));
    Arc::new(index)
}

type Kernel = fn(&[f16], &[f16]) -> f32;

fn kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") && is_x86_feature_detected!("f16c") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has what `x86::dot` needs.
        return |a, b| unsafe { x86::dot(a, b) };
    }
    portable
}

/// Widens a few components at a time, with the instructions of the processor if it has some.
fn portable(a: &[f16], b: &[f16]) -> f32 {
    const STEP: usize = 64;
    let mut wide = [[0.0f32; STEP]; 2];
    let mut sum = 0.0;
    for (a, b) in a.chunks(STEP).zip(b.chunks(STEP)) {
        let [left, right] = &mut wide;
        let (left, right) = (&mut left[..a.len()], &mut right[..b.len()]);
        a.convert_to_f32_slice(left);
        b.convert_to_f32_slice(right);
        sum += dot(left, right);
    }
    sum
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, _mm_loadu_si128, _mm256_add_ps, _mm256_cvtph_ps, _mm256_fmadd_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };

    use half::f16;

    /// Four sums of eight lanes side by side, in a fixed order.
    #[target_feature(enable = "avx,f16c,fma")]
    pub fn dot(a: &[f16], b: &[f16]) -> f32 {
        let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        let mut sums = [_mm256_setzero_ps(); 4];
        for (n, (a, b)) in a.0.iter().zip(b.0).enumerate() {
            let sum = &mut sums[n % 4];
            *sum = _mm256_fmadd_ps(wide(a), wide(b), *sum);
        }
        let sum = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        let mut lanes = [0.0f32; 8];
        // SAFETY: `lanes` has room for eight numbers.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
        let rest: f32 = a.1.iter().zip(b.1).map(|(a, b)| a.to_f32() * b.to_f32()).sum();
        lanes.iter().sum::<f32>() + rest
    }

    #[target_feature(enable = "avx,f16c")]
    fn wide(a: &[f16; 8]) -> __m256 {
        // SAFETY: `a` has 16 bytes.
        _mm256_cvtph_ps(unsafe { _mm_loadu_si128(a.as_ptr().cast()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_agree_for_any_length() {
        for length in [0, 1, 7, 8, 33, 64, 65, 384, 387] {
            let vector = |seed: usize| -> Vec<f16> {
                (0..length).map(|n| f16::from_f32(((n * 7 + seed) % 13) as f32 / 16.0)).collect()
            };
            let (a, b) = (vector(1), vector(5));
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a.to_f32() * b.to_f32()).sum();
            assert_eq!(portable(&a, &b), expected);
            assert_eq!(kernel()(&a, &b), expected);
        }
    }
}
