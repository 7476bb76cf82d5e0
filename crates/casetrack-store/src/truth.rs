//! The RocksDB of a collection: opening, writing, copying.

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use casetrack_core::{Action, Error, ErrorCode, Result, hint};
use rocksdb::checkpoint::Checkpoint;
use rocksdb::properties::{CUR_SIZE_ALL_MEM_TABLES, ESTIMATE_NUM_KEYS};
use rocksdb::{
    BottommostLevelCompaction, ColumnFamily, CompactOptions, DB, DBPinnableSlice, DBRecoveryMode, IteratorMode,
    Options, WriteBatch, WriteOptions,
};

use crate::codec::{decode, encode};
use crate::error::{corrupt, disk_full, is_missing_file, rocks};
use crate::records::{Identity, State};
use crate::schema::{GENERATION_KEY, IDENTITY_KEY, STATE_KEY, cf};
use crate::seal::Seal;
use crate::{fs, vault};

use self::options::{family, options};

mod options;

/// Writes in memory that are worth sorting into files at a flush; reading as much of the log takes some ten milliseconds.
const SETTLE_BYTES: u64 = 8 << 20;
/// Free space, in addition to the write-ahead log, for opening a store for writing again that could only be read.
const ROOM_BYTES: u64 = 2 << 20;

/// Name of its directory.
pub(crate) const TRUTH: &str = "rocksdb";

/// The path of the RocksDB of the collection in `dir`.
pub(crate) fn truth_dir(dir: &Path) -> PathBuf {
    dir.join(TRUTH)
}

/// A key that no family has, in tables that only name their family.
const SEED_KEY: [u8; 16] = [0xff; 16];

pub(crate) type Entry = (Box<[u8]>, Box<[u8]>);

/// A value as it was put.
pub(crate) enum Value<'v> {
    /// In the memory of RocksDB.
    Stored(DBPinnableSlice<'v>),
    ValueCache(Arc<Vec<u8>>),
}

impl std::ops::Deref for Value<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Stored(value) => value,
            Self::ValueCache(value) => value,
        }
    }
}

/// The truth of a collection (invariant 4).
pub(crate) struct Truth {
    db: DB,
    path: PathBuf,
    seal: Seal,
    failed: AtomicBool,
    /// Opened on a full disk: nothing can be written until it is opened again.
    is_read_only: bool,
}

impl Truth {
    /// Makes a new, empty store. The directory must not hold one.
    pub fn create(path: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        let mut options = options();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_error_if_exists(true);
        let truth = Self::open_with(&options, path, seal)?;
        let mut batch = truth.batch();
        batch.put(cf::META, STATE_KEY, State::default().encode()?)?;
        batch.put(cf::META, IDENTITY_KEY, identity.encode()?)?;
        truth.write_durably(batch)?;
        Ok(truth)
    }

    /// Opens a store that exists, as its owner; on a full disk only for reading, with every write that was committed.
    pub fn open(path: &Path, seal: &Seal) -> Result<Self> {
        check_present(path)?;
        check_listed(path)?;
        match Self::open_with(&options(), path, seal) {
            Err(error) if error.code == ErrorCode::DiskFull => {
                // Each refused change reports the reason, so this is for the log.
                tracing::info!(cause = ?error.source(), "the disk is full; the collection can only be read");
                Self::open_to_read(path, seal)
            }
            opened => opened,
        }
    }

    /// Opens a store without writing anything: recent writes are read from the write-ahead log into memory.
    pub fn open_to_read(path: &Path, seal: &Seal) -> Result<Self> {
        let families = cf::ALL.map(|name| family(name, true, seal.is_sealed()));
        let db = DB::open_cf_descriptors_read_only(&options(), path, families, false);
        Ok(Self { is_read_only: true, ..Self::with(db.map_err(|error| rocks(path, error))?, path, seal) })
    }

    /// Opens the copy of a damaged store to read what can be read: damaged records of the write-ahead log are skipped.
    pub fn open_for_salvage(path: &Path, seal: &Seal) -> Result<Self> {
        check_present(path)?;
        let mut options = options();
        options.set_wal_recovery_mode(DBRecoveryMode::SkipAnyCorruptedRecord);
        options.set_track_and_verify_wals_in_manifest(false);
        // Those of later schemas.
        options.create_missing_column_families(true);
        let families = cf::ALL.map(|name| family(name, false, seal.is_sealed()));
        let db = DB::open_cf_descriptors(&options, path, families).map_err(|error| rocks(path, error))?;
        Ok(Self::with(db, path, seal))
    }

