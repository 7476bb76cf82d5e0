//! Unlocking and locking, with their effects on jobs and watches.

use std::time::Duration;

use casetrack_core::{Action, CollectionId, CollectionMeta, ErrorCode, Notice, Result, hint};
use casetrack_store::Store;

use super::Engine;
use crate::jobs::PAUSE_PATIENCE;
use crate::vaults;
use crate::vaults::{LockedVault, NewVault, Opener, VaultRequest};
use casetrack_host::changes::Change;

/// The longest wait of locking for calls that work with the vault.
const PATIENCE: Duration = Duration::from_secs(10);

impl Engine {
    /// Makes an empty collection that is a vault, and unlocks it.
    ///
    /// Errors: as [`create_collection`](casetrack_host::collections::create_collection), and for an empty passphrase.
    pub fn create_vault(&self, request: VaultRequest, idle: Duration) -> Result<NewVault> {
        vaults::create_vault(&self.host, request, idle)
    }

    /// Keeps the key of a vault in memory until it is locked, is not used during `idle`, or the process ends. Its jobs and watches continue.
    /// Takes about a second for a passphrase, and more on a busy machine. A vault that is already unlocked stays unlocked, with the new
    /// `idle`, if `opener` opens it.
    ///
    /// Errors: [`ErrorCode::WrongKey`], [`ErrorCode::Corrupt`] for a header that is damaged or forged, [`ErrorCode::WrongState`] if it or the
    /// whole vault was put back to an earlier state, [`ErrorCode::NotFound`] for a collection that is not a vault.
    pub fn unlock(&self, id: CollectionId, opener: &Opener, idle: Duration) -> Result<CollectionMeta> {
        let key = vaults::open_header(&self.host, id, opener)?;
        self.host.keep_key(id, key, idle)?;
        let meta = match self.host.registry().meta(id) {
            Ok(meta) => meta,
            Err(error) => {
                // It can be repaired with its key.
                if error.code != ErrorCode::Corrupt {
                    self.host.forget_key(id);
                }
                return Err(error);
            }
        };
        self.jobs.release(&self.host, id)?;
        self.watches.hide(self.host.registry().locked()?);
        self.host.changes().notify(Change::Collection(id));
        Ok(meta)
    }

    /// Forgets the key of a vault, before anything else. Its jobs are interrupted and continue when it is unlocked. Its watches pause. The vault is
    /// closed, with all of its texts in memory. A locked vault stays locked. A job or a call that does not end in time keeps its data in
    /// memory until it ends, and then the vault is closed.
    ///
    /// Errors: [`ErrorCode::NotFound`] for a collection that is not a vault.
    pub fn lock(&self, id: CollectionId) -> Result<LockedVault> {
        self.host.registry().vault_header(id).map(drop).or_else(|error| match error.code {
            // Locking needs no header.
            ErrorCode::NotFound => Err(error),
            _ => Ok(()),
        })?;
        let jobs = self.jobs.interrupt(id);
        // Before the jobs have ended: their writes are whole at each step, and no request is possible meanwhile.
        self.host.forget_key(id);
        let patience = if self.jobs.settle(&self.host, id, PAUSE_PATIENCE) { PATIENCE } else { Duration::ZERO };
        let closed = self.host.close_locked_within(id, patience)?;
        self.watches.hide(self.host.registry().locked()?);
        self.host.changes().notify(Change::Collection(id));
        Ok(LockedVault { id, locked: true, interrupted_jobs: jobs as u64, closed })
    }

    /// Locks all vaults. Vaults that cannot be closed are logged.
    pub fn lock_all(&self) {
        for id in self.host.registry().unlocked().unwrap_or_default() {
            match self.lock(id) {
                Ok(_) => tracing::info!(collection = %id, "a vault is locked, since the user has logged out"),
                Err(error) => tracing::warn!(collection = %id, %error, "a vault could not be locked"),
            }
        }
    }

    /// Locks the vaults that were not used for their idle time, except those with running work. Also closes those that
    /// were in use when they were locked. The owner of the data directory calls this regularly.
    pub fn lock_idle(&self) {
        self.host.close_locked();
        for id in self.host.idle_vaults() {
            if self.jobs.has_work_of(id) {
                self.host.note_use(id);
                continue;
            }
            match self.lock(id) {
                Ok(_) => tracing::info!(collection = %id, "an idle vault is locked"),
                Err(error) => tracing::warn!(collection = %id, %error, "a vault could not be locked"),
            }
        }
    }

    /// The collections that are not locked, and a notice about the others.
    ///
    /// Errors: [`ErrorCode::Locked`] if all of them are.
    pub(super) fn without_locked(&self, collections: &[CollectionId]) -> Result<(Vec<CollectionId>, Option<Notice>)> {
        let (mut open, mut locked, mut error) = (Vec::new(), Vec::new(), None);
        for &id in collections {
            match self.host.registry().key(id) {
                Ok(_) => open.push(id),
                Err(problem) => {
                    locked.push(id);
                    error.get_or_insert(problem);
                }
            }
        }
        let notice = match locked.as_slice() {
            [] => None,
            _ if open.is_empty() => return Err(error.unwrap_or_else(|| casetrack_store::locked(locked[0]))),
            [one] => {
                let left_out =
                    format!("The vault {} is locked and was not searched. To search it as well: ", one.short());
                Some(hint![left_out, Action::Unlock(Some(one.short()))])
            }
            several => {
                let ids: Vec<String> = several.iter().map(|id| id.short()).collect();
                let left_out =
                    format!("The vaults {} are locked and were not searched. For each of them: ", ids.join(", "));
                Some(hint![left_out, Action::Unlock(None)])
            }
        };
        Ok((open, notice))
    }
}
