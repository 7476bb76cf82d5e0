//! Which files the outcomes of plans had, so that a restart does not give them once more.

use std::collections::HashMap;

use casetrack_core::Result;
use rusqlite::params;

use super::schema::failed;
use super::{PickedFile, Space};

impl Space {
    /// The entries that the outcomes of a plan had, with the times of their last change then, in nanoseconds since 1970.
    pub fn handed(&self, plan: i64) -> Result<HashMap<i64, i64>> {
        self.read(|connection| {
            let mut rows = connection.prepare("SELECT entry, modified FROM handed WHERE plan = ?")?;
            rows.query_map([plan], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Notes that the outcomes of a plan had these files.
    pub fn hand(&self, plan: i64, files: &[PickedFile]) -> Result<()> {
        self.write(|transaction| {
            let mut insert = transaction.prepare("INSERT OR REPLACE INTO handed VALUES (?, ?, ?)").map_err(failed)?;
            for file in files {
                insert.execute(params![plan, file.id, file.modified]).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Forgets which files the outcomes of a plan had.
    pub fn forget_handed(&self, plan: i64) -> Result<()> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM handed WHERE plan = ?", [plan]).map(drop).map_err(failed)
        })
    }
}
