//! Changes in folders that the operating system reports, for the watches of collections and the catalogue of files.

mod remote;

use std::io::ErrorKind;
use std::path::Path;

use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};

pub use remote::{holds_remote, is_remote};

/// True if each folder is watched; otherwise only the highest is.
const BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Folders whose changes are reported, until it is dropped.
pub struct DiskEvents {
    watcher: RecommendedWatcher,
}

/// Why a folder is not watched.
#[derive(Debug)]
pub struct Unwatchable {
    /// The end of a sentence.
    pub why: String,
    /// True if the folder is gone or shut, so that it cannot be listed either.
    pub is_unreadable: bool,
}

impl DiskEvents {
    /// Watches all below a folder, also through links.
    pub fn below(
        folder: &Path,
        on_event: impl FnMut(notify::Result<notify::Event>) + Send + 'static,
    ) -> Result<Self, Unwatchable> {
        let open = || -> notify::Result<Self> {
            let mut watcher = RecommendedWatcher::new(on_event, Config::default())?;
            watcher.watch(folder, RecursiveMode::Recursive)?;
            Ok(Self { watcher })
        };
        open().map_err(|error| Unwatchable::from(&error))
    }

    /// Watches folders that are [added](Self::add) one by one, and no link.
    pub fn by_folder(
        on_event: impl FnMut(notify::Result<notify::Event>) + Send + 'static,
    ) -> Result<Self, Unwatchable> {
        let watcher = RecommendedWatcher::new(on_event, Config::default().with_follow_symlinks(false));
        watcher.map(|watcher| Self { watcher }).map_err(|error| Unwatchable::from(&error))
    }

    /// Watches the entries of a folder from now on. `root` is the highest of the added folders.
    pub fn add(&mut self, folder: &Path, root: &Path) -> Result<(), Unwatchable> {
        let mode = match BY_FOLDER {
            true => RecursiveMode::NonRecursive,
            false if folder == root => RecursiveMode::Recursive,
            false => return Ok(()),
        };
        self.watcher.watch(folder, mode).map_err(|error| Unwatchable::from(&error))
    }

    /// Stops watching a folder. If the folder is gone, the system has already stopped watching it.
    pub fn remove(&mut self, folder: &Path) {
        if BY_FOLDER {
            let _ = self.watcher.unwatch(folder);
        }
    }
}

impl From<&notify::Error> for Unwatchable {
    fn from(error: &notify::Error) -> Self {
        let why = match error.kind {
            notify::ErrorKind::MaxFilesWatch => {
                "the operating system cannot watch further folders (raise fs.inotify.max_user_watches for \
                 notifications)."
                    .to_owned()
            }
            _ => format!("the operating system does not watch it ({error})."),
        };
        let is_unreadable = match &error.kind {
            notify::ErrorKind::PathNotFound => true,
            notify::ErrorKind::Io(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied),
            _ => false,
        };
        Self { why, is_unreadable }
    }
}

/// Distinguishes a folder from another that has taken its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    created: Option<std::time::SystemTime>,
}

impl FolderIdentity {
    /// `None` if there is no folder.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self { device_and_inode: (metadata.dev(), metadata.ino()) })
        }
        #[cfg(not(unix))]
        Some(Self { created: metadata.created().ok() })
    }
}
