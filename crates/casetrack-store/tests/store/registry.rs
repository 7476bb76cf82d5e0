use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, ErrorCode, Timestamp};
use casetrack_store::schema::SCHEMA_VERSION;
use casetrack_store::{Counts, Registry, Store};

use crate::support::*;

fn registry() -> (tempfile::TempDir, Registry) {
    let temp = tempfile::tempdir().unwrap();
    // Windows allows no quotation marks in names.
    let name = if cfg!(windows) { "data with 'quotes' and é" } else { "data with \"quotes\" and é" };
    let registry = Registry::open(&temp.path().join(name)).unwrap();
    (temp, registry)
}

#[test]
fn collections_are_listed_by_age_opened_and_deleted() {
    let (_temp, registry) = registry();
    assert_eq!(registry.list().unwrap(), []);
    let meta = |name: &str, created| CollectionMeta { created_at: Timestamp(created), ..collection_meta(name) };
    let metas = [meta("second", 2000), meta("first", 1000), meta("third", 3000)];
    for meta in &metas {
        let collection = registry.create(meta, &models()).unwrap();
        assert_eq!((collection.meta(), collection.models()), (meta, &models()));
        assert!(collection.originals_dir().is_dir());
    }
    let [second, first, third] = metas;
    assert_eq!(registry.list().unwrap(), [first.clone(), second.clone(), third.clone()]);
    assert_eq!(registry.create(&first, &models()).map(drop).unwrap_err().code, ErrorCode::AlreadyExists);

    registry.open_collection(second.id).unwrap().put_document(&document("/a.txt", &["text"])).unwrap();
    registry.delete(first.id).unwrap();
    assert_eq!(registry.list().unwrap(), [second.clone(), third]);
    assert!(!registry.path(first.id).exists());
    assert_eq!(
        registry.counts_and_last_change(second.id).unwrap().0,
        Counts { documents: 1, pages: 1, chunks: 1, sparse_chunks: 1, annotated_documents: 1, token_chunks: 0 }
    );
    for error in [
        registry.delete(first.id).unwrap_err(),
        registry.open_collection(first.id).map(drop).unwrap_err(),
        registry.counts_and_last_change(CollectionId::random()).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::NotFound);
    }
}

#[test]
fn a_collection_has_one_owner() {
    let (_temp, registry) = registry();
    let meta = collection_meta("one");
    let owner = registry.create(&meta, &models()).unwrap();
    for error in [registry.open_collection(meta.id).map(drop).unwrap_err(), registry.delete(meta.id).unwrap_err()] {
        assert_eq!(error.code, ErrorCode::InUse);
        assert!(error.hint.is_some());
    }
    owner.put_document(&document("/a.txt", &["one\n\ntwo"])).unwrap();
    assert_eq!(
        registry.counts_and_last_change(meta.id).unwrap().0,
        Counts { documents: 1, pages: 1, chunks: 2, sparse_chunks: 2, annotated_documents: 1, token_chunks: 0 },
        "a look needs no ownership"
    );
    owner.put_document(&document("/b.txt", &["three"])).unwrap();
    assert_eq!(registry.counts_and_last_change(meta.id).unwrap().0.chunks, 3);
    assert_clean(&owner);
    drop(owner);
    registry.open_collection(meta.id).unwrap();
    registry.delete(meta.id).unwrap();
}

#[test]
fn a_collection_is_its_directory() {
    let (_temp, here) = registry();
    let (_temp2, there) = registry();
    let meta = collection_meta("portable");
    let collection = here.create(&meta, &models()).unwrap();
    for stored in many(4, 3) {
        collection.put_document(&stored).unwrap();
    }
    std::fs::write(collection.originals_dir().join("copy.pdf"), b"%PDF").unwrap();
    let expected = results(&collection);
    drop(collection);
    copy_dir(&here.path(meta.id), &there.path(meta.id));
    here.delete(meta.id).unwrap();

    assert_eq!(there.list().unwrap(), std::slice::from_ref(&meta));
    let collection = there.open_collection(meta.id).unwrap();
    assert_eq_results(&collection, &expected, "");
    assert_clean(&collection);
    let usage = collection.disk_usage().unwrap();
    assert!(usage.truth > 0 && usage.dense > 0 && usage.bm25 > 0);
    assert_eq!(usage.originals, 4);
}

