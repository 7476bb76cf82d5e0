//! Crashes, and derived indexes that are lost, damaged or do not belong.

use std::path::{Path, PathBuf};

use casetrack_core::{Action, ErrorCode};
use casetrack_store::{Collection, Counts, Filter, LocalCollection};

use crate::support::*;

/// Ten documents, flushed halfway, with a replacement and a deletion on each side of the flush.
fn busy() -> (tempfile::TempDir, PathBuf, Collection) {
    let (temp, dir, collection) = new_collection();
    let documents = many(12, 4);
    for (n, stored) in documents.iter().enumerate() {
        collection.put_document(stored).unwrap();
        if n == 5 {
            collection.delete_document(documents[0].meta.id).unwrap();
            replace(&collection, &documents[1]);
            collection.flush().unwrap();
            replace(&collection, &documents[2]);
            collection.delete_document(documents[4].meta.id).unwrap();
        }
    }
    (temp, dir, collection)
}

fn replace(collection: &Collection, old: &casetrack_store::StoredDocument) {
    let text = "Clause about common matters, replaced.\n\nword3x1 is here as well.";
    collection.put_document(&with_id(old.meta.id, &old.meta.path, &[text])).unwrap();
}

fn file_in(dir: &Path, extension: &str) -> PathBuf {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().find(|path| path.extension().is_some_and(|found| found == extension)).unwrap()
}

#[test]
fn what_was_reported_as_stored_survives_a_crash() {
    let (temp, dir, collection) = busy();
    let expected = results(&collection);
    let stored = (collection.documents().unwrap(), collection.counts().unwrap());
    // The indexes in memory are ahead of those on disk now; a copy is the state after a crash.
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    let recovered = local::open(&crashed).unwrap();
    assert_eq!((recovered.documents().unwrap(), recovered.counts().unwrap()), stored);
    assert_eq_results(&recovered, &expected, "");
    assert_clean(&recovered);
    drop(recovered);
    assert_clean(&local::open(&crashed).unwrap());
    assert_clean(&collection);
}

#[test]
fn a_crash_before_the_first_flush_loses_nothing() {
    let (temp, dir, collection) = new_collection();
    for stored in many(3, 4) {
        collection.put_document(&stored).unwrap();
    }
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    let recovered = local::open(&crashed).unwrap();
    assert_eq!(
        recovered.counts().unwrap(),
        Counts { documents: 3, pages: 3, chunks: 12, sparse_chunks: 12, annotated_documents: 3, token_chunks: 0 }
    );
    assert_eq_results(&recovered, &results(&collection), "");
    assert_clean(&recovered);
}

#[test]
fn a_change_that_was_not_committed_whole_is_not_there() {
    let (temp, dir, collection) = new_collection();
    let documents = many(2, 50);
    collection.put_document(&documents[0]).unwrap();
    let log = file_in(&dir.join("rocksdb"), "log");
    let before = std::fs::metadata(&log).unwrap().len();
    collection.put_document(&documents[1]).unwrap();
    let after = std::fs::metadata(&log).unwrap().len();
    // Before a search, which lets an index save that it knows of the change: no crash leaves that without the change.
    let before_searches = temp.path().join("before-searches");
    copy_dir(&dir, &before_searches);
    for kept in [before + 7, (before + after) / 2, after - 1] {
        let crashed = temp.path().join(format!("crashed{kept}"));
        copy_dir(&before_searches, &crashed);
        let log = crashed.join("rocksdb").join(log.file_name().unwrap());
        std::fs::OpenOptions::new().write(true).open(log).unwrap().set_len(kept).unwrap();
        let recovered = local::open(&crashed).unwrap();
        assert_eq!(recovered.counts().unwrap().documents, 1);
        assert_eq!(recovered.document(documents[1].meta.id).unwrap(), None);
        assert_clean(&recovered);
        recovered.put_document(&documents[1]).unwrap();
        assert_eq_results(&recovered, &results(&collection), "");
        assert_clean(&recovered);
    }
}

