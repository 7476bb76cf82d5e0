//! Export and import of the data of users: sets with their members and edges, sources, plans and saved queries.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use casetrack_core::{Error, Result};
use rusqlite::{Connection, Transaction, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::records::all;
use super::schema::failed;
use super::sets::{check_description, check_name, refuse_many, touch};
use super::{Plan, Saved, Source, Space, now};

const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct Exported {
    format: u32,
    sets: Vec<ExportedSet>,
    /// Parent and child, by names.
    edges: Vec<(String, String)>,
    sources: Vec<Source>,
    plans: Vec<Plan>,
    queries: Vec<Saved>,
}

#[derive(Serialize, Deserialize)]
struct ExportedSet {
    name: String,
    description: Option<String>,
    /// Seconds since 1970.
    created: i64,
    folders: Vec<ExportedFolder>,
}

/// The members of a set in one folder. A name that is not Unicode is kept as its bytes.
#[derive(Serialize, Deserialize)]
struct ExportedFolder {
    path: Bytes,
    /// Names, and when each was added.
    members: Vec<(Bytes, i64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        match bytes {
            Bytes::Text(text) => text.into_bytes(),
            Bytes::Bytes(bytes) => bytes,
        }
    }
}

/// How much was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    pub sets: u64,
    pub sources: u64,
    pub plans: u64,
}

impl Space {
    /// All that users made, as JSON.
    pub fn export(&self) -> Result<Value> {
        self.tidy()?;
        let exported = self.read(exported)?;
        serde_json::to_value(exported).map_err(|error| Error::internal(error.to_string()))
    }

    /// Adds the output of [`export`](Self::export); existing names stay unchanged. Members wait for a scan that finds their files; sources
    /// and plans are stopped. Returns the numbers of new ones.
    ///
    /// Errors: something else, or a newer format; then nothing is added.
    pub fn import(&self, exported: &Value) -> Result<ImportCounts> {
        self.take_over(checked(Exported::deserialize(exported))?)
    }

    pub(super) fn take_over(&self, exported: Exported) -> Result<ImportCounts> {
        let mut taken = self.write(|transaction| {
            let mut taken = ImportCounts::default();
            for set in exported.sets {
                check_name("name", &set.name)?;
                check_description(set.description.as_deref())?;
                taken.sets += u64::from(take_set(transaction, set)?);
            }
            Ok(taken)
        })?;
        for (parent, child) in &exported.edges {
            // One that would close a circle with those that are there is left out.
            if let Err(error) = self.add_edge(parent, child) {
                tracing::warn!(%error, parent, child, "a resource set is not put below another");
            }
        }
        for source in &exported.sources {
            taken.sources += u64::from(is_new(self.create_source(source))?);
        }
        for plan in &exported.plans {
            taken.plans += u64::from(is_new(self.create_plan(plan))?);
        }
        for query in &exported.queries {
            if self.saved_query(&query.name).is_err() {
                self.save_query(&query.name, &query.arguments)?;
            }
        }
        Ok(taken)
    }
}

fn exported(connection: &Connection) -> rusqlite::Result<Exported> {
    Ok(Exported {
        format: FORMAT,
        sets: sets(connection)?,
        edges: pairs(
            connection,
            "SELECT p.name, c.name FROM edges e JOIN sets p ON p.id = e.parent JOIN sets c ON c.id = e.child
            ORDER BY p.name, c.name",
        )?,
        sources: all(connection)?,
        plans: all(connection)?,
        queries: all(connection)?,
    })
}

/// Writes the data for [`read`].
pub(super) fn write(connection: &Connection, to: impl Write) -> Result<()> {
    let exported = exported(connection).map_err(failed)?;
    serde_json::to_writer(to, &exported).map_err(|error| Error::io("the copy of the resource sets", error.into()))
}

/// Errors: as [`Space::import`].
pub(super) fn read(from: impl Read) -> Result<Exported> {
    checked(serde_json::from_reader(from))
}

fn checked(exported: serde_json::Result<Exported>) -> Result<Exported> {
    let exported = exported.map_err(|error| {
        Error::invalid(format!(
            "It is not an export of resource sets: \
        {error}."
        ))
    })?;
    match exported.format > FORMAT {
        true => Err(Error::invalid(format!(
            "Its resource sets have the format {}; this program knows formats up to {FORMAT}.",
            exported.format
        ))),
        false => Ok(exported),
    }
}

fn is_new<T>(created: Result<T>) -> Result<bool> {
    match created {
        Ok(_) => Ok(true),
        Err(error) if error.code == casetrack_core::ErrorCode::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether it is new.
fn take_set(transaction: &Transaction<'_>, set: ExportedSet) -> Result<bool> {
    refuse_many(transaction)?;
    let take = || -> rusqlite::Result<bool> {
        let added = transaction.execute(
            "INSERT OR IGNORE INTO sets (name, description, created, updated) VALUES (?, ?, ?, ?)",
            params![set.name, set.description, set.created, now()],
        )?;
        if added == 0 {
            return Ok(false);
        }
        let id = transaction.last_insert_rowid();
        let mut wait =
            transaction.prepare("INSERT OR IGNORE INTO waiting (set_id, folder, name, added) VALUES (?, ?, ?, ?)")?;
        for folder in set.folders {
            let path: Vec<u8> = folder.path.into();
            for (name, added) in folder.members {
                wait.execute(params![id, path, Vec::<u8>::from(name), added])?;
            }
        }
        touch(transaction, &[id])?;
        Ok(true)
    };
    take().map_err(failed)
}

fn sets(connection: &Connection) -> rusqlite::Result<Vec<ExportedSet>> {
    let mut members = connection.prepare(
        "SELECT f.path, e.name, m.added FROM members m JOIN files.entries e ON e.id = m.entry
            JOIN files.folders f ON f.id = e.folder WHERE m.set_id = ?1
        UNION SELECT folder, name, added FROM waiting WHERE set_id = ?1",
    )?;
    let mut rows = connection.prepare("SELECT id, name, description, created FROM sets ORDER BY name")?;
    let mut rows = rows.query([])?;
    let mut sets = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let mut folders: BTreeMap<Vec<u8>, Vec<(Bytes, i64)>> = BTreeMap::new();
        let mut members = members.query([id])?;
        while let Some(member) = members.next()? {
            let name: Vec<u8> = member.get(1)?;
            folders.entry(member.get(0)?).or_default().push((name.into(), member.get(2)?));
        }
        let folders = folders.into_iter().map(|(path, members)| ExportedFolder { path: path.into(), members });
        sets.push(ExportedSet {
            name: row.get(1)?,
            description: row.get(2)?,
            created: row.get(3)?,
            folders: folders.collect(),
        });
    }
    Ok(sets)
}

fn pairs(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<(String, String)>> {
    connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