    /// Makes RocksDB write a new list of a store's files from those that are there, and replay the write-ahead log into
    /// tables.
    ///
    /// It drops the log's entries for families that no table names: in `seeds` a table is made for each, with a key of
    /// its own.
    pub fn relist(path: &Path, seeds: &Path) -> Result<()> {
        let mut fresh = options();
        fresh.create_if_missing(true);
        fresh.create_missing_column_families(true);
        let seed = Self::open_with(&fresh, seeds, &Seal::default())?;
        for name in cf::ALL {
            let family = seed.cf(name)?;
            seed.db.put_cf(family, SEED_KEY, []).map_err(|error| seed.error(error))?;
            seed.db.flush_cf(family).map_err(|error| seed.error(error))?;
        }
        drop(seed);
        let number = |path: &Path| path.file_stem()?.to_str()?.parse::<u64>().ok();
        let mut free = fs::entries(path)?.iter().filter_map(|entry| number(&entry.path())).max().unwrap_or_default();
        for entry in fs::entries(seeds)? {
            let table = entry.path();
            if number(&table).is_some() && table.extension().is_some_and(|extension| extension == "sst") {
                free += 1;
                let copied = std::fs::copy(&table, path.join(format!("{free:06}.sst")));
                copied.map_err(|error| Error::io(path.display(), error))?;
            }
        }
        DB::repair(&options(), path).map_err(|error| rocks(path, error))
    }

