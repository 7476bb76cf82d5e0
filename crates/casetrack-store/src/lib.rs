//! Collections: what the engine needs of a store ([`CollectionStore`], [`Store`]), and the store on disk.
//!
//! A [`LocalCollection`] is one directory:
//!
//! | path | content |
//! |---|---|
//! | `collection.json` | name, schema version, models; readable without opening anything |
//! | `columns.json` | the columns that users define for the matter sheet, if there are any |
//! | `rocksdb/` | the truth: documents, pages, chunks, vectors, annotations and the operation log ([`schema`]) |
//! | `dense/` | HNSW graph over the vectors (usearch), derived |
//! | `bm25/` | inverted index over the texts (tantivy), derived |
//! | `sparse/` | inverted index over the learned-sparse vectors, derived |
//! | `originals/` | copies of source files, if users want them |
//! | `backup-schema-<n>/` | the state before a migration from schema n, until the next time the collection is opened |
//! | `quarantine/` | data that a repair took out, by time |
//! | `owned/` | files about the collection from outside of it, for a moment after it was moved into a vault or out of it |
//! | `owner.lock` | locked by the process that has the collection open |
//!
//! A vault ([`LocalCollection::create_vault`]) has the same directories. `vault.header` and its copy hold the slots
//! that open it, `collection.sealed` replaces `collection.json`, and all files and values that the store writes are
//! sealed (docs/dev/vault-formats.md). Names of files and directories, times, sizes, and random ids in keys are not.
//!
//! The [`Registry`] finds the collections of a data directory.
//!
//! # How a change is stored
//!
//! 1. The document is checked against the invariants (ARCHITECTURE.md); one that breaks them is refused.
//! 2. Everything it consists of, an entry of the operation log and the counters go into RocksDB as one batch, and the log is
//!    synced. From here on the change is durable and readers see it, whole.
//! 3. The derived indexes apply the log entry in memory. They are saved now and then, each atomically with the number of the
//!    last entry it contains, and entries that all of them have on disk are dropped from the log.
//!
//! Whatever happens between these steps, the next [`LocalCollection::open`] brings the derived indexes to the end of
//! the log, or rebuilds them when they are missing, damaged or too far behind. A new derived index implements one trait
//! (`derived_index::DerivedIndex`) and gets all of this.
//!
//! # What a search sees
//!
//! Every change that has returned. Indexes answer with slots (see [`schema`]); a slot that RocksDB no longer has is
//! dropped, so nothing is returned that cannot be read and cited.

mod archive;
mod batch;
mod bm25;
mod codec;
mod collection;
mod complete;
mod dense;
mod derived_index;
mod error;
mod external;
mod fair_lock;
mod files;
mod fs;
mod indexes;
mod invariants;
mod lists;
mod load;
mod lock;
mod manifest;
mod migrate;
mod originals;
pub mod parts;
mod reader;
mod records;
mod registry;
mod repair;
mod reseal;
mod roles;
pub mod schema;
mod seal;
mod slots;
mod sparse;
mod store;
mod top_k;
mod truth;
mod value_cache;
mod vault;
mod vault_state;
mod verify;
mod wipe;
mod write;

pub use archive::{Archive, ArchiveKey, ArchiveManifest, Encryption, ExportOptions, ExportReport, archive_lock};
pub use bm25::{Expression, WordConditions, Words};
pub use casetrack_keyword::{
    Bm25Query, CONTEXT_WEIGHT, Correction, DensityReader, Lexicon, MAX_QUERY_BYTES, MAX_QUERY_TERMS, NameMatch,
    TermWeights, TextField, language_mark,
};
pub use collection::LocalCollection;
pub use external::owner;
pub use fs::{make_private, write_atomically};
pub use manifest::VectorModels;
pub use records::sparse_vector::SparseVector;
pub use records::{ChunkSpan, TokenModel};
pub use registry::{Moving, Owned, Registry, Resealed, Space, had_a_vault, note_vault};
pub use repair::{LostDocument, RepairReport};
pub use reseal::{ResealProgress, Rewritten, Waiting};
pub use roles::{
    CatalogueEntry, ChangeDocuments, CollectionFiles, CollectionSnapshot, CollectionStore, Conditions, Counts,
    DescribeCollection, DescribedDocument, DiskUsage, DocumentChange, Filter, Hit, IndexProgress, MaintainCollection,
    Observer, PageFacts, PageTest, Passage, PassageSource, Passages, ReadDocuments, SearchChunks, Selection, Stats,
    VisitLexicon,
};
pub use seal::Output;
pub use store::{
    Collection, Database, Lease, Right, SharedStore, Store, StoreChange, Subscription, WorkCounts, WorkFilter,
};
pub use vault::locked;
pub use verify::{Check, VerifyReport};
pub use wipe::{Wiped, wipe_content, wipe_file, write_over};
pub use write::{Relocation, StoredDocument};
