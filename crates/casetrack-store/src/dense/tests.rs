use casetrack_core::CollectionId;

use super::*;

const DIMENSION: usize = 64;

/// Unit vectors around random centres, as embeddings of related passages are; reproducible.
fn clustered(count: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut state = seed;
    let mut random = move || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u32 as f32 / u32::MAX as f32 - 0.5
    };
    let centres: Vec<Vec<f32>> = (0..50).map(|_| (0..DIMENSION).map(|_| random()).collect()).collect();
    (0..count)
        .map(|n| {
            let vector: Vec<f32> = centres[n * 7 % 50].iter().map(|x| x + 0.7 * random()).collect();
            let norm = dot(&vector, &vector).sqrt();
            vector.iter().map(|x| x / norm).collect()
        })
        .collect()
}

fn identity() -> Identity {
    let collection = CollectionId::from_bytes([5; 16]);
    Identity {
        collection,
        dense_model: "test".into(),
        dense_dimension: DIMENSION as u32,
        sparse_model: None,
        token_model: None,
    }
}

fn index_of(dir: &Path, vectors: &[Vec<f32>]) -> DenseIndex {
    let index = DenseIndex::open(dir, &identity(), &Seal::default()).unwrap();
    for (slot, vector) in (0..).zip(vectors) {
        index.insert(slot, &narrow(vector)).unwrap();
    }
    index.set_applied(1);
    index
}

fn narrow(vector: &[f32]) -> Vec<f16> {
    vector.iter().copied().map(f16::from_f32).collect()
}

/// The share of the true `k` nearest that the graph finds.
fn recall(index: &DenseIndex, queries: &[Vec<f32>], k: usize, live: &dyn Fn(u64) -> bool, slots: u64) -> f64 {
    let graph = index.graph.read();
    let mut found = 0;
    for query in queries {
        let exact = index.best(&graph.index, query, k, (0..slots).filter(|&slot| live(slot))).unwrap();
        let near = graph.index.filtered_search(query.as_slice(), k, live).unwrap().keys;
        found += exact.iter().filter(|(slot, _)| near.contains(slot)).count();
    }
    found as f64 / (k * queries.len()) as f64
}

#[test]
fn the_graph_finds_nearly_all_of_the_nearest() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = clustered(4000, 1);
    let queries = clustered(50, 2);
    let index = index_of(&dir.path().join("dense"), &vectors);
    let all = recall(&index, &queries, 10, &|_| true, 4000);
    assert!(all >= 0.97, "recall@10 is {all}");
    let half = recall(&index, &queries, 10, &|slot| slot % 2 == 0, 4000);
    assert!(half >= 0.97, "recall@10 under a filter is {half}");

    // A third is deleted and as many are added, which take the places of the deleted in the graph.
    for first in (0..3900).step_by(3) {
        index
            .remove(&SlotRange { document: casetrack_core::DocumentId::from_bytes([1; 16]), first, count: 1 })
            .unwrap();
    }
    for (slot, vector) in (4000..).zip(clustered(1300, 3)) {
        index.insert(slot, &narrow(&vector)).unwrap();
    }
    let live = |slot: u64| slot >= 3900 || !slot.is_multiple_of(3);
    let after = recall(&index, &queries, 10, &live, 5300);
    assert!(after >= 0.97, "recall@10 after deletions and additions is {after}");
}

#[test]
fn the_graph_does_not_depend_on_the_searches_in_between() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = clustered(1500, 4);
    let quiet = index_of(&dir.path().join("quiet"), &vectors);
    let busy = DenseIndex::open(&dir.path().join("busy"), &identity(), &Seal::default()).unwrap();
    for (slot, vector) in (0..).zip(&vectors) {
        busy.insert(slot, &narrow(vector)).unwrap();
        for _ in 0..slot % 3 {
            busy.search(&vectors[0], 3, None).unwrap();
        }
    }
    busy.set_applied(1);
    quiet.commit().unwrap();
    busy.commit().unwrap();
    let file = |name: &str| std::fs::read(dir.path().join(name).join("00000000000000000001.usearch")).unwrap();
    assert!(file("quiet") == file("busy"), "the files differ");
}

#[test]
fn a_saved_index_answers_as_before_and_another_identity_starts_anew() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    let vectors = clustered(500, 5);
    let index = index_of(&dir, &vectors);
    index.commit().unwrap();
    let expected = index.search(&vectors[7], 20, None).unwrap();
    assert_eq!(expected[0].0, 7);
    let reopened = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    assert_eq!((reopened.applied(), reopened.durable()), (1, 1));
    assert_eq!(reopened.search(&vectors[7], 20, None).unwrap(), expected);
    let other =
        DenseIndex::open(&dir, &Identity { dense_model: "other".into(), ..identity() }, &Seal::default()).unwrap();
    assert_eq!(other.applied(), 0);
    assert_eq!(other.search(&vectors[7], 20, None).unwrap(), []);
}

