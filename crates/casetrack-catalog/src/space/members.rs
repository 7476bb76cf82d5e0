//! Which entries the sets have.

use std::path::PathBuf;
use std::sync::Arc;

use casetrack_core::{Cancel, Result};
use rusqlite::{Connection, Transaction, params};

use super::block::{Block, Row};
use super::ids::Ids;
use super::image::{Image, number};
use super::schema::failed;
use super::sets::{self, Direction, Graph, Set};
use super::sums::Totals;
use super::{Space, now};
use crate::catalog::lock;
use crate::paths;
use crate::scan::Problem;

/// How entries are put into a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Append,
    /// As `Append`, and members that are no longer on the disk leave the set.
    Merge,
    /// The set has these and no others.
    Replace,
    Remove,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    pub added: u64,
    pub removed: u64,
    /// Named paths that are missing or cannot be read.
    pub problems: Vec<Problem>,
}

impl Space {
    /// Adds paths to a set. Paths that the catalogue lacks are read now; the answer names missing ones.
    ///
    /// Errors: a set that does not exist.
    pub fn add_paths(&self, name: &str, paths: &[PathBuf], cancel: &Cancel) -> Result<Change> {
        self.set(name)?;
        let (picked, problems) = self.pick_paths(paths, cancel)?;
        Ok(Change { problems, ..self.put(name, &picked, Mode::Append)? })
    }

    /// Removes paths from a set. The files stay. A path that the set does not have is named in the answer.
    ///
    /// Errors: a set that does not exist.
    pub fn remove_paths(&self, name: &str, paths: &[PathBuf]) -> Result<Change> {
        let set = self.set(name)?;
        let (members, mut problems) = (self.members(&set)?, Vec::new());
        let mut ids = Ids::default();
        for path in paths {
            let id = self.read(|connection| number(connection, path))?;
            match id.filter(|id| members.contains(*id)) {
                Some(id) => drop(ids.insert(id)),
                None => problems.push(Problem {
                    path: paths::shown(path).into_owned(),
                    reason: "is not in the resource-set".to_owned(),
                }),
            }
        }
        Ok(Change { problems, ..self.apply(name, &ids, Mode::Remove)? })
    }

    /// Makes a set unless there is one.
    ///
    /// Errors: a name that no set can have.
    pub fn make_set(&self, name: &str) -> Result<Set> {
        match self.read(|connection| sets::by_name(connection, name))? {
            Some(set) => Ok(set),
            None => self.write(|transaction| sets::existing_or_new(transaction, name)),
        }
    }

    /// Changes the members of a set, and writes only differences. About two microseconds for each entry that comes or leaves.
    pub(super) fn apply(&self, name: &str, ids: &Ids, mode: Mode) -> Result<Change> {
        let image = self.image()?;
        let before = self.members(&self.set(name)?)?;
        let mut after = match mode {
            Mode::Replace => Ids::default(),
            _ => (*before).clone(),
        };
        match mode {
            Mode::Append | Mode::Merge | Mode::Replace => after.unite(ids),
            Mode::Remove => ids.iter().for_each(|id| after.remove(id)),
        }
        let known: Ids = match mode {
            Mode::Append | Mode::Remove => Ids::default(),
            Mode::Merge | Mode::Replace => image.ids(),
        };
        if matches!(mode, Mode::Merge | Mode::Replace) {
            after.keep(&known);
        }
        let (added, removed) = (after.without(&before), before.without(&after));
        let mut change = Change::default();
        if added.is_empty() && removed.is_empty() {
            return Ok(change);
        }
        let set = self.write(|transaction| {
            let set = sets::existing(transaction, name)?;
            write_members(transaction, &set, &added, &removed, &mut change).map_err(failed)?;
            sets::existing(transaction, name)
        })?;
        let mut cached = lock(&self.members);
        // If another call changed it in the meantime, it is read again.
        match cached.get(&set.id).is_some_and(|(revision, _)| revision + 1 == set.revision) {
            true => drop(cached.insert(set.id, (set.revision, Arc::new(after)))),
            false => drop(cached.remove(&set.id)),
        }
        Ok(change)
    }

    pub(super) fn members(&self, set: &Set) -> Result<Arc<Ids>> {
        if let Some((revision, ids)) = lock(&self.members).get(&set.id)
            && *revision == set.revision
        {
            return Ok(Arc::clone(ids));
        }
        let ids = Arc::new(self.read(|connection| {
            let mut rows = connection.prepare("SELECT entry FROM members WHERE set_id = ?")?;
            rows.query_map([set.id], |row| row.get(0))?.collect::<rusqlite::Result<Ids>>()
        })?);
        lock(&self.members).insert(set.id, (set.revision, Arc::clone(&ids)));
        Ok(ids)
    }

    /// The members of a set and of those below it, to a depth of edges or all.
    pub(super) fn members_with_children(&self, set: &Set, depth: Option<u32>) -> Result<Ids> {
        let mut ids = (*self.members(set)?).clone();
        for (below, _) in self.relatives(&set.name, Direction::Children, depth)? {
            let members = self.members(&below)?;
            ids.unite(&members);
        }
        Ok(ids)
    }

