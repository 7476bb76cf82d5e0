//! The catalogue, as the rest of the program uses it.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use casetrack_core::{Cancel, Error, ErrorCode, Result};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::columns::Columns;
use crate::entry::{Entry, Kind};
use crate::follow::{self, ReportedChanges};
use crate::query::{Query, QueryPage};
use crate::roots::{self, Root};
use crate::scan::{self, BeforeListing, ScanLock, ScanReport, Scope};
use crate::{database, paths, query, rows};

/// Space that a folder or file takes on the disk.
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

/// A catalogue of files. All methods take `&self` and may block. Scans wait for each other, also across processes; queries wait for
/// nothing.
pub struct Catalog {
    folder: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// Set when a query finds damage; the next scan rebuilds the catalogue.
    damaged: AtomicBool,
    indexing: Arc<Mutex<Indexing>>,
    /// Number of rebuilds since it was opened.
    generation: AtomicU64,
}

/// The thread that indexes the entries that scans added.
#[derive(Default)]
struct Indexing {
    is_running: bool,
    /// True if there may be rows that it has not seen.
    is_wanted: bool,
}

impl Catalog {
    /// Opens the catalogue in its own folder, or creates it. A damaged one is moved aside and rebuilt, with its roots, from the files next
    /// to it.
    ///
    /// Errors: a folder that cannot be written, a format of a newer program.
    pub fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
        let (writer, is_indexed) = opened(folder)?;
        let catalog = Self {
            folder: folder.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::default(),
            damaged: AtomicBool::new(false),
            indexing: Arc::default(),
            generation: AtomicU64::new(0),
        };
        if !is_indexed {
            catalog.index_later();
        }
        Ok(catalog)
    }

    /// Walks a folder and brings the rows below it up to date. A folder outside all roots becomes a root. A damaged catalogue is rebuilt
    /// first.
    ///
    /// Errors: a start that is missing, cannot be listed or is no folder: then nothing counts as deleted. A full disk; a cancelled scan keeps the
    /// rows that it has written. The report lists unreadable entries below the start.
    pub fn scan(&self, scope: &Scope<'_>, cancel: &Cancel) -> Result<ScanReport> {
        self.scan_watched(scope, &|_| {}, cancel)
    }

    /// As [`Self::scan`], with a call before each folder is listed.
    pub fn scan_watched(
        &self,
        scope: &Scope<'_>,
        before_listing: BeforeListing<'_>,
        cancel: &Cancel,
    ) -> Result<ScanReport> {
        let report = self.write(cancel, |connection| {
            let report = scan::run(connection, scope, before_listing, cancel)?;
            roots::add(connection, scope.start, &self.folder)?;
            if scope.max_depth.is_none() {
                roots::scanned(connection, scope.start)?;
            }
            Ok(report)
        })?;
        if report.added > 0 {
            self.index_later();
        }
        Ok(report)
    }

    /// Brings the rows of reported changes up to date, with the folders that hold them and everything below. Cost is proportional to that.
    ///
    /// Errors: as [`Self::scan`], and a start that was not scanned. After an error, a scan brings everything up to date.
    pub fn follow(&self, scope: &Scope<'_>, reported: &ReportedChanges<'_>, cancel: &Cancel) -> Result<ScanReport> {
        let report = self.write(cancel, |connection| follow::run(connection, scope, reported, cancel))?;
        if report.added > 0 {
            self.index_later();
        }
        Ok(report)
    }

    /// Makes the indexes that a first scan left for later, and indexes the names of new rows, as a thread does after each scan. Until then
    /// questions read rows instead: their answers are the same, and slower. Stops between two steps when it is cancelled. Costs about ten
    /// seconds for a million new rows.
    pub fn index(&self, cancel: &Cancel) -> Result<()> {
        index(&mut lock(&self.writer), cancel)
    }

    /// Indexes in a new thread with its own connection. A running one checks for more rows when it is done.
    fn index_later(&self) {
        let mut state = lock(&self.indexing);
        state.is_wanted = true;
        if std::mem::replace(&mut state.is_running, true) {
            return;
        }
        drop(state);
        let (folder, indexing) = (self.folder.clone(), Arc::clone(&self.indexing));
        let work = move || {
            let is_wanted = || {
                let mut state = lock(&indexing);
                state.is_running = std::mem::take(&mut state.is_wanted);
                state.is_running
            };
            while is_wanted() {
                let indexed = database::connect(&folder).and_then(|mut files| index(&mut files, &Cancel::default()));
                if let Err(error) = indexed {
                    tracing::warn!(%error, "names of files are not indexed, and questions about names are slower");
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("index files".to_owned()).spawn(work) {
            lock(&self.indexing).is_running = false;
            tracing::warn!(%error, "names of files are not indexed, and questions about names are slower");
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Changes when a damaged catalogue is rebuilt: then only entries scanned since are known.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Writes, one at a time. A damaged catalogue is rebuilt and written again.
    pub(crate) fn write<T>(&self, cancel: &Cancel, work: impl Fn(&mut Connection) -> Result<T>) -> Result<T> {
        let _only = ScanLock::wait(&self.folder, cancel)?;
        let mut connection = lock(&self.writer);
        let done = match self.damaged.load(Ordering::Relaxed) {
            true => Err(Error::new(ErrorCode::Corrupt, "A question met damage")),
            false => work(&mut connection),
        };
        match done {
            Err(error) if error.code == ErrorCode::Corrupt => {
                tracing::warn!(%error, "the catalogue of files is rebuilt");
                lock(&self.readers).clear();
                database::replace(&mut connection, &self.folder)?;
                *connection = opened(&self.folder)?.0;
                self.damaged.store(false, Ordering::Relaxed);
                self.generation.fetch_add(1, Ordering::Relaxed);
                work(&mut connection)
            }
            done => done,
        }
    }

    /// Answers a query from the rows, and reads each entry again. Paths that `is_denied` covers are left out.
    pub fn find(&self, query: &Query, is_denied: &dyn Fn(&Path) -> bool, cancel: &Cancel) -> Result<QueryPage> {
        self.read(|connection| query.run(connection, is_denied, cancel))
    }

    /// True if any entry below a folder has a known creation time, or nothing is below it.
    pub fn knows_created(&self, start: &Path) -> Result<bool> {
        let prefix = paths::below(start);
        const KNOWN: &str = "WITH below AS (SELECT created FROM folders f CROSS JOIN entries e ON e.folder = f.id
                WHERE f.path = ?1 OR (f.path >= ?2 AND f.path < ?3))
            SELECT EXISTS (SELECT 1 FROM below WHERE created IS NOT NULL) OR NOT EXISTS (SELECT 1 FROM below)";
        self.read(|connection| {
            let bounds = params![paths::bytes(start), prefix, paths::behind(&prefix)];
            connection.query_row(KNOWN, bounds, |row| row.get(0)).map_err(database::failed)
        })
    }

    /// How many files and folders are known below a folder, to a depth of folders (0 is its direct children) or all. Costs about a microsecond
    /// for each folder, and for each entry of folders that have changed since they were last listed.
    pub fn count(&self, start: &Path, max_depth: Option<usize>) -> Result<(u64, u64)> {
        self.read(|connection| rows::count(connection, start, max_depth).map_err(database::failed))
    }

    /// The roots, in the order of their paths.
    pub fn roots(&self) -> Result<Vec<Root>> {
        self.read(roots::list)
    }

    /// Makes a folder a root whose changes are followed, or are not any more. This only keeps the wish: see [`Self::follow`]. Returns whether
    /// anything changed.
    pub fn set_live(&self, folder: &Path, live: bool) -> Result<bool> {
        roots::set_live(&lock(&self.writer), folder, live, &self.folder)
    }

    /// The roots whose changes are to be followed.
    pub fn live_roots(&self) -> Result<Vec<PathBuf>> {
        self.read(roots::live)
    }

    /// The data of users, which no scan brings back, as JSON: the roots, and which of them are live.
    pub fn export(&self) -> Result<Vec<u8>> {
        self.read(roots::exported)
    }

    /// Adds the output of [`Self::export`]; existing roots stay unchanged. The next scan finds their files. Returns the number of new roots.
    ///
    /// Errors: something else, or a newer format; then nothing is added.
    pub fn import(&self, json: &[u8]) -> Result<usize> {
        roots::add_exported(&lock(&self.writer), json, &self.folder)
    }

    /// Removes a root, and the entries below it that are below no other root. Nothing on the disk changes. Returns true if it was a root.
    pub fn forget_root(&self, folder: &Path) -> Result<bool> {
        roots::remove(&mut lock(&self.writer), folder, &self.folder)
    }

    /// The space that each child of a folder takes on the disk, with everything below it, and the sum.
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
        let checked = database::check(&self.folder);
        self.note_damage(&checked);
        checked
    }

    pub(crate) fn each(&self, start: &Path, cancel: &Cancel, mut take: impl FnMut(Entry)) -> Result<()> {
        let prefix = paths::below(start);
        let columns = Columns::NAMES;
        let sql = format!(
            "SELECT e.id, f.path, e.name, e.first_seen, {columns} FROM folders f CROSS JOIN entries e ON e.folder = f.id
            WHERE f.path = ?1 OR (f.path >= ?2 AND f.path < ?3) ORDER BY f.path, e.name"
        );
        self.read(|connection| {
            let mut rows = connection.prepare(&sql).map_err(database::failed)?;
            let bounds = params![paths::bytes(start), prefix, paths::behind(&prefix)];
            let mut rows = rows.query(bounds).map_err(database::failed)?;
            while let Some(row) = rows.next().map_err(database::failed)? {
                cancel.check()?;
                take(query::entry(row).map_err(database::failed)?);
            }
            Ok(())
        })
    }

    /// Reads at the same time as other readers and the writer, in the state of the rows at the start.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let waiting = lock(&self.readers).pop();
        let connection = match waiting {
            Some(connection) => connection,
            None => database::connect(&self.folder)?,
        };
        let result = work(&connection);
        if !self.note_damage(&result) {
            lock(&self.readers).push(connection);
        }
        result
    }

    /// Marks damage that a query finds; the next scan rebuilds the catalogue. Returns true if there was damage.
    fn note_damage<T>(&self, result: &Result<T>) -> bool {
        let is_damaged = result.as_ref().is_err_and(|error| error.code == ErrorCode::Corrupt);
        self.damaged.fetch_or(is_damaged, Ordering::Relaxed);
        is_damaged
    }

    #[cfg(test)]
    pub(crate) fn writer(&self) -> MutexGuard<'_, Connection> {
        lock(&self.writer)
    }
}

fn index(connection: &mut Connection, cancel: &Cancel) -> Result<()> {
    database::make_indexes(connection).map_err(database::failed)?;
    while !cancel.is_cancelled() && rows::index_names(connection).map_err(database::failed)? {}
    Ok(())
}

/// The connection that writes, and whether all is done that a thread does after scans.
fn opened(folder: &Path) -> Result<(Connection, bool)> {
    let prepare = |connection: &Connection| {
        roots::import(connection, folder)?;
        database::is_indexed(connection).map_err(database::failed)
    };
    let mut connection = database::open(folder)?;
    let is_indexed = match prepare(&connection) {
        Err(error) if error.code == ErrorCode::Corrupt => {
            tracing::warn!(%error, "the catalogue of files is rebuilt");
            database::replace(&mut connection, folder)?;
            connection = database::open(folder)?;
            prepare(&connection)?
        }
        prepared => prepared?,
    };
    Ok((connection, is_indexed))
}

/// A panic while a lock was held leaves a connection behind, whose transaction is rolled back.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
