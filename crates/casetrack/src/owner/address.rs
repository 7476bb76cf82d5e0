//! The owner's directory: its lock, and its address.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, Result};
use interprocess::local_socket::{GenericFilePath, Name, ToFsName};
use serde::{Deserialize, Serialize};

use crate::privacy::restrict;

/// Longest path of a Unix socket that every system accepts, in bytes.
#[cfg(unix)]
const MAX_SOCKET_PATH: usize = 100;

/// Content of `address.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Path of the socket, or name of the pipe.
    pub socket: PathBuf,
    pub pid: u32,
    /// The directory that this file is in. A copy of the data directory has the path of the original. Earlier programs leave it out.
    #[serde(default)]
    directory: Option<String>,
}

impl Address {
    /// A new address for the owner of `data_dir`.
    pub fn new(data_dir: &Path) -> Result<Self> {
        let directory = identity(&directory(data_dir));
        Ok(Self { socket: socket_path(data_dir)?, pid: std::process::id(), directory })
    }

    /// The address published by the owner of `data_dir`, if any. An address in a copy of the directory is ignored, because another owner
    /// published it.
    pub fn read(data_dir: &Path) -> Option<Self> {
        let address: Self = serde_json::from_slice(&std::fs::read(file(data_dir)).ok()?).ok()?;
        let is_own = address.directory.is_none() || address.directory == identity(&directory(data_dir));
        is_own.then_some(address)
    }

    /// Publishes the address of the owner. The file is replaced in one step, so that no client reads half of it.
    pub fn publish(&self, data_dir: &Path) -> Result<()> {
        let path = file(data_dir);
        let partial = path.with_extension("partial");
        let json = serde_json::to_vec(self).map_err(|error| Error::internal(error.to_string()))?;
        std::fs::write(&partial, json)
            .and_then(|()| std::fs::rename(&partial, &path))
            .map_err(|error| Error::io(path.display(), error))
    }

    /// Removes the address, if it is still this one.
    pub fn withdraw(&self, data_dir: &Path) {
        if Self::read(data_dir).as_ref() == Some(self) {
            let _ = std::fs::remove_file(file(data_dir));
        }
    }

    pub fn name(&self) -> Result<Name<'_>> {
        let name = self.socket.as_path().to_fs_name::<GenericFilePath>();
        name.map_err(|error| Error::io(self.socket.display(), error))
    }
}

pub fn directory(data_dir: &Path) -> PathBuf {
    data_dir.join("owner")
}

/// Distinguishes a directory from its copies, regardless of the path that leads to it.
#[cfg(unix)]
fn identity(directory: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(directory).ok()?;
    Some(format!("{}:{}", metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(directory: &Path) -> Option<String> {
    Some(directory.canonicalize().ok()?.display().to_string())
}

fn file(data_dir: &Path) -> PathBuf {
    directory(data_dir).join("address.json")
}

/// Makes the owner's directory, which only this user may enter.
pub fn create_directory(data_dir: &Path) -> Result<PathBuf> {
    let path = directory(data_dir);
    std::fs::create_dir_all(&path).map_err(|error| Error::io(path.display(), error))?;
    restrict(&path)?;
    Ok(path)
}

/// In the data directory or, if that path is too long for a socket, in a new temporary directory.
#[cfg(unix)]
fn socket_path(data_dir: &Path) -> Result<PathBuf> {
    let path = directory(data_dir).join("socket");
    if path.as_os_str().len() <= MAX_SOCKET_PATH {
        return Ok(path);
    }
    let name = format!("casetrack-{}", casetrack_core::CollectionId::random());
    let elsewhere = std::env::temp_dir().join(name);
    std::fs::create_dir(&elsewhere).map_err(|error| Error::io(elsewhere.display(), error))?;
    restrict(&elsewhere)?;
    Ok(elsewhere.join("socket"))
}

#[cfg(not(unix))]
fn socket_path(_: &Path) -> Result<PathBuf> {
    Ok(format!(r"\\.\pipe\casetrack-{}", casetrack_core::CollectionId::random()).into())
}

/// Takes ownership of a data directory for as long as the returned file lives. `None` if another process has it.
pub fn take_lock(data_dir: &Path) -> Result<Option<File>> {
    let path = create_directory(data_dir)?.join("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| Error::io(path.display(), error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(Error::io(path.display(), error)),
    }
}
