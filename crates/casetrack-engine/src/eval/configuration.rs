//! Ways of ranking that can be asked for by name.

use std::str::FromStr;

use casetrack_core::Error;

use crate::search::{Fusion, Recall, Weights, fusion};
use casetrack_store::Hit;

/// A recall source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    Bm25,
    Dense,
    Sparse,
}

/// What ranks the passages of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ranker {
    /// One recall source alone.
    Stage(Stage),
    Fused(Fusion),
}

/// A ranker and the text that named it: `weights=BM25,DENSE,SPARSE`, `rrf`, `rrf,k=N`, `stage=bm25|dense|sparse`, or `default`.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    pub name: String,
    pub ranker: Ranker,
}

/// `k` of reciprocal rank fusion in Cormack, Clarke and Büttcher 2009.
const RRF_K: f32 = 60.0;

impl FromStr for Configuration {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = || {
            Error::invalid(format!("\"{text}\" names no way of ranking.")).with_hint(
                "Give weights=BM25,DENSE,SPARSE (such as weights=0.5,1,0.5), rrf, rrf,k=60, stage=bm25, stage=dense, stage=sparse, \
                 or default.",
            )
        };
        let number = |text: &str| text.trim().parse::<f32>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        let ranker = if text == "default" {
            Ranker::Fused(Fusion::default())
        } else if text == "rrf" {
            Ranker::Fused(Fusion::ReciprocalRank { k: RRF_K })
        } else if let Some(k) = text.strip_prefix("rrf,k=") {
            Ranker::Fused(Fusion::ReciprocalRank { k: number(k).ok_or_else(malformed)? })
        } else if let Some(weights) = text.strip_prefix("weights=") {
            let weights: Vec<f32> = weights.split(',').map(number).collect::<Option<_>>().ok_or_else(malformed)?;
            match weights[..] {
                [bm25, dense, sparse] if bm25 + dense + sparse > 0.0 => {
                    Ranker::Fused(Fusion::Score(Weights { bm25, dense, sparse }))
                }
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

impl Ranker {
    /// The chunks in this order, best first; `None` where the source that is asked for did not answer.
    pub(super) fn rank(&self, recall: &Recall) -> Option<Vec<Hit>> {
        let Recall { bm25, dense, sparse, .. } = recall;
        match self {
            Self::Stage(Stage::Bm25) => Some(bm25.clone()),
            Self::Stage(Stage::Dense) => dense.clone(),
            Self::Stage(Stage::Sparse) => sparse.clone(),
            Self::Fused(how) => {
                let fused = fusion::fuse(Some(bm25), dense.as_deref(), sparse.as_deref(), how).into_iter();
                Some(
                    fused
                        .map(|found| Hit { document: found.document, index: found.index, score: found.score })
                        .collect(),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_read_and_nonsense_is_refused() {
        let ranker = |text: &str| text.parse::<Configuration>().unwrap().ranker;
        assert_eq!(ranker("default"), Ranker::Fused(Fusion::default()));
        assert_eq!(ranker("weights=0.5,1,0.5"), ranker("default"));
        assert_eq!(ranker("rrf"), ranker("rrf,k=60"));
        assert_eq!(ranker("rrf,k=10"), Ranker::Fused(Fusion::ReciprocalRank { k: 10.0 }));
        assert_eq!(ranker("stage=sparse"), Ranker::Stage(Stage::Sparse));
        for wrong in ["", "weights=1,1", "weights=0,0,0", "weights=1,-1,1", "weights=1,NaN,1", "rrf,k=x", "stage=all"] {
            assert!(wrong.parse::<Configuration>().is_err(), "{wrong}");
        }
    }
}
