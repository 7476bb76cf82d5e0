//! Sets, and the edges between them: an acyclic graph.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::schema::failed;
use super::{Space, now};

/// Longest name and description of sets and definitions, in characters.
pub const MAX_NAME_CHARS: usize = 200;
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;
pub const MAX_SETS: i64 = 10_000;

/// A set of files and folders, which a user made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub id: i64,
    pub name: String,
    pub description: Option<String>,
    /// Seconds since 1970.
    pub created: i64,
    /// When its description, members or edges last changed.
    pub updated: i64,
    pub(super) revision: i64,
}

/// The edges of all sets, by ids.
#[derive(Debug, Default)]
pub(super) struct Graph {
    children: HashMap<i64, Vec<i64>>,
    parents: HashMap<i64, Vec<i64>>,
}

impl Graph {
    pub fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut rows = connection.prepare(
            "SELECT e.parent, e.child FROM edges e JOIN sets p ON p.id = e.parent JOIN sets c ON c.id = e.child
            ORDER BY p.name, c.name",
        )?;
        let mut rows = rows.query([])?;
        let mut graph = Self::default();
        while let Some(row) = rows.next()? {
            let (parent, child): (i64, i64) = (row.get(0)?, row.get(1)?);
            graph.children.entry(parent).or_default().push(child);
            graph.parents.entry(child).or_default().push(parent);
        }
        Ok(graph)
    }

    /// The sets around or below one, each with its smallest distance from it (1 and more), nearest first. The set itself is not among them.
    pub fn walk(&self, start: i64, direction: Direction, depth: Option<u32>) -> Vec<(i64, u32)> {
        let edges = match direction {
            Direction::Children => &self.children,
            Direction::Parents => &self.parents,
        };
        let (mut found, mut seen) = (Vec::new(), HashSet::from([start]));
        let mut waiting = VecDeque::from([(start, 0)]);
        while let Some((set, distance)) = waiting.pop_front() {
            if depth.is_some_and(|depth| distance >= depth) {
                continue;
            }
            for next in edges.get(&set).into_iter().flatten() {
                if seen.insert(*next) {
                    found.push((*next, distance + 1));
                    waiting.push_back((*next, distance + 1));
                }
            }
        }
        found
    }

    pub fn children(&self, set: i64) -> &[i64] {
        self.children.get(&set).map_or(&[], |children| children)
    }

    /// A way down from one set to another, with both ends.
    fn way(&self, from: i64, to: i64) -> Option<Vec<i64>> {
        let (mut before, mut waiting) = (HashMap::from([(from, from)]), VecDeque::from([from]));
        while let Some(set) = waiting.pop_front() {
            if set == to {
                let mut way = vec![to];
                while let Some(last) = way.last().copied().filter(|last| *last != from) {
                    way.push(before[&last]);
                }
                way.reverse();
                return Some(way);
            }
            for next in self.children(set) {
                if !before.contains_key(next) {
                    before.insert(*next, set);
                    waiting.push_back(*next);
                }
            }
        }
        None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Children,
    Parents,
}

impl Space {
    /// Makes an empty set.
    ///
    /// Errors: a name that is taken, blank or too long, or has control characters; too many sets.
    pub fn create_set(&self, name: &str, description: Option<&str>) -> Result<Set> {
        self.write(|transaction| {
            if by_name(transaction, name).map_err(failed)?.is_some() {
                return Err(Error::new(ErrorCode::AlreadyExists, format!("resource-set already exists: {name}")));
            }
            create(transaction, name, description)
        })
    }

    /// All sets, in the order of their names.
    pub fn sets(&self) -> Result<Vec<Set>> {
        self.bind()?;
        self.read(|connection| {
            let mut rows = connection.prepare(&format!("{SELECT} ORDER BY name"))?;
            rows.query_map([], set)?.collect()
        })
    }

