//! The entries of documents in RocksDB.

use casetrack_store::schema::cf;

use crate::support::*;

#[test]
fn a_deletion_leaves_nothing() {
    let (_temp, dir, collection) = new_collection();
    let documents = many(3, 4);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    collection.flush().unwrap();
    for stored in &documents {
        assert!(collection.delete_document(stored.meta.id).unwrap());
    }
    drop(collection);

    let db = raw(&dir);
    for family in cf::ALL.into_iter().filter(|&family| family != cf::META) {
        assert_eq!(entries(&db, family), [], "{family}");
    }
}
