//! What a collection takes on disk, and making it smaller.

use casetrack_core::Result;
use rocksdb::properties::TOTAL_SST_FILES_SIZE;

use crate::collection::{Counts, LocalCollection, ORIGINALS};
use crate::fs;
use crate::indexes::Indexes;
use crate::repair::QUARANTINE;
use crate::schema::cf;
use crate::truth::truth_dir;

/// What is in a collection, and its bytes on disk by kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    pub counts: Counts,
    /// Tables of RocksDB by column family, in the order of the schema.
    pub families: Vec<(&'static str, u64)>,
    /// RocksDB's write-ahead log and what it knows of its files.
    pub rocksdb_other: u64,
    /// The derived indexes by name.
    pub indexes: Vec<(&'static str, u64)>,
    pub originals: u64,
    /// What repairs took out.
    pub quarantine: u64,
}

impl Stats {
    /// Documents and indexes: what grows with the chunks.
    pub fn stored_bytes(&self) -> u64 {
        self.families.iter().chain(&self.indexes).map(|(_, bytes)| bytes).sum::<u64>() + self.rocksdb_other
    }

    pub fn total_bytes(&self) -> u64 {
        self.stored_bytes() + self.originals + self.quarantine
    }
}

impl LocalCollection {
    pub fn stats(&self) -> Result<Stats> {
        let truth = self.truth();
        let mut families = Vec::new();
        for name in cf::ALL {
            let bytes = truth.db().property_int_value_cf(truth.cf(name)?, TOTAL_SST_FILES_SIZE);
            families.push((name, bytes.map_err(|error| truth.error(error))?.unwrap_or_default()));
        }
        let tables: u64 = families.iter().map(|(_, bytes)| bytes).sum();
        let bytes = |name: &str| fs::dir_bytes(&self.dir().join(name));
        Ok(Stats {
            counts: self.counts()?,
            families,
            // Files that are being replaced may be counted on one side only.
            rocksdb_other: fs::dir_bytes(&truth_dir(self.dir()))?.saturating_sub(tables),
            indexes: Indexes::DIRECTORIES.iter().map(|name| Ok((*name, bytes(name)?))).collect::<Result<_>>()?,
            originals: bytes(ORIGINALS)?,
            quarantine: bytes(QUARANTINE)?,
        })
    }

    /// Rewrites RocksDB's tables without what was deleted or replaced, and rebuilds indexes that hold deleted chunks. Changes wait
    /// meanwhile; searches go on. It can be killed at any time without loss.
    pub fn compact(&self) -> Result<()> {
        {
            let _changes_wait = self.writer();
            self.truth().compact()?;
        }
        self.rid_indexes_of_deleted()?;
        self.flush()
    }
}
