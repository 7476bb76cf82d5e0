//! Fusion of recall lists by score.

use std::cmp::Ordering;
use std::collections::HashMap;

use casetrack_core::DocumentId;
use casetrack_store::Hit;

use super::preferences::Preferred;
use crate::{Recall, StageScore};

/// The weight of each list in the fused score: not negative, and not all 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    pub bm25: f32,
    pub dense: f32,
    pub sparse: f32,
}

/// The weights for English text. On SciFact they give the compact models an nDCG@10 of 0.7386, the best of those tried.
impl Default for Weights {
    fn default() -> Self {
        Self { bm25: 0.5, dense: 1.0, sparse: 0.5 }
    }
}

impl Weights {
    pub(crate) fn most(self, other: Self) -> Self {
        Self {
            bm25: self.bm25.max(other.bm25),
            dense: self.dense.max(other.dense),
            sparse: self.sparse.max(other.sparse),
        }
    }
}

/// Passages of which none is this similar to a query (a cosine) are about something else: the best of them counts in proportion. In a collection
/// of a few passages, the best would otherwise count in full, however far it is.
const SIMILAR: f32 = 0.3;

/// A candidate and its score in each stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub document: DocumentId,
    pub index: u32,
    /// 0–1.
    pub score: f32,
    pub bm25: Option<StageScore>,
    pub dense: Option<StageScore>,
    pub sparse: Option<StageScore>,
    /// Its score of late interaction, if it was compared.
    pub late: Option<StageScore>,
    pub preferred: Option<f32>,
}

impl Recall {
    pub fn fused(&self) -> Vec<Candidate> {
        self.fused_with(self.weights)
    }

    /// The same without lists of weight 0: the models of only some collections may cover the language of a query.
    pub(crate) fn weighed(&self) -> Self {
        let counts = |weight: f32, hits: &Option<Vec<Hit>>| {
            hits.as_ref().map(|hits| if weight > 0.0 { hits.clone() } else { Vec::new() })
        };
        Self {
            dense: counts(self.weights.dense, &self.dense),
            sparse: counts(self.weights.sparse, &self.sparse),
            ..self.clone()
        }
    }

    pub fn fused_with(&self, weights: Weights) -> Vec<Candidate> {
        // What has no weight adds no candidates.
        let counts = |weight: f32, hits| if weight > 0.0 { hits } else { None };
        let (bm25, dense) = (Some(self.bm25.as_slice()), self.dense.as_deref());
        let sparse = counts(weights.sparse, self.sparse.as_deref());
        fuse(counts(weights.bm25, bm25), counts(weights.dense, dense), sparse, weights)
    }
}

/// Joins the lists (best first each) to scores of 0–1: scores are min–max normalised within a list, weighted and summed; a chunk that
/// a list lacks counts 0 there. A chunk that is far from the query (dense scores below 0.3) counts less. The sum is divided by the weights of the
/// lists that took part. Ties are broken by the chunk's place,
/// so that the order depends only on the scores.
pub fn fuse(bm25: Option<&[Hit]>, dense: Option<&[Hit]>, sparse: Option<&[Hit]>, weights: Weights) -> Vec<Candidate> {
    let mut candidates: HashMap<(DocumentId, u32), Candidate> = HashMap::new();
    let mut total = 0.0;
    type Stage = fn(&mut Candidate) -> &mut Option<StageScore>;
    let nearest = |hits: &[Hit]| (hits.iter().map(|hit| hit.score).fold(0.0, f32::max) / SIMILAR).min(1.0);
    let lists: [(_, _, _, Stage); 3] = [
        (bm25, weights.bm25, 1.0, |candidate| &mut candidate.bm25),
        (dense, weights.dense, dense.map_or(1.0, nearest), |candidate| &mut candidate.dense),
        (sparse, weights.sparse, 1.0, |candidate| &mut candidate.sparse),
    ];
    for (hits, weight, most, stage) in lists {
        let Some(hits) = hits else { continue };
        total += weight;
        let normalise = min_max(&hits.iter().map(|hit| hit.score).collect::<Vec<_>>());
        for (rank, hit) in (1..).zip(hits) {
            let (document, index) = (hit.document, hit.index);
            let empty = Candidate {
                document,
                index,
                score: 0.0,
                bm25: None,
                dense: None,
                sparse: None,
                late: None,
                preferred: None,
            };
            let candidate = candidates.entry((document, index)).or_insert(empty);
            let share = weight * most * normalise(hit.score);
            candidate.score += share;
            *stage(candidate) = Some(StageScore { rank, score: hit.score, share });
        }
    }
    let mut fused: Vec<Candidate> = candidates.into_values().collect();
    // No list took part if it is 0.
    let total = if total > 0.0 { total } else { 1.0 };
    for candidate in &mut fused {
        candidate.score /= total;
        for stage in [&mut candidate.bm25, &mut candidate.dense, &mut candidate.sparse].into_iter().flatten() {
            stage.share /= total;
        }
    }
    sort(&mut fused);
    fused
}

pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(order);
}

/// Best first, equal scores by place.
pub(crate) fn order(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| (a.document, a.index).cmp(&(b.document, b.index)))
}

