//! Nearest neighbours (E1): a usearch HNSW graph (Malkov & Yashunin 2016) over half-precision vectors, and exact search where
//! that is faster.
//!
//! The graph only proposes candidates. Scores are always computed here, from the stored vectors, so that they do not depend
//! on how a candidate was found. Vectors have length 1, so the dot product is the cosine.

mod file;
mod vector;

use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use half::f16;
use usearch::ffi::Matches;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use self::file::Saved;
use self::vector::{Fetched, dot};
use crate::derived::DerivedIndex;
use crate::error;
use crate::fs;
use crate::reader::Reader;
use crate::records::{Identity, State};
use crate::slots::{SlotMap, SlotRange, SlotSet};
use crate::top_k::TopK;
use crate::yielding::YieldingMutex;

/// Links of a node (M); twice as many on the lowest level.
const CONNECTIVITY: usize = 16;
/// Candidates looked at when a node is linked (efConstruction).
const EXPANSION_ADD: usize = 128;
/// Candidates looked at by a search (ef), or as many as are wanted if that is more.
const EXPANSION_SEARCH: usize = 128;
/// Up to this many vectors, looking at each takes no longer than a search for 500 through the graph. Under a filter the one
/// takes time in proportion to the `m` vectors that pass, the other to the share `n / m` of nodes it visits in vain: vectors
/// are looked at one by one where `m² ≤ EXACT_BELOW · n`.
const EXACT_BELOW: u64 = 20_000;
/// Candidates asked for beyond those wanted.
const SPARE: usize = 16;
/// The graph is saved when this share of it (one in …) has changed since, so that saving costs little against inserting.
const SAVE_SHARE: u64 = 32;
/// … but not for fewer changes than these, which are replayed within a second.
const SAVE_CHUNKS: u64 = 2_000;
/// The graph is built anew when it holds more nodes of deleted chunks than of live ones, and at least these.
const COMPACT_NODES: usize = 1_000;

pub(crate) struct DenseIndex {
    dir: PathBuf,
    identity: String,
    dimension: usize,
    graph: YieldingMutex<Graph>,
}

struct Graph {
    index: Index,
    applied: u64,
    saved: Option<u64>,
    unsaved_chunks: u64,
}

fn options(dimension: usize) -> IndexOptions {
    IndexOptions {
        dimensions: dimension,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    }
}

impl DenseIndex {
    /// The best `k` chunks for a vector as (slot, cosine), best first, equal scores by slot; of `filter` only, if given.
    ///
    /// Exact in small collections and under narrow filters, else approximate; a filter never costs results: up to `k` of the
    /// chunks it leaves are found.
    pub fn search(&self, query: &[f32], k: usize, filter: Option<&SlotSet>) -> Result<Vec<(u64, f32)>> {
        if query.len() != self.dimension {
            let (found, expected) = (query.len(), self.dimension);
            return Err(Error::internal(format!("The query's vector has {found} components instead of {expected}.")));
        }
        if !query.iter().all(|x| x.is_finite()) {
            return Err(Error::internal("The query's vector has components that are not numbers."));
        }
        let graph = self.graph.lock();
        let size = graph.index.size();
        if size == 0 || k == 0 {
            return Ok(Vec::new());
        }
        let index = &graph.index;
        match filter {
            Some(filter) if exact_is_faster(filter.len(), size) => self.best(index, query, k, filter.iter()),
            Some(filter) => {
                let admitted = filter.len() as usize;
                let search = |wanted| index.filtered_search(query, wanted, |slot| filter.contains(slot));
                match self.propose(index, query, k, admitted, search)? {
                    Some(best) => Ok(best),
                    None => self.best(index, query, k, filter.iter()),
                }
            }
            None if !exact_is_faster(size as u64, size) => {
                match self.propose(index, query, k, size, |wanted| index.search(query, wanted))? {
                    Some(best) => Ok(best),
                    None => self.all(index, query, k),
                }
            }
            None => self.all(index, query, k),
        }
    }

    /// Exact search of everything.
    fn all(&self, index: &Index, query: &[f32], k: usize) -> Result<Vec<(u64, f32)>> {
        let size = index.size();
        let best = self.propose(index, query, k, size, |wanted| index.exact_search(query, wanted))?;
        best.ok_or_else(|| self.error("it holds fewer vectors than it counts"))
    }

