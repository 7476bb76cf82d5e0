//! Directories of collections, whole and damaged, and the synthetic documents in them.

use std::path::{Path, PathBuf};

pub use casetrack_conformance::samples::*;
use casetrack_store::LocalCollection;
use casetrack_store::schema::cf;

/// An empty collection in a directory of its own, which goes when the first part is dropped.
pub fn new_collection() -> (tempfile::TempDir, PathBuf, LocalCollection) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("collection");
    let collection = LocalCollection::create(&dir, &collection_meta("Test"), &models()).unwrap();
    (temp, dir, collection)
}

/// Copies a directory with all it holds: what a crash at this moment would leave.
///
/// Background threads of an open collection may remove or rename a file meanwhile; the copy is then made again.
pub fn copy_dir(from: &Path, to: &Path) {
    for _ in 0..100 {
        match try_copy_dir(from, to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => std::fs::remove_dir_all(to).unwrap(),
            result => return result.unwrap(),
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} does not hold still", from.display());
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

/// Keys and values of a column family.
pub fn entries(db: &rocksdb::DB, family: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let iterator = db.iterator_cf(db.cf_handle(family).unwrap(), rocksdb::IteratorMode::Start);
    iterator.map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect()
}
