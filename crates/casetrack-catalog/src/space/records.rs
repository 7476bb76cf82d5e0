//! Definitions of users: sources, plans and saved queries.

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::failed;
use super::sets::{check_description, check_name};
use super::{Space, now};

/// Most sources, plans and saved queries, each.
const MAX_RECORDS: i64 = 1_000;
/// Longest definition of one, in bytes of JSON.
const MAX_JSON_BYTES: usize = 1 << 20;

/// A source that fills a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub id: i64,
    pub name: String,
    /// Its type, which determines the fields of `config`.
    pub kind: String,
    pub target_set: String,
    pub config: Value,
    pub update_mode: String,
    /// stopped, running, completed or failed.
    pub status: String,
    /// Seconds since 1970.
    pub created: i64,
    pub last_run: Option<i64>,
    pub last_error: Option<String>,
}

/// Sources, conditions and outcomes that are run together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub id: i64,
    pub name: String,
    pub description: Option<String>,
    /// oneshot or continuous.
    pub mode: String,
    /// active, paused or disabled.
    pub status: String,
    pub sources: Value,
    pub conditions: Option<Value>,
    pub outcomes: Option<Value>,
    /// Seconds since 1970.
    pub created: i64,
    pub updated: i64,
}

/// Changes of a plan; the rest stays. `Some(None)` clears an optional part.
#[derive(Debug, Clone, Default)]
pub struct PlanChange {
    pub description: Option<Option<String>>,
    pub mode: Option<String>,
    pub status: Option<String>,
    pub sources: Option<Value>,
    pub conditions: Option<Option<Value>>,
    pub outcomes: Option<Option<Value>>,
}

/// A query that was saved under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    pub name: String,
    pub arguments: Value,
}

const SOURCE: &str =
    "SELECT id, name, kind, target_set, config, update_mode, status, created, last_run, last_error FROM sources";
const PLAN: &str =
    "SELECT id, name, description, mode, status, sources, conditions, outcomes, created, updated FROM plans";

const QUERY: &str = "SELECT name, arguments FROM queries";

/// Sources.
impl Space {
    /// Keeps a source, which is stopped. `source.id`, `status` and the times do not count.
    ///
    /// Errors: a name that is taken or that none can have; a definition that is too long; too many sources.
    pub fn create_source(&self, source: &Source) -> Result<Source> {
        check_name("name", &source.name)?;
        let config = written(&source.config)?;
        self.write(|transaction| {
            refuse_taken(transaction, "sources", "source", &source.name)?;
            transaction
                .execute(
                    "INSERT INTO sources (name, kind, target_set, config, update_mode, status, created)
                    VALUES (?, ?, ?, ?, ?, 'stopped', ?)",
                    params![source.name, source.kind, source.target_set, config, source.update_mode, now()],
                )
                .map_err(failed)?;
            one(transaction, SOURCE, "source", &source.name, read_source)
        })
    }

    /// All sources, in the order of their names.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.read(all_sources)
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn source(&self, name: &str) -> Result<Source> {
        self.read(|connection| found(connection, SOURCE, name, read_source))?.ok_or_else(|| not_found("source"))
    }

    /// Stores the state of a source, and the error of its last run. Does nothing if it is gone.
    pub fn set_source_status(&self, name: &str, status: &str, error: Option<&str>, has_run: bool) -> Result<()> {
        self.write(|transaction| {
            transaction
                .execute(
                    "UPDATE sources SET status = ?, last_error = ?, last_run = CASE WHEN ? THEN ? ELSE last_run END
                    WHERE name = ?",
                    params![status, error, has_run, now(), name],
                )
                .map(drop)
                .map_err(failed)
        })
    }

    /// Deletes a source; the entries that it put into sets stay.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn delete_source(&self, name: &str) -> Result<Source> {
        self.write(|transaction| {
            let source = one(transaction, SOURCE, "source", name, read_source)?;
            transaction.execute("DELETE FROM sources WHERE name = ?", [name]).map_err(failed)?;
            Ok(source)
        })
    }
}

/// Plans.
impl Space {
    /// Keeps a plan, which is active. `plan.id`, `status` and the times do not count.
    ///
    /// Errors: as [`create_source`](Self::create_source).
    pub fn create_plan(&self, plan: &Plan) -> Result<Plan> {
        check_name("name", &plan.name)?;
        check_description(plan.description.as_deref())?;
        let (sources, conditions, outcomes) =
            (written(&plan.sources)?, optional(plan.conditions.as_ref())?, optional(plan.outcomes.as_ref())?);
        self.write(|transaction| {
            refuse_taken(transaction, "plans", "plan", &plan.name)?;
            let time = now();
            transaction
                .execute(
                    "INSERT INTO plans (name, description, mode, status, sources, conditions, outcomes, created, updated)
                    VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ?)",
                    params![plan.name, plan.description, plan.mode, sources, conditions, outcomes, time, time],
                )
                .map_err(failed)?;
            one(transaction, PLAN, "plan", &plan.name, read_plan)
        })
    }

    /// All plans, in the order of their names.
    pub fn plans(&self) -> Result<Vec<Plan>> {
        self.read(all_plans)
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn plan(&self, name: &str) -> Result<Plan> {
        self.read(|connection| found(connection, PLAN, name, read_plan))?.ok_or_else(|| not_found("plan"))
    }

    /// Changes the given parts of a plan.
    ///
    /// Errors: [`ErrorCode::NotFound`], and a definition that is too long.
    pub fn update_plan(&self, name: &str, change: &PlanChange) -> Result<Plan> {
        let PlanChange { description, mode, status, sources, conditions, outcomes } = change.clone();
        self.write(|transaction| {
            let plan = one(transaction, PLAN, "plan", name, read_plan)?;
            let plan = Plan {
                description: description.unwrap_or(plan.description),
                mode: mode.unwrap_or(plan.mode),
                status: status.unwrap_or(plan.status),
                sources: sources.unwrap_or(plan.sources),
                conditions: conditions.unwrap_or(plan.conditions),
                outcomes: outcomes.unwrap_or(plan.outcomes),
                ..plan
            };
            check_description(plan.description.as_deref())?;
            let (sources, conditions, outcomes) =
                (written(&plan.sources)?, optional(plan.conditions.as_ref())?, optional(plan.outcomes.as_ref())?);
            transaction
                .execute(
                    "UPDATE plans SET description = ?, mode = ?, status = ?, sources = ?, conditions = ?, outcomes = ?,
                    updated = ? WHERE id = ?",
                    params![plan.description, plan.mode, plan.status, sources, conditions, outcomes, now(), plan.id],
                )
                .map_err(failed)?;
            one(transaction, PLAN, "plan", name, read_plan)
        })
    }

    /// Deletes a plan with its history; the entries that it put into sets stay.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn delete_plan(&self, name: &str) -> Result<Plan> {
        self.write(|transaction| {
            let plan = one(transaction, PLAN, "plan", name, read_plan)?;
            for sql in ["DELETE FROM executions WHERE plan = ?", "DELETE FROM plans WHERE name = ?"] {
                transaction.execute(sql, [name]).map_err(failed)?;
            }
            transaction.execute("DELETE FROM handed WHERE plan = ?", [plan.id]).map_err(failed)?;
            Ok(plan)
        })
    }
}

