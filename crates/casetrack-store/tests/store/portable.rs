//! Export and import: the same collection elsewhere, and archives that must be refused.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{ErrorCode, Result, Sha256};
use casetrack_store::{Archive, Collection, ExportOptions, StoredDocument};
use serde_json::{Value, json};
use sha2::Digest;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::support::*;

fn sha256(bytes: &[u8]) -> Sha256 {
    Sha256(sha2::Sha256::digest(bytes).into())
}

/// Documents with replacements and deletions behind them, one with its original.
pub fn matter() -> (tempfile::TempDir, Collection, Vec<StoredDocument>) {
    let (temp, _, collection) = new_collection();
    let mut documents = many(9, 5);
    documents[6].annotations = None;
    documents.push(document("/data/empty.txt", &[""]));
    documents.push(document("/data/pages.txt", &["One page: Größe ☂\n\nof two", "word3x1 again\n\nsame\n\nsame"]));
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    // An old document comes to the end of the order, and slots have gaps.
    documents.rotate_left(1);
    collection.put_document(documents.last().unwrap()).unwrap();
    collection.delete_document(documents.remove(3).meta.id).unwrap();
    let mut kept = document("/data/kept.txt", &["The original is kept."]);
    kept.meta.original_stored = true;
    kept.meta.sha256 = sha256(b"the file");
    std::fs::write(collection.original_path(&kept.meta), b"the file").unwrap();
    collection.put_document(&kept).unwrap();
    documents.push(kept);
    collection.set_columns(&json!([{"name": "law"}])).unwrap();
    collection.flush().unwrap();
    (temp, collection, documents)
}

fn stored(collection: &Collection, meta: casetrack_core::DocumentMeta) -> StoredDocument {
    StoredDocument {
        pages: (1..=meta.page_count).map(|n| collection.page(meta.id, n).unwrap().unwrap()).collect(),
        chunks: collection.chunks(meta.id).unwrap(),
        vectors: collection.vectors(meta.id).unwrap().into_iter().map(|(_, vector)| vector).collect(),
        dense_model: collection.models().dense.clone(),
        sparse_vectors: collection.sparse_vectors(meta.id).unwrap().into_iter().map(|(_, vector)| vector).collect(),
        sparse_model: collection.models().sparse.clone(),
        token_vectors: Vec::new(),
        token_model: None,
        annotations: collection.annotations(meta.id).unwrap(),
        meta,
    }
}

pub fn everything(collection: &Collection) -> Vec<StoredDocument> {
    collection.documents().unwrap().into_iter().map(|meta| stored(collection, meta)).collect()
}

fn import(archive: &Path, place: &Path) -> Result<Collection> {
    let mut archive = Archive::open(archive)?;
    local::import(place, &mut archive, &collection_meta("Imported"))
}

#[test]
fn an_imported_collection_is_and_finds_the_same() {
    let (temp, collection, documents) = matter();
    let file = temp.path().join("matter.ctcollection");
    let report = collection.export(&file, &ExportOptions::default()).unwrap();
    assert_eq!((report.documents, report.originals, report.left_out.len()), (documents.len() as u64, 1, 0));
    assert_eq!(report.bytes, std::fs::metadata(&file).unwrap().len());

    let elsewhere = tempfile::tempdir().unwrap();
    let imported = import(&file, &elsewhere.path().join("imported")).unwrap();
    assert_ne!(imported.meta().id, collection.meta().id);
    assert_eq!(everything(&imported), everything(&collection));
    assert_eq!(imported.counts().unwrap().annotated_documents, documents.len() as u64 - 1);
    assert_eq_results(&imported, &results(&collection), "imported");
    assert_clean(&imported);
    let kept = &documents.last().unwrap().meta;
    assert_eq!(std::fs::read(imported.original_path(kept)).unwrap(), b"the file");
    assert_eq!(imported.columns().unwrap(), Some(json!([{"name": "law"}])));

    // Again, from the copy: nothing is lost on the way.
    let again = elsewhere.path().join("again.ctcollection");
    imported.export(&again, &ExportOptions::default()).unwrap();
    let entries = |path: &Path| Archive::open(path).unwrap().manifest().entries.clone();
    assert_eq!(entries(&again), entries(&file));
}

