//! Files about a collection outside of its directory: written and read with the keys that are here.

use casetrack_core::{CollectionId, Error, ErrorCode, Result};

use super::Registry;
use crate::error::corrupt;
use crate::external::{HEAD, MAGIC, VERSION, owner, sealed};

impl Registry {
    /// The bytes to write for a file that belongs to a collection. `name` is the one by which it is read again, such as
    /// `job/` and an id. Errors: [`ErrorCode::Locked`] for a vault whose key is not here.
    pub fn seal_owned(&self, collection: CollectionId, name: &str, content: Vec<u8>) -> Result<Vec<u8>> {
        match self.key(collection)? {
            Some(key) => sealed(Some(&key), collection, name, &content),
            None => Ok(content),
        }
    }

    /// The content that [`seal_owned`](Self::seal_owned) got for this collection. Errors: as
    /// [`open_owned`](Self::open_owned); [`ErrorCode::Corrupt`] also if the collection is a vault, and this was not
    /// sealed for it.
    pub fn open_owned_of(&self, collection: CollectionId, name: &str, stored: Vec<u8>) -> Result<Vec<u8>> {
        self.check_owner(collection, name, owner(&stored))?;
        self.open_owned(name, stored)
    }

    /// Refuses a file about a vault that was not sealed for it: anyone could have written it. Errors:
    /// [`ErrorCode::Corrupt`].
    pub fn check_owner(&self, collection: CollectionId, name: &str, owner: Option<CollectionId>) -> Result<()> {
        if self.is_vault(collection) && owner != Some(collection) {
            let message =
                format!("{name} is about the vault {}, and is not encrypted with its key.", collection.short());
            return Err(Error::new(ErrorCode::Corrupt, message)
                .with_hint("Delete it, and find out who can write to the data directory."));
        }
        Ok(())
    }

    /// The content that [`seal_owned`](Self::seal_owned) got, if it names its collection: see
    /// [`check_owner`](Self::check_owner). Errors: [`ErrorCode::Locked`] if it belongs to a vault whose key is not
    /// here; [`ErrorCode::NotFound`] if that vault is gone; [`ErrorCode::Corrupt`] if it was changed.
    pub fn open_owned(&self, name: &str, stored: Vec<u8>) -> Result<Vec<u8>> {
        let Some(collection) = owner(&stored) else { return Ok(stored) };
        if stored.get(MAGIC.len()) != Some(&VERSION) {
            return Err(Error::new(
                ErrorCode::NewerSchema,
                format!("{name} was written by a later version of CaseTrack."),
            )
            .with_hint("Update CaseTrack."));
        }
        let sealed = stored.get(HEAD..).unwrap_or_default();
        match self.key(collection)? {
            Some(key) => key.files()?.open_bytes(name, sealed),
            None if self.path(collection).is_dir() => {
                Err(corrupt(format!("{name} is sealed, and its collection is not.")))
            }
            None => Err(Error::new(ErrorCode::NotFound, format!("{name} belongs to a vault that is gone."))),
        }
    }
}
