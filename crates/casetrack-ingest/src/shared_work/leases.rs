//! The leases of the files that this machine has taken, prolonged until they are done.

use std::sync::Mutex;
use std::time::Duration;

use casetrack_store::{Lease, SharedStore};
use crossbeam_channel::{Receiver, RecvTimeoutError};

use casetrack_host::lock;

/// How long a lease lasts, and how often it is prolonged.
pub(super) const LEASE: Duration = Duration::from_secs(60);
const PROLONGED: Duration = Duration::from_secs(15);

#[derive(Default)]
pub(super) struct HeldLeases(Mutex<Vec<Lease>>);

impl HeldLeases {
    pub fn add(&self, leases: &[Lease]) {
        lock(&self.0).extend_from_slice(leases);
    }

    pub fn remove(&self, lease: &Lease) {
        lock(&self.0).retain(|held| held.name != lease.name);
    }

    /// Prolongs the leases until the sender of `end` is dropped.
    pub fn prolong(&self, server: &dyn SharedStore, end: &Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(PROLONGED) {
            // Without the lock: the server may be slow.
            let held = lock(&self.0).clone();
            for lease in held {
                if let Err(error) = server.prolong(&lease, LEASE) {
                    tracing::debug!(%error, file = lease.name, "a file that is being read may be taken by others");
                }
            }
        }
    }

    pub fn give_back(&self, server: &dyn SharedStore) {
        for lease in std::mem::take(&mut *lock(&self.0)) {
            if let Err(error) = server.put_back(&lease) {
                tracing::debug!(%error, file = lease.name, "others take a file later");
            }
        }
    }
}
