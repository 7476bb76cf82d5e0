//! Vaults whose files or values were changed: no change goes unnoticed, and whole documents are kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use casetrack_core::ErrorCode;
use casetrack_store::schema::cf;
use casetrack_store::{Hit, LocalCollection};
use serde_json::json;

use crate::support::*;
use crate::vault::{Vault, files, leaks};

/// The answers of a vault after its files were changed.
fn opens_as_before(vault: &Vault, found: &[Vec<Hit>]) -> bool {
    match local::open_vault(&vault.dir, &vault.key) {
        Err(error) => {
            assert!(matches!(error.code, ErrorCode::Corrupt | ErrorCode::NewerSchema), "{error}");
            false
        }
        Ok(collection) => match collection.verify() {
            // An index that was damaged was made again, or nothing was changed that counts.
            Ok(report) if report.is_clean() => {
                assert_eq_results(&collection, found, "after a change");
                true
            }
            Ok(_) | Err(_) => false,
        },
    }
}

/// One file of each kind, changed at a few places; with `CASETRACK_TAMPER=all`, every file, at every class of places,
/// exchanged with every other.
#[test]
fn files_that_were_changed_or_exchanged_are_noticed() {
    let all = std::env::var_os("CASETRACK_TAMPER").is_some();
    let (vault, documents, _) = Vault::filled();
    let (other, _, _) = Vault::filled();
    for vault in [&vault, &other] {
        let collection = vault.open();
        collection.set_columns(&json!(["first"])).unwrap();
        let upload = collection.sealed_upload(&collection.uploads_dir().join("upload.txt")).unwrap();
        collection.write_kept(&upload, &[7; 70_000]).unwrap();
        collection.write_kept(&collection.originals_dir().join("copy"), b"copy").unwrap();
    }
    let earlier = vault.temp.path().join("earlier");
    copy_dir(&vault.dir, &earlier);
    let found = {
        let collection = vault.open();
        collection.delete_document(documents[3].meta.id).unwrap();
        collection.set_columns(&json!(["second"])).unwrap();
        collection.flush().unwrap();
        results(&collection)
    };
    let kept = vault.temp.path().join("kept");
    copy_dir(&vault.dir, &kept);
    let mut kinds = BTreeSet::new();
    let sealed: Vec<PathBuf> = files(&kept)
        .iter()
        .map(|path| path.strip_prefix(&kept).unwrap().to_owned())
        // RocksDB's own files are damaged in tests of their own; locks are empty.
        .filter(|path| !path.starts_with("rocksdb") && std::fs::metadata(kept.join(path)).unwrap().len() > 0)
        // One of each kind: the keyword index has some of each.
        .filter(|path| {
            all || kinds.insert((path.parent().map(Path::to_owned), path.extension().map(ToOwned::to_owned)))
        })
        .collect();
    let foreign = files(&other.dir);
    let (mut tried, mut missed) = (0, Vec::new());
    for path in &sealed {
        let whole = std::fs::read(kept.join(path)).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        let last = whole.len() - 1;
        // Magic, version, id, nonce, key and its tag, the first and the last byte of the blocks, their tags.
        let classes: Vec<usize> = match all {
            true => vec![0, 6, 7, 8, 23, 24, 47, 48, 79, 80, 95, 96, last / 2, last - 16, last - 15, last],
            false => vec![0, 60, last],
        };
        let mut changes: Vec<Vec<u8>> = classes.iter().map(|at| flipped((*at).min(last))).collect();
        let ends = if all { classes } else { vec![96, last] };
        changes.extend(ends.iter().map(|end| whole[..*end.min(&last)].to_vec()));
        changes.push([whole.as_slice(), b"x"].concat());
        // Rolled back: only files with the same name.
        changes.extend(std::fs::read(earlier.join(path)));
        let others = sealed.iter().cycle().skip_while(|other| *other != path).skip(1);
        changes.extend(
            others.take(if all { sealed.len() } else { 1 }).map(|other| std::fs::read(kept.join(other)).unwrap()),
        );
        let same_kind = |other: &&PathBuf| all || other.extension() == path.extension();
        let strangers = foreign.iter().filter(same_kind).take(if all { usize::MAX } else { 1 });
        changes.extend(strangers.map(|other| std::fs::read(other).unwrap()));
        for content in changes.into_iter().filter(|content| *content != whole) {
            std::fs::remove_dir_all(&vault.dir).unwrap();
            copy_dir(&kept, &vault.dir);
            std::fs::write(vault.dir.join(path), content).unwrap();
            let in_index = ["bm25", "dense", "sparse"].iter().any(|index| path.starts_with(index));
            // An index is made again; everything else is refused or reported.
            if opens_as_before(&vault, &found) != in_index {
                missed.push(path);
            }
            tried += 1;
        }
    }
    println!("{tried} changes of {} files tried, {} missed", sealed.len(), missed.len());
    assert!(tried > 80 && missed.is_empty(), "{tried} tried, missed: {missed:?}");
}