/// Saved queries.
impl Space {
    /// Keeps the arguments of a query under a name, in place of those that it had.
    ///
    /// Errors: a name that none can have, arguments that are too long, too many queries.
    pub fn save_query(&self, name: &str, arguments: &Value) -> Result<()> {
        check_name("save_as", name)?;
        let arguments = written(arguments)?;
        self.write(|transaction| {
            refuse_many(transaction, "queries", "saved queries")?;
            transaction
                .execute("INSERT OR REPLACE INTO queries VALUES (?, ?, ?)", params![name, arguments, now()])
                .map(drop)
                .map_err(failed)
        })
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn saved_query(&self, name: &str) -> Result<Saved> {
        self.read(|connection| found(connection, QUERY, name, read_query))?.ok_or_else(|| not_found("query"))
    }
}

pub(super) fn all_sources(connection: &Connection) -> rusqlite::Result<Vec<Source>> {
    all(connection, SOURCE, read_source)
}

pub(super) fn all_plans(connection: &Connection) -> rusqlite::Result<Vec<Plan>> {
    all(connection, PLAN, read_plan)
}

/// All saved queries, in the order of their names.
pub(super) fn saved(connection: &Connection) -> rusqlite::Result<Vec<Saved>> {
    all(connection, QUERY, read_query)
}

fn read_query(row: &Row<'_>) -> rusqlite::Result<Saved> {
    Ok(Saved { name: row.get(0)?, arguments: json(row, 1)? })
}

fn read_source(row: &Row<'_>) -> rusqlite::Result<Source> {
    Ok(Source {
        id: row.get(0)?,
        name: row.get(1)?,
        kind: row.get(2)?,
        target_set: row.get(3)?,
        config: json(row, 4)?,
        update_mode: row.get(5)?,
        status: row.get(6)?,
        created: row.get(7)?,
        last_run: row.get(8)?,
        last_error: row.get(9)?,
    })
}

fn read_plan(row: &Row<'_>) -> rusqlite::Result<Plan> {
    let optional = |column| json::<Option<Value>>(row, column);
    Ok(Plan {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        mode: row.get(3)?,
        status: row.get(4)?,
        sources: json(row, 5)?,
        conditions: optional(6)?,
        outcomes: optional(7)?,
        created: row.get(8)?,
        updated: row.get(9)?,
    })
}

/// A column of JSON; null if it is empty.
fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: Option<String> = row.get(column)?;
    serde_json::from_str(text.as_deref().unwrap_or("null"))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn written(value: &Value) -> Result<String> {
    let text = value.to_string();
    match text.len() > MAX_JSON_BYTES {
        true => Err(Error::invalid(format!("the definition has {} bytes; the limit is {MAX_JSON_BYTES}", text.len()))),
        false => Ok(text),
    }
}

fn optional(value: Option<&Value>) -> Result<Option<String>> {
    value.map(written).transpose()
}

fn all<T>(
    connection: &Connection,
    select: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(&format!("{select} ORDER BY name"))?.query_map([], read)?.collect()
}

fn found<T>(
    connection: &Connection,
    select: &str,
    name: &str,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    connection.prepare(&format!("{select} WHERE name = ?"))?.query_row([name], read).optional()
}

fn one<T>(
    connection: &Connection,
    select: &str,
    what: &str,
    name: &str,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    found(connection, select, name, read).map_err(failed)?.ok_or_else(|| not_found(what))
}

fn not_found(what: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("{what} not found"))
}

fn refuse_taken(connection: &Connection, table: &str, what: &str, name: &str) -> Result<()> {
    refuse_many(connection, table, &format!("{what}s"))?;
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE name = ?)");
    let is_taken: bool = connection.query_row(&sql, [name], |row| row.get(0)).map_err(failed)?;
    match is_taken {
        true => Err(Error::new(ErrorCode::AlreadyExists, format!("{what} already exists: {name}"))),
        false => Ok(()),
    }
}

fn refuse_many(connection: &Connection, table: &str, what: &str) -> Result<()> {
    let count: i64 =
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).map_err(failed)?;
    match count >= MAX_RECORDS {
        true => Err(Error::invalid(format!("there are {MAX_RECORDS} {what}, which is the most"))),
        false => Ok(()),
    }
}
