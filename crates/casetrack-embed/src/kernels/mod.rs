//! Arithmetic kernels on plain `f32` slices, for one thread.
//!
//! Each kernel is written once over [`pulp::Simd`] and compiled for every instruction set of pulp (AVX-512, AVX2, NEON,
//! scalar); an [`Arch`], detected at run time, picks the variant. Products of bytes ([`int8`]), which pulp lacks, use
//! the standard library's intrinsics. The binary stays portable.
//!
//! Every output row depends only on its own input row, in a fixed order of operations: results are the same bit for bit
//! however rows are grouped into calls. Between instruction sets they differ only by rounding.

pub mod attention;
pub mod gelu;
pub mod int8;
pub mod layer_norm;
pub mod matmul;
pub mod softmax;

pub use pulp::Arch;

/// Floats in the widest vector of any instruction set: rows padded to this length need no special last step.
pub const MAX_LANES: usize = 16;

#[cfg(test)]
pub mod testing {
    use super::Arch;

    pub fn architectures() -> Vec<Arch> {
        let mut all = vec![Arch::Scalar];
        #[cfg(target_arch = "x86_64")]
        all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        #[cfg(target_arch = "x86_64")]
        all.extend(pulp::x86::V4::try_new().map(Arch::V4));
        #[cfg(target_arch = "aarch64")]
        all.push(Arch::new());
        all
    }

    /// `n` values in [-1, 1), the same for the same seed (xorshift64).
    pub fn random(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }
}