#[test]
fn lost_or_damaged_indexes_are_built_anew() {
    let (temp, dir, collection) = busy();
    collection.flush().unwrap();
    let expected = results(&collection);
    drop(collection);

    let flip = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        std::fs::write(path, bytes).unwrap();
    };
    let truncate = |path: &Path| {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    };
    type Damage<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);
    let damages: Vec<Damage<'_>> = vec![
        ("dense deleted", Box::new(|dir| std::fs::remove_dir_all(dir.join("dense")).unwrap())),
        ("bm25 deleted", Box::new(|dir| std::fs::remove_dir_all(dir.join("bm25")).unwrap())),
        ("dense file deleted", Box::new(|dir| std::fs::remove_file(file_in(&dir.join("dense"), "usearch")).unwrap())),
        ("dense file truncated", Box::new(|dir| truncate(&file_in(&dir.join("dense"), "usearch")))),
        ("dense file flipped", Box::new(|dir| flip(&file_in(&dir.join("dense"), "usearch")))),
        ("dense manifest truncated", Box::new(|dir| truncate(&dir.join("dense/manifest.json")))),
        ("bm25 meta deleted", Box::new(|dir| std::fs::remove_file(dir.join("bm25/meta.json")).unwrap())),
        ("bm25 meta truncated", Box::new(|dir| truncate(&dir.join("bm25/meta.json")))),
        ("bm25 terms deleted", Box::new(|dir| std::fs::remove_file(file_in(&dir.join("bm25"), "term")).unwrap())),
        ("bm25 terms truncated", Box::new(|dir| truncate(&file_in(&dir.join("bm25"), "term")))),
        ("bm25 postings flipped", Box::new(|dir| flip(&file_in(&dir.join("bm25"), "idx")))),
        ("sparse deleted", Box::new(|dir| std::fs::remove_dir_all(dir.join("sparse")).unwrap())),
        (
            "sparse postings deleted",
            Box::new(|dir| std::fs::remove_file(file_in(&dir.join("sparse"), "postings")).unwrap()),
        ),
        ("sparse postings truncated", Box::new(|dir| truncate(&file_in(&dir.join("sparse"), "postings")))),
        ("sparse postings flipped", Box::new(|dir| flip(&file_in(&dir.join("sparse"), "postings")))),
        ("sparse manifest deleted", Box::new(|dir| std::fs::remove_file(dir.join("sparse/manifest.json")).unwrap())),
        ("sparse manifest truncated", Box::new(|dir| truncate(&dir.join("sparse/manifest.json")))),
        (
            "sparse manifest with another digit",
            Box::new(|dir| {
                let path = dir.join("sparse/manifest.json");
                let manifest = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, manifest.replace("\"end_slot\":", "\"end_slot\":9")).unwrap();
            }),
        ),
        ("bm25 columns truncated", Box::new(|dir| truncate(&file_in(&dir.join("bm25"), "fast")))),
    ];
    for (name, damage) in damages {
        let damaged = temp.path().join(name);
        copy_dir(&dir, &damaged);
        damage(&damaged);
        let collection = local::open(&damaged).unwrap_or_else(|error| panic!("{name}: {}", error.full_text()));
        assert_eq_results(&collection, &expected, name);
        assert_clean(&collection);
    }
}

#[test]
fn the_indexes_of_another_collection_are_not_taken_for_ours() {
    let (_a, ours, collection) = busy();
    collection.flush().unwrap();
    let expected = results(&collection);
    drop(collection);
    let (_b, theirs, other) = new_collection();
    for stored in many(15, 2) {
        other.put_document(&stored).unwrap();
    }
    drop(other);
    for index in ["bm25", "dense", "sparse"] {
        std::fs::remove_dir_all(ours.join(index)).unwrap();
        copy_dir(&theirs.join(index), &ours.join(index));
    }
    let collection = local::open(&ours).unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
    drop(collection);

    std::fs::remove_dir_all(ours.join("rocksdb")).unwrap();
    copy_dir(&theirs.join("rocksdb"), &ours.join("rocksdb"));
    assert_eq!(local::open(&ours).map(drop).unwrap_err().code, ErrorCode::Corrupt);
}

#[test]
fn indexes_that_are_ahead_tell_that_changes_are_lost() {
    let (temp, dir, collection) = new_collection();
    let documents = many(8, 3);
    for stored in &documents[..4] {
        collection.put_document(stored).unwrap();
    }
    let earlier = temp.path().join("earlier");
    copy_dir(&dir.join("rocksdb"), &earlier);
    let expected = results(&collection);
    for stored in &documents[4..] {
        collection.put_document(stored).unwrap();
    }
    drop(collection);
    std::fs::remove_dir_all(dir.join("rocksdb")).unwrap();
    copy_dir(&earlier, &dir.join("rocksdb"));
    let error = local::open(&dir).map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.message.contains("knows of 8 changes, but only 4 are there"), "{}", error.message);
    assert!(error.hint == Some(Action::Repair(Some("Test".to_owned())).into()));
    let report = LocalCollection::repair(&dir).unwrap();
    assert_eq!((report.documents, report.quarantine), (4, None));
    assert!(report.done.iter().any(|done| done.contains("Ingest the same folders again")), "{:?}", report.done);
    let collection = local::open(&dir).unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
}

