//! Measures of one ranking. All are 0–1; a query's measure is averaged over queries.

/// Normalised discounted cumulative gain of the first `k` (Järvelin and Kekäläinen 2002), with the gain linear in the grade as
/// trec_eval has it: Σ grade / log₂(rank + 1), divided by the sum for the best possible order.
///
/// `gains` are the grades in the order of the ranking, 0 for irrelevant ones; `relevant` all grades above 0 of the query, in any order.
pub fn ndcg(gains: &[f64], relevant: &[f64], k: usize) -> f64 {
    let dcg = |grades: &[f64]| -> f64 {
        let discounted = (2..).zip(grades.iter().take(k)).map(|(place, grade)| grade / f64::from(place).log2());
        // The sum of nothing would be -0.
        discounted.fold(0.0, |sum, gain: f64| sum + gain)
    };
    let mut best = relevant.to_vec();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal = dcg(&best);
    if ideal > 0.0 { dcg(gains) / ideal } else { 0.0 }
}

/// The share of the `relevant` ones (their number) that is among the first `k`.
pub fn recall(gains: &[f64], relevant: usize, k: usize) -> f64 {
    let found = gains.iter().take(k).filter(|&&gain| gain > 0.0).count();
    if relevant > 0 { found as f64 / relevant as f64 } else { 0.0 }
}

/// 1 / rank of the first relevant one, 0 if none is among the first `k`.
pub fn reciprocal_rank(gains: &[f64], k: usize) -> f64 {
    gains.iter().take(k).position(|&gain| gain > 0.0).map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn ndcg_equals_a_ranking_computed_by_hand_with_grades() {
        // Grades 3, 2, 0, 1 in the ranking; a fifth of grade 2 was not found.
        let dcg = 3.0 + 2.0 / 3f64.log2() + 1.0 / 5f64.log2();
        let ideal = 3.0 + 2.0 / 3f64.log2() + 2.0 / 2.0 + 1.0 / 5f64.log2();
        close(ndcg(&[3.0, 2.0, 0.0, 1.0], &[1.0, 2.0, 3.0, 2.0], 10), dcg / ideal);
        // Cut at 2, the ideal is 3 and 2 as well.
        close(ndcg(&[2.0, 3.0], &[3.0, 2.0, 2.0], 2), (2.0 + 3.0 / 3f64.log2()) / (3.0 + 2.0 / 3f64.log2()));
        // Equal grades may be in any order.
        close(ndcg(&[1.0, 1.0, 0.0], &[1.0, 1.0], 10), 1.0);
        close(ndcg(&[0.0, 1.0], &[1.0], 10), 1.0 / 3f64.log2());
        close(ndcg(&[0.0, 0.0], &[1.0], 10), 0.0);
        close(ndcg(&[0.0; 11], &[], 10), 0.0);
    }

    #[test]
    fn recall_and_reciprocal_rank_look_no_deeper_than_k() {
        let gains = [0.0, 2.0, 0.0, 1.0];
        close(recall(&gains, 4, 10), 0.5);
        close(recall(&gains, 4, 3), 0.25);
        close(reciprocal_rank(&gains, 10), 0.5);
        close(reciprocal_rank(&gains, 1), 0.0);
    }
}
