//! Intervals and tests over queries. Seeded: the same values give the same answer.

const RESAMPLES: usize = 1000;
/// Random sign changes of the test.
const PERMUTATIONS: u32 = 10_000;
const SEED: u64 = 20_260_101;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`, which is not 0.
    fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }
}

/// Queries drawn with replacement, the same for everything that is measured on them.
pub struct Bootstrap {
    /// One resample of as many indexes as there are queries after another.
    draws: Vec<u32>,
    queries: usize,
}

impl Bootstrap {
    pub fn new(queries: usize) -> Self {
        let mut random = Random(SEED);
        let draws = (0..RESAMPLES * queries).map(|_| random.below(queries as u32)).collect();
        Self { draws, queries }
    }

    /// The 95 % interval of the mean (percentile bootstrap). `values` holds one a query; (0, 0) if there are none.
    pub fn interval(&self, values: &[f64]) -> (f64, f64) {
        debug_assert_eq!(values.len(), self.queries);
        let mean_of = |draw: &[u32]| draw.iter().map(|&at| values[at as usize]).sum::<f64>() / draw.len() as f64;
        let mut means: Vec<f64> = self.draws.chunks_exact(self.queries.max(1)).map(mean_of).collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means.get((share * RESAMPLES as f64) as usize).copied().unwrap_or(0.0);
        (at(0.025), at(0.975))
    }
}

pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Two-sided p-value of the paired randomisation test (Fisher 1935; for retrieval Smucker, Allan and Carterette, CIKM 2007): how
/// often random signs make the sum of the differences at least as large.
pub fn randomisation_test(differences: &[f64]) -> f64 {
    // Queries without a difference change no sum.
    let differences: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    // Sums of the same numbers with other signs differ by rounding.
    const ROUNDING: f64 = 1e-9;
    let observed = differences.iter().sum::<f64>().abs() - ROUNDING;
    let mut random = Random(SEED);
    let mut as_large = 0;
    for _ in 0..PERMUTATIONS {
        let mut sum = 0.0;
        for sixty_four in differences.chunks(64) {
            let signs = random.next();
            for (bit, difference) in sixty_four.iter().enumerate() {
                sum += if signs >> bit & 1 == 0 { *difference } else { -*difference };
            }
        }
        as_large += u32::from(sum.abs() >= observed);
    }
    f64::from(as_large + 1) / f64::from(PERMUTATIONS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_the_same_each_time_and_about_as_wide_as_theory_says() {
        // 400 values, half 0 and half 1: the mean's standard error is 0.025.
        let values: Vec<f64> = (0..400).map(|number| f64::from(number % 2)).collect();
        let (low, high) = Bootstrap::new(400).interval(&values);
        assert_eq!((low, high), Bootstrap::new(400).interval(&values));
        assert!(
            (low - (0.5 - 1.96 * 0.025)).abs() < 0.01 && (high - (0.5 + 1.96 * 0.025)).abs() < 0.01,
            "{low} {high}"
        );
        assert_eq!(Bootstrap::new(3).interval(&[0.25; 3]), (0.25, 0.25));
        assert_eq!(Bootstrap::new(0).interval(&[]), (0.0, 0.0));
    }

    #[test]
    fn the_test_distinguishes_a_steady_difference_from_none() {
        let steady: Vec<f64> = (0..50).map(|number| 0.01 + f64::from(number % 3) * 0.02).collect();
        assert!(randomisation_test(&steady) < 0.001);
        let balanced: Vec<f64> = (0..50).map(|number| if number % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert_eq!(randomisation_test(&balanced), 1.0);
        assert_eq!(randomisation_test(&[0.0; 20]), 1.0);
        // Of the 2³ signs of three equal differences, two give as large a sum.
        let exact = randomisation_test(&[0.5, 0.5, 0.5, 0.0]);
        assert!((exact - 0.25).abs() < 0.02, "{exact}");
        // The direction does not matter.
        let reversed: Vec<f64> = steady.iter().map(|difference| -difference).collect();
        assert_eq!(randomisation_test(&steady), randomisation_test(&reversed));
    }
}
