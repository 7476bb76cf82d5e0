//! Keyword and vector search, filters, and what queries may contain.

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Bm25Query, Collection, Filter};

use crate::fixture::*;

fn found(collection: &Collection, query: &str) -> Vec<(DocumentId, u32)> {
    let hits = collection.search_bm25(query, 10, &Filter::default()).unwrap();
    hits.iter().map(|hit| (hit.document, hit.index)).collect()
}

pub fn keywords_are_found_in_any_form(store: &dyn Store) {
    let collection = new_collection(store);
    let text = "The agreements were terminated early.\n\nInvoice INV-2023-0042 over $1,250,000 of Café Größe\n\nSection 4.2(b)";
    let stored = document("/data/a.txt", &[text]);
    collection.put_document(&stored).unwrap();
    let id = stored.meta.id;
    for (query, index) in [
        ("termination of an AGREEMENT", 0),
        ("inv-2023-0042", 1),
        ("INV 2023", 1),
        ("1250000", 1),
        ("$1,250,000", 1),
        ("cafe", 1),
        ("section 4.2", 2),
        ("4.2(b)", 2),
    ] {
        assert_eq!(found(&collection, query).first(), Some(&(id, index)), "{query}");
    }
    assert_eq!(found(&collection, "absent"), []);
}

pub fn the_embedding_context_counts_less_than_the_text_and_can_be_left_out(store: &dyn Store) {
    let collection = new_collection(store);
    let mut stored = document("/data/a.txt", &["first paragraph\n\nsecond paragraph on liability\n\nthird paragraph"]);
    stored.chunks[0].context = "Liability".into();
    collection.put_document(&stored).unwrap();
    let id = stored.meta.id;
    assert_eq!(found(&collection, "liability"), [(id, 1), (id, 0)]);
    let text_only = Bm25Query { text: "liability".into(), context_weight: 0.0 };
    let hits = collection.search_bm25(text_only, 10, &Filter::default()).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), [1]);
}

pub fn no_query_is_wrong(store: &dyn Store) {
    let collection = new_collection(store);
    for stored in many(3, 3) {
        collection.put_document(&stored).unwrap();
    }
    let all = Filter::default();
    for query in
        ["", "   ", "(", ")", ":", "text:", "\"", "+ -", "a AND OR NOT", "[1 TO", "*", "\\", "^2", "\0", "🙈", "~~"]
    {
        collection.search_bm25(query, 5, &all).unwrap();
    }
    assert_eq!(collection.search_bm25("(word1x1:", 5, &all).unwrap().len(), 1);
    let endless = "common matters ".repeat(600_000);
    assert_eq!(collection.search_bm25(endless.as_str(), 5, &all).unwrap().len(), 5);
    let vast: String = (0..1_000_000).map(|n| format!("w{n} ")).collect();
    collection.search_bm25(vast.as_str(), 5, &all).unwrap();
}

pub fn arbitrary_text_is_a_query(store: &dyn Store) {
    let collection = new_collection(store);
    collection.put_document(&document("/data/a.txt", &["some text here"])).unwrap();
    for_each("(?s).{0,60}", 160, |query| {
        collection.search_bm25(query, 5, &Filter::default()).unwrap();
    });
}

pub fn any_number_of_results_can_be_asked_for(store: &dyn Store) {
    let collection = new_collection(store);
    let all = Filter::default();
    assert_eq!(collection.search_bm25("common", 5, &all).unwrap(), []);
    assert_eq!(collection.search_dense(&vector("common"), 5, &all).unwrap(), []);
    for stored in many(4, 5) {
        collection.put_document(&stored).unwrap();
    }
    for (k, expected) in [(0, 0), (1, 1), (19, 19), (20, 20), (usize::MAX, 20)] {
        assert_eq!(collection.search_bm25("common", k, &all).unwrap().len(), expected);
        assert_eq!(collection.search_dense(&vector("common"), k, &all).unwrap().len(), expected);
    }
}

pub fn a_filter_never_costs_results(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(60, 10);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let ids = |range: std::ops::Range<usize>| Filter {
        documents: Some(documents[range].iter().map(|stored| stored.meta.id).collect()),
        ..Filter::default()
    };
    for (filter, chunks) in [(ids(59..60), 10), (ids(20..40), 200), (ids(0..60), 600), (ids(0..0), 0)] {
        let allowed = filter.documents.clone().unwrap();
        for k in [7, 500] {
            // Words that every chunk has: without the filter, other documents would take the places.
            let bm25 = collection.search_bm25("clause common document 0", k, &filter).unwrap();
            let dense = collection.search_dense(&vector("clause common document 0"), k, &filter).unwrap();
            let sparse = collection.search_sparse(&sparse_vector("common matters,"), k, &filter).unwrap();
            for hits in [bm25, dense, sparse] {
                assert_eq!(hits.len(), k.min(chunks));
                assert!(hits.iter().all(|hit| allowed.contains(&hit.document)));
            }
        }
    }
    let nobody = Filter { documents: Some(vec![DocumentId::random()]), ..Filter::default() };
    assert_eq!(collection.search_bm25("common", 5, &nobody).unwrap(), []);
    assert_eq!(collection.search_dense(&vector("common"), 5, &nobody).unwrap(), []);
}