#[test]
fn originals_can_be_left_out_and_an_altered_one_is_told() {
    let (temp, collection, documents) = matter();
    let file = temp.path().join("matter.ctcollection");
    collection.export(&file, &ExportOptions { originals: false, ..Default::default() }).unwrap();
    let imported = import(&file, &temp.path().join("without")).unwrap();
    assert!(imported.documents().unwrap().iter().all(|meta| !meta.original_stored));

    let error = collection.export(&file, &ExportOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::AlreadyExists);
    std::fs::write(collection.original_path(&documents.last().unwrap().meta), b"another").unwrap();
    let report = collection.export(&file, &ExportOptions { overwrite: true, ..Default::default() }).unwrap();
    assert_eq!(report.left_out, ["/data/kept.txt: its copy has other content."]);
    assert_clean(&import(&file, &temp.path().join("altered")).unwrap());
}

#[test]
fn an_export_during_changes_is_of_one_moment_and_leaves_nothing_behind() {
    let (temp, collection, documents) = matter();
    let kept = documents.last().unwrap();
    let file = temp.path().join("matter.ctcollection");
    std::thread::scope(|scope| {
        let export = scope.spawn(|| collection.export(&file, &ExportOptions::default()).unwrap());
        for n in 0..20 {
            let stored = document(&format!("/data/new{n}.txt"), &["new\n\nparts"]);
            collection.put_document(&stored).unwrap();
        }
        collection.delete_document(kept.meta.id).unwrap();
        let _ = std::fs::remove_file(collection.original_path(&kept.meta));
        assert_eq!(export.join().unwrap().left_out, Vec::<String>::new());
    });
    let imported = import(&file, &temp.path().join("imported")).unwrap();
    assert_clean(&imported);
    // As many changes as had been made at that moment.
    let new: Vec<bool> =
        (0..20).map(|n| imported.document_by_path(&format!("/data/new{n}.txt")).unwrap().is_some()).collect();
    assert!(new.is_sorted_by(|a, b| a >= b), "{new:?}");
    let left: Vec<PathBuf> =
        std::fs::read_dir(temp.path().join("collection")).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(left.iter().all(|path| !path.to_str().unwrap().contains(".export-")), "{left:?}");
    assert!(!temp.path().join("matter.ctcollection.partial").exists());
}

#[test]
fn a_damaged_collection_is_not_exported_in_silence() {
    let (temp, dir, collection) = new_collection();
    let documents = many(3, 4);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    drop(collection);
    let db = raw(&dir);
    let family = db.cf_handle(casetrack_store::schema::cf::VECTORS).unwrap();
    db.delete_cf(family, casetrack_store::schema::numbered_key(documents[1].meta.id, 2)).unwrap();
    drop(db);
    let collection = local::open(&dir).unwrap();
    let file = temp.path().join("matter.ctcollection");
    let error = collection.export(&file, &ExportOptions::default()).unwrap_err();
    assert!(error.code == ErrorCode::Corrupt && error.message.contains("/data/document1.txt"), "{}", error.message);
    assert!(!file.exists() && !temp.path().join("matter.ctcollection.partial").exists());
}

type Parts = Vec<(String, Vec<u8>)>;

fn unpack(file: &Path) -> Parts {
    let mut zip = ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    (0..zip.len())
        .map(|index| {
            let mut entry = zip.by_index(index).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (String::from_utf8(entry.name_raw().to_vec()).unwrap(), bytes)
        })
        .collect()
}