#[test]
fn directories_that_are_no_collections_are_reported_not_hidden() {
    let (_temp, registry) = registry();
    let good = collection_meta("good");
    drop(registry.create(&good, &models()).unwrap());
    let root = registry.path(good.id).parent().unwrap().to_owned();
    copy_dir(&registry.path(good.id), &root.join("copy"));
    std::fs::create_dir(root.join("empty")).unwrap();
    std::fs::create_dir(root.join("torn")).unwrap();
    std::fs::write(root.join("torn/collection.json"), "{\"schema_version\": 1, ").unwrap();
    std::fs::write(root.join("file"), "no directory").unwrap();
    let (found, problems) = registry.scan().unwrap();
    assert_eq!(found, std::slice::from_ref(&good));
    let codes: Vec<ErrorCode> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [ErrorCode::Corrupt, ErrorCode::NotFound, ErrorCode::Corrupt]);
    assert!(problems.iter().all(|problem| problem.hint.is_some()));
    assert_eq!(registry.list().unwrap(), [good]);
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let (_temp, registry) = registry();
    let meta = collection_meta("from the future");
    drop(registry.create(&meta, &models()).unwrap());
    let path = registry.path(meta.id).join("collection.json");
    let version = |schema: u32| format!("\"schema_version\": {schema}");
    let json = std::fs::read_to_string(&path).unwrap();
    let json = json.replace(&version(SCHEMA_VERSION), &version(SCHEMA_VERSION + 1));
    std::fs::write(&path, &json).unwrap();
    for error in [
        registry.open_collection(meta.id).map(drop).unwrap_err(),
        registry.counts_and_last_change(meta.id).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::NewerSchema);
    }
    assert_eq!(registry.scan().unwrap().1[0].code, ErrorCode::NewerSchema);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), json);
}

#[test]
fn remains_of_interrupted_deletions_and_creations_are_cleared_away() {
    let (_temp, registry) = registry();
    let root = registry.path(CollectionId::random()).parent().unwrap().to_owned();
    let (trash, staging) = (root.join(".trash-x"), root.join(".new-x"));
    for dir in [&trash, &staging] {
        std::fs::create_dir_all(dir.join("rocksdb")).unwrap();
    }
    assert_eq!(registry.list().unwrap(), []);
    registry.clear_remains().unwrap();
    assert!(!trash.exists() && !staging.exists());
}

#[test]
fn a_collection_is_not_made_over_something() {
    let temp = tempfile::tempdir().unwrap();
    let error = local::create(temp.path(), &collection_meta("x"), &models()).map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::AlreadyExists);
    let missing = local::open(&temp.path().join("none")).map(drop).unwrap_err();
    assert_eq!(missing.code, ErrorCode::NotFound);
}

#[cfg(unix)]
#[test]
fn a_data_directory_that_stores_could_not_name_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    assert_eq!(Registry::open(&dir).unwrap_err().code, ErrorCode::InvalidArgument);
}

#[test]
fn a_new_description_is_there_whole_whenever_the_program_ends() {
    let (_temp, registry) = registry();
    let meta = collection_meta("before");
    let mut collection = registry.create(&meta, &models()).unwrap();
    collection.put_document(&document("/a.txt", &["one\n\ntwo"])).unwrap();
    let file = registry.path(meta.id).join("collection.json");
    let old = std::fs::read(&file).unwrap();
    let closed = CollectionMeta { name: "after".into(), status: CollectionStatus::Closed, ..meta.clone() };
    collection.describe(closed.clone()).unwrap();
    assert_eq!(collection.meta(), &closed);
    let other = CollectionMeta { id: CollectionId::random(), ..closed.clone() };
    assert_eq!(collection.describe(other).unwrap_err().code, ErrorCode::Internal);
    assert_clean(&collection);
    drop(collection);
    assert_eq!(registry.meta(meta.id).unwrap(), closed);

    // The moment before `collection.json` is replaced.
    std::fs::write(&file, old).unwrap();
    let collection = registry.open_collection(meta.id).unwrap();
    assert_eq!(collection.meta(), &closed);
    assert_eq!(collection.counts().unwrap().chunks, 2);
    drop(collection);
    assert_eq!(registry.meta(meta.id).unwrap(), closed);
}

#[cfg(unix)]
#[test]
fn a_collection_that_others_could_read_is_private_once_it_was_opened() {
    use std::os::unix::fs::PermissionsExt;
    let (_temp, registry) = registry();
    let meta = collection_meta("one");
    let collection = registry.create(&meta, &models()).unwrap();
    collection.put_document(&document("/a.txt", &["one"])).unwrap();
    drop(collection);
    let dir = registry.path(meta.id);
    let open_to_all = |path: &std::path::Path| {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    [dir.join("collection.json"), dir.join("rocksdb"), dir.clone()].iter().for_each(|path| open_to_all(path));
    drop(registry.open_collection(meta.id).unwrap());
    for path in [dir.join("collection.json"), dir.join("rocksdb"), dir] {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}
