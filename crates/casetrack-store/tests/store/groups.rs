use casetrack_core::ErrorCode;
use casetrack_store::schema::cf;
use casetrack_store::{Collection, StoredDocument};

use crate::support::*;

fn put(collection: &Collection, documents: &[StoredDocument]) -> Vec<Option<ErrorCode>> {
    let results = collection.put_documents(&documents.iter().collect::<Vec<_>>());
    results.into_iter().map(|result| result.err().map(|error| error.code)).collect()
}

/// Additions, replacements, two documents that exchange a path, and one that comes twice.
fn changes() -> Vec<StoredDocument> {
    let documents = many(9, 4);
    let again = |n: usize, path: &str, text: &str| with_id(documents[n].meta.id, path, &[text]);
    let mut all = documents.clone();
    all.extend([
        again(1, &documents[1].meta.path, "Clause about common matters, replaced.\n\nword3x1 is here as well."),
        again(2, "/data/elsewhere.txt", "Clause 0 about common matters of document 2, moved."),
        // Free only since the one before.
        document(&documents[2].meta.path, &["Clause 1 about another word3x1."]),
        again(1, &documents[1].meta.path, "Clause about common matters, replaced again."),
        document("/data/empty.txt", &[""]),
    ]);
    all
}

#[test]
fn groups_are_the_same_as_one_document_after_another() {
    let changes = changes();
    let (_temp, one_by_one, collection) = new_collection();
    for document in &changes {
        collection.put_document(document).unwrap();
    }
    let expected = results(&collection);
    let counts = collection.counts().unwrap();
    drop(collection);
    let stored = cf::ALL.map(|family| entries(&raw(&one_by_one), family));
    // Deleted chunks no longer count in the keyword index then.
    let expected_later = results(&local::open(&one_by_one).unwrap());
    for size in [2, 3, 5, changes.len()] {
        let (_temp, dir, collection) = new_collection();
        for group in changes.chunks(size) {
            assert_eq!(put(&collection, group), vec![None; group.len()], "groups of {size}");
        }
        assert_eq!(collection.counts().unwrap(), counts, "groups of {size}");
        assert_eq_results(&collection, &expected, &format!("groups of {size}"));
        assert_clean(&collection);
        drop(collection);
        let db = raw(&dir);
        // "meta" has the id of the collection and the time of the last change.
        for (family, stored) in cf::ALL.into_iter().zip(&stored).filter(|(family, _)| *family != cf::META) {
            assert!(entries(&db, family) == *stored, "groups of {size}: {family} differs");
        }
        drop(db);
        let reopened = local::open(&dir).unwrap();
        assert_eq_results(&reopened, &expected_later, &format!("groups of {size}, reopened"));
        assert_clean(&reopened);
    }
}

#[test]
fn a_crash_leaves_all_documents_of_a_group_or_none() {
    let (temp, dir, collection) = new_collection();
    let documents = many(8, 5);
    let (first, group) = documents.split_at(2);
    let log = || {
        let mut files: Vec<_> = std::fs::read_dir(dir.join("rocksdb")).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
        files.pop().unwrap()
    };
    let length = || std::fs::metadata(log()).unwrap().len();
    assert_eq!(put(&collection, first), [None; 2]);
    let before = length();
    assert_eq!(put(&collection, group), [None; 6]);
    let after = length();
    // Before a search, which lets an index save that it knows of the change: no crash leaves that without the change.
    let at_once = temp.path().join("at-once");
    copy_dir(&dir, &at_once);
    let expected = results(&collection);
    let kept: Vec<u64> = (1..20).map(|part| before + (after - before) * part / 20).chain([after - 1, after]).collect();
    for kept in kept {
        let crashed = temp.path().join(format!("crashed{kept}"));
        copy_dir(&at_once, &crashed);
        let log = crashed.join("rocksdb").join(log().file_name().unwrap());
        std::fs::OpenOptions::new().write(true).open(log).unwrap().set_len(kept).unwrap();
        let recovered = local::open(&crashed).unwrap();
        let there = |document: &StoredDocument| recovered.document(document.meta.id).unwrap().is_some();
        assert!(first.iter().all(there));
        let of_group = group.iter().filter(|document| there(document)).count();
        assert_eq!(of_group, if kept == after { group.len() } else { 0 }, "{kept} of {after}");
        assert_clean(&recovered);
        if of_group == 0 {
            assert_eq!(put(&recovered, group), [None; 6]);
        }
        assert_eq_results(&recovered, &expected, "once more");
        assert_clean(&recovered);
    }
}
