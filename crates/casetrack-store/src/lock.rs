//! The lock of the owner of a collection's directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use casetrack_core::{Error, Result};

use crate::error::in_use;

/// Name of the file that is locked.
pub(crate) const OWNER_LOCK: &str = "owner.lock";

/// Ownership of a collection's directory, for as long as it lives. The operating system ends it with the process, so it
/// is never stale. It covers the derived indexes, which RocksDB's own lock does not.
#[derive(Debug)]
pub(crate) struct OwnerLock {
    _file: File,
}

impl OwnerLock {
    /// Takes ownership, or fails at once with [`casetrack_core::ErrorCode::InUse`].
    pub fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join(OWNER_LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| Error::io(path.display(), error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(in_use(dir)),
            Err(TryLockError::Error(error)) => Err(Error::io(path.display(), error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorCode;

    use super::*;

    #[test]
    fn there_is_one_owner_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let owner = OwnerLock::acquire(dir.path()).unwrap();
        let error = OwnerLock::acquire(dir.path()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InUse);
        assert!(error.hint.is_some());
        drop(owner);
        OwnerLock::acquire(dir.path()).unwrap();
    }
}