#[test]
fn values_that_were_exchanged_are_noticed() {
    let (vault, _, found) = Vault::filled();
    let kept = vault.temp.path().join("kept");
    copy_dir(&vault.dir, &kept);
    for family in cf::ALL {
        let stored = entries(&raw(&vault.dir), family);
        let Some([(first, one), .., (last, other)]) = stored.get(..) else { continue };
        let mut cut = one.clone();
        cut.pop();
        for (key, value) in [(first, other), (last, one), (first, &cut), (first, &Vec::new())] {
            std::fs::remove_dir_all(&vault.dir).unwrap();
            copy_dir(&kept, &vault.dir);
            let db = raw(&vault.dir);
            db.put_cf(db.cf_handle(family).unwrap(), key, value).unwrap();
            drop(db);
            assert!(!opens_as_before(&vault, &found), "{family}");
        }
    }
}

/// A change that no tag detects: a single value of RocksDB as it was before, under its own key. It is noticed if others
/// depend on it.
#[test]
fn values_that_were_put_back_contradict_others() {
    // Families that no other record contradicts, as documented; and the record of a path that has the same document,
    // sealed in other bytes.
    let alone = [cf::PATH_INDEX, cf::PAGES, cf::PAGE_LAYOUT, cf::VECTORS, cf::SPARSE_VECTORS, cf::ANNOTATIONS];
    let (vault, documents, _) = Vault::filled();
    let kept = |name: &str| {
        let kept = vault.temp.path().join(name);
        copy_dir(&vault.dir, &kept);
        kept
    };
    let earlier = kept("earlier");
    let meta = &documents[2].meta;
    let collection = vault.open();
    collection.put_document(&with_id(meta.id, &meta.path, &["Other words.\n\nIn two paragraphs."])).unwrap();
    collection.flush().unwrap();
    let found = results(&collection);
    drop(collection);
    let now = kept("now");
    let (mut tried, mut missed) = (0, BTreeSet::new());
    for family in cf::ALL {
        let before = entries(&raw(&earlier), family);
        let after = entries(&raw(&now), family);
        let changed = before.iter().filter(|(key, value)| after.iter().any(|(k, v)| k == key && v != value));
        for (key, value) in changed.take(3) {
            std::fs::remove_dir_all(&vault.dir).unwrap();
            copy_dir(&now, &vault.dir);
            let db = raw(&vault.dir);
            db.put_cf(db.cf_handle(family).unwrap(), key, value).unwrap();
            drop(db);
            tried += 1;
            if opens_as_before(&vault, &found) {
                missed.insert(family);
            }
        }
    }
    println!("{tried} values put back, not noticed in {missed:?}");
    assert!(tried > 5 && missed.iter().all(|family| alone.contains(family)), "{tried} tried, missed: {missed:?}");
}

#[test]
fn a_repair_keeps_what_is_whole() {
    let (vault, documents, _) = Vault::filled();
    let victim = &documents[4];
    {
        let db = raw(&vault.dir);
        let text = db.cf_handle(cf::PAGE_TEXT).unwrap();
        let of_victim = |key: &[u8]| key.starts_with(victim.meta.id.as_bytes());
        for (key, mut value) in entries(&db, cf::PAGE_TEXT).into_iter().filter(|(key, _)| of_victim(key)) {
            value[40] ^= 1;
            db.put_cf(text, key, value).unwrap();
        }
    }
    let report = LocalCollection::repair_vault(&vault.dir, &vault.key).unwrap();
    assert_eq!((report.documents, report.problems.len()), (11, 0), "{report:#?}");
    let lost: Vec<_> = report.lost.iter().map(|lost| lost.id).collect();
    assert_eq!(lost, [victim.meta.id]);
    let wanted: Vec<Vec<u8>> = [victim.meta.path.as_bytes(), b"common matters"].map(<[u8]>::to_vec).to_vec();
    assert_eq!(leaks(vault.temp.path(), &wanted), BTreeSet::new(), "the quarantine is sealed, too");
    let collection = vault.open();
    assert_clean(&collection);
    for document in documents.iter().filter(|document| document.meta.id != victim.meta.id) {
        assert_eq!(collection.chunks(document.meta.id).unwrap(), document.chunks);
    }
}
