//! The rows of the catalogue, and the statements that write them.

use std::path::{Path, PathBuf};

use casetrack_core::same_text;
use rusqlite::{Connection, OptionalExtension, Statement, Transaction, TransactionBehavior, params};

use crate::columns::Columns;
use crate::entry::Facts;
use crate::paths;
use crate::time::Time;
use crate::walk::{Digest, KnownFolder, KnownFolders, Listing};

/// Rows whose names are indexed, or that are removed, in one transaction.
const IN_ONE_TRANSACTION: usize = 10_000;

pub(crate) struct StoredRow {
    pub id: i64,
    pub columns: Columns,
}

/// The statements of a transaction. Each new entry is first seen at least one nanosecond later than all before it, regardless of the clock,
/// so that these times rise with the ids.
pub(crate) struct Rows<'t> {
    find: Statement<'t>,
    by_inode: Statement<'t>,
    insert: Statement<'t>,
    update: Statement<'t>,
    folder: Statement<'t>,
    path: Statement<'t>,
    add_folder: Statement<'t>,
    set_listing: Statement<'t>,
    forget_listing: Statement<'t>,
    in_folder: Statement<'t>,
    names: Names<'t>,
    /// When the next new entry is first seen.
    now: i64,
}

impl<'t> Rows<'t> {
    pub fn prepare(transaction: &'t Transaction<'t>) -> rusqlite::Result<Self> {
        let columns = Columns::NAMES;
        Ok(Self {
            find: transaction.prepare(&format!("SELECT id, {columns} FROM entries WHERE folder = ? AND name = ?"))?,
            by_inode: transaction.prepare(&format!(
                "SELECT e.id, f.path, e.name, e.folder, {columns} FROM entries e JOIN folders f ON f.id = e.folder
                WHERE e.inode = ? AND e.device = ?"
            ))?,
            // A folder may list a name twice while it changes.
            insert: transaction.prepare(&format!(
                "INSERT OR IGNORE INTO entries ({columns}, folder, name, first_seen)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ))?,
            update: transaction.prepare(&format!(
                "UPDATE OR IGNORE entries SET ({columns}, folder, name) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?"
            ))?,
            folder: transaction.prepare("SELECT id FROM folders WHERE path = ?")?,
            path: transaction.prepare("SELECT path FROM folders WHERE id = ?")?,
            add_folder: transaction.prepare("INSERT INTO folders (path) VALUES (?) RETURNING id")?,
            set_listing: transaction
                .prepare("UPDATE folders SET (digest, files, folders) = (?, ?, ?) WHERE id = ?")?,
            forget_listing: transaction.prepare("UPDATE folders SET digest = NULL WHERE id = ?")?,
            in_folder: transaction.prepare("SELECT id, name FROM entries WHERE folder = ?")?,
            names: Names::prepare(transaction)?,
            now: Time::now().stored().max(last_seen(transaction)?.saturating_add(1)),
        })
    }

    pub fn find(&mut self, folder: i64, name: &[u8]) -> rusqlite::Result<Option<StoredRow>> {
        let found = |row: &rusqlite::Row<'_>| Ok(StoredRow { id: row.get(0)?, columns: Columns::read(row, 1)? });
        self.find.query_row(params![folder, name], found).optional()
    }

    pub fn folder(&mut self, path: &[u8]) -> rusqlite::Result<Option<i64>> {
        self.folder.query_row([path], |row| row.get(0)).optional()
    }

    pub fn add_folder(&mut self, path: &[u8]) -> rusqlite::Result<i64> {
        self.add_folder.query_row([path], |row| row.get(0))
    }

    /// Notes that the rows of the folder agree with this listing.
    pub fn set_listing(&mut self, folder: i64, listing: &Listing) -> rusqlite::Result<()> {
        let (digest, files, folders) = (listing.digest.0.to_be_bytes(), listing.files, listing.folders);
        self.set_listing.execute(params![digest, stored(files), stored(folders), folder])?;
        Ok(())
    }

    /// The rows of the folder may differ from its last listing.
    pub fn forget_listing(&mut self, folder: i64) -> rusqlite::Result<()> {
        self.forget_listing.execute([folder])?;
        Ok(())
    }

    pub fn in_folder(&mut self, folder: i64) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
        self.in_folder.query_map([folder], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    pub fn insert(&mut self, folder: i64, name: &[u8], columns: Columns) -> rusqlite::Result<()> {
        self.insert.execute(columns.with(folder, name, self.now))?;
        self.now = self.now.saturating_add(1);
        Ok(())
    }

    pub fn update(&mut self, id: i64, folder: i64, name: &[u8], columns: Columns) -> rusqlite::Result<()> {
        self.update.execute(columns.with(folder, name, id))?;
        Ok(())
    }

    /// Gives the row of a file that moved here its new place, if its old path is gone. Returns it with its old folder.
    pub fn take_over(&mut self, folder: i64, name: &[u8], columns: Columns) -> rusqlite::Result<Option<(i64, i64)>> {
        let Some((id, before, old_name)) = self.moved_from(&columns.facts(), folder, name)? else { return Ok(None) };
        self.update(id, folder, name, columns)?;
        if old_name != name {
            self.names.replace(id, name)?;
        }
        // Its rows no longer agree with its digest.
        self.forget_listing(before)?;
        Ok(Some((id, before)))
    }

    /// Of several missing names, the one whose path ends most like the new one: a folder that moves keeps its files apart.
    fn moved_from(&mut self, facts: &Facts, folder: i64, name: &[u8]) -> rusqlite::Result<Option<(i64, i64, Vec<u8>)>> {
        let mut gone = self.of_inode(facts)?;
        gone.retain(|(_, path, .., columns)| {
            columns.facts().is_same_file(facts) && !Facts::read(path).is_ok_and(|there| there.is_same_file(facts))
        });
        if gone.len() > 1 {
            let folder: Vec<u8> = self.path.query_row([folder], |row| row.get(0))?;
            let new = paths::joined(&folder, name);
            let alike = |path: &Path| {
                let old = paths::bytes(path).iter().rev();
                old.zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
            };
            gone.sort_by_cached_key(|(_, path, ..)| std::cmp::Reverse(alike(path)));
        }
        Ok(gone.into_iter().next().map(|(id, _, folder, name, _)| (id, folder, name)))
    }

    /// Brings the other names of a file up to date.
    pub fn update_other_names(&mut self, id: i64, facts: &Facts) -> rusqlite::Result<()> {
        for (other, path, folder, name, columns) in self.of_inode(facts)? {
            let Ok(now) = Facts::read(&path) else { continue };
            if other != id && now.is_same_file(facts) && columns != Columns::of(&now) {
                self.update(other, folder, &name, Columns::of(&now))?;
                self.forget_listing(folder)?;
            }
        }
        Ok(())
    }

    #[allow(clippy::type_complexity, reason = "a row")]
    fn of_inode(&mut self, facts: &Facts) -> rusqlite::Result<Vec<(i64, PathBuf, i64, Vec<u8>, Columns)>> {
        if facts.inode == 0 {
            return Ok(Vec::new());
        }
        let key = params![facts.inode.cast_signed(), facts.device.cast_signed()];
        let rows = self.by_inode.query_map(key, |row| {
            let name: Vec<u8> = row.get(2)?;
            let path = paths::from_bytes(paths::joined(row.get_ref(1)?.as_blob()?, &name));
            Ok((row.get(0)?, path, row.get(3)?, name, Columns::read(row, 4)?))
        })?;
        rows.collect()
    }
}

fn last_seen(connection: &Connection) -> rusqlite::Result<i64> {
    const LAST: &str = "SELECT first_seen FROM entries ORDER BY id DESC LIMIT 1";
    Ok(connection.prepare(LAST)?.query_row([], |row| row.get(0)).optional()?.unwrap_or(i64::MIN))
}

/// The index of names. It has the rows up to the id in `state`; queries read the names of later ones.
struct Names<'t> {
    add: Statement<'t>,
    remove: Statement<'t>,
    up_to: i64,
}

impl<'t> Names<'t> {
    fn prepare(transaction: &'t Transaction<'t>) -> rusqlite::Result<Self> {
        Ok(Self {
            add: transaction.prepare("INSERT INTO names (rowid, name) VALUES (?, ?)")?,
            remove: transaction.prepare("DELETE FROM names WHERE rowid = ?")?,
            up_to: up_to(transaction)?,
        })
    }

    fn replace(&mut self, id: i64, name: &[u8]) -> rusqlite::Result<()> {
        if id <= self.up_to {
            self.remove.execute([id])?;
            self.add.execute(params![id, indexed(name)])?;
        }
        Ok(())
    }

    fn remove(&mut self, id: i64) -> rusqlite::Result<()> {
        if id <= self.up_to {
            self.remove.execute([id])?;
        }
        Ok(())
    }
}

/// The last id whose name is indexed.
pub(crate) fn up_to(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare("SELECT names_up_to FROM state")?.query_row([], |row| row.get(0))
}

fn indexed(name: &[u8]) -> String {
    // No requested run of characters contains a line break.
    same_text::spellings(&String::from_utf8_lossy(name)).join("\n")
}

/// Indexes the names of some rows that are not indexed. Returns whether there may be more.
pub(crate) fn index_names(connection: &mut Connection) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (mut count, mut last) = (0, up_to(&transaction)?);
    {
        let mut rows = transaction.prepare("SELECT id, name FROM entries WHERE id > ? ORDER BY id LIMIT ?")?;
        let mut add = transaction.prepare("INSERT INTO names (rowid, name) VALUES (?, ?)")?;
        let mut rows = rows.query(params![last, IN_ONE_TRANSACTION as i64])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            add.execute(params![last, indexed(row.get_ref(1)?.as_blob()?)])?;
            count += 1;
        }
    }
    transaction.execute("UPDATE state SET names_up_to = ?", [last])?;
    transaction.commit()?;
    Ok(count == IN_ONE_TRANSACTION)
}

