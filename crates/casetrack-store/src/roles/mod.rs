//! The roles of an open collection, in any store: it is described, read, searched, changed and maintained, and it keeps files.

mod change;
mod describe;
mod files;
mod maintain;
mod passages;
mod read;
mod search;
mod selection;

pub use change::{ChangeDocuments, DocumentChange, Observer};
pub use describe::{Counts, DescribeCollection};
pub use files::CollectionFiles;
pub use maintain::{CollectionSnapshot, DiskUsage, IndexProgress, MaintainCollection, Stats};
pub use passages::{DescribedDocument, PageFacts, Passage, PassageSource, Passages, VisitChunk};
pub use read::{CatalogueEntry, ReadDocuments};
pub use search::{Filter, Hit, SearchChunks, VisitLexicon};
pub use selection::{Conditions, PagePlace, PageTest, Selection};

/// An open collection. Any number of threads may read and search while one changes documents; further changes wait.
pub trait CollectionStore:
    DescribeCollection + ReadDocuments + SearchChunks + ChangeDocuments + MaintainCollection + CollectionFiles + Send + Sync
{
}

impl<S> CollectionStore for S where
    S: DescribeCollection
        + ReadDocuments
        + SearchChunks
        + ChangeDocuments
        + MaintainCollection
        + CollectionFiles
        + Send
        + Sync
{
}
