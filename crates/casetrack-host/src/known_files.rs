//! Files as the last sync saw them, so that those that did not change need not be read.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::{Duration, SystemTime};

use casetrack_core::{Cancel, Error, Result, Sha256};
use casetrack_store::write_atomically;
use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::lock;
use crate::report::{FailedFile, SkippedFile};

/// A file that was changed less than this before it was read may have been changed again with the same time. Git's index has the same rule ("racy
/// git"); 2 s is the coarsest step of times in use, on FAT.
const RACY: Duration = Duration::from_secs(2);
/// Bytes read between two checks of cancellation.
const PIECE_BYTES: usize = 1 << 20;

/// The files of this process's syncs by their paths, about 300 bytes each.
#[derive(Debug)]
pub struct KnownFiles(Mutex<HashMap<PathBuf, KnownFile>>, Once);

impl Default for KnownFiles {
    fn default() -> Self {
        Self(Mutex::default(), Once::new())
    }
}

/// The result of comparing a file with its last known state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// It is unchanged since it was read, with this digest.
    Same(Sha256),
    /// It was changed or replaced since it was read.
    Changed,
    /// It was not read, or its times do not show it.
    Unknown,
}

/// The data that is kept on disk between processes.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedFiles {
    /// Of CaseTrack: another one may read files that this one refused.
    version: String,
    files: HashMap<PathBuf, KnownFile>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KnownFile {
    stamp: Stamp,
    /// The time at which reading it began.
    read_at: SystemTime,
    sha256: Sha256,
    refusal: Option<Refusal>,
}

/// Why a file is not in the collection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Refusal {
    Failed(FailedFile),
    Unsupported(SkippedFile),
}

/// The properties that change with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// On platforms that have them: device, inode, and seconds and nanoseconds of the last change of either content or attributes.
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = Default::default();
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), identity }
    }
}

impl Stamp {
    /// True if all agrees except device and inode, which on some file systems are others after a restart.
    fn agrees_but_for_numbers(self, other: Self) -> bool {
        let Self { bytes, modified, identity: (_, _, seconds, nanoseconds) } = other;
        let (.., own_seconds, own_nanoseconds) = self.identity;
        (self.bytes, self.modified, own_seconds, own_nanoseconds) == (bytes, modified, seconds, nanoseconds)
    }
}

impl KnownFile {
    fn holds_for(&self, stamp: Stamp) -> bool {
        let settled = |modified: SystemTime| modified.checked_add(RACY).is_some_and(|settled| settled <= self.read_at);
        self.stamp == stamp && stamp.modified.is_some_and(settled)
    }
}

impl KnownFiles {
    /// The digest of a file, and why it was refused last; `metadata` is current. Reads the file if `trust` is false or if its times do not show that
    /// it is unchanged.
    pub fn digest(
        &self,
        path: &Path,
        metadata: &Metadata,
        trust: bool,
        cancel: &Cancel,
    ) -> Result<(Sha256, Option<Refusal>)> {
        let stamp = Stamp::of(metadata);
        if trust && let Some(known) = lock(&self.0).get(path).filter(|known| known.holds_for(stamp)) {
            return Ok((known.sha256, known.refusal.clone()));
        }
        let read_at = SystemTime::now();
        let sha256 = digest(path, cancel)?;
        lock(&self.0).insert(path.to_owned(), KnownFile { stamp, read_at, sha256, refusal: None });
        Ok((sha256, None))
    }

    /// Compares a file with its last known state; `metadata` is current. Reads nothing.
    pub fn compare(&self, path: &Path, metadata: &Metadata) -> Beside {
        let stamp = Stamp::of(metadata);
        match lock(&self.0).get(path) {
            Some(known) if !known.stamp.agrees_but_for_numbers(stamp) => Beside::Changed,
            Some(known) if known.holds_for(stamp) => Beside::Same(known.sha256),
            _ => Beside::Unknown,
        }
    }

    /// Notes why a file was refused.
    pub fn refuse(&self, path: &Path, refusal: Refusal) {
        if let Some(known) = lock(&self.0).get_mut(path) {
            known.refusal = Some(refusal);
        }
    }

    /// Like [`load`](Self::load), but only the first call loads: only this process writes the file.
    pub fn load_once(&self, path: &Path) {
        self.1.call_once(|| self.load(path));
    }