#[test]
fn indexes_taken_away_under_an_open_collection_come_back() {
    let (_temp, dir, collection) = busy();
    collection.flush().unwrap();
    let expected = results(&collection);
    for index in ["bm25", "dense", "sparse"] {
        std::fs::remove_dir_all(dir.join(index)).unwrap();
    }
    let stored = document("/data/new.txt", &["afterthought"]);
    collection.put_document(&stored).unwrap();
    assert_eq!(collection.search_bm25("afterthought", 5, &Filter::default()).unwrap().len(), 1);
    collection.delete_document(stored.meta.id).unwrap();
    collection.flush().unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
    drop(collection);
    let collection = local::open(&dir).unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
}

#[test]
fn a_document_is_stored_even_where_an_index_cannot_be_saved() {
    let (_temp, dir, collection) = new_collection();
    // A file in the place of the index's directory.
    std::fs::write(dir.join("dense"), "in the way").unwrap();
    let stored = document("/data/a.txt", &["text"]);
    collection.put_document(&stored).unwrap();
    assert!(collection.flush().is_err());
    std::fs::remove_file(dir.join("dense")).unwrap();
    assert_eq!(collection.search_dense(&stored.vectors[0], 5, &Filter::default()).unwrap().len(), 1);
    collection.flush().unwrap();
    assert_clean(&collection);
}

#[test]
fn indexes_can_be_built_anew_on_request() {
    let (_temp, _dir, collection) = busy();
    collection.flush().unwrap();
    let expected = results(&collection);
    collection.rebuild_indexes().unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
    collection.put_document(&document("/data/new.txt", &["afterthought"])).unwrap();
    assert_eq!(collection.search_bm25("afterthought", 5, &Filter::default()).unwrap().len(), 1);
    assert_clean(&collection);
}

#[test]
fn indexes_built_anew_forget_what_was_not_saved_yet() {
    let (_temp, _dir, collection) = busy();
    collection.rebuild_indexes().unwrap();
    assert_clean(&collection);
}

#[test]
fn a_flush_leaves_nothing_to_catch_up() {
    let (_temp, dir, collection) = busy();
    collection.flush().unwrap();
    drop(collection);
    assert_eq!(entries(&raw(&dir), casetrack_store::schema::cf::OPLOG), []);
}

#[test]
fn a_flush_removes_what_deletions_left_of_the_keyword_index() {
    let (_temp, dir, collection) = busy();
    collection.flush().unwrap();
    let deleted = collection.documents().unwrap()[3].id;
    collection.delete_document(deleted).unwrap();
    collection.flush().unwrap();
    let meta = std::fs::read_to_string(dir.join("bm25/meta.json")).unwrap();
    for entry in std::fs::read_dir(dir.join("bm25")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // Those of segments begin with 32 hexadecimal digits, which the list of segments writes with hyphens.
        if let Some((segment, _)) = name.split_once('.').filter(|(segment, _)| segment.len() == 32) {
            assert!(meta.replace('-', "").contains(segment), "{name} is left over");
        }
    }
}

#[test]
fn missing_documents_are_never_taken_for_none() {
    let (_temp, dir, collection) = busy();
    drop(collection);
    std::fs::remove_dir_all(dir.join("rocksdb")).unwrap();
    let error = local::open(&dir).map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.hint.is_some());
    assert!(!dir.join("rocksdb").exists());
}

#[test]
fn a_damaged_document_can_be_replaced_without_a_trace() {
    let (_temp, dir, collection) = new_collection();
    let stored = document("/data/a.txt", &["one\n\ntwo\n\nthree"]);
    collection.put_document(&stored).unwrap();
    drop(collection);
    let db = raw(&dir);
    let (key, _) = entries(&db, casetrack_store::schema::cf::CHUNKS).swap_remove(1);
    db.put_cf(db.cf_handle(casetrack_store::schema::cf::CHUNKS).unwrap(), key, [1, 2, 3]).unwrap();
    drop(db);

    let collection = local::open(&dir).unwrap();
    let error = collection.chunks(stored.meta.id).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(!collection.verify().unwrap().is_clean());
    collection.put_document(&stored).unwrap();
    assert_eq!(collection.chunks(stored.meta.id).unwrap(), stored.chunks);
    assert_clean(&collection);
}
