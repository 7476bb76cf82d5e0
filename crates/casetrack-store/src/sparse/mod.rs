//! Learned-sparse retrieval (E6): an inverted index of the chunks' vocabulary terms with quantised impacts, searched exactly.
//!
//! A log-structured merge: new chunks go to a tail in memory, which becomes a segment file when it is large or a commit
//! is made; neighbouring segments are merged, so that their number grows with the logarithm of the postings. Slots only
//! grow, so segments are apart from each other and in order. A deleted chunk's slot is marked dead, and its postings go
//! when their segment is next written.

mod dead;
mod file;
mod postings;
mod search;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use casetrack_core::{Error, Result};

use self::dead::Dead;
use self::file::Saved;
use self::postings::Damaged;
use self::search::Query;
use self::segment::{Postings, Segment, SegmentInfo, Tail, Unwritten};
use crate::derived_index::{DerivedIndex, Origin, open_or_clear};
use crate::error;
use crate::reader::Reader;
use crate::records::sparse_vector::SparseVector;
use crate::records::{Identity, SlotRange};
use crate::seal::Seal;
use crate::slots::{SlotMap, SlotSet};
use crate::top_k::TopK;

pub use self::search::{query_terms, score};

/// The tail becomes a segment at this many postings: about 16 MB of memory, 17,000 chunks.
const TAIL_POSTINGS: usize = 2 << 20;
/// This many neighbouring segments of a size are merged …
const MERGED: usize = 8;
/// … where sizes up to this many postings count as one size, up to [`MERGED`] times as many as the next, and so on.
const SMALLEST: u64 = 1 << 16;
/// Changed chunks after which a commit is made during ingestion; catching up on as many takes about a second.
const COMMIT_CHUNKS: u64 = 20_000;
/// A flush rewrites a segment when one in this many of its chunks is deleted.
const PURGE_SHARE: u64 = 4;

pub(crate) struct SparseIndex {
    dir: PathBuf,
    seal: Seal,
    identity: String,
    inner: RwLock<Inner>,
    /// Number of the next segment's file; given out once.
    next_file: AtomicU64,
}

/// Segments, then tail, in the order of their slots.
struct Inner {
    segments: Vec<Arc<Segment>>,
    tail: Tail,
    /// Slots without a chunk that still have postings.
    dead: Dead,
    applied: u64,
    saved: Option<u64>,
    changed: u64,
}

impl Inner {
    fn all(&self) -> impl Iterator<Item = &dyn Postings> {
        let segments = self.segments.iter().map(|segment| segment.as_ref() as &dyn Postings);
        segments.chain((self.tail.postings > 0).then_some(&self.tail as &dyn Postings))
    }
}

impl SparseIndex {
    /// The best `k` chunks for a query as (slot, score), best first, equal scores by slot; of `filter` only, if given.
    /// Exact: scores are sums of query weight (rounded to 1/1024, at most 64) times stored weight over the shared
    /// terms. A chunk that shares no term is no hit. Time grows with the postings of the query's terms.
    pub fn search(&self, query: &SparseVector, k: usize, filter: Option<&SlotSet>) -> Result<Vec<(u64, f32)>> {
        let query = Query::checked(query)?;
        if k == 0 {
            return Ok(Vec::new());
        }
        let mut top = TopK::new(k);
        let inner = self.read();
        for postings in inner.all() {
            search::search(postings, &query, &inner.dead, filter, &mut top).map_err(|Damaged| self.damaged())?;
        }
        Ok(top.into_sorted().into_iter().map(|(slot, sum)| (slot, search::score(sum))).collect())
    }

    fn insert(&self, slot: u64, impacts: &[(u32, u8)]) -> Result<()> {
        let (takes, full) = {
            let inner = self.read();
            (inner.tail.takes(slot), inner.tail.postings >= TAIL_POSTINGS)
        };
        if full || !takes {
            self.seal()?;
        }
        let mut inner = self.write();
        let free = inner.all().last().map_or(0, |last| last.end_slot());
        if slot < free {
            return Err(error::derived(&self.dir, format!("slot {slot} comes after slot {}", free - 1)));
        }
        inner.tail.push(slot, impacts);
        inner.changed += 1;
        Ok(())
    }

    /// Makes a segment of the tail, and fewer of many.
    fn seal(&self) -> Result<()> {
        if self.read().tail.postings > 0 {
            let segment = {
                let inner = self.read();
                self.write_segment(&[&inner.tail], &inner.dead)?
            };
            let mut inner = self.write();
            let tail = std::mem::take(&mut inner.tail);
            inner.segments.extend(segment);
            inner.dead.forget(&(tail.first_slot()..tail.end_slot()));
        }
        self.merge()
    }

