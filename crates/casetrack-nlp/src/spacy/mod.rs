//! spaCy's English entity recognizer (`en_core_web_sm`, MIT), run natively: the same tokens and, up to rounding, the
//! same entities as spaCy 3.8 with only this component in its pipeline.
//!
//! scripts/make/ner_model.py makes the model's files.

mod attributes;
mod charset;
mod decoder;
mod files;
mod layer;
mod network;
mod tokenizer;
mod words;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use casetrack_core::{Cancel, Error, Result};
use serde::Deserialize;

use crate::recognizer::{NamedSpan, Recognizer};
use attributes::{ATTRIBUTES, Lexicon, LexiconFile};
use decoder::Decoder;
use files::{Tensors, damaged, read, read_json};
use network::{BLOCK, Buffers, Network};
use tokenizer::{Tokenizer, TokenizerFile};
use words::{Token, Words};

pub const MODEL_FOLDER: &str = "ner-en-core-web-sm";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The seeds of the embedding tables, in the order of the attributes.
    hash_seeds: [u32; ATTRIBUTES],
    /// The names of the transitions, in the order of their scores.
    transitions: Vec<String>,
}

/// The model in memory, about 10 MB. Text of any length is recognized in time linear in it, on the calling thread;
/// several threads may do so at the same time.
#[derive(Debug)]
pub struct SpacyRecognizer {
    tokenizer: Tokenizer,
    lexicon: Lexicon,
    network: Network,
    decoder: Decoder,
    /// Words and working memory of threads that are done, at most as many as ran at the same time.
    idle: Mutex<Vec<Scratch>>,
}

#[derive(Debug, Default)]
struct Scratch {
    words: Words,
    buffers: Buffers,
    features: Vec<f32>,
}

impl SpacyRecognizer {
    /// Loads the model from its folder ([`MODEL_FOLDER`] in the models folder).
    ///
    /// Fails with `MissingDependency` if a file is missing and with `Corrupt` if one is damaged; the hint is the remedy.
    pub fn load(folder: &Path) -> Result<Self> {
        let (config_path, tokenizer_path) = (folder.join("config.json"), folder.join("tokenizer.json"));
        let config: Config = read_json(&config_path)?;
        let lexicon: LexiconFile = read_json(&folder.join("lexicon.json"))?;
        let (decimals, alphanumeric) = (lexicon.decimals.clone(), lexicon.alphanumeric.clone());
        let tokenizer: TokenizerFile = read_json(&tokenizer_path)?;
        let tokenizer =
            Tokenizer::new(tokenizer, decimals, alphanumeric).map_err(|problem| damaged(&tokenizer_path, problem))?;
        let weights_path = folder.join("model.safetensors");
        let bytes = read(&weights_path)?;
        let tensors = Tensors::new(&weights_path, &bytes)?;
        let decoder =
            Decoder::load(&tensors, &config.transitions)?.map_err(|problem| damaged(&config_path, problem))?;
        Ok(Self {
            tokenizer,
            lexicon: Lexicon::new(lexicon),
            network: Network::load(&tensors, config.hash_seeds)?,
            decoder,
            idle: Mutex::default(),
        })
    }

    /// The tokens of a text as spaCy's tokenizer finds them, white space beyond single spaces included: characters,
    /// half-open.
    pub fn tokens(&self, text: &str) -> Result<Vec<(u32, u32)>> {
        self.with_scratch(text, |scratch| {
            let tokens = scratch.words.tokens(text, &self.tokenizer, &self.lexicon);
            tokens.iter().map(|token| (token.char_start, token.char_end)).collect()
        })
    }

    fn with_scratch<T>(&self, text: &str, run: impl FnOnce(&mut Scratch) -> T) -> Result<T> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::invalid("A text of 4 GiB or more cannot be searched for entities"));
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = idle().pop().unwrap_or_default();
        let result = run(&mut scratch);
        if !scratch.words.is_full() {
            idle().push(scratch);
        }
        Ok(result)
    }

    fn entities(&self, text: &str, scratch: &mut Scratch, cancel: &Cancel) -> Result<Vec<NamedSpan>> {
        let Scratch { words, buffers, features } = scratch;
        let tokens: Vec<Token> = words.tokens(text, &self.tokenizer, &self.lexicon);
        words.embed(&self.network);
        let mut state = self.decoder.start();
        for start in (0..tokens.len()).step_by(BLOCK) {
            cancel.check()?;
            let block = start..tokens.len().min(start + BLOCK);
            features.clear();
            self.network.encode(block, tokens.len(), |token| words.vector(tokens[token].word), buffers, features);
            self.decoder.decode(features, tokens.len(), |token| words.is_space(tokens[token].word), &mut state);
        }
        let named = |entity: &decoder::TokenSpan| NamedSpan {
            char_start: tokens[entity.start].char_start,
            char_end: tokens[entity.end - 1].char_end,
            label: entity.label,
        };
        Ok(state.entities.iter().map(named).collect())
    }
}

impl Recognizer for SpacyRecognizer {
    fn recognize(&self, text: &str, cancel: &Cancel) -> Result<Vec<NamedSpan>> {
        self.with_scratch(text, |scratch| self.entities(text, scratch, cancel))?
    }
}

#[cfg(test)]
mod testing {
    pub fn model_folder() -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(super::MODEL_FOLDER)
    }
}
