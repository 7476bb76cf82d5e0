//! Every kind of tampering past the store is found and named.

use std::path::Path;

use casetrack_store::StoredDocument;
use casetrack_store::schema::{cf, numbered_key, sequence_key};

use crate::support::*;

/// A collection of two documents, damaged past the store, and the problems found, as `check: problem`.
fn problems(damage: impl FnOnce(&rocksdb::DB, &[StoredDocument])) -> Vec<String> {
    let (_temp, dir, collection) = new_collection();
    let documents = vec![
        document("/data/Lease.txt", &["Clause one\n\nClause two", "Clause three\n\nClause four"]),
        document("/data/Annex.txt", &["Rent"]),
    ];
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    assert_clean(&collection);
    drop(collection);
    let db = raw(&dir);
    damage(&db, &documents);
    drop(db);
    found(&dir)
}

fn found(dir: &Path) -> Vec<String> {
    let report = local::open_to_verify(dir).unwrap().verify().unwrap();
    report.checks.iter().flat_map(|check| check.problems.iter().map(move |p| format!("{}: {p}", check.name))).collect()
}

fn assert_names(problems: &[String], check: &str, phrases: &[&str]) {
    let named = problems.iter().any(|p| p.starts_with(check) && phrases.iter().all(|phrase| p.contains(phrase)));
    assert!(named, "{check} with {phrases:?} is not in {problems:#?}");
}

fn put(db: &rocksdb::DB, family: &str, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
    db.put_cf(db.cf_handle(family).unwrap(), key, value).unwrap();
}

fn delete(db: &rocksdb::DB, family: &str, key: impl AsRef<[u8]>) {
    db.delete_cf(db.cf_handle(family).unwrap(), key).unwrap();
}

/// Rewrites the first value of a column family that belongs to the first document.
fn change(db: &rocksdb::DB, family: &str, document: &StoredDocument, change: impl FnOnce(&mut Vec<u8>)) {
    let own = |key: &Vec<u8>| key.starts_with(document.meta.id.as_bytes());
    let (key, mut value) = entries(db, family).into_iter().find(|(key, _)| own(key)).unwrap();
    change(&mut value);
    put(db, family, key, value);
}

#[test]
fn changed_text_is_found() {
    let found = problems(|db, documents| {
        change(db, cf::PAGE_TEXT, &documents[0], |value| value[1] = b'K');
    });
    assert_names(&found, "verbatim", &["Lease.txt", "page 1, chunk 0", "id does not follow from its text"]);
}

#[test]
fn text_that_is_not_text_is_found() {
    let found = problems(|db, documents| {
        change(db, cf::PAGE_TEXT, &documents[0], |value| value[3] = 0xff);
    });
    assert_names(&found, "chain", &["Lease.txt", "page 1", "are not text"]);
}

#[test]
fn moved_chunks_are_found() {
    let found = problems(|db, documents| {
        let id = documents[0].meta.id;
        let other = entries(db, cf::CHUNKS).into_iter().find(|(key, _)| key == &numbered_key(id, 1)).unwrap().1;
        put(db, cf::CHUNKS, numbered_key(id, 0), other);
    });
    assert_names(&found, "chain", &["Lease.txt", "chunk 0 cannot be found by its id"]);
    assert_names(&found, "coverage", &["Lease.txt", "page 1", "text between bytes 0 and"]);
    assert_names(&found, "chain", &["Chunk id", "leads to no chunk"]);
}

#[test]
fn lost_chunks_pages_and_vectors_are_found() {
    let found = problems(|db, documents| {
        delete(db, cf::CHUNKS, numbered_key(documents[0].meta.id, 3));
        delete(db, cf::VECTORS, numbered_key(documents[0].meta.id, 0));
        delete(db, cf::PAGES, numbered_key(documents[1].meta.id, 1));
    });
    assert_names(&found, "coverage", &["Lease.txt", "page 2"]);
    assert_names(&found, "chain", &["Lease.txt", "has 3 chunks, but claims 4"]);
    assert_names(&found, "chain", &["Lease.txt", "the vector of chunk 1 is at the place of that of 0"]);
    assert_names(&found, "chain", &["Annex.txt", "page 1 is missing"]);
}