    /// Merges the last segments while [`MERGED`] of them, or more, are of one size or smaller.
    fn merge(&self) -> Result<()> {
        loop {
            let segments = self.read().segments.clone();
            let Some(from) = mergeable(&segments) else { return Ok(()) };
            self.rewrite(from..segments.len())?;
        }
    }

    /// Writes some segments as one, without dead chunks. Searches continue during this.
    fn rewrite(&self, range: std::ops::Range<usize>) -> Result<()> {
        // Changes come from one thread at a time: no other changes the list or the dead.
        let (segments, dead) = {
            let inner = self.read();
            (inner.segments[range.clone()].to_vec(), inner.dead.clone())
        };
        let sources: Vec<&dyn Postings> = segments.iter().map(|segment| segment.as_ref() as &dyn Postings).collect();
        let segment = self.write_segment(&sources, &dead)?;
        let mut inner = self.write();
        inner.segments.splice(range, segment);
        if let (Some(first), Some(last)) = (sources.first(), sources.last()) {
            inner.dead.forget(&(first.first_slot()..last.end_slot()));
        }
        Ok(())
    }

    fn write_segment(&self, sources: &[&dyn Postings], dead: &Dead) -> Result<Option<Arc<Segment>>> {
        let file = format!("{:020}.postings", self.next_file.fetch_add(1, Ordering::Relaxed));
        let info = segment::write(&self.dir, file, sources, dead, &self.seal).map_err(|unwritten| match unwritten {
            Unwritten::Damaged => self.damaged(),
            Unwritten::Error(error) => error,
        })?;
        info.map(|info| Segment::open(&self.dir, info, &self.seal).map(Arc::new)).transpose()
    }

    fn save(&self) -> Result<()> {
        let saved = {
            let inner = self.read();
            Saved {
                identity: self.identity.clone(),
                applied: inner.applied,
                segments: inner.segments.iter().map(|segment| segment.info.clone()).collect(),
                dead: inner.dead.clone(),
                ..Saved::default()
            }
        };
        let applied = saved.applied;
        file::save(&self.dir, saved, &self.seal)?;
        let mut inner = self.write();
        inner.saved = Some(applied);
        inner.changed = 0;
        Ok(())
    }

    /// The committed state is not the present one: it will not be used again.
    fn damaged(&self) -> Error {
        file::revoke(&self.dir);
        error::derived(&self.dir, "its postings cannot be read")
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for each live chunk that has postings, made of its terms and impacts.
    fn fingerprints(&self) -> Result<HashMap<u64, u64>> {
        let mut found = HashMap::new();
        let inner = self.read();
        for postings in inner.all() {
            let first = postings.first_slot();
            for term in postings.terms() {
                let cursor = postings.cursor(term).map_err(|Damaged| self.damaged())?;
                let Some(mut cursor) = cursor else { continue };
                let visit = |offset, impact| {
                    let sum: &mut u64 = found.entry(first + u64::from(offset)).or_default();
                    *sum = sum.wrapping_add(fingerprint(term, impact));
                };
                cursor.for_each(visit).map_err(|Damaged| self.damaged())?;
            }
        }
        found.retain(|slot, _| !inner.dead.contains(*slot));
        Ok(found)
    }
}

/// A segment of which much is deleted.
fn outdated(inner: &Inner) -> Option<usize> {
    inner.segments.iter().position(|segment| {
        let info = &segment.info;
        inner.dead.count(info.first_slot..info.end_slot) * PURGE_SHARE >= info.chunks
    })
}

/// The first of the last segments that are to be merged.
fn mergeable(segments: &[Arc<Segment>]) -> Option<usize> {
    let size = |info: &SegmentInfo| (info.postings / SMALLEST).checked_ilog(MERGED as u64).map_or(0, |size| size + 1);
    (0..segments.len()).find(|&from| {
        let largest = segments[from..].iter().map(|segment| size(&segment.info)).max();
        let slots = segments[segments.len() - 1].info.end_slot - segments[from].info.first_slot;
        segments.len() - from >= MERGED && largest == Some(size(&segments[from].info)) && slots <= u64::from(u32::MAX)
            // Seven small ones after a large one are not worth rewriting it.
            && segments[from..].iter().filter(|segment| Some(size(&segment.info)) == largest).count() >= MERGED
    })
}

fn fingerprint(term: u32, impact: u8) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((term, impact))
}

