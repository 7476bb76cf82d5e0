//! A second directory of a collection, for vectors of other models, which takes the place of the first.

use std::path::Path;

use casetrack_core::{CollectionId, CollectionMeta, ErrorCode};
use casetrack_store::{Registry, Store, VectorModels};
use serde_json::json;

use crate::support::*;

fn other_models() -> VectorModels {
    VectorModels { dense: "other-model".into(), ..models() }
}

/// A data directory with a collection of two documents, and a second directory of it with other models.
fn matter() -> (tempfile::TempDir, Registry, CollectionMeta) {
    let temp = tempfile::tempdir().unwrap();
    let registry = Registry::open(temp.path()).unwrap();
    let meta = collection_meta("Matter");
    let source = registry.create(&meta, &models()).unwrap();
    source.set_columns(&json!(["column"])).unwrap();
    std::fs::write(source.originals_dir().join("copy.txt"), "text").unwrap();
    std::fs::create_dir_all(source.uploads_dir().join("folder")).unwrap();
    std::fs::write(source.uploads_dir().join("folder/dropped.txt"), "text").unwrap();
    let target = registry.moving(&meta, &other_models()).unwrap();
    for path in ["/b.txt", "/a.txt"] {
        let document = document(path, &["text"]);
        source.put_document(&document).unwrap();
        let moved = casetrack_store::StoredDocument { dense_model: other_models().dense, ..document };
        target.put_document(&moved).unwrap();
    }
    let paths: Vec<String> = source.documents_as_stored().unwrap().into_iter().map(|meta| meta.path).collect();
    assert_eq!(paths, ["/b.txt", "/a.txt"]);
    (temp, registry, meta)
}

/// The collection has the documents, with vectors of the other models or not.
fn check(registry: &Registry, id: CollectionId, moved: bool) {
    assert_eq!(registry.list().unwrap().len(), 1);
    let collection = registry.open_collection(id).unwrap();
    let expected = if moved { other_models() } else { models() };
    assert_eq!(*collection.models(), expected);
    assert_eq!(collection.counts().unwrap().documents, 2);
    assert!(collection.verify().unwrap().is_clean());
    assert_eq!(collection.columns().unwrap(), Some(json!(["column"])));
    assert!(collection.originals_dir().join("copy.txt").exists());
    assert!(collection.uploads_dir().join("folder/dropped.txt").exists());
}

#[test]
fn a_collection_is_replaced_with_all_that_lies_in_its_directory() {
    let (temp, registry, meta) = matter();
    check(&registry, meta.id, false);
    registry.replace_with_moved(meta.id).unwrap();
    check(&registry, meta.id, true);
    assert_eq!(hidden(temp.path()), [""; 0]);
}

#[test]
fn a_replacement_needs_both_to_be_closed() {
    let (_temp, registry, meta) = matter();
    let open = registry.open_collection(meta.id).unwrap();
    assert_eq!(registry.replace_with_moved(meta.id).unwrap_err().code, ErrorCode::InUse);
    drop(open);
    let open = registry.moving(&meta, &other_models()).unwrap();
    assert_eq!(registry.replace_with_moved(meta.id).unwrap_err().code, ErrorCode::InUse);
    drop(open);
    check(&registry, meta.id, false);
}

#[test]
fn a_kill_during_the_replacement_leaves_one_of_the_two() {
    let (temp, registry, meta) = matter();
    let root = temp.path().join("collections");
    let (dir, moving, replaced) = (
        registry.path(meta.id),
        root.join(format!(".moving-{}", meta.id)),
        root.join(format!(".replaced-{}", meta.id)),
    );
    // After the first of its two steps.
    drop(registry.replace_with_moved(meta.id));
    std::fs::rename(&dir, &replaced).unwrap();
    registry.clear_remains().unwrap();
    check(&registry, meta.id, true);
    std::fs::rename(&dir, &moving).unwrap();
    std::fs::create_dir(&replaced).unwrap();
    registry.clear_remains().unwrap();
    check(&registry, meta.id, true);
    // After the second, before the earlier one was removed.
    std::fs::create_dir(&replaced).unwrap();
    registry.clear_remains().unwrap();
    check(&registry, meta.id, true);
    assert_eq!(hidden(temp.path()), [""; 0]);
}

#[test]
fn what_a_move_left_is_used_again_or_removed() {
    let (temp, registry, meta) = matter();
    assert_eq!(registry.moving(&meta, &other_models()).unwrap().counts().unwrap().documents, 2);
    // The next process finds it.
    registry.clear_remains().unwrap();
    assert_eq!(hidden(temp.path()).len(), 1);
    let moving = registry.moving_state(meta.id).unwrap().unwrap();
    assert!(moving.models == other_models() && moving.bytes > 0, "{moving:?}");
    assert!(registry.space_to_move(meta.id).unwrap().needed > 0);
    // On the way to third models, it begins again.
    let third = VectorModels { dense: "third-model".into(), ..models() };
    assert_eq!(registry.moving(&meta, &third).unwrap().counts().unwrap().documents, 0);
    assert!(registry.discard_move(meta.id).unwrap() && !registry.discard_move(meta.id).unwrap());
    assert_eq!((hidden(temp.path()), registry.moving_state(meta.id).unwrap()), (Vec::new(), None));
    check(&registry, meta.id, false);
    // Nothing of it outlives the collection.
    let orphan = temp.path().join("collections").join(format!(".moving-{}", CollectionId::random()));
    std::fs::create_dir(&orphan).unwrap();
    registry.clear_remains().unwrap();
    assert!(!orphan.exists());
    drop(registry.moving(&meta, &third).unwrap());
    registry.delete(meta.id).unwrap();
    assert_eq!(hidden(temp.path()), [""; 0]);
}

/// Directories next to those of collections.
fn hidden(data_dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data_dir.join("collections")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}
