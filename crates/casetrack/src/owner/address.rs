//! The owner's directory: its lock, and its address.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use interprocess::local_socket::{GenericFilePath, Name, ToFsName};
use serde::{Deserialize, Serialize};

use crate::privacy::restrict;

/// Longest path of a Unix socket that every system accepts, in bytes.
#[cfg(unix)]
const MAX_SOCKET_PATH: usize = 100;

/// In a link: the directory has no identity.
const NO_IDENTITY: &str = "-";

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
        let address = match Self::of_link(data_dir) {
            Some(address) => address,
            None => serde_json::from_slice(&std::fs::read(file(data_dir)).ok()?).ok()?,
        };
        let is_own = address.directory.is_none() || address.directory == identity(&directory(data_dir));
        is_own.then_some(address)
    }

    /// Publishes the address of the owner. The file is replaced in one step, so that no client reads half of it. On a full disk the target of a
    /// link has the address, because a short one takes no space; otherwise nothing could be read until there is space again.
    pub fn publish(&self, data_dir: &Path) -> Result<()> {
        let path = file(data_dir);
        let partial = path.with_extension("partial");
        let json = serde_json::to_vec(self).map_err(|error| Error::internal(error.to_string()))?;
        let written = std::fs::write(&partial, json)
            .and_then(|()| std::fs::rename(&partial, &path))
            .map_err(|error| Error::io(path.display(), error));
        match written {
            Ok(()) => {
                let _ = std::fs::remove_file(link(data_dir));
                Ok(())
            }
            Err(error) if error.code == ErrorCode::DiskFull => {
                let _ = std::fs::remove_file(&partial);
                self.publish_as_link(data_dir).map_err(|_| error)
            }
            Err(error) => Err(error),
        }
    }

    #[cfg(unix)]
    fn publish_as_link(&self, data_dir: &Path) -> std::io::Result<()> {
        let (link, directory) = (link(data_dir), directory(data_dir));
        let identity = self.directory.as_deref().unwrap_or(NO_IDENTITY);
        let socket = self.socket.strip_prefix(&directory).unwrap_or(&self.socket);
        for earlier in [&link, &file(data_dir)] {
            match std::fs::remove_file(earlier) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        std::os::unix::fs::symlink(format!("{} {identity} {}", self.pid, socket.display()), link)
    }

    #[cfg(not(unix))]
    fn publish_as_link(&self, _: &Path) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// The address that a link has.
    fn of_link(data_dir: &Path) -> Option<Self> {
        let target = std::fs::read_link(link(data_dir)).ok()?;
        let mut parts = target.to_str()?.splitn(3, ' ');
        let (pid, identity, socket) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let identity = (identity != NO_IDENTITY).then(|| identity.to_owned());
        Some(Self { socket: directory(data_dir).join(socket), pid, directory: identity })
    }

    /// Removes the address, if it is still this one.
    pub fn withdraw(&self, data_dir: &Path) {
        if Self::read(data_dir).as_ref() == Some(self) {
            let _ = std::fs::remove_file(file(data_dir));
            let _ = std::fs::remove_file(link(data_dir));
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
    Some(casetrack_core::real_path(directory).ok()?.display().to_string())
}

fn file(data_dir: &Path) -> PathBuf {
    directory(data_dir).join("address.json")
}

/// The link whose target is the address while the disk is full.
fn link(data_dir: &Path) -> PathBuf {
    directory(data_dir).join("address")
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_found_on_a_full_disk() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let owner = create_directory(home).unwrap();
        let earlier = Address { pid: 1, ..Address::new(home).unwrap() };
        earlier.publish(home).unwrap();
        assert_eq!(Address::read(home), Some(earlier));

        // Writing to this device fails as on a full disk.
        std::os::unix::fs::symlink("/dev/full", owner.join("address.partial")).unwrap();
        let address = Address::new(home).unwrap();
        address.publish(home).unwrap();
        assert_eq!(Address::read(home).as_ref(), Some(&address));
        assert!(!owner.join("address.json").exists());
        // As of a copy of the directory.
        let of_another = Address { directory: Some("0:0".to_owned()), ..address.clone() };
        of_another.publish_as_link(home).unwrap();
        assert_eq!(Address::read(home), None);

        // With space again.
        address.publish(home).unwrap();
        assert_eq!(Address::read(home).as_ref(), Some(&address));
        assert!(owner.join("address.json").exists() && !owner.join("address").is_symlink());
        address.publish_as_link(home).unwrap();
        address.withdraw(home);
        assert_eq!(Address::read(home), None);
        assert!(!owner.join("address").is_symlink());
    }
}
