//! File-system steps that a durability promise rests on.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};

/// Replaces the file at `path` with `bytes` so that after a crash either the old or the new content is there, whole: written
/// beside it, synced, renamed, and the directory synced.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let partial = partial_path(path);
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| Error::io(partial.display(), error))?;
    rename_durably(&partial, path)
}

/// Where a file is written before it gets its name.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Renames, replacing what is there, and syncs the directory, so that the rename survives a power failure.
pub(crate) fn rename_durably(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Error::io(to.display(), error))?;
    sync_parent(to)
}

/// Makes the creation, renaming or removal of `path` durable.
pub(crate) fn sync_parent(path: &Path) -> Result<()> {
    // Windows cannot open a directory as a file; NTFS journals renames itself.
    #[cfg(unix)]
    if let Some(parent) = path.parent() {
        File::open(parent).and_then(|dir| dir.sync_all()).map_err(|error| Error::io(parent.display(), error))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

pub(crate) fn create_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| Error::io(path.display(), error))
}

/// Removes a directory with all it holds; one that is not there is no error.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path.display(), error)),
        _ => Ok(()),
    }
}

/// Bytes of all files under `path`; 0 where there is nothing. Files that vanish meanwhile are not counted.
pub(crate) fn dir_bytes(path: &Path) -> Result<u64> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(|error| Error::io(path.display(), error))?,
    };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry.map_err(|error| Error::io(path.display(), error))?;
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes += dir_bytes(&entry.path())?,
            Ok(metadata) => bytes += metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(entry.path().display(), error)),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atomic_write_replaces_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.json");
        write_atomically(&path, b"old").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(dir_bytes(dir.path()).unwrap(), 3);
    }

    #[test]
    fn what_is_not_there_has_no_bytes_and_can_be_removed() {
        let dir = tempfile::tempdir().unwrap();
        let none = dir.path().join("none");
        assert_eq!(dir_bytes(&none).unwrap(), 0);
        remove_dir(&none).unwrap();
    }
}
