//! A collection is moved into a vault and out of it: it is found again as it was, nothing plain stays, and a kill leaves one of the two.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, CollectionMeta, ErrorCode};
use casetrack_store::{Hit, Owned, Registry, ResealProgress, Store, Waiting};
use casetrack_vault::header::{Header, Protector};
use casetrack_vault::key::VaultKey;
use casetrack_vault::passphrase::Cost;
use serde_json::json;
use sha2::Digest;

use crate::support::*;
use crate::vault::{files, leaks, passphrase};

/// Words and bytes that would reveal the collection.
const WORDS: [&str; 6] =
    ["Mandantenname", "common matters", "Merkspalte", "Merkupload", "Inhalt der Kopie", "A warning"];

struct Matter {
    temp: tempfile::TempDir,
    registry: Registry,
    meta: CollectionMeta,
    key: VaultKey,
    header: Header,
    found: Vec<Vec<Hit>>,
}

impl Matter {
    /// A plain collection with everything that one can have.
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let registry = Registry::open(temp.path()).unwrap();
        let meta = collection_meta("Mandantenname");
        let key = VaultKey::random(meta.id).unwrap();
        let header = Header::create(&key, &Protector::Passphrase(&passphrase("right"), Cost::LEAST)).unwrap();
        let collection = registry.create(&meta, &models()).unwrap();
        many(12, 6).iter().for_each(|document| collection.put_document(document).unwrap());
        collection.flush().unwrap();
        let mut copied = document("/data/copied.pdf", &["The copied document."]);
        let content = b"Inhalt der Kopie";
        copied.meta.sha256 = casetrack_core::Sha256(sha2::Sha256::digest(content).into());
        copied.meta.original_stored = true;
        collection.write_kept(&collection.new_original_path(&copied.meta), content).unwrap();
        collection.put_document(&copied).unwrap();
        let upload = collection.uploads_dir().join("Merkordner/Merkupload.txt");
        collection.write_kept(&upload, b"Merkupload, hochgeladen").unwrap();
        collection.write_kept(&collection.uploads_dir().join("no document"), b"Merkupload, allein").unwrap();
        collection.put_document(&document(upload.to_str().unwrap(), &["Merkupload, hochgeladen"])).unwrap();
        collection.delete_document(collection.documents().unwrap()[2].id).unwrap();
        collection.set_columns(&json!([{ "name": "Merkspalte" }])).unwrap();
        // As a repair puts it aside.
        let quarantine = temp.path().join("collections").join(meta.id.to_string()).join("quarantine/2026");
        std::fs::create_dir_all(quarantine.join("bm25")).unwrap();
        for name in ["report.json", "bm25/damaged.term"] {
            std::fs::write(quarantine.join(name), "Merkupload, beiseite").unwrap();
        }
        // Deleted passages count in scores until the indexes are saved.
        collection.flush().unwrap();
        let found = results(&collection);
        drop(collection);
        Self { temp, registry, meta, key, header, found }
    }

    fn seal(&self) {
        let owned = [Owned { name: "jobs/one.json".into(), content: b"Mandantenname".to_vec() }];
        let (registry, id) = (&self.registry, self.meta.id);
        let sealed = registry.seal_collection(id, self.key.clone(), &self.header, &owned, &Cancel::default()).unwrap();
        assert!(sealed.left.is_none(), "{sealed:?}");
        assert_eq!((sealed.rewritten.missing, sealed.counts.documents), (0, 13));
        assert!(sealed.wiped.files > 10 && sealed.wiped.linked == 0, "{sealed:?}");
    }

    fn dir(&self) -> PathBuf {
        self.registry.path(self.meta.id)
    }

    fn beside(&self, prefix: &str) -> PathBuf {
        self.dir().with_file_name(format!(".{prefix}-{}", self.meta.id))
    }

    /// Directories next to those of collections.
    fn remains(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.temp.path().join("collections")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.')).collect()
    }

    /// It is as it was.
    fn check(&self, is_vault: bool) {
        assert_eq!(self.remains(), [""; 0]);
        assert_eq!(self.registry.is_vault(self.meta.id), is_vault);
        if is_vault {
            self.registry.unlock(self.meta.id, self.key.clone()).unwrap();
        }
        let collection = self.registry.open_collection(self.meta.id).unwrap();
        assert_eq!(*collection.meta(), self.meta);
        assert_eq_results(&collection, &self.found, "afterwards");
        assert!(collection.index_progress().unwrap().iter().all(|index| index.in_step));
        assert_clean(&collection);
        assert_eq!(collection.columns().unwrap(), Some(json!([{ "name": "Merkspalte" }])));
        let documents = collection.documents().unwrap();
        let content = |path: &str| {
            let meta = documents.iter().find(|meta| meta.path.ends_with(path)).unwrap();
            match is_vault {
                true => collection.read_kept(&collection.kept_copy(meta).unwrap()).unwrap(),
                false if meta.original_stored => std::fs::read(collection.original_path(meta)).unwrap(),
                false => std::fs::read(&meta.path).unwrap(),
            }
        };
        assert_eq!(content("copied.pdf"), b"Inhalt der Kopie");
        assert_eq!(content("Merkupload.txt"), b"Merkupload, hochgeladen");
        for name in ["report.json", "bm25/damaged.term"] {
            let aside = std::fs::read(self.dir().join("quarantine/2026").join(name)).unwrap();
            assert_eq!(aside == b"Merkupload, beiseite", !is_vault, "{name}");
        }
    }

    fn leaks(&self) -> BTreeSet<String> {
        leaks(self.temp.path(), &WORDS.map(|word| word.as_bytes().to_vec()))
    }

    fn names(&self) -> BTreeSet<PathBuf> {
        let dir = self.dir();
        let below = files(&dir).into_iter().map(|path| path.strip_prefix(&dir).unwrap().to_owned());
        // Those of indexes and of RocksDB have numbers.
        below.filter(|path| path.starts_with("originals") || path.starts_with("uploads")).collect()
    }
}

