//! A scan: what a walk finds is compared with the rows, and only differences are written.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use rusqlite::{Connection, OptionalExtension, Params, Statement, Transaction, TransactionBehavior, params};
use serde::Serialize;

use crate::database::failed;
use crate::entry::{Facts, Kind};
use crate::paths::{self, shown};
use crate::time::Time;
use crate::walk::{Finding, Walk};

/// Messages that may wait for the writer.
const QUEUE: usize = 64;
/// Longest transaction: others that write wait for its end.
const TRANSACTION: Duration = Duration::from_millis(500);
/// Problems that a report names; it counts all.
const NAMED_PROBLEMS: usize = 100;
/// Rows that are removed in one transaction.
const REMOVALS: usize = 10_000;

/// What a scan covers.
pub struct Scope<'a> {
    /// An absolute path without `.` and `..`, not a link.
    pub start: &'a Path,
    /// How many folders deep; 0 is the direct children only.
    pub max_depth: Option<usize>,
    /// Folders that are listed themselves, but not what is in them.
    pub is_closed: &'a (dyn Fn(&Path) -> bool + Sync),
}

/// What a scan found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ScanReport {
    /// Files, links and others that were looked at.
    pub files: u64,
    /// Folders that were looked at, without the start.
    pub folders: u64,
    pub added: u64,
    pub changed: u64,
    /// Those that had another path before.
    pub moved: u64,
    pub removed: u64,
    /// Folders and entries that could not be looked at. What is known below them stays.
    pub problem_count: u64,
    /// The first hundred of them.
    pub problems: Vec<Problem>,
    pub elapsed_ms: u64,
}

/// A folder or entry that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub path: String,
    pub reason: String,
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

/// Brings the rows below a folder up to date. What was written stays when it is cancelled or fails; rows are removed only at the end.
pub(crate) fn run(connection: &mut Connection, scope: &Scope<'_>, cancel: &Cancel) -> Result<ScanReport> {
    let started = Instant::now();
    let io = |error| Error::io(scope.start.display(), error);
    let start = scope.start.symlink_metadata().map_err(io)?;
    if !start.is_dir() {
        return Err(Error::invalid(format!("{} is not a folder.", scope.start.display())));
    }
    // A start that cannot be listed is an error; nothing below it counts as deleted.
    std::fs::read_dir(scope.start).map_err(io)?;
    let (sender, findings) = crossbeam_channel::bounded(QUEUE);
    let walk = Walk { max_depth: scope.max_depth, is_closed: scope.is_closed, cancel };
    let mut scan = Scan::default();
    let written = std::thread::scope(|threads| {
        threads.spawn(move || walk.run(scope.start, &sender));
        // The receiver ends with this, and the walk with the receiver.
        scan.write(connection, findings)
    });
    written?;
    if cancel.is_cancelled() {
        return Err(Error::cancelled());
    }
    // A folder that vanished meanwhile looks empty.
    scope.start.symlink_metadata().map_err(io)?;
    scan.remove_unseen(connection, scope)?;
    scan.report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(scan.report)
}

#[derive(Default)]
struct Scan {
    report: ScanReport,
    /// One bit for each id: whether this scan has met it.
    seen: Vec<u64>,
    /// Those that could not be looked at, as bytes of their paths.
    unknown: Vec<Vec<u8>>,
}

impl Scan {
    fn see(&mut self, id: i64) {
        let Ok(id) = usize::try_from(id) else { return };
        if self.seen.len() <= id / 64 {
            self.seen.resize((id / 64 + 1).next_power_of_two(), 0);
        }
        if let Some(word) = self.seen.get_mut(id / 64) {
            *word |= 1 << (id % 64);
        }
    }

