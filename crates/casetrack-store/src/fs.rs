//! File-system steps that a durability promise rests on.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};

/// Replaces the file at `path` with `bytes` so that after a crash either the old or the new content is there, whole:
/// written next to it, synced, renamed, and the directory synced.
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

/// True if a file of the keyword index is being written: tantivy gives it its name when it is whole.
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".tmp")
}

/// The path of a file while it is written, before it gets its name.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Renames, replacing an existing file, and syncs the directory, so that the rename survives a power failure.
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

/// Name of the file that [`try_writing`] makes.
pub(crate) const ATTEMPT: &str = ".attempt";

/// Makes a file in a directory, fills and removes it.
pub(crate) fn try_writing(dir: &Path) -> io::Result<()> {
    let path = dir.join(ATTEMPT);
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&[0; 64 << 10])?;
        file.sync_all()
    });
    // A file that cannot be removed was not made.
    let _ = fs::remove_file(path);
    written
}

/// Makes a directory, and those above it, which only this user can enter.
pub(crate) fn create_dir(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| Error::io(path.display(), error))
}

/// Takes every right to a file or directory, and to all below it, from other users. A directory that is private already
/// is skipped with all it holds. Symbolic links are not followed. Failures, as on a file system without permissions,
/// are logged.
#[cfg(unix)]
pub fn make_private(path: &Path) {
    if let Err(error) = try_to_make_private(path) {
        tracing::warn!(path = %path.display(), %error, "other users may be able to read this");
    }
}

/// Windows gives the files of a user's folders only to that user.
#[cfg(not(unix))]
pub fn make_private(_: &Path) {}

#[cfg(unix)]
fn try_to_make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const OTHERS: u32 = 0o077;
    // A file that is gone cannot be read by anyone.
    let unless_gone = |result: io::Result<()>| {
        result.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })
    };
    unless_gone(path.symlink_metadata().and_then(|metadata| {
        let mode = metadata.permissions().mode();
        if metadata.is_symlink() || mode & OTHERS == 0 {
            return Ok(());
        }
        if metadata.is_dir() {
            for entry in fs::read_dir(path)? {
                try_to_make_private(&entry?.path())?;
            }
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode & !OTHERS))
    }))
}

/// The entries of a directory, in no order.
pub(crate) fn entries(dir: &Path) -> Result<Vec<fs::DirEntry>> {
    let entries = fs::read_dir(dir).and_then(Iterator::collect);
    entries.map_err(|error| Error::io(dir.display(), error))
}

/// As [`entries`]; a directory that is not there holds nothing.
pub(crate) fn dir_entries_or_none(dir: &Path) -> Result<Vec<fs::DirEntry>> {
    match entries(dir) {
        Err(error) if error.code == ErrorCode::FileNotFound => Ok(Vec::new()),
        entries => entries,
    }
}

/// Makes the names in a directory, and in those below it, durable.
pub(crate) fn sync_dirs(dir: &Path) -> Result<()> {
    for entry in entries(dir)? {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sync_dirs(&entry.path())?;
        }
    }
    sync_parent(&dir.join("any"))
}

/// Passes the content of a file through `take`, in pieces.
pub(crate) fn read_in_pieces(file: &mut impl io::Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            n => take(&buffer[..n]),
        }
    }
}

/// Removes a directory with everything in it; a missing directory is not an error.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path.display(), error)),
        _ => Ok(()),
    }
}

/// Gives a file, or all files of a directory, a second name: links if the file system has them, else copies. Existing
/// files stay.
pub(crate) fn link_all(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        create_dir(to)?;
        return entries(from)?.iter().try_for_each(|entry| link_all(&entry.path(), &to.join(entry.file_name())));
    }
    if !to.exists() && fs::hard_link(from, to).is_err() {
        fs::copy(from, to).map_err(|error| Error::io(to.display(), error))?;
    }
    Ok(())
}

/// Bytes of all files under `path`; 0 if there is nothing. Files that vanish during this are not counted.
pub(crate) fn dir_bytes(path: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in dir_entries_or_none(path)? {
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

    #[cfg(unix)]
    #[test]
    fn nothing_below_a_private_directory_is_for_others() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let temp = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let (dir, elsewhere) = (temp.path().join("a"), temp.path().join("elsewhere"));
        let (inner, file) = (dir.join("b"), dir.join("b/file"));
        create_dir(&inner).unwrap();
        assert_eq!((mode(&dir), mode(&inner)), (0o700, 0o700));
        for path in [&file, &elsewhere] {
            fs::write(path, "").unwrap();
            set(path, 0o644);
        }
        symlink(&elsewhere, dir.join("link")).unwrap();
        set(&inner, 0o755);
        set(&dir, 0o755);
        make_private(&dir);
        assert_eq!([mode(&dir), mode(&inner), mode(&file), mode(&elsewhere)], [0o700, 0o700, 0o600, 0o644]);
        make_private(&temp.path().join("none"));
    }

    #[test]
    fn what_is_not_there_has_no_bytes_and_can_be_removed() {
        let dir = tempfile::tempdir().unwrap();
        let none = dir.path().join("none");
        assert_eq!(dir_bytes(&none).unwrap(), 0);
        remove_dir(&none).unwrap();
    }
}
