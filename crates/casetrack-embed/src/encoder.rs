use casetrack_core::{Error, Result};
use rayon::prelude::*;

use crate::architectures::{EncoderConfig, TensorNames};
use crate::batch::TokenBatch;
use crate::kernels::Arch;
use crate::kernels::layer_norm::{LayerNorm, layer_norm};
use crate::layers::{FeedForward, Linear, LinearAddNorm, attend};
use crate::precision::Precision;
use crate::weights::{Table, Weights};

/// The encoder, ready to run. About 4 bytes of memory per weight of the layers, or 1 in integers; the word embeddings stay in the file.
pub struct Encoder {
    config: EncoderConfig,
    arch: Arch,
    weights: Weights,
    words: String,
    /// Position embedding plus the embedding of token type 0, `[max_positions, hidden]`.
    positions: Vec<f32>,
    embedding_norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    qkv: Linear,
    attention_output: LinearAddNorm,
    feed_forward: FeedForward,
}

impl Encoder {
    /// Converts and packs the layers' weights, layers in parallel.
    pub fn load(
        weights: Weights,
        config: EncoderConfig,
        names: &'static TensorNames,
        precision: Precision,
    ) -> Result<Self> {
        let source = Source::new(&weights, &config, names, precision);
        let words = format!("{}{}.weight", source.prefix, names.words);
        weights.table(&words, &[config.vocabulary, config.hidden])?;
        let positions = source.positions()?;
        let embedding_norm = source.norm(names.embedding_norm)?;
        let arch = Arch::new();
        let layers = (0..config.layers).into_par_iter().map(|number| source.layer(arch, number));
        let layers = layers.collect::<Result<_>>()?;
        Ok(Self { arch, words, positions, embedding_norm, layers, config, weights })
    }

    pub fn config(&self) -> &EncoderConfig {
        &self.config
    }

    pub fn arch(&self) -> Arch {
        self.arch
    }

    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    pub fn word_embeddings(&self) -> Result<Table<'_>> {
        self.weights.table(&self.words, &[self.config.vocabulary, self.config.hidden])
    }

    /// Floating-point operations of [`Self::forward`] on one sequence, a multiplication with its addition counted as two.
    pub fn operations(&self, tokens: usize) -> u64 {
        let EncoderConfig { hidden, intermediate, layers, .. } = self.config;
        let per_token = 4 * hidden * hidden + 2 * hidden * intermediate + 2 * hidden * tokens;
        (2 * layers * tokens * per_token) as u64
    }

    /// The last layer's hidden states, `[tokens, hidden]`, row-major, on the calling thread.
    ///
    /// Fails on an id outside the vocabulary and on a sequence of more than `max_positions` tokens.
    pub fn forward(&self, batch: &TokenBatch) -> Result<Vec<f32>> {
        let mut states = self.embed(batch)?;
        let (mut qkv, mut context, mut attended) = (Vec::new(), Vec::new(), Vec::new());
        for layer in &self.layers {
            qkv = layer.qkv.apply(&states, qkv);
            context = attend(self.arch, &self.config, batch, &qkv, context);
            attended = layer.attention_output.apply(&context, &states, attended);
            states = layer.feed_forward.apply(&attended, states);
        }
        Ok(states)
    }

    fn embed(&self, batch: &TokenBatch) -> Result<Vec<f32>> {
        let hidden = self.config.hidden;
        let words = self.word_embeddings()?;
        let mut states = vec![0f32; batch.ids().len() * hidden];
        for range in batch.ranges() {
            if range.len() > self.config.max_positions {
                let (len, max) = (range.len(), self.config.max_positions);
                return Err(Error::internal(format!("A sequence has {len} tokens, but the model takes {max}")));
            }
            let rows = states[range.start * hidden..range.end * hidden].chunks_exact_mut(hidden);
            for ((row, &id), position) in rows.zip(&batch.ids()[range]).zip(self.positions.chunks_exact(hidden)) {
                words.read_row(id as usize, row)?;
                row.iter_mut().zip(position).for_each(|(value, position)| *value += position);
            }
        }
        layer_norm(self.arch, &self.embedding_norm, &mut states);
        Ok(states)
    }
}

struct Source<'a> {
    weights: &'a Weights,
    config: &'a EncoderConfig,
    names: &'static TensorNames,
    /// The architecture's prefix if the file's names carry it.
    prefix: &'static str,
    precision: Precision,
}

impl<'a> Source<'a> {
    fn new(weights: &'a Weights, config: &'a EncoderConfig, names: &'static TensorNames, precision: Precision) -> Self {
        let prefixed = weights.has(&format!("{}{}.weight", names.prefix, names.words));
        Self { weights, config, names, prefix: if prefixed { names.prefix } else { "" }, precision }
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        self.weights.load(&format!("{}{name}.weight", self.prefix), &[rows, columns])
    }

    fn bias(&self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.weights.load(&format!("{}{name}.bias", self.prefix), &[len])
    }

    fn norm(&self, name: &str) -> Result<LayerNorm> {
        load_norm(self.weights, &format!("{}{name}", self.prefix), self.config)
    }

    fn positions(&self) -> Result<Vec<f32>> {
        let EncoderConfig { hidden, max_positions, token_types, .. } = *self.config;
        let mut positions = self.matrix(self.names.positions, max_positions, hidden)?;
        if token_types > 0 {
            let types = self.matrix(self.names.token_types, token_types, hidden)?;
            for row in positions.chunks_exact_mut(hidden) {
                row.iter_mut().zip(&types).for_each(|(position, token_type)| *position += token_type);
            }
        }
        Ok(positions)
    }

    fn layer(&self, arch: Arch, number: usize) -> Result<Layer> {
        let EncoderConfig { hidden, intermediate, .. } = *self.config;
        let name = |part: &str| format!("{}{number}.{part}", self.names.layer);
        let (mut qkv, mut qkv_bias) = (Vec::with_capacity(3 * hidden * hidden), Vec::with_capacity(3 * hidden));
        for part in [self.names.query, self.names.key, self.names.value] {
            qkv.extend(self.matrix(&name(part), hidden, hidden)?);
            qkv_bias.extend(self.bias(&name(part), hidden)?);
        }
        let (output, up, down) = (name(self.names.attention_output), name(self.names.up), name(self.names.down));
        let attention_norm = self.norm(&name(self.names.attention_norm))?;
        let precision = self.precision;
        let linear = Linear::new(arch, precision, &self.matrix(&output, hidden, hidden)?, self.bias(&output, hidden)?);
        let feed_forward = FeedForward::new(
            (arch, precision),
            (&self.matrix(&up, intermediate, hidden)?, &self.bias(&up, intermediate)?),
            (&self.matrix(&down, hidden, intermediate)?, self.bias(&down, hidden)?),
            self.norm(&name(self.names.output_norm))?,
        );
        Ok(Layer {
            qkv: Linear::new(arch, precision, &qkv, qkv_bias),
            attention_output: LinearAddNorm { linear, norm: attention_norm, arch },
            feed_forward,
        })
    }
}

/// The layer normalisation of this name; files from the time of TensorFlow call its tensors gamma and beta.
pub fn load_norm(weights: &Weights, name: &str, config: &EncoderConfig) -> Result<LayerNorm> {
    let old = weights.has(&format!("{name}.gamma"));
    let (gamma, beta) = if old { ("gamma", "beta") } else { ("weight", "bias") };
    let load = |part: &str| weights.load(&format!("{name}.{part}"), &[config.hidden]);
    Ok(LayerNorm { gamma: load(gamma)?, beta: load(beta)?, epsilon: config.epsilon })
}
