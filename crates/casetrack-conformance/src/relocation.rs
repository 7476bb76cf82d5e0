//! Documents get new paths and names and are otherwise unchanged.

use std::collections::BTreeMap;

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, Relocation};

use crate::fixture::*;

fn paths(collection: &Collection) -> BTreeMap<String, DocumentId> {
    let documents = collection.documents().unwrap();
    let catalogue = collection.catalogue().unwrap();
    for (meta, entry) in documents.iter().zip(catalogue.iter()) {
        assert_eq!((&meta.path, &meta.name, meta.id), (&entry.path, &entry.name, entry.id));
        assert_eq!(collection.document_by_path(&meta.path).unwrap().as_ref(), Some(meta));
    }
    documents.into_iter().map(|meta| (meta.path, meta.id)).collect()
}

pub fn a_path_that_is_taken_is_refused_and_nothing_is_changed(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(2, 1);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let (a, b) = (&documents[0].meta, &documents[1].meta);
    let before = paths(&collection);
    let refused = |relocations: &[Relocation]| collection.relocate_documents(relocations).unwrap_err().code;
    assert_eq!(refused(&[relocation(a.id, &b.path)]), ErrorCode::AlreadyExists);
    assert_eq!(refused(&[relocation(a.id, "/x"), relocation(DocumentId::random(), "/y")]), ErrorCode::NotFound);
    assert_eq!(refused(&[relocation(a.id, "/x"), relocation(b.id, "/x")]), ErrorCode::Internal);
    assert_eq!(paths(&collection), before);
    assert_clean(&collection);
}

pub fn two_documents_exchange_their_paths_and_keep_everything_else(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(3, 4);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let (a, b) = (&documents[0].meta, &documents[1].meta);
    let (found, versions) = (results(&collection), collection.versions());
    collection.relocate_documents(&[relocation(a.id, &b.path), relocation(b.id, &a.path)]).unwrap();
    collection.flush().unwrap();
    let check = |collection: &Collection| {
        let paths = paths(collection);
        assert_eq!((paths[&a.path], paths[&b.path], paths.len()), (b.id, a.id, 3));
        assert_eq!(collection.document(a.id).unwrap().unwrap().name, b.name);
        assert_eq!(collection.chunks(a.id).unwrap(), documents[0].chunks);
        assert_eq_results(collection, &found, "");
        assert_clean(collection);
    };
    check(&collection);
    let changed: Vec<bool> = versions.iter().zip(collection.versions()).map(|(old, new)| *old != new).collect();
    assert_eq!(changed, [true, true, false]);
    check(&collection.reopened());
}

pub fn a_renamed_document_is_called_by_its_new_name_only(store: &dyn Store) {
    let collection = new_collection(store);
    let documents =
        [document("/data/bakery.txt", &["Rent is due."]), document("/data/brewery.txt", &["Rent is late."])];
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let [a, b] = [documents[0].meta.id, documents[1].meta.id];
    // The second one only moves.
    let moves = [relocation(a, "/data/vineyard.txt"), relocation(b, "/archive/brewery.txt")];
    collection.relocate_documents(&moves).unwrap();
    let check = |collection: &Collection| {
        let called = |text| -> Vec<DocumentId> {
            let matches = collection.name_matches(text, 10).unwrap();
            matches.iter().flat_map(|found| &found.documents).map(|(document, _)| *document).collect()
        };
        assert_eq!([called("bakery"), called("vineyard"), called("brewery")], [vec![], vec![a], vec![b]]);
        assert_clean(collection);
    };
    check(&collection);
    check(&collection.reopened());
}
