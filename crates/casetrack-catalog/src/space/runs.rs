//! History of plans, and jobs with numbers that are never used again.

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::{OptionalExtension, Row, params};

use super::{Space, now};
use crate::rows::stored;

/// Executions of one plan, and jobs, that are kept.
const KEPT_EXECUTIONS: i64 = 1_000;
const KEPT_JOBS: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    pub id: i64,
    pub plan: String,
    /// running, completed, failed or cancelled.
    pub status: String,
    /// Seconds since 1970.
    pub started: i64,
    pub ended: Option<i64>,
    /// Entries that its sources found, and those of them that met its conditions.
    pub entries: u64,
    pub matched: u64,
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub id: i64,
    /// index, plan or classify.
    pub kind: String,
    pub path: String,
    /// pending, running, completed, failed or cancelled.
    pub status: String,
    /// 0–100.
    pub progress: f64,
    pub files: u64,
    pub folders: u64,
    pub bytes: u64,
    /// Seconds since 1970.
    pub created: i64,
    pub started: Option<i64>,
    pub ended: Option<i64>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct JobFilter<'a> {
    pub kind: Option<&'a str>,
    pub active: bool,
    pub status: Option<&'a str>,
    pub min_progress: Option<f64>,
    pub max_progress: Option<f64>,
    pub limit: u32,
    /// Left out in front.
    pub offset: u64,
}

const EXECUTION: &str = "SELECT id, plan, status, started, ended, entries, matched, error FROM executions";
const JOB: &str =
    "SELECT id, kind, path, status, progress, files, folders, bytes, created, started, ended, error FROM jobs";

impl Space {
    pub fn begin_execution(&self, plan: &str) -> Result<Execution> {
        self.write_rows(|transaction| {
            transaction.execute(
                "INSERT INTO executions (plan, status, started) VALUES (?, 'running', ?)",
                params![plan, now()],
            )?;
            let id = transaction.last_insert_rowid();
            transaction.execute(
                "DELETE FROM executions WHERE plan = ?1 AND id NOT IN
                (SELECT id FROM executions WHERE plan = ?1 ORDER BY id DESC LIMIT ?2)",
                params![plan, KEPT_EXECUTIONS],
            )?;
            transaction.query_row(&format!("{EXECUTION} WHERE id = ?"), [id], read_execution)
        })
    }

    /// Stores the progress of a run, or its end.
    pub fn set_execution(&self, execution: &Execution) -> Result<()> {
        let Execution { id, status, ended, entries, matched, error, .. } = execution;
        self.write_rows(|transaction| {
            let values = params![status, ended, stored(*entries), stored(*matched), error, id];
            let sql = "UPDATE executions SET status = ?, ended = ?, entries = ?, matched = ?, error = ? WHERE id = ?";
            transaction.execute(sql, values).map(drop)
        })
    }

    /// The runs of one plan or of all but some, the latest first, behind the first `offset`.
    pub fn executions(&self, plan: Option<&str>, hidden: &[&str], limit: u32, offset: u64) -> Result<Vec<Execution>> {
        let hidden = serde_json::json!(hidden).to_string();
        self.read(|connection| {
            connection
                .prepare(&format!(
                    "{EXECUTION} WHERE (?1 IS NULL OR plan = ?1) AND plan NOT IN (SELECT value FROM json_each(?2))
                    ORDER BY id DESC LIMIT ?3 OFFSET ?4"
                ))?
                .query_map(params![plan, hidden, limit, stored(offset)], read_execution)?
                .collect()
        })
    }

    pub fn create_job(&self, kind: &str, path: &str) -> Result<Job> {
        self.write_rows(|transaction| {
            transaction.execute(
                "INSERT INTO jobs (kind, path, status, created) VALUES (?, ?, 'pending', ?)",
                params![kind, path, now()],
            )?;
            let id = transaction.last_insert_rowid();
            transaction.execute("DELETE FROM jobs WHERE id <= ? - ?", [id, KEPT_JOBS])?;
            transaction.query_row(&format!("{JOB} WHERE id = ?"), [id], read_job)
        })
    }

    /// Stores the progress of a job, or its end.
    pub fn set_job(&self, job: &Job) -> Result<()> {
        let Job { id, status, progress, files, folders, bytes, started, ended, error, .. } = job;
        let (files, folders, bytes) = (stored(*files), stored(*folders), stored(*bytes));
        self.write_rows(|transaction| {
            let values = params![status, progress, files, folders, bytes, started, ended, error, id];
            let sql =
                "UPDATE jobs SET status = ?, progress = ?, files = ?, folders = ?, bytes = ?, started = ?, ended = ?,
                error = ? WHERE id = ?";
            transaction.execute(sql, values).map(drop)
        })
    }

