//! E6: weights of vocabulary terms, learned sparse retrieval.

use casetrack_core::Result;

use crate::architectures::MlmNames;
use crate::batch::TokenBatch;
use crate::encoder::{Encoder, load_norm};
use crate::kernels::Arch;
use crate::kernels::gelu::gelu;
use crate::kernels::layer_norm::{LayerNorm, layer_norm};
use crate::layers::{Linear, Weight};
use crate::outputs::SparseVector;
use crate::precision::Precision;

pub trait SparseHead: Send + Sync {
    /// One vector for each sequence of the batch, in order, from the encoder's states `[tokens, hidden]`.
    fn weights(&self, states: &[f32], batch: &TokenBatch) -> Vec<SparseVector>;

    /// Floating-point operations on one sequence, a multiplication with its addition counted as two.
    fn operations(&self, tokens: usize) -> u64;
}

/// SPLADE (Formal et al. 2021, max pooling as in its v2): log(1 + relu(logit)) of the masked language model's logits,
/// of each term the greatest over all tokens.
///
/// Since that function rises with the logit, the maximum is taken of the products themselves, tile by tile in
/// registers: the logits, `[tokens, vocabulary]`, are never in memory.
pub struct SpladeHead {
    arch: Arch,
    transform: Linear,
    norm: LayerNorm,
    decoder: Weight,
    bias: Vec<f32>,
}

impl SpladeHead {
    /// Takes the masked language model's head from the encoder's file. 4 bytes of memory per weight, or 1.
    pub fn load(encoder: &Encoder, names: &MlmNames, precision: Precision) -> Result<Self> {
        let (weights, arch, config) = (encoder.weights(), encoder.arch(), encoder.config());
        let (hidden, vocabulary) = (config.hidden, config.vocabulary);
        let transform = weights.load(&format!("{}.weight", names.transform), &[hidden, hidden])?;
        let transform_bias = weights.load(&format!("{}.bias", names.transform), &[hidden])?;
        let transform = Linear::new(arch, precision, &transform, transform_bias);
        let decoder = format!("{}.weight", names.decoder);
        let decoder = if weights.has(&decoder) {
            weights.load(&decoder, &[vocabulary, hidden])?
        } else {
            encoder.word_embeddings()?.all()
        };
        let decoder = Weight::new(arch, precision, &decoder, hidden, vocabulary, hidden);
        let norm = load_norm(weights, names.norm, config)?;
        Ok(Self { arch, transform, norm, decoder, bias: weights.load(names.bias, &[vocabulary])? })
    }

    /// Never gives these terms a weight.
    pub fn drop_terms(&mut self, ids: impl Iterator<Item = usize>) {
        ids.for_each(|id| self.bias[id] = f32::NEG_INFINITY);
    }
}

impl SparseHead for SpladeHead {
    fn weights(&self, states: &[f32], batch: &TokenBatch) -> Vec<SparseVector> {
        let hidden = self.decoder.width();
        let mut transformed = self.transform.apply(states, Vec::new());
        gelu(self.arch, &mut transformed);
        layer_norm(self.arch, &self.norm, &mut transformed);
        let mut greatest = vec![0f32; self.bias.len()];
        let of_sequence = |range: std::ops::Range<usize>| {
            greatest.fill(f32::NEG_INFINITY);
            self.decoder.raise_to_product(&transformed[range.start * hidden..range.end * hidden], &mut greatest);
            let logits = greatest.iter().zip(&self.bias).map(|(product, bias)| product + bias);
            let positive = (0..).zip(logits).filter(|&(_, logit)| logit > 0.0);
            SparseVector { terms: positive.map(|(id, logit)| (id, logit.ln_1p())).collect() }
        };
        batch.ranges().map(of_sequence).collect()
    }

    fn operations(&self, tokens: usize) -> u64 {
        let hidden = self.decoder.width();
        (2 * tokens * hidden * (hidden + self.bias.len())) as u64
    }
}