/// Adds preferences, each with its passages, to the scores of all candidates, and divides them by `total`, the highest score with all preferences.
pub(crate) fn prefer<'p>(
    everywhere: Vec<Candidate>,
    preferences: impl Iterator<Item = (&'p Preferred, &'p Recall)>,
    total: f32,
) -> Vec<Candidate> {
    let mut joined: HashMap<(DocumentId, u32), Candidate> =
        everywhere.into_iter().map(|candidate| ((candidate.document, candidate.index), candidate)).collect();
    let mut bonuses: HashMap<(DocumentId, u32), f32> = HashMap::new();
    for (Preferred { most, share, apart, .. }, found) in preferences {
        for candidate in found.fused() {
            let key = (candidate.document, candidate.index);
            *bonuses.entry(key).or_default() += most * share(candidate.document, candidate.index);
            if *apart || !joined.contains_key(&key) {
                joined.insert(key, candidate);
            }
        }
    }
    let mut joined: Vec<Candidate> = joined.into_values().collect();
    for candidate in &mut joined {
        let bonus = bonuses.get(&(candidate.document, candidate.index)).copied().unwrap_or_default();
        candidate.add(bonus, total);
    }
    sort(&mut joined);
    joined
}

impl Candidate {
    /// Adds a bonus to the score, and divides it by `total`, the highest score with the bonus.
    pub(crate) fn add(&mut self, bonus: f32, total: f32) {
        if bonus > 0.0 {
            *self.preferred.get_or_insert_default() += bonus;
        }
        self.score += bonus;
        self.divide(total);
    }

    /// Adds late interaction, and divides the score by `total`, the highest possible score with it.
    pub(crate) fn add_late(&mut self, late: Option<StageScore>, total: f32) {
        self.score += late.map_or(0.0, |late| late.share);
        self.late = late;
        self.divide(total);
    }

    fn divide(&mut self, total: f32) {
        self.score /= total;
        let stages = [&mut self.bm25, &mut self.dense, &mut self.sparse, &mut self.late].into_iter().flatten();
        for share in stages.map(|stage| &mut stage.share).chain(&mut self.preferred) {
            *share /= total;
        }
    }
}

/// Maps the scores of a list to 0–1; all to 1 if they are equal.
pub(crate) fn min_max(scores: &[f32]) -> impl Fn(f32) -> f32 + use<> {
    let min = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    move |score| if max > min { (score - min) / (max - min) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(document: DocumentId, scores: &[(u32, f32)]) -> Vec<Hit> {
        scores.iter().map(|&(index, score)| Hit { document, index, score }).collect()
    }

    #[test]
    fn lists_are_normalised_weighted_and_summed() {
        let document = DocumentId::random();
        let bm25 = hits(document, &[(7, 12.0), (1, 6.0), (2, 2.0)]);
        let dense = hits(document, &[(1, 0.9), (3, 0.5)]);
        let fused = fuse(Some(&bm25), Some(&dense), None, Weights::default());
        let scores: Vec<(u32, f32)> = fused.iter().map(|c| (c.index, c.score)).collect();
        // 1: (0.5 × 0.4 + 1) / 1.5; 7: 0.5 / 1.5
        assert_eq!(scores[0].0, 1);
        assert!((scores[0].1 - 0.8).abs() < 1e-6);
        assert_eq!(scores[1].0, 7);
        assert!((scores[1].1 - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(fused[0].bm25.map(|stage| (stage.rank, stage.score)), Some((2, 6.0)));
        assert_eq!(fused[1].dense, None);
        assert_eq!(fused.len(), 4);

        let sparse = hits(document, &[(7, 30.0), (3, 10.0), (5, 10.0)]);
        let fused = fuse(Some(&bm25), Some(&dense), Some(&sparse), Weights::default());
        let scores: Vec<(u32, f32)> = fused.iter().map(|c| (c.index, c.score)).collect();
        // 1: (0.5 × 0.4 + 1) / 2; 7: (0.5 + 0.5) / 2
        assert_eq!((scores[0].0, scores[1].0), (1, 7));
        assert!((scores[0].1 - 0.6).abs() < 1e-6 && (scores[1].1 - 0.5).abs() < 1e-6);
        assert_eq!(fused[1].sparse, Some(StageScore { rank: 1, score: 30.0, share: 0.25 }));
        assert_eq!((fused[0].sparse, fused.len()), (None, 5));
    }

    #[test]
    fn the_nearest_of_what_is_far_does_not_outweigh_the_words() {
        let document = DocumentId::random();
        let fused = |dense: &[(u32, f32)]| {
            fuse(Some(&hits(document, &[(1, 4.0), (2, 1.0)])), Some(&hits(document, dense)), None, Weights::default())
        };
        assert_eq!(fused(&[(2, 0.05), (3, -0.02)])[0].index, 1);
        assert_eq!(fused(&[(2, 0.05)])[0].index, 1);
        assert_eq!(fused(&[(2, 0.6), (3, 0.1)])[0].index, 2);
        assert!(fused(&[(2, -0.1)]).iter().all(|candidate| candidate.score >= 0.0));
    }

    #[test]
    fn one_list_alone_keeps_its_order_and_equal_scores_go_by_place() {
        let document = DocumentId::random();
        let fused = fuse(Some(&hits(document, &[(9, 3.0), (4, 3.0)])), None, None, Weights::default());
        assert_eq!(fused.iter().map(|c| (c.index, c.score)).collect::<Vec<_>>(), [(4, 1.0), (9, 1.0)]);
        assert!(fuse(Some(&[]), Some(&[]), Some(&[]), Weights::default()).is_empty());
    }
}
