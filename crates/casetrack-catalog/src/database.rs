//! The database: how it is opened, its schema, and what happens when it is damaged.

use std::path::Path;
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::{Connection, ErrorCode as SqliteCode};

/// Name of the file in the folder of the catalogue.
pub(crate) const FILE: &str = "files.sqlite";
/// The new name of a damaged database.
pub(crate) const DAMAGED: &str = "files.damaged.sqlite";
/// Free space that is worth a rewrite of the database, in pages of 4,096 bytes.
const LEAST_FREE_PAGES: i64 = 4_096;
/// How long a writer waits for another process. Transactions are short.
const PATIENCE: Duration = Duration::from_secs(30);

/// The schema, one step for each version: a database of version n has had the first n steps. A new version is a new step at the end. The
/// first step no longer creates the tables that the second one drops.
///
/// `names` holds, for each row of `entries` up to the id in `state`, the spellings of its name, by runs of three characters. It stores no
/// text. The second step keeps the names of folders once, instead of the path of each entry twice; what it drops is read from the disk
/// again. `digest` is the digest of the folder's listing if its rows agree with it. The third step adds the numbers of files and folders in
/// that listing; existing digests do not have them. The fourth makes the times of first sight of entries rise with their ids, as they do
/// since. The fifth indexes all names again, which were only in lower case before.
const STEPS: &[&str] = &[
    "
CREATE TABLE roots (
    path BLOB PRIMARY KEY,
    added INTEGER NOT NULL,
    scanned INTEGER
) WITHOUT ROWID;
",
    "
DROP TABLE IF EXISTS names;
DROP TABLE IF EXISTS entries;
CREATE TABLE folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path BLOB NOT NULL UNIQUE,
    digest BLOB
);
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL,
    name BLOB NOT NULL,
    kind INTEGER NOT NULL,
    size INTEGER NOT NULL,
    allocated INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    created INTEGER,
    accessed INTEGER NOT NULL,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    first_seen INTEGER NOT NULL
);
CREATE UNIQUE INDEX entries_place ON entries (folder, name);
CREATE VIRTUAL TABLE names USING fts5
    (name, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
CREATE TABLE state (names_up_to INTEGER NOT NULL, digest_key INTEGER NOT NULL);
INSERT INTO state VALUES (0, random());
ALTER TABLE roots ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
",
    "
UPDATE folders SET digest = NULL;
ALTER TABLE folders ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN folders INTEGER NOT NULL DEFAULT 0;
",
    "
UPDATE entries SET first_seen = risen FROM
    (SELECT id AS entry, max(first_seen - id) OVER (ORDER BY id) + id AS risen FROM entries) WHERE id = entry;
",
    "
INSERT INTO names (names) VALUES ('delete-all');
UPDATE state SET names_up_to = 0;
",
];

/// The indexes that are made after the rows of a first scan, which is faster than with each row.
const INDEXED: [&str; 5] = ["modified", "changed", "created", "size", "inode"];

/// Drops the indexes if there is no row yet, and creates missing ones if there are rows. Returns true if there is no row.
pub(crate) fn prepare_indexes(connection: &Connection) -> rusqlite::Result<bool> {
    if connection.query_row("SELECT EXISTS (SELECT 1 FROM entries)", [], |row| row.get(0))? {
        make_indexes(connection)?;
        return Ok(false);
    }
    for column in INDEXED {
        connection.execute_batch(&format!("DROP INDEX IF EXISTS entries_{column}"))?;
    }
    Ok(true)
}

/// Makes those that are missing. Costs a second or two for each million rows.
pub(crate) fn make_indexes(connection: &Connection) -> rusqlite::Result<()> {
    for column in INDEXED {
        connection.execute_batch(&format!("CREATE INDEX IF NOT EXISTS entries_{column} ON entries ({column})"))?;
    }
    Ok(())
}