#[test]
fn damaged_records_are_found() {
    let found = problems(|db, documents| {
        change(db, cf::CHUNKS, &documents[0], |value| value.truncate(9));
        change(db, cf::PAGE_LAYOUT, &documents[1], |value| value[0] = 0);
    });
    assert_names(&found, "chain", &["Lease.txt", "chunk 0", "cannot be decoded"]);
    assert_names(&found, "chain", &["Annex.txt", "page 1", "unknown version 0"]);

    let found = problems(|db, documents| put(db, cf::DOCUMENTS, documents[1].meta.id.as_bytes(), b"\x01{}"));
    assert_names(&found, "chain", &[]);
}

#[test]
fn wrong_vectors_are_found() {
    let found = problems(|db, documents| {
        change(db, cf::VECTORS, &documents[0], |value| value[1..].fill(0));
        change(db, cf::VECTORS, &documents[1], |value| value.truncate(5));
    });
    assert_names(&found, "vectors", &["Lease.txt", "chunk 0", "length 0"]);
    assert_names(&found, "vectors", &["Annex.txt", "2 components"]);
    assert_names(&found, "dense_index", &[]);
}

#[test]
fn orphans_are_found() {
    let found = problems(|db, documents| {
        let (nobody, id) = (casetrack_core::DocumentId::random(), documents[0].meta.id);
        put(db, cf::PAGES, numbered_key(nobody, 1), [1]);
        put(db, cf::VECTORS, numbered_key(id, 99), [1]);
        put(db, cf::CHUNK_IDS, [7; 16], [1]);
        put(db, cf::PATH_INDEX, [7; 32], [1]);
        put(db, cf::HASH_INDEX, [7; 48], [1]);
    });
    assert_names(&found, "chain", &["\"pages\"", "does not exist"]);
    assert_names(&found, "chain", &["\"vectors\"", "Lease.txt", "does not have"]);
    assert_names(&found, "chain", &["Chunk id 07070707"]);
    assert_names(&found, "chain", &["A path leads to document"]);
    assert_names(&found, "chain", &["SHA-256 0707"]);
}

#[test]
fn broken_look_ups_and_counters_are_found() {
    let found = problems(|db, documents| {
        let path_index = entries(db, cf::PATH_INDEX).swap_remove(0).0;
        delete(db, cf::PATH_INDEX, path_index);
        let hashes = entries(db, cf::HASH_INDEX).swap_remove(0).0;
        delete(db, cf::HASH_INDEX, hashes);
        delete(db, cf::CHUNK_IDS, documents[0].chunks[2].id.as_bytes());
        let (key, mut state) = entries(db, cf::META).swap_remove(0);
        state[4] += 1;
        put(db, cf::META, key, state);
        put(db, cf::OPLOG, sequence_key(77), [1, 0, 0]);
    });
    assert_names(&found, "chain", &["cannot be found by its path"]);
    assert_names(&found, "chain", &["cannot be found by its SHA-256"]);
    assert_names(&found, "chain", &["Lease.txt", "chunk 2 cannot be found by its id"]);
    assert_names(&found, "chain", &["2 documents", "counts 3"]);
    assert_names(&found, "chain", &["Entry 77 of the operation log follows"]);
}

#[test]
fn slots_that_lead_astray_are_found() {
    let found = problems(|db, _| {
        let (key, value) = entries(db, cf::SLOTS).swap_remove(0);
        delete(db, cf::SLOTS, &key);
        put(db, cf::SLOTS, sequence_key(100), value);
    });
    assert_names(&found, "chain", &["slot 0 does not lead to it"]);
    assert_names(&found, "chain", &["Slot 100 leads to document"]);
    assert_names(&found, "chain", &["would be given out next"]);
    assert_names(&found, "bm25_index", &["is not in the BM25 index"]);
    assert_names(&found, "dense_index", &["is not in the dense index"]);
}

