//! Copies of source files inside a collection, for users who ask for them.

use std::path::PathBuf;

use casetrack_core::{DocumentMeta, Error, Result};
use casetrack_store::Collection;

/// `originals/<document id>.<extension>`
pub(crate) fn path(collection: &Collection, meta: &DocumentMeta) -> PathBuf {
    let extension = std::path::Path::new(&meta.path).extension().and_then(|extension| extension.to_str());
    let name = match extension {
        Some(extension) => format!("{}.{extension}", meta.id),
        None => meta.id.to_string(),
    };
    collection.originals_dir().join(name)
}

/// Writes the copy beside its final name first, so that a half-written copy is never taken for the file.
pub(super) fn store(collection: &Collection, meta: &DocumentMeta, bytes: &[u8]) -> Result<()> {
    let target = path(collection, meta);
    let partial = target.with_extension("partial");
    let write = || {
        std::fs::create_dir_all(collection.originals_dir())?;
        std::fs::write(&partial, bytes)?;
        std::fs::File::open(&partial)?.sync_all()?;
        std::fs::rename(&partial, &target)
    };
    write().map_err(|error| Error::io(target.display(), error))
}

pub(crate) fn remove(collection: &Collection, meta: &DocumentMeta) -> Result<()> {
    let target = path(collection, meta);
    match std::fs::remove_file(&target) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(target.display(), error)),
        _ => Ok(()),
    }
}
