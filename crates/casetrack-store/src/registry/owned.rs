//! What lies outside of a collection's directory and tells of it, such as the records of its jobs: sealed with the collection's key
//! where it is a vault.
//!
//! | bytes | |
//! |---|---|
//! | 7 | `CTOWNED` |
//! | 1 | version, 1 |
//! | 16 | id of the collection |
//! | … | a [sealed file](casetrack_vault::files) |
//!
//! What is not sealed is JSON, which never begins so.

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_vault::key::VaultKey;

use super::Registry;
use crate::error::corrupt;

const MAGIC: &[u8; 7] = b"CTOWNED";
const VERSION: u8 = 1;
/// Bytes before the sealed file.
pub(crate) const HEAD: usize = MAGIC.len() + 1 + 16;

impl Registry {
    /// What to write of something that belongs to a collection. `name` is that by which it is read again, such as `job/` and an id.
    ///
    /// Errors: [`ErrorCode::Locked`] for a vault whose key is not here.
    pub fn seal_owned(&self, collection: CollectionId, name: &str, content: Vec<u8>) -> Result<Vec<u8>> {
        match self.key(collection)? {
            Some(key) => sealed(Some(&key), collection, name, &content),
            None => Ok(content),
        }
    }

    /// What [`seal_owned`](Self::seal_owned) was given for this collection.
    ///
    /// Errors: as [`open_owned`](Self::open_owned); [`ErrorCode::Corrupt`] also where the collection is a vault, and this was not sealed for it.
    pub fn open_owned_of(&self, collection: CollectionId, name: &str, stored: Vec<u8>) -> Result<Vec<u8>> {
        self.check_owner(collection, name, owner(&stored))?;
        self.open_owned(name, stored)
    }

    /// Refuses what tells of a vault and was not sealed for it: anybody could have written it.
    ///
    /// Errors: [`ErrorCode::Corrupt`].
    pub fn check_owner(&self, collection: CollectionId, name: &str, owner: Option<CollectionId>) -> Result<()> {
        if self.is_vault(collection) && owner != Some(collection) {
            let message =
                format!("{name} is about the vault {}, and is not encrypted with its key.", collection.short());
            return Err(Error::new(ErrorCode::Corrupt, message)
                .with_hint("Delete it, and find out who can write to the data directory."));
        }
        Ok(())
    }

    /// What [`seal_owned`](Self::seal_owned) was given, where the content says which collection it is about: see
    /// [`check_owner`](Self::check_owner).
    ///
    /// Errors: [`ErrorCode::Locked`] where it belongs to a vault whose key is not here; [`ErrorCode::NotFound`] where that vault is gone;
    /// [`ErrorCode::Corrupt`] where it was changed.
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

/// What to write of something that belongs to a collection with this key, or with none.
pub(crate) fn sealed(key: Option<&VaultKey>, collection: CollectionId, name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let Some(key) = key else { return Ok(content.to_vec()) };
    let mut sealed = MAGIC.to_vec();
    sealed.push(VERSION);
    sealed.extend_from_slice(collection.as_bytes());
    sealed.extend(key.files()?.seal_bytes(name, content)?);
    Ok(sealed)
}

/// The vault that something sealed belongs to; `None` for what is not sealed.
pub fn owner(stored: &[u8]) -> Option<CollectionId> {
    let id = stored.strip_prefix(MAGIC)?.get(1..17)?;
    Some(CollectionId::from_bytes(id.try_into().ok()?))
}