    /// Sums up a set, with the sets below it to a depth of edges (0 is the set itself), and each of its children with the sets below that.
    ///
    /// Errors: a set that does not exist.
    pub fn sum(&self, name: &str, depth: Option<u32>) -> Result<(Totals, Vec<(Set, Totals)>)> {
        let set = self.set(name)?;
        let image = self.image()?;
        let totals = image.totals(&self.members_with_children(&set, depth)?);
        let mut breakdown = Vec::new();
        if depth != Some(0) {
            let below = depth.map(|depth| depth - 1);
            for (child, _) in self.relatives(name, Direction::Children, Some(1))? {
                let ids = self.members_with_children(&child, below)?;
                breakdown.push((child, image.totals(&ids)));
            }
        }
        Ok((totals, breakdown))
    }

    /// How many entries each of these sets has itself, and how many sets are directly below it.
    pub fn counts(&self, sets: &[Set]) -> Result<Vec<(u64, u64)>> {
        let image = self.image()?;
        let graph = self.read(Graph::read)?;
        let count = |set: &Set| {
            let members = self.members(set)?;
            let entries: u64 =
                image.blocks_of(&members).iter().map(|(block, bits)| block.places(bits).len() as u64).sum();
            Ok((entries, graph.children(set.id).len() as u64))
        };
        sets.iter().map(count).collect()
    }

    /// Binds members that wait for their files since the catalogue was rebuilt, if a scan has met these.
    pub(super) fn bind(&self) -> Result<()> {
        let waits: bool = self.read(|connection| {
            connection.prepare("SELECT EXISTS (SELECT 1 FROM waiting)")?.query_row([], |row| row.get(0))
        })?;
        if !waits {
            return Ok(());
        }
        self.write_rows(|transaction| {
            let sets: Vec<i64> = transaction
                .prepare("SELECT DISTINCT set_id FROM waiting")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for set in sets {
                let bound = transaction.execute(
                    "INSERT OR IGNORE INTO members SELECT w.set_id, e.id, w.added FROM waiting w
                    JOIN files.folders f ON f.path = w.folder JOIN files.entries e ON e.folder = f.id AND e.name = w.name
                    WHERE w.set_id = ?",
                    [set],
                )?;
                if bound > 0 {
                    transaction.execute(
                        "DELETE FROM waiting WHERE set_id = ? AND EXISTS (SELECT 1 FROM files.folders f
                        JOIN files.entries e ON e.folder = f.id WHERE f.path = waiting.folder AND e.name = waiting.name)",
                        [set],
                    )?;
                    note_places(transaction, set)?;
                    sets::touch(transaction, &[set])?;
                }
            }
            Ok(())
        })
    }

    /// Updates the places of members that have moved, and removes members whose files are gone. Costs about a second for a million members.
    pub fn tidy(&self) -> Result<()> {
        self.write_rows(|transaction| {
            transaction.execute_batch(
                "DELETE FROM members WHERE entry NOT IN (SELECT id FROM files.entries);
                DELETE FROM handed WHERE entry NOT IN (SELECT id FROM files.entries);
                DELETE FROM places WHERE entry NOT IN (SELECT entry FROM members);
                UPDATE places SET (folder, name) = (SELECT folder, name FROM files.entries e WHERE e.id = places.entry)
                    WHERE EXISTS (SELECT 1 FROM files.entries e WHERE e.id = places.entry
                        AND (e.folder <> places.folder OR e.name <> places.name));
                INSERT OR IGNORE INTO place_folders SELECT id, path FROM files.folders
                    WHERE id IN (SELECT folder FROM places);
                DELETE FROM place_folders WHERE id NOT IN (SELECT folder FROM places);",
            )
        })
    }
}

impl Image {
    /// As [`members`](Self::members), with their blocks.
    pub fn members_in<'a>(&'a self, ids: &'a Ids) -> impl Iterator<Item = (&'a Block, Row)> {
        self.blocks_of(ids).into_iter().flat_map(|(block, bits)| block.rows_of(bits).map(move |row| (block, row)))
    }
}

fn write_members(
    transaction: &Transaction<'_>,
    set: &Set,
    added: &Ids,
    removed: &Ids,
    change: &mut Change,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare("INSERT OR IGNORE INTO members (set_id, entry, added) VALUES (?, ?, ?)")?;
    let time = now();
    for id in added.iter() {
        change.added += insert.execute(params![set.id, id, time])? as u64;
    }
    let mut delete = transaction.prepare("DELETE FROM members WHERE set_id = ? AND entry = ?")?;
    for id in removed.iter() {
        change.removed += delete.execute(params![set.id, id])? as u64;
    }
    if change.added > 0 {
        note_places(transaction, set.id)?;
    }
    sets::touch(transaction, &[set.id])
}

fn note_places(connection: &Connection, set: i64) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO places SELECT e.id, e.folder, e.name FROM members m JOIN files.entries e ON e.id = m.entry
        WHERE m.set_id = ?1 AND NOT EXISTS (SELECT 1 FROM places p WHERE p.entry = m.entry)",
        [set],
    )?;
    connection.execute(
        "INSERT OR IGNORE INTO place_folders SELECT f.id, f.path FROM files.folders f
        WHERE f.id NOT IN (SELECT id FROM place_folders) AND f.id IN (SELECT folder FROM places)",
        [],
    )?;
    Ok(())
}
