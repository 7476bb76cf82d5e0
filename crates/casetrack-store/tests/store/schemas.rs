//! Collections as released versions left them, frozen in `tests/frozen` (see its README), which must open for ever.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use casetrack_core::{
    CollectionId, CollectionMeta, CollectionStatus, CollectionType, DocumentId, ErrorCode, Timestamp,
};
use casetrack_store::schema::SCHEMA_VERSION;
use casetrack_store::{
    Archive, Collection, Counts, ExportOptions, Filter, LocalCollection, Registry, SparseVector, Store, StoredDocument,
};

use crate::support::*;

/// `kind` is `zip` for the directory of a collection, `ctcollection` for an archive of it.
fn frozen(schema: u32, kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/frozen/schema-{schema}.{kind}"))
}

/// The final content of the frozen collections. Vectors are given, so that they do not depend on how tests make theirs.
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
        for (vector, sparse) in document.vectors.iter_mut().zip(&mut document.sparse_vectors) {
            *vector = unit(n);
            *sparse = SparseVector { terms: vec![(100 + n as u32, 2.0), (101 + n as u32, 1.0)] };
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

/// The results of [`answers`] for a frozen collection: documents by the first byte of their ids, and chunks.
const ANSWERS: [[(u8, u32); 3]; 3] = [[(1, 1), (1, 0), (3, 0)], [(3, 0), (2, 0), (1, 0)], [(2, 1), (2, 0), (3, 0)]];

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
    let collection = local::create(&dir, &meta, &models()).unwrap();
    let passing = document("/matter/draft.txt", &["A draft that was deleted."]);
    collection.put_document(&passing).unwrap();
    let documents = documents();
    collection.put_document(&with_id(documents[1].meta.id, "/matter/survey.txt", &["An earlier survey."])).unwrap();
    collection.put_document(&documents[0]).unwrap();
    collection.flush().unwrap();
    // Later changes are only in the log: no index on disk has them.
    collection.delete_document(passing.meta.id).unwrap();
    collection.put_document(&documents[1]).unwrap();
    collection.put_document(&documents[2]).unwrap();
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    assert_eq!(answers(&collection), ANSWERS);
    assert_clean(&collection);
    collection.export(&frozen(SCHEMA_VERSION, "ctcollection"), &ExportOptions::default()).unwrap();
    drop(collection);

    let mut zip = zip::ZipWriter::new(std::fs::File::create_new(frozen(SCHEMA_VERSION, "zip")).unwrap());
    for path in files(&crashed) {
        let name = path.strip_prefix(&crashed).unwrap().to_str().unwrap().replace('\\', "/");
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&std::fs::read(&path).unwrap()).unwrap();
    }
    zip.finish().unwrap();
}

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
    let mut zip = zip::ZipArchive::new(std::fs::File::open(frozen(schema, "zip")).unwrap()).unwrap();
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
    for schema in 1..SCHEMA_VERSION {
        let (_temp, dir) = thaw(schema);
        let collection = local::open(&dir).unwrap();
        assert_eq!(answers(&collection), ANSWERS, "schema {schema}");
        assert_clean(&collection);
    }
}

/// The places that a learned-sparse search finds, of which schema 1 has no vectors.
fn sparse_answers(collection: &Collection) -> Vec<(u8, u32)> {
    let query = SparseVector { terms: vec![(104, 1.0), (105, 0.25)] };
    let hits = collection.search_sparse(&query, 3, &Filter::default()).unwrap();
    hits.iter().map(|hit| (hit.document.as_bytes()[0], hit.index)).collect()
}

