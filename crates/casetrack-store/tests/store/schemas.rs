//! Collections as released versions left them, frozen in `tests/frozen` (see its README), which must open for ever.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, CollectionType, DocumentId, Timestamp};
use casetrack_store::schema::SCHEMA_VERSION;
use casetrack_store::{Collection, Filter, StoredDocument};

use crate::support::*;

fn frozen(schema: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/frozen/schema-{schema}.zip"))
}

/// What the frozen collections hold in the end. Vectors are given, so that they do not depend on how tests make theirs.
fn documents() -> Vec<StoredDocument> {
    let lease = "The tenant pays the rent on the first working day of the month.\n\nThe deposit is three months' rent.";
    let survey = "The roof over the east wing leaks.\n\nThe boiler was serviced in March and needs no work.";
    let letter = "Please find the survey of the roof enclosed.";
    let mut documents = vec![
        with_id(DocumentId::from_bytes([1; 16]), "/matter/lease.txt", &[lease, "Signed by both parties."]),
        with_id(DocumentId::from_bytes([2; 16]), "/matter/survey.txt", &[survey]),
        with_id(DocumentId::from_bytes([3; 16]), "/matter/letter.txt", &[letter]),
    ];
    let mut n = 0;
    for document in &mut documents {
        for vector in &mut document.vectors {
            *vector = unit(n);
            n += 1;
        }
    }
    documents
}

/// Halfway between one axis and the next.
fn unit(n: usize) -> Vec<f32> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    (0..DIMENSION).map(|i| if i == n || i == n + 1 { half } else { 0.0 }).collect()
}

/// What [`answers`] gives of a frozen collection: documents by the first byte of their ids, and chunks.
const ANSWERS: [[(u8, u32); 3]; 3] = [[(1, 1), (1, 0), (3, 0)], [(3, 0), (2, 0), (1, 0)], [(2, 1), (2, 0), (3, 0)]];

/// The places that some searches find, best first.
fn answers(collection: &Collection) -> Vec<Vec<(u8, u32)>> {
    let all = Filter::default();
    let places = |hits: Vec<casetrack_store::Hit>| {
        hits.iter().map(|hit| (hit.document.as_bytes()[0], hit.index)).collect::<Vec<_>>()
    };
    vec![
        places(collection.search_bm25("the rent of three months", 3, &all).unwrap()),
        places(collection.search_bm25("survey of the leaking roof", 3, &all).unwrap()),
        places(collection.search_dense(&unit(4), 3, &all).unwrap()),
    ]
}

/// Makes the frozen collection of the current schema; run it once, before a release: see `tests/frozen/README.md`.
#[test]
#[ignore = "writes into the source tree"]
fn freeze_the_current_schema() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("collection");
    let meta = CollectionMeta {
        id: CollectionId::from_bytes([9; 16]),
        name: "Frozen".into(),
        reference: Some("F-1".into()),
        collection_type: CollectionType::Contract,
        status: CollectionStatus::Active,
        created_at: Timestamp(1_700_000_000_000),
    };
    let collection = Collection::create(&dir, &meta, &models()).unwrap();
    let passing = document("/matter/draft.txt", &["A draft that was deleted."]);
    collection.put_document(&passing).unwrap();
    let documents = documents();
    collection.put_document(&with_id(documents[1].meta.id, "/matter/survey.txt", &["An earlier survey."])).unwrap();
    collection.put_document(&documents[0]).unwrap();
    collection.flush().unwrap();
    // What follows is in the log alone: no index on disk has it.
    collection.delete_document(passing.meta.id).unwrap();
    collection.put_document(&documents[1]).unwrap();
    collection.put_document(&documents[2]).unwrap();
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    assert_eq!(answers(&collection), ANSWERS);
    assert_clean(&collection);
    drop(collection);

    let mut zip = zip::ZipWriter::new(std::fs::File::create_new(frozen(SCHEMA_VERSION)).unwrap());
    for path in files(&crashed) {
        let name = path.strip_prefix(&crashed).unwrap().to_str().unwrap().replace('\\', "/");
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&std::fs::read(&path).unwrap()).unwrap();
    }
    zip.finish().unwrap();
}

/// All files below a directory, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn thaw(schema: u32) -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("collection");
    let mut zip = zip::ZipArchive::new(std::fs::File::open(frozen(schema)).unwrap()).unwrap();
    for n in 0..zip.len() {
        let mut file = zip.by_index(n).unwrap();
        let path = dir.join(file.name().unwrap().as_ref());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    (temp, dir)
}

#[test]
fn a_collection_of_every_schema_opens_and_answers_as_it_did() {
    for schema in 1..=SCHEMA_VERSION {
        let (_temp, dir) = thaw(schema);
        let collection = Collection::open(&dir).unwrap();
        assert_eq!(answers(&collection), ANSWERS, "schema {schema}");
        assert_clean(&collection);
    }
}
