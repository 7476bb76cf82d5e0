//! One live folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use casetrack_catalog::{ReportedChanges, Scope};
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};

use super::{LONGEST_WAIT, LiveStage, LiveState, QUIET, RECONCILE};
use crate::{DiskEvents, FolderIdentity, Host, holds_remote, lock};

/// More paths than this are not examined one by one.
const MAX_HEARD: usize = 20_000;
/// Between two looks at whether the folder is there.
const FOLDER_CHECK: Duration = Duration::from_secs(1);

pub(super) struct LiveRoot {
    path: PathBuf,
    state: Mutex<LiveState>,
    heard: Arc<Mutex<Heard>>,
    /// `None` while nothing is watched. Held by the thread that brings the rows up to date.
    watching: Mutex<Option<Watching>>,
    checked: Mutex<Option<Instant>>,
    /// The number of times that something was looked at that may have changed.
    revision: AtomicU64,
}

/// Reports of the operating system that have not been looked at.
#[derive(Default)]
struct Heard {
    paths: BTreeSet<PathBuf>,
    /// The paths that came, went or moved: the folder watched at such a path may now be another one.
    renewed: BTreeSet<PathBuf>,
    /// Events were lost, or are too many.
    all: bool,
    /// Why no further events come.
    broken: Option<String>,
    /// The times of the first and the last report.
    span: Option<(Instant, Instant)>,
}

impl Heard {
    fn take(&mut self, event: notify::Result<notify::Event>, now: Instant) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                self.broken = Some(crate::Unwatchable::from(&error).why);
                return;
            }
        };
        match event.kind {
            _ if event.need_rescan() => self.all = true,
            EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write) => return,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
                self.renewed.extend(event.paths.iter().cloned());
                self.paths.extend(event.paths);
            }
            _ => self.paths.extend(event.paths),
        }
        if self.paths.len() > MAX_HEARD {
            (self.paths, self.renewed, self.all) = (BTreeSet::new(), BTreeSet::new(), true);
        }
        self.span = Some((self.span.map_or(now, |(first, _)| first), now));
    }

    fn is_empty(&self) -> bool {
        self.span.is_none() && !self.all && self.broken.is_none()
    }

    fn is_due(&self, now: Instant) -> bool {
        let waited = |since: Instant, wait| now.saturating_duration_since(since) >= wait;
        self.all
            || self.broken.is_some()
            || self.span.is_some_and(|(first, last)| waited(last, QUIET) || waited(first, LONGEST_WAIT))
    }
}

struct Watching {
    events: Mutex<DiskEvents>,
    folders: Mutex<BTreeSet<PathBuf>>,
    /// Why a folder cannot be watched that can be listed.
    failed: Mutex<Option<String>>,
    identity: FolderIdentity,
    /// The state of the catalogue at the walk.
    generation: u64,
    walked: Instant,
}

impl Watching {
    /// Watches a folder, before it is listed.
    fn add(&self, folder: &Path, root: &Path) {
        if !lock(&self.folders).insert(folder.to_owned()) {
            return;
        }
        if let Err(error) = lock(&self.events).add(folder, root) {
            lock(&self.folders).remove(folder);
            // One that is gone or shut is not listed either.
            if !error.is_unreadable {
                lock(&self.failed).get_or_insert(error.why);
            }
        }
    }

    /// Stops watching a path and everything below it.
    fn remove(&self, path: &Path) {
        let mut folders = lock(&self.folders);
        let below: Vec<PathBuf> =
            folders.range(path.to_owned()..).take_while(|folder| folder.starts_with(path)).cloned().collect();
        for folder in below {
            folders.remove(&folder);
            lock(&self.events).remove(&folder);
        }
    }

    fn has(&self, folder: &Path) -> bool {
        lock(&self.folders).contains(folder)
    }
}

