//! What users made of the catalogue of files, in one file, to be taken elsewhere or kept.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use casetrack_core::{Error, ErrorCode, Result};
use serde::Serialize;

use crate::host::Host;

/// Largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogExport {
    pub file: String,
    pub bytes: u64,
    /// Folders that are indexed.
    pub roots: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogImport {
    pub file: String,
    /// Those that were not indexed before.
    pub roots: u64,
}

impl Host {
    /// Writes what users made, which no walk brings back: the folders that are indexed, and which of them are live.
    ///
    /// Errors: a file that is there, unless it may be replaced.
    pub fn export_file_catalog(&self, file: &Path, overwrite: bool) -> Result<CatalogExport> {
        let io = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Error::new(ErrorCode::AlreadyExists, format!("{} exists already.", file.display()))
                    .with_hint("Choose another file, or replace it with --force.")
            }
            _ => Error::io(file.display(), error),
        };
        let catalog = self.catalog()?;
        let (json, roots) = (catalog.export()?, catalog.roots()?.len() as u64);
        let mut options = File::options();
        options.write(true).create(overwrite).truncate(overwrite).create_new(!overwrite);
        let mut written = options.open(file).map_err(io)?;
        written.write_all(&json).and_then(|()| written.sync_all()).map_err(io)?;
        Ok(CatalogExport { file: file.display().to_string(), bytes: json.len() as u64, roots })
    }

    /// Adds what [`export_file_catalog`](Self::export_file_catalog) wrote. What is there already stays as it is.
    ///
    /// Errors: another file; then nothing is added.
    pub fn import_file_catalog(&self, file: &Path) -> Result<CatalogImport> {
        let io = |error| Error::io(file.display(), error);
        if file.metadata().map_err(io)?.len() > MAX_BYTES {
            return Err(Error::invalid(format!("{} is no export of the catalogue of files.", file.display())));
        }
        let json = std::fs::read(file).map_err(io)?;
        let roots = self.catalog()?.import(&json)? as u64;
        self.live_files().read_list(self);
        Ok(CatalogImport { file: file.display().to_string(), roots })
    }
}
