use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, Result, Timestamp};
use serde_json::Value;

use crate::manifest::VectorModels;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    /// Chunks that have a learned-sparse vector; the others are not found by [`SearchChunks::search_sparse`](super::SearchChunks::search_sparse).
    pub sparse_chunks: u64,
    /// Documents that have annotations; the others were stored without analysis.
    pub annotated_documents: u64,
    pub token_chunks: u64,
}

/// Describes a collection, and keeps what belongs to it as a whole.
pub trait DescribeCollection {
    fn meta(&self) -> &CollectionMeta;

    fn models(&self) -> &VectorModels;

    /// True if the models were not chosen by a user; see [`leave_models_open`](Self::leave_models_open).
    fn models_are_open(&self) -> bool;

    /// Gives the collection another name, reference, type or state; its id stays. Durable when it returns.
    fn describe(&mut self, meta: CollectionMeta) -> Result<()>;

    /// Notes that the models of a new collection were not chosen by a user: others may replace them as long as it is
    /// empty.
    fn leave_models_open(&mut self) -> Result<()>;

    /// Gives a collection without a learned-sparse model one, for documents that are stored from now on. Errors:
    /// `ModelMismatch` if it has another one.
    fn adopt_sparse_model(&mut self, model: &str) -> Result<()>;

    /// The columns that [`set_columns`](Self::set_columns) was given last; `None` if there are none. Exports hold them.
    fn columns(&self) -> Result<Option<Value>>;

    /// Replaces all columns of the matter sheet. Their meaning is up to the caller.
    fn set_columns(&self, columns: &Value) -> Result<()>;

    /// The evidence that users collected; an empty tray if there is none. Exports hold it.
    fn evidence(&self) -> Result<EvidenceTray>;

    /// See [`Collection::change_evidence`](crate::Collection::change_evidence). `change` is called once at most.
    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()>;

    /// True if a change could not be written. The collection takes changes again after it is closed and opened.
    fn has_failed(&self) -> bool;

    /// True if its description and models are those that were read when it was opened. If others changed them since, it must be opened again.
    fn is_current(&self) -> Result<bool> {
        Ok(true)
    }

    fn counts(&self) -> Result<Counts>;

    /// The counts, and when a document was last added, changed or removed; `None` if none was.
    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)>;

    /// Bytes that the caller derived from the documents and kept under a name, to spare itself the work. A store may
    /// lose them, and need not keep any. Exports leave them out.
    fn memo(&self, _name: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Keeps bytes under a name and replaces those that had it. A power failure may lose them.
    fn keep_memo(&self, _name: &str, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    /// The bytes that [`set_note`](Self::set_note) was given last under a name: what the caller records and cannot derive again. Exports leave
    /// them out. A store on a server keeps them on this machine.
    fn note(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// Records bytes under a name and replaces those that had it. Durable when it returns.
    fn set_note(&self, name: &str, bytes: &[u8]) -> Result<()>;
}
