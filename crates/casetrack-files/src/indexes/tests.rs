use std::sync::Arc;

use casetrack_core::{CollectionId, CollectionStatus, CollectionType, Timestamp};
use casetrack_store::VectorModels;
use serde_json::json;

use super::{add_to_index, create_index, search_text_index, *};
use casetrack_host::EngineConfig;

fn host() -> (tempfile::TempDir, Host) {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::new(EngineConfig::new(dir.path().to_owned())).unwrap();
    (dir, host)
}

fn add(host: &Host, id: &str, content: &str, index: Option<&str>) -> Result<AddedToIndex> {
    let request = AddToIndex {
        doc_id: id.to_owned(),
        content: content.to_owned(),
        index: index.map(str::to_owned),
        ..AddToIndex::default()
    };
    add_to_index(host, request, &(Arc::new(|_| {}) as ProgressSink), &Cancel::default())
}

fn create(host: &Host, name: &str) -> Result<CreatedIndex> {
    create_index(host, &CreateIndex { name: name.to_owned(), ..CreateIndex::default() })
}

fn search(host: &Host, query: &str, index: Option<&str>) -> Result<IndexMatches> {
    let request = SearchIndex { query: query.to_owned(), most: 10, index: index.map(str::to_owned) };
    search_text_index(host, &request)
}

fn said<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().full_text()
}

#[test]
fn the_checks_come_in_their_order_and_say_what_the_contract_says() {
    let (_dir, host) = host();
    // The index before the empty query.
    assert_eq!(said(search(&host, "", Some("nowhere"))), "Index not found: nowhere");
    assert_eq!(
        serde_json::to_value(search(&host, " \n", None).unwrap()).unwrap(),
        json!({"results": [], "total_matches": 0})
    );
    assert_eq!(said(add(&host, "a", "text", Some("nowhere"))), "Index not found: nowhere");
    for blank in ["", " \n\t"] {
        assert_eq!(said(add(&host, "a", blank, Some("nowhere"))), "Content must be a non-empty string");
    }
    assert_eq!(said(create(&host, "default")), "Index already exists: default");
    for name in ["", "my docs", "größe", "a/b", "../x", &"x".repeat(65)] {
        assert_eq!(said(create(&host, name)), format!("Invalid index name: {name}"));
    }
    let (long, shown) = ("ä".repeat(1_000_000), format!("{}…", "ä".repeat(80)));
    assert_eq!(said(search(&host, "", Some(&long))), format!("Index not found: {shown}"));
    assert_eq!(said(add(&host, "a", "text", Some(&long))), format!("Index not found: {shown}"));
    assert_eq!(said(create(&host, &long)), format!("Invalid index name: {shown}"));
    let of = |name: &str, backend: &str| {
        let backend = Some(backend.to_owned());
        create_index(&host, &CreateIndex { name: name.to_owned(), backend, ..CreateIndex::default() })
    };
    assert_eq!(said(of("new", "redis")), "Unknown backend: redis");
    assert_eq!(said(of("new", &long)), format!("Unknown backend: {shown}"));
    assert_eq!(said(of("default", "redis")), "Index already exists: default");
    assert_eq!(said(of("bad name", "redis")), "Invalid index name: bad name");
    for min_length in [0, -1, 101, i64::MAX] {
        let request = CreateIndex { name: "new".to_owned(), min_length: Some(min_length), ..CreateIndex::default() };
        assert!(said(create_index(&host, &request)).contains("it must be between 1 and 100"));
    }
    let request = CreateIndex {
        name: "new".to_owned(),
        backend: Some("collection".to_owned()),
        lowercase: Some(false),
        min_length: None,
    };
    assert!(said(create_index(&host, &request)).contains("has a tokenizer of its own"));
    for most in [-1, 1001] {
        let request = SearchIndex { query: "x".to_owned(), most, index: None };
        assert_eq!(said(search_text_index(&host, &request)), format!("k is {most}; it must be between 0 and 1000."));
    }
    assert!(said(search(&host, &"x".repeat(10_001), None)).contains("the limit is 10000"));
}

