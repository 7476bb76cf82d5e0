//! A collection in a vault: it works as any other, nothing of it can be read on the disk, and nothing of it can be changed unnoticed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceItem;
use casetrack_core::{CollectionId, CollectionMeta, DocumentMeta, ErrorCode, Timestamp};
use casetrack_store::{
    Collection, ExportOptions, Hit, LocalCollection, Registry, Relocation, Store, StoredDocument, VectorModels, owner,
};
use casetrack_vault::header::{Credential, Header, Protector};
use casetrack_vault::key::VaultKey;
use casetrack_vault::passphrase::{Cost, Passphrase};
use sha2::Digest;

use crate::support::*;

pub struct Vault {
    pub temp: tempfile::TempDir,
    pub dir: PathBuf,
    pub meta: CollectionMeta,
    pub key: VaultKey,
}

impl Vault {
    pub fn new() -> (Self, Collection) {
        let temp = tempfile::tempdir().unwrap();
        let meta = CollectionMeta { reference: Some("Aktenzeichen77".into()), ..collection_meta("Mandantenname") };
        let dir = temp.path().join(meta.id.to_string());
        let key = VaultKey::random(meta.id).unwrap();
        let header = Header::create(&key, &Protector::Passphrase(&passphrase("right"), Cost::LEAST)).unwrap();
        let collection = local::create_vault(&dir, &meta, &models(), &key, &header).unwrap();
        (Self { temp, dir, meta, key }, collection)
    }

    /// One with documents, part of which is in RocksDB's tables and part in its log, and in all indexes.
    pub fn filled() -> (Self, Vec<StoredDocument>, Vec<Vec<Hit>>) {
        let (vault, collection) = Self::new();
        let documents = many(12, 6);
        documents[..8].iter().for_each(|document| collection.put_document(document).unwrap());
        drop(collection);
        let collection = vault.open();
        documents[8..].iter().for_each(|document| collection.put_document(document).unwrap());
        collection.flush().unwrap();
        let found = results(&collection);
        drop(collection);
        (vault, documents, found)
    }

    pub fn open(&self) -> Collection {
        local::open_vault(&self.dir, &self.key).unwrap()
    }
}

pub fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text).unwrap()
}

pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The content of a file; empty if it is gone: RocksDB removes files that it no longer needs at any time.
fn bytes_of(path: &Path) -> Vec<u8> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.unwrap(),
    }
}

/// The files and names below a directory that hold one of these.
pub fn leaks(dir: &Path, wanted: &[Vec<u8>]) -> BTreeSet<String> {
    let mut leaks = BTreeSet::new();
    for path in files(dir) {
        let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
        let bytes = bytes_of(&path);
        if wanted.iter().any(|wanted| contains(&bytes, wanted) || contains(name.as_bytes(), wanted)) {
            leaks.insert(name);
        }
    }
    leaks
}

/// All files but RocksDB's own, the headers and locks are sealed files, to the last one: also those that hold words in packed form.
fn assert_sealed(dir: &Path) {
    let mut sealed = BTreeSet::new();
    for path in files(dir) {
        let name = path.strip_prefix(dir).unwrap();
        let bytes = bytes_of(&path);
        if name.starts_with("rocksdb") || name.to_str().unwrap().starts_with("vault.header") || bytes.is_empty() {
            continue;
        }
        assert!(bytes.starts_with(b"CTVFILE\x01"), "{}", name.display());
        sealed.extend(name.iter().next().map(|first| first.to_str().unwrap().to_owned()));
    }
    let expected = ["bm25", "collection.sealed", "columns.json", "dense", "sparse"].map(str::to_owned);
    assert_eq!(sealed, BTreeSet::from(expected));
}

