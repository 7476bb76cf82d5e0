//! Upkeep of a collection as a whole: nothing that a search finds may change with it.

use casetrack_store::{ExportOptions, StoredDocument};

use crate::fixture::*;

/// A collection after changes of every kind, and the documents that are in it, in the order in which they were stored.
fn changed(store: &dyn Store) -> (Opened<'_>, Vec<StoredDocument>) {
    let collection = new_collection(store);
    let mut documents = many(12, 6);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    for stored in documents.drain(4..7) {
        collection.delete_document(stored.meta.id).unwrap();
    }
    let again = with_id(documents.remove(1).meta.id, "/data/again.txt", &["Clause 1 about common matters, word3x1."]);
    collection.put_document(&again).unwrap();
    documents.push(again);
    collection.flush().unwrap();
    (collection, documents)
}

pub fn upkeep_changes_no_answer(store: &dyn Store) {
    let (collection, documents) = changed(store);
    let fresh = new_collection(store);
    for stored in &documents {
        fresh.put_document(stored).unwrap();
    }
    let expected = results(&fresh);
    assert_eq_results(&collection, &expected, "after changes");
    collection.rebuild_indexes().unwrap();
    assert_eq_results(&collection, &expected, "rebuilt");
    collection.compact().unwrap();
    assert_eq_results(&collection, &expected, "compacted");
    assert!(collection.index_progress().unwrap().iter().all(|index| index.in_step && index.behind == 0));
    assert_clean(&collection);
    let collection = collection.reopened();
    assert_eq_results(&collection, &expected, "reopened");
    assert_clean(&collection);
}

pub fn an_export_is_the_whole_collection(store: &dyn Store) {
    let (collection, documents) = changed(store);
    let expected = results(&collection);
    let imported = collection.exported_and_imported();
    assert_eq!(imported.counts().unwrap(), collection.counts().unwrap());
    assert_eq!(imported.documents_as_stored().unwrap(), collection.documents_as_stored().unwrap());
    for StoredDocument { meta, pages, chunks, annotations, .. } in &documents {
        assert_eq!(imported.page(meta.id, 1).unwrap().as_ref(), pages.first());
        assert_eq!(imported.chunks(meta.id).unwrap(), *chunks);
        assert_eq!(imported.vectors(meta.id).unwrap(), collection.vectors(meta.id).unwrap());
        assert_eq!(imported.sparse_vectors(meta.id).unwrap(), collection.sparse_vectors(meta.id).unwrap());
        assert_eq!(imported.annotations(meta.id).unwrap(), *annotations);
    }
    assert_eq_results(&imported, &expected, "imported");
    assert_clean(&imported);
}

pub fn an_export_replaces_no_file_unasked(store: &dyn Store) {
    let collection = new_collection(store);
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("a.ctcollection");
    std::fs::write(&file, "mine").unwrap();
    let options = ExportOptions::default();
    assert!(collection.export(&file, &options).is_err());
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    collection.export(&file, &ExportOptions { overwrite: true, ..options }).unwrap();
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1, "no part of it is left");
}

pub fn what_is_stored_is_measured(store: &dyn Store) {
    let (collection, _) = changed(store);
    let stats = collection.stats().unwrap();
    assert_eq!(stats.counts, collection.counts().unwrap());
    assert!(0 < stats.stored_bytes() && stats.stored_bytes() <= stats.total_bytes());
    let usage = collection.disk_usage().unwrap();
    assert!(usage.truth > 0, "{usage:?}");
    assert!(!collection.has_failed());
}
