//! The collections of a data directory.

mod external;
mod keyring;
mod moves;
mod reseal;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use casetrack_core::{CollectionId, CollectionMeta, Error, ErrorCode, Result, Timestamp};

use crate::archive::Archive;
use crate::collection::{LocalCollection, STAGING_PREFIX};
use crate::error::corrupt;
use crate::fs;
use crate::lock::OwnerLock;
use crate::manifest::{Manifest, VectorModels};
use crate::repair::RepairReport;
use crate::roles::Counts;
use crate::seal::Seal;
use crate::store::{Collection, Store};
use crate::truth::{Truth, truth_dir};
use crate::vault_state::VaultStateFile;

pub use keyring::{had_a_vault, note_vault};
pub use moves::Moving;
pub use reseal::{Owned, Resealed, Space};

const PREPARED_PREFIX: &str = ".prepared-";
const TRASH_PREFIX: &str = ".trash-";

/// The collections under `<data directory>/collections`: each a directory named by its id that holds all of it. There
/// is no central list; a directory that is copied in, moved away or deleted has been added or removed.
#[derive(Debug, Clone)]
pub struct Registry {
    root: PathBuf,
    /// Held while a directory takes the place of another.
    replacing: Arc<RwLock<()>>,
    /// Of vaults that are unlocked.
    keyring: keyring::Keyring,
}

impl Registry {
    /// Creates the directory if need be.
    pub fn open(data_dir: &Path) -> Result<Self> {
        if data_dir.to_str().is_none() {
            let message = format!("The data directory {} has a name that is not valid Unicode.", data_dir.display());
            return Err(Error::invalid(message).with_hint("Choose another directory for the data."));
        }
        // Stores refer to files by absolute path, so a change of the working directory does not matter.
        let root =
            std::path::absolute(data_dir).map_err(|error| Error::io(data_dir.display(), error))?.join("collections");
        fs::create_dir(&root)?;
        Ok(Self { root, replacing: Arc::default(), keyring: Default::default() })
    }

    fn settled(&self) -> RwLockReadGuard<'_, ()> {
        self.replacing.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn replacing(&self) -> RwLockWriteGuard<'_, ()> {
        self.replacing.write().unwrap_or_else(PoisonError::into_inner)
    }

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

    fn read(&self, name: &str) -> Result<CollectionMeta> {
        let dir = self.root.join(name);
        let seal = name.parse().map_or_else(|_| Ok(Default::default()), |id| self.seal(id))?;
        let meta = Manifest::read(&dir, &seal)?.collection;
        if meta.id.to_string() != name {
            return Err(corrupt(format!("The directory {} holds collection {}.", dir.display(), meta.id)).with_hint(
                "A collection's directory must be named by its id. Move a copy to another data directory to use it there.",
            ));
        }
        Ok(meta)
    }

    /// The id and, if known, the name of every collection, including damaged ones that cannot be listed, and vaults that are locked.
    pub fn repairable(&self) -> Result<Vec<(CollectionId, Option<String>)>> {
        let of = |id| {
            let Ok(seal) = self.seal(id) else { return (id, None) };
            let dir = self.path(id);
            let name = Manifest::read(&dir, &seal).map(|manifest| manifest.collection.name).ok();
            (id, name.or_else(|| LocalCollection::name_in_truth(&dir, &seal)))
        };
        Ok(self.ids()?.map(of).collect())
    }

    pub fn repair(&self, id: CollectionId) -> Result<RepairReport> {
        let seal = self.seal(id)?;
        // The log may begin again.
        VaultStateFile::forget(&self.seen_path(id))?;
        LocalCollection::repair_with(&self.path(id), seal)
    }

    pub fn open_to_verify(&self, id: CollectionId) -> Result<Collection> {
        LocalCollection::open_with(&self.path(id), false, &self.seal(id)?).map(Collection::from)
    }

    /// The path of a collection, whether or not it exists.
    pub fn path(&self, id: CollectionId) -> PathBuf {
        self.root.join(id.to_string())
    }

    fn ids(&self) -> Result<impl Iterator<Item = CollectionId>> {
        Ok(self.names()?.into_iter().filter_map(|name| name.parse().ok()))
    }

    /// Names of all entries; none of ours is outside Unicode.
    fn names(&self) -> Result<Vec<String>> {
        let entries = fs::entries(&self.root)?.into_iter();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Removes the remains of collections that were being created or deleted at a crash, and ends replacements that it
    /// interrupted. Only for the owner of the data directory (invariant 8), so that no other process is creating one.
    pub fn clear_remains(&self) -> Result<()> {
        self.finish_replacements()?;
        self.finish_resealing()?;
        self.clear_moves()?;
        for name in self.names()? {
            if name.starts_with(TRASH_PREFIX) || name.starts_with(STAGING_PREFIX) {
                fs::remove_dir(&self.root.join(&name))?;
            }
        }
        Ok(())
    }
}

