use casetrack_store::LocalCollection;

use crate::support::*;

#[test]
fn every_version_of_a_document_has_a_number_of_its_own() {
    let (_temp, dir, collection) = new_collection();
    let documents = [document("/data/b.txt", &[""]), document("/data/a.txt", &["one\n\ntwo"])];
    let ids = [documents[0].meta.id, documents[1].meta.id];
    assert_eq!(collection.versions(), []);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    assert_eq!(collection.versions(), [(ids[0], 0), (ids[1], 1)]);
    collection.put_document(&documents[0]).unwrap();
    assert_eq!(collection.versions(), [(ids[1], 1), (ids[0], 3)]);
    collection.delete_document(ids[0]).unwrap();
    collection.put_document(&documents[0]).unwrap();
    drop(collection);
    assert_eq!(local::open(&dir).unwrap().versions(), [(ids[1], 1), (ids[0], 4)]);

    // Also after a repair that copies them into a new RocksDB.
    std::fs::remove_file(dir.join("rocksdb/CURRENT")).unwrap();
    let report = LocalCollection::repair(&dir).unwrap();
    assert!(report.done.iter().any(|done| done.contains("into a new RocksDB")), "{report:?}");
    assert_eq!(local::open(&dir).unwrap().versions(), [(ids[1], 5), (ids[0], 7)]);
}
