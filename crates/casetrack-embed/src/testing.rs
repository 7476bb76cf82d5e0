//! What several test modules share.

use crate::locate::find_models_dir;
use crate::manifest::{ModelManifest, TOKENIZER_FILE};
use crate::service::E1_MODEL;
use crate::tokenize::TextTokenizer;

/// The tokenizer of the vendored E1 model, cutting at `max_tokens`.
pub fn vendored_tokenizer(max_tokens: usize) -> TextTokenizer {
    let manifest = ModelManifest::load(&find_models_dir(None).unwrap()).unwrap();
    let dir = manifest.model_dir(manifest.get(E1_MODEL).unwrap());
    TextTokenizer::load(&dir.join(TOKENIZER_FILE), max_tokens).unwrap()
}
