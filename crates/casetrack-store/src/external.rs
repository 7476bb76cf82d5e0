//! Files about a collection outside of its directory, such as the records of its jobs: sealed with the collection's key
//! if it is a vault.
//!
//! | bytes | |
//! |---|---|
//! | 7 | `CTOWNED` |
//! | 1 | version, 1 |
//! | 16 | id of the collection |
//! | … | a [sealed file](casetrack_vault::files) |
//!
//! Files that are not sealed are JSON, which never begins so.

use casetrack_core::{CollectionId, Result};
use casetrack_vault::key::VaultKey;

pub(crate) const MAGIC: &[u8; 7] = b"CTOWNED";
pub(crate) const VERSION: u8 = 1;
/// Bytes before the sealed file.
pub(crate) const HEAD: usize = MAGIC.len() + 1 + 16;

/// The bytes to write for a file that belongs to a collection with this key, or with none.
pub(crate) fn sealed(key: Option<&VaultKey>, collection: CollectionId, name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let Some(key) = key else { return Ok(content.to_vec()) };
    let mut sealed = MAGIC.to_vec();
    sealed.push(VERSION);
    sealed.extend_from_slice(collection.as_bytes());
    sealed.extend(key.files()?.seal_bytes(name, content)?);
    Ok(sealed)
}

/// The vault that a sealed file belongs to; `None` for a plain one.
pub fn owner(stored: &[u8]) -> Option<CollectionId> {
    let id = stored.strip_prefix(MAGIC)?.get(1..17)?;
    Some(CollectionId::from_bytes(id.try_into().ok()?))
}