pub(crate) fn remove(connection: &mut Connection, ids: &[i64]) -> rusqlite::Result<()> {
    for ids in ids.chunks(IN_ONE_TRANSACTION) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        remove_in(&transaction, ids)?;
        transaction.commit()?;
    }
    Ok(())
}

fn remove_in(transaction: &Transaction<'_>, ids: &[i64]) -> rusqlite::Result<()> {
    let mut entry = transaction.prepare("DELETE FROM entries WHERE id = ?")?;
    let mut names = Names::prepare(transaction)?;
    for id in ids {
        entry.execute([id])?;
        names.remove(*id)?;
    }
    Ok(())
}

/// Removes folders with their entries, but not deeper ones. Returns the number of entries. If interrupted, the rest is marked as incomplete.
pub(crate) fn remove_folders(connection: &mut Connection, folders: &[i64]) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut forget = transaction.prepare("UPDATE folders SET digest = NULL WHERE id = ?")?;
        for folder in folders {
            forget.execute([folder])?;
        }
    }
    transaction.commit()?;
    let mut removed = 0;
    for folder in folders {
        let ids: Vec<i64> = connection
            .prepare("SELECT id FROM entries WHERE folder = ?")?
            .query_map([folder], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        removed += ids.len() as u64;
        remove(connection, &ids)?;
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut delete = transaction.prepare("DELETE FROM folders WHERE id = ?")?;
        for folder in folders {
            delete.execute([folder])?;
        }
    }
    transaction.commit()?;
    Ok(removed)
}