#[test]
fn indexes_damaged_while_open_are_found() {
    let (_temp, dir, collection) = new_collection();
    for stored in many(4, 3) {
        collection.put_document(&stored).unwrap();
    }
    collection.flush().unwrap();
    let dense = std::fs::read_dir(dir.join("dense")).unwrap().map(|entry| entry.unwrap().path());
    let dense = dense.into_iter().find(|path| path.extension().is_some_and(|e| e == "usearch")).unwrap();
    std::fs::write(&dense, b"nonsense").unwrap();
    let report = collection.verify().unwrap();
    let check = report.checks.iter().find(|check| check.name == "dense_index").unwrap();
    assert!(check.problems.iter().any(|problem| problem.contains("checksum")), "{:?}", check.problems);
    collection.rebuild_indexes().unwrap();
    assert_clean(&collection);
}

#[test]
fn damaged_annotations_are_found() {
    let found = problems(|db, documents| {
        change(db, cf::ANNOTATIONS, &documents[0], |value| value.truncate(9));
        put(db, cf::ANNOTATIONS, casetrack_core::DocumentId::random().as_bytes(), [1]);
    });
    assert_names(&found, "annotations", &["Lease.txt", "cannot be decoded"]);
    assert_names(&found, "chain", &["\"annotations\"", "does not exist"]);

    let found = problems(|db, documents| {
        // The mentions of the first are not in the text of the second.
        let other = entries(db, cf::ANNOTATIONS).into_iter().find(|(key, _)| key == documents[0].meta.id.as_bytes());
        put(db, cf::ANNOTATIONS, documents[1].meta.id.as_bytes(), other.unwrap().1);
        delete(db, cf::ANNOTATIONS, documents[0].meta.id.as_bytes());
    });
    assert_names(
        &found,
        "annotations",
        &["Annex.txt", "in its annotations, mention 0 is at characters 0..6 of page 1"],
    );
    assert_names(&found, "chain", &["There are 1 documents with annotations, but the collection counts 2"]);
}

#[test]
fn damaged_learned_sparse_vectors_are_found() {
    let found = problems(|db, documents| {
        change(db, cf::SPARSE_VECTORS, &documents[0], |value| value.extend([0x80]));
        delete(db, cf::SPARSE_VECTORS, numbered_key(documents[0].meta.id, 3));
        put(db, cf::SPARSE_VECTORS, numbered_key(documents[1].meta.id, 0), [1, 5, 7]);
    });
    assert_names(&found, "sparse_vectors", &["Lease.txt", "chunk 0", "cannot be decoded"]);
    assert_names(&found, "chain", &["Lease.txt", "3 learned-sparse vectors for 4 chunks"]);
    assert_names(&found, "chain", &["There are 4 learned-sparse vectors, but the collection counts 5"]);
    assert_names(&found, "sparse_index", &["cannot be decoded"]);

    let found = problems(|db, documents| {
        put(db, cf::SPARSE_VECTORS, numbered_key(documents[1].meta.id, 0), [1, 5, 7]);
        delete(db, cf::SPARSE_VECTORS, numbered_key(documents[0].meta.id, 3));
    });
    assert_names(&found, "sparse_index", &["Chunk 0", "has another vector in the sparse index"]);
    assert_names(&found, "sparse_index", &["The sparse index holds slot 3, which no chunk has"]);
}

#[test]
fn damaged_token_vectors_are_found() {
    let found = problems(|db, documents| {
        put(db, cf::TOKEN_VECTORS, numbered_key(documents[0].meta.id, 1), [1, 5]);
    });
    assert_names(&found, "token_vectors", &["Lease.txt", "chunk 1", "the collection has no model for them"]);
    assert_names(&found, "chain", &["Lease.txt", "the value of token vectors of chunk 1 is at the place of that of 0"]);
    assert_names(&found, "chain", &["2 of the 4 chunks of Lease.txt"]);
    assert_names(&found, "chain", &["There are 1 chunks with token vectors, but the collection counts 0"]);
}
