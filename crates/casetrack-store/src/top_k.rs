//! The best few of many scored slots.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Keeps the `k` best: higher scores first, equal ones by ascending slot. Scores must not be NaN.
pub struct TopK<S = f32> {
    k: usize,
    /// The worst on top.
    heap: BinaryHeap<Reverse<Candidate<S>>>,
}

struct Candidate<S> {
    slot: u64,
    score: S,
}

impl<S: PartialOrd> Ord for Candidate<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        let scores = self.score.partial_cmp(&other.score).unwrap_or(Ordering::Equal);
        scores.then_with(|| other.slot.cmp(&self.slot))
    }
}

impl<S: PartialOrd> PartialOrd for Candidate<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: PartialOrd> PartialEq for Candidate<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S: PartialOrd> Eq for Candidate<S> {}

impl<S: PartialOrd + Copy> TopK<S> {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    pub fn push(&mut self, slot: u64, score: S) {
        let candidate = Reverse(Candidate { slot, score });
        if self.heap.len() < self.k {
            self.heap.push(candidate);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate < *worst
        {
            *worst = candidate;
        }
    }

    /// The score that a further candidate must at least equal; `None` while any is welcome.
    pub fn threshold(&self) -> Option<S> {
        if self.heap.len() < self.k { None } else { self.heap.peek().map(|worst| worst.0.score) }
    }

    /// As (slot, score), best first.
    pub fn into_sorted(self) -> Vec<(u64, S)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(Candidate { slot, score })| (slot, score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_sorting_would_put_first(scores in prop::collection::vec(0u8..6, 0..40), k in 0usize..10) {
            let mut top = TopK::new(k);
            let mut all: Vec<(u64, f32)> = (0..).zip(scores.iter().map(|&score| f32::from(score))).collect();
            // In any order of arrival.
            for &(slot, score) in all.iter().rev() {
                top.push(slot, score);
            }
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let threshold = (all.len() >= k && k > 0).then(|| all[k - 1].1);
            prop_assert_eq!(top.threshold(), threshold);
            all.truncate(k);
            prop_assert_eq!(top.into_sorted(), all);
        }
    }
}
