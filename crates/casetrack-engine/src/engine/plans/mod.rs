//! Sources and plans at work: they fill sets once, or keep filling them while files change.
//!
//! A continuous plan, or a source that was started, is a watch of its folders and a pass over them after each change of the catalogue. One
//! thread makes these passes. Work that the end of the process interrupts continues when the next one starts. Failures, such as a missing
//! folder, are recorded and tried again until the work is ended.

mod answers;
mod live;
mod pass;
mod record;
mod records;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub use answers::{ExecutionItem, PlanItem, PlanList, SourceItem, SourceList, SourceRun, StartedPlan};
use casetrack_core::{Error, Result};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use live::Live;
pub use sources::SourceDefinition;

use crate::jobs::Jobs;
use casetrack_files::space::Definition;
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, lock};

/// The interval between two checks for changes.
const TICK: Duration = Duration::from_millis(200);
/// Memory is released after this time without queries about sets.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// The interval between two removals of entries that are no longer on the disk.
const TIDY: Duration = Duration::from_secs(60 * 60);

/// A plan or source that continues by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Source(String),
    Plan(String),
}

/// The plans and sources at work in a data directory.
#[derive(Default)]
pub(crate) struct Plans {
    live: Mutex<BTreeMap<Key, Arc<Live>>>,
    /// Held to start, change or end one of them, so that none runs twice.
    changing: Mutex<()>,
    /// Ends the thread.
    thread: Mutex<Option<Sender<()>>>,
}

impl Plans {
    /// Continues the work that the end of the last process interrupted, in a thread of its own. For the owner of the data directory, once.
    pub fn start(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        let (plans, host, jobs) = (Arc::clone(self), host.clone(), Arc::clone(jobs));
        let (sender, receiver) = bounded(1);
        let thread = std::thread::Builder::new().name("plans".to_owned());
        let run = move || {
            // Most data directories have no catalogue.
            if host.has_catalog()
                && let Err(error) = plans.resume_plans(&host, &jobs).and_then(|()| plans.resume_sources(&host, &jobs))
            {
                tracing::warn!(%error, "no plan continues");
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
                space.free_after(IDLE);
                if tidied.elapsed() >= TIDY {
                    tidied = Instant::now();
                    if let Err(error) = space.tidy() {
                        tracing::warn!(%error, "resource sets keep files that are gone");
                    }
                }
            }
        };
        thread.spawn(run).map_err(|error| Error::io("a new thread", error))?;
        *lock(&self.thread) = Some(sender);
        Ok(())
    }

    /// Ends the work, which continues when the next process starts.
    pub fn stop(&self, host: &Host) {
        drop(lock(&self.thread).take());
        std::mem::take(&mut *lock(&self.live)).values().for_each(|live| live.suspend());
        host.space_work().cancel_all();
    }

    /// Makes the passes that are due, and begins plans and sources that could not be read before.
    fn tick(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) {
        let all: Vec<(Key, Arc<Live>)> =
            lock(&self.live).iter().map(|(key, live)| (key.clone(), Arc::clone(live))).collect();
        for (key, live) in all {
            if live.is_cancelled() {
                // A job of it was cancelled, which ends it.
                live.end();
                self.remove_this(&key, &live);
            } else if live.read() {
                if let Err(error) = self.go(host, jobs, key, live) {
                    tracing::warn!(%error, "a plan or source does not start");
                }
            } else {
                live.step(jobs);
            }
        }
    }

    /// Runs a plan or source in a thread of its own, which ends with the run of a single one and with the first walk of a continuous one.
    fn run(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, key: Key, live: Live) -> Result<()> {
        let live = self.insert(key.clone(), live);
        self.go(host, jobs, key.clone(), Arc::clone(&live)).inspect_err(|_| self.remove_this(&key, &live))
    }

    fn go(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>, key: Key, live: Arc<Live>) -> Result<()> {
        let (plans, host, jobs) = (Arc::clone(self), host.clone(), Arc::clone(jobs));
        // Noted before the answer, so that a question behind it waits.
        let (ready, is_ready) = bounded::<()>(1);
        let work = move || {
            let _filling = host.space_work().fill(live.definition().map(Definition::sets).unwrap_or_default());
            drop(ready);
            if live.is_continuous() {
                live.begin(&jobs);
                // A source that was ended in the meantime may have begun to watch again.
                if !live.is_running() {
                    let _alone = lock(&plans.changing);
                    if let Err(error) = plans.release(&host, &live) {
                        tracing::warn!(%error, "a folder is still watched");
                    }
                }
            } else {
                live.run_once(&jobs);
                plans.remove_this(&key, &live);
            }
            host.space_changed(SpaceChange::Plans);
            host.space_changed(SpaceChange::Sets);
        };
        spawn("plan", work)?;
        // It sends nothing, and ends once the run is recorded.
        let _ = is_ready.recv();
        Ok(())
    }

    fn insert(&self, key: Key, live: Live) -> Arc<Live> {
        let live = Arc::new(live);
        lock(&self.live).insert(key, Arc::clone(&live));
        live
    }

    fn remove(&self, key: &Key) -> Option<Arc<Live>> {
        lock(&self.live).remove(key)
    }

    /// Takes a run out, unless another has taken its place.
    fn remove_this(&self, key: &Key, live: &Arc<Live>) {
        let mut all = lock(&self.live);
        if all.get(key).is_some_and(|found| Arc::ptr_eq(found, live)) {
            all.remove(key);
        }
    }

    fn get(&self, key: &Key) -> Option<Arc<Live>> {
        lock(&self.live).get(key).cloned()
    }

    /// Runs of plans that end by themselves.
    pub fn count_runs(&self) -> usize {
        lock(&self.live).values().filter(|live| !live.is_continuous()).count()
    }

    /// Ends the following of folders that nothing watches any more, except those that the user made live.
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

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(drop).map_err(|error| Error::io("a new thread", error))
}
