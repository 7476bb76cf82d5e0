//! The columns that users define for the matter sheet. Their meaning is up to the caller: here they are JSON.

use casetrack_core::{Error, ErrorCode, Result};
use serde_json::Value;
use sha2::Digest;

use super::LocalCollection;
use crate::codec::{decode, encode};
use crate::schema::{COLUMNS_KEY, cf};

/// In the collection's directory.
pub(crate) const COLUMNS: &str = "columns.json";

/// In a vault: digests of the contents that the file may have.
type Known = Vec<[u8; 32]>;

impl LocalCollection {
    /// Errors: [`ErrorCode::Corrupt`] if the file is not JSON, and in a vault also if it is an earlier one.
    pub(super) fn read_columns(&self) -> Result<Option<Value>> {
        let path = self.dir().join(COLUMNS);
        let Some(bytes) = self.columns_file()? else { return Ok(None) };
        let problem = |what: String| {
            let message = format!("The columns in {} cannot be read: {what}.", path.display());
            Error::new(ErrorCode::Corrupt, message)
                .with_hint("Delete that file and define the columns again; nothing else depends on it.")
        };
        if self.known_columns()?.is_some_and(|known| !known.contains(&digest(&bytes))) {
            return Err(problem("they were put back to an earlier state".into()));
        }
        serde_json::from_slice(&bytes).map(Some).map_err(|error| problem(error.to_string()))
    }

    pub(super) fn write_columns(&self, columns: &Value) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(columns)
            .map_err(|error| Error::internal(format!("The columns could not be written as JSON: {error}.")))?;
        let write = || self.seal().write_atomically(&self.dir().join(COLUMNS), COLUMNS, &bytes);
        if !self.seal().is_sealed() {
            return write();
        }
        // Whenever a kill comes, the file is one of these.
        let present = self.columns_file().ok().flatten().map(|bytes| digest(&bytes));
        self.know_columns(&present.into_iter().chain([digest(&bytes)]).collect())?;
        write()?;
        self.know_columns(&vec![digest(&bytes)])
    }

    pub(crate) fn columns_problem(&self) -> Result<Option<String>> {
        Ok(match (self.columns_file(), self.known_columns()?) {
            (Err(error), _) => Some(error.message),
            (Ok(None), Some(_)) => Some(format!("{COLUMNS} is missing.")),
            (Ok(Some(bytes)), Some(known)) if !known.contains(&digest(&bytes)) => {
                Some(format!("{COLUMNS} was put back to an earlier state."))
            }
            _ => None,
        })
    }

    /// Learns the content of the file after a copy, a repair or a move.
    pub(super) fn meet_columns(&self) -> Result<()> {
        match (self.columns_file(), self.known_columns()?) {
            (Ok(Some(bytes)), None) if self.seal().is_sealed() => self.know_columns(&vec![digest(&bytes)]),
            _ => Ok(()),
        }
    }

    fn columns_file(&self) -> Result<Option<Vec<u8>>> {
        match self.seal().read(&self.dir().join(COLUMNS), COLUMNS) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.code == ErrorCode::FileNotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn known_columns(&self) -> Result<Option<Known>> {
        if !self.seal().is_sealed() {
            return Ok(None);
        }
        self.truth().meta(&COLUMNS_KEY)?.map(|value| decode("columns", &value)).transpose()
    }

    fn know_columns(&self, known: &Known) -> Result<()> {
        let mut batch = self.truth().batch();
        batch.put(cf::META, COLUMNS_KEY, encode(known)?)?;
        self.truth().write_durably(batch)
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    sha2::Sha256::digest(bytes).into()
}
