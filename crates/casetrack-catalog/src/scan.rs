//! A scan compares the findings of a walk with the rows, and writes only differences.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;

use crate::columns::Columns;
use crate::database::{self, failed};
use crate::entry::{Facts, Kind};
use crate::paths::{self, shown};
use crate::rows::{self, Rows, StoredRow};
use crate::walk::{Finding, KnownFolder, KnownFolders, Listing, ListingPart, Start, Walk};

/// Messages that may wait for the writer.
const QUEUE: usize = 64;
/// Longest transaction: others that write wait for its end.
const TRANSACTION: Duration = Duration::from_millis(500);
/// Problems that a report names; it counts all.
const NAMED_PROBLEMS: usize = 100;

pub struct Scope<'a> {
    /// An absolute path without `.` and `..`, not a link.
    pub start: &'a Path,
    /// How many folders deep; 0 is the direct children only.
    pub max_depth: Option<usize>,
    /// Folders that are listed themselves, without their contents.
    pub is_closed: &'a (dyn Fn(&Path) -> bool + Sync),
}

/// Called with each folder before it is listed, so that it can be watched first. Threads call it at the same time.
pub type BeforeListing<'a> = &'a (dyn Fn(&Path) + Sync);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ScanReport {
    /// Files, links and others that were read.
    pub files: u64,
    /// Folders that were read, without the start.
    pub folders: u64,
    pub added: u64,
    pub changed: u64,
    /// Those that had another path before.
    pub moved: u64,
    pub removed: u64,
    /// Folders and entries that could not be read. The rows below them stay.
    pub problem_count: u64,
    /// The first hundred of them.
    pub problems: Vec<Problem>,
    pub elapsed_ms: u64,
}

/// A folder or entry that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
}

