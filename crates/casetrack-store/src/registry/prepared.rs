//! Collections that are being filled, in `.prepared-<id>`, until they get their place.

use std::path::PathBuf;

use casetrack_core::{CollectionId, CollectionMeta, Error, ErrorCode, Result};

use super::Registry;
use crate::collection::LocalCollection;
use crate::fs;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::seal::Seal;
use crate::store::Collection;

const PREPARED_PREFIX: &str = ".prepared-";

impl Registry {
    fn prepared_path(&self, id: CollectionId) -> PathBuf {
        self.root.join(format!("{PREPARED_PREFIX}{id}"))
    }

    fn refuse_taken(&self, id: CollectionId) -> Result<()> {
        if self.path(id).exists() {
            return Err(Error::new(ErrorCode::AlreadyExists, format!("The collection {id} already exists."))
                .with_hint("Delete it first, or keep it."));
        }
        Ok(())
    }

    /// See [`Store::prepare`](crate::Store::prepare).
    pub(super) fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        self.refuse_taken(meta.id)?;
        let dir = self.prepared_path(meta.id);
        if Manifest::read(&dir, &Seal::default()).is_ok_and(|manifest| manifest.models == *models) {
            match LocalCollection::open(&dir) {
                Err(error) if error.code == ErrorCode::Corrupt => {}
                opened => return opened.map(Collection::from),
            }
        }
        fs::remove_dir(&dir)?;
        LocalCollection::create(&dir, meta, models).map(Collection::from)
    }

    /// See [`Store::publish`](crate::Store::publish).
    pub(super) fn publish(&self, id: CollectionId) -> Result<()> {
        let dir = self.prepared_path(id);
        if !dir.is_dir() {
            return Err(Error::new(ErrorCode::NotFound, format!("No collection {id} is being filled.")));
        }
        self.refuse_taken(id)?;
        // Released before the renaming, which an open file would prevent on Windows.
        drop(OwnerLock::acquire(&dir)?);
        let _nobody_lists = self.replacing();
        fs::rename_durably(&dir, &self.path(id))
    }

    /// See [`Store::discard`](crate::Store::discard).
    pub(super) fn discard(&self, id: CollectionId) -> Result<bool> {
        let dir = self.prepared_path(id);
        if !dir.is_dir() {
            return Ok(false);
        }
        drop(OwnerLock::acquire(&dir)?);
        fs::remove_dir(&dir).map(|()| true)
    }
}
