//! The walk: several threads list folders and look at what is in them, without following links.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use casetrack_core::Cancel;
use crossbeam_channel::Sender;

use crate::entry::{Facts, Kind};

/// Entries in one message, so that a folder of any size passes through bounded memory.
const BATCH: usize = 512;
/// More threads wait for the disk or for the writer.
const MAX_THREADS: usize = 8;

/// What a walk finds.
pub(crate) enum Finding {
    Entries(Vec<(PathBuf, Facts)>),
    /// A folder or entry that could not be looked at.
    Problem(PathBuf, std::io::Error),
}

/// What a walk covers.
pub(crate) struct Walk<'a> {
    /// How many folders deep; 0 is the direct children only.
    pub max_depth: Option<usize>,
    /// Folders that are not entered.
    pub is_closed: &'a (dyn Fn(&Path) -> bool + Sync),
    pub cancel: &'a Cancel,
}

/// Folders that wait, deepest first, so that few of them wait.
struct Waiting {
    folders: Vec<(PathBuf, usize)>,
    /// Threads that list a folder, which may hold more.
    busy: usize,
}

struct Shared<'a> {
    walk: &'a Walk<'a>,
    waiting: Mutex<Waiting>,
    news: Condvar,
    /// Set when nobody takes the findings any more.
    stopped: AtomicBool,
}

impl Walk<'_> {
    /// Walks all below `start`, and returns when everything was sent, or nobody receives. A folder is sent before what is in it.
    pub fn run(&self, start: &Path, findings: &Sender<Finding>) {
        let waiting = Mutex::new(Waiting { folders: vec![(start.to_owned(), 0)], busy: 0 });
        let shared = Shared { walk: self, waiting, news: Condvar::new(), stopped: AtomicBool::new(false) };
        let threads = std::thread::available_parallelism().map_or(2, usize::from).min(MAX_THREADS);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| shared.work(findings));
            }
        });
    }
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.walk.cancel.is_cancelled()
    }

    fn work(&self, findings: &Sender<Finding>) {
        while let Some((folder, depth)) = self.next() {
            // What this thread found last is known to the others only now, so none of them ends too early.
            if self.list(&folder, depth, findings).is_none() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            self.lock().busy -= 1;
            self.news.notify_all();
        }
        self.news.notify_all();
    }

    /// The next folder to list; `None` when there are no more.
    fn next(&self) -> Option<(PathBuf, usize)> {
        let mut waiting = self.lock();
        loop {
            if self.is_over() {
                return None;
            }
            if let Some(next) = waiting.folders.pop() {
                waiting.busy += 1;
                return Some(next);
            }
            if waiting.busy == 0 {
                return None;
            }
            waiting = self.news.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// `None` when nobody receives.
    fn list(&self, folder: &Path, depth: usize, findings: &Sender<Finding>) -> Option<()> {
        let listed = match std::fs::read_dir(folder) {
            Ok(listed) => listed,
            Err(error) => return findings.send(Finding::Problem(folder.to_owned(), error)).ok(),
        };
        let (mut batch, mut folders) = (Vec::new(), Vec::new());
        for entry in listed {
            if self.is_over() {
                return None;
            }
            let entry = match entry {
                Ok(entry) => entry,
                // The rest of the folder is not known: nothing in it may count as deleted.
                Err(error) => {
                    findings.send(Finding::Problem(folder.to_owned(), error)).ok()?;
                    break;
                }
            };
            let path = entry.path();
            let facts = match entry.metadata() {
                Ok(metadata) => Facts::of(&metadata),
                // It was deleted after it was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    findings.send(Finding::Problem(path, error)).ok()?;
                    continue;
                }
            };
            let is_deeper = self.walk.max_depth.is_none_or(|max| depth < max);
            if facts.kind == Kind::Folder && is_deeper && !(self.walk.is_closed)(&path) {
                folders.push((path.clone(), depth + 1));
            }
            batch.push((path, facts));
            if batch.len() == BATCH {
                self.send(&mut batch, &mut folders, findings)?;
            }
        }
        self.send(&mut batch, &mut folders, findings)
    }

    fn send(
        &self,
        batch: &mut Vec<(PathBuf, Facts)>,
        folders: &mut Vec<(PathBuf, usize)>,
        findings: &Sender<Finding>,
    ) -> Option<()> {
        if !batch.is_empty() {
            findings.send(Finding::Entries(std::mem::take(batch))).ok()?;
        }
        if !folders.is_empty() {
            self.lock().folders.append(folders);
            self.news.notify_all();
        }
        Some(())
    }
}
