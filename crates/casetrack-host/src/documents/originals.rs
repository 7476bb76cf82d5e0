//! Copies of source files inside a collection, for users who ask for them.

use std::path::PathBuf;

use casetrack_core::{DocumentMeta, Error, Result};
use casetrack_store::Collection;

/// The path of the copy of a document's file.
pub fn path(collection: &Collection, meta: &DocumentMeta) -> PathBuf {
    collection.original_path(meta)
}

/// Removes the copies of earlier versions of a document.
pub fn remove_others(collection: &Collection, meta: &DocumentMeta) -> Result<()> {
    let directory = collection.originals_dir();
    let entries = match std::fs::read_dir(&directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::io(directory.display(), error))?,
    };
    let (of_document, current) = (meta.id.to_string(), path(collection, meta));
    for entry in entries {
        let path = entry.map_err(|error| Error::io(directory.display(), error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(&of_document) && (path != current || !meta.original_stored) {
            std::fs::remove_file(&path).map_err(|error| Error::io(path.display(), error))?;
        }
    }
    Ok(())
}

/// Writes the copy under a temporary name first, so that a half-written copy never counts as the file.
pub fn store(collection: &Collection, meta: &DocumentMeta, bytes: &[u8]) -> Result<()> {
    collection.write_kept(&collection.new_original_path(meta), bytes)
}

pub fn remove(collection: &Collection, meta: &DocumentMeta) -> Result<()> {
    let target = path(collection, meta);
    match std::fs::remove_file(&target) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(target.display(), error)),
        _ => Ok(()),
    }
}
