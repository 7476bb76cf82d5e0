use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, StoredDocument};

use crate::fixture::*;

pub fn annotations_come_and_go_with_their_document(store: &dyn Store) {
    let collection = new_collection(store);
    let stored = document("/data/a.txt", &["Größe of the Roof\n\nthe roof", "", "Roof tiles"]);
    let annotations = stored.annotations.clone().unwrap();
    assert_eq!((annotations.entities.len(), annotations.mentions.len(), annotations.references.len()), (5, 8, 2));
    let id = stored.meta.id;
    let annotated = |collection: &Collection| collection.counts().unwrap().annotated_documents;
    collection.put_document(&stored).unwrap();
    let collection = collection.reopened();
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

pub fn annotations_that_do_not_fit_the_pages_are_refused(store: &dyn Store) {
    let collection = new_collection(store);
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

pub fn every_version_of_a_document_has_a_number_of_its_own(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = [document("/data/b.txt", &[""]), document("/data/a.txt", &["one\n\ntwo"])];
    let ids = [documents[0].meta.id, documents[1].meta.id];
    let note = |collection: &Collection, expected: &[DocumentId]| {
        let versions = collection.versions();
        assert_eq!(versions.iter().map(|(id, _)| *id).collect::<Vec<_>>(), expected, "in the order of storing");
        let stored: Vec<_> = collection.documents_as_stored().unwrap().into_iter().map(|meta| meta.id).collect();
        assert_eq!(stored, expected);
        versions
    };
    note(&collection, &[]);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    let first = note(&collection, &ids);
    collection.put_document(&documents[0]).unwrap();
    let second = note(&collection, &[ids[1], ids[0]]);
    assert_eq!(second[0], first[1], "what is not stored again stays what it is");
    collection.delete_document(ids[0]).unwrap();
    collection.put_document(&documents[0]).unwrap();
    let third = note(&collection, &[ids[1], ids[0]]);
    let collection = collection.reopened();
    assert_eq!(note(&collection, &[ids[1], ids[0]]), third, "nor by closing");
    let mut of_first: Vec<u64> = [first[0], second[1], third[1]].iter().map(|(_, version)| *version).collect();
    of_first.sort_unstable();
    of_first.dedup();
    assert_eq!(of_first.len(), 3, "{of_first:?}");
}