    /// Reads every entry from disk, past the cache, which checks every block's checksum, opens it if it is sealed, and
    /// counts them. Also while the store is open. The error names the first family of keys that is damaged.
    pub fn read_everything(path: &Path, seal: &Seal) -> Result<u64> {
        check_present(path)?;
        let mut tries = 0;
        let truth = loop {
            match Self::open_uncached(path, seal) {
                // The owner's background work may remove a file between the moments we learn of it and open it.
                Err(error) if tries < 10 && is_missing_file(&error) => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(20));
                }
                opened => break opened.map_err(|error| rocks(path, error))?,
            }
        };
        let mut entries = 0;
        for name in cf::ALL {
            for entry in truth.db.iterator_cf(truth.cf(name)?, IteratorMode::Start) {
                let opened = entry.map_err(|error| truth.error(error)).and_then(|entry| truth.opened(name, entry));
                opened.map_err(|mut error| {
                    error.message = format!("\"{name}\" is damaged: {}", error.message);
                    error
                })?;
                entries += 1;
            }
        }
        Ok(entries)
    }

    /// Opens a store, which must not be open, to read every entry of it from disk.
    pub fn open_to_compare(path: &Path, seal: &Seal) -> Result<Self> {
        check_present(path)?;
        Self::open_uncached(path, seal).map_err(|error| rocks(path, error))
    }

    fn open_uncached(path: &Path, seal: &Seal) -> std::result::Result<Self, rocksdb::Error> {
        let mut options = options();
        // All at once: the owner may remove them in the meantime.
        options.set_max_open_files(-1);
        let families = cf::ALL.map(|name| family(name, false, seal.is_sealed()));
        let db = DB::open_cf_descriptors_read_only(&options, path, families, false);
        Ok(Self::with(db?, path, seal))
    }

    /// Rewrites all tables without deleted and replaced entries.
    pub fn compact(&self) -> Result<()> {
        self.flush_all()?;
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        for name in cf::ALL {
            self.db.compact_range_cf_opt(self.cf(name)?, None::<&[u8]>, None::<&[u8]>, &options);
        }
        Ok(())
    }

    /// Sorts all recent writes into files, which are synced.
    pub fn flush_all(&self) -> Result<()> {
        cf::ALL.iter().try_for_each(|name| self.db.flush_cf(self.cf(name)?).map_err(|error| self.failure(error)))
    }

    /// Opens a store of this or an older schema, as its owner, and makes the column families that it lacks.
    pub fn open_and_complete(path: &Path, seal: &Seal) -> Result<Self> {
        check_present(path)?;
        let mut options = options();
        options.create_missing_column_families(true);
        Self::open_with(&options, path, seal)
    }

    /// Copies a store of any schema, which must not be open, to `copy`, which must not exist. Tables become hard links.
    pub fn copy(path: &Path, copy: &Path) -> Result<()> {
        check_present(path)?;
        let error = |error| rocks(path, error);
        // Those it has; opening the store must not add to them.
        let present = DB::list_cf(&options(), path).map_err(error)?;
        let families = present.iter().map(|name| family(name, true, false));
        let db = DB::open_cf_descriptors(&options(), path, families).map_err(error)?;
        Checkpoint::new(&db).and_then(|checkpoint| checkpoint.create_checkpoint(copy)).map_err(error)
    }

    /// Opens the counters of a store of any schema for reading, even while another process owns it. Sees earlier
    /// commits.
    pub fn open_read_only(path: &Path, seal: &Seal) -> Result<Self> {
        check_present(path)?;
        let db = DB::open_cf_descriptors_read_only(&options(), path, [family(cf::META, true, false)], false);
        Ok(Self::with(db.map_err(|error| rocks(path, error))?, path, seal))
    }

    fn open_with(options: &Options, path: &Path, seal: &Seal) -> Result<Self> {
        let families = cf::ALL.map(|name| family(name, true, seal.is_sealed()));
        let db = DB::open_cf_descriptors(options, path, families).map_err(|error| rocks(path, error))?;
        Ok(Self::with(db, path, seal))
    }

    fn with(db: DB, path: &Path, seal: &Seal) -> Self {
        Self { db, path: path.to_owned(), seal: seal.clone(), failed: AtomicBool::new(false), is_read_only: false }
    }

    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    pub fn opened(&self, family: &str, (key, value): Entry) -> Result<Entry> {
        if !self.seal.is_sealed() {
            return Ok((key, value));
        }
        let key = self.seal.original_key(family, key);
        let opened = self.seal.open_value(family, &key, &value)?;
        Ok((key, opened.map_or(value, Vec::into_boxed_slice)))
    }

    /// A value as it was put, from its stored bytes; `key` is the one under which it was put.
    pub fn opened_value<'v>(&self, family: &str, key: &[u8], stored: DBPinnableSlice<'v>) -> Result<Value<'v>> {
        Ok(match self.seal.open_again(family, key, &stored)? {
            Some(opened) => Value::ValueCache(opened),
            None => Value::Stored(stored),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn db(&self) -> &DB {
        &self.db
    }

    pub fn cf(&self, name: &str) -> Result<&ColumnFamily> {
        self.db.cf_handle(name).ok_or_else(|| corrupt(format!("RocksDB at {} lacks \"{name}\".", self.path.display())))
    }

    pub fn state(&self) -> Result<State> {
        State::decode(&self.meta_value("state", &STATE_KEY)?)
    }

    pub fn identity(&self) -> Result<Identity> {
        Identity::decode(&self.meta_value("identity", &IDENTITY_KEY)?)
    }

    pub fn meta(&self, key: &[u8]) -> Result<Option<Value<'_>>> {
        let value = self.db.get_pinned_cf(self.cf(cf::META)?, key).map_err(|error| self.error(error))?;
        value.map(|value| self.opened_value(cf::META, key, value)).transpose()
    }

    /// The latest generation of the header that was seen, in a vault.
    pub fn generation(&self) -> Result<Option<u64>> {
        self.meta(&GENERATION_KEY)?.map(|value| decode("generation", &value)).transpose()
    }

    /// Keeps the generation of the header. Errors: [`ErrorCode::WrongState`] if there was a later one.
    pub fn keep_generation(&self, generation: u64) -> Result<()> {
        match self.generation()? {
            Some(seen) if seen > generation => Err(vault::earlier("The header of the vault")),
            Some(seen) if seen == generation => Ok(()),
            _ => {
                let mut batch = self.batch();
                batch.put(cf::META, GENERATION_KEY, encode(&generation)?)?;
                self.write_durably(batch)
            }
        }
    }

    fn meta_value(&self, what: &str, key: &[u8]) -> Result<Value<'_>> {
        self.meta(key)?
            .ok_or_else(|| corrupt(format!("RocksDB at {} lacks the collection's {what}.", self.path.display())))
    }

    /// True if the disk was full when it was opened.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Errors: [`ErrorCode::DiskFull`] where it can only be read.
    pub fn check_writable(&self) -> Result<()> {
        match self.is_read_only {
            true => Err(disk_full(&self.path)),
            false => Ok(()),
        }
    }

    /// Commits a batch and syncs the write-ahead log, so that it survives a power failure. Every change of a document goes here.
    pub fn write_durably(&self, batch: impl Into<WriteBatch>) -> Result<()> {
        self.check_writable()?;
        let mut options = WriteOptions::default();
        options.set_sync(true);
        self.db.write_opt(batch.into(), &options).map_err(|error| self.failure(error))
    }

    /// Commits a batch that may be lost in a power failure (but not torn or reordered): upkeep that can be done again.
    pub fn write_lazily(&self, batch: impl Into<WriteBatch>) -> Result<()> {
        self.check_writable()?;
        self.db.write(batch.into()).map_err(|error| self.failure(error))
    }

    /// Sorts recent writes into files if there are many, so that the next open has little of the write-ahead log to read.
    pub fn settle(&self) -> Result<()> {
        if self.is_read_only {
            return Ok(());
        }
        let mut waiting = 0;
        for name in cf::ALL {
            let bytes = self.db.property_int_value_cf(self.cf(name)?, CUR_SIZE_ALL_MEM_TABLES);
            waiting += bytes.map_err(|error| self.error(error))?.unwrap_or_default();
        }
        if waiting < SETTLE_BYTES { Ok(()) } else { self.flush_all() }
    }

    /// Number of entries of all families, as RocksDB estimates it.
    pub fn entries_about(&self) -> u64 {
        let about = |name: &&str| self.db.property_int_value_cf(self.cf(name).ok()?, ESTIMATE_NUM_KEYS).ok().flatten();
        cf::ALL.iter().filter_map(about).sum()
    }

    /// True if it must be opened again: a write has failed, after which RocksDB takes no further ones, or it could only be read and the disk has
    /// room now.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire) || self.is_read_only && self.has_room()
    }

    /// True if the disk has room for the files that opening writes: at most a second write-ahead log, and some lists.
    fn has_room(&self) -> bool {
        let is_log = |path: &Path| path.extension().is_some_and(|extension| extension == "log");
        let logs = fs::entries(&self.path).unwrap_or_default();
        let logs = logs.iter().filter(|entry| is_log(&entry.path())).filter_map(|entry| entry.metadata().ok());
        let needed = 2 * logs.map(|metadata| metadata.len()).sum::<u64>() + ROOM_BYTES;
        fs4::available_space(&self.path).is_ok_and(|free| free > needed)
    }

    fn failure(&self, error: rocksdb::Error) -> Error {
        self.failed.store(true, Ordering::Release);
        self.error(error)
    }

    pub fn error(&self, error: rocksdb::Error) -> Error {
        rocks(&self.path, error)
    }
}

