//! Changing documents, and keeping the derived indexes in step.

use std::sync::PoisonError;

#[cfg(doc)]
use casetrack_core::ErrorCode;
use casetrack_core::marks::Marks;
use casetrack_core::{CollectionMeta, DocumentId, Error, Result};

use super::LocalCollection;
use crate::indexes::Kept;
use crate::manifest::Manifest;
use crate::records::{Identity, State};
use crate::schema::{IDENTITY_KEY, STATE_KEY, cf, sequence_key};
use crate::write::{self, Change, Relocation, StoredDocument};

/// What happened to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentChange {
    Added,
    /// It has new content, or is described otherwise.
    Replaced,
    Deleted,
}

/// Called after each change, once it is durable and searches see it. Other changes wait for it, so it must not use the collection.
pub type Observer = Box<dyn Fn(DocumentId, DocumentChange) + Send + Sync>;

impl LocalCollection {
    /// Notifies an observer of every change from now on. A collection has one at most: `false` if it has one already.
    pub fn observe(&self, observer: Observer) -> bool {
        self.observer.set(observer).is_ok()
    }

    /// Inserts a document, or replaces the one with the same id, in one step: readers see the old one or the new one. Durable
    /// when it returns; searches see it from then on.
    ///
    /// Errors: [`ErrorCode::ModelMismatch`] where another model made the vectors; [`ErrorCode::AlreadyExists`] where the path
    /// belongs to a document with another id; [`ErrorCode::Internal`] where the document breaks an invariant. The whole
    /// document is held in memory twice meanwhile.
    pub fn put_document(&self, document: &StoredDocument) -> Result<()> {
        self.check(document)?;
        self.put_together(&mut self.writer(), &[document])
    }

    /// As [`put_document`](Self::put_document) for each of these documents in order, but many in one step, which costs little more than one
    /// document does: a crash leaves all of them or none. What became of each; one that is refused changes nothing for the others.
    pub fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>> {
        let mut results: Vec<Result<()>> = documents.iter().map(|document| self.check(document)).collect();
        let fit = documents.iter().copied().zip(&mut results).filter(|(_, result)| result.is_ok());
        let mut fit: Vec<(&StoredDocument, &mut Result<()>)> = fit.collect();
        let (mut rest, mut state) = (fit.as_mut_slice(), self.writer());
        while !rest.is_empty() {
            // Where that cannot be told, the document alone says why.
            let count = write::independent(&self.truth.reader(), rest.iter().map(|(document, _)| *document));
            let (group, others) = rest.split_at_mut(count.unwrap_or_default().max(1));
            rest = others;
            let together: Vec<&StoredDocument> = group.iter().map(|(document, _)| *document).collect();
            if self.put_together(&mut state, &together).is_err() {
                for (document, result) in group {
                    **result = self.put_together(&mut state, &[*document]);
                }
            }
        }
        results
    }

    fn put_together(&self, state: &mut State, documents: &[&StoredDocument]) -> Result<()> {
        let change = tracing::debug_span!("encode").in_scope(|| write::put(&self.truth.reader(), documents, state))?;
        self.commit(state, change)
    }

    /// Refuses a document that does not fit into the collection.
    fn check(&self, document: &StoredDocument) -> Result<()> {
        write::check_fits(document, self.models())
    }

    /// Deletes a document with everything that belongs to it; `false` where there is none with this id. Durable when it returns.
    pub fn delete_document(&self, id: DocumentId) -> Result<bool> {
        let mut state = self.writer();
        match write::delete(&self.truth.reader(), id, &state)? {
            Some(change) => self.commit(&mut state, change).map(|()| true),
            None => Ok(false),
        }
    }

    /// Gives documents new paths and names in one step; they may take each other's paths. Nothing else of them changes. Durable when
    /// it returns. Costs the keyword index the chunks of each document that has another name, about 10 ms for 100 of them. The caller renames copies of originals, whose names have the extension of the path.
    ///
    /// Errors: [`ErrorCode::AlreadyExists`] where a path belongs to a document that is not moved away, [`ErrorCode::NotFound`]
    /// where one of the documents is gone. Nothing is changed then.
    pub fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()> {
        if relocations.is_empty() {
            return Ok(());
        }
        let mut state = self.writer();
        let change = write::relocate(&self.truth.reader(), relocations, &state)?;
        self.commit(&mut state, change)?;
        self.relocated.note(state.last_seq, relocations);
        self.catalogue.forget();
        relocations.iter().for_each(|relocation| self.notify(relocation.document, DocumentChange::Replaced));
        Ok(())
    }