    fn has_seen(&self, id: i64) -> bool {
        let Ok(id) = usize::try_from(id) else { return false };
        self.seen.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    fn write(&mut self, connection: &mut Connection, findings: Receiver<Finding>) -> Result<()> {
        loop {
            let Ok(first) = findings.recv() else { return Ok(()) };
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let deadline = Instant::now() + TRANSACTION;
            let is_over = {
                let mut rows = Rows::prepare(&transaction).map_err(failed)?;
                let mut next = Some(first);
                loop {
                    if let Some(finding) = next.take() {
                        self.take(finding, &mut rows)?;
                    }
                    match findings.recv_deadline(deadline) {
                        Ok(finding) => next = Some(finding),
                        Err(RecvTimeoutError::Timeout) => break false,
                        Err(RecvTimeoutError::Disconnected) => break true,
                    }
                    if Instant::now() >= deadline {
                        if let Some(finding) = next.take() {
                            self.take(finding, &mut rows)?;
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

    fn take(&mut self, finding: Finding, rows: &mut Rows<'_>) -> Result<()> {
        match finding {
            Finding::Entries(entries) => {
                for (path, facts) in entries {
                    self.bring_up_to_date(&path, &facts, rows).map_err(failed)?;
                }
            }
            Finding::Problem(path, error) => {
                self.report.problem_count += 1;
                if self.report.problems.len() < NAMED_PROBLEMS {
                    let problem = Problem { path: shown(&path).into_owned(), reason: error.to_string() };
                    self.report.problems.push(problem);
                }
                self.unknown.push(paths::bytes(&path).to_vec());
            }
        }
        Ok(())
    }

    fn bring_up_to_date(&mut self, path: &Path, facts: &Facts, rows: &mut Rows<'_>) -> rusqlite::Result<()> {
        match facts.kind {
            Kind::Folder => self.report.folders += 1,
            _ => self.report.files += 1,
        }
        let bytes = paths::bytes(path);
        if let Some((id, known)) = rows.find(bytes)? {
            if known != Columns::of(facts) {
                rows.update(id, bytes, facts)?;
                self.report.changed += 1;
            }
            self.see(id);
            return Ok(());
        }
        let id = match rows.moved_from(facts)? {
            Some(id) => {
                rows.update(id, bytes, facts)?;
                rows.forget_name(id)?;
                rows.add_name(id, path)?;
                self.report.moved += 1;
                id
            }
            None => {
                let id = rows.insert(bytes, facts)?;
                rows.add_name(id, path)?;
                self.report.added += 1;
                id
            }
        };
        self.see(id);
        Ok(())
    }

    /// Removes the rows in the scope that the walk has not met, except below what could not be looked at.
    fn remove_unseen(&mut self, connection: &mut Connection, scope: &Scope<'_>) -> Result<()> {
        let prefix = paths::below(scope.start);
        let mut removals = Vec::new();
        {
            let mut rows =
                connection.prepare("SELECT id, path FROM entries WHERE path >= ? AND path < ?").map_err(failed)?;
            let mut rows = rows.query(params![prefix, paths::behind(&prefix)]).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                let id = row.get(0).map_err(failed)?;
                if self.has_seen(id) {
                    continue;
                }
                let path = row.get_ref(1).and_then(|path| Ok(path.as_blob()?)).map_err(failed)?;
                let is_covered = scope.max_depth.is_none_or(|max| paths::depth(&prefix, path) <= max);
                if is_covered && !self.is_unknown(path) {
                    removals.push(id);
                }
            }
        }
        for ids in removals.chunks(REMOVALS) {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            remove(&transaction, ids).map_err(failed)?;
            transaction.commit().map_err(failed)?;
            self.report.removed += ids.len() as u64;
        }
        Ok(())
    }

    /// Whether it is, or lies below, something that could not be looked at.
    fn is_unknown(&self, path: &[u8]) -> bool {
        self.unknown.iter().any(|unknown| {
            path.strip_prefix(&unknown[..]).is_some_and(|rest| {
                rest.is_empty() || rest.first() == Some(&(std::path::MAIN_SEPARATOR as u8)) || unknown.ends_with(b"/")
            })
        })
    }
}

/// Removes rows with their names.
pub(crate) fn remove(transaction: &Transaction<'_>, ids: &[i64]) -> rusqlite::Result<()> {
    let mut entry = transaction.prepare("DELETE FROM entries WHERE id = ?")?;
    let mut name = transaction.prepare("DELETE FROM names WHERE rowid = ?")?;
    for id in ids {
        entry.execute([id])?;
        name.execute([id])?;
    }
    Ok(())
}

/// The facts as the database keeps them. Device and inode are the same bits as a signed number.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) struct Columns {
    kind: i64,
    size: i64,
    allocated: i64,
    modified: i64,
    changed: i64,
    created: Option<i64>,
    accessed: i64,
    device: i64,
    inode: i64,
}

impl Columns {
    /// Their names, in order.
    pub const NAMES: &str = "kind, size, allocated, modified, changed, created, accessed, device, inode";

    /// The parameters of a statement: all of them, a path and a number.
    fn with<'p>(self, path: &'p [u8], last: i64) -> impl Params + 'p {
        let Self { kind, size, allocated, modified, changed, created, accessed, device, inode } = self;
        (kind, size, allocated, modified, changed, created, accessed, device, inode, path, last)
    }

    pub fn of(facts: &Facts) -> Self {
        let size = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        Self {
            kind: facts.kind.number(),
            size: size(facts.size),
            allocated: size(facts.allocated),
            modified: facts.modified.stored(),
            changed: facts.changed.stored(),
            created: facts.created.map(Time::stored),
            accessed: facts.accessed.stored(),
            device: facts.device.cast_signed(),
            inode: facts.inode.cast_signed(),
        }
    }

    /// Reads them from the columns of a row from `first` on.
    pub fn read(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            kind: row.get(first)?,
            size: row.get(first + 1)?,
            allocated: row.get(first + 2)?,
            modified: row.get(first + 3)?,
            changed: row.get(first + 4)?,
            created: row.get(first + 5)?,
            accessed: row.get(first + 6)?,
            device: row.get(first + 7)?,
            inode: row.get(first + 8)?,
        })
    }

    pub fn facts(&self) -> Facts {
        Facts {
            kind: Kind::from_number(self.kind),
            size: self.size.unsigned_abs(),
            allocated: self.allocated.unsigned_abs(),
            modified: Time::from_stored(self.modified),
            changed: Time::from_stored(self.changed),
            created: self.created.map(Time::from_stored),
            accessed: Time::from_stored(self.accessed),
            device: self.device.cast_unsigned(),
            inode: self.inode.cast_unsigned(),
        }
    }
}

/// The statements of a scan.
struct Rows<'t> {
    transaction: &'t Transaction<'t>,
    find: Statement<'t>,
    by_inode: Statement<'t>,
    insert: Statement<'t>,
    update: Statement<'t>,
    add_name: Statement<'t>,
    forget_name: Statement<'t>,
    now: i64,
}