#[test]
fn it_works_as_any_other_collection() {
    let (vault, collection) = Vault::new();
    let plain = tempfile::tempdir().unwrap();
    let other = local::create(&plain.path().join("collection"), &vault.meta, &models()).unwrap();
    let documents = many(12, 6);
    let changed = with_id(documents[2].meta.id, &documents[2].meta.path, &["Another text about common matters."]);
    for collection in [&collection, &other] {
        documents.iter().for_each(|document| collection.put_document(document).unwrap());
        collection.put_document(&changed).unwrap();
        assert!(collection.delete_document(documents[5].meta.id).unwrap());
        let (path, name) = ("/elsewhere/new.txt".to_owned(), "new.txt".to_owned());
        collection.relocate_documents(&[Relocation { document: documents[3].meta.id, path, name }]).unwrap();
        collection.set_columns(&serde_json::json!([{ "name": "Kaufpreis" }])).unwrap();
        collection.flush().unwrap();
    }
    let expected = results(&other);
    assert_eq_results(&collection, &expected, "at once");
    assert_clean(&collection);
    drop(collection);
    let collection = vault.open();
    assert_eq_results(&collection, &expected, "opened again");
    assert_clean(&collection);
    for document in documents.iter().filter(|document| document.meta.id != documents[5].meta.id) {
        let id = document.meta.id;
        assert_eq!(collection.chunks(id).unwrap(), other.chunks(id).unwrap());
        assert_eq!(collection.page(id, 1).unwrap(), other.page(id, 1).unwrap());
        assert_eq!(collection.vectors(id).unwrap(), other.vectors(id).unwrap());
        assert_eq!(collection.annotations(id).unwrap(), other.annotations(id).unwrap());
        let sha256 = collection.document(id).unwrap().unwrap().sha256;
        assert_eq!(collection.documents_by_sha256(sha256).unwrap(), other.documents_by_sha256(sha256).unwrap());
    }
    assert_eq!(collection.document_by_path("/elsewhere/new.txt").unwrap().unwrap().id, documents[3].meta.id);
    assert_eq!(collection.columns().unwrap(), other.columns().unwrap());
    collection.compact().unwrap();
    collection.rebuild_indexes().unwrap();
    assert_eq_results(&collection, &expected, "rebuilt");
    assert_clean(&collection);
}

#[test]
fn nothing_of_it_can_be_read_on_the_disk() {
    let (vault, mut collection) = Vault::new();
    let marker = |n: usize| format!("Merkwort{n}zq");
    let documents: Vec<StoredDocument> = (0..20)
        .map(|n| {
            let text = format!("{} is in the first clause.\n\nThe second names {} again.", marker(n), marker(n));
            document(&format!("/matters/Geheimordner/Vertrag{}.txt", marker(n)), &[&text.repeat(1 + n % 3)])
        })
        .collect();
    let (first, second) = documents.split_at(10);
    first.iter().for_each(|document| collection.put_document(document).unwrap());
    collection.set_columns(&serde_json::json!([{ "name": "Merkspalte" }])).unwrap();
    let page = &first[0].pages[0];
    let item = EvidenceItem {
        id: 0,
        document: first[0].meta.id,
        document_name: first[0].meta.name.clone(),
        path: first[0].meta.path.clone(),
        sha256: first[0].meta.sha256,
        page: 1,
        char_start: 0,
        char_end: page.text.chars().count() as u32,
        text: page.text.clone(),
        citation: first[0].meta.name.clone(),
        note: "Merknotiz".into(),
        exhibit: "A".into(),
        added_at: Timestamp::now(),
    };
    collection.change_evidence(|tray| tray.add(item)).unwrap();
    collection.keep_memo("facts", b"Merkzettel").unwrap();
    collection.set_note("unread", b"Merkliste").unwrap();
    collection.describe(CollectionMeta { name: "Merkname".into(), ..vault.meta.clone() }).unwrap();
    collection.flush().unwrap();

    let mut words: Vec<String> = (0..20).map(marker).collect();
    // The keyword index holds stems in small letters.
    words.extend((0..20).map(|n| marker(n).to_lowercase()));
    let others = [
        "Geheimordner",
        "Mandantenname",
        "Aktenzeichen77",
        "Merkname",
        "Merkspalte",
        "Merknotiz",
        "Merkzettel",
        "Heading",
    ];
    words.extend(others.map(str::to_owned));
    words.extend(["first clause", "test-model", "A title"].map(str::to_owned));
    let mut wanted: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    let utf16 = |unit: fn(u16) -> [u8; 2]| words.iter().map(move |word| word.encode_utf16().flat_map(unit).collect());
    wanted.extend(utf16(u16::to_le_bytes).chain(utf16(u16::to_be_bytes)).collect::<Vec<_>>());
    // Data that would show an owner of a text or a file that it is there.
    for document in &documents {
        wanted.push(document.meta.sha256.0[..16].to_vec());
        wanted.push(casetrack_store::schema::path_key(&document.meta.path)[..16].to_vec());
        wanted.extend(document.chunks.iter().map(|chunk| chunk.id.as_bytes().to_vec()));
    }
    let none = BTreeSet::new();
    assert_eq!(leaks(vault.temp.path(), &wanted), none, "saved");
    assert_sealed(&vault.dir);
    // In the write-ahead log, and in indexes that are being written, as a crash leaves them.
    for document in second {
        collection.put_document(document).unwrap();
        collection.search_bm25("clause", 3, &Default::default()).unwrap();
        let crashed = vault.temp.path().join("crashed");
        copy_dir(&vault.dir, &crashed);
        assert_eq!(leaks(&crashed, &wanted), none, "crashed");
        assert_sealed(&crashed);
        std::fs::remove_dir_all(&crashed).unwrap();
    }
    collection.compact().unwrap();
    drop(collection);
    assert_eq!(leaks(vault.temp.path(), &wanted), none, "compacted and closed");

    // The same search finds them in a collection that is no vault: it can fail.
    let plain = tempfile::tempdir().unwrap();
    let collection = local::create(&plain.path().join("plain"), &vault.meta, &models()).unwrap();
    documents.iter().for_each(|document| collection.put_document(document).unwrap());
    collection.set_columns(&serde_json::json!([{ "name": "Merkspalte" }])).unwrap();
    collection.flush().unwrap();
    drop(collection);
    let kinds: BTreeSet<String> =
        leaks(plain.path(), &wanted).iter().filter_map(|name| name.split('/').nth(1)).map(str::to_owned).collect();
    // In the files of the other two indexes words and vectors are packed.
    let expected = ["collection.json", "columns.json", "dense", "rocksdb"];
    assert!(expected.iter().all(|kind| kinds.contains(*kind)), "{kinds:?}");
}