    /// Scores what `search` proposes when asked for a number of candidates out of `available`. It is asked for more than `k`,
    /// so that the choice among equal scores is ours. `None` when it gives fewer than it should: parts of a graph that cannot be
    /// reached.
    fn propose<E: std::fmt::Display>(
        &self,
        index: &Index,
        query: &[f32],
        k: usize,
        available: usize,
        search: impl Fn(usize) -> std::result::Result<Matches, E>,
    ) -> Result<Option<Vec<(u64, f32)>>> {
        let mut wanted = k.saturating_add(SPARE).min(available);
        loop {
            let found = search(wanted).map_err(|error| self.error(error))?.keys;
            if found.len() < wanted {
                return Ok(None);
            }
            let mut best = self.best(index, query, wanted, found.into_iter())?;
            let ends_in_a_tie = match (best.get(k.saturating_sub(1)), best.last()) {
                (Some(chosen), Some(last)) => chosen.1 <= last.1,
                _ => false,
            };
            if wanted == available || !ends_in_a_tie {
                best.truncate(k);
                return Ok(Some(best));
            }
            wanted = wanted.saturating_mul(2).min(available);
        }
    }

    /// Scores some slots and keeps the best. Slots without a vector are passed over.
    fn best(
        &self,
        index: &Index,
        query: &[f32],
        k: usize,
        slots: impl Iterator<Item = u64>,
    ) -> Result<Vec<(u64, f32)>> {
        let mut top = TopK::new(k);
        let mut vector = Fetched::new(self.dimension);
        for slot in slots {
            if vector.fetch(index, slot).map_err(|error| self.error(error))? {
                top.push(slot, dot(query, vector.wide()));
            }
        }
        Ok(top.into_sorted())
    }

    fn insert(&self, slot: u64, vector: &[f16]) -> Result<()> {
        let bits: Vec<i16> = vector.iter().map(|x| x.to_bits().cast_signed()).collect();
        let mut graph = self.graph.lock_after_others();
        let index = &graph.index;
        let capacity = match index.capacity() {
            full if full <= index.size() => (2 * full).max(1024),
            enough => enough,
        };
        // Also where there is room: usearch draws the level of a node from the generator of the search context at hand, which
        // depends on the searches before; reserving puts the first context back in place, and the graph is reproducible.
        // (Its `reserve` without threads would ask the system for the number of cores each time.)
        index.reserve_capacity_and_threads(capacity, 1).map_err(|error| self.error(error))?;
        index.add(slot, usearch::f16::from_i16s(&bits)).map_err(|error| self.error(error))?;
        graph.unsaved_chunks += 1;
        Ok(())
    }

    fn save(&self, graph: &mut Graph) -> Result<()> {
        let saved = Saved {
            identity: self.identity.clone(),
            applied: graph.applied,
            vectors: graph.index.size() as u64,
            ..Saved::default()
        };
        file::save(&self.dir, &graph.index, saved)?;
        graph.saved = Some(graph.applied);
        graph.unsaved_chunks = 0;
        Ok(())
    }

    fn error(&self, error: impl std::fmt::Display) -> Error {
        error::derived(&self.dir, error)
    }
}

fn exact_is_faster(admitted: u64, size: usize) -> bool {
    admitted.saturating_mul(admitted) <= EXACT_BELOW * size as u64
}

impl DerivedIndex for DenseIndex {
    const NAME: &'static str = "dense";
    const CHECK: (&'static str, &'static str) = (
        "dense_index",
        "The nearest-neighbour index holds the vectors of all chunks and no others, and its file is sound.",
    );

    fn open(dir: &Path, identity: &Identity) -> Result<Self> {
        let dimension = identity.dense_dimension as usize;
        let tag = format!("casetrack-dense-1 {} {} {dimension}", identity.collection, identity.dense_model);
        let index = Index::new(&options(dimension)).map_err(|error| error::derived(dir, error))?;
        // It is made by the first save.
        let existed = dir.exists();
        let saved = match file::load(dir, &tag, &index) {
            Ok(saved) => Some(saved),
            Err(error) if error.code != ErrorCode::Corrupt => return Err(error),
            Err(error) => {
                if existed {
                    tracing::warn!(dir = %dir.display(), %error, "the dense index is damaged");
                }
                None
            }
        };
        let (index, saved) = match saved {
            Some(saved) => (index, saved),
            None => {
                fs::remove_dir(dir)?;
                let index = Index::new(&options(dimension)).map_err(|error| error::derived(dir, error))?;
                (index, Saved { identity: tag.clone(), ..Saved::default() })
            }
        };
        let graph = Graph { index, applied: saved.applied, saved: Some(saved.applied), unsaved_chunks: 0 };
        Ok(Self { dir: dir.to_owned(), identity: tag, dimension, graph: YieldingMutex::new(graph) })
    }

    fn applied(&self) -> u64 {
        self.graph.lock().applied
    }

    fn durable(&self) -> u64 {
        self.graph.lock().saved.unwrap_or_default()
    }

