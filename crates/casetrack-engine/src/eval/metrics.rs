//! Measures of one ranking. All are 0–1; a query's measure is averaged over queries.

use super::spans::GoldSpan;
use crate::eval::ranking::Passage;

/// Normalised discounted cumulative gain of the first `k` (Järvelin and Kekäläinen 2002), with the gain linear in the grade as
/// trec_eval has it: Σ grade / log₂(rank + 1), divided by that of the best order there can be.
///
/// `gains` are the grades in the order of the ranking, 0 for what is not relevant; `relevant` all grades above 0 that the
/// query has, in any order.
pub(super) fn ndcg(gains: &[f64], relevant: &[f64], k: usize) -> f64 {
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
pub(super) fn recall(gains: &[f64], relevant: usize, k: usize) -> f64 {
    let found = gains.iter().take(k).filter(|&&gain| gain > 0.0).count();
    if relevant > 0 { found as f64 / relevant as f64 } else { 0.0 }
}

/// 1 / rank of the first relevant one, 0 where none is among the first `k`.
pub(super) fn reciprocal_rank(gains: &[f64], k: usize) -> f64 {
    gains.iter().take(k).position(|&gain| gain > 0.0).map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
}

/// The share of gold spans that the first `k` passages hold: at least half of the characters of one of a span's places, taking all
/// these passages together.
pub(super) fn span_recall(passages: &[Passage], gold: &[GoldSpan], k: usize) -> f64 {
    let seen = &passages[..passages.len().min(k)];
    let found = gold.iter().filter(|span| span.places.iter().any(|place| is_held(place, seen))).count();
    if gold.is_empty() { 0.0 } else { found as f64 / gold.len() as f64 }
}

/// Whether at least half of the characters of a place, all its parts together, lie in the passages.
fn is_held(place: &[Passage], passages: &[Passage]) -> bool {
    let (mut length, mut held) = (0, 0);
    for part in place {
        length += part.end - part.start;
        let same_page = passages.iter().filter(|other| (other.document, other.page) == (part.document, part.page));
        let mut covers: Vec<(u32, u32)> = same_page
            .map(|other| (other.start.max(part.start), other.end.min(part.end)))
            .filter(|(start, end)| start < end)
            .collect();
        covers.sort_unstable();
        let mut reached = part.start;
        for (start, end) in covers {
            held += end.saturating_sub(start.max(reached));
            reached = reached.max(end);
        }
    }
    length > 0 && 2 * held >= length
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentId;

    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn ndcg_is_that_of_a_hand_computed_ranking_with_grades() {
        // Grades 3, 2, 0, 1 in the ranking; a fifth of grade 2 was not found.
        let dcg = 3.0 + 2.0 / 3f64.log2() + 1.0 / 5f64.log2();
        let ideal = 3.0 + 2.0 / 3f64.log2() + 2.0 / 2.0 + 1.0 / 5f64.log2();
        close(ndcg(&[3.0, 2.0, 0.0, 1.0], &[1.0, 2.0, 3.0, 2.0], 10), dcg / ideal);
        // Cut at 2, the ideal is 3 and 2 as well.
        close(ndcg(&[2.0, 3.0], &[3.0, 2.0, 2.0], 2), (2.0 + 3.0 / 3f64.log2()) / (3.0 + 2.0 / 3f64.log2()));
        // Equal grades may stand in any order.
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

    #[test]
    fn a_span_is_found_where_the_passages_together_hold_half_of_it() {
        let document = DocumentId::random();
        let on_page = |page, start, end| Passage { document, page, start, end };
        let gold = |parts: &[Passage]| GoldSpan { places: vec![parts.to_vec()] };
        let span = gold(&[on_page(1, 100, 200)]);
        let measure = |passages: &[Passage], span: &GoldSpan| span_recall(passages, std::slice::from_ref(span), 5);
        close(measure(&[on_page(1, 0, 150)], &span), 1.0);
        close(measure(&[on_page(1, 0, 149)], &span), 0.0);
        // Characters that two passages share count once.
        close(measure(&[on_page(1, 0, 130), on_page(1, 110, 140)], &span), 0.0);
        close(measure(&[on_page(1, 180, 300), on_page(1, 0, 130)], &span), 1.0);
        close(measure(&[on_page(2, 100, 200)], &span), 0.0);
        close(measure(&[Passage { document: DocumentId::random(), ..on_page(1, 100, 200) }], &span), 0.0);
        // Over a page break.
        let over = gold(&[on_page(1, 90, 100), on_page(2, 0, 30)]);
        close(measure(&[on_page(1, 0, 100)], &over), 0.0);
        close(measure(&[on_page(2, 0, 20)], &over), 1.0);
        // One of several places is enough; two spans of which one is found.
        let either = GoldSpan { places: vec![vec![on_page(1, 0, 10)], vec![on_page(3, 0, 10)]] };
        close(span_recall(&[on_page(3, 0, 50)], &[either, span], 5), 0.5);
        close(span_recall(&[on_page(9, 0, 50), on_page(1, 0, 500)], &[gold(&[on_page(1, 0, 9)])], 1), 0.0);
    }
}
