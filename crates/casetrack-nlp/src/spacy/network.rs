//! The network of spaCy's `ner` component: hash embedding of lexical attributes (MultiHashEmbed.v2), a convolution over
//! neighbouring tokens (MaxoutWindowEncoder.v2), and the features of each token for the decoder (TransitionBasedParser.v2).

use std::ops::Range;

use casetrack_core::Result;
use pulp::Arch;

use super::attributes::{ATTRIBUTES, hash_rows};
use super::files::Tensors;
use super::layer::{Layer, LayerNorm};

pub(super) const WIDTH: usize = 96;
/// Layers of the convolution; each sees one token on either side.
const DEPTH: usize = 4;
const PIECES: usize = 3;
/// Width of the decoder's hidden layer.
pub(super) const HIDDEN: usize = 64;
/// The decoder's inputs: the next token, the first token of the open entity, the last token of it so far.
pub(super) const FEATURES: usize = 3;
/// Linear pieces of the decoder's maxout.
pub(super) const STATE_PIECES: usize = 2;
/// Length of a feature's contribution to the hidden layer, `[STATE_PIECES, HIDDEN]`.
pub(super) const FEATURE: usize = STATE_PIECES * HIDDEN;

/// Names and rows of the embedding tables.
const TABLES: [(&str, usize); ATTRIBUTES] =
    [("embed.norm", 5000), ("embed.prefix", 1000), ("embed.suffix", 2500), ("embed.shape", 2500)];

/// Tokens that are encoded at a time: their vectors stay in the cache, and memory does not grow with the text.
pub(super) const BLOCK: usize = 240;

#[derive(Debug)]
pub(super) struct Network {
    tables: Vec<Vec<f32>>,
    seeds: [u32; ATTRIBUTES],
    mix: (Layer, LayerNorm),
    convolutions: Vec<(Layer, LayerNorm)>,
    reduce: Layer,
    lower: Layer,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    vectors: Vec<f32>,
    maxima: Vec<f32>,
}

impl Network {
    pub fn load(tensors: &Tensors, seeds: [u32; ATTRIBUTES]) -> Result<Self> {
        let arch = Arch::new();
        let maxout = |name: &str, inputs| -> Result<(Layer, LayerNorm)> {
            let weights = tensors.get(&format!("{name}.weight"), &[WIDTH, PIECES, inputs])?;
            let bias = tensors.get(&format!("{name}.bias"), &[WIDTH, PIECES])?;
            let norm = LayerNorm {
                arch,
                gain: tensors.get(&format!("{name}.norm.gain"), &[WIDTH])?,
                bias: tensors.get(&format!("{name}.norm.bias"), &[WIDTH])?,
            };
            Ok((Layer::new(arch, &weights, &bias, WIDTH, PIECES), norm))
        };
        let reduce = tensors.get("reduce.weight", &[HIDDEN, WIDTH])?;
        let lower = tensors.get("lower.weight", &[FEATURES, HIDDEN, STATE_PIECES, HIDDEN])?;
        let lower = pieces_apart(&lower, HIDDEN);
        Ok(Self {
            tables: TABLES.iter().map(|&(name, rows)| tensors.get(name, &[rows, WIDTH])).collect::<Result<_>>()?,
            seeds,
            mix: maxout("mix", ATTRIBUTES * WIDTH)?,
            convolutions: (0..DEPTH)
                .map(|layer| maxout(&format!("encoder.{layer}"), 3 * WIDTH))
                .collect::<Result<_>>()?,
            reduce: Layer::new(arch, &reduce, &tensors.get("reduce.bias", &[HIDDEN])?, HIDDEN, 1),
            // Its bias is added once to the sum of the features, by the decoder.
            lower: Layer::new(arch, &lower, &[0.0; FEATURES * FEATURE], FEATURES * FEATURE, 1),
        })
    }

    pub fn embed(&self, words: &[[u64; ATTRIBUTES]], vectors: &mut Vec<f32>) {
        let mut rows = vec![0.0; words.len() * ATTRIBUTES * WIDTH];
        for (word, out) in words.iter().zip(rows.chunks_exact_mut(ATTRIBUTES * WIDTH)) {
            for (((&id, &seed), table), out) in
                word.iter().zip(&self.seeds).zip(&self.tables).zip(out.chunks_exact_mut(WIDTH))
            {
                for hash in hash_rows(id, seed) {
                    let row = hash as usize % (table.len() / WIDTH);
                    for (sum, x) in out.iter_mut().zip(&table[row * WIDTH..]) {
                        *sum += x;
                    }
                }
            }
        }
        let mut maxima = vec![0.0; words.len() * WIDTH];
        self.mix.0.run(&rows, ATTRIBUTES * WIDTH, &mut maxima);
        let before = vectors.len();
        vectors.resize(before + maxima.len(), 0.0);
        self.mix.1.add_to(&maxima, &mut vectors[before..]);
    }

    /// The features of tokens `block` of a text of `length` tokens, `[tokens, FEATURES, STATE_PIECES, HIDDEN]` appended
    /// to `features`; `vector` gives the embedding of a token.
    ///
    /// Positions outside the text count as zero in the first layer and are computed like tokens in the others, as in
    /// thinc's `with_array(pad=4)`.
    pub fn encode<'a>(
        &self,
        block: Range<usize>,
        length: usize,
        vector: impl Fn(usize) -> &'a [f32],
        buffers: &mut Buffers,
        features: &mut Vec<f32>,
    ) {
        let tokens = block.len();
        let Buffers { vectors, maxima } = buffers;
        vectors.clear();
        for place in 0..tokens + 2 * DEPTH {
            match (block.start + place).checked_sub(DEPTH).filter(|&token| token < length) {
                Some(token) => vectors.extend_from_slice(vector(token)),
                None => vectors.resize(vectors.len() + WIDTH, 0.0),
            }
        }
        // Each layer drops one row at either end, whose neighbours are missing.
        for (layer, (maxout, norm)) in self.convolutions.iter().enumerate() {
            let rows = tokens + 2 * (DEPTH - 1 - layer);
            maxima.clear();
            maxima.resize(rows * WIDTH, 0.0);
            maxout.run(&vectors[layer * WIDTH..], WIDTH, maxima);
            norm.add_to(maxima, &mut vectors[(layer + 1) * WIDTH..][..rows * WIDTH]);
        }
        maxima.clear();
        maxima.resize(tokens * HIDDEN, 0.0);
        self.reduce.run(&vectors[DEPTH * WIDTH..], WIDTH, maxima);
        let before = features.len();
        features.resize(before + tokens * FEATURES * FEATURE, 0.0);
        self.lower.run(maxima, HIDDEN, &mut features[before..]);
    }
}

/// Rearranges rows of `width` values from `[.., HIDDEN, STATE_PIECES, width]` to `[.., STATE_PIECES, HIDDEN, width]`,
/// so that a maximum over the pieces is one of two neighbouring vectors.
pub(super) fn pieces_apart(values: &[f32], width: usize) -> Vec<f32> {
    let mut apart = Vec::with_capacity(values.len());
    for group in values.chunks_exact(FEATURE * width) {
        for piece in 0..STATE_PIECES {
            for rows in group.chunks_exact(STATE_PIECES * width) {
                apart.extend_from_slice(&rows[piece * width..][..width]);
            }
        }
    }
    apart
}
