//! The database of users' data: sets, sources, plans and their histories. It is next to the catalogue, which is attached to it, so that it
//! survives a rebuild of the catalogue.

use std::path::Path;

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::{Connection, params};

use crate::database;

/// Name of the file in the folder of the catalogue.
pub(super) const FILE: &str = "space.sqlite";
/// The new name of a damaged database.
const DAMAGED: &str = "space.damaged.sqlite";

/// The schema, one step for each version. Times are seconds since 1970.
///
/// `members` names entries by the ids of the catalogue whose key is in `state`. `places` and `place_folders` repeat the paths of these
/// entries; after a rebuild of the catalogue, members wait by their paths until a scan meets them. `handed` has the entries that the
/// outcomes of a plan had, with the times of their last change then, in nanoseconds. Jobs up to `jobs_before` worked on an earlier
/// catalogue.
const STEPS: &[&str] = &["
CREATE TABLE state (catalog_key INTEGER);
INSERT INTO state VALUES (NULL);
CREATE TABLE sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE edges (parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
CREATE INDEX edges_child ON edges (child);
CREATE TABLE members (
    set_id INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    added INTEGER NOT NULL,
    PRIMARY KEY (set_id, entry)
) WITHOUT ROWID;
CREATE TABLE places (entry INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name BLOB NOT NULL);
CREATE TABLE place_folders (id INTEGER PRIMARY KEY, path BLOB NOT NULL);
CREATE TABLE waiting (
    set_id INTEGER NOT NULL,
    folder BLOB NOT NULL,
    name BLOB NOT NULL,
    added INTEGER NOT NULL,
    PRIMARY KEY (set_id, folder, name)
) WITHOUT ROWID;
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    target_set TEXT NOT NULL,
    config TEXT NOT NULL,
    update_mode TEXT NOT NULL,
    status TEXT NOT NULL,
    created INTEGER NOT NULL,
    last_run INTEGER,
    last_error TEXT
);
CREATE TABLE plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    sources TEXT NOT NULL,
    conditions TEXT,
    outcomes TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
);
CREATE TABLE executions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    status TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    entries INTEGER NOT NULL DEFAULT 0,
    matched INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX executions_plan ON executions (plan, id);
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    status TEXT NOT NULL,
    progress REAL NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0,
    folders INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    error TEXT
);
CREATE INDEX jobs_status ON jobs (status, id);
CREATE TABLE queries (name TEXT PRIMARY KEY, arguments TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE contents (
    sha256 TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    properties TEXT NOT NULL,
    thumbnail BLOB,
    width INTEGER,
    height INTEGER,
    no_thumbnail TEXT,
    made INTEGER NOT NULL
);
CREATE INDEX contents_made ON contents (made);
CREATE TABLE digests (path BLOB PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX digests_sha256 ON digests (sha256);
", "
CREATE TABLE handed (
    plan INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    PRIMARY KEY (plan, entry)
) WITHOUT ROWID;
ALTER TABLE state ADD COLUMN jobs_before INTEGER NOT NULL DEFAULT 0;
"];

/// Triggers that count the changes of the catalogue, by block of ids, and of its folders as block -1. A block that was never read has no
/// row, so that a first scan pays nothing for it.
const WATCHED: &str = "
CREATE TABLE IF NOT EXISTS touched (block INTEGER PRIMARY KEY, changes INTEGER NOT NULL);
INSERT OR IGNORE INTO touched VALUES (-1, 0);
CREATE TRIGGER IF NOT EXISTS touched_insert AFTER INSERT ON entries
    BEGIN UPDATE touched SET changes = changes + 1 WHERE block = new.id >> 12; END;
CREATE TRIGGER IF NOT EXISTS touched_update AFTER UPDATE ON entries
    BEGIN UPDATE touched SET changes = changes + 1 WHERE block = new.id >> 12; END;
CREATE TRIGGER IF NOT EXISTS touched_delete AFTER DELETE ON entries
    BEGIN UPDATE touched SET changes = changes + 1 WHERE block = old.id >> 12; END;
CREATE TRIGGER IF NOT EXISTS touched_folder AFTER INSERT ON folders
    BEGIN UPDATE touched SET changes = changes + 1 WHERE block = -1; END;
CREATE TRIGGER IF NOT EXISTS touched_no_folder AFTER DELETE ON folders
    BEGIN UPDATE touched SET changes = changes + 1 WHERE block = -1; END;
";

pub(super) fn failed(error: rusqlite::Error) -> Error {
    database::failed(error)
}

/// Opens the database, or creates it, with the catalogue of the same folder attached as `files`. A damaged one is moved aside, with an
/// error in the log.
pub(super) fn open(folder: &Path) -> Result<Connection> {
    let mut connection = match own(folder) {
        Err(error) if error.code == ErrorCode::Corrupt => {
            tracing::error!(%error, "the resource sets cannot be read; they are kept in {DAMAGED}");
            set_aside(folder)?;
            own(folder)?
        }
        opened => opened?,
    };
    watch(folder)?;
    attach(&connection, folder)?;
    rebind(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// Moves a damaged database aside; an earlier one that was moved aside is overwritten.
pub(super) fn set_aside(folder: &Path) -> Result<()> {
    database::set_aside(folder, FILE, DAMAGED)
}

/// The database without the catalogue.
fn own(folder: &Path) -> Result<Connection> {
    let mut connection = Connection::open(folder.join(FILE)).map_err(failed)?;
    database::set_up(&connection)?;
    // The data of users must survive a power failure.
    connection.execute_batch("PRAGMA synchronous = FULL;").map_err(failed)?;
    database::migrate(&mut connection, STEPS, |found| {
        let message =
            format!("The resource sets have the format {found}; this program knows formats up to {}.", STEPS.len());
        Error::new(ErrorCode::NewerSchema, message).with_hint("Use the newer program that made them.")
    })?;
    Ok(connection)
}

/// A connection to a database that is open elsewhere already.
pub(super) fn connect(folder: &Path) -> Result<Connection> {
    let connection = Connection::open(folder.join(FILE)).map_err(failed)?;
    database::set_up(&connection)?;
    attach(&connection, folder)?;
    Ok(connection)
}

fn attach(connection: &Connection, folder: &Path) -> Result<()> {
    let files = folder.join(database::FILE);
    let name = files.to_str().ok_or_else(|| {
        Error::invalid(format!("{} is not Unicode, which resource sets need.", folder.display()))
            .with_hint("Move the data directory to a folder with another name.")
    })?;
    connection.execute("ATTACH ? AS files", params![name]).map_err(failed)?;
    connection.execute_batch("PRAGMA files.cache_size = -32768").map_err(failed)
}

/// Makes the catalogue count its changes.
fn watch(folder: &Path) -> Result<()> {
    database::connect(folder)?.execute_batch(WATCHED).map_err(failed)
}

/// Makes members wait by their paths if the catalogue was rebuilt, because its ids then mean other entries.
fn rebind(connection: &mut Connection) -> rusqlite::Result<()> {
    let key: i64 = connection.query_row("SELECT digest_key FROM files.state", [], |row| row.get(0))?;
    let known: Option<i64> = connection.query_row("SELECT catalog_key FROM state", [], |row| row.get(0))?;
    if known == Some(key) {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    transaction
        .execute("UPDATE state SET catalog_key = ?, jobs_before = (SELECT coalesce(max(id), 0) FROM jobs)", [key])?;
    transaction.execute_batch(
        "INSERT OR IGNORE INTO waiting SELECT m.set_id, f.path, p.name, m.added FROM members m
            JOIN places p ON p.entry = m.entry JOIN place_folders f ON f.id = p.folder;
        DELETE FROM members;
        DELETE FROM places;
        DELETE FROM place_folders;
        DELETE FROM handed;
        UPDATE sets SET revision = revision + 1;",
    )?;
    transaction.commit()
}
