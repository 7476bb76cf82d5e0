//! Several collections: made, found, described and removed.

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, DocumentId, ErrorCode, Timestamp};
use casetrack_store::{Conditions, Counts, Filter, Relocation, VectorModels};
use serde_json::json;

use crate::fixture::*;

pub fn collections_are_listed_by_age_opened_and_deleted(store: &dyn Store) {
    let listed = || {
        let (metas, problems) = store.scan().unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        metas
    };
    assert_eq!(listed(), []);
    let meta = |name: &str, created| CollectionMeta { created_at: Timestamp(created), ..collection_meta(name) };
    let metas = [meta("second", 2000), meta("first", 1000), meta("third", 3000)];
    for meta in &metas {
        let collection = store.create(meta, &models()).unwrap();
        assert_eq!((collection.meta(), collection.models()), (meta, &models()));
        assert_eq!(collection.counts_and_last_change().unwrap(), (Counts::default(), None));
    }
    let [second, first, third] = metas;
    assert_eq!(listed(), [first.clone(), second.clone(), third.clone()]);
    assert_eq!(store.meta(third.id).unwrap(), third);
    assert_eq!(store.create(&first, &models()).map(drop).unwrap_err().code, ErrorCode::AlreadyExists);

    store.open_collection(second.id).unwrap().put_document(&document("/a.txt", &["text"])).unwrap();
    store.delete(first.id).unwrap();
    assert_eq!(listed(), [second.clone(), third]);
    let one = Counts { documents: 1, pages: 1, chunks: 1, sparse_chunks: 1, annotated_documents: 1, token_chunks: 0 };
    assert_eq!(store.counts_and_last_change(second.id).unwrap().0, one);
    for error in [
        store.delete(first.id).unwrap_err(),
        store.open_collection(first.id).map(drop).unwrap_err(),
        store.meta(first.id).map(drop).unwrap_err(),
        store.counts_and_last_change(CollectionId::random()).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::NotFound);
    }
    // Its id is free, and nothing of it comes back.
    assert_eq!(store.create(&first, &models()).unwrap().counts().unwrap(), Counts::default());
}

pub fn the_last_change_is_that_of_a_document(store: &dyn Store) {
    let collection = new_collection(store);
    let last_change = |collection: &Opened<'_>| {
        let (counts, changed) = collection.counts_and_last_change().unwrap();
        assert_eq!(store.counts_and_last_change(collection.meta().id).unwrap(), (counts, changed));
        changed
    };
    assert_eq!(last_change(&collection), None);
    let before = Timestamp::now();
    let stored = document("/a.txt", &["text"]);
    collection.put_document(&stored).unwrap();
    let added = last_change(&collection).unwrap();
    assert!((before..=Timestamp::now()).contains(&added));
    collection.flush().unwrap();
    collection.set_columns(&json!([])).unwrap();
    assert_eq!(last_change(&collection), Some(added), "nothing else changes a document");
    while Timestamp::now() <= added {
        std::thread::yield_now();
    }
    collection.delete_document(stored.meta.id).unwrap();
    let removed = last_change(&collection).unwrap();
    assert!(removed > added);
    assert_eq!(last_change(&collection.reopened()), Some(removed));
}