#[test]
fn a_collection_of_schema_2_keeps_its_vectors_and_takes_annotations() {
    let (_temp, dir) = thaw(2);
    let collection = local::open(&dir).unwrap();
    assert_eq!(sparse_answers(&collection), ANSWERS[2]);
    let counts =
        Counts { documents: 3, pages: 4, chunks: 6, sparse_chunks: 6, annotated_documents: 0, token_chunks: 0 };
    assert_eq!(collection.counts().unwrap(), counts);
    let documents = documents();
    assert!(documents.iter().all(|stored| collection.annotations(stored.meta.id).unwrap().is_none()));
    collection.put_document(&documents[1]).unwrap();
    assert_eq!(collection.annotations(documents[1].meta.id).unwrap(), documents[1].annotations);
    assert_eq!(collection.counts().unwrap(), Counts { annotated_documents: 1, ..counts });
    assert_clean(&collection);
    drop(collection);
    assert!(dir.join("backup-schema-2").exists());
    let collection = local::open(&dir).unwrap();
    assert_eq!(sparse_answers(&collection), ANSWERS[2]);
    assert!(!dir.join("backup-schema-2").exists());
    collection.delete_document(documents[1].meta.id).unwrap();
    assert_eq!(collection.counts().unwrap().annotated_documents, 0);
    assert_clean(&collection);
}

/// Of format 1, before annotations.
#[test]
fn an_archive_of_schema_2_is_imported() {
    let temp = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(&frozen(2, "ctcollection")).unwrap();
    assert_eq!(archive.manifest().format_version, 1);
    let collection = local::import(&temp.path().join("imported"), &mut archive, &collection_meta("Old")).unwrap();
    assert_eq!(answers(&collection), ANSWERS);
    assert_eq!(sparse_answers(&collection), ANSWERS[2]);
    assert_eq!(collection.counts().unwrap().annotated_documents, 0);
    assert_clean(&collection);
}

/// Of format 2, before token vectors, which is still written if there are none.
#[test]
fn an_archive_of_schema_3_is_imported_and_written() {
    let temp = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(&frozen(3, "ctcollection")).unwrap();
    let collection = local::import(&temp.path().join("imported"), &mut archive, &collection_meta("Old")).unwrap();
    assert_eq!(answers(&collection), ANSWERS);
    assert_eq!((collection.counts().unwrap().annotated_documents, collection.counts().unwrap().token_chunks), (3, 0));
    assert_clean(&collection);
    let written = temp.path().join("written.ctcollection");
    collection.export(&written, &ExportOptions::default()).unwrap();
    let formats = [archive, Archive::open(&written).unwrap()].map(|archive| archive.manifest().format_version);
    assert_eq!(formats, [2, 2]);
}

#[test]
fn a_repair_of_an_older_schema_keeps_every_document() {
    for schema in 1..SCHEMA_VERSION {
        let (_temp, dir) = thaw(schema);
        let report = LocalCollection::repair(&dir).unwrap();
        assert_eq!(
            (report.documents, report.lost.len(), report.problems.len()),
            (3, 0, 0),
            "schema {schema}: {report:?}"
        );
        assert_eq!(answers(&local::open(&dir).unwrap()), ANSWERS, "schema {schema}");
    }
}

fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files(dir).into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

fn set_schema(dir: &Path, from: u32, to: u32) {
    let path = dir.join("collection.json");
    let json = std::fs::read_to_string(&path).unwrap();
    let (old, new) = (format!("\"schema_version\": {from}"), format!("\"schema_version\": {to}"));
    assert!(json.contains(&old), "{json}");
    std::fs::write(path, json.replace(&old, &new)).unwrap();
}

#[test]
fn a_migrated_collection_takes_documents_and_a_model_for_what_is_new() {
    let (_temp, dir) = thaw(1);
    let backup = dir.join("backup-schema-1");
    let mut collection = local::open(&dir).unwrap();
    assert!(backup.join("rocksdb/CURRENT").exists() && backup.join("collection.json").exists());
    assert_eq!(collection.models().sparse, None);
    assert_eq!((collection.counts().unwrap().chunks, collection.counts().unwrap().sparse_chunks), (6, 0));

    let new = document("/matter/new.txt", &["The roof was mended."]);
    assert_eq!(collection.put_document(&new).unwrap_err().code, ErrorCode::ModelMismatch);
    collection.adopt_sparse_model("test-sparse").unwrap();
    collection.put_document(&new).unwrap();
    assert_eq!(collection.adopt_sparse_model("other").unwrap_err().code, ErrorCode::ModelMismatch);
    let found = |collection: &Collection| {
        let hits = collection.search_sparse(&sparse_vector("The roof"), 9, &Filter::default()).unwrap();
        hits.iter().map(|hit| hit.document).collect::<Vec<_>>()
    };
    assert_eq!(found(&collection), [new.meta.id]);
    assert_eq!(collection.counts().unwrap().sparse_chunks, 1);
    assert_clean(&collection);
    drop(collection);

    // As after a crash between the two places that name the model.
    let path = dir.join("collection.json");
    let json = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, json.replace("\"test-sparse\"", "null")).unwrap();
    let collection = local::open(&dir).unwrap();
    assert_eq!(collection.models().sparse.as_deref(), Some("test-sparse"));
    assert!(!backup.exists(), "the collection was opened once after its migration");
    assert_eq!(found(&collection), [new.meta.id]);
    assert_clean(&collection);
}

