//! DistilBERT (Sanh et al. 2019): BERT without token types, under names of its own.

use serde::Deserialize;

use super::{EncoderConfig, MlmNames, TensorNames};

pub const TENSORS: TensorNames = TensorNames {
    prefix: "distilbert.",
    words: "embeddings.word_embeddings",
    positions: "embeddings.position_embeddings",
    token_types: "",
    embedding_norm: "embeddings.LayerNorm",
    layer: "transformer.layer.",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    up: "ffn.lin1",
    down: "ffn.lin2",
    output_norm: "output_layer_norm",
    mlm: MlmNames {
        transform: "vocab_transform",
        norm: "vocab_layer_norm",
        decoder: "vocab_projector",
        bias: "vocab_projector.bias",
    },
};

/// ε of the normalisations, which the configuration does not state (Hugging Face's `DistilBertModel`).
const EPSILON: f32 = 1e-12;

#[derive(Deserialize)]
struct Config {
    dim: usize,
    n_layers: usize,
    n_heads: usize,
    hidden_dim: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    activation: String,
}

pub fn read_config(text: &str) -> Result<EncoderConfig, String> {
    let config: Config = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if config.activation != "gelu" {
        return Err(format!("it asks for activation {}; only gelu is supported", config.activation));
    }
    Ok(EncoderConfig {
        hidden: config.dim,
        layers: config.n_layers,
        heads: config.n_heads,
        intermediate: config.hidden_dim,
        vocabulary: config.vocab_size,
        max_positions: config.max_position_embeddings,
        token_types: 0,
        epsilon: EPSILON,
    })
}