pub fn a_filter_changes_neither_scores_nor_order(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(40, 10);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let all = Filter::default();
    let query = "clause 7 document 12 word3x7";
    let (dense, sparse) = (vector(query), sparse_vector(query));
    // Many of them, and a few, which a store may find in another way.
    for (first, step) in [(0, 3), (12, documents.len())] {
        let chosen: Vec<DocumentId> = documents.iter().skip(first).step_by(step).map(|stored| stored.meta.id).collect();
        let some = Filter { documents: Some(chosen.clone()), ..Filter::default() };
        let keep = |hits: Vec<casetrack_store::Hit>| -> Vec<_> {
            hits.into_iter().filter(|hit| chosen.contains(&hit.document)).collect()
        };
        let found = collection.search_bm25(query, 400, &some).unwrap();
        assert_eq!(found, keep(collection.search_bm25(query, 400, &all).unwrap()));
        let found = collection.search_dense(&dense, 400, &some).unwrap();
        assert_eq!(found, keep(collection.search_dense(&dense, 400, &all).unwrap()));
        let found = collection.search_sparse(&sparse, 400, &some).unwrap();
        assert!(!found.is_empty());
        assert_eq!(found, keep(collection.search_sparse(&sparse, 400, &all).unwrap()));
    }
}

pub fn results_are_best_first_and_equal_ones_by_age(store: &dyn Store) {
    let collection = new_collection(store);
    let same: Vec<_> = (0..5).map(|n| document(&format!("/data/{n}.txt"), &["the very same text"])).collect();
    for stored in &same {
        collection.put_document(stored).unwrap();
        // A commit after each: the order must not depend on how the index is divided.
        collection.search_bm25("same", 1, &Filter::default()).unwrap();
    }
    let ages: Vec<DocumentId> = same.iter().map(|stored| stored.meta.id).collect();
    for k in 1..=5 {
        let all = Filter::default();
        let bm25 = collection.search_bm25("same text", k, &all).unwrap();
        let dense = collection.search_dense(&vector("the very same text"), k, &all).unwrap();
        let sparse = collection.search_sparse(&sparse_vector("same text"), k, &all).unwrap();
        for hits in [bm25, dense, sparse] {
            assert_eq!(hits.iter().map(|hit| hit.document).collect::<Vec<_>>(), ages[..k]);
        }
    }
    for hits in results(&collection) {
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    }
}

pub fn dense_search_finds_the_nearest(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(30, 10);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let query = vector("word7x3 clause");
    let mut expected: Vec<(f32, DocumentId, u32)> = Vec::new();
    for stored in &documents {
        for (chunk, vector) in collection.vectors(stored.meta.id).unwrap() {
            let (_, chunk) = collection.chunk(chunk).unwrap().unwrap();
            let score = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
            expected.push((score, stored.meta.id, chunk.index));
        }
    }
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hits = collection.search_dense(&query, 25, &Filter::default()).unwrap();
    for (hit, (score, document, index)) in hits.iter().zip(&expected) {
        assert!((hit.score - score).abs() < 1e-5);
        assert_eq!((hit.document, hit.index), (*document, *index));
    }
    let error = collection.search_dense(&[1.0; 3], 5, &Filter::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(collection.search_dense(&[f32::NAN; DIMENSION], 5, &Filter::default()).is_err());
}

pub fn scores_are_those_of_a_fresh_collection_after_changes_and_a_flush(store: &dyn Store) {
    let documents = many(20, 5);
    let fresh = new_collection(store);
    let changed = new_collection(store);
    for stored in &documents {
        fresh.put_document(stored).unwrap();
        let draft = with_id(stored.meta.id, &stored.meta.path, &["common common draft\n\nof a document"]);
        changed.put_document(&draft).unwrap();
    }
    changed.flush().unwrap();
    for stored in &documents {
        changed.put_document(stored).unwrap();
    }
    changed.flush().unwrap();
    assert_eq_results(&changed, &results(&fresh), "");
}

pub fn documents_without_learned_sparse_vectors_are_counted_and_not_found(store: &dyn Store) {
    let collection = new_collection(store);
    let with = document("/data/with.txt", &["the rent\n\nthe deposit"]);
    let mut without = document("/data/without.txt", &["the rent of the flat"]);
    (without.sparse_vectors, without.sparse_model) = (Vec::new(), None);
    collection.put_document(&with).unwrap();
    collection.put_document(&without).unwrap();
    let found = |collection: &Collection| {
        let hits = collection.search_sparse(&sparse_vector("the rent"), 9, &Filter::default()).unwrap();
        hits.iter().map(|hit| (hit.document, hit.index)).collect::<Vec<_>>()
    };
    assert_eq!(found(&collection), [(with.meta.id, 0), (with.meta.id, 1)]);
    assert_eq!(collection.sparse_vectors(without.meta.id).unwrap(), []);
    assert_eq!((collection.counts().unwrap().chunks, collection.counts().unwrap().sparse_chunks), (3, 2));
    assert_clean(&collection);
    collection.rebuild_indexes().unwrap();
    assert_eq!(found(&collection).len(), 2);
    let collection = collection.reopened();
    let whole = with_id(without.meta.id, "/data/without.txt", &["the rent of the flat"]);
    collection.put_document(&whole).unwrap();
    assert_eq!(found(&collection), [(with.meta.id, 0), (without.meta.id, 0), (with.meta.id, 1)]);
    collection.delete_document(with.meta.id).unwrap();
    assert_eq!(collection.counts().unwrap().sparse_chunks, 1);
    assert_clean(&collection);
}
