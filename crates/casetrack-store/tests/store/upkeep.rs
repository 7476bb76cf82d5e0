//! Compaction, statistics, and repairs of documents that break an invariant.

use casetrack_store::schema::{cf, numbered_key};
use casetrack_store::{LocalCollection, Stats, StoredDocument};

use crate::support::*;

#[test]
fn compaction_rids_a_collection_of_what_was_deleted_and_changes_no_result() {
    let (_temp, _dir, collection) = new_collection();
    let documents = many(40, 30);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    collection.flush().unwrap();
    for stored in &documents[..30] {
        collection.delete_document(stored.meta.id).unwrap();
    }
    collection.compact().unwrap();
    let (expected, few) = (results(&collection), collection.stats().unwrap());
    for stored in &documents[..30] {
        collection.put_document(stored).unwrap();
    }
    collection.compact().unwrap();
    let many = collection.stats().unwrap();
    for stored in &documents[..30] {
        collection.delete_document(stored.meta.id).unwrap();
    }
    collection.compact().unwrap();
    let after = collection.stats().unwrap();
    assert_eq!((after.counts.documents, after.counts.chunks), (10, 300));
    let bytes = |stats: &Stats| stats.families.iter().chain(&stats.indexes).map(|(_, bytes)| bytes).sum::<u64>();
    assert!(bytes(&after) * 2 < bytes(&many), "{after:?} of {many:?}");
    assert!(bytes(&after) < bytes(&few) * 11 / 10, "{after:?}, at first {few:?}");
    for (kind, bytes) in after.families.iter().filter(|(family, _)| *family == cf::VECTORS) {
        assert!((300 * 32..300 * 70).contains(bytes), "{kind}: {bytes}");
    }
    assert_eq_results(&collection, &expected, "compacted");
    assert_clean(&collection);
}

#[test]
fn memos_are_there_after_a_restart_and_change_no_document() {
    let (_temp, dir, collection) = new_collection();
    many(3, 2).iter().for_each(|stored| collection.put_document(stored).unwrap());
    let versions = collection.versions();
    assert_eq!(collection.memo("facts").unwrap(), None);
    for bytes in [b"first".as_slice(), b"", &[0xff; 100_000]] {
        collection.keep_memo("facts", bytes).unwrap();
        assert_eq!(collection.memo("facts").unwrap().unwrap(), bytes);
    }
    collection.keep_memo("fact", b"another").unwrap();
    drop(collection);
    let collection = local::open(&dir).unwrap();
    assert_eq!(collection.memo("facts").unwrap().unwrap(), [0xff; 100_000]);
    assert_eq!(collection.versions(), versions);
    assert_clean(&collection);
}

#[test]
fn documents_that_break_an_invariant_are_moved_out_and_named() {
    let (_temp, dir, collection) = new_collection();
    let documents = many(6, 4);
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    std::fs::write(collection.originals_dir().join("stray.txt"), "of no document").unwrap();
    drop(collection);
    let db = raw(&dir);
    let family = |name| db.cf_handle(name).unwrap();
    let id = |n: usize| documents[n].meta.id;
    // A vector is gone, a text was changed, a record is nonsense; a look-up is gone, another leads nowhere.
    db.delete_cf(family(cf::VECTORS), numbered_key(id(0), 1)).unwrap();
    let (key, mut value) =
        entries(&db, cf::PAGE_TEXT).into_iter().find(|(key, _)| key.starts_with(id(1).as_bytes())).unwrap();
    value[3] = b'#';
    db.put_cf(family(cf::PAGE_TEXT), key, value).unwrap();
    db.put_cf(family(cf::DOCUMENTS), id(2).as_bytes(), b"\x01{nonsense").unwrap();
    let path = casetrack_store::schema::path_key("/data/document3.txt");
    db.delete_cf(family(cf::PATH_INDEX), path).unwrap();
    db.put_cf(family(cf::HASH_INDEX), [7; 48], [1]).unwrap();
    drop(db);

    let report = LocalCollection::repair(&dir).unwrap();
    let mut lost: Vec<Option<&str>> = report.lost.iter().map(|lost| lost.path.as_deref()).collect();
    lost.sort();
    assert_eq!(lost, [None, Some("/data/document0.txt"), Some("/data/document1.txt")]);
    assert!(report.lost.iter().any(|lost| lost.id == id(2)));
    assert_eq!((report.documents, report.problems.len()), (3, 0));
    let quarantine = report.quarantine.unwrap();
    let told = std::fs::read_to_string(quarantine.join("report.json")).unwrap();
    assert!(told.contains("/data/document0.txt") && told.contains("vector of chunk 1 is missing"), "{told}");
    // Everything of them is there: their texts among it.
    let kept = std::fs::read(quarantine.join("entries.bin")).unwrap();
    for phrase in ["word0x3", "word2x3", "nonsense"] {
        assert!(kept.windows(phrase.len()).any(|window| window == phrase.as_bytes()), "{phrase}");
    }
    assert_eq!(std::fs::read(quarantine.join("originals/stray.txt")).unwrap(), b"of no document");

    let collection = local::open(&dir).unwrap();
    assert_clean(&collection);
    assert_eq!(collection.document_by_path("/data/document3.txt").unwrap().unwrap().id, id(3));
    // Lost documents can be stored again.
    let again: &StoredDocument = &documents[2];
    collection.put_document(again).unwrap();
    assert_eq!(collection.chunks(id(2)).unwrap(), again.chunks);
    assert_clean(&collection);
}

