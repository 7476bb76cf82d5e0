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

pub(super) trait Record: Sized {
    /// In words, for errors.
    const KIND: &str;
    const SELECT: &str;

    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
}

impl Record for Source {
    const KIND: &str = "source";
    const SELECT: &str =
        "SELECT id, name, kind, target_set, config, update_mode, status, created, last_run, last_error FROM sources";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
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
}

impl Record for Plan {
    const KIND: &str = "plan";
    const SELECT: &str =
        "SELECT id, name, description, mode, status, sources, conditions, outcomes, created, updated FROM plans";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let optional = |column| json::<Option<Value>>(row, column);
        Ok(Self {
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
}

impl Record for Saved {
    const KIND: &str = "query";
    const SELECT: &str = "SELECT name, arguments FROM queries";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { name: row.get(0)?, arguments: json(row, 1)? })
    }
}

impl Space {
    fn record<R: Record>(&self, name: &str) -> Result<R> {
        self.read(|connection| find(connection, name))?.ok_or_else(not_found::<R>)
    }
}

impl Space {
    /// Keeps a source, which is stopped. `source.id`, `status` and the times do not count.
    ///
    /// Errors: a name that is taken or that none can have; a definition that is too long; too many sources.
    pub fn create_source(&self, source: &Source) -> Result<Source> {
        check_name("name", &source.name)?;
        let config = written(&source.config)?;
        self.write(|transaction| {
            refuse_taken(transaction, "sources", "source", &source.name)?;
            let values = params![source.name, source.kind, source.target_set, config, source.update_mode, now()];
            let sql = "INSERT INTO sources (name, kind, target_set, config, update_mode, status, created)
                VALUES (?, ?, ?, ?, ?, 'stopped', ?)";
            transaction.execute(sql, values).map_err(failed)?;
            one(transaction, &source.name)
        })
    }

    /// All sources, in the order of their names.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.read(all)
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn source(&self, name: &str) -> Result<Source> {
        self.record(name)
    }

    /// Stores the state of a source, and the error of its last run. Does nothing if it is gone.
    pub fn set_source_status(&self, name: &str, status: &str, error: Option<&str>, has_run: bool) -> Result<()> {
        self.write_rows(|transaction| {
            let sql = "UPDATE sources SET status = ?, last_error = ?, last_run = CASE WHEN ? THEN ? ELSE last_run END
                WHERE name = ?";
            transaction.execute(sql, params![status, error, has_run, now(), name]).map(drop)
        })
    }

    /// Deletes a source; the entries that it put into sets stay.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn delete_source(&self, name: &str) -> Result<Source> {
        self.write(|transaction| {
            let source = one(transaction, name)?;
            transaction.execute("DELETE FROM sources WHERE name = ?", [name]).map_err(failed)?;
            Ok(source)
        })
    }
}

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
            let values = params![plan.name, plan.description, plan.mode, sources, conditions, outcomes, now()];
            let sql =
                "INSERT INTO plans (name, description, mode, status, sources, conditions, outcomes, created, updated)
                VALUES (?1, ?2, ?3, 'active', ?4, ?5, ?6, ?7, ?7)";
            transaction.execute(sql, values).map_err(failed)?;
            one(transaction, &plan.name)
        })
    }

    /// All plans, in the order of their names.
    pub fn plans(&self) -> Result<Vec<Plan>> {
        self.read(all)
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn plan(&self, name: &str) -> Result<Plan> {
        self.record(name)
    }

    /// Changes the given parts of a plan.
    ///
    /// Errors: [`ErrorCode::NotFound`], and a definition that is too long.
    pub fn update_plan(&self, name: &str, change: &PlanChange) -> Result<Plan> {
        let PlanChange { description, mode, status, sources, conditions, outcomes } = change.clone();
        self.write(|transaction| {
            let plan: Plan = one(transaction, name)?;
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
            one(transaction, name)
        })
    }

    /// Deletes a plan with its history; the entries that it put into sets stay.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn delete_plan(&self, name: &str) -> Result<Plan> {
        self.write(|transaction| {
            let plan: Plan = one(transaction, name)?;
            for sql in ["DELETE FROM executions WHERE plan = ?", "DELETE FROM plans WHERE name = ?"] {
                transaction.execute(sql, [name]).map_err(failed)?;
            }
            transaction.execute("DELETE FROM handed WHERE plan = ?", [plan.id]).map_err(failed)?;
            Ok(plan)
        })
    }
}

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
        self.record(name)
    }
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

/// All records of a kind, in the order of their names.
pub(super) fn all<R: Record>(connection: &Connection) -> rusqlite::Result<Vec<R>> {
    connection.prepare(&format!("{} ORDER BY name", R::SELECT))?.query_map([], R::read)?.collect()
}

fn find<R: Record>(connection: &Connection, name: &str) -> rusqlite::Result<Option<R>> {
    connection.query_row(&format!("{} WHERE name = ?", R::SELECT), [name], R::read).optional()
}

fn one<R: Record>(connection: &Connection, name: &str) -> Result<R> {
    find(connection, name).map_err(failed)?.ok_or_else(not_found::<R>)
}

fn not_found<R: Record>() -> Error {
    Error::new(ErrorCode::NotFound, format!("{} not found", R::KIND))
}

fn refuse_taken(connection: &Connection, table: &str, what: &str, name: &str) -> Result<()> {
    refuse_many(connection, table, &format!("{what}s"))?;
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE name = ?)");
    let is_taken: bool = connection.query_row(&sql, [name], |row| row.get(0)).map_err(failed)?;
    if is_taken { Err(Error::new(ErrorCode::AlreadyExists, format!("{what} already exists: {name}"))) } else { Ok(()) }
}

fn refuse_many(connection: &Connection, table: &str, what: &str) -> Result<()> {
    let count: i64 =
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).map_err(failed)?;
    match count >= MAX_RECORDS {
        true => Err(Error::invalid(format!("there are {MAX_RECORDS} {what}, the maximum"))),
        false => Ok(()),
    }
}
