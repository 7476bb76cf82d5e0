//! The index against brute force, through the trait that the collection uses.

use std::collections::BTreeMap;

use casetrack_core::{CollectionId, DocumentId, ErrorCode};
use proptest::prelude::*;

use super::*;
use crate::records::Op;
use crate::records::sparse_vector::IMPACT_SCALE;

fn identity() -> Identity {
    Identity {
        collection: CollectionId::from_bytes([5; 16]),
        dense_model: "dense".into(),
        dense_dimension: 2,
        sparse_model: Some("sparse".into()),
        token_model: None,
    }
}

/// A vector of up to 12 of 40 terms, few impacts, so that scores are often equal; sometimes none at all.
fn vectors() -> impl Strategy<Value = SparseVector> {
    prop::collection::btree_map(0u32..40, 1u8..6, 0..12).prop_map(|terms| SparseVector {
        terms: terms.into_iter().map(|(term, impact)| (term, f32::from(impact) / 4.0)).collect(),
    })
}

#[derive(Debug, Clone)]
enum Step {
    Put(Vec<SparseVector>),
    /// Removes one of the documents there are.
    Delete(prop::sample::Index),
    Replace(prop::sample::Index, Vec<SparseVector>),
    Seal,
    Commit,
    Compact,
    /// Reopens the index from its last commit and applies what came after it.
    Reopen,
    Rebuild,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let chunks = || prop::collection::vec(vectors(), 0..6);
    let step = prop_oneof![
        8 => chunks().prop_map(Step::Put),
        3 => any::<prop::sample::Index>().prop_map(Step::Delete),
        2 => (any::<prop::sample::Index>(), chunks()).prop_map(|(which, chunks)| Step::Replace(which, chunks)),
        4 => Just(Step::Seal),
        2 => Just(Step::Commit),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
        1 => Just(Step::Rebuild),
    ];
    prop::collection::vec(step, 1..40)
}

/// An index, the log it follows, and its expected content.
struct Model {
    index: SparseIndex,
    dir: PathBuf,
    log: Vec<Op>,
    live: BTreeMap<u64, (SlotRange, Vec<SparseVector>)>,
    next: u64,
}

impl Model {
    fn new(dir: &Path) -> Self {
        let dir = dir.join("sparse");
        let index = SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
        Self { index, dir, log: Vec::new(), live: BTreeMap::new(), next: 0 }
    }

    fn add(&self, range: &SlotRange) {
        let Some((_, chunks)) = self.live.get(&range.first) else { return };
        for (slot, chunk) in (range.first..).zip(chunks) {
            self.index.insert(slot, &chunk.impacts().collect::<Vec<_>>()).unwrap();
        }
    }

    fn apply(&self, seq: usize) {
        let op = self.log[seq - 1];
        op.removed.iter().for_each(|range| self.index.remove(range).unwrap());
        op.added.iter().for_each(|range| self.add(range));
        self.index.set_applied(seq as u64);
    }