#[test]
fn searches_run_beside_each_other_and_beside_changes() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = clustered(1000, 15);
    let index = index_of(&dir.path().join("dense"), &vectors);
    let query = vectors[11].as_slice();
    let expected = index.search(query, 20, None).unwrap();
    let worst = expected[19].1;
    let farther = clustered(500, 16).into_iter().filter(|vector| dot(query, vector) < worst - 0.01);
    let searches = 2 * *contexts::COUNT;
    // All of them, and one change after the other.
    let start = std::sync::Barrier::new(searches + 1);
    std::thread::scope(|scope| {
        // None of them waits for this one.
        let graph = index.graph.read();
        let reads: Vec<_> = (0..2).map(|_| scope.spawn(|| index.search(query, 20, None).unwrap())).collect();
        reads.into_iter().for_each(|read| assert_eq!(read.join().unwrap(), expected));
        drop(graph);
        for _ in 0..searches {
            scope.spawn(|| {
                start.wait();
                (0..50).for_each(|_| assert_eq!(index.search(query, 20, None).unwrap(), expected));
            });
        }
        start.wait();
        for (slot, vector) in (1000..).zip(farther) {
            index.insert(slot, &narrow(&vector)).unwrap();
        }
    });
}

#[test]
fn equal_vectors_are_found_in_the_order_of_their_slots() {
    let dir = tempfile::tempdir().unwrap();
    let mut vectors = clustered(300, 6);
    let same = vectors[0].clone();
    // In a scattered order, and more of them than are asked for in reserve.
    for slot in (0..300).filter(|slot| slot * 7 % 300 < 100) {
        vectors[slot] = same.clone();
    }
    let expected: Vec<u64> = (0..300).filter(|slot| slot * 7 % 300 < 100).take(5).collect();
    let index = index_of(&dir.path().join("dense"), &vectors);
    let found = index.search(&same, 5, None).unwrap();
    assert_eq!(found.iter().map(|hit| hit.0).collect::<Vec<_>>(), expected);
}

#[test]
fn what_the_graph_proposes_is_scored_cut_and_refused_when_too_little() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = clustered(2000, 7);
    let index = index_of(&dir.path().join("dense"), &vectors);
    let graph = index.graph.read();
    let graph = &graph.index;
    let query = vectors[11].as_slice();
    let even = |slot: u64| slot.is_multiple_of(2);
    let exact = index.best(graph, query, 10, (0..2000).filter(|&slot| even(slot))).unwrap();
    let found = index.propose(graph, query, 10, 1000, |wanted| graph.filtered_search(query, wanted, even)).unwrap();
    let found = found.unwrap();
    assert_eq!(found.len(), 10);
    assert!(found.is_sorted_by(|a, b| a.1 >= b.1) && found.iter().all(|&(slot, _)| even(slot)));
    assert!(found.iter().filter(|hit| exact.contains(hit)).count() >= 9);
    let none = index.propose(graph, query, 10, 1000, |wanted| graph.filtered_search(query, wanted, |slot| slot < 3));
    assert_eq!(none.unwrap(), None);
}

fn slots(first: u64, count: u32) -> SlotRange {
    SlotRange { document: casetrack_core::DocumentId::from_bytes([1; 16]), first, count }
}

fn is_viewed(index: &DenseIndex) -> bool {
    index.graph.read().viewed
}

fn files(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_view_answers_like_the_graph_in_memory_and_gives_way_to_it_at_the_first_change() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    let vectors = clustered(2000, 8);
    let query = vectors[3].as_slice();
    let index = index_of(&dir, &vectors);
    index.commit().unwrap();
    let reopened = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    assert!(is_viewed(&reopened) && !is_viewed(&index));
    let answers = |index: &DenseIndex| {
        let graph = index.graph.read();
        let graph = &graph.index;
        let even = |slot: u64| slot.is_multiple_of(2);
        (
            index.best(graph, query, 20, (0..2000).filter(|&slot| even(slot))).unwrap(),
            index.all(graph, query, 20).unwrap(),
            index.propose(graph, query, 20, 2000, |wanted| graph.search(query, wanted)).unwrap(),
            index.propose(graph, query, 20, 1000, |wanted| graph.filtered_search(query, wanted, even)).unwrap(),
        )
    };
    assert_eq!(answers(&reopened), answers(&index));

    for index in [&index, &reopened] {
        index.remove(&slots(0, 10)).unwrap();
        for (slot, vector) in (2000..).zip(clustered(100, 9)) {
            index.insert(slot, &narrow(&vector)).unwrap();
        }
        index.set_applied(2);
    }
    assert!(!is_viewed(&reopened));
    assert_eq!(reopened.search(query, 20, None).unwrap(), index.search(query, 20, None).unwrap());
    assert_eq!(reopened.graph.read().index.size(), 2090);

    reopened.commit().unwrap();
    reopened.freeze().unwrap();
    assert!(is_viewed(&reopened));
    assert_eq!(reopened.search(query, 20, None).unwrap(), index.search(query, 20, None).unwrap());
}

