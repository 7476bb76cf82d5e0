//! Updates of single paths, in a root or not.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Result};
use rusqlite::{OptionalExtension, TransactionBehavior, params};

use crate::catalog::Catalog;
use crate::database::failed;
use crate::entry::Facts;
use crate::paths::{self, shown};
use crate::rows::{self, Rows};
use crate::scan::{Problem, Scan, reason};
use crate::time::Time;

impl Catalog {
    /// Brings the rows of these paths up to date: new ones are added, also outside all roots; rows of missing files are removed. Nothing
    /// below folders is read. Returns the paths that are missing or cannot be read.
    pub fn look_at(&self, paths: &[PathBuf], cancel: &Cancel) -> Result<Vec<Problem>> {
        self.write(cancel, |connection| {
            let (mut scan, mut problems) = (Scan::default(), Vec::new());
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let mut gone = Vec::new();
            {
                let mut rows = Rows::prepare(&transaction).map_err(failed)?;
                for path in paths {
                    cancel.check()?;
                    let problem = |reason: String| Problem { path: shown(path).into_owned(), reason };
                    match Facts::read(path) {
                        Ok(facts) => {
                            if !update(path, facts, &mut scan, &mut rows).map_err(failed)? {
                                problems.push(problem("has no folder around it".to_owned()));
                            }
                        }
                        Err(error) => {
                            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                                gone.extend(known_id(path, &mut rows).map_err(failed)?);
                            }
                            problems.push(problem(reason(&error)));
                        }
                    }
                }
            }
            transaction.commit().map_err(failed)?;
            rows::remove(connection, &gone).map_err(failed)?;
            Ok(problems)
        })
    }
}

impl Catalog {
    /// When an entry was first met; `None` for a path that is not known.
    pub fn first_seen(&self, path: &Path) -> Result<Option<Time>> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
        self.read(|connection| {
            connection
                .query_row(
                    "SELECT e.first_seen FROM entries e JOIN folders f ON f.id = e.folder WHERE f.path = ? AND e.name = ?",
                    params![paths::bytes(parent), name.as_encoded_bytes()],
                    |row| row.get(0),
                )
                .optional()
                .map(|time: Option<i64>| time.map(Time::from_stored))
                .map_err(failed)
        })
    }

    /// True if the catalogue has this file or folder, or anything in this folder.
    pub fn knows(&self, path: &Path) -> Result<bool> {
        let is_folder = |connection: &rusqlite::Connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM folders WHERE path = ?)";
            connection.query_row(sql, params![paths::bytes(path)], |row| row.get(0)).map_err(failed)
        };
        Ok(self.read(is_folder)? || self.first_seen(path)?.is_some())
    }
}

/// Returns whether the path can be kept.
fn update(path: &Path, facts: Facts, scan: &mut Scan, rows: &mut Rows<'_>) -> rusqlite::Result<bool> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(false) };
    let folder = match rows.folder(paths::bytes(parent))? {
        Some(folder) => folder,
        None => rows.add_folder(paths::bytes(parent))?,
    };
    scan.update_entry(folder, name.as_encoded_bytes(), &facts, rows)?;
    Ok(true)
}

fn known_id(path: &Path, rows: &mut Rows<'_>) -> rusqlite::Result<Option<i64>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    let Some(folder) = rows.folder(paths::bytes(parent))? else { return Ok(None) };
    let Some(row) = rows.find(folder, name.as_encoded_bytes())? else { return Ok(None) };
    rows.forget_listing(folder)?;
    Ok(Some(row.id))
}
