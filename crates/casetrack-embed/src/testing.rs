//! Shared parts of several test modules.

use crate::manifest::{ModelManifest, ModelSpec, TOKENIZER_FILE};
use crate::models_dir::find_models_dir;
use crate::tokenize::TextTokenizer;

/// The vendored models.
pub fn vendored() -> ModelManifest {
    ModelManifest::load(&find_models_dir(None).unwrap()).unwrap()
}

/// The tokenizer of the vendored E1 model, with its description changed.
pub fn vendored_tokenizer(change: impl FnOnce(&mut ModelSpec)) -> TextTokenizer {
    let manifest = vendored();
    let mut spec = manifest.get("e1-all-minilm-l6-v2").unwrap().clone();
    let path = manifest.model_dir(&spec).join(TOKENIZER_FILE);
    change(&mut spec);
    TextTokenizer::load(&path, &spec).unwrap()
}
