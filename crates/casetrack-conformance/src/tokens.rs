//! Token vectors: stored with their document, and nowhere searched.

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, StoredDocument, TokenModel, VectorModels};

use crate::fixture::*;

const BYTES: usize = 2;

fn with_tokens() -> VectorModels {
    VectorModels { tokens: Some(TokenModel { id: "test-tokens".into(), dimension: 12 }), ..models() }
}

/// A document whose chunks have one token more each, the first none.
fn with_vectors(mut document: StoredDocument) -> StoredDocument {
    document.token_model = with_tokens().tokens;
    document.token_vectors = (0..document.chunks.len()).map(|n| vec![n as u8 + 7; BYTES * n]).collect();
    document
}

pub fn token_vectors_come_and_go_with_their_document(store: &dyn Store) {
    let collection = new_collection_of(store, &with_tokens());
    let document = with_vectors(document("/data/a.txt", &["the rent\n\nthe deposit\n\nthe notice"]));
    let id = document.meta.id;
    let without = with_id(DocumentId::random(), "/data/b.txt", &["the roof"]);
    collection.put_document(&document).unwrap();
    collection.put_document(&without).unwrap();
    let collection = collection.reopened();
    assert_eq!(*collection.models(), with_tokens());
    let stored = |collection: &Collection| {
        (0..4).map(|index| collection.token_vectors_at(id, index).unwrap()).collect::<Vec<_>>()
    };
    let expected: Vec<_> = document.token_vectors.iter().cloned().map(Some).chain([None]).collect();
    assert_eq!(stored(&collection), expected);
    assert_eq!(collection.token_vectors_at(without.meta.id, 0).unwrap(), None);
    assert_eq!(collection.counts().unwrap().token_chunks, 3);
    let mut passages = collection.passages();
    let has = [id, without.meta.id].map(|id| passages.document(id).unwrap().unwrap().has_token_vectors);
    assert_eq!(has, [true, false]);
    drop(passages);
    assert_clean(&collection);

    let imported = collection.exported_and_imported();
    assert_eq!((stored(&imported), imported.models()), (expected, &with_tokens()));
    assert_eq!(imported.counts().unwrap(), collection.counts().unwrap());
    assert_clean(&imported);

    // A shorter version leaves none of the old ones.
    collection.put_document(&with_vectors(with_id(id, "/data/a.txt", &["the rent"]))).unwrap();
    assert_eq!(
        (stored(&collection), collection.counts().unwrap().token_chunks),
        (vec![Some(vec![]), None, None, None], 1)
    );
    assert_clean(&collection);
    collection.delete_document(id).unwrap();
    assert_eq!((stored(&collection), collection.counts().unwrap().token_chunks), (vec![None; 4], 0));
    assert_clean(&collection);
}

pub fn token_vectors_that_do_not_fit_are_refused(store: &dyn Store) {
    let collection = new_collection_of(store, &with_tokens());
    let good = with_vectors(document("/data/a.txt", &["the rent\n\nthe deposit"]));
    let refused = |change: fn(&mut StoredDocument), code: ErrorCode, says: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = collection.put_document(&bad).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(says), "{:?} does not say {says:?}", error.message);
    };
    refused(|d| d.token_model = None, ErrorCode::ModelMismatch, "made by no model");
    refused(|d| d.token_model.as_mut().unwrap().dimension = 8, ErrorCode::ModelMismatch, "test-tokens (8 dimensions)");
    refused(|d| drop(d.token_vectors.pop()), ErrorCode::Internal, "1 of its 2 chunks have token vectors");
    refused(|d| d.token_vectors[1].push(0), ErrorCode::Internal, "the token vectors of chunk 1 have 3 bytes");
    collection.put_document(&good).unwrap();
    let plain = new_collection(store);
    assert_eq!(plain.put_document(&good).unwrap_err().code, ErrorCode::ModelMismatch);
}
