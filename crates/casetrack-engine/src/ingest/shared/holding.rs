//! Keeping what was taken until it is done.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use casetrack_store::{Lease, SharedStore};

use crate::host::lock;

/// How long what was taken is a machine's own, and how often that is prolonged.
pub(super) const LEASE: Duration = Duration::from_secs(60);
const PROLONGED: Duration = Duration::from_secs(15);

/// What this machine has.
#[derive(Default)]
pub(super) struct Held {
    leases: Mutex<HeldLeases>,
    changed: Condvar,
}

#[derive(Default)]
struct HeldLeases {
    all: Vec<Lease>,
    has_ended: bool,
}

impl Held {
    pub fn add(&self, leases: &[Lease]) {
        lock(&self.leases).all.extend_from_slice(leases);
    }

    pub fn drop(&self, lease: &Lease) {
        lock(&self.leases).all.retain(|held| held.name != lease.name);
    }

    /// Prolongs what it has, until the end.
    pub fn keep(&self, server: &dyn SharedStore) {
        let mut leases = lock(&self.leases);
        while !leases.has_ended {
            let goes_on = |held: &mut HeldLeases| !held.has_ended;
            leases =
                self.changed.wait_timeout_while(leases, PROLONGED, goes_on).unwrap_or_else(PoisonError::into_inner).0;
            if leases.has_ended {
                break;
            }
            let held = leases.all.clone();
            // Without the lock: the server may be slow.
            drop(leases);
            for lease in held {
                if let Err(error) = server.prolong(&lease, LEASE) {
                    tracing::debug!(%error, file = lease.name, "a file that is being read may be taken by others");
                }
            }
            leases = lock(&self.leases);
        }
    }

    /// Gives back what it still has.
    pub fn end(&self, server: &dyn SharedStore) {
        let left = {
            let mut leases = lock(&self.leases);
            leases.has_ended = true;
            std::mem::take(&mut leases.all)
        };
        self.changed.notify_all();
        for lease in left {
            if let Err(error) = server.put_back(&lease) {
                tracing::debug!(%error, file = lease.name, "others take a file later");
            }
        }
    }
}