#[test]
fn a_collection_goes_into_a_vault_and_comes_out_as_it_was() {
    let matter = Matter::new();
    let names = matter.names();
    assert!(!matter.leaks().is_empty());
    matter.seal();
    assert_eq!(matter.leaks(), BTreeSet::new());
    let sealed = files(&matter.dir()).into_iter().filter(|path| {
        let name = path.strip_prefix(matter.dir()).unwrap().to_str().unwrap().to_owned();
        !name.starts_with("rocksdb") && !name.starts_with("vault.header") && !name.starts_with("owned")
    });
    for path in sealed {
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.is_empty() || bytes.starts_with(b"CTVFILE\x01"), "{}", path.display());
    }
    // Files outside of the directory wait in their new form.
    let waiting = matter.registry.owned_waiting().unwrap();
    assert!(waiting[0].1[0].name == "jobs/one.json" && waiting[0].1[0].content.starts_with(b"CTOWNED"), "{waiting:?}");
    let opened = matter.registry.open_owned("jobs/one.json", waiting[0].1[0].content.clone()).unwrap();
    assert_eq!(opened, b"Mandantenname");
    matter.registry.owned_done(matter.meta.id).unwrap();
    matter.check(true);
    assert_eq!(matter.leaks(), BTreeSet::new());

    let code = |result: casetrack_core::Result<_>| result.map(|_: casetrack_store::Resealed| ()).unwrap_err().code;
    let again =
        || matter.registry.seal_collection(matter.meta.id, matter.key.clone(), &matter.header, &[], &Cancel::default());
    assert_eq!(code(again()), ErrorCode::InvalidArgument);
    matter.registry.lock(matter.meta.id);
    let unseal = || matter.registry.unseal_collection(matter.meta.id, &[], &Cancel::default());
    assert_eq!(code(unseal()), ErrorCode::Locked);
    matter.registry.unlock(matter.meta.id, matter.key.clone()).unwrap();
    assert_eq!(unseal().unwrap().wiped, Default::default());
    matter.check(false);
    // Except the upload whose path no document gives.
    let now = matter.names();
    let lost: Vec<_> = names.difference(&now).collect();
    assert_eq!(lost, [Path::new("uploads/no document")]);
    let renamed = now.difference(&names).next().unwrap();
    assert_eq!(std::fs::read(matter.dir().join(renamed)).unwrap(), b"Merkupload, allein");
    assert_eq!(code(unseal()), ErrorCode::InvalidArgument);
    matter.seal();
    matter.registry.owned_done(matter.meta.id).unwrap();
    matter.check(true);
}

