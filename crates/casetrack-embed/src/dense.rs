//! Dense encoders: one vector a text.

use casetrack_core::Result;

use crate::batch::TokenBatch;
use crate::bert::{BertConfig, BertEncoder};
use crate::errors::{computation, damaged};
use crate::manifest::{CONFIG_FILE, ModelManifest, ModelSpec, TOKENIZER_FILE, WEIGHTS_FILE};
use crate::pooling::{normalise, pool};
use crate::tokenize::TextTokenizer;
use crate::weights::Weights;

/// Turns texts into vectors, on the calling thread.
///
/// A text's vector does not depend on the texts it is encoded with, nor on the thread.
pub trait DenseEncoder: Send + Sync {
    /// Length of a vector.
    fn dimension(&self) -> usize;

    /// Longest input in tokens, special tokens included; what is longer is cut.
    fn max_tokens(&self) -> usize;

    /// The token ids of a passage, cut to [`Self::max_tokens`].
    fn tokenize_passage(&self, text: &str) -> Result<Vec<u32>>;

    /// The token ids of a query, cut to [`Self::max_tokens`].
    fn tokenize_query(&self, text: &str) -> Result<Vec<u32>>;

    /// One vector for each sequence, in order. Time and memory grow with the total number of tokens.
    fn encode_tokens(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>>;

    /// One vector for each passage, in order.
    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let sequences = texts.iter().map(|text| self.tokenize_passage(text)).collect::<Result<Vec<_>>>()?;
        self.encode_tokens(&sequences)
    }
}

/// A BERT encoder with its tokenizer and pooling.
pub struct DenseModel {
    spec: ModelSpec,
    tokenizer: TextTokenizer,
    encoder: BertEncoder,
}

impl DenseModel {
    /// Loads a model of the manifest: maps the weights and converts those of the layers, on all cores.
    pub fn load(manifest: &ModelManifest, spec: &ModelSpec) -> Result<Self> {
        let dir = manifest.model_dir(spec);
        let config_path = dir.join(CONFIG_FILE);
        let config = BertConfig::load(&config_path)?;
        if spec.dimension != config.hidden_size || spec.max_tokens > config.max_position_embeddings {
            return Err(damaged(&config_path, "its sizes contradict the model manifest"));
        }
        let tokenizer_path = dir.join(TOKENIZER_FILE);
        let (tokenizer, encoder) = rayon::join(
            || TextTokenizer::load(&tokenizer_path, spec.max_tokens),
            || BertEncoder::load(Weights::open(&dir.join(WEIGHTS_FILE))?, config),
        );
        let (tokenizer, encoder) = (tokenizer?, encoder?);
        if tokenizer.vocabulary_size() > encoder.config().vocab_size {
            return Err(damaged(&tokenizer_path, "its vocabulary is larger than the model's"));
        }
        Ok(Self { spec: spec.clone(), tokenizer, encoder })
    }
}

impl DenseEncoder for DenseModel {
    fn dimension(&self) -> usize {
        self.spec.dimension
    }

    fn max_tokens(&self) -> usize {
        self.spec.max_tokens
    }

    fn tokenize_passage(&self, text: &str) -> Result<Vec<u32>> {
        self.tokenizer.encode(&self.spec.passage_prefix, text)
    }

    fn tokenize_query(&self, text: &str) -> Result<Vec<u32>> {
        self.tokenizer.encode(&self.spec.query_prefix, text)
    }

    fn encode_tokens(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let batch = TokenBatch::new(sequences);
        let states = self.encoder.forward(&batch).and_then(|states| states.flatten_all()?.to_vec1::<f32>());
        let mut vectors = pool(self.spec.pooling, &states.map_err(computation)?, self.spec.dimension, &batch);
        if self.spec.normalise {
            vectors.iter_mut().for_each(|vector| normalise(vector));
        }
        Ok(vectors)
    }
}
