//! Vaults that were put back to an earlier state, and forged headers.

use std::path::{Path, PathBuf};

use casetrack_core::{ErrorCode, Result};
use casetrack_store::{Registry, Store};
use casetrack_vault::header::{Credential, Header, Protector, SlotId};
use casetrack_vault::key::VaultKey;
use casetrack_vault::passphrase::Cost;
use serde_json::json;

use crate::support::*;
use crate::vault::passphrase;

const HEADERS: [&str; 2] = ["vault.header", "vault.header.copy"];

struct Matter {
    temp: tempfile::TempDir,
    registry: Registry,
    meta: casetrack_core::CollectionMeta,
    key: VaultKey,
}

impl Matter {
    /// A vault that is unlocked and not open.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let registry = Registry::open(temp.path()).unwrap();
        let meta = collection_meta("Mandantenname");
        let key = VaultKey::random(meta.id).unwrap();
        let header = Header::create(&key, &Protector::Passphrase(&passphrase("right"), Cost::LEAST)).unwrap();
        let collection = registry.create_vault(&meta, &models(), key.clone(), &header).unwrap();
        many(3, 4).iter().for_each(|document| collection.put_document(document).unwrap());
        drop(collection);
        Self { temp, registry, meta, key }
    }

    fn dir(&self) -> PathBuf {
        self.registry.path(self.meta.id)
    }

    fn opens(&self, text: &str) -> Result<(Header, VaultKey, SlotId)> {
        let passphrase = passphrase(text);
        self.registry.open_header(self.meta.id, |header| header.open(&Credential::Passphrase(&passphrase)))
    }

    /// As at the start of a process.
    fn unlock(&self) -> Result<()> {
        self.registry.lock(self.meta.id);
        self.registry.unlock(self.meta.id, self.key.clone())
    }

    fn headers(&self) -> [Vec<u8>; 2] {
        HEADERS.map(|name| std::fs::read(self.dir().join(name)).unwrap_or_default())
    }

    fn set_headers(&self, headers: &[Vec<u8>; 2]) {
        for (name, bytes) in HEADERS.iter().zip(headers) {
            std::fs::write(self.dir().join(name), bytes).unwrap();
        }
    }

    /// The passphrase is "new" from now on.
    fn change_passphrase(&self) {
        let (header, key, old) = self.opens("right").unwrap();
        let (header, _) = header.with_slot(&key, &Protector::Passphrase(&passphrase("new"), Cost::LEAST)).unwrap();
        let header = header.without_slot(&key, old).unwrap();
        self.registry.replace_vault_header(self.meta.id, &header, &key).unwrap();
    }

    fn kept(&self, name: &str) -> PathBuf {
        let kept = self.temp.path().join(name);
        copy_dir(&self.dir(), &kept);
        kept
    }

    fn put_back(&self, from: &Path) {
        std::fs::remove_dir_all(self.dir()).unwrap();
        copy_dir(from, &self.dir());
    }

    fn problems(&self, check: &str) -> Vec<String> {
        let report = self.registry.open_collection(self.meta.id).unwrap().verify().unwrap();
        report.checks.into_iter().find(|one| one.name == check).unwrap().problems
    }
}

/// A header of this collection by a forger without its key, of a later generation.
fn forged(meta: &casetrack_core::CollectionMeta, text: &str) -> Vec<u8> {
    let key = VaultKey::random(meta.id).unwrap();
    let mut header = Header::create(&key, &Protector::Passphrase(&passphrase(text), Cost::LEAST)).unwrap();
    for _ in 0..3 {
        header = header.with_slot(&key, &Protector::Passphrase(&passphrase(text), Cost::LEAST)).unwrap().0;
    }
    header.encode()
}

#[test]
fn a_copy_that_is_damaged_lost_or_forged_is_mended_from_the_other() {
    let matter = Matter::new();
    let whole = matter.headers();
    let cut = whole[0][..whole[0].len() / 2].to_vec();
    for other in [cut, Vec::new(), forged(&matter.meta, "other")] {
        for place in 0..2 {
            let mut headers = whole.clone();
            headers[place].clone_from(&other);
            matter.set_headers(&headers);
            assert_eq!(matter.opens("wrong").unwrap_err().code, ErrorCode::WrongKey);
            matter.opens("right").unwrap();
            assert_eq!(matter.headers(), whole, "{place}");
        }
    }
    // The passphrase is guessed or known, the key is not: the other copy gives it.
    let mut headers = whole.clone();
    headers[0] = forged(&matter.meta, "right");
    matter.set_headers(&headers);
    matter.opens("right").unwrap();
    let forged = forged(&matter.meta, "other");
    matter.set_headers(&[forged.clone(), forged]);
    assert_eq!(matter.opens("right").unwrap_err().code, ErrorCode::WrongKey);
}

#[test]
fn a_passphrase_that_was_removed_opens_no_copy_that_a_kill_left() {
    let matter = Matter::new();
    let [_, old] = matter.headers();
    matter.change_passphrase();
    let [new, _] = matter.headers();
    for text in ["right", "new"] {
        // Killed between the two writes.
        matter.set_headers(&[new.clone(), old.clone()]);
        let opened = matter.opens(text).map(drop).map_err(|error| error.code);
        assert_eq!(opened, if text == "new" { Ok(()) } else { Err(ErrorCode::WrongKey) });
        assert_eq!(matter.headers(), [new.clone(), new.clone()], "{text}");
    }
}