/// RocksDB would silently make an empty store if there is none.
fn check_present(path: &Path) -> Result<()> {
    match path.join("CURRENT").try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::new(
            ErrorCode::Corrupt,
            format!("The documents of the collection are missing: there is no RocksDB at {}.", path.display()),
        )
        .with_hint(hint![Action::Repair(None), " Or restore the directory from a backup."])),
        Err(error) => Err(Error::io(path.display(), error)),
    }
}

/// RocksDB ignores an incomplete record at the end of its list of files, and deletes the files that the list does not name. That is
/// right if power failed while the record was written, and wrong if the list was cut off later: there must be no unnamed file.
fn check_listed(path: &Path) -> Result<()> {
    let current = std::fs::read_to_string(path.join("CURRENT")).unwrap_or_default();
    if !current.starts_with("MANIFEST-") || !manifest_is_cut_off(&path.join(current.trim_end())) {
        return Ok(());
    }
    let db = DB::open_cf_descriptors_read_only(&options(), path, cf::ALL.map(|name| family(name, true, false)), false);
    let listed = db.and_then(|db| db.live_files()).map_err(|error| rocks(path, error))?;
    for entry in fs::entries(path)? {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".sst") && !listed.iter().any(|file| file.name.trim_start_matches('/') == name) {
            let path = path.display();
            return Err(corrupt(format!("RocksDB's list of its files at {path} is cut off: it does not name {name}.")));
        }
    }
    Ok(())
}

/// True if a file in RocksDB's log format ends within a record: blocks of 32 KiB, records of a checksum (4 bytes), a
/// length (2), a type and that many bytes; none begins in the last 6 bytes of a block.
pub(crate) fn manifest_is_cut_off(path: &Path) -> bool {
    const BLOCK: usize = 32 << 10;
    const HEADER: usize = 7;
    // Parts of a record that are followed by others.
    const FIRST: u8 = 2;
    const MIDDLE: u8 = 3;
    let Ok(bytes) = std::fs::read(path) else { return false };
    let (mut place, mut goes_on) = (0, false);
    while place < bytes.len() {
        let left = BLOCK - place % BLOCK;
        if left < HEADER {
            place += left;
            continue;
        }
        let Some(header) = bytes.get(place..place + HEADER) else { return true };
        let length = usize::from(u16::from_le_bytes([header[4], header[5]]));
        if header == [0; HEADER] {
            return goes_on;
        }
        goes_on = matches!(header[6], FIRST | MIDDLE);
        place += HEADER + length;
    }
    goes_on || place > bytes.len()
}
