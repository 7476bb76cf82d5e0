//! Exact search: the sums of query weight times impact over the terms that query and chunk share.
//!
//! Slots are taken a window at a time; the postings of each term that fall into it are added to an array of sums, which
//! stays in the processor's cache. Queries of learned models have dozens of terms of similar weight, so that lists are
//! rarely skipped by document-at-a-time pruning (Mackenzie et al. 2021, "Wacky weights in learned sparse
//! representations"). A window is passed over if the greatest impacts of its blocks do not suffice for the best `k`.
//!
//! Sums are of integers: neither the order of terms nor the segments of a history change a score.

use casetrack_core::Error;

use crate::records::sparse_vector::{IMPACT_SCALE, SparseVector};
use crate::slots::SlotSet;
use crate::top_k::TopK;

use super::dead::Dead;
use super::postings::{Cursor, Damaged};
use super::segment::Postings;

/// Terms of a query that count, those of the greatest weights. With them, the greatest weights and impacts there can
/// be, a sum still is below 2³²: 256 · 65,535 · 255.
const MAX_TERMS: usize = 256;
/// Steps of a query's weight in a weight of 1; weights count up to 64.
const WEIGHT_SCALE: f32 = 1024.0;
/// Slots whose sums are computed together: 64 KiB.
const WINDOW: u32 = 1 << 14;

/// The terms of a query with their weights in steps of 1/[`WEIGHT_SCALE`].
pub(super) struct Query(Vec<(u32, u32)>);

impl Query {
    pub fn checked(vector: &SparseVector) -> casetrack_core::Result<Self> {
        match vector.problem() {
            Some(problem) => Err(Error::internal(format!("The query's learned-sparse vector {problem}."))),
            None => Ok(Self::new(vector)),
        }
    }

    pub fn new(vector: &SparseVector) -> Self {
        let step = |weight: f32| (weight * WEIGHT_SCALE).round().clamp(0.0, 65_535.0) as u32;
        let mut terms: Vec<(u32, u32)> = vector.terms.iter().map(|&(term, weight)| (term, step(weight))).collect();
        terms.retain(|&(_, weight)| weight > 0);
        terms.sort_by_key(|&(term, weight)| (std::cmp::Reverse(weight), term));
        terms.dedup_by_key(|&mut (term, _)| term);
        terms.truncate(MAX_TERMS);
        Self(terms)
    }
}

/// The terms of a query that count, with their weights in the steps of [`score`], the greatest first. Errors:
/// [`casetrack_core::ErrorCode::Internal`] if it is no vector.
pub fn query_terms(query: &SparseVector) -> casetrack_core::Result<Vec<(u32, u32)>> {
    Query::checked(query).map(|query| query.0)
}

/// The score that a sum of weight times impact stands for.
pub fn score(sum: u32) -> f32 {
    (f64::from(sum) / f64::from(WEIGHT_SCALE * IMPACT_SCALE)) as f32
}

/// Adds the best of some postings to those found before, in postings of lower slots.
pub(super) fn search(
    postings: &dyn Postings,
    query: &Query,
    dead: &Dead,
    filter: Option<&SlotSet>,
    top: &mut TopK<u32>,
) -> Result<(), Damaged> {
    let (first, end) = (postings.first_slot(), postings.end_slot());
    let mut cursors: Vec<(Cursor<'_>, u32)> = Vec::with_capacity(query.0.len());
    for &(term, weight) in &query.0 {
        cursors.extend(postings.cursor(term)?.map(|cursor| (cursor, weight)));
    }
    if cursors.is_empty() {
        return Ok(());
    }
    let mut sums = vec![0u32; WINDOW as usize];
    for slot in (first..end).step_by(WINDOW as usize) {
        if filter.is_some_and(|filter| !filter.overlaps(&(slot..end.min(slot + u64::from(WINDOW))))) {
            continue;
        }
        let start = (slot - first) as u32;
        let sufficient = top.threshold().unwrap_or_default();
        if sufficient > 0 {
            let bounds = cursors
                .iter_mut()
                .map(|(cursor, weight)| *weight * u32::from(cursor.bound(start, start.saturating_add(WINDOW))));
            if bounds.sum::<u32>() <= sufficient {
                continue;
            }
        }
        sums.fill(0);
        for (cursor, weight) in &mut cursors {
            cursor.add_to(&mut sums, start, *weight)?;
        }
        collect(&sums, slot, top, |slot| filter.is_none_or(|filter| filter.contains(slot)) && !dead.contains(slot));
    }
    Ok(())
}

/// Of equal sums the lower slot is better, and slots ascend: a sum must be greater than the least of the best so far.
fn collect(sums: &[u32], first: u64, top: &mut TopK<u32>, admitted: impl Fn(u64) -> bool) {
    let mut sufficient = top.threshold().unwrap_or_default();
    for (part, first) in sums.chunks(64).zip((first..).step_by(64)) {
        if part.iter().copied().fold(0, u32::max) <= sufficient {
            continue;
        }
        for (&sum, slot) in part.iter().zip(first..) {
            if sum > sufficient && admitted(slot) {
                top.push(slot, sum);
                sufficient = top.threshold().unwrap_or_default();
            }
        }
    }
}
