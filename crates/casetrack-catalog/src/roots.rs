//! The roots that users chose. They are also in a file next to the database, from which a damaged one is rebuilt.

use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::database::failed;
use crate::paths;
use crate::time::Time;
use crate::walk::KnownFolders;

const FILE: &str = "roots.json";
const FORMAT: u32 = 1;

/// A folder whose files are in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub path: PathBuf,
    pub added: Time,
    /// The end of the last scan of everything below it.
    pub scanned: Option<Time>,
    /// Entries below it that are known.
    pub entries: u64,
    /// True if its changes are to be followed.
    pub live: bool,
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
    #[serde(default)]
    live: bool,
}

/// All roots, in the order of their paths, with [counts](crate::rows::count) of the entries below them.
pub(crate) fn list(connection: &Connection) -> Result<Vec<Root>> {
    let read = || -> rusqlite::Result<Vec<Root>> {
        let mut rows = connection.prepare("SELECT path, added, scanned, live FROM roots ORDER BY path")?;
        let rows = rows.query_map([], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?, row.get::<_, Option<i64>>(2)?, row.get(3)?))
        })?;
        rows.map(|row| {
            let (bytes, added, scanned, live) = row?;
            let path = paths::from_bytes(bytes);
            let (files, folders) = crate::rows::count(connection, &path, None)?;
            let (added, scanned) = (Time::from_stored(added), scanned.map(Time::from_stored));
            Ok(Root { path, added, scanned, entries: files + folders, live })
        })
        .collect()
    };
    read().map_err(failed)
}

/// Makes a folder a root, unless it is in one.
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

/// Records that everything below a root was scanned; other folders stay unchanged.
pub(crate) fn scanned(connection: &Connection, folder: &Path) -> Result<()> {
    connection
        .execute("UPDATE roots SET scanned = ? WHERE path = ?", params![Time::now().stored(), paths::bytes(folder)])
        .map(drop)
        .map_err(failed)
}

/// Makes a folder itself a root, whose changes are followed or not. Returns true if anything changed.
pub(crate) fn set_live(connection: &Connection, folder: &Path, live: bool, beside: &Path) -> Result<bool> {
    let bytes = paths::bytes(folder);
    let change = || {
        if live {
            let now = Time::now().stored();
            connection.execute("INSERT OR IGNORE INTO roots (path, added) VALUES (?, ?)", params![bytes, now])?;
        }
        connection.execute("UPDATE roots SET live = ?1 WHERE path = ?2 AND live <> ?1", params![live, bytes])
    };
    let changed = change().map_err(failed)? > 0;
    export(connection, beside)?;
    Ok(changed)
}

/// The roots whose changes are followed, in the order of their paths.
pub(crate) fn live(connection: &Connection) -> Result<Vec<PathBuf>> {
    let read = || -> rusqlite::Result<Vec<PathBuf>> {
        let mut rows = connection.prepare("SELECT path FROM roots WHERE live ORDER BY path")?;
        rows.query_map([], |row| row.get(0).map(paths::from_bytes))?.collect()
    };
    read().map_err(failed)
}

/// Removes a root with the rows below it and below no other root. Returns true if there was one.
pub(crate) fn remove(connection: &mut Connection, folder: &Path, beside: &Path) -> Result<bool> {
    let forget = |connection: &mut Connection| -> rusqlite::Result<bool> {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if transaction.execute("DELETE FROM roots WHERE path = ?", [paths::bytes(folder)])? == 0 {
            return Ok(false);
        }
        let kept = paths_of(&transaction)?;
        let is_kept = |path: &[u8]| {
            let lies_below = |root: &Vec<u8>| path.starts_with(&paths::below(&paths::from_bytes(root.clone())));
            kept.iter().any(|root| path == root || lies_below(root))
        };
        let mut known = KnownFolders::new();
        crate::rows::read_known(&transaction, folder, &mut known)?;
        let ids: Vec<i64> = known.iter().filter(|(path, _)| !is_kept(path)).map(|(_, folder)| folder.id).collect();
        transaction.commit()?;
        crate::rows::remove_folders(connection, &ids)?;
        Ok(true)
    };
    let was_there = forget(connection).map_err(failed)?;
    export(connection, beside)?;
    Ok(was_there)
}

/// As [`take_over`], for the user.
pub(crate) fn add_exported(connection: &Connection, json: &[u8], beside: &Path) -> Result<usize> {
    let count = take_over(connection, json)?;
    export(connection, beside)?;
    Ok(count)
}

fn paths_of(connection: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
    connection.prepare("SELECT path FROM roots")?.query_map([], |row| row.get(0))?.collect()
}

/// Writes the file next to the database.
fn export(connection: &Connection, beside: &Path) -> Result<()> {
    let path = beside.join(FILE);
    // Renamed into place, so that it is whole at any time.
    let partial = beside.join("roots.json.new");
    let written = std::fs::write(&partial, exported(connection)?).and_then(|()| std::fs::rename(&partial, &path));
    written.map_err(|error| Error::io(path.display(), error))
}

/// The data of users, as JSON.
pub(crate) fn exported(connection: &Connection) -> Result<Vec<u8>> {
    let read = || -> rusqlite::Result<Vec<ExportedRoot>> {
        let mut rows = connection.prepare("SELECT path, added, live FROM roots ORDER BY path")?;
        let rows = rows.query_map([], |row| {
            let bytes: Vec<u8> = row.get(0)?;
            let path = paths::from_bytes(bytes.clone()).to_string_lossy().into_owned();
            Ok(ExportedRoot { path, bytes, added: row.get(1)?, live: row.get(2)? })
        })?;
        rows.collect()
    };
    let exported = Exported { format: FORMAT, roots: read().map_err(failed)? };
    serde_json::to_vec_pretty(&exported).map_err(|error| Error::internal(error.to_string()))
}

/// Restores the roots of a rebuilt database from the file next to it. If the file cannot be read, the log has a warning, and there are no
/// roots.
pub(crate) fn import(connection: &Connection, beside: &Path) -> Result<()> {
    let path = beside.join(FILE);
    let json = match std::fs::read(&path) {
        Ok(json) => json,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(path.display(), error)),
    };
    match take_over(connection, &json) {
        Err(error) if error.code == ErrorCode::InvalidArgument => {
            tracing::warn!(%error, path = %path.display(), "the list of roots cannot be read");
            Ok(())
        }
        done => done.map(drop),
    }
}

/// Adds the output of [`exported`]. Existing roots stay unchanged. Returns the number of new roots.
///
/// Errors: something else, or a newer format; then nothing is added.
pub(crate) fn take_over(connection: &Connection, json: &[u8]) -> Result<usize> {
    let exported: Exported = serde_json::from_slice(json)
        .map_err(|error| Error::invalid(format!("It is not an export of the catalogue of files: {error}.")))?;
    if exported.format > FORMAT {
        return Err(Error::invalid(format!(
            "It has the format {}; this program knows formats up to {FORMAT}.",
            exported.format
        )));
    }
    let mut count = 0;
    for root in exported.roots.into_iter().filter(|root| paths::from_bytes(root.bytes.clone()).is_absolute()) {
        let added = connection.execute(
            "INSERT OR IGNORE INTO roots (path, added, live) VALUES (?, ?, ?)",
            params![root.bytes, root.added, root.live],
        );
        count += added.map_err(failed)?;
    }
    Ok(count)
}
