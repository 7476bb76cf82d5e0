//! The directory of tantivy's files: one as it is, or one whose files are sealed.
//!
//! A sealed file is decrypted into memory when it is opened, and stays there as long as a search uses it. tantivy opens
//! all segments again after each commit: those that have not changed are shared.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use casetrack_core::Error;
use casetrack_vault::files::{FileWriter, Files};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, RamDirectory,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use crate::seal::{Seal, name_in};

pub(super) fn directory(dir: &Path, seal: &Seal) -> tantivy::Result<Box<dyn Directory>> {
    let plain = MmapDirectory::open(dir)?;
    Ok(match seal.is_sealed() {
        true => Box::new(SealedDirectory { plain, dir: dir.into(), seal: seal.clone(), in_use: Arc::default() }),
        false => Box::new(plain),
    })
}

/// As [`directory`], but written files stay in memory.
pub(super) fn in_memory(dir: &Path, seal: &Seal) -> tantivy::Result<Box<dyn Directory>> {
    Ok(Box::new(MemoryDirectory { below: directory(dir, seal)?, above: RamDirectory::create() }))
}

/// A directory whose files stay as they are: new ones, and new contents of those that are replaced, are in memory.
#[derive(Debug, Clone)]
struct MemoryDirectory {
    below: Box<dyn Directory>,
    above: RamDirectory,
}

impl Directory for MemoryDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        if self.above.exists(path)? { self.above.get_file_handle(path) } else { self.below.get_file_handle(path) }
    }

    /// The files below are used again when there is room.
    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        match self.above.exists(path) {
            Ok(true) => self.above.delete(path),
            _ => Ok(()),
        }
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.above.exists(path)? || self.below.exists(path)?)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.above.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if self.above.exists(path)? { self.above.atomic_read(path) } else { self.below.atomic_read(path) }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.above.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.above.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.above.watch(callback)
    }
}

#[derive(Debug, Clone)]
struct SealedDirectory {
    plain: MmapDirectory,
    dir: Arc<Path>,
    seal: Seal,
    /// Contents of files of segments, which never change under their names.
    in_use: Arc<Mutex<HashMap<PathBuf, Weak<[u8]>>>>,
}

impl SealedDirectory {
    fn files(&self, path: &Path) -> io::Result<(&Files, String)> {
        let files = self.seal.files().ok_or_else(|| io::Error::other("there is no key"))?;
        Ok((files, name_in(&self.dir, &path.to_string_lossy())))
    }

    fn content(&self, path: &Path) -> Result<Arc<[u8]>, OpenReadError> {
        let in_use = || self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(content) = in_use().get(path).and_then(Weak::upgrade) {
            return Ok(content);
        }
        let content: Arc<[u8]> = self.opened(path)?.into();
        let mut in_use = in_use();
        in_use.retain(|_, content| content.strong_count() > 0);
        in_use.insert(path.to_owned(), Arc::downgrade(&content));
        Ok(content)
    }

    fn opened(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let sealed = self.plain.atomic_read(path)?;
        let opened = self.files(path).and_then(|(files, name)| files.open_bytes(&name, &sealed).map_err(damaged));
        opened.map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))
    }
}

fn damaged(error: Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Directory for SealedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.content(path).map(|content| Arc::new(OwnedBytes::new(content)) as _)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.plain.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.plain.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.plain.open_write(path)?;
        let begun = self.files(path).and_then(|(files, name)| files.create(&name, file).map_err(io::Error::other));
        let file = begun.map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(WritePtr::new(Box::new(SealedFile(Some(file)))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.opened(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let (files, name) = self.files(path)?;
        self.plain.atomic_write(path, &files.seal_bytes(&name, data).map_err(io::Error::other)?)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.plain.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.plain.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.plain.watch(callback)
    }
}

/// A file that is being written; nothing more can be written once it is ended.
struct SealedFile(Option<FileWriter<WritePtr>>);

impl SealedFile {
    fn file(&mut self) -> io::Result<&mut FileWriter<WritePtr>> {
        self.0.as_mut().ok_or_else(|| io::Error::other("the file has been ended"))
    }
}

impl Write for SealedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl TerminatingWrite for SealedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let file = self.0.take().ok_or_else(|| io::Error::other("the file has been ended"))?;
        file.finish()?.terminate()
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::CollectionId;
    use casetrack_vault::key::VaultKey;

    use super::*;

    #[test]
    fn a_file_is_decrypted_once_while_it_is_in_use() {
        let temp = tempfile::tempdir().unwrap();
        let seal = Seal::with(&VaultKey::random(CollectionId::random()).unwrap()).unwrap();
        let directory = directory(temp.path(), &seal).unwrap();
        let path = Path::new("segment.term");
        let mut file = directory.open_write(path).unwrap();
        file.write_all(b"postings").unwrap();
        file.terminate().unwrap();
        let read = || {
            directory
                .get_file_handle(path)?
                .read_bytes(0..8)
                .map_err(|error| OpenReadError::wrap_io_error(error, path.into()))
        };
        let first = read().unwrap();
        std::fs::write(temp.path().join(path), b"changed").unwrap();
        assert_eq!(read().unwrap().as_slice(), b"postings");
        drop(first);
        assert!(read().is_err());
    }
}
