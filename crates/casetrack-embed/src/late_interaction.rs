//! E12: one vector for each token that counts, compared by MaxSim (Khattab and Zaharia 2020, ColBERT).

use casetrack_core::Result;

use crate::batch::TokenBatch;
use crate::encoder::Encoder;
use crate::layers::Linear;
use crate::manifest::LateInteractionSpec;
use crate::outputs::{Side, TokenVectors};
use crate::pooling::normalise;
use crate::precision::Precision;
use crate::tokenize::TextTokenizer;

pub trait TokenHead: Send + Sync {
    fn dimension(&self) -> usize;

    /// The vectors of each sequence of the batch, in order, from the encoder's states `[tokens, hidden]`.
    fn token_vectors(&self, states: &[f32], batch: &TokenBatch, side: Side) -> Vec<TokenVectors>;
}

/// The encoder's states, projected if the model has a projection, scaled to length 1.
pub struct TokenStates {
    hidden: usize,
    dimension: usize,
    projection: Option<Linear>,
    /// For each id of the vocabulary whether it is left out of a passage, and of a query.
    left_out: Vec<(bool, bool)>,
}

/// The projection of a ColBERT model; it has no bias.
const PROJECTION: &str = "linear.weight";

impl TokenStates {
    pub fn load(encoder: &Encoder, tokenizer: &TextTokenizer, spec: &LateInteractionSpec) -> Result<Self> {
        let (weights, hidden) = (encoder.weights(), encoder.config().hidden);
        let projection = if spec.projected {
            let matrix = weights.load(PROJECTION, &[spec.dimension, hidden])?;
            Some(Linear::new(encoder.arch(), Precision::Float32, &matrix, vec![0.0; spec.dimension]))
        } else {
            None
        };
        let left_out = (0..encoder.config().vocabulary as u32).map(|id| match tokenizer.token(id) {
            Some(token) => {
                // Unigram pieces mark the beginning of a word; the mark by itself has no meaning.
                let word = token.trim_start_matches('▁');
                let empty = tokenizer.is_special(id) || STOP_WORDS.contains(&word);
                let punctuation = word.chars().all(|c| c.is_ascii_punctuation());
                if spec.content_words_only {
                    (empty || punctuation, empty || punctuation)
                } else {
                    (punctuation, false)
                }
            }
            None => (false, false),
        });
        Ok(Self { hidden, dimension: spec.dimension, left_out: left_out.collect(), projection })
    }
}

impl TokenHead for TokenStates {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn token_vectors(&self, states: &[f32], batch: &TokenBatch, side: Side) -> Vec<TokenVectors> {
        let is_left_out = |id: u32| {
            let (passage, query) = self.left_out.get(id as usize).copied().unwrap_or_default();
            if side == Side::Query { query } else { passage }
        };
        let of_sequence = |range: std::ops::Range<usize>| {
            let kept: Vec<usize> = range.filter(|&row| !is_left_out(batch.ids()[row])).collect();
            let rows = kept.iter().flat_map(|&row| &states[row * self.hidden..(row + 1) * self.hidden]).copied();
            let mut vectors: Vec<f32> = rows.collect();
            if let Some(projection) = &self.projection {
                vectors = projection.apply(&vectors, Vec::new());
            }
            vectors.chunks_exact_mut(self.dimension).for_each(normalise);
            TokenVectors { tokens: kept.iter().map(|&row| batch.ids()[row]).collect(), vectors }
        };
        batch.ranges().map(of_sequence).collect()
    }
}

/// The sum over the query's vectors of their greatest inner product with any of the passage's; 0 if either has none.
pub fn max_sim(query: &[f32], passage: &[f32], dimension: usize) -> f32 {
    if passage.is_empty() {
        return 0.0;
    }
    let best = |q: &[f32]| {
        let products = passage.chunks_exact(dimension).map(|p| q.iter().zip(p).map(|(a, b)| a * b).sum::<f32>());
        products.fold(f32::NEG_INFINITY, f32::max)
    };
    query.chunks_exact(dimension).map(best).sum()
}

/// English words that carry no content: the default list of Lucene's `EnglishAnalyzer`.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::ModelProfile;
    use crate::model::{Model, TextModel};
    use crate::outputs::Outputs;
    use crate::precision::Precision;
    use crate::testing::vendored;

    #[test]
    fn only_content_words_of_queries_and_passages_have_vectors_in_the_compact_profile() {
        let manifest = vendored();
        let spec = manifest.that_makes(Outputs::TOKENS, ModelProfile::Compact).unwrap();
        let model = Model::load(&manifest, spec, Precision::Float32).unwrap();
        for side in [Side::Query, Side::Passage] {
            let ids = model.tokenize("The term of this Agreement is (at most) 5 years.", side).unwrap();
            let found = model.encode(&[ids], side, Outputs::TOKENS).unwrap().tokens.remove(0);
            let tokens: Vec<String> = found.tokens.iter().map(|&id| model.tokenizer().token(id).unwrap()).collect();
            assert_eq!(tokens, ["term", "agreement", "most", "5", "years"]);
            assert_eq!(found.vectors.len(), 5 * 384);
        }
    }

    #[test]
    fn each_query_vector_counts_with_its_best_match() {
        let query = [1.0, 0.0, 0.0, 1.0];
        let passage = [0.6, 0.8, -1.0, 0.0, 0.0, 0.5];
        assert!((max_sim(&query, &passage, 2) - 1.4).abs() < 1e-6);
        assert_eq!(max_sim(&query, &[], 2), 0.0);
        assert_eq!(max_sim(&[], &passage, 2), 0.0);
    }
}
