//! BERT encoder (Devlin et al. 2018), as in sentence-transformers models: post-norm, exact GELU, learned positions.

use std::path::Path;

use candle_core::{Device, Tensor};
use casetrack_core::Result;
use rayon::prelude::*;
use serde::Deserialize;

use crate::batch::TokenBatch;
use crate::errors::{damaged, unreadable};
use crate::kernels::Arch;
use crate::kernels::layer_norm::{LayerNorm, layer_norm};
use crate::layers::{Attention, FeedForward, Linear, LinearAddNorm};
use crate::weights::{Table, Weights};

/// What this implementation needs of a model's `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct BertConfig {
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub vocab_size: usize,
    pub max_position_embeddings: usize,
    pub type_vocab_size: usize,
    pub layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

impl BertConfig {
    /// Reads and checks a `config.json`.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
        let config: Self = serde_json::from_str(&text).map_err(|error| damaged(path, error))?;
        let sizes = [config.hidden_size, config.num_attention_heads, config.intermediate_size, config.type_vocab_size];
        if sizes.contains(&0) || !config.hidden_size.is_multiple_of(config.num_attention_heads) {
            return Err(damaged(path, "its layer sizes are zero or do not divide"));
        }
        if config.hidden_act != "gelu" || config.position_embedding_type != "absolute" {
            return Err(damaged(path, "only the activation gelu and absolute positions are supported"));
        }
        Ok(config)
    }
}

/// The encoder, ready to run. About 4 bytes of memory per weight of the layers; the word embeddings stay in the file.
pub struct BertEncoder {
    config: BertConfig,
    arch: Arch,
    weights: Weights,
    /// Position embedding plus the embedding of token type 0, `[max_position_embeddings, hidden]`.
    positions: Vec<f32>,
    embedding_norm: LayerNorm,
    layers: Vec<BertLayer>,
}

struct BertLayer {
    qkv: Linear,
    attention_output: LinearAddNorm,
    feed_forward: FeedForward,
}

const WORD_EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

impl BertEncoder {
    /// Converts and packs the layers' weights, layers in parallel.
    pub fn load(weights: Weights, config: BertConfig) -> Result<Self> {
        let arch = Arch::new();
        let hidden = config.hidden_size;
        weights.table(WORD_EMBEDDINGS, &[config.vocab_size, hidden])?;
        let mut positions =
            weights.load("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
        let types = weights.load("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
        for row in positions.chunks_exact_mut(hidden) {
            row.iter_mut().zip(&types).for_each(|(position, token_type)| *position += token_type);
        }
        let embedding_norm = load_norm(&weights, "embeddings.LayerNorm", &config)?;
        let layers = (0..config.num_hidden_layers).into_par_iter();
        let layers = layers.map(|layer| BertLayer::load(&weights, &config, arch, layer)).collect::<Result<_>>()?;
        Ok(Self { config, arch, weights, positions, embedding_norm, layers })
    }

    pub fn config(&self) -> &BertConfig {
        &self.config
    }

    /// The last layer's hidden states, `[tokens, hidden]`, on the calling thread.
    ///
    /// Fails on an id outside the vocabulary and on a sequence of more than `max_position_embeddings` tokens.
    pub fn forward(&self, batch: &TokenBatch) -> candle_core::Result<Tensor> {
        let mut states = self.embed(batch)?;
        for layer in &self.layers {
            let attention = Attention { arch: self.arch, heads: self.config.num_attention_heads, batch };
            let context = states.apply_op1_no_bwd(&layer.qkv)?.apply_op1_no_bwd(&attention)?;
            let attended = context.apply_op2_no_bwd(&states, &layer.attention_output)?;
            states = attended.apply_op1_no_bwd(&layer.feed_forward)?;
        }
        Ok(states)
    }

    /// The normalised sum of word, position and type embeddings.
    fn embed(&self, batch: &TokenBatch) -> candle_core::Result<Tensor> {
        let hidden = self.config.hidden_size;
        let words: Table<'_> = self
            .weights
            .table(WORD_EMBEDDINGS, &[self.config.vocab_size, hidden])
            .map_err(|error| candle_core::Error::msg(error.message))?;
        let mut states = vec![0f32; batch.ids().len() * hidden];
        for range in batch.ranges() {
            if range.len() > self.config.max_position_embeddings {
                let (len, max) = (range.len(), self.config.max_position_embeddings);
                return Err(candle_core::Error::msg(format!("a sequence has {len} tokens, the model takes {max}")));
            }
            let rows = states[range.start * hidden..range.end * hidden].chunks_exact_mut(hidden);
            for ((row, &id), position) in rows.zip(&batch.ids()[range]).zip(self.positions.chunks_exact(hidden)) {
                words.read_row(id as usize, row)?;
                row.iter_mut().zip(position).for_each(|(value, position)| *value += position);
            }
        }
        layer_norm(self.arch, &self.embedding_norm, &mut states);
        Tensor::from_vec(states, (batch.ids().len(), hidden), &Device::Cpu)
    }
}

impl BertLayer {
    fn load(weights: &Weights, config: &BertConfig, arch: Arch, layer: usize) -> Result<Self> {
        let (hidden, intermediate) = (config.hidden_size, config.intermediate_size);
        let matrix = |name: &str, rows: usize, columns: usize| {
            weights.load(&format!("encoder.layer.{layer}.{name}.weight"), &[rows, columns])
        };
        let bias = |name: &str, len: usize| weights.load(&format!("encoder.layer.{layer}.{name}.bias"), &[len]);
        let norm = |name: &str| load_norm(weights, &format!("encoder.layer.{layer}.{name}.LayerNorm"), config);

        let (mut qkv, mut qkv_bias) = (Vec::with_capacity(3 * hidden * hidden), Vec::with_capacity(3 * hidden));
        for part in ["attention.self.query", "attention.self.key", "attention.self.value"] {
            qkv.extend(matrix(part, hidden, hidden)?);
            qkv_bias.extend(bias(part, hidden)?);
        }
        let output = "attention.output.dense";
        let output = Linear::new(arch, &matrix(output, hidden, hidden)?, bias(output, hidden)?);
        let (up, down) = ("intermediate.dense", "output.dense");
        let feed_forward = FeedForward::new(
            arch,
            &matrix(up, intermediate, hidden)?,
            &bias(up, intermediate)?,
            &matrix(down, hidden, intermediate)?,
            bias(down, hidden)?,
            norm("output")?,
        );
        Ok(Self {
            qkv: Linear::new(arch, &qkv, qkv_bias),
            attention_output: LinearAddNorm { linear: output, norm: norm("attention.output")?, arch },
            feed_forward,
        })
    }
}

fn load_norm(weights: &Weights, name: &str, config: &BertConfig) -> Result<LayerNorm> {
    let load = |part: &str| weights.load(&format!("{name}.{part}"), &[config.hidden_size]);
    Ok(LayerNorm { gamma: load("weight")?, beta: load("bias")?, epsilon: config.layer_norm_eps })
}