    fn clear(&self) -> Result<()> {
        let mut graph = self.graph.lock();
        graph.index = Index::new(&options(self.dimension)).map_err(|error| self.error(error))?;
        (graph.applied, graph.saved) = (0, None);
        Ok(())
    }

    fn add(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()> {
        reader.for_each_vector(slots.document, self.dimension, |index, vector| {
            self.insert(slots.first + u64::from(index), &vector)
        })
    }

    fn remove(&self, slots: &SlotRange) -> Result<()> {
        let mut graph = self.graph.lock();
        for slot in slots.slots() {
            graph.index.remove(slot).map_err(|error| self.error(error))?;
        }
        graph.unsaved_chunks += u64::from(slots.count);
        Ok(())
    }

    fn set_applied(&self, seq: u64) {
        self.graph.lock().applied = seq;
    }

    fn wants_commit(&self) -> bool {
        let graph = self.graph.lock();
        graph.unsaved_chunks >= SAVE_CHUNKS.max(graph.index.size() as u64 / SAVE_SHARE)
    }

    fn commit(&self) -> Result<()> {
        let mut graph = self.graph.lock();
        if graph.saved == Some(graph.applied) { Ok(()) } else { self.save(&mut graph) }
    }

    fn compact(&self, state: &State, slots: &SlotMap, reader: &Reader<'_>) -> Result<()> {
        let (nodes, live) = {
            let graph = self.graph.lock();
            (graph.index.stats_for_level(0).nodes, graph.index.size())
        };
        let deleted = nodes.saturating_sub(live);
        if deleted < COMPACT_NODES.max(live) {
            return Ok(());
        }
        tracing::info!(deleted, live, "the dense index is built anew without deleted chunks");
        self.rebuild(state, slots, reader)
    }

    fn close(&self) {}

    fn check(&self, slots: &SlotMap, reader: &Reader<'_>) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let mut found = Fetched::new(self.dimension);
        for range in slots.ranges() {
            let document = range.document;
            reader.for_each_vector(document, self.dimension, |index, vector| {
                let slot = range.first + u64::from(index);
                if !found.fetch(&self.graph.lock().index, slot).map_err(|error| self.error(error))? {
                    problems.push(format!("Chunk {index} of document {document} is not in the dense index."));
                } else if found.narrow() != vector {
                    problems
                        .push(format!("Chunk {index} of document {document} has another vector in the dense index."));
                }
                Ok(())
            })?;
        }
        let (size, saved) = {
            let graph = self.graph.lock();
            (graph.index.size() as u64, graph.saved)
        };
        if size != slots.chunks() {
            problems.push(format!("The dense index holds {size} vectors instead of {}.", slots.chunks()));
        }
        // Before the first save there is no file.
        if saved.is_some_and(|seq| seq > 0)
            && let Err(error) = file::check(&self.dir, &self.identity)
        {
            problems.push(error.message);
        }
        Ok(problems)
    }
}

#[cfg(test)]
mod tests {
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
        Identity { collection, dense_model: "test".into(), dense_dimension: DIMENSION as u32 }
    }

    fn index_of(dir: &Path, vectors: &[Vec<f32>]) -> DenseIndex {
        let index = DenseIndex::open(dir, &identity()).unwrap();
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
        let graph = index.graph.lock();
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
        let busy = DenseIndex::open(&dir.path().join("busy"), &identity()).unwrap();
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
        let reopened = DenseIndex::open(&dir, &identity()).unwrap();
        assert_eq!((reopened.applied(), reopened.durable()), (1, 1));
        assert_eq!(reopened.search(&vectors[7], 20, None).unwrap(), expected);
        let other = DenseIndex::open(&dir, &Identity { dense_model: "other".into(), ..identity() }).unwrap();
        assert_eq!(other.applied(), 0);
        assert_eq!(other.search(&vectors[7], 20, None).unwrap(), []);
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
        let graph = index.graph.lock();
        let graph = &graph.index;
        let query = vectors[11].as_slice();
        let even = |slot: u64| slot.is_multiple_of(2);
        let exact = index.best(graph, query, 10, (0..2000).filter(|&slot| even(slot))).unwrap();
        let found = index.propose(graph, query, 10, 1000, |wanted| graph.filtered_search(query, wanted, even)).unwrap();
        let found = found.unwrap();
        assert_eq!(found.len(), 10);
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1) && found.iter().all(|&(slot, _)| even(slot)));
        assert!(found.iter().filter(|hit| exact.contains(hit)).count() >= 9);
        let none =
            index.propose(graph, query, 10, 1000, |wanted| graph.filtered_search(query, wanted, |slot| slot < 3));
        assert_eq!(none.unwrap(), None);
    }
}
