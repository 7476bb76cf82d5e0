//! Sources and plans at work: what fills sets once, and what goes on filling them while files change.
//!
//! A continuous plan, or a source that was started, is a watch of its folders and a pass over them after each change of the catalogue. One
//! thread makes these passes. What was at work when the process ended goes on when the next one starts.

mod answers;
mod live;
mod records;
mod running;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use answers::{ExecutionItem, PlanItem, PlanList, SourceItem, SourceList, SourceRun, StartedPlan};
use casetrack_core::{Error, Result};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use live::Live;
pub use records::SourceDefinition;

use crate::host::changes::SpaceChange;
use crate::host::{Host, lock};
use crate::jobs::Jobs;

/// Between two looks at what has changed.
const TICK: Duration = Duration::from_millis(200);
/// How long nobody has asked about sets before memory is given back.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// Between two clearings of what is no longer on the disk.
const TIDY: Duration = Duration::from_secs(60 * 60);

/// What goes on by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Source(String),
    Plan(String),
}

/// The plans and sources at work in a data directory.
#[derive(Default)]
pub(crate) struct Plans {
    live: Mutex<BTreeMap<Key, Arc<Live>>>,
    /// Ends the thread.
    thread: Mutex<Option<Sender<()>>>,
}

impl Plans {
    /// Goes on with what was at work when the last process ended, in a thread of its own. For the owner of the data directory, once.
    pub fn start(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        let (plans, host, jobs) = (Arc::clone(self), host.clone(), Arc::clone(jobs));
        let (sender, receiver) = bounded(1);
        let thread = std::thread::Builder::new().name("plans".to_owned());
        let run = move || {
            // Most data directories have no catalogue.
            if host.has_catalog()
                && let Err(error) = plans.resume(&host, &jobs)
            {
                tracing::warn!(%error, "no plan goes on");
            }
            let (mut seen, mut tidied) = (None, Instant::now());
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(TICK) {
                plans.tick(&host, &jobs);
                let Some(space) = host.open_space() else { continue };
                let state = space.state().ok();
                if seen.is_some() && state != seen {
                    host.space_changed(SpaceChange::Entries);
                }
                seen = state;
                space.rest_after(IDLE);
                if tidied.elapsed() >= TIDY {
                    tidied = Instant::now();
                    if let Err(error) = space.tidy() {
                        tracing::warn!(%error, "resource sets are not cleared of what is gone");
                    }
                }
            }
        };
        thread.spawn(run).map_err(|error| Error::io("a new thread", error))?;
        *lock(&self.thread) = Some(sender);
        Ok(())
    }

    /// Ends the work; what was at work goes on when the next process starts.
    pub fn stop(&self, host: &Host) {
        drop(lock(&self.thread).take());
        host.space_work().cancel_all();
        lock(&self.live).clear();
    }

    /// Makes the passes that are due.
    fn tick(&self, host: &Host, jobs: &Arc<Jobs>) {
        let live: Vec<(Key, Arc<Live>)> =
            lock(&self.live).iter().map(|(key, live)| (key.clone(), Arc::clone(live))).collect();
        for (key, live) in live {
            if let Err(error) = live.step(jobs) {
                tracing::warn!(?key, %error, "a plan or source at work");
                live.note_failure(&error);
                host.space_changed(SpaceChange::Plans);
            }
        }
    }

    fn insert(&self, key: Key, live: Live) -> Arc<Live> {
        let live = Arc::new(live);
        lock(&self.live).insert(key, Arc::clone(&live));
        live
    }

    fn remove(&self, key: &Key) -> Option<Arc<Live>> {
        lock(&self.live).remove(key)
    }

    fn get(&self, key: &Key) -> Option<Arc<Live>> {
        lock(&self.live).get(key).cloned()
    }

    /// Ends the following of folders that nothing watches any more, but for those that the user made live.
    fn release(&self, host: &Host, gone: &Live) -> Result<()> {
        let kept = host.catalog()?.live_roots()?;
        let others: Vec<Arc<Live>> = lock(&self.live).values().cloned().collect();
        for folder in gone.folders() {
            let is_used = kept.contains(&folder) || others.iter().any(|live| live.folders().contains(&folder));
            if !is_used {
                host.live_files().unwatch(&folder);
            }
        }
        Ok(())
    }
}