pub fn collections_know_nothing_of_each_other(store: &dyn Store) {
    let (first, second) = (new_collection(store), new_collection(store));
    let stored = document("/data/a.txt", &["confidential matter of Mandelbaum"]);
    first.put_document(&stored).unwrap();
    second.put_document(&document("/data/b.txt", &["another matter"])).unwrap();
    let (id, all) = (stored.meta.id, Filter::default());
    assert_eq!(second.search_bm25("confidential", 9, &all).unwrap(), []);
    assert_eq!(second.search_dense(&stored.vectors[0], 9, &all).unwrap().len(), 1);
    assert_eq!(second.search_sparse(&sparse_vector("confidential"), 9, &all).unwrap(), []);
    assert_eq!(second.corrections("Mandelbaun").unwrap(), []);
    assert_eq!(second.document(id).unwrap(), None);
    assert_eq!(second.document_by_path("/data/a.txt").unwrap(), None);
    assert_eq!(second.documents_by_sha256(stored.meta.sha256).unwrap(), []);
    assert_eq!(second.chunk(stored.chunks[0].id).unwrap(), None);
    assert!(second.passages().with_id(stored.chunks[0].id).unwrap().is_none());
    assert_eq!(second.page(id, 1).unwrap(), None);
    assert_eq!(second.annotations(id).unwrap(), None);
    assert_eq!((second.vectors(id).unwrap(), second.sparse_vectors(id).unwrap()), (vec![], vec![]));
    let of_the_other = Filter { documents: Some(vec![id]), ..Filter::default() };
    assert_eq!(second.search_bm25("matter", 9, &of_the_other).unwrap(), []);
    let by_document = Conditions { documents: Some(vec![id]), ..Conditions::default() };
    assert_eq!(second.select(&by_document).unwrap().chunks(), 0);
    assert!(!second.delete_document(id).unwrap());
    let moved = Relocation { document: id, path: "/data/c.txt".into(), name: "c.txt".into() };
    let error = second.relocate_documents(&[moved]).unwrap_err();
    assert!(error.code == ErrorCode::NotFound && !error.to_string().contains("/data/a.txt"), "{error}");
    assert_eq!(second.change_marks(&[id], |_, marks| marks.add_tag("x")).unwrap(), 0);

    // The same path, and even the same ids of documents, are free in each.
    second.put_document(&stored).unwrap();
    second.delete_document(id).unwrap();
    assert_eq!(first.document(id).unwrap().as_ref(), Some(&stored.meta));
    assert_eq!(first.chunks(id).unwrap(), stored.chunks);
    assert_eq!(first.search_bm25("confidential", 9, &all).unwrap().len(), 1);
    let id = second.meta().id;
    drop(second);
    store.delete(id).unwrap();
    assert_eq!(first.counts().unwrap().documents, 1);
    assert_clean(&first);
}

pub fn a_collection_is_described_otherwise_and_stays_itself(store: &dyn Store) {
    let mut collection = new_collection(store);
    let other = collection_meta("Another");
    assert_eq!(collection.describe(other.clone()).unwrap_err().code, ErrorCode::Internal, "its id stays");
    let meta = CollectionMeta {
        name: "Größe \"2\"".into(),
        reference: Some("AZ 7".into()),
        status: CollectionStatus::Archived,
        ..collection.meta().clone()
    };
    collection.describe(meta.clone()).unwrap();
    assert!(!collection.models_are_open());
    collection.leave_models_open().unwrap();
    assert_eq!((collection.meta(), collection.models_are_open()), (&meta, true));
    let collection = collection.reopened();
    assert_eq!((collection.meta(), collection.models_are_open()), (&meta, true));
    assert_eq!(store.meta(meta.id).unwrap(), meta);
    assert_clean(&collection);
}

pub fn a_sparse_model_is_adopted_once(store: &dyn Store) {
    let meta = collection_meta("Without");
    let without = VectorModels { sparse: None, ..models() };
    let mut collection = store.create(&meta, &without).unwrap();
    let whole = document("/data/a.txt", &["the rent"]);
    assert_eq!(collection.put_document(&whole).unwrap_err().code, ErrorCode::ModelMismatch);
    let mut stored = document("/data/b.txt", &["the rent"]);
    (stored.sparse_vectors, stored.sparse_model) = (Vec::new(), None);
    collection.put_document(&stored).unwrap();
    collection.adopt_sparse_model("test-sparse").unwrap();
    collection.adopt_sparse_model("test-sparse").unwrap();
    assert_eq!(collection.adopt_sparse_model("other").unwrap_err().code, ErrorCode::ModelMismatch);
    drop(collection);
    let collection = store.open_collection(meta.id).unwrap();
    assert_eq!(*collection.models(), models());
    collection.put_document(&whole).unwrap();
    let found = collection.search_sparse(&sparse_vector("rent"), 9, &Filter::default()).unwrap();
    assert_eq!(found.iter().map(|hit| hit.document).collect::<Vec<DocumentId>>(), [whole.meta.id]);
    let has_vectors = |id| collection.has_sparse_vectors(id).unwrap();
    assert_eq!((has_vectors(whole.meta.id), has_vectors(stored.meta.id)), (true, false));
    assert_clean(&collection);
}

pub fn notes_are_kept_by_name_and_change_no_document(store: &dyn Store) {
    let collection = new_collection(store);
    collection.put_document(&document("/data/a.txt", &["Rent"])).unwrap();
    let versions = collection.versions();
    assert_eq!(collection.note("unread").unwrap(), None);
    for bytes in [b"first".as_slice(), b"", &[0xff; 100_000]] {
        collection.set_note("unread", bytes).unwrap();
        assert_eq!(collection.note("unread").unwrap().unwrap(), bytes);
    }
    collection.set_note("removed", b"another").unwrap();
    let collection = collection.reopened();
    assert_eq!(collection.note("unread").unwrap().unwrap(), [0xff; 100_000]);
    assert_eq!(collection.note("removed").unwrap().unwrap(), b"another");
    assert_eq!(collection.versions(), versions);
    assert_clean(&collection);
}