impl Store for Registry {
    /// Leaves out vaults that are locked.
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)> {
        let _settled = self.settled();
        let (mut collections, mut problems) = (Vec::new(), Vec::new());
        for name in self.names()? {
            if name.starts_with('.') || !self.root.join(&name).is_dir() {
                continue;
            }
            match self.read(&name) {
                Ok(meta) => collections.push(meta),
                Err(problem) if problem.code == ErrorCode::Locked => {}
                Err(problem) => problems.push(problem),
            }
        }
        collections.sort_by_key(|meta| (meta.created_at, meta.id));
        Ok((collections, problems))
    }

    fn meta(&self, id: CollectionId) -> Result<CollectionMeta> {
        let _settled = self.settled();
        Ok(Manifest::read(&self.path(id), &self.seal(id)?)?.collection)
    }

    /// Takes some ten milliseconds. For a collection that is open here, [`DescribeCollection`](crate::DescribeCollection) is quicker.
    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)> {
        let _settled = self.settled();
        let (dir, seal) = (self.path(id), self.seal(id)?);
        Manifest::read(&dir, &seal)?;
        // The owner may remove a file between the moments we learn of it and open it.
        let read = || Truth::open_read_only(&truth_dir(&dir), &seal)?.state();
        (0..3).find_map(|_| read().ok()).map_or_else(read, Ok).map(|state| (state.into(), state.changed_at))
    }

    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        LocalCollection::create(&self.path(meta.id), meta, models).map(Collection::from)
    }

    fn open_collection(&self, id: CollectionId) -> Result<Collection> {
        let key = self.key(id)?;
        let seal = key.as_deref().map_or_else(|| Ok(Seal::default()), Seal::with)?;
        self.with_seen(LocalCollection::open_plain_or_vault(&self.path(id), &seal)?, key.as_deref())
    }

    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection> {
        LocalCollection::import(&self.path(meta.id), archive, meta).map(Collection::from)
    }

    /// Also removes a vault that is locked: first from sight, in one step, then from disk.
    fn delete(&self, id: CollectionId) -> Result<()> {
        let dir = self.path(id);
        if !dir.is_dir() {
            return Err(Error::new(ErrorCode::NotFound, format!("There is no collection {id}."))
                .with_hint("List the collections to see their names and IDs."));
        }
        // Released before the renaming, which an open file would prevent on Windows.
        drop(OwnerLock::acquire(&dir)?);
        let trash = self.root.join(format!("{TRASH_PREFIX}{id}"));
        fs::remove_dir(&trash)?;
        fs::rename_durably(&dir, &trash)?;
        self.lock(id);
        fs::remove_dir(&trash)?;
        fs::remove_dir(&self.moving_path(id))?;
        VaultStateFile::forget(&self.seen_path(id))?;
        self.clear_resealing(id)
    }

    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
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

    fn publish(&self, id: CollectionId) -> Result<()> {
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

    fn discard(&self, id: CollectionId) -> Result<bool> {
        let dir = self.prepared_path(id);
        if !dir.is_dir() {
            return Ok(false);
        }
        drop(OwnerLock::acquire(&dir)?);
        fs::remove_dir(&dir).map(|()| true)
    }
}
