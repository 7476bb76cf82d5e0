//! What analysis found in documents: stored with them, and gone with them.

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, StoredDocument};

use crate::support::*;

#[test]
fn annotations_come_and_go_with_their_document() {
    let (_temp, dir, collection) = new_collection();
    let stored = document("/data/a.txt", &["Größe of the Roof\n\nthe roof", "", "Roof tiles"]);
    let annotations = stored.annotations.clone().unwrap();
    assert_eq!((annotations.entities.len(), annotations.mentions.len(), annotations.references.len()), (5, 8, 2));
    let id = stored.meta.id;
    let annotated = |collection: &Collection| collection.counts().unwrap().annotated_documents;
    collection.put_document(&stored).unwrap();
    drop(collection);

    let collection = Collection::open(&dir).unwrap();
    assert_eq!((collection.annotations(id).unwrap(), annotated(&collection)), (Some(annotations), 1));
    assert_eq!(collection.annotations(DocumentId::random()).unwrap(), None);
    let changed = with_id(id, "/data/a.txt", &["A floor"]);
    collection.put_document(&changed).unwrap();
    assert_eq!((collection.annotations(id).unwrap(), annotated(&collection)), (changed.annotations.clone(), 1));
    assert_clean(&collection);

    // Stored without analysis: those of before are not left.
    collection.put_document(&StoredDocument { annotations: None, ..changed.clone() }).unwrap();
    assert_eq!((collection.annotations(id).unwrap(), annotated(&collection)), (None, 0));
    assert_clean(&collection);
    collection.put_document(&changed).unwrap();
    collection.delete_document(id).unwrap();
    assert_eq!((collection.annotations(id).unwrap(), annotated(&collection)), (None, 0));
    assert_clean(&collection);
}

#[test]
fn annotations_that_do_not_fit_the_pages_are_refused() {
    let (_temp, _dir, collection) = new_collection();
    let sound = document("/data/a.txt", &["the roof leaks"]);
    type Change = fn(&mut casetrack_core::Annotations);
    let changes: [(Change, &str); 4] = [
        (|found| found.mentions[1].entity = 3, "mention 1 is of entity 3, but there are 3"),
        (|found| found.mentions[2].char_end = 15, "mention 2 is at characters 9..15 of page 1, which has 14"),
        (|found| found.mentions.swap(0, 1), "mention 1 comes before the one in front of it"),
        (|found| found.references[0].page = 2, "reference 0 is on page 2, which does not exist"),
    ];
    for (change, what) in changes {
        let mut stored = sound.clone();
        change(stored.annotations.as_mut().unwrap());
        let error = collection.put_document(&stored).unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert_eq!(error.message, format!("/data/a.txt was not stored: in its annotations, {what}."));
    }
    assert_eq!(collection.counts().unwrap().documents, 0);
    collection.put_document(&sound).unwrap();
}

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
    assert_eq!(Collection::open(&dir).unwrap().versions(), [(ids[1], 1), (ids[0], 4)]);

    // Also after a repair that copies them into a new RocksDB.
    std::fs::remove_file(dir.join("rocksdb/CURRENT")).unwrap();
    let report = Collection::repair(&dir).unwrap();
    assert!(report.done.iter().any(|done| done.contains("into a new RocksDB")), "{report:?}");
    assert_eq!(Collection::open(&dir).unwrap().versions(), [(ids[1], 5), (ids[0], 7)]);
}
