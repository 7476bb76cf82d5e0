//! Every kind of file of a collection, damaged in every way: nothing is wrong in silence, and a repair keeps every
//! whole document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use casetrack_core::{DocumentId, ErrorCode, Sha256};
use casetrack_store::schema::cf;
use casetrack_store::{Collection, Hit, LocalCollection, StoredDocument};
use sha2::Digest;

use crate::support::*;

const DOCUMENTS: usize = 14;

/// A collection, part of which is in RocksDB's tables and part in its log, and its content.
struct Matter {
    _temp: tempfile::TempDir,
    dir: PathBuf,
    documents: BTreeMap<DocumentId, StoredDocument>,
    results: Vec<Vec<Hit>>,
    /// An instant after it was written and before anything was saved in the indexes: the state after a crash.
    crashed: PathBuf,
}

/// Random text, which does not compress, so that documents are in blocks of their own.
fn noise(seed: usize) -> String {
    let mut random = fastrand_like(seed as u64 + 1);
    (0..3000).map(|_| char::from(b'a' + (random() % 26) as u8)).collect()
}

fn fastrand_like(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    }
}

impl Matter {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let meta = collection_meta("Test");
        let dir = temp.path().join(meta.id.to_string());
        let collection = local::create(&dir, &meta, &models()).unwrap();
        let mut documents: Vec<StoredDocument> = (0..DOCUMENTS)
            .map(|n| {
                let text: Vec<String> = (0..4)
                    .map(|p| format!("Clause {p} about common matters, word{n}x{p}. {}", noise(n * 10 + p)))
                    .collect();
                document(&format!("/data/document{n}.txt"), &[&text.join("\n\n")])
            })
            .collect();
        let kept = &mut documents[3].meta;
        kept.original_stored = true;
        kept.sha256 = Sha256(sha2::Sha256::digest(b"the file").into());
        std::fs::write(collection.original_path(&documents[3].meta), b"the file").unwrap();
        documents[..9].iter().for_each(|stored| collection.put_document(stored).unwrap());
        drop(collection);
        // RocksDB sorts its log into tables when it is opened.
        let collection = local::open(&dir).unwrap();
        documents[9..].iter().for_each(|stored| collection.put_document(stored).unwrap());
        let crashed = temp.path().join("crashed");
        copy_dir(&dir, &crashed);
        let documents =
            documents.iter().map(|stored| (stored.meta.id, everything(&collection, stored.meta.id))).collect();
        collection.flush().unwrap();
        let results = results(&collection);
        drop(collection);
        Self { _temp: temp, dir, documents, results, crashed }
    }

    /// Files of the collection by the kind of damage that they can take, relative to it.
    fn files(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.dir).unwrap().to_str().unwrap().replace('\\', "/");
                    files.extend(wanted(&name).then_some(name));
                }
            }
        }
        files.sort();
        files
    }
}

fn everything(collection: &Collection, id: DocumentId) -> StoredDocument {
    let meta = collection.document(id).unwrap().unwrap();
    StoredDocument {
        pages: (1..=meta.page_count).map(|n| collection.page(id, n).unwrap().unwrap()).collect(),
        chunks: collection.chunks(id).unwrap(),
        vectors: collection.vectors(id).unwrap().into_iter().map(|(_, vector)| vector).collect(),
        dense_model: collection.models().dense.clone(),
        sparse_vectors: collection.sparse_vectors(id).unwrap().into_iter().map(|(_, vector)| vector).collect(),
        sparse_model: collection.models().sparse.clone(),
        token_vectors: Vec::new(),
        token_model: None,
        annotations: collection.annotations(id).unwrap(),
        meta,
    }
}

#[derive(Debug, Clone, Copy)]
enum Damage {
    /// A byte at this part of the file, in thousandths.
    Flip(u64),
    Halve,
    Empty,
    Delete,
}

const EVERY_DAMAGE: [Damage; 6] =
    [Damage::Flip(0), Damage::Flip(400), Damage::Flip(999), Damage::Halve, Damage::Empty, Damage::Delete];

