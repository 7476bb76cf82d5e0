//! Metadata of a file from the file system.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// The type of an entry. A link is never followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A device, a socket or a pipe.
    Other,
}

impl Kind {
    pub(crate) const EACH: [Self; 4] = [Self::File, Self::Folder, Self::Link, Self::Other];

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::File => 0,
            Self::Folder => 1,
            Self::Link => 2,
            Self::Other => 3,
        }
    }

    pub(crate) fn from_number(number: i64) -> Self {
        Self::EACH.into_iter().find(|kind| kind.number() == number).unwrap_or(Self::Other)
    }

    fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => Self::File,
            () if kind.is_dir() => Self::Folder,
            () if kind.is_symlink() => Self::Link,
            () => Self::Other,
        }
    }
}

/// The result of `lstat`. A value that the system does not report is 0, or `None` if the type allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
    /// Bytes on disk.
    pub allocated: u64,
    /// When its content last changed.
    pub modified: Time,
    /// Time of the last change of its content or metadata.
    pub changed: Time,
    /// `None` if the file system does not keep it.
    pub created: Option<Time>,
    pub accessed: Time,
    pub device: u64,
    pub inode: u64,
}

impl Facts {
    /// Looks at a path without following a link at its end.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        Ok(Self::of(path, &path.symlink_metadata()?))
    }

    /// From metadata of the path that was read without following a link.
    #[cfg(unix)]
    pub fn of(_: &Path, metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let time = |seconds, nanoseconds| Time { seconds, nanoseconds: u32::try_from(nanoseconds).unwrap_or_default() };
        Self {
            kind: Kind::of(metadata),
            size: metadata.size(),
            allocated: metadata.blocks().saturating_mul(512),
            modified: time(metadata.mtime(), metadata.mtime_nsec()),
            changed: time(metadata.ctime(), metadata.ctime_nsec()),
            created: metadata.created().ok().map(Time::from),
            accessed: time(metadata.atime(), metadata.atime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// From metadata of the path that was read without following a link. The numbers of a file that cannot be opened are 0.
    #[cfg(windows)]
    pub fn of(path: &Path, metadata: &Metadata) -> Self {
        let (device, inode) = numbers(path).unwrap_or_default();
        let unknown = Time { seconds: 0, nanoseconds: 0 };
        let modified = metadata.modified().map_or(unknown, Time::from);
        Self {
            kind: Kind::of(metadata),
            size: metadata.len(),
            allocated: metadata.len(),
            modified,
            changed: modified,
            created: metadata.created().ok().map(Time::from),
            accessed: metadata.accessed().map_or(unknown, Time::from),
            device,
            inode,
        }
    }

    /// True if both describe one file, which may have another path now. The time of creation, or else size and time of change, distinguish
    /// a deleted file from a new one with the same number.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        let number = |facts: &Self| (facts.device, facts.inode, facts.kind);
        let born = match (self.created, other.created) {
            (Some(a), Some(b)) => a.stored() == b.stored(),
            _ => self.size == other.size && self.modified.stored() == other.modified.stored(),
        };
        self.inode != 0 && number(self) == number(other) && born
    }
}

/// The serial number of the volume, and the index of the file on it. Costs one opening of the file, of which nothing is read.
#[cfg(windows)]
fn numbers(path: &Path) -> Option<(u64, u64)> {
    use std::os::windows::fs::OpenOptionsExt;
    // Folders can be opened, too, and links are not followed.
    const FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    let mut options = std::fs::OpenOptions::new();
    let file = options.access_mode(0).custom_flags(FLAG_BACKUP_SEMANTICS | FLAG_OPEN_REPARSE_POINT).open(path).ok()?;
    let information = winapi_util::file::information(&file).ok()?;
    Some((information.volume_serial_number(), information.file_index()))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Stays with the file when it moves, and is never used again.
    pub id: i64,
    /// Absolute.
    pub path: PathBuf,
    pub facts: Facts,
    /// When a scan first met it.
    pub first_seen: Time,
}
