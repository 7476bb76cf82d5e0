//! Changes of documents.

use casetrack_core::marks::Marks;
use casetrack_core::{DocumentId, Result};

use crate::write::{Relocation, StoredDocument};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentChange {
    Added,
    /// It has new content or a new description.
    Replaced,
    Deleted,
}

/// Called after each change, once it is durable and searches see it. Other changes wait for it, so it must not use the collection.
pub type Observer = Box<dyn Fn(DocumentId, DocumentChange) + Send + Sync>;

/// Changes documents. Any number of threads may read during this; further changes wait.
pub trait ChangeDocuments {
    /// Notifies an observer of every change from now on. A collection has one at most: `false` if it has one already.
    fn observe(&self, observer: Observer) -> bool;

    /// Inserts a document, or replaces the one with the same id, in one step. Durable when it returns; searches see it
    /// from then on. Errors: `ModelMismatch` if another model made the vectors; `AlreadyExists` if the path belongs to
    /// a document with another id; `Internal` if the document breaks an invariant. Nothing is changed then.
    fn put_document(&self, document: &StoredDocument) -> Result<()>;

    /// As [`put_document`](Self::put_document) for each of these documents in order, in as few steps as the store can.
    /// Returns a result for each; one that is refused changes nothing for the others.
    fn put_documents(&self, documents: &[&StoredDocument]) -> Vec<Result<()>>;

    /// Deletes a document with everything that belongs to it; `false` if there is none with this id. Durable when it returns.
    fn delete_document(&self, id: DocumentId) -> Result<bool>;

    /// Gives documents new paths and names in one step; they may take each other's paths. Nothing else of them changes.
    /// Errors: `AlreadyExists` if a path belongs to a document that is not moved away, `NotFound` if one of the
    /// documents is gone. Nothing is changed then.
    fn relocate_documents(&self, relocations: &[Relocation]) -> Result<()>;

    /// See [`Collection::change_marks`](crate::Collection::change_marks).
    fn update_marks(
        &self,
        documents: &[DocumentId],
        change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64>;
}
