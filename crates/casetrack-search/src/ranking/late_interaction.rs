//! Late interaction (E12): the best candidates are ranked again by how well the tokens of the query fit those of each passage.
//!
//! It applies to collections with token vectors, after fusion and preferences. It adds to scores; it does not find or exclude passages.

use std::collections::{BTreeMap, HashMap, HashSet};

use casetrack_core::{DocumentId, Notice, Result};
use casetrack_embed::{SignQuery, TokenVectors};
use casetrack_store::Collection;

use super::collection_query::CollectionQuery;
use super::fusion::{self, Candidate};
use crate::{Recall, StageScore};

/// MaxSims of chunks by their places.
pub(crate) type MaxSims = HashMap<(DocumentId, u32), f32>;

/// The number of the best candidates that are ranked again.
pub(crate) const DEPTH: usize = 100;
/// The most that late interaction adds to a fused score of 0–1. docs/dev/embedding.md compares other weights.
pub(crate) const WEIGHT: f32 = 0.5;
pub(crate) const STAGE: &str = "late interaction E12";

/// The token vectors of a query; `None` if all its words are function words.
pub(crate) fn prepared(query: &TokenVectors, collection: &Collection) -> Option<SignQuery> {
    let model = collection.models().tokens.as_ref()?;
    Some(SignQuery::new(query, model.dimension as usize)).filter(|query| !query.is_empty())
}

/// Ranks the best candidates of all collections again; `total` is the highest score that they may have, of which fusion gives 1.
/// Candidates that were not compared with the query keep their fused score; a notice counts them.
pub(crate) fn ranked_again(
    asked: &[CollectionQuery],
    ranked: &mut [(usize, Candidate)],
    total: f32,
) -> Result<Option<Notice>> {
    if asked.iter().all(|asked| asked.late().is_none()) {
        return Ok(None);
    }
    let depth = ranked.len().min(DEPTH);
    let mut of_models: BTreeMap<&str, Vec<(usize, f32)>> = BTreeMap::new();
    let mut missing = 0;
    for (at, CollectionQuery { collection, .. }) in asked.iter().enumerate() {
        let (Some(query), Some(model)) = (asked[at].late(), &collection.models().tokens) else { continue };
        let (mut places, mut passages) = (Vec::new(), Vec::new());
        for (place, (_, candidate)) in ranked[..depth].iter().enumerate().filter(|(_, (of, _))| *of == at) {
            match collection.token_vectors_at(candidate.document, candidate.index)? {
                Some(signs) => {
                    places.push(place);
                    passages.push(signs);
                }
                None => missing += 1,
            }
        }
        // Only vectors of the same model can be compared.
        of_models.entry(&model.id).or_default().extend(places.into_iter().zip(query.max_sims(&passages)));
    }
    add(ranked.iter_mut().map(|(_, candidate)| candidate), of_models.into_values(), WEIGHT / total);
    ranked.sort_by(|(_, a), (_, b)| fusion::order(a, b));
    let notice = || {
        format!("{missing} of the {depth} best passages have no token vectors (E12); only the other stages rank them.")
            .into()
    };
    Ok((missing > 0).then(notice))
}

/// Adds MaxSims to the scores of candidates: lists of places among them and MaxSims, one for each model.
fn add<'c>(
    candidates: impl Iterator<Item = &'c mut Candidate>,
    lists: impl IntoIterator<Item = Vec<(usize, f32)>>,
    weight: f32,
) {
    let mut said: HashMap<usize, StageScore> = HashMap::new();
    for mut scores in lists {
        // Equal ones stay in the order of the candidates.
        scores.sort_by(|(place, a), (other, b)| b.total_cmp(a).then(place.cmp(other)));
        let normalise = fusion::min_max(&scores.iter().map(|(_, score)| *score).collect::<Vec<_>>());
        for (rank, (place, score)) in (1..).zip(scores) {
            said.insert(place, StageScore { rank, score, share: weight * normalise(score) });
        }
    }
    for (place, candidate) in candidates.enumerate() {
        candidate.add_late(said.get(&place).copied(), 1.0 + weight);
    }
}

/// The same for the candidates of one collection with known MaxSims, with another weight.
pub fn with_weight(mut candidates: Vec<Candidate>, known: &MaxSims, weight: f32) -> Vec<Candidate> {
    let score = |(place, of): (usize, &Candidate)| Some((place, *known.get(&(of.document, of.index))?));
    let scores = candidates.iter().take(DEPTH).enumerate().filter_map(score).collect();
    add(candidates.iter_mut(), [scores], weight);
    fusion::sort(&mut candidates);
    candidates
}

/// The MaxSims of the best passages of each stage and of their fusion, for evaluations.
pub fn max_sims(collection: &Collection, found: &Recall) -> Result<MaxSims> {
    let Some(query) = &found.late else { return Ok(MaxSims::new()) };
    let lists = [Some(&found.bm25), found.dense.as_ref(), found.sparse.as_ref()].into_iter().flatten();
    let mut places: HashSet<(DocumentId, u32)> =
        lists.flat_map(|list| list.iter().take(DEPTH)).map(|hit| (hit.document, hit.index)).collect();
    places.extend(found.fused().iter().take(DEPTH).map(|candidate| (candidate.document, candidate.index)));
    let mut known = MaxSims::new();
    for (document, index) in places {
        if let Some(signs) = collection.token_vectors_at(document, index)? {
            known.extend(query.max_sims(&[signs]).pop().map(|score| ((document, index), score)));
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use casetrack_store::Hit;

    use super::*;
    use crate::Weights;

    fn candidates(document: DocumentId, scores: &[f32]) -> Vec<Candidate> {
        let hit = |(index, &score)| Hit { document, index, score };
        let hits: Vec<Hit> = (0..).zip(scores).map(hit).collect();
        fusion::fuse(None, Some(&hits), None, Weights::default())
    }

    #[test]
    fn the_best_candidates_are_ranked_by_both_scores_and_others_by_their_own() {
        let document = DocumentId::random();
        // Fused: 1, 0.9, 0.5, 0.
        let before = candidates(document, &[10.0, 9.0, 5.0, 0.0]);
        let known = MaxSims::from([((document, 1), 0.7), ((document, 2), 0.2), ((document, 3), 0.6)]);
        let after = with_weight(before, &known, 0.5);
        let scores: Vec<(u32, f32)> =
            after.iter().map(|one| (one.index, (one.score * 100.0).round() / 100.0)).collect();
        assert_eq!(scores, [(1, 0.93), (0, 0.67), (2, 0.33), (3, 0.27)]);
        let ranks: Vec<_> = after.iter().map(|one| one.late.map(|late| (late.rank, late.score))).collect();
        assert_eq!(ranks, [Some((1, 0.7)), None, Some((3, 0.2)), Some((2, 0.6))]);
        for one in &after {
            let parts = [one.dense, one.late].into_iter().flatten().map(|stage| stage.share).sum::<f32>();
            assert!((parts - one.score).abs() < 1e-6);
        }
    }

    #[test]
    fn candidates_after_the_best_hundred_are_not_compared() {
        let document = DocumentId::random();
        let scores: Vec<f32> = (0..DEPTH + 20).map(|n| 200.0 - n as f32).collect();
        let known = (0..scores.len() as u32).map(|index| ((document, index), index as f32)).collect();
        let after = with_weight(candidates(document, &scores), &known, 100.0);
        assert_eq!((after[0].index, after[DEPTH - 1].index), (DEPTH as u32 - 1, 0));
        assert!(after[DEPTH..].iter().all(|one| one.late.is_none()) && after[DEPTH].index == DEPTH as u32);
    }
}
