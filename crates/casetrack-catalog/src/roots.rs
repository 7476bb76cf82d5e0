//! The roots that were asked for: what users made. They are also in a file beside the database, which a damaged one is made anew from.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::database::failed;
use crate::paths;
use crate::time::Time;

/// Name of the file beside the database.
const FILE: &str = "roots.json";

/// A folder whose files are in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub path: PathBuf,
    pub added: Time,
    /// When a scan of all that is below it last ended.
    pub scanned: Option<Time>,
    /// Entries below it that are known.
    pub entries: u64,
}

/// As the file keeps them: the bytes of each path, because a name need not be Unicode.
#[derive(Serialize, Deserialize)]
struct Exported {
    format: u32,
    roots: Vec<ExportedRoot>,
}

#[derive(Serialize, Deserialize)]
struct ExportedRoot {
    /// For people.
    path: String,
    bytes: Vec<u8>,
    /// Nanoseconds since 1970.
    added: i64,
}

/// All roots, in the order of their paths. Costs a count of all rows.
pub(crate) fn list(connection: &Connection) -> Result<Vec<Root>> {
    let read = || -> rusqlite::Result<Vec<Root>> {
        let mut rows = connection.prepare("SELECT path, added, scanned FROM roots ORDER BY path")?;
        let mut count = connection.prepare("SELECT count(*) FROM entries WHERE path >= ? AND path < ?")?;
        let rows =
            rows.query_map([], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?, row.get::<_, Option<i64>>(2)?)))?;
        rows.map(|row| {
            let (bytes, added, scanned) = row?;
            let path = paths::from_bytes(bytes);
            let prefix = paths::below(&path);
            let entries: i64 = count.query_row(params![prefix, paths::behind(&prefix)], |row| row.get(0))?;
            let (added, scanned) = (Time::from_stored(added), scanned.map(Time::from_stored));
            Ok(Root { path, added, scanned, entries: entries.unsigned_abs() })
        })
        .collect()
    };
    read().map_err(failed)
}

/// Makes a folder a root, unless it lies in one.
pub(crate) fn add(connection: &Connection, folder: &Path, beside: &Path) -> Result<()> {
    let lies_in = |root: &Vec<u8>| folder.starts_with(paths::from_bytes(root.clone()));
    if paths_of(connection).map_err(failed)?.iter().any(lies_in) {
        return Ok(());
    }
    connection
        .execute(
            "INSERT OR IGNORE INTO roots (path, added) VALUES (?, ?)",
            params![paths::bytes(folder), Time::now().stored()],
        )
        .map_err(failed)?;
    export(connection, beside)
}

/// Notes that all below a root was scanned; other folders are left as they are.
pub(crate) fn scanned(connection: &Connection, folder: &Path) -> Result<()> {
    connection
        .execute("UPDATE roots SET scanned = ? WHERE path = ?", params![Time::now().stored(), paths::bytes(folder)])
        .map(drop)
        .map_err(failed)
}

/// Removes a root and what is below it and below no other root. Returns whether there was one.
pub(crate) fn remove(connection: &mut Connection, folder: &Path, beside: &Path) -> Result<bool> {
    let forget = |connection: &mut Connection| -> rusqlite::Result<bool> {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if transaction.execute("DELETE FROM roots WHERE path = ?", [paths::bytes(folder)])? == 0 {
            return Ok(false);
        }
        let kept = paths_of(&transaction)?;
        let is_kept =
            |path: &[u8]| kept.iter().any(|root| path.starts_with(&paths::below(&paths::from_bytes(root.clone()))));
        let prefix = paths::below(folder);
        let mut ids: Vec<i64> = Vec::new();
        {
            let mut rows = transaction.prepare("SELECT id, path FROM entries WHERE path >= ? AND path < ?")?;
            let mut rows = rows.query(params![prefix, paths::behind(&prefix)])?;
            while let Some(row) = rows.next()? {
                if !is_kept(&row.get::<_, Vec<u8>>(1)?) {
                    ids.push(row.get(0)?);
                }
            }
        }
        crate::scan::remove(&transaction, &ids)?;
        transaction.commit()?;
        Ok(true)
    };
    let was_there = forget(connection).map_err(failed)?;
    export(connection, beside)?;
    Ok(was_there)
}

fn paths_of(connection: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
    connection.prepare("SELECT path FROM roots")?.query_map([], |row| row.get(0))?.collect()
}

/// Writes the file beside the database.
fn export(connection: &Connection, beside: &Path) -> Result<()> {
    let read = || -> rusqlite::Result<Vec<ExportedRoot>> {
        let mut rows = connection.prepare("SELECT path, added FROM roots ORDER BY path")?;
        let rows = rows.query_map([], |row| {
            let bytes: Vec<u8> = row.get(0)?;
            let path = paths::from_bytes(bytes.clone()).to_string_lossy().into_owned();
            Ok(ExportedRoot { path, bytes, added: row.get(1)? })
        })?;
        rows.collect()
    };
    let exported = Exported { format: 1, roots: read().map_err(failed)? };
    let path = beside.join(FILE);
    let json = serde_json::to_vec_pretty(&exported).map_err(|error| Error::internal(error.to_string()))?;
    // Renamed into place, so that it is whole at any time.
    let partial = beside.join("roots.json.new");
    let written = std::fs::write(&partial, json).and_then(|()| std::fs::rename(&partial, &path));
    written.map_err(|error| Error::io(path.display(), error))
}

/// Takes the roots over from the file beside the database, where the database was made anew. A file that cannot be read is reported in
/// the log, and there are no roots then.
pub(crate) fn import(connection: &Connection, beside: &Path) -> Result<()> {
    let path = beside.join(FILE);
    let exported: Exported = match std::fs::read(&path).map(|bytes| serde_json::from_slice(&bytes)) {
        Ok(Ok(exported)) => exported,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(path.display(), error)),
        Ok(Err(error)) => {
            tracing::warn!(%error, path = %path.display(), "the list of roots cannot be read");
            return Ok(());
        }
    };
    for root in exported.roots {
        connection
            .execute("INSERT OR IGNORE INTO roots (path, added) VALUES (?, ?)", params![root.bytes, root.added])
            .map_err(failed)?;
    }
    Ok(())
}
