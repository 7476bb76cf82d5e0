//! Documents get new paths and names and stay what they are.

use std::collections::BTreeMap;

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, Conditions, Relocation, WordConditions};
use proptest::prelude::*;

use crate::support::*;

fn relocation(document: DocumentId, path: &str) -> Relocation {
    Relocation { document, path: path.into(), name: path.rsplit('/').next().unwrap().into() }
}

fn paths(collection: &Collection) -> BTreeMap<String, DocumentId> {
    let documents = collection.documents().unwrap();
    let catalogue = collection.catalogue().unwrap();
    for (meta, entry) in documents.iter().zip(catalogue.iter()) {
        assert_eq!((&meta.path, &meta.name, meta.id), (&entry.path, &entry.name, entry.id));
        assert_eq!(collection.document_by_path(&meta.path).unwrap().as_ref(), Some(meta));
    }
    documents.into_iter().map(|meta| (meta.path, meta.id)).collect()
}

#[test]
fn two_documents_exchange_their_paths_and_keep_everything_else() {
    let (temp, dir, collection) = new_collection();
    let documents = many(3, 4);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let (a, b) = (&documents[0].meta, &documents[1].meta);
    let (found, versions) = (results(&collection), collection.versions());
    paths(&collection);
    collection.relocate_documents(&[relocation(a.id, &b.path), relocation(b.id, &a.path)]).unwrap();
    // Until then the keyword index counts the renamed documents twice.
    collection.flush().unwrap();

    let check = |collection: &Collection| {
        let paths = paths(collection);
        assert_eq!((paths[&a.path], paths[&b.path], paths.len()), (b.id, a.id, 3));
        assert_eq!(collection.document(a.id).unwrap().unwrap().name, b.name);
        assert_eq!(collection.chunks(a.id).unwrap(), documents[0].chunks);
        assert_eq!(collection.documents_by_sha256(a.sha256).unwrap(), [a.id]);
        assert_eq_results(collection, &found, "");
        assert_clean(collection);
    };
    check(&collection);
    let changed: Vec<bool> = versions.iter().zip(collection.versions()).map(|(old, new)| *old != new).collect();
    assert_eq!(changed, [true, true, false]);
    collection.put_document(&with_id(a.id, &b.path, &["new text"])).unwrap();
    assert!(collection.versions().iter().all(|(id, version)| *id != a.id || !versions.contains(&(*id, *version))));
    collection.put_document(&with_id(a.id, &b.path, &[&documents[0].pages[0].text])).unwrap();

    // What a crash leaves now.
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    let recovered = Collection::open(&crashed).unwrap();
    assert_eq!(paths(&recovered), paths(&collection));
    assert_clean(&recovered);
    drop(collection);
    assert_clean(&Collection::open(&dir).unwrap());
}

#[test]
fn a_renamed_document_is_called_by_its_new_name_only() {
    let (temp, dir, collection) = new_collection();
    let documents =
        [document("/data/bakery.txt", &["Rent is due."]), document("/data/brewery.txt", &["Rent is late."])];
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let [a, b] = [documents[0].meta.id, documents[1].meta.id];
    // The second one only moves.
    let moves = [relocation(a, "/data/vineyard.txt"), relocation(b, "/archive/brewery.txt")];
    collection.relocate_documents(&moves).unwrap();
    let crashed = temp.path().join("crashed");
    copy_dir(&dir, &crashed);
    let words = WordConditions { required: vec!["rent".into()], ..WordConditions::default() };
    let rent = Conditions { words, ..Conditions::default() };
    let check = |collection: &Collection| {
        let called = |text| -> Vec<DocumentId> {
            let namings = collection.namings(text, 10).unwrap();
            namings.iter().flat_map(|naming| &naming.documents).map(|(document, _)| *document).collect()
        };
        assert_eq!([called("bakery"), called("vineyard"), called("brewery")], [vec![], vec![a], vec![b]]);
        assert_eq!(collection.select(&rent).unwrap().chunks(), 2);
        assert_clean(collection);
    };
    check(&collection);
    check(&Collection::open(&crashed).unwrap());
    drop(collection);
    check(&Collection::open(&dir).unwrap());
}

#[test]
fn a_path_that_is_taken_is_refused_and_nothing_is_changed() {
    let (_temp, _dir, collection) = new_collection();
    let documents = many(2, 1);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let (a, b) = (&documents[0].meta, &documents[1].meta);
    let before = paths(&collection);
    let refused = |relocations: &[Relocation]| collection.relocate_documents(relocations).unwrap_err().code;
    assert_eq!(refused(&[relocation(a.id, &b.path)]), ErrorCode::AlreadyExists);
    assert_eq!(refused(&[relocation(a.id, "/x"), relocation(DocumentId::random(), "/y")]), ErrorCode::NotFound);
    assert_eq!(refused(&[relocation(a.id, "/x"), relocation(b.id, "/x")]), ErrorCode::Internal);
    assert_eq!(paths(&collection), before);
    assert_clean(&collection);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever moves where, in steps that follow each other: each document is where it was put last.
    #[test]
    fn documents_are_where_they_were_put(
        steps in prop::collection::vec(prop::sample::subsequence((0..5usize).collect::<Vec<_>>(), 1..5), 1..6),
        by in 1..5usize,
    ) {
        let (_temp, dir, collection) = new_collection();
        let mut documents: Vec<_> = many(5, 1).into_iter().map(|stored| {
            collection.put_document(&stored).unwrap();
            (stored.meta.id, stored.meta.path)
        }).collect();
        for moving in steps {
            // Each takes the path of another one that moves.
            let targets: Vec<String> =
                (0..moving.len()).map(|n| documents[moving[(n + by) % moving.len()]].1.clone()).collect();
            let relocations: Vec<_> =
                moving.iter().zip(&targets).map(|(&n, path)| relocation(documents[n].0, path)).collect();
            collection.relocate_documents(&relocations).unwrap();
            for (&n, path) in moving.iter().zip(targets) {
                documents[n].1 = path;
            }
        }
        let expected: BTreeMap<String, DocumentId> = documents.into_iter().map(|(id, path)| (path, id)).collect();
        prop_assert_eq!(paths(&collection), expected.clone());
        assert_clean(&collection);
        drop(collection);
        let reopened = Collection::open(&dir).unwrap();
        prop_assert_eq!(paths(&reopened), expected);
        assert_clean(&reopened);
    }
}
