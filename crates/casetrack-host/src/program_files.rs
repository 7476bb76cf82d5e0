//! Files of the program that describe collections, and are outside of their directories.

use std::path::Path;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::{owner, wipe_file, write_atomically};

use super::Host;

impl Host {
    /// Writes a file that describes these collections: sealed with the key of the first vault among them, else as it is. `name` is the name by which
    /// it is read again.
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

    /// The content that [`write_owned`](Self::write_owned) wrote, and the vault that it was sealed for; `None` if nothing was written, or its vault
    /// is gone. An unsealed file must not describe a vault, which the caller checks ([`check_told`](Self::check_told)).
    ///
    /// Errors: [`ErrorCode::Locked`] if it describes a vault that is locked.
    pub fn read_owned(&self, path: &Path, name: &str) -> Result<Option<(Vec<u8>, Option<CollectionId>)>> {
        let stored = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            stored => stored.map_err(|error| Error::io(path.display(), error))?,
        };
        let owner = owner(&stored);
        match self.registry().open_owned(name, stored) {
            Err(error) if error.code == ErrorCode::NotFound => Ok(None),
            content => content.map(|content| Some((content, owner))),
        }
    }

    /// Refuses content that was not sealed although it describes a vault.
    ///
    /// Errors: [`ErrorCode::Corrupt`].
    pub fn check_told(
        &self,
        name: &str,
        owner: Option<CollectionId>,
        mut told: impl Iterator<Item = CollectionId>,
    ) -> Result<()> {
        match owner {
            // Sealed with the key of the first of several.
            Some(_) => Ok(()),
            None => told.try_for_each(|id| self.registry().check_owner(id, name, None)),
        }
    }

    /// Overwrites and removes the file of [`write_owned`](Self::write_owned). A missing file is not an error.
    pub fn forget_owned(&self, path: &Path) -> Result<()> {
        wipe_file(path)
    }
}