/// Why a path cannot be read, without the number that the operating system adds.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// One scan at a time writes; the file system's lock also holds between processes.
pub(crate) struct ScanLock(#[allow(dead_code, reason = "the lock ends with the file")] File);

impl ScanLock {
    /// Waits for the scan of another process or thread.
    pub fn wait(folder: &Path, cancel: &Cancel) -> Result<Self> {
        let path = folder.join("scan.lock");
        let io = |error| Error::io(path.display(), error);
        let file = File::options().create(true).append(true).open(&path).map_err(io)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(std::fs::TryLockError::Error(error)) => return Err(io(error)),
                Err(std::fs::TryLockError::WouldBlock) if cancel.is_cancelled() => return Err(Error::cancelled()),
                Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

/// Brings the rows below a folder up to date. A cancelled or failed scan keeps the rows that it has written; rows are removed only at the end.
pub(crate) fn run(
    connection: &mut Connection,
    scope: &Scope<'_>,
    before_listing: BeforeListing<'_>,
    cancel: &Cancel,
) -> Result<ScanReport> {
    let started = Instant::now();
    let io = |error| Error::io(scope.start.display(), error);
    let start = scope.start.symlink_metadata().map_err(io)?;
    if !start.is_dir() {
        return Err(Error::invalid(format!("{} is not a folder.", scope.start.display())));
    }
    // A start that cannot be listed is an error; nothing below it counts as deleted.
    std::fs::read_dir(scope.start).map_err(io)?;
    let mut scan = Scan::default();
    scan.walk(connection, &[(scope.start.to_owned(), scope.max_depth)], scope, before_listing, cancel)?;
    // A folder that vanished in the meantime looks empty.
    scope.start.symlink_metadata().map_err(io)?;
    scan.finish(connection)?;
    scan.report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(scan.report)
}

/// A folder whose parts are being taken.
struct OpenFolder {
    id: i64,
    /// True if it had no rows before.
    is_new: bool,
    /// Rows that the listing confirms.
    met: HashSet<i64>,
}

#[derive(Default)]
pub(crate) struct Scan {
    pub report: ScanReport,
    /// True if the catalogue was empty: then no file can have moved.
    is_first: bool,
    known: KnownFolders,
    /// Known folders of the scope that the walk has not met. Those that remain at the end are gone.
    unmet: HashSet<i64>,
    open: HashMap<Vec<u8>, OpenFolder>,
    /// Rows to remove at the end, unless their files are met elsewhere.
    gone: HashSet<i64>,
    /// Listings to write when those are removed.
    listings: HashMap<i64, Listing>,
    /// Paths that could not be read, as bytes.
    unknown: Vec<Vec<u8>>,
}

impl Scan {
    /// Walks `starts`, which are not nested, and writes differences. The start of the scope itself has no row.
    pub fn walk(
        &mut self,
        connection: &mut Connection,
        starts: &[Start],
        scope: &Scope<'_>,
        before_listing: BeforeListing<'_>,
        cancel: &Cancel,
    ) -> Result<()> {
        self.is_first = database::prepare_indexes(connection).map_err(failed)?;
        for (start, depth) in starts {
            self.cover(connection, start, *depth)?;
        }
        let key: i64 = connection.query_row("SELECT digest_key FROM state", [], |row| row.get(0)).map_err(failed)?;
        let (sender, findings) = crossbeam_channel::bounded(QUEUE);
        let known = std::mem::take(&mut self.known);
        let walk = Walk { known: &known, key: key.cast_unsigned(), is_closed: scope.is_closed, before_listing, cancel };
        let written = std::thread::scope(|threads| {
            threads.spawn(move || walk.run(starts.to_vec(), &sender));
            // The receiver ends with this, and the walk with the receiver.
            self.write(connection, findings, &known)
        });
        self.known = known;
        written?;
        cancel.check()
    }

    /// Marks the rows below `start` for removal at the end, unless the walk meets them.
    pub fn cover(&mut self, connection: &Connection, start: &Path, max_depth: Option<usize>) -> Result<()> {
        let mut known = KnownFolders::new();
        rows::read_known(connection, start, &mut known).map_err(failed)?;
        let prefix = paths::below(start);
        let is_covered =
            |path: &[u8]| max_depth.is_none_or(|max| path == paths::bytes(start) || paths::depth(&prefix, path) < max);
        self.unmet.extend(known.iter().filter(|(path, _)| is_covered(path)).map(|(_, folder)| folder.id));
        self.known.extend(known);
        Ok(())
    }

    fn write(&mut self, connection: &mut Connection, findings: Receiver<Finding>, known: &KnownFolders) -> Result<()> {
        loop {
            let Ok(first) = findings.recv() else { return Ok(()) };
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let deadline = Instant::now() + TRANSACTION;
            let is_over = {
                let mut rows = Rows::prepare(&transaction).map_err(failed)?;
                let mut next = Some(first);
                loop {
                    if let Some(finding) = next.take() {
                        self.take(finding, &mut rows, known).map_err(failed)?;
                    }
                    match findings.recv_deadline(deadline) {
                        Ok(finding) => next = Some(finding),
                        Err(RecvTimeoutError::Timeout) => break false,
                        Err(RecvTimeoutError::Disconnected) => break true,
                    }
                    if Instant::now() >= deadline {
                        if let Some(finding) = next.take() {
                            self.take(finding, &mut rows, known).map_err(failed)?;
                        }
                        break false;
                    }
                }
            };
            transaction.commit().map_err(failed)?;
            if is_over {
                return Ok(());
            }
        }
    }

    fn take(&mut self, finding: Finding, rows: &mut Rows<'_>, known: &KnownFolders) -> rusqlite::Result<()> {
        match finding {
            Finding::Entries(part) => self.take_part(part, rows, known)?,
            Finding::Unchanged { folder, listing } => {
                self.count(&listing);
                self.unmet.remove(&folder);
            }
            Finding::Problem(path, error) => self.problem(&path, &error),
        }
        Ok(())
    }

    fn count(&mut self, listing: &Listing) {
        self.report.files += listing.files;
        self.report.folders += listing.folders;
    }

    /// Notes a path that could not be read; its rows stay.
    pub fn problem(&mut self, path: &Path, error: &std::io::Error) {
        self.unknown.push(paths::bytes(path).to_vec());
        // A folder that was deleted during the walk is no problem; the next scan removes it.
        if error.kind() == std::io::ErrorKind::NotFound {
            return;
        }
        self.report.problem_count += 1;
        if self.report.problems.len() < NAMED_PROBLEMS {
            let problem = Problem { path: shown(path).into_owned(), reason: reason(error) };
            self.report.problems.push(problem);
        }
    }

    fn take_part(&mut self, part: ListingPart, rows: &mut Rows<'_>, known: &KnownFolders) -> rusqlite::Result<()> {
        let path = paths::bytes(&part.folder).to_vec();
        let mut folder = match self.open.remove(&path) {
            Some(folder) => folder,
            None => {
                let before = known.get(&path);
                let id = match before {
                    Some(before) => {
                        self.unmet.remove(&before.id);
                        // Until all its rows are written.
                        rows.forget_listing(before.id)?;
                        before.id
                    }
                    None => rows.add_folder(&path)?,
                };
                OpenFolder { id, is_new: before.is_none(), met: HashSet::new() }
            }
        };
        for (name, columns) in part.entries {
            if let Some(id) = self.bring_up_to_date(folder.id, folder.is_new, &name, columns, rows)? {
                folder.met.insert(id);
            }
        }
        match part.end {
            Some(listing) => self.close(&folder, &path, &listing, rows),
            None => {
                self.open.insert(path, folder);
                Ok(())
            }
        }
    }

    /// Everything in a folder has been taken.
    fn close(
        &mut self,
        folder: &OpenFolder,
        path: &[u8],
        listing: &Listing,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<()> {
        self.count(listing);
        let mut gone = Vec::new();
        if !folder.is_new {
            for (id, name) in rows.in_folder(folder.id)? {
                if !folder.met.contains(&id) && !self.is_unknown(&paths::joined(path, &name)) {
                    gone.push(id);
                }
            }
        }
        match listing.is_whole {
            false => {}
            true if gone.is_empty() => rows.set_listing(folder.id, listing)?,
            true => drop(self.listings.insert(folder.id, *listing)),
        }
        self.gone.extend(gone);
        Ok(())
    }

    /// Returns the id of the row, if there was one.
    pub fn bring_up_to_date(
        &mut self,
        folder: i64,
        is_new: bool,
        name: &[u8],
        columns: Columns,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<Option<i64>> {
        let known = if is_new { None } else { rows.find(folder, name)? };
        if let Some(row) = known {
            if row.columns != columns {
                rows.update(row.id, folder, name, columns)?;
                self.report.changed += 1;
            }
            return Ok(Some(row.id));
        }
        let taken_over = if self.is_first { None } else { rows.take_over(folder, name, columns)? };
        match taken_over {
            Some((id, before)) => {
                self.report.moved += 1;
                self.gone.remove(&id);
                self.listings.remove(&before);
                Ok(Some(id))
            }
            None => {
                rows.insert(folder, name, columns)?;
                self.report.added += 1;
                // A folder that is not new needs the id, to confirm the row.
                Ok(if is_new { None } else { rows.find(folder, name)?.map(|row| row.id) })
            }
        }
    }

    /// Brings the row of one entry up to date, and the rows of the other names of its file. Returns the row that was there before.
    pub fn update_entry(
        &mut self,
        folder: i64,
        name: &[u8],
        facts: &Facts,
        rows: &mut Rows<'_>,
    ) -> rusqlite::Result<Option<StoredRow>> {
        let (before, columns) = (rows.find(folder, name)?, Columns::of(facts));
        if before.as_ref().is_some_and(|row| row.columns == columns) {
            return Ok(before);
        }
        rows.forget_listing(folder)?;
        let id = self.bring_up_to_date(folder, false, name, columns, rows)?;
        if let Some(id) = id.filter(|_| facts.kind == Kind::File) {
            rows.update_other_names(id, facts)?;
        }
        Ok(before)
    }

    /// Counts a row as gone, unless its file is met elsewhere.
    pub fn is_gone(&mut self, id: i64) {
        self.gone.insert(id);
    }

    /// Removes rows that the walk has not met, except below paths that could not be read.
    pub fn finish(&mut self, connection: &mut Connection) -> Result<()> {
        let gone: Vec<i64> = self.gone.drain().collect();
        rows::remove(connection, &gone).map_err(failed)?;
        self.report.removed += gone.len() as u64;
        let is_gone =
            |(path, folder): &(&Vec<u8>, &KnownFolder)| self.unmet.contains(&folder.id) && !self.is_unknown(path);
        let folders: Vec<i64> = self.known.iter().filter(is_gone).map(|(_, folder)| folder.id).collect();
        self.unmet.clear();
        if !folders.is_empty() {
            self.report.removed += rows::remove_folders(connection, &folders).map_err(failed)?;
        }
        if !self.listings.is_empty() {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            {
                let mut rows = Rows::prepare(&transaction).map_err(failed)?;
                for (folder, listing) in self.listings.drain() {
                    rows.set_listing(folder, &listing).map_err(failed)?;
                }
            }
            transaction.commit().map_err(failed)?;
        }
        Ok(())
    }

    /// True if a path is, or is below, one that could not be read.
    fn is_unknown(&self, path: &[u8]) -> bool {
        self.unknown.iter().any(|unknown| {
            path.strip_prefix(&unknown[..]).is_some_and(|rest| {
                rest.is_empty() || rest.first() == Some(&(std::path::MAIN_SEPARATOR as u8)) || unknown.ends_with(b"/")
            })
        })
    }
}