    /// Changes the marks of documents in one step, in which nobody else changes them: `change` is given those of each document that is
    /// there. Where it fails, nothing is changed. How many documents have other marks now. Durable when it returns.
    pub fn change_marks(
        &self,
        documents: &[DocumentId],
        change: impl Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        let mut state = self.writer();
        let (written, changed) = write::mark(&self.truth.reader(), documents, &change, &state)?;
        if let Some(written) = written {
            self.commit(&mut state, written)?;
            self.catalogue.forget();
            changed.iter().for_each(|document| self.notify(*document, DocumentChange::Replaced));
        }
        Ok(changed.len() as u64)
    }

    fn commit(&self, state: &mut State, change: Change) -> Result<()> {
        tracing::debug_span!("write").in_scope(|| self.truth.write_durably(change.batch))?;
        let before = std::mem::replace(state, change.state);
        let mut committed = false;
        for (seq, op) in (before.last_seq + 1..).zip(&change.ops) {
            self.relocated.forget(op);
            self.slots.write().unwrap_or_else(PoisonError::into_inner).apply(op);
            let then = State { last_seq: seq, ..*state };
            for index in self.indexes.all() {
                committed |= self.with_origin(&then, |origin| index.follow(op, origin));
            }
        }
        if committed && let Err(error) = self.trim_log(state) {
            tracing::warn!(%error, "the operation log was not trimmed; it will be at the next flush");
        }
        for op in change.ops.iter().filter(|op| op.as_renamed().is_none()) {
            match (&op.removed, &op.added) {
                (None, Some(added)) => self.notify(added.document, DocumentChange::Added),
                (Some(_), Some(added)) => self.notify(added.document, DocumentChange::Replaced),
                (Some(removed), None) => self.notify(removed.document, DocumentChange::Deleted),
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn notify(&self, document: DocumentId, change: DocumentChange) {
        if let Some(observer) = self.observer.get() {
            observer(document, change);
        }
    }

    /// Forgets log entries that all indexes have on disk.
    fn trim_log(&self, state: &mut State) -> Result<()> {
        let durable = self.indexes.durable();
        if durable <= state.trimmed_seq {
            return Ok(());
        }
        let trimmed = State { trimmed_seq: durable, ..*state };
        let mut batch = self.truth.batch();
        let (from, to) = (sequence_key(state.trimmed_seq + 1), sequence_key(durable + 1));
        batch.delete_range(cf::OPLOG, from, to)?;
        batch.put(cf::META, STATE_KEY, trimmed.encode()?)?;
        self.truth.write_lazily(batch)?;
        *state = trimmed;
        Ok(())
    }

    /// Saves the derived indexes and reclaims what deletions left in them, so that the next open has little to catch up.
    pub fn flush(&self) -> Result<()> {
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.settle(origin))?;
        }
        self.trim_log(&mut state)?;
        self.truth.settle()?;
        self.note_seen(&state);
        Ok(())
    }

    /// Rebuilds all derived indexes from the stored documents, at about a thousand chunks a second.
    pub fn rebuild_indexes(&self) -> Result<()> {
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.rebuild(origin))?;
        }
        self.trim_log(&mut state)
    }

    /// Saves the derived indexes and rebuilds those that hold deleted chunks.
    pub(crate) fn rid_indexes_of_deleted(&self) -> Result<()> {
        let mut state = self.writer();
        for index in self.indexes.all() {
            self.with_origin(&state, |origin| index.rid_of_deleted(origin))?;
        }
        self.trim_log(&mut state)
    }

    /// Gives the collection another name, reference, type or state; its id stays. Durable when it returns. After a crash,
    /// [`open`](Self::open) finds the old description or the new one.
    pub fn describe(&mut self, meta: CollectionMeta) -> Result<()> {
        if meta.id != self.meta().id {
            return Err(Error::internal(format!("Collection {} cannot become {}.", self.meta().id, meta.id)));
        }
        self.rewrite_manifest(Manifest { collection: meta, ..self.manifest.clone() })
    }

    /// Notes of a new collection that nobody chose its models: others may take their place as long as it is empty. Durable when it returns.
    pub fn leave_models_open(&mut self) -> Result<()> {
        self.rewrite_manifest(Manifest { models_open: true, ..self.manifest.clone() })
    }

    fn rewrite_manifest(&mut self, manifest: Manifest) -> Result<()> {
        // This copy prevails where they differ (`Manifest::reconcile`).
        manifest.keep(&self.truth)?;
        manifest.write(&self.dir, self.truth.seal())?;
        self.manifest = manifest;
        Ok(())
    }

    /// Gives a collection without a learned-sparse model one, for documents that are stored from now on. Durable when it returns.
    ///
    /// Errors: [`ErrorCode::ModelMismatch`] where the collection has another one.
    pub fn adopt_sparse_model(&mut self, model: &str) -> Result<()> {
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
}