impl Damage {
    fn apply(self, path: &Path) {
        let mut bytes = std::fs::read(path).unwrap();
        match self {
            Damage::Delete => return std::fs::remove_file(path).unwrap(),
            Damage::Flip(_) if bytes.is_empty() => {}
            Damage::Flip(at) => {
                let at = (bytes.len() as u64 * at / 1000) as usize;
                bytes[at] ^= 0x55;
            }
            Damage::Halve => bytes.truncate(bytes.len() / 2),
            Damage::Empty => bytes.clear(),
        }
        std::fs::write(path, bytes).unwrap();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing was lost, or it came back when the collection was opened.
    Whole,
    /// It was detected; this many documents are lost, and some of the others have no annotations any more.
    Repaired { lost: usize, without_annotations: bool },
}

/// Damages a file and follows the consequences. Fails if anything is wrong in silence, or left wrong.
fn outcome(matter: &Matter, file: &str, damage: Damage) -> Outcome {
    let what = format!("{file}, {damage:?}");
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join(matter.dir.file_name().unwrap());
    copy_dir(&matter.dir, &dir);
    damage.apply(&dir.join(file));
    match local::open(&dir) {
        Ok(collection) => {
            let report = collection.verify().unwrap_or_else(|error| panic!("{what}: {}", error.full_text()));
            let originals_whole = collection.documents().is_ok_and(|documents| {
                documents
                    .iter()
                    .filter(|meta| meta.original_stored)
                    .all(|meta| std::fs::read(collection.original_path(meta)).is_ok_and(|bytes| bytes == b"the file"))
            });
            if report.is_clean() && originals_whole {
                let found =
                    collection.documents().unwrap().into_iter().map(|meta| (meta.id, everything(&collection, meta.id)));
                assert!(found.collect::<BTreeMap<_, _>>() == matter.documents, "{what}: documents differ in silence");
                assert_eq_results(&collection, &matter.results, &what);
                assert_eq!(collection.meta().name, "Test", "{what}");
                return Outcome::Whole;
            }
        }
        Err(error) => {
            assert_eq!(error.code, ErrorCode::Corrupt, "{what}: {}", error.full_text());
            assert!(format!("{:?}", error.hint).contains("Repair"), "{what}: {error:?}");
            assert!(
                error.message.contains(dir.to_str().unwrap()) || error.message.contains("collection.json"),
                "{what}: {error:?}"
            );
        }
    }
    let report = LocalCollection::repair(&dir).unwrap_or_else(|error| panic!("{what}: {}", error.full_text()));
    let (problems, found) = (&report.problems, &report.found);
    assert!(problems.is_empty(), "{what}: {problems:?} after {found:?}, {:?}", report.done);
    let collection = local::open(&dir).unwrap_or_else(|error| panic!("{what}: {}", error.full_text()));
    assert_clean(&collection);
    assert_eq!(collection.meta().name, "Test", "{what}");
    let (mut lost, mut without_sparse, mut without_annotations) = (0, false, false);
    for (id, stored) in &matter.documents {
        if collection.document(*id).unwrap().is_some() {
            let mut found = everything(&collection, *id);
            found.meta.original_stored = stored.meta.original_stored;
            if found.sparse_vectors != stored.sparse_vectors {
                // Only they may go without their document, and not in silence.
                let told = report.found.iter().any(|found| found.contains("learned-sparse vectors of"));
                assert!(told && found.sparse_vectors.is_empty(), "{what}: {:?}", report.found);
                found.sparse_vectors = stored.sparse_vectors.clone();
                without_sparse = true;
            }
            if found.annotations != stored.annotations {
                // These too.
                let told = report.found.iter().any(|found| found.contains("annotations of"));
                assert!(told && found.annotations.is_none(), "{what}: {:?}", report.found);
                found.annotations = stored.annotations.clone();
                without_annotations = true;
            }
            assert!(found == *stored, "{what}: {} differs", stored.meta.path);
        } else {
            lost += 1;
            let named = report.lost.iter().any(|lost| lost.id == *id);
            let tail = report.done.iter().any(|done| done.contains("Ingest the same folders again"));
            assert!(
                named || tail,
                "{what}: {} is lost without a word: {:?}, {:?}",
                stored.meta.path,
                report.found,
                report.done
            );
        }
    }
    assert_eq!(report.documents as usize, matter.documents.len() - lost, "{what}");
    // RocksDB's own upkeep may have dropped a damaged table that held nothing of value any more.
    let whole = lost == 0 && !without_sparse && !without_annotations;
    assert!(!found.is_empty() || whole, "{what}: nothing was said");
    if !report.lost.is_empty() {
        let quarantine = report.quarantine.as_ref().unwrap();
        assert!(quarantine.join("report.json").exists() && quarantine.join("rocksdb").is_dir(), "{what}");
    }
    if lost == 0 && !without_sparse {
        assert_eq_results(&collection, &matter.results, &what);
    }
    drop(collection);
    if matches!(damage, Damage::Delete) {
        // A second repair has nothing left to do.
        let again = LocalCollection::repair(&dir).unwrap();
        assert_eq!((again.found, again.quarantine), (vec![], None), "{what}");
    }
    Outcome::Repaired { lost, without_annotations }
}

fn outcomes(matter: &Matter, files: &[String], damages: &[Damage]) -> Vec<(String, Damage, Outcome)> {
    assert!(!files.is_empty());
    let todo = Mutex::new(
        files.iter().flat_map(|file| damages.iter().map(move |damage| (file.clone(), *damage))).collect::<Vec<_>>(),
    );
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((file, damage)) = { todo.lock().unwrap().pop() } {
                    let outcome = outcome(matter, &file, damage);
                    done.lock().unwrap().push((file, damage, outcome));
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn damage_outside_rocksdb_loses_no_document() {
    let matter = Matter::new();
    let files = matter.files(|name| !name.starts_with("rocksdb/") && !name.ends_with(".lock"));
    assert!(files.iter().any(|name| name.ends_with(".usearch")), "{files:?}");
    assert!(files.iter().any(|name| name.starts_with("originals/")), "{files:?}");
    for (file, damage, outcome) in outcomes(&matter, &files, &EVERY_DAMAGE) {
        let lost =
            matches!(outcome, Outcome::Repaired { lost, without_annotations } if lost > 0 || without_annotations);
        assert!(!lost, "{file}, {damage:?}: {outcome:?}");
        let derived = file.starts_with("bm25/") || file.starts_with("dense/");
        assert!(!derived || outcome == Outcome::Whole, "{file}, {damage:?}: {outcome:?}");
    }
}

#[test]
fn damage_to_what_rocksdb_knows_of_its_files_loses_no_document() {
    let matter = Matter::new();
    let files = matter.files(|name| {
        ["CURRENT", "MANIFEST-", "OPTIONS-", "IDENTITY"].iter().any(|kind| name.starts_with(&format!("rocksdb/{kind}")))
    });
    assert!(files.len() >= 4, "{files:?}");
    for (file, damage, outcome) in outcomes(&matter, &files, &EVERY_DAMAGE) {
        assert!(
            matches!(outcome, Outcome::Whole | Outcome::Repaired { lost: 0, without_annotations: false }),
            "{file}, {damage:?}: {outcome:?}"
        );
    }
}

#[test]
fn damage_to_a_table_loses_what_is_in_the_damaged_part() {
    let matter = Matter::new();
    let files = matter.files(|name| name.ends_with(".sst"));
    assert!(files.len() >= 10, "{files:?}");
    let read_only = rocksdb::Options::default();
    let db = rocksdb::DB::open_cf_for_read_only(&read_only, matter.dir.join("rocksdb"), cf::ALL, false).unwrap();
    let tables = db.live_files().unwrap();
    drop(db);
    let damages = [Damage::Flip(300), Damage::Flip(950), Damage::Halve, Damage::Delete];
    let (mut texts, mut annotations_lost) = (0, false);
    for (file, damage, outcome) in outcomes(&matter, &files, &damages) {
        let what = format!("{file}, {damage:?}: {outcome:?}");
        let (lost, unannotated) = match outcome {
            Outcome::Repaired { lost, without_annotations } => (lost, without_annotations),
            Outcome::Whole => (0, false),
        };
        let Some(table) = tables.iter().find(|table| format!("rocksdb{}", table.name) == file) else { continue };
        let (start, end) = (table.start_key.as_deref().unwrap(), table.end_key.as_deref().unwrap());
        let family = table.column_family_name.as_str();
        assert!(!unannotated || family == cf::ANNOTATIONS, "{what} in {family}");
        let at_most = if family == cf::ANNOTATIONS {
            // A document does without them.
            annotations_lost |= unannotated;
            0
        } else if cf::BY_DOCUMENT.contains(&family) || family == cf::DOCUMENTS {
            let inside = |id: &&DocumentId| start[..16] <= id.as_bytes()[..] && id.as_bytes()[..] <= end[..16];
            matter.documents.keys().filter(inside).count()
        } else {
            // Look-ups can be made again.
            0
        };
        assert!(lost <= at_most, "{what} of {at_most} in {family}");
        // A block of the texts, 16 KiB, holds a part of one or two documents.
        if family == cf::PAGE_TEXT && matches!(damage, Damage::Flip(300)) {
            assert!((1..=3).contains(&lost), "{what}");
            texts += 1;
        }
    }
    assert!(texts > 0 && annotations_lost);
}

#[test]
fn damage_to_the_log_loses_what_was_in_it_and_not_in_silence() {
    let matter = Matter::new();
    let files = matter.files(|name| name.starts_with("rocksdb/") && name.ends_with(".log"));
    for (file, damage, outcome) in outcomes(&matter, &files, &EVERY_DAMAGE) {
        let size = std::fs::metadata(matter.dir.join(&file)).unwrap().len();
        assert!(
            matches!(outcome, Outcome::Whole | Outcome::Repaired { lost: 0..=5, .. }),
            "{file}, {damage:?}: {outcome:?}"
        );
        // The indexes, which were saved when it was closed, show that something is missing.
        assert!(size == 0 || outcome != Outcome::Whole, "{file}, {damage:?}");
    }
    // Damage in the middle loses less than all that comes after it.
    let log = files.iter().max_by_key(|file| std::fs::metadata(matter.dir.join(file)).unwrap().len()).unwrap();
    assert!(matches!(outcome(&matter, log, Damage::Flip(300)), Outcome::Repaired { lost: 1..=3, .. }));
}

#[test]
fn a_log_that_ends_within_a_record_is_a_crash_and_not_damage() {
    let matter = Matter::new();
    let log = matter.files(|name| name.ends_with(".log")).into_iter().max_by_key(|file| {
        std::fs::metadata(matter.crashed.join(file)).map(|metadata| metadata.len()).unwrap_or_default()
    });
    let log = matter.crashed.join(log.unwrap());
    let bytes = std::fs::read(&log).unwrap();
    // The last record was being written when power failed: it was never reported as stored.
    std::fs::write(&log, &bytes[..bytes.len() - 100]).unwrap();
    let collection = local::open(&matter.crashed).unwrap();
    assert_clean(&collection);
    assert_eq!(collection.counts().unwrap().documents as usize, DOCUMENTS - 1);
    drop(collection);

    // A record before it is another matter: those after it were reported.
    let matter = Matter::new();
    let log = matter.crashed.join(log.strip_prefix(log.ancestors().nth(2).unwrap()).unwrap());
    let mut bytes = std::fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&log, bytes).unwrap();
    assert_eq!(local::open(&matter.crashed).map(drop).unwrap_err().code, ErrorCode::Corrupt);
}