#[test]
fn a_look_at_a_collection_of_an_older_schema_changes_nothing() {
    let (temp, dir) = thaw(1);
    let registry = Registry::open(temp.path()).unwrap();
    let id = CollectionId::from_bytes([9; 16]);
    let place = registry.path(id);
    std::fs::rename(&dir, &place).unwrap();
    let before = contents(&place);
    assert_eq!(
        registry.counts_and_last_change(id).unwrap().0,
        Counts { documents: 3, pages: 4, chunks: 6, sparse_chunks: 0, annotated_documents: 0, token_chunks: 0 }
    );
    assert_eq!(registry.list().unwrap().len(), 1);
    assert!(contents(&place) == before, "files were changed");
    registry.open_collection(id).unwrap();
    assert_eq!(registry.counts_and_last_change(id).unwrap().0.chunks, 6);
}

#[test]
fn a_collection_of_a_newer_schema_is_refused_and_left_as_it_is() {
    let (_temp, dir) = thaw(1);
    set_schema(&dir, 1, SCHEMA_VERSION + 1);
    let before = contents(&dir);
    let error = local::open(&dir).map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::NewerSchema);
    assert!(error.message.contains("newer CaseTrack (schema 5; this version knows 4)"), "{error}");
    assert!(error.hint.unwrap().plain().unwrap().contains("Update CaseTrack"));
    assert!(contents(&dir) == before, "files were changed");
}

/// The states that a migration leaves when it is ended, one after the other.
#[test]
fn a_migration_that_was_broken_off_is_made_again() {
    type Prepare = fn(&Path);
    let half_a_backup: Prepare = |dir| {
        std::fs::create_dir_all(dir.join("backup-schema-1.partial/rocksdb")).unwrap();
        std::fs::write(dir.join("backup-schema-1.partial/rocksdb/CURRENT"), "MANIF").unwrap();
    };
    let backup: Prepare = |dir| {
        drop(local::open(dir).unwrap());
        set_schema(dir, SCHEMA_VERSION, 1);
        std::fs::remove_dir_all(dir.join("rocksdb")).unwrap();
        copy_dir(&dir.join("backup-schema-1/rocksdb"), &dir.join("rocksdb"));
    };
    let all_but_the_version: Prepare = |dir| {
        drop(local::open(dir).unwrap());
        set_schema(dir, SCHEMA_VERSION, 1);
    };
    for (state, prepare) in [("half a backup", half_a_backup), ("backup", backup), ("steps", all_but_the_version)] {
        let (_temp, dir) = thaw(1);
        prepare(&dir);
        let collection = local::open(&dir).unwrap_or_else(|error| panic!("{state}: {}", error.full_text()));
        assert_eq!(answers(&collection), ANSWERS, "{state}");
        assert_clean(&collection);
        drop(collection);
        assert!(!dir.join("backup-schema-1.partial").exists());

        // The backup is a collection by itself, as it was.
        let backup = dir.join("backup-schema-1");
        assert!(std::fs::read_to_string(backup.join("collection.json")).unwrap().contains("\"schema_version\": 1"));
        let collection = local::open(&backup).unwrap();
        assert_eq!(answers(&collection), ANSWERS, "{state}");
        assert_clean(&collection);
    }
}