#[test]
fn a_locked_vault_says_so_and_nothing_else() {
    let (vault, _, _) = Vault::filled();
    let name = vault.meta.id.to_string();
    let errors = [
        local::open(&vault.dir).err().unwrap(),
        local::open_to_verify(&vault.dir).err().unwrap(),
        LocalCollection::repair(&vault.dir).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code, ErrorCode::Locked);
        assert!(error.message.contains(&name) && !error.message.contains("Mandantenname"), "{error}");
    }
    let data = tempfile::tempdir().unwrap();
    let registry = Registry::open(data.path()).unwrap();
    copy_dir(&vault.dir, &registry.path(vault.meta.id));
    assert_locked(&registry, vault.meta.id);
    assert_clean(&local::open_vault(&registry.path(vault.meta.id), &vault.key).unwrap());
}

fn assert_locked(registry: &Registry, id: CollectionId) {
    let (listed, problems) = registry.scan().unwrap();
    assert_eq!((listed.len(), problems.len()), (0, 0));
    assert_eq!((registry.locked().unwrap(), registry.unlocked().unwrap()), (vec![id], vec![]));
    assert_eq!(registry.repairable().unwrap(), [(id, None)]);
    let answers = [
        registry.key(id).map(drop),
        registry.meta(id).map(drop),
        registry.counts_and_last_change(id).map(drop),
        registry.open_collection(id).map(drop),
        registry.open_to_verify(id).map(drop),
        registry.repair(id).map(drop),
        registry.moving(&CollectionMeta { id, ..collection_meta("Mandantenname") }, &models()).map(drop),
    ];
    for answer in answers {
        assert_eq!(answer.unwrap_err().code, ErrorCode::Locked);
    }
}

