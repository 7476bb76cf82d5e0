//! The files that the outcomes of plans had, so that a restart does not process them again.

use std::collections::HashMap;

use casetrack_core::Result;
use rusqlite::params;

use super::{SelectedFile, Space};

impl Space {
    /// The entries that the outcomes of a plan had, with the times of their last change then, in nanoseconds since 1970.
    pub fn outcome_files(&self, plan: i64) -> Result<HashMap<i64, i64>> {
        self.read(|connection| {
            let mut rows = connection.prepare("SELECT entry, modified FROM handed WHERE plan = ?")?;
            rows.query_map([plan], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    pub fn add_outcome_files(&self, plan: i64, files: &[SelectedFile]) -> Result<()> {
        self.write_rows(|transaction| {
            let mut insert = transaction.prepare("INSERT OR REPLACE INTO handed VALUES (?, ?, ?)")?;
            files.iter().try_for_each(|file| insert.execute(params![plan, file.id, file.modified]).map(drop))
        })
    }

    pub fn forget_outcome_files(&self, plan: i64) -> Result<()> {
        self.write_rows(|transaction| transaction.execute("DELETE FROM handed WHERE plan = ?", [plan]).map(drop))
    }
}