pub(crate) fn failed(error: rusqlite::Error) -> Error {
    let reason = error.to_string();
    let (code, message, hint) = match error.sqlite_error_code() {
        Some(SqliteCode::DatabaseCorrupt | SqliteCode::NotADatabase) => (
            ErrorCode::Corrupt,
            "The catalogue of files is damaged".to_owned(),
            "It is rebuilt when the files are indexed again; the damaged one is kept next to it.",
        ),
        Some(SqliteCode::DiskFull) => (
            ErrorCode::DiskFull,
            "The disk is full; the catalogue of files stays as it was".to_owned(),
            "Free some disk space, then try again.",
        ),
        Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked) => (
            ErrorCode::InUse,
            "Another process has been writing to the catalogue of files for a long time".to_owned(),
            "Try again when it is done.",
        ),
        Some(SqliteCode::PermissionDenied | SqliteCode::ReadOnly | SqliteCode::CannotOpen) => (
            ErrorCode::PermissionDenied,
            "The catalogue of files cannot be opened or written".to_owned(),
            "Give your user permission to read and write the data directory, then try again.",
        ),
        _ => (
            ErrorCode::Io,
            "The catalogue of files failed".to_owned(),
            "Try again; if it fails again, report it with this message.",
        ),
    };
    Error::new(code, format!("{message}: {reason}.")).with_hint(hint).with_source(error)
}

/// Opens the database in a folder, or creates it. A damaged one is moved aside and replaced by an empty one.
pub(crate) fn open(folder: &Path) -> Result<Connection> {
    match try_open(folder) {
        Err(error) if error.code == ErrorCode::Corrupt => {
            tracing::warn!(%error, "the catalogue of files is rebuilt");
            set_aside(folder, FILE, DAMAGED)?;
            try_open(folder)
        }
        opened => opened,
    }
}

fn try_open(folder: &Path) -> Result<Connection> {
    let mut connection = connect(folder)?;
    migrate(&mut connection, STEPS, |found| {
        let message =
            format!("The catalogue of files has the format {found}; this program knows formats up to {}.", STEPS.len());
        Error::new(ErrorCode::NewerSchema, message).with_hint(
            "Use the newer program that made it, or move files.sqlite, files.sqlite-wal and files.sqlite-shm out of the folder \
            \"catalog\" of the data directory and index your folders again. Leave the other files there: they hold what you made.",
        )
    })?;
    if let Err(error) = give_back(&connection, LEAST_FREE_PAGES) {
        tracing::warn!(%error, "the catalogue of files keeps its free space");
    }
    Ok(connection)
}

/// Returns free space to the disk, once it is a quarter of the file and at least `least` pages. The program opens the catalogue with every
/// start, so this is the regular time for it.
fn give_back(connection: &Connection, least: i64) -> rusqlite::Result<()> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let (free, all) = (number("freelist_count")?, number("page_count")?);
    if free >= least && free * 4 >= all {
        connection.execute_batch("VACUUM")?;
    }
    Ok(())
}

/// A connection to a database that is open elsewhere already.
pub(crate) fn connect(folder: &Path) -> Result<Connection> {
    let connection = Connection::open(folder.join(FILE)).map_err(failed)?;
    set_up(&connection)?;
    Ok(connection)
}

pub(crate) fn set_up(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // A lost transaction costs a scan, so the disk need not be waited for at each one; in this mode it never damages the file.
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;
        PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;";
    connection.execute_batch(settings).map_err(failed)
}

