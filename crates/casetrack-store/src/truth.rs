//! The RocksDB of a collection: options, column families, batches.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use casetrack_core::{Error, ErrorCode, Result};
use rocksdb::checkpoint::Checkpoint;
use rocksdb::properties::CUR_SIZE_ALL_MEM_TABLES;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType, DBPinnableSlice, InfoLogger,
    LogLevel, Options, WriteBatch, WriteOptions,
};

use crate::error::{corrupt, rocks};
use crate::reader::Reader;
use crate::records::{Identity, State};
use crate::schema::{IDENTITY_KEY, STATE_KEY, cf};

/// Blocks read from disk are kept in one cache for all open collections, indexes and Bloom filters included.
const BLOCK_CACHE_BYTES: usize = 64 << 20;
/// Writes of one collection that wait in memory (and in the write-ahead log) to be sorted into files.
const WRITE_BUFFER_BYTES: usize = 32 << 20;
/// Writes in memory that are worth sorting into files at a flush; reading as much of the log takes some ten milliseconds.
const SETTLE_BYTES: u64 = 8 << 20;
/// Sized so that a compressed block holds several chunks or page texts.
const BLOCK_BYTES: usize = 16 << 10;
/// Bits per key: about 1 % of look-ups of absent keys read a block in vain.
const BLOOM_BITS: f64 = 10.0;

static BLOCK_CACHE: LazyLock<Cache> = LazyLock::new(|| Cache::new_lru_cache(BLOCK_CACHE_BYTES));

/// The truth of a collection (invariant 4).
pub(crate) struct Truth {
    db: DB,
    path: PathBuf,
    failed: AtomicBool,
}

impl Truth {
    /// Makes a new, empty store. The directory must not hold one.
    pub fn create(path: &Path, identity: &Identity) -> Result<Self> {
        let mut options = options();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.set_error_if_exists(true);
        let truth = Self::open_with(&options, path)?;
        let mut batch = WriteBatch::default();
        batch.put_cf(truth.cf(cf::META)?, STATE_KEY, State::default().encode()?);
        batch.put_cf(truth.cf(cf::META)?, IDENTITY_KEY, identity.encode()?);
        truth.write_durably(batch)?;
        Ok(truth)
    }

    /// Opens a store that exists, as its owner.
    pub fn open(path: &Path) -> Result<Self> {
        check_present(path)?;
        Self::open_with(&options(), path)
    }

    /// Opens a store of this or an older schema, as its owner, and makes the column families that it lacks.
    pub fn open_and_complete(path: &Path) -> Result<Self> {
        check_present(path)?;
        let mut options = options();
        options.create_missing_column_families(true);
        Self::open_with(&options, path)
    }

    /// Copies a store of any schema to `copy`, which must not exist: files that never change as hard links, so that it costs
    /// little time and space. The store must not be open.
    pub fn copy(path: &Path, copy: &Path) -> Result<()> {
        check_present(path)?;
        let error = |error| rocks(path, error);
        // Those it has; opening the store must not add to them.
        let present = DB::list_cf(&options(), path).map_err(error)?;
        let families = present.iter().map(|name| family(name));
        let db = DB::open_cf_descriptors(&options(), path, families).map_err(error)?;
        Checkpoint::new(&db).and_then(|checkpoint| checkpoint.create_checkpoint(copy)).map_err(error)
    }

