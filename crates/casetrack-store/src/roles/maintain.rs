//! Upkeep of a collection.

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, DocumentId, DocumentMeta, Result};
use serde_json::Value;

use super::describe::Counts;
use crate::manifest::VectorModels;
use crate::originals::OriginalFile;
use crate::verify::VerifyReport;
use crate::write::StoredDocument;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    pub name: &'static str,
    /// True if it has followed every change and can be searched.
    pub in_step: bool,
    /// Changes that it has yet to follow.
    pub behind: u64,
}

/// Bytes on disk by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskUsage {
    pub truth: u64,
    pub dense: u64,
    pub bm25: u64,
    pub sparse: u64,
    /// Copies of source files.
    pub originals: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    pub counts: Counts,
    /// Tables of RocksDB by column family, in the order of the schema.
    pub families: Vec<(&'static str, u64)>,
    /// RocksDB's write-ahead log and its lists of files.
    pub rocksdb_other: u64,
    /// The derived indexes by name.
    pub indexes: Vec<(&'static str, u64)>,
    pub originals: u64,
    /// Files and records that repairs took out.
    pub quarantine: u64,
}

impl Stats {
    /// The bytes of documents and indexes, which grow with the chunks.
    pub fn stored_bytes(&self) -> u64 {
        self.families.iter().chain(&self.indexes).map(|(_, bytes)| bytes).sum::<u64>() + self.rocksdb_other
    }

    pub fn total_bytes(&self) -> u64 {
        self.stored_bytes() + self.originals + self.quarantine
    }
}

pub trait CollectionSnapshot {
    fn meta(&self) -> &CollectionMeta;

    fn models(&self) -> &VectorModels;

    fn counts(&self) -> Result<(u64, u64, u64)>;

    fn columns(&self) -> Result<Option<Value>>;

    fn evidence(&self) -> Result<EvidenceTray>;

    /// All documents, in the order in which they were stored.
    fn documents(&self) -> Result<Vec<DocumentId>>;

    /// A document with everything that is stored of it, which can be stored again.
    fn whole(&self, id: DocumentId) -> Result<StoredDocument>;

    /// The copy of a document's source file; `None` if copies are left out.
    fn original(&self, meta: &DocumentMeta) -> Option<OriginalFile>;
}

pub trait MaintainCollection {
    /// The progress of the indexes that are derived from the documents.
    fn index_progress(&self) -> Result<Vec<IndexProgress>>;

    fn disk_usage(&self) -> Result<DiskUsage>;

    fn stats(&self) -> Result<Stats>;

    /// Does the work that the store leaves for later, so that the next opening is quick.
    fn flush(&self) -> Result<()>;

    /// Makes the indexes that are derived from the documents again.
    fn rebuild_indexes(&self) -> Result<()>;

    /// Gives back the space of documents that were deleted or replaced. Searches continue during this.
    fn compact(&self) -> Result<()>;

    /// Checks every invariant on everything stored. Problems are in the report; an error means that checking was not possible.
    fn verify(&self) -> Result<VerifyReport>;

    /// The collection as of this moment, for an archive; with the copies of source files if `originals`.
    fn snapshot(&self, originals: bool) -> Result<Box<dyn CollectionSnapshot + '_>>;
}
