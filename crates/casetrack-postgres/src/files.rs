//! Files that the caller keeps with a collection. They are in a folder of this machine, not in the database: the caller
//! writes some of them by itself and renames them. A collection on the server goes without them.

use std::path::{Path, PathBuf};

use casetrack_core::{DocumentMeta, Error, Result};
use casetrack_store::parts::original_path;
use casetrack_store::{CollectionFiles, Output, make_private, write_atomically};

use crate::collection::PostgresCollection;

fn make_folder_of(path: &Path) -> Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.exists()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
    make_private(folder);
    Ok(())
}

impl CollectionFiles for PostgresCollection {
    fn is_vault(&self) -> bool {
        false
    }

    fn originals_dir(&self) -> PathBuf {
        self.files.join("originals")
    }

    fn uploads_dir(&self) -> PathBuf {
        self.files.join("uploads")
    }

    fn original_path(&self, meta: &DocumentMeta) -> PathBuf {
        original_path(&self.originals_dir(), meta)
    }

    fn new_original_path(&self, meta: &DocumentMeta) -> PathBuf {
        self.original_path(meta)
    }

    fn kept_copy(&self, meta: &DocumentMeta) -> Option<PathBuf> {
        meta.original_stored.then(|| self.original_path(meta))
    }

    fn sealed_upload(&self, _: &Path) -> Option<PathBuf> {
        None
    }

    fn read_kept(&self, path: &Path) -> Result<Vec<u8>> {
        std::fs::read(path).map_err(|error| Error::io(path.display(), error))
    }

    fn kept_bytes(&self, path: &Path) -> Result<u64> {
        let metadata = path.metadata().map_err(|error| Error::io(path.display(), error))?;
        Ok(metadata.len())
    }

    fn write_kept(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        make_folder_of(path)?;
        write_atomically(path, bytes)
    }

    fn create_kept(&self, partial: &Path, _: &Path) -> Result<Output> {
        make_folder_of(partial)?;
        Output::plain(partial)
    }
}
