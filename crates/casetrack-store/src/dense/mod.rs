//! Nearest neighbours (E1): a usearch HNSW graph (Malkov & Yashunin 2016) over half-precision vectors, and exact search
//! if that is faster.
//!
//! The graph only proposes candidates. Scores are always computed here, from the stored vectors, so that they do not
//! depend on how a candidate was found. Vectors have length 1, so the dot product is the cosine.
//!
//! While nothing changes the graph is a read-only view of its file, mapped into memory: it takes next to no memory of
//! its own, the system keeps the parts in use, and opening it does not read the vectors. The first change replaces the
//! view by a copy in memory, a flush goes back to the view. That of a vault is a copy in memory always.

mod contexts;
mod distance;
mod file;
#[cfg(test)]
mod tests;
mod vector;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Error, ErrorCode, Result};
use half::f16;
use usearch::ffi::Matches;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use self::contexts::Contexts;
use self::file::Saved;
use self::vector::Fetched;
use crate::derived_index::{DerivedIndex, Origin, open_or_clear};
use crate::error;
use crate::fair_lock::YieldingLock;
use crate::reader::Reader;
use crate::records::{Identity, SlotRange};
use crate::seal::Seal;
use crate::slots::{SlotMap, SlotSet};
use crate::top_k::TopK;

pub use self::vector::dot;

/// Links of a node (M); twice as many on the lowest level.
const CONNECTIVITY: usize = 16;
/// Candidates looked at when a node is linked (efConstruction). Half the usual number takes half the time, and a wider
/// search makes up for it.
const EXPANSION_ADD: usize = 64;
/// Candidates looked at by a search (ef), or as many as are wanted if that is more. Over 100,000 vectors of benches/store 256 finds
/// 0.991 of the ten nearest and 384 finds 0.997 (with an efConstruction of 128: 128 finds 0.980, 256 0.996); the share falls
/// slowly with size (256, 300,000 vectors: 0.986) and when many vectors have been replaced.
const EXPANSION_SEARCH: usize = 384;
/// Up to this many vectors, looking at each takes no longer than a search for 500 through the graph (1.3 ms of a
/// processor for both at 20,000 of 384 dimensions; 3.1 against 1.8 ms at 50,000), and misses nothing.
const EXACT_BELOW: u64 = 20_000;
/// Under a filter, looking at the `m` vectors that pass takes time in proportion to them, and a search through the
/// graph of `n` to the share `n / m` of nodes it visits in vain. The first is chosen where `m² ≤ EXACT_BELOW_FILTERED ·
/// n`: with 22,000 of 100,000 vectors both take about 10 ms.
const EXACT_BELOW_FILTERED: u64 = 5_000;
/// Candidates asked for beyond those wanted.
const SPARE: usize = 16;
/// The graph is saved, all of it, when this share of it (one in …) has changed since …
const SAVE_SHARE: u64 = 4;
/// … but not for fewer changes than the lower number, which are replayed within a second, and never for more than the
/// higher one, which bounds the cost of a crash: at a million chunks inserting one takes about a millisecond, so that
/// replay takes less than a minute. Growing to a million in this way writes the final file about twelve times over.
const SAVE_CHUNKS: (u64, u64) = (2_000, 50_000);
/// The graph is rebuilt when it holds more nodes of deleted chunks than of live ones, and at least these.
const COMPACT_NODES: usize = 1_000;

pub(crate) struct DenseIndex {
    dir: PathBuf,
    seal: Seal,
    identity: String,
    dimension: usize,
    graph: YieldingLock<Graph>,
    contexts: Contexts,
}

