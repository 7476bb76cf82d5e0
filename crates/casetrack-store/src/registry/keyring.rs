//! The keys of vaults that are unlocked in this process.
//!
//! A vault whose key is not here is locked: only its id is known, and every attempt to open it fails with
//! [`ErrorCode::Locked`](casetrack_core::ErrorCode::Locked). Clones of a [`Registry`] share the keys, so that unlocking
//! and locking hold for all of them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use casetrack_core::{CollectionId, CollectionMeta, Result};
use casetrack_vault::header::Header;
use casetrack_vault::key::VaultKey;

use super::Registry;
use crate::archive::Archive;
use crate::collection::LocalCollection;
use crate::manifest::VectorModels;
use crate::seal::Seal;
use crate::store::Collection;
use crate::truth::{Truth, truth_dir};
use crate::vault;
use crate::vault_state::{VaultState, VaultStateFile};

/// By collection. A key is overwritten in memory when the last who uses it drops it.
#[derive(Debug, Clone, Default)]
pub(super) struct Keyring(Arc<RwLock<HashMap<CollectionId, Arc<VaultKey>>>>);

static HAD_A_KEY: AtomicBool = AtomicBool::new(false);

/// True if a vault was unlocked in this process at any time. Text that is then written to a place that everyone can
/// read, such as a log, must not hold texts, names or paths.
pub fn had_a_vault() -> bool {
    HAD_A_KEY.load(Ordering::Relaxed)
}

/// Announces a vault in this process before there is one: for a collection that becomes one.
pub fn note_vault() {
    HAD_A_KEY.store(true, Ordering::Relaxed);
}

impl Keyring {
    fn get(&self, id: CollectionId) -> Option<Arc<VaultKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    pub(super) fn set(&self, id: CollectionId, key: Option<VaultKey>) -> bool {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match key {
            Some(key) => {
                note_vault();
                keys.insert(id, Arc::new(key)).is_some()
            }
            None => keys.remove(&id).is_some(),
        }
    }
}

impl Registry {
    /// True if the collection is a vault, locked or not, be it one whose header is lost.
    pub fn is_vault(&self, id: CollectionId) -> bool {
        vault::is_one(&self.path(id))
    }

    /// Keeps the key of a vault until [`lock`](Self::lock) or the end of the process: from now on it is a collection as
    /// any other. Errors: [`casetrack_core::ErrorCode::WrongKey`] for the key of another vault,
    /// [`casetrack_core::ErrorCode::WrongState`] if the header or the whole vault is older than its last seen state,
    /// and those of [`vault_header`](Self::vault_header).
    pub fn unlock(&self, id: CollectionId, key: VaultKey) -> Result<()> {
        let header = match vault::vouched(&self.path(id), &key) {
            Some(header) => header,
            None => {
                let header = self.vault_header(id)?;
                header.check(&key)?;
                header
            }
        };
        let now = self.state_of(id, &key, &header)?;
        now.map_or(Ok(()), |(now, kept)| match kept > now.generation {
            true => Err(vault::earlier("The header of the vault")),
            false => self.seen_file(id, &key).check(now),
        })?;
        self.keyring.set(id, Some(key));
        Ok(())
    }

    /// Accepts a vault that is older than its last seen state, because its owner restored it from a backup: from now on
    /// this is its state. Errors: [`casetrack_core::ErrorCode::WrongKey`].
    pub fn accept_restored(&self, id: CollectionId, key: &VaultKey) -> Result<()> {
        let dir = self.path(id);
        let header = vault::vouched(&dir, key).map_or_else(|| self.vault_header(id), Ok)?;
        header.check(key)?;
        let kept = self.state_of(id, key, &header)?.map_or(0, |(_, kept)| kept);
        if kept > header.generation() {
            vault::write(&dir, &header.following(key, kept)?)?;
        }
        VaultStateFile::forget(&self.seen_path(id))
    }

    /// The state of a vault, and the latest generation of its header that it knows of; `None` if RocksDB cannot be
    /// read, which a repair mends.
    fn state_of(&self, id: CollectionId, key: &VaultKey, header: &Header) -> Result<Option<(VaultState, u64)>> {
        let Ok(truth) = Truth::open_read_only(&truth_dir(&self.path(id)), &Seal::with(key)?) else { return Ok(None) };
        let (Ok(state), Ok(kept)) = (truth.state(), truth.generation()) else { return Ok(None) };
        let now = VaultState { generation: header.generation(), last_seq: state.last_seq };
        Ok(Some((now, kept.unwrap_or_default())))
    }

    pub(super) fn seen_path(&self, id: CollectionId) -> PathBuf {
        self.root.with_file_name("vaults").join(id.to_string())
    }

