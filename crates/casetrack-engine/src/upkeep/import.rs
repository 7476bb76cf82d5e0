//! Make a collection of a file that `export` wrote.

use std::path::Path;

use casetrack_core::{Action, CollectionId, CollectionMeta, Error, ErrorCode, Result};
use casetrack_store::Archive;
use schemars::JsonSchema;
use serde::Serialize;

use crate::collections::check_new;
use crate::host::Host;
use crate::sheet::check_columns;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportReport {
    /// The new collection: its id is new, the ids of its documents are those of the old one.
    #[serde(flatten)]
    pub meta: CollectionMeta,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub originals: u64,
    /// The model that made its vectors.
    pub dense_model: String,
    /// Set when that model is not installed: searches by meaning need it.
    pub model_note: Option<String>,
    pub duration_ms: u64,
}

impl Host {
    /// Imports under the name in the file, or another. Everything in it is checked before anything becomes visible.
    pub fn import_collection(&self, file: &Path, name: Option<&str>) -> Result<ImportReport> {
        let started = std::time::Instant::now();
        let mut archive = Archive::open(file)?;
        let manifest = archive.manifest().clone();
        if let Some(columns) = &manifest.columns {
            check_columns(columns).map_err(|error| {
                let message = format!("{} cannot be imported: {}", file.display(), error.message);
                Error::new(ErrorCode::UnreadableFile, message)
                    .with_hint("Nothing was changed. Export the collection again.")
            })?;
        }
        let name = name.unwrap_or(&manifest.collection.name).trim();
        check_new(self, name, Action::ImportUnderOtherName.into())?;
        let meta = CollectionMeta { id: CollectionId::random(), name: name.to_owned(), ..manifest.collection };
        let collection = self.open_collections().adopt(self.registry().import(&mut archive, &meta)?);
        let made_by = collection.models().dense.clone();
        // Without models nothing can be said, and importing needs none.
        let unknown = self.embedder_that_makes(collection.models()).is_ok_and(|embedder| embedder.is_none());
        let model_note = unknown.then(|| {
            format!(
                "Its vectors were made by {made_by}, which is not installed here, so only keyword search finds its passages. \
                 `casetrack reindex --models compact` makes vectors with the models that come with CaseTrack."
            )
        });
        Ok(ImportReport {
            meta,
            documents: manifest.documents,
            pages: manifest.pages,
            chunks: manifest.chunks,
            originals: manifest.originals,
            dense_model: made_by,
            model_note,
            duration_ms: started.elapsed().as_millis() as u64,
        })
    }
}