    /// A set by its name.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn set(&self, name: &str) -> Result<Set> {
        self.bind()?;
        self.read(|connection| by_name(connection, name))?.ok_or_else(|| no_such_set(name))
    }

    /// Deletes a set with its edges. Its files and the sets around and below it stay. Returns it.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn delete_set(&self, name: &str) -> Result<Set> {
        self.write(|transaction| {
            let set = existing(transaction, name)?;
            for sql in [
                "DELETE FROM edges WHERE parent = ?1 OR child = ?1",
                "DELETE FROM members WHERE set_id = ?1",
                "DELETE FROM waiting WHERE set_id = ?1",
                "DELETE FROM sets WHERE id = ?1",
            ] {
                transaction.execute(sql, [set.id]).map_err(failed)?;
            }
            Ok(set)
        })
    }

    /// Puts a set below another. Returns whether it was not there yet.
    ///
    /// Errors: a set that does not exist; an edge that closes a circle, whose sets the message names.
    pub fn add_edge(&self, parent: &str, child: &str) -> Result<bool> {
        self.write(|transaction| {
            let (parent, child) = (existing(transaction, parent)?, existing(transaction, child)?);
            if let Some(way) = Graph::read(transaction).map_err(failed)?.way(child.id, parent.id) {
                let names = names(transaction, &way).map_err(failed)?;
                let circle: Vec<&str> =
                    std::iter::once(parent.name.as_str()).chain(names.iter().map(String::as_str)).collect();
                return Err(Error::invalid(format!("this edge closes a cycle: {}", circle.join(" -> "))));
            }
            let added = transaction
                .execute("INSERT OR IGNORE INTO edges (parent, child) VALUES (?, ?)", [parent.id, child.id])
                .map_err(failed)?;
            touch(transaction, &[parent.id, child.id]).map_err(failed)?;
            Ok(added > 0)
        })
    }

    /// Takes a set from below another. Returns whether it was there.
    ///
    /// Errors: a set that does not exist.
    pub fn remove_edge(&self, parent: &str, child: &str) -> Result<bool> {
        self.write(|transaction| {
            let (parent, child) = (existing(transaction, parent)?, existing(transaction, child)?);
            let removed = transaction
                .execute("DELETE FROM edges WHERE parent = ? AND child = ?", [parent.id, child.id])
                .map_err(failed)?;
            if removed > 0 {
                touch(transaction, &[parent.id, child.id]).map_err(failed)?;
            }
            Ok(removed > 0)
        })
    }

    /// The sets below or around one, to a depth of at least 1 or all, with their distances, nearest first.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn relatives(&self, name: &str, direction: Direction, depth: Option<u32>) -> Result<Vec<(Set, u32)>> {
        let set = self.set(name)?;
        let found = self.read(|connection| Ok(Graph::read(connection)?.walk(set.id, direction, depth)))?;
        let mut sets: BTreeMap<i64, Set> = self.sets()?.into_iter().map(|set| (set.id, set)).collect();
        Ok(found.into_iter().filter_map(|(id, depth)| Some((sets.remove(&id)?, depth))).collect())
    }
}

const SELECT: &str = "SELECT id, name, description, created, updated, revision FROM sets";

fn set(row: &rusqlite::Row<'_>) -> rusqlite::Result<Set> {
    Ok(Set {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        created: row.get(3)?,
        updated: row.get(4)?,
        revision: row.get(5)?,
    })
}

pub(super) fn by_name(connection: &Connection, name: &str) -> rusqlite::Result<Option<Set>> {
    connection.prepare(&format!("{SELECT} WHERE name = ?"))?.query_row([name], set).optional()
}

pub(super) fn existing(connection: &Connection, name: &str) -> Result<Set> {
    by_name(connection, name).map_err(failed)?.ok_or_else(|| no_such_set(name))
}

pub(super) fn existing_or_new(transaction: &Transaction<'_>, name: &str) -> Result<Set> {
    by_name(transaction, name).map_err(failed)?.map_or_else(|| create(transaction, name, None), Ok)
}

fn create(transaction: &Transaction<'_>, name: &str, description: Option<&str>) -> Result<Set> {
    check_name("name", name)?;
    check_description(description)?;
    refuse_many(transaction)?;
    let values = params![name, description, now()];
    let sql = "INSERT INTO sets (name, description, created, updated) VALUES (?1, ?2, ?3, ?3)";
    transaction.execute(sql, values).map_err(failed)?;
    existing(transaction, name)
}

/// Errors: as many sets as there may be.
pub(super) fn refuse_many(connection: &Connection) -> Result<()> {
    let count: i64 = connection.query_row("SELECT count(*) FROM sets", [], |row| row.get(0)).map_err(failed)?;
    match count >= MAX_SETS {
        true => Err(Error::invalid(format!("there are {MAX_SETS} resource-sets, the maximum"))),
        false => Ok(()),
    }
}

pub(super) fn touch(transaction: &Transaction<'_>, sets: &[i64]) -> rusqlite::Result<()> {
    let mut touch = transaction.prepare("UPDATE sets SET updated = ?, revision = revision + 1 WHERE id = ?")?;
    for set in sets {
        touch.execute([now(), *set])?;
    }
    Ok(())
}

fn names(connection: &Connection, ids: &[i64]) -> rusqlite::Result<Vec<String>> {
    let mut name = connection.prepare("SELECT name FROM sets WHERE id = ?")?;
    ids.iter().map(|id| name.query_row([id], |row| row.get(0))).collect()
}

fn no_such_set(name: &str) -> Error {
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    Error::new(ErrorCode::NotFound, "resource-set not found")
        .with_hint(format!("There is no resource-set \"{shown}\"."))
}

/// Errors: a name that is blank, too long or not on one line. The message describes the fault.
pub(super) fn check_name(what: &str, name: &str) -> Result<()> {
    let fault = match () {
        () if name.trim().is_empty() => "must not be blank".to_owned(),
        () if name.chars().any(char::is_control) => "must be on one line, without control characters".to_owned(),
        () if name.chars().count() > MAX_NAME_CHARS => format!("must have at most {MAX_NAME_CHARS} characters"),
        () => return Ok(()),
    };
    Err(Error::invalid(format!("{what} {fault}")))
}

pub(super) fn check_description(description: Option<&str>) -> Result<()> {
    match description.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS) {
        true => Err(Error::invalid(format!("description must have at most {MAX_DESCRIPTION_CHARS} characters"))),
        false => Ok(()),
    }
}