impl<'t> Rows<'t> {
    fn prepare(transaction: &'t Transaction<'t>) -> rusqlite::Result<Self> {
        let columns = Columns::NAMES;
        Ok(Self {
            transaction,
            find: transaction.prepare(&format!("SELECT id, {columns} FROM entries WHERE path = ?"))?,
            by_inode: transaction
                .prepare(&format!("SELECT id, path, {columns} FROM entries WHERE inode = ? AND device = ?"))?,
            insert: transaction.prepare(&format!(
                "INSERT INTO entries ({columns}, path, first_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ))?,
            update: transaction.prepare(&format!(
                "UPDATE entries SET ({columns}, path) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?"
            ))?,
            add_name: transaction.prepare("INSERT INTO names (rowid, name) VALUES (?, ?)")?,
            forget_name: transaction.prepare("DELETE FROM names WHERE rowid = ?")?,
            now: Time::now().stored(),
        })
    }

    fn find(&mut self, path: &[u8]) -> rusqlite::Result<Option<(i64, Columns)>> {
        self.find.query_row([path], |row| Ok((row.get(0)?, Columns::read(row, 1)?))).optional()
    }

    /// The row of the same file under a path where it no longer is.
    fn moved_from(&mut self, facts: &Facts) -> rusqlite::Result<Option<i64>> {
        let columns = Columns::of(facts);
        let mut rows = self.by_inode.query([columns.inode, columns.device])?;
        while let Some(row) = rows.next()? {
            let is_same = Columns::read(row, 2)?.facts().is_same_file(facts);
            let path: PathBuf = paths::from_bytes(row.get(1)?);
            if is_same && !Facts::read(&path).is_ok_and(|there| there.is_same_file(facts)) {
                return row.get(0).map(Some);
            }
        }
        Ok(None)
    }

    fn insert(&mut self, path: &[u8], facts: &Facts) -> rusqlite::Result<i64> {
        self.insert.execute(Columns::of(facts).with(path, self.now))?;
        Ok(self.transaction.last_insert_rowid())
    }

    fn update(&mut self, id: i64, path: &[u8], facts: &Facts) -> rusqlite::Result<()> {
        self.update.execute(Columns::of(facts).with(path, id))?;
        Ok(())
    }

    fn add_name(&mut self, id: i64, path: &Path) -> rusqlite::Result<()> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        self.add_name.execute(params![id, name])?;
        Ok(())
    }

    fn forget_name(&mut self, id: i64) -> rusqlite::Result<()> {
        self.forget_name.execute([id])?;
        Ok(())
    }
}