    fn change(&mut self, removed: Option<prop::sample::Index>, added: Option<Vec<SparseVector>>) {
        let removed = removed.filter(|_| !self.live.is_empty()).map(|which| {
            let first = *self.live.keys().nth(which.index(self.live.len())).unwrap();
            self.live.remove(&first).unwrap().0
        });
        let added = added.map(|chunks| {
            let document = DocumentId::from_bytes([self.log.len() as u8; 16]);
            let range = SlotRange { document, first: self.next, count: chunks.len() as u32 };
            self.next += chunks.len().max(1) as u64;
            self.live.insert(range.first, (range, chunks));
            range
        });
        self.log.push(Op { removed, added });
        self.apply(self.log.len());
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Put(chunks) => self.change(None, Some(chunks)),
            Step::Delete(which) => self.change(Some(which), None),
            Step::Replace(which, chunks) => self.change(Some(which), Some(chunks)),
            Step::Seal => self.index.seal().unwrap(),
            Step::Commit => self.index.commit().unwrap(),
            Step::Compact => {
                self.index.commit().unwrap();
                while let Some(n) = { outdated(&self.index.read()) } {
                    self.index.rewrite(n..n + 1).unwrap();
                }
                self.index.save().unwrap();
            }
            Step::Reopen => {
                self.index = SparseIndex::open(&self.dir, &identity(), &Seal::default()).unwrap();
                assert_eq!(self.index.applied(), self.index.durable());
                (self.index.applied() as usize + 1..=self.log.len()).for_each(|seq| self.apply(seq));
            }
            Step::Rebuild => {
                self.index.clear().unwrap();
                self.live.values().for_each(|(range, _)| self.add(range));
                self.index.set_applied(self.log.len() as u64);
                self.index.commit().unwrap();
            }
        }
    }

    /// The hits of a look at each chunk.
    fn brute_force(&self, query: &SparseVector, k: usize, filter: Option<&SlotSet>) -> Vec<(u64, f32)> {
        let mut found = Vec::new();
        for (range, chunks) in self.live.values() {
            for (slot, chunk) in (range.first..).zip(chunks) {
                let weight = |term| query.terms.iter().find(|(own, _)| *own == term).map_or(0.0, |(_, weight)| *weight);
                // The weights of this test are exact in the index's steps.
                let score: f32 = chunk.terms.iter().map(|&(term, of_chunk)| of_chunk * weight(term)).sum();
                if score > 0.0 && filter.is_none_or(|filter| filter.contains(slot)) {
                    found.push((slot, score));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(k);
        found
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn searches_are_exact_whatever_the_history(
        steps in steps(),
        queries in prop::collection::vec((vectors(), 1usize..12), 4),
        chosen in any::<u64>(),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let mut model = Model::new(temp.path());
        for step in steps {
            model.step(step);
            let mut slots = SlotMap::default();
            model.live.values().for_each(|(range, _)| slots.insert(*range));
            let some = slots.documents_where(|n| chosen >> (n % 64) & 1 == 1);
            let filter = slots.select(&some);
            for (query, k) in &queries {
                for filter in [None, Some(&filter)] {
                    let found = model.index.search(query, *k, filter).unwrap();
                    prop_assert_eq!(found, model.brute_force(query, *k, filter));
                }
            }
            let found = model.index.fingerprints().unwrap();
            let mut expected = model.live.values().flat_map(|(range, chunks)| (range.first..).zip(chunks));
            prop_assert!(expected.all(|(slot, chunk)| found.contains_key(&slot) != chunk.terms.is_empty()));
        }
    }
}

impl SlotMap {
    /// The documents whose place in the order of slots is chosen.
    fn documents_where(&self, chosen: impl Fn(usize) -> bool) -> Vec<DocumentId> {
        self.ranges().enumerate().filter(|(n, _)| chosen(*n)).map(|(_, range)| range.document).collect()
    }
}

/// Chunks in many windows, of which few share the rarer terms.
fn large(chunks: u64) -> impl Iterator<Item = (u64, Vec<(u32, u8)>)> {
    let mut state = 7u64;
    (0..chunks).map(move |slot| {
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let terms: BTreeMap<u32, u8> =
            (0..10).map(|n| ((random() % (1 << (n + 1))) as u32, 1 + (random() % (10 * n + 5)) as u8)).collect();
        (slot, terms.into_iter().collect())
    })
}

#[test]
fn windows_that_cannot_matter_are_passed_over_without_loss() {
    let temp = tempfile::tempdir().unwrap();
    let index = SparseIndex::open(&temp.path().join("sparse"), &identity(), &Seal::default()).unwrap();
    let mut all = Vec::new();
    for (slot, impacts) in large(120_000) {
        index.insert(slot, &impacts).unwrap();
        all.push((slot, impacts));
    }
    index.set_applied(1);
    for committed in [false, true] {
        if committed {
            index.commit().unwrap();
        }
        for query in [vec![(3, 1.0), (200, 2.0), (900, 1.5)], vec![(0, 1.0)], vec![(5, 0.25), (7, 3.0), (1000, 9.0)]] {
            let query = SparseVector { terms: query };
            let mut expected: Vec<(u64, f32)> = Vec::new();
            for (slot, impacts) in &all {
                let score: f32 = impacts
                    .iter()
                    .filter_map(|(term, impact)| {
                        let (_, weight) = query.terms.iter().find(|(own, _)| own == term)?;
                        Some(weight * f32::from(*impact) / IMPACT_SCALE)
                    })
                    .sum();
                if score > 0.0 {
                    expected.push((*slot, score));
                }
            }
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(20);
            assert_eq!(index.search(&query, 20, None).unwrap(), expected);
        }
    }
}

#[test]
fn segments_stay_few_and_deleted_chunks_leave_them() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("sparse");
    let index = SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    for (slot, impacts) in large(600) {
        index.insert(slot, &impacts).unwrap();
        index.set_applied(slot + 1);
        index.commit().unwrap();
        assert!(index.read().segments.len() <= 2 * MERGED, "{} segments", index.read().segments.len());
    }
    let files = |dir: &Path| std::fs::read_dir(dir).unwrap().count();
    assert_eq!(files(&dir), index.read().segments.len() + 1, "nothing is left of what was merged");
    let document = DocumentId::from_bytes([1; 16]);
    index.remove(&SlotRange { document, first: 0, count: 500 }).unwrap();
    index.set_applied(601);
    index.commit().unwrap();
    while let Some(n) = { outdated(&index.read()) } {
        index.rewrite(n..n + 1).unwrap();
    }
    index.save().unwrap();
    let inner = index.read();
    assert!(inner.segments.iter().map(|segment| segment.info.chunks).sum::<u64>() < 150);
    assert_eq!(inner.dead.count(0..600), 0);
    assert_eq!(index.fingerprints().unwrap().len(), 100);
}

#[test]
fn another_model_or_collection_begins_anew() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("sparse");
    let index = SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    index.insert(0, &[(1, 2)]).unwrap();
    index.set_applied(1);
    index.commit().unwrap();
    assert_eq!(SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap().applied(), 1);
    let other =
        SparseIndex::open(&dir, &Identity { sparse_model: Some("other".into()), ..identity() }, &Seal::default())
            .unwrap();
    assert_eq!((other.applied(), other.fingerprints().unwrap().len()), (0, 0));
}

#[test]
fn postings_that_cannot_be_read_are_not_used_again() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("sparse");
    let index = SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    for (slot, impacts) in large(2000) {
        index.insert(slot, &impacts).unwrap();
    }
    index.set_applied(1);
    index.commit().unwrap();
    drop(index);
    // As a large index that is not checked on open: wrong bytes whose checksum is right.
    let (mut saved, segments) =
        file::load(&dir, "casetrack-sparse-1 05050505-0505-0505-0505-050505050505 sparse", &Seal::default()).unwrap();
    let path = dir.join(&segments[0].info.file);
    let mut bytes = std::fs::read(&path).unwrap();
    drop(segments);
    let end = bytes.len() - 20;
    bytes[..end / 2].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    saved.segments[0].crc32 = crc32fast::hash(&bytes);
    file::save(&dir, saved, &Seal::default()).unwrap();
    let index = SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap();
    let query = SparseVector { terms: (0..8).map(|term| (term, 1.0)).collect() };
    assert_eq!(index.search(&query, 5, None).unwrap_err().code, ErrorCode::Corrupt);
    assert_eq!(SparseIndex::open(&dir, &identity(), &Seal::default()).unwrap().applied(), 0);
}