    fn seen_file(&self, id: CollectionId, key: &VaultKey) -> VaultStateFile {
        VaultStateFile::new(self.seen_path(id), id, key.clone())
    }

    /// Lets an open vault record its last seen state.
    pub(super) fn with_seen(&self, collection: LocalCollection, key: Option<&VaultKey>) -> Result<Collection> {
        if let Some(key) = key {
            collection.keep_seen(self.seen_file(key.collection(), key))?;
        }
        Ok(collection.into())
    }

    /// The problem of the last seen state of a vault that is unlocked, or of the vault compared with it.
    pub fn seen_problem(&self, id: CollectionId) -> Result<Option<String>> {
        let Some(key) = self.key(id)? else { return Ok(None) };
        let (file, path) = (self.seen_file(id, &key), self.seen_path(id));
        if file.read().is_none() && path.exists() {
            return Ok(Some(format!(
                "{} was changed, so that an earlier state of the vault would not be noticed.",
                path.display()
            )));
        }
        let Some(header) = vault::vouched(&self.path(id), &key) else { return Ok(None) };
        let now = self.state_of(id, &key, &header)?;
        Ok(now.and_then(|(now, _)| file.check(now).err()).map(|error| error.message))
    }

    /// Forgets the key of a vault; whether it was here. A collection that is open stays open: close it first.
    pub fn lock(&self, id: CollectionId) -> bool {
        self.keyring.set(id, None)
    }

    /// The key of a collection; `None` for one that is no vault. Errors: [`casetrack_core::ErrorCode::Locked`] for a
    /// vault whose key is not here.
    pub fn key(&self, id: CollectionId) -> Result<Option<Arc<VaultKey>>> {
        if !self.is_vault(id) {
            return Ok(None);
        }
        self.keyring.get(id).map(Some).ok_or_else(|| vault::locked(id))
    }

    /// The vaults whose key is not here, in the order of their ids. Nothing else is known of them.
    pub fn locked(&self) -> Result<Vec<CollectionId>> {
        let _settled = self.settled();
        let is_locked = |id: &CollectionId| self.is_vault(*id) && self.keyring.get(*id).is_none();
        Ok(self.ids()?.filter(is_locked).collect())
    }

    /// The vaults whose key is here.
    pub fn unlocked(&self) -> Result<Vec<CollectionId>> {
        let _settled = self.settled();
        let is_unlocked = |id: &CollectionId| self.is_vault(*id) && self.keyring.get(*id).is_some();
        Ok(self.ids()?.filter(is_unlocked).collect())
    }

    /// Makes an empty vault, keeps its key, and opens it. See [`LocalCollection::create_vault`].
    pub fn create_vault(
        &self,
        meta: &CollectionMeta,
        models: &VectorModels,
        key: VaultKey,
        header: &Header,
    ) -> Result<Collection> {
        let collection = LocalCollection::create_vault(&self.path(meta.id), meta, models, &key, header)?;
        let collection = self.with_seen(collection, Some(&key))?;
        self.keyring.set(meta.id, Some(key));
        Ok(collection)
    }

    /// Makes a vault of an archive, keeps its key, and opens it. See [`LocalCollection::import_vault`].
    pub fn import_vault(
        &self,
        archive: &mut Archive,
        meta: &CollectionMeta,
        key: VaultKey,
        header: &Header,
    ) -> Result<Collection> {
        let collection = LocalCollection::import_vault(&self.path(meta.id), archive, meta, &key, header)?;
        let collection = self.with_seen(collection, Some(&key))?;
        self.keyring.set(meta.id, Some(key));
        Ok(collection)
    }

    pub fn vault_header(&self, id: CollectionId) -> Result<Header> {
        LocalCollection::vault_header(&self.path(id))
    }

    /// Finds the key of a vault in its headers, of which `try_one` looks at one, and mends the copy that is damaged, older or forged.
    ///
    /// Errors: those of [`vault_header`](Self::vault_header) and of `try_one`; also if only an older copy opens.
    pub fn open_header<T>(
        &self,
        id: CollectionId,
        try_one: impl Fn(&Header) -> Result<(VaultKey, T)>,
    ) -> Result<(Header, VaultKey, T)> {
        vault::open(&self.path(id), try_one)
    }

    /// See [`LocalCollection::replace_vault_header`]. That there is a later header is seen at once.
    pub fn replace_vault_header(&self, id: CollectionId, header: &Header, key: &VaultKey) -> Result<()> {
        LocalCollection::replace_vault_header(&self.path(id), header)?;
        self.seen_file(id, key).note(VaultState { generation: header.generation(), last_seq: 0 })
    }

    pub(super) fn seal(&self, id: CollectionId) -> Result<Seal> {
        self.key(id)?.map_or_else(|| Ok(Seal::default()), |key| Seal::with(&key))
    }
}
