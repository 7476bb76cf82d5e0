//! The walk: several threads list folders and read the metadata of their entries, without following links.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use casetrack_core::Cancel;
use crossbeam_channel::Sender;

use crate::columns::Columns;
use crate::entry::{Facts, Kind};
use crate::paths;

/// Entries in one message, so that a folder of any size passes through bounded memory.
const PART: usize = 4096;
/// More threads wait for the disk or for the writer.
const MAX_THREADS: usize = 8;

pub(crate) enum Finding {
    Entries(ListingPart),
    /// All in a folder, which has this id, is as the catalogue has it.
    Unchanged {
        folder: i64,
        listing: Listing,
    },
    /// A folder or entry that could not be read.
    Problem(PathBuf, std::io::Error),
}

pub(crate) struct ListingPart {
    pub folder: Arc<Path>,
    /// Names, as bytes, and metadata.
    pub entries: Vec<(Vec<u8>, Columns)>,
    /// With the last part: the sum of all parts.
    pub end: Option<Listing>,
}

/// The contents of a folder, in numbers.
#[derive(Default, Clone, Copy)]
pub(crate) struct Listing {
    pub files: u64,
    pub folders: u64,
    /// True if every entry could be read.
    pub is_whole: bool,
    pub digest: Digest,
}

impl Listing {
    fn add(&mut self, key: u64, name: &[u8], columns: &Columns, kind: Kind) {
        self.digest.add(key, name, columns);
        match kind {
            Kind::Folder => self.folders += 1,
            _ => self.files += 1,
        }
    }
}

/// A sum over the names and facts in a folder, in any order. Two listings with the same digest differ with a chance of 2^-128; the key of
/// each catalogue is random, so that others cannot construct such names.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest(pub u128);

impl Digest {
    fn add(&mut self, key: u64, name: &[u8], columns: &Columns) {
        let columns = columns.bytes();
        // Few long writes cost a third of many short ones. All but the name have a fixed length.
        let half = |number: u64| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(key);
            hasher.write_u64(number);
            hasher.write(&columns);
            hasher.write(name);
            hasher.finish()
        };
        self.0 = self.0.wrapping_add((u128::from(half(0)) << 64) | u128::from(half(1)));
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownFolder {
    pub id: i64,
    /// The digest of its listing, if the rows agree with it.
    pub digest: Option<Digest>,
}

/// By the bytes of their paths.
pub(crate) type KnownFolders = HashMap<Vec<u8>, KnownFolder>;

/// A folder to walk, and how many folders deep; 0 is the direct children only.
pub(crate) type Start = (PathBuf, Option<usize>);

/// The extent of a walk, and the folders known already.
pub(crate) struct Walk<'a> {
    pub known: &'a KnownFolders,
    pub key: u64,
    /// Folders that are not entered.
    pub is_closed: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Called with each folder before it is listed.
    pub before_listing: &'a (dyn Fn(&Path) + Sync),
    pub cancel: &'a Cancel,
}

/// Folders that wait, deepest first, so that few of them wait.
struct Waiting {
    folders: Vec<Start>,
    /// Threads that list a folder, which may hold more.
    busy: usize,
}

struct Shared<'a> {
    walk: &'a Walk<'a>,
    waiting: Mutex<Waiting>,
    news: Condvar,
    /// Set when the receiver is gone.
    stopped: AtomicBool,
}

impl Walk<'_> {
    /// Walks everything below `starts`, and returns when all was sent, or the receiver is gone.
    pub fn run(&self, starts: Vec<Start>, findings: &Sender<Finding>) {
        let waiting = Mutex::new(Waiting { folders: starts, busy: 0 });
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
            // The others see the folders that this thread found last only now, so none of them ends too early.
            if self.list(&folder, depth, findings).is_none() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            self.lock().busy -= 1;
            self.news.notify_all();
        }
        self.news.notify_all();
    }

    /// The next folder to list; `None` when none is left.
    fn next(&self) -> Option<Start> {
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

    /// `None` if the receiver is gone.
    fn list(&self, folder: &Path, depth: Option<usize>, findings: &Sender<Finding>) -> Option<()> {
        (self.walk.before_listing)(folder);
        let known = self.walk.known.get(paths::bytes(folder));
        let expected = known.and_then(|known| Some((known.id, known.digest?)));
        let folder: Arc<Path> = folder.into();
        let mut folders = Vec::new();
        if !self.read(&folder, depth, expected, &mut folders, findings)? {
            // The folder has changed and is too large to keep in memory, so it is listed again and sent in parts.
            folders.clear();
            self.read(&folder, depth, None, &mut folders, findings)?;
        }
        if !folders.is_empty() {
            self.lock().folders.append(&mut folders);
            self.news.notify_all();
        }
        Some(())
    }

    /// A folder to walk, unless it is too deep or closed.
    fn below(&self, path: PathBuf, depth: Option<usize>) -> Option<Start> {
        let is_open = depth != Some(0) && !(self.walk.is_closed)(&path);
        is_open.then(|| (path, depth.map(|depth| depth - 1)))
    }

    /// Sends the entries of a folder, unless it agrees with `expected`: its id and digest. Returns true if all was sent. `None` if the
    /// receiver is gone.
    fn read(
        &self,
        folder: &Arc<Path>,
        depth: Option<usize>,
        expected: Option<(i64, Digest)>,
        folders: &mut Vec<Start>,
        findings: &Sender<Finding>,
    ) -> Option<bool> {
        let problem = |path: &Path, error| findings.send(Finding::Problem(path.to_owned(), error)).ok();
        let listed = match std::fs::read_dir(folder) {
            Ok(listed) => listed,
            Err(error) => return problem(folder, error).map(|()| true),
        };
        let mut listing = Listing { is_whole: true, ..Listing::default() };
        let (mut entries, mut is_too_large) = (Vec::new(), false);
        for entry in listed {
            if self.is_over() {
                return None;
            }
            let entry = match entry {
                Ok(entry) => entry,
                // The rest of the folder is unknown, so nothing in it may count as deleted.
                Err(error) => {
                    listing.is_whole = false;
                    problem(folder, error)?;
                    break;
                }
            };
            let facts = match entry.metadata() {
                Ok(metadata) => Facts::of(&entry.path(), &metadata),
                // It was deleted after it was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    listing.is_whole = false;
                    problem(&entry.path(), error)?;
                    continue;
                }
            };
            let (name, columns) = (entry.file_name(), Columns::of(&facts));
            listing.add(self.walk.key, name.as_encoded_bytes(), &columns, facts.kind);
            if facts.kind == Kind::Folder {
                folders.extend(self.below(folder.join(&name), depth));
            }
            if !is_too_large {
                entries.push((name.into_encoded_bytes(), columns));
            }
            if entries.len() == PART {
                let full = std::mem::take(&mut entries);
                is_too_large = expected.is_some();
                if !is_too_large {
                    send_part(folder, full, None, findings)?;
                }
            }
        }
        if let Some((id, _)) = expected.filter(|(_, digest)| listing.is_whole && *digest == listing.digest) {
            return findings.send(Finding::Unchanged { folder: id, listing }).ok().map(|()| true);
        }
        if is_too_large { Some(false) } else { send_part(folder, entries, Some(listing), findings).map(|()| true) }
    }
}

/// `None` if the receiver is gone.
fn send_part(
    folder: &Arc<Path>,
    entries: Vec<(Vec<u8>, Columns)>,
    end: Option<Listing>,
    findings: &Sender<Finding>,
) -> Option<()> {
    let part = ListingPart { folder: Arc::clone(folder), entries, end };
    findings.send(Finding::Entries(part)).ok()
}