#[test]
fn an_entry_without_chunks_does_not_write_the_graph_again() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    index_of(&dir, &clustered(300, 10)).commit().unwrap();
    let before = files(&dir);
    let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    index.set_applied(9);
    index.commit().unwrap();
    assert_eq!(index.durable(), 9);
    assert!(is_viewed(&index));
    assert_eq!(files(&dir), before);
    drop(index);
    let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    assert_eq!((index.applied(), index.graph.read().index.size()), (9, 300));
}

#[test]
fn an_empty_index_is_saved_and_opened() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    index_of(&dir, &[]).commit().unwrap();
    let vectors = clustered(3, 11);
    for applied in [1, 2] {
        let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
        assert_eq!((index.applied(), is_viewed(&index)), (applied, false));
        assert_eq!(index.search(&vectors[0], 5, None).unwrap(), []);
        index.insert(0, &narrow(&vectors[0])).unwrap();
        index.remove(&slots(0, 1)).unwrap();
        index.set_applied(2);
        index.commit().unwrap();
    }
}

#[test]
fn a_save_that_a_crash_cut_short_leaves_the_one_before() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    let vectors = clustered(300, 12);
    let index = index_of(&dir, &vectors);
    index.commit().unwrap();
    let (manifest, old) = (dir.join("manifest.json"), dir.join("00000000000000000001.usearch"));
    let before = (std::fs::read(&manifest).unwrap(), std::fs::read(&old).unwrap());
    // Rebuilt up to the same entry: the file in use must not be touched before the manifest names another.
    index.clear().unwrap();
    vectors.iter().rev().zip(0..).for_each(|(vector, slot)| index.insert(slot, &narrow(vector)).unwrap());
    index.set_applied(1);
    index.commit().unwrap();
    drop(index);
    assert_eq!(files(&dir), ["00000000000000000001-rebuilt.usearch", "manifest.json"]);
    assert_eq!(
        DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap().search(&vectors[299], 1, None).unwrap()[0].0,
        0
    );

    // The moment before the manifest is replaced.
    std::fs::write(&manifest, before.0).unwrap();
    std::fs::write(&old, before.1).unwrap();
    std::fs::write(dir.join("00000000000000000002.usearch.partial"), "half of it").unwrap();
    let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    assert_eq!(index.search(&vectors[299], 1, None).unwrap()[0].0, 299);
    assert_eq!(files(&dir), ["00000000000000000001.usearch", "manifest.json"]);
}

/// A saved index that is not checked whole on open, and where its graph begins in the file.
fn large(dir: &Path) -> (Vec<u8>, PathBuf, usize) {
    index_of(dir, &clustered(1000, 13)).commit().unwrap();
    let path = dir.join("00000000000000000001.usearch");
    (std::fs::read(&path).unwrap(), path, 8 + 1000 * 2 * DIMENSION)
}

#[test]
fn damage_where_a_search_would_be_led_astray_is_found_on_open() {
    let temp = tempfile::tempdir().unwrap();
    let saved = temp.path().join("saved");
    let (bytes, path, graph) = large(&saved);
    let dir = temp.path().join("damaged");
    for at in (0..8).chain((graph..bytes.len()).step_by(997)) {
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::copy(saved.join("manifest.json"), dir.join("manifest.json")).unwrap();
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(dir.join(path.file_name().unwrap()), damaged).unwrap();
        let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
        assert_eq!(index.applied(), 0, "the damage at byte {at} was not found");
    }
}

#[test]
fn a_damaged_vector_is_found_before_the_first_change_and_the_index_starts_anew() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("dense");
    let (mut bytes, path, graph) = large(&dir);
    bytes[graph / 2] ^= 0x10;
    std::fs::write(&path, bytes).unwrap();
    let index = DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    assert!(is_viewed(&index));
    assert_eq!(file::check(&dir, &index.identity, &Seal::default()).unwrap_err().code, ErrorCode::Corrupt);
    let error = index.insert(1000, &narrow(&clustered(1, 14)[0])).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.message.contains("checksum"), "{}", error.message);
    drop(index);
    assert_eq!(DenseIndex::open(&dir, &identity(), &Seal::default()).unwrap().applied(), 0);
}