fn pack(file: &Path, parts: &Parts) {
    let mut zip = ZipWriter::new(std::fs::File::create(file).unwrap());
    for (name, bytes) in parts {
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(name.as_str(), stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn manifest(parts: &mut Parts, change: impl FnOnce(&mut Value)) {
    let bytes = &mut parts.iter_mut().find(|(name, _)| name == "manifest.json").unwrap().1;
    let mut value = serde_json::from_slice(bytes).unwrap();
    change(&mut value);
    *bytes = serde_json::to_vec(&value).unwrap();
}

/// Rewrites an entry and its record in the manifest, as an attacker would.
fn forge(parts: &mut Parts, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let bytes = &mut parts.iter_mut().find(|(entry, _)| entry == name).unwrap().1;
    change(bytes);
    let (length, digest) = (bytes.len(), sha256(bytes).to_string());
    manifest(parts, |manifest| {
        let entries = manifest["entries"].as_array_mut().unwrap();
        let entry = entries.iter_mut().find(|entry| entry["name"] == name).unwrap();
        (entry["bytes"], entry["sha256"]) = (json!(length), json!(digest));
    });
}

fn rename(parts: &mut Parts, to: &str) {
    parts[0].0 = to.to_owned();
    manifest(parts, |manifest| manifest["entries"][0]["name"] = json!(to));
}

#[test]
fn archives_that_do_not_check_out_are_refused_and_leave_nothing() {
    let (temp, collection, _) = matter();
    let file = temp.path().join("matter.ctcollection");
    collection.export(&file, &ExportOptions::default()).unwrap();
    let sound = unpack(&file);
    let last = sound.iter().rev().find(|(name, _)| name.starts_with("documents/")).unwrap().0.clone();
    type Attack<'a> = (&'a str, ErrorCode, Box<dyn Fn(&mut Parts) + 'a>);
    let unreadable = ErrorCode::UnreadableFile;
    let attacks: Vec<Attack<'_>> = vec![
        ("no manifest", unreadable, Box::new(|parts| parts.retain(|(name, _)| name != "manifest.json"))),
        ("its manifest cannot be read", unreadable, Box::new(|parts| parts.last_mut().unwrap().1.truncate(100))),
        ("of something else", unreadable, Box::new(|parts| manifest(parts, |m| m["format"] = json!("other")))),
        (
            "by a newer CaseTrack",
            ErrorCode::NewerSchema,
            Box::new(|parts| manifest(parts, |m| m["format_version"] = json!(4))),
        ),
        ("its format 0 is unknown", unreadable, Box::new(|parts| manifest(parts, |m| m["format_version"] = json!(0)))),
        ("is missing", unreadable, Box::new(|parts| _ = parts.remove(0))),
        ("which its manifest does not name", unreadable, Box::new(|parts| parts.push(("extra".into(), vec![1])))),
        ("which does not belong there", unreadable, Box::new(|parts| rename(parts, "../../escaped"))),
        ("which does not belong there", unreadable, Box::new(|parts| rename(parts, "/etc/escaped"))),
        ("which does not belong there", unreadable, Box::new(|parts| rename(parts, "documents\\00000000"))),
        ("which does not belong there", unreadable, Box::new(|parts| rename(parts, "documents/0"))),
        ("a link, a directory", unreadable, Box::new(|parts| rename(parts, "documents/00000000/"))),
        (
            "missing or twice",
            unreadable,
            Box::new(|parts| {
                manifest(parts, |m| {
                    let first = m["entries"][0].clone();
                    m["entries"].as_array_mut().unwrap().push(first);
                })
            }),
        ),
        (
            "bytes, but its manifest gives 12",
            unreadable,
            Box::new(|parts| manifest(parts, |m| m["entries"][0]["bytes"] = json!(12))),
        ),
        ("counts other documents", unreadable, Box::new(|parts| manifest(parts, |m| m["documents"] = json!(1)))),
        (
            "names no model",
            unreadable,
            Box::new(|parts| manifest(parts, |m| m["models"]["dense_dimension"] = json!(0))),
        ),
        ("the checksum of", unreadable, Box::new(|parts| parts[0].1[300] ^= 1)),
        ("other documents, pages or chunks", unreadable, Box::new(|parts| manifest(parts, |m| m["chunks"] = json!(1)))),
        // What an attacker would make whole again.
        (
            "unknown kind 10",
            unreadable,
            Box::new(|parts| forge(parts, &last, |bytes| bytes.extend([10, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ),
        (
            "ends within a section",
            unreadable,
            Box::new(|parts| forge(parts, &last, |bytes| bytes.truncate(bytes.len() - 1))),
        ),
        ("it is empty", unreadable, Box::new(|parts| forge(parts, &last, Vec::clear))),
        (
            "id does not follow from its text",
            unreadable,
            Box::new(|parts| {
                forge(parts, &last, |bytes| {
                    let place = bytes.windows(9).position(|window| window == b"original ").unwrap();
                    bytes[place] = b'O';
                })
            }),
        ),
        (
            "vector of chunk 0 has length",
            unreadable,
            Box::new(|parts| {
                forge(parts, &last, |bytes| {
                    // The header of its section: kind, number and length; then a version byte.
                    let length = (1 + 2 * DIMENSION as u32).to_le_bytes();
                    let header = [&[6, 0, 0, 0, 0][..], &length].concat();
                    let at = bytes.windows(header.len()).position(|window| window == header).unwrap();
                    bytes[at + header.len() + 1..][..2 * DIMENSION].fill(0);
                })
            }),
        ),
        (
            "in its annotations, reference 0 is at characters",
            unreadable,
            Box::new(|parts| {
                // The end of them is the reference: its length, kind, name and relation.
                forge(parts, &last, |bytes| {
                    let length = bytes.len() - 4;
                    bytes[length] = 127;
                })
            }),
        ),
        ("unknown kind 77", unreadable, Box::new(|parts| forge(parts, &last, |bytes| *bytes.last_mut().unwrap() = 77))),
        (
            "not the file of its document",
            unreadable,
            Box::new(|parts| {
                let name = parts.iter().find(|(name, _)| name.starts_with("originals/")).unwrap().0.clone();
                forge(parts, &name, |bytes| bytes[0] ^= 1);
            }),
        ),
        (
            "contradict each other",
            unreadable,
            Box::new(|parts| {
                parts.retain(|(name, _)| !name.starts_with("originals/"));
                manifest(parts, |m| {
                    m["originals"] = json!(0);
                    m["entries"]
                        .as_array_mut()
                        .unwrap()
                        .retain(|entry| !entry["name"].as_str().unwrap().starts_with("originals/"));
                });
            }),
        ),
        (
            "other documents, pages or chunks",
            unreadable,
            Box::new(|parts| {
                // The same document twice.
                let first = parts[0].1.clone();
                forge(parts, "documents/00000001", |bytes| *bytes = first);
            }),
        ),
    ];
    let place = temp.path().join("place");
    std::fs::create_dir(&place).unwrap();
    for (phrase, code, attack) in attacks {
        let mut parts = sound.clone();
        attack(&mut parts);
        let hostile = temp.path().join("hostile.ctcollection");
        pack(&hostile, &parts);
        let error = import(&hostile, &place.join("imported")).map(drop).unwrap_err();
        assert_eq!(error.code, code, "{phrase}: {}", error.full_text());
        assert!(error.message.contains(phrase), "{phrase}: {}", error.full_text());
        assert!(error.hint.is_some());
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{phrase}");
    }
    // The test's own packing is no reason for refusal.
    pack(&temp.path().join("same.ctcollection"), &sound);
    assert_clean(&import(&temp.path().join("same.ctcollection"), &place.join("imported")).unwrap());
}

#[test]
fn damaged_and_deceiving_zip_archives_are_refused() {
    let (temp, collection, _) = matter();
    let file = temp.path().join("matter.ctcollection");
    collection.export(&file, &ExportOptions::default()).unwrap();
    let sound = std::fs::read(&file).unwrap();
    let damaged = temp.path().join("damaged.ctcollection");
    let place = temp.path().join("imported");
    let refused = |what: &str| {
        let error = import(&damaged, &place).map(drop).unwrap_err();
        assert_eq!(error.code, ErrorCode::UnreadableFile, "{what}: {}", error.full_text());
        assert!(!place.exists(), "{what}");
    };
    for kept in [0, 10, sound.len() / 2, sound.len() - 1] {
        std::fs::write(&damaged, &sound[..kept]).unwrap();
        refused(&format!("{kept} bytes kept"));
    }
    // Wherever a byte is flipped, nothing but the original comes in.
    let expected = everything(&collection);
    for at in (0..sound.len()).step_by(sound.len() / 31) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&damaged, bytes).unwrap();
        match import(&damaged, &place) {
            Ok(imported) => {
                assert_eq!(everything(&imported), expected, "byte {at}");
                drop(imported);
                std::fs::remove_dir_all(&place).unwrap();
            }
            Err(error) => {
                assert!(
                    matches!(error.code, ErrorCode::UnreadableFile | ErrorCode::NewerSchema),
                    "byte {at}: {error:?}"
                );
            }
        }
    }
    // Two entries of one name, by renaming one in both of its headers.
    let duplicate = String::from_utf8_lossy(&sound).contains("documents/00000001");
    assert!(duplicate);
    let mut bytes = sound.clone();
    while let Some(at) = bytes.windows(18).position(|window| window == b"documents/00000001") {
        bytes[at + 17] = b'0';
    }
    std::fs::write(&damaged, bytes).unwrap();
    refused("two entries of one name");

    // An entry that unpacks to far more than the manifest states.
    let mut zip = ZipWriter::new(std::fs::File::create(&damaged).unwrap());
    for (name, bytes) in unpack(&file) {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        if name == "documents/00000000" {
            for _ in 0..64 {
                zip.write_all(&[0; 1 << 20]).unwrap();
            }
        } else {
            zip.write_all(&bytes).unwrap();
        }
    }
    zip.finish().unwrap();
    refused("a bomb");
}
