//! The recognizer of named entities, and what it makes of documents.

use std::sync::Arc;

use casetrack_core::{Annotations, Page, Result};
use casetrack_embed::find_models_dir;
use casetrack_nlp::{SpacyRecognizer, annotate, spacy::MODEL_FOLDER};

use crate::engine::Engine;

impl Engine {
    /// The recognizer, loaded at its first use and kept (about 10 MB).
    pub(crate) fn recognizer(&self) -> Result<Arc<SpacyRecognizer>> {
        let folder = find_models_dir(self.config.models_dir.as_deref())?.join(MODEL_FOLDER);
        self.shared_recognizer(&folder, || SpacyRecognizer::load(&folder))
    }
}

/// What the pages of a document say of entities and references.
pub(crate) fn annotations(recognizer: &SpacyRecognizer, pages: &[Page]) -> Result<Annotations> {
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    annotate(recognizer, &texts)
}