#[test]
fn a_header_that_was_put_back_is_refused_until_its_owner_accepts_it() {
    for forgotten in [false, true] {
        let matter = Matter::new();
        let old = matter.headers();
        matter.change_passphrase();
        // From now on the documents know of it as well.
        drop(matter.registry.open_collection(matter.meta.id).unwrap());
        if forgotten {
            std::fs::remove_dir_all(matter.temp.path().join("vaults")).unwrap();
        }
        matter.set_headers(&old);
        assert_eq!(matter.unlock().unwrap_err().code, ErrorCode::WrongState);
        let opened = local::open_vault(&matter.dir(), &matter.key);
        assert_eq!(opened.err().unwrap().code, ErrorCode::WrongState);
        matter.registry.accept_restored(matter.meta.id, &matter.key).unwrap();
        matter.unlock().unwrap();
        matter.opens("right").unwrap();
        assert!(matter.registry.open_collection(matter.meta.id).unwrap().verify().unwrap().is_clean());
        assert!(matter.problems("sealed_files").is_empty());
    }
}

#[test]
fn a_folder_that_was_put_back_is_refused_until_its_owner_accepts_it() {
    let matter = Matter::new();
    let earlier = matter.kept("earlier");
    let collection = matter.registry.open_collection(matter.meta.id).unwrap();
    collection.put_document(&document("/data/later.txt", &["A later document."])).unwrap();
    drop(collection);
    let later = matter.kept("later");
    matter.unlock().unwrap();
    matter.put_back(&earlier);
    assert_eq!(matter.unlock().unwrap_err().code, ErrorCode::WrongState);
    // Also if it is exchanged while it is unlocked and closed.
    matter.put_back(&later);
    matter.unlock().unwrap();
    matter.put_back(&earlier);
    assert_eq!(matter.registry.open_collection(matter.meta.id).err().unwrap().code, ErrorCode::WrongState);

    matter.registry.accept_restored(matter.meta.id, &matter.key).unwrap();
    matter.unlock().unwrap();
    assert_eq!(matter.registry.open_collection(matter.meta.id).unwrap().documents().unwrap().len(), 3);
    // A copy of it in another data directory has no history there.
    let other = Registry::open(&matter.temp.path().join("other")).unwrap();
    copy_dir(&earlier, &other.path(matter.meta.id));
    other.unlock(matter.meta.id, matter.key.clone()).unwrap();
    other.open_collection(matter.meta.id).unwrap();
}

/// A repair, and a move to other models, begin the log again.
#[test]
fn what_makes_a_vault_anew_is_no_earlier_state() {
    let matter = Matter::new();
    let (registry, id) = (&matter.registry, matter.meta.id);
    registry.repair(id).unwrap();
    matter.unlock().unwrap();
    drop(registry.open_collection(id).unwrap());
    let wanted = casetrack_store::VectorModels { dense: "other-model".into(), ..models() };
    drop(registry.moving(&matter.meta, &wanted).unwrap());
    registry.replace_with_moved(id).unwrap();
    matter.unlock().unwrap();
    drop(registry.open_collection(id).unwrap());
    registry.delete(id).unwrap();
    assert!(!matter.temp.path().join("vaults").join(id.to_string()).exists());
}

#[test]
fn columns_that_were_put_back_are_noticed() {
    let matter = Matter::new();
    let file = matter.dir().join("columns.json");
    let collection = matter.registry.open_collection(matter.meta.id).unwrap();
    collection.set_columns(&json!(["first"])).unwrap();
    let first = std::fs::read(&file).unwrap();
    collection.set_columns(&json!(["second"])).unwrap();
    assert_eq!(collection.columns().unwrap(), Some(json!(["second"])));
    std::fs::write(&file, first).unwrap();
    assert_eq!(collection.columns().unwrap_err().code, ErrorCode::Corrupt);
    drop(collection);
    assert_eq!(matter.problems("sealed_files"), ["columns.json was put back to an earlier state."]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(matter.problems("sealed_files"), ["columns.json is missing."]);
    // Defined again, as the error asks.
    let collection = matter.registry.open_collection(matter.meta.id).unwrap();
    assert_eq!(collection.columns().unwrap(), None);
    collection.set_columns(&json!(["third"])).unwrap();
    drop(collection);
    assert!(matter.problems("sealed_files").is_empty());
}

#[test]
fn a_check_opens_every_file_to_its_end() {
    let matter = Matter::new();
    let collection = matter.registry.open_collection(matter.meta.id).unwrap();
    let upload = collection.sealed_upload(&collection.uploads_dir().join("folder/upload.txt")).unwrap();
    let copy = collection.originals_dir().join("of no document");
    collection.write_kept(&upload, &[7; 70_000]).unwrap();
    collection.write_kept(&copy, b"copy").unwrap();
    drop(collection);
    assert!(matter.problems("sealed_files").is_empty());
    let header = matter.dir().join(HEADERS[1]);
    for path in [&upload, &copy, &header] {
        let whole = std::fs::read(path).unwrap();
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for changed in [flipped, whole[..whole.len() - 1].to_vec(), b"plain".to_vec()] {
            std::fs::write(path, changed).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let problems = matter.problems("sealed_files");
            assert!(problems.len() == 1 && problems[0].contains(name), "{problems:?}");
        }
        std::fs::write(path, whole).unwrap();
    }
}