impl LiveRoot {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            state: Mutex::new(LiveState { stage: LiveStage::Starting, why: None }),
            heard: Arc::default(),
            watching: Mutex::new(None),
            checked: Mutex::new(None),
            revision: AtomicU64::default(),
        }
    }

    /// The number changes once something below the folder may have changed and was read again.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn state(&self) -> LiveState {
        lock(&self.state).clone()
    }

    fn set(&self, stage: LiveStage, why: Option<String>) {
        *lock(&self.state) = LiveState { stage, why };
    }

    /// Watches and walks the folder, unless that is done.
    pub fn begin(&self, host: &Host, cancel: &Cancel) -> Result<()> {
        let mut watching = self.wait(cancel)?;
        if watching.is_none() {
            *watching = self.open(host, cancel)?;
        }
        Ok(())
    }

    /// Does the due work.
    pub fn step(&self, host: &Host) {
        let cancel = Cancel::default();
        let now = Instant::now();
        let is_time = lock(&self.checked).is_none_or(|checked| now.duration_since(checked) >= FOLDER_CHECK);
        let done = match self.state().stage {
            LiveStage::Starting => self.begin(host, &cancel),
            LiveStage::Missing if is_time => match FolderIdentity::of(&self.path) {
                Some(_) => self.begin(host, &cancel),
                None => Ok(()),
            },
            LiveStage::Live if is_time || lock(&self.heard).is_due(now) => {
                self.bring_up_to_date(host, &cancel).and_then(|_| self.reconcile(host, &cancel))
            }
            _ => return,
        };
        if is_time {
            *lock(&self.checked) = Some(now);
        }
        if let Err(error) = done {
            tracing::warn!(folder = %self.path.display(), %error, "a live folder of files");
        }
    }

    /// Looks at the events that came. Returns whether the folder is live, so that the rows are as the disk is.
    pub fn bring_up_to_date(&self, host: &Host, cancel: &Cancel) -> Result<bool> {
        let mut watching = self.wait(cancel)?;
        let Some(at_work) = &*watching else { return Ok(false) };
        if FolderIdentity::of(&self.path) != Some(at_work.identity) {
            self.set(LiveStage::Missing, Some("it is gone, or another folder has taken its place.".to_owned()));
            *watching = None;
            return Ok(false);
        }
        let mut heard = std::mem::take(&mut *lock(&self.heard));
        heard.all |= host.catalog()?.generation() != at_work.generation;
        if let Some(why) = heard.broken {
            self.set(LiveStage::Walked, Some(why));
            *watching = None;
            return Ok(false);
        }
        if heard.all {
            // Which folders moved is not known either.
            *watching = None;
            *watching = self.open(host, cancel)?;
            return Ok(watching.is_some());
        }
        if heard.is_empty() {
            return Ok(true);
        }
        for path in &heard.renewed {
            at_work.remove(path);
        }
        let followed = self.follow(host, at_work, &heard.paths, cancel);
        self.revision.fetch_add(1, Ordering::AcqRel);
        if followed.is_err() {
            lock(&self.heard).all = true;
        }
        followed?;
        Ok(self.is_whole(&mut watching))
    }

    fn follow(&self, host: &Host, at_work: &Watching, paths: &BTreeSet<PathBuf>, cancel: &Cancel) -> Result<()> {
        let access = &host.config().access;
        let scope = Scope { start: &self.path, max_depth: None, is_closed: &|path| access.is_closed(path) };
        let reported = ReportedChanges {
            paths,
            needs_walk: &|folder| !at_work.has(folder),
            before_listing: &|folder| at_work.add(folder, &self.path),
        };
        host.catalog()?.follow(&scope, &reported, cancel).map(drop)
    }

    /// Walks a live folder that was not walked for long.
    fn reconcile(&self, host: &Host, cancel: &Cancel) -> Result<()> {
        let mut watching = self.wait(cancel)?;
        let Some(at_work) = watching.as_mut().filter(|at_work| at_work.walked.elapsed() >= RECONCILE) else {
            return Ok(());
        };
        at_work.walked = Instant::now();
        self.walk(host, at_work, cancel)?;
        self.is_whole(&mut watching);
        Ok(())
    }

    /// Watches first and then walks: events in between are kept. `None` if it cannot be watched; the state shows why.
    fn open(&self, host: &Host, cancel: &Cancel) -> Result<Option<Watching>> {
        let Some(identity) = FolderIdentity::of(&self.path) else {
            self.set(LiveStage::Missing, Some("it does not exist.".to_owned()));
            return Ok(None);
        };
        if holds_remote(&self.path) {
            let why = "a network drive is in it, whose changes the operating system does not report.";
            self.set(LiveStage::Walked, Some(why.to_owned()));
            return Ok(None);
        }
        *lock(&self.heard) = Heard::default();
        let heard = Arc::clone(&self.heard);
        let events = match DiskEvents::by_folder(move |event| lock(&heard).take(event, Instant::now())) {
            Ok(events) => events,
            Err(error) => {
                self.set(LiveStage::Walked, Some(error.why));
                return Ok(None);
            }
        };
        let at_work = Watching {
            events: Mutex::new(events),
            folders: Mutex::default(),
            failed: Mutex::default(),
            identity,
            generation: host.catalog()?.generation(),
            walked: Instant::now(),
        };
        if let Err(error) = self.walk(host, &at_work, cancel) {
            match error.code {
                // The caller stops waiting; the thread continues.
                ErrorCode::Cancelled => self.set(LiveStage::Starting, None),
                _ => self.set(LiveStage::Walked, Some(format!("its walk failed: {}", error.message))),
            }
            return Err(error);
        }
        let mut watching = Some(at_work);
        if self.is_whole(&mut watching) {
            self.set(LiveStage::Live, None);
        }
        Ok(watching)
    }

    fn walk(&self, host: &Host, at_work: &Watching, cancel: &Cancel) -> Result<()> {
        let access = &host.config().access;
        let scope = Scope { start: &self.path, max_depth: None, is_closed: &|path| access.is_closed(path) };
        let walked = host.catalog()?.scan_watched(&scope, &|folder| at_work.add(folder, &self.path), cancel).map(drop);
        self.revision.fetch_add(1, Ordering::AcqRel);
        walked
    }

    /// True if everything is watched; if not, nothing is any longer.
    fn is_whole(&self, watching: &mut Option<Watching>) -> bool {
        match watching.as_ref().and_then(|at_work| lock(&at_work.failed).take()) {
            Some(why) => {
                self.set(LiveStage::Walked, Some(why));
                *watching = None;
                false
            }
            None => watching.is_some(),
        }
    }

    /// Waits while another brings the rows up to date.
    fn wait(&self, cancel: &Cancel) -> Result<MutexGuard<'_, Option<Watching>>> {
        loop {
            match self.watching.try_lock() {
                Ok(watching) => return Ok(watching),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(PoisonError::into_inner(poisoned)),
                Err(TryLockError::WouldBlock) if cancel.is_cancelled() => return Err(Error::cancelled()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_catalog::{Order, Query};
    use notify::Event;
    use notify::event::{CreateKind, DataChange, Flag};

    use super::*;
    use crate::EngineConfig;

    struct Disk {
        host: Host,
        root: LiveRoot,
        folder: PathBuf,
        _dir: tempfile::TempDir,
    }

    impl Disk {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let folder = casetrack_core::real_path(dir.path()).unwrap().join("folder");
            std::fs::create_dir(&folder).unwrap();
            let host = Host::new(EngineConfig::new(dir.path().join("home"))).unwrap();
            Self { host, root: LiveRoot::new(&folder), folder, _dir: dir }
        }

        fn names(&self) -> Vec<String> {
            let query = Query { order: Order::Path, ..Query::below(&self.folder) };
            let found = self.host.catalog().unwrap().find(&query, &|_| false, &Cancel::default()).unwrap();
            found.entries.iter().map(|entry| entry.path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        }

        fn bring_up_to_date(&self) -> bool {
            self.root.bring_up_to_date(&self.host, &Cancel::default()).unwrap()
        }
    }

    fn event(kind: EventKind, path: &str) -> notify::Result<Event> {
        Ok(Event::new(kind).add_path(path.into()))
    }

    #[test]
    fn reading_is_not_heard_and_too_much_or_lost_means_everything() {
        let now = Instant::now();
        let mut heard = Heard::default();
        heard.take(event(EventKind::Access(AccessKind::Open(AccessMode::Any)), "/a"), now);
        assert!(heard.is_empty() && !heard.is_due(now));
        heard.take(event(EventKind::Modify(ModifyKind::Data(DataChange::Any)), "/a"), now);
        heard.take(event(EventKind::Create(CreateKind::Any), "/b"), now);
        assert_eq!((heard.paths.len(), heard.renewed.len(), heard.all), (2, 1, false));
        assert!(!heard.is_due(now) && heard.is_due(now + QUIET));
        for number in 0..=MAX_HEARD {
            heard.take(event(EventKind::Create(CreateKind::Any), &format!("/{number}")), now);
        }
        assert!(heard.all && heard.paths.len() < MAX_HEARD);
        let mut heard = Heard::default();
        heard.take(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)), now);
        assert!(heard.all && heard.is_due(now));
        let mut heard = Heard::default();
        heard.take(Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)), now);
        assert!(heard.broken.unwrap().contains("max_user_watches"));
    }

    #[test]
    fn lost_events_cost_a_walk_and_no_answer() {
        let disk = Disk::new();
        std::fs::write(disk.folder.join("a"), "x").unwrap();
        disk.root.begin(&disk.host, &Cancel::default()).unwrap();
        assert_eq!(disk.root.state().stage, LiveStage::Live);
        assert_eq!(disk.names(), ["a"]);
        std::fs::create_dir(disk.folder.join("new")).unwrap();
        std::fs::write(disk.folder.join("new/b"), "x").unwrap();
        *lock(&disk.root.heard) = Heard { all: true, ..Heard::default() };
        assert!(disk.bring_up_to_date());
        assert_eq!(disk.names(), ["a", "new", "b"]);
        let watching = lock(&disk.root.watching);
        assert!(watching.as_ref().unwrap().has(&disk.folder.join("new")));
    }

    #[test]
    fn what_cannot_be_watched_is_not_live_and_says_why() {
        let disk = Disk::new();
        disk.root.begin(&disk.host, &Cancel::default()).unwrap();
        let error = notify::Error::new(notify::ErrorKind::MaxFilesWatch);
        *lock(&disk.root.heard) = Heard { broken: Some(crate::Unwatchable::from(&error).why), ..Heard::default() };
        assert!(!disk.bring_up_to_date());
        let state = disk.root.state();
        assert_eq!(state.stage, LiveStage::Walked);
        assert!(state.why.unwrap().contains("fs.inotify.max_user_watches"));
        assert!(lock(&disk.root.watching).is_none());
    }

    #[test]
    fn a_folder_that_vanishes_keeps_its_rows_and_is_live_again_when_it_is_back() {
        let disk = Disk::new();
        std::fs::write(disk.folder.join("a"), "x").unwrap();
        disk.root.begin(&disk.host, &Cancel::default()).unwrap();
        let away = disk.folder.with_file_name("away");
        std::fs::rename(&disk.folder, &away).unwrap();
        assert!(!disk.bring_up_to_date());
        assert_eq!(disk.root.state().stage, LiveStage::Missing);
        assert_eq!(disk.host.catalog().unwrap().count(&disk.folder, None).unwrap(), (1, 0));
        std::fs::rename(&away, &disk.folder).unwrap();
        disk.root.step(&disk.host);
        assert_eq!(disk.root.state().stage, LiveStage::Live);
        assert_eq!(disk.names(), ["a"]);
    }
}