    /// Adds the entries that [`save`](Self::save) wrote, for files without newer ones. If the file is missing or cannot be read,
    /// there is nothing to add: the files are read again.
    fn load(&self, path: &Path) {
        let Ok(bytes) = std::fs::read(path) else { return };
        let kept: SavedFiles = serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(%error, path = %path.display(), "the record of known files is damaged; they are read \
                again");
            SavedFiles::default()
        });
        let is_ours = kept.version == env!("CARGO_PKG_VERSION");
        let mut known = lock(&self.0);
        for (path, mut file) in kept.files {
            file.refusal = file.refusal.filter(|_| is_ours);
            known.entry(path).or_insert(file);
        }
    }

    /// Writes the records of the files below some folders, in place of the earlier ones. Names that are not Unicode and times before 1970 are left
    /// out: such files are read again.
    pub fn save(&self, path: &Path, below: &[PathBuf]) -> Result<()> {
        let is_after_1970 = |time: &SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).is_ok();
        let is_kept = |(path, file): &(&PathBuf, &KnownFile)| {
            path.to_str().is_some()
                && below.iter().any(|folder| path.starts_with(folder))
                && file.stamp.modified.as_ref().is_some_and(is_after_1970)
                && is_after_1970(&file.read_at)
        };
        let files = lock(&self.0).iter().filter(is_kept).map(|(path, file)| (path.clone(), file.clone())).collect();
        let kept = SavedFiles { version: env!("CARGO_PKG_VERSION").to_owned(), files };
        let bytes = serde_json::to_vec(&kept).map_err(|error| Error::internal(format!("Known files: {error}")))?;
        write_atomically(path, &bytes)
    }

    /// Forgets the files below a folder for which `is_there` is false.
    pub fn keep(&self, folder: &Path, is_there: impl Fn(&Path) -> bool) {
        lock(&self.0).retain(|path, _| !path.starts_with(folder) || is_there(path));
    }
}

/// The SHA-256 of a file, read in pieces.
fn digest(path: &Path, cancel: &Cancel) -> Result<Sha256> {
    let error = |error| Error::io(path.display(), error);
    let mut file = std::fs::File::open(path).map_err(error)?;
    let mut hasher = sha2::Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        cancel.check()?;
        match file.read(&mut piece).map_err(error)? {
            0 => return Ok(Sha256(hasher.finalize().into())),
            n => hasher.update(&piece[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256;

    fn look(known: &KnownFiles, path: &Path) -> Sha256 {
        known.digest(path, &std::fs::metadata(path).unwrap(), true, &Cancel::default()).unwrap().0
    }

    /// Sets the time at which a file was changed, as seconds before now.
    fn age(path: &Path, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn a_file_is_read_again_unless_its_times_prove_that_it_is_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let known = KnownFiles::default();
        std::fs::write(&path, "one").unwrap();
        assert_eq!(look(&known, &path), sha256(b"one"));
        // As if it were written again within the step of the clock: only reading it shows the change.
        known.0.lock().unwrap().get_mut(&path).unwrap().sha256 = sha256(b"stale");
        assert_eq!(look(&known, &path), sha256(b"one"), "a file that was just written is not trusted");

        age(&path, 60);
        look(&known, &path);
        known.0.lock().unwrap().get_mut(&path).unwrap().sha256 = sha256(b"trusted");
        assert_eq!(look(&known, &path), sha256(b"trusted"));
        let all = known.digest(&path, &std::fs::metadata(&path).unwrap(), false, &Cancel::default());
        assert_eq!(all.unwrap().0, sha256(b"one"));

        // The same size and time, but another file.
        let other = dir.path().join("b.txt");
        std::fs::write(&other, "two").unwrap();
        other.metadata().unwrap();
        let time = path.metadata().unwrap().modified().unwrap();
        std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(look(&known, &path), sha256(if cfg!(unix) { b"two" } else { b"one" }));
    }

    #[test]
    fn a_file_is_compared_with_what_is_known_of_it_without_reading_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let known = KnownFiles::default();
        let compare = || known.compare(&path, &std::fs::metadata(&path).unwrap());
        std::fs::write(&path, "one").unwrap();
        assert_eq!(compare(), Beside::Unknown);
        look(&known, &path);
        assert_eq!(compare(), Beside::Unknown, "it may have been written again within the step of the clock");
        age(&path, 60);
        assert_eq!(compare(), Beside::Changed);
        look(&known, &path);
        assert_eq!(compare(), Beside::Same(sha256(b"one")));
        known.0.lock().unwrap().get_mut(&path).unwrap().stamp.identity.0 ^= 1;
        assert_eq!(compare(), Beside::Unknown, "another number of the device proves nothing");
    }

    #[test]
    fn what_is_known_of_files_outlives_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("in/a.txt"), dir.path().join("out.txt"));
        std::fs::create_dir(dir.path().join("in")).unwrap();
        let known = KnownFiles::default();
        for path in [&path, &other] {
            std::fs::write(path, "one").unwrap();
            age(path, 60);
            look(&known, path);
        }
        let kept = dir.path().join("known.json");
        known.save(&kept, &[dir.path().join("in")]).unwrap();
        let next = KnownFiles::default();
        next.load(&kept);
        assert_eq!(next.0.lock().unwrap().len(), 1);
        next.0.lock().unwrap().get_mut(&path).unwrap().sha256 = sha256(b"trusted");
        assert_eq!(look(&next, &path), sha256(b"trusted"), "it was not read again");
        std::fs::write(&kept, "damaged").unwrap();
        KnownFiles::default().load(&kept);
    }

    #[test]
    fn hashing_ends_when_it_is_cancelled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, "one").unwrap();
        let cancel = Cancel::default();
        cancel.cancel();
        assert_eq!(digest(&path, &cancel).unwrap_err().code, casetrack_core::ErrorCode::Cancelled);
    }
}