    /// Opens the counters of a store for a look, also while another process owns it and whatever its schema. Sees what was
    /// committed before.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        check_present(path)?;
        let db = DB::open_cf_descriptors_read_only(&options(), path, [family(cf::META)], false);
        Ok(Self::with(db.map_err(|error| rocks(path, error))?, path))
    }

    fn open_with(options: &Options, path: &Path) -> Result<Self> {
        let db = DB::open_cf_descriptors(options, path, cf::ALL.map(family)).map_err(|error| rocks(path, error))?;
        Ok(Self::with(db, path))
    }

    fn with(db: DB, path: &Path) -> Self {
        Self { db, path: path.to_owned(), failed: AtomicBool::new(false) }
    }

    pub fn db(&self) -> &DB {
        &self.db
    }

    pub fn cf(&self, name: &str) -> Result<&ColumnFamily> {
        self.db.cf_handle(name).ok_or_else(|| corrupt(format!("RocksDB at {} lacks \"{name}\".", self.path.display())))
    }

    /// A consistent view of everything committed so far.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(self)
    }

    pub fn state(&self) -> Result<State> {
        State::decode(&self.meta_value("state", &STATE_KEY)?)
    }

    pub fn identity(&self) -> Result<Identity> {
        Identity::decode(&self.meta_value("identity", &IDENTITY_KEY)?)
    }

    fn meta_value(&self, what: &str, key: &[u8]) -> Result<DBPinnableSlice<'_>> {
        let value = self.db.get_pinned_cf(self.cf(cf::META)?, key).map_err(|error| self.error(error))?;
        value.ok_or_else(|| corrupt(format!("RocksDB at {} lacks the collection's {what}.", self.path.display())))
    }

    /// Commits a batch and syncs the write-ahead log: what was reported as stored survives a power failure. Every change of a
    /// document goes through here.
    pub fn write_durably(&self, batch: WriteBatch) -> Result<()> {
        let mut options = WriteOptions::default();
        options.set_sync(true);
        self.db.write_opt(batch, &options).map_err(|error| self.failure(error))
    }

    /// Commits a batch that may be lost in a power failure (but not torn or reordered): upkeep that can be done again.
    pub fn write_lazily(&self, batch: WriteBatch) -> Result<()> {
        self.db.write(batch).map_err(|error| self.failure(error))
    }

    /// Sorts recent writes into files if there are many, so that the next open has little of the write-ahead log to read.
    pub fn settle(&self) -> Result<()> {
        let mut waiting = 0;
        for name in cf::ALL {
            let bytes = self.db.property_int_value_cf(self.cf(name)?, CUR_SIZE_ALL_MEM_TABLES);
            waiting += bytes.map_err(|error| self.error(error))?.unwrap_or_default();
        }
        if waiting < SETTLE_BYTES {
            return Ok(());
        }
        cf::ALL.iter().try_for_each(|name| self.db.flush_cf(self.cf(name)?).map_err(|error| self.failure(error)))
    }

    /// Whether a write has failed: RocksDB then takes no further ones before it is opened anew.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The failure of a write.
    fn failure(&self, error: rocksdb::Error) -> Error {
        self.failed.store(true, Ordering::Release);
        self.error(error)
    }

    pub fn error(&self, error: rocksdb::Error) -> Error {
        rocks(&self.path, error)
    }
}

/// RocksDB would silently make an empty store where there is none.
fn check_present(path: &Path) -> Result<()> {
    match path.join("CURRENT").try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::new(
            ErrorCode::Corrupt,
            format!("The documents of the collection are missing: there is no RocksDB at {}.", path.display()),
        )
        .with_hint("Restore the directory from a backup, or delete the collection and ingest its files again.")),
        Err(error) => Err(Error::io(path.display(), error)),
    }
}

fn options() -> Options {
    let mut options = Options::default();
    options.set_db_write_buffer_size(WRITE_BUFFER_BYTES);
    options.set_max_total_wal_size(2 * WRITE_BUFFER_BYTES as u64);
    options.set_max_open_files(256);
    options.set_max_background_jobs(2);
    // RocksDB's log goes to ours, and a read-only look leaves no log file beside the owner's.
    options.set_info_logger(InfoLogger::new_callback_logger(LogLevel::Warn, |level, message| match level {
        LogLevel::Error | LogLevel::Fatal => tracing::error!(target: "rocksdb", "{}", message.trim_end()),
        // Hundreds of lines that repeat the options.
        LogLevel::Header => {}
        _ => tracing::debug!(target: "rocksdb", "{}", message.trim_end()),
    }));
    options
}

fn family(name: &str) -> ColumnFamilyDescriptor {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(&BLOCK_CACHE);
    table.set_cache_index_and_filter_blocks(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    table.set_block_size(BLOCK_BYTES);
    table.set_bloom_filter(BLOOM_BITS, false);
    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_compression_type(match name {
        // Half-precision components, and gaps of terms with their impacts, look random.
        cf::VECTORS | cf::SPARSE_VECTORS => DBCompressionType::None,
        _ => DBCompressionType::Lz4,
    });
    ColumnFamilyDescriptor::new(name, options)
}
