//! Documents get new paths and names and are otherwise unchanged.

use std::collections::BTreeMap;

use casetrack_core::DocumentId;
use casetrack_store::Collection;
use proptest::prelude::*;

use crate::support::*;

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
fn a_crash_leaves_the_new_paths_and_names() {
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
    let recovered = local::open(&crashed).unwrap();
    assert_eq!(paths(&recovered), paths(&collection));
    let called = |text| -> Vec<DocumentId> {
        let matches = recovered.name_matches(text, 10).unwrap();
        matches.iter().flat_map(|found| &found.documents).map(|(document, _)| *document).collect()
    };
    assert_eq!([called("bakery"), called("vineyard"), called("brewery")], [vec![], vec![a], vec![b]]);
    assert_clean(&recovered);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever moves where, in consecutive steps: each document is at its last place.
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
        let reopened = local::open(&dir).unwrap();
        prop_assert_eq!(paths(&reopened), expected);
        assert_clean(&reopened);
    }
}
