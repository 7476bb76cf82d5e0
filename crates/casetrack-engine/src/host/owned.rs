//! Files of the program that tell of collections, and lie outside of their directories.

use std::path::Path;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::{wipe_file, write_atomically};

use super::Host;

impl Host {
    /// Writes a file that tells of these collections: sealed with the key of the first vault among them, else as it is. `name` is that by
    /// which it is read again.
    ///
    /// Errors: [`ErrorCode::Locked`] for a vault that is locked; then nothing is written.
    pub fn write_owned(&self, path: &Path, name: &str, collections: &[CollectionId], content: Vec<u8>) -> Result<()> {
        let vault = collections.iter().find(|id| self.registry().is_vault(**id));
        let content = match vault {
            Some(id) => self.registry().seal_owned(*id, name, content)?,
            None => content,
        };
        write_atomically(path, &content)
    }

    /// What [`write_owned`](Self::write_owned) wrote; `None` where nothing was, or its vault is gone.
    ///
    /// Errors: [`ErrorCode::Locked`] where it tells of a vault that is locked.
    pub fn read_owned(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>> {
        let stored = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            stored => stored.map_err(|error| Error::io(path.display(), error))?,
        };
        match self.registry().open_owned(name, stored) {
            Err(error) if error.code == ErrorCode::NotFound => Ok(None),
            content => content.map(Some),
        }
    }

    /// Overwrites and removes what [`write_owned`](Self::write_owned) wrote. A file that is not there is no error.
    pub fn forget_owned(&self, path: &Path) -> Result<()> {
        wipe_file(path)
    }
}
