//! Errors of the libraries underneath, in terms of who must act.

use std::fmt::Display;
use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, Hint};
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

const DISK_FULL_HINT: &str = "Free some disk space, then try again. What was committed before is safe.";
const PERMISSION_HINT: &str = "Give your user permission to read and write the data directory, then try again.";
const IO_HINT: &str = "Check that the disk or network share is available, then try again.";

/// Stored data is not what was written.
pub(crate) fn corrupt(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::Corrupt, message).with_hint(Action::Repair(None))
}

/// What to do about damage to the collection with this name or ID.
pub(crate) fn repair_hint(name: &str) -> Action {
    Action::Repair(Some(name.to_owned()))
}

/// The collection at `dir` is open elsewhere.
pub(crate) fn in_use(dir: &Path) -> Error {
    Error::new(ErrorCode::InUse, format!("The collection at {} is in use by another process.", dir.display()))
        .with_hint("Close the other program that has it open (an assistant, or a casetrack command), then try again.")
}

/// An error of RocksDB, whose kinds are told apart by its text alone.
pub(crate) fn rocks(dir: &Path, error: rocksdb::Error) -> Error {
    let text = error.to_string();
    let says = |phrase: &str| text.to_ascii_lowercase().contains(phrase);
    // RocksDB says so of its own files, and of families of keys that its list of files has lost.
    let missing = says("no such file") || says("cannot find the file") || says("column family not found");
    let (code, hint) = if error.kind() == rocksdb::ErrorKind::Corruption || says("corruption") || missing {
        (ErrorCode::Corrupt, Hint::from(Action::Repair(None)))
    } else if says("no space left") || says("not enough space") || says("disk quota exceeded") {
        (ErrorCode::DiskFull, DISK_FULL_HINT.into())
    } else if says("permission denied") || says("access is denied") || says("read-only file system") {
        (ErrorCode::PermissionDenied, PERMISSION_HINT.into())
    } else if says("lock file") || says("lock hold by") {
        return in_use(dir).with_source(error);
    } else if error.kind() == rocksdb::ErrorKind::IOError {
        (ErrorCode::Io, IO_HINT.into())
    } else {
        return Error::internal(format!("RocksDB at {}: {text}", dir.display())).with_source(error);
    };
    Error::new(code, format!("RocksDB at {}: {text}", dir.display())).with_hint(hint).with_source(error)
}

/// An error of tantivy. What is not the machine's fault counts as damage: the index can be rebuilt.
pub(crate) fn tantivy(dir: &Path, error: TantivyError) -> Error {
    let io = match &error {
        TantivyError::IoError(io) => Some(io),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::LockFailure(LockError::IoError(io), _) => Some(io),
        TantivyError::LockFailure(LockError::LockBusy, _) => return in_use(dir).with_source(error),
        _ => None,
    };
    if let Some(io) = io
        && !matches!(
            io.kind(),
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData | std::io::ErrorKind::NotFound
        )
    {
        return Error::io(dir.display(), std::io::Error::new(io.kind(), io.to_string())).with_source(error);
    }
    derived(dir, error)
}

/// A failure of a derived index that only says what it says in words.
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

    #[test]
    fn a_missing_database_is_an_error_of_the_environment() {
        let dir = tempfile::tempdir().unwrap();
        let error = rocksdb::DB::open(&rocksdb::Options::default(), dir.path().join("none")).unwrap_err();
        assert_ne!(rocks(dir.path(), error).code, ErrorCode::InUse);
    }

    #[test]
    fn a_second_owner_is_told_that_the_collection_is_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let mut options = rocksdb::Options::default();
        options.create_if_missing(true);
        let _owner = rocksdb::DB::open(&options, dir.path()).unwrap();
        let error = rocksdb::DB::open(&options, dir.path()).unwrap_err();
        assert_eq!(rocks(dir.path(), error).code, ErrorCode::InUse);
    }
}
