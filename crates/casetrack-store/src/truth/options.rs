//! The options of RocksDB.

use std::sync::LazyLock;

use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, DBRecoveryMode, InfoLogger, LogLevel, Options,
};

use crate::error::NO_SPACE;
use crate::schema::cf;

/// Blocks read from disk are kept in one cache for all open collections, indexes and Bloom filters included.
const BLOCK_CACHE_BYTES: usize = 64 << 20;
/// Writes of one collection that wait in memory (and in the write-ahead log) to be sorted into files.
const WRITE_BUFFER_BYTES: usize = 32 << 20;
/// Sized so that a compressed block holds several chunks or page texts.
const BLOCK_BYTES: usize = 16 << 10;
/// Bits per key: about 1 % of lookups of absent keys read a block in vain.
const BLOOM_BITS: f64 = 10.0;

/// In RocksDB's log when the list of its files cannot be written, as on a full disk. The error itself is returned.
const NO_COMMIT: &str = "Error in committing version edit";

static BLOCK_CACHE: LazyLock<Cache> = LazyLock::new(|| Cache::new_lru_cache(BLOCK_CACHE_BYTES));

/// The options of a database.
pub(super) fn options() -> Options {
    let mut options = Options::default();
    // A log that ends within a record is normal: power failed during a write that was never reported as done. Any other
    // damage is an error. (The default, point-in-time, would silently drop the records after it.)
    options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    // A log file that was finished and synced must be there when it is needed.
    options.set_track_and_verify_wals_in_manifest(true);
    options.set_db_write_buffer_size(WRITE_BUFFER_BYTES);
    options.set_max_total_wal_size(2 * WRITE_BUFFER_BYTES as u64);
    options.set_max_open_files(256);
    options.set_max_background_jobs(2);
    // RocksDB's log goes to ours; opening a store read-only leaves no log file next to the owner's.
    options.set_info_logger(InfoLogger::new_callback_logger(LogLevel::Warn, |level, message| match level {
        // The call that found the disk full reports it.
        LogLevel::Error | LogLevel::Fatal if message.contains(NO_SPACE) || message.contains(NO_COMMIT) => {
            tracing::debug!(target: "rocksdb", "{}", message.trim_end());
        }
        LogLevel::Error | LogLevel::Fatal => tracing::error!(target: "rocksdb", "{}", message.trim_end()),
        // Hundreds of lines that repeat the options.
        LogLevel::Header => {}
        _ => tracing::debug!(target: "rocksdb", "{}", message.trim_end()),
    }));
    options
}

/// The options of a column family: `cached` if blocks may come from the cache instead of the disk; `sealed` if values look random.
pub(super) fn family(name: &str, cached: bool, sealed: bool) -> ColumnFamilyDescriptor {
    let mut table = BlockBasedOptions::default();
    if cached {
        table.set_block_cache(&BLOCK_CACHE);
        table.set_cache_index_and_filter_blocks(true);
        table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    } else {
        table.disable_cache();
    }
    table.set_block_size(BLOCK_BYTES);
    table.set_bloom_filter(BLOOM_BITS, false);
    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_compression_type(match name {
        // They were compressed before they were sealed.
        _ if sealed => DBCompressionType::None,
        // Half-precision components, gaps of terms with their impacts, and signs look random.
        cf::VECTORS | cf::SPARSE_VECTORS | cf::TOKEN_VECTORS => DBCompressionType::None,
        _ => DBCompressionType::Lz4,
    });
    ColumnFamilyDescriptor::new(name, options)
}
