use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorView;

use crate::manifest::{ModelManifest, ModelSpec, TOKENIZER_FILE};
use crate::models_dir::find_models_dir;
use crate::tokenize::TextTokenizer;

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

/// Writes a file of tensors: their names, types, shapes and bytes.
pub fn write_tensors(path: &Path, tensors: Vec<(&str, Dtype, &[usize], Vec<u8>)>) {
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        let view = TensorView::new(*dtype, shape.to_vec(), bytes);
        (*name, view.unwrap())
    });
    safetensors::serialize_to_file(views, None, path).unwrap();
}

pub fn single_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
