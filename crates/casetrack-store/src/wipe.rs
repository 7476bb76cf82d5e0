//! Overwriting files before they are removed, so that their content cannot be read from the free space of the disk.
//!
//! Zeros are written over the whole length and synced, then the name goes. That helps if the file system writes in
//! place, as ext4, XFS, NTFS and APFS' predecessor do on a magnetic disk. It does not help if new blocks replace old
//! ones: on SSDs, and on file systems that copy on write or keep snapshots (APFS, btrfs, ZFS, ReFS). There, only the
//! encryption of the disk helps.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use casetrack_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::fs::{dir_entries_or_none, write_atomically};

const PIECE: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Wiped {
    pub files: u64,
    pub bytes: u64,
    /// Files that have a further name elsewhere, such as in a backup made of links. They were removed here and not overwritten.
    pub linked: u64,
}

/// Overwrites every file below a directory, then removes all of it. One that is not there is no error. After a kill or
/// a failure it can be repeated.
pub(crate) fn wipe_dir(dir: &Path) -> Result<Wiped> {
    let mut wiped = Wiped::default();
    overwrite_below(dir, &mut wiped)?;
    crate::fs::remove_dir(dir)?;
    crate::fs::sync_parent(dir)?;
    Ok(wiped)
}

/// Overwrites a file and removes it; a missing file is not an error.
pub fn wipe_file(path: &Path) -> Result<()> {
    let failed = |error| Error::io(path.display(), error);
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => overwrite(path, &metadata.map_err(failed)?, &mut Wiped::default())?,
    }
    fs::remove_file(path).map_err(failed)?;
    crate::fs::sync_parent(path)
}

/// Overwrites the content of a file and leaves it empty, for one that another has open; one that is not there is no
/// error.
pub fn wipe_content(path: &Path) -> Result<()> {
    let failed = |error| Error::io(path.display(), error);
    let file = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(failed)?,
    };
    let length = file.metadata().map_err(failed)?.len();
    zeros(&file, length).and_then(|()| file.set_len(0)).map_err(failed)
}

/// As [`write_atomically`], and overwrites the old content.
pub fn write_over(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error| Error::io(path.display(), error);
    // The old file stays reachable through this when its name has gone to the new one.
    let old = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        opened => Some(opened.map_err(failed)?),
    };
    let metadata = old.as_ref().map(File::metadata).transpose().map_err(failed)?;
    write_atomically(path, bytes)?;
    match (old, metadata) {
        (Some(old), Some(metadata)) if !has_other_names(&metadata) => zeros(&old, metadata.len()).map_err(failed),
        _ => Ok(()),
    }
}

fn overwrite_below(dir: &Path, wiped: &mut Wiped) -> Result<()> {
    for entry in dir_entries_or_none(dir)? {
        let path = entry.path();
        let metadata = path.symlink_metadata().map_err(|error| Error::io(path.display(), error))?;
        match metadata.is_dir() {
            true => overwrite_below(&path, wiped)?,
            false => overwrite(&path, &metadata, wiped)?,
        }
    }
    Ok(())
}

/// Overwrites a file that has no other name. A link to a file has nothing of its own to overwrite.
fn overwrite(path: &Path, metadata: &Metadata, wiped: &mut Wiped) -> Result<()> {
    if !metadata.is_file() {
        return Ok(());
    }
    if has_other_names(metadata) {
        wiped.linked += 1;
        return Ok(());
    }
    let file = File::options().write(true).open(path);
    file.and_then(|file| zeros(&file, metadata.len())).map_err(|error| Error::io(path.display(), error))?;
    wiped.files += 1;
    wiped.bytes += metadata.len();
    Ok(())
}

fn zeros(mut file: &File, length: u64) -> io::Result<()> {
    let zeros = vec![0; PIECE.min(usize::try_from(length).unwrap_or(PIECE))];
    let mut left = length;
    while left > 0 {
        let piece = zeros.len().min(usize::try_from(left).unwrap_or(PIECE));
        file.write_all(&zeros[..piece])?;
        left -= piece as u64;
    }
    file.sync_all()
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// The standard library does not give it for Windows, on which CaseTrack makes links only within a collection.
#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom};

    use super::*;

    /// The content of a file that is held open, even if its name is gone.
    fn content(mut file: &File) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[cfg(unix)]
    #[test]
    fn what_was_there_is_zeros_afterwards() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a");
        let [long, empty, kept] = ["b/long", "empty", "b/kept"].map(|name| dir.join(name));
        fs::create_dir_all(dir.join("b")).unwrap();
        fs::write(&long, vec![7; PIECE + 3]).unwrap();
        fs::write(&empty, "").unwrap();
        fs::write(&kept, "text").unwrap();
        let backup = temp.path().join("backup");
        fs::hard_link(&kept, &backup).unwrap();
        std::os::unix::fs::symlink(&backup, dir.join("link")).unwrap();
        let held = File::open(&long).unwrap();
        let wiped = wipe_dir(&dir).unwrap();
        assert_eq!(wiped, Wiped { files: 2, bytes: PIECE as u64 + 3, linked: 1 });
        assert!(!dir.exists());
        assert!(content(&held) == vec![0; PIECE + 3]);
        assert_eq!(fs::read(&backup).unwrap(), b"text");
        assert_eq!(wipe_dir(&dir).unwrap(), Wiped::default());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_is_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        write_over(&path, b"first").unwrap();
        let held = File::open(&path).unwrap();
        write_over(&path, b"second").unwrap();
        assert_eq!((content(&held), fs::read(&path).unwrap()), (vec![0; 5], b"second".to_vec()));
        let held = File::open(&path).unwrap();
        wipe_content(&path).unwrap();
        assert_eq!(content(&held), b"");
        fs::write(&path, "third.").unwrap();
        wipe_file(&path).unwrap();
        assert_eq!((content(&held), path.exists()), (vec![0; 6], false));
        wipe_content(&path).unwrap();
        wipe_file(&path).unwrap();
    }
}
