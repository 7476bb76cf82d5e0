//! Ways of ranking, by name.

use std::collections::HashMap;
use std::str::FromStr;

use casetrack_core::Error;
use casetrack_engine::eval::{Hit, Ranking, Recall, Weights, fused, ranked_again};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    Bm25,
    Dense,
    Sparse,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ranker {
    /// Only one recall source.
    Stage(Stage),
    /// Fusion by score as searches do it, with the weights for the language.
    Default,
    /// Fusion by score with these weights.
    Score(Weights),
    /// Fusion by score, by default with the weights of the language, ranked again by late interaction of a weight.
    Late { weights: Option<Weights>, late: f32 },
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): the sum of 1 / (k + rank).
    ReciprocalRank { k: f32 },
}

/// A ranker and the text that named it: `weights=BM25,DENSE,SPARSE`, `rrf`, `rrf,k=N`, `stage=bm25|dense|sparse`, or `default`; of
/// `default` and `weights=…` also `…,late=WEIGHT`.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    pub name: String,
    pub ranker: Ranker,
}

/// `k` of reciprocal rank fusion in the paper.
const RRF_K: f32 = 60.0;

impl FromStr for Configuration {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = || {
            Error::invalid(format!("\"{text}\" is not a way of ranking.")).with_hint(
                "Give weights=BM25,DENSE,SPARSE (such as weights=0.5,1,0.5), rrf, rrf,k=60, stage=bm25, stage=dense, stage=sparse, \
                 or default; default,late=0.5 and weights=0,1,0,late=0.5 rank again by late interaction.",
            )
        };
        let number = |text: &str| text.trim().parse::<f32>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        if let Some((first, late)) = text.rsplit_once(",late=") {
            let weights = match first.parse::<Self>()?.ranker {
                Ranker::Default => None,
                Ranker::Score(weights) => Some(weights),
                _ => return Err(malformed()),
            };
            let late = number(late).ok_or_else(malformed)?;
            return Ok(Self { name: text.to_owned(), ranker: Ranker::Late { weights, late } });
        }
        let ranker = if text == "default" {
            Ranker::Default
        } else if text == "rrf" {
            Ranker::ReciprocalRank { k: RRF_K }
        } else if let Some(k) = text.strip_prefix("rrf,k=") {
            Ranker::ReciprocalRank { k: number(k).ok_or_else(malformed)? }
        } else if let Some(weights) = text.strip_prefix("weights=") {
            let weights: Vec<f32> = weights.split(',').map(number).collect::<Option<_>>().ok_or_else(malformed)?;
            match weights[..] {
                [bm25, dense, sparse] if bm25 + dense + sparse > 0.0 => Ranker::Score(Weights { bm25, dense, sparse }),
                _ => return Err(malformed()),
            }
        } else {
            Ranker::Stage(match text {
                "stage=bm25" => Stage::Bm25,
                "stage=dense" => Stage::Dense,
                "stage=sparse" => Stage::Sparse,
                _ => return Err(malformed()),
            })
        };
        Ok(Self { name: text.to_owned(), ranker })
    }
}

impl Configuration {
    pub fn ranking(&self) -> Ranking {
        let ranker = self.ranker;
        Ranking::new(self.name.as_str(), move |recall| ranker.rank(recall))
    }
}

impl Ranker {
    /// The chunks in this order; `None` if the requested stage gave no answer.
    fn rank(self, recall: &Recall) -> Option<Vec<Hit>> {
        match self {
            Self::Stage(Stage::Bm25) => Some(recall.bm25.clone()),
            Self::Stage(Stage::Dense) => recall.dense.clone(),
            Self::Stage(Stage::Sparse) => recall.sparse.clone(),
            Self::Default => Some(fused(recall, recall.weights)),
            Self::Score(weights) => Some(fused(recall, weights)),
            Self::Late { weights, late } => ranked_again(recall, weights.unwrap_or(recall.weights), late),
            Self::ReciprocalRank { k } => {
                Some(reciprocal_ranks([Some(&recall.bm25), recall.dense.as_ref(), recall.sparse.as_ref()], k))
            }
        }
    }
}

/// The chunks of the lists, best first each, with their scores, in no order.
fn reciprocal_ranks(lists: [Option<&Vec<Hit>>; 3], k: f32) -> Vec<Hit> {
    let mut scores: HashMap<_, f32> = HashMap::new();
    for (rank, hit) in lists.into_iter().flatten().flat_map(|hits| (1u16..).zip(hits)) {
        *scores.entry((hit.document, hit.index)).or_default() += 1.0 / (k + f32::from(rank));
    }
    scores.into_iter().map(|((document, index), score)| Hit { document, index, score }).collect()
}

#[cfg(test)]
mod tests {
    use casetrack_core::DocumentId;

    use super::*;

    #[test]
    fn configurations_are_read_and_nonsense_is_refused() {
        let ranker = |text: &str| text.parse::<Configuration>().unwrap().ranker;
        assert_eq!(ranker("default"), Ranker::Default);
        assert_eq!(ranker("weights=0.5,1,0.5"), Ranker::Score(Weights::default()));
        assert_eq!(ranker("rrf"), ranker("rrf,k=60"));
        assert_eq!(ranker("rrf,k=10"), Ranker::ReciprocalRank { k: 10.0 });
        assert_eq!(ranker("stage=sparse"), Ranker::Stage(Stage::Sparse));
        assert_eq!(ranker("default,late=0.5"), Ranker::Late { weights: None, late: 0.5 });
        let dense = Weights { bm25: 0.0, dense: 1.0, sparse: 0.0 };
        assert_eq!(ranker("weights=0,1,0,late=1"), Ranker::Late { weights: Some(dense), late: 1.0 });
        for wrong in [
            "rrf,late=1",
            "default,late=-1",
            "default,late=",
            "",
            "weights=1,1",
            "weights=0,0,0",
            "weights=1,-1,1",
            "weights=1,NaN,1",
            "rrf,k=x",
            "stage=all",
        ] {
            assert!(wrong.parse::<Configuration>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn reciprocal_ranks_are_summed_and_scores_do_not_matter() {
        let document = DocumentId::random();
        let hits = |scores: &[(u32, f32)]| -> Vec<Hit> {
            scores.iter().map(|&(index, score)| Hit { document, index, score }).collect()
        };
        let (bm25, dense) = (hits(&[(1, 900.0), (2, 1.0)]), hits(&[(2, 0.6), (3, 0.5)]));
        let mut found = reciprocal_ranks([Some(&bm25), Some(&dense), None], 60.0);
        found.sort_by_key(|hit| hit.index);
        let expected = [(1, 1.0 / 61.0), (2, 1.0 / 62.0 + 1.0 / 61.0), (3, 1.0 / 62.0)];
        for (hit, (index, score)) in found.iter().zip(expected) {
            assert!(hit.index == index && (hit.score - score).abs() < 1e-6, "{found:?}");
        }
        assert_eq!(found.len(), 3);
    }
}