pub fn columns_are_kept_as_they_were_given(store: &dyn Store) {
    let collection = new_collection(store);
    assert_eq!(collection.columns().unwrap(), None);
    let columns = json!([{"name": "Miete \"kalt\"", "pattern": "€ ?\\d+", "n": 1.5}, null]);
    collection.set_columns(&json!([1])).unwrap();
    collection.set_columns(&columns).unwrap();
    assert_eq!(collection.columns().unwrap().as_ref(), Some(&columns));
    assert_eq!(collection.exported_and_imported().columns().unwrap().as_ref(), Some(&columns));
    assert_eq!(collection.reopened().columns().unwrap(), Some(columns));
}

pub fn kept_files_come_back(store: &dyn Store) {
    let collection = new_collection(store);
    let mut meta = document("/data/a.pdf", &["text"]).meta;
    assert!(!collection.is_vault() && collection.kept_copy(&meta).is_none());
    let place = collection.new_original_path(&meta);
    assert_eq!(collection.read_kept(&place).unwrap_err().code, ErrorCode::FileNotFound);
    collection.write_kept(&place, b"draft").unwrap();
    collection.write_kept(&place, b"%PDF").unwrap();
    meta.original_stored = true;
    assert_eq!(collection.kept_copy(&meta), Some(collection.original_path(&meta)));
    let upload = collection.uploads_dir().join("note.txt");
    let partial = collection.uploads_dir().join("note.part");
    let mut output = collection.create_kept(&partial, &upload).unwrap();
    std::io::Write::write_all(&mut output, "Größe".as_bytes()).unwrap();
    output.finish().unwrap();
    std::fs::rename(&partial, &upload).unwrap();
    let collection = collection.reopened();
    let copy = collection.kept_copy(&meta).unwrap();
    assert_eq!((collection.read_kept(&copy).unwrap(), collection.kept_bytes(&copy).unwrap()), (b"%PDF".to_vec(), 4));
    assert_eq!(collection.read_kept(&upload).unwrap(), "Größe".as_bytes());
    assert!(copy.starts_with(collection.originals_dir()));
    assert_eq!(collection.sealed_upload(&upload), None);
}

pub fn a_collection_that_is_prepared_is_seen_when_it_is_published(store: &dyn Store) {
    let meta = collection_meta("Prepared");
    let begun = store.prepare(&meta, &models()).unwrap();
    let [first, second] = ["/data/a.txt", "/data/b.txt"].map(|path| document(path, &["the rent"]));
    begun.put_document(&first).unwrap();
    let unseen = || {
        assert_eq!(store.scan().unwrap().0, []);
        let errors = [
            store.meta(meta.id).map(drop).unwrap_err(),
            store.open_collection(meta.id).map(drop).unwrap_err(),
            store.delete(meta.id).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.code == ErrorCode::NotFound), "{errors:?}");
    };
    unseen();
    drop(begun);
    // A collection that was begun is found again, unless it is of other models.
    let begun = store.prepare(&meta, &models()).unwrap();
    assert_eq!(begun.document(first.meta.id).unwrap().as_ref(), Some(&first.meta));
    begun.put_document(&second).unwrap();
    drop(begun);
    store.publish(meta.id).unwrap();
    assert_eq!(store.scan().unwrap().0, std::slice::from_ref(&meta));
    let published = store.open_collection(meta.id).unwrap();
    assert_eq!(published.search_bm25("rent", 9, &Filter::default()).unwrap().len(), 2);
    assert_clean(&published);
    drop(published);
    assert_eq!(store.prepare(&meta, &models()).map(drop).unwrap_err().code, ErrorCode::AlreadyExists);
    assert_eq!(store.publish(meta.id).unwrap_err().code, ErrorCode::NotFound);
    assert!(!store.discard(meta.id).unwrap(), "it is no longer one that is prepared");
    store.delete(meta.id).unwrap();

    let other = VectorModels { sparse: None, ..models() };
    store.prepare(&meta, &models()).unwrap().put_document(&first).unwrap();
    let begun = store.prepare(&meta, &other).unwrap();
    assert_eq!((begun.counts().unwrap(), begun.models()), (Counts::default(), &other));
    drop(begun);
    assert!(store.discard(meta.id).unwrap() && !store.discard(meta.id).unwrap());
    assert_eq!(store.prepare(&meta, &other).unwrap().counts().unwrap(), Counts::default());
    unseen();
}
