//! Stores of collections, and an open collection of any of them.
//!
//! [`CollectionStore`] is one open collection, [`Store`] makes, finds and opens them. Those on disk are
//! [`LocalCollection`] and `Registry`. casetrack-conformance tests the promises of every store; any store runs it over
//! itself.
//!
//! A store keeps these promises:
//!
//! - **Whole documents.** A document is stored, replaced and deleted in one step. No reader and no search sees a part of one, and after a
//!   crash it is as it was before or as it is after.
//! - **Durable.** A change that has returned is there when the collection is opened later, and searches see it from then on.
//! - **Verbatim.** Reading returns what was stored, except for vectors, which are rounded to half precision, and learned-sparse vectors,
//!   which are quantised (see [`SparseVector`]). A document that breaks an invariant of ARCHITECTURE.md is refused.
//! - **Stable.** Ids of documents and chunks are the caller's. Documents have an order, in which they were stored. One that is stored
//!   again is the last.
//! - **The same ranking.** Searches return what [`LocalCollection`] returns: the same chunks in the same order, with scores that differ by
//!   1e-5 at most. Dense search of many vectors may be approximate.
//! - **Apart.** Nothing of a collection is in an answer, an error or a count of another.

mod shared_store;

use std::ops::{Deref, DerefMut};
use std::path::Path;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::marks::Marks;
use casetrack_core::{Chunk, CollectionId, CollectionMeta, DocumentId, Error, Result, Timestamp};
use casetrack_keyword::Bm25Query;

use crate::archive::{Archive, Encryption, ExportOptions, ExportReport, export};
#[cfg(doc)]
use crate::collection::LocalCollection;
use crate::manifest::VectorModels;
#[cfg(doc)]
use crate::records::sparse_vector::SparseVector;
use crate::roles::{CollectionStore, Counts, Filter, Hit};

pub use shared_store::{Database, Lease, Right, SharedStore, StoreChange, Subscription, WorkCounts, WorkFilter};

/// An open collection of any store, with the methods of its [`CollectionStore`] and others that are made of them.
pub struct Collection(Box<dyn CollectionStore>);

/// A place that keeps collections.
pub trait Store: Send + Sync {
    /// The collections that can be read, oldest first, and the problems of the others. Opens none.
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)>;

    /// The collections that can be read, oldest first. Others are logged as warnings; see [`scan`](Self::scan).
    fn list(&self) -> Result<Vec<CollectionMeta>> {
        let (collections, problems) = self.scan()?;
        for problem in problems {
            tracing::warn!(problem = %problem.full_text().replace("\n\n", " "), "a collection cannot be read");
        }
        Ok(collections)
    }

    /// The description of a collection, without opening it. Errors: `NotFound`.
    fn meta(&self, id: CollectionId) -> Result<CollectionMeta>;

    /// The counts of a collection, and when a document was last added, changed or removed, even if it is open elsewhere.
    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)>;

    /// Makes an empty collection and opens it. A crash leaves all of it or nothing. Errors: `AlreadyExists`.
    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection>;

    /// Opens a collection. Errors: `NotFound`; `InUse` if it is open and the store lets only one open it;
    /// `NewerSchema`; `Corrupt`.
    fn open_collection(&self, id: CollectionId) -> Result<Collection>;

    /// Makes a collection of everything in an archive, under the id and name of `meta`, and opens it. Documents keep
    /// their ids and their order. An archive that is refused leaves nothing.
    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection>;

    /// Removes a collection that is not open, with everything in it. Errors: `NotFound`, `InUse`.
    fn delete(&self, id: CollectionId) -> Result<()>;

    /// A collection of these models that stays hidden until it is filled and [`publish`](Self::publish)ed: one that an
    /// earlier call began, or an empty one. It outlives the process, and is found by no other method of the store.
    /// Errors: `AlreadyExists` if there is a visible collection with this id; `InUse` if another fills it and the store
    /// lets only one do so.
    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection>;

    /// Shows a collection that was prepared and is not open, in one step, with everything in it. Errors: `NotFound`;
    /// `AlreadyExists`.
    fn publish(&self, id: CollectionId) -> Result<()>;

    /// Removes a collection that was prepared and is not open; `false` if there is none.
    fn discard(&self, id: CollectionId) -> Result<bool>;
}

impl<S: CollectionStore + 'static> From<S> for Collection {
    fn from(store: S) -> Self {
        Self(Box::new(store))
    }
}

impl Deref for Collection {
    type Target = dyn CollectionStore;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Collection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

impl Collection {
    /// The best `k` chunks by BM25, best first, equal scores by age of the chunk. Sees every change that has returned.
    pub fn search_bm25(&self, query: impl Into<Bm25Query>, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        self.search_keywords(query.into(), k, filter)
    }

    pub fn chunks(&self, document: DocumentId) -> Result<Vec<Chunk>> {
        self.chunk_range(document, 0..u32::MAX)
    }

    /// Changes the marks of documents in one step, in which no one else changes them: `change` gets the marks of each
    /// document that is there. If it fails, nothing is changed. Returns the number of documents that have other marks
    /// now. Durable when it returns.
    pub fn change_marks(
        &self,
        documents: &[DocumentId],
        change: impl Fn(DocumentId, &mut Marks) -> Result<()>,
    ) -> Result<u64> {
        self.update_marks(documents, &change)
    }

    /// Changes the evidence in one step, in which no one else changes it. If `change` fails, nothing is changed.
    /// Durable when it returns.
    pub fn change_evidence<T>(&self, change: impl FnOnce(&mut EvidenceTray) -> Result<T>) -> Result<T> {
        let (mut change, mut changed) = (Some(change), None);
        self.update_evidence(&mut |tray| {
            let change = change.take().ok_or_else(|| Error::internal("The evidence was changed twice."))?;
            changed = Some(change(tray)?);
            Ok(())
        })?;
        changed.ok_or_else(|| Error::internal("The evidence was not changed."))
    }

    /// Writes the collection as of this moment into one file, which appears whole or not at all. Changes during this
    /// are not in it. One document at a time is held in memory. Errors: `AlreadyExists` if the file exists; `Corrupt`
    /// if a document is damaged, so that every archive that was written can be imported.
    pub fn export(&self, target: &Path, options: &ExportOptions) -> Result<ExportReport> {
        export(target, options, None, || self.snapshot(options.originals))
    }

    /// As [`export`](Self::export), encrypted on the way: nothing plain is written.
    pub fn export_encrypted(
        &self,
        target: &Path,
        options: &ExportOptions,
        encryption: &Encryption,
    ) -> Result<ExportReport> {
        export(target, options, Some(encryption), || self.snapshot(options.originals))
    }
}
