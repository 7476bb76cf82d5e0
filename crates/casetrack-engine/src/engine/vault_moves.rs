//! Moving a collection into a vault and out of it: with its jobs and watches, while no call works with it.

use std::time::{Duration, Instant};

use casetrack_core::{Cancel, CollectionId, CollectionMeta, Error, Password, Result};
use casetrack_store::{Owned, Resealed, Store, Waiting, note_vault, write_over};
use casetrack_vault::passphrase::Passphrase;

use super::Engine;
use crate::vaults;
use crate::vaults::{MoveSpace, Moved, Opener, SealedCollection};
use casetrack_host::changes::Change;

/// The longest wait for calls that work with the collection.
const PATIENCE: Duration = Duration::from_secs(30);

impl Engine {
    /// The disk space that moving a collection into a vault, or out of it, takes while the move runs. No key of the vault is needed.
    ///
    /// Errors: [`casetrack_core::ErrorCode::DiskFull`] if there is too little.
    pub fn space_to_seal(&self, id: CollectionId) -> Result<MoveSpace> {
        self.host.only_on_disk("Vaults")?;
        let space = self.host.registry().space_to_reseal(id)?;
        space.check()?;
        Ok(MoveSpace { needed_bytes: space.needed, free_bytes: space.free })
    }

    /// Makes a vault of a collection; the vault is then unlocked. Its id and content stay. Jobs are interrupted and continue afterwards; other
    /// calls wait. Plain files are overwritten and removed, see [`Moved`]. `forget` removes all other words of the collection that the caller keeps, once it
    /// is a vault; after a kill before that, [`clear_remains`](Self::clear_remains) calls it.
    ///
    /// Errors: [`casetrack_core::ErrorCode::InvalidArgument`] for a vault and for an empty passphrase, [`casetrack_core::ErrorCode::InUse`] if a
    /// call does not end, [`casetrack_core::ErrorCode::DiskFull`], [`casetrack_core::ErrorCode::Cancelled`]. After an error the collection is unchanged.
    pub fn seal_collection(
        &self,
        id: CollectionId,
        passphrase: &Password,
        idle: Duration,
        waiting: Waiting<'_>,
        forget: impl FnOnce() -> Result<()>,
    ) -> Result<SealedCollection> {
        let started = Instant::now();
        let passphrase = Passphrase::new(passphrase.reveal())?;
        let meta = self.host.registry().meta(id)?;
        self.space_to_seal(id)?;
        if self.host.registry().is_vault(id) {
            return Err(Error::invalid(format!("\"{}\" is already a vault.", meta.name)));
        }
        // Nothing more of its words goes to the log.
        note_vault();
        let (key, header, recovery_words) = vaults::new_key(&self.host, id, &passphrase)?;
        let registry = self.host.registry();
        let resealed = self.reseal(id, waiting.cancel(), |owned| {
            let resealed = registry.seal_collection(id, key, &header, owned, waiting)?;
            self.host.note_unlocked(id, idle);
            if let Err(error) = forget() {
                tracing::warn!(collection = %id, %error, "a file about a collection could not be removed");
            }
            Ok(resealed)
        })?;
        Ok(SealedCollection { moved: moved(meta, resealed, started), recovery_words })
    }

    /// Decrypts a vault, locked or not, into a plain collection.
    ///
    /// Errors: as [`unlock`](Self::unlock) and [`seal_collection`](Self::seal_collection). After an error the vault is as it was, and locked if
    /// it was locked.
    pub fn unseal_collection(&self, id: CollectionId, opener: &Opener, waiting: Waiting<'_>) -> Result<Moved> {
        let started = Instant::now();
        self.space_to_seal(id)?;
        let was_locked = self.host.registry().key(id).is_err();
        let meta = match was_locked {
            true => self.unlock(id, opener, Duration::MAX)?,
            false => {
                // Also while it is unlocked, so that finding it open is not enough to take it out.
                vaults::open_header(&self.host, id, opener)?;
                self.host.registry().meta(id)?
            }
        };
        // It is not used while it is written, which must not lock it.
        let idle = self.host.stop_idling(id);
        let registry = self.host.registry();
        let resealed = self.reseal(id, waiting.cancel(), |owned| registry.unseal_collection(id, owned, waiting));
        match (&resealed, idle) {
            (Err(_), _) if was_locked => {
                if let Err(error) = self.lock(id) {
                    tracing::warn!(collection = %id, %error, "a vault could not be locked again");
                }
            }
            (Err(_), Some(idle)) => self.host.note_unlocked(id, idle),
            _ => {}
        }
        resealed.map(|resealed| moved(meta, resealed, started))
    }

    fn reseal(
        &self,
        id: CollectionId,
        cancel: &Cancel,
        work: impl FnOnce(&[Owned]) -> Result<Resealed>,
    ) -> Result<Resealed> {
        self.jobs.hold(&self.host, id)?;
        let resealed = self.resting(id).and_then(|()| {
            self.host.open_collections().while_closed(id, PATIENCE, cancel, || {
                let mut owned = self.jobs.written(id)?;
                owned.extend(self.watches.written(id)?);
                let resealed = work(&owned)?;
                // It is done; files that are not in place now will be at the next start.
                if let Err(error) = self.put_owned() {
                    tracing::warn!(collection = %id, %error, "jobs and watches of a collection keep their old form");
                }
                Ok(resealed)
            })
        });
        // It may have been locked meanwhile.
        if self.host.registry().key(id).is_ok()
            && let Err(error) = self.jobs.release(&self.host, id)
        {
            tracing::warn!(collection = %id, %error, "the jobs of a collection are paused until CaseTrack starts \
                again");
        }
        self.watches.hide(self.host.registry().locked()?);
        self.host.changes().notify(Change::Collection(id));
        resealed
    }

    fn resting(&self, id: CollectionId) -> Result<()> {
        let mut resting = self.host.registry().locked()?;
        resting.push(id);
        self.watches.hide(resting);
        Ok(())
    }

    /// Puts jobs and watches of collections that were moved into a vault, or out of it, in their places, and overwrites the earlier files.
    pub(super) fn put_owned(&self) -> Result<()> {
        for (id, owned) in self.host.registry().owned_waiting()? {
            self.watches.take_over(id, &owned)?;
            for Owned { name, content } in owned.iter().filter(|owned| owned.name.starts_with("jobs/")) {
                write_over(&self.host.config().data_dir.join(name), content)?;
            }
            self.host.registry().owned_done(id)?;
        }
        Ok(())
    }
}

fn moved(meta: CollectionMeta, resealed: Resealed, started: Instant) -> Moved {
    let Resealed { counts, rewritten, wiped, left } = resealed;
    Moved {
        meta,
        documents: counts.documents,
        chunks: counts.chunks,
        files: rewritten.files,
        missing_originals: rewritten.missing,
        overwritten_files: wiped.files,
        overwritten_bytes: wiped.bytes,
        linked_files: wiped.linked,
        left: left.map(|error| error.message),
        duration_ms: started.elapsed().as_millis() as u64,
    }
}