struct Graph {
    index: Arc<Index>,
    /// True if `index` is a read-only view of the file.
    viewed: bool,
    applied: u64,
    /// The number on disk; `None` while that is about to be replaced.
    saved: Option<Saved>,
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
    /// The best `k` chunks for a vector as (slot, cosine), best first, equal scores by slot; of `filter` only, if
    /// given. Exact in small collections and under narrow filters, else approximate. A filter never costs results.
    pub fn search(&self, query: &[f32], k: usize, filter: Option<&SlotSet>) -> Result<Vec<(u64, f32)>> {
        if query.len() != self.dimension {
            let (found, expected) = (query.len(), self.dimension);
            return Err(Error::internal(format!("The query's vector has {found} components instead of {expected}.")));
        }
        if !query.iter().all(|x| x.is_finite()) {
            return Err(Error::internal("The query's vector has components that are not numbers."));
        }
        let graph = self.graph.read();
        let size = graph.index.size();
        if size == 0 || k == 0 {
            return Ok(Vec::new());
        }
        let index = &graph.index;
        match filter {
            // Neither the graph nor usearch's own exact search is made for a `k` that leaves nothing out.
            Some(filter) if filter.len() <= k as u64 => self.best(index, query, k, filter.iter()),
            Some(filter) if filter.len().saturating_mul(filter.len()) <= EXACT_BELOW_FILTERED * size as u64 => {
                self.best(index, query, k, filter.iter())
            }
            Some(filter) => {
                let admitted = filter.len() as usize;
                let search = |wanted| index.filtered_search(query, wanted, |slot| filter.contains(slot));
                match self.propose(index, query, k, admitted, search)? {
                    Some(best) => Ok(best),
                    None => self.best(index, query, k, filter.iter()),
                }
            }
            None if size as u64 > EXACT_BELOW => {
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

    /// Scores what `search` proposes when asked for a number of candidates out of `available`. It is asked for more
    /// than `k`, so that the choice among equal scores is ours. `None` when it gives fewer than it should: parts of a
    /// graph that cannot be reached.
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
            let found = self.contexts.run(|| search(wanted)).map_err(|error| self.error(error))?.keys;
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
        self.thaw()?;
        let mut graph = self.graph.write_after_others();
        let index = &graph.index;
        let capacity = match index.capacity() {
            full if full <= index.size() => (2 * full).max(1024),
            enough => enough,
        };
        // Even if there is room: usearch draws the level of a node from the generator of the search context at hand,
        // which depends on the searches before; reserving puts the first context back in place, and the graph is
        // reproducible. (Its `reserve` without threads would ask the system for the number of cores each time.)
        index.reserve_capacity_and_threads(capacity, *contexts::COUNT).map_err(|error| self.error(error))?;
        index.add(slot, usearch::f16::from_i16s(&bits)).map_err(|error| self.error(error))?;
        graph.unsaved_chunks += 1;
        Ok(())
    }

    /// Replaces a view of the file by a copy in memory, which can be changed. Reads and checks all of the file, about a
    /// second for a gigabyte; searches continue during this. A damaged file is disowned, so that the index is rebuilt.
    fn thaw(&self) -> Result<()> {
        if !self.graph.read().viewed {
            return Ok(());
        }
        let index = new_index(&self.dir, self.dimension)?;
        let loaded = file::load(&self.dir, &self.identity, &index, &self.seal);
        loaded.inspect_err(|error| {
            if error.code == ErrorCode::Corrupt {
                file::disown(&self.dir);
            }
        })?;
        let mut graph = self.graph.write();
        (graph.index, graph.viewed) = (distance::shared(index, self.dimension), false);
        Ok(())
    }

    /// Goes back to a view of the file, if that is up to date.
    fn freeze(&self) -> Result<()> {
        let saved = {
            let graph = self.graph.read();
            match &graph.saved {
                Some(saved) if !graph.viewed && graph.unsaved_chunks == 0 => saved.clone(),
                _ => return Ok(()),
            }
        };
        let index = new_index(&self.dir, self.dimension)?;
        if file::view(&self.dir, &saved, &index, &self.seal) {
            let mut graph = self.graph.write();
            (graph.index, graph.viewed) = (distance::shared(index, self.dimension), true);
        }
        Ok(())
    }

    /// Searches continue during this: saving only reads, and changes come from the thread that saves.
    fn save(&self) -> Result<()> {
        let (index, applied, before, unchanged) = {
            let graph = self.graph.read();
            (Arc::clone(&graph.index), graph.applied, graph.saved.clone(), graph.unsaved_chunks == 0)
        };
        let saved = match before {
            Some(before) if before.applied == applied => return Ok(()),
            Some(before) if unchanged && before.is_file() => {
                let saved = Saved { applied, ..before };
                file::commit(&self.dir, &saved, &self.seal)?;
                saved
            }
            _ => {
                let (identity, vectors) = (self.identity.clone(), index.size() as u64);
                file::save(&self.dir, &index, Saved { identity, applied, vectors, ..Saved::default() }, &self.seal)?
            }
        };
        let mut graph = self.graph.write();
        graph.saved = Some(saved);
        graph.unsaved_chunks = 0;
        Ok(())
    }

    fn error(&self, error: impl std::fmt::Display) -> Error {
        error::derived(&self.dir, error)
    }
}

fn new_index(dir: &Path, dimension: usize) -> Result<Index> {
    let error = |error| error::derived(dir, error);
    let index = Index::new(&options(dimension)).map_err(error)?;
    // An index that is loaded or mapped into it keeps them.
    index.reserve_capacity_and_threads(0, *contexts::COUNT).map_err(error)?;
    Ok(index)
}

impl DerivedIndex for DenseIndex {
    const NAME: &'static str = "dense";
    const CHECK: (&'static str, &'static str) = (
        "dense_index",
        "The nearest-neighbour index holds the vectors of all chunks and no others, and its file is sound.",
    );

    fn open(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        let dimension = identity.dense_dimension as usize;
        let tag = format!("casetrack-dense-1 {} {} {dimension}", identity.collection, identity.dense_model);
        let index = new_index(dir, dimension)?;
        let (index, (saved, viewed)) = match open_or_clear(dir, Self::NAME, || file::open(dir, &tag, &index, seal))? {
            Some(found) => (index, found),
            None => (new_index(dir, dimension)?, (Saved::default(), false)),
        };
        let (index, applied) = (distance::shared(index, dimension), saved.applied);
        let graph = Graph { index, viewed, applied, saved: Some(saved), unsaved_chunks: 0 };
        Ok(Self {
            dir: dir.to_owned(),
            seal: seal.clone(),
            identity: tag,
            dimension,
            graph: YieldingLock::new(graph),
            contexts: Contexts::default(),
        })
    }

    fn applied(&self) -> u64 {
        self.graph.read().applied
    }

    fn durable(&self) -> u64 {
        self.graph.read().saved.as_ref().map_or(0, |saved| saved.applied)
    }

    fn clear(&self) -> Result<()> {
        let index = distance::shared(new_index(&self.dir, self.dimension)?, self.dimension);
        let mut graph = self.graph.write();
        *graph = Graph { index, viewed: false, applied: 0, saved: None, unsaved_chunks: 0 };
        Ok(())
    }

    fn add(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()> {
        reader.for_each_vector(slots.document, self.dimension, |index, vector| {
            self.insert(slots.first + u64::from(index), &vector)
        })
    }

    fn remove(&self, slots: &SlotRange) -> Result<()> {
        self.thaw()?;
        let mut graph = self.graph.write();
        for slot in slots.slots() {
            graph.index.remove(slot).map_err(|error| self.error(error))?;
        }
        graph.unsaved_chunks += u64::from(slots.count);
        Ok(())
    }

    fn set_applied(&self, seq: u64) {
        self.graph.write().applied = seq;
    }

    fn wants_commit(&self) -> bool {
        let graph = self.graph.read();
        let (fewest, most) = SAVE_CHUNKS;
        graph.unsaved_chunks >= (graph.index.size() as u64 / SAVE_SHARE).clamp(fewest, most)
    }

    fn commit(&self) -> Result<()> {
        self.save()
    }

    fn compact(&self, origin: Origin<'_>) -> Result<()> {
        let (nodes, live) = {
            let graph = self.graph.read();
            (graph.index.stats_for_level(0).nodes, graph.index.size())
        };
        let deleted = nodes.saturating_sub(live);
        if deleted >= COMPACT_NODES.max(live) {
            tracing::info!(deleted, live, "the dense index is rebuilt without deleted chunks");
            self.rebuild(origin)?;
        }
        self.freeze()
    }

    fn holds_deleted(&self) -> Result<bool> {
        let graph = self.graph.read();
        Ok(graph.index.stats_for_level(0).nodes > graph.index.size())
    }

    fn close(&self) {}

    fn check(&self, slots: &SlotMap, reader: &Reader<'_>) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let mut found = Fetched::new(self.dimension);
        for range in slots.ranges() {
            let document = range.document;
            reader.for_each_vector(document, self.dimension, |index, vector| {
                let slot = range.first + u64::from(index);
                if !found.fetch(&self.graph.read().index, slot).map_err(|error| self.error(error))? {
                    problems.push(format!("Chunk {index} of document {document} is not in the dense index."));
                } else if found.narrow() != vector {
                    problems
                        .push(format!("Chunk {index} of document {document} has another vector in the dense index."));
                }
                Ok(())
            })?;
        }
        let (size, saved) = {
            let graph = self.graph.read();
            (graph.index.size() as u64, graph.saved.clone())
        };
        if size != slots.chunks() {
            problems.push(format!("The dense index holds {size} vectors instead of {}.", slots.chunks()));
        }
        // Before the first save there is no file.
        if saved.is_some_and(|saved| saved.is_file())
            && let Err(error) = file::check(&self.dir, &self.identity, &self.seal)
        {
            problems.push(error.message);
        }
        Ok(problems)
    }
}
