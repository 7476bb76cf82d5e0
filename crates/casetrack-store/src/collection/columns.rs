//! The columns that users define for the matter sheet. What they mean is up to the caller: here they are JSON.

use casetrack_core::{Error, ErrorCode, Result};
use serde_json::Value;

use super::Collection;

/// In the collection's directory.
pub(crate) const COLUMNS: &str = "columns.json";

impl Collection {
    /// The columns that [`set_columns`](Self::set_columns) was given last; `None` where there are none. Exports hold them.
    ///
    /// Errors: [`ErrorCode::Corrupt`] where the file is not JSON.
    pub fn columns(&self) -> Result<Option<Value>> {
        let path = self.dir().join(COLUMNS);
        let bytes = match self.truth().seal().read(&path, COLUMNS) {
            Ok(bytes) => bytes,
            Err(error) if error.code == ErrorCode::FileNotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let message = format!("The columns in {} cannot be read: {error}.", path.display());
            Error::new(ErrorCode::Corrupt, message)
                .with_hint("Delete that file and define the columns again; nothing else depends on it.")
        })
    }

    /// Replaces all columns.
    pub fn set_columns(&self, columns: &Value) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(columns)
            .map_err(|error| Error::internal(format!("The columns could not be written as JSON: {error}.")))?;
        self.truth().seal().write_atomically(&self.dir().join(COLUMNS), COLUMNS, &bytes)
    }
}
