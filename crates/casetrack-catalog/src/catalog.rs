//! The catalogue, as the rest of the program uses it.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use casetrack_core::{Cancel, Error, ErrorCode, Result};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::entry::{Entry, Kind};
use crate::query::{Found, Query};
use crate::roots::{self, Root};
use crate::scan::{self, Columns, ScanLock, ScanReport, Scope};
use crate::{database, paths, query};

/// What a folder, or a file, takes on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Files, links and others below it. A file with several names counts once, under the first of them.
    pub files: u64,
    pub folders: u64,
    /// Bytes of their content.
    pub bytes: u64,
    /// Bytes that the file system has set aside for it.
    pub allocated: u64,
}

impl Usage {
    fn add(&mut self, entry: &Entry) {
        match entry.facts.kind {
            Kind::Folder => self.folders += 1,
            _ => {
                self.files += 1;
                self.bytes = self.bytes.saturating_add(entry.facts.size);
            }
        }
        self.allocated = self.allocated.saturating_add(entry.facts.allocated);
    }
}

/// A catalogue of files. All methods take `&self` and may block; scans wait for each other, also those of other processes, while
/// questions wait for nothing.
pub struct Catalog {
    folder: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl Catalog {
    /// Opens the catalogue in a folder of its own, or makes it. A damaged one is moved aside and made anew, with its roots, from what is
    /// beside it.
    ///
    /// Errors: a folder that cannot be written, a format of a newer program.
    pub fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
        let writer = Mutex::new(opened(folder)?);
        Ok(Self { folder: folder.to_owned(), writer, readers: Mutex::default() })
    }

    /// Walks a folder and brings the rows below it up to date. Where it lies in no root, it becomes one. A damaged catalogue is made anew
    /// first.
    ///
    /// Errors: a start that is missing, cannot be listed or is no folder: then nothing counts as deleted. A full disk; a cancelled scan
    /// keeps what it has written. What cannot be looked at below the start is in the report.
    pub fn scan(&self, scope: &Scope<'_>, cancel: &Cancel) -> Result<ScanReport> {
        let _only = ScanLock::wait(&self.folder, cancel)?;
        let mut connection = lock(&self.writer);
        match self.scan_with(&mut connection, scope, cancel) {
            Err(error) if error.code == ErrorCode::Corrupt => {
                tracing::warn!(%error, "the catalogue of files is made anew");
                lock(&self.readers).clear();
                database::replace(&mut connection, &self.folder)?;
                *connection = opened(&self.folder)?;
                self.scan_with(&mut connection, scope, cancel)
            }
            scanned => scanned,
        }
    }

    fn scan_with(&self, connection: &mut Connection, scope: &Scope<'_>, cancel: &Cancel) -> Result<ScanReport> {
        let report = scan::run(connection, scope, cancel)?;
        roots::add(connection, scope.start, &self.folder)?;
        if scope.max_depth.is_none() {
            roots::scanned(connection, scope.start)?;
        }
        Ok(report)
    }

    /// Answers a question from the rows, each looked at once more. Paths that `is_denied` covers are no answers.
    pub fn find(&self, query: &Query, is_denied: &dyn Fn(&Path) -> bool, cancel: &Cancel) -> Result<Found> {
        self.read(|connection| query.run(connection, is_denied, cancel))
    }

    /// Whether the time of creation is known of anything below a folder, or nothing is below it.
    pub fn knows_created(&self, start: &Path) -> Result<bool> {
        let prefix = paths::below(start);
        const KNOWN: &str =
            "SELECT EXISTS (SELECT 1 FROM entries WHERE path >= ?1 AND path < ?2 AND +created IS NOT NULL)
            OR NOT EXISTS (SELECT 1 FROM entries WHERE path >= ?1 AND path < ?2)";
        self.read(|connection| {
            connection
                .query_row(KNOWN, params![prefix, paths::behind(&prefix)], |row| row.get(0))
                .map_err(database::failed)
        })
    }

    /// The roots, in the order of their paths.
    pub fn roots(&self) -> Result<Vec<Root>> {
        self.read(roots::list)
    }

