//! Data that users make of the catalogue: sets of files and folders, an acyclic graph of them, sums and queries about them, and the sources
//! and plans that fill them. It has its own database next to the catalogue, so that it survives a rebuild, and a copy of that, from which a
//! damaged one is rebuilt.
//!
//! Sums and queries read an image of the catalogue in memory, which is made when it is first needed and brought up to date before each
//! answer. It takes about 100 bytes an entry.

mod backup;
mod block;
mod bounds;
mod conditions;
mod contents;
mod ids;
mod image;
mod members;
mod membership;
mod outcome_files;
mod queries;
mod records;
mod runs;
mod schema;
mod selection;
mod sets;
mod sums;
mod text;
mod transfer;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use casetrack_core::{ErrorCode, Result};
use rusqlite::{Connection, Transaction};

use crate::catalog::{Catalog, lock};
use crate::time::Time;
use backup::BackupWriter;
pub use bounds::{End, bound};
pub use conditions::Condition;
pub use contents::{Content, Thumbnail};
use ids::Ids;
use image::Image;
pub use members::{Change, Mode};
pub use queries::{Answer, Member, SetQuery, Sort};
pub use records::{Plan, PlanChange, Saved, Source};
pub use runs::{Execution, Job, JobFilter};
use schema::failed;
pub use selection::{SelectedFile, Selection};
pub use sets::{Direction, MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, MAX_SETS, Set};
pub use sums::Totals;
pub use text::{Field, Match, Text};
pub use transfer::ImportCounts;
pub use tree::Branch;

/// Seconds since 1970.
fn now() -> i64 {
    Time::now().seconds
}

/// The sets, sources and plans of one catalogue. All methods take `&self` and may block.
pub struct Space {
    catalog: Arc<Catalog>,
    folder: PathBuf,
    writer: Mutex<Connection>,
    /// The [generation](Catalog::generation) of the catalogue that it is connected to.
    generation: AtomicU64,
    readers: Mutex<Readers>,
    image: Mutex<Image>,
    /// Members by set, with the revision of the set that they are of.
    members: Mutex<HashMap<i64, (i64, Arc<Ids>)>>,
    /// When the image was last read.
    used: Mutex<Instant>,
    /// Set when a query finds damage, which is repaired before the next one.
    damaged: AtomicBool,
    backup: BackupWriter,
}

#[derive(Default)]
struct Readers {
    waiting: Vec<Connection>,
    generation: u64,
}

/// How many records and bytes there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Files and folders that the catalogue has.
    pub entries: u64,
    pub sets: u64,
    pub sources: u64,
    pub plans: u64,
    /// Bytes of the databases of the catalogue and of the sets.
    pub bytes: u64,
}

impl Space {
    /// Opens the sets next to a catalogue, or creates them. A damaged database is moved aside, and rebuilt from its copy.
    ///
    /// Errors: a folder that cannot be written, a format of a newer program.
    pub fn open(catalog: Arc<Catalog>) -> Result<Self> {
        let (folder, generation) = (catalog.folder().to_owned(), catalog.generation());
        let writer = Mutex::new(schema::open(&folder)?);
        let space = Self {
            catalog,
            backup: BackupWriter::start(&folder),
            folder,
            writer,
            generation: AtomicU64::new(generation),
            readers: Mutex::default(),
            image: Mutex::default(),
            members: Mutex::default(),
            used: Mutex::new(Instant::now()),
            damaged: AtomicBool::new(false),
        };
        match space.restore() {
            Err(error) if error.code == ErrorCode::Corrupt => space.repair()?,
            restored => restored?,
        }
        // The last process may have ended before it copied all.
        space.backup.changed();
        Ok(space)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(schema::FILE)
    }

    /// How much there is of everything.
    pub fn numbers(&self) -> Result<Numbers> {
        let size = |name: &str| std::fs::metadata(self.folder.join(name)).map_or(0, |metadata| metadata.len());
        // Includes the data that has not moved from the logs into the databases yet.
        let bytes =
            [schema::FILE, crate::database::FILE].map(|file| size(file) + size(&format!("{file}-wal"))).iter().sum();
        self.read(|connection| {
            let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
            Ok(Numbers {
                entries: count("SELECT count(*) FROM files.entries")?,
                sets: count("SELECT count(*) FROM sets")?,
                sources: count("SELECT count(*) FROM sources")?,
                plans: count("SELECT count(*) FROM plans")?,
                bytes,
            })
        })
    }

    /// Writes, one at a time. Nothing is kept of a failure.
    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.watching(|| {
            let mut writer = lock(&self.writer);
            let generation = self.catalog.generation();
            if self.generation.load(Ordering::Acquire) != generation {
                *writer = schema::open(&self.folder)?;
                self.generation.store(generation, Ordering::Release);
                *lock(&self.image) = Image::default();
                lock(&self.members).clear();
            }
            let transaction = writer.transaction().map_err(failed)?;
            // Locks only this database: a scan continues to write the catalogue.
            transaction.execute("UPDATE state SET catalog_key = catalog_key", []).map_err(failed)?;
            let result = work(&transaction)?;
            transaction.commit().map_err(failed)?;
            self.backup.changed();
            Ok(result)
        })
    }

    /// As [`Self::write`], for work whose only errors are those of statements.
    fn write_rows<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        self.write(|transaction| work(transaction).map_err(failed))
    }

    /// Reads at the same time as other readers and the writer.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let generation = self.catalog.generation();
        if self.generation.load(Ordering::Acquire) != generation {
            self.write(|_| Ok(()))?;
        }
        self.watching(|| {
            let waiting = {
                let mut readers = lock(&self.readers);
                if readers.generation != generation {
                    *readers = Readers { waiting: Vec::new(), generation };
                }
                readers.waiting.pop()
            };
            let connection = match waiting {
                Some(connection) => connection,
                None => schema::connect(&self.folder)?,
            };
            let result = work(&connection).map_err(failed)?;
            let mut readers = lock(&self.readers);
            if readers.generation == generation && readers.waiting.len() < 4 {
                readers.waiting.push(connection);
            }
            Ok(result)
        })
    }

    /// Answers, and notes damage that the answer meets: it is repaired before the next one.
    fn watching<T>(&self, answer: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.damaged.load(Ordering::Acquire) {
            self.repair()?;
        }
        let result = answer();
        let is_damaged = result.as_ref().is_err_and(|error| error.code == ErrorCode::Corrupt);
        self.damaged.fetch_or(is_damaged, Ordering::AcqRel);
        result
    }

    fn image(&self) -> Result<Image> {
        *lock(&self.used) = Instant::now();
        let mut image = lock(&self.image).clone();
        self.read(|connection| image.refresh(connection))?;
        *lock(&self.image) = image.clone();
        Ok(image)
    }

    /// A value that changes once an entry has come, gone or changed since the image was last read.
    pub fn state(&self) -> Result<(u64, i64, i64)> {
        let generation = self.catalog.generation();
        self.read(|connection| {
            let state = "SELECT (SELECT coalesce(sum(changes), 0) FROM files.touched), (SELECT coalesce(max(id), 0) FROM files.entries)";
            connection.prepare(state)?.query_row([], |row| Ok((generation, row.get(0)?, row.get(1)?)))
        })
    }

    /// Frees the memory of an image that was not read for this long. The next answer costs about a second for a million entries.
    pub fn free_after(&self, idle: Duration) {
        if lock(&self.used).elapsed() >= idle {
            *lock(&self.image) = Image::default();
            lock(&self.members).clear();
        }
    }
}
