//! Connections that are lost, several clients, and work with many documents.

use std::time::Duration;

use casetrack_conformance::samples::{assert_clean, collection_meta, document, many, models, results, vector, with_id};
use casetrack_core::{DocumentId, ErrorCode};
use casetrack_postgres::PostgresStore;
use casetrack_store::{Filter, Store};

use crate::on_postgres;
use crate::server::administrator;

/// A collection that other clients of the same database have open as well.
fn second_client(database: &crate::server::Database) -> (PostgresStore, tempfile::TempDir) {
    let files = tempfile::tempdir().unwrap();
    (PostgresStore::connect(&database.address, files.path()).unwrap(), files)
}

#[test]
fn documents_that_were_acknowledged_survive_the_loss_of_connections() {
    let Some((store, (database, _files))) = on_postgres() else { return };
    let meta = collection_meta("Test");
    let collection = store.create(&meta, &models()).unwrap();
    let documents = many(60, 5);
    let acknowledged: Vec<DocumentId> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut administrator = administrator();
            let name = database.address.rsplit('/').next().unwrap().to_owned();
            for _ in 0..20 {
                administrator
                    .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", &[&name])
                    .unwrap();
                std::thread::sleep(Duration::from_millis(15));
            }
        });
        let put = documents.iter().filter(|stored| collection.put_document(stored).is_ok());
        put.map(|stored| stored.meta.id).collect()
    });
    for id in acknowledged {
        let stored = documents.iter().find(|stored| stored.meta.id == id).unwrap();
        assert_eq!(collection.chunks(id).unwrap(), stored.chunks);
    }
    assert_clean(&collection);
    // A document that was not acknowledged may be there, whole, and is put again without harm.
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    assert_eq!(collection.counts().unwrap().documents, documents.len() as u64);
    assert_clean(&collection);
}

#[test]
fn clients_see_what_others_change() {
    let Some((store, (database, _files))) = on_postgres() else { return };
    let (other_store, _other_files) = second_client(&database);
    let meta = collection_meta("Test");
    let one = store.create(&meta, &models()).unwrap();
    let other = other_store.open_collection(meta.id).unwrap();
    let documents = many(12, 4);
    std::thread::scope(|scope| {
        for (n, collection) in [&one, &other].into_iter().enumerate() {
            let own = documents.iter().skip(n).step_by(2);
            scope.spawn(move || own.for_each(|stored| collection.put_document(stored).unwrap()));
        }
    });
    let same = || assert_eq!(results(&one), results(&other));
    assert_eq!(other.counts().unwrap().documents, 12);
    same();
    let gone = documents[3].meta.id;
    other.delete_document(gone).unwrap();
    assert!(one.versions().iter().all(|(id, _)| *id != gone));
    same();
    one.put_document(&with_id(documents[5].meta.id, "/data/again.txt", &["Clause 1 about matters, word3x1."])).unwrap();
    same();
    other.compact().unwrap();
    same();
    one.put_document(&document("/data/new.txt", &["common matters"])).unwrap();
    same();
    other.rebuild_indexes().unwrap();
    same();
    assert_clean(&one);
    // A path is free for one of them only.
    let mut taken = document("/data/new.txt", &["common matters"]);
    taken.meta.path = "/data/new.txt".into();
    assert_eq!(other.put_document(&taken).unwrap_err().code, ErrorCode::AlreadyExists);
    other_store.delete(meta.id).unwrap();
    assert_eq!(one.counts().unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn postings_are_brought_together_and_cleared_without_any_change_of_answers() {
    let Some((store, _kept)) = on_postgres() else { return };
    let collection = store.create(&collection_meta("Test"), &models()).unwrap();
    let fresh = store.create(&collection_meta("Fresh"), &models()).unwrap();
    let documents = many(40, 6);
    for (n, stored) in documents.iter().enumerate() {
        collection.put_document(stored).unwrap();
        fresh.put_document(stored).unwrap();
        // More segments than there may be of one level.
        if n % 2 == 0 {
            collection.compact().unwrap();
        }
    }
    assert_eq!(results(&collection), results(&fresh));
    for stored in documents.iter().step_by(3) {
        collection.delete_document(stored.meta.id).unwrap();
        fresh.delete_document(stored.meta.id).unwrap();
    }
    // With removed documents still in blocks.
    let uncleared = results(&collection);
    assert_eq!(uncleared, results(&fresh));
    assert_clean(&collection);
    collection.compact().unwrap();
    assert_eq!(results(&collection), uncleared);
    assert_clean(&collection);
    let all = Filter::default();
    assert_eq!(collection.search_dense(&vector("common"), 9, &all).unwrap().len(), 9);
}

#[test]
fn vectors_are_found_by_their_index_as_they_are_one_by_one() {
    let Some((store, (database, files))) = on_postgres() else { return };
    drop(store);
    database.run("UPDATE casetrack.layout SET exact_chunks = 100");
    let store = PostgresStore::connect(&database.address, files.path()).unwrap();
    let collection = store.create(&collection_meta("Test"), &models()).unwrap();
    let documents = many(60, 15);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    let queries: Vec<Vec<f32>> = (0..20).map(|n| vector(&format!("word{n}x{n} clause in document {n}"))).collect();
    let half: Vec<DocumentId> = documents.iter().step_by(2).map(|stored| stored.meta.id).collect();
    let filters = [Filter::default(), Filter { documents: Some(half), ..Filter::default() }];
    let search = || {
        let found = queries
            .iter()
            .flat_map(|query| filters.iter().map(|filter| collection.search_dense(query, 10, filter).unwrap()));
        found.collect::<Vec<_>>()
    };
    let expected = search();
    collection.flush().unwrap();
    let found = search();
    let (mut same, mut all) = (0, 0);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.len(), expected.len());
        assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        same += found.iter().filter(|hit| expected.contains(hit)).count();
        all += expected.len();
    }
    assert!(same as f64 >= 0.98 * all as f64, "{same} of {all}");
    assert_eq!(collection.search_dense(&queries[0], 2000, &Filter::default()).unwrap().len(), 900);
    store.delete(collection.meta().id).unwrap();
}
