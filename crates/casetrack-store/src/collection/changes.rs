//! Changing documents, and keeping the derived indexes in step.

use std::sync::PoisonError;

use casetrack_core::marks::Marks;
use casetrack_core::{DocumentId, Result};

use super::LocalCollection;
use crate::records::State;
use crate::roles::{ChangeDocuments, DescribeCollection, DocumentChange, Observer};
use crate::schema::{STATE_KEY, cf, sequence_key};
use crate::write::{self, Change, Relocation, StoredDocument};

impl ChangeDocuments for LocalCollection {
    fn observe(&self, observer: Observer) -> bool {
        self.observer.set(observer).is_ok()
    }

    fn put_document(&self, document: &StoredDocument) -> Result<()> {
        self.check(document)?;
        self.put_together(&mut self.writer(), &[document])
    }

    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>> {
        let mut results: Vec<Result<()>> = documents.iter().map(|document| self.check(document)).collect();
        let fit = documents.iter().copied().zip(&mut results).filter(|(_, result)| result.is_ok());
        let mut fit: Vec<(&StoredDocument, &mut Result<()>)> = fit.collect();
        let (mut rest, mut state) = (fit.as_mut_slice(), self.writer());
        while !rest.is_empty() {
            // If that cannot be found, only the document's own store reports the reason.
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

    fn delete_document(&self, id: DocumentId) -> Result<bool> {
        let mut state = self.writer();
        match write::delete(&self.truth.reader(), id, &state)? {
            Some(change) => self.commit(&mut state, change).map(|()| true),
            None => Ok(false),
        }
    }

    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()> {
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

    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        let mut state = self.writer();
        let (written, changed) = write::mark(&self.truth.reader(), documents, change, &state)?;
        if let Some(written) = written {
            self.commit(&mut state, written)?;
            self.catalogue.forget();
            changed.iter().for_each(|document| self.notify(*document, DocumentChange::Replaced));
        }
        Ok(changed.len() as u64)
    }
}

impl LocalCollection {
    fn put_together(&self, state: &mut State, documents: &[&StoredDocument]) -> Result<()> {
        let change = tracing::debug_span!("encode").in_scope(|| write::put(&self.truth.reader(), documents, state))?;
        self.commit(state, change)
    }

    fn check(&self, document: &StoredDocument) -> Result<()> {
        write::check_fits(document, self.models())
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
    pub(super) fn trim_log(&self, state: &mut State) -> Result<()> {
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
}
