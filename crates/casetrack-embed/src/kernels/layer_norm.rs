//! Layer normalisation (Ba, Kiros and Hinton 2016) of rows in place.

use pulp::{Simd, WithSimd};

use super::Arch;

/// The learned scale and shift of a layer normalisation, and the ε of its square root.
#[derive(Debug, Clone)]
pub struct LayerNorm {
    pub gamma: Vec<f32>,
    pub beta: Vec<f32>,
    pub epsilon: f32,
}

/// Normalises each row of `norm.gamma.len()` values to mean 0 and variance 1, then applies gamma and beta.
pub fn layer_norm(arch: Arch, norm: &LayerNorm, rows: &mut [f32]) {
    arch.dispatch(Normalise { norm, rows });
}

struct Normalise<'a> {
    norm: &'a LayerNorm,
    rows: &'a mut [f32],
}

impl WithSimd for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = self.norm.gamma.len();
        let (gamma, gamma_rest) = S::as_simd_f32s(&self.norm.gamma);
        let (beta, beta_rest) = S::as_simd_f32s(&self.norm.beta);
        for row in self.rows.chunks_exact_mut(width) {
            let (vectors, rest) = S::as_mut_simd_f32s(row);
            let mut sums = simd.splat_f32s(0.0);
            for &x in vectors.iter() {
                sums = simd.add_f32s(sums, x);
            }
            let mean = (simd.reduce_sum_f32s(sums) + rest.iter().sum::<f32>()) / width as f32;
            let means = simd.splat_f32s(mean);
            let mut squares = simd.splat_f32s(0.0);
            for x in vectors.iter_mut() {
                *x = simd.sub_f32s(*x, means);
                squares = simd.mul_add_e_f32s(*x, *x, squares);
            }
            let mut square = simd.reduce_sum_f32s(squares);
            for x in rest.iter_mut() {
                *x -= mean;
                square += *x * *x;
            }
            let scale = 1.0 / (square / width as f32 + self.norm.epsilon).sqrt();
            let scales = simd.splat_f32s(scale);
            for ((x, &gamma), &beta) in vectors.iter_mut().zip(gamma).zip(beta) {
                *x = simd.mul_add_e_f32s(simd.mul_f32s(*x, scales), gamma, beta);
            }
            for ((x, gamma), beta) in rest.iter_mut().zip(gamma_rest).zip(beta_rest) {
                *x = *x * scale * gamma + beta;
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
    fn equals_the_definition() {
        for arch in architectures() {
            for width in [1usize, 31, 64, 100] {
                let norm = LayerNorm { gamma: random(width, 1), beta: random(width, 2), epsilon: 1e-5 };
                let original = random(width * 3, 3);
                let mut found = original.clone();
                layer_norm(arch, &norm, &mut found);
                let exact = Matrix::new(&original, width).norm(&norm);
                for (&found, exact) in found.iter().zip(exact.values) {
                    assert!((f64::from(found) - exact).abs() < 1e-5, "{arch:?} width {width}: {found} {exact}");
                }
            }
        }
    }
}