impl DerivedIndex for SparseIndex {
    const NAME: &'static str = "sparse";
    const CHECK: (&'static str, &'static str) = (
        "sparse_index",
        "The learned-sparse index holds the vectors of all chunks that have one and no others, and its files are sound.",
    );

    fn open(dir: &Path, identity: &Identity, seal: &Seal) -> Result<Self> {
        let model = identity.sparse_model.as_deref().unwrap_or("none");
        let tag = format!("casetrack-sparse-1 {} {model}", identity.collection);
        let (saved, segments) = open_or_clear(dir, Self::NAME, || file::load(dir, &tag, seal))?.unwrap_or_default();
        let number = |segment: &SegmentInfo| segment.file.split('.').next().and_then(|n| n.parse::<u64>().ok());
        let next_file = saved.segments.iter().filter_map(number).max().map_or(0, |last| last + 1);
        let inner = Inner {
            segments,
            tail: Tail::default(),
            dead: saved.dead,
            applied: saved.applied,
            saved: Some(saved.applied),
            changed: 0,
        };
        Ok(Self {
            dir: dir.to_owned(),
            seal: seal.clone(),
            identity: tag,
            inner: RwLock::new(inner),
            next_file: AtomicU64::new(next_file),
        })
    }

    fn applied(&self) -> u64 {
        self.read().applied
    }

    fn durable(&self) -> u64 {
        self.read().saved.unwrap_or_default()
    }

    fn clear(&self) -> Result<()> {
        let mut inner = self.write();
        (inner.segments, inner.tail, inner.dead) = (Vec::new(), Tail::default(), Dead::default());
        (inner.applied, inner.saved) = (0, None);
        Ok(())
    }

    fn add(&self, slots: &SlotRange, reader: &Reader<'_>) -> Result<()> {
        reader.for_each_sparse_vector(slots.document, |index, impacts| {
            self.insert(slots.first + u64::from(index), impacts)
        })
    }

    fn remove(&self, slots: &SlotRange) -> Result<()> {
        let mut inner = self.write();
        let has_some = inner.all().any(|part| part.first_slot() < slots.end() && slots.first < part.end_slot());
        if has_some {
            inner.dead.insert(slots);
        }
        inner.changed += u64::from(slots.count);
        Ok(())
    }

    fn set_applied(&self, seq: u64) {
        self.write().applied = seq;
    }

    fn wants_commit(&self) -> bool {
        self.read().changed >= COMMIT_CHUNKS
    }

    fn commit(&self) -> Result<()> {
        {
            let inner = self.read();
            if inner.saved == Some(inner.applied) {
                return Ok(());
            }
        }
        self.seal()?;
        self.save()
    }

    fn compact(&self, _: Origin<'_>) -> Result<()> {
        let mut rewritten = false;
        while let Some(n) = { outdated(&self.read()) } {
            self.rewrite(n..n + 1)?;
            rewritten = true;
        }
        if rewritten { self.save() } else { Ok(()) }
    }

    fn holds_deleted(&self) -> Result<bool> {
        Ok(!self.read().dead.is_empty())
    }

    fn close(&self) {}

    fn check(&self, slots: &SlotMap, reader: &Reader<'_>) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let segments = self.read().segments.clone();
        let damaged = segments.iter().filter(|segment| !segment.is_sound_on_disk(&self.dir, &self.seal));
        problems.extend(damaged.map(|segment| format!("The file sparse/{} is damaged.", segment.info.file)));
        let missing = segments.iter().filter(|segment| !self.dir.join(&segment.info.file).exists());
        problems.extend(missing.map(|segment| format!("The file sparse/{} is missing.", segment.info.file)));
        let found = self.fingerprints()?;
        let (mut expected, mut present) = (Vec::new(), found.keys().copied().collect::<Vec<_>>());
        for range in slots.ranges() {
            reader.for_each_sparse_vector(range.document, |index, impacts| {
                let slot = range.first + u64::from(index);
                if impacts.is_empty() {
                    return Ok(());
                }
                expected.push(slot);
                let sum = impacts.iter().fold(0u64, |sum, &(term, impact)| sum.wrapping_add(fingerprint(term, impact)));
                if found.get(&slot).is_some_and(|found| *found != sum) {
                    let document = range.document;
                    problems
                        .push(format!("Chunk {index} of document {document} has another vector in the sparse index."));
                }
                Ok(())
            })?;
        }
        present.sort_unstable();
        problems.extend(crate::verify::slot_differences("sparse", &expected, &present, slots));
        Ok(problems)
    }
}
