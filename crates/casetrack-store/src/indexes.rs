//! The derived indexes of a collection: the one list of them, and the operations on all of them.

use std::path::Path;
use std::sync::Arc;

use casetrack_core::{Error, ErrorKind, Result};

use crate::bm25::Bm25Index;
use crate::dense::DenseIndex;
use crate::derived_index::{DerivedIndex, Handle, Origin};
use crate::records::{Identity, Op};
use crate::seal::Seal;
use crate::sparse::SparseIndex;
use crate::verify::{self, Check};

/// All of them.
pub(crate) struct Indexes {
    pub bm25: Handle<Bm25Index>,
    pub dense: Handle<DenseIndex>,
    pub sparse: Handle<SparseIndex>,
}

impl Indexes {
    /// Directories of the indexes in a collection's.
    pub const BM25: &'static str = "bm25";
    pub const DENSE: &'static str = "dense";
    pub const SPARSE: &'static str = "sparse";
    /// They can be removed while the collection is not open.
    pub const DIRECTORIES: [&'static str; 3] = [Self::DENSE, Self::BM25, Self::SPARSE];

    /// `saves` is false on a full disk: the indexes then follow in memory.
    pub fn open(dir: &Path, identity: &Identity, seal: &Seal, saves: bool) -> Result<Self> {
        Ok(Self {
            bm25: Handle::open(dir.join(Self::BM25), identity, seal, saves)?,
            dense: Handle::open(dir.join(Self::DENSE), identity, seal, saves)?,
            sparse: Handle::open(dir.join(Self::SPARSE), identity, seal, saves)?,
        })
    }

    pub fn all(&self) -> [&dyn IndexHandle; 3] {
        [&self.bm25, &self.dense, &self.sparse]
    }

    /// The last log entry that all have on disk.
    pub fn durable(&self) -> u64 {
        self.all().iter().map(|index| index.durable()).min().unwrap_or_default()
    }
}

/// An index that is kept in step with the documents. When a call fails, the index is marked, and the next call reopens
/// it from its last commit and catches up.
pub(crate) trait IndexHandle {
    fn name(&self) -> &'static str;
    /// True if it could follow every change so far; otherwise it is reopened at its next use.
    fn is_usable(&self) -> bool;
    fn applied(&self) -> u64;
    fn durable(&self) -> u64;

    fn catch_up(&self, origin: Origin<'_>) -> Result<()>;

    /// Applies a committed change, the last one of `origin`; true if the index was committed. A failure is not the
    /// document's: the next use reports any remaining problem.
    fn follow(&self, op: &Op, origin: Origin<'_>) -> bool;

    fn recover(&self, origin: Origin<'_>) -> Result<()>;

    fn settle(&self, origin: Origin<'_>) -> Result<()>;

    /// Saves it, and rebuilds it if it still holds deleted chunks.
    fn rid_of_deleted(&self, origin: Origin<'_>) -> Result<()>;

    fn rebuild(&self, origin: Origin<'_>) -> Result<()>;

    fn check(&self, origin: Origin<'_>) -> Result<Check>;
}

impl<I: DerivedIndex> IndexHandle for Handle<I> {
    fn name(&self) -> &'static str {
        I::NAME
    }

    fn is_usable(&self) -> bool {
        !self.has_failed()
    }

    fn applied(&self) -> u64 {
        self.get().applied()
    }

    fn durable(&self) -> u64 {
        self.get().durable()
    }

    fn catch_up(&self, origin: Origin<'_>) -> Result<()> {
        self.get().catch_up(origin)
    }

    fn follow(&self, op: &Op, origin: Origin<'_>) -> bool {
        if self.has_failed() {
            return false;
        }
        let _span = tracing::debug_span!("follow", index = I::NAME).entered();
        let follow = |index: Arc<I>| {
            index.apply(origin.state.last_seq, op, origin)?;
            let wanted = index.wants_commit();
            if wanted {
                tracing::debug_span!("save", index = I::NAME).in_scope(|| index.commit())?;
            }
            Ok::<_, Error>(wanted)
        };
        follow(self.get()).unwrap_or_else(|error| {
            tracing::error!(index = I::NAME, %error, "an index could not apply a change; it is reopened at the next use");
            self.set_failed();
            false
        })
    }

    fn recover(&self, origin: Origin<'_>) -> Result<()> {
        if !self.has_failed() {
            return Ok(());
        }
        self.reopen(origin.identity)?;
        self.catch_up(origin).inspect_err(|_| self.set_failed())
    }

    fn settle(&self, origin: Origin<'_>) -> Result<()> {
        let settle = || {
            self.recover(origin)?;
            let index = self.get();
            let settled = index.commit().and_then(|()| index.compact(origin));
            settled.inspect_err(|_| self.set_failed())
        };
        match settle() {
            Err(error) if error.kind() == ErrorKind::Corruption && self.is_in_place() => {
                tracing::warn!(index = I::NAME, %error, "an index could not be saved; it is reopened");
                settle()
            }
            settled => settled,
        }
    }

    fn rid_of_deleted(&self, origin: Origin<'_>) -> Result<()> {
        self.settle(origin)?;
        if self.get().holds_deleted()? { self.rebuild(origin) } else { Ok(()) }
    }

    fn rebuild(&self, origin: Origin<'_>) -> Result<()> {
        self.recover(origin)?;
        let rebuilt = self.get().rebuild(origin);
        rebuilt.inspect_err(|_| self.set_failed())
    }

    fn check(&self, origin: Origin<'_>) -> Result<Check> {
        self.recover(origin)?;
        verify::index(self.get().as_ref(), origin)
    }
}

/// Calls an index that has followed every change. If it fails, for example because its files were removed, it is
/// reopened (`recover`) and called again.
pub(crate) fn ask<I: DerivedIndex, T>(
    handle: &Handle<I>,
    recover: impl Fn() -> Result<()>,
    question: impl Fn(&I) -> Result<T>,
) -> Result<T> {
    let current = || {
        if handle.has_failed() {
            recover()?;
        }
        Ok::<_, Error>(handle.get())
    };
    match question(current()?.as_ref()) {
        Err(error) if matches!(error.kind(), ErrorKind::Corruption | ErrorKind::Environment) => {
            tracing::warn!(index = I::NAME, %error, "a search failed; the index is reopened");
            handle.set_failed();
            question(current()?.as_ref())
        }
        answer => answer,
    }
}
