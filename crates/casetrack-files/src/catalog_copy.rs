//! The users' data in the catalogue of files, in one file, to be copied elsewhere or kept.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use casetrack_catalog::space::ImportCounts;
use casetrack_core::{Error, ErrorCode, Result};
use serde::Serialize;
use serde_json::Value;

use casetrack_host::Host;

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 30;
/// The field of resource sets besides the export of the catalogue itself.
const SPACE: &str = "space";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogExport {
    pub file: String,
    pub bytes: u64,
    pub roots: u64,
    pub sets: u64,
    pub sources: u64,
    pub plans: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogImport {
    pub file: String,
    /// Those that were not indexed before.
    pub roots: u64,
    /// Resource sets, sources and plans whose names were free.
    pub sets: u64,
    pub sources: u64,
    pub plans: u64,
}

/// Writes the users' data, which no walk brings back: the folders that are indexed, and which of them are live; resource sets, sources and
/// plans.
///
/// Errors: a file that is there, unless it may be replaced.
pub fn export_file_catalog(host: &Host, file: &Path, overwrite: bool) -> Result<CatalogExport> {
    let io = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Error::new(ErrorCode::AlreadyExists, format!("{} exists already.", file.display()))
                .with_hint("Choose another file, or replace it with --force.")
        }
        _ => Error::io(file.display(), error),
    };
    let catalog = host.catalog()?;
    let (space, roots) = (host.space()?, catalog.roots()?.len() as u64);
    let unreadable = |error: serde_json::Error| Error::internal(error.to_string());
    let mut exported: Value = serde_json::from_slice(&catalog.export()?).map_err(unreadable)?;
    exported[SPACE] = space.export()?;
    let json = serde_json::to_vec_pretty(&exported).map_err(unreadable)?;
    let numbers = space.numbers()?;
    let mut options = File::options();
    options.write(true).create(overwrite).truncate(overwrite).create_new(!overwrite);
    let mut written = options.open(file).map_err(io)?;
    written.write_all(&json).and_then(|()| written.sync_all()).map_err(io)?;
    Ok(CatalogExport {
        file: file.display().to_string(),
        bytes: json.len() as u64,
        roots,
        sets: numbers.sets,
        sources: numbers.sources,
        plans: numbers.plans,
    })
}

/// Adds the data that [`export_file_catalog`] wrote. Existing data stays as it is.
///
/// Errors: another file; then nothing is added.
pub fn import_file_catalog(host: &Host, file: &Path) -> Result<CatalogImport> {
    let io = |error| Error::io(file.display(), error);
    if file.metadata().map_err(io)?.len() > MAX_BYTES {
        return Err(Error::invalid(format!("{} is not an export of the catalogue of files.", file.display())));
    }
    let json = std::fs::read(file).map_err(io)?;
    let roots = host.catalog()?.import(&json)? as u64;
    host.live_files().read_list(host);
    // An export of an earlier version has no sets.
    let exported: Value = serde_json::from_slice(&json).map_err(|error| Error::invalid(error.to_string()))?;
    let ImportCounts { sets, sources, plans } = match exported.get(SPACE) {
        Some(exported) => host.space()?.import(exported)?,
        None => ImportCounts::default(),
    };
    Ok(CatalogImport { file: file.display().to_string(), roots, sets, sources, plans })
}
