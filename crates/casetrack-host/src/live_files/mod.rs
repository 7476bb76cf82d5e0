//! Folders of files that are live: their changes are followed, so that questions about them need no walk.
//!
//! A folder is watched before it is listed, so nothing falls between the two. Reports of the operating system are handled within [`LONGEST_WAIT`],
//! and before each question. If it reports lost events, everything is watched and walked again. Everything is also walked every [`RECONCILE`], because no
//! system reports some changes, such as writes through memory maps. A folder that cannot be watched is walked at each question, as any other, and reports why.

mod root;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use casetrack_core::{Cancel, Error, Result};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use serde::Serialize;

use super::{Host, lock};
use root::LiveRoot;

/// Between two looks at the events that came.
const TICK: Duration = Duration::from_millis(250);
/// The quiet time before events are looked at, and the longest wait if something happens all the time.
const QUIET: Duration = Duration::from_millis(300);
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Between two walks of a live folder.
const RECONCILE: Duration = Duration::from_secs(15 * 60);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveState {
    pub stage: LiveStage,
    /// Why it is walked.
    pub why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LiveStage {
    /// Its first walk is under way, or nothing follows it at this moment.
    Starting,
    /// Questions need no walk.
    Live,
    /// It cannot be watched, so each question walks it.
    Walked,
    /// It does not exist. It is watched when it is back.
    Missing,
}

/// The live folders of a data directory.
#[derive(Default)]
pub struct LiveFiles {
    roots: Mutex<BTreeMap<PathBuf, Arc<LiveRoot>>>,
    /// Ends the thread that follows.
    thread: Mutex<Option<Sender<()>>>,
}

impl LiveFiles {
    /// Follows the live folders, in a separate thread. For the owner of the data directory, once.
    pub fn start(self: &Arc<Self>, host: &Host) -> Result<()> {
        let (live, host) = (Arc::clone(self), host.clone());
        let (sender, receiver) = bounded(1);
        let thread = std::thread::Builder::new().name("live files".to_owned());
        let run = move || {
            live.read_list(&host);
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(TICK) {
                for root in live.roots() {
                    root.step(&host);
                }
            }
        };
        thread.spawn(run).map_err(|error| Error::io("a new thread", error))?;
        *lock(&self.thread) = Some(sender);
        Ok(())
    }

    /// Ends the following; live folders stay marked as live.
    pub fn stop(&self) {
        drop(lock(&self.thread).take());
        lock(&self.roots).clear();
    }

    /// Also follows the live folders of the catalogue.
    pub fn read_list(&self, host: &Host) {
        // Most data directories have no catalogue.
        if !host.has_catalog() {
            return;
        }
        match host.catalog().and_then(|catalog| catalog.live_roots()) {
            Ok(folders) => folders.into_iter().for_each(|folder| drop(self.add(&folder))),
            Err(error) => tracing::warn!(%error, "no folder of files is live"),
        }
    }

    fn add(&self, folder: &Path) -> Arc<LiveRoot> {
        let mut roots = lock(&self.roots);
        Arc::clone(roots.entry(folder.to_owned()).or_insert_with(|| Arc::new(LiveRoot::new(folder))))
    }

    fn roots(&self) -> Vec<Arc<LiveRoot>> {
        lock(&self.roots).values().cloned().collect()
    }

    /// Makes a folder live, and returns its state after its first walk.
    pub fn watch(&self, host: &Host, folder: &Path, cancel: &Cancel) -> Result<LiveState> {
        let root = self.add(folder);
        root.begin(host, cancel)?;
        Ok(root.state())
    }

    pub fn unwatch(&self, folder: &Path) {
        lock(&self.roots).remove(folder);
    }

    /// `None` if nothing follows the folder.
    pub fn state(&self, folder: &Path) -> Option<LiveState> {
        lock(&self.roots).get(folder).map(|root| root.state())
    }

    /// The numbers change once something below the folder may have changed and was read again. `None` if the folder is in no live folder.
    pub fn revisions(&self, folder: &Path) -> Option<Vec<u64>> {
        let roots = self.roots().into_iter().filter(|root| folder.starts_with(root.path()));
        let live = roots.filter(|root| root.state().stage == LiveStage::Live);
        let revisions: Vec<u64> = live.map(|root| root.revision()).collect();
        (!revisions.is_empty()).then_some(revisions)
    }

    /// Brings the rows of all live folders up to date with the events that came. The log reports folders for which this fails.
    pub fn bring_all_up_to_date(&self, host: &Host, cancel: &Cancel) {
        for root in self.roots().into_iter().filter(|root| root.state().stage == LiveStage::Live) {
            if let Err(error) = root.bring_up_to_date(host, cancel) {
                tracing::warn!(folder = %root.path().display(), %error, "a live folder of files");
            }
        }
    }

    /// Brings the rows up to date with the events that came, if the folder is in a live one. Returns whether it is: then it needs no walk.
    pub fn bring_up_to_date(&self, host: &Host, folder: &Path, cancel: &Cancel) -> Result<bool> {
        let roots = self.roots().into_iter().filter(|root| folder.starts_with(root.path()));
        for root in roots {
            if root.bring_up_to_date(host, cancel)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
