//! The evidence that users collect: checked, and saved from a damaged collection.

use casetrack_store::schema::{EVIDENCE_KEY, cf};
use casetrack_store::{Collection, LocalCollection, StoredDocument};

use crate::support::*;

fn collected() -> (tempfile::TempDir, std::path::PathBuf, Collection, Vec<StoredDocument>) {
    let (temp, dir, collection) = new_collection();
    let documents =
        vec![document("/data/Lease.txt", &["Clause one\n\nThe rent is due"]), document("/data/b.txt", &["Annex"])];
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    for item in [passage(&documents[0], "The rent is due"), passage(&documents[1], "Annex")] {
        collection.change_evidence(|tray| tray.add(item)).unwrap();
    }
    (temp, dir, collection, documents)
}

#[test]
fn verify_compares_evidence_with_documents_that_were_not_read_again() {
    let (_temp, dir, collection, mut documents) = collected();
    assert_clean(&collection);
    // A file that has changed is no damage.
    let mut changed = with_id(documents[1].meta.id, "/data/b.txt", &["Other words"]);
    changed.meta.sha256.0[0] ^= 1;
    collection.put_document(&changed).unwrap();
    assert_clean(&collection);
    collection.delete_document(documents.pop().unwrap().meta.id).unwrap();
    assert_clean(&collection);
    // The same file with other words is.
    collection
        .change_evidence(|tray| {
            tray.items[0].text = "The rent is dua".to_owned();
            Ok(())
        })
        .unwrap();
    let problems = |collection: &Collection| -> Vec<String> {
        let report = collection.verify().unwrap();
        report.checks.into_iter().filter(|check| check.name == "evidence").flat_map(|check| check.problems).collect()
    };
    let found = problems(&collection);
    assert!(found.len() == 1 && found[0].contains("Evidence 1 is not on page 1 of Lease.txt"), "{found:?}");
    collection.keep_memo("facts", b"derived").unwrap();
    collection.set_note("unread", b"recorded").unwrap();
    drop(collection);
    let db = raw(&dir);
    db.put_cf(db.cf_handle(cf::META).unwrap(), EVIDENCE_KEY, [1, 0xff, 0xff]).unwrap();
    drop(db);
    let found = problems(&local::open_to_verify(&dir).unwrap());
    assert!(found[0].contains("evidence cannot be decoded"), "{found:?}");
    // A repair takes it out, and forgets derived data.
    let report = LocalCollection::repair(&dir).unwrap();
    assert_eq!((report.lost.len(), report.quarantine.is_some()), (0, true), "{report:?}");
    let repaired = local::open(&dir).unwrap();
    assert_clean(&repaired);
    assert!(repaired.evidence().unwrap().items.is_empty());
    assert_eq!(repaired.memo("facts").unwrap(), None);
    assert_eq!(repaired.note("unread").unwrap().unwrap(), b"recorded");
}

#[test]
fn evidence_is_saved_from_a_damaged_store() {
    let (_temp, dir, collection, _) = collected();
    let tray = collection.evidence().unwrap();
    drop(collection);
    // Without its list of files RocksDB does not open, and the readable part goes into a new one.
    std::fs::remove_file(dir.join("rocksdb/CURRENT")).unwrap();
    LocalCollection::repair(&dir).unwrap();
    assert_eq!(local::open(&dir).unwrap().evidence().unwrap(), tray);
}

#[test]
fn the_bytes_of_evidence_are_read_for_ever() {
    let (_temp, dir, collection, _) = collected();
    drop(collection);
    let db = raw(&dir);
    let value = db.get_cf(db.cf_handle(cf::META).unwrap(), EVIDENCE_KEY).unwrap().unwrap();
    // Version, last id, number of items, id of the first.
    assert_eq!(value[..4], [1, 2, 2, 1]);
    let text = b"The rent is due";
    assert!(value.windows(text.len()).any(|window| window == text));
}
