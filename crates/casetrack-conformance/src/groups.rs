use std::sync::{Arc, Mutex};

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, DocumentChange, StoredDocument};

use crate::fixture::*;

fn put(collection: &Collection, documents: &[StoredDocument]) -> Vec<Option<ErrorCode>> {
    let results = collection.put_documents(&documents.iter().collect::<Vec<_>>());
    results.into_iter().map(|result| result.err().map(|error| error.code)).collect()
}

pub fn a_document_that_is_refused_takes_no_other_along(store: &dyn Store) {
    let collection = new_collection(store);
    let first = document("/data/first.txt", &["Clause about common matters."]);
    collection.put_document(&first).unwrap();
    let good = many(3, 2);
    let mut of_another_model = document("/data/a.txt", &["Common matters."]);
    of_another_model.dense_model = "another".to_owned();
    let mut without_page = document("/data/b.txt", &["Common matters."]);
    without_page.pages.clear();
    let path_is_taken = document(&first.meta.path, &["Common matters."]);
    let path_is_taken_in_the_group = document(&good[0].meta.path, &["Common matters."]);
    let [a, b, c] = good.try_into().unwrap();
    let group = [a, of_another_model, path_is_taken, b, without_page, path_is_taken_in_the_group, c];
    let (mismatch, taken) = (Some(ErrorCode::ModelMismatch), Some(ErrorCode::AlreadyExists));
    let expected = [None, mismatch, taken, None, Some(ErrorCode::Internal), taken, None];
    assert_eq!(put(&collection, &group), expected);
    let mut paths: Vec<_> = collection.documents().unwrap().into_iter().map(|meta| meta.path).collect();
    paths.sort();
    assert_eq!(paths, ["/data/document0.txt", "/data/document1.txt", "/data/document2.txt", "/data/first.txt"]);
    assert_clean(&collection);
    assert!(put(&collection, &[]).is_empty());
}

pub fn each_change_of_a_group_is_told_once_and_in_order(store: &dyn Store) {
    let collection = new_collection(store);
    let told: Arc<Mutex<Vec<(DocumentId, DocumentChange)>>> = Arc::default();
    let notes = Arc::clone(&told);
    assert!(collection.observe(Box::new(move |document, change| notes.lock().unwrap().push((document, change)))));
    let documents = many(4, 2);
    let [a, b, c, d] = [0, 1, 2, 3].map(|n: usize| documents[n].meta.id);
    put(&collection, &documents[..2]);
    let mut of_another_model = documents[3].clone();
    of_another_model.dense_model = "another".to_owned();
    put(&collection, &[documents[2].clone(), documents[0].clone(), of_another_model]);
    put(&collection, &documents[3..]);
    use DocumentChange::{Added, Replaced};
    assert_eq!(*told.lock().unwrap(), [(a, Added), (b, Added), (c, Added), (a, Replaced), (d, Added)]);
}
