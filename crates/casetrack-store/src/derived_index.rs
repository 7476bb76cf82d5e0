//! The common part of the derived indexes: how they follow the operation log, and recover from failures.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use casetrack_core::{ErrorCode, Result};
use serde::de::DeserializeOwned;

use crate::reader::Reader;
use crate::records::{Identity, Op, SlotRange, State};
use crate::seal::{Seal, name_in};
use crate::slots::SlotMap;
use crate::{error, fs};

/// The origin of the indexes, as of one moment. No document is changed while it exists.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub identity: &'a Identity,
    pub state: &'a State,
    pub slots: &'a SlotMap,
    pub reader: &'a Reader<'a>,
    /// False on a full disk: the index follows in memory.
    pub saves: bool,
}

/// An index made from RocksDB that can be made again (invariant 4).
///
/// It holds the slots of all live chunks as of the log entry [`applied`](Self::applied). Methods take `&self`; an index
/// does its own locking, and searches continue while changes are applied. Changes come from one thread at a time.
pub(crate) trait DerivedIndex: Sized {
    const NAME: &'static str;

    /// Name and description of its check in a verify report.
    const CHECK: (&'static str, &'static str);

    /// Opens the index in `dir`. One that is missing, damaged or of something else is replaced by an empty one, with a
    /// warning; an error comes from the machine.
    fn open(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self>;

    /// Opens the index as [`open`](Self::open) does, and writes nothing from then on except by [`commit`](Self::commit).
    fn open_to_read(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        Self::open(dir, identity, seal)
    }

    /// The last log entry that searches see, or will see once the index has been brought up to date.
    fn applied(&self) -> u64;

    /// The last log entry that would still be applied after a crash.
    fn durable(&self) -> u64;

    fn clear(&self) -> Result<()>;

    /// Adds the chunks of a document, read from RocksDB, none of which is there yet.
    fn add(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()>;

    /// Takes away the chunks of a document. Those that are not there are skipped.
    fn remove(&self, slots: &SlotRange) -> Result<()>;

    /// Takes over the new name of a document. For indexes without names there is nothing to do.
    fn rename(&self, _: &SlotRange, _: &Reader<'_>) -> Result<()> {
        Ok(())
    }

    /// Notes that everything up to `seq` has been applied.
    fn set_applied(&self, seq: u64);

    /// True if so much has been applied since the last commit that catching up after a crash would take long.
    fn wants_commit(&self) -> bool;

    /// Makes all applied entries durable, atomically with [`applied`](Self::applied).
    fn commit(&self) -> Result<()>;

    /// Reclaims the space of deletions if it is worth it. Called after a commit.
    fn compact(&self, origin: Origin<'_>) -> Result<()>;

    /// True if deleted chunks still take space, those too few for [`compact`](Self::compact) included.
    fn holds_deleted(&self) -> Result<bool>;

    /// Releases files and locks, so that another instance can be opened on the same directory.
    fn close(&self);

    /// Problems found by comparing the index with the slots that are live, in words.
    fn check(&self, slots: &SlotMap, reader: &Reader<'_>) -> Result<Vec<String>>;

    /// Applies one log entry. Additions that a later entry takes away again are skipped: RocksDB no longer has them.
    fn apply(&self, seq: u64, op: &Op, origin: Origin<'_>) -> Result<()> {
        if let Some(renamed) = op.as_renamed() {
            if origin.slots.is_live(renamed) {
                self.rename(renamed, origin.reader)?;
            }
            self.set_applied(seq);
            return Ok(());
        }
        if let Some(removed) = &op.removed {
            self.remove(removed)?;
        }
        if let Some(added) = op.added.as_ref().filter(|added| origin.slots.is_live(added)) {
            self.add(added, origin.reader)?;
        }
        self.set_applied(seq);
        Ok(())
    }

    /// Brings the index to the end of the log: entry by entry, or from scratch if the log no longer has its next entry,
    /// or is behind it (RocksDB was restored from an older copy).
    fn catch_up(&self, origin: Origin<'_>) -> Result<()> {
        let State { last_seq: last, trimmed_seq, .. } = *origin.state;
        let applied = self.applied();
        if applied == last {
            return Ok(());
        }
        if applied < trimmed_seq || applied > last {
            let chunks = origin.slots.chunks();
            tracing::warn!(index = Self::NAME, applied, last, chunks, "rebuilding an index");
            return self.rebuild(origin);
        }
        tracing::info!(index = Self::NAME, applied, last, "an index catches up");
        for entry in origin.reader.ops_after(applied)? {
            let (seq, op) = entry?;
            self.apply(seq, &op, origin)?;
            if self.wants_commit() && origin.saves {
                self.commit()?;
            }
        }
        Ok(())
    }

    /// Rebuilds the index from RocksDB, in slot order, so that the result does not depend on its history.
    fn rebuild(&self, origin: Origin<'_>) -> Result<()> {
        self.clear()?;
        for range in origin.slots.ranges() {
            self.add(range, origin.reader)?;
        }
        self.set_applied(origin.state.last_seq);
        if origin.saves { self.commit() } else { Ok(()) }
    }
}

/// Name of the manifest of an index, which names its files and is replaced atomically: that is the commit.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Reads the manifest of an index. One that is missing or cannot be decoded is [`ErrorCode::Corrupt`].
pub(crate) fn read_manifest<T: DeserializeOwned>(dir: &Path, seal: &Seal) -> Result<T> {
    let json = match seal.read(&dir.join(MANIFEST), &name_in(dir, MANIFEST)) {
        Err(error) if error.code == ErrorCode::Corrupt => return Err(error::derived(dir, error)),
        Err(error) if error.code != ErrorCode::FileNotFound => return Err(error),
        json => json.map_err(|_| error::derived(dir, "it has no manifest"))?,
    };
    serde_json::from_slice(&json).map_err(|error| error::derived(dir, error))
}

pub(crate) fn write_manifest(dir: &Path, json: &[u8], seal: &Seal) -> Result<()> {
    seal.write_atomically(&dir.join(MANIFEST), &name_in(dir, MANIFEST), json)
}

/// Removes the files of an index except its manifest and those to keep. A file that cannot be removed goes at a later commit: some systems forbid it
/// while a search has the file mapped.
pub(crate) fn remove_others(dir: &Path, keep: impl Fn(&std::ffi::OsStr) -> bool) -> Result<()> {
    for entry in fs::entries(dir)? {
        let name = entry.file_name();
        if name != MANIFEST
            && !keep(&name)
            && let Err(error) = std::fs::remove_file(entry.path())
        {
            tracing::debug!(file = ?name, %error, "a file of an index that is not used any more stays for now");
        }
    }
    Ok(())
}

/// Refuses an index of another format, collection or model.
pub(crate) fn check_identity(dir: &Path, found: &str, expected: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(error::derived(dir, format!("it is marked \"{found}\", not \"{expected}\"")))
}

/// The index that `open` found in `dir`; `None`, with a warning and without the directory, if that is damaged or missing.
pub(crate) fn open_or_clear<T>(dir: &Path, index: &str, open: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    let existed = dir.exists();
    match open() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.code != ErrorCode::Corrupt => Err(error),
        Err(error) => {
            if existed {
                tracing::warn!(dir = %dir.display(), %error, "the {index} index is damaged");
            }
            fs::remove_dir(dir).map(|()| None)
        }
    }
}

/// A derived index that is reopened after a failure.
pub(crate) struct Handle<I> {
    dir: PathBuf,
    seal: Seal,
    current: RwLock<Arc<I>>,
    failed: AtomicBool,
    /// False on a full disk.
    saves: bool,
}

impl<I: DerivedIndex> Handle<I> {
    pub fn open(dir: PathBuf, identity: &Identity, seal: &Seal, saves: bool) -> Result<Self> {
        let span = tracing::debug_span!("open", index = I::NAME);
        let index = span.in_scope(|| Self::opened(&dir, identity, seal, saves))?;
        let (current, failed) = (RwLock::new(Arc::new(index)), AtomicBool::new(false));
        Ok(Self { dir, seal: seal.clone(), current, failed, saves })
    }

    fn opened(dir: &Path, identity: &Identity, seal: &Seal, saves: bool) -> Result<I> {
        if saves { I::open(dir, identity, seal) } else { I::open_to_read(dir, identity, seal) }
    }

    pub fn get(&self) -> Arc<I> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// True if a change could not be applied, so that the index has to be reopened.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    pub fn set_failed(&self) {
        self.failed.store(true, Ordering::Release);
    }

    /// True if the collection was not moved or deleted in the meantime.
    pub fn is_in_place(&self) -> bool {
        self.dir.parent().is_some_and(Path::exists)
    }

    /// Reopens the index from its last commit.
    pub fn reopen(&self, identity: &Identity) -> Result<()> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.close();
        *current = Arc::new(Self::opened(&self.dir, identity, &self.seal, self.saves)?);
        self.failed.store(false, Ordering::Release);
        Ok(())
    }
}
