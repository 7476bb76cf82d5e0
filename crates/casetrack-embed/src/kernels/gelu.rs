//! The exact GELU, x · Φ(x), that BERT calls "gelu".

use pulp::{Simd, WithSimd};

use super::Arch;

/// Replaces every value by its GELU (Hendrycks and Gimpel 2016, with the error function, not its tanh approximation).
pub fn gelu(arch: Arch, values: &mut [f32]) {
    arch.dispatch(Gelu(values));
}

struct Gelu<'a>(&'a mut [f32]);

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (vectors, rest) = S::as_mut_simd_f32s(self.0);
        for x in vectors {
            *x = gelu_of(simd, *x);
        }
        if !rest.is_empty() {
            let x = simd.partial_load_f32s(rest);
            simd.partial_store_f32s(rest, gelu_of(simd, x));
        }
    }
}

#[inline(always)]
fn gelu_of<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let half = simd.mul_f32s(x, simd.splat_f32s(0.5));
    let erf = erf(simd, simd.mul_f32s(x, simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2)));
    simd.mul_add_e_f32s(half, erf, half)
}

/// The error function, absolute error below 3e-7: the rational minimax approximation of Eigen's
/// `generic_fast_erf_float` on [-4, 4], outside which erf is ±1 in single precision.
#[inline(always)]
fn erf<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const P: [f32; 7] = [
        -2.726_142_3e-10,
        2.770_681_4e-8,
        -2.101_024e-6,
        -5.692_506_4e-5,
        -7.349_906_3e-4,
        -2.954_6e-3,
        -1.609_603_3e-2,
    ];
    const Q: [f32; 5] = [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329e-3, -1.426_473_9e-2];
    let x = simd.max_f32s(simd.min_f32s(x, simd.splat_f32s(4.0)), simd.splat_f32s(-4.0));
    let t = simd.mul_f32s(x, x);
    let (p, q) = (polynomial(simd, &P, t), polynomial(simd, &Q, t));
    simd.div_f32s(simd.mul_f32s(x, p), q)
}

/// Horner's scheme, highest coefficient first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, coefficients: &[f32; N], x: S::f32s) -> S::f32s {
    let mut sum = simd.splat_f32s(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        sum = simd.mul_add_e_f32s(sum, x, simd.splat_f32s(coefficient));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::architectures;
    use crate::reference;

    #[test]
    fn is_exact_to_single_precision() {
        let inputs: Vec<f32> = (-6000..=6000).map(|step| step as f32 / 1000.0).collect();
        for arch in architectures() {
            let mut found = inputs.clone();
            gelu(arch, &mut found);
            for (&x, &found) in inputs.iter().zip(&found) {
                let exact = reference::gelu(f64::from(x));
                // The error of erf, 3e-7, is multiplied by x / 2; single precision adds its rounding.
                let bound = 3e-7 * f64::from(x).abs().max(1.0);
                assert!((f64::from(found) - exact).abs() < bound, "{arch:?}: gelu({x}) = {found}, not {exact}");
            }
        }
    }

    #[test]
    fn large_values_pass_or_vanish() {
        let mut values = [50.0, -50.0, 1e30];
        gelu(Arch::new(), &mut values);
        assert!((values[0] - 50.0).abs() < 1e-4);
        assert!(values[1].abs() < 1e-4);
        assert!((values[2] / 1e30 - 1.0).abs() < 1e-6);
    }
}
