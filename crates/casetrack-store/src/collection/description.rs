use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, Error, Result, Timestamp};
use serde_json::Value;

use super::LocalCollection;
use crate::codec::{decode, encode};
use crate::indexes::IndexHandle;
use crate::manifest::{Manifest, VectorModels};
use crate::records::{Identity, State};
use crate::roles::{Counts, DescribeCollection};
use crate::schema::{EVIDENCE_KEY, IDENTITY_KEY, MEMO_KEY, NOTE_KEY, cf};
use crate::write;

impl From<State> for Counts {
    fn from(State { documents, pages, chunks, sparse_chunks, annotated_documents, token_chunks, .. }: State) -> Self {
        Self { documents, pages, chunks, sparse_chunks, annotated_documents, token_chunks }
    }
}

impl DescribeCollection for LocalCollection {
    fn meta(&self) -> &CollectionMeta {
        &self.manifest.collection
    }

    fn models(&self) -> &VectorModels {
        &self.manifest.models
    }

    fn models_are_open(&self) -> bool {
        self.manifest.models_open
    }

    fn describe(&mut self, meta: CollectionMeta) -> Result<()> {
        if meta.id != self.meta().id {
            return Err(Error::internal(format!("Collection {} cannot become {}.", self.meta().id, meta.id)));
        }
        self.rewrite_manifest(Manifest { collection: meta, ..self.manifest.clone() })
    }

    fn leave_models_open(&mut self) -> Result<()> {
        self.rewrite_manifest(Manifest { models_open: true, ..self.manifest.clone() })
    }

    fn adopt_sparse_model(&mut self, model: &str) -> Result<()> {
        match self.models().sparse.as_deref() {
            Some(own) if own == model => return Ok(()),
            Some(own) => {
                return Err(write::mismatch("New learned-sparse vectors", model, "learned-sparse vectors", own));
            }
            None => {}
        }
        let identity = Identity { sparse_model: Some(model.to_owned()), ..self.identity.clone() };
        let mut batch = self.truth.batch();
        batch.put(cf::META, IDENTITY_KEY, identity.encode()?)?;
        self.truth.write_durably(batch)?;
        self.identity = identity;
        self.manifest.models.sparse = Some(model.to_owned());
        self.manifest.write(&self.dir, self.truth.seal())?;
        self.manifest.keep(&self.truth)?;
        let state = *self.writer();
        self.indexes.sparse.set_failed();
        self.with_origin(&state, |origin| self.indexes.sparse.recover(origin))
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.read_columns()
    }

    fn set_columns(&self, columns: &Value) -> Result<()> {
        self.write_columns(columns)
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.truth.reader().evidence()
    }

    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()> {
        let _state = self.writer();
        let mut tray = self.truth.reader().evidence()?;
        change(&mut tray)?;
        tray.check().map_err(|error| Error::internal(error.message))?;
        let mut batch = self.truth.batch();
        batch.put(cf::META, EVIDENCE_KEY, encode(&tray)?)?;
        self.truth.write_durably(batch)
    }

    fn has_failed(&self) -> bool {
        self.truth.has_failed()
    }

    fn counts(&self) -> Result<Counts> {
        self.truth.state().map(Counts::from)
    }

    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)> {
        self.truth.state().map(|state| (state.into(), state.changed_at))
    }

    fn memo(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.truth.meta(&named_key(MEMO_KEY, name))?.map(|value| decode("memo", &value)).transpose()
    }

    fn keep_memo(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut batch = self.truth.batch();
        batch.put(cf::META, named_key(MEMO_KEY, name), encode(&bytes)?)?;
        self.truth.write_lazily(batch)
    }

    fn note(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.truth.meta(&named_key(NOTE_KEY, name))?.map(|value| decode("note", &value)).transpose()
    }

    fn set_note(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut batch = self.truth.batch();
        batch.put(cf::META, named_key(NOTE_KEY, name), encode(&bytes)?)?;
        self.truth.write_durably(batch)
    }
}

impl LocalCollection {
    fn rewrite_manifest(&mut self, manifest: Manifest) -> Result<()> {
        // This copy prevails if they differ (`Manifest::reconcile`).
        manifest.keep(&self.truth)?;
        manifest.write(&self.dir, self.truth.seal())?;
        self.manifest = manifest;
        Ok(())
    }
}

fn named_key(kind: u8, name: &str) -> Vec<u8> {
    [&[kind], name.as_bytes()].concat()
}
