//! Vectors copied out of usearch, and their similarity.

use half::f16;
use half::slice::HalfFloatSliceExt;
use usearch::Index;

/// Buffers for a vector that is copied out of the index.
pub(super) struct Fetched {
    bits: Vec<i16>,
    narrow: Vec<f16>,
    wide: Vec<f32>,
}

impl Fetched {
    pub fn new(dimension: usize) -> Self {
        Self { bits: vec![0; dimension], narrow: vec![f16::ZERO; dimension], wide: vec![0.0; dimension] }
    }

    /// Copies the vector of a slot; `false` if there is none.
    pub fn fetch(&mut self, index: &Index, slot: u64) -> Result<bool, impl std::fmt::Display + use<>> {
        let found = index.get(slot, usearch::f16::from_mut_i16s(&mut self.bits));
        for (narrow, bits) in self.narrow.iter_mut().zip(&self.bits) {
            *narrow = f16::from_bits(bits.cast_unsigned());
        }
        found.map(|found| found > 0)
    }

    pub fn narrow(&self) -> &[f16] {
        &self.narrow
    }

    pub fn wide(&mut self) -> &[f32] {
        self.narrow.convert_to_f32_slice(&mut self.wide);
        &self.wide
    }
}

/// Eight sums side by side, which the compiler turns into vector instructions; the order of additions is fixed.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0f32; 8];
    for (x, y) in a.0.iter().zip(b.0) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f32 = a.1.iter().zip(b.1).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dot_product_takes_any_length() {
        for length in [0, 1, 7, 8, 9, 64, 67] {
            let a: Vec<f32> = (0..length).map(|n| n as f32).collect();
            let expected: f32 = a.iter().map(|x| x * x).sum();
            assert_eq!(dot(&a, &a), expected);
        }
    }
}
