//! The sum of a watched folder's events: the time of the next sync, and the files to leave until later.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind};

/// The time without events after which a sync begins.
pub(super) const DEBOUNCE: Duration = Duration::from_secs(2);
/// If events keep coming, a sync begins at the latest after this.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// A file that was not written to for this long is read, even if it is still open.
const ABANDONED: Duration = Duration::from_secs(30);
/// True if the platform reports that a written file is closed.
const CLOSE_IS_REPORTED: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// The changes that no sync has begun with.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// When the first and the last of them came.
    span: Option<(Instant, Instant)>,
    /// Files that are being written, and when they were last.
    writing: HashMap<PathBuf, Instant>,
}

impl Pending {
    /// Takes an event of the folder; nothing of CaseTrack's own under `data_dir`, and no hidden file, counts. True if it counts.
    pub fn take(&mut self, event: &Event, folder: &Path, data_dir: &Path, now: Instant) -> bool {
        let counts = |path: &&PathBuf| !path.starts_with(data_dir) && !is_hidden(path, folder);
        let paths: Vec<&PathBuf> = event.paths.iter().filter(counts).collect();
        if paths.is_empty() && !event.need_rescan() {
            return false;
        }
        match event.kind {
            EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => {
                self.writing.extend(paths.into_iter().map(|path| (path.clone(), now)));
            }
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Remove(_)
            | EventKind::Modify(ModifyKind::Name(_)) => self.writing.retain(|path, _| !paths.contains(&path)),
            EventKind::Access(_) => return false,
            _ => {}
        }
        self.mark(now);
        true
    }

    /// Marks a sync as pending, with or without an event.
    pub fn mark(&mut self, now: Instant) {
        let first = self.span.map_or(now, |(first, _)| first);
        self.span = Some((first, now));
    }

    pub fn is_empty(&self) -> bool {
        self.span.is_none() && self.writing.is_empty()
    }

    /// True if a sync should begin.
    pub fn is_due(&self, now: Instant) -> bool {
        let quiet = |since: Instant, wait| now.saturating_duration_since(since) >= wait;
        match self.span {
            Some((first, last)) => quiet(last, DEBOUNCE) || quiet(first, LONGEST_WAIT),
            // Files that were left until later, and not touched since.
            None => self.writing.values().any(|&written| quiet(written, patience())),
        }
    }

    /// Begins a sync: only the files that are being written stay pending; it must not read them.
    pub fn begin(&mut self, now: Instant) -> BTreeSet<PathBuf> {
        self.span = None;
        self.writing.retain(|_, written| now.saturating_duration_since(*written) < patience());
        self.writing.keys().cloned().collect()
    }

    /// Clears everything: the folder is gone.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The time for which a file that is being written is left until later.
fn patience() -> Duration {
    if CLOSE_IS_REPORTED { ABANDONED } else { DEBOUNCE }
}

/// As the ingestion of folders sees it: hidden files and folders, and the lock files of office programs.
fn is_hidden(path: &Path, folder: &Path) -> bool {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.components().any(|component| {
        let name = component.as_os_str().as_encoded_bytes();
        name.starts_with(b".") || name.starts_with(b"~$")
    })
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, RenameMode};

    use super::*;

    const FOLDER: &str = "/watched";

    fn event(kind: EventKind, path: &str) -> Event {
        Event::new(kind).add_path(Path::new(FOLDER).join(path))
    }

    fn take(pending: &mut Pending, kind: EventKind, path: &str, at: Instant) -> bool {
        pending.take(&event(kind, path), Path::new(FOLDER), &Path::new(FOLDER).join("home"), at)
    }

    const CREATED: EventKind = EventKind::Create(CreateKind::File);
    const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    const CLOSED: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
    const OPENED: EventKind = EventKind::Access(AccessKind::Open(AccessMode::Any));
    const RENAMED: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::Both));

    #[test]
    fn a_sync_begins_when_it_has_been_quiet_and_at_the_latest_after_a_while() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut pending = Pending::default();
        assert!(!pending.is_due(at(100.0)));
        assert!(take(&mut pending, CREATED, "a.txt", at(0.0)));
        assert!(!pending.is_due(at(1.9)));
        assert!(pending.is_due(at(2.0)));
        for second in 0..10 {
            take(&mut pending, RENAMED, "a.txt", at(f64::from(second)));
        }
        assert!(!pending.is_due(at(9.9)));
        assert!(pending.is_due(at(10.0)));
        assert!(pending.begin(at(10.0)).is_empty());
        assert!(pending.is_empty() && !pending.is_due(at(100.0)));
    }

    #[test]
    fn a_file_that_is_being_written_is_left_until_it_is_closed_or_abandoned() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pending = Pending::default();
        take(&mut pending, WRITTEN, "slow.pdf", at(0));
        take(&mut pending, WRITTEN, "quick.txt", at(0));
        take(&mut pending, CLOSED, "quick.txt", at(0));
        if CLOSE_IS_REPORTED {
            assert!(pending.is_due(at(2)));
            assert_eq!(pending.begin(at(2)), BTreeSet::from([Path::new(FOLDER).join("slow.pdf")]));
            assert!(!pending.is_due(at(29)) && pending.is_due(at(30)));
            assert!(pending.begin(at(30)).is_empty());
            take(&mut pending, WRITTEN, "slow.pdf", at(40));
            take(&mut pending, CLOSED, "slow.pdf", at(41));
        }
        assert!(pending.is_due(at(43)) && pending.begin(at(43)).is_empty());
    }

    #[test]
    fn reading_hidden_files_and_the_data_directory_do_not_count() {
        let mut pending = Pending::default();
        let now = Instant::now();
        for (kind, path) in
            [(OPENED, "a.txt"), (WRITTEN, ".git/x"), (CREATED, "sub/~$a.docx"), (WRITTEN, "home/collections/1")]
        {
            assert!(!take(&mut pending, kind, path, now), "{path}");
        }
        assert!(pending.is_empty());
        let overflow = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        assert!(pending.take(&overflow, Path::new(FOLDER), Path::new("/data"), now));
    }
}
