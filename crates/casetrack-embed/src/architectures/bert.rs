//! BERT (Devlin et al. 2018): all-MiniLM, BGE, ColBERT and SPLADE models.

use serde::Deserialize;

use super::{EncoderConfig, MlmNames, TensorNames};

pub const TENSORS: TensorNames = TensorNames {
    prefix: "bert.",
    words: "embeddings.word_embeddings",
    positions: "embeddings.position_embeddings",
    token_types: "embeddings.token_type_embeddings",
    embedding_norm: "embeddings.LayerNorm",
    layer: "encoder.layer.",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    up: "intermediate.dense",
    down: "output.dense",
    output_norm: "output.LayerNorm",
    mlm: MlmNames {
        transform: "cls.predictions.transform.dense",
        norm: "cls.predictions.transform.LayerNorm",
        decoder: "cls.predictions.decoder",
        bias: "cls.predictions.bias",
    },
};

#[derive(Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

pub fn read_config(text: &str) -> Result<EncoderConfig, String> {
    let config: Config = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
    if config.hidden_act != "gelu" || positions != "absolute" {
        return Err(format!(
            "it asks for activation {} and {positions} positions; only gelu and absolute are supported",
            config.hidden_act
        ));
    }
    Ok(EncoderConfig {
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        vocabulary: config.vocab_size,
        max_positions: config.max_position_embeddings,
        token_types: config.type_vocab_size,
        epsilon: config.layer_norm_eps,
    })
}