/// Brings a database up to date. `newer` is the error for a version that has more steps.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str], newer: impl Fn(i64) -> Error) -> Result<()> {
    let version = |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if version(connection).map_err(failed)? == steps.len() as i64 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have done it in the meantime.
    let found = version(&transaction).map_err(failed)?;
    let missing = usize::try_from(found).ok().and_then(|done| steps.get(done..)).ok_or_else(|| newer(found))?;
    for step in missing {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction.pragma_update(None, "user_version", steps.len() as i64).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Moves the damaged database of a connection aside. The connection is to an empty database in memory afterwards.
pub(crate) fn replace(connection: &mut Connection, folder: &Path) -> Result<()> {
    *connection = Connection::open_in_memory().map_err(failed)?;
    set_aside(folder, FILE, DAMAGED)
}

/// Moves a damaged database aside; an earlier one that was moved aside is overwritten.
pub(crate) fn set_aside(folder: &Path, file: &str, aside: &str) -> Result<()> {
    let io = |error| Error::io(folder.join(file).display(), error);
    std::fs::rename(folder.join(file), folder.join(aside)).map_err(io)?;
    for suffix in ["-wal", "-shm"] {
        match std::fs::remove_file(folder.join(format!("{file}{suffix}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
    }
    Ok(())
}

/// True if the background indexing after scans is complete.
pub(crate) fn is_indexed(connection: &Connection) -> rusqlite::Result<bool> {
    const INDEXES: &str = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 'entries_' || ?";
    for column in INDEXED {
        if connection.query_row(INDEXES, [column], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(false);
        }
    }
    const NAMES: &str = "SELECT coalesce(max(id), 0) <= (SELECT names_up_to FROM state) FROM entries";
    connection.query_row(NAMES, [], |row| row.get(0))
}

/// Reads the whole database in a folder, and its indexes.
///
/// Errors: [`ErrorCode::Corrupt`] with the first fault.
pub(crate) fn check(folder: &Path) -> Result<()> {
    // A new connection: FTS5 checks the index of names by the segments that the connection read last, and another connection may have
    // merged these since (SQLite 3.54.1, `fts5IntegrityMethod`).
    let mut connection = connect(folder)?;
    // One state of the database for all that follows.
    let state = connection.transaction().map_err(failed)?;
    let verdict: String = state.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(failed)?;
    let count = |sql: &str| state.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed);
    let rows = count("SELECT count(*) FROM entries WHERE id <= (SELECT names_up_to FROM state)")?;
    let names = count("SELECT count(*) FROM names")?;
    let astray = count("SELECT count(*) FROM entries WHERE folder NOT IN (SELECT id FROM folders)")?;
    let fault = match verdict.as_str() {
        "ok" if rows == names && astray == 0 => return Ok(()),
        "ok" if astray > 0 => format!("{astray} entries are in no folder"),
        "ok" => format!("it has {rows} entries to be found by name and {names} indexed names"),
        _ => verdict,
    };
    Err(Error::new(ErrorCode::Corrupt, format!("The catalogue of files is damaged: {fault}."))
        .with_hint("It is rebuilt when the files are indexed again; the damaged one is kept next to it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_gives_its_free_space_back_once_it_is_much() {
        let dir = tempfile::tempdir().unwrap();
        let connection = open(dir.path()).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (x BLOB); WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 500)
            INSERT INTO t SELECT zeroblob(4000) FROM n; DELETE FROM t;",
            )
            .unwrap();
        let free = || connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0)).unwrap();
        let before = free();
        give_back(&connection, before + 1).unwrap();
        assert_eq!(free(), before);
        give_back(&connection, before).unwrap();
        assert!(before > 400 && free() == 0, "{before} pages, then {}", free());
    }

    #[test]
    fn a_newer_format_is_refused_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let connection = open(dir.path()).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        drop(connection);
        let error = open(dir.path()).unwrap_err();
        assert_eq!(error.code, ErrorCode::NewerSchema);
        assert!(error.message.contains("format 99"), "{error}");
        // The data of users is in the same folder.
        let hint = error.hint.unwrap().plain().unwrap();
        assert!(!hint.contains("delete") && hint.contains("files.sqlite-wal"), "{hint}");
    }

    #[test]
    fn an_earlier_format_is_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let connection = Connection::open(dir.path().join(FILE)).unwrap();
        STEPS[..3].iter().for_each(|step| connection.execute_batch(step).unwrap());
        connection.pragma_update(None, "user_version", 3).unwrap();
        // Seen at the same time, and after the clock was set back.
        for (id, seen) in [(1, 100), (3, 100), (4, 50), (9, 700)] {
            let row = "INSERT INTO entries VALUES (?1, ?1, 'a', 0, 0, 0, 0, 0, NULL, 0, 0, 0, ?2)";
            connection.execute(row, [id, seen]).unwrap();
        }
        drop(connection);
        let connection = open(dir.path()).unwrap();
        let mut rows = connection.prepare("SELECT first_seen FROM entries ORDER BY id").unwrap();
        let seen: Vec<i64> = rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(seen, [100, 102, 103, 700]);
    }

    #[test]
    fn what_is_no_database_is_moved_aside() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), vec![b'x'; 10_000]).unwrap();
        drop(open(dir.path()).unwrap());
        check(dir.path()).unwrap();
        assert_eq!(std::fs::metadata(dir.path().join(DAMAGED)).unwrap().len(), 10_000);
    }
}