#[test]
fn documents_are_bounded_and_named() {
    let (_dir, host) = host();
    for id in ["", "  ", "a\nb"] {
        assert!(said(add(&host, id, "text", None)).starts_with("doc_id must be one line"));
    }
    assert!(said(add(&host, &"x".repeat(513), "text", None)).starts_with("doc_id has 513 bytes; the limit is 512."));
    let long = "word ".repeat(MAX_DOCUMENT_BYTES / 5 + 1);
    assert!(said(add(&host, "a", &long, None)).contains("the limit is 8388608.\n\nAdd it as several documents."));
    let metadata = json!({"note": "x".repeat(MAX_METADATA_BYTES)}).as_object().unwrap().clone();
    let request = AddToIndex { doc_id: "a".into(), content: "text".into(), metadata, index: None };
    let refused = add_to_index(&host, request, &(Arc::new(|_| {}) as ProgressSink), &Cancel::default());
    assert!(said(refused).starts_with("metadata has "));
    assert!(search(&host, "word text", None).unwrap().results.is_empty());
    assert!(add(&host, "docs/größe 1.md", "text", None).is_ok());
}

#[test]
fn indexes_are_shared_by_hosts_counted_and_kept_apart() {
    let (_dir, host) = host();
    let other = host.with_config(host.config().clone());
    assert!(!host.has_indexes_in_memory());
    assert_eq!(
        serde_json::to_value(create(&host, "notes").unwrap()).unwrap(),
        json!({"status": "created", "index_name": "notes", "backend": "memory"})
    );
    assert!(other.has_indexes_in_memory(), "an index that was made would be lost");
    assert_eq!(add(&host, "a", "Rate limiting", Some("notes")).unwrap().status, "indexed");
    assert_eq!(add(&other, "a", "Rate limiting", Some("notes")).unwrap().status, "re-indexed");
    assert_eq!(search(&other, "rate", Some("notes")).unwrap().results[0].doc_id, "a");
    assert!(search(&other, "rate", None).unwrap().results.is_empty());
    (2..MAX_INDEXES).for_each(|i| drop(create(&host, &format!("i{i}")).unwrap()));
    assert!(said(create(&host, "one-more")).starts_with("There are 64 indexes, the maximum."));
    let (_dir, fresh) = self::host();
    add(&fresh, "a", "text", None).unwrap();
    assert!(fresh.has_indexes_in_memory());
}

#[test]
fn a_query_is_answered_with_what_was_understood_of_it() {
    let (_dir, host) = host();
    let parsed = |query: &str| serde_json::to_value(search(&host, query, None).unwrap().query_parsed).unwrap();
    assert_eq!(parsed("+python"), json!({"terms": [], "must": ["python"]}));
    assert_eq!(
        parsed("+python \"machine learning\" -draft -\"old version\" API"),
        json!({
            "terms": ["api"], "must": ["python"], "must_not": ["draft", "old version"], "phrases": ["machine learning"],
        })
    );
}

/// A collection that the user made is no index under any name.
#[test]
fn only_a_collection_with_its_reference_is_an_index() {
    let (_dir, host) = host();
    for (name, reference) in [("matter", None), ("docs", Some("index:docs")), ("other", Some("2026/17"))] {
        let meta = casetrack_core::CollectionMeta {
            id: CollectionId::random(),
            name: name.to_owned(),
            reference: reference.map(str::to_owned),
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        host.store().create(&meta, &models).unwrap();
    }
    assert_eq!(said(search(&host, "x", Some("matter"))), "Index not found: matter");
    assert_eq!(said(search(&host, "x", Some("other"))), "Index not found: other");
    let empty = search(&host, "x1", Some("docs")).unwrap();
    assert_eq!((empty.results.len(), empty.total_matches), (0, 0));
    assert_eq!(said(create(&host, "docs")), "Index already exists: docs");
}
