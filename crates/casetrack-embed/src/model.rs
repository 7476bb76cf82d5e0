//! One loaded model: a tokenizer, an encoder and the heads that make outputs of its states.

use casetrack_core::Result;

use crate::architectures;
use crate::batch::TokenBatch;
use crate::dense::{DenseHead, PooledStates};
use crate::encoder::Encoder;
use crate::errors::damaged;
use crate::late_interaction::{TokenHead, TokenStates};
use crate::manifest::{CONFIG_FILE, ModelManifest, ModelProfile, ModelSpec, TOKENIZER_FILE, WEIGHTS_FILE};
use crate::outputs::{Embeddings, Outputs, Side};
use crate::precision::Precision;
use crate::sparse::{SparseHead, SpladeHead};
use crate::tokenize::{TextTokenizer, UNIGRAM_FILE};
use crate::weights::Weights;

/// Turns texts into outputs, on the calling thread. The outputs of a text do not depend on the texts it is encoded with.
pub trait TextModel: Send + Sync {
    /// The token ids of a text, cut to the model's longest input.
    fn tokenize(&self, text: &str, side: Side) -> Result<Vec<u32>>;

    /// The outputs of each sequence, in order. Time and memory grow with the total number of tokens.
    fn encode(&self, sequences: &[Vec<u32>], side: Side, wanted: Outputs) -> Result<Embeddings>;
}

pub struct Model {
    spec: ModelSpec,
    tokenizer: TextTokenizer,
    encoder: Encoder,
    dense: Option<Box<dyn DenseHead>>,
    sparse: Option<Box<dyn SparseHead>>,
    tokens: Option<Box<dyn TokenHead>>,
}

impl Model {
    /// Maps the weights and converts those of the layers and heads, on all cores.
    pub fn load(manifest: &ModelManifest, spec: &ModelSpec, precision: Precision) -> Result<Self> {
        let dir = manifest.model_dir(spec);
        if spec.profile != ModelProfile::Compact && !dir.is_dir() {
            return Err(spec.not_here());
        }
        let config_path = dir.join(CONFIG_FILE);
        let (config, names) = architectures::read(&spec.architecture, &config_path)?;
        let outputs = spec.outputs();
        let expected = if outputs.sparse { config.vocabulary } else { config.hidden };
        if spec.late_interaction.as_ref().is_none_or(|_| outputs.dense) && spec.dimension != expected
            || spec.max_tokens > config.max_positions
        {
            return Err(damaged(&config_path, "its sizes contradict the model manifest"));
        }
        let unigram_path = dir.join(UNIGRAM_FILE);
        let tokenizer_path = if unigram_path.is_file() { unigram_path } else { dir.join(TOKENIZER_FILE) };
        let weights_path = dir.join(WEIGHTS_FILE);
        let (tokenizer, loaded) = rayon::join(
            || TextTokenizer::load(&tokenizer_path, spec),
            || {
                let encoder = Encoder::load(Weights::open(&weights_path)?, config, names, precision)?;
                let sparse =
                    if outputs.sparse { Some(SpladeHead::load(&encoder, &names.mlm, precision)?) } else { None };
                Ok((encoder, sparse))
            },
        );
        let (tokenizer, (encoder, mut sparse)) = (tokenizer?, loaded?);
        if let Some(head) = sparse.as_mut().filter(|_| spec.drop_special_terms) {
            head.drop_terms((0..encoder.config().vocabulary).filter(|&id| tokenizer.is_special(id as u32)));
        }
        let hidden = encoder.config().hidden;
        if tokenizer.vocabulary_size() > encoder.config().vocabulary {
            return Err(damaged(&tokenizer_path, "its vocabulary is larger than the model's"));
        }
        let tokens = match &spec.late_interaction {
            Some(late) if !late.projected && late.dimension != hidden => {
                return Err(damaged(&config_path, "its sizes contradict the model manifest"));
            }
            Some(late) => Some(Box::new(TokenStates::load(&encoder, &tokenizer, late)?) as Box<dyn TokenHead>),
            None => None,
        };
        let pooled = |pooling| PooledStates { pooling, hidden, normalise: spec.normalise };
        let dense = spec.pooling.filter(|_| outputs.dense).map(pooled);
        if outputs.dense && dense.is_none() {
            return Err(damaged(&config_path, "the model manifest does not name its pooling"));
        }
        Ok(Self {
            dense: dense.map(|head| Box::new(head) as Box<dyn DenseHead>),
            sparse: sparse.map(|head| Box::new(head) as Box<dyn SparseHead>),
            tokens,
            spec: spec.clone(),
            tokenizer,
            encoder,
        })
    }

    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    pub fn tokenizer(&self) -> &TextTokenizer {
        &self.tokenizer
    }

    pub fn token_dimension(&self) -> usize {
        self.tokens.as_ref().map_or(0, |head| head.dimension())
    }

    /// Floating-point operations on one sequence, a multiplication with its addition counted as two.
    pub fn operations(&self, tokens: usize) -> u64 {
        self.encoder.operations(tokens) + self.sparse.as_ref().map_or(0, |head| head.operations(tokens))
    }
}

impl TextModel for Model {
    fn tokenize(&self, text: &str, side: Side) -> Result<Vec<u32>> {
        self.tokenizer.encode(text, side)
    }

    fn encode(&self, sequences: &[Vec<u32>], side: Side, wanted: Outputs) -> Result<Embeddings> {
        let mut batch = TokenBatch::new(sequences);
        // ColBERT's masks attend to the query, but no token attends to them.
        if let (Side::Query, Some(mask)) = (side, self.tokenizer.mask()) {
            batch = batch.with_unseen_tail(mask);
        }
        let states = self.encoder.forward(&batch)?;
        let (dense, sparse, tokens) = (&self.dense, &self.sparse, &self.tokens);
        let dense = dense.as_ref().filter(|_| wanted.dense).map(|head| head.vectors(&states, &batch));
        let sparse = sparse.as_ref().filter(|_| wanted.sparse).map(|head| head.weights(&states, &batch));
        let tokens = tokens.as_ref().filter(|_| wanted.tokens).map(|head| head.token_vectors(&states, &batch, side));
        Ok(Embeddings {
            dense: dense.unwrap_or_default(),
            sparse: sparse.unwrap_or_default(),
            tokens: tokens.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests;
