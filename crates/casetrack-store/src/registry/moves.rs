//! Moving a collection to other models: the same documents in a second directory, which then takes the place of the first.
//!
//! | directory | holds |
//! |---|---|
//! | `<id>` | the collection, as it is searched |
//! | `.moving-<id>` | the documents that already have vectors of the other models, until the move is asked for again and ends, or is discarded |
//! | `.replaced-<id>` | the earlier one, from the moment of the replacement until it is removed |

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, CollectionMeta, Error, Result};

use super::{Registry, Space};
use crate::collection::LocalCollection;
use crate::indexes::Indexes;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::migrate::BACKUP_PREFIX;
use crate::store::Collection;
use crate::truth::TRUTH;
use crate::vault_state::VaultStateFile;
use crate::{fs, vault};

pub(super) const MOVING_PREFIX: &str = ".moving-";
const REPLACED_PREFIX: &str = ".replaced-";

/// Documents and vectors take at most this multiple of their bytes while they are written: tables are merged into new
/// ones before the old ones go.
const FACTOR: u64 = 2;
/// Disk that is needed besides.
const SPARE_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moving {
    /// The models that the collection is on the way to.
    pub models: VectorModels,
    pub bytes: u64,
}

impl Registry {
    pub(super) fn moving_path(&self, id: CollectionId) -> PathBuf {
        self.root.join(format!("{MOVING_PREFIX}{id}"))
    }

    /// Opens the second directory of a collection that is on the way to these models: that of an interrupted move, or
    /// an empty one.
    pub fn moving(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        let (dir, seal) = (self.moving_path(meta.id), self.seal(meta.id)?);
        if Manifest::read(&dir, &seal).is_ok_and(|manifest| manifest.models == *models)
            && let Ok(collection) = LocalCollection::open_plain_or_vault(&dir, &seal)
        {
            return Ok(collection.into());
        }
        fs::remove_dir(&dir)?;
        let created = match self.key(meta.id)? {
            Some(key) => LocalCollection::create_vault(&dir, meta, models, &key, &self.vault_header(meta.id)?),
            None => LocalCollection::create(&dir, meta, models),
        };
        created.map(Collection::from)
    }

    /// Replaces the first directory of a collection by the second, in one step for all other users, and removes the
    /// earlier one. A kill at any instant leaves one of the two: see [`clear_remains`](Self::clear_remains). Errors:
    /// [`casetrack_core::ErrorCode::InUse`] if one of them is open.
    pub fn replace_with_moved(&self, id: CollectionId) -> Result<()> {
        let (dir, moving, replaced) = (self.path(id), self.moving_path(id), self.replaced_path(id));
        // Released before the renaming, which an open file would prevent on Windows.
        for dir in [&dir, &moving] {
            drop(OwnerLock::acquire(dir)?);
        }
        if vault::is_one(&dir) {
            // Slots may have been changed since.
            vault::write(&moving, &vault::read(&dir)?)?;
        }
        carry_over(&dir, &moving)?;
        // Its log begins again.
        VaultStateFile::forget(&self.seen_path(id))?;
        fs::remove_dir(&replaced)?;
        {
            let _nobody_lists = self.replacing();
            fs::rename_durably(&dir, &replaced)?;
            if let Err(error) = fs::rename_durably(&moving, &dir) {
                fs::rename_durably(&replaced, &dir)?;
                return Err(error);
            }
        }
        // It is out of sight; remains that cannot be removed now go when CaseTrack starts later.
        if let Err(error) = fs::remove_dir(&replaced) {
            tracing::warn!(%error, "the earlier version of a collection is left");
        }
        Ok(())
    }

    fn replaced_path(&self, id: CollectionId) -> PathBuf {
        self.root.join(format!("{REPLACED_PREFIX}{id}"))
    }

    /// The state of a move of a collection, under way or interrupted; `None` if there is none.
    pub fn moving_state(&self, id: CollectionId) -> Result<Option<Moving>> {
        let dir = self.moving_path(id);
        if !dir.is_dir() {
            return Ok(None);
        }
        let models = Manifest::read(&dir, &self.seal(id)?).ok().map(|manifest| manifest.models);
        let bytes = fs::dir_bytes(&dir)?;
        Ok(models.map(|models| Moving { models, bytes }))
    }

    /// Removes the stored part of a move of a collection, which must not be open; true if there was anything.
    pub fn discard_move(&self, id: CollectionId) -> Result<bool> {
        let dir = self.moving_path(id);
        let is_there = dir.is_dir();
        fs::remove_dir(&dir).map(|()| is_there)
    }

    /// The disk that a move of a collection takes until it is done, in addition to its stored part.
    pub fn space_to_move(&self, id: CollectionId) -> Result<Space> {
        let dir = self.path(id);
        let made_again = [TRUTH, Indexes::DENSE, Indexes::BM25, Indexes::SPARSE];
        let bytes: u64 = made_again.into_iter().map(|name| fs::dir_bytes(&dir.join(name))).sum::<Result<_>>()?;
        let stored = fs::dir_bytes(&self.moving_path(id))?;
        let free = fs4::available_space(&self.root).map_err(|error| Error::io(self.root.display(), error))?;
        Ok(Space { needed: (bytes * FACTOR).saturating_sub(stored) + SPARE_BYTES, free })
    }

    /// Removes the data of moves for collections that are gone.
    pub(super) fn clear_moves(&self) -> Result<()> {
        for name in self.names()? {
            let id = name.strip_prefix(MOVING_PREFIX).and_then(|id| id.parse::<CollectionId>().ok());
            if id.is_some_and(|id| !self.path(id).is_dir()) {
                fs::remove_dir(&self.root.join(&name))?;
            }
        }
        Ok(())
    }

    /// Ends the replacements that a kill interrupted. The first directory leaves its place only when the second is complete.
    pub(super) fn finish_replacements(&self) -> Result<()> {
        for name in self.names()? {
            let Some(id) = name.strip_prefix(REPLACED_PREFIX).and_then(|id| id.parse::<CollectionId>().ok()) else {
                continue;
            };
            let (dir, moving, replaced) = (self.path(id), self.moving_path(id), self.root.join(&name));
            match (dir.is_dir(), moving.is_dir()) {
                (true, _) => fs::remove_dir(&replaced)?,
                (false, true) => {
                    fs::rename_durably(&moving, &dir)?;
                    fs::remove_dir(&replaced)?;
                }
                (false, false) => fs::rename_durably(&replaced, &dir)?,
            }
        }
        Ok(())
    }
}

/// Takes along the files of a collection's directory that were not made again: copies of source files, columns of the
/// sheet, and the quarantine.
fn carry_over(from: &Path, to: &Path) -> Result<()> {
    let is_made_again = |name: &str| {
        let indexes = [Indexes::DENSE, Indexes::BM25, Indexes::SPARSE];
        name.starts_with('.') || name.starts_with(BACKUP_PREFIX) || name == TRUTH || indexes.contains(&name)
    };
    for entry in fs::entries(from)? {
        if !entry.file_name().to_str().is_some_and(is_made_again) {
            fs::link_all(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
