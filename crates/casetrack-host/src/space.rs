//! The work of users on the catalogue of files: resource sets, sources and plans; and the work that is under way.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_catalog::space::Space;
use casetrack_core::{Cancel, Result};

use super::changes::{Change, SpaceChange};
use super::{Host, lock};

/// Opened when it is first needed.
#[derive(Default)]
pub(super) struct OpenSpace {
    open: Mutex<Option<Arc<Space>>>,
    pub work: SpaceWork,
}

#[derive(Default)]
pub struct SpaceWork {
    jobs: Mutex<HashMap<i64, RunningJob>>,
    /// The sets that runs are filling, by numbers of no meaning.
    filling: Mutex<BTreeMap<u64, Vec<String>>>,
    filled: Condvar,
}

struct RunningJob {
    path: PathBuf,
    kind: &'static str,
    cancel: Cancel,
}

impl SpaceWork {
    pub fn begin(&self, id: i64, kind: &'static str, path: &Path, cancel: &Cancel) {
        let job = RunningJob { path: path.to_owned(), kind, cancel: cancel.clone() };
        lock(&self.jobs).insert(id, job);
    }

    pub fn end(&self, id: i64) {
        lock(&self.jobs).remove(&id);
    }

    pub fn count(&self) -> usize {
        lock(&self.jobs).len()
    }

    /// The job that does the same already.
    pub fn same(&self, kind: &str, path: &Path) -> Option<i64> {
        lock(&self.jobs).iter().find(|(_, job)| job.kind == kind && job.path == path).map(|(id, _)| *id)
    }

    /// Asks a job to end. Returns whether it is under way.
    pub fn cancel(&self, id: i64) -> bool {
        lock(&self.jobs).get(&id).map(|job| job.cancel.cancel()).is_some()
    }

    pub fn cancel_all(&self) {
        lock(&self.jobs).values().for_each(|job| job.cancel.cancel());
    }

    /// Notes that sets are being filled, until the result is dropped.
    pub fn fill<'a>(&'a self, sets: Vec<String>) -> Filling<'a> {
        let mut filling = lock(&self.filling);
        let number = filling.last_key_value().map_or(0, |(last, _)| last + 1);
        filling.insert(number, sets);
        Filling { work: self, number }
    }

    /// Waits while one of these sets is being filled, no longer than `most`. Returns whether none is any more.
    pub fn wait_until_filled(&self, sets: &[String], most: Duration, cancel: &Cancel) -> bool {
        let until = Instant::now() + most;
        let mut filling = lock(&self.filling);
        loop {
            if !filling.values().flatten().any(|filled| sets.contains(filled)) {
                return true;
            }
            if Instant::now() >= until || cancel.is_cancelled() {
                return false;
            }
            let waited = self.filled.wait_timeout(filling, Duration::from_millis(50));
            filling = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn is_filling(&self) -> bool {
        !lock(&self.filling).is_empty()
    }
}

/// Ends the note when it is dropped.
pub struct Filling<'a> {
    work: &'a SpaceWork,
    number: u64,
}

impl Drop for Filling<'_> {
    fn drop(&mut self) {
        lock(&self.work.filling).remove(&self.number);
        self.work.filled.notify_all();
    }
}

impl Host {
    pub fn space(&self) -> Result<Arc<Space>> {
        let mut open = lock(&self.shared.space.open);
        if let Some(space) = &*open {
            return Ok(Arc::clone(space));
        }
        let space = Arc::new(Space::open(self.catalog()?)?);
        Ok(Arc::clone(open.insert(space)))
    }

    pub fn open_space(&self) -> Option<Arc<Space>> {
        lock(&self.shared.space.open).clone()
    }

    pub fn space_work(&self) -> &SpaceWork {
        &self.shared.space.work
    }

    /// As [`space`](Self::space), with the rows of live folders as the disk is now.
    pub fn fresh_space(&self, cancel: &Cancel) -> Result<Arc<Space>> {
        self.live_files().bring_all_up_to_date(self, cancel);
        self.space()
    }

    pub fn space_changed(&self, change: SpaceChange) {
        self.changes().notify(Change::Space(change));
    }
}
