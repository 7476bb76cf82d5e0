//! The network architectures CaseTrack can run: one file each, which reads the model's `config.json` and names its tensors.
//!
//! All of them are post-norm transformer encoders with learned positions, which [`crate::encoder::Encoder`] runs.

mod bert;
mod distilbert;

use std::path::Path;

use casetrack_core::Result;

use crate::errors::{damaged, unreadable};

/// Reads a `config.json`, already as text; the error names the unsupported feature.
type ReadConfig = fn(&str) -> Result<EncoderConfig, String>;

/// Every architecture under its name in Hugging Face's `model_type`, and how its configuration is read.
const ARCHITECTURES: &[(&str, ReadConfig, &TensorNames)] =
    &[("bert", bert::read_config, &bert::TENSORS), ("distilbert", distilbert::read_config, &distilbert::TENSORS)];

#[derive(Debug, Clone)]
pub struct EncoderConfig {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    /// Width of the feed-forward network's inner layer.
    pub intermediate: usize,
    pub vocabulary: usize,
    /// Longest sequence in tokens.
    pub max_positions: usize,
    /// Rows of the token type table; 0 for an architecture without one.
    pub token_types: usize,
    pub epsilon: f32,
}

#[derive(Debug)]
pub struct TensorNames {
    /// Prefix of the encoder's names in a file that also holds a head; left out in one with only the encoder.
    pub prefix: &'static str,
    pub words: &'static str,
    pub positions: &'static str,
    pub token_types: &'static str,
    pub embedding_norm: &'static str,
    /// Prefix of the number of a layer.
    pub layer: &'static str,
    pub query: &'static str,
    pub key: &'static str,
    pub value: &'static str,
    pub attention_output: &'static str,
    pub attention_norm: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub output_norm: &'static str,
    /// The masked language model's head: a transformation of the states, then a product with the word embeddings.
    pub mlm: MlmNames,
}

/// Names of the masked language model's head, from the top of the file.
#[derive(Debug)]
pub struct MlmNames {
    pub transform: &'static str,
    pub norm: &'static str,
    /// The product with the vocabulary. If the file has no weight of this name, the word embeddings serve.
    pub decoder: &'static str,
    /// The whole name of the vocabulary's bias.
    pub bias: &'static str,
}

pub fn read(architecture: &str, path: &Path) -> Result<(EncoderConfig, &'static TensorNames)> {
    let Some((_, read_config, names)) = ARCHITECTURES.iter().find(|(name, ..)| *name == architecture) else {
        return Err(damaged(path, format!("architecture \"{architecture}\" is not supported")));
    };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
    let config = read_config(&text).map_err(|problem| damaged(path, problem))?;
    let sizes = [config.hidden, config.heads, config.intermediate, config.vocabulary, config.max_positions];
    if sizes.contains(&0) || !config.hidden.is_multiple_of(config.heads) {
        return Err(damaged(path, "its layer sizes are zero or do not divide"));
    }
    Ok((config, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use casetrack_core::ErrorCode;

    const BERT: &str = r#"{"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16,
        "vocab_size": 10, "max_position_embeddings": 12, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}"#;

    #[test]
    fn what_is_not_supported_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        let read_as = |architecture: &str, text: String| {
            std::fs::write(&path, text).unwrap();
            read(architecture, &path)
        };
        let (config, names) = read_as("bert", BERT.to_owned()).unwrap();
        assert_eq!((config.hidden, config.max_positions, names.prefix), (8, 12, "bert."));
        for (architecture, text, said) in [
            ("gpt2", BERT.to_owned(), "gpt2"),
            ("bert", BERT.replace("\"gelu\"", "\"relu\""), "relu"),
            ("bert", BERT.replace("\"num_attention_heads\": 2", "\"num_attention_heads\": 3"), "divide"),
            ("distilbert", BERT.to_owned(), "dim"),
        ] {
            let error = read_as(architecture, text).unwrap_err();
            assert_eq!(error.code, ErrorCode::Corrupt);
            assert!(error.message.contains(said), "{}", error.message);
        }
    }
}