#[test]
fn a_registry_works_with_a_vault_while_it_has_the_key() {
    let (vault, _, found) = Vault::filled();
    let id = vault.meta.id;
    let data = tempfile::tempdir().unwrap();
    let registry = Registry::open(data.path()).unwrap();
    copy_dir(&vault.dir, &registry.path(id));
    let other = VaultKey::random(id).unwrap();
    assert_eq!(registry.unlock(id, other).unwrap_err().code, ErrorCode::WrongKey);
    assert_locked(&registry, id);
    registry.unlock(id, vault.key.clone()).unwrap();
    let (shared, other) = (registry.clone(), Registry::open(data.path()).unwrap());
    assert_locked(&other, id);
    assert!(shared.key(id).unwrap().is_some() && shared.is_vault(id));
    assert_eq!(shared.list().unwrap(), std::slice::from_ref(&vault.meta));
    assert_eq!(shared.counts_and_last_change(id).unwrap().0.documents, 12);
    assert_eq!(shared.repairable().unwrap(), [(id, Some("Mandantenname".to_owned()))]);
    assert!(shared.repair(id).unwrap().problems.is_empty());
    assert_clean(&shared.open_to_verify(id).unwrap());
    assert_eq_results(&shared.open_collection(id).unwrap(), &found, "through the registry");

    // Moved to other models, it is a vault with the slots that it has then.
    let wanted = VectorModels { dense: "other-model".into(), ..models() };
    drop(shared.moving(&vault.meta, &wanted).unwrap());
    let header = shared.vault_header(id).unwrap();
    let (more, _) = header.with_slot(&vault.key, &Protector::Passphrase(&passphrase("more"), Cost::LEAST)).unwrap();
    shared.replace_vault_header(id, &more, &vault.key).unwrap();
    shared.replace_with_moved(id).unwrap();
    assert_eq!(shared.vault_header(id).unwrap().slots().count(), 2);
    assert_eq!(*shared.open_collection(id).unwrap().models(), wanted);
    assert_eq!(leaks(&registry.path(id), &[b"Mandantenname".to_vec(), b"Aktenzeichen77".to_vec()]), BTreeSet::new());

    assert!(shared.lock(id) && !registry.lock(id));
    assert_locked(&registry, id);
    // Without its key it can only be removed.
    registry.delete(id).unwrap();
    assert!(!registry.path(id).exists());
}

#[test]
fn a_file_that_was_being_written_when_the_process_was_killed_is_removed() {
    let (vault, ..) = Vault::filled();
    let begun = vault.dir.join("bm25/.tmpPH0w0g");
    for content in [b"".as_slice(), b"half of a list"] {
        std::fs::write(&begun, content).unwrap();
        let collection = vault.open();
        assert!(!begun.exists());
        assert_clean(&collection);
    }
}

#[test]
fn another_key_opens_nothing() {
    let (vault, _, found) = Vault::filled();
    let other = VaultKey::random(vault.meta.id).unwrap();
    assert_eq!(local::open_vault(&vault.dir, &other).err().unwrap().code, ErrorCode::Corrupt);
    let collection = vault.open();
    assert_eq_results(&collection, &found, "after the wrong key");
    assert_clean(&collection);
}

#[test]
fn the_passphrase_is_changed_and_a_damaged_header_is_not_the_end() {
    let (vault, _, _) = Vault::filled();
    let open =
        |text: &str| LocalCollection::vault_header(&vault.dir)?.unlock(&Credential::Passphrase(&passphrase(text)));
    let key = open("right").unwrap();
    let old = LocalCollection::vault_header(&vault.dir).unwrap();
    let first = old.slots().next().unwrap().id;
    let (both, _) = old.with_slot(&key, &Protector::Passphrase(&passphrase("new"), Cost::LEAST)).unwrap();
    let new = both.without_slot(&key, first).unwrap();
    LocalCollection::replace_vault_header(&vault.dir, &new).unwrap();
    assert_eq!(open("right").unwrap_err().code, ErrorCode::WrongKey);
    assert_clean(&local::open_vault(&vault.dir, &open("new").unwrap()).unwrap());
    // The header was read before another process changed it.
    assert_eq!(LocalCollection::replace_vault_header(&vault.dir, &both).unwrap_err().code, ErrorCode::InvalidArgument);

    let (one, copy) = (vault.dir.join("vault.header"), vault.dir.join("vault.header.copy"));
    let whole = std::fs::read(&one).unwrap();
    assert_eq!(whole, std::fs::read(&copy).unwrap());
    for damaged in [&one, &copy] {
        for content in [&whole[..whole.len() / 2], b"", &old.encode()] {
            std::fs::write(damaged, content).unwrap();
            assert!(open("new").is_ok());
        }
        std::fs::remove_file(damaged).unwrap();
        assert!(open("new").is_ok());
        std::fs::write(damaged, &whole).unwrap();
    }
    for path in [&one, &copy] {
        std::fs::write(path, &whole[1..]).unwrap();
    }
    assert_eq!(open("new").unwrap_err().code, ErrorCode::Corrupt);
    assert_eq!(local::open(&vault.dir).err().unwrap().code, ErrorCode::Locked);
}