    /// When a folder, or one around it, was last indexed as a whole in this catalogue, in seconds since 1970.
    pub fn last_indexed(&self, path: &str) -> Result<Option<i64>> {
        self.read(|connection| {
            connection
                .prepare(
                    "SELECT max(ended) FROM jobs WHERE kind = 'index' AND status = 'completed'
                    AND id > (SELECT jobs_before FROM state)
                    AND (path = ?1 OR substr(?1, 1, length(rtrim(path, ?2)) + 1) = rtrim(path, ?2) || ?2)",
                )?
                .query_row([path, std::path::MAIN_SEPARATOR_STR], |row| row.get(0))
        })
    }

    /// Errors: [`ErrorCode::NotFound`].
    pub fn job(&self, id: i64) -> Result<Job> {
        self.read(|connection| {
            connection.prepare(&format!("{JOB} WHERE id = ?"))?.query_row([id], read_job).optional()
        })?
        .ok_or_else(|| Error::new(ErrorCode::NotFound, "job not found"))
    }

    /// Jobs, the latest first.
    pub fn jobs(&self, filter: &JobFilter<'_>) -> Result<Vec<Job>> {
        let JobFilter { kind, active, status, min_progress, max_progress, limit, offset } = filter;
        self.read(|connection| {
            connection
                .prepare(&format!(
                    "{JOB} WHERE (?1 IS NULL OR kind = ?1) AND (NOT ?2 OR status IN ('pending', 'running'))
                    AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR progress >= ?4) AND (?5 IS NULL OR progress <= ?5)
                    ORDER BY id DESC LIMIT ?6 OFFSET ?7"
                ))?
                .query_map(params![kind, active, status, min_progress, max_progress, limit, stored(*offset)], read_job)?
                .collect()
        })
    }

    /// The plans that have a run which has not ended.
    pub fn running_plans(&self) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut rows =
                connection.prepare("SELECT DISTINCT plan FROM executions WHERE status = 'running' ORDER BY plan")?;
            rows.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// A run of a plan.
    ///
    /// Errors: [`ErrorCode::NotFound`].
    pub fn execution(&self, id: i64) -> Result<Execution> {
        self.read(|connection| {
            connection.prepare(&format!("{EXECUTION} WHERE id = ?"))?.query_row([id], read_execution).optional()
        })?
        .ok_or_else(|| Error::new(ErrorCode::NotFound, "execution not found"))
    }

    /// Ends the jobs and runs that the end of a process interrupted. For the owner of the data directory, once. Returns their number.
    pub fn end_interrupted(&self) -> Result<u64> {
        const WHY: &str = "the program ended before it was done";
        self.write_rows(|transaction| {
            let mut ended = 0;
            for sql in [
                "UPDATE jobs SET status = 'failed', ended = ?, error = ? WHERE status IN ('pending', 'running')",
                "UPDATE executions SET status = 'failed', ended = ?, error = ? WHERE status = 'running' \
                 AND plan NOT IN (SELECT name FROM plans WHERE mode = 'continuous')",
            ] {
                ended += transaction.execute(sql, params![now(), WHY])? as u64;
            }
            // A continuous plan runs until the program ends, which is not a failure.
            let sql = "UPDATE executions SET status = 'stopped', ended = ? WHERE status = 'running'";
            ended += transaction.execute(sql, params![now()])? as u64;
            Ok(ended)
        })
    }
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

fn read_execution(row: &Row<'_>) -> rusqlite::Result<Execution> {
    let (id, plan, status, started, ended, error) =
        (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(7)?);
    Ok(Execution { id, plan, status, started, ended, entries: number(row, 5)?, matched: number(row, 6)?, error })
}

fn read_job(row: &Row<'_>) -> rusqlite::Result<Job> {
    Ok(Job {
        id: row.get(0)?,
        kind: row.get(1)?,
        path: row.get(2)?,
        status: row.get(3)?,
        progress: row.get(4)?,
        files: number(row, 5)?,
        folders: number(row, 6)?,
        bytes: number(row, 7)?,
        created: row.get(8)?,
        started: row.get(9)?,
        ended: row.get(10)?,
        error: row.get(11)?,
    })
}
