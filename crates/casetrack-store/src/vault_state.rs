//! The last seen state of a vault, outside of its folder: `<data directory>/vaults/<id>`, sealed. It detects that the
//! folder as a whole, or its header, was put back to an earlier state, unless the attacker can also write here.
//!
//! It is written when indexes are saved, when the collection is closed and when slots change. After a kill it is a
//! little older, which does no harm.

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, Error, Result};
use casetrack_vault::key::VaultKey;
use serde::{Deserialize, Serialize};

use crate::external::{HEAD, owner, sealed};
use crate::{fs, vault};

/// A state of a vault; later ones have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct VaultState {
    /// The generation of the header.
    pub generation: u64,
    /// The last entry of the operation log.
    pub last_seq: u64,
}

/// The file of a vault, and the key that it is sealed with.
pub(crate) struct VaultStateFile {
    path: PathBuf,
    collection: CollectionId,
    key: VaultKey,
}

impl VaultStateFile {
    pub fn new(path: PathBuf, collection: CollectionId, key: VaultKey) -> Self {
        Self { path, collection, key }
    }

    fn name(&self) -> String {
        format!("vaults/{}", self.collection)
    }

    /// The last seen state; `None` if there is none, or it cannot be read.
    pub fn read(&self) -> Option<VaultState> {
        let stored = std::fs::read(&self.path).ok()?;
        let opened = self.key.files().and_then(|files| {
            let sealed = stored.get(HEAD..).filter(|_| owner(&stored) == Some(self.collection));
            files.open_bytes(&self.name(), sealed.unwrap_or_default())
        });
        match opened.and_then(|json| serde_json::from_slice(&json).map_err(|error| Error::internal(error.to_string())))
        {
            Ok(seen) => Some(seen),
            Err(error) => {
                tracing::warn!(collection = %self.collection, %error, "the recorded state of a vault cannot be read");
                None
            }
        }
    }

    /// Errors: [`casetrack_core::ErrorCode::WrongState`] for a state that is earlier than the last seen one.
    pub fn check(&self, now: VaultState) -> Result<()> {
        let Some(seen) = self.read() else { return Ok(()) };
        if now.last_seq < seen.last_seq {
            return Err(vault::earlier("The vault"));
        }
        if now.generation < seen.generation {
            return Err(vault::earlier("The header of the vault"));
        }
        Ok(())
    }

    /// Records the state; numbers never fall.
    pub fn note(&self, now: VaultState) -> Result<()> {
        let before = self.read();
        let seen = before.unwrap_or_default();
        let seen =
            VaultState { generation: seen.generation.max(now.generation), last_seq: seen.last_seq.max(now.last_seq) };
        if before == Some(seen) {
            return Ok(());
        }
        let json = serde_json::to_vec(&seen).map_err(|error| Error::internal(error.to_string()))?;
        self.path.parent().map_or(Ok(()), fs::create_dir)?;
        fs::write_atomically(&self.path, &sealed(Some(&self.key), self.collection, &self.name(), &json)?)
    }

    /// Forgets it, for a vault that is about to be made again.
    pub fn forget(path: &Path) -> Result<()> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path.display(), error)),
            _ => Ok(()),
        }
    }
}
