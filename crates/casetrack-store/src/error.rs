//! Errors of the libraries underneath, in terms of who must act.

use std::fmt::Display;
use std::io;
use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, Hint};
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::fs;

const DISK_FULL_HINT: &str = "Free some disk space, then try again. Earlier changes are safe.";
const PERMISSION_HINT: &str = "Give your user permission to read and write the data directory, then try again.";
const IO_HINT: &str = "Check that the disk or network share is available, then try again.";

/// The error for stored data that was changed.
pub fn corrupt(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Corrupt, message).with_hint(Action::Repair(None))
}

pub(crate) fn repair_hint(name: &str) -> Action {
    Action::Repair(Some(name.to_owned()))
}

pub(crate) fn in_use(dir: &Path) -> Error {
    Error::new(ErrorCode::InUse, format!("The collection at {} is in use by another process.", dir.display()))
        .with_hint("Close the other program that has it open (an assistant, or a casetrack command), then try again.")
}

/// Nothing can be written at `path`.
pub(crate) fn disk_full(path: &Path) -> Error {
    let message = format!("The disk of {} is full; the collection can only be read.", path.display());
    Error::new(ErrorCode::DiskFull, message).with_hint(DISK_FULL_HINT)
}

/// RocksDB's subcodes for a full disk and a missing file, in its own words on every system.
pub(crate) const NO_SPACE: &str = "No space left on device";
const PATH_NOT_FOUND: &str = "No such file or directory";

pub(crate) fn rocks(dir: &Path, error: rocksdb::Error) -> Error {
    use rocksdb::ErrorKind::{Corruption, IOError, InvalidArgument};
    let code = match error.kind() {
        // A store that does not accept our arguments, for example because its list of files lacks a family of keys, is
        // damaged.
        Corruption | InvalidArgument => ErrorCode::Corrupt,
        IOError if is_missing_file(&error) => ErrorCode::Corrupt,
        IOError if codes(&error).nth(1) == Some(NO_SPACE) => ErrorCode::DiskFull,
        IOError => why_not_writable(dir),
        _ => return Error::internal(format!("RocksDB at {}: {error}", dir.display())).with_source(error),
    };
    let hint = match code {
        ErrorCode::Corrupt => Hint::from(Action::Repair(None)),
        ErrorCode::DiskFull => DISK_FULL_HINT.into(),
        ErrorCode::PermissionDenied => PERMISSION_HINT.into(),
        _ => IO_HINT.into(),
    };
    Error::new(code, message(code, dir, &error)).with_hint(hint).with_source(error)
}

/// A full disk needs no words of RocksDB.
fn message(code: ErrorCode, dir: &Path, error: &dyn Display) -> String {
    match code {
        ErrorCode::DiskFull => format!("The disk of {} is full.", dir.display()),
        _ => format!("RocksDB at {}: {error}", dir.display()),
    }
}

/// True if RocksDB did not find one of its own files, which it may wrap in a complaint of corruption.
pub(crate) fn is_missing_file(error: &rocksdb::Error) -> bool {
    let mut codes = codes(error).skip_while(|code| *code == "Corruption");
    codes.next() == Some("IO error") && codes.next() == Some(PATH_NOT_FOUND)
}

/// RocksDB's code and subcode of an error, then its words: the crate gives them as one text.
fn codes(error: &rocksdb::Error) -> impl Iterator<Item = &str> {
    error.as_ref().split(": ")
}

/// The reason why a directory cannot be written to, for libraries that report it only in the words of the system.
pub(crate) fn why_not_writable(dir: &Path) -> ErrorCode {
    match fs::try_writing(dir).map_err(|error| error.kind()) {
        Err(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => ErrorCode::PermissionDenied,
        Err(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => ErrorCode::DiskFull,
        _ => ErrorCode::Io,
    }
}

/// An error of tantivy. All but the machine's faults count as damage: the index can be rebuilt.
pub(crate) fn tantivy(dir: &Path, error: TantivyError) -> Error {
    let failed = match &error {
        TantivyError::IoError(io) => Some(io),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::LockFailure(LockError::IoError(io), _) => Some(io),
        TantivyError::LockFailure(LockError::LockBusy, _) => return in_use(dir).with_source(error),
        _ => None,
    };
    if let Some(failed) = failed
        && !matches!(failed.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::NotFound)
    {
        return Error::io(dir.display(), io::Error::new(failed.kind(), failed.to_string())).with_source(error);
    }
    derived(dir, error)
}

/// A failure of a derived index, which is reported only as text.
pub(crate) fn derived(dir: &Path, error: impl Display) -> Error {
    Error::new(ErrorCode::Corrupt, format!("The index at {} failed: {error}", dir.display())).with_hint(
        "No data is lost: delete that directory while CaseTrack is not running, and it is rebuilt at the next use.",
    )
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn environment_and_damage_of_an_index_are_told_apart() {
        let io = |kind| TantivyError::IoError(Arc::new(io::Error::from(kind)));
        let code = |error| tantivy(Path::new("bm25"), error).code;
        assert_eq!(code(io(io::ErrorKind::StorageFull)), ErrorCode::DiskFull);
        assert_eq!(code(io(io::ErrorKind::PermissionDenied)), ErrorCode::PermissionDenied);
        assert_eq!(code(io(io::ErrorKind::UnexpectedEof)), ErrorCode::Corrupt);
        assert_eq!(code(TantivyError::Poisoned), ErrorCode::Corrupt);
        assert_eq!(code(TantivyError::LockFailure(LockError::LockBusy, None)), ErrorCode::InUse);
    }

    fn opened(dir: &Path, options: &rocksdb::Options) -> Error {
        rocks(dir, rocksdb::DB::open(options, dir).unwrap_err())
    }

    #[test]
    fn a_full_disk_is_reported_in_plain_words() {
        let raw = "IO error: No space left on device: While appending to file: 000016.sst";
        assert_eq!(message(ErrorCode::DiskFull, Path::new("a/b"), &raw), "The disk of a/b is full.");
        assert!(message(ErrorCode::Io, Path::new("a/b"), &raw).ends_with(raw));
    }

    #[test]
    fn what_does_not_belong_to_a_store_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let mut options = rocksdb::Options::default();
        assert_eq!(opened(dir.path(), &options).code, ErrorCode::Corrupt, "there is none");
        options.create_if_missing(true);
        drop(rocksdb::DB::open(&options, dir.path()).unwrap());
        let is_table_list = |name: &str| name.starts_with("MANIFEST-");
        let mut files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let list = files.find(|path| path.file_name().unwrap().to_str().is_some_and(is_table_list)).unwrap();
        std::fs::remove_file(list).unwrap();
        assert_eq!(opened(dir.path(), &options).code, ErrorCode::Corrupt, "its list of tables is missing");
    }

    #[test]
    fn words_in_the_name_of_a_file_say_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("corruption, no space left, permission denied");
        // Where RocksDB makes a file.
        std::fs::create_dir_all(path.join("LOCK")).unwrap();
        let mut options = rocksdb::Options::default();
        options.create_if_missing(true);
        assert_eq!(opened(&path, &options).code, ErrorCode::Io);
    }

    #[cfg(unix)]
    #[test]
    fn the_machine_says_why_nothing_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(why_not_writable(dir.path()), ErrorCode::Io);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the attempt leaves nothing");
        if Path::new("/dev/full").exists() {
            std::os::unix::fs::symlink("/dev/full", dir.path().join(fs::ATTEMPT)).unwrap();
            assert_eq!(why_not_writable(dir.path()), ErrorCode::DiskFull);
        }
    }
}
