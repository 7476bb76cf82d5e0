//! Directories of collections, whole and damaged, and the synthetic documents in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use casetrack_conformance::samples::*;
use casetrack_store::Collection;
use casetrack_store::schema::cf;

/// An empty collection in a directory of its own, which goes when the first part is dropped.
pub fn new_collection() -> (tempfile::TempDir, PathBuf, Collection) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("collection");
    let collection = local::create(&dir, &collection_meta("Test"), &models()).unwrap();
    (temp, dir, collection)
}

/// [`LocalCollection`](casetrack_store::LocalCollection)s as collections of any store.
pub mod local {
    use std::path::Path;

    use casetrack_core::{CollectionMeta, Result};
    use casetrack_store::{Archive, Collection, LocalCollection, VectorModels};
    use casetrack_vault::header::Header;
    use casetrack_vault::key::VaultKey;

    pub fn create(dir: &Path, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        LocalCollection::create(dir, meta, models).map(Collection::from)
    }

    pub fn create_vault(
        dir: &Path,
        meta: &CollectionMeta,
        models: &VectorModels,
        key: &VaultKey,
        header: &Header,
    ) -> Result<Collection> {
        LocalCollection::create_vault(dir, meta, models, key, header).map(Collection::from)
    }

    pub fn open(dir: &Path) -> Result<Collection> {
        LocalCollection::open(dir).map(Collection::from)
    }

    pub fn open_vault(dir: &Path, key: &VaultKey) -> Result<Collection> {
        LocalCollection::open_vault(dir, key).map(Collection::from)
    }

    pub fn open_to_verify(dir: &Path) -> Result<Collection> {
        LocalCollection::open_to_verify(dir).map(Collection::from)
    }

    pub fn import(dir: &Path, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection> {
        LocalCollection::import(dir, archive, meta).map(Collection::from)
    }

    pub fn import_vault(
        dir: &Path,
        archive: &mut Archive,
        meta: &CollectionMeta,
        key: &VaultKey,
        header: &Header,
    ) -> Result<Collection> {
        LocalCollection::import_vault(dir, archive, meta, key, header).map(Collection::from)
    }
}

/// Copies a directory with all it holds: the state after a crash at this moment.
///
/// Background threads of an open collection may add, remove or rename a file during this; the copy is then made again.
pub fn copy_dir(from: &Path, to: &Path) {
    for _ in 0..100 {
        let before = names(from);
        match try_copy_dir(from, to) {
            Ok(()) if names(from) == before => return,
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
            _ => std::fs::remove_dir_all(to).unwrap(),
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} does not hold still", from.display());
}

fn names(dir: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return BTreeSet::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { names(&path) } else { BTreeSet::from([path]) }).collect()
}

fn try_copy_dir(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            try_copy_dir(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// The RocksDB of a collection that is not open, past the store.
pub fn raw(dir: &Path) -> rocksdb::DB {
    rocksdb::DB::open_cf(&rocksdb::Options::default(), dir.join("rocksdb"), cf::ALL).unwrap()
}

pub fn entries(db: &rocksdb::DB, family: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let iterator = db.iterator_cf(db.cf_handle(family).unwrap(), rocksdb::IteratorMode::Start);
    iterator.map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect()
}