    /// Forgets a root, and what is known below it and below no other. Nothing on the disk changes. Returns whether it was one.
    pub fn forget_root(&self, folder: &Path) -> Result<bool> {
        roots::remove(&mut lock(&self.writer), folder, &self.folder)
    }

    /// What each child of a folder takes on the disk, with all below it, and the sum.
    pub fn usage(&self, start: &Path, cancel: &Cancel) -> Result<(BTreeMap<OsString, Usage>, Usage)> {
        let mut children: BTreeMap<OsString, Usage> = BTreeMap::new();
        let (mut all, mut counted) = (Usage::default(), HashSet::new());
        self.each(start, cancel, |entry| {
            let first = entry.path.strip_prefix(start).ok().and_then(|rest| rest.components().next());
            let Some(Component::Normal(child)) = first else { return };
            let facts = entry.facts;
            let is_another_name =
                facts.kind == Kind::File && facts.inode != 0 && !counted.insert((facts.device, facts.inode));
            if is_another_name {
                return;
            }
            children.entry(child.to_owned()).or_default().add(&entry);
            all.add(&entry);
        })?;
        Ok((children, all))
    }

    /// Files below a folder that have their size in common with another, by size, the largest first. Several names of one file are not
    /// among them.
    pub fn of_equal_size(
        &self,
        start: &Path,
        smallest: u64,
        cancel: &Cancel,
    ) -> Result<BTreeMap<std::cmp::Reverse<u64>, Vec<Entry>>> {
        let mut sizes: BTreeMap<std::cmp::Reverse<u64>, Vec<Entry>> = BTreeMap::new();
        let mut counted = HashSet::new();
        self.each(start, cancel, |entry| {
            let facts = entry.facts;
            let is_first = facts.inode == 0 || counted.insert((facts.device, facts.inode));
            if facts.kind == Kind::File && facts.size >= smallest && is_first {
                sizes.entry(std::cmp::Reverse(facts.size)).or_default().push(entry);
            }
        })?;
        sizes.retain(|_, files| files.len() > 1);
        Ok(sizes)
    }

    /// Reads the whole catalogue.
    ///
    /// Errors: [`ErrorCode::Corrupt`] with the first fault.
    pub fn check(&self) -> Result<()> {
        self.read(database::check)
    }

    fn each(&self, start: &Path, cancel: &Cancel, mut take: impl FnMut(Entry)) -> Result<()> {
        let prefix = paths::below(start);
        let columns = Columns::NAMES;
        let sql =
            format!("SELECT id, path, first_seen, {columns} FROM entries WHERE path >= ? AND path < ? ORDER BY path");
        self.read(|connection| {
            let mut rows = connection.prepare(&sql).map_err(database::failed)?;
            let mut rows = rows.query(params![prefix, paths::behind(&prefix)]).map_err(database::failed)?;
            while let Some(row) = rows.next().map_err(database::failed)? {
                if cancel.is_cancelled() {
                    return Err(Error::cancelled());
                }
                take(query::entry(row).map_err(database::failed)?.0);
            }
            Ok(())
        })
    }

    /// Reads beside other readers and the writer, as the rows were when it began.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let waiting = lock(&self.readers).pop();
        let connection = match waiting {
            Some(connection) => connection,
            None => database::connect(&self.folder)?,
        };
        let result = work(&connection);
        if result.as_ref().is_err_and(|error| error.code == ErrorCode::Corrupt) {
            return result;
        }
        lock(&self.readers).push(connection);
        result
    }

    #[cfg(test)]
    pub(crate) fn writer(&self) -> MutexGuard<'_, Connection> {
        lock(&self.writer)
    }
}

fn opened(folder: &Path) -> Result<Connection> {
    let mut connection = database::open(folder)?;
    match roots::import(&connection, folder) {
        Err(error) if error.code == ErrorCode::Corrupt => {
            database::replace(&mut connection, folder)?;
            connection = database::open(folder)?;
            roots::import(&connection, folder)?;
        }
        imported => imported?,
    }
    Ok(connection)
}

/// A panic while a lock was held leaves a connection behind, whose transaction is rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
