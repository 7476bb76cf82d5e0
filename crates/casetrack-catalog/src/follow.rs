//! Following: only changes that the operating system reports are read.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use casetrack_core::{Cancel, Error, Result};
use rusqlite::{Connection, TransactionBehavior};

use crate::database::{self, failed};
use crate::entry::{Facts, Kind};
use crate::paths;
use crate::rows::Rows;
use crate::scan::{BeforeListing, Scan, ScanReport, Scope};

/// Changes that the system reported below a root.
pub struct ReportedChanges<'a> {
    /// Paths below the start of the scope that came, went or changed. More of them cost memory; ten thousand cost about half a second.
    pub paths: &'a BTreeSet<PathBuf>,
    /// True if a folder has to be walked, because nothing is reported of it yet.
    pub needs_walk: &'a dyn Fn(&Path) -> bool,
    pub before_listing: BeforeListing<'a>,
}

/// Brings the rows of reported changes, and of the folders that hold them, up to date. New folders are walked; rows below missing ones are
/// removed. The scope gives the start; its depth does not count.
pub(crate) fn run(
    connection: &mut Connection,
    scope: &Scope<'_>,
    reported: &ReportedChanges<'_>,
    cancel: &Cancel,
) -> Result<ScanReport> {
    let started = Instant::now();
    database::prepare_indexes(connection).map_err(failed)?;
    let mut scan = Scan::default();
    let mut touched: BTreeSet<&Path> = BTreeSet::new();
    for path in reported.paths.iter().filter(|path| path.starts_with(scope.start) && *path != scope.start) {
        // The time of a folder changes with its contents.
        touched.extend(path.parent().filter(|parent| parent.starts_with(scope.start) && *parent != scope.start));
        touched.insert(path);
    }
    let mut looked = PathUpdates::default();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    {
        let mut rows = Rows::prepare(&transaction).map_err(failed)?;
        if rows.folder(paths::bytes(scope.start)).map_err(failed)?.is_none() {
            return Err(Error::invalid(format!("{} has not been scanned.", scope.start.display())));
        }
        for path in touched {
            cancel.check()?;
            looked.look(path, &mut scan, &mut rows).map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)?;
    let needs_walk = |path: &Path| (reported.needs_walk)(path) && !(scope.is_closed)(path);
    let mut starts: Vec<(PathBuf, Option<usize>)> = Vec::new();
    for folder in looked.folders.into_iter().filter(|folder| needs_walk(folder)) {
        if !starts.last().is_some_and(|(last, _)| folder.starts_with(last)) {
            starts.push((folder, None));
        }
    }
    if !starts.is_empty() {
        scan.walk(connection, &starts, scope, reported.before_listing, cancel)?;
    }
    for path in &looked.no_folders {
        scan.cover(connection, path, None)?;
    }
    // Nothing counts as deleted if the root itself is gone.
    scope.start.symlink_metadata().map_err(|error| Error::io(scope.start.display(), error))?;
    scan.finish(connection)?;
    scan.report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(scan.report)
}

#[derive(Default)]
struct PathUpdates {
    folders: BTreeSet<PathBuf>,
    /// Paths that are gone, or no longer folders.
    no_folders: Vec<PathBuf>,
}

impl PathUpdates {
    fn look(&mut self, path: &Path, scan: &mut Scan, rows: &mut Rows<'_>) -> rusqlite::Result<()> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
        // If it is not known, a folder around it is new and walked.
        let Some(folder) = rows.folder(paths::bytes(parent))? else { return Ok(()) };
        let name = name.as_encoded_bytes();
        match Facts::read(path) {
            Ok(facts) => {
                let before = scan.update_entry(folder, name, &facts, rows)?;
                match facts.kind {
                    Kind::Folder => drop(self.folders.insert(path.to_owned())),
                    _ if before.is_some_and(|row| row.columns.is_folder()) => self.no_folders.push(path.to_owned()),
                    _ => {}
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                if let Some(row) = rows.find(folder, name)? {
                    rows.forget_listing(folder)?;
                    scan.is_gone(row.id);
                }
                self.no_folders.push(path.to_owned());
            }
            Err(error) => scan.problem(path, &error),
        }
        Ok(())
    }
}
