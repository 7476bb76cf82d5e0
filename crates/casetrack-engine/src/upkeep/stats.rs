//! The disk usage of a collection, and its compaction.

use casetrack_core::{CollectionId, Result};
use casetrack_store::{Collection, Stats, VectorModels};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::{Host, described};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CollectionStats {
    pub collection: String,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub total_bytes: u64,
    /// Documents and indexes, without originals and quarantine.
    pub stored_bytes: u64,
    /// A share of `stored_bytes`; absent if there are no chunks.
    pub bytes_per_chunk: Option<u64>,
    /// The models of the vectors: dense, and learned-sparse and token vectors if there are any.
    pub models: Vec<String>,
    /// A move to other models that is under way, or was interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moving: Option<MovingStats>,
    /// In the order: tables of RocksDB, its log, indexes, originals, quarantine.
    pub kinds: Vec<KindBytes>,
}

/// The stored part of a move to other models. It continues when the move is requested again; a move to other models than these, or to those that the
/// collection has, discards it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovingStats {
    /// The model of the dense vectors that are made, and of the token vectors, if any.
    pub to: String,
    /// On disk, besides the collection's own.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KindBytes {
    /// `rocksdb/vectors`, `bm25`, `originals` and so on; stable.
    pub kind: String,
    pub bytes: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CompactReport {
    pub before: CollectionStats,
    pub after: CollectionStats,
    pub duration_ms: u64,
}

pub fn collection_stats(host: &Host, collection: CollectionId) -> Result<CollectionStats> {
    let moving = host.registry().moving_state(collection)?;
    let moving = moving.map(|moving| MovingStats { to: described(&moving.models), bytes: moving.bytes });
    Ok(CollectionStats { moving, ..stats(&*host.collection(collection)?)? })
}

/// Rewrites files to drop the remains of deletions and replacements. Searches continue; changes wait.
pub fn compact_collection(host: &Host, collection: CollectionId) -> Result<CompactReport> {
    let started = std::time::Instant::now();
    let collection = host.collection(collection)?;
    let before = stats(&collection)?;
    collection.compact()?;
    let after = stats(&collection)?;
    Ok(CompactReport { before, after, duration_ms: started.elapsed().as_millis() as u64 })
}

fn stats(collection: &Collection) -> Result<CollectionStats> {
    let stats = collection.stats()?;
    let (stored_bytes, total_bytes) = (stats.stored_bytes(), stats.total_bytes());
    let Stats { counts, families, rocksdb_other, indexes, originals, quarantine } = stats;
    let families = families.into_iter().map(|(name, bytes)| (format!("rocksdb/{name}"), bytes));
    let others = [("originals", originals), ("quarantine", quarantine)];
    let kinds = families
        .chain([("rocksdb/log".to_owned(), rocksdb_other)])
        .chain(indexes.into_iter().chain(others).map(|(name, bytes)| (name.to_owned(), bytes)))
        .map(|(kind, bytes)| KindBytes { kind, bytes })
        .collect();
    Ok(CollectionStats {
        collection: collection.meta().name.clone(),
        documents: counts.documents,
        pages: counts.pages,
        chunks: counts.chunks,
        total_bytes,
        stored_bytes,
        bytes_per_chunk: stored_bytes.checked_div(counts.chunks),
        models: models(collection.models()),
        moving: None,
        kinds,
    })
}

fn models(models: &VectorModels) -> Vec<String> {
    let tokens = models.tokens.as_ref().map(|model| format!("{} (token vectors)", model.id));
    [Some(models.dense.clone()), models.sparse.clone(), tokens].into_iter().flatten().collect()
}