#[test]
fn documents_with_damaged_annotations_are_kept_without_them() {
    let (_temp, dir, collection) = new_collection();
    let mut documents = many(5, 4);
    documents[3].annotations = None;
    documents.iter().for_each(|stored| collection.put_document(stored).unwrap());
    drop(collection);
    let db = raw(&dir);
    let family = db.cf_handle(cf::ANNOTATIONS).unwrap();
    // One is nonsense, one is of another document; one is gone without a trace.
    let of_other = db.get_cf(family, documents[2].meta.id.as_bytes()).unwrap().unwrap();
    db.put_cf(family, documents[0].meta.id.as_bytes(), b"\x01nonsense").unwrap();
    documents[1] = with_id(documents[1].meta.id, "/data/document1.txt", &["short"]);
    db.delete_cf(family, documents[4].meta.id.as_bytes()).unwrap();
    drop(db);
    let collection = local::open(&dir).unwrap();
    collection.put_document(&documents[1]).unwrap();
    let archive = dir.with_extension("ctcollection");
    let error = collection.export(&archive, &casetrack_store::ExportOptions::default()).unwrap_err();
    assert!(error.message.contains("annotation"), "{error}");
    drop(collection);
    let db = raw(&dir);
    db.put_cf(db.cf_handle(cf::ANNOTATIONS).unwrap(), documents[1].meta.id.as_bytes(), of_other).unwrap();
    drop(db);

    let report = LocalCollection::repair(&dir).unwrap();
    assert_eq!((report.documents, report.lost.len(), report.problems.len()), (5, 0, 0), "{report:?}");
    let told = |lines: &[String], phrase: &str| lines.iter().any(|line| line.contains(phrase));
    assert!(told(&report.found, "The annotations of /data/document0.txt are damaged"), "{report:?}");
    assert!(told(&report.found, "The annotations of /data/document1.txt are damaged"), "{report:?}");
    assert!(told(&report.found, "The annotations of 1 documents are gone"), "{report:?}");
    assert!(told(&report.done, "ingest their files with --force"), "{report:?}");
    let kept = std::fs::read(report.quarantine.unwrap().join("entries.bin")).unwrap();
    assert!(kept.windows(8).any(|window| window == b"nonsense"));
    let collection = local::open(&dir).unwrap();
    assert_clean(&collection);
    for (n, stored) in documents.iter().enumerate() {
        let expected = if n == 2 { stored.annotations.as_ref() } else { None };
        assert_eq!(collection.annotations(stored.meta.id).unwrap().as_ref(), expected, "document {n}");
        assert_eq!(collection.chunks(stored.meta.id).unwrap(), stored.chunks);
    }
    drop(collection);
    assert_eq!(LocalCollection::repair(&dir).unwrap().found, Vec::<String>::new());
}

#[test]
fn a_repair_that_was_killed_is_finished_by_the_next() {
    let (_temp, dir, collection) = new_collection();
    many(3, 4).iter().for_each(|stored| collection.put_document(stored).unwrap());
    drop(collection);
    // Between the two renames.
    std::fs::create_dir(dir.join(".repair")).unwrap();
    std::fs::rename(dir.join("rocksdb"), dir.join(".repair/rocksdb")).unwrap();
    std::fs::write(dir.join(".repair/complete"), "").unwrap();
    let report = LocalCollection::repair(&dir).unwrap();
    assert_eq!((report.documents, report.found.len()), (3, 1), "{report:?}");
    assert!(!dir.join(".repair").exists());
    // Before them: the beginnings are cleared away.
    std::fs::create_dir_all(dir.join(".repair/copy")).unwrap();
    let report = LocalCollection::repair(&dir).unwrap();
    assert_eq!((report.documents, report.found.len()), (3, 0), "{report:?}");
    assert!(!dir.join(".repair").exists());
}

#[test]
fn a_collection_without_its_description_gets_it_back() {
    let (_temp, dir, collection) = new_collection();
    many(2, 2).iter().for_each(|stored| collection.put_document(stored).unwrap());
    let meta = collection.meta().clone();
    drop(collection);
    std::fs::remove_file(dir.join("collection.json")).unwrap();
    LocalCollection::repair(&dir).unwrap();
    assert_eq!(local::open(&dir).unwrap().meta(), &meta);
    // Without a copy of it, as in collections of earlier versions.
    std::fs::remove_file(dir.join("collection.json")).unwrap();
    let db = raw(&dir);
    db.delete_cf(db.cf_handle(cf::META).unwrap(), casetrack_store::schema::MANIFEST_KEY).unwrap();
    drop(db);
    LocalCollection::repair(&dir).unwrap();
    let collection = local::open(&dir).unwrap();
    assert_eq!(collection.meta().name, format!("Recovered collection {}", meta.id.short()));
    assert_eq!((collection.meta().id, collection.counts().unwrap().documents), (meta.id, 2));
    assert_clean(&collection);
    // A name that was changed only in the file is not used.
    drop(collection);
    let json = std::fs::read_to_string(dir.join("collection.json")).unwrap();
    std::fs::write(dir.join("collection.json"), json.replace("Recovered", "Rekovered")).unwrap();
    assert!(local::open(&dir).unwrap().meta().name.starts_with("Recovered"));
}