#[test]
fn an_export_is_plain_and_opens_without_a_key() {
    let (vault, documents, _) = Vault::filled();
    let collection = vault.open();
    let file = vault.temp.path().join("out.ctcollection");
    collection.export(&file, &ExportOptions::default()).unwrap();
    let mut archive = casetrack_store::Archive::open(&file).unwrap();
    let imported = local::import(&vault.temp.path().join("plain"), &mut archive, &collection_meta("Imported")).unwrap();
    assert_eq!(imported.counts().unwrap().documents, documents.len() as u64);
}

#[test]
fn copies_of_sources_are_sealed_checked_and_exported() {
    let (vault, documents, _) = Vault::filled();
    let collection = vault.open();
    let mut stored = documents[0].clone();
    let source = b"Aktenzeichen77, as it came".repeat(9_000);
    let sha256 = casetrack_core::Sha256(sha2::Sha256::digest(&source).into());
    stored.meta = DocumentMeta { path: "/in/Mandantenname.zqx".into(), sha256, original_stored: true, ..stored.meta };
    let place = collection.new_original_path(&stored.meta);
    let name = place.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(!name.contains('.') && !name.contains(&sha256.to_string()[..8]), "{name}");
    collection.write_kept(&place, &source).unwrap();
    collection.put_document(&stored).unwrap();
    assert_eq!(collection.kept_copy(&stored.meta), Some(place.clone()));
    assert_eq!(collection.read_kept(&place).unwrap(), source);
    assert_eq!(collection.kept_bytes(&place).unwrap(), source.len() as u64);
    assert_eq!(leaks(&vault.dir, &[b"Aktenzeichen77".to_vec(), b"Mandantenname".to_vec()]), BTreeSet::new());

    let archive = vault.temp.path().join("out.zip");
    let report = collection.export(&archive, &ExportOptions::default()).unwrap();
    assert_eq!((report.originals, report.left_out.len()), (1, 0));

    // One bit, and the copy is no longer the original; a repair puts it aside and keeps the document.
    let mut bytes = std::fs::read(&place).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&place, &bytes).unwrap();
    assert_eq!(collection.read_kept(&place).unwrap_err().code, ErrorCode::Corrupt);
    drop(collection);
    LocalCollection::repair_vault(&vault.dir, &vault.key).unwrap();
    let collection = vault.open();
    assert!(!place.exists() && !collection.document(stored.meta.id).unwrap().unwrap().original_stored);
}

#[test]
fn what_lies_elsewhere_is_sealed_for_its_vault() {
    let (vault, _, _) = Vault::filled();
    let id = vault.meta.id;
    let data = tempfile::tempdir().unwrap();
    let registry = Registry::open(data.path()).unwrap();
    copy_dir(&vault.dir, &registry.path(id));
    let content = || b"{\"path\":\"Mandantenname\"}".to_vec();
    assert_eq!(registry.seal_owned(id, "jobs/1", content()).unwrap_err().code, ErrorCode::Locked);
    registry.unlock(id, vault.key.clone()).unwrap();
    assert!(casetrack_store::had_a_vault());
    let sealed = registry.seal_owned(id, "jobs/1", content()).unwrap();
    assert!(!contains(&sealed, b"Mandantenname"));
    assert_eq!((owner(&sealed), owner(&content())), (Some(id), None));
    assert_eq!(registry.open_owned("jobs/1", sealed.clone()).unwrap(), content());
    assert_eq!(registry.open_owned("jobs/1", content()).unwrap(), content());
    assert_eq!(registry.open_owned("jobs/2", sealed.clone()).unwrap_err().code, ErrorCode::Corrupt);
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        // Without its first bytes it is no sealed thing at all, and nothing that reads JSON takes it.
        let opened = registry.open_owned("jobs/1", changed.clone());
        assert!(opened.is_err() || opened.unwrap() == changed, "{at}");
        let cut = registry.open_owned("jobs/1", sealed[..at].to_vec());
        assert!(cut.is_err() || cut.unwrap() == sealed[..at], "{at}");
    }
    registry.lock(id);
    assert_eq!(registry.open_owned("jobs/1", sealed.clone()).unwrap_err().code, ErrorCode::Locked);
    registry.delete(id).unwrap();
    assert_eq!(registry.open_owned("jobs/1", sealed).unwrap_err().code, ErrorCode::NotFound);
    // What belongs to other collections stays as it is.
    assert_eq!(registry.seal_owned(CollectionId::random(), "jobs/1", content()).unwrap(), content());
}
