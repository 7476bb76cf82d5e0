//! The times at which each unlocked vault was last used. Those that stay unused are locked after a while.
//!
//! The keys themselves are in the registry of the store.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, CollectionId, ErrorCode, Result};
use casetrack_vault::key::VaultKey;

use super::{Host, lock};

/// Vaults whose key is here.
#[derive(Default)]
pub(super) struct Unlocked {
    used: Mutex<HashMap<CollectionId, Use>>,
    /// Held while a passphrase is tried, which takes 256 MiB: one at a time.
    trying: Mutex<()>,
}

struct Use {
    last: Instant,
    /// It is locked when it was not used for this time.
    idle: Duration,
}

impl Host {
    /// Keeps the key of a vault, until the vault has not been used for `idle`.
    ///
    /// Errors: as for [`Registry::unlock`](casetrack_store::Registry::unlock).
    pub fn keep_key(&self, id: CollectionId, key: VaultKey, idle: Duration) -> Result<()> {
        self.registry().unlock(id, key)?;
        self.note_unlocked(id, idle);
        Ok(())
    }

    /// As [`keep_key`](Self::keep_key), for a vault whose key the registry has already.
    pub fn note_unlocked(&self, id: CollectionId, idle: Duration) {
        lock(&self.shared.unlocked.used).insert(id, Use { last: Instant::now(), idle });
    }

    /// Keeps a vault unlocked although it is unused. Returns the time after which it would have been locked.
    pub fn stop_idling(&self, id: CollectionId) -> Option<Duration> {
        lock(&self.shared.unlocked.used).remove(&id).map(|used| used.idle)
    }

    pub fn note_use(&self, id: CollectionId) {
        if let Some(used) = lock(&self.shared.unlocked.used).get_mut(&id) {
            used.last = Instant::now();
        }
    }

    /// The time until a vault locks if it stays unused.
    pub fn locks_in(&self, id: CollectionId) -> Option<Duration> {
        lock(&self.shared.unlocked.used).get(&id).map(|used| used.idle.saturating_sub(used.last.elapsed()))
    }

    pub fn idle_vaults(&self) -> Vec<CollectionId> {
        let used = lock(&self.shared.unlocked.used);
        used.iter().filter(|(_, used)| used.last.elapsed() >= used.idle).map(|(id, _)| *id).collect()
    }

    /// True if the key of a vault is here, which the end of the process would lock.
    pub fn has_unlocked_vaults(&self) -> bool {
        !lock(&self.shared.unlocked.used).is_empty()
    }

    /// True if there is a vault, locked or not. If that cannot be known, there may be one.
    pub fn has_vaults(&self) -> bool {
        let count = |vaults: Result<Vec<CollectionId>>| vaults.map_or(1, |vaults| vaults.len());
        count(self.registry().locked()) + count(self.registry().unlocked()) > 0
    }

    /// Forgets the key of a vault, which cannot be read from then on.
    pub fn forget_key(&self, id: CollectionId) {
        lock(&self.shared.unlocked.used).remove(&id);
        self.registry().lock(id);
        self.shared.recognizers.forget_texts();
    }

    /// Closes a vault that was locked as soon as it is idle, with the data in memory that are derived from its texts. Returns false if it is still in
    /// use after `patience`: [`close_locked`](Self::close_locked) closes it later.
    pub fn close_locked_within(&self, id: CollectionId, patience: Duration) -> Result<bool> {
        let closed = self.open_collections().while_closed(id, patience, &Cancel::default(), || Ok(()));
        // Again, because work that was still running may have learnt new words.
        self.shared.recognizers.forget_texts();
        match closed {
            Ok(()) => Ok(true),
            Err(error) if error.code == ErrorCode::InUse => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Closes vaults that were locked while something worked with them.
    pub fn close_locked(&self) {
        for id in self.open_collections().ids() {
            if self.registry().key(id).is_err() && self.open_collections().close(id).is_ok() {
                tracing::info!(collection = %id, "a vault that was locked is closed");
            }
        }
    }

    pub fn trying_a_passphrase(&self) -> MutexGuard<'_, ()> {
        lock(&self.shared.unlocked.trying)
    }
}