#[test]
fn who_waits_hears_how_far_it_is() {
    let matter = Matter::new();
    let heard = RefCell::new(Vec::new());
    let hear = |moving: ResealProgress| heard.borrow_mut().push(moving);
    let (cancel, registry) = (Cancel::default(), &matter.registry);
    let waiting = Waiting::hearing(&cancel, &hear);
    registry.seal_collection(matter.meta.id, matter.key.clone(), &matter.header, &[], waiting).unwrap();
    let heard = heard.into_inner();
    assert!(matches!(heard[0], ResealProgress::Entries { done, of } if done <= of && of > 0), "{heard:?}");
    assert!(heard.iter().any(|moving| matches!(moving, ResealProgress::Files { done, of } if done <= of)), "{heard:?}");
    assert_eq!(heard.last(), Some(&ResealProgress::Overwriting));
}

#[test]
fn what_cannot_be_moved_changes_nothing() {
    let matter = Matter::new();
    let seal = |cancel: &Cancel| {
        let sealed = matter.registry.seal_collection(matter.meta.id, matter.key.clone(), &matter.header, &[], cancel);
        sealed.unwrap_err()
    };
    let foreign = matter.dir().join("notes");
    std::fs::create_dir(&foreign).unwrap();
    let error = seal(&Cancel::default());
    assert!(error.code == ErrorCode::WrongState && error.message.contains("notes"), "{error}");
    std::fs::remove_dir(&foreign).unwrap();
    matter.check(false);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(seal(&cancel).code, ErrorCode::Cancelled);
    matter.check(false);
    let open = matter.registry.open_collection(matter.meta.id).unwrap();
    assert_eq!(seal(&Cancel::default()).code, ErrorCode::InUse);
    drop(open);
    matter.check(false);

    // Out of the vault, everything that was changed is noticed.
    matter.seal();
    matter.registry.owned_done(matter.meta.id).unwrap();
    for (kind, at) in [("originals/", 100), ("uploads/", 100), ("columns.json", 100), (".sst", 40)] {
        // The largest of the tables, whose first bytes are entries.
        let of_kind = |path: &PathBuf| path.to_str().unwrap().contains(kind);
        let found = files(&matter.dir()).into_iter().filter(of_kind);
        let path = found.max_by_key(|path| path.metadata().unwrap().len()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let error = matter.registry.unseal_collection(matter.meta.id, &[], &Cancel::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt, "{kind}: {error}");
        std::fs::write(&path, &whole).unwrap();
        matter.check(true);
    }
}

#[test]
fn a_kill_leaves_the_collection_in_one_of_the_two_forms() {
    let matter = Matter::new();
    let (copy, wiping) = (matter.beside("resealing"), matter.beside("wiping"));
    let plain = matter.temp.path().join("plain");
    copy_dir(&matter.dir(), &plain);

    // While it was written.
    copy_dir(&plain, &copy);
    std::fs::remove_file(copy.join("collection.json")).unwrap();
    matter.registry.clear_remains().unwrap();
    matter.check(false);
    // After the first of two renamings: the other is whole, or it would not have begun.
    matter.seal();
    std::fs::rename(matter.dir(), &copy).unwrap();
    copy_dir(&plain, &wiping);
    matter.registry.clear_remains().unwrap();
    matter.check(true);
    // After the second.
    copy_dir(&plain, &wiping);
    matter.registry.clear_remains().unwrap();
    matter.check(true);
    // Within the clearing away.
    copy_dir(&plain, &wiping);
    std::fs::remove_dir_all(wiping.join("rocksdb")).unwrap();
    matter.registry.clear_remains().unwrap();
    matter.check(true);
    // Where only the old form is there, whatever became of the other, it is put back.
    std::fs::rename(matter.dir(), &wiping).unwrap();
    matter.registry.clear_remains().unwrap();
    matter.check(true);
    // Deleting it takes all.
    copy_dir(&plain, &wiping);
    copy_dir(&plain, &copy);
    matter.registry.delete(matter.meta.id).unwrap();
    assert_eq!(matter.remains(), [""; 0]);
    std::fs::remove_dir_all(&plain).unwrap();
    assert_eq!(matter.leaks(), BTreeSet::new());
}