/// The folders at and below a path that are known. About 200 bytes of memory each.
pub(crate) fn read_known(connection: &Connection, start: &Path, known: &mut KnownFolders) -> rusqlite::Result<()> {
    let prefix = paths::below(start);
    let mut rows =
        connection.prepare("SELECT id, path, digest FROM folders WHERE path = ?1 OR (path >= ?2 AND path < ?3)")?;
    let mut rows = rows.query(params![paths::bytes(start), prefix, paths::behind(&prefix)])?;
    while let Some(row) = rows.next()? {
        let digest: Option<[u8; 16]> = row.get(2)?;
        let digest = digest.map(|bytes| Digest(u128::from_be_bytes(bytes)));
        known.insert(row.get(1)?, KnownFolder { id: row.get(0)?, digest });
    }
    Ok(())
}

/// Numbers of files and folders known below a path, to a depth of folders (0 is the direct children) or all. Costs about a microsecond for
/// each folder whose rows agree with its last listing, and for each entry of the others.
pub(crate) fn count(connection: &Connection, start: &Path, max_depth: Option<usize>) -> rusqlite::Result<(u64, u64)> {
    let prefix = paths::below(start);
    let mut listed = connection.prepare(
        "SELECT id, path, digest IS NOT NULL, files, folders FROM folders WHERE path = ?1 OR (path >= ?2 AND path < ?3)",
    )?;
    let mut rows = connection.prepare("SELECT count(*), coalesce(sum(kind = 1), 0) FROM entries WHERE folder = ?")?;
    let (mut files, mut below) = (0, 0);
    let mut listed = listed.query(params![paths::bytes(start), prefix, paths::behind(&prefix)])?;
    while let Some(folder) = listed.next()? {
        let depth = paths::folder_depth(&prefix, folder.get_ref(1)?.as_blob()?);
        if max_depth.is_some_and(|max| depth > max) {
            continue;
        }
        let (in_folder, folders): (i64, i64) = match folder.get(2)? {
            true => (folder.get(3)?, folder.get(4)?),
            false => {
                let (all, folders): (i64, i64) =
                    rows.query_row([folder.get::<_, i64>(0)?], |row| Ok((row.get(0)?, row.get(1)?)))?;
                (all - folders, folders)
            }
        };
        files += in_folder.unsigned_abs();
        below += folders.unsigned_abs();
    }
    Ok((files, below))
}

/// A number in the form of the database; larger ones become the maximum.
pub(crate) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
